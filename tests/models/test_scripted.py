"""The model that is a table, against probabilities worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tiltmeter.errors import InvalidData, UnknownName, UserError
from tiltmeter.models import available_models, load
from tiltmeter.models.scripted import ScriptedModel


def test_probabilities_are_those_worked_out_by_hand() -> None:
    # Three entries of weight 1; e^0.7 ≈ 2.0138. First word 1/3; "is" is `other`, 1/3 (no tilt toward it, but after
    # "she" the sum is 1 + 1 + e^0.7 = 4.0138): 1/4.0138; "nurse": e^0.7/4.0138.
    model = ScriptedModel({"she": 1, "nurse": 1, "other": 1}, {"she": {"nurse": 0.7}})
    [score] = model.score(["She is nurse"])
    total = 2 + math.exp(0.7)
    assert score.logprobs == pytest.approx((math.log(1 / 3), math.log(1 / total), math.log(math.exp(0.7) / total)))
    assert score.spans == ((0, 3), (4, 6), (7, 12))


def test_a_planted_tilt_has_its_exact_size() -> None:
    # he and she weigh the same and both tilt one word by the same amount, so the sums differ by that tilt alone.
    weights = {"he": 1, "she": 1, "nurse": 1, "engineer": 1, "other": 1}
    model = ScriptedModel(weights, {"she": {"nurse": 0.7}, "he": {"engineer": 0.7}})
    he, she = model.score(["He is a nurse.", "She is a nurse."])
    sums = [sum(value or 0.0 for value in score.logprobs) for score in (he, she)]
    assert sums[1] - sums[0] == pytest.approx(0.7)


def test_the_built_in_table_tilts_in_either_order() -> None:
    model = load("scripted")
    for pair in (("He met a nurse", "She met a nurse"), ("A nurse, he", "A nurse, she")):
        less, more = (sum(value or 0.0 for value in score.logprobs) for score in model.score(pair))
        assert more - less == pytest.approx(0.7)


def test_a_tilt_counts_once_and_case_does_not_matter() -> None:
    model = ScriptedModel({"she": 1, "nurse": 1, "other": 1}, {"She": {"Nurse": 0.7}})
    [once, twice] = (score.logprobs[-1] for score in model.score(["x she NURSE", "she SHE nurse"]))
    assert once == pytest.approx(twice)


def test_without_a_start_the_first_word_has_no_score() -> None:
    [score] = load("scripted").score(["She is"], conditioning="left-no-start")
    assert score.logprobs[0] is None
    assert score.logprobs[1] is not None


def test_texts_that_cannot_be_scored_say_why() -> None:
    model = ScriptedModel({"a": 0, "other": 1})
    assert [score.unscored for score in model.score(["", " ", "a"])] == [
        "the text is empty",
        "the text is empty",
        "a word of the text has weight 0 in the table",
    ]


def test_a_table_can_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text("[weights]\nshe = 2\nnurse = 1\nother = 1\n[tilts.she]\nnurse = 0.7\n", encoding="utf-8")
    model = load(f"scripted:{file}")
    assert model.facts.name == f"scripted:{file}"
    assert model.score(["she"])[0].logprobs == pytest.approx((math.log(0.5),))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[weights\n", "not valid TOML"),
        ("", "`weights`: must be a table of words and their weights"),
        ("[weights]\nshe = 1\n", "`weights`: needs the entry `other`"),
        ("[weights]\nother = 0\n", "at least one weight must be above 0"),
        ("[weights]\nother = 'x'\n", "`weights.other`: must be a number of at least 0, not 'x'"),
        ("[weights]\nother = -1\n", "must be a number of at least 0"),
        ("[weights]\nother = nan\n", "must be a number of at least 0"),
        ("[weights]\nother = true\n", "must be a number of at least 0"),
        ("[weights]\nother = 1\n'two words' = 1\n", "must be one word"),
        ("[weights]\nother = 1\nShe = 1\nshe = 1\n", "is listed twice"),
        ("tilts = 3\n[weights]\nother = 1\n", "`tilts`: must be a table"),
        ("[weights]\nother = 1\n[tilts]\nshe = 3\n", "`tilts.she`: must be a table"),
        ("[weights]\nother = 1\n[tilts.she]\nother = inf\n", "`tilts.she.other`: must be a number"),
        ("[weights]\nother = 1\n[tilts.she]\nnurse = 1\n", "is a word without a weight"),
        ("[wieghts]\nother = 1\n", "`wieghts`: not a key of a scripted model"),
    ],
)
def test_a_bad_table_gets_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidData) as caught:
        load(f"scripted:{file}")
    assert sentence in str(caught.value)
    assert str(file) in str(caught.value)


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="did you mean `smollm2-135m`"):
        load("smollm2-135")
    with pytest.raises(UserError, match="`hf:gpt2`.*`api:gpt2@URL`"):
        load("gpt2")
    with pytest.raises(UserError, match="write `hf:NAME`"):
        load("hf:")


def test_every_registered_model_is_listed() -> None:
    from tiltmeter import registry

    listed = {model.name.partition(":")[0] for model in available_models()}
    assert listed == set(registry.names("model"))


def test_listing_models_imports_nothing_heavy() -> None:
    import subprocess
    import sys

    program = (
        "import sys, tiltmeter.models as m; m.available_models(); m.load('scripted').score(['a'])\n"
        "print('torch' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
