"""Corpora that users have: BOLD's full sentences, plain text, JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_text
from tiltmeter.sources.datasets.json_files import read_json, read_json_lines
from tiltmeter.sources.natural.cleaning import split
from tiltmeter.sources.tables import kind_of

_TEXT = ("text", "sentence", "content")
_TITLE = ("title", "profession", "article")
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
    # Lines may be broken anywhere: an empty one ends a paragraph.
    for number, paragraph in enumerate(re.split(r"\n\s*\n", read_text(path)), start=1):
        yield f"paragraph {number}", "", " ".join(paragraph.split())


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
