"""A gate: whether a candidate is no worse than a baseline, by more than a tolerance, in anything that was asked.

It passes if and only if every line was shown to be no worse. A candidate that is worse in one of them passes that line
with a probability of 5 % at most, and so the gate, however many lines there are: nothing needs to be corrected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.errors import GateFailed, UserError
from tiltmeter.results.compare.records import RunComparison
from tiltmeter.results.compare.runs import compare_sides
from tiltmeter.results.compare.sides import Side, is_unfinished
from tiltmeter.results.conditions import check, held_in
from tiltmeter.results.findings.instrument import instrument_of
from tiltmeter.results.gate.lines import Lines, power_of
from tiltmeter.results.gate.records import GateLine, GateResult
from tiltmeter.results.gate.rules import Rule, check_conditions, check_tolerance, is_path, rule_of
from tiltmeter.stats.estimates import FEWEST_ORIGINS
from tiltmeter.stats.planning.detectable import POWER

__all__ = ["GateLine", "GateResult", "check_before", "gate", "judge"]

_LARGEST = 0.5
_HALVINGS = 40


def gate(found: RunComparison, *conditions: str, tolerance: float | None = None, insist: bool = False) -> GateResult:
    """Let a candidate (B) pass that is no worse than the baseline (A), or raise `GateFailed`, which names the lines.

    Conditions are words ("pairs worse by more than 2 points") or paths ("pairs.overall.difference.low > 0.02"). A gate
    that cannot detect its own tolerance is refused unless you `insist`.
    """
    if not isinstance(found, RunComparison):
        raise UserError("a gate is between two runs: gate(compare(before, after), …)")
    if not all(isinstance(condition, str) for condition in conditions):
        raise UserError('conditions are texts, one after the other: gate(comparison, "pairs worse", "worse by more …")')
    if tolerance is not None and not isinstance(tolerance, int | float):
        raise UserError(f"tolerance={tolerance!r:.80}: a tolerance is a number, and 2 points are 0.02")
    result = judge(found, conditions, tolerance=tolerance, insist=insist)
    if result.verdict == "refused":
        raise UserError(result.refusal.replace("--insist", "insist=True"))
    if not result.passed:
        raise GateFailed("\n".join(reasons(result)))
    return result


def judge(
    found: RunComparison, conditions: Sequence[str] = (), *, tolerance: float | None = None, insist: bool = False
) -> GateResult:
    """The decision, whatever it is."""
    lines = Lines(found)
    rules = _rules(conditions, tolerance if tolerance is not None or conditions else found.margin, lines)
    made = tuple(line for rule in rules for line in lines.judged(rule))
    paths = tuple(condition for condition in conditions if is_path(condition))
    about = {"model": f"{found.b.name}, against {found.a.name}"}
    results = found.for_conditions()
    return GateResult(
        found.a,
        found.b,
        made,
        tuple(one for condition in paths for one in held_in(condition, results, about)),
        tuple(conditions),
        insist,
        tuple(_failed_checks(found.b)),
        _attainable(made),
        tuple(lines.silent),
        tuple(found.notes),
    )


def reasons(result: GateResult) -> list[str]:
    """Why a gate does not let a candidate pass, a line for each reason."""
    return [*(line.sentence for line in result.culprits), *(one.sentence for one in result.held)]


def check_before(baseline: Side, conditions: Sequence[str], tolerance: float | None) -> list[str]:
    """Refuse what could be decided of no candidate, before one is measured; and say what is known of the power.

    What can be asked of a comparison is what can be asked of the baseline beside itself.
    """
    check_conditions(conditions)
    if is_unfinished(baseline):
        raise UserError("the baseline is not finished; go on with it by `tiltmeter run`", file=baseline.run.folder)
    itself = compare_sides(baseline, baseline)
    lines = Lines(itself)
    rules = _rules(conditions, tolerance, lines)
    check([condition for condition in conditions if is_path(condition)], itself.for_conditions())
    chosen = [line for rule in rules for line in lines.judged(rule)]
    few = [line for line in chosen if line.found.origins < FEWEST_ORIGINS]
    if few:
        raise UserError(
            f"{few[0].name}: has {few[0].found.origins} test words with a value, and no candidate can be shown to be "
            f"no worse with fewer than {FEWEST_ORIGINS}; ask more, or restrict the gate to other lines",
            file=baseline.run.folder,
        )
    return list(_unpaired(chosen))


def _unpaired(lines: Sequence[GateLine]) -> Iterator[str]:
    """What the power would be if the candidate had nothing in common with the baseline."""
    known = [power_of(line, line.rule.by, alone=True) for line in lines if line.rule.by is not None]
    power = max(0.0, 1.0 - sum(1.0 - each for each in known))
    if power < POWER:
        yield (
            f"if the candidate's answers were unrelated to the baseline's, an equal one would pass with a probability "
            f"of only {100 * power:.0f} %; the more alike they are, the higher it is"
        )


def _rules(conditions: Sequence[str], tolerance: float | None, lines: Lines) -> list[Rule]:
    check_conditions(conditions)
    rules = [rule_of(condition, lines.names) for condition in conditions if not is_path(condition)]
    if tolerance is not None:
        check_tolerance(tolerance, "tolerance")
        rules.insert(0, Rule("worse", tolerance))
    if not rules and not conditions:
        raise UserError('a gate needs a tolerance, e.g. 0.02, or a condition, e.g. "worse by more than 2 points"')
    if lines.silent and not (lines.leading or lines.missing):
        raise UserError("the baseline has no answer to anything, so nothing can be held against a candidate")
    for rule in rules:
        if not any(True for _ in lines.selected(rule)):
            raise UserError(
                f"condition {str(rule)!r:.200}: no line is all of {', '.join(sorted(rule.where)) or 'that'}"
            )
    return rules


def _attainable(lines: Sequence[GateLine]) -> float | None:
    """The smallest tolerance with which an equal candidate would pass often enough."""
    own = [line for line in lines if line.power is not None]

    def power(by: float) -> float:
        return 1.0 - sum(1.0 - power_of(line, by) for line in own)

    if not own or power(_LARGEST) < POWER:
        return None
    low, high = 0.0, _LARGEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def _failed_checks(side: Side) -> list[str]:
    """What the candidate's instrument check says, where it failed: the other figures then mean little."""
    found = instrument_of(side.run).of_model(side.model)
    return [f"{one.view}: {one.bias} ({one.source})" for one in found.checks if one.result == "failed"]
