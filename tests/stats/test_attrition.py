from __future__ import annotations

import pytest

from tiltmeter.stats.views.attrition import Attempt, unequal_attrition


def texts(group: str, kept: list[int], of: int = 1, bias: str = "b") -> list[Attempt]:
    """Of each origin, so many of `of` texts are kept."""
    return [Attempt(bias, group, f"{n}", text < number) for n, number in enumerate(kept) for text in range(of)]


def test_a_group_that_is_kept_less_often_is_found_and_groups_alike_are_not() -> None:
    found = unequal_attrition([*texts("female", [0] * 12), *texts("male", [1] * 12)])
    assert {(one.group, one.share, one.others, one.origins) for one in found} == {
        ("female", 0, 1, 12),
        ("male", 1, 0, 12),
    }
    alike = [1, 1, 0, 1, 0, 1]
    assert not unequal_attrition([*texts("female", alike), *texts("male", alike[::-1])])


@pytest.mark.parametrize("origins", [1, 2, 4])
def test_one_prompt_in_many_forms_is_one_observation(origins: int) -> None:
    """Twelve structures of one prompt said that a paraphraser treats the groups unlike."""
    assert not unequal_attrition([*texts("x", [0] * origins, of=12), *texts("y", [12] * origins, of=12)])


def test_texts_of_an_origin_do_not_count_as_independent() -> None:
    once = [*texts("x", [0, 1, 0, 0, 1, 0, 0, 0]), *texts("y", [1, 1, 0, 1, 1, 1, 0, 1])]
    often = [one for one in once for _ in range(20)]
    assert [one.p for one in unequal_attrition(once, level=2)] == pytest.approx(
        [one.p for one in unequal_attrition(often, level=2)]
    )


def test_p_is_adjusted_for_the_number_of_groups() -> None:
    two = [*texts("x", [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), *texts("y", [1, 1, 1, 1, 1, 1, 1, 1, 0, 1])]
    others = [one for n in range(200) for group in "xy" for one in texts(group, [0, 1, 1, 0, 1, 0], bias=f"c{n}")]
    assert unequal_attrition(two)
    alone, among = (min(one.p for one in unequal_attrition(asked, level=2)) for asked in (two, [*two, *others]))
    assert among == pytest.approx(min(1, 201 * alone))


def test_groups_of_other_biases_and_groups_that_were_not_asked_for_are_left_out() -> None:
    assert not unequal_attrition([*texts("x", [0] * 12), *texts("y", [1] * 12, bias="c")])
    assert not unequal_attrition([])
