"""How much is enough: plans from pilot runs, what they say where the source is too small, and carrying them out."""

from __future__ import annotations

import statistics
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, make_rated_run
from tests.present.synthetic import Tilt, make_run, make_written_run
from tests.results import planned_worlds as worlds
from tests.results import planted_studies
from tiltmeter.errors import UserError
from tiltmeter.records import Structure
from tiltmeter.results.plan_size.planning import RunPlan, Target, plan_run
from tiltmeter.results.plan_size.sources import PilotSource, spec_of
from tiltmeter.stats.planning.pilot_uncertainty import pilot_uncertainty
from tiltmeter.stats.planning.precision import Design, predicted_width
from tiltmeter.store import Run
from tiltmeter.views import View


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("pairs")
    worlds.pairs_world(folder)
    return worlds.pairs_run(folder, "pilot", "{ templates = { per_attribute = 4 } }")


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("texts")
    worlds.texts_world(folder, openers=40)
    return worlds.texts_run(folder, "pilot", '{ "prompts-file:prompts.csv" = { per_group = 30 } }', 2)


def only(found: RunPlan) -> Target:
    [target] = found.targets
    return target


def test_pairs_keep_all_attributes_and_take_as_many_pairs_of_each_as_are_needed(pairs: Run) -> None:
    target = only(plan_run(pairs, 0.15))
    assert (target.view, target.origins_are) == ("pairs", "attribute terms")
    assert target.settable is not None
    assert target.settable.design.origins == 60
    assert target.settable.width <= 0.15 * 1.000001
    # All that there is: eight templates and four terms, of each attribute.
    assert (target.limits.origins, target.limits.prompts) == (60, 32)
    assert target.options == {"per_attribute": target.settable.design.prompts}
    assert target.settable.cost == 60 * target.settable.design.prompts


def test_a_narrower_interval_takes_more_and_one_beyond_the_source_says_what_to_add(pairs: Run) -> None:
    wide, narrow = only(plan_run(pairs, 0.2)), only(plan_run(pairs, 0.14))
    assert wide.settable is not None
    assert narrow.settable is not None
    assert narrow.settable.cost > wide.settable.cost
    beyond = only(plan_run(pairs, 0.02))
    assert beyond.settable is None
    assert beyond.floor > 0.02
    assert "with 60 attribute terms × 32 pairs: add attribute terms (from " in beyond.advice
    assert f"{beyond.floor:.3g}" in beyond.advice
    # With as many as it says, it is within reach.
    more = int(beyond.advice.partition("(from ")[2].partition(" ")[0].replace(",", ""))
    assert only(plan_run(pairs, 0.02, max_origins=more)).settable is not None
    assert only(plan_run(pairs, 0.02, max_origins=more - 1)).settable is None


def test_the_study_file_can_be_read_and_asks_for_that_much(pairs: Run) -> None:
    found = plan_run(pairs, 0.15)
    table = tomllib.loads("\n".join(found.lines["pairs"]))
    assert table == {"sources": [{"templates": dict(only(found).options)}]}
    assert found.calls["pairs"] == only(found).settable.cost  # type: ignore[union-attr]


def test_texts_are_planned_for_each_two_groups_with_prompts_and_samples(texts: Run) -> None:
    target = only(plan_run(texts, 0.35, max_origins=200))
    assert target.choices["groups"] == "female/male"
    assert target.choices["rater"] == "sentiment.vader.v1"
    assert target.settable is not None
    design = target.settable.design
    assert target.options == {"per_group": design.origins * design.prompts, "samples": design.samples}
    assert target.settable.cost == 2 * design.texts
    # Without being told how many there could be, a file has what the pilot has.
    assert only(plan_run(texts, 0.35)).limits.origins == len({one.origin for one in texts.continuations.prompts})  # type: ignore[union-attr]
    table = tomllib.loads("\n".join(plan_run(texts, 0.35, max_origins=200).lines["continuations"]))
    assert table["samples"] == design.samples
    assert table["sources"] == [{"prompts-file:prompts.csv": {"per_group": target.options["per_group"]}}]


def test_of_several_figures_the_study_takes_the_most() -> None:
    run = make_run(
        Path("nowhere"), tilts=[Tilt("gender-professions", 0.1), Tilt("gender-math-arts", 0.3)], models=["m"]
    )
    # Of a source that is not known any more, what the pilot has is all there is.
    found = plan_run(run, 0.4)
    assert [target.choices["bias"] for target in found.targets] == ["gender-professions", "gender-math-arts"]
    assert only(plan_run(run, 0.4, bias="gender-math-arts")).choices["bias"] == "gender-math-arts"


