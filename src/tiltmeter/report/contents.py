"""What stands on the page: each section's figures turned into words and cells, ready for the template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.measures.scorers import meaning_of
from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, margin_cell, share_cell, sort_key, tint
from tiltmeter.report.examples import ExampleList, disagreement_lists, example_lists
from tiltmeter.report.figures import Block, Row
from tiltmeter.report.series import Series, benchmarks, short_scorer, spec_of, titles
from tiltmeter.report.words import (
    NONE,
    Headline,
    headline,
    p_value,
    percent,
    percent_range,
    sides,
)
from tiltmeter.results import Cell


@dataclass(frozen=True, slots=True)
class SourceSection:
    """Everything that is said apart for each source of probes."""

    source: str
    headlines: tuple[tuple[Series, Headline], ...]
    without: tuple[str, ...]
    """The series that have nothing but a paper's own scorer on this source."""
    blocks: tuple[Block, ...]
    shown: tuple[Series, ...]
    """The series of the figure, in its order."""
    missing_intervals: tuple[str, ...]

    @property
    def repeated(self) -> bool:
        """Whether independent sets of sentences are shown."""
        return any(values for block in self.blocks for row in block.rows for values in row.repeats)


class Contents:
    """The contents of a report on some series."""

    def __init__(self, series: Sequence[Series]) -> None:
        self.series = [one for one in series if one.cells]
        paired = [one for one in series if one.run.pairs]
        missing = [name for one in paired for name in one.summary.missing]
        self.unfinished = list(dict.fromkeys([one.label for one in paired if not one.cells] + missing))
        self.benchmarks = benchmarks(series)
        self._titles = _distinct(titles(series))

    @property
    def balanced(self) -> bool:
        """Whether any value is balanced over attribute sets."""
        return any(cell.balanced for one in self.series for cell in one.cells)

    @property
    def all_scored(self) -> bool:
        """Whether every pair of every model has a score, nothing being left to do."""
        cells = [cell for one in self.series for cell in one.cells]
        return bool(cells) and not self.unfinished and not any(cell.unscored for cell in cells)

    def label(self, bias: str) -> str:
        """What a bias is called on the page: the title of its spec where it has one."""
        title = self._titles.get(spec_of(bias), "")
        comparison = bias.partition(":")[2]
        return f"{title}: {comparison}" if title and comparison else title or bias

    def sources(self) -> list[SourceSection]:
        """One section for each source, in the order of the runs."""
        names = dict.fromkeys(source for one in self.series for source in one.sources)
        return [self._source(name) for name in names]

    def _source(self, source: str) -> SourceSection:
        present = [one for one in self.series if source in one.sources]
        led = [(one, cell) for one in present if (cell := one.leading(source)) is not None]
        headlines = [
            (one, headline(one.label, cell, one.on(source, published=False)[1:], self.benchmarks)) for one, cell in led
        ]
        cells = [cell for _, cell in led]
        return SourceSection(
            source=source,
            headlines=tuple(headlines),
            without=tuple(one.label for one in present if one.leading(source) is None),
            blocks=self.blocks(cells),
            shown=tuple(one for one, _ in led),
            missing_intervals=tuple(self._missing_intervals(led)),
        )

    def blocks(self, cells: Sequence[Cell]) -> tuple[Block, ...]:
        """The rows of a forest plot of some cells: social biases under their mean, checks of the instrument apart."""
        names = list(dict.fromkeys(bias for cell in cells for bias in cell.summary.headline_by_bias))

        def highest_first(bias: str) -> tuple[bool, float]:
            found = [
                cell.summary.headline_by_bias[bias].value for cell in cells if bias in cell.summary.headline_by_bias
            ]
            value = next((value for value in found if value is not None), None)
            return value is None, -(value or 0)

        def row(bias: str) -> Row:
            repeats = tuple(_sets(cell, bias) for cell in cells)
            return Row(
                self.label(bias), tuple(cell.summary.headline_by_bias.get(bias) for cell in cells), repeats=repeats
            )

        ordered = sorted(names, key=highest_first)
        social = [row(bias) for bias in ordered if spec_of(bias) not in self.benchmarks]
        checks = [row(bias) for bias in ordered if spec_of(bias) in self.benchmarks]
        if len(social) > 1:
            mean = Row("Mean over biases", tuple(cell.summary.headline for cell in cells), summary=True)
            social.insert(0, mean)
        blocks = [Block(tuple(social)), Block(tuple(checks), "Instrument checks, not social biases")]
        return tuple(block for block in blocks if block.rows)

    def _missing_intervals(self, led: Sequence[tuple[Series, Cell]]) -> list[str]:
        reasons: dict[str, list[str]] = {}
        for one, cell in led:
            for bias, found in cell.summary.headline_by_bias.items():
                if found.low is None:
                    who = f"{self.label(bias)} ({one.label})" if len(led) > 1 else self.label(bias)
                    reasons.setdefault((found.note or "no interval").removeprefix("no interval: "), []).append(who)
        return [f"{reason}: {'; '.join(biases)}" for reason, biases in reasons.items()]

    def estimates(self, *, published: bool, leading: bool = False) -> Table | None:
        """Every bias of every series, source and scorer; a paper's own scorers in a table of their own.

        With `leading` only the scorer that headlines are made of.
        """
        numbers = ("Value", "Interval", "p", "Adjusted p", "Unbalanced", "Margin", "Pairs", "Unscored", "Origins")
        several = len(self.series) > 1
        names = ("Bias", *(["Model"] if several else []), "Source", "Scorer")
        columns = [*map(Column, names), *(Column(label, number=True) for label in numbers)]
        rows = [
            (self._bias_cell(bias), *([TableCell(one.label)] if several else []), *_estimate_cells(cell, bias))
            for one in self.series
            for source in one.sources
            for cell in one.on(source, published=published)[: 1 if leading else None]
            for bias in cell.summary.headline_by_bias
        ]
        caption = "Share of pairs in which the stereotyped sentence is preferred, by bias"
        return Table(caption, tuple(columns), tuple(rows)) if rows else None

    def _bias_cell(self, bias: str) -> TableCell:
        label = self.label(bias)
        return TableCell(label, bias if bias != label else "", mark="check" if spec_of(bias) in self.benchmarks else "")

    def scorers(self) -> list[tuple[Table, Table | None]]:
        """For each series and source with several scorers: values side by side, and how far the choices agree."""
        found = []
        for one in self.series:
            for source in one.sources:
                cells = one.on(source, published=False)
                if len(cells) > 1:
                    place = self._place(one, source)
                    found.append((self._side_by_side(cells, place), _agreement(one, source, cells, place)))
        return found

    def _side_by_side(self, cells: Sequence[Cell], place: str) -> Table:
        biases = dict.fromkeys(bias for cell in cells for bias in cell.summary.headline_by_bias)
        rows = []
        for bias in biases:
            estimates = [cell.summary.headline_by_bias.get(bias) for cell in cells]
            verdict = sides(estimates)
            marked = "opposed" if verdict.startswith("opposite") else ""
            values = [TableCell(NONE) if found is None else share_cell(found, mark=tint(found)) for found in estimates]
            rows.append((self._bias_cell(bias), *values, TableCell(verdict, mark=marked)))
        overall = [share_cell(cell.summary.headline) for cell in cells]
        verdict = sides([cell.summary.headline for cell in cells])
        mean = TableCell("Mean over biases", mark="mean")
        rows.append((mean, *overall, TableCell(verdict, mark="opposed" if verdict.startswith("opposite") else "")))
        columns = [Column("Bias"), *(Column(short_scorer(cell.scorer), number=True) for cell in cells)]
        return Table(f"{place}: value by scorer", (*columns, Column("Side of 50\N{NO-BREAK SPACE}%")), tuple(rows))

    def controls(self) -> list[Table]:
        """The control sets of each series and source."""
        found = []
        for one in self.series:
            for source in one.sources:
                cells = one.on(source, published=False)
                names = dict.fromkeys(name for cell in cells for name in cell.controls)
                rows = tuple((TableCell(name), *(_control(cell, name) for cell in cells)) for name in names)
                columns = (Column("Control set"), *(Column(short_scorer(cell.scorer), number=True) for cell in cells))
                if rows:
                    found.append(Table(f"{self._place(one, source)}: control sets", columns, rows))
        return found

    def examples(self) -> list[tuple[str, list[ExampleList]]]:
        """Example pairs of each series and source, under the leading scorer."""
        found = []
        for one in self.series:
            for source in one.sources:
                cell = one.leading(source)
                lists = example_lists(cell, self.benchmarks) if cell else []
                for comparison, templates in one.beside_templates(cell) if cell else ():
                    lists += disagreement_lists(comparison, templates, cell, self.benchmarks) if cell else []
                if cell and lists:
                    found.append((f"{self._place(one, source)}, scorer {short_scorer(cell.scorer)}", lists))
        return found

    def unscored(self, *, published: bool) -> list[Table]:
        """For each series and source that has any: how many pairs have no score, by reason and scorer."""
        found = []
        for one in self.series:
            for source in one.sources:
                cells = one.on(source, published=published)
                totals = sum((Counter(cell.unscored) for cell in cells), Counter[str]())
                rows = [
                    (TableCell(reason), *(TableCell(f"{cell.unscored.get(reason, 0):,}") for cell in cells))
                    for reason, _ in totals.most_common()
                ]
                every = (TableCell("All pairs", mark="mean"), *(TableCell(f"{cell.pairs:,}") for cell in cells))
                columns = (Column("Reason"), *(Column(short_scorer(cell.scorer), number=True) for cell in cells))
                if rows:
                    caption = f"{self._place(one, source)}: pairs without a score, by reason and scorer"
                    found.append(Table(caption, columns, (*rows, every)))
        return found

    def published_agreement(self) -> list[str]:
        """How far a paper's own scorer and the leading one prefer the same sentences."""
        found = []
        for one in self.series:
            for source in one.sources:
                leading = one.leading(source)
                for cell in one.on(source, published=True):
                    share = _shared(one, source, cell.scorer, leading.scorer) if leading else None
                    if share and leading and share[0] is not None:
                        found.append(
                            f"{self._place(one, source)}: {short_scorer(cell.scorer)} and "
                            f"{short_scorer(leading.scorer)} prefer the same sentence in {percent(share[0])} of "
                            f"{share[1]:,} pairs"
                        )
        return found

    def stereoset(self) -> list[Table]:
        """StereoSet's own three scores, for each series and source that has them."""
        names = ("LM", "SS", "ICAT", "Examples", "Unscored")
        columns = (Column("Domain"), Column("Scorer"), *(Column(name, number=True) for name in names))
        found = []
        for one in self.series:
            for source in one.sources:
                cells = [cell for cell in one.on(source, published=False) if cell.stereoset]
                rows = tuple(row for cell in cells for row in _stereoset_rows(cell))
                if rows:
                    found.append(Table(f"{self._place(one, source)}: the data set’s own scores", columns, rows))
        return found

    def scorer_meanings(self) -> list[tuple[str, str]]:
        """The scorers of the report, and what each puts a number on, where that is known here."""
        names = dict.fromkeys(cell.scorer for one in self.series for cell in one.cells)
        return [(name, meaning_of(name)) for name in sorted(names)]

    def _place(self, one: Series, source: str) -> str:
        return f"{one.label}, {source}" if len({s for o in self.series for s in o.sources}) > 1 else one.label


