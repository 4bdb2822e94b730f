from __future__ import annotations

import hashlib
import json
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

from tests.models.api_server import listening
from tests.sources.datasets import prompt_samples, question_samples, samples
from tiltmeter.cli.data import app
from tiltmeter.errors import InvalidData, RunError, UnknownName, UserError
from tiltmeter.sources import datasets
from tiltmeter.sources.datasets import download

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
        known = datasets.DATASETS["crows-pairs"]
        changed = replace(known, files=(replace(known.files[0], url=url),))
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
    assert {one["name"] for one in listed if one["view"] == "pairs"} == {
        *("stereoset", "crows-pairs", "winobias", "winogender")
    }
    assert {one["name"] for one in listed if one["view"] == "continuations"} == {
        "bold",
        "honest",
        "real-toxicity-prompts",
        "holistic-bias",
    }
    assert all(file["url"].startswith("https://") for one in listed for file in one["files"])
    assert all(one["licence"] and one["origin"] and one["citation"] for one in listed)


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


@pytest.mark.parametrize(
    ("write", "name", "figure"),
    [
        (prompt_samples.bold, "bold", ("prompts", 10)),
        (prompt_samples.honest, "honest", ("prompts", 15)),
        (prompt_samples.toxicity, "real-toxicity-prompts", ("prompts", 5)),
        (prompt_samples.holistic, "holistic-bias", ("descriptors", 7)),
        (question_samples.bbq, "bbq", ("questions", 44)),
        (question_samples.winobias, "winobias", ("sentences", 10)),
        (question_samples.winogender, "winogender", ("sentences", 24)),
    ],
)
def test_check_recognises_a_folder_of_prompts(tmp_path, write, name, figure) -> None:
    write(tmp_path)
    (tmp_path / "A-README").write_text("about the data")
    found = json.loads(run("check", tmp_path, "--json").stdout)
    assert (found["data_set"], found[figure[0]]) == (name, figure[1])
    assert figure[0] in run("check", tmp_path).stdout


def test_check_looks_one_folder_deeper_and_refuses_to_choose(tmp_path) -> None:
    for name, write in (("b", prompt_samples.bold), ("h", prompt_samples.honest)):
        (tmp_path / name).mkdir()
        write(tmp_path / name)
    with pytest.raises(InvalidData, match=r"has several data sets \(bold, honest\); give the folder of one"):
        run("check", tmp_path)
    for file in (tmp_path / "h").iterdir():
        file.unlink()
    assert json.loads(run("check", tmp_path, "--json").stdout)["data_set"] == "bold"


def test_check_counts_a_table_of_prompts(tmp_path) -> None:
    usual = samples.write(tmp_path / "mine.csv", "text,group\nThe pilot ,mars\n")
    assert json.loads(run("check", usual, "--json").stdout)["by_group"] == {"mars": 1}
    other = samples.write(tmp_path / "other.csv", "words,planet\nThe pilot ,mars\n")
    found = json.loads(run("check", other, "--text", "words", "--group", "planet", "--json").stdout)
    assert (found["data_set"], found["ending_in_a_space"]) == ("prompts-file", 1)
    with pytest.raises(InvalidData, match="there is no column `word`; did you mean `words`"):
        run("check", other, "--text", "word", "--group", "planet")


def test_check_says_what_it_knows_when_it_does_not_know(tmp_path) -> None:
    with pytest.raises(InvalidData, match="is not a data set that tiltmeter can check; it knows CrowS-Pairs"):
        run("check", samples.write(tmp_path / "x.csv", "a,b\n1,2\n"))
    with pytest.raises(InvalidData, match="has no data set"):
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
    with pytest.raises(InvalidData, match="already exists and is damaged"):
        run("get", "crows-pairs", "--out", path.parent)
    assert path.read_text() == "broken"


