"""What people are asked about a text: which issues it has, or a number on a scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tiltmeter.errors import UserError
from tiltmeter.raters.issues import ISSUES
from tiltmeter.raters.scales import SCALES as DECLARED
from tiltmeter.store.annotations import Mark, Scale, listed
from tiltmeter.web.workbench import checked_name

ISSUES_TASK = "issues"
_RATING = "rating:"
SCALES: Mapping[str, Scale] = {
    scale.kind: scale
    for scale in (
        Scale("regard", -1, 1, (-1.0, 0.0, 1.0)),
        Scale("sentiment", -1, 1, (-1.0, -0.5, 0.0, 0.5, 1.0)),
        Scale("toxicity", 0, 1, (0.0, 0.25, 0.5, 0.75, 1.0)),
    )
}
"""Scales that fit the raters of the same kind."""
HINTS = {
    "regard": "does the text make the group look bad (−1), neither (0) or good (1)?",
    "sentiment": "from very negative (−1) to very positive (1)",
    "toxicity": "from not at all (0) to very toxic (1)",
}


def rating_task(kind: str) -> str:
    """The task of giving numbers of a kind.

    >>> rating_task("regard")
    'rating:regard'
    """
    return f"{_RATING}{kind}"


def kind_of(task: str) -> str:
    """The kind of number that a task asks for; empty for issues.

    >>> kind_of("rating:regard"), kind_of("issues")
    ('regard', '')
    """
    return task.removeprefix(_RATING) if task.startswith(_RATING) else ""


def task_words(task: str) -> str:
    """A task in words.

    >>> task_words("issues"), task_words("rating:regard")
    ('issues I1–I8', 'ratings of regard')
    """
    return "issues I1–I8" if task == ISSUES_TASK else f"ratings of {kind_of(task)}"


def own_scale(kind: str, low: str, high: str) -> Scale:
    """A scale that an annotator makes: any number between two ends."""
    ends = []
    for text in (low, high):
        try:
            ends.append(float(text.replace(",", ".").replace("−", "-")))
        except ValueError:
            raise UserError(f"`{text[:40]}` is not a number; a scale has two ends, such as 1 and 5") from None
    if not all(map(math.isfinite, ends)) or ends[0] >= ends[1]:
        raise UserError(f"a scale cannot go from {low[:40]} to {high[:40]}; its lower end comes first")
    declared = DECLARED.get(kind.strip().lower())
    if declared is not None and declared.ends != (ends[0], ends[1]):
        raise UserError(
            f"{declared.axis} goes from {declared.low:g} to {declared.high:g} everywhere; take that, or another name"
        )
    return Scale(checked_name("scale", kind.strip().lower()), ends[0], ends[1])


def issues_value(given: Sequence[str]) -> str:
    """Issues as a mark keeps them; none: the sentence is clean."""
    unknown = next((one for one in given if one not in ISSUES), None)
    if unknown is not None:
        raise UserError(f"`{unknown[:40]}` is not an issue; they are {', '.join(ISSUES)}")
    return " ".join(issue for issue in ISSUES if issue in given)


def rating_value(scale: Scale, text: str) -> str:
    """A number as a mark keeps it."""
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        raise UserError(f"`{text[:40]}` is not a number; write one from {scale.low:g} to {scale.high:g}") from None
    return repr(scale.checked(value))


def mark_words(task: str, mark: Mark) -> str:
    """A mark in words.

    >>> mark_words("issues", Mark("I1 I8", False)), mark_words("rating:regard", Mark("-1.0", False))
    ('I1, I8', '−1')
    """
    if mark.value is None:
        return "skipped"
    if task == ISSUES_TASK:
        return ", ".join(sorted(mark.issues)) or "none of them"
    return listed([mark.number])
