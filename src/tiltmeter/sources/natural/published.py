"""Files of natural prompts as Alnegheimish, Guo & Sun (2022) publish theirs: one JSON object, profession → prompt.

`{"silversmith": "A {} is a person who crafts objects from silver where"}`. The profession goes where `{}` stands, and
nothing else is changed: files of others are scored literally.
"""

from __future__ import annotations

from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Prompt, Span
from tiltmeter.sources.datasets.json_files import read_json
from tiltmeter.sources.profession_templates import BIAS, PUBLISHED
from tiltmeter.sources.tables import kind_of
from tiltmeter.sources.word_sets import BUILT_IN

NO_PLACE = "it has no {} for the profession"


def is_published(path: str | Path) -> bool:
    """Whether a file is one object of prompts, most of which have a place for the profession."""
    if kind_of(path) != "json":
        return False
    content = read_json(path)
    texts = [*content.values()] if isinstance(content, dict) else []
    return bool(texts) and all(isinstance(text, str) for text in texts) and any(PUBLISHED in text for text in texts)


def published(path: str | Path, source: str) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of such a file; one without a place for its profession is dropped."""
    made: list[Prompt] = []
    dropped: list[Dropped] = []
    for name, text in read_json(path).items():
        profession = " ".join(name.split())
        if not profession:
            raise InvalidData("a profession has no name", file=path)
        if PUBLISHED not in text:
            dropped.append(Dropped(BIAS, profession, text, NO_PLACE))
            continue
        filled, spans = fill(text.rstrip(), profession)
        made.append(
            Prompt(
                id=f"{BIAS}/{profession}",
                source=source,
                bias=BIAS,
                origin=profession,
                text=filled,
                word_sets=BUILT_IN["pronouns"],
                attribute=profession,
                template=profession,
                subject_spans=spans,
                status="natural",
            )
        )
    return made, dropped


def fill(text: str, profession: str) -> tuple[str, tuple[Span, ...]]:
    """A text with the profession in its place, and where that is.

    >>> fill("A {} is a person", "cook")
    ('A cook is a person', ((2, 6),))
    """
    spans: list[Span] = []
    first, *rest = text.split(PUBLISHED)
    filled = first
    for part in rest:
        spans.append((len(filled), len(filled) + len(profession)))
        filled += profession + part
    return filled, tuple(spans)
