"""The application: its pages, its files, and what it says when something goes wrong."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, RedirectResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from tiltmeter.errors import MissingExtra, RunError, TiltmeterError, UserError
from tiltmeter.present.asset import asset
from tiltmeter.specs import names as library_names
from tiltmeter.web.access import Access, new_token
from tiltmeter.web.compare import pages as compare
from tiltmeter.web.guard import HEADERS, Guard
from tiltmeter.web.pages import is_part, refused, render
from tiltmeter.web.playground import pages as playground
from tiltmeter.web.results import pages as results
from tiltmeter.web.runs import pages as runs
from tiltmeter.web.sentences import pages as sentences
from tiltmeter.web.specs import pages as specs
from tiltmeter.web.studies import pages as studies
from tiltmeter.web.texts import pages as texts
from tiltmeter.web.workbench import NotThere, Workbench

_ROUTERS = (
    *(specs.router, sentences.router, studies.router, runs.router, results.router, texts.router),
    *(compare.router, playground.router),
)
_DAY = 86_400
_SHARED = {"blocks.css": "text/css", "page.js": "text/javascript"}
"""What pages of the workbench have in common with a report."""


def make_app(workbench: Workbench, access: Access | None = None) -> FastAPI:
    """The workbench of a folder as an application; `access` has the secret without which it says nothing."""
    # No pages of documentation: they would load scripts from elsewhere.
    app = FastAPI(title="tiltmeter", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.workbench, app.state.token, app.state.access = workbench, new_token(), access or Access()
    app.add_middleware(Guard, token=app.state.token, access=app.state.access)
    app.add_exception_handler(TiltmeterError, _refused)
    app.add_exception_handler(HTTPException, _not_found)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(OSError, _not_done)
    app.add_exception_handler(Exception, _failed)
    for router in _ROUTERS:
        app.include_router(router)
    app.add_api_route("/", _home, include_in_schema=False)
    app.add_api_route("/glossary", _glossary, include_in_schema=False)
    app.add_api_route("/static/vega.js", _vega, include_in_schema=False)
    for name, kind in _SHARED.items():
        app.add_api_route(f"/static/{name}", partial(_shared, name, kind), include_in_schema=False)
    app.mount("/static", StaticFiles(packages=[("tiltmeter.web", "static")]), name="static")
    return app


def _home(request: Request) -> Response:
    workbench: Workbench = request.app.state.workbench
    if workbench.is_run:
        return RedirectResponse("/runs", status_code=303)
    return render(
        request,
        "home.html.jinja",
        folder=workbench.home.absolute().name,
        library=len(library_names()),
        counts={
            "specs": len(workbench.specs()),
            "sentences": len(workbench.sentences()),
            "studies": len(workbench.studies()),
            "runs": len(workbench.runs()),
        },
    )


def _glossary(request: Request) -> Response:
    return render(request, "glossary.html.jinja")


def _shared(name: str, kind: str) -> Response:
    return Response(asset(name), media_type=kind)


def _vega() -> Response:
    """The library that draws the charts, as vl-convert carries it."""
    return Response(_bundle(), media_type="text/javascript", headers={"Cache-Control": f"max-age={_DAY}"})


@cache
def _bundle() -> str:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("Charts", "report", "vl-convert-python") from None
    bundle: str = vl_convert.javascript_bundle(None)  # type: ignore[arg-type]
    return f"(() => {{{bundle}}})();"


def _refused(request: Request, error: Exception) -> Response:
    """One sentence on what is wrong: beside the form that was sent, or as a page."""
    status = 404 if isinstance(error, NotThere) else 422
    if is_part(request):
        return refused(request, problem=_message_for(request, error))
    return render(request, "error.html.jinja", status, problem=_message_for(request, error))


def _message_for(request: Request, error: Exception) -> str:
    workbench: Workbench = request.app.state.workbench
    return workbench.message_for(error)


def _not_understood(request: Request, error: Exception) -> Response:
    """Something in an address that is no number, or none of what there is to choose from."""
    assert isinstance(error, RequestValidationError)
    names = dict.fromkeys(str(one["loc"][-1]) for one in error.errors())
    wrong = ", ".join(f"`{name}`" for name in names)
    return _refused(request, UserError(f"the address of this page does not fit: {wrong} cannot be what it says"))


def _not_done(request: Request, error: Exception) -> Response:
    """A file that cannot be read or written: the disk is full, a folder is not ours, or it is gone meanwhile."""
    assert isinstance(error, OSError)
    name = f"`{Path(error.filename).name[:80]}`" if isinstance(error.filename, str) else "a file"
    return _refused(request, RunError(f"{name} cannot be read or written: {error.strerror or error}"))


def _failed(request: Request, error: Exception) -> Response:
    """A mistake of ours: what it is called, since the server's own log has the rest."""
    problem = f"This failed inside tiltmeter ({type(error).__name__}); where the workbench was started it says more."
    answer = PlainTextResponse(problem) if is_part(request) else render(request, "error.html.jinja", problem=problem)
    answer.status_code = 500
    # It is sent past the guard.
    answer.headers.update(HEADERS)
    return answer


def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code != 404:
        return PlainTextResponse(error.detail, status_code=error.status_code)
    return render(request, "error.html.jinja", 404, problem="There is no such page.")
