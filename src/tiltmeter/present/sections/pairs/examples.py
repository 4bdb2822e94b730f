"""Example pairs of a finding, chosen by their margins alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from tiltmeter.measures.pairs import TIE
from tiltmeter.present.blocks import Example, Examples, Span, SpanKind, Text
from tiltmeter.present.decodings import short_scorer, source_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.words import percent, signed
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.questions import topic_of
from tiltmeter.results.items import ShownPair, shown_pairs
from tiltmeter.results.measurements.columns import SCORE
from tiltmeter.results.scorer_order import rank_of
from tiltmeter.results.scores import is_published
from tiltmeter.results.summary.sources_compared import AttributeGap, Comparison
from tiltmeter.store import Run

SHOWN = 3
"""Pairs in each list: enough to see what the figures are made of, few enough to be read."""
_GAPS = 1
"""Attribute words on which templates and written sentences disagree that are shown."""


def example_pairs(one: Finding, found: Reported) -> Iterator[Examples]:
    """The strongest preferences for the stereotyped sentence and for the other, and the nearest to a tie."""
    question = one.question
    for at, run in enumerate(found.read if question.view == "pairs" else ()):
        for source in dict.fromkeys(cell.source for cell in table_of(run).of("pairs", model=question.model)):
            scorer = _leading(run, question.model, source)
            if scorer is not None:
                own = _scored(run, question.model, source, scorer)
                about = f"{source_words(source)}, scorer {short_scorer(scorer)}"
                for title, some in _extremes([each for each in own if topic_of(each.bias) == question.bias]):
                    yield Examples(f"{title} ({about})", tuple(map(_entry, some)))
        # Findings alone have no summaries.
        for compared in found.summaries[at].comparisons if found.summaries else ():
            if compared.model == question.model and compared.scorer == _leading(run, compared.model, compared.second):
                yield from _disagreements(run, compared, question.bias)


def _leading(run: Run, model: str, source: str) -> str | None:
    """The scorer that headlines on a source are made of."""
    every = dict.fromkeys(cell.scorer for cell in table_of(run).of("pairs", model=model))
    scorers = [scorer for scorer in every if not is_published(scorer, source)]
    named = run.meta["resolved"]["scorers"]
    return min(scorers, key=lambda scorer: rank_of(scorer, named, run.facts[model].family), default=None)


def _scored(run: Run, model: str, source: str, scorer: str) -> list[ShownPair]:
    """The labelled pairs of the test that have a score, in the order of the run."""
    cells = table_of(run).of("pairs", measure=SCORE, model=model)
    own = shown_pairs([cell for cell in cells if (cell.source, cell.scorer) == (source, scorer)])
    return [one for one in own if one.scores is not None]


def _extremes(scored: Sequence[ShownPair]) -> Iterator[tuple[str, list[ShownPair]]]:
    # Pairs with the same margin keep the order of the run, since sorting is stable.
    upward = sorted((one for one in scored if _margin(one) > TIE), key=lambda one: -_margin(one))[:SHOWN]
    downward = sorted((one for one in scored if _margin(one) < -TIE), key=_margin)[:SHOWN]
    taken = {one.item for one in (*upward, *downward)}
    near = sorted((one for one in scored if one.item not in taken), key=lambda one: abs(_margin(one)))[:SHOWN]
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
        shared = set(map(_terms, both[0])) & set(map(_terms, both[1]))
        towards = 1 if gap.difference > 0 else -1
        sides = zip(sources, (gap.first, gap.second), both, (-towards, towards), strict=True)
        for source, share, some, sign in sides:
            ordered = sorted(some, key=lambda one, sign=sign: (_terms(one) not in shared, -sign * _margin(one)))  # type: ignore[misc]
            title = f"Disagreement on “{gap.attribute}”: {source}, {percent(share.value)} stereotyped choices"
            yield Examples(title, tuple(map(_entry, ordered[:SHOWN])))


def _about(scored: Sequence[ShownPair], gap: AttributeGap) -> list[ShownPair]:
    """The pairs about an attribute word."""
    return [one for one in scored if (one.bias, one.origin) == (gap.bias, gap.attribute)]


def _terms(one: ShownPair) -> tuple[str, str]:
    return one.terms[0].casefold(), one.terms[1].casefold()


def _margin(one: ShownPair) -> float:
    return one.margin or 0.0


def _entry(one: ShownPair) -> tuple[str, tuple[Example, ...]]:
    sides = zip(("stereotyped", "other"), one.texts, one.marks, one.scores or (0.0, 0.0), strict=True)
    texts = tuple(Example(role, marked(words, marks), signed(score)) for role, words, marks, score in sides)
    return f"margin {signed(one.margin)}", texts


def marked(words: str, marks: Mapping[str, Sequence[tuple[int, int]]]) -> Text:
    """A sentence of a pair with its group and attribute words as spans."""
    kinds: list[SpanKind] = [""] * len(words)
    order: tuple[SpanKind, ...] = ("attribute", "group")
    for kind in order:
        for start, end in marks.get(kind, ()):
            for at in range(max(0, start), min(end, len(words))):
                kinds[at] = kind
    runs = [(kind, [at for at, _ in some]) for kind, some in groupby(enumerate(kinds), key=lambda one: one[1])]
    return tuple(Span(words[places[0] : places[-1] + 1], kind) for kind, places in runs)
