"""From a template to an answer; every page is rendered here, with everything escaped."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from tiltmeter.amounts import ago, duration, in_time, size
from tiltmeter.version import __version__
from tiltmeter.web.glossary import GLOSSARY
from tiltmeter.web.guard import TOKEN_HEADER
from tiltmeter.web.playground.question import question_about
from tiltmeter.web.workbench import Workbench


def _workbench(request: Request) -> Workbench:
    bench: Workbench = request.app.state.workbench
    return bench


Bench = Annotated[Workbench, Depends(_workbench)]
"""The workbench, as a parameter of a page."""


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page, or a part of one, from a template."""
    return HTMLResponse(rendered(request, template, **values), status_code=status)


def rendered(request: Request, template: str, **values: Any) -> str:
    """The text of a page, or of a part of one."""
    shared = {"token": request.app.state.token, "token_header": TOKEN_HEADER, "version": __version__}
    text = _templates().get_template(template).render(path=request.url.path, **shared, **values)
    # Half of a sign, as it stands for a byte of a name that is not UTF-8, cannot be sent: it is shown as its number.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def refused(request: Request, template: str = "problem.html.jinja", **values: Any) -> Response:
    """What is wrong with what a page sent, beside the messages of that page."""
    answer = render(request, template, 422, **values)
    answer.headers.update({"HX-Retarget": "#messages", "HX-Reswap": "innerHTML"})
    return answer


def go_to(address: str) -> Response:
    """Have the page that sent a change show another one."""
    return Response(status_code=204, headers={"HX-Redirect": address})


def address(*parts: str) -> str:
    """The address of a page; names in it may hold anything.

    >>> address("runs", "a/../b?")
    '/runs/a%2F..%2Fb%3F'
    """
    return "/" + "/".join(quote(part, safe="", errors="backslashreplace") for part in parts)


def is_part(request: Request) -> bool:
    """Whether a page asks for a part of itself, and not a person for a page."""
    return request.headers.get("hx-request") == "true"


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("tiltmeter.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"address": address, "glossary": GLOSSARY, "question_about": question_about}
    environment.filters["thousands"] = "{:,}".format
    environment.filters |= {one.__name__: one for one in (ago, duration, in_time, size)}
    return environment
