"""How much of what a model expects is due to the profession, and how much to the last word: means over prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.views.next_words import Place, Places, Values, means


@dataclass(frozen=True, slots=True)
class Explained:
    """The shares of one prompt's saliency, and what integrated gradients miss of it; None is unknown."""

    place: Place
    profession: float | None
    last: float | None
    residue: float | None = None


def mean_saliency(
    places: Places | Sequence[Place], shares: Mapping[str, Array | Sequence[float | None]], *, level: float = 0.95
) -> dict[str, Estimate]:
    """The mean share on the `profession` and on the `last` word, and the mean `residue`; without values there is none.

    >>> shares = {"profession": [0.3, 0.5], "last": [0.1, 0.1], "residue": [None, None]}
    >>> found = mean_saliency([Place("nurse", None), Place("cook", None)], shares)
    >>> {name: round(one.value, 6) for name, one in found.items()}
    {'profession': 0.4, 'last': 0.1}
    """
    measured = {name: Values(each, Scale(0.0, 1.0)) for name, each in shares.items()}
    return {name: each for name, each in means(places, measured, level=level).items() if each.n}
