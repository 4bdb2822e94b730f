"""Tables on raters and groups: the raters' own tilt, their agreement, refusals, means, and what is unrated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tiltmeter.raters.tilt import note
from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, numbers, share_cell, sort_key
from tiltmeter.report.decodings import decoding_words, rater_words
from tiltmeter.report.texts_by_rater import difference_words
from tiltmeter.report.words import NONE, count, p_value, signed
from tiltmeter.results.summary.refusals import Refusals
from tiltmeter.results.summary.text_records import ContinuationsSummary, RaterTilt

_NONE = 1e-9
"""A tilt below this is rounding."""
_NAMED = 4
"""Pairs of groups that are named where two raters disagree; summary.json has all."""


def tilt_table(tilts: Sequence[RaterTilt], label: Callable[[str], str]) -> Table | None:
    """Each rater's mean by group on sentences in which only the group changes; `label` names a bias."""
    columns = (Column("Rater"), Column("Bias"), Column("Mean by group"), *numbers("Largest difference"))
    rows = []
    for tilt in tilts:
        means = [f"{group} {signed(found.value, 3)}" for group, found in tilt.by_group.items()]
        known = [(pair, found) for pair, found in tilt.difference.items() if found.value is not None]
        pair, widest = max(known, key=lambda one: abs(one[1].value or 0.0), default=(("", ""), Estimate(None)))
        value = TableCell("none", note(tilt.rater, masked=True) or "the same for every group", "0")
        if widest.value is None or abs(widest.value) > _NONE:
            words = f"{pair[0]} − {pair[1]}\n{difference_words(widest)}" if widest.value is not None else ""
            value = TableCell(signed(widest.value, 3), words, sort_key(widest.value))
        rows.append(
            (TableCell(rater_words(tilt.rater)), TableCell(label(tilt.bias)), TableCell("; ".join(means)), value)
        )
    return (
        Table("The raters’ own tilt, on sentences in which only the group changes", columns, tuple(rows))
        if rows
        else None
    )


def agreement_table(found: ContinuationsSummary, label: Callable[[str], str]) -> Table | None:
    """How far raters of the same kind agree, and on which groups they do not."""
    columns = (
        Column("Raters"),
        *numbers("Texts", "Rank correlation", "Krippendorff’s alpha"),
        Column("Point to opposite groups"),
    )
    alone = len({(one.model, one.source) for one in found.agreement}) == 1
    rows = []
    for one in found.agreement:
        opposite = [f"{label(bias)}: {a} and {b}" for bias, a, b in one.opposite]
        more = f"\nand {len(opposite) - _NAMED} more" if len(opposite) > _NAMED else ""
        sure = f"{len(one.surely_opposite) or 'none'} of them with both intervals off zero\n"
        where = TableCell(
            f"on {count(len(opposite), 'pair')} of groups", sure + "\n".join(opposite[:_NAMED]) + more, mark="opposed"
        )
        correlation = one.rank_correlation
        interval = "" if correlation.low is None else f"{signed(correlation.low)} to {signed(correlation.high)}"
        rows.append(
            (
                TableCell(
                    f"{rater_words(one.first)} and {rater_words(one.second)}",
                    "" if alone else f"{one.model}, {one.source}",
                ),
                TableCell(f"{one.n:,}", sort=str(one.n)),
                TableCell(signed(correlation.value), interval, sort_key(correlation.value)),
                TableCell(
                    NONE if one.krippendorff is None else signed(one.krippendorff), sort=sort_key(one.krippendorff)
                ),
                where if opposite else TableCell("nowhere"),
            )
        )
    return Table("Raters of the same kind on the same texts", columns, tuple(rows)) if rows else None


def silence_table(refusals: Sequence[Refusals], label: Callable[[str], str]) -> Table | None:
    """What was asked for, refused and missing, by group; None where every text is an answer."""
    if not any(group.refused or group.missing for found in refusals for group in found.groups.values()):
        return None
    columns = (Column("Group"), *numbers("Texts asked for", "Refused", "Share refused", "Missing"))
    rows = [
        (
            TableCell(name, _place_of(found, refusals, label)),
            _number(group.asked),
            _number(group.refused),
            share_cell(group.share, interval=True),
            TableCell(
                f"{sum(group.missing.values()):,}",
                "\n".join(f"{number:,}: {why}" for why, number in group.missing.items()),
                str(sum(group.missing.values())),
            ),
        )
        for found in refusals
        for name, group in found.groups.items()
    ]
    return Table("Refused and missing texts, by group", columns, tuple(rows))


def refusal_gap_table(refusals: Sequence[Refusals], label: Callable[[str], str]) -> Table | None:
    """The difference in refusals between groups; None where nothing was refused."""
    rows = [
        (
            TableCell(f"{pair.a} − {pair.b}", _place_of(found, refusals, label)),
            TableCell(
                signed(pair.difference.value, 3), difference_words(pair.difference), sort_key(pair.difference.value)
            ),
            TableCell(p_value(pair.difference.p_adjusted), sort=sort_key(pair.difference.p_adjusted)),
            _number(pair.difference.n),
            _number(pair.difference.origins),
        )
        for found in refusals
        if any(group.refused for group in found.groups.values())
        for pair in found.pairs
    ]
    columns = (Column("Groups"), *numbers("Difference of shares", "Adjusted p", "Texts", "Origins"))
    return Table("Is one group refused more often?", columns, tuple(rows)) if rows else None


