from __future__ import annotations

import pytest

from tests.shared import shared
from tests.sources.datasets import samples
from tiltmeter.errors import InvalidData
from tiltmeter.sources.datasets import crows_pairs


@pytest.fixture
def path(tmp_path):
    return samples.write(tmp_path / "crows.csv", samples.CROWS_PAIRS)


def test_sent_more_is_the_stereotyped_text_whatever_the_direction(path) -> None:
    made, dropped = crows_pairs.pairs(path)
    assert dropped == []
    assert [pair.stereotyped for pair in made] == [0, 0]
    assert made[1].texts == ("The Venusian who fell was brave.", "The old Martian who fell was brave.")


def test_the_direction_and_the_groups_travel_along(path) -> None:
    made, _ = crows_pairs.pairs(path)
    assert [(pair.attribute_set, pair.groups) for pair in made] == [
        ("stereo", ("disadvantaged", "advantaged")),
        ("antistereo", ("advantaged", "disadvantaged")),
    ]
    assert [pair.bias for pair in made] == ["crows-pairs/race-color", "crows-pairs/nationality"]
    assert [pair.origin for pair in made] == ["0", "1"]
    assert made[1].terms == ("Venusian", "old Martian")


def test_equal_sentences_are_dropped_with_the_reason(tmp_path) -> None:
    content = "sent_more,sent_less,stereo_antistereo,bias_type\nA b.,A b.,stereo,age\n"
    made, dropped = crows_pairs.pairs(samples.write(tmp_path / "crows.csv", content))
    assert made == []
    assert dropped[0].reason == "the two sentences are the same"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bias_type", "bias", "no column `bias_type`"),
        (",antistereo,", ",both,", "row `1` has neither stereo nor antistereo"),
        (",nationality,", ",,", "row `1` has nothing under `bias_type`"),
        ("\n1,", "\n0,", "row id `0` is used more than once"),
        ("[['age'], ['age']]", "__import__('os')", "row `1` has `annotations` that are not a list"),
        ("[['age'], ['age']]", "[3]", "row `1` has `annotations` that are not a list"),
        ("a0,[]\n", "", "line 3: .* cells? where the header has 8"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tmp_path, old, new, message) -> None:
    assert old in samples.CROWS_PAIRS
    file = samples.write(tmp_path / "crows.csv", samples.CROWS_PAIRS.replace(old, new))
    with pytest.raises(InvalidData, match=r"crows\.csv.*" + message):
        crows_pairs.read(file)


def test_check_counts_the_quirks(path) -> None:
    found = crows_pairs.check(path)
    assert found["by_direction"] == {"stereo": 1, "antistereo": 1}
    assert found["pairs_of_unequal_word_count"] == 1
    assert found["pairs_most_validators_see_otherwise"] == 1


def test_the_published_file() -> None:
    path = shared("crows_pairs/crows_pairs_anonymized.csv")
    found = crows_pairs.check(path)
    assert found["pairs"] == 1508
    assert found["by_direction"] == {"stereo": 1290, "antistereo": 218}
    assert found["pairs_of_unequal_word_count"] == 213
    made, dropped = crows_pairs.pairs(path)
    assert (len(made), len(dropped)) == (1508, 0)
