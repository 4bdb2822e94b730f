"""Runs, studies and specs in the formats of other programs: what is written parses, and says what was asked."""

from __future__ import annotations

import ast
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.present.hostile import STRINGS
from tiltmeter.engine import carry_out, score_pairs
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.files import write_csv
from tiltmeter.measures.pairs import TIE
from tiltmeter.measures.scorers import find
from tiltmeter.models import load
from tiltmeter.parquet import parquet_columns, parquet_rows
from tiltmeter.present.exports import FORMS, DatasetSettings, evaluate_dict, export
from tiltmeter.present.exports.inspect_tasks import write_data_sets
from tiltmeter.present.exports.items import Asked, asked_by
from tiltmeter.present.exports.lm_eval import write_tasks
from tiltmeter.records import AttributeSet, Group, Pair, Spec
from tiltmeter.results import summarise_file, summarise_run, summarise_scores
from tiltmeter.results.cells import table_of
from tiltmeter.sources import pairs_file
from tiltmeter.specs import load as load_spec
from tiltmeter.store import Run, read_run
from tiltmeter.study import parse, plan, read

STUDY = """
name = "All of it: {{ 1 }}"
seed = 3
models = ["scripted"]
specs = ["gender-math-arts", "flowers-insects"]
[pairs]
sources = [{ templates = { per_attribute = 1 } }]
scorers = ["sum"]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 5 } }]
decoding = { temperature = [0.5, 1.0], max_new_tokens = 5 }
samples = 2
raters = ["sentiment.vader"]
[next_words]
sources = [{ templates = { limit = 6 } }]
words = "he-she"
"""
STRANGER = Spec(
    "भाषा",
    "No letter of it is Latin",
    (Group("null", ("पुरुष", "लड़का"), noun="yes"), Group("true", ("महिला", "लड़की"))),
    (AttributeSet("a: b", ("गणित", "{{ 7 * 7 }}"), ("null",)), AttributeSet("#", ("कला", "%}"), ("true",))),
    ("[T] को [A] पसंद है",),
    compare=(("null", "true"),),
)


class Tasks(yaml.SafeLoader):
    """As the harness reads its files: what is a function has its name."""


Tasks.add_constructor("!function", lambda loader, node: f"!{loader.construct_scalar(node)}")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("exports") / "run"
    carry_out(plan(parse(STUDY)), folder)
    return read_run(folder)


def tasks_of(folder: Path) -> dict[str, dict[str, Any]]:
    return {path.stem: yaml.load(path.read_text("utf-8"), Tasks) for path in folder.glob("*.yaml")}


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]


