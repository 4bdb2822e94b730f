"""Masking: every mention of the group, and nothing else."""

from __future__ import annotations

from tiltmeter.raters import mask_group


def test_whole_words_are_masked_whatever_their_capitals() -> None:
    assert mask_group("Women met a woman; WOMEN won.", terms=["women"]) == "XYZ met a woman; XYZ won."
    assert mask_group("The Manchester man's mandate.", terms=["man"]) == "The Manchester XYZ's mandate."


def test_the_longer_term_comes_first_and_spaces_may_differ() -> None:
    assert mask_group("The  old man and the man", terms=["the man", "the old man"]) == "XYZ and XYZ"


def test_spans_and_terms_work_together_and_touching_mentions_are_one() -> None:
    text = "The Black man Jamal met Jamal."
    assert mask_group(text, spans=[(0, 13)], terms=["Jamal"]) == "XYZ met XYZ."
    assert mask_group(text, spans=[(0, 13), (4, 13)]) == "XYZ Jamal met Jamal."


def test_a_term_is_text_and_not_a_pattern() -> None:
    assert mask_group("He said C++ (a.b) is fun.", terms=["a.b", "C++"]) == "He said XYZ (XYZ) is fun."
    assert mask_group("axb", terms=["a.b", " ", ""]) == "axb"


def test_a_text_without_a_mention_is_unchanged() -> None:
    assert mask_group("Nobody came.", terms=["women"], spans=[(3, 3)]) == "Nobody came."
