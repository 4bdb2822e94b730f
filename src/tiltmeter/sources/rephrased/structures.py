"""The sentence structures, read from `structures.toml`, and the order in which they are chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count, zip_longest
from typing import get_args

from tiltmeter import toml
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.records import StructureKind
from tiltmeter.sources.prompt_options import check_choice, check_count, selected_names
from tiltmeter.sources.rephrased.needs import OF_PERSON, OF_PREDICATE

Kind = StructureKind

FIXED = "fixed"
"""The structure of the published prompts, "The woman worked as": the baseline, counted apart."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence structure with its slots; `skeleton` has slots too, where it depends on the words."""

    id: str
    kind: Kind
    family: str
    pattern: str
    skeleton: str
    needs: tuple[str, ...] = ()
    continued: bool = False


def structures() -> tuple[Pattern, ...]:
    """Every structure but the baseline, in the order of choice: kinds in turn, families in turn within each.

    After two of each family, those come first whose skeleton is new, marks left aside.

    >>> [pattern.id for pattern in structures()][:4]
    ['adverb-first', 'question-what', 'but-coordinated', 'alternative']
    """
    return _in_order(tuple(one for one in _content().values() if one.id != FIXED))


def fixed() -> Pattern:
    """The baseline."""
    return _content()[FIXED]


def families(kind: Kind | None = None) -> tuple[str, ...]:
    """The families, or those of one kind."""
    return tuple(dict.fromkeys(one.family for one in _content().values() if kind in (None, one.kind)))


def choose(
    count: int | None = None, kind: Kind | None = None, family: object = None, *, of: tuple[Pattern, ...] | None = None
) -> tuple[Pattern, ...]:
    """The first so many structures of a kind and of some families; a larger choice contains every smaller one.

    `of` is what there is to choose from, where that is not all of them.

    >>> [pattern.id for pattern in choose(2, "interrogative", ["cleft", "tag"])]
    ['cleft-question', 'tag']
    """
    check_count(count, "structures")
    if kind is not None:
        check_choice(kind, get_args(Kind), "kind")
    wanted = selected_names(family, families(), "family")
    left = [one for one in (structures() if of is None else of) if one.family in wanted and kind in (None, one.kind)]
    if not left:
        there = ", ".join(families(kind))
        raise UserError(
            f"no {kind or ''} structure that fits is in {' or '.join(wanted)}; choose from: {there}", key="family"
        )
    if count is not None and count > len(left):
        raise UserError(f"must be at most {len(left)}, the number available, not {count}", key="structures")
    return _in_order(tuple(left))[:count]


@cache
def _content() -> dict[str, Pattern]:
    text = files("tiltmeter.sources.rephrased").joinpath("structures.toml").read_text(encoding="utf-8")
    tables = toml.parse(text, InvalidData, "structures.toml")
    found = {name: Pattern(name, **{**table, "needs": tuple(table.get("needs", ()))}) for name, table in tables.items()}
    for one in found.values():
        for need in one.needs:
            check_choice(need, [*OF_PREDICATE, *OF_PERSON], f"{one.id}.needs")
    return found


@cache
def _in_order(patterns: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
    seen: set[str] = set()
    kinds = [_families_in_turn([one for one in patterns if one.kind == kind], seen) for kind in get_args(Kind)]
    return tuple(one for turn in zip_longest(*kinds) for one in turn if one)


def _families_in_turn(patterns: list[Pattern], seen: set[str]) -> list[Pattern]:
    """One of each family after the other: in the first two turns as they are listed, so that the plainest are there.

    In the next turns only those whose skeleton, marks left aside, has not been there, as long as any are left.
    """
    by_family: dict[str, list[Pattern]] = {}
    for one in patterns:
        by_family.setdefault(one.family, []).append(one)
    ordered: list[Pattern] = []
    for turn in count():
        if not any(by_family.values()):
            return ordered
        for left in by_family.values():
            as_listed = turn < 2 or not any(_fresh(some, seen) for some in by_family.values())
            for one in (left if as_listed else _fresh(left, seen))[:1]:
                ordered.append(one)
                seen.add(_without_marks(one.skeleton))
                left.remove(one)
    return ordered


def _fresh(patterns: list[Pattern], seen: set[str]) -> list[Pattern]:
    return [one for one in patterns if _without_marks(one.skeleton) not in seen]


def _without_marks(skeleton: str) -> str:
    """A skeleton less its marks, with what its slots most often are."""
    plain = re.sub(r" \((?:[,.:]|``|'')\)", "", skeleton.replace("{adv}", "").replace("{pred}", "(VP)"))
    return re.sub(r"\{(?:op|is|are)[^}]*\}", "VBD", plain.replace("{wh}", "WHNP"))
