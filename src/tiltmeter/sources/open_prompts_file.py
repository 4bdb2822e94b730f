"""Prompts of a table that leave open whom the next word is about: CSV, JSON lines or Parquet with a column of texts.

Beside `text` (or `prompt`) a table may say `profession` (or `origin`), `template` (or `structure`), `structure` (with
`kind`, `family` and `skeleton`), `id`, `status`
(authored, natural or template), and where the profession is: `subject_start` and `subject_end`, as characters, several
as "2;30" and "7;35"; or `subject`, the words as they stand in the text. Without either the profession is looked for in
the text, where it is a noun as far as can be seen: in "The cook may cook" once. What is called `origin` need not be a
profession: there it is `term` that is looked for, where the table has it, and only as a noun.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from tiltmeter.english import FUNCTION_WORDS, starts_sentence
from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Prompt, Span
from tiltmeter.sources.cells import refuse_objects, text_of
from tiltmeter.sources.languages import is_english
from tiltmeter.sources.noun_places import LEADS, noun_place
from tiltmeter.sources.nouns import is_several
from tiltmeter.sources.profession_templates import BIAS
from tiltmeter.sources.structure_columns import structure_of
from tiltmeter.sources.tables import NumberedRow, column, open_table
from tiltmeter.sources.word_sets import BUILT_IN, WordSets

Status = Literal["authored", "natural", "template", ""]

_SOURCE = "open-prompts-file.v1"
_BETWEEN = ";"
# Scripts that put no spaces between words.
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
_WORDS_BEFORE = re.compile(r"[\w'’-]+")
_BESIDE = re.compile(r"[\w'’]\s+[\"'“‘(]*$")
_NEAR = 200
"""Characters before a noun in which the words are looked for that lead it in."""
_USUAL = {
    "text": ("text", "prompt"),
    "profession": ("profession", "origin"),
    "template": ("template", "structure"),
    "id": ("id",),
    "subject": ("subject",),
    "status": ("status",),
}


@dataclass(frozen=True, slots=True)
class OpenColumns:
    """Which columns hold what; None: the usual name, where there is such a column."""

    text: str | None = None
    profession: str | None = None
    template: str | None = None
    id: str | None = None
    subject: str | None = None
    status: str | None = None


def prompts(
    path: str | Path,
    *,
    text: str | None = None,
    profession: str | None = None,
    template: str | None = None,
    id: str | None = None,
    subject: str | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a table for a study; the options name its columns, and the words are the pronouns unless told."""
    return read(path, BUILT_IN["pronouns"], OpenColumns(text, profession, template, id, subject))


def stream(path: str | Path, *, seed: int = 0, **options: str | None) -> Iterator[Prompt | Dropped]:
    """The same one by one, with the same options: for tables that may be very long.

    Whether an id stands twice is left to whoever reads them all.
    """
    return _made(path, BUILT_IN["pronouns"], OpenColumns(**options))


