"""What is put side by side: models of runs, as the address of the page says it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, unquote, urlencode

from tiltmeter.errors import TiltmeterError, UserError
from tiltmeter.store import LEDGER, NotBegun, read_meta
from tiltmeter.views import VIEWS, View, view_named
from tiltmeter.web.workbench import Workbench

MOST = 12
"""Models on one page."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A model of a run."""

    run: str
    model: str

    @property
    def key(self) -> str:
        """How an address names it; names may hold anything.

        >>> Chosen("my run", "hf:a/b").key
        'my%20run/hf%3Aa%2Fb'
        """
        return f"{quote(self.run, safe='')}/{quote(self.model, safe='')}"

    @classmethod
    def of(cls, key: str) -> Chosen:
        """The model of a run that an address names."""
        run, slash, model = key.partition("/")
        if not slash:
            raise UserError("the address does not say which model of which run is meant; choose on the page")
        return cls(unquote(run), unquote(model))


@dataclass(frozen=True, slots=True)
class Offer:
    """A run that can be chosen from."""

    name: str
    study: str
    models: tuple[Chosen, ...]
    finished: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Everything that the address says."""

    sides: tuple[Chosen, ...] = ()
    a: Chosen | None = None
    b: Chosen | None = None
    view: View | None = None
    margin: float | None = None

    @classmethod
    def of(cls, sides: Sequence[str], a: str, b: str, view: str, margin: str) -> Choice:
        """What an address says, where it makes sense."""
        chosen = tuple(dict.fromkeys(Chosen.of(side) for side in sides))
        if len(chosen) > MOST:
            raise UserError(f"{len(chosen)} models are too many for one page; choose at most {MOST}")
        first, second = (Chosen.of(one) if one else None for one in (a, b))
        if len(chosen) > 1:
            first = first if first in chosen else next(one for one in chosen if one != second)
            second = second if second in chosen and second != first else next(one for one in chosen if one != first)
        return cls(chosen, first, second, _view(view), _margin(margin))

    @property
    def ready(self) -> bool:
        """Whether there is something to compare."""
        return len(self.sides) > 1

    def address(self, path: str = "/compare", **changed: str) -> str:
        """The address of this choice, or of one that differs from it."""
        first, second = (changed.get(name, one.key if one else "") for name, one in (("a", self.a), ("b", self.b)))
        given = {
            "a": first,
            "b": second,
            "view": (self.view or "").replace(" ", "-"),
            "margin": "" if self.margin is None else f"{self.margin:g}",
        }
        pairs = [("side", side.key) for side in self.sides] + [(name, one) for name, one in given.items() if one]
        return f"{path}?{urlencode(pairs)}"

    def by_age(self, runs: Sequence[str]) -> Choice:
        """With the oldest of the runs, which are given the newest first, as before, and the next as after."""
        places = {name: at for at, name in enumerate(runs)}
        first, second, *_ = sorted(self.sides, key=lambda side: -places.get(side.run, -1))
        return replace(self, a=first, b=second)

    @property
    def swapped(self) -> str:
        """The address with before and after exchanged."""
        assert self.a and self.b
        return self.address(a=self.b.key, b=self.a.key)


def _view(name: str) -> View | None:
    if not name:
        return None
    found = view_named(name)
    if found is None:
        raise UserError(f"there is no view `{name}`; there are {', '.join(VIEWS)}")
    return found


def _margin(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise UserError(f"`{text}` is not a margin: write a number above 0, such as 0.03") from None


def offers(bench: Workbench) -> list[Offer]:
    """The runs of the workbench with their models, the newest first."""
    return [_offer(name, folder) for name, folder in bench.runs().items()]


def _offer(name: str, folder: Path) -> Offer:
    if not (folder / LEDGER).is_file():
        return Offer(name, "", (), finished=False, problem="nothing is written yet")
    try:
        meta = read_meta(folder)
        resolved = meta["resolved"]
        models = tuple(Chosen(name, model) for model in resolved["models"])
        return Offer(name, resolved["name"], models, bool(meta.get("finished")))
    except NotBegun:
        return Offer(name, "", (), finished=False, problem="nothing is written yet")
    except TiltmeterError as error:
        return Offer(name, "", (), finished=False, problem=str(error).replace(f"{folder.parent}/", ""))


def fingerprint(folder: Path) -> tuple[object, ...]:
    """What a run holds now, without reading it: another number as soon as something was written."""
    files = [folder / LEDGER, folder / f"{LEDGER}-wal"]
    return str(folder), *((one.stat().st_size, one.stat().st_mtime_ns) for one in files if one.is_file())
