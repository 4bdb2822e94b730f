"""Source `prompts-file`: prompts that the user already has: CSV, JSON lines or Parquet with text and group columns.

Texts are taken to the letter but for spaces at their end, which a model would see as a token of its own. A row is
about a group; or it states a situation and leaves the group open: then it has `words` in the place of a group, and may
say under `stereotyped` which group the stereotype puts there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.records import Dropped, Prompt
from tiltmeter.sources.cells import refuse_objects, text_of
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.prompt_options import Repeats, draw, without_repeats
from tiltmeter.sources.structure_columns import structure_of
from tiltmeter.sources.tables import NumberedRow, column, open_table
from tiltmeter.sources.word_sets import BUILT_IN, WordSets, check_word_sets, parse

_SOURCE = "prompts-file.v1"
_TEXT = ("text", "prompt")
_OPTIONAL = ("origin", "id", "structure", "term", "words", "stereotyped", "attribute")


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns hold what; those after `text` may be missing, but for one of `group` and `words`."""

    text: str
    group: str | None
    origin: str | None
    id: str | None
    structure: str | None
    term: str | None
    words: str | None
    stereotyped: str | None
    attribute: str | None
    """The set of prompts that a row belongs to, such as respect or occupation."""


def prompts(
    path: str | Path,
    *,
    text: str | None = None,
    group: str | None = None,
    origin: str | None = None,
    id: str | None = None,
    structure: str | None = None,
    term: str | None = None,
    words: str | None = None,
    stereotyped: str | None = None,
    attribute: str | None = None,
    language: str = "en",
    repeats: Repeats = "keep",
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a file; a row without text or group is dropped with the reason.

    The options name the columns; unless told, they are `text` (or `prompt`) and those with the option's name. Without
    an origin each row is its own (of a situation, its text is); without an id rows are numbered. Beside a structure,
    the columns `kind`, `family` and `skeleton` say what it is; `term` has the words of the text that name the group.
    `attribute` is the set that a prompt belongs to, where sets are to be reported apart.
    """
    columns = [origin, id, structure, term, words, stereotyped, attribute]
    made = list(_made(path, language, *_opened(path, text, group, columns)))
    found = [one for one in made if isinstance(one, Prompt)]
    _refuse_doubles(found, path)
    kept, repeated = without_repeats(found, repeats)
    return draw(kept, per_group, seed), [one for one in made if isinstance(one, Dropped)] + repeated


def stream(
    path: str | Path, *, repeats: Repeats = "keep", per_group: int | None = None, **options: Any
) -> Iterator[Prompt | Dropped]:
    """The same one by one, with the same options, for files that may be very long: where every row is kept.

    Whether an id stands twice is left to whoever reads them all.
    """
    if repeats != "keep" or per_group is not None:
        kept, dropped = prompts(path, repeats=repeats, per_group=per_group, **options)
        return iter((*kept, *dropped))
    columns = [options.get(name) for name in _OPTIONAL]
    opened = _opened(path, options.get("text"), options.get("group"), columns)
    return _made(path, options.get("language", "en"), *opened)


def _made(path: str | Path, language: str, columns: Columns, rows: Iterable[NumberedRow]) -> Iterator[Prompt | Dropped]:
    bias = Path(path).stem
    for number, (line, cells) in enumerate(rows, start=1):
        refuse_objects(cells, _OPTIONAL)
        text = text_of(cells, columns.text, path, line).rstrip()
        owner, sets = _cell(cells, columns.group), _words(columns, cells, path, line)
        where = _cell(cells, columns.origin) or (text.strip() if sets else "") or f"row {number}"
        if not text.strip() or not (owner or sets):
            reason = (
                f"line {line}: nothing under `{(columns.group or columns.words) if text.strip() else columns.text}`"
            )
            yield Dropped(bias, where, text, reason)
            continue
        named = text_of(cells, columns.term, path, line).strip() if columns.term else ""
        yield Prompt(
            id=f"{bias}/{_cell(cells, columns.id) or number}",
            source=_SOURCE,
            bias=bias,
            origin=where,
            text=text,
            group=owner or None,
            word_sets=sets,
            term=named,
            group_spans=tuple(find(text, named, plural=True)) if named else (),
            language=language,
            attribute=_cell(cells, columns.attribute) or None,
            structure=structure_of(cells, text, columns.structure, path, line),
            stereotyped=_stereotyped(columns, cells, sets, path, line),
        )


def _cell(cells: Mapping[str, str], name: str | None) -> str:
    return cells[name].strip() if name else ""


def _words(columns: Columns, cells: Mapping[str, str], path: str | Path, line: int) -> WordSets:
    """The words that stand for each group where a row leaves the group open: GROUP=word,word; … or a name."""
    given = _cell(cells, columns.words)
    if not given:
        return ()
    if _cell(cells, columns.group):
        problem = "the row has both a group and words; a prompt is about a group, or leaves it open and lists words"
        raise InvalidData(problem, file=path, line=line, key=columns.words)
    try:
        found = BUILT_IN.get(given) or parse([one for one in given.split(";") if one.strip()])
        # Texts are searched whatever the case.
        check_word_sets({group: [word.casefold() for word in listed] for group, listed in found})
    except UserError as error:
        problem = f"{error.problem.removeprefix('--words ')}; separate groups by ;"
        raise InvalidData(problem, file=path, line=line, key=columns.words) from None
    return found


def _stereotyped(columns: Columns, cells: Mapping[str, str], sets: WordSets, path: str | Path, line: int) -> str | None:
    given = _cell(cells, columns.stereotyped) if sets else ""
    if given and given not in dict(sets):
        problem = f"`{given}` has no words in this row; write one of {', '.join(dict(sets))}, or leave it blank"
        raise InvalidData(problem, file=path, line=line, key=columns.stereotyped)
    return given or None


def recognise(path: Path) -> bool:
    """Whether a file has the columns that are looked for unless told."""
    try:
        columns, _ = open_table(path)
    except InvalidData:
        return False
    return ("group" in columns or "words" in columns) and any(name in columns for name in _TEXT)


def check(path: str | Path, *, text: str | None = None, group: str | None = None) -> dict[str, Any]:
    """What the file holds, and what in it may surprise."""
    columns, every = _opened(path, text, group, [None] * len(_OPTIONAL))
    rows = list(every)
    texts = [text_of(cells, columns.text, path, line) for line, cells in rows]
    owners = [_cell(cells, columns.group) for _, cells in rows]
    situations = [
        not owner and bool(_cell(cells, columns.words)) for owner, (_, cells) in zip(owners, rows, strict=True)
    ]
    places = {(owner, words.strip()) for owner, words in zip(owners, texts, strict=True)}
    return {
        "data_set": "prompts-file",
        "prompts": len(rows),
        "by_group": dict(
            Counter(owner or "(none)" for owner, open in zip(owners, situations, strict=True) if not open)
        ),
        "situations": sum(situations),
        "origins": len({cells[columns.origin] for _, cells in rows}) if columns.origin else len(rows),
        "blank": sum(not words.strip() for words in texts),
        "without_group": sum(not owner and not open for owner, open in zip(owners, situations, strict=True)),
        "ending_in_a_space": sum(words != words.rstrip() for words in texts),
        "duplicates": len(texts) - len({words.strip() for words in texts}),
        "duplicates_within_a_group": len(texts) - len(places),
        "texts_in_several_groups": sum(count > 1 for count in Counter(words for _, words in places).values()),
        "with_line_breaks": sum("\n" in words.strip() for words in texts),
    }


def _opened(
    path: str | Path, text: str | None, group: str | None, others: Sequence[str | None]
) -> tuple[Columns, Iterator[NumberedRow]]:
    columns, rows = open_table(path)
    first = next(rows, None)
    if first is None:
        raise InvalidData("the file has a header and no rows", file=path)
    usual = next((name for name in _TEXT if name in columns), "text")
    optional = list(_optional(columns, path, list(zip(_OPTIONAL, others, strict=True))))
    is_open = group is None and "group" not in columns and optional[_OPTIONAL.index("words")] is not None
    owners = None if is_open else column(columns, group or "group", path, "group")
    found = Columns(column(columns, text or usual, path, "text"), owners, *optional)
    return found, chain([first], rows)


def _optional(columns: Sequence[str], path: str | Path, given: list[tuple[str, str | None]]) -> Iterator[str | None]:
    for option, name in given:
        yield column(columns, name, path, option) if name else option if option in columns else None


def _refuse_doubles(made: list[Prompt], path: str | Path) -> None:
    doubled = [name for name, count in Counter(prompt.id for prompt in made).items() if count > 1]
    if doubled:
        raise InvalidData(f"the id `{doubled[0].partition('/')[2]}` is used more than once", file=path)
