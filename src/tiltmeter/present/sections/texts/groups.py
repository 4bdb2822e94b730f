"""Group by group: mean ratings with label shares, the highest ratings, refusals, and texts that were not rated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tiltmeter.present.blocks import Block, Chart, Column, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.decodings import asking_words, rater_words
from tiltmeter.present.known_raters import figure_words
from tiltmeter.present.sections.texts.of_run import RunTexts, shown
from tiltmeter.present.tables import Cell, mean_cell, numbers, reasons_cell, share_cell, sort_key, table, value_cell
from tiltmeter.present.words import NONE, capitalised, count, listed, p_value, percent, percent_range, signed
from tiltmeter.raters.regard_labels import OTHER
from tiltmeter.raters.scales import scale_of
from tiltmeter.records import Estimate
from tiltmeter.results.files.rated_values import DECLINED
from tiltmeter.results.summary.by_rater import Board
from tiltmeter.results.summary.known_raters import known_rater
from tiltmeter.results.summary.refusals import GroupRefusals, Refusals, longest, refusal_rater
from tiltmeter.results.summary.text_records import PEOPLE, ContinuationCell, kind_of
from tiltmeter.stats.views.continuations import GroupSummary
from tiltmeter.views import FACTS

_FEW = 3
"""Groups that a note on refusals names where there are many: those refused most often."""
_GROUPS, _ROWS = 12, 16
"""Groups and methods in a chart: of more, the lowest and highest groups of the first method, and the first methods."""
_REASONS = {DECLINED: "Taken for a refusal", OTHER: "Regard is mixed, unclear or about somebody else"}
"""Reasons of raters in other words."""
_FAR = {
    "share_above": "Texts above",
    "any_above": "Prompts with one above",
    "mean_maximum": "Mean of each prompt’s highest",
}
"""Measures of the highest ratings that are in a table; those of the k highest are curves."""


def group_sections(texts: RunTexts) -> Iterator[Section]:
    """The sections on single groups, those that have something to show."""
    if texts.summary.cells:
        yield Section("Mean rating of each group", shown(*mean_charts(texts), means_table(texts)), folded=True)
    extremes = extremes_table(texts)
    if extremes:
        said = (
            f"How many texts are rated above the threshold ({_thresholds(texts)}), and how many prompts lead to at "
            "least one such text. A rater's threshold is its makers', unless the study sets another."
        )
        yield Section("The highest ratings", (Prose(text(said)), extremes), folded=True)
    if texts.summary.refusals:
        yield Section("Refused and missing texts", tuple(refusal_blocks(texts)))
    missing = not_rated_table(texts)
    if missing:
        again = " Each text counts once for each length at which it was rated." if _once(texts) else ""
        said = f"A text without a rating counts in no mean. Groups that lose more texts are compared on fewer.{again}"
        yield Section("Texts that were not rated", (Prose(text(said)), missing), folded=True)


def _thresholds(texts: RunTexts) -> str:
    """The threshold of each rater; one alone where all have the same."""
    found = {cell.rater: cell.summary.threshold for cell in texts.summary.cells if cell.summary.threshold is not None}
    if len(set(found.values())) == 1:
        return f"{next(iter(found.values())):g}"
    return listed([f"{rater_words(rater)} {threshold:g}" for rater, threshold in found.items()])


def mean_charts(texts: RunTexts) -> Iterator[Chart]:
    """The groups under every method, a chart for each kind of rating."""
    by_kind: dict[tuple[str, str, str], list[ContinuationCell]] = {}
    for cell in texts.summary.cells:
        if not cell.rater.startswith(PEOPLE) and _valued(cell):
            by_kind.setdefault((cell.model, cell.bias, kind_of(cell.rater)), []).append(cell)
    for (model, bias, kind), cells in by_kind.items():
        shown = _shown_groups(cells[0])
        rows = [
            DotRow(
                f"{texts.decoding(cell.decoding)}, {rater_words(cell.rater)}",
                tuple(_dot(cell, group, texts) for group in shown if group in cell.summary.groups),
                heading=cell.source,
            )
            for cell in cells[:_ROWS]
        ]
        scale = scale_of(cells[0].rater)
        worse = scale.worse if scale else 0
        axis = Axis(
            f"mean {kind}",
            neutral=scale.neutral if scale and scale.low < 0 else None,
            neutral_name="neutral",
            left="worse" if worse < 0 else "",
            right="worse" if worse > 0 else "",
        )
        left = (
            "" if len(cells) <= _ROWS else f" The first {_ROWS} of {len(cells)} methods are drawn; the table has all."
        )
        if len(shown) < len(cells[0].summary.groups):
            left += f" Of {len(cells[0].summary.groups)} groups, the lowest and highest are drawn."
        yield Chart(
            texts.name("groups", model, bias, kind),
            _extreme_group(cells, worse, texts),
            dots(rows, axis, texts.colours(bias)),
            "; ".join(f"{row.label}: {', '.join(f'{dot.series} {dot.text}' for dot in row.dots)}" for row in rows)
            + ".",
            text(f"Mean rating of each group, with 95 % intervals ({model}, {texts.names.bias(bias)}).{left}"),
        )


def _valued(cell: ContinuationCell) -> list[GroupSummary]:
    return [one for one in cell.summary.groups.values() if one.mean.value is not None]


def _shown_groups(cell: ContinuationCell) -> list[str]:
    groups = list(cell.summary.groups)
    if len(groups) <= _GROUPS:
        return groups
    ordered = [one.group for one in sorted(_valued(cell), key=lambda one: one.mean.value or 0.0)]
    return [*ordered[: _GROUPS // 2], *ordered[-_GROUPS // 2 :]]


def _dot(cell: ContinuationCell, group: str, texts: RunTexts) -> Dot:
    mean = cell.summary.groups[group].mean
    written = mean_cell(mean)
    shown = written.text if mean.value is not None else "not rated"
    tip = f"{texts.group(group, cell.bias)}, {texts.where(cell)}\n{shown} ({written.small})"
    return Dot(
        *(mean.value, mean.low, mean.high, texts.group(group, cell.bias), shown),
        interval=written.small if mean.low is not None else "",
        tip=f"{tip}\n{count(mean.n, 'text')}, {mean.n_unscored:,} not rated",
        place=texts.place(cell, group),
    )


def _extreme_group(cells: Sequence[ContinuationCell], worse: int, texts: RunTexts) -> str:
    """Which group is rated worst most often; lowest, where no direction is worse."""
    side = worse or -1
    groups, times, ties = most_often_highest(
        [{one.group: side * (one.mean.value or 0.0) for one in _valued(cell)} for cell in cells]
    )
    most = [texts.group(group, cells[0].bias) for group in groups]
    how = "rated worst" if worse else "rated lowest"
    each = " each" if len(most) > 1 else ""
    tied = f" ({ties} of these methods {'is a tie' if ties == 1 else 'are ties'})" if ties else ""
    return f"Texts about {listed(most)} are {how} under {times} of {count(len(cells), 'method')}{each}{tied}"


def most_often_highest(methods: Sequence[Mapping[str, float]]) -> tuple[list[str], int, int]:
    """The groups that are highest under the most methods, under how many each, and how many of these are ties.

    >>> most_often_highest([{"a": 1.0, "b": 1.0, "c": 0.0}, {"a": 2.0, "b": 3.0, "c": 0.0}, {"a": 2.0, "b": 1.0}])
    (['a', 'b'], 2, 1)
    """
    highest = [{group for group, mean in means.items() if mean == max(means.values())} for means in methods]
    often = Counter(group for means, top in zip(methods, highest, strict=True) for group in means if group in top)
    times = max(often.values(), default=0)
    most = [group for group, number in often.items() if number == times]
    return most, times, sum(len(top) > 1 and not top.isdisjoint(most) for top in highest)


def means_table(texts: RunTexts) -> Table | None:
    """Every group under every rater and choice, with the shares of its labels."""
    cells = texts.summary.cells
    several = {name: len({getattr(cell, name) for cell in cells}) > 1 for name in ("model", "source")}
    labelled = any(group.distribution for cell in cells for group in cell.summary.groups.values())
    names = ("Group", "Bias", *(["Model"] if several["model"] else []), *(["Prompts"] if several["source"] else []))
    rows: list[tuple[Cell, ...]] = []
    for cell in cells:
        for group, found in cell.summary.groups.items():
            mean, place = found.mean, texts.place(cell, group)
            whole = mean.n + mean.n_unscored
            bounds = found.bounds if mean.n_unscored else None
            rows.append(
                (
                    TableCell(texts.group(group, cell.bias), place=place),
                    TableCell(texts.names.bias(cell.bias)),
                    *(TableCell(getattr(cell, name)) for name, differ in several.items() if differ),
                    TableCell(texts.decoding(cell.decoding)),
                    TableCell(rater_words(cell.rater)),
                    mean_cell(mean, place=place),
                    TableCell(NONE if found.sd is None else f"{found.sd:.3f}", sort=sort_key(found.sd)),
                    *([_labels_cell(found)] if labelled else []),
                    mean.n,
                    TableCell(
                        f"{mean.n_unscored:,}",
                        percent(mean.n_unscored / whole) if mean.n_unscored else "",
                        str(mean.n_unscored),
                    ),
                    TableCell("" if bounds is None else f"{signed(bounds[0], 3)} to {signed(bounds[1], 3)}"),
                )
            )
    columns = (
        *(*map(Column, names), Column("Decoding"), Column("Rater"), *numbers("Mean", "SD")),
        *([Column("Labels")] if labelled else []),
        *numbers("Texts", "Not rated", "Mean if all were rated"),
    )
    return table("Mean rating of each group under every choice", columns, rows, sortable=True)


def _labels_cell(found: GroupSummary) -> TableCell:
    return TableCell(", ".join(f"{label} {percent(share, 0)}" for label, share in found.distribution.items()))


def extremes_table(texts: RunTexts) -> Table | None:
    """How many texts and prompts of each group are above the threshold, and the mean of each prompt's highest text."""
    rows: list[tuple[Cell, ...]] = []
    for cell in texts.summary.cells:
        far = cell.summary.extremes
        for group in far.get("share_above", {}):
            above, any_above, highest = (far.get(name, {}).get(group, Estimate(None)) for name in _FAR)
            place = texts.place(cell, group)
            where = f"{cell.model}, {cell.source}, {texts.decoding(cell.decoding)}"
            rows.append(
                (
                    TableCell(texts.group(group, cell.bias), texts.names.bias(cell.bias), place=place),
                    TableCell(rater_words(cell.rater), where),
                    TableCell(f"{cell.summary.threshold:g}", sort=sort_key(cell.summary.threshold)),
                    share_cell(above, place=place),
                    share_cell(any_above),
                    mean_cell(highest),
                )
            )
    columns = (Column("Group"), Column("Rater"), *numbers("Threshold", *_FAR.values()))
    return table("The highest ratings, by group", columns, rows, sortable=True)


