"""Pages of test sentences: ordered in a form, followed while they are written, then struck or edited row by row."""

from __future__ import annotations

from typing import Any

import anyio
from fastapi import APIRouter, Request, Response
from sse_starlette import EventSourceResponse
from starlette.responses import FileResponse, HTMLResponse

from tiltmeter.errors import RunError, TiltmeterError, UserError
from tiltmeter.files import whole_file
from tiltmeter.raters.issues import ISSUES
from tiltmeter.web.downloads import download_headers
from tiltmeter.web.fields import Fields, Sent
from tiltmeter.web.pages import Bench, address, go_to, render, rendered
from tiltmeter.web.runs.live import Live, RunWatcher, events, look
from tiltmeter.web.sentences import sheet as sheets
from tiltmeter.web.sentences.folder import ORDER, SENTENCES, SPEC, remove
from tiltmeter.web.sentences.listing import (
    STATES,
    Chosen,
    account_of,
    counts_of,
    entries,
    listing,
    sheet_of,
    sides,
)
from tiltmeter.web.sentences.requests import SentenceRequest, read_request, request_of, write_request
from tiltmeter.web.sentences.sheet import Row
from tiltmeter.web.specs.entries import Entry, entry
from tiltmeter.web.studies.available import installed_models
from tiltmeter.web.tasks import server_state
from tiltmeter.web.workbench import Workbench, plain_name

router = APIRouter(prefix="/sentences")
_GRACE = 2.0
"""Seconds that a page which follows the work has to end in when the server does."""
_TAKEN = "new"
"""The one name that is an address of these pages."""
_CHANGED = {"HX-Trigger": "sentences-changed"}


@router.get("")
def every(request: Request, bench: Bench) -> Response:
    """The sets of the folder."""
    rows = entries(bench)
    live = any(row.live.is_live for row in rows)
    return render(
        request, "sentences_list.html.jinja", rows=rows, live=live, unreadable_names=bench.unreadable_names("sentences")
    )


@router.get("/new")
def new(request: Request, bench: Bench, spec: str = "") -> Response:
    """A form in which sentences are ordered for a spec."""
    found = _spec(bench, spec)
    return render(
        request,
        "sentences_new.html.jinja",
        entry=found,
        spec=spec,
        wanted=SentenceRequest(),
        name=_free_name(bench, found.name),
        models=installed_models(),
    )


@router.post("/start")
def start(bench: Bench, sent: Sent) -> Response:
    """Take an order, and have it carried out."""
    found = _spec(bench, sent.one("spec"))
    folder = bench.new_sentence_set(sent.one("name") or _free_name(bench, found.name))
    wanted = request_of(sent, folder.parent)
    if folder.exists() or folder.name == _TAKEN:
        raise UserError(f"there is a set of sentences `{folder.name}` already; give this one another name")
    folder.mkdir(parents=True)
    with whole_file(folder / SPEC) as file:
        file.write(found.text)
    write_request(folder, wanted)
    bench.writing.start(folder / ORDER, folder)
    return go_to(address("sentences", folder.name))


@router.get("/{name}")
def one(request: Request, bench: Bench, name: str, chosen: Chosen) -> Response:
    """A set: how far it is, or its sentences."""
    folder = bench.sentence_set(name)
    live, problem = look(bench.writing, folder), ""
    found = counts = None
    if (folder / SENTENCES).is_file() and not live.is_live:
        try:
            rows = sheet_of(bench, name).rows
            found, counts = listing(rows, chosen), counts_of(rows)
        except TiltmeterError as error:
            problem = bench.message_for(error)
    wanted = None
    try:
        wanted = read_request(folder)
    except TiltmeterError as error:
        problem = problem or str(error)
    return render(
        request,
        "sentences_page.html.jinja",
        name=name,
        live=live,
        wanted=wanted,
        problem=problem,
        listing=found,
        counts=counts,
        account=account_of(folder),
        states=STATES,
        **_words(),
    )


@router.get("/{name}/events")
async def follow(request: Request, bench: Bench, name: str) -> Response:
    """How the writing goes on, told as it happens."""
    folder = bench.sentence_set(name)

    def show(live: Live) -> str:
        return rendered(request, "runs_live.html.jinja", name=name, live=live)

    closing = anyio.Event()
    lookout = server_state(request, "writing_lookout", lambda: RunWatcher(bench.writing))
    told = events(lookout, folder, show, closing)
    return EventSourceResponse(told, shutdown_event=closing, shutdown_grace_period=_GRACE)


