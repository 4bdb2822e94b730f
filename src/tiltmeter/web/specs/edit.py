"""Pages on which a spec is written: as a form or as TOML, checked while it is typed."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from tiltmeter.errors import InvalidSpec, UserError
from tiltmeter.files import read_text
from tiltmeter.web.fields import Fields, Sent
from tiltmeter.web.loaded_model import LoadedModel
from tiltmeter.web.pages import Bench, address, render
from tiltmeter.web.specs.ask import Asking, terms_from_model
from tiltmeter.web.specs.draft import Draft, Finding, draft_from_form, draft_of
from tiltmeter.web.specs.entries import examples, library, own
from tiltmeter.web.specs.form import rebased, with_part, without_part
from tiltmeter.web.specs.lists import aligned, lists_of
from tiltmeter.web.specs.places import NAMES
from tiltmeter.web.specs.suggest import accepted, knowledge, offers
from tiltmeter.web.specs.text import fingerprint, has_comments, with_terms
from tiltmeter.web.workbench import Workbench

router = APIRouter()

_EDITED = {"HX-Trigger-After-Settle": "edited"}


@router.get("/specs/own/{name}/edit")
def edit(request: Request, bench: Bench, name: str) -> HTMLResponse:
    """A spec, for writing: `?as=toml` opens it as TOML."""
    text = _own_text(bench, name)
    draft, mode = draft_of(text), "toml" if request.query_params.get("as") == "toml" else "form"
    return render(
        request,
        "specs_edit.html.jinja",
        name=name,
        place=address("specs", "own", name),
        opened=fingerprint(text),
        **_editor(draft, mode),
        **_checked(bench, draft, mode, name),
    )


@router.post("/specs/check")
def check(request: Request, bench: Bench, sent: Sent) -> HTMLResponse:
    """What is to be said of a spec as it stands on the page; nothing is written."""
    mode, name = _mode(sent), sent.text("file")
    try:
        draft = draft_from_form(sent)
    except InvalidSpec as error:
        draft = Draft(sent.text("base"), None, None, (Finding(error.problem, place=NAMES),), None)
    return render(request, "specs_check.html.jinja", **_checked(bench, draft, mode, name))


@router.post("/specs/form")
def as_form(request: Request, sent: Sent) -> HTMLResponse:
    """The same spec as a form, also with a group or an attribute set more or less."""
    draft = draft_from_form(sent)
    if draft.form is None:
        return _answer(request, _editor(draft, "form"))
    # The text that goes along has the parts under the names that they have now.
    form, new = rebased(draft.form), ""
    if noun := sent.one("add"):
        form = with_part(form, noun)
        new = f"{(form.groups if noun == 'group' else form.sets)[-1].key}.name"
    if key := sent.one("drop"):
        form = without_part(form, key)
    return _answer(request, _editor(draft, "form") | {"form": form, "focus": new})


@router.post("/specs/text")
def as_text(request: Request, sent: Sent) -> HTMLResponse:
    """The same spec as TOML."""
    return _answer(request, _editor(draft_from_form(sent), "toml"))


@router.post("/specs/accept")
def accept(request: Request, sent: Sent) -> HTMLResponse:
    """The same spec with the suggested terms in it."""
    draft = draft_from_form(sent)
    text = draft.text
    for value in sent.all("accept"):
        text = with_terms(text, accepted(value))
    return _answer(request, _editor(draft_of(text), _mode(sent)))


@router.post("/specs/ask")
def ask(request: Request, sent: Sent) -> HTMLResponse:
    """Words that the embedded model expects after the terms of a list."""
    draft = draft_from_form(sent)
    if draft.data is None:
        raise UserError("the model can be asked once this is TOML; mend that first")
    lists = lists_of(draft.data)
    return render(
        request, "specs_model_terms.html.jinja", answer=terms_from_model(_asking(request), lists, sent.text("list"))
    )


@router.put("/specs/own/{name}")
def save(request: Request, bench: Bench, name: str, sent: Sent) -> HTMLResponse:
    """Write a spec. One with problems is kept as a draft, which no study can use."""
    draft = draft_from_form(sent)
    if fingerprint(_own_text(bench, name)) != sent.one("opened"):
        raise UserError(
            f"`{name}` was changed elsewhere since this page was opened, so nothing was saved; "
            "copy what you need from here, and load the page again"
        )
    bench.write_spec(name, draft.text)
    return render(request, "specs_saved.html.jinja", draft=draft, opened=fingerprint(draft.text))


def _asking(request: Request) -> Asking:
    state = request.app.state
    if not hasattr(state, "loaded"):
        state.loaded = LoadedModel()
    if not hasattr(state, "asking"):
        state.asking = Asking(state.loaded)
    asking: Asking = state.asking
    return asking


def _own_text(bench: Workbench, name: str) -> str:
    try:
        return read_text(bench.spec(name), noun="spec file")
    except UserError as error:
        # The folder that the file is in says nothing here.
        raise UserError(f"the file of `{name}`: {error.problem}") if error.file else error from None


def _mode(sent: Fields) -> str:
    return "form" if sent.one("as") == "form" else "toml"


def _answer(request: Request, values: dict[str, Any]) -> HTMLResponse:
    answer = render(request, "specs_editor.html.jinja", **values)
    answer.headers.update(_EDITED)
    return answer


def _editor(draft: Draft, mode: str) -> dict[str, Any]:
    """What the editor shows; a spec that the form has no place for is shown as TOML, with the reason."""
    shown = "form" if mode == "form" and draft.form else "toml"
    return {
        "mode": shown,
        "text": draft.text,
        "form": draft.form,
        "focus": "",
        "unshowable": draft.unshowable,
        "comments": shown == "form" and has_comments(draft.text),
    }


def _checked(bench: Workbench, draft: Draft, mode: str, name: str) -> dict[str, Any]:
    lists = lists_of(draft.data or {})
    others = [one for one in own(bench) if one.name != name]
    inside = (draft.data or {}).get("name")
    return {
        "draft": draft,
        "in_form": mode == "form",
        "file": name,
        "calls_itself": inside if isinstance(inside, str) and inside != name else "",
        "alignment": aligned(lists),
        "offers": offers(lists, knowledge([*library(), *others])),
        "examples": examples(draft.spec, 3) if draft.spec else [],
        "lists": [*lists.groups, *lists.attributes],
    }
