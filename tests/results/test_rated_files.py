from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from tests.parquet_files import write_rows
from tests.present.completions import DECODINGS, make_rated_run
from tiltmeter.errors import InvalidData
from tiltmeter.records import Structure
from tiltmeter.results import cells, summarise_continuations
from tiltmeter.results.files.rated import RatedSettings, summarise_rated_file
from tiltmeter.results.files.rated_texts import RatedColumns, read_rated
from tiltmeter.results.tables.continuations import completion_columns, completion_rows

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


def table_of(tmp_path: Path, header: str, *rows: str) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("values", "scale", "sentence"),
    [
        (["0.5", "1.5", "2.5"], (0, 1), r"line 4, `v`: 2.5 lies outside --scale 0,1; .* at least 0,2.5"),
        (["0.5", "-0.5"], (0, 1), r"line 3, `v`: -0.5 lies outside --scale 0,1; .* at least -0.5,1"),
        (["positive", "negative"], (0, 1), r"line 3, `v`: -1 lies outside --scale 0,1; .* at least -1,1"),
    ],
)
def test_a_scale_narrower_than_the_ratings_is_refused_with_their_place(
    tmp_path: Path, values: list[str], scale: tuple[float, float], sentence: str
) -> None:
    with pytest.raises(InvalidData, match=sentence):
        summarise_rated_file(coded(tmp_path, *values), RatedColumns("v"), RatedSettings(scale=scale))


def test_a_scale_need_not_hold_what_is_unscored_or_not_chosen(tmp_path: Path) -> None:
    path = table_of(tmp_path, "group,origin,v,take", "a,x,0.5,yes", "a,x,9,yes", "a,x,7,no", "a,x,inf,yes")
    columns = RatedColumns("v", where={"take": "yes"}, unscored=("9",))
    found = summarise_rated_file(path, columns, RatedSettings(scale=(0, 1)))
    assert found.summary.groups["a"].mean.value == 0.5


def test_what_minus_one_means_does_not_hang_on_the_rows_chosen(tmp_path: Path) -> None:
    rows = ["a,x,0,one", "a,x,1,one", "a,x,2,one", "a,x,-1,two"]
    path = table_of(tmp_path, "group,origin,v,part", *rows)
    part = summarise_rated_file(path, RatedColumns("v", where={"part": "one"}))
    assert (part.summary.groups["a"].mean.value, part.summary.groups["a"].mean.n_unscored) == (0.5, 1)
    assert part.summary.groups["a"].distribution == {"negative": 0.0, "neutral": 0.5, "positive": 0.5}
    path = table_of(tmp_path, "group,origin,v,part", *rows, "a,x,0.5,two")
    part = summarise_rated_file(path, RatedColumns("v", where={"part": "one"}))
    assert (part.summary.groups["a"].mean.value, part.summary.groups["a"].distribution) == (1.0, {})


def test_another_raters_values_do_not_decide_what_a_rater_means(tmp_path: Path) -> None:
    rows = ["a,x,0,toxic", "a,x,1,toxic", "a,x,-1,regard", "a,x,2,regard", "a,x,neutral,words"]
    path = table_of(tmp_path, "group,origin,v,rater", *rows)
    toxic = summarise_rated_file(path, RatedColumns("v", where={"rater": "toxic"}))
    assert (toxic.summary.groups["a"].mean.value, toxic.summary.groups["a"].distribution) == (0.5, {})
    regard = summarise_rated_file(path, RatedColumns("v", where={"rater": "regard"}))
    assert (regard.summary.groups["a"].mean.value, regard.summary.groups["a"].mean.n_unscored) == (-1.0, 1)


def test_it_is_said_how_a_column_of_0_1_and_2_is_read(tmp_path: Path) -> None:
    note = "2 is read as a number; where it stands for the label other, say --unscored-label 2"
    path = coded(tmp_path, "0", "1", "2")
    assert note in summarise_rated_file(path, RatedColumns("v")).notes
    assert note not in summarise_rated_file(path, RatedColumns("v", unscored=("2",))).notes
    for values in (["0", "1"], ["0", "1", "2", "3"], ["-1", "2"], ["0.5", "2"]):
        assert note not in summarise_rated_file(coded(tmp_path, *values), RatedColumns("v")).notes


