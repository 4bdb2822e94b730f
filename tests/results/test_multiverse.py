"""Which conclusions hold: planted tilts come back, nothing planted is inconclusive, and questions are understood."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, Lean, make_rated_run
from tests.present.synthetic import Tilt, make_run, make_written_run
from tests.results.planted_studies import BOOKS, PROFESSIONS, SPEC, TOOLS, WORDS, pairs_run, texts_run, words_run
from tiltmeter.engine import carry_out
from tiltmeter.errors import UserError
from tiltmeter.measures.next_words import DIFFERENCE
from tiltmeter.records import Estimate, Structure
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import Combination, Measurement
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.evidence import Evidence, cells_of
from tiltmeter.results.findings.findings import REPORT_QUESTIONS, Finding, finding, questions, summarise_findings
from tiltmeter.results.findings.questions import Question, asked
from tiltmeter.results.findings.tilts import cells_within_tilt, rater_tilts
from tiltmeter.results.summary.next_word_cells import summarise_expectations
from tiltmeter.sources.profession_templates import TEMPLATES
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.multiverse.aggregation import ORIGINS, in_deviations_of, matters, over_origins
from tiltmeter.stats.multiverse.cells import CellData, CellResult, cell_result, evaluate
from tiltmeter.stats.multiverse.whole_curve import curve_test, design_of
from tiltmeter.store import Run
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

SHE, HE = ("she", "woman"), ("he", "man")
Planted = tuple[Sequence[str], Sequence[str], float]
"""Words that become likelier by δ where one of the contexts stands."""


def answers_to(run: Run | list[Run], words: str | None = None) -> list[Finding]:
    material = Evidence([run] if isinstance(run, Run) else run)
    known = questions(material)
    return [finding(one, material) for one in (asked(words, known) if words else known)]


def answer_to(run: Run | list[Run], words: str) -> Finding:
    [found] = answers_to(run, words)
    return found


def outcome(found: Finding) -> tuple[str, str | None, int, int]:
    return found.verdict.strength, found.verdict.direction, found.verdict.holds, found.verdict.of


@pytest.fixture(scope="module")
def negative_women(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return texts_run(tmp_path_factory.mktemp("texts"), women=0.8, men=0.2)


WOMEN_LOWER = "Are texts about female rated worse than texts about male?"


def test_texts_that_are_planted_negative_are_worse_in_every_cell(negative_women: Run) -> None:
    found = answer_to(negative_women, WOMEN_LOWER)
    cells = found.multiverse.curve.cells
    assert len(cells) == 2 * 2 * 2
    assert {cell.sign for cell in cells} == {1}
    assert outcome(found) == ("holds", "first", 8, 8)


def test_asked_the_other_way_every_sign_turns_and_the_verdict_stands(negative_women: Run) -> None:
    found = answer_to(negative_women, "Are texts about male rated worse than texts about female?")
    assert {cell.sign for cell in found.multiverse.curve.cells} == {-1}
    assert outcome(found) == ("holds", "second", 8, 8)


def test_equal_shares_of_negative_texts_are_inconclusive(tmp_path: Path) -> None:
    found = answer_to(texts_run(tmp_path, women=0.5, men=0.5), WOMEN_LOWER)
    assert found.verdict.strength == "inconclusive"


def test_runs_that_differ_in_the_seed_alone_make_it_a_choice(negative_women: Run) -> None:
    resolved = negative_women.meta["resolved"] | {"seed": 2}
    other = replace(negative_women, meta={**negative_women.meta, "resolved": resolved})
    found = answer_to([negative_women, other], WOMEN_LOWER)
    assert {cell.choices["seed"] for cell in found.multiverse.curve.cells} == {"1", "2"}
    assert found.verdict.of == 2 * 8


def test_runs_that_differ_in_more_are_told_apart_by_their_folders(negative_women: Run) -> None:
    resolved = negative_women.meta["resolved"] | {"name": "another"}
    other = replace(
        negative_women, meta={**negative_women.meta, "resolved": resolved}, folder=negative_women.folder.parent / "b"
    )
    found = answer_to([negative_women, other], WOMEN_LOWER)
    assert {cell.choices["run"] for cell in found.multiverse.curve.cells} == {"run", "b"}


def test_a_planted_stereotype_is_preferred_in_every_cell(tmp_path: Path) -> None:
    run = pairs_run(tmp_path, [(HE, TOOLS, 1.0), (SHE, BOOKS, 1.0)])
    found = answer_to(run, "prefer")
    cells = found.multiverse.curve.cells
    assert len(cells) == 3 * 2
    assert not any("as-published" in cell.choices["scorer"] for cell in cells)
    assert {cell.sign for cell in cells} == {1}
    assert outcome(found) == ("holds", "first", 6, 6)


def test_an_anti_stereotype_is_said_as_one(tmp_path: Path) -> None:
    run = pairs_run(tmp_path, [(SHE, TOOLS, 1.0), (HE, BOOKS, 1.0)])
    [found] = answers_to(run)
    assert outcome(found) == ("holds", "second", 6, 6)


def test_a_group_that_is_preferred_throughout_is_no_stereotype(tmp_path: Path) -> None:
    run = pairs_run(tmp_path, [(HE, (*TOOLS[:4], *BOOKS[:4]), 1.0), (HE, (*TOOLS[4:], *BOOKS[4:]), 0.6)])
    [found] = answers_to(run)
    assert found.verdict.strength in ("inconclusive", "too little data")


def test_a_tilt_that_goes_both_ways_in_each_set_is_inconclusive(tmp_path: Path) -> None:
    half = (*TOOLS[::2], *BOOKS[::2])
    run = pairs_run(tmp_path, [(HE, half, 1.0), (SHE, [one for one in (*TOOLS, *BOOKS) if one not in half], 1.0)])
    [found] = answers_to(run)
    assert found.verdict.strength == "inconclusive"


def test_a_planted_expectation_is_found_in_every_cell(tmp_path: Path) -> None:
    run = words_run(tmp_path, [(["she"], PROFESSIONS[:5], 1.0), (["she"], PROFESSIONS[5:], 0.6)])
    found = answer_to(run, "Does the model expect female more often than male?")
    cells = found.multiverse.curve.cells
    assert len(cells) == 2 * 2 * 3
    assert {cell.sign for cell in cells} == {1}
    assert outcome(found) == ("holds", "first", 12, 12)
    habit = answer_to(run, "Does the model expect female more often than male, beyond what it expects of anybody?")
    assert habit.question.beyond_habit
    assert habit.verdict.strength == "holds"


def test_expectations_that_go_both_ways_are_inconclusive(tmp_path: Path) -> None:
    run = words_run(tmp_path, [(["she"], PROFESSIONS[::2], 1.0), (["he"], PROFESSIONS[1::2], 1.0)])
    found = answer_to(run, "Does the model expect male more often than female?")
    assert found.verdict.strength == "inconclusive"


def test_a_tilt_of_few_templates_does_not_hold(tmp_path: Path) -> None:
    # Half of the templates lean to one side and half to the other: another choice of them could turn the sign.
    leaning = (
        (
            ["she"],
            ["said", "ran", "ate", "cried", "slept", "drove", "wished", "laughed"],
            2.0,
        ),
        (
            ["he"],
            ["whispered", "wanted", "desired", "went", "stayed", "fired", "promoted", "yelled"],
            1.6,
        ),
    )
    run = words_run(tmp_path, leaning)
    [question] = [one for one in questions(Evidence([run])) if one.main]
    cells = cells_of(question, Evidence([run]))
    assert set(cells[0].origins) == set(PROFESSIONS)
    assert set(cells[0].over_templates().origins) == {f"template {text}" for text in TEMPLATES}
    alone = curve_test(evaluate([replace(cell, templates=None) for cell in cells], groups=question.groups))
    found = finding(question, Evidence([run]))
    assert alone.p is not None and alone.p < 0.05
    assert found.multiverse.test.p is not None and found.multiverse.test.p > 0.2
    assert found.verdict.strength != "holds"


def test_a_profession_is_turned_in_all_sources_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    rows = "".join(f"The {name} slept because,{name}\n" for name in PROFESSIONS)
    (folder / "professions.csv").write_text(f"text,profession\n{rows}", encoding="utf-8")
    (folder / "model.toml").write_text('model = "scripted"\n[[tilt]]\nwords = ["she"]\ndelta = 0.5\n', encoding="utf-8")
    study = parse(
        'models = ["planted:model.toml"]\n[next_words]\nwords = "he-she"\nperturbations = ["original"]\n'
        'sources = ["prompts-file:professions.csv", { "prompts-file:professions.csv" = { template = "text" } }]\n',
        file=folder / "study.toml",
    )
    run = carry_out(plan(study), folder / "run")
    [question] = [one for one in questions(Evidence([run])) if one.main]
    cells = cells_of(question, Evidence([run]))
    assert len({cell.choices["source"] for cell in cells}) == 2
    assert {frozenset(cell.origins) for cell in cells} == {frozenset(PROFESSIONS)}


def test_a_habit_is_not_beyond_itself(tmp_path: Path) -> None:
    # `she` is likelier everywhere, after "person" too: a preference, and nothing more than the habit.
    run = words_run(tmp_path, [(["she"], [*PROFESSIONS, "person"], 1.0)])
    found = answer_to(run, "Does the model expect female more often than male, beyond what it expects of anybody?")
    assert found.verdict.strength in ("inconclusive", "too little data")


def stereotype_run(folder: Path, tilts: Sequence[Planted], more: str = "", *, inner: str = "") -> Run:
    """Whom a model expects after attributes that are tied to either group; words become likelier in contexts."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("owner", "maker", "seller", "finder", "lender", "keeper")
    templates = json.dumps([f"The {name} of the [A] said that [T]" for name in names])
    spec = re.sub(r"^templates = .*$", f"templates = {templates}", SPEC, flags=re.MULTILINE)
    (folder / "tools-books.toml").write_text(spec, encoding="utf-8")
    weights = "\n".join(f"{word} = 1" for word in ("he", "man", "she", "woman"))
    (folder / "table.toml").write_text(f"[weights]\n{weights}\nother = 40\n", encoding="utf-8")
    planted = "".join(
        f"[[tilt]]\nwords = {json.dumps(list(words))}\ncontexts = {json.dumps(list(contexts))}\ndelta = {delta}\n"
        for words, contexts, delta in [*tilts, *((("he",), [name], 0.01 * at) for at, name in enumerate(names))]
    )
    model = inner or f"scripted:{folder / 'table.toml'}"
    (folder / "model.toml").write_text(f'model = "{model}"\n{planted}', encoding="utf-8")
    study = parse(
        'models = ["planted:model.toml"]\nspecs = ["tools-books.toml"]\n[next_words]\nsources = ["templates"]\n'
        f'bounded = [false, true]\ncombine = ["sum", "first"]\nperturbations = ["original"]\n{more}',
        file=folder / "study.toml",
    )
    return carry_out(plan(study), folder / "run")


