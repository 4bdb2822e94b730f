"""The raters themselves: how good they are, what they make of the groups' names, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Block, Chart, Column, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.decodings import rater_words
from tiltmeter.present.known_raters import interval_words as figure_interval
from tiltmeter.present.known_raters import scale_words, tilt_words, value_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.texts.of_run import RunTexts, shown, texts_of, titled
from tiltmeter.present.tables import Cell, interval_words, mean_cell, numbers, share_cell, sort_key, table, value_cell
from tiltmeter.present.words import NONE, capitalised, count, p_value, percent, signed
from tiltmeter.raters.tilt import note
from tiltmeter.results.summary.text_records import PeopleAgreement, RatersCompared
from tiltmeter.stats.views.continuations import GroupPair
from tiltmeter.views import FACTS

_ROUNDING = 1e-9
"""A tilt below this is rounding."""
_NAMED = 4
"""Pairs of groups that are named where two raters disagree; summary.json has all."""


def raters(found: Reported) -> list[Section]:
    """One section for each run whose texts were rated."""
    return [
        Section(
            titled("How far the raters can be trusted", one),
            tuple(_blocks(one)),
            anchor=f"raters-{number}" if number else "raters",
            about={"view": "continuations"},
        )
        for number, one in enumerate(texts_of(found))
    ]


def _blocks(texts: RunTexts) -> Iterator[Block]:
    yield from shown(quality_table(texts))
    if texts.summary.tilts:
        said = (
            "The raters rated sentences in which only the group changes. A rater that rates these differently can "
            "show a difference that the model does not make; differences no larger than this are marked ≈."
        )
        yield Section("The raters’ own tilt", shown(Prose(text(said)), *tilt_charts(texts), tilt_table(texts)))
    if texts.summary.agreement:
        said = (
            "Raters of the same kind rated the same texts; here the texts of all settings count together, while the "
            "tables of each bias compare raters setting by setting. Where two disagree on which group is rated worse, "
            "a conclusion from one is a conclusion about the rater. Alpha compares the numbers, the rank correlation "
            "only their order."
        )
        yield Section("Do the raters agree?", shown(Prose(text(said)), agreement_chart(texts), agreement_table(texts)))
    people = texts.summary.people
    if people:
        said_by = shown(Prose(text(people_words(people))), people_table(texts), accuracy_table(texts))
        yield Section("What people said", said_by)


def quality_table(texts: RunTexts) -> Table | None:
    """Every rater of the run: its scale, each figure of its quality, or that there is none, and how far it leans."""
    rows: list[tuple[Cell, ...]] = []
    for known in texts.summary.raters:
        name = TableCell(rater_words(known.rater), f"{known.rater}\n{scale_words(known)}")
        tilt = TableCell(tilt_words(known))
        carries = "a finding may rest on it" if known.carries else "no finding may rest on it alone"
        for one in known.quality:
            seen = TableCell("no" if one.unseen else "in part", one.caution)
            figure = TableCell(value_words(one), figure_interval(one), sort_key(one.value))
            guess = "" if one.guessing is None or one.is_auc else f"{percent(one.guessing, 0)} by guessing"
            what = TableCell(one.figure, "\n".join(filter(None, (guess, carries))))
            rows.append((name, what, figure, one.n, TableCell(one.on), seen, tilt))
            carries, tilt = "", TableCell("")
        if not known.quality:
            not_measured = TableCell("not measured", carries)
            rows.append((name, not_measured, TableCell(NONE), TableCell(NONE), TableCell(""), TableCell(""), tilt))
    columns = (
        *(Column("Rater"), Column("What was measured"), *numbers("Figure", "Texts")),
        *(Column("Measured on"), Column("Known to the rater before?"), Column("Leans by itself")),
    )
    return table("Measured quality of the raters", columns, rows)


def tilt_charts(texts: RunTexts) -> Iterator[Chart]:
    """The tilts, a chart for each bias: the largest difference that each rater makes by itself."""
    biases = list(dict.fromkeys(tilt.bias for tilt in texts.summary.tilts))
    for bias in biases:
        about = f"{capitalised(texts.names.bias(bias))}: " if len(biases) > 1 else ""
        own = [tilt for tilt in texts.summary.tilts if tilt.bias == bias]
        rows = [
            DotRow(
                f"{rater_words(tilt.rater)}: {texts.groups(pair, tilt.bias)}",
                (
                    Dot(
                        *(found.value, found.low, found.high),
                        text=signed(found.value, 3),
                        interval=interval_words(found) if found.low is not None else "",
                    ),
                ),
            )
            for tilt in own
            for pair, found in [tilt.widest]
            if found.value is not None and abs(found.value) > _ROUNDING
        ]
        if rows:
            firm = sum(1 for row in rows for dot in row.dots if dot.low is not None and dot.low * (dot.high or 0.0) > 0)
            said = "; ".join(f"{row.label} {row.dots[0].text}" for row in rows)
            yield Chart(
                texts.name("tilt", bias),
                f"{about}{firm} of {count(len(own), 'rater')} rate the group names themselves differently",
                dots(rows, Axis("difference on the same sentences", neutral=0.0, neutral_name="no tilt")),
                f"The largest difference between two groups that each rater makes by itself. {said}.",
                text(
                    f"{texts.names.bias(bias)}: the largest difference between two groups, on each rater’s own scale."
                ),
            )


def tilt_table(texts: RunTexts) -> Table | None:
    """Each rater's mean by group on sentences in which only the group changes."""
    rows: list[tuple[Cell, ...]] = []
    for tilt in texts.summary.tilts:
        means = [f"{texts.group(group, tilt.bias)} {mean_cell(found).text}" for group, found in tilt.by_group.items()]
        pair, found = tilt.widest
        largest = TableCell("none", note(tilt.rater, masked=True) or "the same for every group", "0")
        if found.value is None:
            largest = TableCell(NONE)
        elif abs(found.value) > _ROUNDING:
            small = f"{texts.groups(pair, tilt.bias)}\n{interval_words(found)}"
            largest = TableCell(signed(found.value, 3), small, sort_key(found.value))
        name, bias = TableCell(rater_words(tilt.rater)), TableCell(texts.names.bias(tilt.bias))
        rows.append((name, bias, TableCell("; ".join(means)), largest))
    columns = (Column("Rater"), Column("Bias"), Column("Mean by group"), *numbers("Largest difference"))
    return table("Ratings of the same sentences about each group", columns, rows)


