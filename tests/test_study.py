"""Study files: what they mean, and the sentence each mistake gets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tiltmeter.errors import InvalidStudy, UserError
from tiltmeter.study import parse, plan, read

STUDY = """\
name   = "gender at work"
specs  = ["gender-math-arts"]
models = ["scripted"]
seed   = 7

[pairs]
sources = ["templates", { templates = { per_attribute = 2 } }]
scorers = ["sum", "mean"]
"""


def test_a_study_says_what_to_measure() -> None:
    study = parse(STUDY)
    assert (study.name, study.seed, study.models, study.scorers) == (
        "gender at work",
        7,
        ("scripted",),
        ("sum", "mean"),
    )
    assert [source.label for source in study.sources] == ["templates", "templates[per_attribute=2]"]
    assert [spec.name for spec in study.specs] == ["gender-math-arts"]


def test_templates_and_no_scorer_are_the_default() -> None:
    study = parse('models = ["scripted"]\nspecs = ["gender-math-arts"]')
    assert ([source.name for source in study.sources], study.scorers) == (["templates.v1"], ())


def test_a_plan_holds_every_probe_under_its_own_id() -> None:
    made = plan(parse(STUDY))
    ids = [pair.id for pair in made.pairs]
    assert len(ids) == len(set(ids))
    counts = Counter(pair.source for pair in made.pairs)
    assert counts["templates[per_attribute=2]"] == 2 * 16
    assert counts["templates"] == 6 * 16 * 3


def test_the_fingerprint_changes_with_anything_that_is_asked() -> None:
    same, again = plan(parse(STUDY)), plan(parse(STUDY))
    assert same.fingerprint == again.fingerprint
    assert plan(parse(STUDY.replace("seed   = 7", "seed   = 8"))).fingerprint != same.fingerprint
    assert plan(parse(STUDY.replace('"sum", ', ""))).fingerprint != same.fingerprint


def test_paths_are_relative_to_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("sentence_1,sentence_2\nHe ran.,She ran.\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text('models = ["scripted"]\n[pairs]\nsources = ["pairs-file:mine.csv"]\n')
    made = plan(read(tmp_path / "study.toml"))
    assert [pair.texts for pair in made.pairs] == [("He ran.", "She ran.")]
    assert made.resolved["sources"][0]["path"] == "mine.csv"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("models", "modles"), "study.toml, line 3, `modles`: there is no key `modles`; did you mean `models`?"),
        (('"scripted"', ""), "line 3, `models`: no model to measure"),
        (('"scripted"', "3"), "line 3, `models`: 3 is not a name"),
        (('"scripted"', '"scripted", "scripted"'), "line 3, `models`: `scripted` stands twice"),
        (("seed   = 7", "seed   = true"), "line 4, `seed`: True is not a whole number"),
        (("seed   = 7", 'seed   = "7"'), "line 4, `seed`: '7' is not a whole number"),
        (
            ("gender-math-arts", "gender-maths-arts"),
            "line 2, `specs`: there is no spec `gender-maths-arts`; did you mean",
        ),
        (('"templates",', '"templatse",'), "line 7, `pairs.sources`: there is no source `templatse`; did you mean"),
        (('"templates",', '"templates:x",'), "`templates:x` takes no file"),
        (('"templates",', '"crows-pairs",'), '`crows-pairs` needs the path of a file; write "crows-pairs:FILE"'),
        (('"templates",', '"crows-pairs:none.csv",'), "there is no file .*none.csv"),
        (("per_attribute", "per_atribute"), "there is no option of `templates.v1` `per_atribute`; did you mean"),
        (('"templates",', "4,"), "4 is not a source"),
        (("[pairs]", "[continuations]\n[pairs]"), "line 6, `continuations`: this version has the view `pairs` only"),
        (("[pairs]", "[pairs"), "line 6: not valid TOML"),
        (("seed   = 7", "seed   = -1"), "line 4, `seed`: -1 is negative"),
        (('"sum", ', '"summ", '), "line 8, `pairs.scorers`: there is no scorer `summ`; did you mean `sum`"),
        (('"sum", ', '"masked.slt", '), "line 8, `pairs.scorers`: there is no scorer `masked.slt`"),
        (('"scripted"', '"scriptd"'), "line 3, `models`: there is no model `scriptd`; did you mean `scripted`"),
        (('"scripted"', '"gguf:none.gguf"'), "line 3, `models`: `gguf:none.gguf`: there is no file none.gguf"),
        (('["gender-math-arts"]', '["none.toml"]'), "line 2, `specs`: .*none.toml"),
        (("{ templates = { per_attribute = 2 } }", '"templates"'), "line 7, `pairs.sources`: `templates` stands twice"),
    ],
)
def test_a_mistake_gets_one_sentence_with_file_line_and_key(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    path = tmp_path / "study.toml"
    assert change[0] in STUDY
    path.write_text(STUDY.replace(*change, 1), encoding="utf-8")
    with pytest.raises(InvalidStudy, match=sentence):
        read(path)


def test_a_missing_study_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such study file"):
        read(tmp_path / "none.toml")


def test_a_study_without_pairs_says_why() -> None:
    with pytest.raises(InvalidStudy, match="makes no pairs; give specs, or a source that reads a file"):
        plan(parse('name = "empty"\nmodels = ["scripted"]'))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("per_attribute = 0", "per_attribute`: must be a whole number from 1 up"),
        ('agreement = "x"', "agreement`: must be"),
    ],
)
def test_a_wrong_option_names_the_file_and_the_key(tmp_path: Path, options: str, sentence: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace("per_attribute = 2", options), encoding="utf-8")
    with pytest.raises(InvalidStudy, match=f"study.toml, `pairs.sources.*{sentence}"):
        plan(read(path))


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "p.csv").write_text("sentence_1,sentence_2\nHe ran.,She ran.\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(
        'models = ["scripted"]\n[pairs]\nsources = ["pairs-file:a/p.csv", "pairs-file:b/p.csv"]\n'
    )
    made = plan(read(tmp_path / "study.toml"))
    assert [pair.source for pair in made.pairs] == ["pairs-file[p]", "pairs-file[p] (2)"]


def test_a_model_file_lies_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("[weights]\nhe = 1\nother = 1\n")
    (tmp_path / "study.toml").write_text('models = ["scripted:table.toml"]\nspecs = ["gender-math-arts"]\n')
    assert read(tmp_path / "study.toml").models == (f"scripted:{tmp_path / 'table.toml'}",)


def test_two_specs_of_one_name_are_refused(tmp_path: Path) -> None:
    from tiltmeter import specs

    (tmp_path / "mine.toml").write_text(specs.library_text("gender-math-arts"), encoding="utf-8")
    (tmp_path / "study.toml").write_text('models = ["scripted"]\nspecs = ["gender-math-arts", "mine.toml"]\n')
    with pytest.raises(InvalidStudy, match="two specs are called `gender-math-arts`"):
        read(tmp_path / "study.toml")
