"""Power, variance components and the planner: by hand, on unlike numbers, and by running what was planned."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.planning.components import Component, Components, components, difference_components
from tiltmeter.stats.planning.designs import stretched
from tiltmeter.stats.planning.detectable import (
    minimum_detectable,
    minimum_detectable_of,
    standard_error_of,
)
from tiltmeter.stats.planning.pilot_uncertainty import likely_widths, pilot_uncertainty
from tiltmeter.stats.planning.precision import Costs, Design, predicted_width, sizes_for
from tiltmeter.stats.pooled import Pooled

KNOWN = Components(Component(0.04, 29), Component(0.09, 100), Component(0.16, 400))
Drawn = tuple[list[float], list[str], list[str]]
World = Callable[[np.random.Generator, Design], Drawn]


def power_of(errors: float, freedom: float) -> float:
    """The power at a difference of so many standard errors, by scipy's noncentral t."""
    border = stats.t.ppf(0.975, freedom)
    return float(stats.nct.sf(border, freedom, errors) + stats.nct.cdf(-border, freedom, errors))


@pytest.mark.parametrize("freedom", [4, 19, 29, 200.5])
def test_power_is_that_of_the_noncentral_t(freedom: float) -> None:
    for power in (0.3, 0.8, 0.95):
        assert power_of(minimum_detectable(1.0, freedom, power=power), freedom) == pytest.approx(power, abs=1e-6)


def test_the_minimum_detectable_effect_and_back() -> None:
    # About (t(0.975) + t(0.8)) standard errors: (2.045 + 0.854) · 0.2 = 0.580 with 29 degrees of freedom.
    found = minimum_detectable(0.2, 29)
    assert found == pytest.approx(0.2 * (stats.t.ppf(0.975, 29) + stats.t.ppf(0.8, 29)), rel=0.005)
    # With no end of degrees it is the normal rule, 1.960 + 0.842.
    assert minimum_detectable(1.0, 1e6) == pytest.approx(2.802, abs=0.001)
    assert minimum_detectable(0.2, 29, power=0.9) > found > minimum_detectable(0.2, 29, alpha=0.1)


def test_the_minimum_detectable_effect_of_a_pilot() -> None:
    means = np.random.default_rng(0).normal(size=12)
    pilot = estimate(means.tolist(), [str(place) for place in range(12)], neutral=0.0)
    assert standard_error_of(pilot) == pytest.approx(stats.sem(means))
    assert minimum_detectable_of(pilot) == pytest.approx(minimum_detectable(stats.sem(means), 11))
    assert minimum_detectable_of(Estimate(0.1)) is None


def test_power_refuses_nonsense() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        minimum_detectable(0.2, 10, alpha=1.0)
    with pytest.raises(ValueError, match="without any difference"):
        minimum_detectable(0.2, 10, power=0.04)


def test_components_by_hand_and_balanced_as_anova() -> None:
    generator = np.random.default_rng(1)
    table = (
        generator.normal(0, 2, size=(6, 1, 1))
        + generator.normal(size=(6, 4, 1))
        + 0.5 * generator.normal(size=(6, 4, 3))
    )
    origins, prompts, _ = np.indices(table.shape)
    found = components(
        table.ravel().tolist(), origins.ravel().astype(str).tolist(), prompts.ravel().astype(str).tolist()
    )
    # The usual mean squares: E(MSE) = s, E(MSP) = s + 3p, E(MSO) = s + 3p + 12o.
    within = table.var(axis=2, ddof=1).mean()
    of_prompts = 3 * table.mean(axis=2).var(axis=1, ddof=1).mean()
    of_origins = 12 * table.mean(axis=(1, 2)).var(ddof=1)
    assert found.samples is not None and found.prompts is not None
    assert found.samples.variance == pytest.approx(within)
    assert found.prompts.variance == pytest.approx((of_prompts - within) / 3)
    assert found.origins.variance == pytest.approx((of_origins - of_prompts) / 12)
    assert (found.samples.freedom, found.prompts.freedom, found.origins.freedom) == (48, 18, 5)
    # The pilot's own design has the pilot's own width.
    means = table.mean(axis=(1, 2))
    known = 2 * stats.t.ppf(0.975, 5) * stats.sem(means)
    assert predicted_width(found, Design(6, 4, 3)) == pytest.approx(known)


