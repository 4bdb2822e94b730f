"""Limitations come from what was run: each is there where it holds, and not where it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, MadeUp, make_rated_run
from tests.present.next_words import make_asked_run
from tests.present.reading import NOTHING_ASKED, limits_of, reported
from tests.present.synthetic import TILTS, Tilt, make_run
from tiltmeter.present.sections.limits import not_meant
from tiltmeter.present.sections.methods import written
from tiltmeter.present.words import percent
from tiltmeter.records import Continuation, Rating
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.findings.findings import summarise_findings
from tiltmeter.store import Run
from tiltmeter.views import VIEWS


def said(run: Run, *, asked: bool = False) -> str:
    return "\n".join(limits_of(run, summarise_run(run), None if asked else NOTHING_ASKED))


@pytest.fixture(scope="module")
def paired(run: Run, summary: RunSummary) -> str:
    return "\n".join(limits_of(run, summary, NOTHING_ASKED))


def test_few_test_words_are_counted(paired: str) -> None:
    assert "1 of 6 biases has no interval (fewer than 5 test words)" in paired
    long = make_run(Path("r"), tilts=(Tilt("gender-professions", 0.5, terms=30),), scorers=("causal.sum.v1",))
    assert "test words" not in said(long) and "no interval" not in said(long)


def test_the_worst_share_without_a_score_is_said(paired: str, summary: RunSummary) -> None:
    worst = max(sum(cell.unscored.values()) / cell.pairs for cell in summary.cells)
    [line] = [line for line in paired.split("\n") if percent(worst) in line]
    assert "prior-corrected" in line


def test_models_are_counted(paired: str) -> None:
    assert "2 models" in paired
    one = said(make_run(Path("r"), tilts=TILTS[:1], models=("m",), scorers=("causal.sum.v1",)))
    assert "one model" in one and "models" not in one


def test_templates_alone_are_said_to_be_alone(paired: str) -> None:
    assert "made from templates (templates)" in paired and "one source" in paired
    run = make_run(Path("r"), tilts=TILTS[:1], scorers=("causal.sum.v1",))
    other = {"name": "crows-pairs.v1", "label": "crows", "path": None, "options": {}, "sha256": None}
    resolved = {**run.meta["resolved"], "sources": [*run.meta["resolved"]["sources"], other]}
    named = replace(run, meta={**run.meta, "resolved": resolved})
    assert "made from templates" in said(named), "a source that came to nothing counts for nothing"
    crows = tuple(replace(pair, id=f"crows:{pair.id}", source="crows") for pair in run.pairs)
    both = said(replace(named, pairs=(*run.pairs, *crows)))
    assert "made from templates" not in both and "one source" not in both and "for a test" in both


def test_text_that_was_found_is_not_said_to_be_made(tmp_path: Path) -> None:
    """BOLD is from Wikipedia, and was said not to be natural."""
    run = make_rated_run(tmp_path, openers=4)
    assert run.continuations
    label = run.continuations.prompts[0].source
    for name, made in (("bold.v1", False), ("own-prompts.v1", True), ("prompts-file.v1", False)):
        chosen = {"samples": 1, "sources": [{"name": name, "label": label}]}
        resolved = {**run.meta["resolved"], "continuations": chosen}
        found = said(replace(run, meta={**run.meta, "resolved": resolved}))
        assert ("templates" in found or "for a test" in found) is made
        assert ("not recorded" in found) is (name == "prompts-file.v1")


def test_items_that_could_not_be_made_are_counted(paired: str) -> None:
    assert "3 test items" in paired


def test_texts_have_limits_of_their_own(tmp_path: Path) -> None:
    found = said(make_rated_run(tmp_path, raters=("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5"), openers=4))
    assert "one language (en)" in found
    assert "entiment vader and toxicity linear" in found
    assert "one seed, 1 sample" in found
    single = said(make_rated_run(tmp_path, decodings=DECODINGS[:1], openers=4))
    assert "in one way only" in single and "in one way only" not in found


def test_choices_that_were_varied_are_counted(tmp_path: Path) -> None:
    found = said(make_rated_run(tmp_path, decodings=DECODINGS[:2], openers=6), asked=True)
    [line] = [line for line in found.split("\n") if "new tokens (2)" in line]
    assert "rater (" in line


def test_a_run_that_is_not_finished_says_so(tmp_path: Path) -> None:
    assert "not finished" in said(make_asked_run(tmp_path, unfinished=True, professions=("nurse",)))
    assert "not finished" not in said(make_asked_run(tmp_path, professions=("nurse", "smith")))


def test_every_view_has_what_a_figure_never_means() -> None:
    sentences = [sentence for view in VIEWS for sentence in not_meant(view)]
    assert all(not_meant(view) for view in VIEWS)
    assert len(set(sentences)) == len(sentences) and all(sentence.endswith(".") for sentence in sentences)


def test_a_model_behind_a_server_is_named() -> None:
    run = make_run(Path("r"), tilts=TILTS[:1], models=("m",), scorers=("causal.sum.v1",))
    assert "weights behind" not in said(run)
    served = replace(run.facts["m"], weights_sha256="", revision="served as m; owned_by us", device="server")
    assert "weights behind m" in said(replace(run, facts={"m": served}))


class Declining(MadeUp):
    """A model that refuses to write about some groups."""

    refused: tuple[str, ...] = ()

    def _rating(self, model: str, one: Continuation, rater: str) -> Rating:
        if rater.startswith("refusal"):
            declines = one.prompt.group in self.refused
            return Rating(rater, float(declines), label="refusal" if declines else "answer")
        return super()._rating(model, one, rater)


def declining(folder: Path, *groups: str) -> tuple[Run, RunSummary]:
    run = make_rated_run(folder, decodings=DECODINGS[:1], raters=("sentiment.vader.v1", "refusal.v3"))
    texts = Declining(decodings=DECODINGS[:1], raters=("sentiment.vader.v1", "refusal.v3"))
    texts.refused = groups
    made = replace(run, continuations=texts)
    return made, summarise_run(made)


def test_of_an_all_refused_study_nothing_is_said_to_be_answered_or_to_repeat(tmp_path: Path) -> None:
    run, summary = declining(tmp_path, "women", "men")
    words = "\n".join(limits_of(run, summary))
    assert "the one bias has no figure at all" in words
    assert "No choice was varied" not in words and "refused" not in words
    assert summary.continuations and not summary.continuations.repeats
    paragraphs, _ = written(reported(run))
    told = "".join(map(str, paragraphs))
    assert "1 question was asked" in told and "answered under" not in told


def test_groups_that_are_refused_more_often_are_named_with_their_own_share(tmp_path: Path) -> None:
    """The share without a rating was that of all groups together, half of what it was for one of them."""
    run, summary = declining(tmp_path, "women")
    missing, refused = [line for line in limits_of(run, summary) if percent(1.0) in line]
    assert "“women”" in missing and "“men”" not in missing
    assert f"{percent(1.0)} of texts about “women”" in refused
    assert f"{percent(0.0)} of texts about “men”" in refused


def test_findings_are_asked_once(tmp_path: Path) -> None:
    run = make_run(tmp_path, tilts=TILTS[:1], scorers=("causal.sum.v1", "causal.rest.v2"))
    summary = summarise_run(run)
    answered = replace(summarise_findings([(run, summary)]), left_out=1)
    assert any("1 more question" in line for line in limits_of(run, summary, answered))
    assert not any("more question" in line for line in limits_of(run, summary))
