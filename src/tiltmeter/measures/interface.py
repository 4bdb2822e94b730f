"""What a measure says of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tiltmeter.symmetry import Symmetry

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Measure(Generic[Item]):
    """A measure under the name that results have it by, and what becomes of it when the two groups are exchanged.

    `neutral` is the value of no lean. `low` and `high` are the ends of its scale.
    """

    name: str
    values: Callable[[Sequence[Item]], list[float | None]]
    symmetry: Symmetry
    neutral: float
    low: float | None = None
    high: float | None = None

    @property
    def tested(self) -> float | None:
        """The value that a mean is tested against.

        None for a measure that cannot be below it, and for one that inverts: ratios of 2 and ½ have the mean 1.25.
        """
        return self.neutral if self.symmetry == "flips" else None
