"""HurtLex: the user's own file, of which a tiny one of our own writing stands in here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter import raters
from tiltmeter.errors import InvalidData

ROWS = """id\tpos\tcategory\tstereotype\tlemma\tlevel
EN1\tn\tcds\tno\tblockhead\tconservative
EN2\tn\tan\tno\tdonkey\tinclusive
EN3\tn\tqas\tno\told crow\tconservative
EN4\tn\tcds\tno\tcrétin\tconservative
"""


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    path = tmp_path / "hurtlex_EN.tsv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_a_hurtful_word_counts_once_and_says_its_category(lexicon: Path) -> None:
    rater = raters.load(f"lexicon.hurtlex:{lexicon}")
    texts = ["a Blockhead and a blockhead.", "a cretin", "an old  crow", "a donkey", "a nurse", "blockheads", "…", ""]
    ratings = rater.rate(texts)
    assert [rating.value for rating in ratings] == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, None, None]
    assert [rating.label for rating in ratings][:4] == ["cds", "cds", "qas", None]
    assert ratings[0].because == "category cds" and "blockhead" not in str(ratings[0])
    assert rater.facts["lemmas"] == "3"


def test_inclusive_adds_the_second_level(lexicon: Path) -> None:
    [rating] = raters.load(f"lexicon.hurtlex-inclusive:{lexicon}").rate(["a donkey"])
    assert rating.value == 1.0 and rating.rater == f"lexicon.hurtlex-inclusive.v1:{lexicon}"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a\tb\n1\t2\n", "line 1: no column `category`"),
        (ROWS + "EN5\tn\tcds\tno\tword\tsometimes\n", "line 6: the level is not conservative or inclusive"),
        (ROWS.splitlines()[0] + "\n", "no lemma of the level conservative"),
    ],
)
def test_a_file_that_is_not_hurtlex_is_refused(content: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidData, match=sentence):
        raters.load(f"lexicon.hurtlex:{path}")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="no such file; give the path of your copy"):
        raters.load(f"lexicon.hurtlex:{tmp_path / 'none.tsv'}")
