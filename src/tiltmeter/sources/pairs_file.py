"""Source `pairs-file`: pairs, or sentences to be made into pairs, that the user already has: CSV or JSON lines.

Six layouts are known: written sentences (ours, an annotator's sheet, AutoBiasTest's), whose counterparts are made anew;
`sentence_1, sentence_2`; `template` (with `[T]` or `[MASK]`) with `term_1, term_2`; a written `sentence` with `term_1`,
which is in it, and `term_2`, which is put in its place with everything that agrees; AutoBiasTest's pairs (`group,
group_term, template, att_term_1, att_term_2, label_1, label_2`, where `group` names the bias, `group_term` holds the
attribute and `att_term_*` the group terms); and BiasTestGPT's, which add the finished sentences `sent_att_1,
sent_att_2`. Finished sentences and templates are taken to the letter. In the logs of other programs, two fields that
hold variants of one sentence are found by what they hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypedDict

from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Pair, Span, Spec, Structure
from tiltmeter.sources.cells import cells_of, refuse_objects, text_of
from tiltmeter.sources.differences import differences
from tiltmeter.sources.generated.sentence_files import as_written, is_sentence_table
from tiltmeter.sources.generated.sentence_pairs import PAIR_COLUMNS, sentence_pairs
from tiltmeter.sources.pair_logs import pair_fields
from tiltmeter.sources.slots import replaced
from tiltmeter.sources.structure_columns import structure_of
from tiltmeter.sources.swap import Unswapped, swap
from tiltmeter.sources.tables import open_table, read_objects

_SLOT = re.compile(r"\[(?:T|MASK)\]")
_OTHER_SLOT = re.compile(r"\[[A-Z]+\]")
_LABELS = {
    **dict.fromkeys(("stereotype", "stereotyped", "stereo"), "stereotype"),
    **dict.fromkeys(("antistereotype", "antistereotyped", "antistereo"), "anti"),
    **dict.fromkeys(("", "neutral", "control", "unrelated", "none"), ""),
}
"""Labels as files write them, without hyphens and underscores, and what they mean; blank is neither."""
OPTIONAL = ("bias", "attribute", "attribute_set", "origin", "group_1", "group_2")
"""Columns that a file may lack."""
NEUTRAL = "something"
"""What stands in for the attribute where a score without it is wanted and no spec says better."""


@dataclass(frozen=True, slots=True)
class PairLine:
    """A line of the file and the pair it holds, or the reason why it holds none."""

    cells: Mapping[str, str]
    line: int
    pair: Pair | None
    reason: str | None = None
    left_out: bool = False
    """Whether somebody struck the row, so that it is no part of the test."""


@dataclass(frozen=True, slots=True)
class Table:
    """A pair file: its columns as given, with those of the pairs that were made, and its rows."""

    columns: tuple[str, ...]
    rows: tuple[PairLine, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Why rows are no part of the test, and how many."""


def read(path: str | Path, specs: Sequence[Spec] = ()) -> Table:
    """Read a pair file, or a file of written sentences; a row that holds no usable pair is kept, with its reason.

    `specs` are those in which the biases of sentences are looked up, where the file does not say what is needed.
    """
    columns, lines = _opened(path)
    every = list(_rows(path, columns, lines, specs))
    further = PAIR_COLUMNS if _layout(columns) is None else ()
    return Table(
        (*columns, *(name for name in further if name not in columns)),
        tuple(row for row in every if not row.left_out),
        Counter(row.reason or "" for row in every if row.left_out),
    )


def pairs(path: str | Path, *, specs: Sequence[Spec] = ()) -> tuple[list[Pair], list[Dropped]]:
    """The pairs of a file, and the rows that hold none."""
    made = list(stream(path, specs=specs))
    return [one for one in made if isinstance(one, Pair)], [one for one in made if isinstance(one, Dropped)]


def stream(path: str | Path, *, specs: Sequence[Spec] = ()) -> Iterator[Pair | Dropped]:
    """The same one by one, in their order: for files that may be very long."""
    for row in _rows(path, *_opened(path), specs):
        if row.pair is not None:
            yield row.pair
        else:
            yield Dropped(Path(path).stem, f"line {row.line}", " | ".join(row.cells.values()), row.reason or "")


