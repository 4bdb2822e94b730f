"""What others send, serve or leave in a folder does no harm: the workbench and the command line, from outside."""

from __future__ import annotations

import http.client
import http.cookiejar
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")

from tests.cli.conftest import Command
from tests.models.api_server import START, Served, serving
from tests.outside.conftest import scripted
from tests.sources.datasets import prompt_samples

pytestmark = pytest.mark.slow

SECRET = "the secret of a file elsewhere"
STUDY = 'name = "mine"\nmodels = ["scripted"]\nspecs = ["gender-math-arts"]\n[pairs]\nsources = ["templates"]\n'
TEXTS = """\
name = "texts"
models = ["{model}"]
[continuations]
sources = [{{ own-prompts = {{ domain = "gender", per_group = 2 }} }}]
decoding = {{ temperature = 1.0, max_new_tokens = 4 }}
samples = {samples}
raters = ["sentiment.vader"]
"""


@dataclass
class Workbench:
    """`tiltmeter serve` as a process, and a browser that has opened the address which it printed."""

    address: str

    def __post_init__(self) -> None:
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.browser = urllib.request.build_opener(jar)
        self.root = self.address.partition("?")[0].rstrip("/")
        self.browser.open(self.address, timeout=60).read()

    def ask(self, path: str, fields: dict[str, str] | None = None, **headers: str) -> tuple[int, bytes]:
        data = urllib.parse.urlencode(fields).encode() if fields else None
        try:
            with self.browser.open(urllib.request.Request(self.root + path, data, headers), timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    @property
    def port(self) -> int:
        return urllib.parse.urlsplit(self.root).port or 80


@contextmanager
def serve(folder: Path) -> Iterator[Workbench]:
    command = [sys.executable, "-m", "tiltmeter", "serve", str(folder), "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            yield Workbench(server.stdout.readline().removeprefix("workbench: ").strip())
        finally:
            server.terminate()


def made_run(tiltmeter: Command, folder: Path) -> Path:
    (folder / "s.toml").write_text(STUDY, encoding="utf-8")
    assert tiltmeter("run", "s.toml", "--out", "runs/mine").status == 0
    return folder / "runs" / "mine"


def test_the_workbench_gives_nothing_to_whoever_did_not_open_its_address(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 16: another user of the machine knows the port, and nothing else."""
    made_run(tiltmeter, tmp_path)
    with serve(tmp_path) as bench:
        assert bench.ask("/runs")[0] == 200
        for method, path in (("GET", "/"), ("GET", "/runs"), ("GET", "/runs/mine/tables"), ("POST", "/studies")):
            line = http.client.HTTPConnection("127.0.0.1", bench.port, timeout=60)
            line.request(method, path)
            answer = line.getresponse()
            assert answer.status == 403, path
            assert b"mine" not in answer.read()


def test_links_in_a_run_folder_lead_nowhere(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 17: what a folder from elsewhere links to is not passed on."""
    run, elsewhere = made_run(tiltmeter, tmp_path), tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("shadow", "pairs.csv"):
        (elsewhere / name).write_text(SECRET)
    shutil.rmtree(run / "tables")
    (run / "tables").symlink_to(elsewhere)
    with serve(tmp_path) as bench:
        status, content = bench.ask("/runs/mine/tables")
    assert status < 500
    assert b"shadow" not in content


def test_a_changed_findings_file_is_not_believed(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 17: a verdict cannot be forged, and no changed value is an error."""
    findings = made_run(tiltmeter, tmp_path) / "findings.json"
    found = json.loads(findings.read_text(encoding="utf-8"))
    with serve(tmp_path) as bench:
        forged = {**found["page"], "title": "a forged verdict"}
        for page in (forged, "none", [7], {"block": "Document", "title": None}):
            found["page"] = page
            findings.write_text(json.dumps(found), encoding="utf-8")
            status, content = bench.ask("/runs/mine/results")
            assert b"a forged verdict" not in content
            assert status < 500


@dataclass
class Halving(Served):
    """A server that ends every text with half of a character."""

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, reply = super().reply(path, body)
        choice = reply["choices"][0]
        if "message" in choice:
            choice["message"]["content"] += "\ud800"
        else:
            choice["text"] += "\ud800"
        return status, reply


def test_half_a_character_from_a_server_ends_no_run(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 18: what cannot be written as text is replaced, and the run goes on."""
    with serving(Halving(scripted())) as url:
        (tmp_path / "s.toml").write_text(TEXTS.format(model=f"api:tested@{url}", samples=1), encoding="utf-8")
        done = tiltmeter("run", "s.toml", "--out", "r")
    assert done.status == 0, done.err
    assert "\ufffd" in (tmp_path / "r" / "tables" / "completions.csv").read_text(encoding="utf-8")


SPOILT: dict[str, Any] = {
    "bold": {"gender_prompt": {"actors": {"": ["She is an actor who "], "Zork": ["Zork is an actor who "]}}},
    "holistic-bias": {
        **prompt_samples.HOLISTIC,
        "descriptors": {"colour": {"warm": [{"descriptor": "orange", "preference": ["dispreferred"]}]}},
    },
}


@pytest.mark.parametrize("data", SPOILT)
def test_a_spoilt_data_set_is_read_or_refused_in_a_sentence(data: str, tiltmeter: Command, tmp_path: Path) -> None:
    """Line 18: never a mistake in tiltmeter, whatever the file holds."""
    (tmp_path / "d").mkdir()
    for name, content in SPOILT[data].items():
        (tmp_path / "d" / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    for command in (("data", "check", "d"), ("rephrase", "prompts", f"{data}:d", "--by", "scripted", "--out", "o.csv")):
        done = tiltmeter(*command)
        assert done.status in (0, 2), done.err


def test_as_many_samples_as_nobody_can_have_meant_are_refused(tmp_path: Path) -> None:
    """Line 19: a plan that cannot end is not begun."""
    (tmp_path / "s.toml").write_text(TEXTS.format(model="scripted", samples=10**12), encoding="utf-8")
    done = ended(tmp_path, 30, "run", "s.toml", "--out", "r")
    assert done == 2
    assert not (tmp_path / "r").exists()


def test_a_text_of_many_emoji_is_rated(tmp_path: Path) -> None:
    """Line 19: work grows with a text, not with its square, which would take ten minutes here."""
    (tmp_path / "t.csv").write_text("text\n" + "😀" * 40_000 + "\n", encoding="utf-8")
    assert ended(tmp_path, 120, "rate", "t.csv", "--rater", "sentiment.vader", "--out", "o.csv") == 0


def ended(folder: Path, seconds: float, *arguments: str) -> int | None:
    """How a command ended; None: it had to be stopped."""
    command = [sys.executable, "-m", "tiltmeter", *arguments]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, timeout=seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        return None


def test_a_connection_that_sends_no_whole_request_is_closed(tmp_path: Path) -> None:
    """Line 20: whoever only begins to speak does not hold the line."""
    with serve(tmp_path) as bench, socket.create_connection(("127.0.0.1", bench.port), timeout=45) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        try:
            while line.recv(4096):
                pass
            closed = True
        except TimeoutError:
            closed = False
    assert closed


def test_a_link_to_a_chat_behind_an_api_asks_nothing(tmp_path: Path) -> None:
    """Line 20: what stops `api:` stops `chat:api:`, also where that model was asked before."""
    served = Served(scripted(), answer=lambda _: "A nurse.")
    with serving(served) as url, serve(tmp_path) as bench:
        model = f"chat:api:tested@{url}?start={START}"
        token = re.search(rb"hx-headers='([^']*)'", bench.ask("/playground")[1])
        assert token is not None
        headers = {**json.loads(token[1]), "Origin": bench.root, "HX-Request": "true"}
        question = {"kind": "prompt", "text": "The nurse said that", "words": "he, she", "model": model}
        status, answer = bench.ask("/playground/ask", question, **headers)
        assert status == 200
        while again := re.search(rb"/playground/answers/\d+", answer):
            time.sleep(0.1)
            answer = bench.ask(again[0].decode(), **headers)[1]
        before = len(served.asked)
        other = urllib.parse.urlencode({**question, "text": "The engineer said that"})
        page = bench.ask(f"/playground?{other}")[1]
    assert before
    assert b'hx-trigger="load"' not in page


def test_findings_are_worked_out_where_nobody_can_be_nice(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 20: Windows has no `os.nice`."""
    run = made_run(tiltmeter, tmp_path)
    (run / "findings.json").unlink()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import os\n\ndel os.nice\n")
    paths = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "tiltmeter.web.findings_process", str(run)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (run / "findings.json").is_file()


@dataclass
class Newer(Served):
    """A chat server that takes `max_completion_tokens` alone, and says so in one way or another."""

    status: int = 400
    message: str = ""

    def models(self) -> dict[str, Any]:
        return {"data": [{"id": "tested"}]}

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if "max_tokens" in body:
            self.asked.append(body)
            return self.status, {"error": {"message": self.message, "param": "max_tokens"}}
        return super().reply(path, body)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (404, "max_tokens is not supported by the model `tested`"),
        (404, "The model `tested` does not exist with 'max_tokens'; use 'max_completion_tokens' instead."),
        (501, "max_tokens: not implemented"),
        (400, "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
    ],
)
def test_a_server_is_asked_in_the_form_that_it_takes(
    status: int, message: str, tiltmeter: Command, tmp_path: Path
) -> None:
    """Line 21: a parameter that is not taken is no model that is not there."""
    served = Newer(scripted(), completions=False, answer=lambda _: "kind.", status=status, message=message)
    with serving(served) as url:
        (tmp_path / "s.toml").write_text(
            TEXTS.format(model=f"chat:api:tested@{url}?longest_wait=0.01", samples=1), encoding="utf-8"
        )
        done = tiltmeter("run", "s.toml", "--out", "r", "--json")
    assert done.status == 0, done.err
    assert all(cell["groups"]["female"]["n"] > 0 for cell in done.json["continuations"]["cells"])
    assert "max_completion_tokens" in served.asked[-1]
