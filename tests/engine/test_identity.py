"""A finished run is finished for the models, raters and packages that it was made with, and no others."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.conftest import save_checkpoint
from tiltmeter import models
from tiltmeter.engine import cached, carry_out, scoring
from tiltmeter.errors import ModelError, RunError
from tiltmeter.models import ModelSettings
from tiltmeter.models.scripted import BUILT_IN
from tiltmeter.present.card import write_cards
from tiltmeter.present.files import REPORT, write_run
from tiltmeter.present.formats import Named, write
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.progress import NoProgress
from tiltmeter.results import summarise_run
from tiltmeter.results.tables import write_parquet
from tiltmeter.store import ANNOTATIONS, ANSWERS, Cache, Run, RunState, database, ledger, read_run
from tiltmeter.study import Plan, parse, plan
from tiltmeter.toml_writing import to_toml

SETTINGS = ModelSettings(device="cpu", threads=1)
STUDY = """
name = "gate"
models = ["MODEL"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 1 } }]
"""
TEXTS = """
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 1 } }]
decoding = { temperature = 1.0, max_new_tokens = 4 }
samples = 1
raters = [RATER]
"""


def table(path: Path, tilt: float) -> Path:
    """A model of which a number says how far it leans."""
    tilts = {**BUILT_IN["tilts"], "she": {"nurse": tilt, "math": tilt}}
    path.write_text(to_toml({"weights": {**BUILT_IN["weights"], "math": 1.0}, "tilts": tilts}), encoding="utf-8")
    return path


def study(model: str, more: str = "", name: str = "gate") -> Plan:
    return plan(parse(STUDY.replace("MODEL", model).replace("gate", name) + more))


class Told:
    """Carries out a plan and keeps what was said of the folder."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder, self.settings = folder, settings

    def __call__(self, made: Plan, settings: ModelSettings = SETTINGS) -> tuple[RunState, Run]:
        told: list[RunState] = []
        run = carry_out(made, self.folder, settings, tell=lambda state, _: told.append(state), **self.settings)
        return told[0], run


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path / "run")


def scores(run: Run) -> list[Any]:
    return [[one.scores for one in found] for found in run.scores.values()]


def test_another_table_at_the_same_path_is_measured_again(told: Told, tmp_path: Path) -> None:
    made = study(f"scripted:{table(tmp_path / 'm.toml', 0.5)}")
    state, first = told(made)
    assert state.kind == "new"
    before = scores(first)
    state, same = told(made)
    assert (state.kind, scores(same)) == ("finished", before)
    table(tmp_path / "m.toml", 2.5)
    state, second = told(made)
    assert state.kind == "outdated"
    assert [str(tmp_path / "m.toml") in change and "weights" in change for change in state.changes] == [True]
    assert scores(second) != before
    assert scores(second) == scores(carry_out(made, tmp_path / "fresh", SETTINGS))
    assert scores(read_run(told.folder / "before.1")) == before
    assert told(made)[0].kind == "finished"
    table(tmp_path / "m.toml", 0.5)
    assert scores(told(made)[1]) == before
    assert (told.folder / "before.2").is_dir()


def test_a_stopped_run_does_not_mix_two_models(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "BATCH", 5)
    made = study(f"scripted:{table(tmp_path / 'm.toml', 0.5)}")

    class Stopping(NoProgress):
        left = 3

        def advance(self, steps: int, failed: int | None = None) -> None:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(made, told.folder, SETTINGS, Stopping())
    table(tmp_path / "m.toml", 2.5)
    state, run = told(made)
    assert state.kind == "outdated"
    assert scores(run) == scores(carry_out(made, tmp_path / "fresh", SETTINGS))