def _opened(path: str | Path) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """The columns and rows; of a log whose fields have other names, with those of a pair file beside them."""
    columns, rows = open_table(path)
    if _layout(columns) is not None:
        return columns, rows
    if is_sentence_table(columns):
        return columns, as_written(path, columns, rows)
    objects = read_objects(path)
    fields = pair_fields([value for _, value in objects])
    if fields is None:
        raise InvalidData(
            f"no pairs in the columns {', '.join(f'`{column}`' for column in columns)}: the file needs "
            "`sentence_1` and `sentence_2`, or `template` (or `sentence`) with `term_1` and `term_2`, or written "
            "sentences with `bias`, `term`, `attribute` and `text`",
            file=path,
            line=1,
        )
    made = [(line, cells_of(value, path, line) | fields.cells(value)) for line, value in objects]
    return list(dict.fromkeys(name for _, cells in made for name in cells)), iter(made)


def _rows(
    path: str | Path, columns: list[str], lines: Iterable[tuple[int, dict[str, str]]], specs: Sequence[Spec]
) -> Iterator[PairLine]:
    layout, name, number = _layout(columns), Path(path).stem, 0
    if layout is None:
        for made in sentence_pairs(path, columns, lines, specs):
            number += 1
            yield PairLine(made.cells, made.line, made.pair, made.reason, made.left_out)
    else:
        texts, named = layout.texts(columns), "structure" if "structure" in columns else None
        for number, (line, cells) in enumerate(lines, start=1):
            for text in texts:
                text_of(cells, text, path, line)
            refuse_objects(cells, OPTIONAL)
            form = structure_of(cells, cells[texts[0]], named, path, line)
            pair = _pair(cells, layout, f"{name}/{number}", stereotyped(cells, path, line), form)
            yield PairLine(cells, line, None, pair) if isinstance(pair, str) else PairLine(cells, line, pair)
    if not number:
        raise InvalidData("the file has a header and no rows", file=path)


def bias_column(columns: Sequence[str]) -> str | None:
    """The column that names the bias; AutoBiasTest's `group` does beside its `group_term`, and only there.

    >>> bias_column(["group", "group_term"]), bias_column(["group", "sentence_1"])
    ('group', None)
    """
    usual = [name for name in ("bias", "Bias Name", "bias_name") if name in columns]
    return usual[0] if usual else "group" if {"group", "group_term"} <= {*columns} else None


