"""What may be compared: two sides, what makes it meaningless to hold them against each other, and what only matters.

A measure is worked out anew from the items of either run, so its version cannot differ. Scorers, raters and sources
were at work when the run was made: where one of them differs in more than the model that is tested, nobody can say
what a difference comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.analysis.questions import VIEWS, View
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.records import Decoding
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.store import Run

_VERSION = re.compile(r"\.v(\d+)(?=$|:)")
_PACKAGES = frozenset({"torch", "transformers", "tokenizers", "onnxruntime", "device", "dtype", "spacy"})
"""Facts of a rater that do not change what it is; where they change a rating, it is in the last digits."""
_TABLES: Mapping[View, str] = {"continuations": "continuations", "next words": "next_words"}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared: a model of a run."""

    run: Run
    model: str
    name: str

    @property
    def resolved(self) -> Mapping[str, Any]:
        """The study as the run keeps it."""
        found: Mapping[str, Any] = self.run.meta["resolved"]
        return found

    def sources(self, view: View) -> Sequence[Mapping[str, Any]]:
        """The sources of a view."""
        table = self.resolved if view == "pairs" else self.resolved.get(_TABLES[view]) or {}
        found: Sequence[Mapping[str, Any]] = table.get("sources", ())
        return found

    def as_json(self) -> dict[str, Any]:
        """Who it is, and what must be known to trust it."""
        facts = self.run.facts.get(self.model)
        return {
            "name": self.name,
            "run": self.run.folder.name,
            "study": self.resolved["name"],
            "seed": self.resolved["seed"],
            "model": None if facts is None else {**asdict(facts), "versions": dict(facts.versions)},
        }


def sides_of(runs: Sequence[Run], models: Sequence[str]) -> tuple[Side, Side]:
    """The two sides that are meant: two runs, or two models of one run."""
    if len(runs) > 2 or not runs:
        raise UserError(f"{len(runs)} runs were given; compare two runs, or two models of one run")
    if len(models) > 2:
        raise UserError(f"--model stands {len(models)} times; compare two models")
    if len(runs) == 1:
        [run] = runs
        known = list(run.facts)
        if not models and len(known) == 2:
            models = known
        if len(models) != 2 or models[0] == models[1]:
            raise UserError(
                f"{run.folder}: of one run, two models are compared: name them with --model A --model B; "
                f"it has {', '.join(known) or 'none that has answered'}"
            )
        chosen = [(run, _known(run, name)) for name in models]
    else:
        named = list(models) if len(models) == 2 else [models[0] if models else None] * 2
        chosen = [(run, _one(run, name)) for run, name in zip(runs, named, strict=True)]
    (first, one), (second, other) = chosen
    names = (one, other) if one != other else (first.folder.name, second.folder.name)
    if names[0] == names[1]:
        names = str(first.folder), str(second.folder)
    if names[0] == names[1]:
        raise UserError(f"{first.folder}: is the same run and the same model twice; name another run, or --model")
    return Side(first, one, names[0]), Side(second, other, names[1])


def _one(run: Run, name: str | None) -> str:
    if name is not None:
        return _known(run, name)
    known = list(run.facts)
    if len(known) != 1:
        has = f"has several models: {', '.join(known)}" if known else "has no model that has answered"
        raise UserError(f"{run.folder}: {has}; name one with --model, for each run where they differ")
    return known[0]


def _known(run: Run, name: str) -> str:
    if name not in run.facts:
        raise UserError(UnknownName("model", name, run.facts).problem, file=run.folder)
    return name


def views_of(a: Side, b: Side, wanted: Sequence[View] = ()) -> list[View]:
    """The views that both sides have; refuses one that was asked for and that a side lacks."""
    has = [_has(side) for side in (a, b)]
    for view in wanted:
        for side, own in zip((a, b), has, strict=True):
            if view not in own:
                there = ", ".join(own) or "nothing"
                raise UserError(f"{side.run.folder}: has no {view} of {side.model}; there is {there}")
    found = [view for view in wanted or VIEWS if all(view in own for own in has)]
    if not found:
        told = " and ".join(
            f"{side.name} has {', '.join(own) or 'nothing'}" for side, own in zip((a, b), has, strict=True)
        )
        raise UserError(f"there is nothing in common to compare: {told}")
    return found


