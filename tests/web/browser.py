"""A workbench that is served, and a browser that looks at it and keeps count of what a page must not do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tiltmeter.web.access import SECRET, Access

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

_PATIENCE = 60_000
"""Milliseconds that a page may take on a machine that has other things to do."""
_NOTES = """
window.answered = new WeakSet();
document.addEventListener("htmx:afterRequest", (event) => window.answered.add(event.detail.elt));
"""
_IS_SETTLED = """
() => document.readyState === "complete"
  && !document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling")
  && [...document.querySelectorAll(".vega:not([data-drawn])")].every((chart) => chart.closest("details:not([open])"))
  && [...document.querySelectorAll("[hx-trigger^=load]")].every((part) => window.answered.has(part))
"""
_SECRET = "tested with a browser"
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """`tiltmeter serve` on a folder; the address of its pages."""
    command = [sys.executable, "-m", "tiltmeter", "serve", str(folder), "--no-open", "--port", "0"]
    environment = {**os.environ, SECRET: _SECRET}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+", said)
            if found is None:
                server.kill()
                raise AssertionError(f"the workbench did not start: {said}{server.stderr and server.stderr.read()}")
            yield found[0]
        finally:
            server.terminate()


def fetched(address: str, path: str) -> bytes:
    """A file of the workbench, as a program that has the secret fetches it."""
    program = build_opener(HTTPCookieProcessor())
    program.open(Access(_SECRET).address(f"{address}/")).close()
    with program.open(address + path) as answer:
        content: bytes = answer.read()
    return content


def program(playwright: Playwright) -> str | None:
    """A browser of this machine, or the one that Playwright was told to fetch."""
    own = playwright.chromium.executable_path
    return next(filter(None, map(shutil.which, _PROGRAMS)), own if Path(own).is_file() else None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window; tests that need one are skipped where there is none."""
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'tiltmeter[dev]'")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = program(playwright)
        if path is None:
            pytest.skip("no Chromium here: apt-get install chromium, or playwright install chromium")
        # In a container the browser cannot set up a sandbox of its own for root.
        options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=options)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watched:
    """A page, and what it did that no page may do."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        """Open a page, and wait until it is all there."""
        self.page.goto(self.address + path)
        self.settle()

    def settle(self) -> None:
        """Wait until no part of the page is still on its way, and every chart is drawn."""
        self.page.wait_for_function(_IS_SETTLED, timeout=_PATIENCE)

    def open_all(self) -> None:
        """Open whatever can be opened, and wait until it is all there."""
        self.page.evaluate("document.querySelectorAll('details:not([open])').forEach((one) => { one.open = true; })")
        self.settle()

    def forgive(self, part: str) -> None:
        """Take away complaints that are meant, such as that a page is not there."""
        self.complaints = [said for said in self.complaints if not part or part not in said]

    def must_be_clean(self) -> None:
        """Nothing was complained of in the console, nothing asked of elsewhere, nothing of a foreign text ran."""
        assert not self.complaints
        assert not self.elsewhere
        assert not self.dialogs
        assert self.page.evaluate("window.pwned === undefined")


@contextmanager
def watched(browser: Browser, address: str, *, width: int = 1280, dark: bool = False) -> Iterator[Watched]:
    """A new page of the workbench that is watched; it must be clean at the end."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", accept_downloads=True
    )
    context.add_init_script(_NOTES)
    page = context.new_page()
    if address.startswith("http:"):
        # The cookie alone, without the page that it opens.
        context.request.get(Access(_SECRET).address(f"{address}/"), max_redirects=0)
    found = Watched(page, address)

    def dismiss(dialog: object) -> None:
        found.dialogs.append(dialog.message)  # type: ignore[attr-defined]
        dialog.dismiss()  # type: ignore[attr-defined]

    page.on("console", lambda said: found.complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.on(
        "request",
        lambda one: None if one.url.startswith((address, "data:", "blob:")) else found.elsewhere.append(one.url),
    )
    page.on("dialog", dismiss)
    try:
        yield found
        found.must_be_clean()
    finally:
        context.close()


def fits(page: Page) -> bool:
    """Whether a page needs no sideways scrolling."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1"))
