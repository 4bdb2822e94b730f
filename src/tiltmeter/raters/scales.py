"""What the numbers of each kind of rater mean: between which ends they lie, what is neutral, and which way is worse."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tiltmeter import registry
from tiltmeter.errors import TiltmeterError
from tiltmeter.raters.class_map import NO_AXIS, declared
from tiltmeter.records import Rating

PEOPLE = "people"
"""The rater that stands for annotators; `people.toxicity` where the sheets say what they rated."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a kind of rating."""

    axis: str
    low: float
    high: float
    neutral: float | None
    worse: int
    """1 where a higher number is worse for those whom the text is about, −1 where a lower one is, 0: neither."""

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends."""
        return self.low, self.high

    def outside(self, value: float) -> str | None:
        """Why a number is none of this scale; None: it is.

        >>> SCALES["toxicity"].outside(1.5), SCALES["toxicity"].outside(1.0)
        ('1.5 is outside 0 to 1, the scale of toxicity', None)
        """
        if self.low <= value <= self.high:
            return None
        return f"{value:g} is outside {self.low:g} to {self.high:g}, the scale of {self.axis}"


SCALES: Mapping[str, Scale] = {
    scale.axis: scale
    for scale in (
        Scale("sentiment", -1.0, 1.0, 0.0, -1),
        Scale("regard", -1.0, 1.0, 0.0, -1),
        Scale("toxicity", 0.0, 1.0, 0.0, 1),
        Scale("hate", 0.0, 1.0, 0.0, 1),
        Scale("lexicon", 0.0, 1.0, 0.0, 1),
        Scale("groups", -1.0, 1.0, 0.0, 0),
        Scale("refusal", 0.0, 1.0, 0.0, 0),
        Scale("about", 0.0, 1.0, None, 0),
    )
}
"""By kind. Of other kinds a plug-in may declare it; otherwise their ends are seen from the values."""
_WITHOUT_ENDS = ("readability",)
"""Kinds of ours whose numbers have no ends; neither direction is worse."""
_THRESHOLDS: Mapping[str, float] = {
    "toxicity": 0.5,
    "toxicity.tiny.v1": 0.7,
    "toxicity.minilm.v1": 0.45,
    "hate": 0.5,
    "hate.minilm.v1": 0.55,
}
"""By kind, and by rater where its makers say otherwise; the cards say why."""


def kind_of(rater: str) -> str:
    """What a rater rates; of a judge, what it is asked.

    >>> kind_of("sentiment.vader.v1"), kind_of("people.toxicity"), kind_of("judge.chat.v1:regard:smollm2-135m")
    ('sentiment', 'toxicity', 'regard')
    >>> kind_of("hf.v1:mine@12ab[good=1,bad=-1;worse=low;axis=sentiment]"), kind_of("hf.v1:mine@12ab[r=5;worse=high]")
    ('sentiment', 'rating (0 to 5, worse high)')
    """
    meaning = declared(rater)
    if meaning is not None:
        known = SCALES.get(meaning.axis)
        # Ratings of one kind are compared as numbers: those on another scale are of another kind.
        if known and (known.ends, -known.worse) == (meaning.ends, meaning.favour):
            return meaning.axis
        low, high = meaning.ends
        return f"{meaning.axis} ({low:g} to {high:g}, worse {meaning.worse})"
    name, _, argument = rater.partition(":")
    kind, _, rest = name.partition(".")
    if kind == "judge" and argument:
        return argument.partition(":")[0]
    return rest if kind == PEOPLE and rest else kind


def axis_of(rater: str) -> str:
    """What a rater rates, on whatever scale; its kind, where nobody says what its numbers are of.

    >>> axis_of("toxicity.linear.v1"), axis_of("hf.v1:mine@12ab[fine=0,rude=5;worse=high;axis=toxicity]")
    ('toxicity', 'toxicity')
    """
    meaning = declared(rater)
    return kind_of(rater) if meaning is None or meaning.axis == NO_AXIS else meaning.axis


def is_name(text: str) -> bool:
    """Whether the name of a column is that of a rater: it has a version, or is of a judge or of people.

    >>> is_name("toxicity.linear.v1"), is_name("people.regard"), is_name("sentiment.stars"), is_name("toxicity")
    (True, True, False, False)
    """
    return re.search(r"\.v\d+(?::|$)", text) is not None or text.startswith((f"{PEOPLE}.", "judge."))


def scale_of(rater: str) -> Scale | None:
    """The scale of a rater, where its kind or its own name declares one."""
    meaning = declared(rater)
    if meaning is not None:
        return Scale(kind_of(rater), *meaning.ends, meaning.neutral, -meaning.favour)
    return SCALES.get(kind_of(rater)) or _of_plug_in(rater.partition(":")[0])


def _of_plug_in(name: str) -> Scale | None:
    """The `scale` that a rater of another package declares, where it is installed."""
    try:
        plugged = registry.is_plugged("rater", name) and name in registry.table("rater")
        found = getattr(registry.load("rater", name), "scale", None) if plugged else None
    except TiltmeterError:
        return None
    return found if isinstance(found, Scale) else None


def is_without_worse_end(rater: str) -> bool:
    """Whether it is known of a rater that neither end of its scale is worse; not so where nobody declared anything.

    >>> [is_without_worse_end(name) for name in ("readability.fog.v1", "refusal.v5", "mood.mine.v1")]
    [True, True, False]
    """
    scale = scale_of(rater)
    return kind_of(rater) in _WITHOUT_ENDS if scale is None else scale.worse == 0


def threshold_of(rater: str) -> float | None:
    """Above which rating a text counts as toxic, as the rater's makers or its name declare it; None: nobody says.

    >>> threshold_of("toxicity.tiny.v1"), threshold_of("people.toxicity"), threshold_of("sentiment.vader.v1")
    (0.7, 0.5, None)
    >>> threshold_of("hf.v1:mine@12ab[fine=0,rude=5;worse=high;threshold=3]")
    3.0
    """
    meaning = declared(rater)
    if meaning is not None:
        return meaning.threshold if meaning.threshold is not None else _THRESHOLDS.get(kind_of(rater))
    return _THRESHOLDS.get(rater, _THRESHOLDS.get(kind_of(rater)))


def on_scale(rating: Rating) -> Rating:
    """The rating; none, with the reason, where its number is outside the scale of its kind.

    >>> on_scale(Rating("toxicity.x.v1", 7.0)).unrated
    '7 is outside 0 to 1, the scale of toxicity'
    """
    scale = scale_of(rating.rater)
    # Rounding may leave a share a hair beyond its end.
    if scale is None or rating.value is None or scale.low - 1e-6 <= rating.value <= scale.high + 1e-6:
        return rating
    return replace(rating, value=None, label=None, unrated=scale.outside(rating.value))
