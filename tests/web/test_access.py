"""Whoever has not opened the address that the terminal printed gets nothing from the workbench."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import stat
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

pytest.importorskip("fastapi")
import uvicorn
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from tests.web.bench import let_in
from tests.web.browser import chromium
from tiltmeter.errors import UserError
from tiltmeter.web import server
from tiltmeter.web.access import SECRET, Access, chosen_secret
from tiltmeter.web.app import _ROUTERS, make_app
from tiltmeter.web.guard import TOKEN_HEADER
from tiltmeter.web.workbench import Workbench

NOBODY = 65534
OWN = "a secret of my own"


def attack(port: int, pages: list[tuple[str, str]], temporary: Path) -> dict[str, Any]:
    """What somebody without the secret gets: from the server, the list of processes, and the temporary folder."""
    found = {}
    for method, path in pages:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        line.request(method, path, headers={"Cookie": f"tiltmeter-{port}=x", TOKEN_HEADER: "x"})
        answer = line.getresponse()
        found[f"{method} {path}"] = [answer.status, str(answer.getheaders()) + answer.read().decode("latin-1")]
    seen = []
    for file in [*Path("/proc").glob("[0-9]*/cmdline"), *Path("/proc").glob("[0-9]*/environ"), *temporary.rglob("*")]:
        with suppress(OSError):
            seen.append(file.read_bytes().decode("latin-1"))
    return {"user": os.geteuid(), "answers": found, "seen": "\n".join(seen)}


def as_nobody(port: int, pages: list[tuple[str, str]], temporary: Path) -> dict[str, Any]:
    """The same, as another user where this one is root: the interpreter itself may be out of that user's reach."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            with os.fdopen(theirs, "w") as file:
                json.dump(attack(port, pages, temporary), file)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as file:
        said = file.read()
    os.waitpid(child, 0)
    return json.loads(said)  # type: ignore[no-any-return]


@pytest.fixture
def stranger(tmp_path: Path) -> TestClient:
    """A browser without the cookie."""
    app = make_app(Workbench(tmp_path))
    return TestClient(app, base_url="http://127.0.0.1:8642", follow_redirects=False)


def door_of(client: TestClient) -> Access:
    return client.app.state.access  # type: ignore[attr-defined, no-any-return]


def asked(client: TestClient) -> list[tuple[str, str]]:
    """Every page and every file, as one would ask for it."""
    routes = [*client.app.routes, *(route for router in _ROUTERS for route in router.routes)]  # type: ignore[attr-defined]
    pages = [
        (method, re.sub(r"\{[^}]*\}", "1", route.path))
        for route in routes
        if isinstance(route, APIRoute)
        for method in sorted(route.methods)
    ]
    files = ["/static/app.css", "/static/app.js", "/static/", "/favicon.ico", "/nowhere", "//", "/static/../app.py"]
    return [*pages, *(("GET", path) for path in files)]


def test_nothing_is_answered_without_the_secret(stranger: TestClient) -> None:
    pages = asked(stranger)
    assert len(pages) > 60
    token = {TOKEN_HEADER: stranger.app.state.token}  # type: ignore[attr-defined]
    bodies = set()
    for method, path in [*pages, ("OPTIONS", "/"), ("TRACE", "/"), ("PUT", "/specs")]:
        answer = stranger.request(method, path, headers=token)
        assert answer.status_code == 403, (method, path)
        assert "set-cookie" not in answer.headers
        assert answer.headers["referrer-policy"] == "no-referrer"
        bodies.add(answer.text)
    assert len(bodies) == 1
    assert "terminal" in bodies.pop()


def test_the_secret_is_exchanged_for_a_cookie(stranger: TestClient) -> None:
    door = door_of(stranger)
    answer = stranger.get(f"/compare?a=1&token={door.secret}&b=x%20y")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/compare?a=1&b=x+y"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("tiltmeter-8642=")
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
    assert door.secret not in str(answer.headers) + answer.text
    assert door.session != door.secret
    assert stranger.get("/").status_code == 200
    assert stranger.get("/static/app.css").status_code == 200


@pytest.mark.parametrize(
    "query", ["token=", "token", "token=wrong", "token=%00", "token=h%C3%B6chst", "TOKEN={}", "x={}"]
)
def test_no_other_secret_opens_it(stranger: TestClient, query: str) -> None:
    assert stranger.get(f"/?{query.format(door_of(stranger).secret)}").status_code == 403
    assert not stranger.cookies


