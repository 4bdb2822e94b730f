"""Structures compared: hand-worked, planted, and against a plain computation written differently."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tiltmeter.errors import UserError
from tiltmeter.stats.structures.by_structure import StructureSettings, StructureSummary, by_structure
from tiltmeter.stats.views.continuations import RatedItem, summarise

GAPS = {"s1": 0.4, "s2": 0.2, "s3": -0.1, "s4": 0.0, "s10": 0.3}
LABELS = {-1.0: "negative", 0.0: "neutral", 1.0: "positive"}


def items() -> list[RatedItem]:
    return [
        RatedItem(group, 0.5 + gap * (group == "a"), origin, structure=name)
        for name, gap in GAPS.items()
        for origin in "uvw"
        for group in "ba"
    ]


def found_of(some: list[RatedItem], fixed: str | None = None, reference: str | None = None) -> StructureSummary:
    return by_structure(some, summarise(some, reference=reference), StructureSettings(fixed), reference=reference)


def random_items(seed: int, *, missing: float = 0.1) -> list[RatedItem]:
    """Labels of four groups under nine structures and six origins; cells are missing, texts unscored."""
    generator = np.random.default_rng(seed)
    made = []
    for group, tilt in (("w", 0.2), ("x", 0.0), ("y", -0.1), ("z", 0.0)):
        for structure in range(9):
            for origin in range(6):
                if generator.random() < missing:
                    continue
                for _ in range(int(generator.integers(1, 4))):
                    value = float(np.clip(np.round(generator.normal(tilt, 0.8)), -1, 1))
                    scored = generator.random() > 0.1
                    made.append(
                        RatedItem(
                            group,
                            value if scored else None,
                            f"o{origin}",
                            LABELS[value] if scored else None,
                            structure=f"s{structure}",
                            unrated=None if scored else "the label is other",
                        )
                    )
    return made


def test_signs_kept_turned_and_neither() -> None:
    found = found_of(items())
    kept = found.robustness.sign_kept["b", "a"]
    assert (kept.share.value, kept.share.n, kept.reversed, kept.ties) == (3 / 5, 5, 1, 1)
    assert (round(kept.share.low or 0, 3), round(kept.share.high or 0, 3)) == (0.231, 0.882)  # Wilson's, 3 of 5
    assert kept.share.p is None
    [reversal] = found.reversals
    assert reversal.as_json() == {
        "structure": "s3",
        "a": "b",
        "b": "a",
        "difference": pytest.approx(0.1),
        "overall": pytest.approx(-0.16),
    }
    assert list(found.structures) == ["s1", "s2", "s3", "s4", "s10"]
    assert found.structures["s1"].pairs[0].difference.value == -0.4


def test_a_planted_reversal_is_found_and_nothing_else() -> None:
    planted = [
        replace(item, value=1 - item.value if item.structure == "s7" and item.group == "w" else item.value)
        for item in (
            RatedItem(group, value, f"o{origin}", structure=f"s{structure}")
            for group, value in (("w", 0.9), ("x", 0.6), ("y", 0.2))
            for structure in range(12)
            for origin in range(5)
        )
        if item.value is not None
    ]
    found = found_of(planted)
    assert {(each.structure, each.a, each.b) for each in found.reversals} == {("s7", "w", "x"), ("s7", "w", "y")}
    assert found.robustness.sign_kept["x", "y"].share.value == 1.0
    assert found.robustness.sign_kept["w", "x"].share.value == 11 / 12
    assert found.stability.agreeing["w", "x"][0] == 11 / 12
    assert found.stability.agreeing["w", "x"][-1] == 1.0


def test_a_structure_that_lacks_a_group_is_counted() -> None:
    some = [item for item in items() if (item.structure, item.group) != ("s1", "a")]
    found = found_of(some, reference="a")
    share = found.robustness.sign_kept["b", "a"].share
    assert (share.n, share.n_unscored) == (4, 1)
    assert found.structures["s1"].pairs == ()
    assert (found.robustness.n_structures, found.robustness.n_incomplete) == (4, 1)
    assert any("1 structures left out" in note for note in found.notes)


def test_a_difference_of_nothing_has_no_sign_to_keep() -> None:
    same = [RatedItem(group, 0.5, "x", structure=structure) for group in "ab" for structure in "st"]
    found = found_of(same)
    kept = found.robustness.sign_kept["a", "b"]
    assert (kept.share.value, kept.ties, found.reversals) == (None, 2, ())
    assert found.stability.agreeing["a", "b"] == (None,)
    assert found.robustness.single.centred is None


def test_rounding_is_no_sign() -> None:
    tenths = [RatedItem("a", value, "x", structure="s") for value in (0.1, 0.2, 0.3)]
    tenths += [RatedItem("b", 0.2, "x", structure="s"), RatedItem("a", 0.9, "x", structure="t")]
    tenths += [RatedItem("b", 0.1, "x", structure="t")]
    assert found_of(tenths).robustness.sign_kept["a", "b"].ties == 1


def test_p_values_of_all_structures_are_adjusted_together_and_those_of_the_fixed_one_alone() -> None:
    spread = [
        RatedItem(group, 0.1 * index + 0.3 * (group == "a") * (index % 2), f"{index}", structure=name)
        for name in ("s1", "s2", "s3")
        for index in range(6)
        for group in "abc"
    ]
    found = found_of(spread, fixed="s1")
    assert found.n_comparisons == 9
    assert found.fixed is not None
    p = [pair.difference.p for pair in found.fixed.pairs]
    assert p[0] == p[1] and p[2] == 1.0  # b and c are the same everywhere
    assert [pair.difference.p_adjusted for pair in found.fixed.pairs] == [pytest.approx(1.5 * (p[0] or 0))] * 2 + [1.0]
    assert found.fixed.groups == found.structures["s1"].groups


def test_the_fixed_structure_stands_apart() -> None:
    made = found_of(items(), fixed="s3").as_json()
    assert made["fixed"]["structure"] == "s3"
    assert made["fixed"]["groups"]["a"]["mean"] == pytest.approx(0.4)
    assert made["fixed"]["pairs"][0]["difference"]["value"] == pytest.approx(0.1)
    assert made["paraphrases"]["groups"]["a"]["mean"] == pytest.approx(0.5 + 0.9 / 4)
    assert made["paraphrases"]["groups"]["a"]["n"] == 12
    assert made["reversals"] == []
    assert (made["robustness"]["n_structures"], made["robustness"]["sign_kept"]["b/a"]["value"]) == (4, 3 / 4)
    assert "s3" in made["structures"] and "s3" in made["gaps"]
    assert "s3" not in json.dumps([made["best"], made["worst"]])
    assert set(made["structures"]["s3"]["a"]) == {"mean", "n", "n_unscored", "sd", "distribution"}
    with pytest.raises(UserError, match="there is no structure `s5` to be the fixed one; known: s1, s2, s3, s4, s10"):
        found_of(items(), fixed="s5")


def test_texts_without_a_structure_count_in_the_whole_only() -> None:
    some = [*items(), RatedItem("a", -100.0, "u"), RatedItem("b", 100.0, "u")]
    found = by_structure(some, summarise(some))
    assert found.robustness.sign_kept["b", "a"].share.value == 3 / 5
    assert "2 texts name no structure: they count in groups and pairs only" in found.notes


def test_only_the_fixed_structure_leaves_nothing_to_compare() -> None:
    alone = [item for item in items() if item.structure == "s1"]
    made = found_of(alone, fixed="s1").as_json()
    assert made["paraphrases"] == {"groups": {}, "pairs": []}
    assert made["robustness"]["single"] is None and made["robustness"]["split_half"] is None
    assert made["stability"] == {"k": [], "draws": [], "pairs": {}}


def test_best_and_worst_and_what_they_share() -> None:
    means = {"s1": (0.9, 0.1), "s2": (0.5, 0.5), "s3": (0.1, 0.8), "s4": (0.7, 0.6)}
    some = [
        RatedItem(group, pair[place], "x", structure=name)
        for name, pair in means.items()
        for place, group in enumerate("ab")
    ]
    found = by_structure(some, summarise(some), StructureSettings(best=2))
    assert [name for name, _ in found.best.groups["a"]] == ["s1", "s4"]
    assert [name for name, _ in found.best.groups["b"]] == ["s3", "s4"]
    assert found.best.intersection == ("s4",)
    assert found.best.overall == (("s4", pytest.approx(0.65)), ("s1", 0.5))
    assert found.best.tied == 1  # s2 has the mean of s1 over both groups
    assert found.worst.intersection == ("s2",)
    alone = by_structure(some, summarise(some), StructureSettings(best=1))
    assert alone.best.as_json()["intersection"] == []
    assert "no structure is among the 1 best of every group" in alone.notes
    lower = by_structure(some, summarise(some), StructureSettings(best=2, higher_is_better=False))
    assert (lower.best, lower.worst) == (found.worst, found.best)


@pytest.mark.parametrize("seed", range(4))
def test_the_figures_are_those_of_a_plain_computation(seed: int) -> None:
    some = random_items(seed)
    made = found_of(some, fixed="s4").as_json()
    groups, names = ["w", "x", "y", "z"], [f"s{place}" for place in range(9) if place != 4]
    cells = {
        (name, group): [item.value for item in some if (item.structure, item.group) == (name, group)]
        for name in [*names, "s4"]
        for group in groups
    }
    for (name, group), values in cells.items():
        scored = known(values)
        figures = made["structures"][name][group]
        assert (figures["n"], figures["n_unscored"]) == (len(scored), len(values) - len(scored))
        assert figures["mean"] == pytest.approx(np.mean(scored))
        assert figures["sd"] == pytest.approx(np.std(scored))
        assert figures["distribution"]["negative"] == pytest.approx(scored.count(-1.0) / len(scored))
    vectors = np.array([[np.mean(known(cells[name, group])) for group in groups] for name in names])
    robust = made["robustness"]
    pairs = [(i, j) for i in range(8) for j in range(i)]
    assert robust["single"] == pytest.approx(np.mean([cosine(vectors[i], vectors[j]) for i, j in pairs]))
    correlations = [np.corrcoef(vectors[i], vectors[j])[0, 1] for i, j in pairs]
    assert robust["centred_single"] == pytest.approx(np.mean(correlations))
    halves = []
    for bits in range(1, 256, 2):  # every half that holds the first of eight structures
        half = [name for place, name in enumerate(names) if bits >> place & 1]
        if len(half) == 4:
            other = [name for name in names if name not in half]
            halves.append([pooled(cells, half, groups), pooled(cells, other, groups)])
    assert robust["n_splits"] == len(halves) == 35
    assert robust["split_half"] == pytest.approx(np.mean([cosine(a, b) for a, b in halves]))
    assert robust["centred_split_half"] == pytest.approx(np.mean([np.corrcoef(a, b)[0, 1] for a, b in halves]))
    over = pooled(cells, names, groups)
    turned = set()
    for a in range(4):
        for b in range(a + 1, 4):
            gaps = vectors[:, a] - vectors[:, b]
            gaps[np.abs(gaps) < 1e-9] = 0
            key = f"{groups[a]}/{groups[b]}"
            assert robust["sign_kept"][key]["value"] == np.mean(np.sign(gaps) == np.sign(over[a] - over[b]))
            assert robust["ties"][key] == np.sum(gaps == 0)
            against = np.sign(gaps) == -np.sign(over[a] - over[b])
            turned |= {(names[place], groups[a], groups[b]) for place in np.flatnonzero(against)}
            assert made["stability"]["pairs"][key][0] == robust["sign_kept"][key]["value"]
            assert made["stability"]["pairs"][key][1] == np.mean(
                [
                    np.sign(mean[a] - mean[b]) == np.sign(over[a] - over[b])
                    for i, j in pairs
                    for mean in [pooled(cells, [names[i], names[j]], groups)]
                ]
            )
    assert {(each["structure"], each["a"], each["b"]) for each in made["reversals"]} == turned
    assert [made["paraphrases"]["groups"][group]["mean"] for group in groups] == pytest.approx(over)


def known(values: list[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def cosine(first: Any, second: Any) -> float:
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


def pooled(cells: Any, names: list[str], groups: list[str]) -> Any:
    return np.array([np.mean([value for name in names for value in known(cells[name, group])]) for group in groups])


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_texts_shows_nowhere(seed: int) -> None:
    some = random_items(seed)
    firsts = [next(item for item in some if item.group == group) for group in "wxyz"]  # they set the order of groups
    rest = [item for item in some if not any(item is first for first in firsts)]
    order = np.random.default_rng(seed).permutation(len(rest))
    turned = [*firsts, *(rest[place] for place in order)]
    assert found_of(turned, fixed="s0").as_json() == found_of([*firsts, *rest], fixed="s0").as_json()


@pytest.mark.parametrize("seed", range(3))
def test_other_names_of_structures_change_nothing_but_the_names(seed: int) -> None:
    some = random_items(seed, missing=0.0)
    some += [replace(item, structure=f"t{item.structure}") for item in random_items(seed + 50, missing=0.0)]
    names = sorted({item.structure or "" for item in some})
    assert len(names) == 18  # more than 12, so that splits are drawn at random
    turned = dict(zip(names, np.random.default_rng(seed).permutation([f"u{n}" for n in range(18)]), strict=True))
    made = found_of(some, fixed="s0").as_json()
    other = found_of(
        [replace(item, structure=str(turned[item.structure or ""])) for item in some], fixed=str(turned["s0"])
    ).as_json()
    two_way, other_way = (each["robustness"].pop("pairs_two_way") for each in (made, other))
    assert made["robustness"] == other["robustness"] and made["stability"] == other["stability"]
    for pair, estimate in two_way.items():
        assert other_way[pair] == pytest.approx(estimate)  # sums are made in another order
    assert {turned[name]: groups for name, groups in made["structures"].items()} == other["structures"]
    assert {(turned[each["structure"]], each["a"], each["b"]) for each in made["reversals"]} == {
        (each["structure"], each["a"], each["b"]) for each in other["reversals"]
    }
    one, two = (json.loads(json.dumps(each["paraphrases"]), parse_float=nearly) for each in (made, other))
    assert one == two


def nearly(number: str) -> float:
    """Sums over structures are made in the order of their names, which may show in the last digit."""
    return round(float(number), 12)