def test_sets_of_written_sentences_can_be_more() -> None:
    run = make_written_run(Path("nowhere"), tilts=[Tilt("gender-professions", 0.3)], models=["m"], writers=["w"])
    [target] = [one for one in plan_run(run, 0.3).targets if one.choices["source"].startswith("generated")]
    assert target.found.again is not None
    assert target.limits.sets == 30


def test_only_raters_that_favour_somebody_are_planned_for() -> None:
    run = make_rated_run(Path("nowhere"), decodings=DECODINGS[:1], raters=("sentiment.vader.v1", "refusal.v5"))
    target = only(plan_run(run, 0.4))
    assert target.choices["rater"] == "sentiment.vader.v1"
    assert target.found.samples is not None


STRUCTURES = tuple(Structure(f"s{number}", "declarative", "plain", "(S)") for number in range(8))


def test_structures_that_every_origin_has_are_planned_for_too_and_the_bottleneck_is_named() -> None:
    run = make_rated_run(
        Path("nowhere"), decodings=DECODINGS[:1], raters=("sentiment.vader.v1",), structures=STRUCTURES, openers=10
    )
    target = only(plan_run(run, 0.15))
    assert (target.sets_are, target.limits.sets, target.limits.origins) == ("structures", 8, 10)
    assert target.found.sets is not None and target.found.again is not None
    assert target.settable is not None
    design = target.settable.design
    assert target.options == {"structures": design.sets, "samples": design.samples}
    assert f"10 openers × {design.sets} structures" in target.advice
    # Two groups.
    assert target.settable.cost == 2 * design.texts
    few = make_rated_run(
        Path("nowhere"), decodings=DECODINGS[:1], raters=("sentiment.vader.v1",), structures=STRUCTURES[:3], openers=10
    )
    assert any("interval over origins alone" in note for note in only(plan_run(few, 0.15)).notes)


