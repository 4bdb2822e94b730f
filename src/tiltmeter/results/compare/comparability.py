"""What differs between two sides: what makes it meaningless to hold them against each other, and what only matters.

A measure is worked out anew from the items of either run, so its version cannot differ. Scorers, raters and sources
were at work when the run was made: where one of them differs in more than the model that is tested, nobody can say
what a difference comes from.
"""

from __future__ import annotations

from collections.abc import Iterable

from tiltmeter.errors import UserError
from tiltmeter.results.cells import table_of
from tiltmeter.results.compare.sides import VERSION, Side, is_unfinished
from tiltmeter.results.views import results_of
from tiltmeter.views import View


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
    cells = [table_of(side.run).of(view, model=side.model) for side in (a, b)]
    for name in ("scorer", "rater"):
        found += _versions(f"the {name}", *([getattr(cell, name) for cell in own] for own in cells))
    own = results_of(view).unlike
    return [*found, *(own(a, b) if own else ())]


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
    for own in (results_of(view).notes for view in views):
        found += own(a, b) if own else ()
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


def _files(a: Side, b: Side, view: View) -> list[str]:
    one, other = (
        {source["label"]: source.get("sha256") for source in side.sources(view) if "label" in source} for side in (a, b)
    )
    return [
        f"the file of the source {label} differs; only what stands in both is compared"
        for label, digest in one.items()
        if digest and other.get(label) and other[label] != digest
    ]
