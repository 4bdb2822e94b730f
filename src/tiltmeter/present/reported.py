"""What a report is made of: runs, what they say, and what things are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tiltmeter.results import RunSummary
from tiltmeter.results.account import Account, account
from tiltmeter.results.findings.findings import Finding, Findings, summarise_findings
from tiltmeter.results.names import Names, names_of
from tiltmeter.store import Run

Runs = Sequence[tuple[Run, RunSummary]]
"""Runs with what they say, as a report is made of them."""


@dataclass(frozen=True)
class Reported:
    """Everything that sections read; findings alone need no summaries."""

    read: tuple[Run, ...]
    answered: Findings
    summaries: tuple[RunSummary, ...] = ()

    @classmethod
    def of(cls, runs: Runs, answered: Findings | None = None) -> Reported:
        """Runs with their summaries, and their questions answered."""
        read, summaries = tuple(run for run, _ in runs), tuple(summary for _, summary in runs)
        return cls(read, answered or summarise_findings(runs), summaries)

    @cached_property
    def runs(self) -> Runs:
        """Each run with its summary."""
        return tuple(zip(self.read, self.summaries, strict=True))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The answers to all main questions."""
        return self.answered.findings

    @cached_property
    def names(self) -> Names:
        """What groups and biases are called."""
        return names_of(self.read)

    @cached_property
    def done(self) -> Account:
        """What was done."""
        return account(self.runs, self.answered)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models, each once."""
        return tuple(dict.fromkeys(name for run in self.read for name in run.facts))
