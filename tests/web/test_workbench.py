"""Names of requests are looked up, and never become paths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.web.bench import opened
from tiltmeter.errors import UserError
from tiltmeter.store import LEDGER
from tiltmeter.web.workbench import NotThere, Workbench, checked_name

HOSTILE = (
    "../secret",
    "..",
    ".",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "a\0b",
    "con.toml",
    "",
    " ",
    "Große",
    "a--b",
    "-a",
    "x" * 81,
)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    (tmp_path / "secret.toml").write_text("outside", encoding="utf-8")
    return Workbench(tmp_path / "bench")


def test_what_was_written_is_found(bench: Workbench) -> None:
    bench.write_spec("gender-at-work", "name = 1")
    bench.write_study("first-look", "name = 2")
    assert bench.spec("gender-at-work").read_text(encoding="utf-8") == "name = 1"
    assert bench.study("first-look").read_text(encoding="utf-8") == "name = 2"
    assert list(bench.specs()) == ["gender-at-work"]
    assert list(bench.studies()) == ["first-look"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_is_no_plain_one_is_neither_read_nor_written(bench: Workbench, name: str) -> None:
    bench.write_spec("there", "x")
    for look_up in (bench.spec, bench.study, bench.run):
        with pytest.raises(NotThere, match="there is no"):
            look_up(name)
    for write in (bench.write_spec, bench.write_study):
        with pytest.raises(UserError, match="small letters, digits and single hyphens"):
            write(name, "text")
    with pytest.raises(UserError, match="cannot be the name of a run"):
        bench.new_run(name)
    assert sorted(path.name for path in bench.folder.rglob("*")) == ["specs", "there.toml"]


def test_files_that_others_put_there_are_found_whatever_their_name(bench: Workbench) -> None:
    names = ["<img src=x onerror=alert(1)>", "a b; rm -rf", "Zoë’s “spec”", "..hidden"]
    (bench.folder / "specs").mkdir(parents=True)
    for name in names:
        (bench.folder / "specs" / f"{name}.toml").write_text(name, encoding="utf-8")
    assert sorted(bench.specs()) == sorted(names)
    for name in names:
        assert bench.spec(name).read_text(encoding="utf-8") == name


def test_runs_are_folders_with_a_ledger_the_newest_first(bench: Workbench) -> None:
    import os

    for number, name in enumerate(["old", "new"]):
        ledger = bench.folder / "runs" / name / "ledger.sqlite"
        ledger.parent.mkdir(parents=True)
        ledger.touch()
        os.utime(ledger, (number, number))
    (bench.folder / "runs" / "no-run").mkdir()
    (bench.folder / "runs" / "file").touch()
    assert list(bench.runs()) == ["new", "old"]


@pytest.mark.parametrize("inside", ["runs/mine", "mine"])
def test_a_run_folder_is_a_workbench_of_one_run(tmp_path: Path, inside: str) -> None:
    folder = tmp_path / inside
    folder.mkdir(parents=True)
    (folder / "ledger.sqlite").touch()
    bench = Workbench(folder)
    assert bench.runs() == {"mine": folder}
    assert bench.home == tmp_path


def test_a_name_is_kept_as_it_is() -> None:
    assert checked_name("spec", "a1-b2") == "a1-b2"


def test_a_name_that_is_not_utf_8_is_left_out_of_the_lists_and_told(tmp_path: Path) -> None:
    try:
        for noun in ("specs", "studies"):
            (tmp_path / noun).mkdir()
            (tmp_path / noun / os.fsdecode(b"od\xff.toml")).write_text('name = "x"', encoding="utf-8")
            (tmp_path / noun / "fine.toml").write_text('name = "fine"', encoding="utf-8")
        (tmp_path / "runs" / os.fsdecode(b"od\xff")).mkdir(parents=True)
        (tmp_path / "runs" / os.fsdecode(b"od\xff") / LEDGER).touch()
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")
    client = opened(tmp_path)
    for page in ("/", "/specs", "/specs/new", "/studies", "/studies/new?preset=prefers-small", "/runs", "/compare"):
        answer = client.get(page)
        assert answer.status_code == 200, page
        told = "its name is not UTF-8: <code>od\\xff" in answer.text
        assert told == (page in ("/specs", "/studies", "/runs")), page
    assert "/studies/fine" in client.get("/studies").text


def test_a_workbench_whose_folder_has_such_a_name_works(tmp_path: Path) -> None:
    home = tmp_path / os.fsdecode(b"od\xff")
    try:
        home.mkdir()
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")
    assert "od\\udcff" in opened(home).get("/").text


@pytest.mark.parametrize(
    "text",
    [
        '[pairs]\nsources = ["pairs-file:FILE"]',
        '[continuations]\nsources = ["prompts-file:FILE"]\nsamples = 1\nraters = ["sentiment.vader"]',
        '[next_words]\nsources = ["prompts-file:FILE"]\nwords = "he-she"',
        'specs = ["FILE"]\n[pairs]\nsources = ["templates"]',
    ],
)
@pytest.mark.parametrize("ending", ["", ".csv", ".json", ".jsonl", ".toml", ".tsv"])
def test_nothing_is_quoted_from_a_file_that_a_study_names_elsewhere(tmp_path: Path, text: str, ending: str) -> None:
    home, other = tmp_path / "bench", tmp_path / "other"
    other.mkdir()
    (home / "studies").mkdir(parents=True)
    secret = other / f"shadow{ending}"
    secret.write_text("root:hunter2:19000\nuser,hunter2 = 2\n")
    (home / "link").symlink_to(other)
    for path in (str(secret), f"../../other/shadow{ending}", f"../link/shadow{ending}"):
        study = f'name = "x"\nmodels = ["scripted"]\n{text}'.replace("FILE", path)
        for page in ("/studies/check?from=toml", "/studies/plan", "/studies/start"):
            answer = opened(home).post(page, data={"toml": study, "run": "x", "expected": "new"})
            assert "hunter2" not in answer.text
            assert answer.status_code < 500
