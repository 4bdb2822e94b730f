from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

from tests.sources.datasets import samples
from tiltmeter.cli.data import app
from tiltmeter.errors import InvalidData, RunError, UnknownName, UserError
from tiltmeter.sources import datasets

CONTENT = samples.CROWS_PAIRS.encode()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/missing":
            self.send_error(404)
            return
        self.send_response(200)
        if self.path != "/without-length":
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write({"/cut": CONTENT[:50], "/other": b"<html>".ljust(len(CONTENT))}.get(self.path, CONTENT))

    def log_message(self, *_: object) -> None:
        """Silence."""


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.fixture
def at(monkeypatch, tmp_path):
    """Point the data set crows-pairs, and the cache, elsewhere."""
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    def point(url: str) -> None:
        changed = replace(datasets.DATASETS["crows-pairs"], url=url)
        monkeypatch.setitem(datasets.DATASETS, "crows-pairs", changed)

    return point


def run(*words: object):
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def test_list_shows_licence_and_origin() -> None:
    assert "CC BY-SA 4.0" in run("list").stdout
    listed = json.loads(run("list", "--json").stdout)
    assert {one["name"] for one in listed} == {"stereoset", "crows-pairs"}
    assert all(one["url"].startswith("https://") and one["citation"] for one in listed)


@pytest.mark.parametrize(
    ("file", "content", "name"),
    [("a.json", samples.stereoset(), "stereoset"), ("b.csv", samples.CROWS_PAIRS, "crows-pairs")],
)
def test_check_recognises_a_file_and_its_folder(tmp_path, file, content, name) -> None:
    written = samples.write(tmp_path / file, content)
    (tmp_path / "A-README").write_text("about the data")
    for place in (written, tmp_path):
        found = json.loads(run("check", place, "--json").stdout)
        assert (found["data_set"], found["file"]) == (name, str(written))
    assert "by" in run("check", tmp_path).stdout


def test_check_says_what_it_knows_when_it_does_not_know(tmp_path) -> None:
    with pytest.raises(InvalidData, match="is not a data set that tiltmeter can check; it knows CrowS-Pairs"):
        run("check", samples.write(tmp_path / "x.csv", "a,b\n1,2\n"))
    with pytest.raises(InvalidData, match="holds no data set"):
        run("check", tmp_path)
    with pytest.raises(InvalidData, match="no such file or folder"):
        run("check", tmp_path / "nothing")


@pytest.mark.parametrize("page", ["/whole", "/without-length"])
def test_get_downloads_checks_and_prints_the_digest(server, at, tmp_path, page) -> None:
    at(server + page)
    found = json.loads(run("get", "crows-pairs", "--json").stdout)
    path = tmp_path / "cache" / "data" / "crows-pairs" / "crows_pairs_anonymized.csv"
    assert found["path"] == str(path)
    assert path.read_bytes() == CONTENT
    assert found["sha256"] == hashlib.sha256(CONTENT).hexdigest()
    assert found["check"]["pairs"] == 2


def test_get_keeps_a_sound_copy_and_asks_nothing_of_the_network(server, at, tmp_path) -> None:
    at(server + "/whole")
    run("get", "crows-pairs", "--out", tmp_path / "mine")
    at("http://127.0.0.1:9/nobody")
    done = run("get", "crows-pairs", "--out", tmp_path / "mine")
    assert "nothing was downloaded" in done.stderr
    assert done.stdout.startswith(hashlib.sha256(CONTENT).hexdigest())


def test_get_replaces_a_broken_copy_in_the_cache_but_never_the_user_s_file(server, at, tmp_path) -> None:
    at(server + "/whole")
    path = tmp_path / "cache" / "data" / "crows-pairs" / "crows_pairs_anonymized.csv"
    path.parent.mkdir(parents=True)
    path.write_text("broken")
    assert json.loads(run("get", "crows-pairs", "--json").stdout)["downloaded"]
    path.write_text("broken")
    with pytest.raises(InvalidData, match="already there, and not sound"):
        run("get", "crows-pairs", "--out", path.parent)
    assert path.read_text() == "broken"


@pytest.mark.parametrize(
    ("page", "error", "message"),
    [
        ("/cut", (RunError, UserError), "only 50 of|connection failed"),
        ("/other", RunError, "what came is not CrowS-Pairs: not a CrowS-Pairs file"),
        ("/missing", UserError, "the server answered 404"),
    ],
)
def test_get_writes_nothing_when_what_came_is_not_whole(server, at, tmp_path, *, page, error, message) -> None:
    at(server + page)
    with pytest.raises(error, match=message):
        run("get", "crows-pairs", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_get_says_so_when_nobody_answers(at, tmp_path) -> None:
    at("http://127.0.0.1:9/nobody")
    with pytest.raises(UserError, match="cannot be reached"):
        run("get", "crows-pairs", "--out", tmp_path / "out")
    with pytest.raises(UnknownName, match="did you mean `crows-pairs`"):
        run("get", "crows-pair")
