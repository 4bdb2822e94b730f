"""What a file of sentences says about its spec, so that pairs can be made from the file alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tiltmeter.errors import InvalidData
from tiltmeter.records import AttributeSet, Group, Spec, Written

SPEC_COLUMNS = ("counterparts", "compare", "stereotype_of", "neutral", "benchmark")
"""The terms of the other groups at the same place; the groups compared; whose stereotype the attribute is."""
_PART = re.compile(r"(?:[^\\;=]|\\.)*")


def spec_cells(sentence: Written, spec: Spec | None) -> dict[str, str]:
    """The cells that say what the sentence's spec says about it; none where the spec is not known."""
    if spec is None:
        return {}
    own = next((group for group in spec.groups if group.name == sentence.group), None)
    attributes = next((one for one in spec.attributes if one.name == sentence.attribute_set), None)
    if own is None or attributes is None or sentence.term not in own.terms:
        return {}
    at = own.terms.index(sentence.term)
    others = [group for group in spec.groups if group is not own and at < len(group.terms)]
    return {
        "counterparts": encode((group.name, group.terms[at]) for group in others),
        "compare": encode(spec.compare),
        "stereotype_of": encode((name,) for name in attributes.stereotype_of),
        "neutral": attributes.neutral,
        "benchmark": "1" if spec.benchmark else "",
    }


def encode(parts: Iterable[Sequence[str]]) -> str:
    """Names, or names with what belongs to them, as one cell; a sign that has a meaning here gets a backslash.

    >>> encode([("romanian", "Romanian man"), ("dutch", "man; Dutch")])
    'romanian=Romanian man; dutch=man\\\\; Dutch'
    """
    return "; ".join("=".join(re.sub(r"([\\;=])", r"\\\1", one) for one in part) for part in parts)


def decode(cell: str) -> list[tuple[str, ...]]:
    """What `encode` wrote.

    >>> decode(encode([("a", "x; y"), ("b", "1=2")]))
    [('a', 'x; y'), ('b', '1=2')]
    """
    found: list[tuple[str, ...]] = []
    part: list[str] = []
    at = 0
    while cell.strip() and at <= len(cell):
        match = _PART.match(cell, at)
        end = match.end() if match else at
        part.append(re.sub(r"\\(.)", r"\1", cell[at:end].strip()))
        if end == len(cell) or cell[end] != "=":
            found.append(tuple(part))
            part = []
        at = end + 1
    return found


def known_by_name(specs: Iterable[Spec]) -> dict[str, Spec]:
    """Specs under their own names and under those of published files; of two of one name the first."""
    found: dict[str, Spec] = {}
    for spec in specs:
        for name in (spec.name, spec.published_as):
            if name:
                found.setdefault(name, spec)
    return found


def spec_of_row(cells: Mapping[str, str], sentence: Written, terms: Mapping[str, Sequence[str]]) -> Spec | None:
    """A small spec of what the row says; None where it does not say it.

    `terms` are all that the file has of each group: a group's gender is seen from all of them.
    """
    try:
        counterparts = dict(_pairs(cells.get("counterparts", "")))
        compare = tuple(_pairs(cells.get("compare", "")))
        owners = tuple(name for (name,) in decode(cells.get("stereotype_of", "")))
    except ValueError:
        problem = "`counterparts` and `compare` hold pairs such as `women=the woman`, `stereotype_of` names of groups"
        raise InvalidData(problem) from None
    if not counterparts or not sentence.group:
        return None
    own = {sentence.group: sentence.term} | counterparts
    compare = compare or tuple((sentence.group, other) for other in counterparts)
    groups = tuple(
        Group(name, (term, *(one for one in terms.get(name, ()) if one != term))) for name, term in own.items()
    )
    attributes = AttributeSet(
        sentence.attribute_set,
        (sentence.attribute,),
        owners,
        cells.get("neutral", "").strip() or "something",
    )
    return Spec(
        sentence.bias,
        sentence.bias,
        groups,
        (attributes,),
        compare=tuple(pair for pair in compare if {*pair} <= {*own} or sentence.group not in pair),
        benchmark=cells.get("benchmark", "").strip() == "1",
    )


def _pairs(cell: str) -> list[tuple[str, str]]:
    return [(first, second) for first, second in decode(cell)]


def terms_by_group(rows: Iterable[tuple[Mapping[str, str], Written]]) -> dict[str, dict[str, list[str]]]:
    """By bias and group, every term that a file names."""
    found: dict[str, dict[str, list[str]]] = {}
    for cells, sentence in rows:
        held = found.setdefault(sentence.bias, {})
        for part in ((sentence.group, sentence.term), *decode(cells.get("counterparts", ""))):
            listed = held.setdefault(part[0], [])
            if part[-1] not in listed:
                listed.append(part[-1])
    return found


def specs_of_file(rows: Sequence[tuple[Mapping[str, str], Written]]) -> list[Spec]:
    """The specs of a file of sentences, as far as it says them, with the terms of all groups in their places."""
    terms = terms_by_group(rows)
    by_bias: dict[str, list[Spec]] = {}
    for cells, sentence in rows:
        spec = spec_of_row(cells, sentence, terms[sentence.bias])
        if spec is not None:
            by_bias.setdefault(sentence.bias, []).append(spec)
    return [_together(parts) for parts in by_bias.values()]


def _together(parts: Sequence[Spec]) -> Spec:
    first = parts[0]
    names = list(dict.fromkeys(group.name for part in parts for group in part.groups))
    places: list[dict[str, str]] = []
    for part in parts:
        place = {group.name: group.terms[0] for group in part.groups}
        taken = any(place[name] == other[name] for other in places for name in names if name in place)
        if set(place) == set(names) and not taken:
            places.append(place)
    sets: dict[str, AttributeSet] = {}
    for one in (one for part in parts for one in part.attributes):
        before = sets.get(one.name, one)
        words = tuple(dict.fromkeys((*before.terms, *one.terms)))
        sets[one.name] = AttributeSet(one.name, words, before.stereotype_of, before.neutral)
    groups = tuple(Group(name, tuple(place[name] for place in places)) for name in names)
    return Spec(first.name, first.title, groups, tuple(sets.values()), compare=first.compare, benchmark=first.benchmark)