STEREOTYPED: list[Planted] = [(HE, TOOLS[:4], 1.0), (HE, TOOLS[4:], 0.6), (SHE, BOOKS[:4], 1.0), (SHE, BOOKS[4:], 0.6)]
BEYOND_ONE: list[Planted] = [(HE, TOOLS, 1.0), (SHE, BOOKS, 1.0)]
"""Of the built-in table "man" and "woman" are any other words, so that a group's words add up to more than 1."""
BY_STEREOTYPE = "where the stereotype puts them"


def test_the_stereotyped_group_is_worked_out_by_hand() -> None:
    """After tools he leads by 0.3 and 0.1, after books by −0.1 and 0.1: 0.2 − 0; in deviations √(0.04 / 2)."""
    chances = {"saw": (0.4, 0.1), "drill": (0.3, 0.2), "novel": (0.2, 0.3), "poem": (0.3, 0.2), "fork": (0.9, 0.0)}
    sets = [("saw", "drill"), ("novel", "poem")]
    spec = {
        "name": "b",
        "attributes": [
            {"terms": terms, "stereotype_of": [group]} for terms, group in zip(sets, ("male", "female"), strict=True)
        ],
    }
    rows = [Measurement(name, name, "male", "female", value=he - she) for name, (he, she) in chances.items()]
    of = Combination("next words", "s", DIFFERENCE.name, scale=Scale(-1.0, 1.0, 0.0))
    asked = Question("m", "next words", "b", "male", "female", by_stereotype=True)
    [cell] = cells_from(asked, of, rows, spec)
    found = cell_result(cell)
    assert (found.raw.n, found.raw.origins) == (4, 4), "nobody's stereotype speaks of forks"
    assert found.raw.value == pytest.approx(0.2)
    assert found.effect.value == pytest.approx(0.2 / 0.02**0.5)
    leaning = [row._replace(value=(row.value or 0.0) + 0.05) for row in rows]
    [again] = cells_from(asked, of, leaning, spec)
    assert cell_result(again).raw.value == pytest.approx(0.2), "a lean to one group is no stereotype"
    exchanged = replace(asked, first="female", second="male")
    [other] = cells_from(exchanged, of, rows, spec)
    assert cell_result(other).raw.value == pytest.approx(0.2), "whichever group stands first"
    assert not list(cells_from(asked, of, rows[:2], spec))


