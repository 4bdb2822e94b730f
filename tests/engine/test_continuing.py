"""What models write about groups, and what raters make of it, from plan to run folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from tests.engine.slow_continuing import OTHER, small_steps
from tests.engine.test_run import unfinished
from tiltmeter import models, raters
from tiltmeter.engine import carry_out, continuations, rating
from tiltmeter.engine.rating import Masker
from tiltmeter.errors import ModelError, RunError
from tiltmeter.models import Model
from tiltmeter.raters import Rater
from tiltmeter.raters.sentiment import Vader
from tiltmeter.records import Decoding, Prompt, Rating
from tiltmeter.results.cells import table_of
from tiltmeter.results.items import rated_items
from tiltmeter.results.summary.refusals import ANY
from tiltmeter.store import Run, RunState, read_run
from tiltmeter.study import Plan, parse, plan

pytestmark = pytest.mark.slow

STUDY = """\
name = "t"
seed = 3
models = ["scripted"]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 3 } }]
decoding = { temperature = [0, 1.0], max_new_tokens = [4, 9] }
samples = 5
raters = ["sentiment.vader", "toxicity.linear"]
"""
SITUATIONS = STUDY.replace("per_group = 3", 'kind = "situations"')


@pytest.fixture
def small() -> Plan:
    return plan(parse(STUDY))


def test_a_run_that_stops_between_two_raters_goes_on(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = raters.load

    def stopping(name: str) -> Rater:
        if name.startswith("toxicity"):
            raise KeyboardInterrupt
        return load(name)

    with monkeypatch.context() as stopped:
        stopped.setattr(raters, "load", stopping)
        with pytest.raises(KeyboardInterrupt):
            carry_out(small, tmp_path)
    told: list[RunState] = []
    carry_out(small, tmp_path, tell=lambda state, _: told.append(state))
    assert [(state.kind, state.changes) for state in told] == [("begun", ())]
    assert not (tmp_path / "before.1").exists()


def texts(run: Run, decoding: Decoding, model: str = "scripted") -> dict[tuple[str, int], str]:
    assert run.continuations
    return {(one.prompt.text, one.sample): one.text for one in run.continuations.texts(model, decoding)}


def test_a_run_keeps_every_text_with_its_labels_and_ratings(small: Plan, tmp_path: Path) -> None:
    carry_out(small, tmp_path)
    run = read_run(tmp_path)
    found = run.continuations
    assert found
    assert found.prompts == small.prompts
    assert [(one.temperature, one.max_new_tokens) for one in found.decodings] == [(0, 4), (0, 9), (1, 4), (1, 9)]
    assert [used.name for used in found.raters] == ["sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5"]
    assert found.raters[0].facts == {"vaderSentiment": "3.3.2"}
    assert (run.pairs, run.scores, list(run.facts)) == ((), {}, ["scripted"])
    for decoding in found.decodings:
        samples = 5 if decoding.temperature else 1
        rated = list(found.with_ratings("scripted", decoding))
        assert len(rated) == len(small.prompts) * samples
        direct = Vader().rate([one.whole for one, _ in rated])
        assert [ratings["sentiment.vader.v1"].value for _, ratings in rated] == [rating.value for rating in direct]
        assert all(one.tokens <= decoding.max_new_tokens for one, _ in rated)


def test_a_shorter_cell_is_the_beginning_of_the_longer_one_and_costs_nothing(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Decoding] = []
    write = continuations.write
    monkeypatch.setattr(continuations, "write", lambda *given: asked.append(given[1].decoding) or write(*given))
    run = carry_out(small, tmp_path / "both")
    assert {one.max_new_tokens for one in asked} == {9}
    short = plan(parse(STUDY.replace("[4, 9]", "4")))
    alone = carry_out(short, tmp_path / "short")
    for temperature in (0.0, 1.0):
        decoding = Decoding(temperature=temperature, max_new_tokens=4)
        assert texts(run, decoding) == texts(alone, decoding)


def test_a_text_does_not_depend_on_what_else_is_in_the_study(small: Plan, tmp_path: Path) -> None:
    run = carry_out(small, tmp_path / "one")
    more = STUDY.replace("}]", '}, { own-prompts = { domain = "age" } }]').replace("samples = 5", "samples = 7")
    more = more.replace("[0, 1.0]", "[0.3, 1.0]")
    other = carry_out(plan(parse(more)), tmp_path / "other")
    decoding = Decoding(temperature=1.0, max_new_tokens=9)
    one, all_of_it = texts(run, decoding), texts(other, decoding)
    assert one == {place: all_of_it[place] for place in one}
    seeded = carry_out(plan(parse(STUDY.replace("seed = 3", "seed = 4"))), tmp_path / "seed")
    assert texts(seeded, decoding) != one


def test_equal_texts_are_rated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    rate = Vader.rate
    monkeypatch.setattr(Vader, "rate", lambda self, given: read.extend(given) or rate(self, given))
    monkeypatch.setattr(rating, "tilt", lambda *_, **__: [])
    # So short that some are bound to be equal.
    run = carry_out(plan(parse(STUDY.replace("[4, 9]", "[1, 2]"))), tmp_path)
    assert run.continuations
    whole = [one.whole for each in run.continuations.decodings for one in run.continuations.texts("scripted", each)]
    assert len(read) == len(set(read)) == len(set(whole)) < len(whole)


def test_an_interrupted_run_writes_and_rates_nothing_twice(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_steps(monkeypatch)
    calls: list[str] = []

    def sometimes(name: str, work):
        def call(*given):
            calls.append(name)
            if len(calls) % 4 == 3:
                raise KeyboardInterrupt
            return work(*given)

        return call

    carry_out(small, tmp_path / "whole")
    monkeypatch.setattr(continuations, "write", sometimes("write", continuations.write))
    monkeypatch.setattr(rating.RatingRun, "rated", sometimes("rate", rating.RatingRun.rated))
    for _ in range(60):
        try:
            carry_out(small, tmp_path / "broken")
            break
        except KeyboardInterrupt:
            assert read_run(tmp_path / "broken").meta["all_rated"] is False
    for query in ("select * from completions", "select * from ratings", "select * from tilts", "select * from steps"):
        whole, broken = (
            sqlite3.connect(tmp_path / name / "ledger.sqlite").execute(query).fetchall() for name in ("whole", "broken")
        )
        assert whole == broken
        assert whole
    assert read_run(tmp_path / "broken").meta["all_rated"] is True


def test_prompts_that_state_a_situation_are_read_for_group_words(tmp_path: Path) -> None:
    run = carry_out(plan(parse(SITUATIONS)), tmp_path)
    cells = table_of(run).of("continuations")
    assert {cell.rater for cell in cells} == {"groups.first.v1", "groups.only.v1", "refusal.v5"}
    assert {cell.scope for cell in cells} == {"completion"}
    first = next(cell for cell in cells if cell.rater == "groups.first.v1" and cell.decoding.temperature)
    items = rated_items(first)
    assert run.continuations
    written = run.continuations.texts(first.model, first.decoding)
    asked = [one for one in written if (one.prompt.source, one.prompt.bias) == (first.source, first.bias)]
    assert len(items) == len(asked), "each text is one measurement"
    assert {item.group for item in items} == {"female", "male", ANY}
    assert {item.value for item in items} <= {-1.0, 0.0, 1.0, None}
    for one, item in zip(asked, items, strict=True):
        assert item.group == (one.prompt.stereotyped or ANY)
        assert (item.value is None) == (item.unrated is not None)
        if item.value:
            assert item.value == (1.0 if item.label == item.group else -1.0)
    refusals = next(cell for cell in cells if cell.rater == "refusal.v5")
    assert {item.group for item in rated_items(refusals)} == {ANY}


def test_cells_come_in_the_order_of_the_study(small: Plan, tmp_path: Path) -> None:
    run = carry_out(small, tmp_path)
    cells = table_of(run).of("continuations")
    assert len(cells) == 4 * 3
    assert [cell.rater for cell in cells[:3]] == ["sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5"]
    assert [cell.scope for cell in cells[:3]] == ["whole", "whole", "completion"]
    items = rated_items(cells[0])
    assert [item.prompt for item in items] == [prompt.id for prompt in small.prompts]
    assert {item.group for item in items} == {"female", "male", "nonbinary"}


class Masked:
    """A rater that wants the group masked, and keeps what it read."""

    name = "regard.stand-in.v1"
    wants_mask = True
    facts: ClassVar[dict[str, str]] = {}
    read: ClassVar[list[str]] = []

    def rate(self, given: Sequence[str]) -> list[Rating]:
        self.read.extend(given)
        return [Rating(self.name, None, "other", label="other") for _ in given]


def test_the_group_is_masked_for_raters_that_want_it(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = raters.load
    monkeypatch.setattr(raters, "load", lambda name: Masked() if name.startswith("toxicity") else load(name))
    monkeypatch.setattr(rating, "tilt", lambda *_, **__: [])
    run = carry_out(small, tmp_path)
    assert Masked.read
    assert all("XYZ" in text for text in Masked.read)
    assert not any(word in text for text in Masked.read for word in ("woman", " man", "nonbinary"))
    cell = next(cell for cell in table_of(run).of("continuations") if cell.rater == Masked.name)
    items = rated_items(cell)
    assert {(item.value, item.label, item.unrated) for item in items} == {(None, "other", "other")}


def test_the_terms_of_the_spec_are_masked_in_what_was_written() -> None:
    [spec] = parse('models = ["scripted"]\nspecs = ["gender-math-arts"]\n[continuations]\n').specs
    group = spec.groups[0]
    prompt = Prompt("p", "s", spec.name, "o", "It was he who", group.name, term="he", group_spans=((7, 9),))
    masker = Masker({spec.name: spec})
    other = next(term for term in group.terms if term != "he")
    assert masker.read(prompt, f" saw {other}.", "whole", masked=True) == "It was XYZ who saw XYZ."
    assert masker.read(prompt, f" saw {other}.", "completion", masked=True) == " saw XYZ."
    assert masker.read(prompt, " left.", "whole", masked=False) == "It was he who left."
    assert masker.read(prompt, " ", "whole", masked=False) == "", "a prompt alone is nothing to rate"


def test_the_raters_own_tilt_is_measured_on_the_groups_of_the_study(small: Plan, tmp_path: Path) -> None:
    found = carry_out(small, tmp_path).continuations
    assert found
    items = found.tilts("toxicity.linear.v1")
    assert {bias for bias, _ in items} == {"own-prompts/gender"}
    assert {item.group for _, item in items} == {"female", "male", "nonbinary"}
    by_group = {group: [item for _, item in items if item.group == group] for group in ("female", "male")}
    assert [item.sentence for item in by_group["female"]] == [item.sentence for item in by_group["male"]]
    assert all(item.rating.value is not None for _, item in items)
    assert found.tilts("refusal.v5") == []


def test_a_rater_that_changed_since_is_refused(small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carry_out(small, tmp_path)
    unfinished(tmp_path)
    monkeypatch.setattr(Vader, "facts", {"vaderSentiment": "9"})
    with pytest.raises(RunError, match=r"the run started with the rater sentiment.vader.v1 as .*3\.3\.2.* restore it"):
        carry_out(small, tmp_path)


def test_a_rater_of_which_more_is_known_since_is_the_same(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out(small, tmp_path)
    unfinished(tmp_path)
    more = {**Vader().facts, "head_sha256": "a"}
    monkeypatch.setattr(Vader, "facts", more)
    run = carry_out(small, tmp_path)
    assert run.continuations
    assert next(used.facts for used in run.continuations.raters if used.name == Vader.name) == more


def test_a_judge_without_a_chat_template_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    judged = STUDY.replace('"toxicity.linear"', '{ judge = { model = "scripted", question = "sentiment" } }')
    with pytest.raises(ModelError, match="scripted has no chat template"):
        carry_out(plan(parse(judged)), tmp_path)


def test_two_models_write_and_are_rated_together(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(OTHER)
    two = STUDY.replace('["scripted"]', '["scripted", "scripted:other.toml"]')
    run = carry_out(plan(parse(two, file=tmp_path / "s.toml")), tmp_path / "run")
    assert run.continuations
    assert run.continuations.models == ("scripted", f"scripted:{tmp_path / 'other.toml'}")
    assert {cell.model for cell in table_of(run).of("continuations")} == set(run.continuations.models)


def test_the_best_text_of_each_length_is_searched_for_apart() -> None:
    searched = [Decoding(0.0, beams=2, max_new_tokens=length) for length in (4, 9)]
    drawn = [Decoding(1.0, max_new_tokens=length, whole_sentences=True) for length in (9, 4)]
    assert continuations.generations([*searched, *drawn]) == [
        (searched[0], ((0, 4),)),
        (searched[1], ((1, 9),)),
        (drawn[0], ((2, 9), (3, 4))),
    ]


class Reader:
    """A model that scores and cannot write."""

    def __init__(self, model: Model) -> None:
        self.facts, self.conditionings, self.score = model.facts, model.conditionings, model.score


def test_a_model_that_cannot_write_has_pairs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = models.load
    monkeypatch.setattr(
        models, "load", lambda name, *more: Reader(load(name, *more)) if name == "scripted" else load(name, *more)
    )
    (tmp_path / "other.toml").write_text(OTHER)
    both = STUDY + "[pairs]\nsources = [{ templates = { per_attribute = 1 } }]\n"
    both = both.replace("seed = 3", 'seed = 3\nspecs = ["gender-math-arts"]')
    two = both.replace('["scripted"]', '["scripted", "scripted:other.toml"]')
    run = carry_out(plan(parse(two, file=tmp_path / "s.toml")), tmp_path / "two")
    assert run.continuations
    assert [name.partition(":")[0] for name in run.facts] == ["scripted", "scripted"]
    assert run.continuations.models == (f"scripted:{tmp_path / 'other.toml'}",)
    with pytest.raises(ModelError, match="no model of the study can write"):
        carry_out(plan(parse(both)), tmp_path / "both")
    with pytest.raises(ModelError, match="cannot write"):
        carry_out(plan(parse(STUDY)), tmp_path / "alone")


def named(group: str, term: str, person: str | None = None) -> Prompt:
    return Prompt(f"{group}/{term}", "s", "faith", "o", f"{term} is", group=group, term=term, person=person)


def test_the_tilt_is_measured_with_words_for_people():
    faiths = [named("judaism", "Judaism", "Jewish person"), named("islam", "Shia Islam", "Muslim person")]
    assert rating.terms_by_group(faiths) == {
        "faith": {"judaism": ["the Jewish person"], "islam": ["the Muslim person"]}
    }
    assert rating.terms_by_group([named("metal", "Metalsmith", ""), named("dance", "Ballet", "")]) == {}


def test_a_few_of_many_names_are_drawn_whatever_else_there_is():
    many = [named("a", name) for name in ("Ann", "Bea", "Cleo", "Dora", "Eve", "Flo")]
    first, second = (
        rating.terms_by_group([*many, *others], seed=3)["faith"]["a"]
        for others in ([named("b", "Bob")], [named("b", "Carl"), named("b", "Dan")])
    )
    assert first == second
    assert len(first) == 4
    assert first != rating.terms_by_group([*many, named("b", "Bob")], seed=4)["faith"]["a"]
