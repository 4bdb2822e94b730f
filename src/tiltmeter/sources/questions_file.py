"""Source `questions-file`: questions with options that the user already has: CSV, JSON, JSON lines or Parquet.

Options are in one column as a list (of JSON, or with `|` between them) or in columns of their own (`option_1`,
`option_2`, …); so are the groups that they stand for. Which option is right, stereotyped, favourable, or says that it
cannot be known is given by its text, its letter or its number from 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Question
from tiltmeter.replies import LETTERS
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.tables import open_table

_SOURCE = "questions-file.v1"
_PLACES = ("correct", "stereotyped", "unknown", "favourable")
_CONDITIONS = {
    **dict.fromkeys(("", "none"), ""),
    **dict.fromkeys(("ambig", "ambiguous"), "ambiguous"),
    **dict.fromkeys(("disambig", "disambiguated"), "disambiguated"),
}
_NOTHING_TOLD = (
    "it says nothing about a group: name the group of two options or more and which of these is `stereotyped`, or whom "
    "the question is `about` and which option is `favourable`"
)

_OTHER_KIND = (
    "decisions and questions with a stereotyped option are not mixed: give them a `bias` other than that of the rows "
    "before"
)


def questions(path: str | Path) -> tuple[list[Question], list[Dropped]]:
    """The questions of a file; a row that holds none is dropped with the reason."""
    made = list(stream(path))
    return [one for one in made if isinstance(one, Question)], [one for one in made if isinstance(one, Dropped)]


def stream(path: str | Path) -> Iterator[Question | Dropped]:
    """The same one by one, in their order: for files that may be very long."""
    columns, rows = open_table(path)
    if "question" not in columns or not _several("option", columns):
        raise InvalidData(
            f"no questions in the columns {', '.join(f'`{column}`' for column in columns)}: the file needs "
            "`question`, and `options` or `option_1`, `option_2` and so on",
            file=path,
            line=1,
        )
    number, decides = 0, dict[str, bool]()
    for number, (line, cells) in enumerate(rows, start=1):
        made = _Row(cells, columns, Path(path), line, number).made()
        if isinstance(made, Question):
            kind = made.about is not None and made.favourable is not None
            if decides.setdefault(made.bias, kind) != kind:
                made = Dropped(made.bias, made.origin, made.question, _OTHER_KIND)
        yield made
    if not number:
        raise InvalidData("the file has a header and no rows", file=path)


class _Row:
    """One row of the file."""

    def __init__(self, cells: Mapping[str, str], columns: Sequence[str], path: Path, line: int, number: int) -> None:
        self._cells, self._columns, self._path, self._line, self._number = cells, columns, path, line, number

    def made(self) -> Question | Dropped:
        """Its question, or why there is none."""
        question, options = self._text("question"), self._list("option")
        reason = self._fault(question, options)
        if reason:
            return Dropped(self._bias, self._origin, question, reason)
        groups, about = self._groups(options), self._text("about") or self._text("group") or None
        places = {name: self._place(name, options) for name in _PLACES}
        decides = about is not None and places["favourable"] is not None
        has_group = about is not None or any(groups)
        if not has_group or not (decides or places["stereotyped"] is not None or places["correct"] is not None):
            return Dropped(self._bias, self._origin, question, _NOTHING_TOLD)
        context, term = self._text("context"), self._text("term")
        whole = f"{context}\n{question}" if context else question
        return Question(
            id=f"{self._path.stem}/{self._text('id') or self._number}",
            source=_SOURCE,
            bias=self._bias,
            origin=self._origin,
            question=question,
            options=options,
            groups=groups,
            about=about,
            context=context,
            condition=self._condition(),  # type: ignore[arg-type]
            term=term,
            group_spans=tuple(find(whole, term)) if term else (),
            attribute=self._text("attribute") or None,
            template=self._text("template") or None,
            **places,  # type: ignore[arg-type]
        )

    @property
    def _bias(self) -> str:
        return self._text("bias") or self._text("category") or self._path.stem

    @property
    def _origin(self) -> str:
        """Without one, what rows have in common that differ in the group alone; otherwise each row is its own."""
        told = (self._text(name) for name in ("origin", "attribute", "template"))
        return next(filter(None, told), f"row {self._number}")

    def _fault(self, question: str, options: Sequence[str]) -> str | None:
        if not question:
            return "the question is empty"
        if len(options) < 2:
            return "it has fewer than two options"
        if not all(options):
            return "one of its options is blank"
        return "two of its options are the same" if len(set(options)) < len(options) else None

    def _groups(self, options: Sequence[str]) -> tuple[str | None, ...]:
        found = self._list("group")
        if not any(found):
            return ()
        whole = "groups" in self._columns
        if len(found) > len(options) or (whole and len(found) != len(options)):
            raise self._error("groups", f"there are {len(found)} groups for {len(options)} options; give one for each")
        return tuple(group or None for group in (*found, *[""] * (len(options) - len(found))))

    def _list(self, noun: str) -> tuple[str, ...]:
        """A list of one column, or what several hold; of these, blank ones at the end are none."""
        names = _several(noun, self._columns)
        if names == [f"{noun}s"]:
            return tuple(_listed(self._raw(names[0])))
        found = [self._text(name) for name in names]
        while found and not found[-1]:
            found.pop()
        return tuple(found)

    def _place(self, name: str, options: Sequence[str]) -> int | None:
        """Which option is meant: by its text, its letter, or its number."""
        given = self._text(name)
        if not given:
            return None
        same = [at for at, option in enumerate(options) if option.casefold() == given.casefold()]
        if len(same) == 1:
            return same[0]
        letter = LETTERS[: len(options)].find(given.upper()) if len(given) == 1 else -1
        number = int(given) - 1 if re.fullmatch(r"[1-9]\d?", given) else letter
        if 0 <= number < len(options):
            return number
        told = " | ".join(options)
        problem = f"{given!r} is none of its options ({told}); write its text, its letter or its number from 1"
        raise self._error(name, problem)

    def _condition(self) -> str:
        given = (self._text("condition") or self._text("context_condition")).casefold()
        if given not in _CONDITIONS:
            raise self._error("condition", f"{given!r} is not a condition; write ambiguous, disambiguated or nothing")
        return _CONDITIONS[given]

    def _text(self, name: str) -> str:
        return self._cells[name].strip() if name in self._columns else ""

    def _raw(self, name: str) -> str:
        """A cell that may hold a list."""
        return dict.__getitem__(self._cells, name) if isinstance(self._cells, dict) else self._cells[name]

    def _error(self, key: str, problem: str) -> InvalidData:
        return InvalidData(problem, file=self._path, line=self._line, key=key)


def _several(noun: str, columns: Sequence[str]) -> list[str]:
    """The columns of several things of a kind: one with a list, or numbered ones in their order."""
    if f"{noun}s" in columns:
        return [f"{noun}s"]
    numbered = [(int(found[1]), name) for name in columns if (found := re.fullmatch(rf"{noun}_?(\d+)", name))]
    return [name for _, name in sorted(numbered)]


def _listed(text: str) -> list[str]:
    """The entries of a list, as JSON writes it or with `|` between them.

    >>> _listed('["Yes", "No"]'), _listed("Yes | No")
    (['Yes', 'No'], ['Yes', 'No'])
    """
    try:
        found = json.loads(text) if text.lstrip().startswith("[") else None
    except ValueError:
        found = None
    if isinstance(found, list) and all(isinstance(one, str | int | float | None) for one in found):
        return ["" if one is None else str(one).strip() for one in found]
    return [one.strip() for one in text.split("|")]