def test_the_secret_is_no_cookie_and_the_cookie_no_secret(stranger: TestClient) -> None:
    door = door_of(stranger)
    for name, value in (
        ("tiltmeter-8642", door.secret),
        ("tiltmeter-8642", ""),
        ("tiltmeter-8642", "höchst falsch"),
        ("tiltmeter-8643", door.session),
        ("tiltmeter", door.session),
    ):
        assert stranger.get("/", headers={"cookie": f"{name}={value}".encode()}).status_code == 403
    assert stranger.get(f"/?token={door.session}").status_code == 403


def test_a_secret_in_the_address_of_a_change_changes_nothing(stranger: TestClient) -> None:
    headers = {TOKEN_HEADER: stranger.app.state.token}  # type: ignore[attr-defined]
    assert stranger.post(f"/specs/new?token={door_of(stranger).secret}", headers=headers).status_code == 403
    assert not stranger.cookies


def test_a_cookie_that_another_server_put_beside_it_does_no_harm(stranger: TestClient) -> None:
    header = f"tiltmeter-8642=thrown; other; tiltmeter-8642={door_of(stranger).session}"
    assert stranger.get("/", headers={"cookie": header}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["//evil.example/", "/\\evil.example/", "/%5cevil.example/", "///evil.example", "//\\//evil.example/a%0d%0ab"],
)
@pytest.mark.parametrize("site", ["none", "cross-site"])
def test_the_way_in_leads_nowhere_else(stranger: TestClient, path: str, site: str) -> None:
    scope = {
        "type": "http",
        "method": "GET",
        "query_string": f"token={door_of(stranger).secret}".encode(),
        "raw_path": path.encode(),
        "headers": [(b"sec-fetch-site", site.encode())],
        "server": ("127.0.0.1", 8642),
    }
    answer = door_of(stranger).refusal(scope)
    assert answer is not None
    place = answer.headers.get("location") or answer.headers["refresh"].partition("url=")[2]
    assert re.match(r"/(?![/\\])", place)
    assert not urlsplit(place).netloc
    assert not {"\r", "\n", "\\"} & set(place)