def unlike(generator: np.random.Generator, origins: int, sizes: tuple[float, float, float]) -> Drawn:
    """Nested normal values with unlike numbers at every level."""
    values, names, prompts = [], [], []
    for origin in range(origins):
        lean = generator.normal(0, sizes[0])
        for prompt in range(generator.integers(1, 6)):
            here = lean + generator.normal(0, sizes[1])
            for _ in range(generator.integers(1, 5)):
                values.append(float(here + generator.normal(0, sizes[2])))
                names.append(str(origin))
                prompts.append(str(prompt))
    return values, names, prompts


@pytest.mark.parametrize("sizes", [(1.0, 1.0, 1.0), (0.3, 1.0, 0.5), (1.0, 0.6, 1.0)])
def test_components_are_right_on_average_also_with_unlike_numbers(sizes: tuple[float, float, float]) -> None:
    generator = np.random.default_rng(2)
    found = [components(*unlike(generator, 60, sizes)) for _ in range(60)]
    for name, size in zip(("origins", "prompts", "samples"), sizes, strict=True):
        mean = np.mean([getattr(each, name).variance for each in found])
        assert mean == pytest.approx(size**2, rel=0.15, abs=0.05)


def test_components_are_never_negative_and_do_not_depend_on_order() -> None:
    generator = np.random.default_rng(3)
    for _ in range(20):
        values, names, prompts = unlike(generator, 6, (0.0, 0.0, 1.0))
        found = components(values, names, prompts)
        assert min(found.origins.variance, found.prompts.variance if found.prompts else 0.0) >= 0
        order = generator.permutation(len(values)).tolist()
        assert components(*([each[place] for place in order] for each in (values, names, prompts))) == found  # type: ignore[arg-type]


def test_origins_that_differ_by_chance_alone_add_nothing_and_their_spread_is_pooled() -> None:
    generator = np.random.default_rng(12)
    names = np.repeat(np.arange(16), 4).astype(str).tolist()
    zero = 0
    for _ in range(200):
        table = generator.normal(size=(16, 4))
        found = components(table.ravel().tolist(), names, list(map(str, range(64))))
        assert found.prompts is not None and found.between is not None and found.noise is not None
        assert found.between.variance == pytest.approx(table.mean(axis=1).var(ddof=1))
        assert found.noise.variance == pytest.approx(table.var(axis=1, ddof=1).mean() / 4)
        if found.origins.variance == 0:
            zero += 1
            # All 63 degrees of freedom tell of the noise, whoever it was ascribed to.
            pooled = 15 * 4 * found.between.variance + 48 * 4 * found.noise.variance
            assert found.prompts.variance == pytest.approx(pooled / 63)
    # The border is at a chance of 25 %.
    assert 0.68 <= zero / 200 <= 0.82


def test_what_both_groups_share_in_a_structure_is_no_part_of_their_difference() -> None:
    """Structures and cells move both groups alike: only what they do to the difference counts."""
    generator = np.random.default_rng(13)
    k, s = 20, 12
    of_gaps = {"origins": 0.6, "sets": 0.8, "again": 0.3}
    found = []
    for _ in range(40):
        both = 3 * generator.normal(size=(1, s)) + 2 * generator.normal(size=(k, s))
        gap = (
            of_gaps["origins"] * generator.normal(size=(k, 1))
            + of_gaps["sets"] * generator.normal(size=(1, s))
            + of_gaps["again"] * generator.normal(size=(k, s))
        )
        rows = [
            (float(both[o, t] + sign * gap[o, t] / 2 + 0.5 * generator.normal()), group, str(o), f"{o}/{t}", str(t))
            for group, sign in (("x", 1), ("y", -1))
            for o in range(k)
            for t in range(s)
            for _ in range(3)
        ]
        values, groups, origins, prompts, sets = (list(each) for each in zip(*rows, strict=True))
        found.append(difference_components(values, groups, origins, prompts, between=("x", "y"), sets=sets))
    for name, size in of_gaps.items():
        assert np.mean([getattr(each, name).variance for each in found]) == pytest.approx(size**2, rel=0.2)
    assert np.mean([each.samples.variance for each in found]) == pytest.approx(2 * 0.25, rel=0.05)  # type: ignore[union-attr]


