"""Estimates of scored pairs, and of every cell of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.measures.pairs import PREFERENCE
from tiltmeter.processes import uncollected
from tiltmeter.records import Estimate, ModelFacts, PairScore
from tiltmeter.results import cells as measured
from tiltmeter.results.cells import Measurement, Table, fully_asked, table_of
from tiltmeter.results.findings.instrument import Instrument, instrument_of
from tiltmeter.results.findings.view_agreement import ViewAgreement, summarise_agreement
from tiltmeter.results.items import Judged, flags, measured_pairs, measured_scores, pair_items
from tiltmeter.results.measurements.columns import ASIDE, AUDIT, CONTROL, MEANING, SCORE
from tiltmeter.results.measurements.people import label_rows
from tiltmeter.results.scorer_order import leading
from tiltmeter.results.scores import benchmarks_of, is_published
from tiltmeter.results.summary.figures import CellFigure, figures_of
from tiltmeter.results.summary.generated import GeneratedSummary, summarise_generated
from tiltmeter.results.summary.labels import Labels, judged_by_people
from tiltmeter.results.summary.next_word_cells import NextWordsSummary, summarise_expectations
from tiltmeter.results.summary.sentences import Sentences, summarise_sentences
from tiltmeter.results.summary.sources_compared import Comparison, Correlations, Reading, compare_sources, correlate
from tiltmeter.results.summary.stereoset import summarise_pairs
from tiltmeter.results.summary.text_records import ContinuationsSummary
from tiltmeter.results.summary.texts import summarise_continuations
from tiltmeter.stats.agreement.scorers import Agreement, agreements
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.structures.pairs import PairStructures, pair_structures
from tiltmeter.stats.views.pairs import PairSummary, summarise
from tiltmeter.stats.views.stereoset import TargetSummary
from tiltmeter.store import Run


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one model on one source under one scorer."""

    model: str
    source: str
    scorer: str
    summary: PairSummary
    controls: Mapping[str, Estimate]
    """For each control set, the share of pairs in which the first group's text is preferred."""
    unscored: Mapping[str, int]
    """How many pairs have no score, by reason."""
    stereoset: TargetSummary | None = None
    """StereoSet's own three scores, where the source is StereoSet."""
    generated: GeneratedSummary | None = None
    """What is special about sentences that a model wrote, where the source is one that has them written."""
    structures: Mapping[str, PairStructures] = field(default_factory=dict)
    """For each bias whose sentences come in several structures, what each of these says."""
    measured: Sequence[measured.Cell] = field(repr=False, default=())
    """The scores of both texts of every pair but those that only stand in for flagged sentences."""
    pairs: int = 0
    """How many these are."""

    def __repr__(self) -> str:
        return f"<Cell {self.model}, {self.source}, {self.scorer}: {self.summary.headline}>"

    @property
    def published(self) -> bool:
        """Whether scorer or source is the form of a paper, kept for comparison and never mixed with the others."""
        return is_published(self.scorer, self.source)

    @property
    def balanced(self) -> bool:
        """Whether the headline of any bias is balanced over attribute sets."""
        found = self.summary.by_bias_balanced.values()
        return not self.published and any(one.value is not None for one in found)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Everything a report says about a run."""

    study: str
    facts: Mapping[str, ModelFacts]
    cells: Sequence[Cell]
    agreements: Mapping[tuple[str, str], Sequence[Agreement]]
    """How far the scorers prefer the same texts, by model and source."""
    dropped: Mapping[str, int]
    """How many probes could not be made, by reason."""
    comparisons: Sequence[Comparison] = ()
    """Generated sentences beside the templates of the same specs."""
    correlations: Correlations = field(default_factory=Correlations)
    """How far sources, and models, put the biases in the same order."""
    sentences: Sentences | None = None
    """What there is to say of written sentences before any model is tested on them."""
    missing: Sequence[str] = ()
    """The models of the study that have no results yet: the run is not finished."""
    continuations: ContinuationsSummary | None = None
    """What the models write about each group, where the study asks for it."""
    next_words: NextWordsSummary | None = None
    """Whom the models expect, where the study asks for it."""
    views: ViewAgreement | None = None
    """Whether the views agree, where the study has at least two of the same specs."""

    figures: Sequence[CellFigure] = ()
    """What every cell says, of views that have no summary of their own."""
    instrument: Instrument = field(default_factory=Instrument)
    """Whether the instrument saw what everybody expects, where the study has a spec for that."""
    screened: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By model, which pairs were scored in a fast format alone, where the run was screened."""

    def __repr__(self) -> str:
        return f"<RunSummary of {self.study}: {', '.join(self.facts) or 'no model has answered'}>"

    def as_json(self) -> dict[str, Any]:
        """The summary as the run folder keeps it."""
        return {
            "study": self.study,
            "complete": not self.missing,
            "missing": list(self.missing),
            "instrument": self.instrument.as_json(),
            "cells": [
                {
                    "model": cell.model,
                    "source": cell.source,
                    "scorer": cell.scorer,
                    **cell.summary.as_json(),
                    "controls": {name: found.as_json() for name, found in cell.controls.items()},
                    "unscored": dict(cell.unscored),
                    **({"stereoset": cell.stereoset.as_json()} if cell.stereoset else {}),
                    **({"generated": cell.generated.as_json()} if cell.generated else {}),
                    **(
                        {"structures": {bias: found.as_json() for bias, found in cell.structures.items()}}
                        if cell.structures
                        else {}
                    ),
                }
                for cell in self.cells
            ],
            "agreements": [
                {
                    "model": model,
                    "source": source,
                    "scorers": [found.first, found.second],
                    "n": found.n,
                    "same": found.same,
                    "share": found.share,
                }
                for (model, source), agreements in self.agreements.items()
                for found in agreements
            ],
            "comparisons": [comparison.as_json() for comparison in self.comparisons],
            "correlations": self.correlations.as_json(),
            **({"sentences": self.sentences.as_json()} if self.sentences else {}),
            **({"continuations": self.continuations.as_json()} if self.continuations else {}),
            **({"next_words": self.next_words.as_json()} if self.next_words else {}),
            **({"views": self.views.as_json()} if self.views else {}),
            **({"figures": [one.as_json() for one in self.figures]} if self.figures else {}),
            **({"screened": dict(self.screened)} if self.screened else {}),
            "dropped": dict(self.dropped),
        }


