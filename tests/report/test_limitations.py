"""Limitations come from what was run: each is there where it holds, and not where it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tiltmeter.report.continuations import continuation_views
from tiltmeter.report.limitations import limitations, not_meant
from tiltmeter.report.methods import methods

from tests.report.completions import DECODINGS, MadeUp, make_rated_run
from tests.report.next_words import make_asked_run
from tests.report.synthetic import TILTS, Tilt, make_run
from tiltmeter.records import Continuation, Rating
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.account import Account, account
from tiltmeter.results.findings.findings import Findings, summarise_findings
from tiltmeter.store import Run

NOTHING_ASKED = Findings((), 0)


def said(run: Run, *, asked: bool = False) -> str:
    runs = [(run, summarise_run(run))]
    answered = summarise_findings(runs) if asked else NOTHING_ASKED
    return "\n".join(limitations(runs, answered, account(runs, answered)))


@pytest.fixture(scope="module")
def paired(run: Run, summary: RunSummary) -> str:
    runs = [(run, summary)]
    return "\n".join(limitations(runs, NOTHING_ASKED, account(runs, NOTHING_ASKED)))


def test_few_origins_are_counted(paired: str) -> None:
    assert "Pairs: 1 of 7 biases has no interval (" in paired
    long = make_run(Path("r"), tilts=(Tilt("gender-professions", 0.5, terms=30),), scorers=("causal.sum.v1",))
    assert "origins" not in said(long)


def test_the_worst_share_without_a_score_is_said(paired: str, summary: RunSummary) -> None:
    worst = max(sum(cell.unscored.values()) / cell.pairs for cell in summary.cells)
    assert f"Up to {100 * worst:.1f}\N{NO-BREAK SPACE}% of the pairs have no score" in paired
    assert "prior-corrected). If these differ" in paired


def test_one_model_is_said_to_be_one(paired: str) -> None:
    assert "2 models were tested" in paired
    assert "One model was tested" in said(
        make_run(Path("r"), tilts=TILTS[:1], models=("m",), scorers=("causal.sum.v1",))
    )


def test_templates_alone_are_said_to_be_alone(paired: str) -> None:
    assert "made from patterns (templates)" in paired
    assert "Pairs: all test text is from one source" in paired
    run = make_run(Path("r"), tilts=TILTS[:1], scorers=("causal.sum.v1",))
    other = {"name": "crows-pairs.v1", "label": "crows", "path": None, "options": {}, "sha256": None}
    resolved = {**run.meta["resolved"], "sources": [*run.meta["resolved"]["sources"], other]}
    named = replace(run, meta={**run.meta, "resolved": resolved})
    assert "made from patterns (templates)" in said(named), "a source that came to nothing counts for nothing"
    crows = tuple(replace(pair, id=f"crows:{pair.id}", source="crows") for pair in run.pairs)
    both = said(replace(named, pairs=(*run.pairs, *crows)))
    assert "patterns" not in both and "one source" not in both and "made for a test" in both


def test_text_that_was_found_is_not_said_to_be_made(tmp_path: Path) -> None:
    """BOLD is from Wikipedia, and was said not to be natural."""
    run = make_rated_run(tmp_path, openers=4)
    assert run.continuations
    label = run.continuations.prompts[0].source
    for name, made in (("bold.v1", False), ("own-prompts.v1", True), ("prompts-file.v1", False)):
        chosen = {"samples": 1, "sources": [{"name": name, "label": label}]}
        resolved = {**run.meta["resolved"], "continuations": chosen}
        found = said(replace(run, meta={**run.meta, "resolved": resolved}))
        assert ("patterns" in found or "made for a test" in found) is made
        assert ("not recorded" in found) is (name == "prompts-file.v1")


def test_probes_that_could_not_be_made_are_counted(paired: str) -> None:
    assert "3 probes could not be made" in paired


def test_texts_have_limits_of_their_own(tmp_path: Path) -> None:
    found = said(make_rated_run(tmp_path, raters=("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5"), openers=4))
    assert "All prompts are in one language (en)" in found
    assert "sentiment vader and toxicity linear were each the only rater of their kind" in found
    assert "Texts were drawn with one seed, 1 sample for each prompt" in found
    assert "under one decoding" not in found
    single = said(make_rated_run(tmp_path, decodings=DECODINGS[:1], openers=4))
    assert "Texts were drawn under one decoding" in single


def test_choices_that_were_varied_are_named(tmp_path: Path) -> None:
    found = said(make_rated_run(tmp_path, decodings=DECODINGS[:2], openers=6), asked=True)
    assert "Verdicts cover only the choices that were varied: " in found
    assert "new tokens (2)" in found and "rater (" in found


def test_questions_that_were_left_out_are_counted() -> None:
    run = make_run(Path("r"), tilts=TILTS[:1], scorers=("causal.sum.v1", "causal.rest.v2"))
    runs = [(run, summarise_run(run))]
    answered = replace(summarise_findings(runs), left_out=1)
    assert "1 more question can be asked of these runs and is not." in limitations(
        runs, answered, account(runs, answered)
    )


def test_a_run_that_is_not_finished_says_so(tmp_path: Path) -> None:
    assert "The run is not finished" in said(make_asked_run(tmp_path, unfinished=True, professions=("nurse",)))
    assert "not finished" not in said(make_asked_run(tmp_path, professions=("nurse", "smith")))


def test_every_view_has_what_a_figure_never_means() -> None:
    found = not_meant(Account((), (), {}, {}, 0, 0, (), (), 0, 0))
    assert list(found) == ["pairs", "continuations", "next words"]
    assert all(sentence.endswith(".") for sentences in found.values() for sentence in sentences)
    assert len({sentence for sentences in found.values() for sentence in sentences}) == sum(map(len, found.values()))


def test_a_model_behind_a_server_is_said_to_be_known_by_name_alone() -> None:
    run = make_run(Path("r"), tilts=TILTS[:1], models=("m",), scorers=("causal.sum.v1",))
    assert "which weights answered" not in said(run)
    served = replace(run.facts["m"], weights_sha256="", revision="served as m; owned_by us", device="server")
    assert "which weights answered for m" in said(replace(run, facts={"m": served}))


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
    answered = summarise_findings([(run, summary)])
    done = account([(run, summary)], answered)
    words = "\n".join(limitations([(run, summary)], answered, done))
    assert "1 of 1 bias has no figure at all" in words and "too few origins" not in words
    assert "No choice was varied" not in words and "refused" not in words
    assert summary.continuations and not summary.continuations.repeats
    told = "".join(map(str, methods([(run, summary)], answered, done).paragraphs))
    assert "1 question was asked" in told and "answered under" not in told and "exchanged in too few" not in told
    [view] = continuation_views([(run, summary.continuations)], str)
    assert all("over" not in figure.alternative for figure in view.figures), "nothing to draw, nothing drawn"


def test_groups_that_are_refused_more_often_are_named_with_their_own_share(tmp_path: Path) -> None:
    """The share without a rating was that of all groups together, half of what it was for one of them."""
    run, summary = declining(tmp_path, "women")
    answered = summarise_findings([(run, summary)])
    words = "\n".join(limitations([(run, summary)], answered, account([(run, summary)], answered)))
    assert "Up to 100.0\N{NO-BREAK SPACE}% of the texts have no rating (women: " in words
    assert (
        "refused 100.0\N{NO-BREAK SPACE}% of texts about women and 0.0\N{NO-BREAK SPACE}% of texts about men" in words
    )
