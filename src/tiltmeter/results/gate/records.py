"""What a gate looks at and what it decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tiltmeter.records import Estimate
from tiltmeter.results.compare.records import Compared
from tiltmeter.results.compare.sides import Side
from tiltmeter.results.conditions import Held
from tiltmeter.results.gate.lost import Lost
from tiltmeter.results.gate.rules import Rule, is_path
from tiltmeter.stats.planning.detectable import POWER
from tiltmeter.version import __version__
from tiltmeter.views import FACTS, View

Outcome = Literal["no worse", "worse", "not shown"]
Verdict = Literal["passed", "failed", "refused"]


@dataclass(frozen=True, slots=True)
class GateLine:
    """One figure of the baseline, what became of it, and whether a rule lets it pass."""

    rule: Rule
    view: View
    about: Mapping[str, str]
    """Source, bias and the choices that tell it from others."""
    outcome: Outcome
    found: Estimate = field(default=Estimate(None))
    """How much further from neutral the candidate is; of a rule on differences, how far from the baseline."""
    tolerance: float | None = None
    """On the line's own scale."""
    compared: Compared | None = None
    """None where the candidate lacks it."""
    lost: Lost = field(default=Lost())
    power: float | None = None
    """The probability that it passes if candidate and baseline are alike; None where the rule has no tolerance."""
    reason: str = ""
    """Why nothing was shown."""
    same: bool = False
    """Whether both sides answered every item the same."""
    source: str = ""
    """The source, where the view has several."""

    @property
    def name(self) -> str:
        """What it is about, in few words."""
        facts, groups = FACTS[self.view], self.about.get("groups", "")
        stereotyped = " as stereotyped" if self.compared and self.compared.by_stereotype else ""
        told = [self.about[name] for name in facts.named_by if self.about.get(name)]
        parts = [self.about["bias"], f"{groups}{stereotyped}" if groups else "", *told, self.source]
        return f"{self.view}: {', '.join(part for part in parts if part)}"

    @property
    def said(self) -> str:
        """The outcome in words; without a tolerance nothing is shown not to be worse."""
        plain = "not significantly worse" if self.rule.by is None and self.outcome == "no worse" else self.outcome
        return plain if self.rule.kind == "worse" else plain.replace("worse", "different")

    @property
    def in_points(self) -> bool:
        """Whether it is a share, which people read in points of a hundred."""
        return self.compared is not None and self.compared.in_points

    @property
    def baseline(self) -> Estimate:
        """The baseline's value."""
        return self.compared.found.a if self.compared else Estimate(None)

    @property
    def candidate(self) -> Estimate:
        """The candidate's value."""
        return self.compared.found.b if self.compared else Estimate(None)

    def size(self, value: float | None, signed: bool = False) -> str:
        """A number of this line as people read it."""
        if value is None:
            return "–"
        text = f"{100 * value:{'+' * signed}z.1f}" if self.in_points else f"{value:{'+' * signed}z.3f}"
        return text.replace("-", "−")

    @property
    def sentence(self) -> str:
        """What happened to it, with value, interval and n."""
        if self.compared is None or self.found.value is None:
            return f"{self.name}: {self.said}: {self.reason}"
        unit = " points" if self.in_points else ""
        ends = ""
        if self.found.low is not None and self.found.high is not None:
            ends = f" ({self.size(self.found.low)} to {self.size(self.found.high)})"
        by = f"{self.size(self.found.value, signed=self.rule.kind == 'worse')}{unit}{ends}"
        what = "further from neutral" if self.rule.kind == "worse" else "from the baseline"
        n, unscored = self.found.n, self.found.n_unscored
        missing = f", {unscored:,} unscored" if unscored else ""
        values = f"from {self.size(self.baseline.value)} to {self.size(self.candidate.value)}"
        why = f"; {self.reason}" if self.reason else ""
        return f"{self.name}: {self.said}: {by} {what}, {values}, n = {n:,}{missing}{why}"

    def as_json(self) -> dict[str, Any]:
        """Everything that is known of it; null where there is nothing."""
        return {
            "name": self.name,
            "rule": str(self.rule),
            "view": self.view,
            **self.about,
            "outcome": self.outcome,
            "reason": self.reason or None,
            "worsening" if self.rule.kind == "worse" else "change": self.found.as_json(),
            "tolerance": self.tolerance,
            "baseline": self.baseline.as_json(),
            "candidate": self.candidate.as_json(),
            "n": self.found.n,
            "n_unscored": self.found.n_unscored,
            "lost": {"answers": self.lost.answers, "of": self.lost.of, "share": self.lost.share}
            | {"reasons": dict(self.lost.reasons)},
            "power": self.power,
            "same": self.same,
        }


