"""How much of what a model expects is due to the profession, and how much to the last word: means over prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.records import Estimate
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.next_words import Place, Values, means


@dataclass(frozen=True, slots=True)
class Explained:
    """The shares of one prompt's saliency, and what integrated gradients miss of it; None is unknown."""

    place: Place
    profession: float | None
    last: float | None
    residue: float | None = None


def mean_saliency(explained: Sequence[Explained], *, level: float = 0.95) -> dict[str, Estimate]:
    """The mean share on the `profession` and on the `last` word, and the mean `residue`; without values there is none.

    >>> found = mean_saliency([Explained(Place("nurse", None), 0.3, 0.1), Explained(Place("cook", None), 0.5, 0.1)])
    >>> {name: round(one.value, 6) for name, one in found.items()}
    {'profession': 0.4, 'last': 0.1}
    """
    if not explained:
        return {}
    values = {
        "profession": [one.profession for one in explained],
        "last": [one.last for one in explained],
        "residue": [one.residue for one in explained],
    }
    measured = {name: Values(each, Scale(0.0, 1.0)) for name, each in values.items()}
    found = means([one.place for one in explained], measured, level=level)
    return {name: each for name, each in found.items() if each.n}
