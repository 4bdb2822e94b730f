"""The words of a prompt that name its group: where they stand, and a stand-in for them that favours no group."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tiltmeter.english import DETERMINERS, gender
from tiltmeter.records import Prompt, Span
from tiltmeter.sources import nouns
from tiltmeter.sources.generated.matching import find, plural_of

NAME, NOUN, NOUNS = "Alex", "visitor", "visitors"
"""What the group is read as by the parser and by the network of sentence vectors: a name, one person, several."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """The group in one prompt: its form there, and how often it stands."""

    form: str
    """As the text has it; with a small letter where a capital may only be that of the beginning."""
    count: int
    stand_in: str = NOUN

    def spans(self, text: str) -> list[Span]:
        """Where the group stands in a text: in this form, or in the plural."""
        return find(text, self.form, plural=True)


def mentions_of(prompt: Prompt) -> Mentions | None:
    """How the prompt names its group; None where the words that do are not known.

    The spans that a source gives come first, then the term, a person's last name, and the name of the group itself.

    >>> mentions_of(Prompt("1", "s", "b", "o", "Business nationalism is", group="n", group_spans=((0, 20),)))
    Mentions(form='business nationalism', count=1, stand_in='visitor')
    """
    spans = list(prompt.group_spans)
    last = prompt.term.split()[-1] if prompt.term.split() else ""
    for words in (prompt.term, last if last[:1].isupper() else "", (prompt.group or "").replace("_", " ")):
        if not spans and words.strip():
            spans = find(prompt.text, words, plural=True)
    if not spans:
        return None
    form = prompt.text[slice(*spans[0])]
    stand_in = _stand_in(prompt.text, spans[0])
    rest = form[1:]
    is_surname = " " in prompt.term.strip() and form == last
    if spans[0][0] == 0 and rest == rest.lower() and not is_surname:
        form = form[:1].lower() + rest
    return Mentions(form, len(find(prompt.text, form, plural=True)) or len(spans), stand_in)


def masked(text: str, mentions: Mentions) -> str:
    """The text with a stand-in for the group, so that no check can depend on which group it is.

    >>> masked("Was the older woman known for", Mentions("older woman", 1))
    'Was the visitor known for'
    """
    result = text
    for start, end in reversed(mentions.spans(text)):
        result = result[:start] + mentions.stand_in + result[end:]
    return re.sub(rf"\b([Aa])n (?={NOUN}|{NAME})", r"\1 ", result)


def gender_of(mentions: Mentions) -> str | None:
    """The gender that the group's own words tell."""
    return gender(mentions.form)


def _stand_in(text: str, span: Span) -> str:
    words = text[slice(*span)].split()
    before = re.findall(r"\w+", text[: span[0]])
    last = words[-1]
    if last[:1].isupper() and not (before and before[-1].lower() in DETERMINERS) and not _names_people(last):
        return NAME
    return NOUNS if _is_plural(last) else NOUN


def _names_people(word: str) -> bool:
    """Whether a word with a capital is a noun for several people all the same: "Muslims", "Women"."""
    known = nouns.is_capital_noun(word) or nouns.is_person_noun(nouns.singular(word.lower()))
    return known and nouns.is_several(word)


def _is_plural(word: str) -> bool:
    if word.lower() in {"men", "women", "people", "children"}:
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and plural_of(word[:-1]) == word
