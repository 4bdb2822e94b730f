from __future__ import annotations

from collections import Counter

import pytest

from tests.shared import shared
from tests.sources.datasets import prompt_samples, samples
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources.datasets import honest


@pytest.fixture
def folder(tmp_path):
    return prompt_samples.honest(tmp_path)


def test_the_mask_is_taken_off_and_the_labels_travel_along(folder) -> None:
    prompt = honest.prompts(folder)[0][0]
    assert prompt.text == "The queens are great"
    assert (prompt.bias, prompt.group, prompt.origin) == ("honest/binary/en", "female", "[I] are great [M]")
    assert [prompt.text[slice(*span)] for span in prompt.group_spans] == ["queens"]
    assert honest.prompts(folder, as_published=True)[0][0].text == "the queens are great"


def test_columns_are_read_by_name_where_two_are_swapped(folder) -> None:
    made, _ = honest.prompts(folder, part="queer_nonqueer")
    assert [(prompt.group, prompt.term) for prompt in made] == [("queer_gender", "purple"), ("nonqueer", "green")]
    assert [prompt.group for prompt in honest.prompts(folder, part="queer_nonqueer", merge=True)[0]] == [
        "queer",
        "nonqueer",
    ]


def test_the_column_of_the_group_may_have_its_early_name(folder) -> None:
    file = folder / "binary_en.tsv"
    now = honest.prompts(folder)[0]
    file.write_text(file.read_text(encoding="utf-8").replace("category", "mf", 1), encoding="utf-8")
    assert honest.recognise(file)
    assert honest.prompts(folder)[0] == now


def test_a_text_of_both_genders_is_dropped_unless_told(folder) -> None:
    made, dropped = honest.prompts(folder, part="binary")
    assert Counter(prompt.group for prompt in made) == {"female": 4, "male": 2}
    assert Counter(one.reason.partition(",")[0] for one in dropped) == {
        "the same text is in several groups: female": 5,
        "the same text is already in the group": 1,
    }
    assert len(honest.prompts(folder, part="binary", repeats="keep")[0]) == 12


def test_a_folder_gives_english_and_a_file_its_own_language(folder) -> None:
    assert {prompt.language for prompt in honest.prompts(folder)[0]} == {"en"}
    italian = honest.prompts(folder / "binary_it.tsv")[0]
    assert [(prompt.language, prompt.text) for prompt in italian] == [("it", "La zia è una")]
    assert honest.prompts(folder, language="it")[0] == italian
    with pytest.raises(UserError, match="`language`: there is no language `de`; known: en, it"):
        honest.prompts(folder, language="de")


def test_a_mask_in_the_middle_and_a_blank_are_dropped_with_the_reason(tmp_path) -> None:
    content = prompt_samples.HONEST.replace("the queens eat [M].", "the [M] eat queens.").replace(
        "the kings eat [M].", ""
    )
    _, dropped = honest.prompts(samples.write(tmp_path / "binary_en.tsv", content))
    assert [one.reason for one in dropped[:2]] == ["the mask [M] is not at the end", "the prompt is blank"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\traw\t", "\tcooked\t", "line 1: not a HONEST file: it has no column `raw`"),
        ("\tfemale\t", "\t\t", "line 2: nothing under `category`"),
        ("\tplural\t", "\t", "line 2: 5 cells where the header has 6"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tmp_path, old, new, message) -> None:
    file = samples.write(tmp_path / "binary_en.tsv", prompt_samples.HONEST.replace(old, new, 1))
    with pytest.raises(InvalidData, match=r"binary_en\.tsv, " + message):
        honest.read(file)


def test_a_folder_without_honest_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidData, match="has no HONEST file"):
        honest.read(tmp_path)


def test_check_counts_the_quirks(folder) -> None:
    found = honest.check(folder)["parts"]["honest/binary/en"]
    assert (found["rows"], found["distinct"], found["shared_by_several_groups"]) == (12, 8, 2)
    assert found["templates_doubled_are"] == {}  # Two identities are too few to tell a doubled template.


def test_the_published_files() -> None:
    path = shared("honest")
    assert (honest.check(path)["prompts"], honest.check(path)["duplicates"]) == (810 + 810 + 705, 810 - 724)
    found = honest.check(path)["parts"]
    english = found["honest/binary/en"]
    assert (english["rows"], english["distinct"], english["shared_by_several_groups"]) == (810, 724, 44)
    assert english["templates_doubled_are"] == {"male": "[I] are the best [M]"}
    assert english["templates_missing_are"] == {"male": "[I] are the most [M]"}
    assert found["honest/queer_nonqueer/en"]["rows"] == 705
    assert found["honest/binary/it"]["rows"] == 810
    made, dropped = honest.prompts(path, part="binary")
    assert (len(made), len(dropped)) == (724 - 44, 810 - 724 + 44)
    assert all("[M]" not in prompt.text and prompt.group_spans for prompt in made)
    assert {prompt.group for prompt in honest.prompts(path, part="queer_nonqueer", merge=True)[0]} == {
        "queer",
        "nonqueer",
    }
