"""The sentences that `regard.minilm.v2` is trained on: read, filled in, and told apart by where they come from."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from heads import sentences

from tiltmeter.raters.masking import MASK
from tiltmeter.raters.regard_labels import without_article

SLOT = re.compile(r"\[([^\[\]]*)\]")
PRONOUNS = {"he": ("he", "she"), "his": ("his", "her"), "him": ("him", "her"), "himself": ("himself", "herself")}
COUNTERPARTS = (
    ("he", "she"), ("himself", "herself"), ("man", "woman"), ("men", "women"), ("husband", "wife"), ("boy", "girl"),
    ("father", "mother"), ("brother", "sister"), ("son", "daughter"),
)  # fmt: skip
SWAPS = {a: b for pair in COUNTERPARTS for a, b in (pair, pair[::-1])} | {"his": "her", "him": "her", "hers": "his"}
# After these, "her" is an object: "he saw her and left", not "her coat".
AFTER_OBJECT = r" (?:to|and|in|on|at|for|with|from|by|as|that|when|was|is|had|an?|the)\b"
ONE = (
    "the woman", "the man", "the Black man", "the Black woman", "the white man", "the white woman", "the Muslim",
    "the Christian", "the Jewish man", "the Hindu woman", "the gay man", "the lesbian", "the straight man",
    "the Asian woman", "the Arab student", "the immigrant", "the old woman", "the young man", "the blind man",
    "the disabled woman", "the nurse", "the lawyer", "the plumber", "the poor man", "the trans woman", "Keisha",
    "Emily", "Jamal", "Greg", "Mohammed",
)  # fmt: skip
MANY = (
    "women", "men", "Black people", "white people", "Muslims", "Christians", "Jews", "Hindus", "gay people",
    "straight people", "Asians", "Arabs", "immigrants", "old people", "young people", "disabled people", "nurses",
    "lawyers",
)  # fmt: skip
OF_MANY = re.compile(
    rf"{MASK} (?:are|have|were|do|make|should|bring|only|behave|deserve|celebrate)\b|say that {MASK}|like {MASK}"
)


@dataclass(frozen=True)
class Row:
    """A labelled text. Rows of one origin (a pattern, an opener) are never on both sides of a fold."""

    label: str
    kind: str
    """ "own", "pattern" or "models": written as it stands, filled in, or written by a small model."""
    origin: str
    text: str

    @property
    def fold(self) -> int:
        """One of five, by a hash of the origin."""
        return int(hashlib.sha256(f"{self.origin} fold".encode()).hexdigest(), 16) % 5


def training_rows() -> list[Row]:
    """Everything that regard is trained on, each text once."""
    rows = [Row(row.label, "own", row.text, row.text) for row in sentences("regard") if row.part == "train"]
    for number, pattern in enumerate(sentences("regard_patterns")):
        rows += [Row(pattern.label, "pattern", pattern.text, text) for text in filled(pattern.text, number)]
    for row in sentences("regard_models"):
        rows.append(Row(row.label, "models", row.theme.partition(": ")[2], row.text))
    return list({row.text: row for row in reversed(rows)}.values())[::-1]


def filled(pattern: str, number: int) -> list[str]:
    """The sentences of a pattern: the first alternatives of all slots, the second, …; he and she take turns.

    >>> filled("XYZ [hit|thanked] @his [dog|aunt|boss].", 0)
    ['XYZ hit his dog.', 'XYZ thanked her aunt.', 'XYZ hit his boss.']
    """
    slots = [match[1].split("|") for match in SLOT.finditer(pattern)]
    made = []
    for turn in range(max(map(len, slots), default=1)):
        left = iter(slots)
        text = SLOT.sub(lambda _, left=left, turn=turn: (one := next(left))[turn % len(one)], pattern)
        who = (number + turn) % 2
        text = re.sub(r"@(\w+)", lambda match, who=who: _like(match[1], PRONOUNS[match[1].lower()][who]), text)
        made.append(text.strip())
    return made


def swapped(text: str) -> str:
    """The text about the other gender, as far as single words tell.

    >>> swapped("She gave her brother his coat and thanked her.")
    'He gave his sister her coat and thanked him.'
    """

    def other(match: re.Match[str]) -> str:
        word = match[0].lower()
        if word == "her":
            after = text[match.end() :]
            owner = re.match(r" [a-z]", after) and not re.match(AFTER_OBJECT, after)
            return _like(match[0], "his" if owner else "him")
        return _like(match[0], SWAPS[word])

    return re.sub(rf"\b(?:her|{'|'.join(SWAPS)})\b", other, text, flags=re.IGNORECASE)


def named(
    text: str, chance: random.Random, one: Sequence[str] = ONE, many: Sequence[str] = MANY
) -> tuple[str, list[tuple[int, int]]]:
    """The text with some group in the place of XYZ, and where it stands: as if masking had missed it."""
    term = chance.choice(many if OF_MANY.search(text) else one)
    made, spans = "", []
    for number, part in enumerate(text.split(MASK)):
        if number:
            begins = not made or made.endswith((". ", "\n", '"'))
            word = term[0].upper() + term[1:] if begins else term
            spans.append((len(made), len(made) + len(word)))
            made += word
        made += part
    return made, spans


def variants(row: Row, chance: random.Random) -> list[tuple[str, list[tuple[int, int]]]]:
    """The text as it is, about the other gender, and with a group that is named; and where XYZ stands in each."""
    text = without_article(row.text)
    spans = [[match.span() for match in re.finditer(MASK, one)] for one in (text, swapped(text))]
    return [(text, spans[0]), (swapped(text), spans[1]), named(text, chance)]


def _like(word: str, other: str) -> str:
    return other.capitalize() if word[0].isupper() else other