def test_a_model_that_changes_while_it_is_measured_is_refused(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identities = iter([{"weights_sha256": "one"}, {"weights_sha256": "other"}])
    monkeypatch.setattr(models, "identity_of", lambda name, fetch=False: next(identities))
    with pytest.raises(RunError, match="weights changed"):
        told(study("scripted"))


def test_other_packages_measure_again(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    made = study("scripted")
    told(made)
    now = {**database.versions(), "platform": "another kernel"}
    monkeypatch.setattr(database, "versions", lambda: now)
    assert told(made)[0].kind == "finished"
    now = {**now, "torch": "0.1"}
    monkeypatch.setattr(ledger, "versions", lambda: now)
    state, run = told(made)
    assert state.kind == "outdated"
    assert "torch" in state.changes[0]
    assert run.meta["versions"]["torch"] == "0.1"
    assert told(made)[0].kind == "finished"


def test_another_lexicon_at_the_same_path_is_measured_again(told: Told, tmp_path: Path) -> None:
    columns = "id\tpos\tcategory\tstereotype\tlemma\tlevel\n"
    (tmp_path / "hurtlex_EN.tsv").write_text(f"{columns}1\tn\tcds\tno\tother\tconservative\n", encoding="utf-8")
    made = study("scripted", TEXTS.replace("RATER", f'"lexicon.hurtlex:{tmp_path / "hurtlex_EN.tsv"}"'))
    told(made)
    assert told(made)[0].kind == "finished"
    (tmp_path / "hurtlex_EN.tsv").write_text(f"{columns}1\tn\tcds\tno\tnurse\tconservative\n", encoding="utf-8")
    state, run = told(made)
    assert state.kind == "outdated"
    assert "lexicon" in state.changes[0]
    assert run.continuations is not None
    # A copy elsewhere has the same name in the study.
    (tmp_path / "other").mkdir()
    shutil.copy(tmp_path / "hurtlex_EN.tsv", tmp_path / "other")
    moved = study("scripted", TEXTS.replace("RATER", f'"lexicon.hurtlex:{tmp_path / "other" / "hurtlex_EN.tsv"}"'))
    state, run = told(moved)
    assert run.continuations is not None
    assert len([used for used in run.continuations.raters if used.name.startswith("lexicon")]) == 1


def test_a_prompt_file_that_changed_is_another_study(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("prompt,group,bias\nThe woman,women,g\nThe man,men,g\n", encoding="utf-8")
    text = TEXTS.replace(
        '{ own-prompts = { domain = "gender", per_group = 1 } }', f'"prompts-file:{tmp_path / "p.csv"}"'
    )
    more = text.replace("RATER", '"readability.ari"')
    kept = Cache(tmp_path / "answers.sqlite")
    told = Told(tmp_path / "run", cache=kept)
    told(study("scripted", more))
    (tmp_path / "p.csv").write_text("prompt,group,bias\nThe girl,women,g\nThe boy,men,g\n", encoding="utf-8")
    state, run = told(study("scripted", more))
    assert state.kind == "changed"
    assert run.continuations is not None
    assert {prompt.text for prompt in run.continuations.prompts} == {"The girl", "The boy"}


def test_a_study_of_another_name_is_refused_and_changes_nothing(told: Told, tmp_path: Path) -> None:
    told.settings["cache"] = Cache(tmp_path / "answers.sqlite")
    told(study("scripted"))
    before = {path: path.read_bytes() for path in told.folder.rglob("*.sqlite")}
    with pytest.raises(RunError, match="`gate`.*`other`") as refused:
        told(study("scripted", name="other", more="scorers = ['mean']"))
    assert "\n" not in str(refused.value)
    assert before == {path: path.read_bytes() for path in told.folder.rglob("*.sqlite")}


@pytest.mark.slow
def test_nothing_of_an_earlier_result_lies_beside_the_new_one(told: Told, tmp_path: Path) -> None:
    made = study(f"scripted:{table(tmp_path / 'm.toml', 0.5)}")
    _, run = told(made)
    summary = summarise_run(run)
    write_run(run, summary)
    write_parquet(run, summary, run.folder / "tables")
    found = Reported.of([(run, summary)])
    write(report(found), run.folder, ["pdf", "md", "latex"])
    write(report(found), run.folder, ["md"], named=Named("comparison", "comparison-figures"))
    write_cards(found, run.folder)
    for name in (ANNOTATIONS, "notes.txt", "study.toml"):
        (run.folder / name).write_text("mine", encoding="utf-8")
    (run.folder / ANSWERS).mkdir()
    table(tmp_path / "m.toml", 2.5)
    told(made)
    left = {path.name for path in told.folder.iterdir()}
    own = {ANNOTATIONS, ANSWERS, "notes.txt", "study.toml", "before.1", "lock.sqlite", "ledger.sqlite"}
    assert {name for name in left if not name.startswith("ledger.sqlite-")} == own
    assert {REPORT, "report.pdf", "report.tex", "card.md", "tables"} <= {
        path.name for path in (told.folder / "before.1").iterdir()
    }
    assert scores(read_run(told.folder / "before.1")) != scores(read_run(told.folder))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoint") / "gpt2"
    save_checkpoint("gpt2", folder)
    return folder


@pytest.fixture
def checkpoint(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "model"))


def flip_weights(folder: Path) -> None:
    """Other weights, in a file of the same size and time."""
    file = folder / "model.safetensors"
    status, content = file.stat(), bytearray(file.read_bytes())
    for place in range(len(content) - 4000, len(content), 4):
        content[place + 2] ^= 64
    with file.open("r+b") as stream:
        stream.write(content)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def shard(folder: Path) -> None:
    """The same weights in two files."""
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    halves = dict(enumerate((list(tensors)[::2], list(tensors)[1::2]), start=1))
    places = {name: f"model-{number:05}-of-00002.safetensors" for number, names in halves.items() for name in names}
    for number, names in halves.items():
        parts = {name: tensors[name] for name in names}
        save_file(parts, folder / f"model-{number:05}-of-00002.safetensors", {"format": "pt"})
    index = {"metadata": {}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(str(index).replace("'", '"'), encoding="utf-8")
    (folder / "model.safetensors").unlink()


CHANGES: dict[str, Callable[[Path], Any]] = {
    "weights": flip_weights,
    "shards": shard,
    "chat template": lambda folder: (folder / "chat_template.jinja").write_text("{{ messages[0].content }}"),
    "generation": lambda folder: (folder / "generation_config.json").write_text('{"eos_token_id": 3}'),
    "tokenizer": lambda folder: (folder / "tokenizer.json").write_bytes(
        (folder / "tokenizer.json").read_bytes() + b"\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "with_cache"), [*((change, False) for change in CHANGES), ("weights", True), ("tokenizer", True)]
)
def test_a_checkpoint_that_changed_at_its_path_is_measured_again(
    change: str, with_cache: bool, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "_WORTH_KEEPING", 0)
    kept = Cache(tmp_path / "answers.sqlite") if with_cache else None
    told, made = Told(tmp_path / "run", cache=kept), study(f"hf:{checkpoint}")
    before = scores(told(made)[1])
    loads = []
    with monkeypatch.context() as patch:
        patch.setattr(models, "load", lambda *given: loads.append(given))
        assert told(made)[0].kind == "finished"
    assert not loads
    CHANGES[change](checkpoint)
    state, run = told(made)
    assert state.kind == "outdated"
    assert str(checkpoint) in state.changes[0]
    assert scores(run) == scores(carry_out(made, tmp_path / "fresh", SETTINGS))
    if change == "weights":
        assert scores(run) != before
    assert told(made)[0].kind == "finished"


@pytest.mark.slow
def test_another_number_format_that_is_asked_for_is_measured_again(told: Told, checkpoint: Path) -> None:
    made = study(f"hf:{checkpoint}")
    told(made)
    assert told(made, ModelSettings(threads=1))[0].kind == "finished"
    state, run = told(made, ModelSettings(device="cpu", dtype="bfloat16", threads=1))
    assert state.kind == "outdated"
    assert [facts.dtype for facts in run.facts.values()] == ["bfloat16"]


@pytest.mark.slow
def test_a_planted_or_chatting_model_changes_with_the_one_below(told: Told, checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(f'model = "hf:{checkpoint}"\n[[tilt]]\nwords = ["he"]\ndelta = 0.5\n')
    made = study(f"planted:{tmp_path / 'p.toml'}")
    _, run = told(made)
    [facts] = run.facts.values()
    assert (models.identity_of(made.study.models[0]) or {})["weights_sha256"] == facts.weights_sha256
    assert told(made)[0].kind == "finished"
    (tmp_path / "p.toml").write_text(f'model = "hf:{checkpoint}"\n[[tilt]]\nwords = ["he"]\ndelta = 0.6\n')
    assert told(made)[0].kind == "outdated"
    flip_weights(checkpoint)
    assert told(made)[0].kind == "outdated"
    assert told(made)[0].kind == "finished"


@pytest.mark.slow
def test_a_model_that_is_gone_is_an_error_and_the_run_stays(told: Told, checkpoint: Path) -> None:
    made = study(f"hf:{checkpoint}")
    _, run = told(made)
    before = scores(run)
    (checkpoint / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="has no weights"):
        told(made)
    assert scores(read_run(told.folder)) == before
    assert not (told.folder / "before.1").exists()
