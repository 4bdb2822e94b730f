"""Files of natural prompts as published, and templates with {}."""

from __future__ import annotations

import json

import pytest

from tiltmeter.errors import UserError
from tiltmeter.sources import natural, profession_templates
from tiltmeter.sources.natural.published import NO_PLACE
from tiltmeter.stats.views.lengths import lengths_as_published


def written(tmp_path, content) -> str:
    path = tmp_path / "prompts.json"
    path.write_text(json.dumps(content, indent=1))
    return str(path)


def test_a_published_file_is_read_as_it_is(tmp_path) -> None:
    path = written(
        tmp_path, {"archer": "A {} is a person who shoots where", "tool maker": "In a {}, {} where ", "x": "y"}
    )
    made, dropped = natural.prompts(path)
    assert [prompt.text for prompt in made] == [
        "A archer is a person who shoots where",
        "In a tool maker, tool maker where",
    ]
    assert [[prompt.text[slice(*span)] for span in prompt.subject_spans] for prompt in made] == [
        ["archer"],
        ["tool maker", "tool maker"],
    ]
    assert [(prompt.origin, prompt.status) for prompt in made] == [("archer", "natural"), ("tool maker", "natural")]
    assert [(one.origin, one.reason) for one in dropped] == [("x", NO_PLACE)]
    assert len(natural.prompts(path, limit=1)[0]) == 1


def test_templates_may_have_braces_and_come_from_a_file(tmp_path) -> None:
    (tmp_path / "t.txt").write_text("# ours\nThe {} sang that\n\nAn [A] left because\n")
    made, _ = profession_templates.prompts(professions=["cook"], templates=str(tmp_path / "t.txt"))
    assert [prompt.text for prompt in made] == ["The cook sang that", "A cook left because"]
    with pytest.raises(UserError):
        profession_templates.prompts(professions=["cook"], templates=["The {} met the {} and"])


def test_lengths_of_the_templates_are_those_of_table_2() -> None:
    made, _ = profession_templates.prompts(professions=["cook", "tool and die maker", "tree surgeon"])
    found = lengths_as_published([(prompt.text, prompt.origin) for prompt in made])
    assert [round(value or 0, 2) for value in (found.words, found.words_sd, found.letters, found.letters_sd)] == [
        4.24,
        0.42,
        4.07,
        1.95,
    ]
