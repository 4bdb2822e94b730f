from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tiltmeter.stats.views.pairs import PairItem, summarise


def item(bias: str, attribute: str | None, value: float | None, attribute_set: str | None = None, **more) -> PairItem:
    return PairItem(bias, attribute, attribute_set, value, **more)


WORKED = [
    # work: math (1 + 0)/2, physics 1, art 0 (and one unscored), dance ½
    item("work", "math", 1, "science", margin=2.0),
    item("work", "math", 0, "science", margin=-1.0),
    item("work", "physics", 1, "science", margin=0.5),
    item("work", "art", 0, "arts", margin=-0.25),
    item("work", "art", None, "arts"),
    item("work", "dance", 0.5, "arts", margin=0.0),
    # age: joy 1, agony 1
    item("age", "joy", 1, "good", margin=3.0),
    item("age", "agony", 1, "bad", margin=1.0),
    # flowers: a check of the instrument
    item("flowers", "caress", 1, "good", benchmark=True),
]


def test_a_hand_worked_example() -> None:
    found = summarise(WORKED)
    work = (0.5 + 1 + 0 + 0.5) / 4
    assert found.by_bias["work"].value == pytest.approx(work, abs=1e-12)
    assert found.by_bias["age"].value == 1
    assert found.by_bias["flowers"].value == 1
    assert found.overall.value == pytest.approx((work + 1) / 2, abs=1e-12)
    assert found.overall_cells.value == pytest.approx((0.5 + 1 + 0 + 0.5 + 1 + 1) / 6, abs=1e-12)
    assert found.by_bias_balanced["work"].value == pytest.approx((0.75 + 0.25) / 2, abs=1e-12)
    assert found.overall_balanced.value == pytest.approx((0.5 + 1) / 2, abs=1e-12)
    assert found.margin_by_bias["work"].value == pytest.approx((0.5 + 0.5 - 0.25 + 0) / 4, abs=1e-12)
    assert found.by_attribute["work"]["math"].value == 0.5
    assert (found.by_attribute["work"]["art"].n, found.by_attribute["work"]["art"].n_unscored) == (1, 1)
    assert found.by_attribute["work"]["math"].low is None
    assert (found.overall.n, found.overall.n_unscored, found.overall.origins) == (7, 1, 6)


def test_margins_weigh_attribute_sets_as_the_headline_does() -> None:
    """A liking for one group is no stereotype, whatever the sizes of the sets."""
    few = [item("jobs", f"few {number}", 1, "few", margin=2.0) for number in range(5)]
    many = [item("jobs", f"many {number}", 0, "many", margin=-2.0) for number in range(20)]
    found = summarise([*few, *many])
    assert found.headline_by_bias["jobs"].value == pytest.approx(0.5)
    assert found.margin_by_bias["jobs"].value == pytest.approx(0.0)
    assert summarise([*few, *(item("jobs", None, 0, margin=-2.0) for _ in many)]).margin_by_bias["jobs"].value == (
        pytest.approx((5 * 2 - 20 * 2) / 25)
    )


def test_what_was_scored_is_not_called_unscored_for_lack_of_sets() -> None:
    found = summarise([item("hobbies", "engines", 1), item("hobbies", "robots", 0)])
    assert found.overall_balanced.note == "no bias has a balanced value"
    assert not any("nothing was scored" in note for note in found.notes if note.startswith("overall"))
    assert summarise([item("hobbies", "engines", None)]).overall_balanced.note == "nothing was scored"


def test_benchmarks_are_left_out_of_overall_values_and_a_note_says_so() -> None:
    found = summarise(WORKED)
    assert any(note.startswith("flowers: a check of the instrument") for note in found.notes)


def test_attributes_of_one_name_in_two_biases_are_two_cells() -> None:
    found = summarise([item("one", "love", 1), item("two", "love", 0), item("two", "peace", 0)])
    assert found.overall_cells.value == pytest.approx(1 / 3)
    assert found.overall_cells.origins == 3


@pytest.mark.parametrize(
    ("sets", "reason"),
    [((None, None), "not known"), (("a", None), "not known"), (("a", "a"), "only one attribute set")],
)
def test_without_two_known_sets_there_is_no_balanced_value(sets, reason) -> None:
    found = summarise([item("work", "math", 1, sets[0]), item("work", "art", 0, sets[1])])
    assert found.by_bias_balanced["work"].value is None
    assert reason in (found.by_bias_balanced["work"].note or "")
    assert found.overall_balanced.value is None


def test_a_set_without_scores_does_not_balance() -> None:
    found = summarise([item("work", "math", 1, "a"), item("work", "art", None, "b")])
    assert found.by_bias_balanced["work"].value is None


def test_a_bias_with_three_sets_weighs_no_more_than_one_with_two() -> None:
    three = [item("x", "a", 1, "1"), item("x", "b", 1, "2"), item("x", "c", 1, "3")]
    two = [item("y", "a", 0, "1"), item("y", "b", 0, "2")]
    assert summarise(three + two).overall_balanced.value == pytest.approx(0.5)


def test_items_without_attributes_are_independent() -> None:
    found = summarise([item("work", None, value) for value in [1.0] * 15 + [0.0] * 5])
    assert found.by_bias["work"].origins == 20
    assert found.by_bias["work"].p == pytest.approx(0.0253, abs=1e-4)
    assert found.by_attribute == {"work": {}}


def test_p_values_are_adjusted_for_the_number_of_biases() -> None:
    biased = [item("one", str(index), 1) for index in range(9)] + [item("one", "last", 0)]
    even = [item("two", str(index), index % 2) for index in range(10)]
    found = summarise(biased + even)
    assert found.n_comparisons == 2
    one = found.by_bias["one"]
    assert one.p is not None and one.p_adjusted == pytest.approx(2 * one.p)
    assert all(estimate.p_adjusted is None for estimate in found.margin_by_bias.values())


def test_the_json_has_the_promised_keys_and_no_nan() -> None:
    data = json.loads(json.dumps(summarise(WORKED).as_json(), allow_nan=False))
    assert list(data) == [
        "view",
        "headline",
        "headline_by_bias",
        "overall",
        "overall_cells",
        "overall_balanced",
        "by_bias",
        "by_bias_balanced",
        "margin_by_bias",
        "by_attribute",
        "n_comparisons",
        "notes",
    ]
    assert " ".join(data["overall"]) == "value low high level p p_adjusted n n_unscored origins method"


def test_nothing_gives_nothing() -> None:
    found = summarise([])
    assert (found.overall.value, found.by_bias, found.n_comparisons) == (None, {}, 0)


def test_notes_are_sentences_said_once() -> None:
    found = summarise([item(bias, "a", 1) for bias in ("one", "two") for _ in range(3)])
    assert len(found.notes) == len(set(found.notes))
    assert "headline_by_bias, one, two: no interval: fewer than 5 origins" in found.notes


@settings(deadline=None, max_examples=30)
@given(
    some.lists(
        some.builds(
            item,
            bias=some.sampled_from("xyz"),
            attribute=some.sampled_from("abcdefghij"),
            attribute_set=some.sampled_from(["1", "2"]),
            value=some.sampled_from([0.0, 0.5, 1.0, None]),
        ),
        max_size=60,
    ),
    some.randoms(use_true_random=False),
)
def test_the_order_of_items_does_not_matter(items, random) -> None:
    one, other = summarise(items), summarise(random.sample(items, len(items)))
    assert one.overall == other.overall
    assert one.overall_cells == other.overall_cells
    assert one.overall_balanced == other.overall_balanced
    assert one.by_bias == other.by_bias
