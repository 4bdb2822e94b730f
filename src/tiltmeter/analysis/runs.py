"""Estimates of scored pairs, and of every cell of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tiltmeter.analysis.generated import Comparison, GeneratedSummary, Summariser, compare_sources
from tiltmeter.analysis.stereoset import summarise_pairs
from tiltmeter.measures.pairs import margin, preference, preferred
from tiltmeter.records import Estimate, ModelFacts, PairScore
from tiltmeter.stats.agreement import Agreement, agreements
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.pairs import PairItem, PairSummary, summarise
from tiltmeter.stats.stereoset import TargetSummary
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
    scores: Sequence[PairScore] = field(repr=False, default=())

    @property
    def published(self) -> bool:
        """Whether scorer or source is the form of a paper, kept for comparison and never mixed with the others."""
        return ".as-published." in self.scorer or "as-published" in self.source


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
    missing: Sequence[str] = ()
    """The models of the study that have no results yet: the run is not finished."""

    def as_json(self) -> dict[str, Any]:
        """The summary as the run folder keeps it."""
        return {
            "study": self.study,
            "complete": not self.missing,
            "missing": list(self.missing),
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
            "dropped": dict(self.dropped),
        }


def summarise_scores(
    scores: Sequence[PairScore], benchmarks: Iterable[str] = (), *, level: float = 0.95, seed: int = 0
) -> PairSummary:
    """Estimates over scored pairs; pairs of which neither text is stereotyped do not count."""
    marked = set(benchmarks)
    kept = [score for score in scores if score.pair.contrast == "stereotype" and score.pair.stereotyped is not None]
    items = [
        PairItem(
            bias=score.pair.bias,
            # Pairs of a data set without attributes are clustered by what they came from.
            attribute=score.pair.attribute or score.pair.origin,
            attribute_set=score.pair.attribute_set,
            value=value,
            benchmark=score.pair.bias.split(":")[0] in marked,
            margin=distance,
        )
        for score, value, distance in zip(kept, preference(kept), margin(kept), strict=True)
    ]
    return summarise(items, level=level, seed=seed)


def summarise_run(run: Run) -> RunSummary:
    """Estimates for every cell of a run, in the order of the study."""
    resolved = run.meta["resolved"]
    benchmarks = [spec["name"] for spec in resolved["specs"] if spec["benchmark"]]
    summariser = Summariser(partial(summarise_scores, benchmarks=benchmarks, seed=resolved["seed"]), run.findings)
    cells: list[Cell] = []
    agreed: dict[tuple[str, str], list[Agreement]] = {}
    for model in run.facts:
        by_source: dict[str, dict[str, list[PairScore]]] = defaultdict(dict)
        for (name, scorer), scores in run.scores.items():
            if name == model:
                for score in scores:
                    by_source[score.pair.source].setdefault(scorer, []).append(score)
        for source, by_scorer in by_source.items():
            for scorer, found in by_scorer.items():
                cells.append(
                    Cell(
                        model=model,
                        source=source,
                        scorer=scorer,
                        summary=summarise_scores(found, benchmarks, seed=resolved["seed"]),
                        controls=_controls(found, resolved["seed"]),
                        unscored=Counter(score.unscored for score in found if score.unscored),
                        stereoset=summarise_pairs(found, resolved["seed"]),
                        generated=summariser.summary(found),
                        scores=found,
                    )
                )
            choices = {scorer: [preferred(score) for score in found] for scorer, found in by_scorer.items()}
            agreed[model, source] = agreements(choices)
    dropped = Counter(item.reason for item in run.dropped)
    # A model may be recorded under another name than the study's ("scripted:"), so the count decides.
    done = len({model for model, _ in run.scores})
    missing = tuple(resolved["models"][done:])
    return RunSummary(resolved["name"], run.facts, cells, agreed, dropped, _beside_templates(cells), missing)


def _beside_templates(cells: Sequence[Cell]) -> list[Comparison]:
    """Every generated source with every templates source of the same model and scorer."""
    return [
        compare_sources(one.model, one.scorer, (other.source, other.summary), (one.source, one.summary))
        for one in cells
        for other in cells
        if one.generated
        and not other.generated
        and other.source.startswith("templates")
        and (other.model, other.scorer) == (one.model, one.scorer)
    ]


def _controls(scores: Sequence[PairScore], seed: int) -> dict[str, Estimate]:
    grouped: dict[str, list[PairScore]] = defaultdict(list)
    for score in scores:
        if score.pair.contrast == "stereotype" and score.pair.stereotyped is None and score.pair.attribute_set:
            first, second = score.pair.groups
            grouped[f"{score.pair.bias}, {score.pair.attribute_set}: {first} over {second}"].append(score)
    share = {1: 1.0, "tie": 0.5, 2: 0.0, None: None}
    return {
        name: estimate([share[preferred(score)] for score in found], [score.pair.origin for score in found], seed=seed)
        for name, found in grouped.items()
    }
