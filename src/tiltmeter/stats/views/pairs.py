"""Estimates over scored pairs: per attribute, per bias, and over biases in the three ways that are in use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import StratumPath, adjust, estimate


class PairItem(NamedTuple):
    """One pair: the value is 1 for a stereotyped choice, 0 for the other, ½ for a tie, None for unscored.

    Of very many pairs it stands for all that differ in nothing here: their sum, and how many have a value and how many
    have none.
    """

    bias: str
    attribute: str | None
    attribute_set: str | None
    value: float | None
    benchmark: bool = False
    margin: float | None = None
    structure: str | None = None
    template: str | None = None
    terms: str | None = None
    """The words for the two groups."""
    n: int = 1
    unscored: int = 0
    margins: int = 1
    """How many pairs have a margin, where there is a sum of them."""
    published: bool = False
    """Of a paper's own form: its headline is what the paper prints, whatever the attribute sets."""

    @property
    def scored(self) -> int:
        """How many pairs have a value."""
        return 0 if self.value is None else self.n

    @property
    def missing(self) -> int:
        """How many have none."""
        return self.unscored + (self.n if self.value is None else 0)

    @property
    def with_margin(self) -> int:
        """How many pairs have a margin."""
        return 0 if self.margin is None else self.margins


@dataclass(frozen=True, slots=True)
class Shares:
    """The headline, over biases and for each bias: what is compared between sets of pairs."""

    overall: Estimate
    by_bias: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class PairSummary:
    """What a set of scored pairs says.

    headline, headline_by_bias: the balanced value where a bias has attribute sets, else the mean over attribute terms;
    a general liking for one of the groups is no stereotype, and cancels out of balanced values only.
    overall: mean over biases. overall_cells: mean over all (bias, attribute) cells, the published model score.
    overall_balanced: mean over biases of the balanced values. by_bias: mean over attribute terms.
    by_bias_balanced: mean over the attribute sets' means, for which 0.5 is neutral whatever the sets' sizes.
    margin_by_bias: the mean margin, with the weights of the headline.
    """

    headline: Estimate
    headline_by_bias: dict[str, Estimate]
    overall: Estimate
    overall_cells: Estimate
    overall_balanced: Estimate
    by_bias: dict[str, Estimate]
    by_bias_balanced: dict[str, Estimate]
    margin_by_bias: dict[str, Estimate]
    by_attribute: dict[str, dict[str, Estimate]]
    notes: list[str]

    def __repr__(self) -> str:
        return f"<PairSummary of {', '.join(self.headline_by_bias)}: {self.headline}>"

    @property
    def n_comparisons(self) -> int:
        """How many p-values the table by bias holds, and so what they were adjusted for."""
        return sum(found.p is not None for found in self.headline_by_bias.values())

    def as_json(self) -> dict[str, Any]:
        """The result as it is printed and stored."""
        return {
            "view": "pairs",
            "headline": self.headline.as_json(),
            "headline_by_bias": _as_json(self.headline_by_bias),
            "overall": self.overall.as_json(),
            "overall_cells": self.overall_cells.as_json(),
            "overall_balanced": self.overall_balanced.as_json(),
            "by_bias": _as_json(self.by_bias),
            "by_bias_balanced": _as_json(self.by_bias_balanced),
            "margin_by_bias": _as_json(self.margin_by_bias),
            "by_attribute": {bias: _as_json(found) for bias, found in self.by_attribute.items()},
            "n_comparisons": self.n_comparisons,
            "notes": self.notes,
        }