def test_a_browser_that_comes_from_elsewhere_gets_a_page_of_ours_first(stranger: TestClient) -> None:
    secret = door_of(stranger).secret
    answer = stranger.get(f"/runs?token={secret}", headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200
    assert answer.headers["refresh"] == "0; url=/runs"
    assert secret not in answer.text
    assert stranger.cookies


@pytest.mark.parametrize("given", ["", " ", "short", "x" * 15, "ü" * 20, "line\nbreak and more"])
def test_an_own_secret_is_never_empty_or_short(given: str) -> None:
    with pytest.raises(UserError, match=SECRET):
        chosen_secret({SECRET: given})
    assert chosen_secret({SECRET: OWN}) == OWN


def test_two_servers_share_nothing(tmp_path: Path) -> None:
    one, other = (make_app(Workbench(tmp_path)) for _ in range(2))
    assert one.state.access.secret != other.state.access.secret
    client = let_in(one)
    client.app = other
    stranger = TestClient(other, base_url="http://127.0.0.1", cookies=dict(client.cookies))
    assert stranger.get("/").status_code == 403


# A server of its own, and others on the same machine.


@contextmanager
def serve(folder: Path, *options: str, **more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`tiltmeter serve` as a process; the address that it printed."""
    command = [sys.executable, "-m", "tiltmeter", "serve", str(folder), "--port", "0", *options]
    environment = {name: value for name, value in os.environ.items() if name != SECRET} | more
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().removeprefix("workbench: ").strip(), server
        finally:
            server.terminate()


def get(address: str, path: str, **headers: str) -> http.client.HTTPResponse:
    line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    line.request("GET", path, headers=headers)
    return line.getresponse()


@pytest.mark.slow
def test_another_user_of_the_machine_gets_nothing(tmp_path: Path) -> None:
    """Every page asked for by another user, who also looks into the list of processes and the temporary folder."""
    (tmp_path / "bench").mkdir()
    temporary = tmp_path / "tmp"
    temporary.mkdir(mode=0o755)
    for folder in (tmp_path, *tmp_path.parents):
        if os.geteuid() == 0 and folder.stat().st_uid == 0 and "pytest" in str(folder):
            folder.chmod(0o755)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {tmp_path / "opened"}\n')
    browser.chmod(0o755)
    with serve(tmp_path / "bench", TMPDIR=str(temporary), BROWSER=f"{browser} %s") as (address, server):
        parts = urlsplit(address)
        secret = parts.query.removeprefix("token=")
        assert len(secret) > 30
        entered = get(address, f"/?{parts.query}")
        assert entered.status == 303
        cookie = str(entered.getheader("Set-Cookie")).split(";")[0]
        home = get(address, "/", Cookie=cookie)
        assert home.status == 200
        page = home.read().decode()
        found = as_nobody(int(parts.port or 0), asked(let_in(make_app(Workbench(tmp_path)))), temporary)
        assert server.poll() is None
        opened = (tmp_path / "opened").read_text()
        files = [path for path in temporary.rglob("*") if path.is_file()]
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        assert {stat.S_IMODE(path.parent.stat().st_mode) for path in files} == {0o700}
        assert [path for path in files if secret in path.read_text()]
    assert len(found["answers"]) > 60
    token = re.search(r'"X-Tiltmeter-Token": ?"([^"]+)"', page.replace("&#34;", '"'))
    assert token
    kept = [secret, cookie.partition("=")[2], token[1]]
    for asking, (status, answer) in found["answers"].items():
        assert status == 403, asking
        assert not [one for one in kept if one in answer]
    assert secret not in opened
    if os.geteuid() != 0:
        pytest.skip("not root, so that no other user could be taken: asked without the secret as the same one")
    assert found["user"] == NOBODY
    assert not [one for one in kept if one in found["seen"]]


@pytest.mark.slow
def test_an_own_secret_is_not_printed_and_not_handed_on(tmp_path: Path) -> None:
    with serve(tmp_path, "--no-open", **{SECRET: OWN}) as (address, server):
        assert urlsplit(address).query == ""
        assert get(address, "/").status == 403
        assert get(address, f"/?token={quote(OWN)}").status == 303
        server.terminate()
        said = "".join(server.communicate())
    assert OWN not in said
    assert quote(OWN) not in said


@pytest.mark.slow
def test_an_empty_secret_is_refused(tmp_path: Path) -> None:
    with serve(tmp_path, "--no-open", **{SECRET: ""}) as (address, server):
        assert server.wait(60) == 2
        assert address == ""


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server that waits half a second for a request."""
    monkeypatch.setattr(server.TimeoutProtocol, "limit", 0.5)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(make_app(Workbench(tmp_path)), http=server.TimeoutProtocol, log_level="critical")
    answering = uvicorn.Server(config)
    thread = threading.Thread(target=answering.run, kwargs={"sockets": [listener]})
    thread.start()
    yield listener.getsockname()
    answering.should_exit = True
    thread.join()
    listener.close()


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
        b"POST /specs/new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nname=",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HT",
    ],
)
def test_a_request_that_does_not_end_is_cut_off(quick: tuple[str, int], begun: bytes) -> None:
    with socket.create_connection(quick, timeout=30) as line:
        began = time.monotonic()
        line.sendall(begun)
        try:
            while line.recv(4096):
                # Drop by drop, so that the line is never idle.
                line.sendall(b"a")
        except ConnectionError:
            pass
        assert time.monotonic() - began < 10


def test_a_dripping_request_is_cut_off(quick: tuple[str, int]) -> None:
    with socket.create_connection(quick, timeout=30) as line, pytest.raises(ConnectionError):
        for _ in range(200):
            line.sendall(b"X")
            time.sleep(0.05)


@pytest.mark.slow
def test_a_browser_gets_in_by_the_file_and_stays_in(tmp_path: Path) -> None:
    """The file is opened from another origin, which cookies of this kind do not follow."""
    with serve(tmp_path, "--no-open") as (address, _), chromium() as browser:
        context = browser.new_context()
        page = context.new_page()
        root = address.partition("?")[0]
        shut = page.goto(root)
        assert shut is not None
        assert shut.status == 403
        file = tmp_path / "open.html"
        file.write_text(server.PAGE.format(address.replace("&", "&amp;")))
        page.goto(file.as_uri())
        page.wait_for_url(root)
        page.get_by_role("link", name="Runs", exact=True).click()
        page.wait_for_url(f"{root}runs")
        assert page.evaluate("document.cookie") == ""
        assert page.evaluate("document.referrer") in ("", root)
        (cookie,) = context.cookies()
        assert cookie["httpOnly"]
        assert cookie["sameSite"] == "Strict"
        assert cookie["value"] not in address