@pytest.fixture(scope="module")
def chance(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Sixteen openers that differ by nothing but which texts happened to be written."""
    folder = tmp_path_factory.mktemp("chance")
    worlds.texts_world(folder, openers=16, spread=0.0)
    return worlds.texts_run(folder, "pilot", '{ "prompts-file:prompts.csv" = { per_group = 16 } }', 4)


def test_few_openers_that_differ_by_chance_get_a_range_and_not_a_point(chance: Run) -> None:
    target = only(plan_run(chance, 0.3))
    assert target.found.origins.variance == 0
    assert target.settable is not None and target.between is not None and target.likely is not None
    low, high = target.likely
    assert low < target.settable.width < high
    # One range, in words and in JSON.
    told = f"wide is expected, but the pilot has too few origins to tell: {low:.3g} to {high:.3g} may come out, and it "
    assert told in target.advice
    assert target.as_json()["likely"] == [low, high]
    assert set(target.as_json()["between"]) == {"less", "more"}
    # No more than the noise of the samples asks for: 2 t √(2 σ² / (k m)), and k is 14.
    design = target.settable.design
    assert design.origins * design.samples <= 1.1 * (2 * 2.16) ** 2 * 2 * 0.57 / 0.3**2
    assert target.as_json()["between"]["less"]["origins"] >= 5


def test_where_it_takes_the_same_anyway_there_is_no_caution(tmp_path: Path) -> None:
    worlds.words_world(tmp_path)
    names = [f"trade{number}" for number in range(10)]
    run = worlds.words_run(tmp_path, "pilot", f"{{ profession-templates = {{ professions = {names} }} }}")
    target = only(plan_run(run, 3.0))
    assert target.settable is not None and target.settable.design == Design(5, sets=17)
    assert pilot_uncertainty(target.found).is_large(target.found, target.settable.design, across_sets=True)
    assert (target.between, target.plan.between) == (None, None)
    assert target.advice == f"5 professions × 17 templates: {target.settable.width:.3g} wide is expected"
    assert only(plan_run(run, 0.3)).between is not None


def test_the_most_samples_that_are_planned_for_are_named_where_they_stand_in_the_way(chance: Run) -> None:
    target = only(plan_run(chance, 0.05))
    assert target.settable is None
    assert target.floor < 0.05 < target.reach
    assert target.samples is not None and target.samples > 100
    for samples, enough in ((target.samples, True), (target.samples - 1, False)):
        assert (predicted_width(target.found, replace(target.limits, samples=samples)) <= 0.05) is enough
    start = f"it takes {target.samples:,} samples with 16 origins, and no more than 100 are planned for "
    assert target.advice.startswith(f"{start}({target.reach:.3g} wide): add origins (from ")
    assert "no number of" not in target.advice + target.plan.advice
    low, high = target.likely or (0.0, 0.0)
    assert f"with all of it {low:.3g} to {high:.3g} may come out" in target.advice
    assert target.as_json()["samples_needed"] == target.samples


def test_a_pilot_that_is_narrow_enough_is_not_told_otherwise(tmp_path: Path, chance: Run) -> None:
    """Attributes are more alike than their pairs let one expect, so that another study is wider in all likelihood."""
    he, she = ("he", "man"), ("she", "woman")
    halves = [[*planted_studies.TOOLS[at : at + 4], *planted_studies.BOOKS[at : at + 4]] for at in (0, 4)]
    run = planted_studies.pairs_run(
        tmp_path, [(he, ["likes"], 1.0), (she, ["has"], 1.0), (he, halves[0], 0.1), (she, halves[1], 0.1)]
    )
    own = only(plan_run(run, 1.0)).width
    assert own is not None
    target = only(plan_run(run, 1.01 * own))
    assert target.settable is None and target.plan.needed is not None
    assert target.advice == (
        f"the pilot is narrow enough as it is; for a new study, no less than {target.reach:.3g} is expected with 16 "
        f"attribute terms × 6 pairs: add attribute terms (from {target.plan.needed} on it is within reach)"
    )
    assert not only(plan_run(run, 0.99 * own)).advice.startswith("the pilot is narrow enough")
    # Where less than the pilot does, that is the advice.
    cheaper = only(plan_run(chance, 6.0))
    assert cheaper.width is not None and cheaper.width < 6
    assert "as it is" not in cheaper.advice


def test_a_pilot_that_foretells_another_interval_than_it_has_says_so(tmp_path: Path) -> None:
    """One profession in ten is far off: the interval of such skewed values is wider than Student's."""
    worlds.words_world(tmp_path)
    (tmp_path / "model.toml").write_text(
        "[weights]\nhe = 1\nshe = 1\nother = 4\n[tilts.trade0]\nhe = 4.0\n[tilts.trade1]\nhe = 0.1\n", encoding="utf-8"
    )
    names = [f"trade{number}" for number in range(10)]
    run = worlds.words_run(tmp_path, "pilot", f"{{ profession-templates = {{ professions = {names} }} }}")
    target = only(plan_run(run, 0.05))
    assert any("as wide as Student's" in note for note in target.notes)
    assert not any(note.startswith("one sample") for note in target.notes)


def test_lines_that_serve_several_figures_count_every_group_once(tmp_path: Path) -> None:
    run = planted_studies.texts_run(tmp_path, women=0.8, men=0.3)
    found = plan_run(run, 0.9)
    within = [one for one in found.targets if one.settable is not None]
    assert len(within) > 3
    table = tomllib.loads("\n".join(found.lines["continuations"]))
    [source] = table["sources"]
    per_group, samples = source["own-prompts"]["per_group"], table["samples"]
    assert per_group == max(one.options["per_group"] for one in within)
    assert samples == max(one.options["samples"] for one in within)
    # Women, men and others: three groups, though three figures compare two each.
    assert found.calls == {"continuations": 3 * per_group * samples}


def test_a_figure_with_too_few_origins_is_named_beside_those_that_can_be_planned() -> None:
    run = make_run(Path("nowhere"), tilts=[Tilt("large", 0.9), Tilt("small", 0.9, terms=2)], models=["m"])
    found = plan_run(run, 0.3)
    assert {one.choices["bias"] for one in found.targets} == {"large"}
    [small] = found.too_small
    assert small.choices["bias"] == "small"
    assert small.reason == "the pilot has 2 attribute terms with a value; it takes 5 or more to plan"
    assert found.as_json()["too_small"][0]["reason"] == small.reason
    with pytest.raises(UserError, match="nothing can be planned: small: the pilot has 2 attribute terms"):
        plan_run(run, 0.3, bias="small")


def test_a_pilot_without_spread_or_with_too_few_templates_is_no_basis(tmp_path: Path) -> None:
    worlds.words_world(tmp_path)
    (tmp_path / "model.toml").write_text("[weights]\nhe = 1\nshe = 1\nother = 4\n", encoding="utf-8")
    options = f"professions = {[f'trade{number}' for number in range(10)]}"
    run = worlds.words_run(tmp_path, "even", f"{{ profession-templates = {{ {options} }} }}")
    target = only(plan_run(run, 0.05))
    assert (target.settable, target.options) == (None, {})
    assert target.advice == "the pilot shows no spread between professions: nothing can be planned from it"
    assert plan_run(run, 0.05).lines == {}
    # Nothing can be planned, so that nothing is.
    assert (target.plan.best, target.plan.alternatives, target.plan.floors, target.likely) == (None, (), {}, None)
    assert target.plan.advice == target.advice
    assert (target.as_json()["floor"], target.as_json()["reach"]) == (None, None)
    few = f"{{ profession-templates = {{ {options}, templates = ['The [A] said that', 'The [A] wrote that'] }} }}"
    assert (
        "fewer than 5 templates: add templates" in only(plan_run(worlds.words_run(tmp_path, "few", few), 0.05)).advice
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"width": 0.0}, "--width 0: a width is a number above 0"),
        ({"width": 0.1, "bias": "nothing"}, "there is no bias 'nothing' to plan for; there are qualities"),
        ({"width": 0.1, "views": ["next words"]}, "nothing to plan from of next words"),
        ({"width": 0.1, "max_origins": 4}, "an interval takes 5 origins or more"),
        ({"width": 0.1, "models": ["nobody"]}, "nothing to plan from of the model nobody"),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(pairs: Run, arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        plan_run(pairs, **arguments)  # type: ignore[arg-type]


def test_a_spec_is_read_back_from_a_run(pairs: Run) -> None:
    spec = spec_of(pairs.meta["resolved"]["specs"][0])
    assert spec.group("male").terms == tuple(worlds.TERMS[0])
    assert PilotSource(pairs, "pairs", "templates[per_attribute=4]").available("qualities").origins == 60


def _again(pilot: Run, width: float, view: View, run: Callable[[str, int], Run], most: int | None = None) -> float:
    """Plan, carry the plan out, and say how wide the interval came out, as a part of what was asked for."""
    target = only(plan_run(pilot, width, views=[view], max_origins=most))
    assert target.settable is not None, target.advice
    options = {name: value for name, value in target.options.items() if name != "samples"}
    done = run(PilotSource(pilot, view, target.choices["source"]).line(options), target.options.get("samples", 1))
    found = only(plan_run(done, width, views=[view], max_origins=most))
    assert found.width is not None
    return found.width / width


def _pairs_again(folder: Path, seed: int) -> float:
    worlds.pairs_world(folder, seed)
    pilot = worlds.pairs_run(folder, "pilot", "{ templates = { per_attribute = 4 } }", seed=seed)
    width = only(plan_run(pilot, 0.1)).width or 0.0
    return _again(
        pilot, 0.9 * width, "pairs", lambda source, _: worlds.pairs_run(folder, "again", source, seed=seed + 50)
    )


def _words_again(folder: Path, seed: int) -> float:
    worlds.words_world(folder, seed)
    source = f'{{ profession-templates = {{ professions = "{folder / "trades.txt"}", limit = 60 }} }}'
    pilot = worlds.words_run(folder, "pilot", source, seed=seed)
    return _again(pilot, 0.06, "next words", lambda line, _: worlds.words_run(folder, "again", line, seed=seed + 50))


def _texts_again(folder: Path, seed: int) -> float:
    worlds.texts_world(folder, seed)
    pilot = worlds.texts_run(folder, "pilot", '{ "prompts-file:prompts.csv" = { per_group = 60 } }', 2, seed=seed)

    def again(source: str, samples: int) -> Run:
        return worlds.texts_run(folder, "again", source, samples, seed=seed + 50)

    return _again(pilot, 0.24, "continuations", again, 200)


@pytest.mark.slow
@pytest.mark.parametrize("view", [_pairs_again, _words_again, _texts_again])
def test_a_run_of_the_planned_size_has_the_planned_width(tmp_path: Path, view: Callable[[Path, int], float]) -> None:
    found = [view(tmp_path / str(seed), seed) for seed in (3, 4, 5)]
    assert 0.8 <= statistics.median(found) <= 1.2
    assert all(0.75 <= ratio <= 1.25 for ratio in found), found
