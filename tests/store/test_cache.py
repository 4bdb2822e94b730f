from __future__ import annotations

import multiprocessing
import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tiltmeter import answers
from tiltmeter.answers import key_of
from tiltmeter.errors import UserError
from tiltmeter.records import Completion, NextWord, NextWords, Rating, Saliency, TokenScores
from tiltmeter.store import Cache, CacheError, size_from
from tiltmeter.store.cache import DAY


@pytest.fixture
def kept(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "answers.sqlite")


def keys(count: int, start: int = 0) -> list[bytes]:
    return [key_of({"weights": "abc"}, "score", number) for number in range(start, start + count)]


def test_what_was_kept_is_found_and_nothing_else(kept: Cache) -> None:
    one, other = keys(2)
    kept.put("gpt2", "score", {one: "[1]"})
    assert kept.get([one, other]) == {one: "[1]"}


def test_more_keys_than_a_question_to_the_database_can_hold(kept: Cache) -> None:
    every = keys(3_000)
    kept.put("gpt2", "score", {key: str(number) for number, key in enumerate(every)})
    assert kept.get(every) == {key: str(number) for number, key in enumerate(every)}


def test_an_answer_that_is_there_stays_as_it_is(kept: Cache) -> None:
    [key] = keys(1)
    kept.put("gpt2", "score", {key: "first"})
    kept.put("gpt2", "score", {key: "second"})
    assert kept.get([key]) == {key: "first"}


@pytest.mark.parametrize(
    "other",
    [
        ({"weights": "abd"}, "score", ["text"]),
        ({"weights": "abc", "dtype": "float16"}, "score", ["text"]),
        ({"weights": "abc"}, "complete", ["text"]),
        ({"weights": "abc"}, "score", ["Text"]),
        ({"weights": "abc"}, "score", "text"),
    ],
)
def test_all_that_an_answer_depends_on_is_in_its_key(other: tuple[dict[str, str], str, object]) -> None:
    assert key_of(*other) != key_of({"weights": "abc"}, "score", ["text"])


def test_the_order_of_facts_makes_no_other_key() -> None:
    assert key_of({"a": 1, "b": 2}, "score", "x") == key_of({"b": 2, "a": 1}, "score", "x")


def test_half_of_a_surrogate_pair_has_a_key() -> None:
    assert key_of({}, "score", "a\ud800b") != key_of({}, "score", "ab")


def test_info_counts_by_who_and_verb(kept: Cache) -> None:
    first, second, third = keys(3)
    kept.put("gpt2", "score", {first: "1", second: "2"})
    kept.put("opt", "complete", {third: "3"})
    found = kept.info()
    assert found.subjects == (("gpt2", "score", 2), ("opt", "complete", 1))
    assert found.answers == 3 and found.size > 0


def test_beyond_its_limit_what_was_used_least_lately_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Cache(tmp_path / "answers.sqlite", limit=400_000)
    today = time.time()
    old, used, new = keys(100), keys(100, 100), keys(300, 200)
    monkeypatch.setattr(time, "time", lambda: today - 9 * DAY)
    kept.put("gpt2", "score", dict.fromkeys([*old, *used], "x" * 1_000))
    monkeypatch.setattr(time, "time", lambda: today - 2 * DAY)
    assert len(kept.get(used)) == 100
    monkeypatch.setattr(time, "time", lambda: today)
    kept.put("gpt2", "score", dict.fromkeys(new, "y" * 500))
    assert kept.size <= 400_000
    assert not kept.get(old)
    assert len(kept.get(new)) == 300


def test_prune_by_age_and_by_size(kept: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    today = time.time()
    monkeypatch.setattr(time, "time", lambda: today - 40 * DAY)
    kept.put("gpt2", "score", dict.fromkeys(keys(50), "x" * 1_000))
    monkeypatch.setattr(time, "time", lambda: today)
    kept.put("gpt2", "score", dict.fromkeys(keys(50, 50), "x" * 1_000))
    assert kept.prune(unused_for=30) == 50
    assert kept.prune(unused_for=30) == 0
    before = kept.path.stat().st_size
    assert kept.prune(to=0) == 50
    assert kept.info().answers == 0
    assert kept.path.stat().st_size < before


def write_many(path: Path, start: int) -> None:
    with Cache(path) as kept:
        for number in range(start, start + 400, 10):
            kept.put("gpt2", "score", dict.fromkeys(keys(10, number), "x" * 200))
            kept.get(keys(50))


def test_two_processes_may_use_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    context = multiprocessing.get_context("spawn")
    # Half of what the second writes, the first writes as well.
    others = [context.Process(target=write_many, args=(path, start)) for start in (0, 200)]
    for one in others:
        one.start()
    for one in others:
        one.join(60)
    assert [one.exitcode for one in others] == [0, 0]
    with Cache(path) as kept:
        assert len(kept.get(keys(600))) == 600


def test_threads_take_turns(kept: Cache) -> None:
    def work(start: int) -> int:
        for number in range(start, start + 200, 5):
            kept.put("gpt2", "score", dict.fromkeys(keys(5, number), "x"))
            kept.get(keys(20, start))
        return len(kept.get(keys(200, start)))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, (0, 100, 200, 300))) == [200] * 4
    assert kept.info().answers == 500


