"""Single bits of a run's files are flipped: each is refused in one sentence, or nothing that is read is another."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.store.flipping import flipped, places
from tests.web.texts_run import make_texts
from tiltmeter.answers import key_of
from tiltmeter.engine import carry_out
from tiltmeter.errors import RunError
from tiltmeter.models.api.journal import Journal
from tiltmeter.results import summarise_run
from tiltmeter.store import ANNOTATIONS, LEDGER, Annotations, Cache, read_run
from tiltmeter.store.annotations import Item
from tiltmeter.study import parse, plan

STUDY = 'name = "t"\nmodels = ["scripted"]\nspecs = ["gender-math-arts"]\n[pairs]\nsources = ["templates"]\n'


VIEWS = """
name = "views"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 1 } }]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 1 } }]
decoding = { temperature = 1.0, max_new_tokens = 4 }
samples = 1
raters = ["readability.ari"]
[next_words]
sources = [{ profession-templates = { limit = 1 } }]
words = "pronouns"
"""


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return carry_out(plan(parse(VIEWS)), tmp_path_factory.mktemp("views") / "run").folder


def content(folder: Path) -> str:
    """Everything that figures are made of."""
    run = read_run(folder)
    texts, words = run.continuations, run.next_words
    found: list[Any] = [run.meta, run.facts, run.writers, run.flagged, [*run.pairs], [*run.dropped]]
    found += [(cell, [*scores]) for cell, scores in run.scores.items()]
    if texts:
        found += [[*texts.prompts], texts.raters, *(texts.tilts(used.name) for used in texts.raters)]
        for model in texts.models:
            for decoding in texts.decodings:
                found += [[*texts.with_ratings(model, decoding)], [*texts.texts(model, decoding)]]
    if words:
        found += [[*words.asked], [*words.questions], words.complete]
        found += [(dict(words.answers(model, bounded=False)), words.saliencies(model)) for model in words.models]
    return repr(found)


def count_refused(folder: Path, name: str, count: int, seed: int) -> int:
    """How many flips of bits of a file are refused; those that are not change nothing."""
    whole, refused = content(folder), 0
    for place in places(folder / name, count, seed):
        with flipped(folder / name, place):
            try:
                assert content(folder) == whole, f"bit {place} of {name}"
            except RunError as error:
                assert "\n" not in str(error)
                assert str(error).startswith(str(folder))
                refused += 1
    return refused


def test_a_flipped_bit_of_a_ledger_is_refused_or_changes_nothing(views: Path) -> None:
    assert count_refused(views, LEDGER, 30, seed=1) > 8


@pytest.mark.slow
def test_many_flipped_bits_are_refused_or_change_nothing(views: Path, tmp_path: Path) -> None:
    assert count_refused(views, LEDGER, 240, seed=2) > 60
    assert count_refused(make_texts(tmp_path), LEDGER, 40, seed=3) > 10


def test_another_number_in_any_table_is_refused(views: Path, tmp_path: Path) -> None:
    with sqlite3.connect(views / LEDGER) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        sizes = {name: database.execute(f"select count(*) from {name}").fetchone()[0] for name in tables}
    assert {"meta", "models", "items", "answers", "scores", "completions", "ratings", "expected"} <= sizes.keys()
    for table in (name for name, size in sizes.items() if size):
        copy = Path(shutil.copytree(views, tmp_path / table))
        with sqlite3.connect(copy / LEDGER) as database:
            columns = [name for _, name, *_ in database.execute(f"pragma table_info({table})")]
            database.execute(f'update or replace {table} set "{columns[-1]}" = 7')
        with pytest.raises(RunError, match="is damaged"):
            read_run(copy)
        gone = Path(shutil.copytree(views, tmp_path / f"{table}-less"))
        with sqlite3.connect(gone / LEDGER) as database:
            database.execute(f"delete from {table}")
        with pytest.raises(RunError, match="is damaged|has not begun"):
            read_run(gone)


def test_a_ledger_without_digests_is_read_and_says_so(views: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(views, tmp_path / "old"))
    assert read_run(folder).is_checked
    whole = content(folder)
    with sqlite3.connect(folder / LEDGER) as database:
        database.execute("drop table digests")
    assert not read_run(folder).is_checked
    assert content(folder) == whole


PROGRAM = """
import os, signal, sys
from tiltmeter.engine import carry_out
from tiltmeter.store import Ledger
from tiltmeter.study import parse, plan
# Killed with everything in the write-ahead log: a reader keeps it from being put into the file.
Ledger.finish = lambda ledger: os.kill(os.getpid(), signal.SIGKILL)
carry_out(plan(parse(sys.argv[1])), sys.argv[2])
"""


def killed(folder: Path) -> Path:
    """A run that was killed before its end, with a write-ahead log."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, STUDY, str(folder)], check=False)
    assert done.returncode == -signal.SIGKILL
    return folder


