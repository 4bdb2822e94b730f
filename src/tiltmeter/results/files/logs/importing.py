"""A run made of logs: its ledger holds what other programs asked and heard, so that everything reads it as any run."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os.path import commonpath
from pathlib import Path
from typing import Any

from tiltmeter import raters as raters_module
from tiltmeter.errors import RunError, UnknownName
from tiltmeter.raters import Rater, mask_group
from tiltmeter.raters.refusal import NAME as REFUSALS
from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.raters.scales import on_scale
from tiltmeter.records import REFUSED, Completion, Pair, Prompt, Rating
from tiltmeter.results.cells import write_measurements
from tiltmeter.results.files.logs.gathered import Gathered, gather
from tiltmeter.results.files.logs.placing import LoggedText
from tiltmeter.results.files.measurements import measured
from tiltmeter.results.files.ratings import Masking
from tiltmeter.results.measurements import measurements
from tiltmeter.results.measurements.columns import MEASUREMENTS
from tiltmeter.store import Ledger, Run, read_run
from tiltmeter.study import ContinuationChoices, Plan, RaterChoice, SourceChoice, Study
from tiltmeter.study.continuations import RATERS
from tiltmeter.views import FACTS

_PAIRS, _PROMPTS = "pairs-file.v1", "prompts-file.v1"
"""Sources of items that somebody brings."""
_BATCH = 256


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What is wanted of logs."""

    columns: Mapping[str, str] | None = None
    """Where a log has `bias`, `group`, `origin`, `value` and `model`, if under other names than the usual ones."""
    model: str | None = None
    """Who answered, where the log does not say or says it otherwise."""
    raters: Sequence[Rater | str] | None = None
    """Who rates what a model wrote; None: those of a study that names none, where the log has no ratings itself."""
    masking: Masking = field(default_factory=Masking)
    reference: tuple[str, ...] = ()
    """Groups that the others of their bias are compared with."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A run that was made of logs, and what must be known of it."""

    run: Run
    notes: tuple[str, ...]


def import_log(paths: Sequence[str | Path], folder: str | Path, query: LogQuery | None = None) -> Imported:
    """Make a run folder of logs: of lm-evaluation-harness, of Inspect, of chat models."""
    asked, place = query or LogQuery(), Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise RunError(f"{place}: is there already; name another folder")
    found = gather(paths, asked.columns, asked.model)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as beside:
        made = Path(beside) / "run"
        made.mkdir()
        notes = _write(found, made, asked)
        if place.is_dir():
            place.rmdir()
        made.rename(place)
    return Imported(read_run(place), (*found.notes, *notes))


def read_log(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    *,
    model: str | None = None,
    raters: Sequence[Rater | str] | None = None,
) -> list[dict[str, object]]:
    """The measurements of a log, or of a folder of logs, with the columns of `docs/measurements.md`.

    `columns`, `model` and `raters` are those of a `LogQuery`.
    """
    with tempfile.TemporaryDirectory(prefix="tiltmeter-") as folder:
        run = import_log([path], Path(folder) / "log", LogQuery(columns, model, raters)).run
        return [{**dict.fromkeys(MEASUREMENTS), **row} for row in measurements(run)]


