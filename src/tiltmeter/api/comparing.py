"""Runs beside one another: two compared, several in order, questions answered over all of them, a study planned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tiltmeter import store
from tiltmeter.api.frames import Frame
from tiltmeter.api.runs import Findings, read_run
from tiltmeter.api.shown import Shown, short, shown_as
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.present.blocks import Block
from tiltmeter.present.reported import Reported
from tiltmeter.present.saving import Saved, saved_comparison, saved_leaderboards
from tiltmeter.present.sections.comparing.comparison import comparison
from tiltmeter.present.sections.comparing.gate import gate_page
from tiltmeter.present.sections.comparing.leaderboard import leaderboard as leaderboard_page
from tiltmeter.results import gate as gating
from tiltmeter.results.compare.records import RunComparison
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.findings import Findings as Answered
from tiltmeter.results.findings.findings import answered, asked_of
from tiltmeter.results.plan_size.planning import plan_run
from tiltmeter.results.plan_size.records import RunPlan
from tiltmeter.results.rank.boards import leaderboards, sides_of_runs
from tiltmeter.results.rank.records import Leaderboards
from tiltmeter.stats.multiverse.whole_curve import PERMUTATIONS
from tiltmeter.views import View

Runs = Sequence[store.Run | str | Path]
_ADVICE = 400


class Comparison(RunComparison, Shown):
    """Two models on the items that they share: A is before, B is after."""

    def estimates(self) -> Frame:
        """A row for each comparison: choices, the figures of both, their difference with its interval, and p."""
        return _rows(saved_comparison(self))

    def blocks(self) -> Sequence[Block]:
        """The page of the comparison."""
        return comparison(self).blocks

    def __repr__(self) -> str:
        said = [sentence for view in self.views for sentence in view.sentences]
        return "\n".join([f"<Comparison of {self.a.name} (A) and {self.b.name} (B)>", *(f"  {one}" for one in said)])


class GateResult(gating.GateResult, Shown):
    """The decision of a gate that let a candidate pass, with every line and the power."""

    def estimates(self) -> Frame:
        """A row for each line: how much further from neutral the candidate is, with its interval."""
        return Frame.of_rows(
            {
                "view": line.view,
                **line.about,
                "outcome": line.outcome,
                **{name: getattr(line.found, name) for name in ("value", "low", "high", "n", "n_unscored", "origins")},
                "tolerance": line.tolerance,
                "power": line.power,
            }
            for line in self.lines
        )

    def blocks(self) -> Sequence[Block]:
        """The page of the gate."""
        return gate_page(self).blocks

    def __repr__(self) -> str:
        power = "" if self.power is None else f"{100 * self.power:.0f} %"
        return short(f"GateResult {self.verdict}:", {"lines": len(self.lines), "power": power})


class Board(Leaderboards, Shown):
    """Models in order, with the ranks that each may have."""

    def estimates(self) -> Frame:
        """A row for each model of each leaderboard."""
        return _rows(saved_leaderboards(self))

    def blocks(self) -> Sequence[Block]:
        """The page of the leaderboards."""
        return leaderboard_page(self).blocks

    def __repr__(self) -> str:
        return short("Board", {"models": ", ".join(side.name for side in self.sides), "leaderboards": len(self.boards)})


def _rows(saved: Saved) -> Frame:
    return Frame.of_rows({**chosen, **found} for chosen, found in saved.rows())


class Sizes(RunPlan):
    """How large a study has to be for intervals of a width."""

    def estimates(self) -> Frame:
        """A row for each figure: its pilot, how wide its interval is now, and what the study would need."""
        return Frame.of_rows(
            {
                **one.choices,
                "pilot": one.pilot.value,
                "width_now": one.width,
                "study_size": one.advice,
                "calls": None if one.settable is None else one.settable.cost,
            }
            for one in self.targets
        )

    def _repr_html_(self) -> str:
        # What the study needs is a sentence.
        return self.estimates()._html(_ADVICE)

    def __repr__(self) -> str:
        return short("Sizes", {"for intervals of width": f"{self.width:g}", "figures": len(self.targets)})


def compare(
    a: store.Run | str | Path,
    b: store.Run | str | Path | None = None,
    *,
    models: Sequence[str] = (),
    views: Sequence[View] = (),
    margin: float | None = None,
) -> Comparison:
    """Compare two runs, or two models of one run, on the items that both have; A is before, B is after.

    `margin` is the smallest difference that would matter: 0.03 is 3 points of a share, or 0.03 of a rating.
    """
    found = compare_runs(opened([a] if b is None else [a, b]), models, views=views, margin=margin)
    return shown_as(Comparison, found)


def gate(found: RunComparison, *conditions: str, tolerance: float | None = None, insist: bool = False) -> GateResult:
    """Let a candidate (B) pass that is no worse than the baseline (A), or raise `GateFailed`, which names the lines.

    Conditions are words ("pairs worse by more than 2 points") or paths ("pairs.overall.difference.low > 0.02"). A gate
    that cannot detect its own tolerance is refused unless you `insist`.
    """
    result = gating.gate(found, *conditions, tolerance=tolerance, insist=insist)
    return shown_as(GateResult, result)


def leaderboard(runs: Runs, *, models: Sequence[str] = (), views: Sequence[View] = ()) -> Board:
    """Put two models or more in order, on the items that they share."""
    found = leaderboards(sides_of_runs(opened(runs), models), views)
    return shown_as(Board, found)


def plan(
    pilot: store.Run | str | Path,
    width: float,
    *,
    views: Sequence[View] = (),
    models: Sequence[str] = (),
    bias: str | None = None,
    max_origins: int | None = None,
) -> Sizes:
    """How large a study has to be for 95 % intervals of this width, from low to high, as a small run tells."""
    [run] = opened([pilot])
    for name in models:
        if name not in run.facts:
            raise UnknownName("model", name, run.facts)
    found = plan_run(run, width, views=views, models=models, bias=bias, max_origins=max_origins)
    return shown_as(Sizes, found)


def multiverse(
    runs: Runs,
    question: str | None = None,
    *,
    models: Iterable[str] = (),
    permutations: int = PERMUTATIONS,
) -> Findings:
    """Answer questions under every combination of choices of some runs; `question` names one by words found in it."""
    material = evidence(runs)
    every, chosen = asked_of(material, question, tuple(models))
    found = answered(material, chosen, every, permutations=permutations)
    return Findings(Reported(tuple(material.runs), Answered(tuple(found), 0)))


def evidence(runs: Runs) -> Evidence:
    """Runs to answer questions from; one that is given twice would count every method twice."""
    found = opened(runs)
    places: dict[Path, Path] = {}
    for run in found:
        before = places.get(run.folder.resolve())
        places[run.folder.resolve()] = run.folder
        if before is not None:
            same = f"is the same run as {before}" if before != run.folder else "is given twice"
            raise UserError(f"{run.folder}: {same}, so every method would count twice; give each run once")
    return Evidence(found)


def opened(runs: Runs) -> list[store.Run]:
    """Runs, read where they are given as folders."""
    if isinstance(runs, str | Path):
        raise UserError(f"{runs}: runs are a list, also of one: [{str(runs)!r}]")
    return [one if isinstance(one, store.Run) else read_run(one) for one in runs]
