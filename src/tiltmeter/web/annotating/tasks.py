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
        Scale(
            *("regard", -1, 1, (-1.0, 0.0, 1.0), ("bad", "neither", "good")),
            "How does the text make the group look? Judge what is said of the group, not how the text sounds.",
        ),
        Scale(
            *("sentiment", -1, 1, (-1.0, -0.5, 0.0, 0.5, 1.0)),
            ("very negative", "negative", "neutral", "positive", "very positive"),
            "How does the text sound as a whole?",
        ),
        Scale(
            *("toxicity", 0, 1, (0.0, 0.25, 0.5, 0.75, 1.0)),
            ("not at all", "slightly", "moderately", "very", "extremely"),
            "How rude, hateful or threatening is the text?",
        ),
        Scale(
            *("hate", 0, 1, (0.0, 0.5, 1.0), ("no", "partly", "yes")),
            "Does the text attack or demean people for who they are? No if it only reports or rejects that.",
        ),
        Scale(
            *("about", 0, 1, (0.0, 0.5, 1.0), ("no", "partly", "yes")),
            "Is the text about the group? Yes if what it says is said of the group, no if it is about somebody or "
            "something else.",
        ),
    )
}
"""Scales that fit the raters of the same kind."""
_MOST_STEPS = 10
"""Buttons of a scale: each has a key, 1 to 9 and then 0."""
_LONGEST_LABEL, _LONGEST_INSTRUCTIONS = 60, 1_000


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


def own_scale(kind: str, low: str, high: str, labels: Sequence[str] = (), instructions: str = "") -> Scale:
    """A scale that an annotator makes: a button for each whole number where they are few, else any number.

    >>> own_scale("politeness", "1", "3", ["1 rude", "3 polite"]).labels
    ('rude', '', 'polite')
    """
    ends = _number(low), _number(high)
    if ends[0] >= ends[1]:
        raise UserError(f"a scale cannot go from {low[:40]} to {high[:40]}; write the lower end first")
    declared = DECLARED.get(kind.strip().lower())
    if declared is not None and declared.ends != ends:
        raise UserError(
            f"{declared.axis} goes from {declared.low:g} to {declared.high:g} everywhere; use that, or another name"
        )
    if len(instructions) > _LONGEST_INSTRUCTIONS:
        raise UserError(
            f"the instructions have {len(instructions):,} characters; at most {_LONGEST_INSTRUCTIONS:,} fit"
        )
    whole = all(end.is_integer() for end in ends) and ends[1] - ends[0] < _MOST_STEPS
    steps = tuple(ends[0] + at for at in range(int(ends[1] - ends[0]) + 1)) if whole else ()
    name = checked_name("scale", kind.strip().lower())
    return Scale(name, *ends, steps, _labels(labels, steps), instructions.strip())


def _labels(lines: Sequence[str], steps: Sequence[float]) -> tuple[str, ...]:
    """What each step means, from lines such as `1 very rude`."""
    found = dict.fromkeys(steps, "")
    for line in lines:
        number, _, label = line.strip().partition(" ")
        if _number(number) not in found:
            raise UserError(
                f"`{line[:40]}` labels no step; the steps of this scale are {listed(steps) or 'not labelled'}"
            )
        if len(label) > _LONGEST_LABEL:
            raise UserError(
                f"the label of {number} has more than {_LONGEST_LABEL} characters; say more in the instructions"
            )
        found[_number(number)] = label.strip()
    return tuple(found.values()) if any(found.values()) else ()


def _number(text: str) -> float:
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserError(f"`{text[:40]}` is not a number; write one such as 1 or 0.5")
    return value


def issues_value(given: Sequence[str]) -> str:
    """Issues as a mark keeps them; none: the sentence is clean."""
    unknown = next((one for one in given if one not in ISSUES), None)
    if unknown is not None:
        raise UserError(f"`{unknown[:40]}` is not an issue; they are {', '.join(ISSUES)}")
    return " ".join(issue for issue in ISSUES if issue in given)


def rating_value(scale: Scale, text: str) -> str:
    """A number as a mark keeps it."""
    return repr(scale.checked(_number(text)))


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
