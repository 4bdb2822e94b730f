"""Pairs in many structures: the templates of a spec taken as person and predicate, and put together in other ways."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from tiltmeter import english
from tiltmeter.records import AttributeSet, Dropped, Group, Pair, Span, Spec
from tiltmeter.sources import slots
from tiltmeter.sources.prompt_options import check_count
from tiltmeter.sources.rephrased import grammar
from tiltmeter.sources.rephrased.frames import Frame, frame
from tiltmeter.sources.rephrased.grammar import Sentence
from tiltmeter.sources.rephrased.people import Person, person
from tiltmeter.sources.rephrased.predicates import Predicate, predicate
from tiltmeter.sources.rephrased.prompting import SOURCE, no_people
from tiltmeter.sources.rephrased.structures import Kind, Pattern, choose
from tiltmeter.sources.rephrased.structures import structures as all_structures

_LEFT_OPEN = frozenset({"gap", "preposition"})


@dataclass(frozen=True, slots=True)
class _Item:
    """One place of the plan: which two groups, which attribute, which template."""

    bias: str
    groups: tuple[Group, Group]
    attributes: AttributeSet | None
    attribute: str | None
    index: int
    template: str
    repeats: str | None = None

    @property
    def origin(self) -> str:
        return self.attribute or self.template


@dataclass(frozen=True, slots=True)
class _Place:
    """A pair that can be made: counterparts, what is said of them, and a structure that takes both."""

    item: _Item
    index: int
    terms: tuple[str, str]
    people: tuple[Person, Person]
    pattern: Pattern
    said: Predicate
    neutral: Predicate | None


def closed() -> tuple[Pattern, ...]:
    """The structures that complete sentences can have: nothing is asked for at their end, and nothing must follow."""
    return tuple(one for one in all_structures() if not one.continued and not _LEFT_OPEN & {*one.needs})


def pairs(
    spec: Spec,
    *,
    structures: int | None = None,
    kind: Kind | None = None,
    family: str | list[str] | None = None,
    per_attribute: int | None = None,
    seed: int = 0,
) -> tuple[list[Pair], list[Dropped]]:
    """Every pair of counterparts in every structure, and what had to be dropped, with the reason.

    A template that is a term and a predicate ("[T] likes [A]", "The [T] works as a [A].") is taken apart; any other
    is dropped. `per_attribute` draws at most that many pairs for each bias and attribute, every structure as often as
    any other as far as that is possible, and makes no more than these.

    >>> groups = Group("male", ("man",)), Group("female", ("woman",))
    >>> maths = AttributeSet("maths", ("algebra",), ("male",))
    >>> spec = Spec("maths", "Maths", groups, (maths,), ("[T] likes [A]",), compare=(("male", "female"),))
    >>> [pair.texts[0] for pair in pairs(spec, structures=2, family="cleft")[0]]
    ['It is the man who likes algebra.', 'Is it the man who likes algebra?']
    """
    chosen = choose(structures, kind, family, of=closed())
    check_count(per_attribute, "per_attribute")
    if spec.benchmark:
        return [], [no_people(spec)]
    dropped: list[Dropped] = []
    told: set[tuple[str, str, str]] = set()
    cells: dict[tuple[str, str, str], list[_Place]] = {}
    for item in _plan(spec, _said_already(spec)):
        key = item.bias, item.attributes.name if item.attributes else "", item.origin
        cells.setdefault(key, []).extend(_places(item, chosen, dropped, told))
    seen: dict[tuple[str, tuple[str, str]], str] = {}
    used: dict[str, Counter[str]] = {}
    made: list[Pair] = []
    for key, cell in cells.items():
        numbers = _in_turn(cell, seed, key, used.setdefault(key[0], Counter())) if per_attribute else range(len(cell))
        drawn: dict[int, Pair] = {}
        for number in numbers:
            pair = _pair(cell[number])
            first = seen.setdefault((pair.bias, pair.texts), pair.id)
            if first == pair.id:
                drawn[number] = pair
            else:
                reason = f"the same two texts already exist as {first}"
                dropped.append(Dropped(pair.bias, pair.origin, pair.texts[0], reason))
            if len(drawn) == per_attribute:
                break
        made += [drawn[number] for number in sorted(drawn)]
    return made, dropped


def _said_already(spec: Spec) -> dict[int, str]:
    """The templates that say what an earlier one says, "[T] like [A]" after "[T] likes [A]", and that earlier one."""
    found: dict[int, str] = {}
    firsts: dict[tuple[bool, str, str], str] = {}
    for index, template in enumerate(spec.templates):
        said, parts = _said(template, "X"), frame(template)
        if isinstance(said, Predicate) and parts:
            first = firsts.setdefault((parts.article, parts.tail, said.agreeing("third")), template)
            if first != template:
                found[index] = first
    return found


def _plan(spec: Spec, repeated: dict[int, str]) -> Iterator[_Item]:
    for first, second in spec.compare:
        bias = spec.name if len(spec.compare) == 1 else f"{spec.name}:{first}-{second}"
        groups = spec.group(first), spec.group(second)
        for attributes, attribute in _attributes(spec, first, second):
            for index, template in enumerate(spec.templates):
                yield _Item(bias, groups, attributes, attribute, index, template, repeated.get(index))


def _attributes(spec: Spec, first: str, second: str) -> Iterator[tuple[AttributeSet | None, str | None]]:
    if not spec.attributes:
        yield None, None
    for attributes in spec.attributes:
        # A stereotype of both compared groups, or only of a third, says nothing about these two.
        if not attributes.stereotype_of or len({first, second} & {*attributes.stereotype_of}) == 1:
            for attribute in attributes.terms:
                yield attributes, attribute


def _places(
    item: _Item, chosen: tuple[Pattern, ...], dropped: list[Dropped], told: set[tuple[str, str, str]]
) -> Iterator[_Place]:
    said, parts = _said(item.template, item.attribute), frame(item.template)
    if item.repeats:
        said = f"'{item.template}' says what '{item.repeats}' says"
    if isinstance(said, str) or parts is None:
        _note_dropped(dropped, told, item.bias, item.template, item.template, str(said))
        return
    neutral = _said(item.template, item.attributes.neutral) if item.attributes else None
    first, second = item.groups
    for index, terms in enumerate(zip(first.terms, second.terms, strict=True)):
        people = _counterparts(item.groups, terms, parts)
        reason = people if isinstance(people, str) else _groups_differ(people, said)
        if isinstance(people, str) or reason:
            _note_dropped(dropped, told, item.bias, " / ".join(terms), item.template, str(reason))
            continue
        for pattern in chosen:
            reason = _misfit(pattern, people, said)
            if reason:
                _note_dropped(dropped, told, item.bias, " / ".join(terms), item.template, f"{pattern.id}: {reason}")
            else:
                blank = neutral if isinstance(neutral, Predicate) else None
                yield _Place(item, index, terms, people, pattern, said, blank)


def _note_dropped(
    dropped: list[Dropped], told: set[tuple[str, str, str]], bias: str, origin: str, text: str, why: str
) -> None:
    """Say it once, however many attributes it concerns."""
    if (bias, origin, why) not in told:
        told.add((bias, origin, why))
        dropped.append(Dropped(bias, origin, text, why))


def _said(template: str, attribute: str | None) -> Predicate | str:
    """What a template says of its term, or the reason why it cannot be taken apart."""
    parts = frame(template)
    if parts is None:
        return f"'{template}' is not a term followed by a verb phrase"
    words = parts.said
    if words.startswith("[A]"):
        return f"'{template}' has no verb of its own"
    if "[A]" not in words:
        return predicate(words, complete=True)
    if attribute is None:
        return f"'{template}' needs an attribute, and the spec has none"
    filled = slots.fill(f"[T] {words}", "They", attribute)
    text = filled.text
    for start, end in reversed(filled.attribute_spans):
        text = text[:start] + grammar.marked(text[start:end], grammar.ATTRIBUTE) + text[end:]
    said = predicate(text.removeprefix("They "), complete=True)
    return said if isinstance(said, str) else replace(said, phrase=words)


def _counterparts(groups: tuple[Group, Group], terms: tuple[str, str], parts: Frame) -> tuple[Person, Person] | str:
    one, other = (
        person(term, parts.tail, english.gender(group), article=parts.article, kind=group.kind)
        for term, group in zip(terms, groups, strict=True)
    )
    if isinstance(one, str) or isinstance(other, str):
        return one if isinstance(one, str) else str(other)
    if one.agreement != other.agreement:
        return f"`{terms[0]}` and `{terms[1]}` need different verb forms"
    return one, other


def _groups_differ(people: tuple[Person, Person], said: Predicate) -> str | None:
    return grammar.together_misfit(said, people[0]) or grammar.together_misfit(said, people[1])


def _misfit(pattern: Pattern, people: tuple[Person, Person], said: Predicate) -> str | None:
    reasons = (grammar.phrase_misfit(pattern, said), *(grammar.person_misfit(pattern, one) for one in people))
    return next((reason for reason in reasons if reason), None)


def _pair(place: _Place) -> Pair:
    item, people, pattern = place.item, place.people, place.pattern
    one, other = (grammar.sentence(pattern, who, place.said, closed=True) for who in people)
    blank = [_text(pattern, who, place.neutral) for who in people] if place.neutral else None
    about = f"{item.attributes.name}/{item.attribute}/" if item.attributes else ""
    return Pair(
        id=f"{item.bias}/{about}{item.index}/{place.index}/{pattern.id}",
        source=SOURCE,
        bias=item.bias,
        origin=item.origin,
        texts=(one.text, other.text),
        groups=(item.groups[0].name, item.groups[1].name),
        terms=place.terms,
        stereotyped=_stereotyped(item),
        attribute=item.attribute,
        attribute_set=item.attributes.name if item.attributes else None,
        template=item.template,
        group_spans=(_group_spans(one, other), _group_spans(other, one)),
        attribute_spans=(one.attribute_spans, other.attribute_spans),
        neutral_texts=(blank[0], blank[1]) if blank else None,
        structure=one.structure,
    )


@lru_cache(maxsize=100_000)
def _text(pattern: Pattern, who: Person, said: Predicate) -> str:
    # The neutral sentence is the same for every attribute.
    return grammar.sentence(pattern, who, said, closed=True).text


def _stereotyped(item: _Item) -> Literal[0, 1] | None:
    if item.attributes is None or not item.attributes.stereotype_of:
        return None
    return 0 if item.groups[0].name in item.attributes.stereotype_of else 1


def _group_spans(one: Sentence, other: Sentence) -> tuple[Span, ...]:
    """The term in `one`, and what agrees with it where that is not the same in the other text."""
    agreeing = [
        span
        for span, other_span in zip(one.agreeing_spans, other.agreeing_spans, strict=True)
        if one.text[slice(*span)] != other.text[slice(*other_span)]
    ]
    return tuple(sorted([*one.term_spans, *agreeing]))


def _in_turn(cell: list[_Place], seed: int, key: tuple[str, str, str], used: Counter[str]) -> Iterator[int]:
    """The places of an attribute by chance, but so that the structure comes next that was used least so far."""
    # Seeded with the cell's own name, so that the draw does not depend on what else is studied.
    numbers = random.Random("\x1f".join([str(seed), *key]))
    left: dict[str, list[int]] = {}
    for number in numbers.sample(range(len(cell)), len(cell)):
        left.setdefault(cell[number].pattern.id, []).append(number)
    here: Counter[str] = Counter()
    while left:
        name = min(left, key=lambda one: (here[one], used[one]))
        here[name] += 1
        used[name] += 1
        yield left[name].pop()
        if not left[name]:
            del left[name]
