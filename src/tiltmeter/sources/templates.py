"""The templates of a spec, filled with counterparts: the plainest source of pairs."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from tiltmeter import english, word_kinds
from tiltmeter.errors import UserError
from tiltmeter.records import AttributeSet, Dropped, Nature, Pair, Span, Spec
from tiltmeter.sources import slots

NATURE: Nature = "template"

Agreement = Literal["corrected", "as-published"]

_SOURCE = "templates.v1"
_MANY = frozenset({"they", "we", "you", "i"})
"""Subjects that take the verb form of several persons."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One place of the plan: which two groups, which attribute, which template, which term."""

    bias: str
    groups: tuple[str, str]
    attributes: AttributeSet | None
    attribute: str | None
    template_index: int
    template: str
    term_index: int
    terms: tuple[str, str]

    @property
    def origin(self) -> str:
        return self.attribute or self.template

    @property
    def id(self) -> str:
        about = f"{self.attributes.name}/{self.attribute}/" if self.attributes else ""
        return f"{self.bias}/{about}{self.template_index}/{self.term_index}"


def pairs(
    spec: Spec, *, per_attribute: int | None = None, seed: int = 0, agreement: Agreement = "corrected"
) -> tuple[list[Pair], list[Dropped]]:
    """Every pair that a spec's templates make, and those that had to be dropped, with the reason.

    `corrected` gives sentences their capital and a/an, and drops pronouns whose case does not fit; `as-published`
    fills in the words verbatim. `per_attribute` draws at most that many pairs for each bias and attribute.

    >>> from tiltmeter.records import Group
    >>> groups = Group("male", ("he",)), Group("female", ("she",))
    >>> spec = Spec("speed", "Speed", groups, templates=("[T] ran",), compare=(("male", "female"),))
    >>> pairs(spec)[0][0].texts
    ('He ran', 'She ran')
    """
    _check_settings(per_attribute, agreement)
    made: dict[tuple[str, str, str], list[Pair]] = {}
    dropped: list[Dropped] = []
    seen: dict[tuple[str, tuple[str, str]], str] = {}
    for item in _plan(spec):
        pair = _pair(item, corrected=agreement == "corrected")
        reason = _misfit(item) or _other_number(item, spec) if agreement == "corrected" else None
        if reason is None and (item.bias, pair.texts) in seen:
            reason = f"the same two texts already exist as {seen[item.bias, pair.texts]}"
        if reason:
            dropped.append(Dropped(item.bias, item.origin, pair.texts[0], reason))
            continue
        seen[item.bias, pair.texts] = pair.id
        made.setdefault((item.bias, pair.attribute_set or "", item.origin), []).append(pair)
    return [pair for key, cell in made.items() for pair in _sample(cell, per_attribute, seed, key)], dropped


def _check_settings(per_attribute: object, agreement: object) -> None:
    # They may come from a study file, where nothing has looked at their values yet.
    if per_attribute is not None and (type(per_attribute) is not int or per_attribute < 1):
        raise UserError(f"must be a whole number from 1 up, not {per_attribute!r}", key="per_attribute")
    if agreement not in get_args(Agreement):
        raise UserError(f'must be "corrected" or "as-published", not {agreement!r}', key="agreement")


def _plan(spec: Spec) -> Iterator[_Item]:
    for first, second in spec.compare:
        bias = spec.name if len(spec.compare) == 1 else f"{spec.name}:{first}-{second}"
        counterparts = list(zip(spec.group(first).terms, spec.group(second).terms, strict=True))
        for attributes, attribute in _attributes(spec, first, second):
            for template_index, template in enumerate(spec.templates):
                for term_index, terms in enumerate(counterparts):
                    place = (template_index, template, term_index, terms)
                    yield _Item(bias, (first, second), attributes, attribute, *place)


def _attributes(spec: Spec, first: str, second: str) -> Iterator[tuple[AttributeSet | None, str | None]]:
    if not spec.attributes:
        yield None, None
    for attributes in spec.attributes:
        owners = {first, second} & {*attributes.stereotype_of}
        # A stereotype of both compared groups, or only of a third, says nothing about these two.
        if not attributes.stereotype_of or len(owners) == 1:
            for attribute in attributes.terms:
                yield attributes, attribute


def _pair(item: _Item, *, corrected: bool) -> Pair:
    one, other = (slots.fill(item.template, term, item.attribute, agreement=corrected) for term in item.terms)
    group_spans = _with_differing_articles(one, other), _with_differing_articles(other, one)
    return Pair(
        id=item.id,
        source=_SOURCE,
        bias=item.bias,
        origin=item.origin,
        texts=(one.text, other.text),
        groups=item.groups,
        terms=item.terms,
        stereotyped=_stereotyped(item),
        attribute=item.attribute,
        attribute_set=item.attributes.name if item.attributes else None,
        template=item.template,
        group_spans=group_spans,
        attribute_spans=(one.attribute_spans, other.attribute_spans),
        neutral_texts=_neutral(item, corrected=corrected),
    )