def test_of_two_that_are_crossed_the_bottleneck_is_the_one_that_varies_more() -> None:
    generator = np.random.default_rng(14)
    for sizes, expected in (((1.0, 0.2, 0.1, 0.5), "origins"), ((0.2, 1.0, 0.1, 0.5), "sets")):
        values, origins, sets = crossed_sets(generator, 20, 20, sizes)
        found = components(values, origins, sets=sets)
        assert sizes_for(found, 0.5, limits=Design(60, 3, 1, 60), across_sets=True).bottleneck == expected
    assert sizes_for(KNOWN, 0.5).bottleneck is None


def test_a_pilot_too_small_to_tell_gives_a_range_and_a_large_one_does_not() -> None:
    def pilot(origins: int) -> Components:
        noise = Component(0.25, 3 * origins)
        return Components(Component(0.0, origins - 1), None, Component(1.0, 3 * origins),
                          between=Component(0.26, origins - 1), noise=noise)  # fmt: skip

    small = sizes_for(pilot(16), 0.3, limits=Design(16, 1, 200))
    assert small.best is not None and small.between is not None
    less, more = small.between
    assert less is not None and less.cost <= small.best.cost
    assert more is None or more.cost > small.best.cost
    assert sizes_for(pilot(4000), 0.02, limits=Design(4000, 1, 200)).between is None
    doubt = pilot_uncertainty(pilot(16))
    assert doubt.less.origins.variance < doubt.more.origins.variance
    assert small.as_json()["between"][0]["origins"] == less.design.origins
    # Where the fewest origins do, whatever they are like, there is nothing to be in doubt about.
    few = Components(Component(1.0, 7), between=Component(1.0, 7))
    assert pilot_uncertainty(few).is_large(few, Design(5))
    assert sizes_for(few, 20.0, limits=Design(16)).between is None
    assert sizes_for(few, 2.0, limits=Design(16)).between is not None


@pytest.mark.parametrize("sizes", [(0.0, 0.0, 1.0), (0.4, 0.0, 1.0), (1.0, 0.5, 0.5)])
def test_the_width_lies_where_it_was_said_to(sizes: tuple[float, float, float]) -> None:
    generator = np.random.default_rng(15)
    world, pilot, planned = normal(*sizes), Design(16, 1, 4), Design(16, 1, 12)
    inside = 0
    for _ in range(100):
        found = components(*world(generator, pilot))
        values, origins, _ = world(generator, planned)
        again = estimate(values, origins, neutral=None)
        assert again.low is not None and again.high is not None
        low, high = likely_widths(found, planned)
        inside += low <= again.high - again.low <= high
    assert inside >= 88


def test_skewed_values_and_shares_near_an_end_widen_the_interval_and_that_fades() -> None:
    generator = np.random.default_rng(16)
    values = generator.exponential(size=30) ** 2
    names = [str(place) for place in range(30)]
    found, pilot = components(values.tolist(), names), estimate(values.tolist(), names, neutral=None)
    assert pilot.low is not None and pilot.high is not None
    shaped = stretched(found, pilot)
    assert predicted_width(shaped, Design(30)) == pytest.approx(pilot.high - pilot.low)
    assert shaped.tails > 1
    # At a hundred times the origins nothing of it is left.
    assert predicted_width(shaped, Design(3000)) == pytest.approx(predicted_width(found, Design(3000)), rel=0.02)
    assert stretched(found, Estimate(0.5)) == found
    rare = [float(place % 10 == 0) for place in range(30)]
    share, seen = estimate(rare, names), components(rare, names)
    known = stretched(seen, share, shares=True)
    assert known.between is not None and seen.between is not None
    assert known.between.freedom < seen.between.freedom


def test_what_the_pilot_cannot_show_is_part_of_the_level_above() -> None:
    values = np.random.default_rng(4).normal(size=12).tolist()
    single = components(values, [str(place) for place in range(12)])
    assert single.prompts is None and single.samples is None
    assert single.origins.variance == pytest.approx(np.var(values, ddof=1))
    assert any("one prompt of each origin" in note for note in single.notes)
    assert predicted_width(single, Design(20, 5, 5)) == predicted_width(single, Design(20))
    assert sizes_for(single, 0.5).best is not None
    assert sizes_for(single, 0.5).best.design.prompts == 1  # type: ignore[union-attr]