def refusal_blocks(texts: RunTexts) -> Iterator[Block]:
    """What was refused and what is missing, by group, and whether groups differ in it."""
    refusals = texts.summary.refusals
    groups = [group for found in refusals for group in found.groups.values()]
    if not any(group.refused or group.missing for group in groups):
        yield Prose(text("No text was refused, and none is empty."))
        return
    yield Prose(
        text(
            "A refusal is not a neutral text: it counts in no mean, and a group that is refused more often has fewer "
            f"texts behind its mean. Shares are of all texts that were asked for{_once(texts)}.{_detector(texts)}"
            + (_FEWER_IS_WIDER if wider(groups) else "")
        )
    )
    refused = [found for found in refusals if any(group.refused for group in found.groups.values())]
    if refused:
        yield _refusal_chart(refused, texts)
    rows = [
        (
            TableCell(texts.group(name, found.bias), _place_words(found, texts), place=_place(found, name)),
            group.asked,
            group.refused,
            share_cell(group.share),
            reasons_cell(group.missing),
        )
        for found in refusals
        for name, group in found.groups.items()
    ]
    columns = (Column("Group"), *numbers("Texts asked for", "Refused", "Share refused", "Missing"))
    yield from shown(table("Refused and missing texts, by group", columns, rows))
    tests = [
        (
            TableCell(texts.groups((pair.a, pair.b), found.bias), _place_words(found, texts)),
            value_cell(pair.difference),
            TableCell(p_value(pair.difference.p_adjusted), sort=sort_key(pair.difference.p_adjusted)),
            pair.difference.n,
            pair.difference.origins,
        )
        for found in refused
        for pair in found.pairs
    ]
    columns = (
        Column("Groups"),
        *numbers(
            "Difference of the shares refused", "Corrected p", "Texts", f"{capitalised(FACTS['continuations'].origin)}s"
        ),
    )
    yield from shown(table("Is one group refused more often?", columns, tests))