def _neutral(item: _Item, *, corrected: bool) -> tuple[str, str] | None:
    if item.attributes is None:
        return None
    neutral = item.attributes.neutral
    one, other = (slots.fill(item.template, term, neutral, agreement=corrected).text for term in item.terms)
    return one, other


def _stereotyped(item: _Item) -> Literal[0, 1] | None:
    if item.attributes is None or not item.attributes.stereotype_of:
        return None
    return 0 if item.groups[0] in item.attributes.stereotype_of else 1


def _with_differing_articles(one: slots.Filled, other: slots.Filled) -> tuple[Span, ...]:
    """The group's stretches in `one`: its term, and a/an where the other text has the other of the two."""
    articles = [
        (start, end)
        for (start, end), (other_start, other_end) in zip(one.article_spans, other.article_spans, strict=True)
        if one.text[start:end] != other.text[other_start:other_end]
    ]
    return tuple(sorted([*one.term_spans, *articles]))


def _sample(cell: list[Pair], size: int | None, seed: int, key: tuple[str, str, str]) -> list[Pair]:
    if size is None or size >= len(cell):
        return cell
    # Seeded with the cell's own name, so that the draw does not depend on what else is studied.
    chosen = random.Random("\x1f".join([str(seed), *key])).sample(range(len(cell)), size)
    return [cell[index] for index in sorted(chosen)]


def _misfit(item: _Item) -> str | None:
    """Why a pronoun cannot stand in the template; a noun always can, since its faults are shared by both texts."""
    for slot in re.finditer(r"\[T\]", item.template):
        before, after = item.template[: slot.start()], item.template[slot.end() :]
        wanted = cases_at(before, after)
        for term in item.terms:
            cases = english.CASES.get(term.lower())
            if cases and not {*cases} & {*wanted}:
                return f"`{term}` {FAULT[wanted[0] if wanted else 'noun']} '{item.template}'"
        many = [term.lower() in _MANY for term in item.terms]
        verb = _words(after)[:1]
        if "subject" in wanted and many[0] != many[1] and verb and english.tells_number(verb[0]):
            one, several = item.terms[many.index(False)], item.terms[many.index(True)]
            return f"`{verb[0]}` cannot follow both `{one}` and `{several}` in '{item.template}'"
    return None


def _other_number(item: _Item, spec: Spec) -> str | None:
    """Why one of two terms does not fit the number that the template speaks of; a fault of both is kept."""
    groups = (spec.group(name) for name in item.groups)
    found = [
        word_kinds.number_fault(item.template, term, group, spec)
        for term, group in zip(item.terms, groups, strict=True)
    ]
    if (found[0] is None) == (found[1] is None):
        return None
    at = int(found[0] is None)
    return f"`{found[at]}` does not fit `{item.terms[at]}` in '{item.template}'"


FAULT = {
    "subject": "cannot be the subject of",
    "object": "cannot be the object in",
    "determiner": "cannot precede the noun in",
    "noun": "cannot replace a noun in",
}
_OWNERS = frozenset({"my", "your", "our", "their", "its", "his", "her"})
_SAYING = frozenset(
    {"think", "thinks", "thought", "say", "says", "said", "believe", "believes", "know", "knows", "hope"}
)


def _words(text: str) -> list[str]:
    """The words, slots and marks of a stretch of template, in small letters."""
    return re.findall(r"[\w'’-]+|\[a\]|[^\w\s]", text.lower())


def cases_at(before: str, after: str) -> tuple[english.Case, ...]:
    """The cases of a pronoun that fit between two stretches of template; none where only a noun fits."""
    earlier, following = _words(before), _words(after)
    last = earlier[-1] if earlier and before[-1].isspace() and earlier[-1][-1] not in ".,;:!?" else None
    word = following[0] if following and _is_word(following[0]) else None
    if re.match(r"[\w'’-]", after) or last in (english.DETERMINERS - {"that", "all", "both"}) | _OWNERS:
        return ()
    if last is None or last in english.CONJUNCTIONS:
        return ("determiner",) if _is_noun_phrase(following) else ("subject",)
    asked = last in english.AUXILIARIES and len(earlier) == 1  # "Does [T] like [A]?"
    if asked or last in _SAYING or (word in english.AUXILIARIES and last not in english.PREPOSITIONS):
        return ("subject",)
    noun = english.noun_follows(word, following[1] if len(following) > 1 else None)
    either: tuple[english.Case, ...] = ("object", "determiner") if last in english.DOUBLE_VERBS else ("determiner",)
    others: tuple[english.Case, ...] = ("possessive",) if last == "of" or last in english.BE else ()
    return (*(either if noun else ("object", "reflexive")), *others)


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token == "[a]"


def _is_noun_phrase(words: list[str]) -> bool:
    """Whether a subject goes on after the slot ("[T] book is …"), rather than its verb following at once."""
    if not words or words[0] in english.FUNCTION_WORDS or not _is_word(words[0]):
        return False
    if len(words) > 1 and words[1] in english.AUXILIARIES:
        return not words[0].endswith("ly")
    verb_like = english.tells_number(words[0]) or words[0].endswith(("ed", "ly"))
    return not verb_like and any(word in english.AUXILIARIES for word in words[1:])
