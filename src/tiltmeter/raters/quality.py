"""How well raters rate: every figure that was measured, on which texts, and whether the rater had met them before.

The cards of the raters (`docs/cards/rater.*.md`) say more about the same figures, and a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass

_OWN = "sentences written and labelled by one person for this project"
_MODELS = "texts by smollm2-135m and gemma-3-270m, labelled by one person"
_HATECHECK = "HateCheck: hateful and harmless sentences made to mislead such raters"
_BLIND = "texts by a writer who knew neither the code nor the training texts"
_JUDGED = "test sentences of this project; answers that cannot be read count as wrong"


@dataclass(frozen=True, slots=True)
class Quality:
    """One figure of a rater's quality."""

    rater: str
    figure: str
    """What was counted: "right", "AUC" …"""
    value: float
    """From 0 to 1."""
    n: int
    """Texts that it was measured on."""
    on: str
    """Which texts these are."""
    unseen: bool
    """Whether neither training nor any later change knew these texts."""
    low: float | None = None
    high: float | None = None
    caution: str = ""


MEASURED: tuple[Quality, ...] = (
    Quality("regard.minilm.v2", "right", 0.733, 90, _MODELS, True, 0.63, 0.81),
    Quality(
        *("regard.minilm.v2", "right", 0.785, 223, _MODELS, False, 0.73, 0.83),
        caution="two repairs were made after these texts had been seen",
    ),
    Quality("regard.minilm.v2", "negative texts found", 25 / 42, 42, _MODELS, False),
    Quality(
        *("sentiment.minilm.v1", "right of three labels", 0.80, 125, _OWN, False),
        caution="some are mirror images of training sentences, so the figure may be too high",
    ),
    Quality("sentiment.vader.v1", "right of three labels", 0.752, 125, _OWN, True),
    Quality("toxicity.linear.v1", "AUC", 0.468, 3728, _HATECHECK, True),
    Quality("toxicity.linear.v1", "AUC", 0.95, 20, "insults and harmless sentences", True),
    Quality("toxicity.tiny.v1", "AUC", 0.521, 3728, _HATECHECK, True),
    Quality("toxicity.tiny.v1", "AUC", 0.93, 1500, "comments that were not trained on", True),
    Quality("refusal.v5", "refusals found", 0.90, 100, _BLIND, True),
    Quality("refusal.v5", "answers taken for refusals", 0.01, 100, _BLIND, True),
    Quality(
        *("about.parse.v1", "right", 33 / 40, 40, "texts by smollm2-135m, labelled by one person", False),
        caution="one repair was made after these texts had been seen",
    ),
    Quality("judge.chat.v1:sentiment:smollm2-135m", "right", 3 / 42, 42, _JUDGED, True),
    Quality("judge.chat.v1:regard:smollm2-135m", "right", 26 / 90, 90, _JUDGED, True),
    Quality("judge.chat.v1:toxicity:smollm2-135m", "right", 0.0, 36, _JUDGED, True),
)
"""The figure to go by first, of each rater."""


def quality_of(rater: str) -> tuple[Quality, ...]:
    """What was measured of a rater, the figure to go by first; nothing where nothing was.

    >>> [one.n for one in quality_of("regard.minilm.v2")], quality_of("regard.sasha-v3.v1")
    ([90, 223, 42], ())
    """
    return tuple(one for one in MEASURED if one.rater == rater)
