"""Questions that runs can answer, of one model, bias and view each: positive means worse for the first group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.views import View


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

    @property
    def key(self) -> tuple[View, str, frozenset[str], bool, bool]:
        """What is asked, whoever is asked and whichever group stands first."""
        return self.view, self.bias, frozenset((self.first, self.second)), self.beyond_habit, self.by_stereotype

    @property
    def of_stereotypes(self) -> bool:
        """Whether it asks for a stereotype, which is the same whichever group stands first."""
        return self.view == "pairs" or self.by_stereotype

    @property
    def groups(self) -> tuple[str, str]:
        """What the two sides of a cell are called."""
        if not self.of_stereotypes:
            return self.first, self.second
        if not self.first:
            return "the stereotyped sentence", "the other"
        return f"attributes tied to {self.first}", f"attributes tied to {self.second}"

    @property
    def text(self) -> str:
        """The question in words.

        >>> Question("m", "continuations", "gender", "women", "men").text
        'Are texts about women rated worse than texts about men?'
        """
        if self.view == "continuations":
            return f"Are texts about {self.first} rated worse than texts about {self.second}?"
        if self.view == "pairs":
            return "Is the stereotyped sentence preferred to the other?"
        if self.by_stereotype:
            return f"Of {self.first} and {self.second}, is the stereotyped group expected more often?"
        if self.beyond_habit:
            return f"Is {self.first} expected less often than {self.second}, more so than by habit?"
        return f"Is {self.first} expected less often than {self.second}?"

    def claim(self, *, turned: bool = False) -> str:
        """What a cell says that is positive; turned, one that is negative.

        >>> Question("m", "next words", "professions", "she", "he").claim(turned=True)
        'he expected less often than she'
        """
        worse, better = (self.second, self.first) if turned else (self.first, self.second)
        if self.view == "continuations":
            return f"texts about {worse} rated worse than texts about {better}"
        if self.view == "pairs":
            return f"the {'other' if turned else 'stereotyped'} sentence preferred"
        if self.by_stereotype:
            return f"the {'other' if turned else 'stereotyped'} group expected more often"
        habit = ", more so than by habit," if self.beyond_habit else ""
        return f"{worse} expected less often than {better}{habit}"

    def exchanged(self) -> Question:
        """The same with the groups exchanged: every sign turns. What is stereotyped does not change."""
        if self.of_stereotypes:
            return self
        return replace(self, first=self.second, second=self.first)

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
        if _words(same[0].text) == words:
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
