"""Which of the options of an item is the stereotyped one, and which the other: by what the item says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.sources.cells import as_cell
from tiltmeter.sources.datasets.bbq_groups import UNKNOWN, target
from tiltmeter.sources.logs.answers import Answer, plain
from tiltmeter.sources.pair_logs import side_of

CANNOT_TELL = "the model chose the answer that it cannot be known"
UNPLACED = "the log does not say which of the two answers is the stereotyped one"
_LABELS = {"stereotype": 0, "stereotyped": 0, "antistereotype": 1, "antistereotyped": 1}
_NUMBERS = {1: 0, 0: 1}
"""Labels of StereoSet as numbers: 1 is the stereotype, 0 the anti-stereotype, 2 unrelated."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The places of the stereotyped option and of the other."""

    places: tuple[int, int]
    groups: tuple[str, str] = ("", "")
    others: frozenset[int] = frozenset()
    """Options that say that it cannot be known."""
    unplaced: str = ""
    """Why nobody can say which is which."""
    attribute_set: str | None = None


def sides_of(answer: Answer) -> Sides | None:
    """The two sides; None for an item that has none."""
    if len(answer.options) < 2:
        return None
    return _by_groups(answer) or _by_labels(answer) or _by_fields(answer)


def _by_groups(answer: Answer) -> Sides | None:
    """Options that are people of a group, of which one is stereotyped: BBQ's `answer_info` and `stereotyped_groups`."""
    told = answer.item.get("answer_info")
    further = answer.item.get("additional_metadata")
    stereotyped = answer.item.get("stereotyped_groups")
    if stereotyped is None and isinstance(further, Mapping):
        stereotyped = further.get("stereotyped_groups")
    if not isinstance(told, Mapping) or len(told) != 3:
        return None
    known: list[tuple[int, list[str]]] = []
    for number, key in enumerate(sorted(told)):
        info = [as_cell(one) for one in told[key]] if isinstance(told[key], list) else []
        text = answer.item.get(key)
        at = _place(answer.options, text) if isinstance(text, str) else number
        if info and info[-1].casefold() != UNKNOWN and at is not None and at < len(answer.options):
            known.append((at, info))
    if len(known) != 2:
        return None
    (first, one), (second, other) = known
    groups, rest = (one[-1], other[-1]), frozenset(range(len(answer.options))) - {first, second}
    biased = _biased(answer, known, [as_cell(name) for name in stereotyped] if isinstance(stereotyped, list) else [])
    if biased is None:
        return Sides((first, second), groups, rest, UNPLACED)
    return Sides((first, second), groups, rest) if biased == 0 else Sides((second, first), groups[::-1], rest)


def _place(options: Sequence[str], text: str) -> int | None:
    same = [at for at, option in enumerate(options) if plain(option) == plain(text)]
    return same[0] if len(same) == 1 else None


def _biased(answer: Answer, known: Sequence[tuple[int, list[str]]], stereotyped: Sequence[str]) -> int | None:
    """Which of two answers goes with the stereotype: of a question that is not negative, that of the other group."""
    said = answer.item.get("biased_answers")
    if isinstance(said, list) and said:
        named = [at for at, (place, _) in enumerate(known) if answer.options[place].strip() in said]
        return named[0] if len(named) == 1 else None
    polarity = answer.value(("question_polarity",))
    people = [(" ".join(info[:-1]), info[-1]) for _, info in known]
    about = target(people, stereotyped, answer.value(("category",)))
    if about is None or polarity not in ("neg", "nonneg"):
        return None
    return about if polarity == "neg" else 1 - about


def _by_labels(answer: Answer) -> Sides | None:
    """Options that each have a label, in a list beside them: StereoSet's `gold_label`."""
    for name, labels in _lists(answer.item):
        if "label" in name.casefold() and len(labels) == len(answer.options):
            found = [_label(one) for one in labels]
            if found.count(0) == found.count(1) == 1:
                return Sides((found.index(0), found.index(1)))
    return None


def _lists(item: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for name, held in item.items():
        if isinstance(held, list):
            yield str(name), held
        elif isinstance(held, Mapping):
            yield from _lists(held)


def _label(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return _NUMBERS.get(value)
    return _LABELS.get(re.sub(r"[-_ ]", "", as_cell(value).casefold()))


def _by_fields(answer: Answer) -> Sides | None:
    """Options that stand in fields whose names say which side they are: CrowS-Pairs' `sent_more` and `sent_less`."""
    found: list[int | None] = [None] * len(answer.options)
    for name, held in answer.item.items():
        side = side_of(str(name))
        at = _place(answer.options, held) if isinstance(held, str) and side is not None else None
        if at is not None:
            found[at] = side
    if not (found.count(0) == found.count(1) == 1):
        return None
    direction = answer.value(("stereo_antistereo",))
    groups = {"stereo": ("disadvantaged", "advantaged"), "antistereo": ("advantaged", "disadvantaged")}
    return Sides((found.index(0), found.index(1)), groups.get(direction, ("", "")), attribute_set=direction or None)