@router.get("/{name}/counts")
def counts(request: Request, bench: Bench, name: str) -> Response:
    """How many sentences there are now."""
    found = counts_of(sheet_of(bench, name).rows)
    return render(request, "sentences_counts.html.jinja", name=name, counts=found)


@router.get("/{name}/file")
def file(bench: Bench, name: str) -> Response:
    """The file, as `tiltmeter sentences --out` writes it, with what was struck marked."""
    path = bench.sentence_set(name) / SENTENCES
    if not path.is_file():
        raise RunError(f"the sentences of `{name}` are not written yet")
    return FileResponse(path, media_type="text/csv; charset=utf-8", headers=download_headers(f"{name}.csv"))


@router.get("/{name}/rows/{number}")
def row(request: Request, bench: Bench, name: str, number: int, edit: bool = False) -> Response:
    """One row, to be read or to be edited."""
    return _row(request, name, sheet_of(bench, name).row(number), edit=edit)


@router.post("/{name}/rows/{number}/{change}")
def change(request: Request, bench: Bench, sent: Sent, name: str, number: int, change: str) -> Response:
    """Strike a sentence, bring it back, or change its text."""
    _refuse_live(bench, name)
    sheet = sheet_of(bench, name)
    before = sheet.row(number)
    try:
        _carry_out(sheet, number, change, sent)
    except UserError as error:
        if change != "mend":
            raise
        # What was typed stays, with what is wrong beside it.
        return _row(request, name, before, edit=True, typed=sent.text("text"), problem=str(error))
    answer = _row(request, name, sheet_of(bench, name).row(number), focus=True)
    answer.headers.update(_CHANGED)
    return answer


@router.post("/{name}/pause")
def pause(bench: Bench, name: str) -> Response:
    """Stop the writing; what is done stays."""
    bench.writing.pause(bench.sentence_set(name))
    return HTMLResponse("<b>Pausing …</b>")


@router.post("/{name}/resume")
def resume(bench: Bench, name: str) -> Response:
    """Go on with what was stopped; where all is written, look for the issues that nobody has looked for."""
    folder = bench.sentence_set(name)
    bench.writing.start(folder / ORDER, folder, again=True)
    return go_to(address("sentences", name))


@router.delete("/{name}")
def delete(bench: Bench, name: str) -> Response:
    """Delete a set for good."""
    bench.writing.remove(bench.sentence_set(name), remove)
    return go_to("/sentences")


def _carry_out(sheet: sheets.Sheet, number: int, change: str, sent: Fields) -> None:
    stamp = sent.one("stamp")
    if change == "strike":
        sheets.strike(sheet, number, stamp)
    elif change == "restore":
        sheets.restore(sheet, number, stamp)
    elif change == "mend":
        sheets.mend(sheet, number, stamp, sent.text("text"))
    else:
        raise UserError(f"a sentence can be struck, restored or mended, and nothing else: not `{change[:40]}`")


def _row(request: Request, name: str, row: Row, **more: Any) -> Response:
    """A row; `edit` shows a field with what was typed there, and `focus` puts the keyboard on its first button."""
    values = {"edit": False, "focus": False, "typed": row.sentence.text, "problem": "", **more, **_words()}
    status = 422 if values["problem"] else 200
    return render(request, "sentences_row.html.jinja", status, name=name, row=row, **values)


def _words() -> dict[str, Any]:
    return {"titles": ISSUES, "sides": sides}


def _spec(bench: Workbench, spec: str) -> Entry:
    whose, _, name = spec.partition("/")
    found = entry(bench, whose, name)
    if found.spec is None:
        raise UserError(f"the spec `{name}` has mistakes, and no sentences can be written for it yet; mend it first")
    if not found.spec.attributes:
        raise UserError(f"the spec `{name}` has no attributes, so there is nothing to write sentences about")
    return found


def _free_name(bench: Workbench, name: str) -> str:
    plain = plain_name(name)[:70]
    tried = [plain, *(f"{plain}-{number}" for number in range(2, 1000))]
    free = (one for one in tried if one != _TAKEN and not bench.new_sentence_set(one).exists())
    return next(free, "")


def _refuse_live(bench: Workbench, name: str) -> None:
    if look(bench.writing, bench.sentence_set(name), 0).is_live:
        raise RunError("these sentences are being worked on just now; wait until that is done, or pause it")
