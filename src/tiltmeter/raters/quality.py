"""How well raters rate: every figure that was measured, on which texts, and whether the rater had met them before.

The figures are in `data/quality.tsv`, one a line, the figure to go by first for each rater. Its columns are the fields
of `Quality`, `yes` or `no` for `unseen`, empty where there is none; a script may write it. The cards of the raters
(`docs/cards/rater.*.md`) say more about the same figures, and a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

OWN_TILT = "largest own tilt"
"""The figure that is no share: the largest difference of two groups on the same sentences, on the rater's scale."""
BAR = 0.5
"""How far from guessing to perfect a rater has to be before a finding may rest on it."""


@dataclass(frozen=True, slots=True)
class Quality:
    """One figure of a rater's quality."""

    rater: str
    figure: str
    """What was counted: "right of three labels", "AUC of hateful texts" …, or `OWN_TILT`."""
    value: float
    """From 0 to 1; an own tilt is on the rater's scale."""
    n: int
    """Texts that it was measured on."""
    on: str
    """Which texts these are."""
    unseen: bool
    """Whether neither training nor any later change knew these texts."""
    low: float | None = None
    high: float | None = None
    guessing: float | None = None
    """What one answer for every text, the commonest, would have got; 0.5 for an AUC; None where nobody counted."""
    caution: str = ""

    @property
    def is_tilt(self) -> bool:
        """Whether it says how far the rater leans, not how often it is right."""
        return self.figure == OWN_TILT

    @property
    def is_auc(self) -> bool:
        """Whether it is the area under a ROC curve, and no share of texts."""
        return self.figure.startswith("AUC")

    @property
    def carries(self) -> bool:
        """Whether a finding may rest on a rater of this quality.

        On texts that nothing was fitted to, the lower end of the interval has to be at least half of the way from
        guessing to perfect.

        >>> [Quality("a", "AUC", 0.8, 500, "b", True, low, 0.9, 0.5).carries for low in (0.75, 0.74)]
        [True, False]
        """
        if self.low is None or self.guessing is None or not self.unseen:
            return False
        # Two figures with two digits: no rounding of ours may decide.
        return self.low - self.guessing >= BAR * (1 - self.guessing) - 1e-9


@cache
def measured() -> tuple[Quality, ...]:
    """Every figure, in the order of the file."""
    lines = files("tiltmeter.raters").joinpath("data", "quality.tsv").read_text(encoding="utf-8").splitlines()
    header, *rows = (line.split("\t") for line in lines)
    return tuple(_figure(dict(zip(header, row, strict=True))) for row in rows)


def _figure(cells: Mapping[str, str]) -> Quality:
    known = {name: float(cells[name]) if cells.get(name) else None for name in ("low", "high", "guessing")}
    return Quality(
        cells["rater"],
        cells["figure"],
        float(cells["value"]),
        int(cells["n"]),
        cells["on"],
        {"yes": True, "no": False}[cells["unseen"]],
        **known,
        caution=cells["caution"],
    )


def quality_of(rater: str) -> tuple[Quality, ...]:
    """What was measured of how often a rater is right, the figure to go by first; nothing where nothing was.

    >>> quality_of("regard.minilm.v2")[-1].n, quality_of("regard.sasha-v3.v1")
    (42, ())
    """
    return tuple(one for one in measured() if one.rater == rater and not one.is_tilt)


def own_tilt_of(rater: str) -> Quality | None:
    """The largest difference that a rater was seen to make between two groups by itself, if anybody looked."""
    return max(
        (one for one in measured() if one.rater == rater and one.is_tilt), key=lambda one: one.value, default=None
    )