def measured_log(
    paths: Sequence[str | Path],
    query: LogQuery | None = None,
    *,
    where: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> dict[str, Any]:
    """Every estimate of what logs hold, as of a table of measurements, and why what is missing is missing."""
    for name in where or ():
        if name not in MEASUREMENTS:
            raise UnknownName("column", name, MEASUREMENTS)
    with tempfile.TemporaryDirectory(prefix="tiltmeter-") as folder:
        made = import_log(paths, Path(folder) / "log", query)
        write_measurements(made.run, Path(folder))
        found = measured(Path(folder) / "measurements.parquet", where=where, level=level)
        rows = measurements(made.run)
        counted = {name for facts in FACTS.values() for name in facts.measures[:1]}
        # A text that several raters could not read is one text.
        lost = {
            (row["item"], row["model"], row.get("sample"), row["group"], row.get("reason"))
            for row in rows
            if row["measure"] in counted
        }
        why = Counter((group, reason) for *_, group, reason in sorted(lost, key=str))
    missing = [{"group": group, "reason": reason, "n": n} for (group, reason), n in why.items() if reason]
    return {**found, "models": list(made.run.facts), "missing": missing, "notes": list(made.notes)}


def _write(found: Gathered, folder: Path, asked: LogQuery) -> list[str]:
    """Write the ledger; what must be known of it."""
    wanted = _raters(found, asked)
    readers = [rater for rater in wanted if asked.masking.given or not rater.wants_mask]
    plan = _plan(found, readers, asked)
    with Ledger(folder) as ledger:
        ledger.begin(plan)
        for model, facts in found.facts.items():
            ledger.record_model(facts)
            if found.pairs:
                ledger.record_scores(model, found.scorers, found.scored(model))
        if found.prompts:
            _write_texts(found, ledger, readers, asked.masking)
        ledger.finish()
    return [
        f"{rater.name} is left out: it needs the group masked; name its words with --group-spec or --mask-terms"
        for rater in wanted
        if rater not in readers
    ]


def _raters(found: Gathered, asked: LogQuery) -> list[Rater]:
    """Who rates what models wrote, refusals last; nobody where there is no such text."""
    texts = [one for texts in found.texts.values() for one in texts if one.to_be_rated]
    names = asked.raters
    if names is None:
        # What the log rated itself stays as it is.
        names = [] if all(one.ratings for one in texts) else RATERS
    if not texts or not names:
        return []
    made = [raters_module.load(one) if isinstance(one, str) else one for one in dict.fromkeys(names)]
    return [*(one for one in made if one.name != REFUSALS), raters_module.load(REFUSALS)]


def _plan(found: Gathered, readers: Sequence[Rater], asked: LogQuery) -> Plan:
    """The study that would have asked the same."""
    texts = None
    if found.prompts:
        names = [*found.raters, *(rater.name for rater in readers)]
        texts = ContinuationChoices(
            tuple(SourceChoice(_PROMPTS, label=label) for label in _sources(found.prompts)),
            tuple(found.decodings),
            tuple(RaterChoice(name.partition(":")[0], name.partition(":")[2] or None) for name in names),
            1 + max(text.sample for every in found.texts.values() for text in every),
            "completion",
            asked.reference,
        )
    study = Study(
        name=Path(commonpath([path.absolute() for path in found.files])).stem,
        models=tuple(found.facts),
        sources=tuple(SourceChoice(_PAIRS, label=label) for label in _sources(found.pairs)),
        scorers=tuple(found.scorers),
        text="".join(f"# {path.name}, SHA-256 {_digest(path)}\n" for path in found.files),
        continuations=texts,
    )
    return Plan(study, list(found.pairs.values()), (), list(found.prompts.values()))


def _sources(items: Mapping[str, Pair] | Mapping[str, Prompt]) -> list[str]:
    return list(dict.fromkeys(item.source for item in items.values()))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_texts(found: Gathered, ledger: Ledger, readers: Sequence[Rater], masking: Masking) -> None:
    """The texts of all models, what the logs say of them, and what raters make of the models' own words."""
    told = [(name, {"read from": "the log"}) for name in found.raters]
    told += [(rater.name, dict(rater.facts)) for rater in readers]
    ledger.continuations.record_raters([(name, facts, "completion") for name, facts in told])
    every: list[LoggedText] = []
    for model in found.facts:
        rows = list(found.rated(model))
        every += [one for *_, one in rows]
        with ledger.steps("completing", model).marked():
            places = (((at, prompt, one.sample), _completion(one)) for at, prompt, one in rows)
            ledger.written.put((model,), places)
    texts = dict(enumerate(every, start=1))
    for name in found.raters:
        said = [(at, rating) for at, one in texts.items() for rating in one.ratings if rating.rater == name]
        with ledger.steps("rating", name).marked():
            ledger.continuations.add_ratings(name, [(at, on_scale(rating)) for at, rating in said])
    own = {at: one for at, one in texts.items() if one.to_be_rated}
    for rater in readers:
        with ledger.steps("rating", rater.name).marked():
            ledger.continuations.add_ratings(rater.name, list(_rated(rater, own, masking)))
    ledger.continuations.finish()


def _completion(one: LoggedText) -> Completion:
    return Completion(one.text, len(one.text.split()), "unwritten" if one.unwritten else "end", unwritten=one.unwritten)


def _rated(rater: Rater, texts: Mapping[int, LoggedText], masking: Masking) -> Iterator[tuple[int, Rating]]:
    """The rating of each text, by its number; equal texts are read once."""
    reading: dict[str, list[int]] = {}
    for number, one in texts.items():
        if one.unwritten:
            declined = rater.name == REFUSALS and one.unwritten in REFUSED
            yield (
                number,
                Rating(rater.name, 1.0, label=REFUSAL) if declined else Rating(rater.name, None, one.unwritten),
            )
            continue
        terms = masking.by_group.get(one.prompt.group or "", ())
        read = mask_group(one.text, terms=(*masking.terms, *terms)) if rater.wants_mask else one.text
        reading.setdefault(read, []).append(number)
    different = list(reading)
    for start in range(0, len(different), _BATCH):
        batch = different[start : start + _BATCH]
        for text, rating in zip(batch, rater.rate(batch), strict=True):
            yield from ((number, on_scale(rating)) for number in reading[text])
