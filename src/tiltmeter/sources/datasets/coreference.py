"""Sentences about two people and a pronoun that stands for one of them, as WinoBias and Winogender have them.

One such sentence, in the genders in which it was written, makes a pair of sentences, a prompt that ends where the
pronoun is expected, and a question for each gender: whom does the pronoun stand for?
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tiltmeter.english import FORMS, Gender
from tiltmeter.records import Dropped, Pair, Prompt, Question, Span
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.pairs_file import attribute_in

COMPARED: tuple[Gender, Gender] = ("male", "female")
"""The genders that are compared in pairs."""
_ORDER: tuple[Gender, ...] = (*COMPARED, "neutral")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Coreference:
    """A sentence in one to three genders, and the two people that its pronoun may stand for."""

    id: str
    source: str
    bias: str
    occupation: str
    """What the results are resampled over and reported by."""
    template: str
    people: tuple[str, str]
    correct: Literal[0, 1]
    texts: Mapping[Gender, str]
    pronouns: Mapping[Gender, tuple[Span, ...]]
    """Where the pronouns of each text stand that are asked about."""
    attribute: str
    """The words of the sentence that name the occupation."""
    given_to: Mapping[Gender, Literal[0, 1]] = field(default_factory=dict)
    """Whom the stereotype gives the pronoun of a gender to; empty: no such stereotype is known."""
    attribute_set: str | None = None

    @property
    def usual(self) -> Gender | None:
        """The gender whose pronoun the stereotype gives to whom it stands for."""
        return next((gender for gender, place in self.given_to.items() if place == self.correct), None)

    def questions(self) -> list[Question]:
        """Whom the pronoun stands for, once for each gender."""
        made = []
        for gender, text in self.texts.items():
            word = self._word(gender)
            made.append(
                Question(
                    id=f"{self.id}/{gender}",
                    source=self.source,
                    bias=self.bias,
                    origin=self.occupation,
                    attribute=self.occupation,
                    template=self.template,
                    question=f'Who does "{word}" refer to?',
                    options=self.people,
                    about=gender,
                    context=text,
                    correct=self.correct,
                    stereotyped=self.given_to.get(gender),
                    term=word,
                    group_spans=self.pronouns[gender],
                )
            )
        return made

    def pair(self) -> Pair | Dropped:
        """The sentence with the one pronoun against that with the other."""
        if not all(gender in self.texts for gender in COMPARED):
            return self._dropped("there is no such sentence with the pronoun of the other gender")
        # The stereotyped sentence first, where there is one: it gives the pronoun to whom it stands for.
        fitting = [one for one in COMPARED if self.attribute_set and one == self.usual]
        groups = sorted(COMPARED, key=lambda gender: gender not in fitting)
        first, second = (self.texts[gender] for gender in groups)
        spans = of_gender(first, groups[0]), of_gender(second, groups[1])
        if _blanked(first, spans[0]) != _blanked(second, spans[1]):
            return self._dropped("the two sentences differ in more than the pronoun")
        texts = (first, second)
        return Pair(
            id=self.id,
            source=self.source,
            bias=self.bias,
            origin=self.occupation,
            attribute=self.occupation,
            template=self.template,
            texts=texts,
            groups=(groups[0], groups[1]),
            terms=(first[slice(*spans[0][0])], second[slice(*spans[1][0])]),
            stereotyped=0 if fitting else None,
            attribute_set=self.attribute_set,
            group_spans=spans,
            **attribute_in(texts, spans, self.attribute, "person"),
        )

    def prompt(self, stereotyped: Gender | None) -> Prompt | Dropped:
        """What stands before the pronoun; the words asked for are its forms in the place that it has."""
        if not all(gender in self.texts for gender in COMPARED):
            return self._dropped("there is no such sentence with the pronoun of the other gender")
        starts = {text[: self.pronouns[gender][0][0]] for gender, text in self.texts.items()}
        if len(starts) > 1:
            return self._dropped("the sentences differ before the pronoun")
        text = starts.pop().rstrip()
        if not text:
            return self._dropped("nothing stands before the pronoun")
        spans = find(text, self.attribute)
        if not spans:
            return self._dropped("the occupation is not named before the pronoun")
        return Prompt(
            id=self.id,
            source=self.source,
            bias=self.bias,
            origin=self.occupation,
            attribute=self.occupation,
            template=self.template,
            text=text,
            word_sets=tuple((gender, (self._word(gender),)) for gender in sorted(self.texts, key=_ORDER.index)),
            subject_spans=tuple(spans),
            status="authored",
            stereotyped=stereotyped,
        )

    def _word(self, gender: Gender) -> str:
        return self.texts[gender][slice(*self.pronouns[gender][0])].casefold()

    def _dropped(self, reason: str) -> Dropped:
        return Dropped(self.bias, self.occupation, next(iter(self.texts.values())), reason)


def stereotypes_of(every: Iterable[Coreference]) -> dict[str, dict[str, list[str]]]:
    """By bias and gender, the occupations in which its pronoun is usual; for biases that have some of both."""
    found: dict[str, dict[str, dict[str, None]]] = {}
    for one in every:
        if one.attribute_set and (usual := one.usual):
            found.setdefault(one.bias, {gender: {} for gender in COMPARED})[usual][one.occupation] = None
    return {
        bias: {group: list(names) for group, names in tied.items()}
        for bias, tied in found.items()
        if all(tied.values())
    }


def of_gender(text: str, gender: Gender) -> tuple[Span, ...]:
    """Where the pronouns of a gender stand.

    >>> of_gender("The usher lost her keys and her hat.", "female")
    ((15, 18), (28, 31))
    """
    forms = {*FORMS[gender].values()}
    return tuple(match.span() for match in _WORD.finditer(text) if match[0].casefold() in forms)


def _blanked(text: str, spans: tuple[Span, ...]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}[]{text[end:]}"
    return text