def _has(side: Side) -> list[View]:
    run = side.run
    there: dict[View, bool] = {
        "pairs": any(model == side.model for model, _ in run.scores),
        "continuations": run.continuations is not None and side.model in run.continuations.models,
        "next words": run.next_words is not None and side.model in run.next_words.models,
    }
    return [view for view in VIEWS if there[view]]


def refuse_unlike(a: Side, b: Side, views: Iterable[View]) -> None:
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
        scorers = ([scorer for model, scorer in side.run.scores if model == side.model] for side in (a, b))
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
        match = _VERSION.search(name)
        found.setdefault(_VERSION.sub("", name, count=1), set()).add(f"v{match[1]}" if match else "without a version")
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
        unlike = [key for key in {**first, **second} if key not in _PACKAGES and first.get(key) != second.get(key)]
        found += [
            f"the rater {name} has another {key} ({_short(first.get(key))} and {_short(second.get(key))})"
            for key in unlike
        ]
    return found


def _short(value: object) -> str:
    text = str(value) if value is not None else "none"
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
    return [
        f"the set of words {label or 'of the source'} has other words"
        for label in one
        if label in other and _plain(one[label]) != _plain(other[label])
    ]


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def decoding_words(decoding: Decoding) -> str:
    """The settings of a decoding that are not the usual ones, and its temperature and length.

    >>> decoding_words(Decoding(temperature=0.6, top_k=40))
    'temperature 0.6, 40 new tokens, top k 40'
    """
    usual = Decoding()
    parts = [f"temperature {decoding.temperature:g}", f"{decoding.max_new_tokens} new tokens"]
    more = {"top_k": "top k", "top_p": "top p", "beams": "beams", "whole_sentences": "whole sentences", "stop": "stop"}
    for name, words in more.items():
        value = getattr(decoding, name)
        if value != getattr(usual, name):
            parts.append(
                words
                if value is True
                else f"{words} {value:g}"
                if isinstance(value, int | float)
                else f"{words} {value}"
            )
    return ", ".join(parts)


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
        run = side.run
        if not run.meta.get("all_rated", True) or (run.next_words and not run.next_words.complete):
            found.append(f"{run.folder.name} is not finished: what is compared is a part")
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


@dataclass(frozen=True, slots=True)
class Matched:
    """How the sources of two sides are called where they are the same source, whatever number was drawn of each."""

    of_a: Mapping[str, str]
    of_b: Mapping[str, str]

    @classmethod
    def of(cls, a: Side, b: Side, view: View) -> Matched:
        """Sources of the same label; then sources of the same name that either side has once."""
        one, other = (
            {source.get("label") or source["name"]: source["name"] for source in side.sources(view)} for side in (a, b)
        )
        same = {label: label for label in one if label in other}
        left, right = ({label: name for label, name in each.items() if label not in same} for each in (one, other))
        first, second = dict(same), dict(same)
        for label, name in left.items():
            [*mine], [*theirs] = ([each for each, own in side.items() if own == name] for side in (left, right))
            if len(mine) == len(theirs) == 1:
                first[label] = second[theirs[0]] = _VERSION.sub("", name)
        return cls(first, second)


def bare(probe_id: str, source: str) -> str:
    """The id of a probe without the label of its source, which says how many were drawn.

    >>> bare("templates[per_attribute=4]:gender/nurse/0/1", "templates[per_attribute=4]")
    'gender/nurse/0/1'
    """
    return probe_id.removeprefix(f"{source}:")


def group_pairs(groups: Sequence[str], resolved: Mapping[str, Any], bias: str) -> list[tuple[str, str]]:
    """The pairs that a spec names; else every other group against the reference of the study; else every two."""
    name = bias.partition(":")[0]
    spec: Mapping[str, Any] = next((spec for spec in resolved["specs"] if spec["name"] == name), {})
    named = [(one, other) for one, other in spec.get("compare", ()) if one in groups and other in groups]
    references = (resolved.get("continuations") or {}).get("reference", ())
    return named or pairs_of_groups(groups, next((each for each in references if each in groups), None))