def summarise(items: Iterable[PairItem], *, level: float = 0.95) -> PairSummary:
    """Estimates of the stereotyped share, clustered by attribute terms, templates and the words for the groups.

    >>> items = [PairItem("gender", "math", "1", 1.0), PairItem("gender", "art", "2", 0.0)]
    >>> summarise(items).by_bias["gender"].value
    0.5
    """
    grouped = _by_bias(items)
    by_bias = {bias: _estimate(found, level=level) for bias, found in grouped.items()}
    by_bias_balanced = {bias: _balanced(found, level) for bias, found in grouped.items()}
    counted = _counted(grouped)
    pooled = [item for found in counted.values() for item in found]
    balanced = [item for bias in counted for item in counted[bias] if by_bias_balanced[bias].value is not None]
    overall_balanced = _within_sets(balanced, level)
    if not balanced and any(item.value is not None for item in pooled):
        overall_balanced = replace(overall_balanced, note="no bias has a balanced value")
    cells = _cell_names(pooled)
    overall = _estimate(pooled, strata=[item.bias for item in pooled], level=level)
    headlines = {
        bias: by_bias_balanced[bias] if _weighs_sets(grouped[bias]) else found for bias, found in by_bias.items()
    }
    summary = PairSummary(
        headline=_estimate(pooled, strata=headline_strata(pooled), level=level),
        headline_by_bias=adjust(headlines),
        overall=overall,
        overall_cells=_estimate(pooled, cells, level=level),
        overall_balanced=overall_balanced,
        by_bias=adjust(by_bias),
        by_bias_balanced=adjust(by_bias_balanced),
        margin_by_bias={
            bias: estimate(
                [item.margin for item in found],
                [item.attribute for item in found],
                rows=[item.with_margin for item in found],
                unscored=[item.scored + item.missing - item.with_margin for item in found],
                strata=headline_strata(found),
                further=further_of(found),
                neutral=0.0,
                level=level,
            )
            for bias, found in grouped.items()
        },
        by_attribute={bias: _per_attribute(found, level) for bias, found in grouped.items()},
        notes=[],
    )
    return replace(summary, notes=_notes(summary, [bias for bias in grouped if bias not in counted]))


def shares(
    items: Iterable[PairItem],
    *,
    level: float = 0.95,
    intervals: Literal["all", "overall", "none"] = "all",
) -> Shares:
    """The headlines of `summarise`, which are needed of many parts of the same pairs, at a fraction of the time.

    >>> shares([PairItem("gender", "math", "1", 1.0), PairItem("gender", "art", "2", 0.0)]).overall.value
    0.5
    """
    grouped = _by_bias(items)
    pooled = [item for found in _counted(grouped).values() for item in found]

    def headline(found: Sequence[PairItem], interval: bool) -> Estimate:
        return _estimate(found, strata=headline_strata(found), level=level, interval=interval)

    return Shares(
        headline(pooled, intervals != "none"),
        {bias: headline(found, intervals == "all") for bias, found in grouped.items()},
    )


def headline_strata(items: Sequence[PairItem]) -> list[tuple[str, ...]]:
    """What weighs the same in a headline: biases, and within each its attribute sets, where it has several.

    >>> items = [PairItem("a", "x", "1", 1.0), PairItem("a", "y", "2", 1.0), PairItem("b", "z", None, 0.0)]
    >>> headline_strata(items)
    [('a', '1'), ('a', '2'), ('b',)]
    """
    balanced = {bias for bias, found in _by_bias(items).items() if _weighs_sets(found)}
    return [(item.bias, item.attribute_set or "") if item.bias in balanced else (item.bias,) for item in items]


def _sets(items: Sequence[PairItem]) -> set[str | None]:
    """The attribute sets, where each scored item has one and there is more than one."""
    sets = {item.attribute_set for item in items if item.value is not None}
    return sets if len(sets) > 1 and None not in sets else set()


def _weighs_sets(items: Sequence[PairItem]) -> bool:
    """Whether the headline of a bias gives its attribute sets the same weight."""
    return bool(_sets(items)) and not any(item.published for item in items)


def _by_bias(items: Iterable[PairItem]) -> dict[str, list[PairItem]]:
    grouped: dict[str, list[PairItem]] = defaultdict(list)
    for item in items:
        grouped[item.bias].append(item)
    return grouped


