"""Results of a run: the same sections as its report, with charts whose points open the texts behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from tiltmeter.present.html import fragment
from tiltmeter.results.names import names_in
from tiltmeter.web.findings_process import FindingsProcesses
from tiltmeter.web.pages import Bench, address, is_part, render
from tiltmeter.web.results.filters import chosen_of, counts_of, is_about, narrowed, options_of, texts_address
from tiltmeter.web.results.state import findings_state, meta_of
from tiltmeter.web.workbench import Workbench

router = APIRouter()
_workers = FindingsProcesses()


@router.get("/runs/{name}/results")
def results_page(request: Request, bench: Bench, name: str) -> Response:
    """The page, or what changes of it when other filters are chosen."""
    folder = bench.run(name)
    if is_part(request):
        answer = _part(request, bench, name, folder)
        query = urlencode(chosen_of(request.query_params))
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
def compute_findings(request: Request, bench: Bench, name: str) -> Response:
    """Have the estimates worked out; of an unfinished run those so far."""
    folder = bench.run(name)
    _workers.start(folder)
    return _part(request, bench, name, folder)


def _part(request: Request, bench: Workbench, name: str, folder: Path) -> HTMLResponse:
    return render(request, "results_findings.html.jinja", run=name, **_shown(request, bench, name, folder))


def _shown(request: Request, bench: Workbench, name: str, folder: Path) -> dict[str, Any]:
    """What the page shows: the sections, or why they are not there yet."""
    known = findings_state(folder, bench.jobs.status(folder).state, _workers)
    if known.found is None:
        return {"waiting": known.waiting, "query": request.url.query}
    chosen = chosen_of(request.query_params)
    page = narrowed(known.found["page"], chosen)
    return {
        "waiting": None,
        "so_far": known.found["finished"] is None,
        "missing": known.found["missing"],
        "options": options_of(known.found["page"], names_in([meta_of(folder)["resolved"]])),
        "chosen": chosen,
        "fits": is_about(page, chosen),
        "sections": fragment(
            page.everything, address=lambda place: texts_address(name, place), opens_in="#drawer-texts"
        ),
    }