def read(path: str | Path, words: WordSets, columns: OpenColumns | None = None) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a table; a row without text is dropped with the reason."""
    every = list(_made(path, words, columns or OpenColumns()))
    made = [one for one in every if isinstance(one, Prompt)]
    doubled = [name for name, count in Counter(prompt.id for prompt in made).items() if count > 1]
    if doubled:
        raise InvalidData(f"the id `{doubled[0]}` is used more than once", file=path)
    return made, [one for one in every if isinstance(one, Dropped)]


def _made(path: str | Path, words: WordSets, columns: OpenColumns) -> Iterator[Prompt | Dropped]:
    header, rows = open_table(path)
    names = _names(header, columns, path)
    given, number = _given(path, names["id"]), 0
    # Prompts about professions answer the same question as ours, and are reported beside them.
    bias = BIAS if names["profession"] == "profession" or columns.profession else Path(path).stem
    for number, row in enumerate(rows, start=1):
        refuse_objects(row[1], ("profession", "template", "id", "subject"))
        cells = {what: row[1][name].strip() if name else "" for what, name in names.items() if what != "text"}
        # A line break at the end stays: what comes after it stands without a space.
        text = text_of(row[1], names["text"] or "", path, row[0]).rstrip(" \t")
        profession = cells["profession"] or f"row {number}"
        if not text.strip():
            reason = f"line {row[0]}: nothing under `{names['text']}`"
            yield Dropped(bias, profession, text, reason)
            continue
        yield Prompt(
            id=cells["id"] or _number(number, given),
            source=_SOURCE,
            bias=bias,
            origin=profession,
            text=text,
            word_sets=words,
            attribute=cells["profession"] or None,
            template=cells["template"] or None,
            structure=structure_of(row[1], text, "structure" if "structure" in header else None, path, row[0]),
            subject_spans=_spans(text, cells, names["profession"], row, path),
            status=_status(cells["status"], row, path),
        )
    if not number:
        raise InvalidData("the file has a header and no rows", file=path)


def _given(path: str | Path, name: str | None) -> set[str]:
    """Of the ids that a table has, those that a row without one could be given; and one other, where there is any."""
    found: set[str] = set()
    for _, cells in open_table(path)[1] if name else ():
        given = cells[name or ""].strip()
        if given and (not found or given.startswith("row ")):
            found.add(given)
    return found


def _names(header: Sequence[str], columns: OpenColumns, path: str | Path) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for what, usual in _USUAL.items():
        given = getattr(columns, what)
        if given is not None:
            found[what] = column(header, given, path, f"--{what}")
        else:
            found[what] = next((name for name in usual if name in header), None)
    if found["text"] is None:
        column(header, "text", path, "--text")
    return found


def _number(number: int, given: Collection[str]) -> str:
    """The id of a row without one: its number, or where other rows have ids, one that none of them has.

    >>> _number(2, ()), _number(2, {"1", "2"}), _number(2, {"row 2"})
    ('2', 'row 2', 'row 2 (no id)')
    """
    name = f"row {number}" if given else str(number)
    while name in given:
        name = f"{name} (no id)"
    return name


def _status(given: str, row: NumberedRow, path: str | Path) -> Status:
    for known in get_args(Status):
        if given == known:
            return cast(Status, known)
    raise InvalidData(
        f"{given!r} is not a status of a prompt; write authored, natural or template, or leave it blank",
        file=path,
        line=row[0],
        key="status",
    )


def _spans(
    text: str, cells: Mapping[str, str], name: str | None, row: NumberedRow, path: str | Path
) -> tuple[Span, ...]:
    """Where the subject stands; `name` is the column that the profession is in."""
    line, whole = row
    start, end = (whole.get(f"subject_{side}", "").strip() for side in ("start", "end"))
    if start or end:
        found = read_spans(start, end, len(text))
        if not found:
            raise InvalidData(
                f"{start!r} to {end!r} is not a range of characters in a text of {len(text)}; write several as "
                "2;30 and 7;35, in order",
                file=path,
                line=line,
                key="subject_start",
            )
        return found
    if cells["subject"]:
        found = occurrences(text, cells["subject"])
        if not found:
            raise InvalidData(f"{cells['subject']!r} is not in the text", file=path, line=line, key="subject")
        return found
    if name != "origin":
        return occurrences(text, cells["profession"])
    # An origin may be anything: files of `tiltmeter rephrase` have a verb phrase there, and the person under `term`.
    named = occurrences(text, whole.get("term", "").strip())
    found = () if whole.get("verb_phrase") else occurrences(text, cells["profession"])
    nouns = (span for span in found if not is_english(text) or not isinstance(noun_place(text, span), str))
    return named or tuple(nouns)


def written_spans(spans: Sequence[Span]) -> tuple[str, str]:
    """The cells `subject_start` and `subject_end` of a table.

    >>> written_spans(((2, 7), (30, 35))), written_spans(())
    (('2;30', '7;35'), ('', ''))
    """
    return _BETWEEN.join(str(start) for start, _ in spans), _BETWEEN.join(str(end) for _, end in spans)


def read_spans(starts: str, ends: str, length: int) -> tuple[Span, ...]:
    """What `written_spans` wrote, of a text of that length; nothing where it is wrong.

    >>> read_spans("2;30", "7;35", 40), read_spans("2", "7;35", 40), read_spans("2", "50", 40)
    (((2, 7), (30, 35)), (), ())
    """
    sides = [side.split(_BETWEEN) for side in (starts, ends)]
    if len(sides[0]) != len(sides[1]) or not all(place.strip().isdecimal() for side in sides for place in side):
        return ()
    spans = [(int(start), int(end)) for start, end in zip(*sides, strict=True)]
    places = [place for span in spans for place in span]
    fits = places == sorted(places) and all(start < end for start, end in spans) and places[-1] <= length
    return tuple(spans) if fits else ()


def occurrences(text: str, words: str) -> tuple[Span, ...]:
    """Where words stand in a text as a noun, whole and in whatever case: behind an article or another word that a noun
    follows, or at the start of a sentence. Where none of them does, the first.

    >>> occurrences("The cook may cook for a Cook", "cook"), occurrences("She is no head nurse", "nurse")
    (((4, 8), (24, 28)), ((15, 20),))
    """
    if not words:
        return ()
    every = (match.span() for match in re.finditer(re.escape(words), text, re.IGNORECASE))
    found = tuple(span for span in every if not any(_is_inside_word(text, place) for place in span))
    as_nouns = tuple(span for span in found if _is_introduced(text, span) or starts_sentence(text, span[0]))
    return as_nouns or found[:1]


def _is_inside_word(text: str, place: int) -> bool:
    """Whether a place has signs of one word on both sides; a vowel sign is one, a character without spaces is not.

    >>> _is_inside_word("नर्स", 2), _is_inside_word("护士说", 2), _is_inside_word("nurse", 5)
    (True, False, False)
    """
    sides = text[max(place - 1, 0) : place], text[place : place + 1]
    return all(side and _is_of_word(side) for side in sides)


def _is_of_word(sign: str) -> bool:
    if not (sign.isalnum() or sign == "_" or unicodedata.category(sign).startswith("M")):
        return False
    return not unicodedata.name(sign, "").startswith(_UNSPACED)


def _is_introduced(text: str, span: Span) -> bool:
    """Whether an article or the like stands before it, also with one word between: "a head cook"."""
    near = text[max(0, span[0] - _NEAR) : span[0]]
    before = [word.casefold().replace("’", "'") for word in _WORDS_BEFORE.findall(near)[-2:]]
    if not before or not _BESIDE.search(near):
        return False
    if before[-1] in LEADS:
        return True
    own = before[-1] not in FUNCTION_WORDS and before[-1] != text[slice(*span)].casefold()
    return len(before) == 2 and before[0] in LEADS and own and not is_several(before[-1])
