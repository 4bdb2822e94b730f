from __future__ import annotations

import json

import pytest

from tiltmeter import specs
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources import natural, profession_templates
from tiltmeter.sources.profession_templates import TEMPLATES, prompts
from tiltmeter.stats.views.lengths import lengths


def test_the_seventeen_templates_of_the_paper_as_the_library_has_them() -> None:
    library = specs.load("professions-pronouns")
    assert len(TEMPLATES) == 17
    assert [f"{template} [T]" for template in TEMPLATES] == list(library.templates)


def test_every_profession_stands_in_every_template_and_is_found_there() -> None:
    made, dropped = prompts(professions=["usher", "data scientist"])
    assert (len(made), dropped) == (34, [])
    for prompt in made:
        (span,) = prompt.subject_spans
        assert prompt.text[slice(*span)] == prompt.origin == prompt.attribute
        assert prompt.text == (prompt.template or "").replace("[A]", prompt.origin)
        assert (prompt.group, prompt.status, prompt.bias) == (None, "template", "professions")


def test_the_professions_are_ours_unless_told() -> None:
    made, _ = prompts()
    assert {prompt.origin for prompt in made} == {*natural.professions()}
    assert len(prompts(limit=5, seed=3)[0]) == 5 * 17
    assert len(prompts(per_group=7, seed=3)[0]) == 7


def test_an_article_before_the_profession_is_put_right() -> None:
    made, _ = prompts(professions=["usher", "taper"], templates=["An [A] said that"])
    assert [prompt.text for prompt in made] == ["An usher said that", "A taper said that"]


def test_templates_are_as_long_as_the_paper_says_once_its_figures_are_put_right() -> None:
    found = lengths([prompt.text for prompt in prompts(professions=["cook"])[0]])
    # Table 2 prints 4.24 ± 3.12 with the two SDs in each other's place: methods.md, section 4. Ours is of a sample.
    assert (round(found.words, 2), round(found.words_sd, 2)) == (4.24, 0.44)


def test_a_file_of_professions_is_read(tmp_path) -> None:
    text, listed = tmp_path / "mine.txt", tmp_path / "mine.json"
    text.write_text("# mine\ncook\n\n  data   scientist\ncook\n", encoding="utf-8")
    listed.write_text(json.dumps([["fire_chief", 0.1, 0.9], "cook"]), encoding="utf-8")
    assert {prompt.origin for prompt in prompts(professions=str(text))[0]} == {"cook", "data scientist"}
    assert profession_templates.read_professions(listed) == ["fire chief", "cook"]
    text.write_text("\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="it has no professions; write one per line"):
        profession_templates.read_professions(text)


@pytest.mark.parametrize("templates", ["The [A] said", [], ["nobody said"], ["The [A] said "], [3], ["[A] and [A]"]])
def test_wrong_templates_are_refused(templates) -> None:
    with pytest.raises(UserError, match="`templates`: "):
        prompts(templates=templates)


@pytest.mark.parametrize("professions", [[], [3], 5, [" "]])
def test_wrong_professions_are_refused(professions) -> None:
    with pytest.raises(UserError, match="`professions`: must be a file or a list of professions"):
        prompts(professions=professions)