def test_unscored_values_are_left_out_and_nonsense_is_refused() -> None:
    values, names, prompts = unlike(np.random.default_rng(5), 8, (1.0, 1.0, 1.0))
    more = components([*values, None, math.nan], [*names, "0", "9"], [*prompts, "0", "0"])
    assert more == components(values, names, prompts)
    for wrong in ([None, None], [1.0, 2.0]):
        with pytest.raises(ValueError, match="variance components need"):
            components(wrong, ["x", "x"])
    with pytest.raises(ValueError, match="not equally long"):
        components([1.0], ["x", "y"])


def test_strata_are_not_part_of_the_spread() -> None:
    generator = np.random.default_rng(6)
    names = [str(place) for place in range(40)]
    strata = ["p"] * 20 + ["q"] * 20
    values = generator.normal(size=40) + np.repeat([0.0, 100.0], 20)
    found = components(values.tolist(), names, strata=strata)
    assert found.origins.variance == pytest.approx((values[:20].var(ddof=1) + values[20:].var(ddof=1)) / 2)
    known = estimate(values.tolist(), names, strata=strata, neutral=None)
    assert known.high is not None and known.low is not None
    assert predicted_width(found, Design(40)) == pytest.approx(known.high - known.low, rel=0.05)


def crossed_sets(
    generator: np.random.Generator, origins: int, sets: int, sizes: tuple[float, float, float, float]
) -> tuple[list[float], list[str], list[str]]:
    of_origin, of_set, again, of_prompt = sizes
    table = (
        generator.normal(0, of_origin, size=(origins, 1, 1))
        + generator.normal(0, of_set, size=(1, sets, 1))
        + generator.normal(0, again, size=(origins, sets, 1))
        + generator.normal(0, of_prompt, size=(origins, sets, 3))
    )
    numbers = np.indices(table.shape)
    return table.ravel().tolist(), numbers[0].ravel().astype(str).tolist(), numbers[1].ravel().astype(str).tolist()


def test_sets_have_a_part_of_their_own() -> None:
    generator = np.random.default_rng(7)
    found = []
    for _ in range(80):
        values, origins, sets = crossed_sets(generator, 25, 8, (1.0, 0.5, 0.7, 0.9))
        found.append(components(values, origins, sets=sets))
    for name, truth in (("origins", 1.0), ("sets", 0.25), ("again", 0.49), ("prompts", 0.81)):
        assert np.mean([getattr(each, name).variance for each in found]) == pytest.approx(truth, rel=0.15)
    one = found[0]
    assert one.sets is not None
    # An interval over origins does not see what sets do to all of them; one across sets does, and no number of
    # origins gets under it.
    assert predicted_width(one, Design(25, 3, 1, 8)) < predicted_width(one, Design(25, 3, 1, 8), across_sets=True)
    floor = 2 * stats.t.ppf(0.975, 7) * math.sqrt(one.sets.variance / 8)
    assert predicted_width(one, Design(10**8, 3, 1, 8), across_sets=True) == pytest.approx(floor, rel=1e-3)
    plan = sizes_for(one, 0.5, across_sets=True, limits=Design(500, 20, 1, 40))
    assert plan.best is not None and plan.best.design.sets > 2 and plan.best.width <= 0.5
    assert any("sets of prompts differ" in note for note in sizes_for(one, 0.5).notes)


@pytest.mark.parametrize("nested", [False, True])
def test_the_difference_of_groups_has_the_width_that_was_predicted(nested: bool) -> None:
    generator = np.random.default_rng(8)

    def drawn(origins: int, prompts: int) -> list[tuple[str, float, str]]:
        lean = generator.normal(size=(2, origins))
        own = generator.normal(0, 0.4, size=(2, origins))
        return [
            (group, float(lean[side if nested else 0, origin] + own[side, origin] + generator.normal()), name)
            for side, group in enumerate(("x", "y"))
            for origin in range(origins)
            for name in [f"{side if nested else ''}-{origin}"] * prompts
        ]

    ratios = []
    for _ in range(15):
        pilot = drawn(40, 4)
        groups, values, names = (list(each) for each in zip(*pilot, strict=True))
        found = difference_components(values, groups, names, between=("x", "y"))
        assert found.groups == 2 and (1.5 < found.sides <= 2) == nested
        plan = sizes_for(found, 0.9 if nested else 0.5, limits=Design(80, 30))
        assert plan.best is not None
        assert plan.best.cost == 2 * plan.best.design.texts
        again = Pooled(drawn(plan.best.design.origins, plan.best.design.prompts)).difference("x", "y")
        assert again.low is not None and again.high is not None
        ratios.append((again.high - again.low) / plan.asked)
    assert np.median(ratios) == pytest.approx(1, abs=0.2)


