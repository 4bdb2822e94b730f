"""Pairs of which both sentences have the same fault of grammar: kept, since it is no difference, but to be known of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tiltmeter.records import Group, Pair, Spec
from tiltmeter.word_kinds import number_fault


@dataclass(frozen=True, slots=True)
class NumberFaults:
    """How many pairs speak of one where their terms name several, or the reverse, in both sentences."""

    pairs: int
    of: int
    template: str = ""
    """One of those that do not fit their terms."""

    def sentence(self) -> str:
        """What is to be known, in a sentence."""
        have = "pair has" if self.pairs == 1 else "pairs have"
        fault = "a verb or article of the wrong number in both sentences"
        return f"{self.pairs:,} of {self.of:,} {have} {fault}, from templates such as “{self.template}”"

    def as_json(self) -> dict[str, int | str]:
        """The numbers and a template."""
        return {"pairs": self.pairs, "of": self.of, "template": self.template}


def number_faults(pairs: Iterable[Pair]) -> NumberFaults | None:
    """The pairs that were made from templates with such a fault; None where there are none."""
    known: dict[tuple[str, str], bool] = {}
    found, of, template = 0, 0, ""
    for pair in pairs:
        of += 1
        if pair.template and all(_has_fault(pair.template, term, known) for term in pair.terms):
            found += 1
            template = template or pair.template
    return NumberFaults(found, of, template) if found else None


def _has_fault(template: str, term: str, known: dict[tuple[str, str], bool]) -> bool:
    if (template, term) not in known:
        own = Spec("", "", (Group("", (term,)),), templates=(template,))
        known[template, term] = bool(term) and number_fault(template, term, None, own) is not None
    return known[template, term]
