"""Two runs on the same items: planted changes come back, what is unlike is refused, words claim no more than that."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.present.completions import DECODINGS, Lean, make_rated_run
from tests.present.synthetic import Tilt, make_run
from tests.results.planted_studies import BOOKS, PROFESSIONS, TOOLS, pairs_run, texts_run, words_run
from tiltmeter.engine import carry_out
from tiltmeter.errors import UserError
from tiltmeter.records import Estimate, Pair, PairScore
from tiltmeter.results.compare.records import Compared, ComparedView, RunComparison
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.specs import load
from tiltmeter.specs.write import to_toml
from tiltmeter.stats.comparing.before_after import GapChange, Prompted, gap_change, gap_equivalence, means_of
from tiltmeter.stats.comparing.paired import Paired, paired
from tiltmeter.store import Continuations, Run, UsedRater
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

SHE, HE = ("she", "woman"), ("he", "man")
BIAS = "gender-professions"


def of(found: RunComparison, view: str) -> ComparedView:
    return next(one for one in found.views if one.view == view)


def at(cells: tuple[Compared, ...], **choices: str) -> Compared:
    [found] = [one for one in cells if all(one.choices.get(name) == value for name, value in choices.items())]
    return found


@pytest.fixture(scope="module")
def biased(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return pairs_run(tmp_path_factory.mktemp("biased"), [(HE, TOOLS, 1.0), (SHE, BOOKS, 1.0)])


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Half of the attributes are left as they were."""
    half = [(HE, TOOLS[:4], 1.0), (SHE, BOOKS[:4], 1.0), (SHE, TOOLS[4:], 1.0), (HE, BOOKS[4:], 1.0)]
    return pairs_run(tmp_path_factory.mktemp("mended"), half)


def test_a_planted_change_of_preference_is_found_pair_by_pair(biased: Run, mended: Run) -> None:
    found = compare_runs([biased, mended])
    cell = at(of(found, "pairs").cells, scorer="causal.sum.v1", measure="preference")
    assert isinstance(cell.found, Paired)
    # All stereotyped before; after, 8 of 16 attributes are turned round.
    assert (cell.found.a.value, cell.found.b.value, cell.difference.value) == (1.0, 0.5, 0.5)
    assert (cell.found.a_higher, cell.found.b_higher) == (48, 0)
    assert cell.found.change is not None
    assert cell.found.change.value == pytest.approx(-50)
    assert cell.p_holm is not None
    assert cell.p_adjusted is not None
    assert cell.difference.p is not None
    assert cell.p_holm >= cell.p_adjusted >= cell.difference.p
    assert found.comparisons == 8
    assert cell.detectable == pytest.approx(0.388, abs=0.02)
    assert (
        of(found, "pairs").sentences[0].startswith("B prefers stereotyped sentences less often than A by 50.0 points (")
    )


def test_exchanging_the_runs_turns_every_difference_round(biased: Run, mended: Run) -> None:
    one, other = compare_runs([biased, mended]), compare_runs([mended, biased])
    for cell, turned in zip(of(one, "pairs").cells, of(other, "pairs").cells, strict=True):
        assert cell.difference.value == -(turned.difference.value or 0.0)
        assert cell.difference.low == pytest.approx(-(turned.difference.high or 0.0))
        assert (cell.found.p_permutation, cell.p_holm) == (turned.found.p_permutation, pytest.approx(turned.p_holm))
    assert "more often than A" in of(other, "pairs").sentences[0]


def test_a_run_and_itself_show_nothing_and_claim_nothing(biased: Run) -> None:
    twin = replace(biased, folder=biased.folder.parent / "twin")
    found = compare_runs([biased, twin], margin=0.05)
    assert all(cell.difference.value == 0 for cell in of(found, "pairs").cells)
    assert found.comparisons == 0
    view = of(found, "pairs")
    assert view.sentences == ("A and B are the same on all 96 items.",)
    assert view.summary.startswith("No comparison of pairs has an interval")


