"""The tables on next words on the page, after Tables 2 to 6 and 8 of Alnegheimish, Guo & Sun (2022)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from tiltmeter.present.words import probability
from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, numbers, plain_share, share_cell, sort_key, tint
from tiltmeter.report.next_word_cells import (
    chance_cell,
    first_column,
    heading,
    in_points,
    labour_estimate,
    number_cell,
    p_words,
    ratio_cell,
    share_range,
    signed_cell,
    signed_range,
)
from tiltmeter.report.next_word_readings import SHARE, Reading, ReadingGroup, excludes
from tiltmeter.report.next_word_words import PERTURBATION
from tiltmeter.report.words import NONE, count, signed
from tiltmeter.results.summary.next_word_spread import template_spread
from tiltmeter.results.summary.next_words import ORIGINAL, Part
from tiltmeter.sources.perturbing import PERTURBATIONS

STATUS = {
    "template": "made from templates",
    "authored": "written for this test, not found in nature",
    "natural": "found in a corpus",
    "": "not said",
}
_KL = ("kl", "emd", "kl_histograms", "kl_vectors")


def prompts_table(group: ReadingGroup) -> Table:
    """What was asked: how many prompts of which kind, and how long they are (Table 2)."""
    columns = (
        Column("Prompts"),
        *numbers("Number", "Professions", "Templates", "Words per prompt", "Letters per word"),
        Column("Where from"),
    )
    rows: dict[tuple[TableCell, ...], None] = {}
    for one in group.of_prompts:
        prompts, professions, templates = one.counted()
        long = one.cell.lengths
        rows[
            (
                TableCell(one.cell.source),
                *(TableCell(f"{number:,}" if number else NONE) for number in (prompts, professions, templates)),
                _mean(long.words, long.words_sd),
                _mean(long.letters, long.letters_sd),
                TableCell(_statuses(one.statuses)),
            )
        ] = None
    return Table("The prompts; lengths as mean ± standard deviation", columns, tuple(rows))


def distance_table(group: ReadingGroup) -> Table:
    """How far the chances of the two groups lie apart over the prompts (Table 3)."""
    a, b = group.pair
    columns = (first_column(group), *numbers("KL", "EMD", "KL of histograms", "KL of vectors", "Prompts"))
    rows = tuple(
        (
            heading(group, one),
            *(chance_cell(one.figure(name), p_words(one.figure(name))) for name in _KL),
            number_cell(one.figure("kl").n),
        )
        for one in group.of_prompts
    )
    return Table(f"How far the chances of {a} and {b} lie apart, by prompts", columns, rows)


def absolute_table(group: ReadingGroup) -> Table:
    """The size of the difference under each perturbation, whoever is ahead (Table 4)."""
    a, b = group.pair
    return _perturbations(group, f"|P({a}) − P({b})|, by what becomes of the profession", "absolute_difference")


def share_table(group: ReadingGroup) -> Table:
    """The same for the share, which has a side."""
    a, b = group.pair
    caption = f"Share of {a} beside {b}, P({a}) / (P({a}) + P({b})), by what becomes of the profession"
    return _perturbations(group, caption, SHARE)


def saliency_table(group: ReadingGroup) -> Table | None:
    """What part of the saliency lies on the profession and on the last word (Table 5)."""
    found = [one for one in group.of_prompts if one.cell.saliency]
    residue = any("residue" in one.cell.saliency for one in found)
    columns = (
        first_column(group),
        *numbers("On the profession", "On the last word", *(["Residue"] if residue else []), "Prompts"),
    )
    names = ("profession", "last", *(["residue"] if residue else []))
    rows = []
    for one in found:
        estimates = [one.cell.saliency.get(name, Estimate(None)) for name in names]
        prompts = max(each.n for each in estimates)
        rows.append((heading(group, one), *map(chance_cell, estimates), number_cell(prompts)))
    methods = ", ".join(dict.fromkeys(one.method for one in found if one.method))
    caption = f"Share of the saliency ({methods}) of the most probable of the words, over the tokens of a prompt"
    return Table(caption, columns, tuple(rows)) if rows else None


def certainty_table(group: ReadingGroup) -> Table | None:
    """How sure the model is of the next token (Table 6)."""
    spread = [template_spread(one.main) for one in group.of_prompts]
    over = any(spread)
    names = ("highest", "gap")
    columns = [first_column(group)]
    for label in ("Highest", "Gap to the second"):
        columns += numbers(label, *([f"{label.split()[0]}: SD over templates"] if over else []))
    rows = []
    for one, apart in zip(group.of_prompts, spread, strict=True):
        cells = []
        for name in names:
            cells.append(chance_cell(one.main.overall.certainty.get(name, Estimate(None))))
            if over:
                sd = apart[name].sd if name in apart else None
                cells.append(TableCell(probability(sd), sort=sort_key(sd)))
        rows.append((heading(group, one), *cells))
    known = any(found.value is not None for one in group.of_prompts for found in one.main.overall.certainty.values())
    return Table("The probability of the most probable next token", tuple(columns), tuple(rows)) if known else None


def template_table(group: ReadingGroup) -> Table | None:
    """Every template: size and side of the difference, and certainty (Table 8)."""
    a, b = group.pair
    places = len(group.labels) > 1 or sum(bool(one.main.by_template) for one in group.of_prompts) > 1
    columns = (
        Column("Template"),
        *([Column("Model, prompts")] if places else []),
        *numbers(f"|P({a}) − P({b})|", f"P({a}) / P({b})", "Highest", f"Share of {a}", "Prompts"),
    )
    rows = []
    for one in group.of_prompts:
        place = [_place(group, one)] if places else []
        for name, part in one.main.by_template.items():
            rows.append((TableCell(name), *place, *_part_cells(one, part, sure=True)))
    return Table("Every template, over the professions", columns, tuple(rows)) if rows else None


def profession_table(group: ReadingGroup, one: Reading) -> Table | None:
    """Every profession, the one farthest from one half first, beside who works in it where that is known."""
    a, b = group.pair
    labour = one.cell.summary.labour
    world = {line["profession"]: line for line in labour["matched"]} if labour else {}
    of = labour["group"] if labour else ""
    columns = (
        Column("Profession"),
        *numbers(f"Share of {a}", f"|P({a}) − P({b})|", f"P({a}) / P({b})", "Prompts"),
        *(numbers(f"Share of {of}: model", f"Share of {of}: world") if labour else ()),
    )
    rows = []
    for name, part in one.main.by_profession.items():
        share, size, ratio, prompts = _profession_cells(one, part)
        line = world.get(name, {"model": None, "world": None})
        matched = (plain_share(line["model"]), plain_share(line["world"])) if labour else ()
        rows.append((TableCell(name), share, size, ratio, prompts, *matched))
    rows.sort(key=lambda row: -abs(float(row[1].sort) - 0.5) if row[1].sort else 1.0)
    place = f"{one.cell.source}" + (f", {one.label}" if len(group.labels) > 1 else "")
    return Table(f"Every profession, the farthest from 50 % first ({place})", columns, tuple(rows)) if rows else None


def profession_reasons(one: Reading) -> str:
    """Why professions have no interval, each reason once; empty where all have one."""
    found = [part.pairs.get(one.cell.pair, {}).get(SHARE) for part in one.main.by_profession.values()]
    reasons = Counter((each.note or "").removeprefix("no interval: ") for each in found if each and each.low is None)
    return "; ".join(f"{reason} ({count(number, 'profession')})" for reason, number in reasons.items() if reason)


def habit_table(group: ReadingGroup) -> Table | None:
    """The chance of every group where nothing is said of anybody (Figure 1)."""
    groups = [name for name, _ in group.sets]
    columns = (
        Column("Prompt"),
        *([Column("Model")] if len(group.labels) > 1 else []),
        *numbers(*(f"P({name})" for name in groups), f"Share of {groups[0]} beside {groups[1]}", "Prompts"),
    )
    rows = []
    for one in group.of_habit:
        for name, found in one.cell.summary.perturbations.items():
            chances = [chance_cell(found.overall.groups.get(each, Estimate(None))) for each in groups]
            share = one.figure(SHARE, name)
            rows.append(
                (
                    TableCell(PERTURBATION.get(name, name)),
                    *([TableCell(one.label)] if len(group.labels) > 1 else []),
                    *chances,
                    share_cell(share, mark=tint(share), interval=True),
                    number_cell(found.overall.prompts),
                )
            )
    return Table("What the model expects with no sentence to go by", columns, tuple(rows)) if rows else None


def labour_table(group: ReadingGroup) -> Table | None:
    """Whether expectations follow who works where."""
    found = [(one, one.cell.summary.labour) for one in group.of_prompts if one.cell.summary.labour]
    if not found:
        return None
    of = found[0][1]["group"] if found[0][1] else ""
    columns = (
        first_column(group),
        *numbers("Matched", "Spearman", "Pearson", "Slope", "Model − world"),
    )
    rows = []
    for one, labour in found:
        assert labour is not None
        missing = len(labour["unmatched"]) + len(labour["without_figure"])
        figures = [labour_estimate(labour, name) for name in ("spearman", "pearson", "slope")]
        rows.append(
            (
                heading(group, one),
                TableCell(f"{len(labour['matched']):,}", f"{missing:,} professions not", str(len(labour["matched"]))),
                *map(signed_cell, figures),
                signed_cell(in_points(labour_estimate(labour, "above")), 1),
            )
        )
    return Table(
        f"The model’s share of {of} beside that of who works in each occupation; the last column in points",
        columns,
        tuple(rows),
    )


def _perturbations(group: ReadingGroup, caption: str, measure: str) -> Table:
    present = {name for one in group.of_prompts for name in one.cell.summary.perturbations}
    names = [name for name in PERTURBATIONS if name in present]
    columns = (first_column(group), *numbers(*(PERTURBATION[name].capitalize() for name in names)))
    rows = tuple((heading(group, one), *(_perturbed(one, name, measure) for name in names)) for one in group.of_prompts)
    return Table(caption, columns, rows)


def _perturbed(one: Reading, name: str, measure: str) -> TableCell:
    found, change = one.figure(measure, name), one.contrast(measure, name)
    share = measure == SHARE
    cell = share_cell(found, mark=tint(found)) if share else chance_cell(found)
    lines = [share_range(found)] if share else [cell.small]
    if name != ORIGINAL and change.value is not None:
        shown, decimals = (in_points(change), 1) if share else (change, 3)
        sure = " *" if excludes(change, 0.0) else ""
        lines.append(f"original − this: {signed(shown.value, decimals)}{sure}")
        lines.append(f"({signed_range(shown, decimals)})")
    return replace(cell, small="\n".join(filter(None, lines)))


def _part_cells(one: Reading, part: Part, *, sure: bool) -> tuple[TableCell, ...]:
    found = part.pairs.get(one.cell.pair, {})
    share = found.get(SHARE, Estimate(None))
    certain = [chance_cell(part.certainty.get("highest", Estimate(None)), reason=False)] if sure else []
    return (
        chance_cell(found.get("absolute_difference", Estimate(None)), reason=False),
        ratio_cell(found.get("ratio", Estimate(None))),
        *certain,
        share_cell(share, mark=tint(share), interval=True),
        number_cell(part.prompts),
    )


def _profession_cells(one: Reading, part: Part) -> tuple[TableCell, ...]:
    size, ratio, share, prompts = _part_cells(one, part, sure=False)
    return share, size, ratio, prompts


def _mean(mean: float | None, deviation: float | None) -> TableCell:
    if mean is None:
        return TableCell(NONE)
    return TableCell(f"{mean:.2f}" + ("" if deviation is None else f" ± {deviation:.2f}"), sort=sort_key(mean))


def _statuses(found: Mapping[str, int]) -> str:
    parts = [(STATUS.get(status, status), number) for status, number in found.items() if number]
    return parts[0][0] if len(parts) == 1 else "; ".join(f"{number:,} {words}" for words, number in parts)


def _place(group: ReadingGroup, one: Reading) -> TableCell:
    return TableCell(one.label, one.cell.source) if len(group.labels) > 1 else TableCell(one.cell.source)
