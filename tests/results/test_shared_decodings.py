"""An overall line over decodings counts those decodings of a prompt that both sides have, and says what is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.present.completions import DECODINGS, MadeUp, make_rated_run
from tiltmeter.records import Continuation, Rating
from tiltmeter.results.compare.records import ComparedView
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.store import Run

RATER = "sentiment.vader.v1"


class Lacking(MadeUp):
    """Nothing is rated of one prompt under one decoding, and of another under both."""

    def _rating(self, model: str, one: Continuation, rater: str) -> Rating:
        lost = {"opener 3": DECODINGS[1:2], "opener 4": DECODINGS[:2]}.get(one.prompt.origin, ())
        return Rating(rater, None, "lost") if one.decoding in lost else super()._rating(model, one, rater)


def run_of(folder: str, *, lacking: bool, model: str) -> Run:
    choices = {"models": (model,), "decodings": DECODINGS[:2], "raters": (RATER,)}
    run = make_rated_run(Path(folder), **choices)
    settings = {"samples": 4, "sources": [], "reference": []}
    meta = {**run.meta, "resolved": {**run.meta["resolved"], "continuations": settings}}
    texts = Lacking(**choices) if lacking else run.continuations  # type: ignore[arg-type]
    return replace(run, meta=meta, continuations=texts)


def compared(lacks_a: bool, lacks_b: bool) -> ComparedView:
    runs = [run_of("a", lacking=lacks_a, model="alpha-135m"), run_of("b", lacking=lacks_b, model="beta-1b")]
    [view] = compare_runs(runs).views
    return view


def test_both_sides_count_the_same_decodings_of_a_prompt() -> None:
    [one], [both], [whole] = (compared(*lacks).overall for lacks in ((True, False), (True, True), (False, False)))
    assert one.difference.value == both.difference.value != whole.difference.value
    assert (one.found.a.value, one.found.b.value) == (both.found.a.value, both.found.b.value)


def test_what_is_left_out_is_counted_and_said() -> None:
    view = compared(True, False)
    [one] = view.overall
    whole = compared(False, False).overall[0]
    # Of either group one prompt has no value at all, and one a value under one decoding.
    assert (one.partial, one.difference.n_unscored, one.difference.n) == (2, 2, whole.difference.n - 2)
    assert (whole.partial, whole.difference.n_unscored) == (0, 0)
    assert one.as_json()["partial"] == 2
    assert any("for 2 of 22 prompts a decoding" in reason for reason in view.left_out)
    assert compared(False, False).left_out == ()
