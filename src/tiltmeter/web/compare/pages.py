"""Compare: models of runs side by side, before and after, and in order."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response
from markupsafe import Markup

from tiltmeter.errors import UserError
from tiltmeter.present.blocks import Document, Place
from tiltmeter.present.html import fragment
from tiltmeter.present.saving import Form, Saved, saved_comparison, saved_leaderboards
from tiltmeter.web.compare.choice import Choice, Chosen, offers
from tiltmeter.web.compare.results import LIMIT, CompareResult, ComparisonTasks, begin
from tiltmeter.web.downloads import download_headers
from tiltmeter.web.pages import Bench, address, render
from tiltmeter.web.tasks import Task, Tasks, server_state
from tiltmeter.web.workbench import Workbench

router = APIRouter()
_SHORT = 0.3
"""Seconds that a page waits for what may be there at once."""
_MEDIA: Mapping[Form, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "latex": "application/x-tex; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
"""What a file of each format is to a browser."""


def _choice(
    side: Annotated[list[str] | None, Query()] = None,
    a: str = "",
    b: str = "",
    view: str = "",
    margin: str = "",
) -> Choice:
    return Choice.of(side or (), a, b, view, margin)


def _tasks(request: Request) -> ComparisonTasks:
    return server_state(request, "comparisons", lambda: Tasks[CompareResult](LIMIT))


ChoiceInAddress = Annotated[Choice, Depends(_choice)]
Kept = Annotated[ComparisonTasks, Depends(_tasks)]


@router.get("/compare")
def compare(request: Request, bench: Bench, choice: ChoiceInAddress, tasks: Kept) -> Response:
    """The page: what can be chosen, and what is known of the choice."""
    part, values = "", dict[str, Any]()
    if choice.ready:
        if not {"a", "b"} & set(request.query_params):
            choice = choice.by_age(list(bench.runs()))
        task = begin(tasks, bench, choice)
        _wait(task, _SHORT)
        part, values = _part(task, len(choice.sides) > 2)
    shared: dict[str, Any] = {"offers": offers(bench), "choice": choice, "part": part}
    return render(request, "compare_page.html.jinja", **shared, **values)


@router.get("/compare/result")
def result(request: Request, bench: Bench, choice: ChoiceInAddress, tasks: Kept, task: int = 0) -> Response:
    """The part of the page that is asked for again until the comparison is there."""
    # A run that is under way has other items each time: what was begun is waited for.
    begun = tasks.by_number(task)
    part, values = _part(begun[1] if begun else begin(tasks, bench, choice), len(choice.sides) > 2)
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
        wanted |= {name: given.get(name, "") for name in ("rater", "scorer", "group", "other")}
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


@router.get("/compare/comparison.{form}")
def comparison(bench: Bench, choice: ChoiceInAddress, tasks: Kept, form: Form) -> Response:
    """The comparison as a file, as `tiltmeter compare` writes it."""
    found = _finished(tasks, bench, choice)
    if found.result.comparison is None:
        raise UserError(found.problem or found.result.problem or "the comparison is not finished")
    return _sent(saved_comparison(found.result.comparison), form)


@router.get("/compare/leaderboard.{form}")
def leaderboard(bench: Bench, choice: ChoiceInAddress, tasks: Kept, form: Form) -> Response:
    """The leaderboards as a file, as `tiltmeter leaderboard` writes them."""
    found = _finished(tasks, bench, choice)
    if found.result.leaderboards is None:
        raise UserError(found.problem or found.result.boards_problem or "the leaderboards are not finished")
    return _sent(saved_leaderboards(found.result.leaderboards), form)


def _sent(saved: Saved, form: Form) -> Response:
    return Response(saved.text(form), media_type=_MEDIA[form], headers=download_headers(saved.file(form)))


def _part(task: Task[CompareResult], several: bool) -> tuple[str, dict[str, Any]]:
    """The template of what is known of a comparison, and its values."""
    if not task.done and not task.overdue:
        return "compare_waiting.html.jinja", {"task": task}
    problem = task.problem or ("" if task.done else f"The comparison takes longer than {task.limit:g} seconds.")
    found = task.result
    return "compare_result.html.jinja", {
        "problem": problem or found.problem,
        "compared": found.comparison,
        "differences": _html(found.differences),
        # The comparison says already which models these are, where there are two.
        "boards": _html(found.boards, without="models" if found.differences and not several else ""),
        "boards_problem": found.boards_problem,
    }


def _html(page: Document | None, without: str = "") -> Markup | None:
    """A comparison or ranking: the answer first, every table behind it folded away."""
    if page is None:
        return None
    folded = [replace(one, folded=True) for one in (*page.details, *page.appendix) if one.anchor != without]
    return fragment((*page.blocks, *folded), address=_texts_address, opens_in="#texts-behind", level=3)


def _texts_address(place: Place) -> str:
    """Where the texts of both sides are, for a place that names the two."""
    if "run_a" not in place:
        return ""
    sides = {letter: Chosen(place[f"run_{letter}"], place[f"model_{letter}"]).key for letter in "ab"}
    rest = {name: value for name, value in place.items() if not name.startswith(("run_", "model_"))}
    return f"/compare/texts?{urlencode({**sides, **rest})}"


def _finished(tasks: ComparisonTasks, bench: Workbench, choice: Choice) -> Task[CompareResult]:
    if not choice.ready:
        raise UserError("choose two models of runs to compare")
    task = begin(tasks, bench, choice)
    _wait(task, task.limit)
    return task


def _wait(task: Task[CompareResult], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not task.done and time.monotonic() < end:
        time.sleep(0.02)
