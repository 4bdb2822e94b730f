"""Several scored files, or sets of one: each bias over the sets, and how far files, generators and models agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.results.files.scored import (
    NOT_POOLED,
    Columns,
    FileSummary,
    Scored,
    ScoredFile,
    read_scored,
    summarised,
)
from tiltmeter.results.summary.sources_compared import Correlation, Reading, correlate, matrix_json
from tiltmeter.stats.spread import spread
from tiltmeter.stats.views.over_sets import over_sets
from tiltmeter.stats.views.pairs import PairItem, Shares, shares


@dataclass(frozen=True, slots=True)
class SetSpread:
    """A share over independent sets of pairs: its value in each, their mean and sample standard deviation."""

    values: Mapping[str, float | None]
    mean: float | None
    sd: float | None

    def as_json(self) -> dict[str, Any]:
        """The spread by the names of the sets."""
        number = sum(value is not None for value in self.values.values())
        return {
            "values": dict(self.values),
            "mean_over_sets": self.mean,
            "sd_over_sets": self.sd,
            "sets": number,
            "note": "no spread: one set only" if number == 1 else None,
        }


@dataclass(frozen=True, slots=True)
class OverSets:
    """Every bias over independent sets of pairs, and the mean over biases."""

    overall: SetSpread
    by_bias: Mapping[str, SetSpread]

    def as_json(self) -> dict[str, Any]:
        """The mean over biases apart from the biases, one of which may have any name."""
        by_bias = {bias: one.as_json() for bias, one in self.by_bias.items()}
        return {"sets": by_bias, "overall_over_sets": self.overall.as_json()}


@dataclass(frozen=True, slots=True)
class GeneratorSets:
    """The pairs of one generator: the pooled shares, and the same over its sets, of which it may have one."""

    pooled: Shares
    sets: OverSets

    def as_json(self) -> dict[str, Any]:
        """The pooled shares, and the spread over sets beside them."""
        by_bias = {bias: one.as_json() for bias, one in self.pooled.by_bias.items()}
        return {"headline": self.pooled.overall.as_json(), "headline_by_bias": by_bias, **self.sets.as_json()}


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """What files say of one tested model: the estimates over all of its pairs together, and each bias over the sets."""

    model: str
    files: tuple[str, ...]
    pooled: FileSummary
    sets: OverSets | None = None
    """None where there is one set only, or several generators: their sets are not sets of one test."""
    generators: Mapping[str, GeneratorSets] = field(default_factory=dict)
    """Of several generators, each by itself."""

    def as_json(self) -> dict[str, Any]:
        """The pooled estimates, and the spread over sets beside them."""
        made: dict[str, Any] = {"model": self.model} if self.model else {}
        made |= {**self.pooled.as_json(), "files": list(self.files)}
        made |= self.sets.as_json() if self.sets else {}
        by_generator = {name: one.as_json() for name, one in self.generators.items()}
        return made | ({"by_generator": by_generator} if by_generator else {})


@dataclass(frozen=True, slots=True)
class SeveralFiles:
    """All files, model by model, and how far every two of them put the biases in the same order."""

    models: tuple[ModelFiles, ...]
    agreement: Mapping[str, Sequence[Correlation]]
    """Of files, of generators (over the models tested with both) and of models (over the generators both have)."""

    def as_json(self) -> dict[str, Any]:
        """With one model its estimates at the top, with several under `by_model`."""
        found = {what: matrix_json(pairs) for what, pairs in self.agreement.items() if pairs}
        agreement = {"agreement": found} if found else {}
        if len(self.models) == 1:
            return {**self.models[0].as_json(), **agreement}
        by_model = {one.model: one.as_json() for one in self.models}
        return {"view": "pairs", "by_model": by_model, **agreement}


def summarise_files(
    paths: Sequence[str | Path], columns: Columns | None = None, *, level: float = 0.95
) -> SeveralFiles:
    """Estimates of one or several scored files; each file is a set, or holds those that a column names."""
    files, pairs = read_scored(paths, columns)
    names = _names(paths)
    _refuse_mixture(files)
    models = []
    for model in dict.fromkeys(model for one in files for model in one.models):
        places = [at for at, one in enumerate(files) if model in one.models]
        own = [pair for pair in pairs if pair.model == model]
        pooled = summarised([files[at] for at in places], own, model, level)
        listed = {at: names[at] for at in places}
        models.append(ModelFiles(model, tuple(listed.values()), pooled, *_by_sets(listed, own, level)))
    return SeveralFiles(tuple(models), _agreement(names, pairs))


def _by_sets(
    names: Mapping[int, str], pairs: Sequence[Scored], level: float
) -> tuple[OverSets | None, dict[str, GeneratorSets]]:
    """The sets of the one generator, or those of each of several."""
    by_generator: dict[str, list[Scored]] = {}
    for pair in pairs:
        by_generator.setdefault(pair.generator, []).append(pair)
    if len(by_generator) < 2:
        sets = _sets(names, pairs)
        return _over_sets(sets) if len(sets) > 1 else None, {}
    return None, {
        generator or "blank": GeneratorSets(
            shares([pair.item for pair in own], level=level), _over_sets(_sets(names, own))
        )
        for generator, own in by_generator.items()
    }


def _sets(names: Mapping[int, str], pairs: Sequence[Scored]) -> dict[str, list[PairItem]]:
    """The items of every set, by its name: that of its file, its own, or both."""
    found: dict[int, dict[str, list[PairItem]]] = {}
    for pair in pairs:
        found.setdefault(pair.file, {}).setdefault(pair.set, []).append(pair.item)
    sets: dict[str, list[PairItem]] = {}
    for at in sorted(found):
        several = len(found[at]) > 1
        for number, items in found[at].items():
            own = number or "blank"
            label = names[at] if not several else f"{names[at]}, set {own}" if len(found) > 1 else own
            sets[label] = items
    return sets


def _over_sets(sets: Mapping[str, Sequence[PairItem]]) -> OverSets:
    found = over_sets(sets)
    return OverSets(_spread(found.overall), {bias: _spread(values) for bias, values in found.by_bias.items()})


def _spread(values: Mapping[str, float | None]) -> SetSpread:
    found = spread(list(values.values()))
    return SetSpread(values, found.mean, found.sd)


def _agreement(names: Sequence[str], pairs: Sequence[Scored]) -> dict[str, Sequence[Correlation]]:
    benchmarks = {pair.item.bias.partition(":")[0] for pair in pairs if pair.item.benchmark}
    by_file: dict[int, list[PairItem]] = {}
    cells: dict[tuple[str, str], list[PairItem]] = {}
    for pair in pairs:
        by_file.setdefault(pair.file, []).append(pair.item)
        cells.setdefault((pair.model, pair.generator), []).append(pair.item)
    apart = [Reading("", names[at], True, _values(items)) for at, items in by_file.items()]
    readings = [Reading(model, generator, True, _values(items)) for (model, generator), items in cells.items()]
    by_model = correlate(readings, benchmarks).models.values()
    return {
        "files": correlate(apart, benchmarks).sources,
        "generators": correlate([one for one in readings if one.source], benchmarks).sources,
        "models": [pair for models in by_model for pair in models.pairs],
    }


def _values(items: Sequence[PairItem]) -> dict[str, float | None]:
    return {bias: one.value for bias, one in shares(items, intervals="none").by_bias.items()}


def _refuse_mixture(files: Sequence[ScoredFile]) -> None:
    for name in NOT_POOLED:
        values = {getattr(one, name): one.path for one in files}
        if len(values) > 1:
            (_, first), (_, second) = list(values.items())[:2]
            raise InvalidData(
                f"the column `{name}` holds {', '.join(map(repr, values))} in the files given, which must not be mixed "
                f"(as in {first}); choose one with --where {name}=VALUE, or give the files one by one",
                file=second,
            )


def _names(paths: Sequence[str | Path]) -> list[str]:
    """The files' names without what all of them share: their folders, unless two files have the same name."""
    stems = [Path(path).stem for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    parts = [Path(path).with_suffix("").parts for path in paths]
    shared = 0
    while all(len(one) > shared + 1 and one[shared] == parts[0][shared] for one in parts):
        shared += 1
    longer = ["/".join(one[shared:]) for one in parts]
    return longer if len(set(longer)) == len(longer) else [f"{name} ({at})" for at, name in enumerate(longer, start=1)]
