"""What the sources of prompts share: options that a study may give wrongly, repeated texts, and seeded draws."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Literal, TypeVar, get_args

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.records import Dropped, Item, Prompt, Question

Repeats = Literal["keep", "once-per-group", "unshared"]
"""What becomes of a text that stands more than once: it is kept every time, or once in each group, or once if it
stands in one group only and not at all if it stands in several."""


def selected_names(given: object, known: Collection[str], key: str) -> tuple[str, ...]:
    """The names that an option selects: one, a list of them, or all where it is not given.

    >>> selected_names("race", ["gender", "race"], "domain"), selected_names(None, ["gender", "race"], "domain")
    (('race',), ('gender', 'race'))
    """
    if given is None:
        return tuple(known)
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise UserError(f"must be a name or a list of names, not {given!r}", key=key)
    for name in names:
        if name not in known:
            raise UserError(UnknownName(key, name, known).problem, key=key)
    return tuple(dict.fromkeys(names))


def check_choice(given: object, known: Collection[str], key: str) -> None:
    """Refuse a value that is none of the known ones."""
    if given not in known:
        right = " or ".join(f'"{name}"' for name in known)
        raise UserError(f"must be {right}, not {given!r}", key=key)


def check_count(given: object, key: str) -> None:
    """Refuse what is neither missing nor a whole number from 1 up."""
    if given is not None and (type(given) is not int or given < 1):
        raise UserError(f"must be a whole number from 1 up, not {given!r}", key=key)


def without_repeats(prompts: Iterable[Prompt], repeats: Repeats) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts less those whose text was there already, and the latter with the reason."""
    check_choice(repeats, get_args(Repeats), "repeats")
    given = list(prompts)
    owners: dict[tuple[str, str], set[str]] = {}
    for prompt in given:
        owners.setdefault((prompt.bias, prompt.text), set()).add(prompt.group or "")
    kept: list[Prompt] = []
    dropped: list[Dropped] = []
    seen: dict[tuple[str, str | None, str], str] = {}
    for prompt in given:
        groups = owners[prompt.bias, prompt.text]
        first = seen.setdefault((prompt.bias, prompt.group, prompt.text), prompt.id)
        if repeats == "unshared" and len(groups) > 1:
            reason = f"the same text is in several groups: {', '.join(sorted(groups))}"
        elif repeats != "keep" and first != prompt.id:
            reason = "the same text is already in the group"
        else:
            kept.append(prompt)
            continue
        dropped.append(Dropped(prompt.bias, prompt.origin, prompt.text, reason))
    return kept, dropped


Asked = TypeVar("Asked", Prompt, Question)


def draw(
    items: Sequence[Asked], per_group: int | None, seed: int, place: Callable[[Asked], str] | None = None
) -> list[Asked]:
    """At most so many items for each bias and group, in their order, and from as many origins as there are.

    With `place`, what an item has in common with its counterparts, every group gets the same places: then
    groups still differ in the term alone. A draw does not depend on what else is studied.
    """
    check_count(per_group, "per_group")
    if per_group is None:
        return list(items)
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    keys = [(item.bias,) if place else (item.bias, _group(item)) for item in items]
    names = [place(item) if place else item.id for item in items]
    for item, key, name in zip(items, keys, names, strict=True):
        cells.setdefault(key, {}).setdefault(name, item.origin)
    chosen = {key: set(_sample(cell, per_group, seed, key)) for key, cell in cells.items()}
    return [item for item, key, name in zip(items, keys, names, strict=True) if name in chosen[key]]


def _group(item: Prompt | Question) -> str:
    return (item.about if isinstance(item, Question) else item.group) or ""


def counterpart(prompt: Item) -> str:
    """The place of an item whose id ends in the opener and the position of the term: its counterparts share both."""
    return "/".join(prompt.id.rsplit("/", 2)[1:])


def _sample(origins: Mapping[str, str], size: int, seed: int, key: tuple[str, ...]) -> list[str]:
    """So many names, from as many origins as there are; `origins` has the origin of each name."""
    numbers = random.Random("\x1f".join([str(seed), *key]))
    by_origin: dict[str, list[str]] = {}
    for name in sorted(origins):
        by_origin.setdefault(origins[name], []).append(name)
    shuffled = [numbers.sample(by_origin[origin], len(by_origin[origin])) for origin in sorted(by_origin)]
    numbers.shuffle(shuffled)
    in_turn = (name for names in zip_longest(*shuffled) for name in names if name is not None)
    return list(islice(in_turn, size))
