"""Questions that runs can answer, of one model, bias and view each: positive means worse for the first group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.views import FACTS, View, Words

_BEYOND = ", beyond what it expects of anybody"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of one model; `first` and `second` are groups, blank where pairs are of many groups."""

    model: str
    view: View
    bias: str
    first: str = ""
    second: str = ""
    beyond_habit: bool = False
    """Next words: whether the model expects the first group less often than it does after "person"."""
    by_stereotype: bool = False
    """Next words: whether the group is expected more that a stereotype ties to what the prompt speaks of."""
    main: bool = False
    """Whether the study asks it: all but what is beyond a model's habit."""
    check: bool = False
    """Whether the bias is a check of the instrument, not a social one."""
    called: tuple[str, str] = field(default=("", ""), compare=False)
    """What readers call the two groups; their names, where nothing else is said."""

    @property
    def key(self) -> tuple[View, str, frozenset[str], bool, bool]:
        """What is asked, whoever is asked and whichever group stands first."""
        return self.view, self.bias, frozenset((self.first, self.second)), self.beyond_habit, self.by_stereotype

    @property
    def of_stereotypes(self) -> bool:
        """Whether it asks for a stereotype, which is the same whichever group stands first."""
        return self.by_stereotype or not FACTS[self.view].of_groups

    @property
    def words(self) -> Words:
        """How it is put."""
        facts = FACTS[self.view]
        return (facts.stereotyped if self.by_stereotype else None) or facts.words

    @property
    def names(self) -> tuple[str, str]:
        """What the two groups are called in sentences."""
        first, second = self.called
        return first or self.first, second or self.second

    @property
    def groups(self) -> tuple[str, str]:
        """What the two sides of a cell are called."""
        if not self.of_stereotypes:
            return self.names
        if not self.first:
            return FACTS[self.view].fitting, "the other"
        first, second = self.names
        return f"attributes tied to {first}", f"attributes tied to {second}"

    @property
    def text(self) -> str:
        """The question in words.

        >>> Question("m", "continuations", "gender", "women", "men").text
        'Are texts about women rated worse than texts about men?'
        >>> Question("m", "next words", "jobs", "male", "female", called=("men", "women")).text
        'Does the model expect women more often than men?'
        """
        said = self._said((self.check and self.words.checked_question) or self.words.question)
        return f"{said.removesuffix('?')}{_BEYOND}?" if self.beyond_habit else said

    def claim(self, *, turned: bool = False) -> str:
        """What a positive cell says; turned, what a negative one says.

        >>> Question("m", "next words", "professions", "she", "he").claim(turned=True)
        'the model expects she more often than he'
        """
        claim = (self.check and self.words.checked_claim) or self.words.claim
        said = self._said((turned and self.words.turned) or claim, turned=turned)
        return f"{said}{_BEYOND}" if self.beyond_habit else said

    @property
    def short(self) -> str:
        """What a positive cell says, as short as a chart has room for.

        >>> Question("m", "continuations", "gender", "female", "male", called=("women", "men")).short
        'women rated worse than men'
        """
        said = (self.check and self.words.checked) or self.words.short
        return self._said(said) + (" (beyond habit)" if self.beyond_habit else "")

    @property
    def topic(self) -> str:
        """What it is about, after the name of its bias."""
        # Of more than two groups every pair is a question.
        groups = f" ({', '.join(self.names)})" if self.first and not FACTS[self.view].of_groups else ""
        return f"{self._said(self.words.topic)}{groups}"

    def _said(self, words: str, *, turned: bool = False) -> str:
        first, second = reversed(self.names) if turned else self.names
        return words.format(first=first, second=second)

    def exchanged(self) -> Question:
        """The same with the groups exchanged: every sign turns. What is stereotyped does not change."""
        if self.of_stereotypes:
            return self
        return replace(self, first=self.second, second=self.first, called=(self.called[1], self.called[0]))

    def as_json(self) -> dict[str, Any]:
        """The question as a record."""
        found = asdict(self)
        return {
            "text": self.text,
            **{
                name: found[name]
                for name in ("model", "view", "bias", "beyond_habit", "by_stereotype", "main", "check")
            },
            "groups": [self.first, self.second] if self.first else [],
        }


def topic_of(bias: str) -> str:
    """What a bias is about: data sets that speak of the same thing answer the same question.

    >>> topic_of("bold/gender"), topic_of("own-prompts/gender"), topic_of("gender-science-arts")
    ('gender', 'gender', 'gender-science-arts')
    """
    return bias.rpartition("/")[2] or bias


def in_order(questions: Sequence[Question]) -> list[Question]:
    """Main questions first, checks of the instrument after the social biases, else as they come."""
    return sorted(questions, key=lambda one: (not one.main, one.check, one.beyond_habit))


def kinds(questions: Sequence[Question]) -> list[list[Question]]:
    """The questions, those that ask the same of several models together."""
    found: dict[Any, list[Question]] = {}
    for one in questions:
        found.setdefault(one.key, []).append(one)
    return list(found.values())


def asked(wanted: str, questions: Sequence[Question]) -> list[Question]:
    """The questions meant by a number of the list, by their text, or by words of it: one for each model.

    >>> known = [Question("m", "continuations", "age", *pair) for pair in (("young", "old"), ("old", "ageless"))]
    >>> asked("1", known) == asked("young", known) == known[:1]
    True
    >>> asked("are texts about old rated worse than texts about young?", known)[0].first
    'old'
    """
    numbered, words = kinds(questions), _words(wanted)
    if wanted.strip().isdecimal() and 0 < int(wanted) <= len(numbered):
        return numbered[int(wanted) - 1]
    either = [*numbered, *([one.exchanged() for one in same] for same in numbered)]
    for same in either:
        # Groups may be called as readers call them, or by their names.
        if words in (_words(same[0].text), _words(replace(same[0], called=("", "")).text)):
            return same
    told = [{*_words(" ".join((one.text, one.view, one.bias, one.first, one.second)))} for one, *_ in numbered]
    fitting = [same for same, own in zip(numbered, told, strict=True) if words and {*words} <= own]
    if len(fitting) != 1:
        raise UserError(
            f"--question {wanted!r} fits {len(fitting) or 'none'} of the {len(numbered)} questions that can be asked; "
            "give the number of one of them, as `--list` has it, or words that it alone has"
        )
    return fitting[0]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
