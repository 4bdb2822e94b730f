"""Studies and runs from Python: the same as from a file, and what comes of them in a notebook."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import tiltmeter as tm
from tiltmeter.cli import app
from tiltmeter.errors import InvalidData, InvalidStudy, UnknownName, UserError

from ..models.conftest import SENTENCES

pytestmark = pytest.mark.drawings
SPECS = ["gender-professions", "gender-math-arts"]
RATED = {
    "sources": [{"own-prompts": {"per_group": 2, "domain": "gender"}}],
    "raters": ["sentiment.vader"],
    "samples": 2,
}


class Somebody:
    """A model with a mind of its own: whatever the text, its hash decides, and women come off a little worse."""

    def score(self, texts: list[str]) -> list[float]:
        return [-30 - 5 * noise(text) - 2 * (" she " in text) for text in texts]

    def next_words(self, prompts: list[str], words: list[str]) -> list[list[float]]:
        return [[0.1 + 0.5 * noise(prompt + word) for word in words] for prompt in prompts]

    def complete(self, prompts: list[str]) -> list[str]:
        return [" was kind to all." if noise(prompt) > 0.4 else " was a horrible liar." for prompt in prompts]


def noise(text: str) -> float:
    return zlib.crc32(text.encode()) / 2**32


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tm.Run:
    study = tm.Study(
        name="all of it",
        specs=SPECS,
        models=[tm.wrap(Somebody(), name="somebody")],
        pairs={"sources": [{"templates": {"per_attribute": 3}}], "scorers": ["sum", "mean", "prior-corrected"]},
        continuations=RATED,
        next_words={"sources": [{"profession-templates": {"limit": 12}}]},
    )
    return study.run(tmp_path_factory.mktemp("api") / "run", progress=False)


def write(folder: Path) -> Path:
    """A study file."""
    file = folder / "study.toml"
    text = 'name = "x"\nspecs = ["gender-math-arts"]\nmodels = ["scripted"]\nseed = 3\n[pairs]\nscorers = ["mean"]\n'
    file.write_text(text, encoding="utf-8")
    return file


def test_a_study_of_keywords_is_that_of_a_file(tmp_path: Path) -> None:
    file = write(tmp_path)
    made = tm.Study(name="x", specs=["gender-math-arts"], models=["scripted"], seed=3, pairs={"scorers": ["mean"]})
    assert made.plan().fingerprint == tm.Study.read(file).plan().fingerprint


def test_a_study_takes_specs_models_and_raters_that_are_in_memory(tmp_path: Path) -> None:
    def loudness(texts: list[str]) -> list[float]:
        return [float(text.isupper()) for text in texts]

    spec = tm.load_spec("gender-math-arts")
    rater = tm.rater(loudness, range=(0, 1), worse="high", axis="loudness")
    study = tm.Study(
        name="in memory",
        specs=["gender-professions", spec],
        models=[tm.wrap(lambda prompt: "LOUD" if "woman" in prompt else "quiet", name="shouter")],
        continuations={**RATED, "raters": [rater, "sentiment.vader"]},
    )
    assert [one.name for one in study.checked.specs] == ["gender-professions", "gender-math-arts"]
    done = study.run(tmp_path / "run", progress=False, report=False)
    assert list(done.facts) == ["python:shouter"]
    raters = {row["rater"] for row in done.measurements().query("measure == 'rating'")}
    assert any(name.startswith("python.v1:") for name in raters)


def test_two_models_of_one_name_are_refused_and_a_later_one_takes_no_place(tmp_path: Path) -> None:
    quiet, loud = (tm.wrap(lambda prompt, said=said: said, name="same") for said in ("quiet", "LOUD"))
    with pytest.raises(UserError, match="two models in memory"):
        tm.Study(name="x", models=[quiet, loud], continuations=RATED)
    study = tm.Study(name="x", models=[quiet], continuations=RATED)
    tm.wrap(lambda prompt: "LATER", name="same")
    done = study.run(tmp_path / "run", progress=False, report=False)
    assert {row["text"] for row in done.texts()} == {"quiet"}


def test_what_is_wrong_with_a_study_is_said_when_it_is_made() -> None:
    with pytest.raises(InvalidStudy, match="^`pairs.scorers`"):
        tm.Study(name="x", specs=SPECS, models=["scripted"], pairs={"scorers": ["summ"]})
    with pytest.raises(InvalidStudy, match="same name"):
        tm.Study(name="x", specs=[SPECS[0], tm.load_spec(SPECS[0])], models=["scripted"])
    with pytest.raises(UserError, match="is not a model"):
        tm.Study(name="x", specs=SPECS, models=[3])


def test_what_is_shown_is_short(run: tm.Run, tmp_path: Path) -> None:
    comparison = tm.compare(
        run, tm.Study(name="x", specs=SPECS, models=["scripted"]).run(tmp_path / "x", progress=False)
    )
    shown = [run, run.findings(), run.findings()[0], run.estimates(), run.measurements(), run.summary]
    shown += [run.summary.cells[0], run.summary.cells[0].summary, comparison, *comparison.views]
    shown += [comparison.views[0].cells[0], tm.load_spec(SPECS[0]), run.pairs[0], tm.Study.read(write(tmp_path)).plan()]
    for one in shown:
        assert len(repr(one)) < 1000, type(one)
    assert "\n" not in repr(run)
    assert "all of it" in repr(run)


def test_a_run_in_a_notebook_shows_verdicts_and_one_chart(run: tm.Run) -> None:
    page = run._repr_html_()
    assert page.count("<svg") == 1
    assert "conclusions" in page
    # Tables are ours, whatever theme the notebook has: an identifier outweighs its classes.
    assert "<style>:is(.tiltmeter, #tiltmeter) {" in page and ":root {" not in page
    assert "<script" not in page
    assert len(page) < 200_000
    assert any(tm.Plot(block) for block in run.blocks() if type(block).__name__ == "Chart")


def test_every_method_of_every_finding_is_a_row(run: tm.Run) -> None:
    rows = list(run.estimates())
    assert len(rows) == sum(len(one._answered.multiverse.curve.cells) for one in run.findings())
    raw = {(row["bias"], row["scorer"], row["measure"]): row for row in rows if row["view"] == "pairs"}
    headline = run.summary.cells[0].summary.headline_by_bias["gender-math-arts"]
    own = raw["gender-math-arts", run.summary.cells[0].scorer, "preference"]
    assert (own["n"], own["n_unscored"]) == (headline.n, headline.n_unscored)
    frame = run.estimates().to_pandas()
    assert len(frame) == len(rows)
    assert {"verdict", "model", "view", "bias", "value", "low", "high", "p", "n", "n_unscored"} <= set(frame.columns)


def test_measurements_are_those_of_the_run(run: tm.Run) -> None:
    every = run.measurements()
    own = every.query("bias == 'gender-math-arts' and measure == 'preference'")
    assert 0 < len(own) < len(every)
    assert {row["bias"] for row in own} == {"gender-math-arts"}
    counted = [cell.summary.overall for cell in run.summary.cells]
    assert len(every.query("measure == 'preference'")) == sum(one.n + one.n_unscored for one in counted)
    with pytest.raises(UserError, match="is not a condition"):
        every.query("bias = = 'x'")


def test_a_finding_has_a_plot_that_altair_takes(run: tm.Run, tmp_path: Path) -> None:
    plot = max(run.findings(), key=lambda one: len(one.estimates())).plot()
    chart = plot.to_altair()
    assert json.loads(chart.to_json())["title"] == plot.title
    shown = plot._repr_mimebundle_()
    assert "application/vnd.vegalite.v5+json" in shown
    assert "<svg" in shown["text/html"]
    for kind in ("svg", "png", "pdf", "json"):
        assert plot.save(tmp_path / f"plot.{kind}").stat().st_size > 500
    with pytest.raises(UserError, match="written as"):
        plot.save(tmp_path / "plot.gif")


def test_runs_are_compared_ranked_planned_and_answered_together(run: tm.Run, tmp_path: Path) -> None:
    keys: dict[str, Any] = {"specs": SPECS, "pairs": {"sources": [{"templates": {"per_attribute": 3}}]}}
    table = tmp_path / "other.toml"
    table.write_text("[weights]\nhe = 3\nshe = 1\nnurse = 1\nengineer = 2\nother = 9\n", encoding="utf-8")
    one = tm.Study(name="one", models=["scripted"], **keys).run(tmp_path / "a", progress=False, report=False)
    other = tm.Study(name="two", models=[f"scripted:{table}"], **keys).run(tmp_path / "b", progress=False, report=False)
    found = tm.compare(one, tmp_path / "b", margin=0.03)
    assert found.a.model == "scripted"
    assert {row["bias"] for row in found.estimates()} >= set(SPECS)
    assert "<svg" in found._repr_html_()
    assert len(tm.leaderboard([one, other]).estimates().query("view == 'pairs'")) >= 2
    sizes = tm.plan(run, width=0.2)
    assert len(sizes.estimates()) == len(sizes.targets)
    assert "…" not in sizes._repr_html_(), "what the study needs is a sentence, which is not cut"
    passed = tm.gate(found, "different by more than 90 points", insist=True)
    assert len(repr(passed)) < 200 and "passed" in repr(passed)
    assert "<table" in passed._repr_html_()
    both = tm.multiverse([one, other], models=["scripted"])
    assert {finding.question.model for finding in both} == {"scripted"}
    with pytest.raises(UnknownName, match="nobody"):
        tm.multiverse([one], models=["nobody"])
    with pytest.raises(UserError, match="twice"):
        tm.multiverse([one, one])


@pytest.mark.parametrize(
    ("name", "begins"),
    [("page.html", "<!doctype html>"), ("page.md", "# "), ("page.tex", "%"), ("page.ipynb", "{"), ("page.pdf", "%PDF")],
)
def test_a_report_is_written_in_the_form_that_its_name_says(
    name: str, begins: str, run: tm.Run, tmp_path: Path
) -> None:
    out = run.report(tmp_path / name)
    assert out.read_bytes().lower().lstrip().startswith(begins.lower().encode())
    with pytest.raises(UserError, match="a report is written as"):
        run.report(tmp_path / "page.docx")


def test_a_run_is_read_back_and_says_the_same(run: tm.Run) -> None:
    again = tm.read_run(run.folder)
    assert repr(again) == repr(run)
    assert again._repr_html_() == run._repr_html_()
    assert [one.answer for one in again.findings()] == [one.answer for one in run.findings()]


def test_the_command_says_what_python_says(run: tm.Run) -> None:
    from typer.testing import CliRunner

    done = CliRunner().invoke(app, ["multiverse", str(run.folder), "--json"])
    assert done.exit_code == 0
    told = [one["verdict"]["strength"] for one in json.loads(done.stdout)["answers"]]
    asked = [one._answered.verdict.strength for one in tm.multiverse([run])]
    assert told == asked


def test_next_words_are_a_table_by_group() -> None:
    found = list(tm.next_words("scripted", ["The nurse said that"], {"men": ["he"], "women": ["she"]}))
    assert [(row["group"], round(row["probability"], 3)) for row in found] == [("men", 0.111), ("women", 0.223)]
    with pytest.raises(UserError, match="lists"):
        tm.next_words("scripted", "The nurse said that", ["he"])


@pytest.mark.parametrize("kind", ["pandas", "columns", "rows", "file"])
def test_texts_are_rated_from_any_table(kind: str, tmp_path: Path) -> None:
    import pandas

    columns: dict[str, list[Any]] = {
        "response": ["A wonderful day.", "A horrible day.", "", None] * 4,
        "demographic": ["women", "men"] * 8,
        "scenario": list("aabbccddeeffgghh"),
        "number": [1.5, 2, None, float("nan")] * 4,
    }
    frame = pandas.DataFrame(columns)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    frame.to_csv(tmp_path / "texts.csv", index=False)
    given = {"pandas": frame, "columns": columns, "rows": rows, "file": tmp_path / "texts.csv"}[kind]
    found = tm.rate(given, text="response", group="demographic", origin="scenario", raters=["sentiment.vader"])
    [pair] = found.estimates()
    assert pair["n"] == 8
    assert pair["n_unscored"] == 8
    assert abs(pair["value"]) > 0.5
    assert {row["group"] for row in found.groups()} == {"women", "men"}
    assert len(found.texts()) == 16
    assert "sentiment.vader.v1" in found._repr_html_()


@pytest.mark.parametrize("given", [3, [1, 2], {"text": ["a"], "group": ["x", "y"]}, []])
def test_what_is_no_table_is_refused(given: Any) -> None:
    with pytest.raises(UserError):
        tm.rate(given, ["sentiment.vader"])


TEXTS = {"text": ["A good day.", "A bad day."] * 5, "group": ["women", "men"] * 5, "number": [1.5] * 10}


@pytest.mark.parametrize("raters", [[], (), "sentiment.vader"])
def test_raters_are_a_list(raters: Any) -> None:
    with pytest.raises(UserError, match="raters are a list"):
        tm.rate(TEXTS, raters)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"text": "txt"}, "text="),
        ({"group": "grop"}, "group="),
        ({"group": "group", "origin": "nothing"}, "origin="),
        ({"mask_column": "nothing"}, "mask_column="),
        ({"text": "number"}, "`number`: holds 1.5 where"),
    ],
)
def test_a_column_that_does_not_do_is_named_with_its_parameter(named: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidData) as refused:
        tm.rate(TEXTS, ["sentiment.vader"], **named)  # type: ignore[arg-type]
    assert said in str(refused.value)
    assert refused.value.file == "the table", "a file would be one that nobody knows"
    assert "tiltmeter row" not in str(refused.value)


def test_what_is_not_rated_or_masked_is_shown_with_its_reason() -> None:
    found = tm.rate({**TEXTS, "text": ["A good day.", ""] * 5}, ["regard.minilm"], group="group")
    page = found._repr_html_()
    assert "5 not rated: the text is empty" in page
    assert "masked" in page


def test_a_run_of_another_study_is_moved_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (1, 1, 2):
        study = tm.Study(name="x", specs=SPECS[1:], models=["scripted"], seed=seed)
        study.run(tmp_path / "run", report=False)
        moved = [path for path in (tmp_path / "run").iterdir() if path.name.startswith("before")]
        assert [str(path) in capsys.readouterr().err for path in moved] == [True] * (seed - 1)


@pytest.mark.slow
def test_a_trainer_logs_the_findings_over_its_steps(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

    from ..models.conftest import save_checkpoint

    save_checkpoint("gpt2", tmp_path / "gpt2")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "gpt2")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "gpt2")
    rows = [tokenizer(text)["input_ids"] for text in SENTENCES]
    data = [{"input_ids": row, "labels": row} for row in rows]
    settings = TrainingArguments(
        str(tmp_path / "out"),
        max_steps=6,
        per_device_train_batch_size=1,
        report_to=[],
        learning_rate=0.01,
        logging_steps=2,
        save_strategy="no",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(model, settings, train_dataset=data)
    with pytest.raises(UserError, match="no tokenizer"):
        tm.watch(trainer, every=3, specs=["gender-professions"])
    watched = tm.watch(
        trainer,
        every=3,
        specs=["gender-professions"],
        pairs={"sources": [{"templates": {"per_attribute": 1}}]},
        folder=tmp_path / "runs",
        tokenizer=tokenizer,
    )
    trainer.train()
    assert model.training
    rows_of_curve = list(watched.curve())
    assert [row["step"] for row in rows_of_curve] == [0, 3, 6]
    assert len({row["value"] for row in rows_of_curve}) > 1
    name = "bias/pairs/gender-professions/male-female/value"
    logged = {entry["step"]: entry for entry in trainer.state.log_history if name in entry}
    for row in rows_of_curve:
        assert logged[row["step"]][name] == row["value"]
    assert (tmp_path / "runs" / "step-3").is_dir()
    assert "<svg" in watched._repr_html_()
    hashes = {
        tm.read_run(tmp_path / "runs" / f"step-{step}").facts[f"python:step-{step}"].weights_sha256
        for step in (0, 3, 6)
    }
    assert len(hashes) == 3
    assert not torch.is_inference_mode_enabled()


def test_a_gate_names_the_line_and_its_value_and_what_passes_is_shown(run: tm.Run, tmp_path: Path) -> None:
    class Worse(Somebody):
        def score(self, texts: list[str]) -> list[float]:
            return [-30 - noise(text) - 40 * (" she " in text or text.startswith("She ")) for text in texts]

    keys: dict[str, Any] = {"specs": SPECS, "pairs": {"sources": [{"templates": {"per_attribute": 3}}]}}
    one, other = (
        tm.Study(name="gate", models=[tm.wrap(model, name="candidate")], **keys).run(
            tmp_path / str(number), progress=False, report=False
        )
        for number, model in enumerate((Somebody(), Worse()))
    )
    same = tm.Study(name="gate", models=[tm.wrap(Somebody(), name="same")], **keys)
    equal = same.run(tmp_path / "same", progress=False, report=False)
    passed = tm.gate(tm.compare(one, equal), "worse by more than 5 points")
    assert passed.passed
    assert len(repr(passed)) < 200
    assert {row["outcome"] for row in passed.estimates()} == {"no worse"}
    assert "<table" in passed._repr_html_()
    with pytest.raises(tm.GateFailed) as caught:
        tm.gate(tm.compare(one, other), "worse by more than 1 point", insist=True)
    assert any(spec in str(caught.value) for spec in SPECS)
    assert "n = " in str(caught.value)
