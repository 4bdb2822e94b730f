"""What tables of next words far larger than memory say: Parquet files that DuckDB sums by profession and template.

A mean over prompts and its interval need of each profession and template only how many prompts there are and the sums
of their values. What needs every prompt (distances between distributions, every profession by itself, labour
statistics, saliency) is left out, and a note says so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.measures.next_words import MEASURES, shared_chance
from tiltmeter.parquet import quoted, sql_text
from tiltmeter.records import Estimate, NextWord
from tiltmeter.results.files.next_words import NOT_MIXED, NextWordColumns
from tiltmeter.results.files.parquet_tables import FIRST, ParquetTable, exact_sums, opened, total_of
from tiltmeter.results.summary.next_words import (
    CONTRASTED,
    ORIGINAL,
    SHARE,
    NextWordSettings,
    Part,
    Perturbation,
    completed,
)
from tiltmeter.results.summary.next_words import NextWordSummary as Summary
from tiltmeter.sources import word_sets
from tiltmeter.sources.tables import column
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.stats.crossed import Crossed
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.estimates import LARGEST

_LEFT_OUT = ("emd", "kl_histograms", "kl_vectors")
NOTE = "summed outside of memory: no distances between distributions, no table by profession, no saliency"
_OWN = "no value: it needs every prompt, and these were summed outside of memory"
_MOST = 1 + 1e-5
_SHARE = "(case when {a} + {b} > 0 then {a} / ({a} + {b}) end)"
_OTHER = f"(1 - {_SHARE})"
_PART = "(case when {0} > 0 then {0} * ln(2 * {0}) else 0.0 end)"
_FORMULAS: Mapping[str, str] = {
    "difference": "({a} - {b})",
    "absolute_difference": "abs({a} - {b})",
    "ratio": "(case when {b} > 0 then {a} / {b} end)",
    "log_ratio": "(case when {a} > 0 and {b} > 0 then ln({a}) - ln({b}) end)",
    "share": _SHARE,
    # The greatest of nothing and zero would be zero.
    "kl": f"(case when {_SHARE} is not null then greatest(0.0, {_PART.format(_SHARE)} + {_PART.format(_OTHER)}) end)",
}
"""The measures of two chances as SQL; blank where one is blank, as those of `measures.next_words`."""

Array = NDArray[np.float64]


def summarise_big_next_words(
    path: str | Path, columns: NextWordColumns | None = None, settings: NextWordSettings | None = None
) -> dict[str, Any]:
    """What `summarise_next_word_file` says of means and differences, from Parquet and with bounded memory."""
    wanted, asked = columns or NextWordColumns(), settings or NextWordSettings()
    if asked.labour is not None:
        raise UserError("--labour needs every prompt, and so many are summed outside of memory: leave it out")
    with opened(path) as whole:
        header = list(whole.types)
        for name in ("prompt", "group", "word"):
            column(header, name, path, name)
        table = whole.chosen(wanted.where)
        _refuse_mixed(table, header)
        sets = _sets(table)
        rows = table.count("true")
        table.keep("prompts", *_prompts(table, sets, wanted))
        summary = _summary(table, sets, asked)
    return {
        **replace(summary, notes=(*summary.notes, NOTE)).as_json(),
        "saliency": {},
        "rows": rows,
        "words": {group: list(listed) for group, listed in sets},
        "combine": wanted.combine,
    }


def _refuse_mixed(table: ParquetTable, header: Sequence[str]) -> None:
    for name in NOT_MIXED:
        values = table.values(name) if name in header else []
        if len(values) > 1:
            raise InvalidData(
                f"the column `{name}` holds {', '.join(values)}, which must not be mixed: choose one with "
                f"--where {name}={next(value for value in values if value)}",
                file=table.path,
            )


def _number(table: ParquetTable, name: str) -> str:
    return f"cast({quoted(name)} as double)" if name in table.types else "cast(null as double)"


def _sets(table: ParquetTable) -> WordSets:
    """The groups and their words, in the order in which they are first named."""
    group, word = table.text("group"), table.text("word")
    if table.count(f"{group} = '' or {word} = ''"):
        raise InvalidData("a row without a group or a word", file=table.path)
    found: dict[str, list[str]] = defaultdict(list)
    order = f"group by g, w order by {FIRST}"
    for g, w in table.rows(f"{group} as g, {word} as w", order, placed=True):
        found[g].append(w)
    return word_sets.checked(found, table.path)


def _prompts(table: ParquetTable, sets: WordSets, columns: NextWordColumns) -> tuple[str, str]:
    """What is kept of each prompt under each perturbation: where it belongs, and each group's chance, or why not."""
    header = table.types
    if not {"probability", "logprob"} & set(header):
        raise InvalidData("a column `probability` or `logprob` is needed", file=table.path, line=1)
    logprob, chance = _number(table, "logprob"), _number(table, "probability")
    wrong = table.count(f"{logprob} > 0 or not coalesce({chance} between 0 and 1, true)")
    if wrong:
        raise InvalidData(f"{wrong:,} rows hold no probability", file=table.path)
    profession = columns.profession or next((name for name in ("profession", "origin") if name in header), None)
    template = columns.template or ("template" if "template" in header else None)
    for name, option in ((columns.profession, "--profession"), (columns.template, "--template")):
        if name is not None:
            column(list(header), name, table.path, option)
    chances = [part for at, one in enumerate(sets) for part in _chance(table, at, one, columns.combine)]
    chosen = ", ".join(
        [
            f"coalesce(nullif({table.text('perturbation')}, ''), '{ORIGINAL}') as perturbation",
            "cast(prompt as varchar) as prompt",
            f"coalesce(nullif(min({table.text(profession)}), ''), min(cast(prompt as varchar))) as profession",
            f"nullif(min({table.text(template)}), '') as template",
            *(f"max({_number(table, name)}) as {name}" for name in ("highest", "gap")),
            f"count(*) - count(distinct {table.text('word')}) as doubled",
            *chances,
        ]
    )
    return chosen, "group by 1, 2"