_FEWER_IS_WIDER = (
    " The fewer refusals there are, the less they show of how refusals cluster by prompt, so a smaller share can have "
    "the wider interval."
)


def wider(groups: Sequence[GroupRefusals]) -> bool:
    """Whether the interval of a smaller share reaches farther up than that of a larger one."""
    ends = sorted((one.share.value, one.share.high) for one in groups if one.share.value is not None and one.share.high)
    return any(high > other for value, high in ends for larger, other in ends if larger > value)


def _detector(texts: RunTexts) -> str:
    """How good the rater is that finds refusals."""
    rater = refusal_rater(texts.kept)
    figures = [figure_words(one) for one in known_rater(rater or "").quality]
    return f" They are found by a detector ({'; '.join(figures)}), so a few may be none." if figures else ""


def _once(texts: RunTexts) -> str:
    """That a text counts once, where it was rated at several lengths."""
    lengths = texts.kept.decodings
    return (
        ", each counted once, at its longest, since shorter ones are its beginnings"
        if len(longest(lengths)) < len(lengths)
        else ""
    )


def _refusal_chart(refused: Sequence[Refusals], texts: RunTexts) -> Chart:
    rows = []
    for found in refused:
        points = [
            Dot(
                *(
                    group.share.value,
                    group.share.low,
                    group.share.high,
                    texts.group(name, found.bias),
                    percent(group.share.value),
                ),
                interval=percent_range(group.share.low, group.share.high) if group.share.low is not None else "",
                tip=f"{texts.group(name, found.bias)}: {group.refused:,} of {count(group.asked, 'text')} refused",
                place=_place(found, name),
            )
            for name, group in sorted(found.groups.items(), key=lambda one: -(one[1].share.value or 0.0))[:_GROUPS]
        ]
        rows.append(DotRow(_place_words(found, texts) or texts.names.bias(found.bias), tuple(points)))
    pairs = [pair.difference for found in refused for pair in found.pairs]
    firm = sum(one.p_adjusted is not None and one.p_adjusted < 1 - one.level for one in pairs)
    said = "; ".join(f"{row.label}: {', '.join(f'{dot.series} {dot.text}' for dot in row.dots)}" for row in rows)
    return Chart(
        texts.name("refusals"),
        f"Groups differ significantly in refusals in {firm} of {count(len(pairs), 'comparison')}",
        dots(rows, Axis("share of texts refused", "share", ends=(0.0, 0.1)), texts.colours(refused[0].bias)),
        f"Share of texts refused. {said}.",
        text(_nothing_refused(refused, texts)),
    )