def test_a_file_that_is_no_cache_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(CacheError, match=r"answers.sqlite: the cache of answers cannot be used \(.*\); remove it"):
        Cache(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CacheError, match="cannot be used"):
        Cache(tmp_path / "deep" / "answers.sqlite")


def test_a_batch_that_fails_leaves_nothing(kept: Cache) -> None:
    first, second = keys(2)
    with pytest.raises(AttributeError):
        kept.put("gpt2", "score", {first: "1", second: None})  # type: ignore[dict-item]
    assert kept.get([first, second]) == {}
    kept.put("gpt2", "score", {first: "1"})
    assert kept.info().subjects == (("gpt2", "score", 1),)


def test_the_limit_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE_LIMIT", "1.5 GB")
    assert Cache(tmp_path / "a.sqlite").limit == 1_500_000_000
    monkeypatch.setenv("TILTMETER_CACHE_LIMIT", "much")
    with pytest.raises(UserError, match="'much' is not a size; write e.g. 500MB or 2GB"):
        Cache(tmp_path / "b.sqlite")


@pytest.mark.parametrize("text", ["", "GB", "-1MB", "5 XB", "1,5GB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not a size"):
        size_from(text)


@pytest.mark.parametrize(
    ("how", "answer"),
    [
        (answers.SCORES, TokenScores(((0, 3), (3, 9)), (None, -0.1 - 0.2))),
        (answers.SCORES, TokenScores(unscored="the text is empty")),
        (
            answers.NEXT_WORDS,
            NextWords((NextWord("York", -1.25, None, ((("York City",), 0.1),)), NextWord("x", None, "why")), 0.3, 0.1),
        ),
        (answers.NEXT_WORDS, NextWords((NextWord("he", 1 / 3),))),
        (
            answers.COMPLETIONS,
            [
                Completion(" “a” nurse\n", 3, "end", 2, (2, 8, 11)),
                Completion("", 0, "unwritten", 0, (), "no room"),
            ],
        ),
        (answers.COMPLETIONS, []),
        (answers.SALIENCY, Saliency("he", "gradient-x-input", ((0, 3),), (-1e-300,), (5e-324,), 0.25)),
        (answers.RATING, Rating("regard.v1", -1.0, None, "so", "negative")),
        (answers.TEXT, "<|im_start|>"),
    ],
)
def test_what_is_packed_and_unpacked_is_the_same(how: answers.Packing[object], answer: object) -> None:
    assert how.unpack(how.pack(answer)) == answer


def test_a_damaged_page_is_said_as_that(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with Cache(path) as kept:
        kept.put("gpt2", "score", dict.fromkeys(keys(2_000), "x" * 500))
    sqlite3.connect(path).execute("pragma wal_checkpoint(truncate)").fetchall()
    content = bytearray(path.read_bytes())
    content[8192 : len(content) // 2] = os.urandom(len(content) // 2 - 8192)
    path.write_bytes(bytes(content))
    with Cache(path) as kept, pytest.raises(CacheError, match="cannot be used"):
        kept.get(keys(2_000))


@pytest.mark.parametrize("spoilt", [b"\x00\x01", 5, 0.5])
def test_an_answer_that_is_no_text_any_more_is_none(kept: Cache, spoilt: object) -> None:
    one, other = keys(2)
    kept.put("gpt2", "score", {one: "[1]", other: "[2]"})
    with sqlite3.connect(kept.path) as database:
        database.execute("update answers set answer = cast(? as blob) where key = ?", (spoilt, one))
        database.execute("update answers set answer = ? where key = ? and typeof(?) != 'blob'", (spoilt, one, spoilt))
    assert kept.get([one, other]) == {other: "[2]"}
