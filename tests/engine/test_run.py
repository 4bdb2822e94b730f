"""A study from plan to run folder; interrupted, changed, read while it is written."""

from __future__ import annotations

import dataclasses
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.killing import killed_until_done
from tests.store.broken import rewritten
from tiltmeter import models
from tiltmeter.engine import carry_out, scoring
from tiltmeter.errors import ModelError, RunError
from tiltmeter.measures.pairs import margin
from tiltmeter.measures.scorers import find
from tiltmeter.results import summarise_run
from tiltmeter.results.tables import write_tables
from tiltmeter.sources import pairs_file
from tiltmeter.store import LEDGER, Ledger, database, locked, read_run
from tiltmeter.study import Plan, parse, plan, read

STUDY = 'name = "t"\nmodels = ["scripted"]\nspecs = ["gender-math-arts"]\n[pairs]\nscorers = ["sum", "mean", "rest"]\n'


@pytest.fixture
def small() -> Plan:
    return plan(parse(STUDY.replace("[pairs]", "[pairs]\nsources = [{ templates = { per_attribute = 3 } }]")))


def tables(folder: Path) -> dict[str, bytes]:
    run = read_run(folder)
    paths = write_tables(run, summarise_run(run), folder)
    return {path.name: path.read_bytes() for path in paths}


def test_a_run_keeps_every_pair_under_every_scorer(small: Plan, tmp_path: Path) -> None:
    run = carry_out(small, tmp_path)
    assert set(run.scores) == {("scripted", f"causal.{name}") for name in ("sum.v1", "mean.v1", "rest.v2")}
    assert all(len(scores) == len(small.pairs) == 48 for scores in run.scores.values())
    assert run.pairs == small.pairs
    assert run.meta["study"] == small.study.text
    assert run.facts["scripted"].family == "causal"


def test_scores_of_a_run_equal_those_in_memory(small: Plan, tmp_path: Path) -> None:
    run = carry_out(small, tmp_path)
    scorers = [find(name, "causal") for name in ("sum", "mean", "rest")]
    direct = scoring.score_pairs(models.load("scripted"), small.pairs, scorers)
    assert {scorer: list(scores) for (_, scorer), scores in run.scores.items()} == direct


def as_before(folder: Path) -> None:
    """Keep the finished batches of a run where earlier versions did."""
    for statements in (
        ["create table if not exists batches (model text, batch integer, primary key (model, batch))"],
        [
            "insert into batches select name, batch from steps where stage = 'scoring'",
            "delete from steps where stage = 'scoring'",
        ],
    ):
        with rewritten(folder / LEDGER) as database:
            for statement in statements:
                database.execute(statement)


@pytest.mark.parametrize("stopped", [lambda _: None, as_before])
def test_an_interrupted_run_loses_and_doubles_nothing(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: Callable[[Path], None]
) -> None:
    monkeypatch.setattr(scoring, "BATCH", 10)
    carry_out(small, tmp_path / "whole")
    asked: list[int] = []
    ask = scoring.ask

    def ask_and_stop(model, batch):
        if len(asked) % 3 == 2:
            asked.append(0)
            raise KeyboardInterrupt
        asked.append(len(batch))
        return ask(model, batch)

    monkeypatch.setattr(scoring, "ask", ask_and_stop)
    for _ in range(100):
        try:
            carry_out(small, tmp_path / "broken")
            break
        except KeyboardInterrupt:
            stopped(tmp_path / "broken")
    assert asked.count(0) > 2
    whole = read_run(tmp_path / "whole")
    texts = {query for pair in whole.pairs for scorer in ("sum",) for query in find(scorer, "causal").queries(pair)}
    assert sum(asked) == len(texts), "a finished batch was asked again, or one was left out"
    assert tables(tmp_path / "broken") == tables(tmp_path / "whole")