def test_groups_without_spread_and_groups_that_are_not_there() -> None:
    same = difference_components([1.0] * 4, list("xxyy"), list("abcd"), between=("x", "y"))
    assert (same.origins.variance, same.sides) == (0.0, 2.0)
    for groups in ("xxxx", "xyyy"):
        with pytest.raises(ValueError, match="variance components need"):
            difference_components([1.0, 2.0, 3.0, 4.0], list(groups), list("abcd"), between=("x", "y"))


def test_a_width_by_hand() -> None:
    # (0.04 + 0.09/3 + 0.16/12)/25 = 1/300, so a standard error of 0.05774; t(24) = 2.064.
    assert predicted_width(KNOWN, Design(25, 3, 4)) == pytest.approx(2 * 2.0639 * 0.057735, rel=1e-4)
    assert predicted_width(KNOWN, Design(25, 3, 4), level=0.9) < predicted_width(KNOWN, Design(25, 3, 4))
    with pytest.raises(ValueError, match="at least one"):
        Design(0)


@pytest.mark.parametrize("width", [0.5, 0.25, 0.18])
@pytest.mark.parametrize(
    "costs", [Costs(), Costs(origin=20.0), Costs(prompt=5.0), Costs(origin=30, prompt=3, sample=0.2)]
)
def test_nothing_cheaper_reaches_the_width(width: float, costs: Costs) -> None:
    limits = Design(60, 25, 25)
    plan = sizes_for(KNOWN, width, limits=limits, costs=costs)
    assert plan.best is not None and plan.best.width <= width * (1 + 1e-9)

    def cost(design: Design) -> float:
        asked = design.origins * design.prompts
        return costs.origin * design.origins + costs.prompt * asked + costs.sample * asked * design.samples

    assert plan.best.cost == pytest.approx(cost(plan.best.design))
    cheaper = [
        design
        for origins in range(5, 61, 1)
        for prompts in range(1, 26, 2)
        for samples in range(1, 26, 3)
        if cost(design := Design(origins, prompts, samples)) < plan.best.cost * (1 - 1e-9)
        and predicted_width(KNOWN, design) <= width
    ]
    assert not cheaper
    assert plan.best in plan.alternatives
    assert all(option.width <= width * (1 + 1e-9) for option in plan.alternatives)


def test_every_level_has_a_floor_and_one_is_worth_adding_to() -> None:
    plan = sizes_for(KNOWN, 0.2, limits=Design(40, 50, 50))
    assert plan.best is not None
    design = plan.best.design
    quantile = 2 * stats.t.ppf(0.975, design.origins - 1)
    assert plan.floors["prompts"] == pytest.approx(quantile * math.sqrt(0.04 / design.origins))
    assert plan.floors["samples"] == pytest.approx(
        quantile * math.sqrt((0.04 + 0.09 / design.prompts) / design.origins)
    )
    assert plan.floors["origins"] == 0
    assert plan.worth == "origins" and "Adding origins" in plan.advice
    # At the limit of origins, prompts are next: another sample of the same prompt always brings less than a new one.
    at_limit = sizes_for(KNOWN, 0.2, limits=Design(30, 50, 50))
    assert at_limit.best is not None and at_limit.best.design.origins == 30 and at_limit.worth == "prompts"
    # Unless prompts are dear.
    dear = sizes_for(KNOWN, 0.25, limits=Design(30, 50, 50), costs=Costs(prompt=50.0))
    assert dear.best is not None and dear.best.design.samples > 1
    assert plan.likely is not None and plan.likely[0] < plan.best.width < plan.likely[1]
    assert plan.as_json()["best"]["origins"] == design.origins


