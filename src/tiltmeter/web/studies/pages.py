"""Studies: chosen in a form or written as TOML, checked as they are typed, planned before they are started."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse

from tiltmeter.errors import TiltmeterError, UserError
from tiltmeter.files import read_text, whole_file
from tiltmeter.store import read_meta, state_of
from tiltmeter.study import Plan, read
from tiltmeter.toml_writing import to_toml
from tiltmeter.web.downloads import download_headers
from tiltmeter.web.fields import Fields, Sent
from tiltmeter.web.pages import Bench, address, go_to, refused, render
from tiltmeter.web.sentences.listing import study_of
from tiltmeter.web.specs.text import fingerprint
from tiltmeter.web.studies.available import installed_models
from tiltmeter.web.studies.form import Form, form_of
from tiltmeter.web.studies.form_data import data_of
from tiltmeter.web.studies.plan import outlook
from tiltmeter.web.studies.presets import QUESTIONS, planned_preset, preset
from tiltmeter.web.studies.rates import rates_of, short_model
from tiltmeter.web.studies.validation import (
    Problem,
    data_in,
    own_specs,
    planned,
    problem_of,
    reference_to,
    refuse_foreign_code,
    worded,
)
from tiltmeter.web.workbench import Workbench, checked_name, plain_name

router = APIRouter(prefix="/studies")
_TAKEN = "new"
"""The one name that is an address of these pages."""
_UNUSED = "not-a-run-yet"


@router.get("")
def every(request: Request, bench: Bench) -> Response:
    """The studies of the folder."""
    runs = bench.runs()
    rows = [_row(name, path, name in runs) for name, path in bench.studies().items()]
    return render(
        request,
        "studies_list.html.jinja",
        rows=rows,
        questions=QUESTIONS,
        unreadable_names=bench.unreadable_names("studies"),
    )


@router.get("/new")
def new(
    request: Request,
    bench: Bench,
    begin: Annotated[str, Query(alias="preset")] = "",
    copied: Annotated[str, Query(alias="from")] = "",
    run: str = "",
    spec: Annotated[list[str], Query()] = [],  # noqa: B006
    model: str = "",
    sentences: str = "",
) -> Response:
    """A study that is not there yet: a preset, a copy of another, that of a run, or a test of written sentences."""
    if copied:
        return _page(request, bench, read_text(bench.study(copied), "study file"))
    if run:
        return _page(request, bench, str(read_meta(bench.run(run))["study"]))
    if sentences:
        return _page(request, bench, to_toml(study_of(bench, sentences)))
    if not (begin or spec or model):
        return render(request, "studies_new.html.jinja", questions=QUESTIONS, own=list(bench.specs()))
    data = dict(preset(begin or "prefers-small").data)
    if spec:
        own = bench.specs()
        data["name"] = ", ".join(spec)
        data["specs"] = [reference_to(name) if name in own else name for name in spec]
    if model:
        data["models"] = [model]
    return _page(request, bench, to_toml({key: value for key, value in data.items() if value != []}))


@router.get("/new/estimate")
def estimate(request: Request, bench: Bench, key: Annotated[str, Query(alias="preset")]) -> Response:
    """What a study to begin with can detect, and how long it takes here."""
    ahead = outlook(planned_preset(key), bench.new_run(_UNUSED), rates_of(bench.runs().values()))
    return render(request, "studies_estimate.html.jinja", ahead=ahead)


@router.get("/{name}")
def one(request: Request, bench: Bench, name: str) -> Response:
    """A study, to be changed and started."""
    return _page(request, bench, read_text(bench.study(name), "study file"), name)


@router.get("/{name}/file")
def file(bench: Bench, name: str) -> Response:
    """The study file itself."""
    text = read_text(bench.study(name), "study file")
    return PlainTextResponse(text, media_type="application/toml", headers=download_headers(f"{name}.toml"))


@router.delete("/{name}")
def remove(bench: Bench, name: str) -> Response:
    """Remove a study; its runs stay."""
    bench.study(name).unlink()
    return go_to("/studies")


@router.post("/check")
def check(request: Request, bench: Bench, sent: Sent, by: Annotated[str, Query(alias="from")] = "toml") -> Response:
    """What a change of the form makes of the TOML, or the other way round, and whether it is a study."""
    text, form, problem = sent.text("toml"), None, None
    if by == "form":
        try:
            text = to_toml(data_of(sent, data_in(text)))
        except UserError as error:
            problem = Problem(error.problem)
    else:
        form = _form(bench, text)
    return render(
        request,
        "studies_check.html.jinja",
        text=text if by == "form" and problem is None else None,
        form=form,
        models=installed_models() if form else (),
        problem=problem or problem_of(bench, text, sent.one("file")),
        readable=form is not None or by == "form",
    )


@router.post("/plan")
def look_ahead(request: Request, bench: Bench, sent: Sent) -> Response:
    """What the study comes to, and what a start would do."""
    text = sent.text("toml")
    try:
        made = planned(bench, text, sent.one("file"))
        refuse_foreign_code(bench, made.study)
        name = sent.one("run") or _free_name(bench, sent, made)
        ahead = outlook(made, bench.new_run(name), rates_of(bench.runs().values()))
    except TiltmeterError as error:
        return render(request, "studies_plan.html.jinja", problem=worded(bench, error), ahead=None, run="")
    return render(request, "studies_plan.html.jinja", problem=None, ahead=ahead, run=name)


@router.post("/save")
def save(bench: Bench, sent: Sent) -> Response:
    """Write the study file; one that is not finished may be kept too."""
    return go_to(address("studies", _save(bench, sent)))


@router.post("/start")
def start(request: Request, bench: Bench, sent: Sent) -> Response:
    """Write the study file and carry it out; refuses where the run is not what the page said it was."""
    made = planned(bench, sent.text("toml"), sent.one("file"))
    refuse_foreign_code(bench, made.study)
    name = checked_name("run", sent.one("run"))
    folder = bench.new_run(name)
    state = state_of(folder, made)
    if state.kind != sent.one("expected"):
        raise UserError(f"the run `{name}` changed since you opened this page; look at the plan again")
    study = _save(bench, sent)
    try:
        bench.jobs.start(bench.study(study), folder)
    except TiltmeterError as error:
        # The file is written: the page stays, and goes on from there.
        opened = fingerprint(sent.text("toml"))
        return refused(request, "studies_not_started.html.jinja", problem=str(error), name=study, opened=opened)
    return go_to(address("runs", name))


def _page(request: Request, bench: Workbench, text: str, name: str = "") -> Response:
    form = _form(bench, text)
    return render(
        request,
        "studies_form.html.jinja",
        name=name,
        text=text,
        opened=fingerprint(text),
        form=form or form_of({}, own_specs(bench)),
        readable=form is not None,
        models=installed_models(),
        problem=problem_of(bench, text, name),
    )


def _row(name: str, path: Path, has_run: bool) -> dict[str, Any]:
    """A study in the list of all."""
    try:
        study = read(path)
    except TiltmeterError as error:
        return {"name": name, "problem": getattr(error, "problem", str(error)), "has_run": has_run}
    return {
        "name": name,
        "problem": "",
        "title": study.name,
        "models": list(map(short_model, study.models)),
        "specs": [spec.name for spec in study.specs],
        "views": study.views,
        "has_run": has_run,
    }


def _form(bench: Workbench, text: str) -> Form | None:
    """The form of a text; None: it is no TOML."""
    try:
        return form_of(data_in(text), own_specs(bench))
    except UserError:
        return None


def _free_name(bench: Workbench, sent: Fields, made: Plan) -> str:
    """The name that a run of this study gets unless somebody gives another."""
    name = plain_name(sent.one("file") or made.study.name)
    return name if name in bench.runs() or not bench.new_run(name).exists() else f"{name}-2"


def _save(bench: Workbench, sent: Fields) -> str:
    """Write the study file; the name that it has."""
    text, before = sent.text("toml"), sent.one("file")
    known = bench.studies()
    if before in known:
        there = read_text(known[before], "study file")
        if there != text and fingerprint(there) != sent.one("opened"):
            raise UserError(
                f"the study `{before}` was changed elsewhere since this page was opened, so nothing was saved; "
                "copy what you need from here, and load the page again"
            )
        with whole_file(known[before]) as stream:
            stream.write(text)
        return before
    title = data_in(text).get("name")
    if not isinstance(title, str) or not title.strip():
        raise UserError("the study has no name yet; give it one")
    name = plain_name(title)
    if name in known or name == _TAKEN:
        raise UserError(f"there is a study `{name}` already; give this one another name, or open that one")
    bench.write_study(name, text)
    return name
