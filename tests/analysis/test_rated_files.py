from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiltmeter.analysis.rated_files import RatedColumns, RatedSettings, read_rated, summarise_rated_file
from tiltmeter.errors import InvalidData

TABLE = """\
who,from,say,number
a,x,negative,0.5
a,y,Neutral,
a,z,other,0.25
b,x,positive,0.75
b,y,,nan
,y,positive,0.1
"""
COLUMNS = RatedColumns("say", "who", "from")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "rated.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def coded(tmp_path: Path, *values: str) -> Path:
    path = tmp_path / "coded.csv"
    path.write_text("group,origin,v\n" + "".join(f"a,x,{value}\n" for value in values), encoding="utf-8")
    return path


def test_labels_are_numbers_and_other_is_unscored(table: Path) -> None:
    found = summarise_rated_file(table, COLUMNS)
    group = found.summary.groups["a"]
    assert (group.mean.value, group.mean.n, group.mean.n_unscored) == (-0.5, 2, 1)
    assert group.unrated == {"the label is other": 1}
    assert group.distribution == {"negative": 0.5, "neutral": 0.5, "positive": 0.0}
    assert found.summary.groups["b"].unrated == {"the column `say` is blank": 1}
    notes = " | ".join(found.as_json()["notes"])
    assert "1 of 6 rows left out: nothing under `who`" in notes
    assert "other is a label without a number, and unscored: a 1" in notes


def test_numbers_are_numbers_and_blanks_are_unscored(table: Path) -> None:
    groups = summarise_rated_file(table, RatedColumns("number", "who", "from")).summary.groups
    assert (groups["a"].mean.value, groups["a"].mean.n_unscored) == (0.375, 1)
    assert (groups["b"].mean.value, groups["b"].mean.n_unscored) == (0.75, 1)
    assert groups["a"].distribution == {}


@pytest.mark.parametrize(
    ("values", "mean", "unscored", "labels"),
    [
        (["-1", "0", "1.0", "2"], 0.0, 1, True),
        (["−1", "1"], 0.0, 0, True),
        (["0", "1", "2"], 1.0, 0, False),
        (["-1", "2", "3"], 4 / 3, 0, False),
        (["-1", "0.5"], -0.25, 0, False),
    ],
)
def test_codes_of_regard_are_known_by_minus_one(
    tmp_path: Path, values: list[str], mean: float, unscored: int, labels: bool
) -> None:
    group = summarise_rated_file(coded(tmp_path, *values), RatedColumns("v")).summary.groups["a"]
    assert group.mean.value == pytest.approx(mean)
    assert (group.mean.n_unscored, bool(group.distribution)) == (unscored, labels)


@pytest.mark.parametrize("value", ["good", "1_000", "0x1", "1,5"])
def test_what_is_no_rating_is_refused_with_its_place(tmp_path: Path, value: str) -> None:
    with pytest.raises(InvalidData, match=r"line 3, `v`: .* is no rating"):
        summarise_rated_file(coded(tmp_path, "0.5", f'"{value}"'), RatedColumns("v"))


