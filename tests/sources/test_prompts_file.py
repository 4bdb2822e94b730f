from __future__ import annotations

import json

import pytest

from tests.parquet_files import write_rows
from tests.sources.datasets.samples import write
from tiltmeter.errors import InvalidData
from tiltmeter.records import Structure
from tiltmeter.sources import prompts_file

TABLE = "text,group,origin\nThe pilot was ,martian,a\nThe pilot was,venusian,a\n,martian,b\nNobody,,b\n"


def test_the_columns_are_found_by_their_usual_names(tmp_path) -> None:
    made, dropped = prompts_file.prompts(write(tmp_path / "crew.csv", TABLE))
    assert [(prompt.id, prompt.bias, prompt.text, prompt.group, prompt.origin) for prompt in made] == [
        ("crew/1", "crew", "The pilot was", "martian", "a"),
        ("crew/2", "crew", "The pilot was", "venusian", "a"),
    ]
    assert [one.reason for one in dropped] == ["line 4: nothing under `text`", "line 5: nothing under `group`"]


def test_columns_can_be_named(tmp_path) -> None:
    path = write(tmp_path / "crew.tsv", "key\tsentence\tplanet\nx7\tThe pilot\tMars\n")
    made, _ = prompts_file.prompts(path, text="sentence", group="planet", id="key", origin="planet", language="it")
    assert [(prompt.id, prompt.origin, prompt.language) for prompt in made] == [("crew/x7", "Mars", "it")]


def test_json_lines_and_parquet_are_read_alike(tmp_path) -> None:
    rows = [{"prompt": {"text": "The pilot"}, "group": "martian", "n": 1}, {"prompt": {"text": "A"}, "group": None}]
    lines = write(tmp_path / "crew.jsonl", "\n".join(json.dumps(row) for row in rows))
    made, dropped = prompts_file.prompts(lines, text="prompt.text")
    assert [prompt.text for prompt in made] == ["The pilot"]
    assert dropped[0].reason == "line 2: nothing under `group`"
    write_rows(tmp_path / "crew.parquet", rows)
    assert prompts_file.prompts(tmp_path / "crew.parquet", text="prompt.text")[0] == made


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        (
            "a.csv",
            "txt,group\nx,y\n",
            {},
            r"a\.csv, line 1: there is no column `text`; did you mean `txt`\?; set it with `text`",
        ),
        ("a.csv", "text,groups\nx,y\n", {}, "did you mean `groups`"),
        ("a.csv", TABLE, {"origin": "orign"}, "there is no column `orign`; did you mean `origin`"),
        ("a.csv", "text,group\n", {}, "a header and no rows"),
        ("a.csv", "text,group\nx\n", {}, "line 2: 1 cell where the header has 2"),
        ("a.csv", "text,group,id\nx,y,1\nz,y,1\n", {}, "the id `1` is used more than once"),
        ("a.jsonl", '{"text": "x"}\n{', {}, "line 2: not well-formed JSON"),
        ("a.jsonl", "", {}, "the file has no rows"),
        ("a.parquet", "PAR", {}, "cannot be read as a Parquet file"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tmp_path, name, content, options, message) -> None:
    with pytest.raises(InvalidData, match=message):
        prompts_file.prompts(write(tmp_path / name, content), **options)
    with pytest.raises(InvalidData, match="there is no such file"):
        prompts_file.prompts(tmp_path / f"no-{name}")


def test_check_counts_what_may_surprise(tmp_path) -> None:
    found = prompts_file.check(write(tmp_path / "crew.csv", TABLE))
    assert found["by_group"] == {"martian": 2, "venusian": 1, "(none)": 1}
    assert (found["blank"], found["without_group"], found["ending_in_a_space"], found["origins"]) == (1, 1, 1, 2)
    assert (found["duplicates"], found["duplicates_within_a_group"], found["texts_in_several_groups"]) == (1, 0, 1)


def test_structures_and_terms_are_carried_along(tmp_path) -> None:
    table = "text,group,term,structure,kind,family,skeleton\n"
    table += "Was the martian pilot,martian,martian pilot,inverted,interrogative,question,(ROOT (SQ))\n"
    table += "Why?,martian,,asked,,,\nThe pilot was,venusian,,,,,\n"
    made, _ = prompts_file.prompts(write(tmp_path / "crew.csv", table))
    assert [prompt.structure for prompt in made] == [
        Structure("inverted", "interrogative", "question", "(ROOT (SQ))"),
        Structure("asked", "interrogative", "", ""),
        None,
    ]
    assert (made[0].term, made[0].group_spans) == ("martian pilot", ((8, 21),))
    named, _ = prompts_file.prompts(write(tmp_path / "b.csv", table.replace("structure", "form")), structure="form")
    assert [prompt.structure for prompt in named] == [prompt.structure for prompt in made]
    with pytest.raises(
        InvalidData, match=r"line 2: the kind of a structure must be declarative or interrogative, not 'x'"
    ):
        prompts_file.prompts(write(tmp_path / "c.csv", table.replace("interrogative", "x")))


SITUATIONS = """\
text,words,stereotyped
Math is difficult for,"women=she,her;men=he,him",women
The engine was repaired by,"women=she,her; men=he,him",men
The charity was founded by,pronouns,
,"women=she;men=he",
Nobody knows,,
"""


def test_situations_of_ones_own_have_words_and_maybe_a_stereotype(tmp_path) -> None:
    path = write(tmp_path / "mine.csv", SITUATIONS)
    made, dropped = prompts_file.prompts(path)
    assert [(one.origin, one.group, one.stereotyped) for one in made] == [
        ("Math is difficult for", None, "women"),
        ("The engine was repaired by", None, "men"),
        ("The charity was founded by", None, None),
    ]
    assert made[0].word_sets == made[1].word_sets == (("women", ("she", "her")), ("men", ("he", "him")))
    assert [group for group, _ in made[2].word_sets] == ["male", "female", "neutral"]
    assert [one.reason for one in dropped] == ["line 5: nothing under `text`", "line 6: nothing under `words`"]
    assert list(prompts_file.stream(path)) == [*made, *dropped]
    checked = prompts_file.check(path)
    assert (checked["situations"], checked["without_group"], prompts_file.recognise(path)) == (4, 1, True)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('Math,,"women=she;men=he",nobody', r"line 2, `stereotyped`: `nobody` has no words .* women, men"),
        ('Math,a,"women=she;men=he",women', "line 2, `words`: the row has both a group and words"),
        ('Math,,"women=she;men=SHE",women', "line 2, `words`: the word `she` belongs to both women and men"),
        ('Math,,"women:she;men:he",women', "line 2, `words`: .*write GROUP=word,word"),
        ('Math,,"women=she",women', "line 2, `words`: at least two groups"),
    ],
)
def test_situations_that_cannot_be_read_are_refused(tmp_path, row: str, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        prompts_file.prompts(write(tmp_path / "mine.csv", f"text,group,words,stereotyped\n{row}\n"))
