from __future__ import annotations

from collections import Counter

import pytest

from tests.shared import shared
from tests.sources.datasets import prompt_samples, samples
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources.datasets import bold


@pytest.fixture
def folder(tmp_path):
    return prompt_samples.bold(tmp_path)


def test_the_space_at_the_end_is_taken_off_and_the_labels_travel_along(folder) -> None:
    prompt = bold.prompts(folder, domain="gender")[0][0]
    assert prompt.text == "Zork Blip is a Martian actor who"
    assert (prompt.bias, prompt.group, prompt.origin) == ("bold/gender", "Martian_actors", "Zork_Blip")
    assert [prompt.text[slice(*span)] for span in prompt.group_spans] == ["Zork Blip"]


def test_what_cannot_be_used_is_dropped_with_the_reason(folder) -> None:
    made, dropped = bold.prompts(folder)
    assert [one.reason for one in dropped] == [
        "the prompt has a line break: a heading, a list or a bibliography",
        "the prompt is blank",
        "the same text is already in the group",
    ]
    assert len(made) + len(dropped) == 10
    assert Counter(prompt.text for prompt in made)["Moonism is a faith that"] == 2


@pytest.mark.parametrize(("repeats", "left"), [("keep", 9), ("once-per-group", 8), ("unshared", 6)])
def test_repeats_are_kept_or_dropped_as_told(folder, repeats, left) -> None:
    assert len(bold.prompts(folder, repeats=repeats, line_breaks="keep")[0]) == left


def test_a_draw_depends_on_the_seed_and_on_nothing_else(folder) -> None:
    few = bold.prompts(folder, per_group=1, seed=3)[0]
    assert Counter(prompt.group for prompt in few) == dict.fromkeys({prompt.group for prompt in few}, 1)
    alone = bold.prompts(folder, domain="religion", per_group=1, seed=3)[0]
    assert alone == [prompt for prompt in few if prompt.bias == "bold/religion"]


def test_a_domain_can_be_named_in_place_of_a_path_once_it_is_fetched(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidData, match="gender: no such file or folder; .* tiltmeter data get bold"):
        bold.prompts("gender")
    home = tmp_path / "data" / "bold"
    home.mkdir(parents=True)
    prompt_samples.bold(home)
    assert {prompt.bias for prompt in bold.prompts("gender")[0]} == {"bold/gender"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"domain": "gendre"}, "`domain`: there is no domain `gendre`; did you mean `gender`"),
        ({"domain": 3}, "`domain`: must be a name or a list of names"),
        ({"repeats": "drop"}, '`repeats`: must be "keep" or'),
        ({"line_breaks": True}, '`line_breaks`: must be "drop" or "keep", not True'),
        ({"per_group": 0}, "`per_group`: must be a whole number from 1 up"),
    ],
)
def test_a_wrong_option_is_refused(folder, options, message) -> None:
    with pytest.raises(UserError, match=message):
        bold.prompts(folder, **options)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gender_prompt.json", [1], "an object with categories is needed"),
        ("gender_prompt.json", {"a": []}, "an object with articles under `a` is needed"),
        ("gender_prompt.json", {"a": {"b": [1]}}, "`b` under `a` has no list of prompts"),
        ("gender_prompt.json", '{"a": ', "not well-formed JSON"),
        ("profession_wiki.json", {"a": {"b": ["x"]}}, "these are the full sentences"),
        ("mine.json", {"a": {"b": ["x"]}}, "the file name gives no domain of BOLD"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tmp_path, name, content, message) -> None:
    with pytest.raises(InvalidData, match=f"{name}.*{message}"):
        bold.read(samples.write(tmp_path / name, content))


def test_a_folder_without_bold_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidData, match="has no BOLD file"):
        bold.read(tmp_path)


def test_check_counts_the_quirks(folder) -> None:
    samples.write(folder / "profession_wiki.json", {"a": {"b": ["A whole sentence."]}})
    found = bold.check(folder)
    assert (found["prompts"], found["blank"], found["ending_in_a_space"], found["with_line_breaks"]) == (10, 1, 9, 1)
    assert (found["duplicates"], found["duplicates_within_a_group"], found["texts_in_several_groups"]) == (2, 1, 1)
    assert (found["full_sentences"], found["full_sentences_with_a_prompt"]) == (1, 0)


@pytest.mark.slow
def test_the_published_files() -> None:
    path = shared("bold")
    found = bold.check(path)
    assert found["prompts"] == 23_679
    assert found["by_domain"] == {"gender": 3204, "race": 7657, "profession": 10195, "religion": 639, "politics": 1984}
    assert found["by_group"]["gender"] == {"American_actors": 2048, "American_actresses": 1156}
    assert found["by_group"]["religion"]["hinduism"] == 12
    assert found["blank"] == 5
    assert (found["blank_by_domain"]["politics"], found["blank_by_domain"]["religion"]) == (3, 2)
    assert found["ending_in_a_space"] == 23_679 - 5
    assert found["duplicates"] == 932
    assert found["with_line_breaks"] == 734
    assert (found["full_sentences"], found["full_sentences_that_do_not_start_with_their_prompt"]) == (10_195, 0)
    made, dropped = bold.prompts(path)
    assert len(made) + len(dropped) == 23_679
    assert Counter(one.reason.partition(",")[0].partition(":")[0] for one in dropped) == {
        "the prompt has a line break": 734,
        "the same text is already in the group": 190,
        "the prompt is blank": 5,
    }
    assert all(prompt.text == prompt.text.strip() for prompt in made)
    assert len({prompt.id for prompt in made}) == len(made)
