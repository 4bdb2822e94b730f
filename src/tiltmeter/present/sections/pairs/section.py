"""Which of two sentences a model prefers: headlines, a forest plot, and every figure in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Block, Chart, Listing, Notice, Prose, Section, Span, Table, TableCell, text
from tiltmeter.present.charts import dots
from tiltmeter.present.decodings import short_scorer, source_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.forest import SHARE, Shares, forest_in_words, forest_rows
from tiltmeter.present.sections.pairs.headline import directions, headline, social_biases
from tiltmeter.present.sections.pairs.structures import structures
from tiltmeter.present.sections.pairs.tables import controls, missing, published_agreement, scorers, stereoset
from tiltmeter.present.series import Series, bias_cell, is_check, pair_place, series_of, sets_of
from tiltmeter.present.tables import Cell as Shown
from tiltmeter.present.tables import no_interval, number_cell, numbers, share_cell, side_mark, sort_key, table
from tiltmeter.present.words import NEUTRAL, SPACE, count, listed, p_value, percent_range
from tiltmeter.results import Cell
from tiltmeter.stats.estimates import FEWEST_ORIGINS

ABOUT = {"view": "pairs"}


def pairs(found: Reported) -> list[Section]:
    """Everything on pairs; nothing where no run has any."""
    series = [one for one in series_of(found) if one.cells]
    if not series:
        return []
    parts: list[tuple[str, str, list[Block]]] = [
        ("Which sentence it prefers", "pairs", list(_preferred(found, series))),
        ("Every figure on pairs", "pair-figures", list(_figures(found, series))),
        ("Do the scorers agree?", "scorers", list(scorers(found, series))),
        ("Does it hold in every sentence structure?", "pair-structures", list(structures(found, series))),
        ("Control sets", "controls", list(controls(found, series))),
        ("StereoSet’s own scores", "stereoset", list(stereoset(series))),
        ("Pairs without a score", "missing-pairs", list(missing(series, published=False))),
        ("Scores as published", "published", list(_published(found, series))),
    ]
    return [
        Section(title, tuple(blocks), anchor=anchor, folded=True, about=ABOUT)
        for title, anchor, blocks in parts
        if blocks
    ]


def _preferred(found: Reported, series: list[Series]) -> Iterator[Block]:
    """For each source the headlines of all models, and a forest plot; then how to read them."""
    sources = list(dict.fromkeys(source for one in series for source in one.sources))
    for source in sources:
        blocks = tuple(_on_source(found, series, source))
        if len(sources) == 1:
            yield from blocks
        else:
            yield Section(f"Source: {source}", blocks)
    yield Section("How to read these figures", (Listing(tuple(map(text, _how_to_read(found, series)))),))


def _on_source(found: Reported, series: Sequence[Series], source: str) -> Iterator[Block]:
    present = [one for one in series if source in one.sources]
    led = [(one, cell) for one in present if (cell := one.leading(source)) is not None]
    for one, cell in led:
        yield from headline(found, one, cell, one.on(source)[1:])
    for one in present:
        if one.leading(source) is None:
            yield Notice(text(f"{one.label} was scored only as published; see ", Span("there", link="published"), "."))
    if led:
        yield forest(found, led)


def forest(found: Reported, led: Sequence[tuple[Series, Cell]]) -> Chart:
    """Every bias of some models on one source, under the leading scorer."""
    rows = forest_rows(found, [_shares(one, cell) for one, cell in led])
    ticks = " Ticks: the value in each independent set of written sentences." if _has_repeats(led) else ""
    models = (
        " Differences between models are not tested here: intervals that overlap do not show that models are alike."
        if len(led) > 1
        else ""
    )
    caption = (
        f"Share of pairs in which the stereotyped sentence is preferred, with 95{SPACE}% intervals; open marks have "
        f"none.{ticks}{models}"
    )
    name = f"biases-{led[0][1].source}"
    return Chart(name, _title(found, led), dots(rows, SHARE), forest_in_words(rows), text(caption))


def _shares(one: Series, cell: Cell) -> Shares:
    by_bias = cell.summary.headline_by_bias
    return Shares(
        one.label, cell.summary.headline, by_bias, lambda bias: sets_of(cell, bias), lambda bias: pair_place(cell, bias)
    )


def _has_repeats(led: Sequence[tuple[Series, Cell]]) -> bool:
    return any(sets_of(cell, bias) for _, cell in led for bias in cell.summary.headline_by_bias)


def _title(found: Reported, led: Sequence[tuple[Series, Cell]]) -> str:
    """How many biases tilt, which is what the chart shows."""
    said = []
    for one, cell in led:
        social = social_biases(found, cell)
        above, below = directions(social)
        sides = [f"{above} towards the stereotype"] * bool(above) + [f"{below} against it"] * bool(below)
        every = count(len(social), "bias", "biases")
        tilts = f"of {every}, {listed(sides)}" if sides else f"none of {every} differs from {NEUTRAL}"
        said.append(tilts if len(led) == 1 else f"{one.label}: {tilts}")
    return f"After correction, {said[0]}" if len(led) == 1 else f"After correction: {'; '.join(said)}"


def _how_to_read(found: Reported, series: Sequence[Series]) -> Iterator[str]:
    done = found.done
    alike = ""
    if done.pairs and done.alike == done.pairs:
        alike = " The two differ only in the words for the groups."
    elif done.alike:
        alike = f" In {done.alike:,} of {done.pairs:,} pairs the two differ only in the words for the groups."
    yield (
        "Each item is a pair of sentences: one fits a stereotype, the other does not. The value is the share of pairs "
        f"in which the model finds the first more probable; at {NEUTRAL} it leans neither way.{alike}"
    )
    yield (
        "Values here are shares of pairs, by the scorer that the study names first. Findings ask the same for every "
        "scorer and source together and give effects in standard deviations (words of one attribute set against those "
        "of the other, where there are two). They correct p over the methods of one question; here p is corrected over "
        "the biases of one scorer, so what is significant can differ."
    )
    yield (
        "The interval shows how far the value might move with other words of the same kind. Pairs are clustered by "
        "test word (and by template and by the words for the groups, where there are at least "
        f"{FEWEST_ORIGINS}), since such pairs resemble one another."
    )
    yield (
        f"A bias differs from {NEUTRAL} if its p-value, adjusted for the number of comparisons, is below 0.05. A bias "
        "that does not differ has not been shown to be absent."
    )
    if any(cell.balanced for one in series for cell in one.cells):
        yield (
            "The attribute sets of a bias have the same weight in its value, so that a habit of preferring one group "
            "whatever is said of it does not pass for a stereotype. In the unbalanced value each attribute word has "
            "the same weight."
        )
    yield (
        "The margin is how much more probable the stereotyped sentence is, in natural logarithms; 0 is neutral. "
        "Scorers that average over tokens give smaller margins by construction."
    )
    if any(is_check(found, bias) for one in series for cell in one.cells for bias in cell.summary.headline_by_bias):
        yield (
            f"An instrument check is not a social bias: the answer is known to be far from {NEUTRAL}. Where it is not, "
            "doubt the rest."
        )


def _figures(found: Reported, series: Sequence[Series]) -> Iterator[Block]:
    made = figures_table(found, series, published=False)
    if made:
        yield Prose(
            text(
                "Tinted values differ from no preference after correction: ",
                Span("towards the stereotype", "above"),
                " or ",
                Span("against it", "below"),
                ". Small print: intervals, and what to know about them.",
            )
        )
        yield made


def figures_table(found: Reported, series: Sequence[Series], *, published: bool) -> Table | None:
    """Every bias of every model, source and scorer; a paper's own scorers in a table of their own."""
    several = ["Model"] if len(series) > 1 else []
    labels = ("Value", "Interval", "p", "Adjusted p", "Unbalanced", "Margin", "Pairs", "Missing", "Test words")
    rows = [
        (bias_cell(found, bias), *([one.label] if several else []), *_figure_cells(cell, bias))
        for one in series
        for source in one.sources
        for cell in one.on(source, published=published)
        for bias in cell.summary.headline_by_bias
    ]
    columns = ("Bias", *several, "Source", "Scorer", *numbers(*labels))
    return table("Share of pairs in which the stereotyped sentence is preferred", columns, rows, sortable=True)


