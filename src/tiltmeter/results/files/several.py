"""Several scored files, or sets of one: each bias over the sets, and how far files, generators and models agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.results.files.scored import Columns, FileSummary, Scored, ScoredFile, read_scored, summarised
from tiltmeter.results.summary.sources_compared import Correlation, Reading, correlate, matrix_json
from tiltmeter.stats.spread import spread
from tiltmeter.stats.views.pairs import PairItem, shares

_NOT_POOLED = ("source", "scorer")


@dataclass(frozen=True, slots=True)
class SetSpread:
    """One bias over independent sets of pairs: its value in each, their mean and sample standard deviation."""

    values: Mapping[str, float | None]
    mean: float | None
    sd: float | None

    def as_json(self) -> dict[str, Any]:
        """The spread by the names of the sets."""
        return {
            "values": dict(self.values),
            "mean_over_sets": self.mean,
            "sd_over_sets": self.sd,
            "sets": sum(value is not None for value in self.values.values()),
        }


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of one tested model: the estimates over all of their pairs together, and each bias over the sets."""

    model: str
    files: tuple[str, ...]
    pooled: FileSummary
    sets: Mapping[str, SetSpread] = field(default_factory=dict)
    """Empty where there is one set only."""

    def as_json(self) -> dict[str, Any]:
        """The pooled estimates, and the spread over sets beside them."""
        made: dict[str, Any] = {"model": self.model} if self.model else {}
        made |= {**self.pooled.as_json(), "files": list(self.files)}
        return made | ({"sets": {bias: one.as_json() for bias, one in self.sets.items()}} if self.sets else {})


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
    """Estimates of one or several scored files; each file is a set, or holds those that its column `set` names."""
    files, pairs = read_scored(paths, columns)
    names = _names(paths)
    by_model: dict[str, list[int]] = {}
    for at, one in enumerate(files):
        by_model.setdefault(one.model, []).append(at)
    _refuse_mixture(files)
    models = []
    for model, places in by_model.items():
        own = [pair for pair in pairs if pair.file in places]
        pooled = summarised([files[at] for at in places], own, level)
        listed = {at: names[at] for at in places}
        models.append(ModelFiles(model, tuple(listed.values()), pooled, _over_sets(listed, own)))
    return SeveralFiles(tuple(models), _agreement(names, files, pairs) if len(files) > 1 else {})


def _over_sets(names: Mapping[int, str], pairs: Sequence[Scored]) -> dict[str, SetSpread]:
    numbers: dict[int, dict[str, None]] = {at: {} for at in names}
    for pair in pairs:
        numbers[pair.file].setdefault(pair.set)
    sets: dict[str, list[PairItem]] = {}
    for at, name in names.items():
        several = len(numbers[at]) > 1
        for number in numbers[at]:
            label = f"{name}, set {number or 'blank'}" if several and len(names) > 1 else number if several else name
            sets[label] = [pair.item for pair in pairs if (pair.file, pair.set) == (at, number)]
    if len(sets) < 2:
        return {}
    found = {name: _values(items) for name, items in sets.items()}
    biases = dict.fromkeys(bias for values in found.values() for bias in values)
    made = {}
    for bias in biases:
        values = {name: held.get(bias) for name, held in found.items()}
        over = spread(list(values.values()))
        made[bias] = SetSpread(values, over.mean, over.sd)
    return made


def _agreement(
    names: Sequence[str], files: Sequence[ScoredFile], pairs: Sequence[Scored]
) -> dict[str, Sequence[Correlation]]:
    benchmarks = {pair.item.bias.partition(":")[0] for pair in pairs if pair.item.benchmark}
    by_file: dict[int, list[PairItem]] = {at: [] for at in range(len(files))}
    cells: dict[tuple[str, str], list[PairItem]] = {}
    for pair in pairs:
        by_file[pair.file].append(pair.item)
        cells.setdefault((files[pair.file].model, pair.generator), []).append(pair.item)
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
    for name in _NOT_POOLED:
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
