"""The far end of the ratings: what counts is not the mean of a prompt's texts but the worst of them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import adjust, is_number
from tiltmeter.stats.pooled import Observation, Pooled
from tiltmeter.stats.scales import SHARE, Bounds

PromptedValue = tuple[str, float | None, str, str]
"""Group, value, origin and prompt of one text."""

SIGNED = "the ratings are signed: they go below zero"


@dataclass(frozen=True, slots=True)
class ExtremePair:
    """Two groups compared by a measure of the far end: a − b and a / b."""

    a: str
    b: str
    difference: Estimate
    ratio: Estimate | None
    ratio_withheld: str | None

    def as_json(self) -> dict[str, Any]:
        """The figures of the pair."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.difference.as_json(),
            "ratio": None if self.ratio is None else self.ratio.as_json(),
            "ratio_withheld": self.ratio_withheld,
        }


@dataclass(frozen=True, slots=True)
class Extremes:
    """By measure (`most_k=1`, `mean_maximum`, `any_above`, `share_above`): each group, and the groups compared."""

    groups: Mapping[str, Mapping[str, Estimate]]
    pairs: Mapping[str, tuple[ExtremePair, ...]]
    """Their p-values are adjusted together, over all measures."""


def extremes(
    items: Sequence[PromptedValue],
    *,
    threshold: float | None = None,
    most_k: Sequence[int] = (),
    pairs: Sequence[tuple[str, str]] = (),
    signed: bool = False,
    level: float = 0.95,
    scale: Bounds | None = None,
) -> Extremes:
    """By measure and group; what needs prompts is left out where no text names one.

    `share_above`: the share of texts above the threshold. `most_k=3`: the mean of the three highest of each prompt,
    averaged over prompts; a prompt with fewer rated texts counts with those it has, and the note says how many do.
    `mean_maximum`: the same of the highest one. `any_above`: the share of prompts of which at least one text is above.
    A prompt without any rated text is unscored. `pairs` are compared; `signed` ratings have no ratio, shares do.

    >>> found = extremes([("a", 0.2, "x", "p"), ("a", 0.8, "x", "p"), ("a", 0.4, "y", "q")], threshold=0.5).groups
    >>> round(found["mean_maximum"]["a"].value, 6), found["any_above"]["a"].value
    (0.6, 0.5)
    """
    groups = list(dict.fromkeys(group for group, *_ in items))
    found: dict[str, dict[str, Estimate]] = {}
    compared: dict[str, list[ExtremePair]] = {}

    def add(measure: str, values: Sequence[Observation], ends: Bounds | None = None) -> None:
        pooled = Pooled(values, level=level, scale=ends or scale)
        present = {group for group, *_ in values}
        found[measure] = {group: pooled.mean(group) for group in groups if group in present}
        share = ends is not None
        compared[measure] = [
            _pair(pooled, a, b, signed and not share) for a, b in pairs if a in present and b in present
        ]

    if threshold is not None:
        add("share_above", [(group, _above(value, threshold), origin) for group, value, origin, _ in items], SHARE)
    prompts = _by_prompt(items)
    if not prompts:
        return Extremes(found, _adjusted(compared))
    highest = {key: values[0] if values else None for key, values in prompts.items()}
    add("mean_maximum", [(group, value, origin) for (group, origin, _), value in highest.items()])
    for k in most_k:
        add(f"most_k={k}", [(group, _mean_of(values[:k]), origin) for (group, origin, _), values in prompts.items()])
        short = Counter(group for (group, *_), values in prompts.items() if 0 < len(values) < k)
        found[f"most_k={k}"] = {group: _noted(each, short[group], k) for group, each in found[f"most_k={k}"].items()}
    if threshold is not None:
        above = [(group, _above(value, threshold), origin) for (group, origin, _), value in highest.items()]
        add("any_above", above, SHARE)
    return Extremes(found, _adjusted(compared))


def _pair(pooled: Pooled, a: str, b: str, signed: bool) -> ExtremePair:
    ratio, withheld = (None, SIGNED) if signed else pooled.ratio(a, b)
    return ExtremePair(a, b, pooled.difference(a, b), ratio, withheld)


def _adjusted(compared: Mapping[str, Sequence[ExtremePair]]) -> dict[str, tuple[ExtremePair, ...]]:
    every = {(measure, pair.a, pair.b): pair.difference for measure, pairs in compared.items() for pair in pairs}
    adjusted = adjust({str(place): difference for place, difference in enumerate(every.values())})
    differences = dict(zip(every, adjusted.values(), strict=True))
    return {
        measure: tuple(replace(pair, difference=differences[measure, pair.a, pair.b]) for pair in pairs)
        for measure, pairs in compared.items()
    }


def _noted(found: Estimate, short: int, k: int) -> Estimate:
    if not short:
        return found
    note = f"{short} of {found.n} prompts have fewer than {k} rated texts, and count with those they have"
    return replace(found, note=note if found.note is None else f"{found.note}; {note}")


def _by_prompt(items: Sequence[PromptedValue]) -> Mapping[tuple[str, str, str], list[float]]:
    """The numbers of each prompt of a group, highest first; a prompt of which nothing was rated has none."""
    prompts: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for group, value, origin, prompt in items:
        if prompt:
            held = prompts[group, origin, prompt]
            if value is not None and is_number(value):
                held.append(value)
    return {key: sorted(values, reverse=True) for key, values in prompts.items()}


def _mean_of(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _above(value: float | None, threshold: float) -> float | None:
    return None if value is None or not is_number(value) else float(value > threshold)
