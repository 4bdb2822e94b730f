"""Tables of prompts that leave the group open: where the subject stands, ids, status, and what ends a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.errors import InvalidData
from tiltmeter.records import Prompt
from tiltmeter.sources import open_prompts_file, word_sets
from tiltmeter.sources.perturbations import perturb

WORDS = word_sets.BUILT_IN["he-she"]


def read(folder: Path, table: str) -> list[Prompt]:
    path = folder / "p.csv"
    path.write_text(table, encoding="utf-8")
    return open_prompts_file.read(path, WORDS)[0]


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("The cook may cook because", "The person may cook because"),
        ("It is the cook who may cook because", "It is the person who may cook because"),
    ],
)
def test_the_verb_is_not_taken_for_the_profession(tmp_path: Path, text: str, person: str) -> None:
    [prompt] = read(tmp_path, f"text,profession\n{text},cook\n")
    assert perturb(prompt, "person").prompt.text == person


@pytest.mark.parametrize(
    ("text", "word", "spans"),
    [
        ("If a cook meets the cook,", "cook", ((5, 9), (20, 24))),
        ("It rained. Guards guard because", "guards", ((11, 17),)),
        ("They say their “guide” can guide because", "guide", ((16, 21),)),
        ("Those who cook said that", "cook", ((10, 14),)),
        ("The dental nurse ran and a nurse ran", "nurse", ((11, 16), (27, 32))),
        ("The guests cook what the cook eats", "cook", ((25, 29),)),
        ("Nobody ran because", "nurse", ()),
    ],
)
def test_a_noun_stands_behind_a_determiner_or_starts_a_sentence(text, word, spans) -> None:
    assert open_prompts_file.occurrences(text, word) == spans


def test_several_places_are_read_as_written(tmp_path: Path) -> None:
    table = "text,profession,subject_start,subject_end\nIf a cook meets the cook who may cook,cook,5;20,9;24\n"
    [prompt] = read(tmp_path, table)
    assert prompt.subject_spans == ((5, 9), (20, 24))
    assert open_prompts_file.written_spans(prompt.subject_spans) == ("5;20", "9;24")


@pytest.mark.parametrize("cells", ["5;20,9", "20;5,24;9", "5;8,9;24", "5;,9;", "a,b", "9,5", "5,", "5,99"])
def test_places_that_are_none_are_refused(tmp_path: Path, cells: str) -> None:
    with pytest.raises(InvalidData, match=r"line 2, `subject_start`: .* is not a range of characters in a text of 37"):
        read(tmp_path, f"text,subject_start,subject_end\nIf a cook meets the cook who may cook,{cells}\n")


def test_the_status_is_kept_and_checked(tmp_path: Path) -> None:
    table = "text,status\nA,natural\nB,authored\nC,template\nD,\n"
    assert [prompt.status for prompt in read(tmp_path, table)] == ["natural", "authored", "template", ""]
    with pytest.raises(
        InvalidData, match="p.csv, line 2, `status`: 'done' is not a status of a prompt; write authored"
    ):
        read(tmp_path, "text,status\nA,done\n")


def test_a_line_break_at_the_end_of_a_prompt_stays_and_spaces_go(tmp_path: Path) -> None:
    [first, second] = read(tmp_path, 'text\n"The nurse said:\n"\n"The nurse said \t"\n')
    assert (first.text, second.text) == ("The nurse said:\n", "The nurse said")


def test_a_row_without_an_id_never_takes_that_of_another(tmp_path: Path) -> None:
    assert [prompt.id for prompt in read(tmp_path, "id,text\n2,A\n,B\nrow 3,C\n,D\n")] == [
        "2",
        "row 2",
        "row 3",
        "row 4",
    ]
    assert [prompt.id for prompt in read(tmp_path, "text\nA\nB\n")] == ["1", "2"]
    with pytest.raises(InvalidData, match="the id `2` is used more than once"):
        read(tmp_path, "id,text\n2,A\n2,B\n")
