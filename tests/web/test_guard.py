"""Who may change what, and what a page may do."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web.bench import let_in
from tiltmeter.web.app import make_app
from tiltmeter.web.guard import TOKEN_HEADER
from tiltmeter.web.workbench import Workbench

CHANGE = "/specs/check"
"""No page has this address: a request that gets so far is answered with 404 or 405, and not with 403."""


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    return let_in(make_app(Workbench(tmp_path)), "http://127.0.0.1:8642")


def token(client: TestClient) -> dict[str, str]:
    return {TOKEN_HEADER: client.app.state.token}  # type: ignore[attr-defined]


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "[::1]:8642", "localhost"])
def test_loopback_is_answered(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "localhost.evil.example", "", "[", "10.0.0.1"],
)
def test_other_names_for_this_machine_are_not(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 403
    assert "loopback" in answer.text


def test_every_answer_has_the_policy(client: TestClient) -> None:
    for answer in (
        client.get("/"),
        client.get("/nowhere"),
        client.get("/static/app.css"),
        client.get("/", headers={"host": "evil.example"}),
        client.post("/nowhere"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_a_change_needs_the_token(client: TestClient, method: str) -> None:
    send = getattr(client, method)
    assert send("/nowhere").status_code == 403
    assert send("/nowhere", headers={TOKEN_HEADER: "wrong"}).status_code == 403
    assert send("/nowhere", headers={TOKEN_HEADER: "höchst falsch".encode()}).status_code == 403
    assert send("/nowhere", headers=token(client)).status_code in (404, 405)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "https://127.0.0.1:8642"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_change_comes_from_a_page_of_the_workbench(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/nowhere", headers={**token(client), **headers})
    assert answer.status_code == 403


def test_a_change_from_the_page_itself_gets_through(client: TestClient) -> None:
    headers = {**token(client), "origin": "http://127.0.0.1:8642", "sec-fetch-site": "same-origin"}
    assert client.post("/nowhere", headers=headers).status_code in (404, 405)


def test_a_form_that_is_too_large_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    many = b"&".join(b"a=1" for _ in range(30_000))
    assert client.post("/studies/check?from=toml", content=many, headers=token(client)).status_code == 422
    monkeypatch.setattr("tiltmeter.web.fields._LONGEST", 1_000)
    assert client.post("/studies/check?from=toml", content=b"x" * 2_000, headers=token(client)).status_code == 422


def test_two_servers_have_two_tokens(tmp_path: Path) -> None:
    one, other = (make_app(Workbench(tmp_path)).state.token for _ in range(2))
    assert one != other
    assert len(one) > 30


@pytest.mark.parametrize("dest", ["image", "script", "iframe", "empty", "audio"])
def test_another_site_cannot_have_anything_worked_out(client: TestClient, dest: str) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-dest": dest}
    assert client.get("/compare", headers=headers).status_code == 403
    assert client.get("/compare", headers={**headers, "sec-fetch-site": "same-origin"}).status_code == 200
    # A link in a message opens the page.
    assert client.get("/compare", headers={**headers, "sec-fetch-dest": "document"}).status_code == 200