def _counted(grouped: Mapping[str, Sequence[PairItem]]) -> dict[str, Sequence[PairItem]]:
    """The biases that overall values are made of: not those that check the instrument."""
    return {bias: found for bias, found in grouped.items() if not any(item.benchmark for item in found)}


def further_of(items: Sequence[PairItem]) -> dict[str, list[str | None]]:
    """What was sampled beside the attributes: templates, and the words for the groups."""
    return {"templates": [item.template for item in items], "terms": [item.terms for item in items]}


def _balanced(items: Sequence[PairItem], level: float) -> Estimate:
    """The mean over attribute sets, where each scored item has one and there is more than one."""
    if _sets(items):
        return _within_sets(items, level)
    scored = [item for item in items if item.value is not None]
    sets = {item.attribute_set for item in scored}
    reason = "there is only one attribute set" if sets and None not in sets else "the attribute sets are not known"
    return Estimate(
        None,
        level=level,
        n=sum(item.scored for item in items),
        n_unscored=sum(item.missing for item in items),
        origins=len({item.attribute for item in scored}),
        note=f"no balanced value: {reason}" if scored else "nothing was scored",
    )


def _within_sets(items: Sequence[PairItem], level: float) -> Estimate:
    return _estimate(items, strata=[(item.bias, item.attribute_set or "") for item in items], level=level)


def _estimate(
    items: Sequence[PairItem],
    clusters: Sequence[str | None] | None = None,
    *,
    strata: Sequence[StratumPath] | None = None,
    level: float,
    interval: bool = True,
) -> Estimate:
    return estimate(
        [item.value for item in items],
        [item.attribute for item in items] if clusters is None else clusters,
        rows=[item.scored for item in items],
        unscored=[item.missing for item in items],
        strata=strata,
        further=further_of(items),
        level=level,
        interval=interval,
    )


def _cell_names(items: Sequence[PairItem]) -> list[str | None]:
    """A name for each (bias, attribute) cell; an item without attribute is a cell of its own."""
    return [None if item.attribute is None else f"{item.bias}\0{item.attribute}" for item in items]


def _per_attribute(items: Sequence[PairItem], level: float) -> dict[str, Estimate]:
    grouped: dict[str, list[PairItem]] = defaultdict(list)
    for item in items:
        if item.attribute is not None:
            grouped[item.attribute].append(item)
    return {attribute: _estimate(found, level=level) for attribute, found in grouped.items()}


def _notes(summary: PairSummary, benchmarks: Sequence[str]) -> list[str]:
    notes = []
    if benchmarks:
        names = ", ".join(benchmarks)
        notes.append(f"{names}: a check of the instrument, not a social bias; left out of the overall values")
    without = [bias for bias, found in summary.by_bias_balanced.items() if found.value is None]
    if without and summary.overall_balanced.value is not None:
        notes.append(f"overall_balanced leaves out {', '.join(without)}: no balanced value")
    tables = {
        "headline_by_bias": summary.headline_by_bias,
        "by_bias": summary.by_bias,
        "by_bias_balanced": summary.by_bias_balanced,
        "margin_by_bias": summary.margin_by_bias,
    }
    overall = {
        "overall": summary.overall,
        "overall_cells": summary.overall_cells,
        "overall_balanced": summary.overall_balanced,
    }
    notes += [f"headline: {summary.headline.note}"] if summary.headline.note else []
    notes += [
        f"{name}: {found.note}" for name, found in overall.items() if found.note and found.note != summary.headline.note
    ]
    for table, estimates in tables.items():
        reasons: dict[str, list[str]] = defaultdict(list)
        for bias, found in estimates.items():
            if found.note and (table == "headline_by_bias" or found.note != summary.headline_by_bias[bias].note):
                reasons[found.note].append(bias)
        notes += [f"{table}, {', '.join(biases)}: {reason}" for reason, biases in reasons.items()]
    return notes


def _as_json(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: found.as_json() for name, found in estimates.items()}
