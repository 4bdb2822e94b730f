from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tiltmeter.errors import RunError, UserError
from tiltmeter.store import ANNOTATIONS, Annotations
from tiltmeter.store.annotations import Item, Mark, Scale, annotator_name

TASK = "rating:regard"


def item(number: int) -> Item:
    return Item(f"id-{number}", "continuations", number, f"text {number}", "woman", "math")


@pytest.fixture
def kept(tmp_path: Path) -> Annotations:
    return Annotations(tmp_path)


@pytest.fixture
def say(kept: Annotations) -> Callable[..., None]:
    def put(who: str, number: int, value: str | None, *, aware: bool = False) -> None:
        kept.mark(who, TASK, [(item(number), value)], aware=aware)

    return put


def values(marks: dict[str, Mark]) -> dict[str, str | None]:
    return {id_: mark.value for id_, mark in marks.items()}


def test_a_folder_without_annotations_has_none_and_gets_no_file(kept: Annotations):
    assert kept.marks(TASK) == {}
    assert kept.tasks() == []
    assert kept.queues() == []
    assert not kept.path.exists()


def test_the_last_mark_counts_and_earlier_ones_stay_in_the_log(kept: Annotations, say: Callable[..., None]):
    say("ann", 1, "-1.0")
    say("ann", 1, "1.0")
    say("bob", 1, "0.0")
    assert {who: values(own) for who, own in kept.marks(TASK).items()} == {
        "ann": {"id-1": "1.0"},
        "bob": {"id-1": "0.0"},
    }
    with sqlite3.connect(kept.path) as log:
        assert log.execute("select count(*) from marks").fetchone() == (3,)


def test_a_skipped_text_is_seen_but_not_judged(kept: Annotations, say: Callable[..., None]):
    say("ann", 1, "1.0")
    say("ann", 1, None)
    say("ann", 2, None)
    assert kept.marks(TASK) == {}
    assert values(kept.own("ann", TASK)) == {"id-1": None, "id-2": None}


def test_taking_back_goes_step_by_step_to_what_was_before(kept: Annotations, say: Callable[..., None]):
    say("ann", 1, "-1.0")
    say("ann", 1, "1.0")
    say("bob", 9, "0.0")
    say("ann", 2, None)
    assert kept.undo("ann", TASK) == "id-2"
    assert kept.undo("ann", TASK) == "id-1"
    assert values(kept.own("ann", TASK)) == {"id-1": "-1.0"}
    assert kept.undo("ann", TASK) == "id-1"
    assert kept.own("ann", TASK) == {}
    assert kept.undo("ann", TASK) is None
    assert values(kept.own("bob", TASK)) == {"id-9": "0.0"}


def test_a_mark_after_taking_back_counts_again(kept: Annotations, say: Callable[..., None]):
    say("ann", 1, "-1.0")
    kept.undo("ann", TASK)
    say("ann", 1, "0.0")
    assert values(kept.own("ann", TASK)) == {"id-1": "0.0"}


def test_marks_made_with_others_in_sight_are_not_blind(kept: Annotations, say: Callable[..., None]):
    say("ann", 1, "-1.0")
    say("ann", 1, "1.0", aware=True)
    say("bob", 1, "1.0", aware=True)
    assert values(kept.marks(TASK, blind=True)["ann"]) == {"id-1": "-1.0"}
    assert "bob" not in kept.marks(TASK, blind=True)
    assert values(kept.marks(TASK)["ann"]) == {"id-1": "1.0"}


def test_many_writers_at_once_lose_nothing(kept: Annotations, say: Callable[..., None]):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: say(f"a{at % 4}", at, "0.0"), range(24)))
    marks = kept.marks(TASK)
    assert sum(map(len, marks.values())) == 24
    assert {len(own) for own in marks.values()} == {6}


def test_all_marks_of_a_sheet_are_kept_or_none(kept: Annotations):
    bad = Item("id-2", "continuations", 2, None)  # type: ignore[arg-type]
    with pytest.raises(RunError):
        kept.mark("ann", "issues", [(item(1), "I1"), (bad, "I2")])
    kept.mark("ann", "issues", [(item(3), "")])
    assert values(kept.marks("issues")["ann"]) == {"id-3": ""}


def test_a_kind_has_one_scale_in_a_run(kept: Annotations):
    scale = Scale("toxicity", 0, 1)
    kept.keep_scale(scale)
    kept.keep_scale(scale)
    assert kept.scales() == {"toxicity": scale}
    with pytest.raises(UserError, match="`toxicity` is rated as 0 to 1"):
        kept.keep_scale(Scale("toxicity", 1, 5))


def test_a_value_must_be_on_the_scale():
    steps = Scale("regard", -1, 1, (-1.0, 0.0, 1.0))
    assert steps.checked(-1.0) == -1.0
    with pytest.raises(UserError, match="one of −1, 0, 1"):
        steps.checked(0.5)
    with pytest.raises(UserError, match="from 0 to 1"):
        Scale("toxicity", 0, 1).checked(float("nan"))


def test_queues_come_back_newest_first_with_their_items(kept: Annotations):
    first = kept.add_queue(TASK, "two texts", [item(1), item(2)])
    second = kept.add_queue("issues", "one text", [item(3)], aware=True)
    newest, oldest = kept.queues()
    assert (newest.number, newest.aware, newest.items) == (second, True, (("id-3", "continuations", 3),))
    assert (oldest.number, oldest.about, len(oldest.items)) == (first, "two texts", 2)


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\x00b", "a\u202eb"])
def test_an_annotator_has_a_name_that_can_be_read(name: str):
    with pytest.raises(UserError, match="give your name"):
        annotator_name(name)


def test_a_file_that_is_something_else_is_refused_in_a_sentence(tmp_path: Path):
    (tmp_path / ANNOTATIONS).write_bytes(b"not a database at all, but long enough to look like a file of some kind")
    with pytest.raises(RunError):
        Annotations(tmp_path).marks(TASK)


def test_who_has_seen_others_marks_is_not_blind_any_more(kept: Annotations, say: Callable[..., None]):
    say("ann", 1, "-1.0")
    say("ann", 1, "0.0", aware=True)
    say("ann", 1, "1.0")
    assert values(kept.marks(TASK, blind=True)["ann"]) == {"id-1": "-1.0"}
    assert values(kept.marks(TASK)["ann"]) == {"id-1": "1.0"}
