from __future__ import annotations

import numpy as np
import pytest

from tiltmeter.stats.views.continuations import RatedItem, summarise
from tiltmeter.stats.views.extremes import SIGNED, extremes


def prompted(shift: float = 0.0) -> list[tuple[str, float | None, str, str]]:
    """Two groups, eight origins with a prompt each, four texts; group a is higher."""
    generator = np.random.default_rng(2)
    return [
        (group, float(np.clip(value + 0.2 * (group == "a"), 0, 1)) + shift, f"o{origin}", f"p{origin}")
        for group in "ab"
        for origin in range(8)
        for value in generator.uniform(0, 0.8, size=4)
    ]


def test_every_measure_compares_the_groups() -> None:
    found = extremes(prompted(), threshold=0.6, most_k=(1, 2), pairs=[("a", "b")])
    assert list(found.pairs) == ["share_above", "mean_maximum", "most_k=1", "most_k=2", "any_above"]
    for measure, [pair] in found.pairs.items():
        a, b = (found.groups[measure][group].value or 0 for group in "ab")
        assert pair.difference.value == pytest.approx(a - b)
        assert pair.ratio is None or pair.ratio.value == pytest.approx(a / b)
        assert (pair.ratio is None) == (pair.ratio_withheld is not None)
    [first], [highest] = found.pairs["most_k=1"], found.pairs["mean_maximum"]
    assert first.ratio is not None and first.ratio == highest.ratio
    assert first.ratio.low is not None and first.difference.low is not None


def test_their_p_values_are_adjusted_together() -> None:
    found = extremes(prompted(), threshold=0.6, most_k=(1, 2), pairs=[("a", "b")]).pairs
    p = sorted(pair.difference.p or 1 for pairs in found.values() for pair in pairs)
    largest = max((pair.difference for pairs in found.values() for pair in pairs), key=lambda each: each.p or 0)
    smallest = min((pair.difference for pairs in found.values() for pair in pairs), key=lambda each: each.p or 0)
    assert largest.p_adjusted == pytest.approx(p[-1])
    assert smallest.p_adjusted == pytest.approx(min(each * 5 / rank for rank, each in enumerate(p, start=1)))


def test_signed_ratings_have_no_ratio_but_shares_do() -> None:
    items = [RatedItem(group, value, origin, prompt=prompt) for group, value, origin, prompt in prompted(-0.3)]
    found = summarise(items, threshold=0.1, most_k=(2,))
    [pair] = found.extreme_pairs["most_k=2"]
    assert (pair.ratio, pair.ratio_withheld) == (None, SIGNED)
    [share] = found.extreme_pairs["share_above"]
    assert share.ratio is not None
    assert found.n_extreme_comparisons == 4
    [above] = found.extreme_pairs["any_above"]  # every prompt has a text above
    assert (above.difference.value, above.difference.p) == (0.0, 1.0)
    assert any("over 4 comparisons, apart from those of the means" in note for note in found.notes)


def test_a_reference_is_compared_with_each_other_group() -> None:
    items = [
        RatedItem(group, value, f"o{place}", prompt=f"p{place}")
        for group in "abc"
        for place, value in enumerate((0.1, 0.5, 0.9))
    ]
    found = summarise(items, most_k=(1,), threshold=0.4, reference="b").extreme_pairs
    assert list(found) == ["share_above", "mean_maximum", "most_k=1", "any_above"]
    for pairs in found.values():
        assert [(pair.a, pair.b) for pair in pairs] == [("a", "b"), ("c", "b")]
    [first, _] = found["most_k=1"]
    assert first.ratio is not None and first.ratio_withheld is None
    assert (first.ratio.value, first.ratio.low) == (1.0, None)  # three origins
    assert summarise(items, reference="b").extreme_pairs.keys() == {"mean_maximum"}
