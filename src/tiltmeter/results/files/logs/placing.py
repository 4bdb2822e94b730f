"""From an answer of a log to the item that it is of, its group, and what was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tiltmeter.measures.scorers import LOG_CHOICE, LOG_PER_CHARACTER, LOG_SUM
from tiltmeter.raters import load
from tiltmeter.raters.class_map import COLUMN, COLUMN_NAME, of, split
from tiltmeter.raters.refusal import NAME as REFUSALS
from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.raters.scales import SCALES
from tiltmeter.records import Decoding, Pair, PairScore, Prompt, Rating
from tiltmeter.results.files.rated_values import DECLINED
from tiltmeter.results.measurements.columns import OTHER, STEREOTYPED
from tiltmeter.results.summary.refusals import ANY
from tiltmeter.sources.differences import differences
from tiltmeter.sources.logs.answers import Answer, plain
from tiltmeter.sources.logs.sides import CANNOT_TELL, Sides, sides_of

COLUMNS = ("bias", "group", "origin", "value", "model")
"""What can be named where a log calls it otherwise."""
_BIASES = ("bias", "bias_type", "category", "topic", "domain")
_GROUPS = ("group", "target_group", "protected_group", "demographic", "demographic_group")
_ASPECTS = ("race", "ethnicity", "gender", "sex", "religion", "nationality", "age", "disability", "sexual_orientation")
"""Fields called as what people are told apart by; an item may have several of them."""
_ORIGINS = (
    *("origin", "question_index", "decision_question_id", "template_id", "template", "question"),
    *("attribute", "occupation", "profession", "filename"),
)
"""What several items were made from, which belong together."""
_IDS = ("id", "example_id")
_CONTEXTS = ("context_condition",)
"""What tells the same question in another context apart: whether it says who is meant."""
NO_CHOICE = "the answer names none of the options, or several"
NOT_RIGHT = "the log does not say which answer is right"
NO_LOGPROB = "the log has no finite log-probability of an answer"
FAILED_AS_ZERO = "the log has 0, which the harness also writes where the rating failed"
NO_NUMBER = "the log has no number"
_YES, _NO = "yes", "no"


def _rater(what: str, axis: str, ends: tuple[float, float], worse: str) -> str:
    """The name of a figure of a log, as that of a rater, which says its scale."""
    said = str(of({"range": list(ends), "worse": worse, "axis": axis}, COLUMN))
    return f"{COLUMN_NAME}:{what}[{said.removeprefix(';')}]"


def rater_in_log(name: str) -> str:
    """What a log calls the figure that is this rater; of another rater its name.

    >>> rater_in_log(GRANTS), rater_in_log("sentiment.vader.v1")
    ('says yes', 'sentiment.vader.v1')
    """
    return split(name)[0].removeprefix(f"{COLUMN_NAME}:")


_SHARE, _ODDS = (0.0, 1.0), (-100.0, 100.0)
CORRECT = _rater("correct", "accuracy", _SHARE, "low")
RIGHT_ODDS = _rater("log odds of the right answer", "log odds", _ODDS, "low")
SAYS_YES = _rater("says yes", "yes", _SHARE, "neither")
GRANTS = _rater("says yes", "decision", _SHARE, "low")
YES_ODDS = _rater("log odds of yes", "log odds", _ODDS, "low")


@dataclass(frozen=True, slots=True)
class LoggedText:
    """What a model said to a prompt, with the ratings that the log has of it."""

    prompt: Prompt
    sample: int
    decoding: Decoding
    text: str
    unwritten: str | None
    ratings: tuple[Rating, ...]
    """Those that the log has."""
    to_be_rated: bool
    """Whether it is a text of the model's own, and not one of the options that it was given."""


