"""From one sentence to the beginning of a specification, so that what was tried can be measured."""

from __future__ import annotations

import re

from tiltmeter.errors import UserError
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.specs import to_toml
from tiltmeter.specs.check import slug
from tiltmeter.web.playground.question import Question
from tiltmeter.web.workbench import Workbench, plain_name

_NOTE = (
    "Begun on the playground from one sentence: add terms, attributes and templates before it measures anything. Which "
    "group an attribute is stereotypically tied to was not asked there; see that `stereotype_of` says what you mean."
)


def new_spec(bench: Workbench, question: Question) -> str:
    """Write a spec of the two variants of a sentence; returns its name."""
    text = to_toml(spec_of(question))
    base = plain_name(f"{' '.join(question.pair().terms)} {question.attribute}")[:60].strip("-")
    taken = bench.specs()
    name = next(one for one in (base, *(f"{base}-{number}" for number in range(2, 10_000))) if one not in taken)
    bench.write_spec(name, re.sub(r'^name = ".*"', f'name = "{name}"', text, count=1))
    return name


def spec_of(question: Question) -> Spec:
    """The spec that a sentence is the beginning of: a group for each variant, the sentence as the template.

    >>> spec_of(Question(text="The {man|woman} likes math.", attribute="math")).templates
    ('The [T] likes [A].',)
    """
    pair = question.pair()
    if not all(pair.terms):
        raise UserError("a spec needs a word for each of the two groups: write both variants in braces, as {man|woman}")
    names = [slug(term) or f"group-{number}" for number, term in enumerate(pair.terms, start=1)]
    if names[0] == names[1]:
        names[1] += "-2"
    groups = tuple(Group(name, (term,)) for name, term in zip(names, pair.terms, strict=True))
    has_attribute = bool(pair.attribute and pair.attribute_spans[0])
    attributes = (
        (AttributeSet(slug(pair.attribute or "") or "attribute", (pair.attribute or "",), (names[0],)),)
        if has_attribute
        else ()
    )
    template = _template(
        pair.texts[0], pair.terms[0], pair.group_spans[0], pair.attribute_spans[0] if has_attribute else ()
    )
    title = f"{pair.terms[0]} and {pair.terms[1]}"
    return Spec("new", title, groups, attributes, (template,), note=_NOTE, compare=((names[0], names[1]),))


def _template(
    text: str, term: str, groups: tuple[tuple[int, int], ...], attributes: tuple[tuple[int, int], ...]
) -> str:
    """The sentence with places for the group and the attribute; what agrees with the group stays as it is."""
    places = [(span, "[T]") for span in groups if text[span[0] : span[1]] == term]
    places += [(span, "[A]") for span in attributes]
    for (start, end), mark in sorted(places, reverse=True):
        text = text[:start] + mark + text[end:]
    return text