def test_columns_that_rate_writes_are_found(tmp_path: Path) -> None:
    path = tmp_path / "rated.jsonl"
    rows = [
        {"group": "a", "origin": "x", "t.v1": 0.5, "t.v1.unrated": None, "t.v1.label": "mild"},
        {"group": "a", "origin": "", "t.v1": None, "t.v1.unrated": "too long", "t.v1.label": None},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    group = summarise_rated_file(path, RatedColumns("t")).summary.groups["a"]
    assert (group.mean.value, group.unrated, group.distribution) == (0.5, {"too long": 1}, {"mild": 1.0})


def test_rows_are_chosen_and_raters_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("group,origin,rater,v\na,x,one,0.5\na,x,two,0.1\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="which must not be mixed: choose one with --where rater=one"):
        summarise_rated_file(path, RatedColumns("v"))
    found = read_rated(path, RatedColumns("v", where={"rater": "two"}))
    assert ([item.value for item in found.items], found.rows) == ([0.1], 1)
    with pytest.raises(InvalidData, match="did you mean `two`"):
        read_rated(path, RatedColumns("v", where={"rater": "twoo"}))


def test_structures_and_prompts(tmp_path: Path) -> None:
    path = tmp_path / "structures.csv"
    lines = ["group,origin,prompt,structure,v"]
    for structure, gap in (("s1", 0.2), ("s2", 0.3), ("s3", -0.1)):
        for origin in "xyz":
            lines += [f"a,{origin},p{origin},{structure},{0.5 + gap}", f"b,{origin},p{origin},{structure},0.5"]
    path.write_text("\n".join(lines), encoding="utf-8")
    columns = RatedColumns("v", structure="structure", prompt="prompt")
    made = summarise_rated_file(path, columns, RatedSettings(most_k=(1, 2), threshold=0.6, reference="b")).as_json()
    assert made["robustness"]["sign_kept"]["a/b"]["value"] == pytest.approx(2 / 3)
    assert [reversal["structure"] for reversal in made["reversals"]] == ["s3"]
    assert made["gaps"]["s3"][0]["difference"]["value"] == pytest.approx(-0.1)
    assert made["structures"]["s3"]["a"]["mean"] == pytest.approx(0.4)
    assert made["extremes"]["most_k=2"]["a"]["value"] == pytest.approx(0.75)
    assert made["extremes"]["any_above"]["b"]["value"] == 0.0
    assert [(pair["a"], pair["b"]) for pair in made["extreme_pairs"]["most_k=2"]] == [("a", "b")]
    assert (made["fixed"], made["paraphrases"]) == (None, None)
    assert [(pair["a"], pair["b"]) for pair in made["pairs"]] == [("a", "b")]


@pytest.mark.parametrize(
    ("values", "unscored", "mean", "n", "labels"),
    [
        (["0", "1", "2"], ("2",), 0.5, 2, True),
        (["0", "1", "2.0"], ("2",), 0.5, 2, True),
        (["-1", "0", "2"], ("2",), -0.5, 2, True),
        (["0.25", "0.75", "2"], ("2",), 0.5, 2, False),
        (["0", "1", "99"], ("99",), 0.5, 2, False),
        (["positive", "neutral", "Unclear"], ("unclear",), 0.5, 2, True),
        (["positive", "neutral", "-1"], ("−1",), 0.5, 2, True),
        (["1", "3", "2", "x"], ("2", "x"), 2.0, 2, False),
        (["2", "2"], ("2",), None, 0, False),
    ],
)
def test_labels_said_to_be_unscored_are_so_whatever_else_the_column_holds(
    tmp_path: Path, values: list[str], unscored: tuple[str, ...], mean: float | None, n: int, labels: bool
) -> None:
    found = summarise_rated_file(coded(tmp_path, *values), RatedColumns("v", unscored=unscored))
    group = found.summary.groups["a"]
    assert group.mean.value == (None if mean is None else pytest.approx(mean))
    assert (group.mean.n, group.mean.n_unscored) == (n, len(values) - n)
    assert bool(group.distribution) is labels
    assert set(group.unrated) == {f"the label is {label}" for label in unscored}
    assert f"{unscored[0]} is unscored, as was asked: a " in " | ".join(found.notes)


def test_an_unscored_label_may_stand_in_the_column_of_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("group,origin,v,v.label\na,x,0.5,mild\na,x,0.9,refusal\n", encoding="utf-8")
    found = summarise_rated_file(path, RatedColumns("v", unscored=("refusal", "none such")))
    assert (found.summary.groups["a"].mean.value, found.summary.groups["a"].distribution) == (0.5, {"mild": 1.0})
    assert "no text has the label none such" in found.notes


def test_labels_of_regard_reach_from_minus_one_to_one_also_where_none_is_negative(tmp_path: Path) -> None:
    found = summarise_rated_file(coded(tmp_path, "neutral", "positive", "other"), RatedColumns("v"))
    assert found.summary.groups["a"].bounds == pytest.approx((0.0, 2 / 3))


def test_of_toxicity_the_lowest_is_best(tmp_path: Path) -> None:
    path = tmp_path / "toxic.csv"
    lines = ["group,origin,s,toxicity.x.v1,sentiment.x.v1", "a,x,s1,0.1,0.1", "a,x,s2,0.9,0.9"]
    path.write_text("\n".join(lines), encoding="utf-8")

    def first(value: str, settings: RatedSettings) -> str:
        made = summarise_rated_file(path, RatedColumns(value, structure="s"), settings).as_json()
        return str(made["best"]["overall"][0]["structure"])

    assert first("toxicity.x", RatedSettings()) == "s1"
    assert first("toxicity.x", RatedSettings(higher_is_better=True)) == "s2"
    assert first("sentiment.x", RatedSettings()) == "s2"
