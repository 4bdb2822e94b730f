"""Comparisons and leaderboards, worked out in a thread and kept as long as the runs stay what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from tiltmeter.errors import TiltmeterError, UnknownName, UserError
from tiltmeter.present.blocks import Document
from tiltmeter.present.sections.comparing.comparison import comparison
from tiltmeter.present.sections.comparing.leaderboard import leaderboard
from tiltmeter.results.compare.records import RunComparison
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.compare.sides import Side
from tiltmeter.results.rank.boards import leaderboards, several_sides
from tiltmeter.results.rank.records import Entry, Leaderboards
from tiltmeter.store import Run, read_run
from tiltmeter.web.compare.choice import Choice, Chosen, fingerprint
from tiltmeter.web.tasks import Task, Tasks
from tiltmeter.web.workbench import Workbench

LIMIT = 600.0
"""Seconds that a comparison may take."""


@dataclass(slots=True)
class CompareResult:
    """What is known so far; a part that cannot be had has a problem instead."""

    comparison: RunComparison | None = None
    differences: Document | None = None
    """The same as blocks."""
    problem: str = ""
    leaderboards: Leaderboards | None = None
    boards: Document | None = None
    """The same as blocks."""
    boards_problem: str = ""


ComparisonTasks: TypeAlias = Tasks[CompareResult]


def begin(tasks: ComparisonTasks, bench: Workbench, choice: Choice) -> Task[CompareResult]:
    """Work a choice out, or find it worked out."""
    folders = {side.run: bench.run(side.run) for side in choice.sides}
    key = choice, tuple(fingerprint(folder) for folder in folders.values())
    return tasks.start(key, CompareResult(), lambda task: _work(task, choice, folders))


def _work(task: Task[CompareResult], choice: Choice, folders: Mapping[str, Path]) -> None:
    runs: dict[str, Run] = {}
    for name, folder in folders.items():
        task.at(f"reading the run {name}")
        runs[name] = read_run(folder)
    assert choice.a and choice.b
    task.at("comparing A with B on the items that both have")
    views = [choice.view] if choice.view else []
    try:
        pair = [choice.a, choice.b]
        same = choice.a.run == choice.b.run
        found = compare_runs(
            [runs[choice.a.run]] if same else [runs[one.run] for one in pair],
            [_model(runs[one.run], one) for one in pair],
            views=views,
            margin=choice.margin,
        )
        task.result.differences = comparison(found)
        task.result.comparison = replace(found, a=_light(found.a), b=_light(found.b))
    except TiltmeterError as error:
        task.result.problem = str(error)
    task.at("putting the models in order")
    try:
        sides = several_sides([(runs[one.run], _model(runs[one.run], one)) for one in choice.sides])
        task.result.leaderboards = _light_boards(leaderboards(sides, views))
        task.result.boards = leaderboard(task.result.leaderboards)
    except TiltmeterError as error:
        task.result.boards_problem = str(error)


def _model(run: Run, chosen: Chosen) -> str:
    if chosen.model not in run.facts:
        if chosen.model in run.meta["resolved"]["models"]:
            raise UserError(f"{chosen.model} has no result in the run {chosen.run} yet; go on with the run")
        raise UserError(UnknownName("model", chosen.model, run.facts).problem)
    return chosen.model


def _light(side: Side) -> Side:
    """Without the items, which may be very many and which no page shows."""
    return replace(side, run=replace(side.run, pairs=(), dropped=(), scores={}, flagged={}))


def _light_boards(found: Leaderboards) -> Leaderboards:
    light = {(side.run.folder, side.model): _light(side) for side in found.sides}

    def lightly(entry: Entry) -> Entry:
        return replace(entry, side=light[entry.side.run.folder, entry.side.model])

    boards = [replace(board, entries=tuple(map(lightly, board.entries))) for board in found.boards]
    return replace(found, sides=tuple(light.values()), boards=tuple(boards))