def test_a_width_out_of_reach_says_what_would_do() -> None:
    plan = sizes_for(KNOWN, 0.1, limits=Design(40, 50, 50))
    assert (plan.best, plan.alternatives, plan.likely, plan.worth) == (None, (), None, None)
    assert "no number of prompts or samples gets under 0.128" in plan.advice
    # Samples alone would do, but for their limit.
    free = Components(Component(0.0, 29), None, Component(1.0, 400))
    few = sizes_for(free, 0.1, limits=Design(10, 1, 50)).advice
    assert few.startswith("No design within the limits reaches 0.1: with 10 origins the most prompts (1) and samples")
    assert f"(50) of each get to {predicted_width(free, Design(10, 1, 50)):.3g}; from " in few
    needed = int(plan.advice.split("from ")[1].split(" ")[0])
    assert predicted_width(KNOWN, Design(needed, 50, 50)) <= 0.1 < predicted_width(KNOWN, Design(needed - 1, 50, 50))
    with pytest.raises(ValueError, match="fewer than 5 origins"):
        sizes_for(KNOWN, 0.1, limits=Design(4))
    with pytest.raises(ValueError, match="two sets or more"):
        sizes_for(KNOWN, 0.1, across_sets=True)
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="a width is more than 0"):
            sizes_for(KNOWN, wrong)


def test_no_spread_at_all_needs_the_fewest_origins() -> None:
    plan = sizes_for(Components(Component(0.0, 9), None, None), 0.1)
    assert plan.best is not None and plan.best.design == Design(5) and plan.worth is None
    assert plan.advice == "With 5 origins, as with any number, there is no spread to plan from."
    assert sizes_for(replace(KNOWN, strata=4), 10.0).best.design.origins == 8  # type: ignore[union-attr]


def normal(*sizes: float) -> World:
    def drawn(generator: np.random.Generator, design: Design) -> Drawn:
        shape = design.origins, design.prompts, design.samples
        table = 0.3 + sum(
            size * generator.normal(size=shape[: level + 1] + (1,) * (2 - level)) for level, size in enumerate(sizes)
        )
        return _rows(np.asarray(table))

    return drawn


def choices(mean: float, of_origin: float, of_prompt: float) -> World:
    """Yes and no: origins lean, prompts lean about their origin."""

    def drawn(generator: np.random.Generator, design: Design) -> Drawn:
        lean = np.full((design.origins, design.prompts), mean)
        for correlation, shape in ((of_origin, (design.origins, 1)), (of_prompt, (design.origins, design.prompts))):
            weight = 1 / correlation - 1
            base = np.clip(lean[:, :1] if shape[1] == 1 else lean, 1e-6, 1 - 1e-6)
            lean = np.broadcast_to(generator.beta(base * weight, (1 - base) * weight), lean.shape)
        chosen = generator.random((design.origins, design.prompts, design.samples)) < lean[:, :, np.newaxis]
        return _rows(chosen.astype(np.float64))

    return drawn


def _rows(table: np.ndarray) -> Drawn:
    origins, prompts, _ = np.indices(table.shape)
    return table.ravel().tolist(), origins.ravel().astype(str).tolist(), prompts.ravel().astype(str).tolist()


WORLDS: dict[str, World] = {
    "all levels": normal(0.3, 0.5, 1.0),
    "origins": normal(1.0, 0.2, 0.2),
    "samples alone": normal(0.0, 0.0, 1.0),
    "prompts": normal(0.05, 1.0, 0.3),
    "choices, half": choices(0.5, 0.1, 0.2),
    "choices, few": choices(0.2, 0.05, 0.3),
    "choices, most": choices(0.85, 0.2, 0.1),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("most", "part"), [(1_000, 0.6), (80, 0.8)])
def test_run_again_at_the_planned_size_the_width_is_the_one_asked_for(world: str, most: int, part: float) -> None:
    generator = np.random.default_rng([most, *world.encode()])
    ratios = []
    for _ in range(11):
        pilot = Design(40, 4, 3)
        found = components(*WORLDS[world](generator, pilot))
        plan = sizes_for(found, part * predicted_width(found, pilot), limits=Design(most, 100, 50))
        if plan.best is None:
            continue
        values, origins, _ = WORLDS[world](generator, plan.best.design)
        again = estimate(values, origins, neutral=None)
        assert again.low is not None and again.high is not None
        ratios.append((again.high - again.low) / plan.asked)
    assert len(ratios) > 5
    assert np.median(ratios) == pytest.approx(1, abs=0.2)