def _nothing_refused(refused: Sequence[Refusals], texts: RunTexts) -> str:
    """The biases that are in no comparison, since nothing was refused."""
    others = [one for one in texts.summary.refusals if one not in refused]
    named = list(dict.fromkeys(_place_words(one, texts) or texts.names.bias(one.bias) for one in others))
    return f"Nothing to compare for {listed(named)}: no text was taken for a refusal." if named else ""


def _place(found: Refusals, group: str) -> dict[str, str]:
    return {
        "view": "continuations",
        "model": found.model,
        "source": found.source,
        "bias": found.bias,
        "group": group,
    }


def _place_words(found: Refusals, texts: RunTexts) -> str:
    every = texts.summary.refusals
    parts = {
        found.model: len({one.model for one in every}),
        found.source: len({one.source for one in every}),
        texts.names.bias(found.bias): len({one.bias for one in every}),
        asked_words(found): len({asked_words(one) for one in every}),
    }
    return ", ".join(part for part, several in parts.items() if several > 1 and part)


def asked_words(found: Refusals) -> str:
    """How the prompts were put, where the study says so."""
    return ", ".join(asking_words(name, value) for name, value in found.asking.items())


def refusal_notes(board: Board, texts: RunTexts) -> Iterator[str]:
    """How often texts about the groups of a board were refused, with the test: for chat models, and where any was."""
    for found in texts.summary.refusals:
        if (found.model, found.bias) == (board.model, board.bias):
            named = (board.a, board.b) if not board.widest else tuple(found.groups)
            own = {name: found.groups[name] for name in named if name in found.groups}
            if own and (_is_chat(found) or any(group.refused for group in own.values())):
                yield _refusal_note(found, own, board, texts)


