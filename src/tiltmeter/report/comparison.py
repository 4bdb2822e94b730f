"""The part of a page that compares two sides: what is said, the figures, and the tables behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import ModelFacts
from tiltmeter.report.cells import Table
from tiltmeter.report.comparison_cells import Label, apart, change_cell, level_cell
from tiltmeter.report.comparison_figures import difference_figures, unmoved
from tiltmeter.report.comparison_tables import before_and_after, every_comparison, withheld
from tiltmeter.report.drawn import Drawn
from tiltmeter.report.methods import interval_words
from tiltmeter.report.series import spec_of
from tiltmeter.report.words import SPACE, count, p_value
from tiltmeter.results.compare.records import Compared, ComparedView, RunComparison
from tiltmeter.results.compare.sides import Side
from tiltmeter.results.compare.words import MOST, in_points

_TITLES: Mapping[str, tuple[str, str]] = {
    "pairs": ("Which sentence is preferred", "pair"),
    "continuations": ("What is written about each group", "prompt"),
    "next words": ("Who is expected", "prompt"),
}


@dataclass(frozen=True, slots=True)
class Said:
    """One overall line: the difference, the sentence on it, and what it rests on."""

    value: str
    interval: str
    sentence: str
    basis: str


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """What one view says."""

    key: str
    title: str
    said: tuple[Said, ...]
    further: tuple[str, ...]
    """Sentences on the overall lines for which there is no room."""
    summary: str
    items: str
    figures: tuple[Drawn, ...]
    unmoved: tuple[str, ...]
    before_after: tuple[Table, ...]
    every: tuple[Table, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """Who A or B is."""

    letter: str
    name: str
    model: str
    folder: str
    study: str
    seed: int
    fingerprint: str
    facts: ModelFacts | None


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """Two sides compared, ready for the template."""

    sides: tuple[ComparedSide, ComparedSide]
    parts: tuple[ComparedPart, ...]
    comparisons: int
    overall_comparisons: int
    margin: str
    unlike: tuple[str, ...]
    """What differs besides the model."""
    lone: tuple[str, ...]
    """Views that were not compared."""
    intervals: str
    """How those of the differences were made."""

    @property
    def figures(self) -> list[Drawn]:
        """Every figure, in the order of the page."""
        return [figure for part in self.parts for figure in part.figures]


def comparison_view(found: RunComparison, label: Label | None = None, *, drawn: bool = True) -> ComparisonView:
    """The part of the page; `label` is what a bias is called there, by itself the title of its spec.

    `drawn=False` leaves the figures out, for a page that draws its own.
    """
    named = label or titles(found)
    return ComparisonView(
        (compared_side("A", found.a), compared_side("B", found.b)),
        tuple(_part(view, found, named, drawn) for view in found.views),
        found.comparisons,
        found.overall_comparisons,
        "" if found.margin is None else f"{found.margin:g}",
        found.unlike,
        found.lone,
        interval_words(one.difference for view in found.views for one in (*view.overall, *view.cells)),
    )


def compared_side(letter: str, side: Side) -> ComparedSide:
    """Who a side is."""
    run = side.run
    return ComparedSide(
        letter,
        side.name,
        side.model,
        run.folder.name,
        side.resolved["name"],
        side.resolved["seed"],
        str(run.meta.get("fingerprint", "")),
        run.facts.get(side.model),
    )


def titles(found: RunComparison) -> Label:
    """Biases by the titles of their specs; where two specs share one, by their names."""
    specs: dict[str, Mapping[str, Any]] = {
        spec["name"]: spec for side in (found.a, found.b) for spec in side.resolved["specs"]
    }
    often = Counter(spec["title"] for spec in specs.values())

    def label(bias: str) -> str:
        spec = specs.get(spec_of(bias))
        title = spec["title"] if spec and often[spec["title"]] == 1 else ""
        part = bias.partition(":")[2]
        return f"{title}: {part}" if title and part else title or bias

    return label


def _part(view: ComparedView, found: RunComparison, label: Label, drawn: bool) -> ComparedPart:
    title, noun = _TITLES[view.view]
    lost = [f"{count(number, noun)} only in {letter}" for number, letter in view.lost]
    return ComparedPart(
        view.view.replace(" ", "-"),
        title,
        tuple(
            _said(one, sentence, noun, found)
            for one, sentence in zip(view.overall[:MOST], view.sentences[:MOST], strict=True)
        ),
        view.sentences[MOST:],
        view.summary,
        f"{count(view.items.both, noun)} in both{''.join(f'; {each}, left out' for each in lost)}",
        tuple(difference_figures(view, label)) if drawn else (),
        tuple(unmoved(view)),
        tuple(before_and_after(view, label)),
        tuple(every_comparison(view, label)),
        (*(f"{each}: left out" for each in lost), *view.left_out, *withheld(view), *_without(view.cells, noun)),
    )


def _said(one: Compared, sentence: str, noun: str, found: RunComparison) -> Said:
    apart_from = one.difference
    unit = f"{SPACE}points" if in_points(one) else ""
    ends = f"{apart(one, apart_from.low)} to {apart(one, apart_from.high)}{unit}" if apart_from.low is not None else ""
    what = "change of the ratio of the groups" if one.is_gap else "change"
    changed = "" if one.change is None else f"; {what} {change_cell(one).text}"
    sides = ", ".join(
        f"{letter} {level_cell(one, side).text}" for letter, side in (("A", one.found.a), ("B", one.found.b))
    )
    tests = (
        f"; p {p_value(one.p_holm)} after Holm’s correction for {count(found.overall_comparisons, 'overall line')}, "
        f"{p_value(one.found.p_permutation)} by permutation"
        if one.p_holm is not None
        else ""
    )
    basis = (
        f"{sides}{changed}{tests}; {count(apart_from.n, noun)}, {apart_from.n_unscored:,} unscored, "
        f"{count(apart_from.origins, 'origin')}"
    )
    # A sentence that begins with a name keeps it as it is.
    begun = sentence if ": " in sentence.partition("(")[0] else sentence[:1].upper() + sentence[1:]
    return Said(apart(one, apart_from.value), ends, begun, basis)


def _without(cells: Iterable[Compared], noun: str) -> list[str]:
    """How many items of how many comparisons only one side could score, or neither."""
    unscored = [one.difference.n_unscored for one in cells if one.difference.n_unscored]
    if not unscored:
        return []
    return [f"{count(max(unscored), noun)} at most, in {count(len(unscored), 'comparison')}: unscored on a side"]