def test_the_same_choices_by_other_margins_are_not_called_the_same(biased: Run, tmp_path: Path) -> None:
    milder = pairs_run(tmp_path, [(HE, TOOLS, 0.4), (SHE, BOOKS, 0.4)])
    found = of(compare_runs([biased, milder]), "pairs")
    [line] = found.overall
    assert line.difference.value == 0
    assert line.margins is not None
    margins = line.margins
    assert (margins.a_higher, margins.b_higher) == (96, 0)
    assert margins.difference.value == at(found.cells, scorer="causal.sum.v1", measure="margin").difference.value
    [sentence] = found.sentences
    assert sentence.startswith("A and B choose the same on all 96 items, but by other margins on all of them (A − B is")
    assert f"+{margins.difference.value:.3f}" in sentence
    assert line.as_json()["margins"]["difference"]["value"] == margins.difference.value


def test_two_models_of_one_run_are_compared() -> None:
    run = make_run(Path("nowhere"), tilts=[Tilt(BIAS, 0.9), Tilt("flowers", 2.0, benchmark=True)])
    found = compare_runs([run], ["beta-1b", "alpha-135m"])
    assert (found.a.name, found.b.name) == ("beta-1b", "alpha-135m")
    [overall] = of(found, "pairs").overall
    # The first scorer of the study leads; what checks the instrument is no bias.
    assert overall.choices["scorer"] == "causal.sum.v1"
    assert (
        overall.difference.n
        == at(of(found, "pairs").cells, bias=BIAS, scorer="causal.sum.v1", measure="margin").difference.n
    )


def test_items_of_one_side_alone_are_counted_and_left_out(biased: Run, mended: Run) -> None:
    lost = {key: scores[:-6] for key, scores in mended.scores.items()}
    found = compare_runs([biased, replace(mended, scores=lost)])
    view = of(found, "pairs")
    assert (view.items.both, view.items.only_a, view.items.only_b) == (90, 6, 0)
    assert any("6 items that only" in note for note in found.notes)
    assert at(view.cells, scorer="causal.sum.v1", measure="margin").difference.n == 90


def test_an_unscored_item_makes_no_pair_and_is_no_zero(biased: Run, mended: Run) -> None:
    some = {
        key: tuple(
            replace(score, scores=None, unscored="lost") if place < 3 else score for place, score in enumerate(every)
        )
        for key, every in mended.scores.items()
    }
    cell = at(
        of(compare_runs([biased, replace(mended, scores=some)]), "pairs").cells,
        scorer="causal.sum.v1",
        measure="margin",
    )
    assert isinstance(cell.found, Paired)
    assert (cell.difference.n, cell.found.only_a) == (93, 3)


def test_another_number_of_pairs_of_the_same_source_is_compared_where_both_have_them() -> None:
    run = make_run(Path("nowhere"), tilts=[Tilt(BIAS, 0.9)], models=["m"], scorers=["causal.sum.v1"])
    one, other = (
        _labelled(run, label, size) for label, size in (("templates[per_attribute=9]", 40), ("templates", 60))
    )
    found = of(compare_runs([one, replace(other, folder=Path("other"))]), "pairs")
    assert (found.items.both, found.items.only_a) == (40, 0)
    assert found.items.only_b > 0
    assert {cell.choices["source"] for cell in found.cells} == {"templates"}


def _labelled(run: Run, label: str, size: int) -> Run:
    """The run with another label of its source, and with some of its pairs."""
    source = {"name": "templates.v1", "label": label, "path": None, "options": {}, "sha256": None}
    meta = {**run.meta, "resolved": {**run.meta["resolved"], "sources": [source]}}
    scores = {
        key: tuple(
            replace(score, pair=replace(score.pair, id=f"{label}:{score.pair.id}", source=label))
            for score in every[:size]
        )
        for key, every in run.scores.items()
    }
    return replace(run, meta=meta, scores=scores, pairs=_pairs_of(scores))


