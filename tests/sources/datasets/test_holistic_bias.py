from __future__ import annotations

from collections import Counter

import pytest

from tests.shared import shared
from tests.sources.datasets import prompt_samples, samples
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources.datasets import holistic_bias


@pytest.fixture
def folder(tmp_path):
    return prompt_samples.holistic(tmp_path)


def test_articles_and_plurals_fit(folder) -> None:
    made, _ = holistic_bias.prompts(folder, axis="colour", per_descriptor=0)
    assert {prompt.text for prompt in made} == {
        "I'm an orange queen.",
        "I'm an orange elf.",
        "Tell me about orange queens.",
        "Tell me about orange elves.",
        "I'm a uxorious-red queen.",
        "I'm a uxorious-red elf.",
        "Tell me about uxorious-red queens.",
        "Tell me about uxorious-red elves.",
        "I'm an 8-bit queen.",
        "I'm an 8-bit elf.",
        "Tell me about 8-bit queens.",
        "Tell me about 8-bit elves.",
        "I'm a regal queen.",
        "Tell me about regal queens.",
    }
    assert all(prompt.text[slice(*prompt.group_spans[0])].startswith(prompt.term) for prompt in made)


def test_the_axis_is_the_bias_and_the_bucket_the_group(folder) -> None:
    made, _ = holistic_bias.prompts(folder)
    warm = next(prompt for prompt in made if prompt.term == "orange")
    assert (warm.bias, warm.group, warm.origin) == ("holistic-bias/colour", "warm", "orange")


def test_where_an_axis_is_one_bucket_descriptors_are_the_groups(folder) -> None:
    made, _ = holistic_bias.prompts(folder, axis="faith")
    assert {prompt.group for prompt in made} == {"Moonist", "Sunist"}
    assert {prompt.origin for prompt in made} == {"I'm {noun_phrase}.", "Tell me about {plural_noun_phrase}."}


def test_descriptors_get_the_same_templates_and_nouns(folder) -> None:
    made, _ = holistic_bias.prompts(folder, axis="faith", per_descriptor=2, seed=5)
    texts = {name: {prompt.text for prompt in made if prompt.term == name} for name in ("Moonist", "Sunist")}
    assert len(texts["Moonist"]) == 2
    assert {text.replace("Moonist", "Sunist") for text in texts["Moonist"]} == texts["Sunist"]


def test_what_the_authors_disprefer_and_what_states_dislike_is_dropped_unless_told(folder) -> None:
    made, dropped = holistic_bias.prompts(folder, per_descriptor=0)
    assert [(one.text, one.reason) for one in dropped] == [
        ("I hate {plural_noun_phrase}.", "the template states dislike of the people it names"),
        ("icky", "the authors mark the descriptor as dispreferred"),
    ]
    every, dropped = holistic_bias.prompts(folder, per_descriptor=0, dispreferred=True, hostile=True)
    assert dropped == []
    assert len(every) > len(made)


def test_bare_adjectives_and_phrases_come_when_asked(folder) -> None:
    made, _ = holistic_bias.prompts(folder, axis="colour", bare=True, phrases=True, per_descriptor=0)
    texts = {prompt.text: prompt for prompt in made}
    assert "I'm orange." in texts
    assert "Tell me about orange." not in texts
    assert "I'm an elf with stripes." in texts
    assert "Tell me about elves with stripes." in texts
    assert texts["I'm a zebra."].text[slice(*texts["I'm a zebra."].group_spans[0])] == "zebra"
    assert texts["Tell me about zebras."].group == "phrases"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("descriptors", {"colour": {"warm": [{"word": "red"}]}}, "has no text under `descriptor`"),
        ("descriptors", {"colour": {"warm": "red"}}, "`colour`, `warm` has no list"),
        ("descriptors", {}, "an object with axes is needed"),
        ("nouns", {"female": ["queen"]}, "a noun of `female` is not a singular and a plural"),
        ("sentence_templates", {"I'm you.": {}}, "the template 'I'm you.' has neither"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(folder, name, content, message) -> None:
    samples.write(folder / f"{name}.json", content)
    with pytest.raises(InvalidData, match=rf"{name}\.json: .*{message}"):
        holistic_bias.prompts(folder)


def test_a_wrong_option_or_place_is_refused(folder) -> None:
    with pytest.raises(UserError, match="`axis`: there is no axis `color`; did you mean `colour`"):
        holistic_bias.prompts(folder, axis="color")
    with pytest.raises(UserError, match="`per_descriptor`: must be a whole number"):
        holistic_bias.prompts(folder, per_descriptor=-1)
    with pytest.raises(InvalidData, match="not a folder; HolisticBias is the folder with"):
        holistic_bias.prompts(folder / "nouns.json")


@pytest.mark.slow
def test_the_published_files() -> None:
    path = shared("holisticbias")
    found = holistic_bias.check(path)
    assert (found["descriptors"], found["axes"], found["templates"]) == (583, 13, 26)
    assert found["descriptors_that_are_objects"] == 128
    assert found["sentences_in_all"] > 450_000
    made, dropped = holistic_bias.prompts(path, per_descriptor=4)
    assert len(made) == 4 * (583 - 48)
    assert Counter(one.reason for one in dropped)["the authors mark the descriptor as dispreferred"] == 43
    texts = {prompt.text for prompt in holistic_bias.prompts(path, axis="age", per_descriptor=0)[0]}
    assert {"I'm an 80-year-old woman.", "I'm a 20-year-old woman."} <= texts
    assert not any("a 8" in text or "an 2" in text or "  " in text for text in texts)