def agreement_chart(texts: RunTexts) -> Chart:
    """The rank correlation of every two raters of one kind."""
    rows = [
        DotRow(
            _pair_words(one, texts),
            (
                Dot(
                    *(found.value, found.low, found.high),
                    text=signed(found.value),
                    interval=interval_words(found, 2) if found.low is not None else "",
                    tip=f"{_pair_words(one, texts)}\n{signed(found.value)}, {count(one.n, 'text')}",
                    place={
                        "view": "continuations",
                        "model": one.model,
                        "source": one.source,
                        "order": "disagreement",
                    },
                ),
            ),
        )
        for one in texts.summary.agreement
        for found in [one.rank_correlation]
    ]
    opposed = sum(bool(one.opposite) for one in texts.summary.agreement)
    said = "; ".join(f"{row.label}: {row.dots[0].text}" for row in rows)
    return Chart(
        texts.name("agreement of raters"),
        f"{opposed} of {count(len(rows), 'pair')} of raters {'disagrees' if opposed == 1 else 'disagree'} about which "
        "group is rated worse, for at least one pair of groups (all settings together)",
        dots(rows, Axis("rank correlation", neutral=0.0, neutral_name="unrelated", right="agree", ends=(0.0, 1.0))),
        f"Rank correlation of two raters on the same texts. {said}.",
    )


def _pair_words(one: RatersCompared, texts: RunTexts) -> str:
    alone = len({(each.model, each.source) for each in texts.summary.agreement}) == 1
    names = f"{rater_words(one.first)} and {rater_words(one.second)}"
    return names if alone else f"{names} ({one.model}, {one.source})"


def agreement_table(texts: RunTexts) -> Table | None:
    """How far raters of the same kind agree, and on which groups they do not."""
    rows: list[tuple[Cell, ...]] = []
    for one in texts.summary.agreement:
        opposite = [
            f"{texts.names.bias(bias)}: {texts.group(a, bias)} and {texts.group(b, bias)}"
            for bias, a, b in one.opposite
        ]
        more = [f"and {len(opposite) - _NAMED} more"] if len(opposite) > _NAMED else []
        both = f"{len(one.surely_opposite)} of them with both intervals excluding zero"
        small = "\n".join([both, *opposite[:_NAMED], *more])
        where = TableCell(count(len(opposite), "pair of groups", "pairs of groups"), small, mark="opposed")
        alpha = TableCell(signed(one.krippendorff), sort=sort_key(one.krippendorff))
        correlation = value_cell(one.rank_correlation, decimals=2)
        name = TableCell(_pair_words(one, texts))
        rows.append((name, one.n, correlation, alpha, where if opposite else TableCell("no two groups")))
    columns = (
        *(Column("Raters"), *numbers("Texts", "Rank correlation", "Krippendorff’s alpha")),
        Column("Disagree on, all settings together"),
    )
    return table("Raters of the same kind on the same texts, all settings together", columns, rows)


def people_table(texts: RunTexts) -> Table | None:
    """What people say of every two groups over all settings, beside raters of the same kind on the same texts."""
    pooled = texts.summary.people_pooled
    several = len({(one.model, one.bias) for one in pooled}) > 1
    rows: list[tuple[Cell, ...]] = []
    for one in pooled:
        where = ", ".join((one.model, texts.names.bias(one.bias))) if several else ""
        by_rater = {one.rater: one.summary, **one.beside}
        for groups in dict.fromkeys((pair.a, pair.b) for found in by_rater.values() for pair in found.pairs):
            own = ((rater, pair) for rater, found in by_rater.items() for pair in found.pairs)
            for rater, pair in ((rater, pair) for rater, pair in own if (pair.a, pair.b) == groups):
                difference = pair.difference
                rows.append(
                    (
                        TableCell(texts.groups((pair.a, pair.b), one.bias), where),
                        TableCell("people" if rater == one.rater else rater_words(rater)),
                        value_cell(difference),
                        TableCell(p_value(difference.p_adjusted), sort=sort_key(difference.p_adjusted)),
                        _ratio_cell(pair),
                        difference.n,
                        difference.n_unscored,
                        difference.origins,
                    )
                )
    stems = f"{capitalised(FACTS['continuations'].origin)}s"
    columns = (
        *(Column("Groups"), Column("Rated by"), *numbers("Difference", "Corrected p", "Ratio of the means")),
        *numbers("Texts", "No number", stems),
    )
    caption = "People, over all prompts and decodings, and raters of the same kind on the same texts"
    return table(caption, columns, rows)


def _ratio_cell(pair: GroupPair) -> TableCell:
    ratio = pair.ratio
    if ratio is None or ratio.value is None:
        return TableCell(NONE, pair.ratio_withheld or "")
    ends = "" if ratio.low is None or ratio.high is None else f"{ratio.low:.2f} to {ratio.high:.2f}"
    return TableCell(f"{ratio.value:.2f}", ends, sort_key(ratio.value))


def accuracy_table(texts: RunTexts) -> Table | None:
    """How often each rater gives the label that most people give."""
    rows: list[tuple[Cell, ...]] = []
    for one in texts.summary.agreement:
        if one.accuracy is not None:
            usual = TableCell(percent(one.commonest), sort=sort_key(one.commonest))
            name = TableCell(rater_words(one.second), f"{one.model}, {one.source}")
            rows.append((name, share_cell(one.accuracy), usual, one.accuracy.n))
    columns = (Column("Rater"), *numbers("Same label as most people", "Always the commonest label", "Texts"))
    return table("Accuracy of the raters against people", columns, rows)


def people_words(said: PeopleAgreement) -> str:
    """Who rated how many texts, and how far they agree."""
    names = [
        f"{name} ({number:,}{f', {none:,} without a number' if (none := said.numberless.get(name, 0)) else ''})"
        for name, number in said.annotators.items()
    ]
    without = f", and looked at {count(said.unrated, 'more text')} without giving a number" if said.unrated else ""
    alpha = "" if said.krippendorff is None else f" Krippendorff’s alpha among them is {signed(said.krippendorff)}."
    if said.fleiss and said.fleiss.value is not None:
        interval = "" if said.fleiss.low is None else f" ({interval_words(said.fleiss, 2)})"
        alpha += f" Fleiss’ kappa of their labels is {signed(said.fleiss.value)}{interval}."
    who = count(len(said.annotators), "person", "people")
    return f"{who} rated {count(said.texts, 'text')}{without}: {', '.join(names)}.{alpha}"
