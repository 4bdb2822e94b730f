"""Results of a run: the verdict first, then every chart behind it, with filters and the texts behind each point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from tiltmeter.errors import RunError
from tiltmeter.store import read_meta
from tiltmeter.web.pages import Bench, address, is_part, render
from tiltmeter.web.results.charts import chart_of
from tiltmeter.web.results.curves import curve_shown, verdict_sentence, verdicts
from tiltmeter.web.results.expected import words_shown, words_title
from tiltmeter.web.results.figures import later
from tiltmeter.web.results.found import Filters, counts_of, found_in, options_of
from tiltmeter.web.results.pairs import preferred, scorers_shown
from tiltmeter.web.results.rows import Results
from tiltmeter.web.results.state import known_of, meta_of
from tiltmeter.web.results.strips import strips_fitting, strips_shown, strips_title
from tiltmeter.web.results.texts import board_shown, board_title, boards_fitting, raters_shown
from tiltmeter.web.results.views import views_shown
from tiltmeter.web.results.words import word_groups
from tiltmeter.web.workbench import NotThere, Workbench
from tiltmeter.web.working import Workers

router = APIRouter()
_workers = Workers()
_OPEN = 2
"""Boards, strips and sets of words that are shown at once; the others when they are opened."""
_ONE: dict[str, tuple[str, Callable[[Results, int], dict[str, Any]]]] = {
    "curve": ("results_curve.html.jinja", curve_shown),
    "board": ("results_board.html.jinja", board_shown),
    "words": ("results_words.html.jinja", words_shown),
    "text-structures": ("results_strips.html.jinja", lambda results, at: strips_shown(results, "texts", at)),
    "pair-structures": ("results_strips.html.jinja", lambda results, at: strips_shown(results, "pairs", at)),
}
"""Parts of the page that are loaded when they are opened: the template, and what it shows."""


@router.get("/runs/{name}/results")
def results_page(request: Request, bench: Bench, name: str) -> Response:
    """The page, or what changes of it when other filters are chosen."""
    folder = bench.run(name)
    if is_part(request):
        answer = _part(request, bench, name, folder)
        query = _filters(request).query()
        answer.headers["HX-Push-Url"] = address("runs", name, "results") + (f"?{query}" if query else "")
        return answer
    meta = meta_of(folder)
    return render(
        request,
        "results_page.html.jinja",
        run=name,
        study=meta["resolved"]["name"] if meta else name,
        models=meta["resolved"]["models"] if meta else [],
        finished=meta.get("finished"),
        counts=counts_of(folder) if meta else [],
        **_shown(request, bench, name, folder),
    )


@router.get("/runs/{name}/results/part")
def results_part(request: Request, bench: Bench, name: str) -> Response:
    """What is known by now: a page that waits asks for it."""
    return _part(request, bench, name, bench.run(name))


@router.post("/runs/{name}/results/work")
def work_out(request: Request, bench: Bench, name: str) -> Response:
    """Have the estimates worked out; of an unfinished run those so far."""
    folder = bench.run(name)
    _workers.start(folder)
    return _part(request, bench, name, folder)


@router.get("/runs/{name}/results/charts/{chart}")
def chart_specification(request: Request, bench: Bench, name: str, chart: str) -> Response:
    """A chart, as what draws it reads it."""
    return JSONResponse(chart_of(chart, _results(request, bench, name), request.query_params))


@router.get("/runs/{name}/results/one/{kind}/{at}")
def one_part(request: Request, bench: Bench, name: str, kind: str, at: int) -> Response:
    """A part of the page that is loaded when it is opened."""
    results = _results(request, bench, name)
    if kind not in _ONE:
        raise NotThere("part of the results", kind)
    template, show = _ONE[kind]
    try:
        one = show(results, at)
    except (IndexError, TypeError):
        raise NotThere("part of the results", f"{kind} {at}") from None
    return render(request, template, run=name, one=one)


def _filters(request: Request) -> Filters:
    return Filters.of(request.query_params)


def _results(request: Request, bench: Workbench, name: str) -> Results:
    folder = bench.run(name)
    found = found_in(folder, read_meta(folder))
    if found is None:
        raise RunError(f"the estimates of the run `{name}` are not there any more; load the page again")
    return Results(name, found, _filters(request))


def _part(request: Request, bench: Workbench, name: str, folder: Path) -> HTMLResponse:
    return render(request, "results_found.html.jinja", run=name, **_shown(request, bench, name, folder))


def _shown(request: Request, bench: Workbench, name: str, folder: Path) -> dict[str, Any]:
    """What the page shows: the findings, or why they are not there yet."""
    known = known_of(folder, bench.jobs.standing(folder).state, _workers)
    if known.found is None:
        return {"waiting": known.waiting, "query": request.url.query}
    results = Results(name, known.found, _filters(request))
    options = options_of(known.found)
    asked = request.query_params.get("question", "")
    return {
        "waiting": None,
        "so_far": known.found["finished"] is None,
        "options": options,
        "chosen": results.filters.chosen,
        "missing": known.found["missing"],
        "instrument": known.found["instrument"]["said"],
        **_survives(results, int(asked) if asked.isdecimal() else None),
        "views": views_shown(results),
        "pairs": _pairs(results) if results.filters.show("pairs") else None,
        "texts": _texts(results) if results.filters.show("continuations") else None,
        "words": _few(results, "words", _titled_words(results)) if results.filters.show("next-words") else None,
    }


def _survives(results: Results, asked: int | None) -> dict[str, Any]:
    """The table of verdicts, and the curve of the question that was asked for, or of the first."""
    shown = verdicts(results)
    numbers = [one.at for one in shown]
    at = asked if asked in numbers else next(iter(numbers), None)
    return {
        "verdicts": shown,
        "verdict": verdict_sentence(shown),
        "left_out": results.found["survives"]["left_out"],
        "curve": None if at is None else curve_shown(results, at),
    }


def _pairs(results: Results) -> dict[str, Any]:
    strips = [(at, strips_title(results, one)) for at, one in strips_fitting(results, "pairs")]
    return {
        "unfinished": results.found["pairs"]["unfinished"],
        "preferred": preferred(results),
        "scorers": scorers_shown(results),
        "structures": _few(results, "pair-structures", strips),
    }


def _texts(results: Results) -> dict[str, Any] | None:
    if not results.found["texts"]:
        return None
    strips = [(at, strips_title(results, one)) for at, one in strips_fitting(results, "texts")]
    return {
        "boards": _few(results, "board", [(at, board_title(one)) for at, one in boards_fitting(results)]),
        "structures": _few(results, "text-structures", strips),
        "raters": raters_shown(results),
        "tables": results.found["texts"]["tables"],
    }


def _titled_words(results: Results) -> list[tuple[int, str]]:
    return [(at, words_title(group)) for at, group in word_groups(results)]


def _few(results: Results, kind: str, titled: Sequence[tuple[int, str]]) -> dict[str, Any]:
    """The first of several parts at once, and where the others are."""
    show = _ONE[kind][1]
    return {
        "shown": [show(results, at) for at, _ in titled[:_OPEN]],
        "later": [later(results, kind, at, title) for at, title in titled[_OPEN:]],
    }
