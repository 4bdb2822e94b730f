"""Functions of the user's as raters: from a file, from Python, and what is refused of one that misbehaves."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tiltmeter import raters
from tiltmeter.errors import TiltmeterError, UserError
from tiltmeter.raters.functions import NO_RATING, rater
from tiltmeter.raters.scales import Scale, kind_of, scale_of, threshold_of
from tiltmeter.results.summary.raters import comparable
from tiltmeter.results.summary.text_records import ends_of, favour

SCALE = "[range=0..1;worse=high;axis=toxicity]"
SAID = "worse=high;axis=toxicity;range=0..1"


def share_of_capitals(texts: list[str]) -> list[float]:
    return [sum(sign.isupper() for sign in text) / len(text) for text in texts]


def written(folder: Path, body: str, name: str = "mine.py") -> Path:
    (folder / name).write_text(body, encoding="utf-8")
    return folder / name


def test_a_function_of_a_file_rates_and_its_name_says_its_scale(tmp_path: Path) -> None:
    body = "def rude(texts):\n    return [float('idiot' in text) for text in texts]\n"
    file = written(tmp_path, body)
    found = raters.load(f"python:{file}:rude{SCALE}")
    digest = hashlib.sha256(body.encode()).hexdigest()
    assert found.name == f"python.v1:mine.py:rude@{digest[:12]}[{SAID}]"
    assert [one.value for one in found.rate(["You idiot.", "Hello.", "You idiot."])] == [1.0, 0.0, 1.0]
    assert [one.unrated for one in found.rate(["", "—"])] == ["the text is empty", "no words to rate"]
    assert found.facts["source_sha256"] == digest and not found.wants_mask
    assert (kind_of(found.name), favour(found.name), ends_of(found.name)) == ("toxicity", -1, (0.0, 1.0))
    assert comparable(found.name, "toxicity.linear.v1") and threshold_of(found.name) == 0.5
    file.write_text(f"{body}#\n", encoding="utf-8")
    assert raters.load(f"python:{file}:rude{SCALE}").name != found.name, "a changed file is another rater"


def test_the_file_that_is_hashed_is_the_one_that_is_run(tmp_path: Path) -> None:
    """A compiled file of the same size and second would be run in its place."""
    import os

    file = written(tmp_path, "def f(texts):\n    return [0.25] * len(texts)\n")
    assert raters.load(f"python:{file}:f{SCALE}").rate(["a"])[0].value == 0.25
    before = file.stat()
    file.write_text("def f(texts):\n    return [0.75] * len(texts)\n", encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert raters.load(f"python:{file}:f{SCALE}").rate(["a"])[0].value == 0.75
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"], "nothing is left beside the file"


@pytest.mark.parametrize(
    "body", ["def f(text):\n    return len(text) / 100", "def f(given: str):\n    return len(given) / 100"]
)
def test_a_function_of_one_text_is_called_for_each(tmp_path: Path, body: str) -> None:
    found = raters.load(f"python:{written(tmp_path, body)}:f{SCALE}")
    assert [one.value for one in found.rate(["four", "sixsix"])] == [0.04, 0.06]


def test_numbers_of_numpy_none_and_reasons_are_answers(tmp_path: Path) -> None:
    body = "import numpy as np\ndef f(texts):\n    return [None, (None, 'too  short')] if len(texts) == 2 else "
    found = raters.load(f"python:{written(tmp_path, body + 'np.full(len(texts), 0.5, np.float32)')}:f{SCALE}")
    assert [one.unrated for one in found.rate(["a", "b"])] == [NO_RATING, "too short"]
    assert [one.value for one in found.rate(["a", "b", "c"])] == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return [0.5]", "`f` gives 1 rating for 2 texts; expected one for each"),
        ("return [float('nan')] * len(texts)", "`f` gives nan for the text .* a number from 0 to 1"),
        ("return [7] * len(texts)", "`f` gives 7 for the text"),
        ("return ['high'] * len(texts)", "`f` gives 'high' for the text"),
        ("return 'high'", "`f` gives 'high' for a list of 2 texts"),
        ("return None", "`f` gives None for a list of 2 texts"),
        ("return {text: 1 for text in texts}", "for a list of 2 texts; expected a list"),
        ("return texts.lower()", "line 2: `f` cannot rate a list of 2 texts: AttributeError"),
        ("raise KeyError('a\\nb')", "line 2: `f` cannot rate a list of 2 texts: KeyError"),
        ("raise SystemExit(3)", "line 2: `f` cannot rate a list of 2 texts: SystemExit: 3"),
        ("return [1 / 0 for text in texts]", "line 2: `f` cannot rate a list of 2 texts: ZeroDivisionError"),
        ("return [10 ** 400] * len(texts)", "`f` gives 1000"),
    ],
)
def test_a_function_that_misbehaves_is_refused_when_it_is_loaded(tmp_path: Path, body: str, problem: str) -> None:
    file = written(tmp_path, f"def f(texts):\n    {body}\n")
    with pytest.raises(UserError, match=problem) as refused:
        raters.load(f"python:{file}:f{SCALE}")
    assert str(refused.value).startswith(str(file)) and "\n" not in str(refused.value)


def test_a_function_that_fails_later_is_refused_then(tmp_path: Path) -> None:
    file = written(tmp_path, "def f(texts):\n    return [2.0 if 'odd' in text else 0.0 for text in texts]\n")
    found = raters.load(f"python:{file}:f{SCALE}")
    with pytest.raises(UserError, match="gives 2.0 for the text “an odd one”"):
        found.rate(["fine", "an odd one"])


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("def g(texts):\n    return texts\n", "there is no function `f`"),
        ("f = 3\n", "there is no function `f`"),
        ("import nothing_of_this_name\n", "line 1: the file cannot be run: ModuleNotFoundError"),
        ("\n\ndef f(texts:\n", "line 3: the file cannot be run: SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_run_is_refused(tmp_path: Path, body: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        raters.load(f"python:{written(tmp_path, body)}:f{SCALE}")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("python", "needs an argument"),
        ("python:mine.py[range=0..1;worse=high]", "names no function; write python:FILE.py:FUNCTION"),
        ("python:mine.py:f", "does not say its scale; append it: python:mine.py:f"),
        ("python:mine.py:f[worse=high]", "the range of the numbers is missing"),
        ("python:mine.py:f[range=0..1]", "which end of the scale is worse .* is missing"),
        ("python:mine.py:f[range=0..1;worse=high;head=softmax]", "a function has no setting `head`"),
        ("python:mine.py:f[rude=1;worse=high]", "a function has no setting `rude`"),
        ("python:mine.py:f[range=1..0;worse=high]", "all ratings would be 1"),
        (f"python:nowhere.py:f{SCALE}", "there is no file nowhere.py"),
    ],
)
def test_a_name_that_cannot_be_read_is_refused_before_anything_is_run(name: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        raters.check_name(name)


def test_checking_a_name_runs_nothing(tmp_path: Path) -> None:
    file = written(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\ndef f(texts): return [0.0] * len(texts)\n")
    raters.check_name(f"python:{file}:f{SCALE}")
    assert not (tmp_path / "ran").exists()
    raters.load(f"python:{file}:f{SCALE}")
    assert (tmp_path / "ran").exists()


def test_names_of_files_may_have_odd_signs(tmp_path: Path) -> None:
    name = "Zoë’s [rude], rater; a=1.py"
    file = written(tmp_path, "def f(texts): return [1.0] * len(texts)\n", name)
    found = raters.load(f"python:{file}:f{SCALE}")
    assert found.name.startswith(f"python.v1:{name}:f@") and kind_of(found.name) == "toxicity"
    assert found.rate(["a"])[0].value == 1.0


def test_what_a_function_prints_is_not_our_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "print('here')\ndef f(texts):\n    print('there')\n    return [0.0] * len(texts)\n")
    raters.load(f"python:{file}:f{SCALE}")
    said = capsys.readouterr()
    assert said.out == "" and "here" in said.err and "there" in said.err


def test_a_function_is_handed_over_in_python() -> None:
    made = rater(share_of_capitals, range=(0, 1), worse="high", axis="shouting")
    assert made.name.startswith("python.v1:test_functions.py:share_of_capitals@")
    assert [one.value for one in made.rate(["AB", "ab"])] == [1.0, 0.0]
    same = raters.load("python:share_of_capitals")
    assert same.name == made.name == raters.load("python:share_of_capitals[range=0..1;worse=high;axis=shouting]").name
    with pytest.raises(UserError, match="was given another scale in Python"):
        raters.check_name(f"python:share_of_capitals{SCALE}")


@pytest.mark.parametrize(
    ("scale", "kind"),
    [
        ("toxicity", "toxicity"),
        (Scale("toxicity", 0.0, 1.0, 0.0, 1), "toxicity"),
        ("range=0..1;worse=high;axis=toxicity", "toxicity"),
        (Scale("stars", 0.0, 5.0, None, -1), "stars (0 to 5, worse low)"),
    ],
)
def test_a_scale_is_given_in_several_ways(scale: Scale | str, kind: str) -> None:
    made = rater(share_of_capitals, name="capitals", scale=scale, wants_mask=True)
    found = scale_of(made.name)
    assert kind_of(made.name) == kind and made.wants_mask and found is not None and found.low == 0


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "the range of the numbers is missing"),
        ({"scale": "politeness"}, "there is no scale `politeness`"),
        ({"scale": "toxicity", "worse": "low"}, "given twice"),
        ({"scale": "toxicity", "name": "a/b"}, "cannot be the name"),
        ({"scale": "toxicity", "name": "a\nb"}, "cannot be the name"),
    ],
)
def test_what_is_handed_over_is_checked(given: dict[str, str], problem: str) -> None:
    given = given if given else {"worse": "high"}
    with pytest.raises(UserError, match=problem):
        rater(share_of_capitals, **given)


def test_a_function_without_a_source_is_refused() -> None:
    with pytest.raises(TiltmeterError, match="the source of `len` cannot be read"):
        rater(len, scale="toxicity")
