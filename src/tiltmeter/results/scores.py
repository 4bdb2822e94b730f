"""Which scores count where: the test itself, what stands in for parts of it, and the items that stats averages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tiltmeter.measures.pairs import margin, preference
from tiltmeter.records import Pair, PairScore
from tiltmeter.stats.pairs import PairItem


def of_the_test(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs of the test itself: not those that only stand in for flagged sentences."""
    return [pair for pair in pairs if pair.stands_in is None]


def apart(scores: Iterable[PairScore]) -> tuple[list[PairScore], list[PairScore]]:
    """The scores of the test itself, and those of the pairs that stand in for flagged sentences."""
    found = list(scores)
    return (
        [score for score in found if score.pair.stands_in is None],
        [score for score in found if score.pair.stands_in is not None],
    )


def labelled(scores: Iterable[PairScore]) -> list[PairScore]:
    """The scores of pairs of which one text is stereotyped: controls and meaningless texts do not count."""
    return [score for score in scores if score.pair.contrast == "stereotype" and score.pair.stereotyped is not None]


def scored_items(scores: Sequence[PairScore], benchmarks: Collection[str] = ()) -> list[PairItem]:
    """What stats needs to know of the labelled pairs."""
    kept = labelled(scores)
    return [
        PairItem(
            bias=score.pair.bias,
            # Pairs of a data set without attributes are clustered by what they came from.
            attribute=score.pair.attribute or score.pair.origin,
            attribute_set=score.pair.attribute_set,
            value=value,
            benchmark=is_benchmark(score.pair.bias, benchmarks),
            margin=distance,
            structure=score.pair.structure.id if score.pair.structure else None,
            template=score.pair.template,
            terms=terms_of(score.pair),
            published=is_published(score.scorer, score.pair.source),
        )
        for score, value, distance in zip(kept, preference(kept), margin(kept), strict=True)
    ]


def is_published(scorer: str, source: str) -> bool:
    """Whether scorer or source is the form of a paper."""
    return "as-published" in scorer or "as-published" in source


def terms_of(pair: Pair) -> str | None:
    """The words for the two groups, where they were sampled beside attributes: a pair by itself is its own cluster."""
    return "/".join(pair.terms) if pair.attribute and any(pair.terms) else None


def is_benchmark(bias: str, benchmarks: Collection[str]) -> bool:
    """Whether a bias belongs to a spec that checks the instrument; its comparisons are named after a colon."""
    return bias.partition(":")[0] in benchmarks
