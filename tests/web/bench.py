"""A workbench in a folder, asked as a browser would ask it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.testclient import TestClient

from tiltmeter.web.app import make_app
from tiltmeter.web.guard import TOKEN_HEADER
from tiltmeter.web.workbench import Workbench


def opened(bench: Workbench | Path) -> TestClient:
    """A browser that has a page of the workbench open: it knows the token, and asks for parts of pages."""
    client = let_in(make_app(bench if isinstance(bench, Workbench) else Workbench(bench)))
    client.headers.update({TOKEN_HEADER: client.app.state.token, "HX-Request": "true"})  # type: ignore[attr-defined]
    return client


def let_in(app: FastAPI, address: str = "http://127.0.0.1", **options: Any) -> TestClient:
    """A browser that has opened the address with the secret, and so has the cookie."""
    cookies = {f"tiltmeter-{urlsplit(address).port or 80}": app.state.access.session}
    return TestClient(app, base_url=address, cookies=cookies, **options)


def fields_of(page: str) -> dict[str, list[str]]:
    """What a browser would send of the controls of a page, by their names."""
    reader = _Controls()
    reader.feed(page)
    return reader.found


@dataclass
class _Controls(HTMLParser):
    found: dict[str, list[str]] = field(default_factory=dict)
    select: str = ""
    options: list[tuple[str, bool]] = field(default_factory=list)
    area: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "input" and name and "disabled" not in given:
            if given.get("type") not in ("checkbox", "radio") or "checked" in given:
                self.found.setdefault(name, []).append(value)
        elif tag == "select":
            self.select, self.options = name, []
        elif tag == "option":
            self.options.append((value, "selected" in given))
        elif tag == "textarea":
            self.area, self.text = name, ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "select" and self.options:
            chosen = [value for value, on in self.options if on] or [self.options[0][0]]
            self.found.setdefault(self.select, []).append(chosen[-1])
        elif tag == "textarea":
            # The line break after the tag is no part of the text.
            self.found.setdefault(self.area, []).append(self.text.removeprefix("\n"))
            self.area = ""

    def handle_data(self, data: str) -> None:
        if self.area:
            self.text += data
