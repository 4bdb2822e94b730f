"""Runs: which there are, how far each is, what it is made of, and what can be taken home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import anyio
from fastapi import APIRouter, Query, Request, Response
from sse_starlette import EventSourceResponse
from starlette.responses import FileResponse, HTMLResponse

from tiltmeter.errors import RunError, TiltmeterError
from tiltmeter.files import plain_file, read_text
from tiltmeter.present.files import REPORT
from tiltmeter.store.run_folder import current_files, is_current
from tiltmeter.study import read
from tiltmeter.web.downloads import download_headers
from tiltmeter.web.jobs import LOG
from tiltmeter.web.pages import Bench, address, go_to, render, rendered
from tiltmeter.web.runs import facts as runs_facts
from tiltmeter.web.runs import files as runs_files
from tiltmeter.web.runs import reports as runs_reports
from tiltmeter.web.runs.files import Format
from tiltmeter.web.runs.live import Live, RunWatcher, events, log_of, look
from tiltmeter.web.runs.reports import FORMS, Form
from tiltmeter.web.studies.validation import refuse_foreign_code
from tiltmeter.web.workbench import Workbench

router = APIRouter(prefix="/runs")
_LINES = 500
"""Lines of a log that a page shows."""
_GRACE = 2.0
"""Seconds that a page which follows a run has to end in when the server does; it takes a small part of them."""


@router.get("")
def every(request: Request, bench: Bench) -> Response:
    """The runs of the folder."""
    rows = [runs_facts.row_of(name, path, look(bench.jobs, path, 0)) for name, path in bench.runs().items()]
    live = any(row.live.is_live for row in rows)
    return render(
        request, "runs_list.html.jinja", rows=rows, live=live, unreadable_names=bench.unreadable_names("runs")
    )


@router.get("/{name}")
def one(request: Request, bench: Bench, name: str) -> Response:
    """A run: how far it is, and what can be done with it."""
    folder = bench.run(name)
    live = look(bench.jobs, folder)
    meta, problem = runs_facts.meta_and_problem(folder)
    made = current_files(folder) if meta.get("finished") else iter(())
    return render(
        request,
        "runs_page.html.jinja",
        problem=problem,
        name=name,
        live=live,
        study=_study_of(bench, folder),
        title=meta.get("resolved", {}).get("name", ""),
        meta=meta,
        has_report=bool(meta.get("finished")) and is_current(folder, REPORT),
        has_tables=any(path.parent.name == "tables" for path in made),
        has_log=plain_file(folder, LOG) is not None,
        is_all=bench.is_run,
        is_foreign=(folder / REPORT).exists(),
        forms={form: label for form, label in FORMS.items() if form != "html"},
    )


@router.get("/{name}/events")
async def follow(request: Request, bench: Bench, name: str) -> Response:
    """How a run goes on, told as it happens."""
    folder = bench.run(name)

    def show(live: Live) -> str:
        return rendered(request, "runs_live.html.jinja", name=name, live=live)

    closing = anyio.Event()
    told = events(_lookout(request, bench), folder, show, closing)
    return EventSourceResponse(told, shutdown_event=closing, shutdown_grace_period=_GRACE)


@router.get("/{name}/missing")
def missing(request: Request, bench: Bench, name: str) -> Response:
    """What came to nothing, by reason."""
    return render(request, "runs_missing.html.jinja", lost=runs_facts.missing_of(bench.run(name)))


@router.get("/{name}/facts")
def facts(request: Request, bench: Bench, name: str) -> Response:
    """The study as given and as resolved, the models and raters with their hashes, and the versions of packages."""
    folder = bench.run(name)
    meta, problem = runs_facts.meta_and_problem(folder)
    return render(
        request,
        "runs_facts.html.jinja",
        problem=problem,
        meta=meta,
        resolved=json.dumps(meta.get("resolved", {}), indent=2, ensure_ascii=False),
        models=runs_facts.models_of(folder),
        raters=runs_facts.raters_of(folder),
    )


@router.get("/{name}/log")
def log(request: Request, bench: Bench, name: str) -> Response:
    """The end of the log."""
    return render(request, "runs_log.html.jinja", lines=log_of(bench.run(name), _LINES), most=_LINES)


@router.get("/{name}/log/file")
def log_file(bench: Bench, name: str) -> Response:
    """The whole log."""
    return _file(plain_file(bench.run(name), LOG), "text/plain; charset=utf-8", f"{name} log.txt")


@router.get("/{name}/report")
def report(request: Request, bench: Bench, name: str) -> Response:
    """The report, where it was made here of the run as it is, in a sandbox of its own."""
    folder = bench.run(name)
    if not runs_facts.meta_of(folder).get("finished") or not is_current(folder, REPORT):
        live, foreign = look(bench.jobs, folder, 0), (folder / REPORT).exists()
        return render(request, "runs_no_report.html.jinja", 404, name=name, live=live, is_foreign=foreign)
    page = read_text(folder / REPORT, "report")
    return HTMLResponse(page, headers={"Content-Security-Policy": runs_files.report_policy(page)})


@router.get("/{name}/report/file")
def report_file(bench: Bench, name: str) -> Response:
    """The report as a file."""
    folder = bench.run(name)
    path = folder / REPORT if is_current(folder, REPORT) else None
    return _file(path, "text/html; charset=utf-8", f"{name} report.html")


@router.post("/{name}/report/as/{form}")
def make_report(request: Request, bench: Bench, name: str, form: Form) -> Response:
    """Have the report made in another form."""
    runs_reports.start(bench.run(name), form)
    return report_as(request, bench, name, form)


@router.get("/{name}/report/as/{form}")
def report_as(request: Request, bench: Bench, name: str, form: Form) -> Response:
    """Whether the report is there in another form."""
    folder = bench.run(name)
    return render(
        request,
        "runs_report_as.html.jinja",
        name=name,
        form=form,
        label=FORMS[form],
        is_working=runs_reports.is_at_work(folder, form),
        problem=runs_reports.problem(folder, form),
    )


@router.get("/{name}/report/as/{form}/file")
def report_as_file(bench: Bench, name: str, form: Form) -> Response:
    """The report in another form, as it was made last."""
    return runs_reports.sent(bench.run(name), form)


@router.get("/{name}/tables")
def tables(bench: Bench, name: str) -> Response:
    """The tables, in one file."""
    return runs_files.zipped_tables(bench.run(name))


@router.get("/{name}/export")
def export(bench: Bench, name: str, form: Annotated[Format, Query(alias="format")] = "parquet") -> Response:
    """Every item, in one file."""
    return runs_files.exported(bench.run(name), form)


@router.post("/{name}/pause")
def pause(bench: Bench, name: str) -> Response:
    """Stop a run; what is done stays. The page hears of it when it has stopped."""
    bench.jobs.pause(bench.run(name))
    return HTMLResponse("<b>Pausing …</b>")


@router.post("/{name}/resume")
def resume(bench: Bench, name: str) -> Response:
    """Go on with a run that was stopped."""
    folder = bench.run(name)
    study = _study_of(bench, folder)
    if study is None:
        raise RunError(
            f"no file in studies/ is the study with which the run `{name}` was begun; take it over from the run, and "
            "start it from there"
        )
    refuse_foreign_code(bench, read(bench.study(study)))
    bench.jobs.start(bench.study(study), folder, again=True)
    return go_to(address("runs", name))


@router.delete("/{name}")
def remove(bench: Bench, name: str) -> Response:
    """Delete a run for good."""
    folder = bench.run(name)
    if bench.is_run:
        raise RunError("this run is all that the workbench shows; open the folder above it to remove it")
    bench.jobs.remove(folder, runs_files.remove)
    return go_to("/runs")


def _lookout(request: Request, bench: Workbench) -> RunWatcher:
    """The one that looks at runs for all pages of this server."""
    state = request.app.state
    if not hasattr(state, "lookout"):
        state.lookout = RunWatcher(bench.jobs)
    found: RunWatcher = state.lookout
    return found


def _study_of(bench: Workbench, folder: Path) -> str | None:
    """The study file that a run was begun with, as long as it says the same; None: there is none."""
    text = runs_facts.meta_of(folder).get("study")
    for name, path in bench.studies().items():
        try:
            same = path == bench.jobs.study_of(folder) if text is None else read_text(path, "study file") == text
        except TiltmeterError:
            continue
        if same:
            return name
    return None


def _file(path: Path | None, kind: str, name: str) -> Response:
    if path is None:
        raise RunError("there is no such file in this run, or none that was made here from its ledger as it is now")
    return FileResponse(path, media_type=kind, headers=download_headers(name))
