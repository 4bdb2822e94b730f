"""A second look at written sentences: the audit of their issues, and a reader that ranks them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from tiltmeter.engine.executor import Executor
from tiltmeter.errors import ModelError
from tiltmeter.measures.scorers import find
from tiltmeter.models import Model
from tiltmeter.models.api import api_name
from tiltmeter.records import AttributeSet, Group, ModelFacts, Pair, Span, Spec, TokenScores, Written
from tiltmeter.sources.generated import Review
from tiltmeter.sources.generated.pairs import pairs_of
from tiltmeter.word_kinds import term_kind

_ANY = Pair("any", "any", "any", "any", ("He reads.", "She reads."), ("a", "b"), group_spans=(((0, 2),), ((0, 3),)))


def can_rank(model: Model) -> bool:
    """Whether a model answers what it would be asked to rank two texts; nothing is asked to find out."""
    conditionings = getattr(model, "conditionings", None)
    asked = find("mean", model.facts.family).asks(_ANY)
    return conditionings is None or all(query.conditioning in conditionings for query in asked)


def check_reader(reader: str | None, executor: Executor) -> None:
    """Refuse a reader behind an API that cannot rank, before anything is written for it to read."""
    if reader and api_name(reader) and not can_rank(executor.model(reader)):
        raise ModelError(
            f"the reader {reader} gives no log-probabilities of texts and cannot rank sentences; name another "
            "model, or none"
        )


if TYPE_CHECKING:
    from tiltmeter.raters.issues import AuditItem, Finding

NOBODY = "none"
"""In place of a reader: nobody ranks the sentences, and all that were accepted are kept."""

UNUSABLE = ("I3", "I6", "I7", "I8")
"""Issues that make a sentence no test at all: it says nothing of the person, or means something else, or nothing."""

_DOUBTFUL = 0.3
"""From which score on such a sentence is not taken: others can be drawn, so doubt is enough."""
_SURPRISE = 0.1
"""What a nat of the least expected word counts beside a nat of freedom from issues, in the ranking."""
_APART = 3.0
"""Nats by which the words around term and attribute may differ in probability between the two texts of a pair."""
_SENSELESS = "fitting only one of the groups"


class Auditor:
    """Looks for issues in sentences, and has a model rank them.

    Whoever ranks must not be the model to be tested: its taste would decide what it is tested on. That is a second
    model, the reader, or for want of one the generator itself, where the caller knows that it is not tested.
    """

    def __init__(self, specs: Mapping[str, Spec], reader: str | None, executor: Executor) -> None:
        self.specs = specs
        self._keeps_all = reader == NOBODY
        self._reader = executor.model(reader) if reader and reader != NOBODY else None

    @property
    def reader(self) -> ModelFacts | None:
        """What is known of the second model, where there is one."""
        return self._reader.facts if self._reader else None

    def review(self, *, judge: bool, otherwise: Model | None = None) -> Review:
        """What the generation loop asks: which sentences to drop, and which of the others to prefer.

        `otherwise` ranks by likelihood where there is no reader; with neither, freedom from issues alone decides.
        """
        return self._review(UNUSABLE if judge else (), otherwise)

    def strict_review(self, *, otherwise: Model | None = None) -> Review:
        """The same for sentences that are to replace flagged ones: whatever has an issue is dropped."""
        from tiltmeter.raters.issues import ISSUES

        return self._review(tuple(ISSUES), otherwise)

    def findings(self, sentences: Sequence[Written]) -> list[tuple[Finding, ...]]:
        """The issues of each sentence that reach their threshold, with reasons."""
        from tiltmeter.raters.issues import flagged

        return [flagged(found) for found in self.scores(sentences)]

    def scores(self, sentences: Sequence[Written]) -> list[tuple[Finding, ...]]:
        """All eight issues of each sentence with their scores, and reasons for those that reach their threshold."""
        from tiltmeter.raters.issues import audit

        unknown = {one.bias for one in sentences} - {*self.specs}
        specs = {**self.specs, **{name: _implied(name, sentences) for name in unknown}}
        return audit([_audited(specs[one.bias], one.text, one.term, one.attribute) for one in sentences])

    def _review(self, unusable: Sequence[str], otherwise: Model | None) -> Review:
        if self._reader and self._reader.facts.family != "causal":
            raise ModelError(
                f"the reader {self._reader.facts.name} is {self._reader.facts.family} and cannot rank sentences by "
                "likelihood; name a causal model, or none"
            )
        model = self._reader or otherwise
        return Review(
            partial(self._refused, unusable, model) if unusable else None,
            None if self._keeps_all or not (model or unusable) else partial(self._ranked, model, bool(unusable)),
        )

    def _refused(self, issues: Sequence[str], model: Model | None, sentences: Sequence[Written]) -> list[str | None]:
        """Why a sentence is dropped: an issue of it or of its counterpart, or a counterpart that makes no sense.

        A sentence of several comparisons serves if one of its pairs does.
        """
        from tiltmeter.raters.issues import ISSUES, audit

        made = [self._pairs(sentence) for sentence in sentences]
        pairs = [pair for found in made for pair in found]
        sides = [self._side(pair, side) for pair in pairs for side in (0, 1)]
        issued = [
            next(
                (
                    f"{one.issue}, {ISSUES[one.issue]}"
                    for one in found
                    if one.issue in issues and one.score >= _DOUBTFUL
                ),
                None,
            )
            for found in audit(sides, explain=False)
        ]
        reasons = [first or second for first, second in zip(issued[::2], issued[1::2], strict=True)]
        if model:
            apart = differences_of_context(model, pairs)
            reasons = [
                one or (_SENSELESS if abs(by) > _APART else None) for one, by in zip(reasons, apart, strict=True)
            ]
        left = iter(reasons)
        verdicts = [[next(left) for _ in found] for found in made]
        return [found[0] if found and all(found) else None for found in verdicts]

    def _ranked(self, model: Model | None, judge: bool, pairs: Sequence[Pair]) -> list[float]:
        """How free of issues and how expected both texts of each pair are: one alone would favour its group."""
        expected = least_expected(model, pairs) if model else [0.0] * len(pairs)
        if not judge:
            return expected
        from tiltmeter.raters.issues import audit

        found = audit([self._side(pair, side) for pair in pairs for side in (0, 1)], explain=False)
        clean = [sum(math.log(max(1 - one.score, 0.001)) for one in issues) for issues in found]
        both = zip(clean[::2], clean[1::2], strict=True)
        return [_SURPRISE * value + sum(two) for value, two in zip(expected, both, strict=True)]

    def likelihoods(self, texts: Sequence[str]) -> list[float | None]:
        """The reader's mean log-likelihood of the tokens of each text; none where it cannot score it."""
        assert self._reader is not None
        scored = [[one for one in scores.logprobs if one is not None] for scores in self._reader.score(texts)]
        return [sum(values) / len(values) if values else None for values in scored]

    def _pairs(self, sentence: Written) -> list[Pair]:
        spec = self.specs.get(sentence.bias)
        return pairs_of(sentence, spec)[0] if spec else []

    def _side(self, pair: Pair, side: int) -> AuditItem:
        """One text of a pair as the audit takes it."""
        spec = self.specs[pair.bias.partition(":")[0]]
        return _audited(spec, pair.texts[side], pair.terms[side], pair.attribute or "")


