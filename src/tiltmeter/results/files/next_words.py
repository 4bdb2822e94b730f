"""Files of next words: one row for each prompt, perturbation and word; and the estimates of such a file."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import check_writable, write_csv
from tiltmeter.measures.next_words import Combine, shared_chance
from tiltmeter.records import NextWord, NextWords, Shared
from tiltmeter.results.files.rated_rows import chosen_rows
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
from tiltmeter.sources.tables import Row, column, read_table
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
    header, every = read_table(path)
    for name in _NEEDED:
        column(header, name, path, name)
    if not {"probability", "logprob"} & set(header):
        raise InvalidData("a column `probability` or `logprob` is needed", file=path, line=1)
    rows = _select(every, header, wanted.where, path)
    profession = _optional(header, wanted.profession, ("profession", "origin"), path, "--profession")
    template = _optional(header, wanted.template, ("template",), path, "--template")
    sets: dict[str, list[str]] = defaultdict(list)
    prompts: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for line, cells in rows:
        group, word = cells["group"].strip(), cells["word"].strip()
        if not group or not word:
            raise InvalidData("a row without a group or a word", file=path, line=line)
        sets[group].append(word)
        prompts[cells.get("perturbation", "").strip() or ORIGINAL, cells["prompt"]].append((line, cells))
    words = word_sets.checked(sets, path)
    items, explained = [], []
    for (perturbation, prompt), own in prompts.items():
        found = _next_words(own, words, path)
        line, cells = own[0]
        place = Place(
            (cells[profession].strip() if profession else "") or prompt,
            (cells[template].strip() or None) if template else None,
        )
        items.append(expected(found, words, prompt, place.profession, place.template, perturbation, wanted.combine))
        shares = [_number(cells.get(name, ""), name, line, path) for name in SALIENCY_COLUMNS[1:]]
        if any(share is not None for share in shares):
            explained.append(Explained(place, *shares))
    return AnswerFile(items, words, len(rows), explained)


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


def _next_words(rows: Sequence[Row], sets: WordSets, path: str | Path) -> NextWords:
    found: dict[str, NextWord] = {}
    groups = {word: listed for _, listed in sets for word in listed}
    for line, cells in rows:
        word = cells["word"].strip()
        if word in found:
            raise InvalidData(
                f"the word `{word}` stands twice after the prompt `{cells['prompt']}`", file=path, line=line
            )
        logprob = _logprob(cells, line, path)
        reason = cells.get("unscored", "").strip() or "the probability is blank"
        found[word] = NextWord(
            word, logprob, None if logprob is not None else reason, _shared(cells, word, groups[word], line, path)
        )
    missing = "the file has no row for it"
    cells = rows[0][1]
    return NextWords(
        tuple(found.get(word) or NextWord(word, None, missing) for word in groups),
        _number(cells.get("highest", ""), "highest", rows[0][0], path),
        _number(cells.get("gap", ""), "gap", rows[0][0], path),
    )


def _shared(
    cells: Mapping[str, str], word: str, group: Sequence[str], line: int, path: str | Path
) -> tuple[Shared, ...] | None:
    """What other words of the group hold of a word's chance; None where the file does not say."""
    held = _number(cells.get("shared", ""), "shared", line, path)
    if held is None:
        return None
    if not 0 <= held <= 1:
        raise InvalidData(f"{held:g} is no probability", file=path, line=line, key="shared")
    return ((tuple(other for other in group if other != word), math.log(held)),) if held else ()


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


def _select(rows: Sequence[Row], header: Sequence[str], where: Mapping[str, str], path: str | Path) -> list[Row]:
    kept = chosen_rows(rows, header, where, path)
    for name in NOT_MIXED:
        values = sorted({cells.get(name, "") for _, cells in kept})
        if len(values) > 1:
            raise InvalidData(
                f"the column `{name}` holds {', '.join(values)}, which must not be mixed: choose one with "
                f"--where {name}={next(value for value in values if value)}",
                file=path,
            )
    return kept
