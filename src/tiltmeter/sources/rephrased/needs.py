"""What a structure asks of a term and of a verb phrase, and the sentence that says why one cannot give it."""

from __future__ import annotations

from collections.abc import Callable

from tiltmeter.sources.rephrased.people import Person, plural
from tiltmeter.sources.rephrased.predicates import Predicate


def _gap(predicate: Predicate) -> str | None:
    if predicate.ending.gap:
        return None
    if predicate.ending.some == "":
        return f"nothing is left open at the end of `{predicate.phrase}` that could be asked for"
    return f"what follows `{predicate.phrase}` cannot be asked for with one word"


def _closing(predicate: Predicate) -> str | None:
    return (
        f"`{predicate.phrase}` stops inside a phrase, or its end is not understood"
        if predicate.ending.some is None
        else None
    )


def _preposition(predicate: Predicate) -> str | None:
    gap = predicate.ending.gap
    return None if gap and gap.preposition else f"`{predicate.phrase}` has no preposition that could be moved"


def _infinitive(predicate: Predicate) -> str | None:
    return None if predicate.has_infinitive else f"`{predicate.phrase}` has no infinitive"


def _positive(predicate: Predicate) -> str | None:
    return None if predicate.positive else f"`{predicate.phrase}` denies something already"


def _contraction(predicate: Predicate) -> str | None:
    return None if predicate.denied("third") else f"the verb of `{predicate.phrase}` is not contracted with `not`"


def _no_habit(predicate: Predicate) -> str | None:
    return f"`{predicate.phrase}` cannot be inverted" if predicate.is_habit else None


def _no_perfect(predicate: Predicate) -> str | None:
    return f"`{predicate.phrase}` is not what one comes to" if predicate.kind == "perfect" else None


def _noun(person: Person) -> str | None:
    return None if person.sort == "noun" else f"{_named(person)} takes no article"


def _noun_or_name(person: Person) -> str | None:
    return None if person.sort in ("noun", "name") else f"{_named(person)} cannot be said of oneself"


def _no_pronoun(person: Person) -> str | None:
    return f"{_named(person)} takes no clause or noun beside it" if person.sort == "pronoun" else None


def _plural(person: Person) -> str | None:
    has_plural = person.sort == "noun" and (person.several or plural(person.noun))
    return None if has_plural else f"{_named(person)} has no plural"


def _pronoun(person: Person) -> str | None:
    return None if person.pronoun else f"the pronoun of {_named(person)} is unclear"


def _named(person: Person) -> str:
    kind = {"noun": "", "name": "the name ", "pronoun": "the pronoun ", "determined": ""}[person.sort]
    return f"{kind}`{person.noun}`"


OF_PREDICATE: dict[str, Callable[[Predicate], str | None]] = {
    "gap": _gap,
    "closing": _closing,
    "preposition": _preposition,
    "infinitive": _infinitive,
    "positive": _positive,
    "contraction": _contraction,
    "no habit": _no_habit,
    "no perfect": _no_perfect,
}
"""What a verb phrase must have."""

OF_PERSON: dict[str, Callable[[Person], str | None]] = {
    "noun": _noun,
    "noun or name": _noun_or_name,
    "no pronoun": _no_pronoun,
    "plural": _plural,
    "pronoun": _pronoun,
}
"""What a term must be or have."""
