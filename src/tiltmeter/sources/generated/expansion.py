"""Proposes further terms for a spec: neighbours in word-vector space, for a person to accept or to strike."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tiltmeter.english import FUNCTION_WORDS, GENDER_OF_PRONOUN
from tiltmeter.records import Spec
from tiltmeter.sources.generated.matching import plural_of, same_words, terms_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNSPECIFIC = FUNCTION_WORDS - frozenset(GENDER_OF_PRONOUN)


class Space(Protocol):
    """Word vectors that know their neighbours."""

    def __call__(self, words: Iterable[str]) -> NDArray[Any]:
        """The mean vector of the words."""
        ...

    def nearest(
        self, words: Iterable[str], count: int, *, exclude: Iterable[str] = (), shift: NDArray[Any] | None = None
    ) -> list[tuple[str, float]]:
        """The nearest words and their cosine, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Proposed:
    """A term that resembles those of a set; for a group, with a counterpart for the other group."""

    holder: str
    term: str
    similarity: float
    counterpart_of: str | None = None
    counterpart: str | None = None


def propose_terms(spec: Spec, space: Space, *, count: int = 10) -> list[Proposed]:
    """Neighbours of every attribute set, and of the groups of every comparison, without what the spec has already.

    The counterpart of a proposed group term is the word that lies from it as the other group lies from its own.
    """
    taken = _forms(terms_of(spec))
    found: list[Proposed] = []
    for attributes in spec.attributes:
        nearest = space.nearest(attributes.terms, count, exclude=taken | _UNSPECIFIC)
        found += (Proposed(attributes.name, _cased(word, attributes.terms), near) for word, near in nearest)
    for first, second in spec.compare:
        terms, other_terms = spec.group(first).terms, spec.group(second).terms
        shift = space(other_terms) - space(terms)
        # A function word is near everything; a word nearer to the other group is not one of this.
        near = [
            (word, similarity)
            for word, similarity in space.nearest(terms, 10 * count, exclude=taken | _UNSPECIFIC)
            if similarity > float(space([word]) @ space(other_terms))
        ]
        for word, similarity in near[:count]:
            others = space.nearest([word], 1, exclude={*taken, *_UNSPECIFIC, word}, shift=shift)
            other = _cased(others[0][0], other_terms) if others else None
            found.append(Proposed(first, _cased(word, terms), similarity, second, other))
    return found


def as_toml(spec: Spec, proposed: Sequence[Proposed]) -> str:
    """The proposals as lines to be copied into a spec, each under a comment that says what it is.

    >>> groups = ()
    >>> print(as_toml(Spec("x", "X", groups), [Proposed("arts", "ballet", 0.81)]))
    # Proposed for `x` by word vectors and not reviewed yet: delete what does not fit, then copy the rest.
    # A counterpart is a guess; term i of one group must be the counterpart of term i of the other.
    <BLANKLINE>
    # [attributes.arts]
    #   "ballet",  # 0.81
    <BLANKLINE>
    """
    lines = [
        (
            f"# Proposed for `{spec.name}` by word vectors and not reviewed yet: delete what does not fit, then copy "
            "the rest."
        ),
        "# A counterpart is a guess; term i of one group must be the counterpart of term i of the other.",
    ]
    title = None
    for one in proposed:
        kind = f"[groups.{one.holder}] with [groups.{one.counterpart_of}]" if one.counterpart_of else None
        heading = kind or f"[attributes.{one.holder}]"
        if heading != title:
            lines += ["", f"# {heading}"]
            title = heading
        partner = f" – {json.dumps(one.counterpart, ensure_ascii=False)}" if one.counterpart else ""
        lines.append(f"#   {json.dumps(one.term, ensure_ascii=False)}{partner},  # {one.similarity:.2f}")
    return "\n".join(lines) + "\n"


def _forms(terms: Sequence[str]) -> set[str]:
    """The terms and their plurals and singulars, in the spelling of the vectors."""
    plain = {form for term in terms for form in (same_words(term), term.casefold())}
    return plain | {plural_of(form) for form in plain} | {form.removesuffix("s") for form in plain}


def _cased(word: str, terms: Sequence[str]) -> str:
    # The vectors know small letters only; among names a neighbour is a name.
    return word.capitalize() if all(term[:1].isupper() for term in terms) else word
