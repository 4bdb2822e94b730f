"""Example pairs of a finding, chosen by their margins alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from tiltmeter.measures.pairs import TIE, margin
from tiltmeter.present.blocks import Example, Examples, Span, SpanKind, Text
from tiltmeter.present.decodings import short_scorer
from tiltmeter.present.reported import Reported
from tiltmeter.present.words import percent, signed
from tiltmeter.records import Pair, PairScore
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.questions import topic_of
from tiltmeter.results.leading import rank_of
from tiltmeter.results.scores import is_published
from tiltmeter.results.summary.sources_compared import AttributeGap, Comparison
from tiltmeter.store import Run

SHOWN = 3
"""Pairs in each list: enough to see what the figures are made of, few enough to be read."""
_GAPS = 1
"""Attribute words on which templates and written sentences disagree that are shown."""

Scored = tuple[PairScore, float]
"""A pair and by how much its stereotyped sentence is preferred."""


def example_pairs(one: Finding, found: Reported) -> Iterator[Examples]:
    """The strongest preferences for the stereotyped sentence and for the other, and the nearest to a tie."""
    question = one.question
    for at, run in enumerate(found.read if question.view == "pairs" else ()):
        for source in dict.fromkeys(pair.source for pair in run.pairs):
            scorer = _leading(run, question.model, source)
            if scorer is not None:
                own = _scored(run, question.model, source, scorer)
                about = f"{source}, scorer {short_scorer(scorer)}"
                for title, some in _extremes([each for each in own if topic_of(each[0].pair.bias) == question.bias]):
                    yield Examples(f"{title} ({about})", tuple(_entry(*each) for each in some))
        # Findings alone have no summaries.
        for compared in found.summaries[at].comparisons if found.summaries else ():
            if compared.model == question.model and compared.scorer == _leading(run, compared.model, compared.second):
                yield from _disagreements(run, compared, question.bias)


def _leading(run: Run, model: str, source: str) -> str | None:
    """The scorer that headlines on a source are made of."""
    scorers = [scorer for name, scorer in run.scores if name == model and not is_published(scorer, source)]
    named = run.meta["resolved"]["scorers"]
    return min(scorers, key=lambda scorer: rank_of(scorer, named, run.facts[model].family), default=None)


def _scored(run: Run, model: str, source: str, scorer: str) -> list[Scored]:
    """The labelled pairs of the test that have a score, with their margins, in the order of the run."""
    scores = [
        score
        for score in run.scores[model, scorer]
        if score.pair.source == source and score.pair.stands_in is None and score.pair.contrast == "stereotype"
    ]
    return [(score, by) for score, by in zip(scores, margin(scores), strict=True) if by is not None]


def _extremes(scored: Sequence[Scored]) -> Iterator[tuple[str, list[Scored]]]:
    # Pairs with the same margin keep the order of the run, since sorting is stable.
    upward = sorted((one for one in scored if one[1] > TIE), key=lambda one: -one[1])[:SHOWN]
    downward = sorted((one for one in scored if one[1] < -TIE), key=lambda one: one[1])[:SHOWN]
    taken = {score.pair.id for score, _ in (*upward, *downward)}
    near = sorted((one for one in scored if one[0].pair.id not in taken), key=lambda one: abs(one[1]))[:SHOWN]
    lists = {
        "Strongest preference for the stereotyped sentence": upward,
        "Strongest preference for the other sentence": downward,
        "Nearest to a tie": near,
    }
    yield from ((title, some) for title, some in lists.items() if some)


def _disagreements(run: Run, compared: Comparison, bias: str) -> Iterator[Examples]:
    """For the words on which templates and written sentences disagree most, the clearest pairs of either.

    Pairs with group terms that both sources have come first: there nothing but the sentence differs.
    """
    gaps = [gap for gap in compared.attributes if gap.difference and topic_of(gap.bias) == bias]
    for gap in gaps[:_GAPS]:
        sources = (compared.first, compared.second)
        both = [_about(_scored(run, compared.model, source, compared.scorer), gap) for source in sources]
        shared = {_terms(score.pair) for score, _ in both[0]} & {_terms(score.pair) for score, _ in both[1]}
        towards = 1 if gap.difference > 0 else -1
        sides = zip(sources, (gap.first, gap.second), both, (-towards, towards), strict=True)
        for source, share, some, sign in sides:
            ordered = sorted(some, key=lambda one, sign=sign: (_terms(one[0].pair) not in shared, -sign * one[1]))  # type: ignore[misc]
            title = f"Disagreement on “{gap.attribute}”: {source}, {percent(share.value)} stereotyped choices"
            yield Examples(title, tuple(_entry(*one) for one in ordered[:SHOWN]))


def _about(scored: Sequence[Scored], gap: AttributeGap) -> list[Scored]:
    """The pairs about an attribute word."""
    wanted = gap.bias, gap.attribute
    return [one for one in scored if (one[0].pair.bias, one[0].pair.attribute or one[0].pair.origin) == wanted]


def _terms(pair: Pair) -> tuple[str, str]:
    return pair.terms[0].casefold(), pair.terms[1].casefold()


def _entry(score: PairScore, by: float) -> tuple[str, tuple[Example, ...]]:
    first = score.pair.stereotyped or 0
    scores = score.scores or (0.0, 0.0)
    texts = tuple(
        Example(role, marked(score.pair, side), signed(scores[side]))
        for role, side in (("stereotyped", first), ("other", 1 - first))
    )
    return f"margin {signed(by)}", texts


def marked(pair: Pair, side: int) -> Text:
    """A sentence of a pair with its group and attribute words as spans."""
    words = pair.texts[side]
    kinds: list[SpanKind] = [""] * len(words)
    marks: tuple[tuple[SpanKind, Sequence[tuple[int, int]]], ...] = (
        ("attribute", pair.attribute_spans[side]),
        ("group", pair.group_spans[side]),
    )
    for kind, spans in marks:
        for start, end in spans:
            for at in range(max(0, start), min(end, len(words))):
                kinds[at] = kind
    runs = [(kind, [at for at, _ in some]) for kind, some in groupby(enumerate(kinds), key=lambda one: one[1])]
    return tuple(Span(words[places[0] : places[-1] + 1], kind) for kind, places in runs)