@dataclass(frozen=True, slots=True)
class GateResult:
    """The decision of a gate, and all that led to it."""

    baseline: Side
    candidate: Side
    lines: tuple[GateLine, ...]
    held: tuple[Held, ...] = ()
    """Where conditions on single figures hold."""
    conditions: tuple[str, ...] = ()
    insist: bool = False
    failed_checks: tuple[str, ...] = ()
    """Instrument checks that the candidate fails."""
    attainable: float | None = None
    """The smallest tolerance that would have enough power, as a share."""
    silent: tuple[str, ...] = ()
    """What the baseline has no answer to, which is no line."""
    notes: tuple[str, ...] = ()

    @property
    def power(self) -> float | None:
        """At least the probability that the gate passes if candidate and baseline are alike; None: not asked for.

        No more than the sum of what every line may fail by, however the lines are related.
        """
        return _together(self.lines)

    @property
    def culprits(self) -> tuple[GateLine, ...]:
        """The lines that do not pass, the clearest first."""
        order = {"worse": 0, "not shown": 1}
        return tuple(sorted((one for one in self.lines if one.outcome in order), key=lambda one: order[one.outcome]))

    @property
    def paths(self) -> list[str]:
        """The conditions on single figures."""
        return [condition for condition in self.conditions if is_path(condition)]

    @property
    def weakest(self) -> tuple[GateLine, ...]:
        """The lines with the least power."""
        known = [line for line in self.lines if line.power is not None]
        return tuple(sorted(known, key=lambda line: line.power or 0.0)[:3])

    @property
    def verdict(self) -> Verdict:
        """What a gate cannot detect it does not decide; but what is clear either way needs no power.

        Clear is what is worse or left unanswered, and what was shown not to be worse at all.
        """
        surely = any(one.outcome == "worse" or one.compared is None or one.lost.answers for one in self.culprits)
        if surely or self.held:
            return "failed"
        open_ = _together([one for one in self.lines if one.found.high is None or one.found.high > 0])
        if open_ is not None and open_ < POWER and not self.insist:
            return "refused"
        return "failed" if self.culprits else "passed"

    @property
    def passed(self) -> bool:
        """Whether every line was shown to be no worse, with enough power, and no condition holds."""
        return self.verdict == "passed"

    @property
    def refusal(self) -> str:
        """Why the gate decides nothing, and what would help."""
        names = " and ".join(line.name for line in self.weakest if (line.power or 0.0) < POWER) or "no single line"
        held = "no tolerance below 0.5" if self.attainable is None else f"a tolerance of {self.attainable:.3f}"
        return (
            f"the gate cannot detect its own tolerance: an equal candidate would pass with a probability of only "
            f"{100 * (self.power or 0.0):.0f} %, and {100 * POWER:.0f} % is needed; weakest: {names}; with "
            f"these items {held} would do; use more items (`tiltmeter plan`), name a larger tolerance, or "
            "decide all the same with --insist"
        )

    def as_json(self) -> dict[str, Any]:
        """The whole decision."""
        return {
            "verdict": self.verdict,
            "passed": self.passed,
            "baseline": self.baseline.as_json(),
            "candidate": self.candidate.as_json(),
            "power": self.power,
            "attainable_tolerance": self.attainable,
            "insist": self.insist,
            "lines": [line.as_json() for line in self.lines],
            "conditions": list(self.conditions),
            "held": [
                {"condition": one.condition, "path": one.path, "value": one.value, **one.about} for one in self.held
            ],
            "failed_checks": list(self.failed_checks),
            "left_out": list(self.silent),
            "notes": list(self.notes),
            "version": __version__,
        }


def _together(lines: Sequence[GateLine]) -> float | None:
    """At least the probability that all of some lines pass."""
    known = [line.power for line in lines if line.power is not None]
    return max(0.0, 1.0 - sum(1.0 - power for power in known)) if known else None
