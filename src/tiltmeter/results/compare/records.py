"""The records of a comparison of two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.compare.names import split_pair
from tiltmeter.results.compare.sides import Side
from tiltmeter.stats.comparing.before_after import GapChange
from tiltmeter.stats.comparing.equivalence import Equivalence
from tiltmeter.stats.comparing.paired import Paired
from tiltmeter.stats.estimate import SHARE, Scale
from tiltmeter.stats.planning.detectable import minimum_detectable_of
from tiltmeter.views import View

OVERALL = "overall"
_UNKNOWN = Scale()


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sides on the same items, under one combination of choices."""

    view: View
    choices: Mapping[str, str]
    found: Paired | GapChange
    equivalence: Equivalence | None = None
    p_adjusted: float | None = None
    p_holm: float | None = None
    margins: Paired | None = None
    """Of an overall line of choices: the margins behind them, which may differ where no choice does."""
    scale: Scale = _UNKNOWN
    """Of what is compared; not known of the values of one group."""
    partial: int = 0
    """Of an overall line over decodings: prompts with a decoding that was left out, as one side lacks a value there."""
    by_stereotype: bool = False
    """Whether it is how far either side goes by the stereotype of two groups."""
    compares: bool = False
    """Whether values compare two groups already."""

    def __repr__(self) -> str:
        return f"<Compared {self.view}, {', '.join(self.choices.values())}: {self.difference}>"

    @property
    def in_points(self) -> bool:
        """Whether it is a share, which people read in points of a hundred."""
        return self.scale == SHARE

    @property
    def groups(self) -> tuple[str, ...]:
        """The group or groups that it is about; none where it is about stereotypes."""
        both = self.choices.get("groups")
        return split_pair(both) if both else tuple(name for name in [self.choices.get("group")] if name)

    @property
    def difference(self) -> Estimate:
        """a − b."""
        return self.found.difference

    @property
    def detectable(self) -> float | None:
        """The smallest true difference that a study like this one finds four times out of five."""
        return minimum_detectable_of(self.difference)

    @property
    def change(self) -> Estimate | None:
        """From A to B in per cent: of the mean, or of the ratio of two groups."""
        return self.found.change if isinstance(self.found, Paired) else self.found.ratio_change

    @property
    def no_change(self) -> str | None:
        """Why there is no change in per cent."""
        return self.found.no_change if isinstance(self.found, Paired) else self.found.no_ratio

    @property
    def is_gap(self) -> bool:
        """Whether it is the gap between two groups that is compared."""
        return isinstance(self.found, GapChange)

    def as_json(self) -> dict[str, Any]:
        """Choices and figures; null where there is none."""
        made = self.found.as_json()
        made["difference"] = {**made["difference"], "p_adjusted": self.p_adjusted}
        return {
            **self.choices,
            **made,
            "p_holm": self.p_holm,
            "minimum_detectable": self.detectable,
            **({"equivalence": self.equivalence.as_json()} if self.equivalence else {}),
            **({"margins": self.margins.as_json()} if self.margins else {}),
            **({"partial": self.partial} if self.partial else {}),
        }


@dataclass(frozen=True, slots=True)
class Counts:
    """How many items both sides have, and how many only one of them."""

    both: int
    only_a: int
    only_b: int


@dataclass(frozen=True, slots=True)
class ComparedView:
    """What one view says of two sides."""

    view: View
    items: Counts
    overall: tuple[Compared, ...]
    """One for each source (pairs), or for each source, bias and rater or set of words."""
    cells: tuple[Compared, ...]
    left_out: tuple[str, ...] = ()
    """Choices that only one side has, and what counts in part."""
    sentences: tuple[str, ...] = ()
    """One for each overall line."""
    summary: str = ""
    """One on all cells; empty where there is but one."""
    further: tuple[Compared, ...] = ()
    """As overall, of the other pairs of groups; no part of the comparison, but of what a gate looks at."""

    def __repr__(self) -> str:
        return f"<ComparedView {self.view}: {len(self.overall)} overall, {len(self.cells)} cells>"

    @property
    def lost(self) -> list[tuple[int, str]]:
        """How many items only A has, and only B; a side that has none of its own is not there."""
        counts = ((self.items.only_a, "A"), (self.items.only_b, "B"))
        return [(number, letter) for number, letter in counts if number]

    def as_json(self) -> dict[str, Any]:
        """Everything that is said."""
        gaps = [one for one in self.cells if one.is_gap]
        parts = {"groups": [one for one in self.cells if "group" in one.choices], "gaps": gaps}
        cells = parts if any(parts.values()) else {"cells": self.cells}
        return {
            "sentences": [*self.sentences, *([self.summary] if self.summary else [])],
            "items": {"both": self.items.both, "only_a": self.items.only_a, "only_b": self.items.only_b},
            "overall": [one.as_json() for one in self.overall],
            **{name: [one.as_json() for one in some] for name, some in cells.items()},
            "left_out": list(self.left_out),
        }


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two sides compared in every view that both have."""

    a: Side
    b: Side
    views: tuple[ComparedView, ...]
    comparisons: int
    """For how many p-values those of the cells are corrected."""
    overall_comparisons: int
    """The same of the overall lines, which are corrected among themselves."""
    margin: float | None = None
    unlike: tuple[str, ...] = ()
    """What differs between the runs besides the model."""
    lone: tuple[str, ...] = ()
    """Views that only one side has, or that share no item."""
    asked: tuple[View, ...] = ()
    """The views that were asked for; otherwise those that A has."""

    @property
    def notes(self) -> list[str]:
        """What differs besides the model, and what was not compared."""
        left_out = [note for view in self.views for note in view.left_out]
        names = {"A": self.a.name, "B": self.b.name}
        lost = [
            f"{view.view}: {number:,} items that only {names[letter]} has are left out, "
            f"{view.items.both:,} are compared"
            for view in self.views
            for number, letter in view.lost
        ]
        return [*self.unlike, *self.lone, *left_out, *lost]

    def as_json(self) -> dict[str, Any]:
        """The whole comparison."""
        return {
            "a": self.a.as_json(),
            "b": self.b.as_json(),
            "margin": self.margin,
            "n_comparisons": self.comparisons,
            "n_overall_comparisons": self.overall_comparisons,
            "views": {one.view.replace(" ", "_"): one.as_json() for one in self.views},
            "notes": self.notes,
        }

    def for_conditions(self) -> list[dict[str, Any]]:
        """What `--fail-if` can name: `pairs.overall…`, `pairs.BIAS.SCORER.preference…`, `continuations.BIAS.RATER…`."""
        found = []
        for view in self.views:
            name = view.view.replace(" ", "_")
            found += [{name: {OVERALL: one.as_json()}} for one in view.overall]
            found += [{name: nested(_path(one), one.as_json())} for one in view.cells]
        return found


def _path(one: Compared) -> list[str]:
    kind = ["gaps"] if one.is_gap else ["groups"] if "group" in one.choices else []
    path = [one.choices[name] for name in ("bias", "scorer", "rater", "perturbation") if name in one.choices]
    return [*path, *kind, *(one.choices[name] for name in ("group", "groups", "measure") if name in one.choices)]


def nested(path: Sequence[str], value: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping that leads along a path to a value.

    >>> nested(["a", "b"], {"c": 1})
    {'a': {'b': {'c': 1}}}
    """
    first, *rest = path
    return {first: nested(rest, value) if rest else dict(value)}
