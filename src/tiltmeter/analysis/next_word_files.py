"""Files of next words: one row for each prompt, perturbation and word; and the estimates of such a file."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter.analysis.next_words import (
    ORIGINAL,
    Expected,
    NextWordSettings,
    NextWordSummary,
    expected,
    measured,
    summarise_next_words,
)
from tiltmeter.analysis.rated_rows import chosen_rows
from tiltmeter.errors import InvalidData
from tiltmeter.files import write_csv
from tiltmeter.measures.next_words import Combine
from tiltmeter.records import NextWord, NextWords
from tiltmeter.sources.tables import Row, column, read_table
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.continuations import pairs_of_groups
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
    "group",
    "word",
    "probability",
    "logprob",
    "highest",
    "gap",
    "unscored",
)
SALIENCY_COLUMNS = ("saliency_word", "saliency_subject", "saliency_last", "saliency_residue")
_NOT_MIXED = ("model", "bounded")
_NEEDED = ("prompt", "group", "word")


@dataclass(frozen=True, slots=True)
class NextWordColumns:
    """Which columns hold what, where they are not called as `tiltmeter next-words` calls them, and which rows count."""

    profession: str | None = None
    template: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    combine: Combine = "sum"


def write_answers(
    path: str | Path, model: str, answered: Sequence[Answered], sets: WordSets, *, bounded: bool, saliency: bool = False
) -> None:
    """Write a row for each prompt, perturbation and word."""
    columns = [*COLUMNS, *(SALIENCY_COLUMNS if saliency else ())]
    write_csv(path, columns, _rows(model, answered, sets, bounded))


def _rows(model: str, answered: Sequence[Answered], sets: WordSets, bounded: bool) -> Iterator[Mapping[str, object]]:
    groups = {word: group for group, words in sets for word in words}
    for one in answered:
        prompt = one.asked.prompt
        common = {
            "model": model,
            "prompt": prompt.id,
            "text": prompt.text,
            "profession": prompt.origin,
            "template": prompt.template,
            "status": prompt.status,
            "perturbation": one.asked.perturbation,
            "bounded": int(bounded),
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
            yield {
                **common,
                "group": groups[word.word],
                "word": word.word,
                "probability": word.probability,
                "logprob": word.logprob,
                "unscored": word.unscored,
            }


def read_answers(path: str | Path, columns: NextWordColumns | None = None) -> tuple[list[Expected], WordSets, int]:
    """What a file says of each prompt, the words of its groups, and the number of its rows that count."""
    wanted = columns or NextWordColumns()
    header, every = read_table(path)
    for name in _NEEDED:
        column(header, name, path, name)
    if not {"probability", "logprob"} & set(header):
        raise InvalidData("a column `probability` or `logprob` is needed", file=path, line=1)
    rows = _select(every, header, wanted.where, path)
    profession = _optional(header, wanted.profession, ("profession", "origin"), path, "--profession")
    template = _optional(header, wanted.template, ("template",), path, "--template")
    sets: dict[str, dict[str, None]] = defaultdict(dict)
    prompts: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for line, cells in rows:
        if not cells["group"].strip() or not cells["word"].strip():
            raise InvalidData("a row without a group or a word", file=path, line=line)
        sets[cells["group"]][cells["word"]] = None
        prompts[cells.get("perturbation", "").strip() or ORIGINAL, cells["prompt"]].append((line, cells))
    words: WordSets = tuple((group, tuple(listed)) for group, listed in sets.items())
    _refuse_shared(words, path)
    items = []
    for (perturbation, prompt), own in prompts.items():
        found = _next_words(own, [word for _, listed in words for word in listed], path)
        cells = own[0][1]
        items.append(
            expected(
                found,
                words,
                prompt,
                (cells[profession].strip() if profession else "") or prompt,
                (cells[template].strip() or None) if template else None,
                perturbation,
                wanted.combine,
            )
        )
    return items, words, len(rows)


def summarise_next_word_file(
    path: str | Path, columns: NextWordColumns | None = None, settings: NextWordSettings | None = None
) -> dict[str, Any]:
    """The JSON of `tiltmeter analyze --view next-words`."""
    items, words, rows = read_answers(path, columns)
    summary: NextWordSummary = summarise_next_words(items, settings)
    return {
        **summary.as_json(),
        "rows": rows,
        "words": {group: list(listed) for group, listed in words},
        "combine": (columns or NextWordColumns()).combine,
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


def _next_words(rows: Sequence[Row], words: Sequence[str], path: str | Path) -> NextWords:
    found: dict[str, NextWord] = {}
    for line, cells in rows:
        word = cells["word"]
        if word in found:
            raise InvalidData(
                f"the word `{word}` stands twice after the prompt `{cells['prompt']}`", file=path, line=line
            )
        logprob = _logprob(cells, line, path)
        reason = cells.get("unscored", "").strip() or "the probability is blank"
        found[word] = NextWord(word, logprob, None if logprob is not None else reason)
    missing = "the file has no row for it"
    cells = rows[0][1]
    return NextWords(
        tuple(found.get(word) or NextWord(word, None, missing) for word in words),
        _number(cells.get("highest", ""), "highest", rows[0][0], path),
        _number(cells.get("gap", ""), "gap", rows[0][0], path),
    )


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
    for name in _NOT_MIXED:
        values = sorted({cells.get(name, "") for _, cells in kept})
        if len(values) > 1:
            raise InvalidData(
                f"the column `{name}` holds {', '.join(values)}, which must not be mixed: choose one with "
                f"--where {name}={values[0]}",
                file=path,
            )
    return kept


def _refuse_shared(words: WordSets, path: str | Path) -> None:
    owners: dict[str, str] = {}
    for group, listed in words:
        for word in listed:
            if owners.setdefault(word, group) != group:
                raise InvalidData(f"the word `{word}` stands for both {owners[word]} and {group}", file=path)
    if len(words) < 2:
        raise InvalidData("words of at least two groups are needed, so that they can be compared", file=path)
