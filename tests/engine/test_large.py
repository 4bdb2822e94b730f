"""Studies whose items are not held in memory: they say the same as those whose items are, and hold a batch."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.engine import carry_out, continuations, next_words, rating, run, scoring
from tiltmeter.results import summarise_run
from tiltmeter.results.tables import export_items, write_tables
from tiltmeter.store import Ledger, Run
from tiltmeter.store.rows import Rows
from tiltmeter.study import Plan, disk_lists, parse, plan
from tiltmeter.study.disk_lists import DiskList

MODEL = "[weights]\nhe = 1\nshe = 1\nart = 0\nmath = 1\nnice = 2\nother = 4\n"
STUDY = """
name = "large"
models = ["scripted:model.toml"]
[pairs]
sources = ["pairs-file:pairs.csv"]
scorers = ["sum", "mean"]
[continuations]
sources = ["prompts-file:prompts.csv", { "prompts-file:prompti.csv" = { language = "it" } }]
decoding = { temperature = 1.0, max_new_tokens = [2, 4] }
samples = 2
raters = ["sentiment.vader"]
[next_words]
sources = ["prompts-file:open.csv"]
words = { art = ["art"], math = ["math"] }
perturbations = ["original", "person", "openers"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Texts that stand twice, pairs that cannot be scored, rows that hold nothing, texts that no rater reads."""
    files = {
        "model.toml": MODEL,
        "study.toml": STUDY,
        "pairs.csv": "sentence_1,sentence_2\nsame,same\n"
        + "".join(f"he likes {'art' if n % 5 else 'math'} {n % 40},she likes math {n}\n" for n in range(90)),
        "prompts.csv": "text,group,origin\n,men,o\n"
        + "".join(f"Number {n % 30} is,{'men' if n % 2 else 'women'},o {n}\n" for n in range(70)),
        "prompti.csv": "text,group,origin\n" + "".join(f"Numero {n} è,men,o {n}\n" for n in range(9)),
        "open.csv": "text,profession\n" + "".join(f"The clerk of house {n % 50} likes,clerk\n" for n in range(80)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "study.toml"


def unheld(folder: Path) -> Run:
    with Ledger(folder, read_only=True) as ledger:
        return ledger.run(held=0)


def planned(study: Path) -> Plan:
    return plan(parse(study.read_text(encoding="utf-8"), file=study))


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is more than a few is in a file."""
    monkeypatch.setattr(disk_lists, "LIMIT", 8)
    monkeypatch.setattr(disk_lists, "STRETCH", 10)
    monkeypatch.setattr(scoring, "CHUNK", 7)
    small_batches(monkeypatch)


def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, size in ((scoring, 16), (continuations, 12), (next_words, 16), (rating, 32)):
        monkeypatch.setattr(module, "BATCH", size)


def test_a_plan_in_a_file_is_the_plan_in_memory(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = planned(study)
    monkeypatch.setattr(disk_lists, "LIMIT", 8)
    filed = planned(study)
    for name in ("pairs", "prompts", "asked"):
        assert isinstance(getattr(held, name), tuple)
        assert isinstance(getattr(filed, name), DiskList)
        assert tuple(getattr(filed, name)) == getattr(held, name)
    assert tuple(filed.dropped) == tuple(held.dropped)
    assert [one.reason for one in held.dropped] == ["the two sentences are the same", "line 2: nothing under `text`"]
    assert filed.fingerprint == held.fingerprint


@pytest.mark.slow
def test_a_run_from_files_is_the_run_in_memory(study: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with pytest.MonkeyPatch.context() as patch:
        small_batches(patch)
        held = carry_out(planned(study), tmp_path / "held")
    request.getfixturevalue("low")
    carry_out(planned(study), tmp_path / "filed")
    filed = unheld(tmp_path / "filed")
    assert isinstance(filed.pairs, Rows)
    assert tuple(filed.pairs) == held.pairs
    assert {cell: tuple(scores) for cell, scores in filed.scores.items()} == held.scores
    assert filed.next_words and held.next_words and filed.continuations and held.continuations
    assert tuple(filed.next_words.asked) == held.next_words.asked
    assert tuple(filed.next_words.questions) == held.next_words.questions
    name = held.next_words.models[0]
    answers = [one.next_words.answers(name, bounded=False) for one in (filed, held) if one.next_words]
    assert answers[0] == answers[1] and list(answers[0]) == list(answers[1])
    assert -1 not in answers[0]
    for tables in (lambda run, to: write_tables(run, summarise_run(run), to), export_items):
        parts = [tables(run, tmp_path / f"{run.folder.name}-tables") for run in (filed, held)]
        for one, other in zip(*parts, strict=True):
            assert Path(one).read_bytes() == Path(other).read_bytes(), one


class Counting:
    """A watcher that adds up what it is told, and stops the work after so many steps."""

    def __init__(self, most: int = 10**9) -> None:
        self.found: dict[str, list[int]] = {}
        self.left = most

    def start(self, what: str, total: int, done: int) -> None:
        self.stage = self.found[what] = [done, 0]

    def advance(self, steps: int, failed: int | None = None) -> None:
        self.stage[0] += steps
        self.stage[1] += failed or 0
        self.left -= steps
        if self.left < 0:
            raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.usefixtures("low")
def test_failures_are_those_of_the_whole_run_however_often_it_was_stopped(study: Path, tmp_path: Path) -> None:
    whole = Counting()
    carry_out(planned(study), tmp_path / "whole", progress=whole)
    failed = [failures for _, failures in whole.found.values()]
    assert len(failed) == 5 and sum(map(bool, failed)) >= 2
    told: dict[str, list[int]] = {}
    stops = 0
    for _ in range(100):
        watcher = Counting(most=60)
        try:
            carry_out(planned(study), tmp_path / "stopped", progress=watcher)
            break
        except KeyboardInterrupt:
            stops += 1
        finally:
            told |= watcher.found
    assert stops > 4
    assert told == whole.found


@pytest.mark.slow
def test_memory_does_not_grow_with_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held in memory, twice the pairs take twice the memory."""
    monkeypatch.setattr(disk_lists, "LIMIT", 100)
    monkeypatch.setattr(disk_lists, "STRETCH", 200)
    monkeypatch.setattr(scoring, "CHUNK", 100)
    monkeypatch.setattr(run, "read_run", unheld)
    (tmp_path / "model.toml").write_text(MODEL, encoding="utf-8")
    peaks = []
    for count in (100, 2_400, 4_800):
        rows = "".join(f"he likes math in house number {n},she likes math in house number {n}\n" for n in range(count))
        (tmp_path / "pairs.csv").write_text(f"sentence_1,sentence_2\n{rows}", encoding="utf-8")
        text = 'name = "m"\nmodels = ["scripted:model.toml"]\n[pairs]\nsources = ["pairs-file:pairs.csv"]\n'
        peaks.append(_peak(text, tmp_path, f"run {len(peaks)}"))
    # The first run also imports what all need.
    assert peaks[2] < 1.2 * peaks[1]


def _peak(text: str, folder: Path, name: str) -> Any:
    tracemalloc.start()
    made = plan(parse(text, file=folder / "study.toml"))
    run = carry_out(made, folder / name)
    assert sum(1 for _ in run.scores.popitem()[1]) == len(made.pairs)  # type: ignore[attr-defined]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak
