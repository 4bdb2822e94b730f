"""The frame of the workbench: its start, its files, and what it says when something is not there."""

from __future__ import annotations

import errno
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web.bench import let_in
from tiltmeter.web.app import make_app
from tiltmeter.web.guard import TOKEN_HEADER
from tiltmeter.web.workbench import Workbench

SECTIONS = ("/specs", "/studies", "/runs", "/compare", "/playground")
HTTP_ELSEWHERE = re.compile(r"https?://(?!127\.0\.0\.1|www\.w3\.org)")


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    return let_in(make_app(Workbench(tmp_path)))


class LoadedModel(HTMLParser):
    """What a page loads, and what in it would need a weaker policy."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.loads += [str(given[key]) for key in ("src", "href") if key in given and tag in ("script", "link", "img")]
        self.inline += [key for key in given if key.startswith("on") or key == "style"]
        if tag == "style" or (tag == "script" and "src" not in given and given.get("type") != "application/json"):
            self.inline.append(tag)


@pytest.mark.parametrize("path", ["/", *SECTIONS, "/nowhere"])
def test_a_page_loads_its_own_files_only(client: TestClient, path: str) -> None:
    page = LoadedModel()
    page.feed(client.get(path).text)
    assert page.loads
    assert all(one.startswith("/static/") for one in page.loads)
    assert all(client.get(one).status_code == 200 for one in page.loads)
    assert not page.inline


@pytest.mark.slow
def test_the_charts_come_from_the_bundle(client: TestClient) -> None:
    answer = client.get("/static/vega.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "vegaEmbed" in answer.text


@pytest.mark.parametrize("path", ["/nowhere", "/static/../app.py", "/static/%2e%2e/app.py", "/static/nothing.js"])
def test_what_is_not_there_is_said(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "There is no such page." in answer.text


def test_there_are_no_pages_of_documentation_that_load_from_elsewhere(client: TestClient) -> None:
    assert {client.get(path).status_code for path in ("/docs", "/redoc", "/openapi.json")} == {404}


def test_a_run_that_is_not_there_is_a_sentence(client: TestClient) -> None:
    answer = client.get("/runs/%3Cscript%3E")
    assert answer.status_code == 404
    assert "there is no run" in answer.text
    assert "<script>`" not in answer.text


def test_an_error_of_a_part_stands_with_the_messages(client: TestClient) -> None:
    headers = {"HX-Request": "true", TOKEN_HEADER: client.app.state.token}  # type: ignore[attr-defined]
    answer = client.get("/runs/nothing", headers=headers)
    assert answer.status_code == 422
    assert answer.headers["HX-Retarget"] == "#messages"
    assert "<html" not in answer.text


def test_own_scripts_and_styles_name_no_other_place() -> None:
    import tiltmeter.web

    folder = Path(tiltmeter.web.__file__).parent / "static"
    own = [path for path in folder.iterdir() if path.suffix in (".js", ".css", ".svg") and "htmx" not in path.name]
    assert len(own) > 3
    for path in own:
        assert not HTTP_ELSEWHERE.search(path.read_text(encoding="utf-8")), path.name


def test_the_workbench_of_a_run_folder_begins_with_its_run(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").touch()
    client = let_in(make_app(Workbench(tmp_path)), follow_redirects=False)
    assert client.get("/").headers["location"] == "/runs"


def _broken(tmp_path: Path, error: Exception) -> TestClient:
    app = make_app(Workbench(tmp_path))

    def fail() -> None:
        raise error

    app.add_api_route("/broken", fail)
    return let_in(app, raise_server_exceptions=False)


def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "secret" / "x.toml"))
    answer = _broken(tmp_path, error).get("/broken", headers={"HX-Request": "true"})
    assert answer.status_code == 422
    assert answer.headers["HX-Retarget"] == "#messages"
    assert "<code>x.toml</code> cannot be read or written: No space left on device" in answer.text
    assert "secret" not in answer.text


def test_a_mistake_of_ours_is_named_and_keeps_the_policy(tmp_path: Path) -> None:
    client = _broken(tmp_path, KeyError("<b>"))
    for headers in ({}, {"HX-Request": "true"}):
        answer = client.get("/broken", headers=headers)
        assert answer.status_code == 500
        assert "failed inside tiltmeter (KeyError)" in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/playground/answers/many", "/runs/x/export?format=doc", "/compare/texts"])
def test_an_address_that_does_not_fit_is_a_sentence(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 422
    assert "the address of this page does not fit" in answer.text
