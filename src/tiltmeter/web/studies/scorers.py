"""Scorers as a study names them, and as a form ticks them: a short name may stand for one of each family."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.models import available_models
from tiltmeter.records import Family
from tiltmeter.web.studies.available import available_scorers

FAMILIES: tuple[Family, ...] = ("causal", "masked")


def may_be_masked(model: str) -> bool:
    """Whether the model of a name may be a masked one, as far as its name tells.

    >>> may_be_masked("smollm2-135m"), may_be_masked("api:gpt-4@https://example.org"), may_be_masked("hf:org/name")
    (False, False, True)
    """
    kinds = {one.name.partition(":")[0]: one.kind for one in available_models()}
    kind = kinds.get(model.partition(":")[0], "")
    return not kind.startswith("causal") or "masked" in kind


def ticked_scorers(names: Sequence[str], ticked: Sequence[str]) -> list[str]:
    """The names that a study has after a change of the ticks: those it had, as long as they still hold, in their order.

    >>> ticked_scorers(["as-published", "mean"], ["causal.sum", "causal.as-published"])
    ['causal.as-published', 'sum']
    """
    kept: list[str] = []
    for name in names:
        meant = meant_by(name)
        kept += [name] if meant <= set(ticked) else sorted(meant & set(ticked))
    named = {full for name in kept for full in meant_by(name)}
    return list(dict.fromkeys([*kept, *(shortest_name(full) for full in ticked if full not in named)]))


def meant_by(name: str) -> set[str]:
    """The scorers, without versions, that a short or full name stands for; none: it is no scorer."""
    everything = [one.name for family in FAMILIES for one in available_scorers(family)]
    return {full for full in everything if name in (full, full.partition(".")[2]) or name.startswith(f"{full}.v")}


def shortest_name(full: str) -> str:
    """The name without its family, where only one family has it.

    >>> shortest_name("causal.sum"), shortest_name("masked.as-published")
    ('sum', 'masked.as-published')
    """
    short = full.partition(".")[2]
    return short if meant_by(short) == {full} else full