def _pairs_of(scores: Mapping[tuple[str, str], Sequence[PairScore]]) -> tuple[Pair, ...]:
    return tuple(score.pair for score in next(iter(scores.values())))


def test_an_equivalence_is_said_where_it_is_shown() -> None:
    run = make_run(Path("nowhere"), tilts=[Tilt(BIAS, 0.9, terms=30)], models=["m"], scorers=["causal.sum.v1"])
    flipped = {
        key: tuple(
            replace(score, scores=(score.scores[1], score.scores[0])) if score.scores and place in (5, 50) else score
            for place, score in enumerate(every)
        )
        for key, every in run.scores.items()
    }
    other = replace(run, scores=flipped, folder=Path("other"))
    [overall] = of(compare_runs([run, other], margin=0.2), "pairs").overall
    assert overall.equivalence is not None
    assert overall.equivalence.verdict == "equivalent"
    [sentence, *_] = of(compare_runs([run, other], margin=0.2), "pairs").sentences
    assert "no difference is shown" in sentence
    assert "would have been seen four times out of five" in sentence
    assert sentence.endswith("It is no more than 20.0 points either way, if there is one.")
    [claimed] = of(compare_runs([run, _flipped(run, 60)], margin=0.9), "pairs").sentences
    assert claimed.endswith("It is no more than 90.0 points either way.")
    # A margin is for shares and ratings: log-probabilities have no such scale.
    assert at(of(compare_runs([run, other], margin=0.2), "pairs").cells, measure="margin").equivalence is None


def _flipped(run: Run, number: int) -> Run:
    """The run with another choice in as many of its pairs, every third."""
    scores = {
        key: tuple(
            replace(
                score,
                scores=(min(score.scores), max(score.scores))
                if score.pair.stereotyped == 0
                else (max(score.scores), min(score.scores)),
            )
            if score.scores and place % 3 == 0 and place < 3 * number
            else score
            for place, score in enumerate(every)
        )
        for key, every in run.scores.items()
    }
    return replace(run, scores=scores, folder=Path("flipped"))


