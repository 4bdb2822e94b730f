from __future__ import annotations

import math

import numpy as np
import pytest

from tiltmeter.stats.arrays import Array
from tiltmeter.stats.structures.means import StructureMeans, structure_means
from tiltmeter.stats.structures.robustness import (
    Cosines,
    half_splits,
    signs_kept,
    single_cosines,
    split_cosines,
    stability,
    subsets,
)
from tiltmeter.stats.views.continuations import RatedItem


def table(means: list[list[float]] | Array, counts: list[list[float]] | None = None) -> StructureMeans:
    values = np.array(means, dtype=float)
    texts = np.ones(values.shape) if counts is None else np.array(counts, dtype=float)
    groups = tuple("abcdef"[: values.shape[1]])
    return StructureMeans(
        tuple(map(str, range(len(values)))), groups, values * texts, texts, float(np.max(np.abs(values)))
    )


def test_cosines_worked_by_hand() -> None:
    three = table([[3, 4], [4, 3], [-4, 3]])
    # (3,4)·(4,3) = 24, (3,4)·(−4,3) = 0, (4,3)·(−4,3) = −7, each over 25; centred, they point −, + and −.
    found = single_cosines(three)
    assert (found.plain, found.centred) == (pytest.approx(17 / 75), pytest.approx(-1 / 3))
    # Splits: {0} against the mean of 1 and 2, (0, 3): 4/5; {1} against (−½, 3½); {2} against (3½, 3½).
    halves = [4 / 5, (4 * -0.5 + 3 * 3.5) / (5 * math.hypot(0.5, 3.5)), (-4 + 3) / (5 * math.sqrt(2))]
    split, splits = split_cosines(three)
    assert (split.plain, splits) == (pytest.approx(sum(halves) / 3), 3)


def test_the_cosine_is_blind_to_an_offset_that_all_groups_share() -> None:
    generator = np.random.default_rng(0)
    noise = generator.normal(size=(30, 6))  # no structure agrees with another
    near, far = single_cosines(table(noise)), single_cosines(table(noise + 50))
    assert near.plain == pytest.approx(0, abs=0.1)
    assert far.plain is not None and far.plain > 0.999
    assert near.centred == pytest.approx(far.centred, abs=1e-9)
    halves_near, _ = split_cosines(table(noise))
    halves_far, _ = split_cosines(table(noise + 50))
    assert halves_far.plain is not None and halves_far.plain > 0.999
    assert halves_near.centred == pytest.approx(halves_far.centred, abs=1e-9)
    assert halves_near.centred is not None and halves_near.centred < 0.9


def test_a_vector_of_zeros_has_no_cosine() -> None:
    found = single_cosines(table([[0, 0], [1, 2], [2, 2]]))
    assert (found.plain, found.centred, found.without) == (pytest.approx(6 / math.sqrt(40)), None, (1, 2))
    assert single_cosines(table([[0, 0], [1, 2]])).plain is None
    assert split_cosines(table([[0, 0], [1, 2]])) == (Cosines(None, None, (1, 1)), 1)
    assert split_cosines(table([[1, 2]])) == (Cosines(None, None), 0)


def test_halves_are_over_texts_which_is_over_structures_where_all_have_as_many() -> None:
    generator = np.random.default_rng(1)
    means = generator.normal(size=(10, 4))
    equal, _ = split_cosines(table(means, np.full((10, 4), 7).tolist()))
    assert equal.plain == pytest.approx(split_cosines(table(means))[0].plain)
    counts = generator.integers(1, 30, size=(10, 4)).tolist()
    over_texts, _ = split_cosines(table(means, counts))
    assert over_texts.plain != pytest.approx(equal.plain)
    [halves] = half_splits(10)
    weights = np.array(counts)
    by_hand = []
    for half in halves.astype(bool):
        first, second = (np.average(means[side], axis=0, weights=weights[side]) for side in (half, ~half))
        by_hand.append(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
    assert over_texts.plain == pytest.approx(np.mean(by_hand))


def test_all_splits_where_there_are_few_and_random_ones_otherwise() -> None:
    [every] = half_splits(12)
    assert len(every) == math.comb(12, 6) // 2
    assert len({tuple(row) for row in np.vstack([every, 1 - every])}) == math.comb(12, 6)
    [odd] = half_splits(5)
    assert len(odd) == 10 and set(odd.sum(axis=1)) == {2.0}
    [random] = half_splits(13, seed=3)
    assert random.shape == (1000, 13) and set(random.sum(axis=1)) == {6.0}
    assert np.array_equal(random, next(half_splits(13, seed=3)))
    assert not np.array_equal(random, next(half_splits(13, seed=4)))
    assert sum(map(len, half_splits(20_000))) == 1000  # in parts, and no more than that
    [some] = subsets(40, 5)
    assert some.shape == (5000, 40) and set(some.sum(axis=1)) == {5.0}
    assert np.abs(some.mean(axis=0) - 5 / 40).max() < 0.03  # every structure is drawn as often


def test_the_curve_ends_where_the_structures_do() -> None:
    gaps = np.array([[1.0, 0.0]] * 14 + [[0.0, 0.5]] * 7)
    curve = stability(table(gaps), {("a", "b"): 0.5})
    assert curve.k == (1, 2, 5, 10, 20)
    assert curve.draws == (21, 210, 5000, 5000, 21)
    shares = curve.agreeing["a", "b"]
    assert shares[0] == 14 / 21
    assert shares[1] == pytest.approx(1 - math.comb(7, 2) / math.comb(21, 2))  # +1 and −½ is still +
    assert shares == tuple(sorted(shares)) and shares[-1] == 1.0


def test_a_share_of_few_structures_has_no_interval() -> None:
    found = signs_kept(table([[1, 0], [2, 0], [3, 0], [0, 1]]), {("a", "b"): 1.25})["a", "b"]
    assert (found.share.value, found.share.low) == (0.75, None)
    assert found.share.note == "no interval: fewer than 5 structures"


def test_the_table_of_means_leaves_out_what_is_unscored() -> None:
    items = [
        RatedItem("a", 1.0, "x", structure="s"),
        RatedItem("a", None, "x", structure="s"),
        RatedItem("b", 0.5, "x", structure="s"),
        RatedItem("b", None, "x", structure="t"),
        RatedItem("a", 9.0, "x"),
    ]
    found = structure_means(items, ["a", "b"])
    assert sorted(found.structures) == ["s", "t"]
    assert found.complete().structures == ("s",)
    assert found.complete().means.tolist() == [[1.0, 0.5]]