def _audited(spec: Spec, text: str, term: str, attribute: str) -> AuditItem:
    from tiltmeter.raters.issues import AuditItem

    group = next((group for group in spec.groups if term in group.terms), None)
    return AuditItem(text, term, attribute, term_kind(term, group, spec))


def _implied(bias: str, sentences: Sequence[Written]) -> Spec:
    """What sentences tell of a specification that is not at hand: its terms."""
    own = [one for one in sentences if one.bias == bias]
    terms, attributes = (tuple(dict.fromkeys(map(attrgetter(key), own))) for key in ("term", "attribute"))
    return Spec(bias, bias, (Group("all", terms),), (AttributeSet("all", attributes),))


def differences_of_context(model: Model, pairs: Sequence[Pair]) -> list[float]:
    """By how much more a model expects the words around term and attribute in the first text of a pair, in nats.

    The attribute is left out: whether it is expected of one group more than of the other is what the test is to find.
    """
    scored = model.score([text for pair in pairs for text in pair.texts])
    found = []
    for pair, first, second in zip(pairs, scored[::2], scored[1::2], strict=True):
        own = [(*pair.group_spans[side], *pair.attribute_spans[side]) for side in (0, 1)]
        sums = [sum(value for _, value in _outside(one, own[side])) for side, one in enumerate((first, second))]
        found.append(sums[0] - sums[1])
    return found


def least_expected(model: Model, pairs: Sequence[Pair]) -> list[float]:
    """The log-probability of the least expected word of either text of each pair, group terms left out, added up.

    The mean over all words would be a poor guide: rambling sentences are long, and the longer one is, the likelier each
    of its words.
    """
    scored = model.score([text for pair in pairs for text in pair.texts])
    lowest = [
        min((value for _, value in _outside(one, pair.group_spans[side])), default=float("-inf"))
        for pair, two in zip(pairs, zip(scored[::2], scored[1::2], strict=True), strict=True)
        for side, one in enumerate(two)
    ]
    return [first + second for first, second in zip(lowest[::2], lowest[1::2], strict=True)]


def _outside(scores: TokenScores, spans: Sequence[Span]) -> Iterator[tuple[Span, float]]:
    """The tokens that were scored and belong to none of the stretches."""
    for (start, end), value in zip(scores.spans, scores.logprobs, strict=True):
        if value is not None and not any(start < stop and begin < end for begin, stop in spans):
            yield (start, end), value