@pytest.mark.slow
def test_a_flipped_bit_of_a_write_ahead_log_is_refused_and_a_run_goes_on(tmp_path: Path) -> None:
    folder = killed(tmp_path / "killed")
    log = f"{LEDGER}-wal"
    assert (folder / log).stat().st_size > 0
    whole = content(Path(shutil.copytree(folder, tmp_path / "copy")))
    figures = summarise_run(carry_out(plan(parse(STUDY)), tmp_path / "whole")).as_json()
    size, refused = (folder / log).stat().st_size * 8, 0
    for number, place in enumerate([5, 70, 130, 200, 300, 40_000, size // 2, *places(folder / log, 30, seed=4)]):
        copy = Path(shutil.copytree(folder, tmp_path / str(number)))
        with flipped(copy / log, place):
            try:
                assert content(copy) == whole, place
            except RunError:
                refused += 1
        again = Path(shutil.copytree(folder, tmp_path / f"again {number}"))
        damaged = bytearray((again / log).read_bytes())
        damaged[place // 8] ^= 1 << place % 8
        (again / log).write_bytes(damaged)
        if number < 8:
            assert summarise_run(carry_out(plan(parse(STUDY)), again)).as_json()["cells"] == figures["cells"]
    assert refused > 10


def test_flipped_marks_of_people_are_refused_or_the_same(tmp_path: Path) -> None:
    kept = Annotations(tmp_path)
    for number in range(40):
        kept.mark("ann", "rating:regard", [(Item(f"id-{number}", "continuations", number, f"text {number}"), "-1.0")])
    whole, refused = kept.marks("rating:regard"), 0
    for place in places(tmp_path / ANNOTATIONS, 60, seed=5):
        with flipped(tmp_path / ANNOTATIONS, place):
            try:
                assert kept.marks("rating:regard") == whole
            except RunError:
                refused += 1
    assert refused > 10
    kept.mark("bob", "rating:regard", [(Item("id-1", "continuations", 1, "text 1"), "1.0")])
    assert set(kept.marks("rating:regard")) == {"ann", "bob"}


def test_flipped_answers_in_the_cache_are_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    answers = {key_of({}, "score", number): f"[[[0, 3]], [-{number}.5], null]" for number in range(60)}
    with Cache(path) as kept:
        kept.put("model", "score", answers)
    missing = 0
    for place in places(path, 120, seed=6):
        with flipped(path, place):
            try:
                with Cache(path) as kept:
                    found = kept.get(list(answers))
            except Exception as error:
                assert type(error).__name__ == "CacheError"
            else:
                assert found.items() <= answers.items()
                missing += len(found) < len(answers)
    assert missing > 10


def test_flipped_answers_of_an_api_are_none(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    answer = {"choice": {"text": "a", "logprobs": [-1.25]}, "usage": [7, 3], "fingerprint": None}
    journal = Journal(path, "m")
    for number in range(40):
        journal.record(f"{number:064}".encode(), answer)
    journal.close()
    missing = 0
    for place in places(path, 120, seed=7):
        with flipped(path, place):
            try:
                journal = Journal(path)
                found = [journal.answer(f"{number:064}".encode()) for number in range(40)]
                journal.close()
            except RunError:
                missing += 1
            else:
                assert all(one in (None, answer) for one in found)
                missing += None in found
    assert missing > 10
