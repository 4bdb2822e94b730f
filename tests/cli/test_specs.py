import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.shared import shared
from tiltmeter import specs
from tiltmeter.cli.specs import app
from tiltmeter.errors import TiltmeterError, UnknownName, UserError

ENTRY = {
    "name": "Cats_vs_Dogs",
    "source": "Somebody '20",
    "url": "",
    "social_groups": {"Cats": ["cat"], "Dogs": ["dog"]},
    "attributes": {"Nice": ["soft"], "Bad": ["loud"]},
    "templates": ["[T] is [A]"],
}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def good(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.exception or result.output
    return result.stdout


def refused(*arguments: object) -> TiltmeterError:
    error = run(*arguments).exception
    assert isinstance(error, TiltmeterError)
    return error


def as_json(*arguments: object) -> Any:
    return json.loads(good(*arguments, "--json"))


def test_the_library_is_listed() -> None:
    assert all(name in good("list") for name in specs.names())
    listed = as_json("list")
    assert [row["name"] for row in listed] == specs.names()
    assert listed[0].keys() == {"name", "title", "groups", "attributes", "templates", "benchmark", "citation"}


def test_a_spec_is_shown_as_its_file_has_it() -> None:
    assert good("show", "gender-math-arts") == specs.library_text("gender-math-arts")
    assert as_json("show", "gender-math-arts")["groups"][0]["name"] == "male"
    assert isinstance(refused("show", "gender-maths-art"), UnknownName)


def test_check_says_ok_for_each_good_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(specs.skeleton("mine"), encoding="utf-8")
    assert good("check", file, "gender-professions") == f"{file}: ok\ngender-professions: ok\n"
    assert as_json("check", file) == [{"file": str(file), "ok": True, "problems": [], "warnings": []}]


def test_check_lists_every_problem_of_every_file(tmp_path: Path) -> None:
    bad, worse = tmp_path / "bad.toml", tmp_path / "worse.toml"
    bad.write_text(
        specs.skeleton("bad").replace("[T] likes", "He likes").replace('"female"', '"femal"'), encoding="utf-8"
    )
    worse.write_text("name = ", encoding="utf-8")
    result = run("check", bad, worse, "gender-professions", tmp_path / "none.toml", "gender-profesions")
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines[:2]] == [
        f"{bad}, line 9, `templates`",
        f"{bad}, line 32, `attributes.crafts.stereotype_of`",
    ]
    assert lines[2].startswith(f"{worse}, line 1: not valid TOML")
    assert lines[3] == "gender-professions: ok"
    assert lines[4].endswith("none.toml: there is no such spec file")
    assert lines[5] == "there is no spec `gender-profesions`; did you mean `gender-professions`?"
    answer = run("check", bad, "--json")
    assert (answer.exit_code, json.loads(answer.stdout)[0]["problems"][0]["line"]) == (2, 9)


def test_new_writes_a_file_that_passes_and_never_overwrites(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "mine.toml"
    assert good("new", "mine", "--out", file) == ""
    assert specs.read(file).name == "mine"
    file.write_text("precious", encoding="utf-8")
    assert "the file already" in str(refused("new", "mine", "--out", file))
    assert file.read_text(encoding="utf-8") == "precious"


def test_new_is_called_after_the_spec_and_wants_a_usable_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert as_json("new", "my-bias") == {"file": "my-bias.toml"}
    assert "such as `my-bias`" in str(refused("new", "../My Bias"))
    assert [path.name for path in tmp_path.iterdir()] == ["my-bias.toml"]


def test_import_and_export_give_the_file_back(tmp_path: Path) -> None:
    original = tmp_path / "specs.json"
    original.write_text(json.dumps([ENTRY]), encoding="utf-8")
    assert good("import", original, "--out", tmp_path / "specs") == ""
    (file,) = (tmp_path / "specs").iterdir()
    assert file.name == "cats-vs-dogs.toml"
    assert good("export", file, "--out", tmp_path / "again.json") == ""
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == [ENTRY]
    assert isinstance(refused("import", original, "--out", tmp_path / "specs"), UserError)


def test_import_refuses_the_file_or_skips_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "specs.json"
    bad = ENTRY | {"name": "Bad", "social_groups": {"Cats": ["cat", "kitten"], "Dogs": ["dog"]}}
    file.write_text(json.dumps([ENTRY, bad]), encoding="utf-8")
    assert "`--skip-invalid` imports the others" in str(refused("import", file, "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    result = run("import", file, "--out", tmp_path / "out", "--skip-invalid")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("skipped: ")
    answer = as_json("import", file, "--out", tmp_path / "more", "--skip-invalid")
    assert [len(answer["written"]), len(answer["refused"])] == [1, 1]


def test_the_published_file_is_imported_whole(tmp_path: Path) -> None:
    answer = as_json("import", shared("biastestgpt/bias_specs.json"), "--out", tmp_path)
    assert len(answer["written"]) == 15
    assert all(specs.read(file).published_as for file in answer["written"])


def test_nothing_is_written_when_a_spec_cannot_be_exported(tmp_path: Path) -> None:
    assert "compares 3 pairs" in str(refused("export", "regard-six-groups", "--out", tmp_path / "out.json"))
    assert not list(tmp_path.iterdir())