def _chance(table: ParquetTable, at: int, of: tuple[str, Sequence[str]], combine: str) -> list[str]:
    """The chance of a group after a prompt, and why there is none."""
    group, listed = of[0], of[1][:1] if combine == "first" else of[1]
    word, logprob, given = table.text("word"), _number(table, "logprob"), _number(table, "probability")
    chance = f"(case when {logprob} is not null then exp({logprob}) else {given} end)"
    counted = f"{table.text('group')} = {sql_text(group)} and {word} in ({', '.join(map(sql_text, listed))})"
    # What the text of the words says they share, where the file does not say it.
    certain = [NextWord(each, 0.0) for each in listed]
    begun = [each.word for each in certain if shared_chance(each, certain)]
    held = "0.0"
    if begun:
        held = f"(case when {word} in ({', '.join(map(sql_text, begun))}) then {chance} else 0.0 end)"
    if "shared" in table.types and len(listed) > 1:
        shared = _number(table, "shared")
        held = f"(case when {shared} is not null then least({chance}, {shared}) else {held} end)"
    total = f"sum({chance} - {held}) filter (where {counted})"
    why = " ".join(
        f"when count({chance}) filter (where {counted} and {word} = {name}) = 0 then {name} || ': ' || coalesce("
        f"max(coalesce(nullif({table.text('unscored')}, ''), 'the probability is blank')) "
        f"filter (where {counted} and {word} = {name}), 'the file has no row for it')"
        for name in map(sql_text, listed)
    )
    above = (
        f"when {total} > {_MOST!r} then 'the probabilities of its words add up to ' || format('{{:.4g}}', {total}) "
        "|| ', so they are not those of one place'"
    )
    scored = f"count({chance}) filter (where {counted}) = {len(listed)} and {total} <= {_MOST!r}"
    return [f"case when {scored} then least(1.0, {total}) end as c{at}", f"case {why} {above} end as r{at}"]


