"""Orders of sentences: written by a model, checked, accounted for and saved; also those of a run, read back."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter import models
from tiltmeter.engine.executor import Executor
from tiltmeter.engine.review import NOBODY, Auditor, can_rank, check_reader
from tiltmeter.engine.sentence_units import Author, Journal, UnfinishedFile, write_units
from tiltmeter.errors import ModelError, TiltmeterError
from tiltmeter.files import check_writable
from tiltmeter.models import ModelSettings
from tiltmeter.progress import NoProgress, Progress
from tiltmeter.records import ModelFacts, Spec, Written
from tiltmeter.sources.generated import (
    Accounting,
    Generation,
    GenerationSettings,
    UnitResult,
    assemble,
    settings_for,
    units,
    vectors,
    write_sentences,
)
from tiltmeter.sources.generated.settings import Strategy
from tiltmeter.sources.generated.shots import Chooser, chooser, read_shots
from tiltmeter.stats.views.quality import low_yield
from tiltmeter.store import read_meta, read_written, spec_of, versions

STRATEGIES: tuple[Strategy, ...] = ("constrained", "rejection")
_ASKED = ("strategy", "chat", "samples", "max_requests", "temperature", "top_k", "top_p", "max_new_tokens", "shots")


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be written and by whom, and who looks at it."""

    specs: Mapping[str, Spec]
    by: str
    settings: GenerationSettings
    shots_from: Path | None
    judge: bool
    reader: str | None
    running: ModelSettings

    def auditor(self) -> Auditor:
        """Whoever looks at what was written."""
        executor = Executor(self.running)
        check_reader(self.reader, executor)
        return Auditor(self.specs, self.reader, executor)

    def described(
        self, generator: Any, reader: ModelFacts | None, chosen: Sequence[GenerationSettings]
    ) -> dict[str, Any]:
        """All that decides which sentences come out, so that two orders can be compared."""
        # Where two strategies are compared, the settings that they share come from the second.
        settings = {key: value for one in chosen for key, value in asdict(one).items()}
        settings["strategy"] = [one.manner for one in chosen]
        facts = asdict(generator.facts)
        return {
            "specs": list(self.specs),
            **{f"the spec {name}": _hash(json.dumps(asdict(spec)).encode()) for name, spec in self.specs.items()},
            "by": self.by,
            **settings,
            "shots_from": _hash(self.shots_from.read_bytes()) if self.shots_from else None,
            "judge": self.judge,
            "reader": self.reader,
            **{f"the version of {name}": number for name, number in {**versions(), **facts.pop("versions")}.items()},
            **{f"the model's {key}": value for key, value in facts.items()},
            **({f"the reader's {key}": value for key, value in asdict(reader).items()} if reader else {}),
        }


@dataclass(frozen=True, slots=True)
class GenerationFacts:
    """How the sentences were asked for, and who ranked them."""

    by: str
    settings: GenerationSettings
    ranked_by: str | None
    """The reader, or for want of one the model that writes; None: nobody."""
    not_ranked: str | None = None
    """Why nobody did, where nobody was told so."""


def write_order(
    order: Order, out: Path | None, dropped: Path | None, progress: Progress | None = None
) -> tuple[dict[str, Generation], GenerationFacts]:
    """Have everything written, and then the files, whole; killed before, the same order goes on."""
    with _Generation(order, [order.settings], out, dropped) as desk:
        results = desk.write(desk.chosen[0], progress or NoProgress())
        made = {
            name: assemble([one for one in results if one.unit.spec == name], order.settings) for name in order.specs
        }
        _save(made.values(), order, out, dropped)
        desk.finish()
    return made, desk.asked


def write_both(
    order: Order, out: Path | None, dropped: Path | None, progress: Progress | None = None
) -> tuple[dict[str, Generation], GenerationFacts]:
    """The same with either strategy, over all specs together, by the name of the strategy.

    Nobody ranks: that would hide what is to be compared.
    """
    made: dict[str, Generation] = {}
    both = [replace(order.settings, strategy=name) for name in STRATEGIES]
    with _Generation(replace(order, reader=NOBODY), both, out, dropped) as desk:
        for name, chosen in zip(STRATEGIES, desk.chosen, strict=True):
            results = desk.write(chosen, progress or NoProgress(), name)
            found = assemble(results, order.settings)
            # Units have the same names under either strategy.
            named = [replace(sentence, id=f"{name}:{sentence.id}") for sentence in found.sentences]
            made[name] = replace(found, sentences=named)
        _save(made.values(), order, out, dropped)
        desk.finish()
    return made, desk.asked


def unfinished_path(out: Path) -> Path:
    """Where finished blocks are kept until the file of sentences is whole."""
    return out.with_name(f"{out.name}.partial")


def audit_problem() -> str:
    """Why sentences cannot be audited on this machine; blank where they can."""
    from tiltmeter.raters import issues

    try:
        issues.audit([])
    except (TiltmeterError, OSError) as error:
        return str(error)
    return ""


