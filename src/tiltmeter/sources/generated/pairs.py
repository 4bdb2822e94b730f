"""Turns sentences that were written for one group into pairs with the other."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.records import AttributeSet, Dropped, Pair, Span, Spec, Written
from tiltmeter.sources.generated.comparisons import Comparison, Pronouns, comparisons, counterpart
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.slots import replaced
from tiltmeter.sources.swap import Swapped, Unswapped

_SOURCE = "generated.v1"


def pairs(
    sentences: Sequence[Written], spec: Spec, *, pronouns: Pronouns = "along"
) -> tuple[list[Pair], list[Dropped]]:
    """The pairs that the kept sentences of a spec make, and those that cannot be made, with the reason.

    `pronouns = "leave"` exchanges the term alone, as the published program does. The texts are in the order of the
    spec's `compare`, whichever of the two was written; a pair's id ends in the group it was written for.

    >>> from tiltmeter.records import Group
    >>> groups = Group("male", ("man",)), Group("female", ("woman",))
    >>> math = AttributeSet("math", ("math",), ("male",))
    >>> spec = Spec("x", "X", groups, (math,), compare=(("male", "female"),))
    >>> written = Written("x/0/math/math/0.0", "x", "A woman does her math.", "female", "woman", "math", "math")
    >>> pairs([written], spec)[0][0].texts
    ('A man does his math.', 'A woman does her math.')
    """
    made: list[Pair] = []
    dropped: list[Dropped] = []
    seen: dict[tuple[int, str, tuple[str, str]], str] = {}
    for sentence in sentences:
        if sentence.dropped is None and sentence.bias == spec.name:
            found, failed = pairs_of(sentence, spec, pronouns=pronouns)
            dropped += failed
            for pair in found:
                earlier = seen.setdefault((sentence.set, pair.bias, pair.texts), pair.id)
                if earlier == pair.id:
                    made.append(pair)
                else:
                    reason = f"the same two texts already exist as {earlier}"
                    dropped.append(Dropped(pair.bias, pair.origin, sentence.text, reason))
    return made, dropped


def pairs_of(sentence: Written, spec: Spec, *, pronouns: Pronouns = "along") -> tuple[list[Pair], list[Dropped]]:
    """One pair for each comparison that the sentence's group is part of."""
    attributes = next((one for one in spec.attributes if one.name == sentence.attribute_set), None)
    if attributes is None:
        reason = f"`{sentence.attribute_set}` is not an attribute set of `{spec.name}`"
        return [], [Dropped(spec.name, sentence.attribute, sentence.text, reason)]
    made, dropped = [], []
    for comparison in comparisons(spec, attributes):
        if sentence.group in comparison.groups:
            pair = _pair(sentence, spec, attributes, comparison, pronouns)
            if isinstance(pair, Pair):
                made.append(pair)
            else:
                dropped.append(Dropped(comparison.bias, sentence.attribute, sentence.text, pair))
    return made, dropped


def sentence_of(pair: Pair) -> str:
    """The id of a pair's sentence: the pair's own has the source before it, and behind it the groups it compares.

    >>> groups = ("male", "female")
    >>> sentence_of(Pair("g:x/0/art/3.1/male", "g", "x", "art", ("", ""), groups, written_for="male"))
    'x/0/art/3.1'
    """
    bare = pair.id.removeprefix(f"{pair.source}:").removesuffix(f"/{pair.written_for}")
    return bare.removesuffix(f"/{pair.groups[0]}-{pair.groups[1]}") if ":" in pair.bias else bare


def _pair(
    sentence: Written, spec: Spec, attributes: AttributeSet, comparison: Comparison, pronouns: Pronouns
) -> Pair | str:
    written = comparison.groups.index(sentence.group)
    other = comparison.groups[1 - written]
    term, swapped = counterpart(sentence.text, sentence.term, spec, (sentence.group, other), pronouns=pronouns)
    if isinstance(swapped, Unswapped):
        return swapped.reason
    sides = [_side(text, spans, sentence.attribute) for text, spans in _in_order(sentence.text, swapped, written)]
    if not all(attribute_spans for _, _, attribute_spans in sides):
        return f"`{sentence.attribute}` does not stand apart from the group term"
    (first, first_group, first_attribute), (second, second_group, second_attribute) = sides
    terms = (sentence.term, term) if written == 0 else (term, sentence.term)
    neutral = attributes.neutral
    several = "" if len(spec.compare) == 1 else f"/{comparison.groups[0]}-{comparison.groups[1]}"
    return Pair(
        id=f"{sentence.id}{several}/{sentence.group}",
        source=_SOURCE,
        bias=comparison.bias,
        origin=sentence.attribute,
        texts=(first, second),
        groups=comparison.groups,
        terms=terms,
        stereotyped=comparison.stereotyped,
        attribute=sentence.attribute,
        attribute_set=attributes.name,
        template=_with_slot(sentence.text, find(sentence.text, sentence.term)),
        group_spans=(first_group, second_group),
        attribute_spans=(first_attribute, second_attribute),
        neutral_texts=(replaced(first, first_attribute, neutral), replaced(second, second_attribute, neutral)),
        written_for=sentence.group,
        set=sentence.set,
    )


def _in_order(text: str, swapped: Swapped, written: int) -> list[tuple[str, tuple[Span, ...]]]:
    sides = [(text, swapped.original_spans), (swapped.text, swapped.spans)]
    return sides if written == 0 else sides[::-1]


def _side(text: str, group_spans: tuple[Span, ...], attribute: str) -> tuple[str, tuple[Span, ...], tuple[Span, ...]]:
    apart = tuple(
        (start, end)
        for start, end in find(text, attribute)
        if not any(start < stop and begin < end for begin, stop in group_spans)
    )
    return text, group_spans, apart


def _with_slot(text: str, spans: Sequence[Span]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}[T]{text[end:]}"
    return text
