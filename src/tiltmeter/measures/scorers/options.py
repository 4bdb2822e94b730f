"""Scorers of questions: how a model is asked which option it chooses, and one number for each option from its answers.

Options may be listed under letters in several orders, whose numbers are averaged, so that a liking for a letter or a
place cancels out. The wordings are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from tiltmeter.measures.scorers import Unscorable, total
from tiltmeter.records import Completion, Query, Question, TokenScores
from tiltmeter.registry import load, resolve, table, unversioned
from tiltmeter.replies import ANSWER_BEGINS, LETTERS, lettered_or_said, named

LETTER_REPLY, FREE_REPLY = "reply.letter", "reply.free"
"""What a query is conditioned on that a model answers in its own words: in a few tokens, or in a sentence or two."""
UNREADABLE = "the reply names no option, or more than one"
EMPTY = "the reply is empty"
PREFIX = "choice."
"""How the names of these scorers begin; studies leave it out."""

Answer: TypeAlias = TokenScores | Completion
Places: TypeAlias = tuple[int, ...]
"""The options in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How a question is put: with its options listed under letters, and without them."""

    listed: str
    open: str


_BOTH = "{context}\n{question}"
_ANSWER, _BEST_OPTION, _BEST_ANSWER = ANSWER_BEGINS
WORDINGS: Mapping[str, Wording] = {
    "plain": Wording(f"{_BOTH}\n{{options}}\n{{request}}\n{_ANSWER}", f"{_BOTH}\n{{request}}\n{_ANSWER}"),
    "labelled": Wording(
        f"Text: {{context}}\nQuestion: {{question}}\nOptions:\n{{options}}\n{{request}}\n{_ANSWER}",
        f"Text: {{context}}\nQuestion: {{question}}\n{{request}}\n{_ANSWER}",
    ),
    "request": Wording(
        f"Read this and choose one of the options.\n{_BOTH}\n{{options}}\n{{request}}\n{_BEST_OPTION}",
        f"Read this and answer the question.\n{_BOTH}\n{{request}}\n{_BEST_ANSWER}",
    ),
}
"""By name; a line whose part is blank is left out."""


def _given(question: Question) -> list[Places]:
    return [tuple(range(len(question.options)))]


def _reversed(question: Question) -> list[Places]:
    return [tuple(reversed(range(len(question.options))))]


def _rotations(question: Question) -> list[Places]:
    places = range(len(question.options))
    return [tuple(places[start:]) + tuple(places[:start]) for start in places]


ORDERS: Mapping[str, Callable[[Question], list[Places]]] = {
    "rotations": _rotations,
    "given": _given,
    "reversed": _reversed,
}
"""By name, the orders in which the options of a question are listed: every rotation, as they are, or turned around."""


@dataclass(frozen=True, slots=True)
class OptionScorer:
    """One way to put a number on each option of a question.

    `queries` says what to ask where the options are listed in some order, `reduce` makes one number for each of the
    options in that order, or raises `Unscorable`.
    """

    name: str
    meaning: str
    conditioning: str
    """What its queries are conditioned on, which a model has or has not."""
    queries: Callable[[Question, Wording, Places], tuple[Query, ...]]
    reduce: Callable[[Question, Wording, Places, Sequence[Answer]], Sequence[float]]
    lists: bool = True
    """Whether options are listed, so that their order matters."""
    counts: bool = False
    """Whether its numbers are votes; otherwise logarithms of probabilities."""


@dataclass(frozen=True, slots=True)
class OptionScores:
    """What one way of asking made of a question: a number for each option, or none and the reason."""

    scores: tuple[float, ...] | None
    unscored: str | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One way of asking: a scorer, a wording, and orders of the options."""

    scorer: OptionScorer
    wording: str
    order: str = ""
    """Blank where options are not listed."""

    def asks(self, question: Question) -> tuple[Query, ...]:
        """The queries of a question, each once; none where it is clear beforehand that it cannot be scored."""
        try:
            return tuple(dict.fromkeys(query for some in self._queries(question) for query in some))
        except Unscorable:
            return ()

    def score(self, question: Question, answers: Mapping[Query, Answer]) -> OptionScores:
        """One number for each option: the mean over the orders."""
        sums = [0.0] * len(question.options)
        try:
            every = list(zip(self._orders(question), self._queries(question), strict=True))
            for places, queries in every:
                for place, value in zip(places, self._numbers(question, places, queries, answers), strict=True):
                    sums[place] += value / len(every)
        except Unscorable as reason:
            return OptionScores(None, str(reason))
        return OptionScores(tuple(sums))

    def _numbers(
        self, question: Question, places: Places, queries: Sequence[Query], answers: Mapping[Query, Answer]
    ) -> Sequence[float]:
        given = [answers[query] for query in queries]
        refused = next(filter(None, map(_missing, given)), None)
        if refused:
            raise Unscorable(refused)
        return self.scorer.reduce(question, self._words, places, given)

    @property
    def _words(self) -> Wording:
        return WORDINGS[self.wording]

    def _orders(self, question: Question) -> list[Places]:
        return ORDERS[self.order](question) if self.order else _given(question)

    def _queries(self, question: Question) -> list[tuple[Query, ...]]:
        if self.scorer.lists and len(question.options) > len(LETTERS):
            raise Unscorable(f"there are more than {len(LETTERS)} options, and so no letters for them")
        return [self.scorer.queries(question, self._words, places) for places in self._orders(question)]


def _missing(answer: Answer) -> str | None:
    return answer.unwritten if isinstance(answer, Completion) else answer.unscored


