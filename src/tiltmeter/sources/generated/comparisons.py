"""Which groups a sentence about an attribute is compared for, and its counterpart for the other group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tiltmeter import english
from tiltmeter.records import AttributeSet, Spec
from tiltmeter.sources.swap import Swapped, Unswapped, swap

Pronouns = Literal["along", "leave"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups that are compared about an attribute; `stereotyped` is the index of the one it is tied to."""

    bias: str
    groups: tuple[str, str]
    stereotyped: Literal[0, 1] | None


def comparisons(spec: Spec, attributes: AttributeSet) -> list[Comparison]:
    """The comparisons of a spec to which an attribute set has something to say.

    A stereotype of both compared groups, or only of a third, says nothing about these two.

    >>> from tiltmeter.records import Group
    >>> groups = Group("a", ("he",)), Group("b", ("she",))
    >>> spec = Spec("x", "X", groups, compare=(("a", "b"),))
    >>> comparisons(spec, AttributeSet("tools", ("saw",), stereotype_of=("b",)))
    [Comparison(bias='x', groups=('a', 'b'), stereotyped=1)]
    """
    found = []
    for groups in spec.compare:
        owners = {*groups} & {*attributes.stereotype_of}
        if not attributes.stereotype_of or len(owners) == 1:
            bias = spec.name if len(spec.compare) == 1 else f"{spec.name}:{groups[0]}-{groups[1]}"
            stereotyped: Literal[0, 1] | None = None
            if owners:
                stereotyped = 0 if groups[0] in owners else 1
            found.append(Comparison(bias, groups, stereotyped))
    return found


def counterpart(
    text: str, term: str, spec: Spec, groups: tuple[str, str], *, pronouns: Pronouns = "along"
) -> tuple[str, Swapped | Unswapped]:
    """The term's counterpart in the second of the groups, and the sentence with it, or why there is none.

    Pronouns follow where the groups differ in gender, which a name does not show but its group may.
    """
    from_group, to_group = (spec.group(name) for name in groups)
    if term not in from_group.terms:
        return "", Unswapped(f"`{term}` is not a term of the group `{from_group.name}`")
    other = to_group.terms[from_group.terms.index(term)]
    genders = (
        english.gender(from_group) or english.gender(term),
        english.gender(to_group) or english.gender(other),
    )
    return other, swap(text, term, other, pronouns=pronouns, genders=genders)
