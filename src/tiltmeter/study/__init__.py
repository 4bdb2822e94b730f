"""Study files: what to measure, read and checked, and the plan of what that takes."""

from tiltmeter.study.planning import plan
from tiltmeter.study.reading import parse, read
from tiltmeter.study.records import FORMAT, ContinuationChoices, Plan, RaterChoice, SourceChoice, Study

__all__ = ["FORMAT", "ContinuationChoices", "Plan", "RaterChoice", "SourceChoice", "Study", "parse", "plan", "read"]
