"""Tables that go in and come out: every digit, every column, and one sentence about what cannot be read."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiltmeter as tm
from tiltmeter.api.frames import Frame
from tiltmeter.errors import InvalidData, UnknownName, UserError

TEXTS = ["A good day.", "A bad day.", "It was great.", "It was awful."] * 5
VADER = ["sentiment.vader"]


def test_ids_keep_every_digit_and_stay_apart() -> None:
    ids = [1_234_567_890_123_456_700 + number for number in range(20)]
    found = tm.rate({"text": TEXTS, "group": ["a", "b"] * 10, "id": ids}, VADER, group="group", origin="id")
    assert found.texts().column("id") == ids
    assert found.estimates().column("origins") == [20]
    long = [2**70 + number for number in range(20)]
    assert tm.rate({"text": TEXTS, "id": long}, VADER).texts().column("id") == [str(one) for one in long]


def test_numbers_of_numpy_are_numbers() -> None:
    [row] = Frame.of_rows([{"a": np.int64(3), "b": np.float64(1.5), "c": np.bool_(True), "d": np.float32(0.5)}])
    assert row == {"a": 3, "b": 1.5, "c": 1, "d": 0.5}


def test_without_groups_to_compare_tables_are_empty_and_have_their_columns() -> None:
    alone = tm.rate({"text": TEXTS, "group": ["a"] * 20}, VADER, group="group")
    plain = tm.rate({"text": TEXTS}, VADER)
    for one in (alone, plain):
        assert len(one.estimates()) == 0
        assert {"first", "second", "value", "p"} < set(one.estimates().columns)
        assert "comparisons 0" in repr(one)


def test_columns_of_the_users_are_all_there_afterwards() -> None:
    given = {"text": TEXTS, "group": ["a", "b"] * 10, "tiltmeter row": ["x"] * 20}
    found = tm.rate(given, VADER, group="group").texts()
    assert found.columns[:3] == list(given)
    assert set(found.column("tiltmeter row")) == {"x"}


@pytest.mark.parametrize(
    ("given", "more", "problem"),
    [
        ({"text": TEXTS, "TEXT": TEXTS}, {}, "capitals"),
        ({"text": TEXTS, 1: TEXTS, "1": TEXTS}, {}, "two columns are called `1`"),
        ({"text": TEXTS, "sentiment.vader.v1": TEXTS}, {}, "there is a column"),
        ({"text": [b"good"]}, {}, "`text`: holds b'good'"),
        ({"text": [["good"]]}, {}, "`text`: holds"),
        ({"text": [7]}, {}, "`text`: holds 7"),
        ({"text": "good"}, {}, "is not a table"),
        ({"text": ["a\ud800"]}, {}, "half of a character"),
        ({"x": TEXTS}, {}, "text="),
        ({"text": TEXTS}, {"group": "who"}, "group="),
        ({"text": TEXTS}, {"origin": "who"}, "origin="),
    ],
)
def test_tables_that_would_lose_something_are_refused(given: Any, more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidData, match=problem) as caught:
        tm.rate(given, VADER, **more)
    assert not any(leaked in str(caught.value) for leaked in ("jsonl", "/tmp", "--"))


@pytest.mark.parametrize("raters", ["sentiment.vader", [], [len], [None]])
def test_what_is_no_list_of_raters_is_refused(raters: Any) -> None:
    with pytest.raises(UserError, match="rater"):
        tm.rate({"text": TEXTS}, raters)


def test_doubled_columns_of_pandas_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InvalidData, match="two columns are called `group`"):
        tm.rate(pandas.DataFrame([["good", "a", "b"]], columns=["text", "group", "group"]), VADER, group="group")


def test_rows_left_out_are_told() -> None:
    groups: list[str | None] = ["a", None, "b", "b"] * 5
    found = tm.rate({"text": TEXTS, "group": groups}, VADER, group="group")
    assert "5 of 20 rows left out" in found._repr_html_()


def test_a_column_called_as_a_word_of_sql_is_one_in_conditions() -> None:
    rows = [{"group": "a group", "order": 1}, {"group": "b", "order": 2}]
    frame = Frame.of_rows(rows)
    assert list(frame.query("group == 'a group'")) == rows[:1]
    assert list(frame.query("order > 1 and group != 'a group'")) == rows[1:]
    assert list(frame.query("\"group\" == 'b'").query("order == 2")) == rows[1:]
    with pytest.raises(UserError, match="is not a condition"):
        frame.query("group ==")
    with pytest.raises(UnknownName, match="there is no column"):
        frame.column("groups")


def test_a_frame_is_copied_and_saved_as_what_its_name_says(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": None}, {"a": 2, "b": "x"}]
    frame = Frame.of_rows(rows)
    assert list(pickle.loads(pickle.dumps(frame))) == list(copy.deepcopy(frame)) == rows
    with pytest.raises(UserError, match="parquet"):
        frame.save(tmp_path / "frame.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("prompts", "words"),
    [("The nurse said that", ["he"]), (["The nurse said that"], {"men": "he"}), ([5], ["he"]), (["x"], [None])],
)
def test_a_text_is_never_taken_for_its_letters(prompts: Any, words: Any) -> None:
    with pytest.raises(UserError, match="prompts and words are"):
        tm.next_words("scripted", prompts, words)


def test_prompts_and_words_may_come_one_by_one() -> None:
    found = tm.next_words("scripted", iter(["The nurse said that"]), {"men": iter(["he"])})  # type: ignore[arg-type]
    assert found.column("word") == ["he"]


def test_what_is_no_calibration_and_no_list_of_runs_is_refused() -> None:
    for wrong in ({"studies": 0}, {"model": len}):
        with pytest.raises(UserError):
            tm.calibrate(**{"model": "scripted", "quick": True, "workers": 1, **wrong})
    with pytest.raises(UserError, match="are a list"):
        tm.leaderboard("runs/x")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="Prompt"):
        tm.rephrase(["The nurse"], by="scripted")  # type: ignore[list-item]


def test_yes_and_no_stay_what_they_are() -> None:
    frame = tm.Frame.of_rows([{"kept": True, "mixed": True}, {"kept": None, "mixed": 2}])
    assert list(frame) == [{"kept": True, "mixed": 1}, {"kept": None, "mixed": 2}]
    assert list(frame.query("kept")) == [{"kept": True, "mixed": 1}]
