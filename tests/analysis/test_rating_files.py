from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tiltmeter.analysis.rating_files import Masking, rate_file
from tiltmeter.errors import InvalidData
from tiltmeter.records import Rating


class Length:
    """Rates a text by its length; says what it saw."""

    name = "length.v1"
    wants_mask = False

    def __init__(self) -> None:
        self.seen: list[str] = []

    @property
    def facts(self) -> Mapping[str, str]:
        return {"made": "here"}

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        self.seen += texts
        return [Rating(self.name, float(len(text))) if text else Rating(self.name, None, "empty") for text in texts]


class Masked(Length):
    name = "masked.v1:argument"
    wants_mask = True

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        return [Rating(self.name, rating.value, rating.unrated, label="x") for rating in super().rate(texts)]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text(
        'n,group,text\n1,women,"A woman, a man"\n2,men,A man met a woman\n3,men,\n4,men,A man met a woman\n'
    )
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_columns_are_added_and_equal_texts_are_rated_once(texts: Path, tmp_path: Path) -> None:
    rater = Length()
    [found] = rate_file(texts, tmp_path / "out.csv", [rater])
    made = rows(tmp_path / "out.csv")
    assert list(made[0]) == ["n", "group", "text", "length.v1", "length.v1.unrated"]
    assert [row["length.v1"] for row in made] == ["14.0", "17.0", "", "17.0"]
    assert [row["length.v1.unrated"] for row in made] == ["", "", "empty", ""]
    assert len(rater.seen) == 3
    assert (found.as_json()["rated"], found.as_json()["unrated"]) == (3, {"empty": 1})


def test_only_the_terms_of_the_texts_own_group_are_masked(texts: Path, tmp_path: Path) -> None:
    rater = Masked()
    masking = Masking(by_group={"women": ("a woman",), "men": ("a man",)}, group="group")
    [found] = rate_file(texts, tmp_path / "out.csv", [rater], masking=masking)
    assert rater.seen == ["XYZ, a man", "XYZ met a woman", ""]
    assert found.unmasked == 1
    assert list(rows(tmp_path / "out.csv")[0])[3:] == ["masked.v1", "masked.v1.unrated", "masked.v1.label"]
    with pytest.raises(InvalidData, match="line 3, `group`: there is no group `men`; did you mean `women`"):
        rate_file(
            texts,
            tmp_path / "out.csv",
            [rater],
            masking=Masking(by_group={"women": ("x",), "man": ("x",)}, group="group"),
        )


def test_without_groups_all_terms_are_masked_and_a_column_can_hold_them(texts: Path, tmp_path: Path) -> None:
    rater = Masked()
    rate_file(texts, tmp_path / "out.csv", [rater], masking=Masking(by_group={"w": ("woman",), "m": ("man",)}))
    assert rater.seen[0] == "A XYZ, a XYZ"
    other = Masked()
    rate_file(texts, tmp_path / "out.csv", [other], masking=Masking(column="text"))
    assert other.seen[0] == "XYZ"


def test_raters_that_want_no_mask_see_the_text(texts: Path, tmp_path: Path) -> None:
    rater = Length()
    [found] = rate_file(texts, tmp_path / "out.csv", [rater], masking=Masking(terms=("man",)))
    assert rater.seen[0] == "A woman, a man"
    assert found.unmasked is None


def test_json_lines_keep_their_numbers_and_objects(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "abc", "meta": {"n": 1}, "tags": ["x"]}\n\n{"text": ""}\n', encoding="utf-8")
    rate_file(path, tmp_path / "out.jsonl", [Length()])
    made = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert made[0] == {"text": "abc", "meta": {"n": 1}, "tags": ["x"], "length.v1": 3.0, "length.v1.unrated": None}
    assert made[1] == {"text": "", "length.v1": None, "length.v1.unrated": "empty"}


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"text": ["abc", ""], "n": [1, 2]}), tmp_path / "texts.parquet")
    rate_file(tmp_path / "texts.parquet", tmp_path / "out.parquet", [Length()])
    rate_file(tmp_path / "out.parquet", tmp_path / "out.parquet", [Length()])
    made = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert made.to_pydict() == {
        "text": ["abc", ""],
        "n": [1, 2],
        "length.v1": [3.0, None],
        "length.v1.unrated": [None, "empty"],
    }


def test_nothing_is_written_where_a_rater_fails(texts: Path, tmp_path: Path) -> None:
    class Failing(Length):
        def rate(self, texts: Sequence[str]) -> list[Rating]:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        rate_file(texts, tmp_path / "new" / "out.csv", [Length(), Failing()])
    assert not (tmp_path / "new").exists()


def test_a_kind_that_is_not_known_is_refused(texts: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"its kind is not known"):
        rate_file(texts, tmp_path / "out.xlsx", [Length()])
    with pytest.raises(InvalidData, match="there is no column `txt`; did you mean `text`"):
        rate_file(texts, tmp_path / "out.csv", [Length()], text="txt")