@pytest.fixture(scope="module")
def negative(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return texts_run(tmp_path_factory.mktemp("negative"), women=0.8, men=0.2)


@pytest.fixture(scope="module")
def even(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return texts_run(tmp_path_factory.mktemp("even"), women=0.5, men=0.5)


def test_before_and_after_by_group_and_the_gap_between_them(negative: Run, even: Run) -> None:
    found = compare_runs([negative, even], margin=0.1)
    view = of(found, "continuations")
    women = at(view.cells, rater="sentiment.vader.v1", decoding="temperature 1, 40 new tokens", group="female")
    men = at(view.cells, rater="sentiment.vader.v1", decoding="temperature 1, 40 new tokens", group="male")
    gap = at(view.cells, rater="sentiment.vader.v1", decoding="temperature 1, 40 new tokens", groups="female/male")
    assert isinstance(gap.found, GapChange)
    assert women.difference.value is not None
    assert men.difference.value is not None
    # The gap is that of the two rows, and its change that of theirs.
    assert gap.found.a.value == pytest.approx((women.found.a.value or 0) - (men.found.a.value or 0))
    assert gap.difference.value == pytest.approx(women.difference.value - men.difference.value)
    assert gap.difference.high is not None
    assert gap.difference.high < 0
    assert gap.found.no_ratio == "ratings may be below zero"
    toxic = at(view.cells, rater="toxicity.linear.v1", decoding="temperature 1, 40 new tokens", groups="female/male")
    assert isinstance(toxic.found, GapChange)
    assert toxic.found.ratio_change is not None
    assert toxic.found.ratio_change.value is not None
    assert toxic.found.ratio_change.value < 0
    assert view.sentences[0].startswith("own-prompts/gender, sentiment.vader.v1, “female” − “male”: the gap is −")
    told = view.overall[0].difference
    low, value, high = (f"{number:.3f}".replace("-", "−") for number in (told.low, told.value, told.high))
    assert value.startswith("−")
    assert f": A − B is {value} ({low} to {high})." in view.sentences[0]
    [first, *_] = view.overall
    assert first.choices["decoding"] == "all"
    # Samples are no pairs: prompts are.
    assert women.difference.n == 16
    as_json = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert set(as_json["views"]["continuations"]) == {"sentences", "items", "overall", "groups", "gaps", "left_out"}
    assert as_json["views"]["continuations"]["gaps"][0]["equivalence"]["verdict"] in ("different", "undecided", "both")


def test_other_seeds_and_numbers_of_samples_are_notes(negative: Run, even: Run) -> None:
    resolved = even.meta["resolved"]
    texts = {**resolved["continuations"], "samples": 5}
    meta = {**even.meta, "resolved": {**resolved, "seed": 9, "continuations": texts}, "versions": {"numpy": "0.1"}}
    found = compare_runs([negative, replace(even, meta=meta)])
    notes = "\n".join(found.notes)
    for told in ("the seeds differ (1 and 9)", "texts for each prompt differ: 3 and 5", "numpy"):
        assert told in notes


def test_a_planted_change_of_expectation_is_found_and_that_after_person_is_apart(tmp_path: Path) -> None:
    one = words_run(tmp_path / "one", [(["she"], PROFESSIONS[:5], 1.0), (["she"], PROFESSIONS[5:], 0.6)])
    other = words_run(tmp_path / "other", [(["she"], PROFESSIONS[:5], 0.2), (["she"], PROFESSIONS[5:], 0.1)])
    found = compare_runs([one, other])
    view = of(found, "next words")
    about = {"bounded": "no", "combine": "sum", "groups": "male/female"}
    ratio = at(view.cells, perturbation="original", measure="log ratio", **about)
    # 0.8 of log odds in the one half, 0.5 in the other; that of he alone does not change by as much.
    assert ratio.difference.value == pytest.approx(-0.65, abs=0.2)
    assert ratio.difference.high is not None
    assert ratio.difference.high < 0
    assert at(view.cells, perturbation="person", measure="share", **about).difference.value == 0
    assert view.sentences[0].startswith("professions: B expects “male” more often than A by ")
    assert {cell.choices["measure"] for cell in view.cells} == {"log ratio", "share", "difference"}


def test_the_change_of_next_words_is_that_of_the_means_beside_it(tmp_path: Path) -> None:
    one = words_run(tmp_path / "one", [(["she"], PROFESSIONS[:5], 1.0), (["she"], PROFESSIONS[5:], 0.6)])
    other = words_run(tmp_path / "other", [(["she"], ["the"], 0.5)])
    checked = 0
    for cell in of(compare_runs([one, other]), "next words").cells:
        a, b = cell.found.a, cell.found.b
        if cell.change is None:
            assert cell.no_change is not None
            assert ("no interval" in cell.no_change) == (a.low is None)
            continue
        assert a.value is not None and b.value is not None
        assert cell.change.value == pytest.approx(100 * (b.value / a.value - 1))
        if cell.change.low is not None and cell.change.high is not None:
            checked += 1
            assert cell.change.low <= cell.change.value <= cell.change.high  # type: ignore[operator]
    assert checked


def test_a_view_that_only_one_side_has_or_that_shares_no_item_is_named(biased: Run, negative: Run, mended: Run) -> None:
    both = _with_scores(negative, biased)
    found = compare_runs([both, mended])
    assert found.lone == (f"only {found.a.name} has continuations",)
    assert found.lone[0] in found.notes
    # What was asked for is there, and nothing else was.
    assert compare_runs([both, mended], views=["pairs"]).lone == ()
    strange = {
        key: tuple(replace(score, pair=replace(score.pair, texts=("X", "Y"))) for score in every)
        for key, every in both.scores.items()
    }
    twin = replace(both, scores=strange, pairs=_pairs_of(strange), folder=Path("twin"))
    found = compare_runs([both, twin])
    assert [view.view for view in found.views] == ["continuations"]
    assert found.lone == ("no item of pairs is the same in both",)


def _with_scores(texts: Run, pairs: Run) -> Run:
    """A run of continuations that has the pairs of another as well."""
    [model] = texts.facts
    resolved = {**pairs.meta["resolved"], "continuations": texts.meta["resolved"]["continuations"]}
    scores = {(model, scorer): every for (_, scorer), every in pairs.scores.items()}
    return replace(texts, pairs=pairs.pairs, scores=scores, meta={**texts.meta, "resolved": resolved})


class Rated(Continuations):
    """The continuations of a run whose raters say something else of themselves."""

    def __init__(self, inner: Continuations, facts: Mapping[str, str], scope: str = "whole") -> None:
        self._inner, self._facts, self._scope = inner, facts, scope

    def __getattribute__(self, name: str) -> Any:
        mine = object.__getattribute__(self, "__dict__")
        if name == "raters":
            return tuple(UsedRater(one.name, mine["_scope"], mine["_facts"]) for one in mine["_inner"].raters)
        return getattr(mine["_inner"], name) if name != "_inner" else mine["_inner"]


def rated(facts: Mapping[str, str], scope: str = "whole", decodings: Any = DECODINGS[:1], **more: Any) -> Run:
    run = make_rated_run(
        Path("nowhere"), decodings=decodings, raters=more.pop("raters", ("sentiment.minilm.v1",)), **more
    )
    choices = {"samples": 4, "sources": [], "reference": []}
    meta = {**run.meta, "resolved": {**run.meta["resolved"], "continuations": choices}}
    assert run.continuations is not None
    return replace(run, meta=meta, continuations=Rated(run.continuations, facts, scope), scores={})


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (rated({"weights_sha256": "b" * 64}), "the rater sentiment.minilm.v1 has another weights_sha256 (aaaa"),
        (rated({"weights_sha256": "a" * 64}, "completion"), "the rater sentiment.minilm.v1 reads whole in the one and"),
        (
            rated({"weights_sha256": "a" * 64}, raters=("sentiment.minilm.v2",)),
            "the rater sentiment.minilm is v1 in the one and v2 in the other",
        ),
        (
            rated({"weights_sha256": "a" * 64}, decodings=DECODINGS[1:2]),
            "no decoding is the same: temperature 1, 10 new tokens in the one, temperature 1, 20 new tokens in",
        ),
    ],
)
def test_what_was_not_measured_alike_is_refused_saying_which(other: Run, sentence: str) -> None:
    one = rated({"weights_sha256": "a" * 64})
    with pytest.raises(UserError, match="cannot be compared") as raised:
        compare_runs([one, replace(other, folder=Path("other"))])
    assert sentence in str(raised.value)
    assert "run one of them again" in str(raised.value)