@pytest.mark.parametrize(
    ("name", "scale", "released"),
    [
        ("sentiment.vader.v1", None, False),
        ("regard.minilm.v1", None, False),
        ("judge.chat.v1:sentiment:some-model", None, False),
        ("toxicity.linear.v1", None, True),
        ("sentiment", None, True),
        ("v", None, True),
        ("v", (-1.0, 1.0), False),
        ("v", (0.0, 1.0), True),
    ],
)
def test_signed_ratings_have_no_ratio_also_where_the_sample_is_positive(
    tmp_path: Path, name: str, scale: tuple[float, float] | None, released: bool
) -> None:
    rows = [f"{group},o{place},0.{5 + place % 2 + (group == 'a')}" for group in "ab" for place in range(6)]
    path = table_of(tmp_path, f"group,origin,{name}", *rows)
    [pair] = summarise_rated_file(path, RatedColumns(name), RatedSettings(scale=scale)).summary.pairs
    assert (pair.ratio is not None) is released
    assert pair.ratio_withheld == (None if released else "the ratings are signed: they go below zero")


def test_stars_that_are_called_sentiment_are_not_on_the_raters_scale(tmp_path: Path) -> None:
    rows = [f"{group},o{place},{3 + place % 2 + (group == 'a')}" for group in "ab" for place in range(6)]
    path = table_of(tmp_path, "group,origin,sentiment.stars", *rows)
    [pair] = summarise_rated_file(path, RatedColumns("sentiment.stars")).summary.pairs
    assert pair.ratio is not None


DECODED = "group,origin,v,model,rater,temperature,top_p,max_new_tokens,source,bias"


def test_lengths_models_and_raters_are_never_mixed(tmp_path: Path) -> None:
    rows = [f"a,x,0.{length},m,r,1.0,0.9,{length},s,b" for length in (5, 40, 10)]
    path = table_of(tmp_path, DECODED, *rows)
    with pytest.raises(InvalidData) as caught:
        summarise_rated_file(path, RatedColumns("v"))
    assert caught.value.problem == (
        "the column `max_new_tokens` holds 5, 10 and 40, and a shorter text is the beginning of a longer one, so that "
        "each would count several times: choose one with --where max_new_tokens=5"
    )
    found = summarise_rated_file(path, RatedColumns("v", where={"max_new_tokens": "40"}))
    assert (found.summary.groups["a"].mean.value, found.pooled) == (0.4, {})


def test_other_choices_are_averaged_over_and_that_is_said_first(tmp_path: Path) -> None:
    rows = ["a,x,0.5,m,r,1.0,0.9,10,s,b", "a,x,0.1,m,r,0.5,0.9,10,t,b", "a,x,0.1,m,r,1,0.90,10,t,b"]
    made = summarise_rated_file(table_of(tmp_path, DECODED, *rows), RatedColumns("v")).as_json()
    assert made["notes"][:2] == [
        "averaged over `temperature`, which is 0.5 and 1.0; --where temperature=0.5 takes one alone",
        "averaged over `source`, which is s and t; --where source=s takes one alone",
    ]
    assert made["pooled"] == {"temperature": ["0.5", "1.0"], "source": ["s", "t"]}


def test_a_choice_may_be_what_is_compared(tmp_path: Path) -> None:
    rows = ["a,x,0.5,m,r,1.0,0.9,10,s,b", "a,x,0.1,n,r,0.5,0.9,10,s,b"]
    path = table_of(tmp_path, DECODED, *rows)
    found = summarise_rated_file(path, RatedColumns("v", group="model", structure="temperature"))
    assert (list(found.summary.groups), found.pooled) == (["m", "n"], {})


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_true_and_false_are_one_and_zero(tmp_path: Path, kind: str) -> None:
    rows = [{"group": "a", "origin": "x", "v": value} for value in (True, False, True, None)]
    path = tmp_path / f"yes.{kind}"
    if kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    else:
        write_rows(path, rows)
    group = summarise_rated_file(path, RatedColumns("v")).summary.groups["a"]
    assert group.mean.value == pytest.approx(2 / 3)
    assert (group.mean.n, group.mean.n_unscored, group.distribution) == (3, 1, {})


def test_texts_that_decline_have_no_rating_that_counts(tmp_path: Path) -> None:
    header = "group,origin,v,v.label,v.unrated,refusal.v1.label,refusal.v5,refusal.v5.label"
    rows = [
        "a,x,0.5,mild,,refusal,0,answer",
        "a,x,0.9,harsh,,answer,1,refusal",
        "a,x,,,too long,answer,1,refusal",
        "a,x,,,too long,answer,0,answer",
        "a,x,0.25,mild,,answer,0,",
    ]
    path = table_of(tmp_path, header, *rows)
    found = summarise_rated_file(path, RatedColumns("v"))
    group = found.summary.groups["a"]
    assert (group.mean.value, group.distribution) == (0.375, {"mild": 1.0})
    assert group.unrated == {"the model declined to answer": 2, "too long": 1}
    assert "texts that decline to answer have no rating that counts, and are unscored: a 2" in found.notes
    refusals = summarise_rated_file(path, RatedColumns("refusal.v5")).summary.groups["a"]
    assert (refusals.mean.value, refusals.mean.n) == (0.4, 5)


