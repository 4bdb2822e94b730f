"""Refusals by group: shares of what was asked for, and the difference between groups."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import MadeUp, make_rated_run
from tiltmeter.records import Decoding
from tiltmeter.results.summary.refusals import Outcome, Refusals, longest, refusal_rater, refusals_of
from tiltmeter.results.summary.texts import summarise_continuations

PLACE = ("m", "s", "b")
UNREAD = ("", "the text is Italian and the rater reads English")


def of(a: list[tuple[str, str | None, str]], b: list[tuple[str, str | None, str]]) -> Refusals:
    return refusals_of(PLACE, {"a": [Outcome(*one) for one in a], "b": [Outcome(*one) for one in b]}, ["a", "b"], None)


def world(draw: random.Random, origins: int, shares: tuple[float, float], samples: int = 4) -> Refusals:
    """Groups that share their origins; an origin is refused more or less often than others, for both groups."""
    items: dict[str, list[Outcome]] = {"a": [], "b": []}
    for origin in range(origins):
        more = draw.choice((0.5, 1.5))
        for group, share in zip(("a", "b"), shares, strict=True):
            items[group] += [
                Outcome("refusal" if draw.random() < more * share else "answer", None, f"o{origin}")
                for _ in range(samples)
            ]
    return refusals_of(PLACE, items, ["a", "b"], None)


def coverage(origins: int, shares: tuple[float, float], worlds: int, seed: int = 1) -> float:
    """How often the interval of the difference holds the true one."""
    draw, truth, held = random.Random(seed), shares[0] - shares[1], 0
    for _ in range(worlds):
        found = world(draw, origins, shares).pairs[0].difference
        assert found.low is not None and found.high is not None and -1 <= found.low <= found.high <= 1
        held += found.low <= truth <= found.high
    return held / worlds


def test_shares_are_of_all_that_was_asked_for() -> None:
    found = of(
        [("refusal", None, "x"), ("answer", None, "x"), ("empty", "the text is empty", "y"), (*UNREAD, "y")],
        [("answer", None, "x"), ("answer", None, "y")],
    )
    assert (found.groups["a"].refused, found.groups["a"].asked, found.groups["a"].share.value) == (1, 4, 0.25)
    assert found.groups["a"].missing == {"the text is empty": 1, UNREAD[1]: 1}
    assert (found.groups["a"].unknown, found.groups["a"].bounds) == (1, (0.25, 0.5))
    assert found.groups["b"].missing == {}
    assert (found.pairs[0].difference.value, found.pairs[0].bounds) == (0.25, (0.25, 0.5))


def test_each_way_of_asking_has_its_own_refusals() -> None:
    ways = [Decoding(), Decoding(form="chat"), Decoding(form="chat", system="Be careful.")]
    lengths = [replace(way, max_new_tokens=length) for way in ways for length in (10, 20)]
    found = summarise_continuations(make_rated_run(Path("nowhere"), decodings=lengths, raters=("refusal.v5",)))
    assert found
    assert [one.asking for one in found.refusals] == [{}, {"form": "chat"}, {"form": "chat", "system": "Be careful."}]
    one = summarise_continuations(make_rated_run(Path("nowhere"), decodings=lengths[:2], raters=("refusal.v5",)))
    assert one
    assert found.refusals[0].groups["women"].asked == one.refusals[0].groups["women"].asked, "each text counts once"
    turned, pair = found.refusals[0].pair("men", "women"), found.refusals[0].pair("women", "men")
    assert turned and pair and turned.difference.value == -(pair.difference.value or 0.0)
    assert turned.bounds == (-pair.bounds[1], -pair.bounds[0])


def test_a_group_of_which_nothing_could_be_read_has_no_share() -> None:
    found = of([(*UNREAD, "x")] * 3, [("refusal", None, "x")])
    assert found.groups["a"].share.value is None
    assert found.groups["a"].share.n_unscored == 3
    assert found.groups["a"].bounds == (0.0, 1.0)
    assert found.pairs[0].difference.value is None


def test_a_planted_difference_is_recovered() -> None:
    found = world(random.Random(3), 400, (0.30, 0.10)).pairs[0].difference
    assert found.value == pytest.approx(0.20, abs=0.03)
    assert found.p is not None and found.p < 0.001
    assert found.low is not None and found.high is not None and found.low < 0.20 < found.high


def test_no_interval_of_a_difference_leaves_what_shares_allow() -> None:
    every: list[Outcome] = [("refusal", None, f"o{n}") for n in range(6)]
    but_one: list[Outcome] = [("refusal", None, "o0"), *(("answer", None, f"o{n}") for n in range(1, 6))]
    for a, b in ((every, but_one), (but_one, every), (every, [("answer", None, f"o{n}") for n in range(6)])):
        found = of(a, b).pairs[0].difference
        assert found.low is not None and found.high is not None
        assert -1 <= found.low <= (found.value or 0) <= found.high <= 1


@pytest.mark.slow
@pytest.mark.parametrize("origins", [20, 50])
@pytest.mark.parametrize("shares", [(0.3, 0.1), (0.15, 0.15), (0.05, 0.02)])
def test_the_interval_of_the_difference_holds_the_truth_often_enough(origins: int, shares: tuple[float, float]) -> None:
    held = coverage(origins, shares, 300)
    print(f"refusal difference, {origins} origins, shares {shares}: coverage {held:.3f}")
    assert held >= 0.92


def test_of_texts_cut_to_several_lengths_the_longest_is_counted() -> None:
    ten, forty, cold = (Decoding(max_new_tokens=10), Decoding(max_new_tokens=40), Decoding(temperature=0.0))
    assert longest([ten, forty, cold]) == [forty, cold]


def test_refusals_of_an_older_run_are_read_by_their_own_rater() -> None:
    run = make_rated_run(Path("nowhere"), raters=("sentiment.vader.v1", "refusal.v2"))
    assert isinstance(run.continuations, MadeUp)
    assert refusal_rater(run.continuations) == "refusal.v2"
    found = summarise_continuations(run)
    assert found
    women = found.refusals[0].groups["women"]
    assert women.refused > 0
    assert found.cells[0].summary.groups["women"].unrated["the model declined to answer"] > 0


def test_of_two_refusal_raters_the_newer_counts() -> None:
    run = make_rated_run(Path("nowhere"), raters=("refusal.v2", "refusal.v5"))
    assert run.continuations
    assert refusal_rater(run.continuations) == "refusal.v5"
    found = summarise_continuations(run)
    assert found and len(found.refusals) == 1
