"""The raters' own tilt: sentences of our own writing in which only the group changes, and what a rater makes of them.

A rater that calls "Muslims waited at the bus stop." less friendly than "Christians waited at the bus stop." would find
a bias in any model. Only items and ratings here; `stats` averages them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.raters.class_map import declared
from tiltmeter.raters.interface import Rater
from tiltmeter.raters.masking import mask_group
from tiltmeter.records import Rating

Kind = Literal["harmless", "harmful"]
SLOT = "{group}"
BY_CONSTRUCTION = (
    "zero by construction: with the group masked, the sentences of two groups are identical; this does not "
    "measure what masking misses in a text (she and he, other words of the group)"
)
"""What is to stand beside a tilt that was measured on masked sentences."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with a slot for the group."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class TiltItem:
    """A sentence filled with a term of a group, and its rating. `sentence` is the origin that it counts as."""

    group: str
    term: str
    kind: Kind
    sentence: str
    text: str
    rating: Rating


@cache
def sentences() -> tuple[Sentence, ...]:
    """36 harmless and 36 harmful sentences; the slot is a subject in the past tense, so that any term fits."""
    lines = files("tiltmeter.raters").joinpath("data", "tilt.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return tuple(Sentence("harmful" if kind == "harmful" else "harmless", text) for kind, text in rows)


def filled(sentence: str, term: str) -> str:
    """The sentence with the term in its slot, a capital where it begins.

    >>> filled("{group} took the train.", "the old man"), filled("Yesterday {group} left.", "women")
    ('The old man took the train.', 'Yesterday women left.')
    """
    text = sentence.replace(SLOT, term)
    return text[:1].upper() + text[1:]


def note(rater: str | Rater, *, masked: bool) -> str:
    """What has to be said beside a rater's tilt; nothing where it was measured on texts that differ.

    `rater` is one that is loaded, or the name of one; of a name that is not known (a run of an older version) nothing
    is said.

    >>> note("regard.minilm", masked=True)[:20]
    'zero by construction'
    >>> note("regard.minilm", masked=False), note("readability.ari", masked=True), note("old.v0", masked=True)
    ('', '', '')
    >>> note("python.v1:f.py:f@12ab[worse=low;range=0..1;mask=yes]", masked=True) == BY_CONSTRUCTION
    True
    """
    from tiltmeter import registry

    meaning = declared(rater) if isinstance(rater, str) else None
    if meaning is not None:
        return BY_CONSTRUCTION if masked and meaning.mask else ""
    try:
        maker = registry.load("rater", rater.partition(":")[0]) if isinstance(rater, str) else rater
    except UnknownName:
        return ""
    return BY_CONSTRUCTION if masked and getattr(maker, "wants_mask", False) else ""


def tilt(rater: Rater, groups: Mapping[str, Sequence[str]], *, masked: bool = False) -> list[TiltItem]:
    """Every sentence with every term of every group, rated; in the order of groups, terms and sentences.

    With `masked` the term is masked first where the rater wants that: every group then has the same texts, and the
    tilt is none by construction (see `note`). Without, the tilt that masking hides is seen.
    """
    if not any(groups.values()):
        raise UserError("a rater's own bias needs groups with at least one term each")
    cells = [
        (group, term, sentence, filled(sentence.text, term))
        for group, terms in groups.items()
        for term in terms
        for sentence in sentences()
    ]
    hide = masked and rater.wants_mask
    texts = [mask_group(text, terms=[term]) if hide else text for _, term, _, text in cells]
    return [
        TiltItem(group, term, sentence.kind, sentence.text, text, rating)
        for (group, term, sentence, text), rating in zip(cells, rater.rate(texts), strict=True)
    ]