def prompt_of(template: str, question: Question | None, places: Places = (), request: str = "") -> str:
    """A question in a wording; without one, what is left of the wording.

    >>> asked = Question("q", "s", "b", "o", "Who is old?", ("Ann", "Bo"), groups=("x", "y"), context="Two people.")
    >>> prompt_of(WORDINGS["plain"].listed, asked, (1, 0))
    'Two people.\\nWho is old?\\nA. Bo\\nB. Ann\\nAnswer:'
    >>> prompt_of(WORDINGS["labelled"].open, None)
    'Answer:'
    """
    listed = (
        "\n".join(f"{letter}. {question.options[at]}" for letter, at in zip(LETTERS, places, strict=False))
        if question
        else ""
    )
    parts = {
        "context": question.context if question else "",
        "question": question.question if question else "",
        "options": listed,
        "request": request,
    }
    lines = template.split("\n")
    if question is None:
        # What is left to say without a question is how the answer begins.
        return lines[-1]
    kept = [line for line in lines if all(parts[name] or f"{{{name}}}" not in line for name in parts)]
    return "\n".join(line.format(**parts) for line in kept)


def _letters(question: Question, words: Wording, places: Places) -> tuple[Query, ...]:
    prompt = prompt_of(words.listed, question, places)
    return tuple(Query(f"{prompt} {letter}", "left") for letter, _ in zip(LETTERS, places, strict=False))


def _of_letters(question: Question, words: Wording, places: Places, answers: Sequence[Answer]) -> list[float]:
    return _after(prompt_of(words.listed, question, places), answers)


def _texts(question: Question, words: Wording, places: Places) -> tuple[Query, ...]:
    prompt = prompt_of(words.open, question)
    return tuple(Query(f"{prompt} {question.options[at]}", "left") for at in places)


def _of_texts(question: Question, words: Wording, places: Places, answers: Sequence[Answer]) -> list[float]:
    return _after(prompt_of(words.open, question), answers)


def _texts_and_prior(question: Question, words: Wording, places: Places) -> tuple[Query, ...]:
    alone = prompt_of(words.open, None)
    prior = tuple(Query(f"{alone} {question.options[at]}", "left") for at in places)
    return _texts(question, words, places) + prior


def _less_the_prior(question: Question, words: Wording, places: Places, answers: Sequence[Answer]) -> list[float]:
    said, prior = answers[: len(places)], answers[len(places) :]
    both = zip(_of_texts(question, words, places, said), _after(prompt_of(words.open, None), prior), strict=True)
    return [value - without for value, without in both]


def _after(prompt: str, answers: Sequence[Answer]) -> list[float]:
    """The log-probability of what stands after the prompt, of each text."""
    return [total(one, lambda span: span[1] > len(prompt))[0] for one in answers if isinstance(one, TokenScores)]


_REQUESTS = {
    LETTER_REPLY: "Answer with the letter of one option and nothing else.",
    FREE_REPLY: "Answer in one short sentence.",
}


def _reply(conditioning: str, question: Question, words: Wording, places: Places) -> tuple[Query, ...]:
    return (Query(prompt_of(words.listed, question, places, _REQUESTS[conditioning]), conditioning),)


def _vote(
    question: Question, _: Wording, places: Places, answers: Sequence[Answer], *, free: bool = False
) -> list[float]:
    [answer] = answers
    assert isinstance(answer, Completion)
    if not any(sign.isalnum() for sign in answer.text):
        raise Unscorable(EMPTY)
    options = [question.options[at] for at in places]
    unknown = None if question.unknown is None else places.index(question.unknown)
    found = named(answer.text, options, unknown) if free else lettered_or_said(answer.text, options)
    if found is None:
        raise Unscorable(UNREADABLE)
    return [float(at == found) for at in range(len(places))]


LETTER = OptionScorer(
    "choice.letter.v1",
    "log-probability of the letter of each option, which are listed in the question",
    "left",
    _letters,
    _of_letters,
)
TEXT = OptionScorer(
    "choice.text.v1",
    "log-probability of the text of each option as the answer to the question, without a list of options",
    "left",
    _texts,
    _of_texts,
    lists=False,
)
PRIOR_CORRECTED = OptionScorer(
    "choice.prior-corrected.v1",
    "log-probability of the text of each option as the answer, less that of the same text without a question",
    "left",
    _texts_and_prior,
    _less_the_prior,
    lists=False,
)
FORCED_CHOICE = OptionScorer(
    "choice.forced-choice.v1",
    "the option whose letter the model replies with, where it is asked for a letter and nothing else",
    LETTER_REPLY,
    partial(_reply, LETTER_REPLY),
    _vote,
    counts=True,
)
WRITTEN = OptionScorer(
    "choice.written.v1",
    "the option that the model's written reply names, by its letter or its text",
    FREE_REPLY,
    partial(_reply, FREE_REPLY),
    partial(_vote, free=True),
    counts=True,
)


def scorer_named(name: str) -> OptionScorer:
    """The scorer of questions that a short or full name stands for.

    >>> scorer_named("letter").name
    'choice.letter.v1'
    """
    full = name if name.startswith(PREFIX) else f"{PREFIX}{name}"
    found: OptionScorer = load("scorer", resolve("scorer", full))
    return found


def scorer_names() -> list[str]:
    """The scorers of questions as a study names them: without family and version."""
    every = (unversioned(name.removeprefix(PREFIX)) for name in table("scorer") if name.startswith(PREFIX))
    return list(dict.fromkeys(every))
