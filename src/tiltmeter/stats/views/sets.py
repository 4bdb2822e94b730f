"""Which attribute set an attribute belongs to, worked out from which group's term is the stereotyped one beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

StereotypedTerms = tuple[str, str, str, str]
"""(bias, attribute, stereotyped term, other term)"""


@dataclass(frozen=True, slots=True)
class InferredSets:
    """The set ("1" or "2") of each (bias, attribute), and for each bias without sets the reason."""

    sets: dict[tuple[str, str], str]
    reasons: dict[str, str]


@dataclass(slots=True)
class _Sides:
    """Nodes on one of two sides: union–find, where each node also knows its side relative to its root."""

    roots: dict[str, str] = field(default_factory=dict)
    sides: dict[str, int] = field(default_factory=dict)

    def find(self, node: str) -> tuple[str, int]:
        """The root of a node, and the side of the node relative to it."""
        self.roots.setdefault(node, node)
        self.sides.setdefault(node, 0)
        side, root = 0, node
        while self.roots[root] != root:
            side ^= self.sides[root]
            root = self.roots[root]
        self.roots[node], self.sides[node] = root, side
        return root, side

    def join(self, one: str, other: str, opposite: int) -> bool:
        """Put two nodes on the same side (0) or on opposite sides (1); False where they already are otherwise."""
        (root_one, side_one), (root_other, side_other) = self.find(one), self.find(other)
        if root_one == root_other:
            return side_one ^ side_other == opposite
        self.roots[root_other], self.sides[root_other] = root_one, side_one ^ side_other ^ opposite
        return True


def infer_sets(rows: Iterable[StereotypedTerms]) -> InferredSets:
    """Work out two attribute sets per bias: an attribute is on the side of its stereotyped term.

    The first attribute seen is in set "1". A bias has no sets where two rows contradict each other, or
    where its attributes fall into parts that share no term, so that nobody can say which sides match.

    >>> infer_sets([("gender", "math", "he", "she"), ("gender", "art", "she", "he")]).sets
    {('gender', 'math'): '1', ('gender', 'art'): '2'}
    """
    graphs: dict[str, _Sides] = defaultdict(_Sides)
    attributes: dict[str, dict[str, None]] = defaultdict(dict)
    reasons: dict[str, str] = {}
    for bias, attribute, stereotyped, other in rows:
        attributes[bias].setdefault(attribute)
        graph = graphs[bias]
        # Terms and attributes live apart, since one word may be both; a term may stand first in a sentence.
        joined = graph.join(f"attribute {attribute}", f"term {stereotyped.casefold()}", 0)
        if not (joined and graph.join(f"attribute {attribute}", f"term {other.casefold()}", 1)):
            reasons.setdefault(
                bias, f"the rows contradict each other at `{attribute}` with `{stereotyped}` and `{other}`"
            )
    sets: dict[tuple[str, str], str] = {}
    for bias, found in attributes.items():
        placed = {attribute: graphs[bias].find(f"attribute {attribute}") for attribute in found}
        if len({root for root, _ in placed.values()}) > 1:
            reasons.setdefault(bias, "its attributes fall into parts that share no group term")
        if bias not in reasons:
            first = next(iter(placed.values()))[1]
            sets |= {(bias, attribute): "12"[side ^ first] for attribute, (_, side) in placed.items()}
    return InferredSets(sets, reasons)