def summarise_scores(
    scores: Sequence[PairScore], benchmarks: Iterable[str] = (), *, level: float = 0.95
) -> PairSummary:
    """Estimates over scored pairs; pairs of which neither text is stereotyped, or that only stand in, do not count."""
    return summarise([one.item for one in measured_scores(scores, set(benchmarks))], level=level)


@uncollected()
def summarise_run(run: Run, labels: Labels | None = None) -> RunSummary:
    """Estimates for every cell of a run, in the order of the study; `labels` are of people, for written sentences."""
    resolved, benchmarks, table = run.meta["resolved"], benchmarks_of(run), table_of(run)
    if labels or table.by_people("pairs"):
        table.add("pairs", label_rows(run, labels) if labels else ())
    judged = {"audit": flags(table, AUDIT), "people": judged_by_people(table)}
    places: dict[tuple[str, str], dict[str, list[measured.Cell]]] = defaultdict(lambda: defaultdict(list))
    for one in table.cells:
        # Where nothing of what was written makes a pair, stand-ins alone are no test.
        if one.view == "pairs" and one.measure in _SCORES:
            places[one.model, one.source][one.scorer].append(one)
    cells = [_cell(table, scores, judged, resolved["seed"]) for found in places.values() for scores in found.values()]
    agreed = {
        place: agreements({scorer: _preferred(table, scores) for scorer, scores in found.items()})
        for place, found in places.items()
    }
    return RunSummary(
        study=resolved["name"],
        facts=run.facts,
        cells=cells,
        agreements=agreed,
        dropped=Counter(item.reason for item in run.dropped),
        comparisons=_against_templates(cells, benchmarks),
        correlations=correlate([reading_of(cell) for cell in leading_cells(run, cells)], benchmarks),
        sentences=summarise_sentences(run, table),
        missing=_missing(run),
        continuations=summarise_continuations(run),
        next_words=summarise_expectations(run),
        views=summarise_agreement(run, cells),
        figures=figures_of(run),
        instrument=instrument_of(run),
        screened=run.meta.get("screened", {}),
    )


def _missing(run: Run) -> tuple[str, ...]:
    """The models of the study that have no results yet."""
    models: list[str] = run.meta["resolved"]["models"]
    if not run.meta.get("all_rated", True):
        # Texts are rated when all models have written: until then nothing of that view can be said.
        return tuple(models)
    # A model may be recorded under another name than the study's ("scripted:"), so the count decides.
    if run.next_words and not run.next_words.complete:
        return tuple(models[max(0, len(run.next_words.models) - 1) :])
    return tuple(models[len(fully_asked(run)) :]) if run.meta["resolved"]["sources"] or run.asked else ()


