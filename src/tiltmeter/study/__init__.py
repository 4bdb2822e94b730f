"""Study files: what to measure, read and checked, and the plan of what that takes."""

from tiltmeter.study.planning import plan
from tiltmeter.study.reading import parse, read
from tiltmeter.study.records import (
    FORMAT,
    ContinuationChoices,
    NextWordChoices,
    Plan,
    RaterChoice,
    SourceChoice,
    Study,
    WordChoice,
)

__all__ = [
    "FORMAT",
    "ContinuationChoices",
    "NextWordChoices",
    "Plan",
    "RaterChoice",
    "SourceChoice",
    "Study",
    "WordChoice",
    "parse",
    "plan",
    "read",
]