@pytest.mark.parametrize(
    ("page", "error", "message"),
    [
        ("/cut", (RunError, UserError), "only 50 of|connection failed"),
        ("/other", RunError, "the download is not CrowS-Pairs: not a CrowS-Pairs file"),
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


@pytest.fixture
def bold(monkeypatch, tmp_path):
    """A server of our own with two files of BOLD, and the cache elsewhere."""
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "origin"
    home.mkdir()
    prompt_samples.bold(home)
    known = datasets.DATASETS["bold"]
    files = tuple(datasets.RemoteFile(file.name, file.as_uri()) for file in sorted(home.iterdir()))
    monkeypatch.setitem(datasets.DATASETS, "bold", replace(known, files=files))
    return home


def test_get_fetches_a_data_set_of_several_files(bold, tmp_path) -> None:
    found = json.loads(run("get", "bold", "--json").stdout)
    assert found["path"] == str(tmp_path / "cache" / "data" / "bold")
    assert found["sha256"] is None
    for one in found["files"]:
        assert one["sha256"] == hashlib.sha256((bold / one["path"].rpartition("/")[2]).read_bytes()).hexdigest()
    assert found["check"]["prompts"] == 10
    assert len(run("get", "bold").stdout.splitlines()) == 2
    assert not json.loads(run("get", "bold", "--json").stdout)["downloaded"]


def test_get_writes_none_of_several_files_when_one_is_not_right(bold, tmp_path) -> None:
    (bold / "gender_prompt.json").write_text("{}")
    with pytest.raises(RunError, match=r"gender_prompt\.json: the download is not BOLD"):
        run("get", "bold", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_get_leaves_a_folder_with_a_part_of_the_files_alone(bold, tmp_path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "gender_prompt.json").write_text("mine")
    with pytest.raises(InvalidData, match="already exists without the other files"):
        run("get", "bold", "--out", out)
    assert (out / "gender_prompt.json").read_text() == "mine"


def test_get_holds_to_what_came_first_and_refuses_anything_else(server, at, tmp_path, monkeypatch) -> None:
    at(server + "/whole")
    first, second = (json.loads(run("get", "crows-pairs", "--json").stdout) for _ in range(2))
    changed = CONTENT.replace(b".", b"!")
    path = tmp_path / "cache" / "data" / "crows-pairs" / "crows_pairs_anonymized.csv"
    # A copy in the cache that was changed is fetched anew; one of the user's own is not touched.
    path.write_bytes(changed)
    assert json.loads(run("get", "crows-pairs", "--json").stdout)["downloaded"]
    assert path.read_bytes() == CONTENT
    assert (first["noted"], second["noted"]) == (["crows_pairs_anonymized.csv"], [])
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / path.name).write_bytes(changed)
    with pytest.raises(InvalidData, match="SHA-256"):
        run("get", "crows-pairs", "--out", mine)
    assert (mine / path.name).read_bytes() == changed
    # The authors' file changes.
    monkeypatch.setattr(f"{__name__}.CONTENT", changed)
    with pytest.raises(RunError, match="SHA-256"):
        run("get", "crows-pairs", "--out", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    digest = hashlib.sha256(changed).hexdigest()
    with pytest.raises(RunError, match="SHA-256"):
        run("get", "crows-pairs", "--out", tmp_path / "new", "--sha256", "0" * 64)
    agreed = json.loads(
        run("get", "crows-pairs", "--out", tmp_path / "new", "--sha256", digest.upper(), "--json").stdout
    )
    assert agreed["sha256"] == digest


def test_get_refuses_what_is_not_what_we_pinned(server, at, tmp_path, monkeypatch) -> None:
    at(server + "/whole")
    known = datasets.DATASETS["crows-pairs"]
    for sha256, fits in ((hashlib.sha256(CONTENT).hexdigest(), True), ("0" * 64, False)):
        pinned = replace(known, files=(replace(known.files[0], url=f"{server}/whole", sha256=sha256),))
        monkeypatch.setitem(datasets.DATASETS, "crows-pairs", pinned)
        if fits:
            found = json.loads(run("get", "crows-pairs", "--json").stdout)
            assert (found["sha256"], found["noted"]) == (sha256, [])
        else:
            with pytest.raises(RunError, match="SHA-256"):
                run("get", "crows-pairs")


def test_get_gives_up_on_a_server_that_drips(at, tmp_path, monkeypatch) -> None:
    class Dripping(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            for _ in range(200):
                self.wfile.write(b"x")
                time.sleep(0.05)

        def log_message(self, *_: object) -> None:
            """Silence."""

    monkeypatch.setattr(download, "LONGEST", 0.3)
    with listening(Dripping) as url:
        at(url)
        with pytest.raises(RunError, match="within 0.3 seconds"):
            run("get", "crows-pairs", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