def _place_of(found: Refusals, refusals: Sequence[Refusals], label: Callable[[str], str]) -> str:
    return "" if len(refusals) == 1 else f"{found.model}, {found.source}, {label(found.bias)}"


def _number(number: int) -> TableCell:
    return TableCell(f"{number:,}", sort=str(number))


def means_table(found: ContinuationsSummary, label: Callable[[str], str]) -> Table:
    """Every group under every rater and choice."""
    several = len({cell.model for cell in found.cells}) > 1
    sources = len({cell.source for cell in found.cells}) > 1
    more = [*(["Model"] if several else []), *(["Prompts"] if sources else [])]
    names = ("Group", "Bias", *more, "Decoding", "Rater")
    columns = (*map(Column, names), *numbers("Mean", "SD", "Texts", "Unrated", "If unrated"))
    decodings = [cell.decoding for cell in found.cells]
    rows = []
    for cell in found.cells:
        for group, summary in cell.summary.groups.items():
            mean = summary.mean
            interval = "" if mean.low is None else f"{signed(mean.low, 3)} to {signed(mean.high, 3)}"
            bounds = summary.bounds if mean.n_unscored else None
            rows.append(
                (
                    TableCell(group),
                    TableCell(label(cell.bias)),
                    *([TableCell(cell.model)] if several else []),
                    *([TableCell(cell.source)] if sources else []),
                    TableCell(decoding_words(cell.decoding, decodings)),
                    TableCell(rater_words(cell.rater)),
                    TableCell(signed(mean.value, 3), interval, sort_key(mean.value)),
                    TableCell(NONE if summary.sd is None else f"{summary.sd:.3f}", sort=sort_key(summary.sd)),
                    TableCell(f"{mean.n:,}", sort=str(mean.n)),
                    TableCell(f"{mean.n_unscored:,}", sort=str(mean.n_unscored)),
                    TableCell("" if bounds is None else f"{signed(bounds[0], 3)} to {signed(bounds[1], 3)}"),
                )
            )
    return Table("Mean rating of every group under every choice", columns, tuple(rows))


_FAR = {"share_above": "Texts above", "any_above": "Prompts with one above", "mean_maximum": "Mean of the highest"}
"""Measures of the far end that are shown in a table; the k highest have figures of their own."""


def extremes_table(found: ContinuationsSummary, label: Callable[[str], str]) -> Table | None:
    """How many texts and prompts of each group lie above the threshold, and the mean of each prompt's highest text."""
    decodings = [cell.decoding for cell in found.cells]
    rows = []
    for cell in found.cells:
        far = cell.summary.extremes
        for group in far.get("share_above", {}):
            above, any_above, highest = (far.get(name, {}).get(group, Estimate(None)) for name in _FAR)
            interval = "" if highest.low is None else f"{signed(highest.low, 3)} to {signed(highest.high, 3)}"
            place = f"{cell.model}, {cell.source}, {decoding_words(cell.decoding, decodings)}"
            rows.append(
                (
                    TableCell(group, label(cell.bias)),
                    TableCell(rater_words(cell.rater), place),
                    share_cell(above, interval=True),
                    share_cell(any_above, interval=True),
                    TableCell(signed(highest.value, 3), interval, sort_key(highest.value)),
                )
            )
    columns = (Column("Group"), Column("Rater"), *numbers(*_FAR.values()))
    return (
        Table("The far end: texts above the threshold, and the highest of each prompt", columns, tuple(rows))
        if rows
        else None
    )


def unrated_table(found: ContinuationsSummary, label: Callable[[str], str]) -> Table | None:
    """How many texts have no rating, by reason, group and rater."""
    raters = list(dict.fromkeys(cell.rater for cell in found.cells))
    counts: dict[tuple[str, str, str], dict[str, int]] = {}
    for cell in found.cells:
        for group, summary in cell.summary.groups.items():
            for reason, number in summary.unrated.items():
                by_rater = counts.setdefault((reason, cell.bias, group), {})
                by_rater[cell.rater] = by_rater.get(cell.rater, 0) + number
    order = {reason: at for at, reason in enumerate(dict.fromkeys(reason for reason, *_ in counts))}
    several = len({bias for _, bias, _ in counts}) > 1
    rows = tuple(
        (
            TableCell(reason),
            TableCell(group, label(bias) if several else ""),
            *_numbers(counts[reason, bias, group], raters),
        )
        for reason, bias, group in sorted(counts, key=lambda key: order[key[0]])
    )
    columns = (Column("Reason"), Column("Group"), *numbers(*map(rater_words, raters)))
    return Table("Texts without a rating, by reason, group and rater", columns, rows) if rows else None


def _numbers(counts: Mapping[str, int], names: Sequence[str]) -> list[TableCell]:
    return [TableCell(f"{counts.get(name, 0):,}", sort=str(counts.get(name, 0))) for name in names]
