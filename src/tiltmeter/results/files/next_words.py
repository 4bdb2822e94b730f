"""Files of next words: one row for each prompt, perturbation and word; and the estimates of such a file."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from sys import intern
from typing import Any

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import check_writable, write_csv
from tiltmeter.measures.next_words import Combine, shared_chance
from tiltmeter.parquet import Rows
from tiltmeter.records import NextWord, NextWords, Shared
from tiltmeter.results.files.loaded import answers, loaded
from tiltmeter.results.files.tables import Table, refuse_mixed
from tiltmeter.results.summary.next_words import (
    ORIGINAL,
    Expected,
    NextWordSettings,
    NextWordSummary,
    expected,
    measured,
    summarise_next_words,
)
from tiltmeter.results.summary.saliency import Explained, mean_saliency
from tiltmeter.sources import word_sets
from tiltmeter.sources.tables import column
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.stats.next_words import Place
from tiltmeter.store import Answered, likeliest

COLUMNS = (
    "model",
    "prompt",
    "text",
    "profession",
    "template",
    "status",
    "perturbation",
    "bounded",
    "capitalised",
    "group",
    "word",
    "probability",
    "logprob",
    "shared",
    "highest",
    "gap",
    "unscored",
)
SALIENCY_COLUMNS = ("saliency_word", "saliency_subject", "saliency_last", "saliency_residue")
_NUMBERS = ("shared", "highest", "gap", *SALIENCY_COLUMNS[1:])
_WORDS = ("perturbation", "item", "origin", "template", "group", "term", "value", "reason")
"""The columns of measurements that words have; the value is a log-probability."""
NOT_MIXED = ("model", "bounded", "capitalised", "words", "source", "bias")
_NEEDED = ("prompt", "group", "word")


@dataclass(frozen=True, slots=True)
class NextWordColumns:
    """Which columns hold what, where they are not called as `tiltmeter next-words` calls them, and which rows count."""

    profession: str | None = None
    template: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    combine: Combine = "sum"


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """What a file says of each prompt."""

    items: Sequence[Expected]
    words: WordSets
    rows: int
    """How many of its rows count."""
    explained: Sequence[Explained] = ()


def check_table(path: str | Path, option: str, read: Sequence[str | Path]) -> None:
    """Refuse, before any work, a path where a table cannot be written, or that is one of the files that are read."""
    if Path(path).suffix.lower() not in ("", ".csv"):
        raise UserError(f"{option} {str(path)!r}: the table is written as CSV; name a file that ends in .csv")
    check_writable(path, not_over=read)


def write_answers(
    path: str | Path,
    model: str,
    answered: Sequence[Answered],
    sets: WordSets,
    *,
    bounded: bool,
    capitalised: bool | None = None,
    saliency: bool = False,
) -> None:
    """Write a row for each prompt, perturbation and word."""
    columns = [*COLUMNS, *(SALIENCY_COLUMNS if saliency else ())]
    asked = {"model": model, "bounded": int(bounded), "capitalised": None if capitalised is None else int(capitalised)}
    write_csv(path, columns, _rows(asked, answered, sets))


def _rows(asked: Mapping[str, object], answered: Sequence[Answered], sets: WordSets) -> Iterator[Mapping[str, object]]:
    groups = {word: (group, set(words)) for group, words in sets for word in words}
    for one in answered:
        prompt = one.asked.prompt
        common = {
            **asked,
            "prompt": prompt.id,
            "text": prompt.text,
            "profession": prompt.origin,
            "template": prompt.template,
            "status": prompt.status,
            "perturbation": one.asked.perturbation,
            "highest": one.found.highest,
            "gap": one.found.gap,
        }
        if one.saliency is not None:
            common |= {
                "saliency_word": likeliest(one.found),
                "saliency_subject": one.on_subject,
                "saliency_last": one.on_last,
                "saliency_residue": one.saliency.residue,
            }
        for word in one.found.words:
            group, own = groups[word.word]
            held = shared_chance(word, [other for other in one.found.words if other.word in own])
            yield {
                **common,
                "group": group,
                "word": word.word,
                "probability": word.probability,
                "logprob": word.logprob,
                "shared": None if word.logprob is None else held,
                "unscored": word.unscored,
            }


def read_answers(path: str | Path, columns: NextWordColumns | None = None) -> AnswerFile:
    """What a file says of each prompt."""
    wanted = columns or NextWordColumns()
    table = Table(path)
    header = table.columns
    for name in _NEEDED:
        column(header, name, path, name)
    if not {"probability", "logprob"} & set(header):
        raise InvalidData("a column `probability` or `logprob` is needed", file=path, line=1)
    table.chosen(wanted.where)
    profession = _optional(header, wanted.profession, ("profession", "origin"), path, "--columns origin=COLUMN")
    template = _optional(header, wanted.template, ("template",), path, "--columns template=COLUMN")
    reading = _Reading(table, profession, template)
    with loaded(_WORDS, reading.rows(), _NUMBERS) as found:
        words = word_sets.checked({group: [*own] for group, own in reading.sets.items()}, path)
        items, explained = [], []
        # Prompts in the order in which they are first named, each with its words together.
        query = (
            "SELECT * FROM measurements JOIN (SELECT perturbation, item, min(line) AS first FROM measurements "
            "GROUP BY ALL) USING (perturbation, item) ORDER BY first, line"
        )
        for (perturbation, prompt), rows in groupby(answers(found, query), itemgetter("perturbation", "item")):
            own = list(rows)
            # Many prompts have these in common.
            place = Place(*(name and intern(name) for name in (own[0]["origin"], own[0]["template"])))
            answer = _next_words(own, words, path)
            items.append(
                expected(answer, words, prompt, place.profession, place.template, intern(perturbation), wanted.combine)
            )
            shares = [own[0][name] for name in SALIENCY_COLUMNS[1:]]
            if any(share is not None for share in shares):
                explained.append(Explained(place, *shares))
    return AnswerFile(items, words, reading.read, explained)


class _Reading:
    """The rows of a table as measurements: the probability of a word after a prompt."""

    def __init__(self, table: Table, profession: str | None, template: str | None) -> None:
        self._table, self._profession, self._template = table, profession, template
        self.sets: dict[str, dict[str, None]] = defaultdict(dict)
        self.read = 0

    def rows(self) -> Rows:
        """A measurement for each row; what must not differ between rows is looked at on the way."""
        table, path = self._table, self._table.path
        mixed: dict[str, set[str]] = {name: set() for name in NOT_MIXED if name in table.columns}
        named = {*COLUMNS, *SALIENCY_COLUMNS, *NOT_MIXED, self._profession, self._template}
        # What a prompt has in common stands in its first row.
        first = [name for name in ("highest", "gap", *SALIENCY_COLUMNS[1:]) if name in table.columns]
        for line, cells in table.rows([name for name in table.columns if name in named]):
            self.read += 1
            for name, values in mixed.items():
                values.add(cells[name])
            group, word, prompt = cells["group"].strip(), cells["word"].strip(), cells["prompt"]
            if not group or not word:
                raise InvalidData("a row without a group or a word", file=path, line=line)
            self.sets[group].setdefault(word)
            yield {
                "line": line,
                "perturbation": cells.get("perturbation", "").strip() or ORIGINAL,
                "item": prompt,
                "origin": (cells[self._profession].strip() if self._profession else "") or prompt,
                "template": (cells[self._template].strip() if self._template else "") or None,
                "group": group,
                "term": word,
                "value": _logprob(cells, line, path),
                "reason": cells.get("unscored", "").strip() or None,
                "shared": _shared(cells, line, path),
                **{name: _number(cells[name], name, line, path) for name in first},
            }
        for name, values in mixed.items():
            refuse_mixed(path, name, sorted(values))
        if not self.read:
            table.refuse_empty()


def summarise_next_word_file(
    path: str | Path, columns: NextWordColumns | None = None, settings: NextWordSettings | None = None
) -> dict[str, Any]:
    """The JSON of `tiltmeter analyze --view next-words`."""
    wanted = columns or NextWordColumns()
    return summarise_answers(read_answers(path, wanted), wanted, settings or NextWordSettings())


def summarise_answers(found: AnswerFile, columns: NextWordColumns, settings: NextWordSettings) -> dict[str, Any]:
    """The same of a file that has been read."""
    summary: NextWordSummary = summarise_next_words(found.items, settings)
    saliency = mean_saliency(found.explained, level=settings.level)
    return {
        **summary.as_json(),
        "saliency": {name: one.as_json() for name, one in saliency.items()},
        "rows": found.rows,
        "words": {group: list(listed) for group, listed in found.words},
        "combine": columns.combine,
    }


def write_by_prompt(path: str | Path, items: Sequence[Expected], reference: str | None = None) -> None:
    """Write every measure of every pair of groups, a row for each prompt."""
    groups = list(dict.fromkeys(group for item in items for group in item.chances))
    rows: list[dict[str, object]] = [
        {
            "prompt": item.prompt,
            "profession": item.profession,
            "template": item.template,
            "perturbation": item.perturbation,
            "highest": item.highest,
            "gap": item.gap,
            **{f"P({group})": item.chances.get(group) for group in groups},
        }
        for item in items
    ]
    for a, b in pairs_of_groups(groups, reference):
        for name, values in measured(items, a, b).items():
            for row, value in zip(rows, values.values, strict=True):
                row[f"{a}/{b}.{name}"] = value
    write_csv(path, list(rows[0]) if rows else ["prompt"], rows)


def _next_words(rows: Sequence[Mapping[str, Any]], sets: WordSets, path: str | Path) -> NextWords:
    found: dict[str, NextWord] = {}
    groups = {word: listed for _, listed in sets for word in listed}
    for row in rows:
        word, logprob, held = row["term"], row["value"], row["shared"]
        if word in found:
            raise InvalidData(
                f"the word `{word}` stands twice after the prompt `{row['item']}`", file=path, line=row["line"]
            )
        reason = None if logprob is not None else row["reason"] or "the probability is blank"
        others = tuple(other for other in groups[word] if other != word)
        shared: tuple[Shared, ...] | None = None if held is None else ((others, math.log(held)),) if held else ()
        found[word] = NextWord(word, logprob, reason, shared)
    missing = "the file has no row for it"
    words = tuple(found.get(word) or NextWord(word, None, missing) for word in groups)
    return NextWords(words, rows[0]["highest"], rows[0]["gap"])


def _shared(cells: Mapping[str, str], line: int, path: str | Path) -> float | None:
    """What other words of the group hold of a word's chance; None where the file does not say."""
    held = _number(cells.get("shared", ""), "shared", line, path)
    if held is not None and not 0 <= held <= 1:
        raise InvalidData(f"{held:g} is no probability", file=path, line=line, key="shared")
    return held


def _logprob(cells: Mapping[str, str], line: int, path: str | Path) -> float | None:
    given = _number(cells.get("logprob", ""), "logprob", line, path)
    if given is not None:
        if given > 0:
            raise InvalidData(f"{given:g} is no logarithm of a probability", file=path, line=line, key="logprob")
        return given
    chance = _number(cells.get("probability", ""), "probability", line, path)
    if chance is None:
        return None
    if not 0 <= chance <= 1:
        raise InvalidData(f"{chance:g} is no probability", file=path, line=line, key="probability")
    return math.log(chance) if chance > 0 else -math.inf


def _number(text: str, name: str, line: int, path: str | Path) -> float | None:
    if not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise InvalidData(f"{text!r} is no number", file=path, line=line, key=name)
    return number


def _optional(
    header: Sequence[str], given: str | None, usual: Sequence[str], path: str | Path, option: str
) -> str | None:
    if given is not None:
        return column(header, given, path, option)
    return next((name for name in usual if name in header), None)
