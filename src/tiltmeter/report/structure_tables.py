"""Tables on sentence structures: robustness, the best and the worst, families, and every one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tiltmeter.records import Structure
from tiltmeter.report.cells import Column, Table, TableCell, numbers, share_cell, sort_key
from tiltmeter.report.texts_by_rater import difference_words
from tiltmeter.report.words import NONE, signed
from tiltmeter.results.summary.text_records import ContinuationCell
from tiltmeter.stats.continuations import ContinuationSummary
from tiltmeter.stats.structures import StructureSummary

Pairs = Sequence[tuple[str, str]]


def robustness_table(found: StructureSummary) -> Table:
    """Single structures against halves of them."""
    robust = found.robustness
    columns = (Column("What is held against what"), *numbers("Single structures", "Halves of them"))
    rows = [
        (
            TableCell("Cosine of the group means", "the published measure; blind to what all groups share"),
            _cosine(robust.single.plain),
            _cosine(robust.split_half.plain),
        )
    ]
    if len(found.paraphrases.groups) > 2:
        # Of two groups a correlation is 1 or −1 and says no more than the signs do.
        rows.append(
            (
                TableCell("Correlation of the group means", "the same, each structure centred on its own mean"),
                _cosine(robust.single.centred),
                _cosine(robust.split_half.centred),
            )
        )
    caption = f"Robustness over {robust.n_structures} structures and {robust.n_splits:,} splits into halves"
    return Table(caption, columns, tuple(rows))


def ranking_table(found: StructureSummary, known: Mapping[str, Structure]) -> Table:
    """The structures with the best and the worst ratings of each group, and over all groups."""
    columns = (Column("Group"), Column("Best structures"), Column("Worst structures"))
    groups = [*found.best.groups, None]
    rows = []
    for group in groups:
        best, worst = (
            ranking.overall if group is None else ranking.groups.get(group, ()) for ranking in (found.best, found.worst)
        )
        rows.append(
            (TableCell("all groups" if group is None else group), *(_ranked(ranked, known) for ranked in (best, worst)))
        )
    return Table("Structures with the best and with the worst ratings, by group", columns, tuple(rows))


def family_table(cell: ContinuationCell, pairs: Pairs) -> Table | None:
    """The differences for each family of structures."""
    if len(cell.families) < 2:
        return None
    columns = (Column("Family"), *numbers(*(f"{a} − {b}" for a, b in pairs), "Texts"))
    rows = []
    for family in sorted(cell.families):
        summary = cell.families[family]
        texts = sum(group.mean.n for group in summary.groups.values())
        rows.append((TableCell(family), *_gaps(summary, pairs), TableCell(f"{texts:,}", sort=str(texts))))
    return Table("Differences by family of structures", columns, tuple(rows))


def structure_table(
    found: StructureSummary, pairs: Pairs, known: Mapping[str, Structure], examples: Mapping[str, str]
) -> Table:
    """Every structure with its differences, the plain prompt first; `examples` has a prompt of each."""
    fixed = found.settings.fixed
    columns = (Column("Structure"), Column("Kind, family"), Column("Skeleton"))
    rows = []
    for name in sorted(found.structures, key=lambda name: name != fixed):
        summary, form = found.structures[name], known[name]
        means = [group.mean for group in summary.groups.values()]
        unrated = sum(mean.n_unscored for mean in means)
        texts = sum(mean.n for mean in means)
        reversals = {(one.a, one.b) for one in found.reversals if one.structure == name}
        rows.append(
            (
                TableCell(f"{name}: the plain prompt" if name == fixed else name, examples.get(name, "")),
                TableCell(form.kind, form.family),
                TableCell(form.skeleton),
                *_gaps(summary, pairs, reversals),
                TableCell(f"{texts:,}", f"{unrated:,} unrated" if unrated else "", str(texts)),
            )
        )
    return Table(
        "The difference of two groups under every structure",
        (*columns, *numbers(*(f"{a} − {b}" for a, b in pairs), "Texts")),
        tuple(rows),
    )


def sign_table(found: StructureSummary, pairs: Pairs) -> Table:
    """For each pair of groups: the difference over all structures, and how many of them keep its sign."""
    columns = (Column("a − b"), *numbers("Over all structures", "Keep its sign", "Reverse it", "Zero"))
    rows = []
    for a, b in pairs:
        kept, whole = found.robustness.sign_kept[a, b], found.robustness.two_way[a, b]
        rows.append(
            (
                TableCell(f"{a} − {b}"),
                TableCell(signed(whole.value, 3), difference_words(whole), sort_key(whole.value)),
                share_cell(kept.share, interval=True),
                TableCell(str(kept.reversed), sort=str(kept.reversed)),
                TableCell(str(kept.ties), sort=str(kept.ties)),
            )
        )
    return Table("How many structures keep the sign of each difference", columns, tuple(rows))


def _gaps(summary: ContinuationSummary, pairs: Pairs, reversals: set[tuple[str, str]] | None = None) -> list[TableCell]:
    made = []
    for pair in pairs:
        found = next((one.difference for one in summary.pairs if (one.a, one.b) == pair), None)
        value = found.value if found else None
        small = difference_words(found) if found and found.low is not None else ""
        mark = "opposed" if reversals and pair in reversals else ""
        made.append(TableCell(signed(value, 3), small, sort_key(value), mark))
    return made


def _ranked(ranked: Sequence[tuple[str, float]], known: Mapping[str, Structure]) -> TableCell:
    lines = [f"{name} ({known[name].family}) {signed(value, 2)}" for name, value in ranked]
    return TableCell(lines[0] if lines else NONE, "\n".join(lines[1:]))


def _cosine(value: float | None) -> TableCell:
    return TableCell(signed(value, 3).removeprefix("+"), sort=sort_key(value))