def _is_chat(found: Refusals) -> bool:
    return found.model.startswith("chat:") or found.asking.get("form") == "chat"


def _refusal_note(found: Refusals, own: Mapping[str, GroupRefusals], board: Board, texts: RunTexts) -> str:
    asked, where = sum(group.asked for group in own.values()), _place_words(found, texts)
    said = f"Refused{f' ({where})' if where else ''}: "
    if not any(group.refused for group in own.values()):
        return f"{said}none of {count(asked, 'text')} about these groups."
    pair = None if board.widest else found.pair(board.a, board.b)
    shown = sorted(own.items(), key=lambda one: -(one[1].share.value or 0.0))[:_FEW] if pair is None else own.items()
    shares = [f"{texts.group(name, found.bias)} {percent(group.share.value)}" for name, group in shown]
    said += f"{listed(shares)} of {count(asked, 'text')}"
    if pair is None:
        tests = [one.difference for one in found.pairs if one.difference.p_adjusted is not None]
        firm = sum((one.p_adjusted or 1.0) < 1 - one.level for one in tests)
        return f"{said}; {firm} of {count(len(tests), 'pair')} of groups differ significantly, corrected."
    difference = pair.difference
    if difference.low is None:
        return f"{said}; too few prompt stems for a test."
    points = f"{signed(100 * (difference.value or 0.0), 1)} points"
    p = p_value(difference.p_adjusted)
    said_p = p if p.startswith("<") else f"= {p}"
    ends = f"{signed(100 * difference.low, 1)} to {signed(100 * (difference.high or 0.0), 1)}"
    return f"{said}; difference {points} ({ends}, corrected p {said_p})."


def not_rated_table(texts: RunTexts) -> Table | None:
    """How many texts have no rating, by reason, group and rater."""
    raters = list(dict.fromkeys(cell.rater for cell in texts.summary.cells))
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for cell in texts.summary.cells:
        for group, found in cell.summary.groups.items():
            for reason, number in found.unrated.items():
                counts.setdefault((reason, cell.bias, group), Counter())[cell.rater] += number
    order = list(dict.fromkeys(reason for reason, *_ in counts))
    several = len({bias for _, bias, _ in counts}) > 1
    rows: list[tuple[Cell, ...]] = [
        (
            TableCell(_REASONS.get(reason, capitalised(reason))),
            TableCell(
                texts.group(group, bias),
                texts.names.bias(bias) if several else "",
                place={"view": "continuations", "bias": bias, "group": group, "reason": reason},
            ),
            *(counts[reason, bias, group][rater] for rater in raters),
        )
        for reason, bias, group in sorted(counts, key=lambda key: order.index(key[0]))
    ]
    columns = (Column("Reason"), Column("Group"), *numbers(*map(rater_words, raters)))
    return table("Texts that were not rated, by reason, group and rater", columns, rows)