def _sets(cell: Cell, bias: str) -> tuple[float, ...]:
    """The value of a bias in each of several independent sets of sentences."""
    found = cell.generated.sets.get(bias) if cell.generated else None
    return found.values if found and len(found.values) > 1 else ()


def _stereoset_rows(cell: Cell) -> list[tuple[TableCell, ...]]:
    if cell.stereoset is None:
        return []
    parts = {"All": cell.stereoset.overall, **cell.stereoset.by_domain}
    return [
        (
            TableCell(name, mark="mean" if name == "All" else ""),
            TableCell(short_scorer(cell.scorer)),
            *(_points(score) for score in (found.lm, found.ss, found.icat)),
            TableCell(f"{found.n:,}"),
            TableCell(f"{found.n_unscored:,}"),
        )
        for name, found in parts.items()
    ]


def _points(found: Estimate) -> TableCell:
    if found.value is None:
        return TableCell(NONE)
    interval = "" if found.low is None or found.high is None else f"{found.low:.1f}–{found.high:.1f}"
    return TableCell(f"{found.value:.1f}", interval)


def _estimate_cells(cell: Cell, bias: str) -> tuple[TableCell, ...]:
    found = cell.summary.headline_by_bias[bias]
    missing = (found.note or "").removeprefix("no interval: ") if found.low is None else ""
    return (
        TableCell(cell.source),
        TableCell(short_scorer(cell.scorer)),
        share_cell(found, mark=tint(found)),
        TableCell(percent_range(found.low, found.high), missing, sort_key(found.low)),
        TableCell(p_value(found.p), sort=sort_key(found.p)),
        TableCell(p_value(found.p_adjusted), sort=sort_key(found.p_adjusted)),
        share_cell(cell.summary.by_bias[bias], interval=True),
        margin_cell(cell.summary.margin_by_bias[bias]),
        TableCell(f"{found.n:,}", sort=str(found.n)),
        TableCell(f"{found.n_unscored:,}", sort=str(found.n_unscored)),
        TableCell(f"{found.origins:,}", sort=str(found.origins)),
    )


def _control(cell: Cell, name: str) -> TableCell:
    return share_cell(cell.controls[name], interval=True) if name in cell.controls else TableCell(NONE)


def _agreement(one: Series, source: str, cells: Sequence[Cell], place: str) -> Table | None:
    names = [cell.scorer for cell in cells]
    rows = []
    for first in names:
        row = [TableCell(short_scorer(first))]
        for second in names:
            share = _shared(one, source, first, second)
            row.append(TableCell(NONE) if share is None else TableCell(percent(share[0]), f"of {share[1]:,}"))
        rows.append(tuple(row))
    columns = (Column("Scorer"), *(Column(short_scorer(name), number=True) for name in names))
    return Table(f"{place}: pairs in which two scorers prefer the same sentence", columns, tuple(rows))


def _shared(one: Series, source: str, first: str, second: str) -> tuple[float | None, int] | None:
    for found in one.summary.agreements.get((one.facts.name, source), ()):
        if {found.first, found.second} == {first, second}:
            return found.share, found.n
    return None


def _distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Titles, with the spec's name added where two specs share one."""
    often = Counter(names.values())
    return {name: f"{title} ({name})" if title and often[title] > 1 else title for name, title in names.items()}
