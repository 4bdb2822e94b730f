"""How a comparison of two sides looks in a cell: what it is called, in which unit it counts, how it is marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.records import Estimate
from tiltmeter.report.cells import TableCell, sort_key
from tiltmeter.report.words import NONE, SPACE, percent, percent_range, signed
from tiltmeter.results.compare.names import both_of
from tiltmeter.results.compare.records import Compared
from tiltmeter.results.compare.words import in_points, is_shown
from tiltmeter.stats.equivalence import Verdict
from tiltmeter.stats.estimates import FEWEST_ORIGINS

Label = Callable[[str], str]
"""What a bias is called on the page."""

LONG: Mapping[str, tuple[str, ...]] = {
    "pairs": ("source", "bias", "scorer", "measure"),
    "continuations": ("source", "bias", "rater", "scope", "decoding"),
    "next words": ("source", "bias", "words", "bounded", "combine", "perturbation", "groups", "measure"),
}
"""The choices of each view that a name may need, in the order in which they are said."""
_PLAIN = {"scope": "reads the {}", "bounded": "bounded: {}", "combine": "combined by {}", "perturbation": "prompts: {}"}
_MEASURES = {"preference": "stereotyped choices", "margin": "margin", "share": "share of the first"}
WITHIN: Mapping[Verdict, str] = {
    "different": "not shown",
    "equivalent": "yes",
    "both": "yes, and not zero",
    "undecided": "not shown",
}
"""Whether a difference is no more than the margin, in words."""


@dataclass(frozen=True, slots=True)
class Name:
    """What a comparison is called: in a few words, and the choices that tell it from the others."""

    short: str
    choices: str


def names(cells: Sequence[Compared], label: Label) -> list[Name]:
    """The names of some comparisons of one view; a choice that all of them share is not said."""
    if not cells:
        return []
    wanted = LONG[cells[0].view]
    told = [name for name in wanted if len({one.choices.get(name) for one in cells}) > 1]
    scopes = {(one.choices.get("rater"), one.choices.get("scope")) for one in cells}
    if len(scopes) == len({rater for rater, _ in scopes}):
        # What each rater reads goes without saying where it reads one thing only.
        told = [name for name in told if name != "scope"]
    return [_name(one, told, label) for one in cells]


def _name(one: Compared, told: Sequence[str], label: Label) -> Name:
    choices = one.choices
    if one.view == "continuations":
        short, rest = groups_of(one), [name for name in told if name != "groups"]
    elif one.view == "pairs":
        short, rest = bias_of(one, label), [name for name in told if name != "bias"]
    else:
        short = f"{bias_of(one, label)}, {groups_of(one)}"
        rest = [name for name in told if name not in ("bias", "groups")]
    return Name(short, ", ".join(choice_words(name, choices[name], label) for name in rest if name in choices))


def bias_of(one: Compared, label: Label) -> str:
    """The bias, or that it is the mean over all of them."""
    return "all biases" if one.choices["bias"] == "all" else label(one.choices["bias"])


def groups_of(one: Compared) -> str:
    """The group, or the two whose gap it is."""
    if "group" in one.choices:
        return one.choices["group"]
    return " − ".join(both_of(one.choices["groups"])) if one.is_gap else one.choices["groups"]


def choice_words(name: str, value: str, label: Label) -> str:
    """A choice as the page says it.

    >>> choice_words("bounded", "no", str), choice_words("measure", "preference", str)
    ('bounded: no', 'stereotyped choices')
    """
    if name == "bias":
        return label(value)
    return _MEASURES.get(value, value) if name == "measure" else _PLAIN.get(name, "{}").format(value)


def level_cell(one: Compared, found: Estimate) -> TableCell:
    """The figure of one side, with its interval below it."""
    if in_points(one):
        small = "" if found.low is None else percent_range(found.low, found.high)
        return TableCell(percent(found.value), small, sort_key(found.value))
    written = signed if one.is_gap else plain
    small = "" if found.low is None else f"{written(found.low, 3)} to {written(found.high, 3)}"
    return TableCell(written(found.value, 3), small, sort_key(found.value))


def plain(number: float | None, decimals: int = 3) -> str:
    """A number without a sign unless it is below zero.

    >>> plain(-0.25), plain(None)
    ('−0.250', '–')
    """
    return NONE if number is None else f"{number:.{decimals}f}".replace("-", "−")


def apart(one: Compared, number: float | None) -> str:
    """A difference in the unit of its comparison: points of a hundred, or what the measure counts in."""
    if not number:
        return NONE if number is None else "0"
    text = signed(100 * number, 1) if in_points(one) else signed(number, 3)
    # What rounds to nothing has no sign.
    return text if any(digit in text for digit in "123456789") else text[1:]


def difference_cell(one: Compared) -> TableCell:
    """A − B with its interval, tinted where it is shown after Holm's correction."""
    found = one.difference
    small = f"{apart(one, found.low)} to {apart(one, found.high)}"
    if found.low is None:
        small = (found.note or "no interval").removeprefix("no interval: ")
        if found.value == 0 and found.origins >= FEWEST_ORIGINS:
            small = "alike in every origin"
    mark = "" if not is_shown(one) else "above" if (found.value or 0.0) > 0 else "below"
    return TableCell(apart(one, found.value), small, sort_key(found.value), mark)


def change_cell(one: Compared) -> TableCell:
    """The change in per cent, with its interval or with the reason why there is none."""
    change = one.change
    if change is None or change.value is None:
        return TableCell(NONE, one.no_change or "")
    small = "" if change.low is None else f"{signed(change.low, 1)} to {signed(change.high, 1)}"
    text = signed(change.value, 1) if change.value else "0"
    return TableCell(f"{text}{SPACE}%", small, sort_key(change.value))