def test_a_fact_of_a_rater_that_an_earlier_version_did_not_write_down_is_no_difference() -> None:
    one, other = (rated(facts) for facts in ({"weights_sha256": "a"}, {"weights_sha256": "a", "files_sha256": "b"}))
    assert compare_runs([one, replace(other, folder=Path("other"))]).views


def test_packages_of_a_rater_are_a_note_and_a_lean_is_found() -> None:
    one = rated({"weights_sha256": "a", "torch": "2.9"}, lean=Lean({"sentiment.minilm.v1": -0.4}, noise=0.1))
    other = rated({"weights_sha256": "a", "torch": "2.10"}, lean=Lean({"sentiment.minilm.v1": 0.0}, noise=0.2))
    found = compare_runs([one, replace(other, folder=Path("other"))])
    assert "the rater sentiment.minilm.v1 ran with another torch" in found.notes
    [overall] = of(found, "continuations").overall
    assert overall.p_holm is not None
    assert overall.p_holm < 0.05
    assert overall.difference.low is not None and overall.difference.high is not None
    assert overall.difference.low < -0.2 < overall.difference.high < 0
    assert ": A − B is " in of(found, "continuations").sentences[0]


def test_a_gap_that_changes_alike_in_every_origin_has_no_interval() -> None:
    facts, leans = {"weights_sha256": "a"}, (-0.4, 0.0)
    one, other = (rated(facts, lean=Lean({"sentiment.minilm.v1": lean}, noise=0.1)) for lean in leans)
    view = of(compare_runs([one, replace(other, folder=Path("other"))]), "continuations")
    [overall] = view.overall
    assert overall.difference.value == pytest.approx(-0.2)
    assert (overall.difference.low, overall.difference.p, overall.p_holm) == (None, None, None)
    # Nothing but the lean differs. All 12 origins turn as one: 2 of 2 ** 12 ways are as large.
    assert overall.found.p_permutation == pytest.approx(2 / 2**12)
    assert "no spread" in view.sentences[0]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"scorer": "causal.sum.v2"}, "the scorer causal.sum is v1 in the one and v2 in the other"),
        ({"format": 99}, "studies of format 1 and 99 are carried out differently"),
        ({"source": "templates.v2"}, "the source templates is v1 in the one and v2 in the other"),
    ],
)
def test_other_versions_of_what_made_the_scores_are_refused(change: dict[str, Any], sentence: str) -> None:
    one = make_run(Path("nowhere"), tilts=[Tilt(BIAS, 0.9)], models=["m"], scorers=["causal.sum.v1"])
    resolved = dict(one.meta["resolved"])
    scores = one.scores
    if "scorer" in change:
        scores = {(model, change["scorer"]): every for (model, _), every in one.scores.items()}
    if "source" in change:
        resolved["sources"] = [{**resolved["sources"][0], "name": change["source"]}]
    resolved |= {name: value for name, value in change.items() if name == "format"}
    other = replace(one, scores=scores, meta={**one.meta, "resolved": resolved}, folder=Path("other"))
    with pytest.raises(UserError, match="cannot be compared") as raised:
        compare_runs([one, other])
    assert sentence in str(raised.value)


