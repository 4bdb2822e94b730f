"""Words that a sentence must have, and the places where the model expected them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tiltmeter.models.decoding.interface import Sampler, TokenIds
from tiltmeter.models.decoding.sampling import Logits
from tiltmeter.models.decoding.sentence_ends import clashes, find_term

# What a place must gain to be worth losing a word that is there already.
_TO_LOSE_A_WORD = 2.0


class Term:
    """A word or phrase that must be there, and its tokens within a sentence and at its beginning."""

    def __init__(self, text: str, sampler: Sampler, prompt: str) -> None:
        self.text = text
        self.pattern = find_term(text)
        self.inside = sampler.continuation(f" {text}")
        # After a word or a comma the sentence is under way.
        begun = prompt[-1:].isalnum() or prompt.endswith(",")
        first = text if begun else text[:1].upper() + text[1:]
        self.first = sampler.pieces(first) if prompt[-1:].isspace() else sampler.continuation(f" {first}")

    def pieces(self, place: int) -> TokenIds:
        """Its tokens where so many tokens stand before it."""
        return self.inside if place else self.first

    def next_piece(self, written: Sequence[int]) -> int | None:
        """The token that would come next where some of the term's tokens stand at the end already; None: none do."""
        for pieces in (self.inside, self.first):
            for count in range(len(pieces) - 1, 0, -1):
                if tuple(written[-count:]) == pieces[:count]:
                    return pieces[count]
        return None


class Places:
    """For every place of a draft, how much each term was expected there, and where each of them stands."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._expected: list[list[float]] = []

    def note(self, place: int, logprobs: Logits, text: str) -> None:
        """Remember how much each term is expected after a text of so many tokens."""
        if place == len(self._expected):
            self._expected.append(
                [
                    -math.inf if clashes(text, term.text) else float(logprobs[term.pieces(place)[0]])
                    for term in self._terms
                ]
            )

    def take_back(self, place: int, tried: Term) -> None:
        """Forget what was after a place, and do not offer it to that term again."""
        del self._expected[place + 1 :]
        self._expected[place][self._terms.index(tried)] = -math.inf
        self._expected += [[-math.inf] * len(self._terms)] * (len(tried.pieces(place)) - 1)

    def best(self, missing: Sequence[Term], *, kept_from: int, floor: float) -> tuple[int, Term] | None:
        """The place where a missing term was most expected; places before `kept_from` would lose another term."""
        found = [
            (expected[self._terms.index(term)] - (_TO_LOSE_A_WORD if place < kept_from else 0), place, term)
            for place, expected in enumerate(self._expected)
            for term in missing
        ]
        value, place, term = max(found, key=lambda item: item[0], default=(-math.inf, 0, None))
        return (place, term) if term is not None and value > floor else None