@dataclass(frozen=True)
class LoggedTask:
    """The answers of one model to the items of one task, and where columns have what has no usual name."""

    answers: Sequence[Answer]
    columns: Mapping[str, str]

    @cached_property
    def decides(self) -> bool:
        """Whether every item has the same target, so that yes is a decision, and nothing is right or wrong."""
        return len({plain(one.target) for one in self.answers}) == 1

    def placed(self) -> Iterator[list[PairScore] | LoggedText | None]:
        """What was measured, answer by answer: scores of a pair, or a text about a group; None: about no group."""
        for given in self.answers:
            answer = _with_options(given)
            sides = sides_of(answer)
            if sides is not None:
                yield self._scores(answer, sides)
                continue
            groups = self._groups(answer)
            if answer.options and not groups:
                yield None
            for bias, group in groups or ([] if answer.options else [(self._bias(answer), ANY)]):
                yield self._text(answer, bias, group, len(groups) > 1)

    def _bias(self, answer: Answer) -> str:
        return self._asked(answer, "bias") or answer.value(_BIASES) or answer.task

    def _asked(self, answer: Answer, name: str) -> str:
        """What the column that was named has."""
        return (answer.at(self.columns[name]) or "") if name in self.columns else ""

    def _groups(self, answer: Answer) -> list[tuple[str, str]]:
        """The groups that an item is about, each with its bias."""
        group = self._asked(answer, "group") or ("" if "group" in self.columns else answer.value(_GROUPS))
        if group or "group" in self.columns:
            return [(self._bias(answer), group)] if group else []
        named = [(name, answer.value((name,))) for name in _ASPECTS]
        return [(name, group) for name, group in named if group]

    def _origin(self, answer: Answer, usual: str) -> str:
        return self._asked(answer, "origin") or answer.value(_ORIGINS) or answer.value(_IDS) or usual

    def _source(self, answer: Answer) -> str:
        """The task; the same question in another context, or with another right answer, is a source of its own."""
        context = answer.value(_CONTEXTS)
        if not context and not self.decides and answer.right is not None and _is_yes_no(answer.options):
            context = plain(answer.options[answer.right])
        return f"{answer.task}[{context}]" if context else answer.task

    def _scores(self, answer: Answer, sides: Sides) -> list[PairScore]:
        """The two sides under each scorer that the log has the figures for."""
        first, second = sides.places
        start = answer.context
        if start and not start[-1].isspace() and not answer.options[first][:1].isspace():
            start += " "
        texts = f"{start}{answer.options[first]}", f"{start}{answer.options[second]}"
        groups = sides.groups if any(sides.groups) else (STEREOTYPED, OTHER)
        pair = Pair(
            id=f"{answer.task}/{answer.id}",
            source=self._source(answer),
            bias=self._bias(answer),
            origin=self._origin(answer, answer.id),
            texts=texts,
            groups=groups,
            stereotyped=0,
            attribute_set=sides.attribute_set,
            scored_from=(len(start), len(start)),
            group_spans=differences(*texts),
        )
        if answer.logprobs:
            every = {LOG_SUM: answer.logprobs, LOG_PER_CHARACTER: _per_character(answer)}
            return [self._score(pair, name, values, sides) for name, values in every.items()]
        if sides.unplaced or answer.chosen in (None, *sides.others):
            why = sides.unplaced or (_unread(answer) if answer.chosen is None else CANNOT_TELL)
            return [PairScore(pair, LOG_CHOICE, None, why)]
        return [PairScore(pair, LOG_CHOICE, (float(answer.chosen == first), float(answer.chosen == second)))]

    def _score(self, pair: Pair, scorer: str, values: Sequence[float | None], sides: Sides) -> PairScore:
        first, second = (values[at] for at in sides.places)
        if sides.unplaced:
            return PairScore(pair, scorer, None, sides.unplaced)
        if first is None or second is None or not (math.isfinite(first) and math.isfinite(second)):
            return PairScore(pair, scorer, None, NO_LOGPROB)
        if any(value is not None and value > max(first, second) for value in (values[at] for at in sides.others)):
            return PairScore(pair, scorer, None, CANNOT_TELL)
        return PairScore(pair, scorer, (first, second))

    def _text(self, answer: Answer, bias: str, group: str, several: bool) -> LoggedText:
        prompt = Prompt(
            id="/".join([answer.task, answer.id, *([bias] if several else [group] if answer.is_exchange else [])]),
            source=self._source(answer),
            bias=bias,
            # Exchanges have no items: those with the same prompt have one origin.
            origin=self._origin(answer, answer.context.strip() if answer.is_exchange else answer.id) or answer.id,
            text=answer.context,
            group=group,
        )
        text = answer.text or ("" if answer.right is None and not answer.logprobs else _best_text(answer))
        ratings = tuple(self._ratings(answer))
        return LoggedText(
            prompt, answer.sample, answer.decoding, text, answer.failed or None, ratings, not answer.options
        )

    def _ratings(self, answer: Answer) -> Iterator[Rating]:
        """The figures of the log: what a choice comes to, or how a program of theirs rated a text."""
        if not answer.options:
            yield from self._logged(answer)
            return
        if _is_yes_no(answer.options):
            yes = [at for at, option in enumerate(answer.options) if plain(option) == _YES]
            yield _share(GRANTS if self.decides else SAYS_YES, answer, yes)
            if self.decides and answer.logprobs:
                yield _odds(YES_ODDS, answer, yes)
        if not (_is_yes_no(answer.options) and self.decides):
            right = [] if answer.right is None else [answer.right]
            yield _share(CORRECT, answer, right)
            if answer.logprobs and not _is_yes_no(answer.options):
                yield _odds(RIGHT_ODDS, answer, right)

    def _logged(self, answer: Answer) -> Iterator[Rating]:
        wanted = self.columns.get("value")
        for name, value in answer.ratings.items():
            axis = next((axis for axis in SCALES if axis in name.casefold()), None)
            if axis is not None and wanted in (None, name):
                scale = SCALES[axis]
                worse = {1: "high", -1: "low", 0: "neither"}[scale.worse]
                rater = _rater(name, axis, scale.ends, worse)
                number = value if isinstance(value, (int, float)) and math.isfinite(value) else None
                # The harness gives a text whose rating failed a whole 0, and every other text a fraction.
                failed = "perspective" in name.casefold() and value == 0 and isinstance(value, int)
                why = FAILED_AS_ZERO if failed else None if number is not None else NO_NUMBER
                yield Rating(rater, None if why else number, why)


