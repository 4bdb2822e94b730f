"""What differs between two sides: what makes it meaningless to hold them against each other, and what only matters.

A measure is worked out anew from the items of either run, so its version cannot differ. Scorers, raters and sources
were at work when the run was made: where one of them differs in more than the model that is tested, nobody can say
what a difference comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.results.cells import table_of
from tiltmeter.results.compare.sides import VERSION, Matched, Side, decoding_words, is_unfinished
from tiltmeter.results.measurements.next_words import OWN_WORDS
from tiltmeter.views import View

_PACKAGES = frozenset({"torch", "transformers", "tokenizers", "onnxruntime", "device", "dtype", "spacy"})
"""Facts of a rater that do not change what it is; where they change a rating, it is in the last digits."""


def check_comparable(a: Side, b: Side, views: Iterable[View]) -> None:
    """Refuse, in one sentence that says which, what would make a difference meaningless."""
    found = [
        *_formats(a, b),
        *(problem for view in views for problem in _unlike(a, b, view)),
    ]
    if found:
        raise UserError(
            f"{a.name} and {b.name} cannot be compared: {'; '.join(dict.fromkeys(found))}; "
            "run one of them again so that both were measured alike"
        )


def _formats(a: Side, b: Side) -> list[str]:
    first, second = (side.resolved.get("format") for side in (a, b))
    if first == second:
        return []
    return [f"studies of format {first} and {second} are carried out differently"]


def _unlike(a: Side, b: Side, view: View) -> list[str]:
    names = [[source["name"] for source in side.sources(view)] for side in (a, b)]
    found = _versions("the source", *names)
    if view == "pairs":
        scorers = ([cell.scorer for cell in table_of(side.run).of(view, model=side.model)] for side in (a, b))
        return [*found, *_versions("the scorer", *scorers)]
    if view == "continuations":
        return [*found, *_raters(a, b), *_decodings(a, b)]
    return [*found, *_words(a, b)]


def _versions(noun: str, first: Iterable[str], second: Iterable[str]) -> list[str]:
    """Names of both sides that share no version."""
    one, other = (_by_base(names) for names in (first, second))
    return [
        f"{noun} {base} is {_listed(one[base])} in the one and {_listed(other[base])} in the other"
        for base in one
        if base in other and not one[base] & other[base]
    ]


def _by_base(names: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name in names:
        match = VERSION.search(name)
        found.setdefault(VERSION.sub("", name, count=1), set()).add(f"v{match[1]}" if match else "without a version")
    return found


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _raters(a: Side, b: Side) -> list[str]:
    assert a.run.continuations and b.run.continuations
    one, other = (
        {used.name: used for used in side.run.continuations.raters} for side in (a, b) if side.run.continuations
    )
    found = _versions("the rater", one, other)
    for name in [name for name in one if name in other]:
        if one[name].scope != other[name].scope:
            scopes = f"{one[name].scope} in the one and {other[name].scope} in the other"
            found.append(f"the rater {name} reads {scopes}")
        first, second = one[name].facts, other[name].facts
        # A fact that only one of them has is one that an earlier version did not write down.
        unlike = [key for key in first if key in second and key not in _PACKAGES and first[key] != second[key]]
        found += [
            f"the rater {name} has another {key} ({_short(first[key])} and {_short(second[key])})" for key in unlike
        ]
    return found


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 24 else f"{text[:20]}…"


def _decodings(a: Side, b: Side) -> list[str]:
    assert a.run.continuations and b.run.continuations
    one, other = a.run.continuations.decodings, b.run.continuations.decodings
    if set(one) & set(other):
        return []
    return [f"no decoding is the same: {decoding_words(one[0])} in the one, {decoding_words(other[0])} in the other"]


def _words(a: Side, b: Side) -> list[str]:
    one, other = (
        {choice["label"]: choice["sets"] for choice in side.resolved["next_words"]["words"]} for side in (a, b)
    )
    unlike = [
        f"the set of words {label or 'of the source'} has other words"
        for label in one
        if label in other and _plain(one[label]) != _plain(other[label])
    ]
    named = Matched.of(a, b, "next words")
    own, theirs = (_words_of_side(side, names) for side, names in ((a, named.of_a), (b, named.of_b)))
    return unlike + [
        f"the set of words {OWN_WORDS} has other words for {place[1]}"
        for place in own
        if "" in one and "" in other and place in theirs and own[place] != theirs[place]
    ]


def _words_of_side(side: Side, named: Mapping[str, str]) -> dict[tuple[str, str], Any]:
    """By source and bias, the words that a source asks for by itself."""
    found: dict[tuple[str, str], Any] = {}
    for one in side.run.next_words.asked if side.run.next_words else ():
        prompt = one.asked.prompt
        found.setdefault((named.get(prompt.source, prompt.source), prompt.bias), _plain(prompt.word_sets))
    return found


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def notes_on(a: Side, b: Side, views: Iterable[View]) -> list[str]:
    """What differs without making a comparison meaningless."""
    found = []
    if a.resolved["seed"] != b.resolved["seed"]:
        found.append(
            f"the seeds differ ({a.resolved['seed']} and {b.resolved['seed']}): so does what was drawn by chance"
        )
    found += _packages(a, b)
    facts = [side.run.facts.get(side.model) for side in (a, b)]
    for name in ("device", "dtype", "start_token"):
        one, other = (getattr(fact, name, None) for fact in facts)
        if one != other:
            found.append(f"the {name.replace('_', ' ')} differs: {one} and {other}")
    if "continuations" in views:
        first, second = ((side.resolved.get("continuations") or {}).get("samples") for side in (a, b))
        if first != second:
            found.append(
                f"texts for each prompt differ: {first} and {second}; a prompt counts with the mean of its texts"
            )
        found += _rater_packages(a, b)
    for side in (a, b):
        if is_unfinished(side):
            found.append(f"{side.run.folder.name} is not finished: what is compared is a part")
    for view in views:
        found += _files(a, b, view)
    return list(dict.fromkeys(found))


def _packages(a: Side, b: Side) -> list[str]:
    one, other = ({**side.run.meta.get("versions", {})} for side in (a, b))
    unlike = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    if not unlike:
        return []
    return [
        "packages differ, which may show in the last digits: "
        + ", ".join(f"{name} {one.get(name, 'none')} and {other.get(name, 'none')}" for name in unlike)
    ]


def _rater_packages(a: Side, b: Side) -> list[str]:
    if a.run.continuations is None or b.run.continuations is None:
        return []
    one, other = (
        {used.name: used.facts for used in side.run.continuations.raters} for side in (a, b) if side.run.continuations
    )
    return [
        f"the rater {name} ran with another {key}"
        for name, facts in one.items()
        if name in other
        for key in facts
        if key in _PACKAGES and other[name].get(key) != facts[key]
    ]


def _files(a: Side, b: Side, view: View) -> list[str]:
    one, other = (
        {source["label"]: source.get("sha256") for source in side.sources(view) if "label" in source} for side in (a, b)
    )
    return [
        f"the file of the source {label} differs; only what stands in both is compared"
        for label, digest in one.items()
        if digest and other.get(label) and other[label] != digest
    ]