def batches_done(folder: Path) -> int:
    """How far a run has come, seen from outside."""
    try:
        database = sqlite3.connect(f"file:{folder / 'ledger.sqlite'}?mode=ro", uri=True)
        return int(database.execute("select count(*) from steps").fetchone()[0])
    except sqlite3.Error:
        return 0


def carry_out_slowly(study: Path, folder: Path) -> None:
    ask = scoring.ask

    def slow(model: Any, batch: Any) -> Any:
        time.sleep(0.02)
        return ask(model, batch)

    scoring.ask, scoring.BATCH = slow, 64
    carry_out(plan(read(study)), folder)


@pytest.mark.slow
def test_killed_at_random_moments_a_run_ends_with_the_same_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"He saw nurse number {n}.,She saw nurse number {n}.\n" for n in range(1500))
    (tmp_path / "pairs.csv").write_text("sentence_1,sentence_2\n" + rows, encoding="utf-8")
    study, killed = tmp_path / "study.toml", tmp_path / "killed"
    study.write_text('name = "k"\nmodels = ["scripted"]\n[pairs]\nsources = ["pairs-file:pairs.csv"]\n')
    monkeypatch.setattr(scoring, "BATCH", 64)
    carry_out(plan(read(study)), tmp_path / "whole")
    kills = killed_until_done(carry_out_slowly, study, killed, lambda: (batches_done(killed),), most=9)
    assert len(kills) > 3
    assert tables(killed) == tables(tmp_path / "whole")


def test_another_study_in_the_same_folder_is_refused(small: Plan, tmp_path: Path) -> None:
    carry_out(small, tmp_path)
    other = plan(parse(STUDY))
    with pytest.raises(RunError, match="holds another run .* another folder with --out"):
        carry_out(other, tmp_path)


def test_a_model_that_changed_since_is_refused(small: Plan, tmp_path: Path) -> None:
    facts = carry_out(small, tmp_path).facts["scripted"]
    changed = dataclasses.replace(facts, weights_sha256="other")
    with Ledger(tmp_path) as ledger, pytest.raises(RunError, match="weights_sha256 .* now 'other'; restore"):
        ledger.record_model(changed)


def test_a_fact_that_an_earlier_version_did_not_write_down_is_no_change(small: Plan, tmp_path: Path) -> None:
    facts = carry_out(small, tmp_path).facts["scripted"]
    with rewritten(tmp_path / "ledger.sqlite") as database:
        database.execute("update models set facts = json_remove(facts, '$.files_sha256')")
    with Ledger(tmp_path) as ledger:
        assert ledger.run().facts["scripted"].files_sha256 == ""
        ledger.record_model(dataclasses.replace(facts, files_sha256="known now"))
        assert ledger.run().facts["scripted"].files_sha256 == "known now"
        with pytest.raises(RunError, match="files_sha256 'known now' of model scripted, which is now 'other'"):
            ledger.record_model(dataclasses.replace(facts, files_sha256="other"))


