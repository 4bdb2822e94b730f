"""Source `pairs-file`: pairs that the user already has, as a CSV file.

Four layouts are taken as they are: `sentence_1, sentence_2`; `template` (with `[T]` or `[MASK]`) with
`term_1, term_2`; AutoBiasTest's (`group, group_term, template, att_term_1, att_term_2, label_1, label_2`, where
`group` names the bias, `group_term` holds the attribute and `att_term_*` the group terms); and BiasTestGPT's,
which adds the finished sentences `sent_att_1, sent_att_2`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_csv
from tiltmeter.records import Dropped, Pair, Span
from tiltmeter.sources.differences import differences

_SLOT = re.compile(r"\[(?:T|MASK)\]")
_OTHER_SLOT = re.compile(r"\[[A-Z]+\]")
_STEREOTYPED = {"stereotype", "stereotyped", "stereo"}
_ANTI = {"anti-stereotype", "antistereotype", "anti-stereotyped", "anti_stereotype", "antistereo"}
NEUTRAL = "something"
"""What stands in for the attribute where a score without it is wanted and no spec says better."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the file and the pair it holds, or the reason why it holds none."""

    cells: Mapping[str, str]
    number: int
    pair: Pair | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A pair file: its columns as given, and its rows."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def read(path: str | Path) -> Table:
    """Read a pair file; a row that holds no usable pair is kept, with its reason."""
    columns, lines = read_csv(path)
    layout = _layout(columns, path)
    name = Path(path).stem
    rows = []
    for number, cells in enumerate(lines, start=1):
        made = _pair(cells, layout, name, number)
        rows.append(Row(cells, number, None, made) if isinstance(made, str) else Row(cells, number, made))
    return Table(tuple(columns), tuple(rows))