@dataclass(frozen=True, slots=True)
class _Figures:
    """Tables of what is kept of prompts, as SQL: a condition on them, and columns with a value for each prompt."""

    table: ParquetTable
    source: str
    level: float

    def cells(self, columns: Mapping[str, str]) -> _Cells:
        """The sums of columns by profession and template."""
        database = self.table.database
        usable = {
            name: f"(case when abs({value}) < {LARGEST!r} and not isnan({value}) then {value} end)"
            for name, value in columns.items()
        }
        ends = database.execute(
            f"select {', '.join(f'max(abs({value}))' for value in usable.values())} from {self.source}"
        ).fetchone()
        exponents = [math.frexp(end or 0.0)[1] for end in ends]
        sums = ", ".join(
            f"count({value}), {exact_sums(value, exponent)}"
            for value, exponent in zip(usable.values(), exponents, strict=True)
        )
        rows = database.execute(
            f"select profession, template, count(*), {sums} from {self.source} "
            "group by profession, template order by profession, template"
        ).fetchall()
        found = {}
        for at, (name, exponent) in enumerate(zip(columns, exponents, strict=True)):
            counts, uppers, lowers = ([row[3 + 3 * at + part] for row in rows] for part in range(3))
            totals = [total_of(upper or 0, lower or 0, exponent) for upper, lower in zip(uppers, lowers, strict=True)]
            found[name] = np.array(counts, dtype=np.intp), np.array(totals)
        places = [(profession, template) for profession, template, *_ in rows]
        return _Cells(places, np.array([row[2] for row in rows], dtype=np.intp), found, self.level)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Professions and templates, the number of their prompts, and of each column how many have a value, and the sum.

    Every prompt counts with the mean of its cell: no mean, and no spread between professions or templates, is another.
    """

    places: Sequence[tuple[str, str | None]]
    prompts: NDArray[np.intp]
    sums: Mapping[str, tuple[NDArray[np.intp], Array]]
    level: float

    def crossed(self) -> Crossed:
        """The prompts by profession and template."""
        both = zip(self.places, self.prompts.tolist(), strict=True)
        named = [place for place, count in both for _ in range(count)]
        professions, templates = [place[0] for place in named], [place[1] for place in named]
        return Crossed(professions, templates, level=self.level)

    def values(self, name: str) -> Any:
        """A column as a value for each prompt; not a number where there is none."""
        counts, totals = self.sums[name]
        means = np.divide(totals, counts, out=np.full(len(totals), np.nan), where=counts > 0)
        within = np.arange(self.prompts.sum()) - np.repeat(np.cumsum(self.prompts) - self.prompts, self.prompts)
        return np.where(within < np.repeat(counts, self.prompts), np.repeat(means, self.prompts), np.nan)

    def of_template(self, name: str) -> _Cells:
        """Those of one template."""
        chosen = [at for at, (_, template) in enumerate(self.places) if template == name]
        sums = {column: (counts[chosen], totals[chosen]) for column, (counts, totals) in self.sums.items()}
        return replace(self, places=[self.places[at] for at in chosen], prompts=self.prompts[chosen], sums=sums)


def _summary(table: ParquetTable, sets: WordSets, settings: NextWordSettings) -> Summary:
    database = table.database
    twice = database.execute("select prompt from prompts where doubled > 0 order by prompt limit 1").fetchone()
    if twice:
        raise InvalidData(f"a word stands twice after the prompt `{twice[0]}`", file=table.path)
    perturbation = table.text("perturbation")
    order = table.rows(f"{perturbation} as p", f"group by p order by {FIRST}", placed=True)
    names = list(dict.fromkeys(name or ORIGINAL for (name,) in order))
    groups = [group for group, _ in sets]
    perturbations = {name: _perturbation(table, name, groups, settings) for name in names}
    contrasts = {
        name: _contrast(table, name, groups, settings) for name in names if name != ORIGINAL and ORIGINAL in names
    }
    return completed(Summary(perturbations, {name: one for name, one in contrasts.items() if one}, None, 0, ()))


def _perturbation(table: ParquetTable, name: str, groups: Sequence[str], settings: NextWordSettings) -> Perturbation:
    source = f"(select * from prompts where perturbation = {sql_text(name)})"
    columns = {f"P({group})": f"c{at}" for at, group in enumerate(groups)} | {"highest": "highest", "gap": "gap"}
    for a, b in pairs_of_groups(groups, settings.reference):
        both = {"a": f"c{groups.index(a)}", "b": f"c{groups.index(b)}"}
        columns |= {f"{a}/{b} {measure.name}": _FORMULAS[measure.name].format(**both) for measure in MEASURES}
        there = "(case when {a} is not null and {b} is not null then {%s} end)"
        columns |= {f"{a}/{b} {side}": (there % side).format(**both) for side in ("a", "b")}
    cells = _Figures(table, source, settings.level).cells(columns)
    over = cells.crossed().resampled_over
    templates = dict.fromkeys(template for _, template in cells.places if template is not None)
    parts = {one: _part(cells.of_template(one), groups, settings) for one in templates if "template" in over}
    reasons: dict[str, dict[str, int]] = {}
    for at, group in enumerate(groups):
        query = f"select r{at}, count(*) from {source} where r{at} is not null group by 1 order by 1"
        found = dict(table.database.execute(query).fetchall())
        reasons |= {group: found} if found else {}
    return Perturbation(_part(cells, groups, settings, whole=True), parts if settings.parts else {}, {}, over, reasons)


def _part(cells: _Cells, groups: Sequence[str], settings: NextWordSettings, *, whole: bool = False) -> Part:
    crossed = cells.crossed()
    chances = {group: crossed.mean(cells.values(f"P({group})"), SHARE) for group in groups}
    sure = {name: crossed.mean(cells.values(name), SHARE) for name in ("highest", "gap")}
    pairs: dict[str, dict[str, Estimate]] = {}
    for a, b in pairs_of_groups(groups, settings.reference):
        place = f"{a}/{b}"
        above, below = cells.values(f"{place} a"), cells.values(f"{place} b")
        found = {}
        for each in MEASURES:
            scale = Scale(each.low, each.high, each.tested)
            values = cells.values(f"{place} {each.name}")
            is_difference = each.name == "difference"
            found[each.name] = crossed.difference(above, below, scale) if is_difference else crossed.mean(values, scale)
        if whole:
            found["ratio_of_means"] = crossed.ratio_of_means(above, below)
            found |= {name: replace(found["difference"], **_NOTHING) for name in _LEFT_OUT}
        pairs[place] = found
    return Part(chances, sure, pairs, int(cells.prompts.sum()))


_NOTHING: dict[str, Any] = {"value": None, "low": None, "high": None, "p": None, "p_adjusted": None, "note": _OWN}


def _contrast(
    table: ParquetTable, name: str, groups: Sequence[str], settings: NextWordSettings
) -> dict[str, dict[str, Estimate]]:
    """The original minus the perturbed, prompt by prompt; empty where no prompt has both."""
    sides = [f"o.c{at} as o{at}, x.c{at} as x{at}" for at in range(len(groups))]
    source = (
        f"(select o.profession, o.template, {', '.join(sides)} from prompts o join prompts x using (prompt) "
        f"where o.perturbation = '{ORIGINAL}' and x.perturbation = {sql_text(name)})"
    )
    pairs = pairs_of_groups(groups, settings.reference)
    columns = {}
    for a, b in pairs:
        for measure in CONTRASTED:
            before, after = (
                _FORMULAS[measure].format(a=f"{side}{groups.index(a)}", b=f"{side}{groups.index(b)}") for side in "ox"
            )
            columns[f"{a}/{b} {measure}"] = f"({before} - {after})"
    cells = _Figures(table, source, settings.level).cells(columns)
    if not cells.places:
        return {}
    crossed = cells.crossed()
    scales = {each.name: Scale(each.low, each.high, each.tested) for each in MEASURES}
    return {
        f"{a}/{b}": {
            measure: crossed.mean(cells.values(f"{a}/{b} {measure}"), scales[measure].change) for measure in CONTRASTED
        }
        for a, b in pairs
    }
