"""The layouts of pair files, and what happens to rows that hold no pair."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import shared
from tiltmeter.errors import InvalidData
from tiltmeter.sources.pairs_file import pairs, read


def write(folder: Path, text: str) -> Path:
    path = folder / "pairs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_templates_are_filled_to_the_letter(tmp_path: Path) -> None:
    path = write(tmp_path, "template,term_1,term_2\n[T] met a [T].,he,she\nA [MASK] ran.,man,actor\n")
    [first, second] = pairs(path)[0]
    assert first.texts == ("he met a he.", "she met a she.")
    assert first.group_spans == (((0, 2), (9, 11)), ((0, 3), (10, 13)))
    assert second.texts == ("A man ran.", "A actor ran.")


def test_sentences_are_taken_as_they_are_and_compared_word_by_word(tmp_path: Path) -> None:
    path = write(tmp_path, 'sentence_1,sentence_2\n"He lost his hat, he said.","She lost her hat, she said."\n')
    [pair] = pairs(path)[0]
    assert [pair.texts[0][slice(*span)] for span in pair.group_spans[0]] == ["He", "his", "he"]
    assert [pair.texts[1][slice(*span)] for span in pair.group_spans[1]] == ["She", "her", "she"]
    assert pair.stereotyped is None


def test_the_published_columns_mean_what_the_paper_meant(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "group,group_term,template,att_term_1,att_term_2,label_1,label_2\n"
        "math-arts,algebra,the [MASK] likes algebra,man,woman,stereotype,anti-stereotype\n"
        "math-arts,poetry,the [MASK] likes poetry,man,woman,anti-stereotype,stereotype\n",
    )
    first, second = pairs(path)[0]
    assert (first.bias, first.attribute, first.origin, first.terms) == (
        "math-arts",
        "algebra",
        "algebra",
        ("man", "woman"),
    )
    assert (first.stereotyped, second.stereotyped) == (0, 1)
    assert first.neutral_texts == ("the man likes something", "the woman likes something")


def test_finished_sentences_win_over_templates_with_other_slots(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "group,group_term,template,sent_att_1,sent_att_2,att_term_1,att_term_2,label_1,label_2\n"
        "g,math,[T] likes [R] math,He likes his math,She likes her math,he,she,stereotype,anti-stereotype\n"
        "g,math,[T] likes [R] math,,,he,she,stereotype,anti-stereotype\n",
    )
    table = read(path)
    assert table.rows[0].pair is not None
    assert table.rows[0].pair.texts == ("He likes his math", "She likes her math")
    assert table.rows[1].reason == "the row has no text for [R] in the template"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("he ran,he,she", "the template has no [T] or [MASK]"),
        ("[T] ran,,she", "a group term is empty"),
        ("[T] ran,he,he", "the two sentences are the same"),
        ("[T] and [X] ran,he,she", "the row has no text for [X] in the template"),
    ],
)
def test_a_row_without_a_pair_is_kept_with_its_reason(tmp_path: Path, row: str, reason: str) -> None:
    table = read(write(tmp_path, f"template,term_1,term_2\n{row}\n"))
    assert (table.rows[0].pair, table.rows[0].reason) == (None, reason)
    assert pairs(tmp_path / "pairs.csv")[1][0].reason == reason


def test_a_hyphenated_attribute_is_found_when_written_with_a_space(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "bias,attribute,sentence_1,sentence_2\n"
        "g,logging-worker,He is a logging worker.,She is a logging worker.\n"
        "g,he,He ran.,She ran.\n",
    )
    first, second = pairs(path)[0]
    assert first.neutral_texts == ("He is a something.", "She is a something.")
    assert second.neutral_texts is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n1,2\n", "no pairs in the columns `a`, `b`: the file needs `sentence_1`"),
        ("template,term_1,term_2\n[T] ran,he\n", "line 2: 2 cells where the header has 3; was the file cut off"),
        ('template,term_1,term_2\n"[T] ran,he,she\n', "line 2: not a well-formed table"),
        ("template,template,term_2\n", "the column `template` is listed twice"),
    ],
)
def test_a_file_that_is_not_a_pair_file_is_refused_in_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidData, match=message):
        read(write(tmp_path, text))


def test_binary_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_bytes(b"PK\x03\x04\x00a")
    with pytest.raises(InvalidData, match="not a table of text"):
        read(tmp_path / "pairs.csv")
    with pytest.raises(InvalidData, match="there is no such file"):
        read(tmp_path / "nothing.csv")


def test_the_published_pairs_are_all_read() -> None:
    table = read(shared("biastestgpt/pairs_1.csv"))
    assert len(table.rows) == 802
    assert not [row for row in table.rows if row.reason]
    first = table.rows[0].pair
    assert first is not None
    assert (first.attribute, first.terms, first.stereotyped) == ("math", ("male", "female"), 0)


def test_a_written_sentence_gets_its_counterpart_with_what_agrees(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "sentence,term_1,term_2,attribute\n"
        '"A man loves his algebra, he said.",man,aunt,algebra\n'
        "Her brother likes algebra.,sister,brother,algebra\n",
    )
    table = read(path)
    pair = table.rows[0].pair
    assert pair is not None
    assert pair.texts == ("A man loves his algebra, he said.", "An aunt loves her algebra, she said.")
    assert [pair.texts[1][slice(*span)] for span in pair.group_spans[1]] == ["An", "aunt", "her", "she"]
    assert table.rows[1].reason == "`sister` does not occur as a word of its own"


def test_a_neutral_word_agrees_with_its_place(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "attribute,sentence_1,sentence_2\nengineer,He is an engineer.,She is an engineer.\n"
        "Nurse,A nurse met him.,A nurse met her.\nMath,Math bores him.,Math bores her.\n",
    )
    first, second, third = pairs(path)[0]
    assert first.neutral_texts == ("He is a something.", "She is a something.")
    assert second.neutral_texts == ("A something met him.", "A something met her.")
    assert third.neutral_texts == ("Something bores him.", "Something bores her.")