def attribute_column(columns: Sequence[str]) -> str | None:
    """The column that holds the attribute; AutoBiasTest's `group_term` does beside its `group`, and only there."""
    usual = [name for name in ("attribute", "Attribute word") if name in columns]
    return usual[0] if usual else "group_term" if {"group", "group_term"} <= {*columns} else None


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns hold the two texts, or what they are made of, and which the labels."""

    sentences: tuple[str, str] | None
    terms: tuple[str, str] | None
    bias: str | None
    attribute: str | None

    def texts(self, columns: Sequence[str]) -> list[str]:
        """The columns that hold texts."""
        known = (*(self.sentences or ()), *(self.terms or ()), "template", "sentence")
        return [name for name in known if name in columns]


def _layout(columns: Sequence[str]) -> _Layout | None:
    """Where the columns hold pairs; None where they hold none, but perhaps sentences."""

    def both(first: str, second: str) -> tuple[str, str] | None:
        return (first, second) if first in columns and second in columns else None

    sentences = both("sent_att_1", "sent_att_2") or both("sentence_1", "sentence_2")
    terms = both("att_term_1", "att_term_2") or both("term_1", "term_2")
    if sentences is None and not (terms and {"template", "sentence"} & {*columns}):
        return None
    return _Layout(sentences, terms, bias_column(columns), attribute_column(columns))


def _pair(
    cells: Mapping[str, str], layout: _Layout, name: str, target: Literal[0, 1] | None, form: Structure | None = None
) -> Pair | str:
    terms = (cells[layout.terms[0]].strip(), cells[layout.terms[1]].strip()) if layout.terms else ("", "")
    made = _texts(cells, layout, terms)
    if isinstance(made, str):
        return made
    texts, group_spans = made
    if texts[0] == texts[1]:
        return "the two sentences are the same"
    file, _, number = name.rpartition("/")
    attribute = (layout.attribute and cells[layout.attribute].strip()) or None
    return Pair(
        id=name,
        source="pairs-file.v1",
        bias=(layout.bias and cells[layout.bias].strip()) or file,
        origin=attribute or cells.get("origin", "").strip() or f"row {number}",
        texts=texts,
        groups=_groups(cells, terms),
        terms=terms,
        stereotyped=target,
        attribute=attribute,
        attribute_set=cells.get("attribute_set", "").strip() or None,
        template=cells.get("template") or None,
        structure=form,
        group_spans=group_spans,
        **attribute_in(texts, group_spans, attribute),
    )


_Texts = tuple[tuple[str, str], tuple[tuple[Span, ...], tuple[Span, ...]]]
"""Two texts, and where in each the group is named."""


def _texts(cells: Mapping[str, str], layout: _Layout, terms: tuple[str, str]) -> _Texts | str:
    if layout.sentences:
        texts = (cells[layout.sentences[0]].strip(), cells[layout.sentences[1]].strip())
        if all(texts):
            return texts, differences(*texts)
        if not (layout.terms and "template" in cells):
            return "a sentence is empty"
    if not all(terms):
        return "a group term is empty"
    return _filled(cells["template"].strip(), terms) if "template" in cells else _swapped(cells["sentence"], terms)


def _swapped(sentence: str, terms: tuple[str, str]) -> _Texts | str:
    written = sentence.strip()
    swapped = swap(written, *terms)
    if isinstance(swapped, Unswapped):
        return swapped.reason
    return (written, swapped.text), (swapped.original_spans, swapped.spans)


def _filled(template: str, terms: tuple[str, str]) -> _Texts | str:
    if not _SLOT.search(template):
        return "the template has no [T] or [MASK]"
    other = next((slot for slot in _OTHER_SLOT.findall(template) if not _SLOT.fullmatch(slot)), None)
    if other:
        return f"the row has no text for {other} in the template"
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


class AttributeParts(TypedDict, total=False):
    """The fields of a pair that an attribute fills."""

    attribute_spans: tuple[tuple[Span, ...], tuple[Span, ...]]
    neutral_texts: tuple[str, str]


def attribute_in(
    texts: tuple[str, str],
    group_spans: tuple[tuple[Span, ...], tuple[Span, ...]],
    attribute: str | None,
    neutral: str = NEUTRAL,
) -> AttributeParts:
    """Where the attribute stands, and the texts without it; nothing where it is not in both outside the group term."""
    if not attribute:
        return {}
    pattern = _standing_alone(attribute)
    first, second = (tuple([match.span() for match in pattern.finditer(text)]) for text in texts)
    for found, spans in ((first, group_spans[0]), (second, group_spans[1])):
        if not found or any(start < end and begin < stop for start, stop in found for begin, end in spans):
            return {}
    return {
        "attribute_spans": (first, second),
        "neutral_texts": (replaced(texts[0], first, neutral), replaced(texts[1], second, neutral)),
    }


@lru_cache(maxsize=10_000)
def _standing_alone(attribute: str) -> re.Pattern[str]:
    """What finds an attribute as a word, or as words."""
    # Hyphenated professions are often written with a space in the sentence.
    words = r"[- ]".join(map(re.escape, re.split(r"[- ]", attribute)))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _groups(cells: Mapping[str, str], terms: tuple[str, str]) -> tuple[str, str]:
    return (
        cells.get("group_1", "").strip() or terms[0] or "sentence 1",
        cells.get("group_2", "").strip() or terms[1] or "sentence 2",
    )


def stereotyped(
    cells: Mapping[str, str], path: str | Path | None = None, line: int | None = None
) -> Literal[0, 1] | None:
    """Which of the two texts of a row is labelled as the stereotyped one; None where neither is.

    >>> stereotyped({"label_1": "anti-stereotype", "label_2": "stereotype"})
    1
    """
    given = cells.get("label_1", "").strip(), cells.get("label_2", "").strip()
    labels = [_LABELS.get(label.lower().replace("-", "").replace("_", "")) for label in given]
    if labels == ["", ""]:
        return None
    if None in labels or labels[0] == labels[1]:
        raise InvalidData(
            f"the labels are {given[0]!r} and {given[1]!r}; write `stereotype` and `anti-stereotype`, or leave "
            "both blank for a control",
            file=path,
            line=line,
            key="label_1, label_2",
        )
    return 0 if labels[0] == "stereotype" or labels[1] == "anti" else 1