def test_nothing_in_common_is_one_sentence(biased: Run, negative: Run) -> None:
    with pytest.raises(UserError, match="there is nothing in common to compare: .* has pairs and .* has continuations"):
        compare_runs([biased, negative])
    half = replace(biased, scores={}, folder=Path("half"))
    unfinished = "has nothing; half is not finished: resume an unfinished run with `tiltmeter run`$"
    with pytest.raises(UserError, match=unfinished):
        compare_runs([biased, half])
    with pytest.raises(UserError, match="half is not finished: resume an unfinished run with `tiltmeter run`$"):
        compare_runs([biased, half], views=["pairs"])
    with pytest.raises(UserError, match="has no model that has answered; .*`tiltmeter run`"):
        compare_runs([biased, replace(half, facts={})])
    strange = {
        key: tuple(replace(score, pair=replace(score.pair, texts=("X", "Y"))) for score in every)
        for key, every in biased.scores.items()
    }
    with pytest.raises(UserError, match="no item has the same id and text"):
        compare_runs([biased, replace(biased, scores=strange, pairs=_pairs_of(strange), folder=Path("other"))])


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        ([], "two models are compared: name them with --model A --model B"),
        (["a", "b", "c"], "--model stands 3 times"),
        (["nobody", "planted"], "there is no model `nobody`"),
    ],
)
def test_sides_that_are_not_clear_are_asked_for(biased: Run, models: list[str], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        compare_runs([biased], models)


def test_a_run_of_several_models_and_a_margin_below_zero_are_refused(biased: Run) -> None:
    several = make_run(Path("nowhere"), tilts=[Tilt(BIAS, 0.9)])
    with pytest.raises(UserError, match="has several models: alpha-135m, beta-1b; name one with --model"):
        compare_runs([several, biased])
    with pytest.raises(UserError, match="is the same run and the same model twice"):
        compare_runs([biased, biased])
    with pytest.raises(UserError, match="a margin is more than 0"):
        compare_runs([biased, biased], margin=-1)
    with pytest.raises(UserError, match="3 runs were given"):
        compare_runs([biased, biased, biased])


def test_the_gap_by_hand() -> None:
    """Origins count the same, however many prompts they have: x has two about women, of which the mean is 0.3."""
    prompts = [
        Prompted("women", 0.2, 0.5, "x"),
        Prompted("women", 0.4, 0.5, "x"),
        Prompted("women", 0.5, 0.5, "y"),
        Prompted("men", 0.6, 0.5, "x"),
        Prompted("men", 0.8, 0.7, "y"),
        Prompted("others", 9.0, 9.0, "y"),
    ]
    found = gap_change(prompts, ("women", "men"))
    assert found.a.value == pytest.approx(0.4 - 0.7)
    assert found.b.value == pytest.approx(0.5 - 0.6)
    assert found.difference.value == pytest.approx(-0.2)
    assert found.p_permutation is None
    turned = gap_change(prompts, ("men", "women"))
    assert turned.difference.value == pytest.approx(0.2)


def test_the_change_of_a_gap_is_the_paired_change_where_one_group_stays() -> None:
    values = [0.1, 0.5, 0.3, 0.9, 0.4, 0.6, 0.2]
    prompts = [Prompted("men", 0.5, 0.5, str(place)) for place in range(7)]
    prompts += [Prompted("women", value, value / 2, str(place)) for place, value in enumerate(values)]
    found = gap_change(prompts, ("women", "men"))
    alone = paired(values, [value / 2 for value in values], [str(place) for place in range(7)])
    assert found.difference.value == pytest.approx(alone.difference.value)
    assert found.difference.low == pytest.approx(alone.difference.low)
    assert found.p_permutation == alone.p_permutation
    assert gap_equivalence(prompts, ("women", "men"), margin=0.5).verdict == "both"


def test_means_leave_out_what_is_no_number() -> None:
    assert means_of([("x", 1.0), ("x", None), ("x", float("nan")), ("y", None)]) == {"x": 1.0, "y": None}


def test_a_comparison_keeps_its_own_correction_in_json() -> None:
    found = paired([3.0, 4.0, 5.0, 4.0, 9.0], [2.0, 2.0, 4.0, 3.0, 5.0], list("vwxyz"))
    one = Compared("pairs", {"bias": "b"}, found, p_adjusted=0.04, p_holm=0.05)
    assert one.as_json()["difference"]["p_adjusted"] == 0.04
    assert one.as_json()["minimum_detectable"] == one.detectable
    assert Compared("pairs", {}, replace(found, difference=Estimate(1.0))).detectable is None


def test_a_source_that_asks_for_other_words_is_refused(tmp_path: Path) -> None:
    def asked(folder: Path, women: str) -> Run:
        folder.mkdir()
        spec = to_toml(load("gender-math-arts")).replace('"sister"', f'"{women}"')
        (folder / "spec.toml").write_text(spec, encoding="utf-8")
        study = 'models = ["scripted"]\nspecs = ["spec.toml"]\n[next_words]\nsources = ["templates"]\n'
        return carry_out(plan(parse(study, file=folder / "study.toml")), folder / "run")

    words = {"a": "sister", "b": "niece", "c": "sister"}
    one, other, same = (asked(tmp_path / name, word) for name, word in words.items())
    with pytest.raises(UserError, match="the set of words own has other words for"):
        compare_runs([one, other])
    assert of(compare_runs([one, same]), "next words").cells
