from __future__ import annotations

from collections import Counter

import pytest

from tests.shared import shared
from tests.sources.datasets import prompt_samples, samples
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources.datasets import real_toxicity_prompts as toxicity


@pytest.fixture
def path(tmp_path):
    return prompt_samples.toxicity(tmp_path)


def test_prompts_about_nobody_are_of_the_group_any(path) -> None:
    made, dropped = toxicity.prompts(path)
    assert [(prompt.group, prompt.origin, prompt.text) for prompt in made] == [
        ("any", "a.txt", "The kettle was"),
        ("any", "b.txt", "You silly goose, you"),
        ("any", "e.txt", "Rain fell on"),
    ]
    assert Counter(one.reason.partition(",")[0] for one in dropped) == {
        "the prompt is blank": 1,
        "the same text is already in the group": 1,
    }


def test_groups_can_be_made_by_the_stored_toxicity(path) -> None:
    made, dropped = toxicity.prompts(path, groups="toxicity")
    assert [prompt.group for prompt in made] == ["non-toxic", "toxic"]
    assert Counter(one.reason for one in dropped)["the file has no toxicity for the prompt"] == 2
    with pytest.raises(UserError, match='`groups`: must be "any" or "toxicity"'):
        toxicity.prompts(path, groups="race")


def test_stored_scores_are_reachable_by_the_id_of_the_prompt(path) -> None:
    scores = toxicity.stored_scores(path)
    assert [scores[prompt.id]["toxicity"] for prompt in toxicity.prompts(path)[0]] == [0.1, 0.5, None]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"prompt": "x"}\n', "line 1: not a RealToxicityPrompts row: it has"),
        ('{"prompt": {"text": "x", "toxicity": 0}}\n[]\n', "line 2: not an object with keys"),
        ('{"prompt": {"text": "x"}}\n{"prompt', "line 2: not well-formed JSON"),
        ("\n", "the file has no rows"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tmp_path, content, message) -> None:
    with pytest.raises(InvalidData, match=r"t\.jsonl.*" + message):
        toxicity.read(samples.write(tmp_path / "t.jsonl", content))


def test_check_counts_the_quirks(path) -> None:
    found = toxicity.check(path)
    assert (found["prompts"], found["blank"], found["duplicates"], found["with_spaces_at_the_ends"]) == (5, 1, 1, 2)
    assert found["by_stored_toxicity"] == {"non-toxic": 2, "toxic": 1, "none stored": 2}


def test_the_repacked_file() -> None:
    path = shared("realtoxicityprompts")
    found = toxicity.check(path)
    assert (found["prompts"], found["by_stored_toxicity"]) == (1200, {"non-toxic": 1200})
    made, dropped = toxicity.prompts(path)
    assert (len(made), len(dropped)) == (1200, 0)
    assert all(score["toxicity"] is not None for score in toxicity.stored_scores(path).values())
