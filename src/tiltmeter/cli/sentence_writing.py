"""The part of `tiltmeter sentences` that writes, and goes on where the same command was killed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import say

if TYPE_CHECKING:
    from tiltmeter.engine.partial import Partial
    from tiltmeter.engine.review import Auditor
    from tiltmeter.engine.units import Journal
    from tiltmeter.models import ModelSettings
    from tiltmeter.records import ModelFacts, Spec
    from tiltmeter.sources.generated import Generation, GenerationSettings, UnitResult
    from tiltmeter.sources.generated.settings import Strategy
    from tiltmeter.sources.generated.shots import Chooser

STRATEGIES: tuple[Strategy, ...] = ("constrained", "rejection")


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
        from tiltmeter.engine.ranking import check_reader
        from tiltmeter.engine.review import Auditor
        from tiltmeter.engine.staff import Staff

        staff = Staff(self.running)
        check_reader(self.reader, staff)
        return Auditor(self.specs, self.reader, staff)

    def described(
        self, generator: Any, reader: ModelFacts | None, chosen: Sequence[GenerationSettings]
    ) -> dict[str, Any]:
        """All that decides which sentences come out, so that two orders can be compared."""
        from tiltmeter.store import versions

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
class Asked:
    """How the sentences were asked for, and who ranked them."""

    by: str
    settings: GenerationSettings
    ranked_by: str | None
    """The reader, or for want of one the model that writes; None: nobody."""
    not_ranked: str | None = None
    """Why nobody did, where nobody was told so."""


def write_order(order: Order, out: Path | None, dropped: Path | None) -> tuple[dict[str, Generation], Asked]:
    """Have everything written, and then the files, whole; killed before, the same command goes on."""
    with _Desk(order, [order.settings], out, dropped) as desk:
        results = desk.write(desk.chosen[0])
        made = {name: _assembled([one for one in results if one.unit.spec == name], order) for name in order.specs}
        _save(made.values(), order.specs.values(), out, dropped)
        desk.finish()
    return made, desk.asked


def write_both(order: Order, out: Path | None, dropped: Path | None) -> tuple[dict[str, Generation], Asked]:
    """The same with either strategy, over all specs together, by the name of the strategy.

    Nobody ranks: that would hide what is to be compared.
    """
    from tiltmeter.engine.review import NOBODY

    made: dict[str, Generation] = {}
    both = [replace(order.settings, strategy=name) for name in STRATEGIES]
    with _Desk(replace(order, reader=NOBODY), both, out, dropped) as desk:
        for name, chosen in zip(STRATEGIES, desk.chosen, strict=True):
            results = desk.write(chosen, name)
            found = _assembled(results, order)
            # Units have the same names under either strategy.
            named = [replace(sentence, id=f"{name}:{sentence.id}") for sentence in found.sentences]
            made[name] = replace(found, sentences=named)
        _save(made.values(), order.specs.values(), out, dropped)
        desk.finish()
    return made, desk.asked


class _Desk:
    """The generator at work, with what it has finished beside the file that is to come."""

    def __init__(
        self, order: Order, wanted: Sequence[GenerationSettings], out: Path | None, dropped: Path | None
    ) -> None:
        from tiltmeter import models
        from tiltmeter.engine.partial import Partial
        from tiltmeter.files import check_writable
        from tiltmeter.sources.generated import fit

        self._order = order
        self._partial: Partial | None = None
        for path in (out, dropped):
            if path:
                check_writable(path)
        self._shots = _choosers(order)
        generator: Any = models.load(order.by, order.running)
        self._generator = generator
        self._auditor = order.auditor()
        self.chosen = [fit(one, generator) for one in wanted]
        if out and (out.is_file() or not out.exists()):
            described = order.described(self._generator, self._auditor.reader, self.chosen)
            self._partial = Partial(out.with_name(f"{out.name}.partial"), described)

    @property
    def asked(self) -> Asked:
        """How it is asked, and who ranks what it writes."""
        from tiltmeter.engine.ranking import can_rank
        from tiltmeter.engine.review import NOBODY

        by, reader = self._order.by, self._order.reader
        if reader == NOBODY or reader:
            return Asked(by, self.chosen[0], None if reader == NOBODY else reader)
        if can_rank(self._generator):
            return Asked(by, self.chosen[0], by)
        return Asked(by, self.chosen[0], None, f"{by} gives no log-probabilities of texts")

    def __enter__(self) -> _Desk:
        return self

    def __exit__(self, *_: object) -> None:
        if self._partial:
            self._partial.close()

    def write(self, settings: GenerationSettings, part: str = "") -> list[UnitResult]:
        from tiltmeter.cli.progress import Bar
        from tiltmeter.engine.units import Author, Unrecorded, write_units
        from tiltmeter.sources.generated import units

        order = self._order
        own = self.asked.ranked_by == order.by
        review = self._auditor.review(judge=order.judge, otherwise=self._generator if own else None)
        journal: Journal = self._partial.part(part) if self._partial else Unrecorded()
        author = Author(self._generator, settings, self._shots, review)
        todo = [(spec, units(spec, settings)) for spec in self._order.specs.values()]
        what = f"writing sentences with {self._order.by}" + (f", {part}" if part else "")
        try:
            with Bar() as bar:
                return write_units(todo, lambda: author, journal, bar, what)
        except KeyboardInterrupt:
            if self._partial and self._partial.has_units():
                say(f"stopped; the same command goes on from here (what is done is in {self._partial.path})")
            raise

    def finish(self) -> None:
        """Everything is in its place."""
        if self._partial:
            self._partial.remove()


def _save(made: Iterable[Generation], specs: Iterable[Spec], out: Path | None, dropped: Path | None) -> None:
    from tiltmeter.sources.generated import write_sentences

    sentences = [one for generation in made for one in generation.sentences]
    kept = [one for one in sentences if one.dropped is None]
    if out and kept:
        write_sentences(out, kept, specs)
    if dropped:
        write_sentences(dropped, [one for one in sentences if one.dropped], specs)


def _assembled(results: Sequence[UnitResult], order: Order) -> Generation:
    from tiltmeter.sources.generated import assemble

    return assemble(results, order.settings)


def _choosers(order: Order) -> dict[str, Chooser]:
    from tiltmeter.sources.generated import vectors
    from tiltmeter.sources.generated.shots import chooser, read_shots

    kind = order.settings.shots
    repository = read_shots(order.shots_from) if order.shots_from else None
    space = vectors.load() if kind == "similar" else None
    return {name: chooser(kind, spec, repository=repository, vectors=space) for name, spec in order.specs.items()}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