def pairs(path: str | Path) -> tuple[list[Pair], list[Dropped]]:
    """The pairs of a file, and the rows that hold none."""
    table = read(path)
    dropped = [
        Dropped(Path(path).stem, f"row {row.number}", " | ".join(row.cells.values()), row.reason)
        for row in table.rows
        if row.reason is not None
    ]
    return [row.pair for row in table.rows if row.pair is not None], dropped


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns hold the two texts (or the template and its two terms), and which the labels."""

    sentences: tuple[str, str] | None
    terms: tuple[str, str] | None
    bias: str | None
    attribute: str | None


def _layout(columns: list[str], path: str | Path) -> _Layout:
    def both(first: str, second: str) -> tuple[str, str] | None:
        return (first, second) if first in columns and second in columns else None

    sentences = both("sent_att_1", "sent_att_2") or both("sentence_1", "sentence_2")
    terms = both("att_term_1", "att_term_2") or both("term_1", "term_2")
    if sentences is None and not ("template" in columns and terms):
        raise InvalidData(
            f"no pairs in the columns {', '.join(f'`{column}`' for column in columns)}: needed are `sentence_1` and "
            "`sentence_2`, or `template` with `term_1` and `term_2` (or AutoBiasTest's `att_term_1` and `att_term_2`)",
            file=path,
            line=1,
        )
    # AutoBiasTest's `group` is the bias and its `group_term` the attribute; alone, `group` means something else.
    published = "group" in columns and "group_term" in columns
    bias = "bias" if "bias" in columns else "group" if published else None
    attribute = "attribute" if "attribute" in columns else "group_term" if published else None
    return _Layout(sentences, terms, bias, attribute)


def _pair(cells: Mapping[str, str], layout: _Layout, file: str, number: int) -> Pair | str:
    terms = (cells[layout.terms[0]].strip(), cells[layout.terms[1]].strip()) if layout.terms else ("", "")
    made = _texts(cells, layout, terms)
    if isinstance(made, str):
        return made
    texts, group_spans = made
    if texts[0] == texts[1]:
        return "the two sentences are the same"
    bias = (layout.bias and cells[layout.bias].strip()) or file
    attribute = (layout.attribute and cells[layout.attribute].strip()) or None
    return Pair(
        id=f"{file}/{number}",
        source="pairs-file.v1",
        bias=bias,
        origin=attribute or cells.get("origin", "").strip() or f"row {number}",
        texts=texts,
        groups=_groups(cells, terms),
        terms=terms,
        stereotyped=stereotyped(cells),
        attribute=attribute,
        attribute_set=cells.get("attribute_set", "").strip() or None,
        template=cells.get("template") or None,
        group_spans=group_spans,
        **_attribute_in(texts, group_spans, attribute),
    )


def _texts(
    cells: Mapping[str, str], layout: _Layout, terms: tuple[str, str]
) -> tuple[tuple[str, str], tuple[tuple[Span, ...], tuple[Span, ...]]] | str:
    if layout.sentences:
        texts = (cells[layout.sentences[0]].strip(), cells[layout.sentences[1]].strip())
        if all(texts):
            return texts, differences(*texts)
        if not ("template" in cells and layout.terms):
            return "a sentence is empty"
    template = cells["template"].strip()
    if not _SLOT.search(template):
        return "the template has no [T] or [MASK]"
    if not all(terms):
        return "a group term is empty"
    other = next((slot for slot in _OTHER_SLOT.findall(template) if not _SLOT.fullmatch(slot)), None)
    if other:
        return f"nothing in the row says what {other} in the template stands for"
    first, second = (_fill(template, term) for term in terms)
    return (first[0], second[0]), (first[1], second[1])


def _fill(template: str, term: str) -> tuple[str, tuple[Span, ...]]:
    """Put a term into every slot, to the letter: a file that someone else made is scored as it is."""
    parts = _SLOT.split(template)
    text, spans = parts[0], []
    for part in parts[1:]:
        spans.append((len(text), len(text) + len(term)))
        text += term + part
    return text, tuple(spans)


class _AttributeParts(TypedDict, total=False):
    attribute_spans: tuple[tuple[Span, ...], tuple[Span, ...]]
    neutral_texts: tuple[str, str]


def _attribute_in(
    texts: tuple[str, str], group_spans: tuple[tuple[Span, ...], tuple[Span, ...]], attribute: str | None
) -> _AttributeParts:
    """Where the attribute stands, and the texts without it; nothing where it is not in both outside the group term."""
    if not attribute:
        return {}
    # Hyphenated professions are often written with a space in the sentence.
    words = r"[- ]".join(map(re.escape, re.split(r"[- ]", attribute)))
    pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    first, second = (tuple(match.span() for match in pattern.finditer(text)) for text in texts)
    for found, spans in ((first, group_spans[0]), (second, group_spans[1])):
        if not found or any(start < end and begin < stop for start, stop in found for begin, end in spans):
            return {}
    return {
        "attribute_spans": (first, second),
        "neutral_texts": (pattern.sub(NEUTRAL, texts[0]), pattern.sub(NEUTRAL, texts[1])),
    }


def _groups(cells: Mapping[str, str], terms: tuple[str, str]) -> tuple[str, str]:
    return (
        cells.get("group_1", "").strip() or terms[0] or "sentence 1",
        cells.get("group_2", "").strip() or terms[1] or "sentence 2",
    )


def stereotyped(cells: Mapping[str, str]) -> Literal[0, 1] | None:
    """Which of the two texts of a row is labelled as the stereotyped one.

    >>> stereotyped({"label_1": "anti-stereotype", "label_2": "stereotype"})
    1
    """
    labels = (cells.get("label_1", "").strip().lower(), cells.get("label_2", "").strip().lower())
    if labels[0] in _STEREOTYPED and labels[1] not in _STEREOTYPED:
        return 0
    if labels[1] in _STEREOTYPED and labels[0] not in _STEREOTYPED:
        return 1
    if labels[0] in _ANTI and labels[1] not in _ANTI:
        return 1
    if labels[1] in _ANTI and labels[0] not in _ANTI:
        return 0
    return None
