"""Carry out a study from the command line, and report on it without the model."""

from __future__ import annotations

import csv
import shutil
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.parquet_files import types
from tiltmeter.api.measuring import write_report
from tiltmeter.engine import carry_out
from tiltmeter.errors import MissingExtra, RunError
from tiltmeter.parquet import parquet_rows
from tiltmeter.present.reported import Reported
from tiltmeter.results import summarise_run
from tiltmeter.store import LEDGER, read_run
from tiltmeter.store.database import connect, writing
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

STUDY = """\
name = "two biases"
models = ["scripted"]
specs = ["gender-professions", "gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 3 } }]
scorers = ["sum", "rest", "as-published"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run of the study with its report."""
    folder = tmp_path_factory.mktemp("made") / "r"
    found = carry_out(plan(parse(STUDY)), folder)
    write_report(found, lambda: Reported.of([(found, summarise_run(found))]))
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy of the run, where the command `run` puts it."""
    return Path(shutil.copytree(made, tmp_path / "runs" / "two-biases"))


@pytest.mark.drawings
def test_a_run_ends_with_a_report_and_its_tables(tiltmeter: Command, study: Path, tmp_path: Path) -> None:
    done = tiltmeter("run", study)
    assert done.status == 0, done.err
    assert done.out.splitlines()[-1] == "report: runs/two-biases/report.html"
    assert "plan: " in done.err
    folder = tmp_path / "runs" / "two-biases"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "scripted" in page
    assert {"pairs.csv", "estimates.csv", "dropped.csv"} <= {path.name for path in (folder / "tables").iterdir()}
    assert {path.suffix for path in (folder / "figures").iterdir()} == {".svg"}
    before = {path.name: path.read_bytes() for path in (folder / "tables").iterdir() if path.suffix == ".csv"}
    again = tiltmeter("run", study)
    assert again.status == 0
    assert "the run is finished; there is nothing to do" in again.err
    assert "plan: " not in again.err
    assert before == {path.name: path.read_bytes() for path in (folder / "tables").iterdir() if path.suffix == ".csv"}


def test_a_missing_package_is_named_before_anything_is_measured(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("tiltmeter.cli.doctor"), "_version", lambda package: None)
    commands = import_module("tiltmeter.cli.run")
    with pytest.raises(MissingExtra, match=r"tiltmeter\[report\]"):
        commands.run(study, out=tmp_path / "run")
    with pytest.raises(MissingExtra, match=r"tiltmeter\[all\]"):
        commands.demo(out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_exported_pairs_give_the_same_estimates(tiltmeter: Command, study: Path, run: Path) -> None:
    summary = tiltmeter("run", study, "--json").json
    cell = next(cell for cell in summary["cells"] if cell["scorer"] == "causal.sum.v1")
    done = tiltmeter("analyze", run / "tables" / "pairs.csv", "--where", "scorer=causal.sum.v1", "--json")
    assert done.status == 0, done.err
    for key in ("overall", "overall_cells", "by_bias", "by_bias_balanced"):
        assert done.json[key] == cell[key]


def test_the_report_needs_no_model(tiltmeter: Command, run: Path) -> None:
    (run / "report.html").unlink()
    assert tiltmeter("report", "runs/two-biases").out.strip() == "report: runs/two-biases/report.html"
    assert (run / "report.html").is_file()
    parquet = tiltmeter("report", "runs/two-biases", "--parquet", "--json")
    assert parquet.json == {"report": "runs/two-biases/report.html"}
    assert (run / "tables" / "pairs.parquet").is_file()


def test_two_runs_are_compared(tiltmeter: Command, made: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(made, tmp_path / name)
    done = tiltmeter("report", "one", "two", "--out", "both.html")
    assert done.status == 0, done.err
    assert "one" in (tmp_path / "both.html").read_text(encoding="utf-8")


def test_a_plan_is_told_before_anything_is_done(tiltmeter: Command, study: Path, tmp_path: Path) -> None:
    done = tiltmeter("run", study, "--plan")
    assert done.status == 0
    assert "pairs over 2 biases" in done.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("run")
def test_fail_if_speaks_of_the_first_scorer(tiltmeter: Command, study: Path) -> None:
    assert tiltmeter("run", study, "--fail-if", "overall.value > 2").status == 0
    assert tiltmeter("run", study, "--fail-if", "overall.value >= 0").status == 1


@pytest.mark.usefixtures("run")
def test_fail_if_speaks_of_the_checks_of_the_instrument(tiltmeter: Command, study: Path) -> None:
    plain = tiltmeter("run", study, "--json")
    [result] = plain.json["instrument"]["results"]
    assert (result["model"], result["view"]) == (plain.json["cells"][0]["model"], "pairs")
    assert result["result"] == "not made" and result["why"]
    assert tiltmeter("run", study, "--fail-if", "instrument.failed > 0").status == 0
    assert tiltmeter("run", study, "--fail-if", "instrument.not_made > 0").status == 1
    refused = tiltmeter("run", study, "--fail-if", "instrument.missed > 0", "--out", "new")
    assert refused.status == 2 and "instrument.missed" in refused.err


def test_the_demo_can_be_planned(tiltmeter: Command) -> None:
    done = tiltmeter("demo", "--plan")
    assert done.status == 0
    assert "over 7 biases" in done.err


def test_labels_that_fit_no_sentence_are_refused(tiltmeter: Command, run: Path, tmp_path: Path) -> None:
    columns = ["id", "text", "term", "attribute", *(f"I{number}" for number in range(1, 9)), "none"]
    (tmp_path / "ann.csv").write_text(f"{','.join(columns)}\n7,He left.,he,art,x,,,,,,,,\n", encoding="utf-8")
    done = tiltmeter("report", run, "--labels", "ann.csv")
    assert done.status == 2
    assert "no judged row of the sheets has the id and the text of a sentence of the run" in done.err
    missing = tiltmeter("report", run, "--labels", "nobody.csv")
    assert missing.status == 2
    assert "nobody.csv: there is no such file" in missing.err


CONTINUATIONS = """\
name = "texts"
models = ["scripted"]
seed = 2
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 6 } }]
decoding = { temperature = [0.6, 1.0], max_new_tokens = [4, 8] }
samples = 3
raters = ["sentiment.vader", "toxicity.linear"]
"""


def test_a_study_of_continuations_ends_with_its_texts_and_a_summary(tiltmeter: Command, tmp_path: Path) -> None:
    study = tmp_path / "texts.toml"
    study.write_text(CONTINUATIONS, encoding="utf-8")
    planned = tiltmeter("run", study, "--plan", "--json")
    assert planned.status == 0, planned.err
    assert "18 prompts about 3 groups" in planned.err
    sizes = ("prompts", "completions_per_model", "decoded_tokens_per_model", "continuation_cells")
    assert [planned.json[key] for key in sizes] == [18, 18 * 4 * 3, 18 * 2 * 3 * 8, 8]
    assert not (tmp_path / "runs").exists()
    done = tiltmeter("run", study, "--json")
    assert done.status == 0, done.err
    assert done.json["complete"]
    assert done.json["cells"] == []
    assert len(done.json["continuations"]["cells"]) == 8
    with (tmp_path / "runs" / "texts" / "tables" / "completions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18 * 4 * 3
    assert {row["group"] for row in rows} == {"female", "male", "nonbinary"}
    assert all(row["text"] == row["prompt"] + row["completion"] for row in rows)
    assert all(row["sentiment.vader.v1"] for row in rows)
    table = tmp_path / "runs" / "texts" / "tables" / "completions.csv"
    before = table.read_bytes()
    table.unlink()
    reported = tiltmeter("report", "runs/texts", "--parquet")
    assert reported.status == 0, reported.err
    assert table.read_bytes() == before
    parquet = table.with_suffix(".parquet")
    assert [row["text"] for row in parquet_rows(parquet)] == [row["text"] for row in rows]
    assert {types(parquet)[name] for name in ("sentiment.vader.v1", "temperature")} == {"DOUBLE"}
    refused = tiltmeter("run", study, "--fail-if", "overall.low > 0.5")
    assert refused.status == 2
    assert 'the study has no pairs; for this study write "continuations.BIAS.RATER.' in refused.err


def test_fail_if_speaks_of_what_models_write_in_any_cell(tiltmeter: Command, tmp_path: Path) -> None:
    study = tmp_path / "texts.toml"
    study.write_text(CONTINUATIONS, encoding="utf-8")
    place = "continuations.own-prompts/gender.toxicity.linear"
    done = tiltmeter("run", study, "--json", "--fail-if", f"{place}.pairs.female/male.difference.value > 3")
    assert done.status == 0, done.err
    differences = [
        pair["difference"]["value"]
        for cell in done.json["continuations"]["cells"]
        for pair in cell["pairs"]
        if cell["rater"] == "toxicity.linear.v1" and (pair["a"], pair["b"]) == ("female", "male")
    ]
    assert len(differences) == 4
    assert min(differences) < max(differences)
    between = (min(differences) + max(differences)) / 2
    condition = f"{place}.v1.pairs.female/male.difference.value > {between:.9f}"
    held = tiltmeter("run", study, "--fail-if", condition)
    assert held.status == 1
    assert f"--fail-if holds: {condition}" in held.err
    condition = "continuations.gender.sentiment.vader.groups.male.mean > 0"
    refused = tiltmeter("run", study, "--out", "never", "--fail-if", condition)
    assert refused.status == 2
    assert "there is no bias `gender`; known: own-prompts/gender" in refused.err
    assert not (tmp_path / "never").exists()
    study.write_text(STUDY, encoding="utf-8")
    early = tiltmeter("run", study, "--out", "never", "--fail-if", f"{place}.groups.male.mean > 0")
    assert early.status == 2
    assert "the study has no table [continuations]" in early.err
    assert not (tmp_path / "never").exists()


NEXT_WORDS = """\
name = "expected"
models = ["scripted"]
[next_words]
sources = [{ profession-templates = { professions = ["nurse", "cook"] } }]
words = "he-she"
"""


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nobody.templates.overall.prompts", "there is no bias `nobody`; known: professions"),
        ("professions.tmplates.overall.prompts", "there is no source `tmplates`"),
        ("professions", 'is not a figure; write e.g. "next_words.BIAS.SOURCE.'),
        ("professions.default-behaviour", 'is not a figure; write e.g. "next_words.BIAS.SOURCE.'),
    ],
)
def test_a_condition_on_what_is_not_asked_is_refused_before_anything_is_done(
    tiltmeter: Command, tmp_path: Path, path: str, sentence: str
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(NEXT_WORDS, encoding="utf-8")
    refused = tiltmeter("run", study, "--fail-if", f"next_words.{path} > 0.5")
    assert refused.status == 2
    assert sentence in refused.err
    assert not (tmp_path / "runs").exists()


def test_a_run_says_which_model_has_no_saliency(tiltmeter: Command, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    models = '["scripted", "planted:other.toml"]'
    (tmp_path / "other.toml").write_text(
        'model = "scripted"\n[[tilt]]\nwords = ["he"]\ndelta = 0.5\n', encoding="utf-8"
    )
    study.write_text(NEXT_WORDS.replace('["scripted"]', models) + 'saliency = "gradient-x-input"\n', encoding="utf-8")
    source = "profession-templates[professions=nurse+cook]"
    place = f"next_words.professions.{source}.overall.pairs.male/female.share"
    done = tiltmeter("run", study, "--json", "--fail-if", f"{place}.value > 2")
    assert done.status == 0, done.err
    assert "no saliency for scripted: it has no gradients" in done.err
    assert done.json["next_words"]["without_saliency"][0] == "scripted"
    assert len(done.json["next_words"]["without_saliency"]) == 2


def test_a_condition_speaks_of_what_a_model_chooses(tiltmeter: Command, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'models = ["scripted"]\nspecs = ["gender-math-arts"]\n[choices]\n'
        'sources = [{ templates = { per_attribute = 1 } }]\nscorers = ["text"]\n',
        encoding="utf-8",
    )
    place = "choices.gender-math-arts.templates[per_attribute=1]"
    held = tiltmeter("run", study, "--fail-if", f"{place}.unknown.value >= 0")
    assert held.status == 1
    assert "measure unknown" in held.err
    assert tiltmeter("run", study, "--fail-if", f"{place}.choice.value > 2").status == 0
    for condition, sentence in (
        ("choices.gender.x.y > 0", "there is no bias `gender`"),
        ("headline.low > 0", '"choices.BIAS.SOURCE.choice.low > 0.6"'),
        ("continuations.a.b > 0", "the study has no table [continuations]"),
    ):
        refused = tiltmeter("run", study, "--fail-if", condition)
        assert refused.status == 2
        assert sentence in refused.err


def test_a_gate_measures_other_weights_at_the_same_path(tiltmeter: Command, tmp_path: Path) -> None:
    study, model = tmp_path / "gate.toml", tmp_path / "m.toml"
    words = "he = 1\nshe = 1\nnurse = 1\nother = 300\n"
    rows = "".join(f"work,nurse,She is a nurse {n},He is a nurse {n},stereotype,anti-stereotype\n" for n in range(12))
    (tmp_path / "pairs.csv").write_text(
        f"bias,attribute,sentence_1,sentence_2,label_1,label_2\n{rows}", encoding="utf-8"
    )
    study.write_text('models = ["scripted:m.toml"]\n[pairs]\nsources = ["pairs-file:pairs.csv"]\n', encoding="utf-8")
    model.write_text(f"[weights]\n{words}[tilts.he]\nnurse = 3.0\n", encoding="utf-8")
    gate = ("run", study, "--fail-if", "overall.value > 0.5")
    assert tiltmeter(*gate).status == 0
    assert tiltmeter("report", "runs/gate", "--format", "md", "--format", "card").status == 0
    model.write_text(f"[weights]\n{words}[tilts.she]\nnurse = 3.0\n", encoding="utf-8")
    done = tiltmeter(*gate)
    assert done.status == 1, done.err
    assert "m.toml: weights" in done.err
    assert "before.1" in done.err
    assert not {"report.md", "card.md", "card.html"} & {path.name for path in (tmp_path / "runs" / "gate").iterdir()}
    again = tiltmeter(*gate)
    assert (again.status, "nothing to do" in again.err) == (1, True)
    assert tiltmeter("compare", "runs/gate/before.1", "runs/gate").status == 0


def test_no_report_is_written_of_a_run_that_another_process_went_on_with(tmp_path: Path) -> None:
    found = carry_out(plan(parse('specs = ["gender-math-arts"]\nmodels = ["scripted"]\n')), tmp_path)
    summary = summarise_run(found)
    with closing(connect(tmp_path / LEDGER)) as opened, writing(opened, tmp_path) as database:
        database.execute("update meta set value = '\"2031-01-01T00:00:00+00:00\"' where key = 'finished'")
    with pytest.raises(RunError, match="another process"):
        write_report(found, lambda: Reported.of([(found, summary)]))
    assert not (tmp_path / "report.html").exists()
    again = read_run(tmp_path)
    write_report(again, lambda: Reported.of([(again, summary)]))
    assert read_run(tmp_path).meta["reported"]