def correlate_runs(runs: Sequence[tuple[Run, RunSummary]]) -> Correlations:
    """The correlations over several runs; where one label stands for other sentences in another run, each is named."""
    benchmarks = {name for run, _ in runs for name in benchmarks_of(run)}
    texts: dict[str, set[frozenset[tuple[str, str]]]] = defaultdict(set)
    for run, summary in runs:
        for source in dict.fromkeys(cell.source for cell in summary.cells):
            texts[source].add(table_of(run).pairs_of(source))
    readings = []
    for run, summary in runs:
        for cell in leading_cells(run, summary.cells):
            place = f" ({summary.study}, {run.folder.name})" if len(texts[cell.source]) > 1 else ""
            readings.append(reading_of(cell, f"{cell.source}{place}"))
    return correlate(readings, benchmarks)


def leading_cells(run: Run, cells: Sequence[Cell]) -> list[Cell]:
    """For each model and source the cell that headlines are made of; none where every scorer is a paper's own."""
    return leading(run, [cell for cell in cells if not cell.published], lambda cell: (cell.model, cell.source))


def reading_of(cell: Cell, source: str = "") -> Reading:
    """The values of a cell, ready to be held against those of others; `source` is another name for its source."""
    values = {bias: found.value for bias, found in cell.summary.headline_by_bias.items()}
    return Reading(cell.model, source or cell.source, cell.generated is not None, values)


_SCORES = (SCORE, f"{CONTROL} {SCORE}", f"{MEANING} {SCORE}")
_PREFERENCES = tuple(name.replace(SCORE, PREFERENCE.name) for name in _SCORES)


def _cell(table: Table, scores: Sequence[measured.Cell], judged: Mapping[str, Judged | None], seed: int) -> Cell:
    """What the scores of one model on one source under one scorer say."""
    first, own = scores[0], [cell for cell in scores if cell.measure == SCORE]
    preferences = [cell.beside(PREFERENCE.name) for cell in own]
    items = [item for cell in preferences for item in pair_items(cell)]
    rows = table.rows(*(cell.number for cell in scores))
    stand_ins = [
        cell
        for cell in table.of("pairs", measure=f"{ASIDE} {PREFERENCE.name}", model=first.model)
        if (cell.source, cell.scorer) == (first.source, first.scorer)
    ]
    return Cell(
        model=first.model,
        source=first.source,
        scorer=first.scorer,
        summary=summarise(items),
        controls=_controls([cell.beside(_PREFERENCES[1]) for cell in scores if cell.measure == _SCORES[1]]),
        unscored=Counter(row.reason for row in rows[::2] if row.reason),
        stereoset=summarise_pairs(scores, seed),
        generated=summarise_generated(measured_pairs(preferences), measured_pairs(stand_ins), **judged),
        structures=pair_structures(items),
        measured=scores,
        # Each pair has two texts.
        pairs=len(rows) // 2,
    )


def _preferred(table: Table, scores: Sequence[measured.Cell]) -> list[float | None]:
    """Which text of each pair is preferred, in the order of the study."""
    cells = [cell.beside(_PREFERENCES[_SCORES.index(cell.measure)]) for cell in scores]
    return [row.value for row in table.rows(*(cell.number for cell in cells))]


def _against_templates(cells: Sequence[Cell], benchmarks: Iterable[str]) -> list[Comparison]:
    """Every generated source with every templates source of the same model and scorer."""
    marked = set(benchmarks)
    return [
        compare_sources(one.model, one.scorer, (other.source, other.summary), (one.source, one.summary), marked)
        for one in cells
        for other in cells
        if one.generated
        and not other.generated
        and other.source.startswith("templates")
        and (other.model, other.scorer) == (one.model, one.scorer)
    ]


def _controls(cells: Sequence[measured.Cell]) -> dict[str, Estimate]:
    grouped: dict[str, list[Measurement]] = defaultdict(list)
    for cell in cells:
        for row in cell.rows:
            if row.attribute_set:
                grouped[f"{cell.bias}, {row.attribute_set}: {row.group} over {row.against}"].append(row)
    return {
        name: estimate([row.value for row in found], [row.origin for row in found]) for name, found in grouped.items()
    }