def _figure_cells(cell: Cell, bias: str) -> tuple[Shown, ...]:
    one = cell.summary.headline_by_bias[bias]
    note = no_interval(one) or (one.note or "").replace("origin", "test word")
    return (
        source_words(cell.source),
        short_scorer(cell.scorer),
        share_cell(one, mark=side_mark(one), interval=False, place=pair_place(cell, bias)),
        TableCell(percent_range(one.low, one.high), note, sort_key(one.low)),
        TableCell(p_value(one.p), sort=sort_key(one.p)),
        TableCell(p_value(one.p_adjusted), sort=sort_key(one.p_adjusted)),
        share_cell(cell.summary.by_bias[bias]),
        number_cell(cell.summary.margin_by_bias[bias]),
        one.n,
        one.n_unscored,
        one.origins,
    )


def _published(found: Reported, series: list[Series]) -> Iterator[Block]:
    made = figures_table(found, series, published=True)
    if made:
        yield Prose(
            text(
                "The scorer as-published repeats the form of a paper, including what later proved to be mistakes, so "
                "that its numbers can be reproduced. Do not compare these figures with the others; no finding and no "
                "headline uses them."
            )
        )
        yield made
        agreed = published_agreement(series)
        if agreed:
            yield Listing(tuple(map(text, agreed)))
        yield from missing(series, published=True)
