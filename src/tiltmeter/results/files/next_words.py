"""Files of next words: one row for each prompt, perturbation and word; and the estimates of such a file."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import check_writable, write_csv
from tiltmeter.measures.next_words import MEASURES, Combine, shared_probability
from tiltmeter.records import NextWord, NextWords, Shared
from tiltmeter.results.files.loaded import GivenRows, answers, loaded
from tiltmeter.results.files.tables import Table, refuse_mixed
from tiltmeter.results.summary.next_words import (
    ORIGINAL,
    Expected,
    NextWordSettings,
    NextWordSummary,
    expected,
    summarise_next_words,
)
from tiltmeter.results.summary.prompts import PromptColumns, Prompts
from tiltmeter.results.summary.saliency import mean_saliency
from tiltmeter.sources import word_sets
from tiltmeter.sources.tables import column
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.store import Answered

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
_SALIENCY = dict(zip(("profession", "last", "residue"), SALIENCY_COLUMNS[1:], strict=True))
_CHANCE = ("logprob", "probability")
_NUMBERS = ("shared", "highest", "gap", *_SALIENCY.values())
_MEMORY = "384MB"
"""What it takes to put the words of each prompt together, of as many prompts as there are."""
_OF_PROMPT = ("prompt", "profession", "template", "perturbation", "highest", "gap")
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
    """What a file says of its prompts."""

    prompts: Mapping[str, Prompts]
    """By perturbation."""
    words: WordSets
    rows: int
    """How many of its rows count."""
    explained: Prompts | None = None
    """Of prompts that are explained, the shares of their saliency."""


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
                "saliency_word": one.saliency.word,
                "saliency_subject": one.on_subject,
                "saliency_last": one.on_last,
                "saliency_residue": one.saliency.residue,
            }
        for word in one.found.words:
            group, own = groups[word.word]
            held = shared_probability(word, [other for other in one.found.words if other.word in own])
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
    """What a file says of its prompts."""
    wanted = columns or NextWordColumns()
    prompts, explained = PromptColumns(), PromptColumns()
    with _opened(path, wanted) as (given, words):
        for item, row in _answers(given, words, wanted.combine):
            prompts.add(row["number"], item)
            shares = {name: row[column] for name, column in _SALIENCY.items()}
            if any(share is not None for share in shares.values()):
                explained.add(row["number"], replace(item, chances=shares, perturbation=ORIGINAL))
    return AnswerFile(prompts.made(), words, given.rows, explained.made().get(ORIGINAL))


@contextmanager
def _opened(path: str | Path, wanted: NextWordColumns) -> Iterator[tuple[GivenRows, WordSets]]:
    """The words of a file as measurements, and the words of each group."""
    table = Table(path)
    header = table.columns
    for name in _NEEDED:
        column(header, name, path, name)
    if not {"probability", "logprob"} & set(header):
        raise InvalidData("a column `probability` or `logprob` is needed", file=path, line=1)
    profession = _optional(header, wanted.profession, ("profession", "origin"), path, "--columns origin=COLUMN")
    template = _optional(header, wanted.template, ("template", "structure"), path, "--columns template=COLUMN")
    with loaded(_WORDS, numbers=_NUMBERS) as found:
        named = {*COLUMNS, *SALIENCY_COLUMNS, *NOT_MIXED, profession, template}
        given = GivenRows(found, table, named, wanted.where)
        for name in NOT_MIXED:
            refuse_mixed(path, name, sorted(given.distinct(name)) if name in header else ())
        _measure(given, profession, template)
        sets: dict[str, list[str]] = defaultdict(list)
        for row in given.each('{g: "group", w: term}', of="measurements"):
            sets[row["key"]["g"]].append(row["key"]["w"])
        yield given, word_sets.check_word_sets(sets, path)


def _measure(given: GivenRows, profession: str | None, template: str | None) -> None:
    """The log-probability of each word after a prompt as a measurement."""
    given.refuse(
        f"{given.text('group')} = '' OR {given.text('word')} = ''", lambda _: "a row without a group or a word"
    )
    numbers = {name: given.number(name, partial(_number, name, given.path)) for name in (*_CHANCE, *_NUMBERS)}
    logprob, chance = (numbers[name] for name in _CHANCE)
    given.refuse(f"{logprob} > 0", lambda held: f"{held:g} is no logarithm of a probability", logprob, "logprob")
    for name, condition in (("probability", f"{logprob} IS NULL"), ("shared", "true")):
        outside = f"{condition} AND {numbers[name]} NOT BETWEEN 0 AND 1"
        given.refuse(outside, lambda held: f"{held:g} is no probability", numbers[name], name)
    of_chance = f"CASE WHEN {chance} > 0 THEN ln({chance}) WHEN {chance} = 0 THEN '-inf'::DOUBLE END"
    given.measure(
        {
            "perturbation": f"coalesce({given.name('perturbation')}, '{ORIGINAL}')",
            "item": given.cell("prompt"),
            "origin": f"coalesce({given.name(profession)}, {given.cell('prompt')})",
            "template": given.name(template),
            "group": given.text("group"),
            "term": given.text("word"),
            "value": f"coalesce({logprob}, {of_chance})",
            "reason": given.name("unscored"),
            **{name: numbers[name] for name in _NUMBERS},
        }
    )


def _answers(given: GivenRows, words: WordSets, combine: Combine) -> Iterator[tuple[Expected, Mapping[str, Any]]]:
    """What is expected after each prompt, as they come, and its first row; `number` tells prompts apart."""
    # Step by step, each of which needs less memory than all of them together.
    given.found.execute(
        f"DROP VIEW kept; DROP TABLE given; SET memory_limit = '{_MEMORY}'; CREATE TABLE prompts AS "
        "SELECT perturbation, item, min(line) AS first FROM measurements GROUP BY ALL; "
        "CREATE TABLE items AS SELECT item, min(first) AS number FROM prompts GROUP BY item"
    )
    query = (
        "SELECT * FROM measurements JOIN prompts USING (perturbation, item) JOIN items USING (item) "
        "ORDER BY first, line"
    )
    for _, rows in groupby(answers(given.found, query), itemgetter("first")):
        own = list(rows)
        first = own[0]
        place = first["item"], first["origin"], first["template"], first["perturbation"]
        yield expected(_next_words(own, words, given.path), words, *place, combine), first


def summarise_next_word_file(
    path: str | Path, columns: NextWordColumns | None = None, settings: NextWordSettings | None = None
) -> dict[str, Any]:
    """The JSON of `tiltmeter analyze next-words`."""
    wanted = columns or NextWordColumns()
    return summarise_answers(read_answers(path, wanted), wanted, settings or NextWordSettings())


def summarise_answers(found: AnswerFile, columns: NextWordColumns, settings: NextWordSettings) -> dict[str, Any]:
    """The same of a file that has been read."""
    summary: NextWordSummary = summarise_next_words(found.prompts, settings)
    explained = found.explained
    saliency = mean_saliency(explained.places, explained.chances, level=settings.level) if explained else {}
    return {
        **summary.as_json(),
        "saliency": {name: one.as_json() for name, one in saliency.items()},
        "rows": found.rows,
        "words": {group: list(listed) for group, listed in found.words},
        "combine": columns.combine,
    }


def write_by_prompt(out: str | Path, path: str | Path, columns: NextWordColumns, reference: str | None = None) -> None:
    """Write every measure of every pair of groups, a row for each prompt of a file."""
    with _opened(path, columns) as (given, words):
        groups = [group for group, _ in words]
        pairs = pairs_of_groups(groups, reference)
        header = [*_OF_PROMPT, *(f"P({group})" for group in groups)]
        header += [f"{a}/{b}.{each.name}" for a, b in pairs for each in MEASURES]
        items = (item for item, _ in _answers(given, words, columns.combine))
        write_csv(out, header, (_by_prompt(item, pairs) for item in items))


def _by_prompt(item: Expected, pairs: Sequence[tuple[str, str]]) -> dict[str, object]:
    found: dict[str, object] = {name: getattr(item, name) for name in _OF_PROMPT}
    found |= {f"P({group})": chance for group, chance in item.chances.items()}
    for a, b in pairs:
        both = [(item.chances.get(a), item.chances.get(b))]
        found |= {f"{a}/{b}.{each.name}": each.values(both)[0] for each in MEASURES}
    return found


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


def _number(name: str, path: str | Path, text: str, line: int) -> float:
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
