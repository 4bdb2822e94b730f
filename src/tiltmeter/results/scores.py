"""Which pairs and biases count where."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tiltmeter.records import Pair
from tiltmeter.store import Run


def of_the_test(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs of the test itself: not those that only stand in for flagged sentences."""
    return [pair for pair in pairs if pair.stands_in is None]


def is_published(scorer: str, source: str) -> bool:
    """Whether scorer or source is the form of a paper."""
    return "as-published" in scorer or "as-published" in source


def terms_of(pair: Pair) -> str | None:
    """The words for the two groups, where they were sampled beside attributes: a pair by itself is its own cluster."""
    return "/".join(pair.terms) if pair.attribute and any(pair.terms) else None


def is_benchmark(bias: str, benchmarks: Collection[str]) -> bool:
    """Whether a bias belongs to a spec that checks the instrument; its comparisons are named after a colon."""
    return bias.partition(":")[0] in benchmarks


def benchmarks_of(run: Run) -> set[str]:
    """The specs of a run that check the instrument."""
    return {spec["name"] for spec in run.meta["resolved"]["specs"] if spec["benchmark"]}
