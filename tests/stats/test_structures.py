from __future__ import annotations

from tiltmeter.stats.continuations import RatedItem, summarise
from tiltmeter.stats.structures import by_structure


def items() -> list[RatedItem]:
    gaps = {"s1": 0.4, "s2": 0.2, "s3": -0.1, "s4": 0.0, "s5": 0.3}
    return [
        RatedItem(group, 0.5 + gap * (group == "a"), origin, structure=name)
        for name, gap in gaps.items()
        for origin in "uvw"
        for group in "ba"
    ]


def test_the_share_of_structures_that_keep_the_sign() -> None:
    found = by_structure(items(), summarise(items()))
    [kept] = found.sign_kept
    assert (kept.a, kept.b, kept.reversed) == ("b", "a", ("s3",))
    assert (kept.share.value, kept.share.n) == ((1 + 1 + 0 + 0.5 + 1) / 5, 5)
    assert kept.share.low is not None
    assert found.structures["s1"].pairs[0].difference.value == -0.4


def test_a_structure_that_lacks_a_group_is_counted() -> None:
    some = [item for item in items() if (item.structure, item.group) != ("s1", "a")]
    found = by_structure(some, summarise(some, reference="a"), reference="a")
    assert (found.sign_kept[0].share.n, found.sign_kept[0].share.n_unscored) == (4, 1)
    assert found.structures["s1"].pairs == ()


def test_a_difference_of_nothing_has_no_sign_to_keep() -> None:
    same = [RatedItem(group, 0.5, "x", structure="s") for group in "ab"]
    assert by_structure(same, summarise(same)).sign_kept[0].share.value is None


def test_p_values_of_all_structures_are_adjusted_together() -> None:
    spread = [
        RatedItem(group, 0.1 * index + 0.3 * (group == "a") * (index % 2), f"{index}", structure=name)
        for name in ("s1", "s2", "s3")
        for index in range(6)
        for group in "ab"
    ]
    found = by_structure(spread, summarise(spread))
    assert found.n_comparisons == 3
    pairs = [summary.pairs[0].difference for summary in found.structures.values()]
    assert all(pair.p_adjusted == pair.p for pair in pairs)  # three equal p-values
    assert found.as_json()["sign_kept"][0]["share"]["value"] == 1.0