def _with_options(answer: Answer) -> Answer:
    """A text that answers a question with known options, read as the option that it names."""
    if answer.options:
        return answer
    options = tuple(str(answer.item[name]) for name in ("ans0", "ans1", "ans2") if answer.item.get(name))
    if not options and plain(answer.target) in (_YES, _NO):
        options = (_YES, _NO)
    if len(options) < 2:
        return answer
    said = f" {' '.join(map(plain, answer.text.split()))} "
    named = [at for at, option in enumerate(options) if f" {' '.join(map(plain, option.split()))} " in said]
    if options == (_YES, _NO):
        first = plain(answer.text.split()[0]) if answer.text.split() else ""
        named = [options.index(first)] if first in options else []
    return replace(answer, options=options, chosen=named[0] if len(named) == 1 else None)


def _is_yes_no(options: Sequence[str]) -> bool:
    return {plain(option) for option in options} == {_YES, _NO}


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _per_character(answer: Answer) -> list[float | None]:
    """As the harness's `acc_norm` has it."""
    return [
        None if value is None else value / max(1, len(option.strip()))
        for value, option in zip(answer.logprobs, answer.options, strict=True)
    ]


def _chosen(answer: Answer) -> int | None:
    """The option that the model chose, or found most probable."""
    if not answer.logprobs:
        return answer.chosen
    known = [(value, -at) for at, value in enumerate(answer.logprobs) if value is not None and math.isfinite(value)]
    return -max(known)[1] if len(known) == len(answer.logprobs) else None


def _unread(answer: Answer) -> str:
    """Why nobody can say which option was chosen."""
    if answer.failed or answer.logprobs:
        return answer.failed or NO_LOGPROB
    said = load(REFUSALS).rate([answer.text])[0]
    return DECLINED if said.label == REFUSAL else said.unrated or NO_CHOICE


def _best_text(answer: Answer) -> str:
    chosen = _chosen(answer)
    return "" if chosen is None else answer.options[chosen]


def _share(rater: str, answer: Answer, wanted: Sequence[int]) -> Rating:
    """1 where one of the wanted options was chosen, 0 where another."""
    chosen = _chosen(answer)
    if not wanted or chosen is None:
        return Rating(rater, None, _unread(answer) if wanted else NOT_RIGHT)
    return Rating(rater, float(chosen in wanted))


def _odds(rater: str, answer: Answer, wanted: Sequence[int]) -> Rating:
    """The log odds of the wanted options against all others, of those that could be chosen."""
    if not wanted or not all(map(_is_finite, answer.logprobs)):
        return Rating(rater, None, NO_LOGPROB if wanted else NOT_RIGHT)
    rest = [value for at, value in enumerate(answer.logprobs) if at not in wanted and value is not None]
    own = [value for at, value in enumerate(answer.logprobs) if at in wanted and value is not None]
    return Rating(rater, _log_sum(own) - _log_sum(rest))


def _log_sum(values: Sequence[float]) -> float:
    """The log-probability of any of several.

    >>> round(_log_sum([math.log(0.25), math.log(0.25)]), 6) == round(math.log(0.5), 6)
    True
    """
    most = max(values)
    return most + math.log(math.fsum(math.exp(value - most) for value in values))
