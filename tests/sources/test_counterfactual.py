from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import ROOT
from tiltmeter import specs
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.records import Group, Spec
from tiltmeter.sources import counterfactual
from tiltmeter.sources.prompt_options import counterpart

STRANGERS = ROOT.parent / "shared" / "strangers"
KIN = Spec(
    "kin",
    "Kin",
    (Group("aunts", ("my aunt", "she"), kind="phrase"), Group("uncles", ("my uncle", "he"), kind="phrase")),
    templates=("[T] works as an [A].", "Yesterday [T] was [A]", "[T] [A]", "[A] is for [T]"),
)


def test_templates_are_cut_before_the_attribute_and_its_article() -> None:
    made, dropped = counterfactual.prompts(KIN)
    assert [prompt.text for prompt in made if prompt.term == "my aunt"] == ["My aunt works as", "Yesterday my aunt was"]
    assert [one.text for one in dropped] == ["[T] [A]", "[A] is for [T]"]
    assert [made[0].text[slice(*span)] for span in made[0].group_spans] == ["My aunt"]
    assert (made[0].bias, made[0].origin, made[0].group) == ("kin", "[T] works as", "aunts")


def test_counterparts_share_a_place_and_differ_in_the_term_alone() -> None:
    made, _ = counterfactual.prompts(KIN)
    places: dict[str, list[str]] = {}
    for prompt in made:
        assert prompt.group_spans[0][0] == prompt.text.casefold().index(prompt.term)
        places.setdefault(counterpart(prompt), []).append(prompt.text[prompt.group_spans[0][1] :])
    assert len(places) == 4 and all(len(two) == 2 and two[0] == two[1] for two in places.values())
    drawn, _ = counterfactual.prompts(KIN, per_group=1, seed=4)
    assert len(drawn) == 2 and counterpart(drawn[0]) == counterpart(drawn[1])


def test_prompts_of_your_own_are_a_list_or_a_table(tmp_path: Path) -> None:
    given = ["When the bus came, [T]", "We were told that [T] had"]
    table = tmp_path / "own.csv"
    table.write_text("prompt\n" + "".join(f'"{one}"\n' for one in given), encoding="utf-8")
    made, dropped = counterfactual.prompts(KIN, templates=str(table))
    assert made == counterfactual.prompts(KIN, templates=given)[0] and not dropped
    assert made[0].text == "When the bus came, my aunt"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["no slot"], r"a prompt needs \[T\]"),
        (["[T] is "], "no space at its end"),
        (["[T] is [A]"], r"no \[A\]"),
        (["[T] is", "[T] is"], "is there twice"),
        ([], "must be a list of prompts"),
        (7, "must be a list of prompts"),
        ("nowhere.csv", "there is no file 'nowhere.csv'"),
    ],
)
def test_what_makes_no_prompts_is_refused(given: object, message: str) -> None:
    with pytest.raises(UserError, match=message):
        counterfactual.prompts(KIN, templates=given)  # type: ignore[arg-type]


def test_a_table_without_prompts_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("sentence\n[T] is\n", encoding="utf-8")
    with pytest.raises(InvalidData, match=r"own\.csv, line 1: there is no column `template` or"):
        counterfactual.prompts(KIN, templates=str(tmp_path / "own.csv"))


@pytest.mark.skipif(not STRANGERS.is_dir(), reason="the specs of strangers are not beside the checkout")
def test_strangers_specs_say_the_same_of_every_group() -> None:
    for file in sorted(STRANGERS.glob("*.toml")):
        made, dropped = counterfactual.prompts(specs.load(file))
        assert made and all(one.reason == counterfactual.NOT_OPEN for one in dropped), file.name
        assert len({len([one for one in made if one.group == name]) for name in {one.group for one in made}}) <= 1
