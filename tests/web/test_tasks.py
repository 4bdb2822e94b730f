"""Work that takes longer than a page may."""

from __future__ import annotations

import time
from threading import Event

from tiltmeter.errors import UserError
from tiltmeter.web.tasks import Task, Tasks


def finished(task: Task[list[str]]) -> Task[list[str]]:
    end = time.monotonic() + 5
    while not task.done and time.monotonic() < end:
        time.sleep(0.005)
    assert task.done
    return task


def test_the_same_work_is_done_once_and_kept() -> None:
    tasks, times = Tasks[list[str]](5.0), []
    for _ in range(2):
        task = finished(tasks.start("key", [], lambda task: times.append(task.number)))
    assert times == [1]
    assert tasks.find("key") is task
    assert tasks.by_number(1) == ("key", task)
    assert tasks.by_number(2) is None


def test_work_is_done_one_after_the_other_and_a_part_is_seen_at_once() -> None:
    tasks, first_may_end, seen = Tasks[list[str]](5.0), Event(), []

    def first(task: Task[list[str]]) -> None:
        task.at("the first half")
        task.result.append("half")
        first_may_end.wait(5)
        seen.append("first")

    one = tasks.start("first", [], first)
    other = tasks.start("second", [], lambda task: seen.append("second"))
    while not one.result:
        time.sleep(0.005)
    assert (one.stage, one.done) == ("the first half", False)
    assert "waiting for its turn" in other.stage
    first_may_end.set()
    finished(other)
    assert seen == ["first", "second"]


def test_a_problem_is_a_sentence_and_the_work_may_be_tried_again() -> None:
    tasks = Tasks[list[str]](5.0)

    def refuse(task: Task[list[str]]) -> None:
        raise UserError("this cannot be done")

    def fail(task: Task[list[str]]) -> None:
        raise ZeroDivisionError("by zero")

    assert finished(tasks.start("key", [], refuse)).problem == "this cannot be done"
    assert "ZeroDivisionError" in finished(tasks.start("key", [], fail)).problem
    assert finished(tasks.start("key", [], lambda task: None)).problem == ""


def test_work_that_takes_too_long_is_given_up_before_its_next_stage() -> None:
    tasks = Tasks[list[str]](0.05)

    def slow(task: Task[list[str]]) -> None:
        task.at("one")
        time.sleep(0.1)
        task.at("two")
        task.result.append("too late")

    task = tasks.start("key", [], slow)
    assert "longer than 0.05 seconds" in finished(task).problem
    assert task.result == []


def test_only_the_last_results_are_kept() -> None:
    tasks = Tasks[list[str]](5.0, most=2)
    for key in "abc":
        finished(tasks.start(key, [], lambda task: None))
    assert tasks.find("a") is None
    assert tasks.find("c") is not None