@pytest.mark.slow
def test_two_processes_cannot_carry_out_the_same_run(small: Plan, tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(RunError, match="another process is running this study here"):
        carry_out(small, tmp_path)


def test_another_process_reads_while_a_run_writes(small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    ask = scoring.ask

    def ask_and_look(model, batch):
        database = sqlite3.connect(f"file:{tmp_path / 'ledger.sqlite'}?mode=ro", uri=True)
        seen.append(database.execute("select count(*) from answers").fetchone()[0])
        return ask(model, batch)

    monkeypatch.setattr(scoring, "BATCH", 20)
    monkeypatch.setattr(scoring, "ask", ask_and_look)
    carry_out(small, tmp_path)
    assert seen[0] == 0
    assert seen[1] == 20


def test_a_folder_that_is_no_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a run folder"):
        read_run(tmp_path)
    (tmp_path / "ledger.sqlite").write_text("not a database at all, but long enough to look at" * 10)
    with pytest.raises(RunError, match="is damaged, or not a tiltmeter ledger"):
        read_run(tmp_path)


def test_a_planted_bias_comes_back_with_its_size(tmp_path: Path) -> None:
    """After `she` the word `nurse` has 0.7 more log weight: the margin of every pair must show it."""
    table = tmp_path / "tilted.toml"
    table.write_text(
        "[weights]\nhe = 1\nshe = 1\nis = 1\na = 1\nnurse = 1\nclerk = 1\nother = 1\n\n[tilts.she]\nnurse = 0.7\n"
    )
    (tmp_path / "pairs.csv").write_text(
        "bias,attribute,sentence_1,sentence_2,label_1,label_2\n"
        "work,nurse,She is a nurse,He is a nurse,stereotype,anti-stereotype\n"
        "work,clerk,She is a clerk,He is a clerk,stereotype,anti-stereotype\n"
    )
    pairs, _ = pairs_file.pairs(tmp_path / "pairs.csv")
    scores = scoring.score_pairs(models.load(f"scripted:{table}"), pairs, [find("sum", "causal")])["causal.sum.v1"]
    nurse, clerk = margin(scores)
    # The tilt also takes probability from the other words after `she`: its log-normaliser grows by this much,
    # once for each of the three words that follow.
    assert nurse is not None
    assert clerk is not None
    assert nurse - clerk == pytest.approx(0.7, abs=1e-9)


def test_a_run_without_answers_gives_way_to_a_mended_study(small: Plan, tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.begin(plan(parse(STUDY)))
    assert len(carry_out(small, tmp_path).pairs) == len(small.pairs)


def test_other_package_versions_do_not_continue_a_run(
    small: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out(small, tmp_path)
    unfinished(tmp_path)
    monkeypatch.setattr(database, "versions", lambda: {"numpy": "0.1"})
    with pytest.raises(RunError, match="the run started with .*, which is now"):
        carry_out(small, tmp_path)


def unfinished(folder: Path) -> None:
    """Make a finished run one that was stopped at the very end."""
    with rewritten(folder / "ledger.sqlite") as database:
        database.execute("delete from meta where key = 'finished'")


def test_the_same_model_under_two_names_is_refused(tmp_path: Path) -> None:
    twice = plan(parse(STUDY.replace('["scripted"]', '["scripted", "scripted:"]')))
    with pytest.raises(ModelError, match="`scripted:` and `scripted` are the same model"):
        carry_out(twice, tmp_path)


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text("[weights]\nhe = 1\nother = 1\n")
    study = parse(STUDY.replace('["scripted"]', '["scripted", "scripted:t.toml"]'), file=tmp_path / "s.toml")
    assert summarise_run(carry_out(plan(study), tmp_path / "run")).missing == ()
    with rewritten(tmp_path / "run" / "ledger.sqlite") as database:
        for table in ("scores", "cells"):
            database.execute(f"delete from {table} where model like '%t.toml'")
    summary = summarise_run(read_run(tmp_path / "run"))
    assert [name.endswith("t.toml") for name in summary.missing] == [True]
    assert summary.as_json()["complete"] is False


def test_a_damaged_ledger_is_said_in_a_sentence(small: Plan, tmp_path: Path) -> None:
    carry_out(small, tmp_path)
    with rewritten(tmp_path / "ledger.sqlite") as database:
        database.execute("update meta set value = '{' where key = 'resolved'")
    with pytest.raises(RunError, match="is damaged"):
        read_run(tmp_path)


def test_what_a_paper_computed_is_kept_apart_whether_scorer_or_source(tmp_path: Path) -> None:
    sources = 'sources = ["templates", { templates = { agreement = "as-published" } }]'
    run = carry_out(plan(parse(STUDY.replace("[pairs]", f"[pairs]\n{sources}"))), tmp_path)
    assert {cell.source: cell.published for cell in summarise_run(run).cells} == {
        "templates": False,
        "templates[agreement=as-published]": True,
    }
