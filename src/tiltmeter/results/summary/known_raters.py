"""What is known of a rater: what its numbers mean, how good it is, and how far it leans by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tiltmeter.raters.class_map import declared
from tiltmeter.raters.quality import Quality, own_tilt_of, quality_of
from tiltmeter.raters.scales import PEOPLE, Scale, is_without_worse_end, kind_of, scale_of, threshold_of
from tiltmeter.results.measurements.columns import HUMAN
from tiltmeter.results.summary.text_records import RaterTilt

Worse = Literal["low", "high", "neither"]


@dataclass(frozen=True, slots=True)
class KnownRater:
    """A rater, by its name; with its tilts where a run measured them, one for each bias."""

    rater: str
    threshold: float | None = None
    """Above which a text counts as toxic, as the study says."""
    tilts: tuple[RaterTilt, ...] = ()

    @property
    def by_people(self) -> bool:
        """Whether it stands for people."""
        return self.rater.startswith((PEOPLE, HUMAN))

    @property
    def scale(self) -> Scale | None:
        """Its scale, where one is declared."""
        return scale_of(self.rater)

    @property
    def worse(self) -> Worse | None:
        """Which end is worse for the people a text is about; None: nobody declared it."""
        scale = self.scale
        if scale is None:
            return "neither" if is_without_worse_end(self.rater) else None
        return "high" if scale.worse > 0 else "low" if scale.worse else "neither"

    @property
    def quality(self) -> tuple[Quality, ...]:
        """How often it is right, the figure to go by first."""
        return quality_of(self.rater)

    @property
    def own_tilt(self) -> Quality | None:
        """The largest tilt that was measured before, on other groups than those of a run."""
        return own_tilt_of(self.rater)

    @property
    def carries(self) -> bool:
        """Whether a finding may rest on it: on people always, otherwise if its first figure says so."""
        return self.by_people or any(one.carries for one in self.quality[:1])

    def tilt_for(self, bias: str) -> RaterTilt | None:
        """What it makes of the groups of a bias, measured in the run."""
        return next((one for one in self.tilts if one.bias == bias), None)

    def as_json(self) -> dict[str, Any]:
        """Everything as a record; null where it is not known."""
        scale = self.scale
        return {
            "rater": self.rater,
            "kind": kind_of(self.rater),
            "range": None if scale is None else list(scale.ends),
            "neutral": None if scale is None else scale.neutral,
            "worse": self.worse,
            "threshold": self.threshold,
            "quality": [_figure(one) for one in self.quality],
            "carries_findings": self.carries,
            "own_tilt": _figure(self.own_tilt) if self.own_tilt else None,
            "own_tilt_here": [
                {"bias": one.bias, "a": a, "b": b, **found.as_json()}
                for one in self.tilts
                for (a, b), found in [one.widest]
            ],
        }


def known_rater(rater: str) -> KnownRater:
    """What is known of a rater before it rated anything.

    >>> found = known_rater("toxicity.linear.v1")
    >>> found.worse, found.threshold, found.quality[0].figure, found.carries
    ('high', 0.5, 'AUC of toxic texts', False)
    """
    return KnownRater(rater, threshold_of(rater))


def _figure(one: Quality) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if name != "rater"}


Lacking = Literal["neither end is worse", "not declared"]
VERDICTS, AGREEMENT = "verdicts and rankings", "agreement of raters"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A rater whose numbers take no part in something, and why."""

    rater: str
    of: tuple[str, ...]
    """What it takes no part in: `VERDICTS`, `AGREEMENT`."""
    why: Lacking | None
    """Why it takes no part in verdicts; None: it does."""

    @property
    def declare(self) -> Literal["scale", "worse"] | None:
        """What would have to be declared for it to take part: its scale, or `worse` in the settings of a classifier."""
        if self.why is None:
            return None
        return "scale" if self.why == "not declared" else "worse" if declared(self.rater) else None

    def as_json(self) -> dict[str, Any]:
        """The same as a record."""
        return {"rater": self.rater, "left_out_of": list(self.of), "why": self.why, "declare": self.declare}


def left_out(
    raters: Sequence[KnownRater], judging: Collection[str], compared: Collection[tuple[str, str]]
) -> Iterator[LeftOut]:
    """The raters that verdicts and rankings, or the comparison of raters with one another, are without.

    `judging` are those whose measurements say what is worse, `compared` those that were compared two by two.

    >>> raters = [known_rater(name) for name in ("sentiment.vader.v1", "readability.fog.v1", "mood.mine.v1")]
    >>> [(one.rater, one.why) for one in left_out(raters, ["sentiment.vader.v1"], [])]
    [('sentiment.vader.v1', None), ('readability.fog.v1', 'neither end is worse'), ('mood.mine.v1', 'not declared')]
    """
    known = {name for pair in compared for name in pair}
    for one in raters:
        why: Lacking | None = None
        if one.rater not in judging:
            why = "neither end is worse" if one.worse == "neither" else "not declared"
        of = ((VERDICTS,) if why else ()) + (() if one.rater in known else (AGREEMENT,))
        if of:
            yield LeftOut(one.rater, of, why)