def test_with_structures_means_and_pairs_are_uncertain_both_ways(tmp_path: Path) -> None:
    rows = [
        f"{group},o{origin},s{structure},{0.3 + 0.01 * origin + gap * (group == 'a'):.3f}"
        for structure in range(7)
        for origin in range(6)
        for gap in [0.05 * structure + 0.02 * (origin % 2)]
        for group in "ab"
    ]
    path = table_of(tmp_path, "group,origin,form,v", *rows)
    settings = RatedSettings(fixed="s0")
    made = summarise_rated_file(path, RatedColumns("v", structure="form"), settings).as_json()
    [whole], [fixed], [rest] = made["pairs"], made["fixed"]["pairs"], made["paraphrases"]["pairs"]
    alone = summarise_rated_file(path, RatedColumns("v")).as_json()["pairs"][0]
    assert alone["difference"]["value"] == whole["difference"]["value"] == pytest.approx(0.16)
    # Over origins 0.15 and 0.17 by turns; over structures 0.01 to 0.31 as well, with about as many degrees of freedom.
    of_origins, of_structures = math.sqrt(6 * 0.01**2 / 5 / 6), math.sqrt(0.05**2 * 28 / 6 / 7)
    half = 2.571 * of_origins
    # On a scale of 0 to 1 the interval is a little wider than Student's.
    assert alone["difference"]["low"] == pytest.approx(0.16 - half, abs=3e-4)
    assert alone["difference"]["high"] == pytest.approx(0.16 + half, abs=3e-4)
    wide = 2.447 * math.hypot(of_origins, of_structures)
    assert whole["difference"]["high"] - whole["difference"]["low"] == pytest.approx(2 * wide, rel=0.03)
    assert whole["difference"]["origins"] == 6 and whole["difference"]["n"] == 84
    assert fixed["difference"]["value"] == pytest.approx(0.01)
    assert rest["difference"] == made["robustness"]["pairs_two_way"]["a/b"]
    assert "intervals and p-values of groups and pairs are over origins and structures at once" in made["notes"]


def test_few_structures_are_not_said_to_be_part_of_intervals(tmp_path: Path) -> None:
    rows = [
        f"{group},o{origin},s{structure},{0.3 + 0.01 * origin + 0.02 * structure * (group == 'a') * origin:.3f}"
        for structure in range(3)
        for origin in range(8)
        for group in "ab"
    ]
    path = table_of(tmp_path, "group,origin,form,v", *rows)
    with_them, without = (summarise_rated_file(path, RatedColumns("v", structure=name)) for name in ("form", None))
    [found], [plain] = with_them.summary.pairs, without.summary.pairs
    assert found.difference.low is not None
    assert found.difference.low == pytest.approx(plain.difference.low)
    assert found.difference.high == pytest.approx(plain.difference.high)
    assert not any("structures at once" in note for note in with_them.summary.notes)
    assert any("3 structures are too few" in note for note in with_them.summary.notes)


@pytest.mark.parametrize("structures", [0, 6])
def test_the_table_of_a_run_gives_the_figures_of_its_report(tmp_path: Path, structures: int) -> None:
    forms = [Structure(f"s{place}", "declarative", "statement", f"(S{place})") for place in range(structures)]
    raters = ("sentiment.vader.v1", "toxicity.linear.v1", "regard.minilm.v2", "refusal.v5")
    run = make_rated_run(tmp_path, decodings=DECODINGS[:2], raters=raters, openers=6, samples=3, structures=forms)
    assert run.continuations
    path = tmp_path / "completions.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(completion_columns(cells.table_with_texts(run))))
        writer.writeheader()
        writer.writerows(completion_rows(cells.table_with_texts(run)))
    report = summarise_continuations(run)
    assert report
    settings = RatedSettings(seed=int(run.meta["resolved"]["seed"]))
    with pytest.raises(InvalidData, match="the column `max_new_tokens` holds 10 and 20"):
        read_rated(path, RatedColumns("sentiment.vader"))
    for cell in report.cells:
        where = {"max_new_tokens": str(cell.decoding.max_new_tokens)}
        columns = RatedColumns(cell.rater, structure="structure" if structures else None, where=where)
        found = summarise_rated_file(path, columns, settings)
        # But for the last digits: a run adds up texts, a file sums of those of an origin.
        known, read = (
            json.loads(json.dumps(each.figures()), parse_float=lambda number: round(float(number), 12))
            for each in (cell.summary, found.summary)
        )
        assert read == known
        assert found.summary.groups["women"].unrated["the model declined to answer"] == 6 * max(1, structures)
