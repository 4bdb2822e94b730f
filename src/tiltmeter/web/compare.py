"""Compare: models of runs side by side, before and after, and in order."""

from __future__ import annotations

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response

from tiltmeter.analysis.comparison_records import RunComparison
from tiltmeter.errors import UserError
from tiltmeter.web.compare_boards import shown_boards
from tiltmeter.web.compare_choice import Choice, Chosen, offers
from tiltmeter.web.compare_results import LIMIT, ComparisonTasks, Found, begin
from tiltmeter.web.compare_shown import shown
from tiltmeter.web.pages import Bench, address, render
from tiltmeter.web.sending import as_file
from tiltmeter.web.tasks import Task, Tasks, kept_by_server
from tiltmeter.web.workbench import Workbench

router = APIRouter()
_SHORT = 0.3
"""Seconds that a page waits for what may be there at once."""


def _choice(
    side: Annotated[list[str] | None, Query()] = None,
    a: str = "",
    b: str = "",
    view: str = "",
    margin: str = "",
) -> Choice:
    return Choice.of(side or (), a, b, view, margin)


def _tasks(request: Request) -> ComparisonTasks:
    return kept_by_server(request, "comparisons", lambda: Tasks[Found](LIMIT))


Asked = Annotated[Choice, Depends(_choice)]
Kept = Annotated[ComparisonTasks, Depends(_tasks)]


@router.get("/compare")
def compare(request: Request, bench: Bench, choice: Asked, tasks: Kept) -> Response:
    """The page: what can be chosen, and what is known of the choice."""
    part, values = "", dict[str, Any]()
    if choice.ready:
        if not {"a", "b"} & set(request.query_params):
            choice = choice.by_age(list(bench.runs()))
        task = begin(tasks, bench, choice)
        _wait(task, _SHORT)
        part, values = _part(task)
    shared: dict[str, Any] = {"offers": offers(bench), "choice": choice, "part": part}
    return render(request, "compare_page.html.jinja", **shared, **values)


@router.get("/compare/result")
def result(request: Request, bench: Bench, choice: Asked, tasks: Kept, task: int = 0) -> Response:
    """The part of the page that is asked for again until the comparison is there."""
    # A run that is under way has other items each time: what was begun is waited for.
    begun = tasks.of(task)
    part, values = _part(begun[1] if begun else begin(tasks, bench, choice))
    return render(request, part, choice=choice, **values)


@router.get("/compare/texts")
def texts(request: Request, bench: Bench, a: str, b: str, view: str) -> Response:
    """The texts behind a difference, those of A beside those of B."""
    given = request.query_params
    sides = []
    for letter, key in (("a", a), ("b", b)):
        chosen = Chosen.of(key)
        bench.run(chosen.run)
        wanted = {"view": view, "model": chosen.model, "bias": given.get("bias", "")}
        wanted |= {name: given.get(name, "") for name in ("rater", "scorer", "group")}
        wanted |= {name: given.get(f"{name}_{letter}", "") for name in ("source", "decoding")}
        query = urlencode({name: value for name, value in wanted.items() if value})
        sides.append(
            {
                "letter": letter.upper(),
                "name": chosen.model,
                "run": chosen.run,
                "part": f"{address('runs', chosen.run, 'texts', 'part')}?{query}",
                "page": f"{address('runs', chosen.run, 'texts')}?{query}",
            }
        )
    return render(request, "compare_texts.html.jinja", sides=sides)


@router.get("/compare/comparison.html")
def page(bench: Bench, choice: Asked, tasks: Kept) -> Response:
    """The comparison as one file, as `tiltmeter compare --html` writes it."""
    from tiltmeter.report.comparison_page import write_comparison

    found = _finished(tasks, bench, choice)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "comparison.html"
        write_comparison(found, file)
        return Response(file.read_bytes(), media_type="text/html", headers=as_file("comparison.html"))


@router.get("/compare/comparison.json")
def numbers(bench: Bench, choice: Asked, tasks: Kept) -> Response:
    """Every number of the comparison, as `tiltmeter compare --json` prints it."""
    made = json.dumps(_finished(tasks, bench, choice).as_json(), ensure_ascii=False, indent=1, allow_nan=False)
    return Response(made, media_type="application/json", headers=as_file("comparison.json"))


def _part(task: Task[Found]) -> tuple[str, dict[str, Any]]:
    """The template of what is known of a comparison, and its values."""
    if not task.done and not task.overdue:
        return "compare_waiting.html.jinja", {"task": task}
    problem = task.problem or ("" if task.done else f"The comparison takes longer than {task.limit:g} seconds.")
    found = task.result
    return "compare_result.html.jinja", {
        "problem": problem or found.problem,
        "compared": shown(found.comparison) if found.comparison else None,
        "boards": shown_boards(found.boards) if found.boards else [],
        "boards_problem": found.boards_problem,
    }


def _finished(tasks: ComparisonTasks, bench: Workbench, choice: Choice) -> RunComparison:
    if not choice.ready:
        raise UserError("choose two models of runs to compare")
    task = begin(tasks, bench, choice)
    _wait(task, task.limit)
    if task.result.comparison is None:
        raise UserError(task.problem or task.result.problem or "the comparison is not finished")
    return task.result.comparison


def _wait(task: Task[Found], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not task.done and time.monotonic() < end:
        time.sleep(0.02)
