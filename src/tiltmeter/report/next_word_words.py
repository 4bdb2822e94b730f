"""Whom a model expects, in plain words that are never stronger than the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tiltmeter.records import Estimate
from tiltmeter.report.next_word_readings import (
    SHARE,
    Reading,
    ReadingGroup,
    excludes,
    is_firm,
    why_no_interval,
    words_of_group,
)
from tiltmeter.report.words import NEUTRAL, count, decimals_for, opposite, percent, percent_range, seen, signed
from tiltmeter.results.summary.next_words import ORIGINAL

CONTROLS = ("person", "deleted", "hidden")
"""What shows the habit of a model: the same prompts without the profession. The first that was asked leads."""
PERTURBATION = {
    ORIGINAL: "as it is",
    "person": "replaced by “person”",
    "deleted": "deleted",
    "hidden": "hidden",
    "man": "replaced by “man”",
    "woman": "replaced by “woman”",
    "start": "the start token alone",
    "openers": "openers that name nobody",
}
"""What becomes of the profession."""
_WITHOUT = {
    "person": "with “person” in place of the profession",
    "deleted": "with the profession deleted",
    "hidden": "with the profession hidden from the model",
    "man": "with “man” in place of the profession",
    "woman": "with “woman” in place of the profession",
}
_AFTER = {
    "template": "templates",
    "natural": "sentences from a corpus",
    "authored": "sentences written for the test",
}


@dataclass(frozen=True, slots=True)
class Said:
    """A finding in one sentence, and how far it is about the profession."""

    sentence: str
    reading: str = ""


@dataclass(frozen=True, slots=True)
class NextWordHeadline:
    """The findings on one model, and what they rest on."""

    findings: tuple[Said, ...]
    basis: str


def next_word_headline(group: ReadingGroup, label: str) -> NextWordHeadline:
    """What one model expects after each set of prompts, without the profession, and by itself."""
    own = [one for one in group.of_prompts if one.label == label]
    habits = [one for one in group.of_habit if one.label == label]
    findings = [_said(one, _place(one, own)) for one in own] + [Said(_habit(one)) for one in habits]
    return NextWordHeadline(tuple(findings), "; ".join(_basis(one) for one in (*own, *habits)))


def figure_words(found: Estimate) -> str:
    """A share with its interval.

    >>> figure_words(Estimate(0.71, 0.66, 0.76))
    '71\\xa0% (66–76\\xa0%)'
    """
    decimals = decimals_for(found)
    interval = f" ({percent_range(found.low, found.high, decimals)})" if found.low is not None else ""
    return f"{percent(found.value, decimals)}{interval}"


def points_words(found: Estimate) -> str:
    """A difference of shares in points, with its interval.

    >>> points_words(Estimate(0.06, -0.01, 0.13))
    '+6 points, −1 to +13'
    """
    ends = (found.value, found.low, found.high)
    shown = [100 * number for number in ends if number is not None]
    # Rounding must not make an end look like zero that is not, nor an interval look empty.
    misleading = any(one and not round(one) for one in shown) or len({round(one) for one in shown}) < len(shown)
    decimals = 1 if misleading else 0
    value, low, high = (signed(None if one is None else 100 * one, decimals) for one in ends)
    return f"{value} points" + ("" if found.low is None else f", {low} to {high}")


def _place(one: Reading, own: Sequence[Reading]) -> str:
    """Which prompts, in the middle of a sentence; the source where the kind of sentence does not tell."""
    kind = _kind(one)
    alike = sum(_kind(other) == kind for other in own) > 1
    place = f"the prompts of {one.cell.source}" if not kind else f"{kind} ({one.cell.source})" if alike else kind
    control = _WITHOUT.get(one.cell.summary.main, "")
    return f"{place} {control}".strip()


def _kind(one: Reading) -> str:
    statuses = [status for status, number in one.statuses.items() if number]
    return _AFTER.get(statuses[0], "") if len(statuses) == 1 else ""


def _said(one: Reading, place: str) -> Said:
    found = one.figure(SHARE)
    if found.value is None:
        return Said(f"After {place}, {one.label} gives no figure: no prompt has a chance of both {one.a} and {one.b}.")
    readings = filter(None, (_control(one, found), _choices(one)))
    return Said(f"After {place}, {_side(one, found)}", " ".join(readings))


def _side(one: Reading, found: Estimate) -> str:
    """Whom the model expects more often, if that can be told."""
    first, second = (words_of_group(one.cell, group) for group in (one.a, one.b))
    figure = f"the share of {one.a} is {figure_words(found)}"
    if found.low is None:
        return (
            f"{one.label} gives {first} a share of {figure_words(found)} beside {second}; how sure that is cannot be "
            f"said ({why_no_interval(found)})."
        )
    if not excludes(found, 0.5):
        return (
            f"no side can be told: {one.label} may expect {first} more often than {second}, or less often; {figure}, "
            f"which includes {NEUTRAL}."
        )
    more, less = (first, second) if _sign(found) else (second, first)
    if not is_firm(found, 0.5):
        return (
            f"{one.label} may expect {more} more often than {less}: {figure}, but after correction for all figures of "
            "its table that is not beyond chance."
        )
    return f"{one.label} expects {more} more often than {less}: {figure}."


def _control(one: Reading, found: Estimate) -> str:
    """What is left without the profession, and whether the difference is more than chance."""
    known = [name for name in CONTROLS if one.contrast(SHARE, name).value is not None]
    if not known or one.cell.summary.main != ORIGINAL:
        return ""
    name = known[0]
    rest, change = one.figure(SHARE, name), one.contrast(SHARE, name)
    sentence = _WITHOUT[name].capitalize()
    text = f"{sentence} it is {figure_words(rest)}: {_verdict(one, found, rest, change)}"
    return text + _other_controls(one, known[1:], change)


def _verdict(one: Reading, found: Estimate, rest: Estimate, change: Estimate) -> str:
    if change.low is None:
        return f"what the profession does cannot be said ({why_no_interval(change)})."
    if not is_firm(change, 0.0):
        firm = is_firm(found, 0.5) and is_firm(rest, 0.5)
        habit = ", so what lean there is may be habit alone" if firm and _sign(found) == _sign(rest) else ""
        return f"that the profession changes anything is not shown ({points_words(change)}){habit}."
    toward = one.a if (change.value or 0) > 0 else one.b
    return f"the profession moves it toward {toward} ({points_words(change)}){_left(one, found, rest, change)}."


def _left(one: Reading, found: Estimate, rest: Estimate, change: Estimate) -> str:
    """What is left of the lean without the profession, where the profession surely does something."""
    if not is_firm(rest, 0.5):
        return "; without it no side can be told"
    if not is_firm(found, 0.5):
        return f", against a habit of expecting {_leaning(one, rest)}"
    if _sign(found) != _sign(rest):
        return "; without it the model leans the other way"
    if _sign(found) != ((change.value or 0) > 0):
        return ", against the lean, which is larger without it: habit"
    lean, habit = (100 * abs((each.value or 0) - 0.5) for each in (found, rest))
    return f"; of the {lean:.0f} points away from {NEUTRAL}, {habit:.0f} are there without it, as habit"


def _other_controls(one: Reading, names: Sequence[str], change: Estimate) -> str:
    """The other ways to take the profession away, and where they do not say the same."""
    if not names:
        return ""
    shares = ", ".join(f"{PERTURBATION[name]} {figure_words(one.figure(SHARE, name))}" for name in names)
    apart = [name for name in names if _moved(one.contrast(SHARE, name)) != _moved(change)]
    caution = ""
    if apart:
        caution = "; what the profession does depends on how it is taken away"
    return f" With the profession {shares}{caution}."


def _moved(change: Estimate) -> int:
    """Whether the profession surely moves the share, and which way."""
    return 0 if not is_firm(change, 0.0) else 1 if (change.value or 0) > 0 else -1


def _sign(found: Estimate) -> bool:
    return (found.value or 0) > 0.5


def _leaning(one: Reading, found: Estimate) -> str:
    return words_of_group(one.cell, one.a if _sign(found) else one.b)


def _habit(one: Reading) -> str:
    """What the model expects where nothing is said of anybody."""
    known = [name for name in ("openers", "start") if one.figure(SHARE, name).value is not None]
    if not known:
        return f"With no sentence about anybody, {one.label} gives no figure."
    parts = []
    for name in known:
        found = one.figure(SHARE, name)
        what = "after openers that name nobody" if name == "openers" else "after the start token alone"
        unsure = ", which leaves the side open" if found.low is not None and not excludes(found, 0.5) else ""
        single = f" (no interval: {why_no_interval(found)})" if found.low is None else ""
        parts.append(f"{what} {figure_words(found)}{single}{unsure}")
    return f"The habit of {one.label} with no sentence about anybody: the share of {one.a} is {', and '.join(parts)}."


def _choices(one: Reading) -> str:
    """How far the figure depends on the words and on how they are counted."""
    alike = [cell for cell in one.others if cell.pair == one.cell.pair]
    found = [one.figure(SHARE), *(replace(one, cell=cell).figure(SHARE) for cell in alike)]
    values = [each.value for each in found if each.value is not None]
    if len(values) < 2:
        return ""
    low, high = percent(min(values)), percent(max(values))
    range_words = f"is {low}" if low == high else f"lies between {low} and {high}"
    sides = f", on both sides of {NEUTRAL}" if opposite(found) else ""
    return f"Under the {len(values)} choices of words and counting of this study it {range_words}{sides}."


def _basis(one: Reading) -> str:
    # Of a model's habit there is one figure for the start token and one for the openers.
    found = [one.figure(SHARE, name) for name in one.cell.summary.perturbations] if one.cell.of_habit else []
    found = found or [one.figure(SHARE)]
    scored, unscored = sum(each.n for each in found), sum(each.n_unscored for each in found)
    over = " and ".join(count(number, name) for name, number in one.main.resampled_over.items())
    return f"{one.cell.source}: {count(scored, 'prompt')} scored, {unscored:,} unscored" + (
        f", {over}{seen(found[0])}" if over else ""
    )
