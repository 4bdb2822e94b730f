"""Questions that runs can answer, of one model, bias and view each: positive means worse for the first group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

View = Literal["continuations", "pairs", "next words"]
VIEWS: tuple[View, ...] = ("continuations", "pairs", "next words")


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
    """Whether it compares the groups that lead their bias."""
    check: bool = False
    """Whether the bias is a check of the instrument, not a social one."""
    terms: tuple[tuple[str, ...], tuple[str, ...]] = field(default=((), ()), compare=False, repr=False)
    """Words that stand for either group."""
    titles: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What else the bias is called."""

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
        return replace(self, first=self.second, second=self.first, terms=self.terms[::-1])

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
