"""The structures that a model can be asked for, with their worked examples."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from tiltmeter import toml
from tiltmeter.errors import InvalidData, UnknownName, UserError
from tiltmeter.records import StructureKind

Ends = Literal["open", "question", "copula"]
"""How a rephrased prompt ends: where the original breaks off, as a whole question, or with a form of `be`."""


@dataclass(frozen=True, slots=True)
class Target:
    """A structure to rephrase prompts in; `targets.toml` says what its parts mean."""

    name: str
    kind: StructureKind
    family: str
    says: str
    suits: tuple[str, ...]
    frame: frozenset[str]
    marks: tuple[str, ...]
    lacks: tuple[str, ...]
    ends: Ends
    tense: Literal["kept", "first", "both"]
    order: Literal["kept", "free"]
    examples: tuple[tuple[str, str], ...]
    openings: tuple[str, ...] = ()
    """What stands before the prompt as it was, where the structure is that."""
    skeleton: str = ""
    """Its upper constituents, where they are the same whatever the prompt."""


def targets(names: Collection[str] = ()) -> list[Target]:
    """The structures of these names, in the order of the file; all of them where none is named.

    >>> [target.name for target in targets(["cleft", "wh-question"])]
    ['wh-question', 'cleft']
    """
    known = _known()
    for name in names:
        if name not in known:
            raise UserError(UnknownName("structure", name, known).problem, key="targets")
    return [target for name, target in known.items() if not names or name in names]


@cache
def _known() -> dict[str, Target]:
    text = files("tiltmeter.sources.rephrased.paraphrasing").joinpath("targets.toml").read_text(encoding="utf-8")
    content = toml.parse(text, InvalidData, "targets.toml")
    return {name: _target(name, entry) for name, entry in content.items()}


def _target(name: str, entry: dict[str, Any]) -> Target:
    return Target(
        name,
        entry["kind"],
        entry["family"],
        entry["says"],
        tuple(entry["suits"]),
        frozenset(entry["frame"].split()),
        tuple(entry["marks"]),
        tuple(entry["lacks"]),
        entry["ends"],
        entry["tense"],
        entry["order"],
        tuple((before, after) for before, after in entry["examples"]),
        tuple(entry.get("openings", ())),
        entry.get("skeleton", ""),
    )
