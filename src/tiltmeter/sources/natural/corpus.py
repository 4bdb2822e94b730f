"""Corpora that users have: BOLD's full sentences, plain text, JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_text
from tiltmeter.sources.datasets.json_files import read_json, read_json_lines
from tiltmeter.sources.natural.cleaning import is_item, split
from tiltmeter.sources.tables import kind_of

_TEXT = ("text", "sentence", "content")
_TITLE = ("title", "profession", "article")
_WIDEST = 140
"""Characters that a line has at most where lines are broken to a width."""
_SENTENCES = -1
"""In place of a width: every line is a sentence."""
_MOST = 0.8
_MANY = 0.6
_ENDS = re.compile(r"[.!?:][\"'”’)]*$")
_STARTS_SMALL = re.compile(r"[a-z]|\d+(?![.)\d])|[,;)]")
_TABLES = frozenset({".csv", ".tsv", ".parquet", ".xlsx", ".xls", ".ods"})


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence of a corpus: where it stands, the article it is from, and its text.

    A text of the corpus that holds several sentences becomes several of these, their places numbered. An article
    without a sentence is one with a blank text: it has its row in the account all the same.
    """

    place: str
    article: str
    text: str


def read_corpus(path: str | Path, *, field: str | None = None) -> list[Passage]:
    """The sentences of a corpus, in its order; what it holds says which kind it is.

    JSON: categories of articles of sentences, as in BOLD's `profession_wiki.json`. JSON lines: one object a line, its
    text under `field` (or `text`, `sentence`, `content`), its title where it has one. Anything else: plain text.
    """
    kind, suffix = kind_of(path), Path(path).suffix.lower()
    if kind == "parquet" or (kind == "csv" and suffix in _TABLES):
        raise InvalidData(
            "a table is not a corpus; give plain text, JSON lines with a field of text (.jsonl), or BOLD's "
            "profession_wiki.json; a table of prompts goes to `tiltmeter next-words --prompts`",
            file=path,
        )
    if kind == "json":
        found = list(_articles(path))
    elif kind == "json-lines":
        found = list(_lines(path, field))
    else:
        found = list(_paragraphs(path))
    passages = [passage for place, article, text in found for passage in _passages(place, article, text)]
    if not any(passage.text for passage in passages):
        raise InvalidData("it has no sentences", file=path)
    return passages


def _passages(place: str, article: str, text: str) -> Iterator[Passage]:
    sentences = split(text)
    if not sentences and article:
        yield Passage(place, article, "")
    for number, sentence in enumerate(sentences):
        yield Passage(place if len(sentences) == 1 else f"{place}.{number + 1}", article, sentence)


def _articles(path: str | Path) -> Iterator[tuple[str, str, str]]:
    content = read_json(path)
    wrong = InvalidData(
        "not a corpus that can be read: an object of categories, each an object of articles, each a list of sentences",
        file=path,
    )
    if not isinstance(content, dict):
        raise wrong
    for category, articles in content.items():
        if not isinstance(articles, dict):
            raise wrong
        for article, sentences in articles.items():
            if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
                raise wrong
            # One without sentences is an article all the same.
            for number, sentence in enumerate(sentences or [""]):
                yield f"{category}/{article}/{number}", article.replace("_", " "), sentence


def _paragraphs(path: str | Path) -> Iterator[tuple[str, str, str]]:
    paragraphs = [
        [" ".join(line.split()) for line in paragraph.splitlines() if line.strip()]
        for paragraph in re.split(r"\n\s*\n", read_text(path))
    ]
    width = _width(paragraphs)
    for number, lines in enumerate(paragraphs, start=1):
        yield f"paragraph {number}", "", "\n".join(_joined(lines, width))


def _width(paragraphs: Sequence[Sequence[str]]) -> int:
    """The width to which a text is broken into lines; 0 where its lines are not broken to one, or are sentences.

    A text is broken to a width if nearly no line had room for the first word of the next; its lines are sentences if
    it is not and most of them end as one.
    """
    breaks = [pair for lines in paragraphs for pair in pairwise(lines)]
    width = max((len(line) for lines in paragraphs for line in lines), default=0)
    full = sum(_is_full(*pair, width) for pair in breaks)
    if breaks and width <= _WIDEST and full >= _MOST * len(breaks):
        return width
    ended = sum(_ENDS.search(line) is not None for line, _ in breaks)
    return _SENTENCES if ended > _MANY * len(breaks) else 0


def _is_full(line: str, following: str, width: int) -> bool:
    return len(line) + 1 + len(following.split(" ", maxsplit=1)[0]) > width


def _goes_on(line: str, following: str, width: int) -> bool:
    if is_item(following):
        return False
    if width > 0 and _is_full(line, following, width):
        return True
    return width != _SENTENCES and _STARTS_SMALL.match(following) is not None


def _joined(lines: Sequence[str], width: int) -> Iterator[str]:
    """Lines as they were before they were broken: one goes on in the next if it was full or that starts small."""
    held = ""
    for place, line in enumerate(lines):
        before = lines[place - 1] if place else ""
        goes_on = bool(before) and _goes_on(before, line, width)
        if held and not goes_on:
            yield held
            held = ""
        held = f"{held} {line}".strip()
    if held:
        yield held


def _lines(path: str | Path, field: str | None) -> Iterator[tuple[str, str, str]]:
    for line, value in read_json_lines(path):
        key = field or next((name for name in _TEXT if name in value), None)
        if key is None or key not in value:
            raise InvalidData(f"has nothing under `{field or 'text'}`; name the field", file=path, line=line)
        yield f"line {line}", _title(value), _text(value, key, line, path)


def _title(value: Mapping[str, Any]) -> str:
    given: str = next((value[name] for name in _TITLE if isinstance(value.get(name), str)), "")
    return given.replace("_", " ").strip()


def _text(value: Mapping[str, Any], key: str, line: int, path: str | Path) -> str:
    text = value[key]
    if not isinstance(text, str):
        raise InvalidData(f"must be text, not {text!r:.40}", file=path, line=line, key=key)
    return text
