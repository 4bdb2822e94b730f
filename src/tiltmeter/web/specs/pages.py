"""Pages that show specs: the list of the library and of one's own, and each with its words side by side."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from tiltmeter import specs
from tiltmeter.web.downloads import download_headers
from tiltmeter.web.pages import Bench, address, render
from tiltmeter.web.sentences.listing import sets_about
from tiltmeter.web.specs import edit as specs_edit
from tiltmeter.web.specs import new as specs_new
from tiltmeter.web.specs.entries import entry, examples, export_problem, found, library, marked_template, own
from tiltmeter.web.specs.lists import aligned
from tiltmeter.web.specs.uses import studies_with

router = APIRouter()
router.include_router(specs_new.router)
router.include_router(specs_edit.router)


@router.get("/specs")
def browse(request: Request, bench: Bench, q: str = "", whose: str = "all") -> HTMLResponse:
    """The list of specs, and what a search found in it."""
    parts = {"own": own(bench) if whose != "library" else [], "library": library() if whose != "own" else []}
    matches = {part: found(entries, q) for part, entries in parts.items()}
    return render(
        request,
        "specs_list.html.jinja",
        matches=matches,
        q=q,
        whose=whose,
        any_own=bool(bench.specs()),
        unreadable_names=bench.unreadable_names("specs"),
    )


@router.get("/specs/{whose}/{name}")
def show(request: Request, bench: Bench, whose: str, name: str) -> HTMLResponse:
    """One spec, for reading."""
    one = entry(bench, whose, name)
    return render(
        request,
        "specs_show.html.jinja",
        entry=one,
        place=address("specs", whose, name),
        alignment=aligned(one.lists),
        templates=[marked_template(template) for template in one.templates],
        examples=examples(one.spec) if one.spec else [],
        export_problem=export_problem(one.spec),
        studies=studies_with(bench, one) if whose == "own" else [],
        sets=sets_about(bench, f"{whose}/{name}"),
    )


@router.get("/specs/{whose}/{name}/toml")
def download_toml(bench: Bench, whose: str, name: str) -> Response:
    """The file of a spec."""
    return _download(entry(bench, whose, name).text, name, "toml")


@router.get("/specs/{whose}/{name}/json")
def download_json(bench: Bench, whose: str, name: str) -> Response:
    """A spec in the format of AutoBiasTest."""
    return _download(specs.to_autobiastest([specs.parse(entry(bench, whose, name).text)]), name, "json")


def _download(text: str, name: str, suffix: str) -> Response:
    return Response(
        text, media_type=f"application/{suffix}; charset=utf-8", headers=download_headers(f"{name}.{suffix}")
    )
