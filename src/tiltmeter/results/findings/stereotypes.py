"""What specs say of groups: which are compared, and which attributes stereotypes tie to which of two."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.store import Run
from tiltmeter.views import FACTS, View


@dataclass(frozen=True, slots=True)
class Stereotype:
    """Two groups that a spec compares, and the attributes that stereotypes tie to each."""

    bias: str
    groups: tuple[str, str]
    attributes: tuple[frozenset[str], frozenset[str]]

    @property
    def balanced(self) -> bool:
        """Whether both groups have attributes that the other has not, so that a lean to one of them cancels out.

        >>> [Stereotype("b", ("x", "y"), (frozenset("k"), frozenset(each))).balanced for each in ("k", "kl", "l")]
        [False, False, True]
        """
        first, second = self.attributes
        return bool(first - second and second - first)

    def side(self, attribute: str) -> int | None:
        """0 where it is tied to the first group, 1 to the second, None to neither or both.

        >>> tied = Stereotype("tools", ("male", "female"), (frozenset({"saw", "pen"}), frozenset({"pen"})))
        >>> tied.side("saw"), tied.side("pen"), tied.side("fork")
        (0, None, None)
        """
        first, second = (attribute in each for each in self.attributes)
        return None if first == second else int(second)


def spec_of(run: Run, bias: str) -> dict[str, Any]:
    """The spec of a bias as a run keeps it; empty where it comes from no spec."""
    return spec_in(run.meta["resolved"], bias)


def spec_in(resolved: Mapping[str, Any], bias: str) -> dict[str, Any]:
    """The same of a resolved study; of a bias from no spec, what its source says of stereotypes."""
    name = bias.partition(":")[0]
    told = resolved.get("told", {}).get(bias, {})
    return next((dict(spec) for spec in resolved["specs"] if spec["name"] == name), dict(told))


def group_pairs(groups: Sequence[str], resolved: Mapping[str, Any], bias: str, view: View) -> list[tuple[str, str]]:
    """The pairs that a spec names; else every other group against the reference of the study; else every two."""
    compared = spec_in(resolved, bias).get("compare", ())
    references = FACTS[view].settings(resolved).get("reference", ())
    named = [(one, other) for one, other in compared if one in groups and other in groups]
    return named or pairs_of_groups(groups, next((each for each in references if each in groups), None))


def tied_pairs(groups: Collection[str | None], spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Groups whose attributes are told apart; with those of one alone, a stereotype could not be told from a lean."""
    for first, second in spec.get("compare", ()):
        tied = stereotype(spec, (first, second)) if first in groups and second in groups else None
        if tied and tied.balanced:
            yield first, second


def stereotypes(specs: Iterable[Mapping[str, Any]]) -> dict[str, Stereotype]:
    """What specs tie to every two groups that they compare, by the name that pairs of sentences have for these.

    >>> tied = {"terms": ["saw"], "stereotype_of": ["x", "y"]}, {"terms": ["pen"], "stereotype_of": ["z"]}
    >>> list(stereotypes([{"name": "b", "compare": [("x", "y"), ("x", "z"), ("y", "z")], "attributes": tied}]))
    ['b:x-z', 'b:y-z']
    """
    found = {}
    for spec in specs:
        for two in (pairs := spec["compare"]):
            tied = stereotype(spec, (two[0], two[1]))
            if tied and tied.attributes[0] != tied.attributes[1]:
                found[spec["name"] if len(pairs) == 1 else f"{spec['name']}:{two[0]}-{two[1]}"] = tied
    return found


def stereotype(spec: Mapping[str, Any], groups: tuple[str, str] | None = None) -> Stereotype | None:
    """What a spec of a run says of two groups, its first two unless others are given; None where it ties nothing.

    >>> sets = [{"terms": ["saw"], "stereotype_of": ["male"]}, {"terms": ["novel"], "stereotype_of": ["female"]}]
    >>> found = stereotype({"name": "tools", "compare": [["male", "female"]], "attributes": sets})
    >>> found.balanced, found.side("novel")
    (True, 1)
    """
    first, second = groups or spec["compare"][0]
    tied: tuple[set[str], set[str]] = (set(), set())
    for one in spec.get("attributes", ()):
        for side, group in enumerate((first, second)):
            if group in one["stereotype_of"]:
                tied[side].update(one["terms"])
    if not any(tied):
        return None
    return Stereotype(spec["name"], (first, second), (frozenset(tied[0]), frozenset(tied[1])))