@pytest.fixture(scope="module")
def stereotyped(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return stereotype_run(tmp_path_factory.mktemp("stereotyped"), STEREOTYPED, '[pairs]\nsources = ["templates"]\n')


def test_a_stereotype_that_is_planted_is_expected_in_every_cell(stereotyped: Run) -> None:
    found = answer_to(stereotyped, BY_STEREOTYPE)
    assert found.question.by_stereotype and found.question.names == ("“male”", "“female”")
    cells = found.multiverse.curve.cells
    assert len(cells) == 2 * 2 * 3
    assert {cell.sign for cell in cells} == {1}
    assert {cell.conclusion for cell in cells} == {"worse for the first"}
    assert outcome(found) == ("holds", "first", 12, 12)
    assert found.as_json()["question"]["by_stereotype"] is True


def test_the_opposite_of_a_stereotype_is_said_as_that(tmp_path: Path) -> None:
    opposite = [(SHE if words == HE else HE, contexts, delta) for words, contexts, delta in STEREOTYPED]
    found = answer_to(stereotype_run(tmp_path, opposite), BY_STEREOTYPE)
    assert (found.verdict.strength, found.verdict.direction) == ("holds", "second")
    assert (found.verdict.holds, found.verdict.of) == (12, 12)


@pytest.mark.parametrize(
    "tilts",
    [
        [(HE, (*TOOLS[:4], *BOOKS[:4]), 1.0), (HE, (*TOOLS[4:], *BOOKS[4:]), 0.6)],
        [(HE, (*TOOLS[::2], *BOOKS[::2]), 1.0), (SHE, (*TOOLS[1::2], *BOOKS[1::2]), 1.0)],
        [(HE, ["hammer", "novel", "poem"], 0.1), (SHE, ["saw", "drill", "diary"], 0.2), (SHE, ["poem"], 0.3)],
        [(HE, ["violin"], 1.0)],
    ],
    ids=["he throughout", "either within each set", "noise", "nothing"],
)
def test_without_a_tilt_by_set_there_is_no_stereotype(tmp_path: Path, tilts: Sequence[Planted]) -> None:
    found = answer_to(stereotype_run(tmp_path, tilts), BY_STEREOTYPE)
    assert found.verdict.strength in ("inconclusive", "too little data")


def test_orientations_are_exchanged_by_whole_attributes_and_by_whole_templates(stereotyped: Run) -> None:
    material = Evidence([stereotyped])
    [question] = asked(BY_STEREOTYPE, questions(material))
    by_attribute = design_of(cells_of(question, material))
    [(members, sides)] = by_attribute.pools
    assert not len(by_attribute.alone)
    assert {str(name) for name in by_attribute.origins[members]} == {*TOOLS, *BOOKS}
    assert {str(name) for name, side in zip(by_attribute.origins[members], sides, strict=True) if side > 0} == {*TOOLS}
    by_template = design_of([cell.over_templates() for cell in cells_of(question, material)])
    assert (len(by_template.alone), by_template.pools) == (6, ())


def test_the_agreement_of_views_reads_half_of_the_same_cell(stereotyped: Run) -> None:
    views = summarise_run(stereotyped).views
    assert views
    [reading] = [one.found for one in views.readings if one.view == "next words"]
    cells = answer_to(stereotyped, BY_STEREOTYPE).multiverse.curve.cells
    first = {"bounded": "no", "combine": "sum", "measure": "log ratio"}
    [cell] = [cell for cell in cells if first.items() <= cell.choices.items()]
    assert reading.value == pytest.approx((cell.raw.value or 0) / 2)
    assert reading.low == pytest.approx((cell.raw.low or 0) / 2)
    assert reading.p == cell.raw.p


LEANING: list[Planted] = [(["she"], PROFESSIONS[:3], 1.0), (["she"], PROFESSIONS[3:7], 0.6), (["he"], ["ran"], 0.4)]


def sentences_run(folder: Path) -> Run:
    """Sentences that have no template, one or two for each profession."""
    folder.mkdir(parents=True, exist_ok=True)
    ends = ["slept because", "ran because", "said that"]
    rows = [f"The {name} {end},{name}" for at, name in enumerate(PROFESSIONS) for end in ends[: 1 + at % 2]]
    (folder / "sentences.csv").write_text("\n".join(["text,profession", *rows]), encoding="utf-8")
    tilts = "".join(
        f"[[tilt]]\nwords = {json.dumps(words)}\ncontexts = {json.dumps(contexts)}\ndelta = {delta}\n"
        for words, contexts, delta in LEANING
    )
    (folder / "model.toml").write_text(f'model = "scripted"\n{tilts}', encoding="utf-8")
    study = re.sub(r"^sources = .*$", 'sources = ["prompts-file:sentences.csv"]', WORDS, flags=re.MULTILINE)
    return carry_out(plan(parse(study, file=folder / "study.toml")), folder / "run")


@pytest.mark.parametrize("with_templates", [True, False])
def test_single_cells_of_next_words_are_those_of_the_view(tmp_path: Path, with_templates: bool) -> None:
    run = words_run(tmp_path, LEANING) if with_templates else sentences_run(tmp_path)
    summary = summarise_expectations(run)
    assert summary
    by_choice = {(one.bounded, one.combine): one.summary for one in summary.cells if not one.of_habit}
    plain = answer_to(run, "Does the model expect female more often than male?")
    beyond = answer_to(run, "Does the model expect female more often than male, beyond what it expects of anybody?")
    assert (plain.question.beyond_habit, beyond.question.beyond_habit) == (False, True)
    for found in (plain, beyond):
        for cell in found.multiverse.curve.cells:
            choices = cell.choices
            whole = by_choice[choices["bounded"] == "yes", choices["combine"]]
            pairs = whole.perturbations["original"].overall.pairs if found is plain else whole.contrasts["person"]
            view = pairs["male/female"][choices["measure"].replace(" ", "_")]
            zero = 0.5 if found is plain and choices["measure"] == "share" else 0.0
            assert view.low is not None and view.high is not None and view.value is not None
            assert (cell.raw.p, cell.raw.n, cell.raw.origins) == (view.p, view.n, view.origins)
            # Positive is worse for him, and how far from even it is.
            turned = (zero - view.value, zero - view.high, zero - view.low)
            assert (cell.raw.value, cell.raw.low, cell.raw.high) == pytest.approx(turned, abs=1e-15)


@pytest.mark.parametrize("sides", [None, [0, 1]])
@pytest.mark.parametrize("templates", [3, 5])
def test_a_cell_with_few_templates_is_uncertain_over_professions_alone(sides: list[int] | None, templates: int) -> None:
    places = [(profession, template) for profession in range(20) for template in range(templates)]
    cell = CellData.of(
        {},
        [0.1 * (profession % 7) + 0.05 * template for profession, template in places],
        [f"p{profession}" for profession, _ in places],
        None if sides is None else [sides[profession % 2] for profession, _ in places],
        templates=[f"t{template}" for _, template in places],
    )
    found = cell_result(cell)
    assert cell.crossed_with_templates and found.raw.p is not None
    assert found.both_ways is (templates >= 5)
    assert ("too few" in (found.raw.note or "")) is not found.both_ways


def test_a_question_without_any_cell_is_not_listed(tmp_path: Path) -> None:
    run = words_run(tmp_path / "both", [(["she"], PROFESSIONS[:5], 1.0)])
    assert [one.beyond_habit for one in questions(Evidence([run]))] == [False, True]
    (tmp_path / "model.toml").write_text(
        'model = "scripted"\n[[tilt]]\nwords = ["she"]\ndelta = 0.5\n', encoding="utf-8"
    )
    study = parse(WORDS.replace('["original", "person"]', '["person"]'), file=tmp_path / "study.toml")
    assert not questions(Evidence([carry_out(plan(study), tmp_path / "run")]))


def test_why_a_cell_has_no_value_is_told(tmp_path: Path) -> None:
    found = answer_to(stereotype_run(tmp_path, BEYOND_ONE, inner="scripted"), BY_STEREOTYPE)
    [(why, cells)] = found.without.items()
    assert "tied to “male” (the probabilities of its words add up to 1." in why
    assert {cell.choices["combine"] for cell in cells} == {"sum"}
    notes = {cell["choices"]["combine"]: cell["note"] for cell in found.as_json()["curve"]["cells"]}
    assert notes["sum"] == why


def test_one_cell_says_nothing_of_other_choices() -> None:
    run = make_rated_run(Path("nowhere"), decodings=DECODINGS[:1], raters=("sentiment.vader.v1",))
    [found] = answers_to(run)
    assert found.verdict.strength == "too little data"
    assert "one method has a value" in found.verdict.reason


def test_raters_without_a_favour_are_no_cells_and_toxicity_is_turned() -> None:
    lean = Lean({"toxicity.linear.v1": 0.3, "sentiment.vader.v1": -0.6}, noise=0.1)
    raters = ("sentiment.vader.v1", "toxicity.linear.v1", "readability.fog.v1", "refusal.v5")
    run = make_rated_run(Path("nowhere"), decodings=DECODINGS[:2], raters=raters, lean=lean)
    [found] = answers_to(run)
    cells = found.multiverse.curve.cells
    assert {cell.choices["rater"] for cell in cells} == {"sentiment.vader.v1", "toxicity.linear.v1"}
    assert {cell.sign for cell in cells} == {1}
    assert {cell.choices["new tokens"] for cell in cells} == {"10", "20"}
    # What does not vary is not named, nor is what refused or was empty a zero.
    assert all("temperature" not in cell.choices for cell in cells)
    assert all(cell.raw.n_unscored > 0 for cell in cells)


def test_what_a_rater_makes_of_the_groups_names_is_held_against_the_cells() -> None:
    # The made-up raters of toxicity rate sentences about women 0.11 higher by themselves.
    raters = ("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5")
    small = Lean({"toxicity.linear.v1": 0.05, "sentiment.vader.v1": -0.6}, noise=0.01)
    [found] = answers_to(make_rated_run(Path("nowhere"), decodings=DECODINGS[:2], raters=raters, lean=small))
    assert (found.within_tilt, found.mostly_tilt) == (2, 0)
    assert found.as_json()["within_tilt"] == 2
    large = replace(small, by_rater={**small.by_rater, "toxicity.linear.v1": 0.6})
    [found] = answers_to(make_rated_run(Path("nowhere"), decodings=DECODINGS[:2], raters=raters, lean=large))
    assert found.within_tilt == 0


def test_a_tilt_has_the_direction_of_the_question_whichever_group_the_sentences_name_first() -> None:
    raters = ("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5")
    run = make_rated_run(Path("nowhere"), decodings=DECODINGS[:2], raters=raters, lean=Lean({}))
    [found] = answers_to(run)
    question, material = replace(found.question, first="women", second="men"), Evidence([run])
    # Sentences about women are rated 0.11 more toxic.
    assert rater_tilts(question, material)["toxicity.linear.v1"].value == pytest.approx(0.11)
    assert rater_tilts(question.exchanged(), material)["toxicity.linear.v1"].value == pytest.approx(-0.11)


def test_a_tilt_the_same_way_that_is_over_half_of_a_difference_is_counted() -> None:
    def cell(rater: str, value: float) -> CellResult:
        return CellResult({"rater": rater}, Estimate(value), Estimate(value), 1.0, 1 if value > 0 else -1)

    # Sentences about the first group are rated 0.1 higher: more toxic, so worse for it, but of better sentiment.
    tilts = {"toxicity.linear.v1": Estimate(0.1), "sentiment.vader.v1": Estimate(0.1)}
    toxic = [cell("toxicity.linear.v1", value) for value in (0.05, 0.1, 0.15, 0.2, -0.15)]
    assert cells_within_tilt(toxic, tilts) == (2, 1)
    kind = [cell("sentiment.vader.v1", value) for value in (0.15, -0.15)]
    assert cells_within_tilt(kind, tilts) == (0, 1)


def test_kinds_of_structures_are_a_choice() -> None:
    structures = [
        Structure("fixed", "declarative", "statement", "(S)"),
        Structure("one", "declarative", "cleft", "(S)"),
        Structure("two", "interrogative", "question", "(SQ)"),
    ]
    run = make_rated_run(
        Path("nowhere"), decodings=DECODINGS[:1], raters=("sentiment.vader.v1",), structures=structures
    )
    [found] = answers_to(run)
    kinds = {cell.choices["structure"] for cell in found.multiverse.curve.cells}
    assert kinds == {"baseline", "declarative", "interrogative"}


def test_sets_of_written_sentences_are_a_choice_where_there_are_several() -> None:
    run = make_written_run(Path("nowhere"), tilts=[Tilt("gender-professions", 0.9)], models=["m"], writers=["w"])
    [found] = answers_to(run)
    cells = found.multiverse.curve.cells
    assert {(cell.choices["source"], cell.choices.get("set")) for cell in cells} == {
        ("templates", None),
        *(("generated[by=w]", number) for number in "123"),
    }


def test_a_spec_with_one_stereotyped_set_has_signed_items() -> None:
    run = make_run(Path("nowhere"), tilts=[Tilt("short-list", 3.0, terms=3)], models=["m"])
    material = Evidence([run])
    [question] = questions(material)
    cells = cells_of(question, material)
    assert all(cell.sides is None for cell in cells)
    assert {(cell.choices["measure"], cell.neutral) for cell in cells} == {("preference", 0.5), ("margin", 0.0)}


def test_every_model_gets_its_answer_and_an_answer_is_json() -> None:
    run = make_run(Path("nowhere"), tilts=[Tilt("gender-professions", 0.9)])
    found = answers_to(run, "prefer")
    assert [one.question.model for one in found] == ["alpha-135m", "beta-1b"]
    again = json.loads(json.dumps([one.as_json() for one in found], allow_nan=False))
    assert again[0]["question"]["text"] == found[0].question.text
    assert {"verdict", "test", "decomposition", "flips", "curve"} <= set(again[0])


def test_a_report_answers_main_questions_up_to_a_number() -> None:
    run = make_rated_run(
        Path("nowhere"), biases=("religion",), decodings=DECODINGS[:2], raters=("sentiment.vader.v1",), openers=6
    )
    found = summarise_findings([(run, summarise_run(run))])
    groups = {prompt.group for prompt in run.continuations.prompts} if run.continuations else set()
    asked_of = [{one.question.first, one.question.second} for one in found.findings]
    assert len(groups) > 2 and all({*pair} in asked_of for pair in combinations(groups, 2))
    assert len(asked_of) == len(groups) * (len(groups) - 1) // 2
    assert found.left_out == 0
    many = make_run(Path("nowhere"), tilts=[Tilt(f"bias-{number}", 0.1) for number in range(14)])
    summary = summarise_findings([(many, replace(summarise_run(many), next_words=None))])
    assert len(summary.findings) == REPORT_QUESTIONS
    assert summary.left_out == 2 * 14 - REPORT_QUESTIONS


KNOWN = [
    Question("m", "continuations", "gender", "male", "female"),
    Question("n", "continuations", "gender", "male", "female"),
    Question("m", "continuations", "gender", "male", "nonbinary"),
    Question("m", "pairs", "gender-science-arts", "male", "female"),
    Question("m", "next words", "professions", "male", "female"),
]


@pytest.mark.parametrize(
    ("words", "view", "models", "first"),
    [
        ("1", "continuations", ["m", "n"], "male"),
        ("Are texts about male rated worse than texts about female?", "continuations", ["m", "n"], "male"),
        ("are texts about female rated worse than texts about male", "continuations", ["m", "n"], "female"),
        ("nonbinary", "continuations", ["m"], "male"),
        ("Science", "pairs", ["m"], "male"),
        ("4", "next words", ["m"], "male"),
    ],
)
def test_a_question_is_known_by_its_number_its_text_or_words_of_it(
    words: str, view: str, models: list[str], first: str
) -> None:
    found = asked(words, KNOWN)
    assert [one.model for one in found] == models
    assert {(one.view, one.first) for one in found} == {(view, first)}


@pytest.mark.parametrize(
    ("words", "number"), [("male", "4"), ("bananas", "none"), ("5", "none"), ("0", "none"), ("", "none")]
)
def test_what_fits_several_questions_or_none_is_told_so(words: str, number: str) -> None:
    with pytest.raises(UserError, match=f"fits {number} of the 4 questions"):
        asked(words, KNOWN)


def test_every_origin_counts_the_same_where_that_is_chosen() -> None:
    """By hand: texts 1, 1, 1 of x and 3 of y against zeros. Over texts 1.5, over origins 2."""
    values, origins = [1.0, 1.0, 1.0, 3.0, 0.0, 0.0, 0.0, 0.0], list("xxxy") * 2
    cell = CellData.of({"aggregation": "texts"}, values, origins, [0] * 4 + [1] * 4)
    other = over_origins(CellData.of({"aggregation": ORIGINS}, values, origins, [0] * 4 + [1] * 4))
    assert matters(cell)
    assert not matters(other)
    found = in_deviations_of(evaluate([cell, other]), [None, cell.sums().spread])
    by_texts, by_origins = found.results
    assert (by_texts.raw.value, by_origins.raw.value) == (1.5, 2.0)
    # The sum of squares within the groups is 3 on 6 degrees of freedom: both effects are in these deviations.
    assert by_texts.effect.value == pytest.approx(1.5 / 0.5**0.5)
    assert by_origins.effect.value == pytest.approx(2.0 / 0.5**0.5)


def test_a_few_lost_texts_do_not_make_aggregation_a_choice() -> None:
    origins = [f"opener {number // 3}" for number in range(48)]
    values: list[float | None] = [None, *(float(number % 3) for number in range(47))]
    assert not matters(CellData.of({}, values * 2, origins * 2, [0] * 48 + [1] * 48))