def utils_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What task files call; of the data-set library they need a list."""
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(Dataset=SimpleNamespace(from_list=list)))
    found: dict[str, Any] = {"__file__": str(folder / "utils.py")}
    exec(compile((folder / "utils.py").read_text(encoding="utf-8"), "utils.py", "exec"), found)
    return found


def test_tasks_of_a_run_are_one_for_each_kind_and_bias(run: Run, tmp_path: Path) -> None:
    export(run, "lm-eval", tmp_path / "tasks")
    root, tasks = "tiltmeter_all-of-it-1", tasks_of(tmp_path / "tasks")
    biases = ("gender-math-arts", "flowers-insects")
    assert {name for name, one in tasks.items() if "task" in one and isinstance(one["task"], str)} == {
        *(f"{root}_pairs_{bias}" for bias in biases),
        f"{root}_prompts_own-prompts-gender",
        *(f"{root}_next_words_{bias}" for bias in biases),
    }
    for name, one in tasks.items():
        assert one.get("task") == name or one.get("group") == name
    # A check of the instrument is in no figure over biases.
    assert tasks[f"{root}_pairs"]["task"] == [f"{root}_pairs_gender-math-arts"]
    assert f"{root}_pairs_flowers-insects" in tasks[root]["task"] and f"{root}_pairs" in tasks[root]["task"]
    written = tasks[f"{root}_prompts_own-prompts-gender"]
    assert written["generation_kwargs"]["until"] == [] and written["repeats"] == 2
    assert written["generation_kwargs"]["temperature"] == 0.5 and written["generation_kwargs"]["top_k"] == 0
    words = tasks[f"{root}_next_words_gender-math-arts"]
    assert [one["metric"] for one in words["metric_list"]] == ["share_male", "share_female"]
    for name, one in tasks.items():
        if isinstance(one.get("task"), str):
            rows = lines_of(tmp_path / "tasks" / one["dataset_kwargs"]["file"])
            assert one["dataset_kwargs"]["file"] == f"{name}.jsonl"
            assert all(row["id"] and row["bias"] and row["origin"] for row in rows)
            assert one["doc_to_text"] in rows[0]


def test_every_item_of_a_run_is_exported_or_counted(run: Run) -> None:
    asked = asked_by(run)
    kinds = Counter(kind for kind, _ in asked.rows())
    assert run.continuations and run.next_words
    assert kinds["pairs"] == len(run.pairs) and kinds["prompts"] == len(run.continuations.prompts)
    assert kinds["next_words"] + sum(asked.left_out.values()) == len(run.next_words.asked)


def test_a_plan_and_its_run_ask_the_same(run: Run) -> None:
    assert list(asked_by(run).rows()) == list(asked_by(parse(STUDY)).rows())


def test_a_log_of_exported_pairs_says_what_scoring_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load_spec("gender-math-arts")
    export(spec, "lm-eval", tmp_path / "tasks")
    [path] = (tmp_path / "tasks").glob("*_pairs_*.jsonl")
    pairs = [row.pair for row in pairs_file.read(path).rows if row.pair]
    asked = [one for one in asked_by(spec).pairs if one.stereotyped is not None]
    assert [one.texts for one in pairs] == [
        tuple(one.texts[side] for side in (one.stereotyped, 1 - one.stereotyped)) for one in asked
    ]
    scores = score_pairs(load("scripted"), pairs, [find("sum", "causal")])["causal.sum.v1"]
    utils = utils_of(tmp_path / "tasks", monkeypatch)
    logged = []
    for row, score in zip(utils["rows"](path.name, version=1.0)["test"], scores, strict=True):
        assert score.scores is not None
        assert utils["sentences"](row) == list(score.pair.texts)
        said = [[str(value), "False"] for value in score.scores]
        figures = utils["preference"](row, [(value, False) for value in score.scores])
        logged.append({"doc": row, "resps": [[one] for one in said], "filtered_resps": said, **figures})
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, logged)), encoding="utf-8")
    found = summarise_file(tmp_path / "log.jsonl").summary
    assert found.overall.value == pytest.approx(summarise_scores(scores).overall.value)
    assert found.overall.value == pytest.approx(math.fsum(one["pct_stereotype"] for one in logged) / len(logged))
    assert list(found.by_bias) == [spec.name]
    assert utils["TIE"] == TIE


def test_functions_of_tasks_count_ties_and_share_probabilities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(load_spec("gender-math-arts"), "lm-eval", tmp_path / "tasks")
    utils = utils_of(tmp_path / "tasks", monkeypatch)
    assert utils["preference"]({}, [(-2.0, True), (-3.5, False)]) == {"pct_stereotype": 1.0, "margin": 1.5}
    assert utils["preference"]({}, [(-2.0, True), (-2.0, False)])["pct_stereotype"] == 0.5
    row = {"shares": ["share_a", "share_b", "share_b"]}
    found = utils["shares"](row, [(math.log(0.5) - 800, 0), (math.log(0.25) - 800, 0), (math.log(0.25) - 800, 0)])
    assert found == {"share_a": pytest.approx(0.5), "share_b": pytest.approx(0.5)}
    assert utils["written"]({}, [" "]) == {"empty": 1.0} and utils["written"]({}, ["x"]) == {"empty": 0.0}


def test_sentences_stay_what_they_are(tmp_path: Path) -> None:
    signs = [*STRINGS, "{{ doc }} {% raw %}", "a: 'b' \"c\" # d", "!function utils.x", "null", "  two  spaces ", "7"]
    texts = [(f"{sign} he", f"{sign} she") for sign in signs]
    rows = [
        {"sentence_1": one, "sentence_2": other, "label_1": "stereotype", "label_2": "anti-stereotype", "bias": bias}
        for bias in ("{{ 1 }}", "__import__('os')", "null", "…")
        for one, other in texts
    ]
    write_csv(tmp_path / "own.csv", list(rows[0]), rows)
    (tmp_path / "own.toml").write_text('models = ["scripted"]\n[pairs]\nsources = ["pairs-file:own.csv"]\n')
    study = read(tmp_path / "own.toml")
    wanted = Counter(tuple(text.strip() for text in one) for one in texts for _ in range(4))
    export(study, "lm-eval", tmp_path / "tasks")
    tasks = tasks_of(tmp_path / "tasks")
    assert all(re.fullmatch(r"[\w-]+", name) for name in tasks)
    found = [row for path in (tmp_path / "tasks").glob("*.jsonl") for row in lines_of(path)]
    assert Counter((row["sent_more"], row["sent_less"]) for row in found) == wanted
    assert {row["bias"] for row in found} == {"{{ 1 }}", "__import__('os')", "null", "…"}
    export(study, "inspect", tmp_path / "sets")
    samples = lines_of(tmp_path / "sets" / "pairs.jsonl")
    assert Counter(tuple(sorted(one["choices"])) for one in samples) == Counter(
        tuple(sorted(one)) for one in wanted.elements()
    )


@pytest.mark.parametrize("form", ["lm-eval", "inspect"])
def test_a_spec_of_any_language_is_exported(form: Any, tmp_path: Path) -> None:
    written = export(STRANGER, form, tmp_path / "out")
    pairs = next(Path(path) for path in written if "pairs" in Path(path).name and Path(path).suffix == ".jsonl")
    assert {"{{ 7 * 7 }}", "%}"} <= {
        (row.get("metadata") or row)["attribute"] for row in lines_of(pairs)
    }  # Nothing was made of them.
    assert "पुरुष को गणित पसंद है" in pairs.read_text(encoding="utf-8")


def test_data_sets_of_inspect_have_targets_and_labels(run: Run, tmp_path: Path) -> None:
    export(run, "inspect", tmp_path / "sets")
    by_id = {row["id"]: row for kind, row in asked_by(run).rows() if kind == "pairs"}
    samples = lines_of(tmp_path / "sets" / "pairs.jsonl")
    for one in samples:
        assert one["choices"]["AB".index(one["target"])] == by_id[one["id"]]["sent_more"]
        assert one["metadata"]["bias"] and one["metadata"]["origin"] and one["metadata"]["group_more"]
    assert 0.3 < Counter(one["target"] for one in samples)["A"] / len(samples) < 0.7
    for one in lines_of(tmp_path / "sets" / "next_words.jsonl"):
        assert dict(zip(one["choices"], one["metadata"]["groups"], strict=True)) == {"he": "male", "she": "female"}
    module = ast.parse((tmp_path / "sets" / "tasks.py").read_text(encoding="utf-8"))
    assert {"pairs", "prompts", "next_words"} <= {one.name for one in module.body if isinstance(one, ast.FunctionDef)}
    settings = {
        one.targets[0].id: ast.literal_eval(one.value)
        for one in module.body
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and one.targets[0].id != "HERE"
    }
    assert settings["SAMPLES"] == 2
    assert settings["GENERATION"] == {"max_tokens": 5, "temperature": 0.5, "top_p": 1.0}


def test_tasks_without_data_are_left_out(tmp_path: Path) -> None:
    export(parse('models = ["scripted"]\nspecs = ["gender-math-arts"]\n'), "inspect", tmp_path / "sets")
    module = ast.parse((tmp_path / "sets" / "tasks.py").read_text(encoding="utf-8"))
    names = {one.name for one in module.body if isinstance(one, ast.FunctionDef)}
    assert "pairs" in names and not {"prompts", "next_words", "shares"} & names
    assert not (tmp_path / "sets" / "prompts.jsonl").exists()


def test_context_is_scored_by_nobody_and_controls_are_left_out() -> None:
    common = {"source": "x", "bias": "b", "origin": "o", "groups": ("a", "b")}
    pairs = [
        Pair("1", texts=("So it is. He ran", "So it is. She ran"), stereotyped=1, scored_from=(10, 10), **common),  # type: ignore[arg-type]
        Pair("2", texts=("Yes. He ran", "No. She ran"), stereotyped=0, scored_from=(5, 4), **common),  # type: ignore[arg-type]
        Pair("3", texts=("He ran", "She ran"), **common),  # type: ignore[arg-type]
        Pair("4", texts=("He ran", "She ran"), stereotyped=0, stands_in="template", **common),  # type: ignore[arg-type]
    ]
    given = Asked("n", frozenset(), pairs)
    [(_, row)] = given.rows()
    assert (row["context"], row["sent_more"], row["sent_less"]) == ("So it is. ", "She ran", "He ran")
    assert (row["group_more"], row["group_less"]) == ("b", "a")
    assert sum(given.left_out.values()) == 3


def front_matter(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    return found


def test_a_data_set_has_the_measurements_and_a_card(run: Run, tmp_path: Path) -> None:
    export(run, "hf-dataset", tmp_path / "set")
    facts = front_matter(tmp_path / "set")
    assert facts["license"] == "unknown" and "bias" in facts["tags"] and facts["size_categories"] == ["1K<n<10K"]
    names = {one["config_name"]: one["data_files"] for one in facts["configs"]}
    assert list(names) == ["measurements", "items", "texts"]
    found = list(parquet_rows(tmp_path / "set" / names["measurements"]))
    [(count, total)] = table_of(run).tuples("SELECT count(*), fsum(value) FROM measurements")
    assert len(found) == count and math.fsum(row["value"] or 0 for row in found) == pytest.approx(total)
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert run.meta["fingerprint"][:12] in card and "@misc{" in card and "scripted" in card


def test_the_words_of_texts_are_in_a_data_set_only_where_they_are_asked_for(run: Run, tmp_path: Path) -> None:
    export(run, "hf-dataset", tmp_path / "without")
    export(run, "hf-dataset", tmp_path / "with", DatasetSettings(with_texts=True, license="cc-by-4.0"))
    assert front_matter(tmp_path / "with")["license"] == "cc-by-4.0"
    for name in ("items", "texts"):
        lost = {*parquet_columns(tmp_path / "with" / f"{name}.parquet")} - {
            *parquet_columns(tmp_path / "without" / f"{name}.parquet")
        }
        assert lost == ({"text", "other_text", "marks", "other_marks"} if name == "items" else {"text"})
    templates = {row["template"] for row in parquet_rows(tmp_path / "without" / "items.parquet")}
    shown = {row["template"] for row in parquet_rows(tmp_path / "with" / "items.parquet")}
    assert len(templates) == len(shown) and not (templates & shown) - {None}
    measured = {row["template"] for row in parquet_rows(tmp_path / "without" / "measurements.parquet")}
    assert measured <= templates


def test_figures_of_a_run_are_flat_and_finite(run: Run, tmp_path: Path) -> None:
    found = evaluate_dict(run)
    [path] = export(run, "evaluate", tmp_path / "figures.json")
    assert json.loads(Path(path).read_text(encoding="utf-8")) == found
    assert all(value is None or (isinstance(value, int | float) and math.isfinite(value)) for value in found.values())
    names = [name for name in found if f"{name}_low" in found]
    assert len(found) == 5 * len(names)
    [cell] = summarise_run(run).cells
    name = "pairs/gender-math-arts/scripted/templates-per_attribute-1/causal.sum.v1"
    estimate = cell.summary.headline_by_bias["gender-math-arts"]
    ends = ("", "_low", "_high", "_n", "_n_unscored")
    assert [found[name + end] for end in ends] == [
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.n,
        estimate.n_unscored,
    ]
    # Temperatures are in names, since there are two.
    assert {part for one in names for part in one.split("/") if part.startswith("temperature")} == {
        "temperature-0.5",
        "temperature-1",
    }


@pytest.mark.parametrize("form", ["lm-eval", "inspect", "hf-dataset"])
def test_a_folder_with_anything_else_stays_as_it_is(form: Any, run: Run, tmp_path: Path) -> None:
    written = export(run, form, tmp_path / "out")
    assert export(run, form, tmp_path / "out") == written
    (tmp_path / "out" / "own.txt").write_text("mine")
    with pytest.raises(UserError, match=r"own\.txt"):
        export(run, form, tmp_path / "out")
    other = tmp_path / "other"
    other.mkdir()
    (other / "README.md").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "out", target_is_directory=True)
    for place in (other, tmp_path / "link", tmp_path / "out" / "own.txt"):
        with pytest.raises(UserError):
            export(run, form, place)
    assert (other / "README.md").read_text() == "mine" and (tmp_path / "out" / "own.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "other", "out"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert export(STRANGER, "inspect", tmp_path / "out")


def test_what_cannot_be_exported_leaves_nothing(run: Run, tmp_path: Path) -> None:
    control = Pair("1", "x", "b", "o", texts=("He ran", "She ran"), groups=("a", "b"))
    for write in (write_tasks, write_data_sets):
        with pytest.raises(UserError, match="nothing to export: 1 pairs"):
            write(Asked("n", frozenset(), [control]), tmp_path)
    with pytest.raises(UserError, match="blank"):
        export(run, "hf-dataset", tmp_path / "out", DatasetSettings(license=" "))
    for form in ("hf-dataset", "evaluate", "parquet"):
        with pytest.raises(UserError, match="only a run has"):
            export(STRANGER, form, tmp_path / "out")  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        export(run, "lm_eval", tmp_path / "out")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == [] and "lm-eval" in FORMS
