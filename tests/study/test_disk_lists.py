"""Sequences longer than memory: what comes back is what was put in, and in order."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest

from tiltmeter.errors import RunError
from tiltmeter.records import Dropped, Pair, Prompt, Structure
from tiltmeter.sources.perturbations import Perturbed
from tiltmeter.study import disk_lists
from tiltmeter.study.disk_lists import DiskList, disk_list, doubled, ordered, packed, unpacker

FORM = Structure("s1", "interrogative", "cleft", "(ROOT)")
PAIR = Pair(
    "1",
    "file",
    "work",
    "nurse",
    ("He\nis\u2028a nurse", "She is \ud800"),
    ("men", "women"),
    group_spans=(((0, 2),), ()),
    neutral_texts=("a", "b"),
    structure=FORM,
)
PROMPT = Prompt("2", "file", "work", "cook", "The cook", word_sets=(("men", ("he",)),), subject_spans=((4, 8),))


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_lists, "LIMIT", 10)
    monkeypatch.setattr(disk_lists, "STRETCH", 7)
    monkeypatch.setattr(disk_lists, "_BLOCK", 4)


def test_few_items_are_a_tuple() -> None:
    assert disk_list(iter("abc")) == ("a", "b", "c")


@pytest.mark.usefixtures("low")
def test_many_items_are_a_sequence_like_any_other() -> None:
    items = [(number, f"text\n{number}", ((number, 1),)) for number in range(101)]
    found = disk_list(items)
    assert isinstance(found, DiskList)
    assert len(found) == 101
    assert list(found) == items
    for at in (0, 3, 4, 100, -1, -101):
        assert found[at] == items[at]
    for part in (slice(2, 9), slice(None, None, 5), slice(90, 500), slice(7, 7), slice(None, None, -1)):
        assert list(found[part]) == items[part]
    with pytest.raises(IndexError):
        found[101]
    found.append((0, "more", ()))
    assert found[101] == (0, "more", ())
    assert found[50] == items[50]


@pytest.mark.parametrize(
    "probe", [PAIR, PROMPT, Perturbed(PROMPT, "hidden", ((4, 8),)), Dropped("b", "o", "text", "reason")]
)
@pytest.mark.usefixtures("low")
def test_probes_come_back_as_they_were(probe: Pair | Prompt | Perturbed | Dropped) -> None:
    found = disk_list([probe] * 12)
    assert isinstance(found, DiskList)
    assert len(found) == 12 and set(found) == {probe}
    assert unpacker(type(probe))(packed(probe)) == probe


@pytest.mark.usefixtures("low")
def test_rows_are_put_in_the_order_of_python_each_once() -> None:
    draw = random.Random(3)
    signs = ["a", "B", "\0", "é", "\U0001f600", "\uffff", ""]
    rows = [(draw.choice(signs) * draw.randrange(3), draw.randrange(4), ((draw.randrange(2), 9),)) for _ in range(300)]
    assert list(ordered(rows)) == sorted(set(rows))
    assert list(ordered(rows[:5])) == sorted(set(rows[:5]))
    assert list(ordered(rows[:7])) == sorted(set(rows[:7]))
    assert not list(ordered([]))


@pytest.mark.usefixtures("low")
def test_the_first_name_that_stands_twice_is_found() -> None:
    names = [str(number) for number in range(50)]
    assert doubled(names) is None
    assert doubled([*names, "49", "31", "40"]) == "31"


@pytest.mark.usefixtures("low")
def test_a_folder_without_room_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(RunError, match="too large for memory cannot be stored there: .*; set TMPDIR"):
        disk_list(range(11))
