"""Sources and models beside one another: the same biases, in which order, and where they disagree."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.scores import is_benchmark
from tiltmeter.stats.agreement.correlation import rank_correlation
from tiltmeter.stats.spread import Spread, spread
from tiltmeter.stats.views.pairs import PairSummary


@dataclass(frozen=True, slots=True)
class AttributeGap:
    """One attribute under two sources."""

    bias: str
    attribute: str
    first: Estimate
    second: Estimate

    @property
    def difference(self) -> float:
        """Second minus first, in points of share."""
        return (self.second.value or 0.0) - (self.first.value or 0.0)

    @property
    def opposite(self) -> bool:
        """Whether the two lie on different sides of one half."""
        return ((self.first.value or 0.0) - 0.5) * ((self.second.value or 0.0) - 0.5) < 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sources on the same biases, under the same model and scorer."""

    model: str
    scorer: str
    first: str
    second: str
    biases: Mapping[str, tuple[float | None, float | None]]
    correlation: Estimate
    """Over the social biases: checks of the instrument lie far out by design, and would pass for agreement."""
    attributes: Sequence[AttributeGap]
    """The attributes that both have scored, the largest difference first."""

    def as_json(self) -> dict[str, Any]:
        """The comparison as the run folder keeps it."""
        return {
            "model": self.model,
            "scorer": self.scorer,
            "first": self.first,
            "second": self.second,
            "biases": dict(self.biases),
            "correlation": self.correlation.as_json(),
            "attributes": [
                {
                    "bias": one.bias,
                    "attribute": one.attribute,
                    "first": one.first.value,
                    "second": one.second.value,
                    "difference": one.difference,
                    "n": [one.first.n, one.second.n],
                }
                for one in self.attributes
            ],
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of one model on one source, bias by bias, under its leading scorer."""

    model: str
    source: str
    written: bool
    """Whether a model wrote the sentences of the source."""
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Two sources or two models: how far they put the biases in the same order."""

    first: str
    second: str
    over: Sequence[str]
    """What the values were averaged over first: the models tested on both sources, or the sources both models have."""
    found: Estimate

    def as_json(self) -> dict[str, Any]:
        """The correlation as the run folder keeps it."""
        return {
            "first": self.first,
            "second": self.second,
            "over": list(self.over),
            **self.found.as_json(),
            "note": self.found.note,
        }


@dataclass(frozen=True, slots=True)
class Models:
    """Several models on one kind of source: every two of them, and each bias over all of them."""

    pairs: Sequence[Correlation]
    values: Mapping[str, Mapping[str, float | None]]
    """By bias and model, averaged over the sources of the kind."""
    spreads: Mapping[str, Spread]
    """By bias, over the models."""

    def as_json(self) -> dict[str, Any]:
        """The comparison as the run folder keeps it."""
        return {
            **matrix_json(self.pairs),
            "values": {bias: dict(found) for bias, found in self.values.items()},
            "spreads": {bias: asdict(found) for bias, found in self.spreads.items()},
        }


@dataclass(frozen=True, slots=True)
class Correlations:
    """Every two sources, and for each kind of source that several models were tested on, these."""

    sources: Sequence[Correlation] = ()
    models: Mapping[str, Models] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The correlations as the run folder keeps them."""
        return {
            "sources": [one.as_json() for one in self.sources],
            "sources_matrix": matrix_json(self.sources)["matrix"],
            "models": {kind: found.as_json() for kind, found in self.models.items()},
        }


@dataclass(frozen=True, slots=True)
class Matrix:
    """Correlations as a square: `values[i][j]` is that of the names i and j; 1 on the diagonal, None where none is."""

    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]


def matrix(pairs: Sequence[Correlation]) -> Matrix:
    """Every two of the things that were compared, as a square.

    >>> matrix([Correlation("a", "b", (), Estimate(0.5, n=5))]).values
    ((1.0, 0.5), (0.5, 1.0))
    """
    names = tuple(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    found = {frozenset((pair.first, pair.second)): pair.found.value for pair in pairs}
    rows = (tuple(1.0 if one == other else found.get(frozenset((one, other))) for other in names) for one in names)
    return Matrix(names, tuple(rows))


def matrix_json(pairs: Sequence[Correlation]) -> dict[str, Any]:
    """The square, and every two with the interval."""
    square = matrix(pairs)
    return {
        "matrix": {"names": list(square.names), "values": [list(row) for row in square.values]},
        "pairs": [one.as_json() for one in pairs],
    }


WRITTEN = "written sentences"
"""The kind of all sources that a model wrote; another source is a kind of its own."""


def compare_sources(
    model: str,
    scorer: str,
    first: tuple[str, PairSummary],
    second: tuple[str, PairSummary],
    benchmarks: Collection[str] = (),
) -> Comparison:
    """The biases and attributes that two sources share, side by side, with the rank correlation over the biases."""
    shared = [bias for bias in first[1].headline_by_bias if bias in second[1].headline_by_bias]
    values = {bias: (first[1].headline_by_bias[bias].value, second[1].headline_by_bias[bias].value) for bias in shared}
    social = [both for bias, both in values.items() if not is_benchmark(bias, benchmarks)]
    correlation = rank_correlation([one for one, _ in social], [other for _, other in social])
    gaps = _gaps(first[1].by_attribute, second[1].by_attribute)
    return Comparison(model, scorer, first[0], second[0], values, correlation, gaps)


def correlate(tests: Sequence[Reading], benchmarks: Collection[str] = ()) -> Correlations:
    """How far sources agree on the order of the biases, averaged over the models tested on both, and how far models do,
    averaged over the written sources that both have, and on each other source alone."""
    social = [
        Reading(one.model, one.source, one.written, _social(one.values, benchmarks))
        for one in tests
        if any(value is not None for value in _social(one.values, benchmarks).values())
    ]
    by_kind: dict[str, list[Reading]] = {}
    for one in social:
        by_kind.setdefault(_kind(one), []).append(one)
    models = {kind: _models(found) for kind, found in by_kind.items()}
    return Correlations(
        sources=_pairwise(social, lambda one: one.source, lambda one: one.model),
        models={kind: found for kind, found in models.items() if found.pairs},
    )


def _pairwise(
    tests: Sequence[Reading], side: Callable[[Reading], str], averaged: Callable[[Reading], str]
) -> list[Correlation]:
    names = dict.fromkeys(side(one) for one in tests)
    found = []
    for first, second in combinations(names, 2):
        values = {name: {averaged(one): one.values for one in tests if side(one) == name} for name in (first, second)}
        over = [key for key in values[first] if key in values[second]]
        if over:
            biases = dict.fromkeys(bias for name in values for key in over for bias in values[name][key])
            means = [
                [spread([values[name][key].get(bias) for key in over]).mean for bias in biases]
                for name in (first, second)
            ]
            found.append(Correlation(first, second, over, rank_correlation(*means)))
    return found


def _models(tests: Sequence[Reading]) -> Models:
    models = dict.fromkeys(one.model for one in tests)
    biases = dict.fromkeys(bias for one in tests for bias in one.values)
    values = {
        bias: {model: spread([one.values.get(bias) for one in tests if one.model == model]).mean for model in models}
        for bias in biases
    }
    return Models(
        pairs=_pairwise(tests, lambda one: one.model, lambda one: one.source),
        values=values,
        spreads={bias: spread(list(found.values())) for bias, found in values.items()},
    )


def _gaps(
    first: Mapping[str, Mapping[str, Estimate]], second: Mapping[str, Mapping[str, Estimate]]
) -> list[AttributeGap]:
    gaps = [
        AttributeGap(bias, attribute, found, second[bias][attribute])
        for bias in first
        for attribute, found in first[bias].items()
        if found.value is not None and attribute in second.get(bias, {}) and second[bias][attribute].value is not None
    ]
    # Of two that differ as much, the one with more sentences behind it says more.
    return sorted(gaps, key=lambda one: (-round(abs(one.difference), 9), -min(one.first.n, one.second.n)))


def _kind(test: Reading) -> str:
    return WRITTEN if test.written else test.source


def _social(values: Mapping[str, float | None], benchmarks: Collection[str]) -> dict[str, float | None]:
    return {bias: value for bias, value in values.items() if not is_benchmark(bias, benchmarks)}