def accounts_as_json(
    accounts: Mapping[str, Accounting], asked: GenerationFacts, spent: Mapping[str, Any]
) -> dict[str, Any]:
    """What was asked for, kept and dropped for each spec, and what a model behind an API took."""
    data = {name: {**account_as_json(one), "reconsider": low_terms(one)} for name, one in accounts.items()}
    how = {key: value for key, value in asdict(asked.settings).items() if key in _ASKED}
    paid = {"api": dict(spent)} if spent else {}
    who = {"by": asked.by, "asked": how, "ranked_by": asked.ranked_by, "not_ranked": asked.not_ranked}
    return {**who, **paid, "specs": data}


def account_as_json(account: Accounting) -> dict[str, Any]:
    """The account of one spec, with the shares that follow from its counts."""
    return asdict(account) | {
        "share": account.share,
        "controllability": account.controllability,
        "accepted_per_1000_tokens": account.accepted_per_1000_tokens,
    }


def low_terms(account: Accounting) -> list[dict[str, Any]]:
    """The terms of low yield, among those of their kind."""
    every = account.yields.values()
    return [{**asdict(one), "share": share} for counts in every for one, share in low_yield(counts).items()]


def refuse_nothing(accounts: Mapping[str, Accounting], by: str) -> None:
    """End in one sentence where nothing can be used at all."""
    if accounts and not any(account.kept for account in accounts.values()):
        reasons: Counter[str] = Counter()
        for account in accounts.values():
            reasons.update(dict(account.dropped))
        [(reason, count)] = reasons.most_common(1) or [("nothing was written", 0)]
        raise ModelError(f"{by} wrote no usable sentence; most often, {count:,} of {reasons.total():,} times: {reason}")


class _Generation:
    """The generator at work, with what it has finished beside the file that is to come."""

    def __init__(
        self, order: Order, wanted: Sequence[GenerationSettings], out: Path | None, dropped: Path | None
    ) -> None:
        self._order = order
        self._partial: UnfinishedFile | None = None
        for path in (out, dropped):
            if path:
                check_writable(path)
        self._shots = _choosers(order)
        generator: Any = models.load(order.by, order.running)
        self._generator = generator
        self._auditor = order.auditor()
        self.chosen = [settings_for(one, generator) for one in wanted]
        if out and (out.is_file() or not out.exists()):
            described = order.described(self._generator, self._auditor.reader, self.chosen)
            self._partial = UnfinishedFile(unfinished_path(out), described)

    @property
    def asked(self) -> GenerationFacts:
        """How it is asked, and who ranks what it writes."""
        by, reader = self._order.by, self._order.reader
        if reader == NOBODY or reader:
            return GenerationFacts(by, self.chosen[0], None if reader == NOBODY else reader)
        if can_rank(self._generator):
            return GenerationFacts(by, self.chosen[0], by)
        return GenerationFacts(by, self.chosen[0], None, f"{by} gives no log-probabilities of texts")

    def __enter__(self) -> _Generation:
        return self

    def __exit__(self, *_: object) -> None:
        if self._partial:
            self._partial.close()

    def write(self, settings: GenerationSettings, progress: Progress, part: str = "") -> list[UnitResult]:
        """The results of all units; what was finished before is not written again."""
        order = self._order
        own = self.asked.ranked_by == order.by
        review = self._auditor.review(judge=order.judge, otherwise=self._generator if own else None)
        journal: Journal[UnitResult] = self._partial.part(part, UnitResult) if self._partial else Journal()
        author = Author(self._generator, settings, self._shots, review)
        todo = [(spec, units(spec, settings)) for spec in self._order.specs.values()]
        what = f"writing sentences with {self._order.by}" + (f", {part}" if part else "")
        return write_units(todo, lambda: author, journal, progress, what)

    def finish(self) -> None:
        """Everything is in its place."""
        if self._partial:
            self._partial.remove()


def _save(made: Iterable[Generation], order: Order, out: Path | None, dropped: Path | None) -> None:
    sentences = [one for generation in made for one in generation.sentences]
    kept = [one for one in sentences if one.dropped is None]
    if out and kept:
        write_sentences(out, kept, order.specs.values())
    if dropped:
        write_sentences(dropped, [one for one in sentences if one.dropped], order.specs.values())


def _choosers(order: Order) -> dict[str, Chooser]:
    kind = order.settings.shots
    repository = read_shots(order.shots_from) if order.shots_from else None
    space = vectors.load() if kind == "similar" else None
    return {name: chooser(kind, spec, repository=repository, vectors=space) for name, spec in order.specs.items()}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def read_written_sentences(folder: str | Path) -> tuple[list[Written], dict[str, Spec]]:
    """Every sentence that the generators of a run wrote for its test, dropped ones included, and the run's specs.

    Where several sources wrote, the label of the source stands before the id of a sentence, as it does in the ids of
    pairs.
    """
    written = read_written(folder)
    found: list[Written] = []
    for label, results in written.items():
        # A sentence is put together with the others of its spec: one that stands there twice counts once.
        sentences = assemble(results, GenerationSettings()).sentences
        several = len(written) > 1
        found += [replace(one, id=f"{label}:{one.id}") if several else one for one in sentences]
    return found, {data["name"]: spec_of(data) for data in read_meta(folder)["resolved"]["specs"]}
