"""Several scored files: sets, generators and models."""

from __future__ import annotations

import csv
import random
import statistics
from pathlib import Path

import pytest

from tests.shared import shared
from tiltmeter.errors import InvalidData
from tiltmeter.files import write_csv
from tiltmeter.results.files.scored import Columns
from tiltmeter.results.files.several import summarise_files
from tiltmeter.results.summary.sources_compared import matrix
from tiltmeter.stats.agreement.correlation import spearman

BIASES = ("a", "b", "c", "d")


def scored(path: Path, ones: dict[str, int], **columns: str) -> Path:
    """Ten pairs of each bias, of which so many are stereotyped; each is about an attribute of its own."""
    lines = [",".join(["bias", "attribute", "stereotyped", *columns])]
    lines += [
        ",".join([bias, f"w{at}", str(int(at < ones[bias])), *columns.values()]) for bias in ones for at in range(10)
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def shares(*counts: int) -> dict[str, int]:
    return dict(zip(BIASES, counts, strict=True))


def test_each_file_is_a_set_beside_the_pooled_figure(tmp_path: Path) -> None:
    counts = [shares(1, 4, 6, 9), shares(3, 2, 5, 8), shares(5, 3, 10, 7)]
    files = [scored(tmp_path / f"{at}.csv", one, model="m") for at, one in enumerate(counts)]
    found = summarise_files(files).as_json()
    for bias in BIASES:
        values = [one[bias] / 10 for one in counts]
        assert found["by_bias"][bias]["n"] == 30
        assert found["by_bias"][bias]["value"] == pytest.approx(statistics.fmean(values))
        assert found["sets"][bias]["mean_over_sets"] == pytest.approx(statistics.fmean(values))
        assert found["sets"][bias]["sd_over_sets"] == pytest.approx(statistics.stdev(values))
        assert found["sets"][bias]["values"] == pytest.approx({"0": values[0], "1": values[1], "2": values[2]})
    square = found["agreement"]["files"]["matrix"]
    assert square["names"] == ["0", "1", "2"]
    rho = spearman(list(counts[0].values()), list(counts[2].values()))[0]
    assert square["values"][0][2] == square["values"][2][0] == pytest.approx(rho)
    assert [square["values"][at][at] for at in range(3)] == [1.0, 1.0, 1.0]
    assert "generators" not in found["agreement"] and "models" not in found["agreement"]


def test_sets_of_unequal_size_have_another_mean_than_the_pool(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("bias,attribute,stereotyped,set\n" + "a,x,1,0\n" * 3 + "a,x,0,1\n")
    found = summarise_files([path]).as_json()
    assert found["by_bias"]["a"]["value"] == 0.75
    assert found["sets"]["a"]["values"] == {"0": 1.0, "1": 0.0}
    assert found["sets"]["a"]["mean_over_sets"] == 0.5 and found["sets"]["a"]["sets"] == 2
    assert "agreement" not in found
    other = tmp_path / "two.csv"
    other.write_text("bias,attribute,stereotyped\na,x,1\n")
    assert list(summarise_files([path, other]).as_json()["sets"]["a"]["values"]) == ["one, set 0", "one, set 1", "two"]


def test_generators_agree_over_models_and_models_over_generators(tmp_path: Path) -> None:
    counts = {
        ("g1", "m1"): shares(1, 3, 5, 7),
        ("g2", "m1"): shares(2, 1, 6, 8),
        ("g1", "m2"): shares(7, 3, 1, 2),
        ("g2", "m2"): shares(5, 9, 2, 3),
    }
    files = [
        scored(tmp_path / model / f"{generator}.csv", one, generator=generator, model=model)
        for (generator, model), one in counts.items()
    ]
    found = summarise_files(files).as_json()
    assert list(found["by_model"]) == ["m1", "m2"] and "by_bias" not in found
    assert found["by_model"]["m2"]["files"] == ["m2/g1", "m2/g2"]

    def mean(*keys: tuple[str, str]) -> list[float | None]:
        return [statistics.fmean(counts[key][bias] / 10 for key in keys) for bias in BIASES]

    by_generator = spearman(mean(("g1", "m1"), ("g1", "m2")), mean(("g2", "m1"), ("g2", "m2")))[0]
    by_model = spearman(mean(("g1", "m1"), ("g2", "m1")), mean(("g1", "m2"), ("g2", "m2")))[0]
    assert found["agreement"]["generators"]["matrix"]["values"][0][1] == pytest.approx(by_generator)
    assert found["agreement"]["models"]["matrix"]["values"][0][1] == pytest.approx(by_model)
    assert found["agreement"]["models"]["pairs"][0]["over"] == ["g1", "g2"]
    assert len(found["agreement"]["files"]["matrix"]["names"]) == 4


def test_a_column_of_any_name_says_which_set_a_row_is_of(tmp_path: Path) -> None:
    rows = ["bias,attribute,stereotyped,draw"]
    # Three sets of unequal size: 2 of 4, 1 of 1, 0 of 1; the last has no pair of `b`.
    rows += ["a,x,1,I", "a,x,0,I", "a,x,1,I", "a,x,0,I", "a,x,1,II", "a,x,0,III"]
    rows += ["b,x,1,I", "b,x,1,II", "b,x,0,II"]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(rows) + "\n")
    assert "sets" not in summarise_files([path]).as_json()
    found = summarise_files([path], Columns(set="draw")).as_json()
    one = found["sets"]["a"]
    assert found["by_bias"]["a"]["value"] == 0.5 and one["values"] == {"I": 0.5, "II": 1.0, "III": 0.0}
    assert (one["mean_over_sets"], one["sd_over_sets"], one["sets"], one["note"]) == (0.5, 0.5, 3, None)
    other = found["sets"]["b"]
    assert other["values"] == {"I": 1.0, "II": 0.5, "III": None} and other["sets"] == 2
    assert other["mean_over_sets"] == 0.75 and found["by_bias"]["b"]["value"] == pytest.approx(2 / 3)
    # The mean over biases of a set that lacks one would be that of other biases.
    assert found["overall_over_sets"]["values"] == {"I": 0.75, "II": 0.75, "III": None}
    assert found["overall_over_sets"]["sd_over_sets"] == 0.0
    with pytest.raises(InvalidData, match="there is no column `drew`"):
        summarise_files([path], Columns(set="drew"))


def test_a_bias_that_one_set_alone_has_is_said_to_have_no_spread(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("bias,attribute,stereotyped,set\na,x,1,1\na,x,0,2\nb,x,1,1\n")
    found = summarise_files([path]).as_json()["sets"]["b"]
    assert (found["mean_over_sets"], found["sd_over_sets"], found["sets"]) == (1.0, None, 1)
    assert found["note"] == "no spread: one set only"


def test_a_set_that_lacks_an_attribute_set_has_no_balanced_value(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(
        "bias,attribute,attribute_set,stereotyped,set\n"
        + "a,x,1,1,1\na,y,2,0,1\n"
        + "a,x,1,1,2\na,y,2,1,2\n"
        + "a,x,1,1,3\n"
    )
    found = summarise_files([path]).as_json()["sets"]["a"]
    assert found["values"] == {"1": 0.5, "2": 1.0, "3": None}
    assert found["mean_over_sets"] == 0.75


def test_generators_and_models_of_one_file_are_apart_with_sets_of_their_own(tmp_path: Path) -> None:
    counts = {
        ("m1", "g1", 1): shares(1, 3, 5, 7),
        ("m1", "g1", 2): shares(3, 3, 5, 9),
        ("m1", "g2", 1): shares(2, 1, 6, 8),
        ("m2", "g1", 1): shares(7, 3, 1, 2),
        ("m2", "g2", 1): shares(5, 9, 2, 3),
    }
    rows = ["bias,attribute,stereotyped,model,generator,set"]
    rows += [
        f"{bias},w{at},{int(at < ones[bias])},{model},{generator},{number}"
        for (model, generator, number), ones in counts.items()
        for bias in ones
        for at in range(10)
    ]
    path = tmp_path / "all.csv"
    path.write_text("\n".join(rows) + "\n")
    found = summarise_files([path]).as_json()
    assert list(found["by_model"]) == ["m1", "m2"]
    first = found["by_model"]["m1"]
    # Sets 1 of two generators are two sets, and not sets of one test.
    assert "sets" not in first and list(first["by_generator"]) == ["g1", "g2"]
    two, one = (first["by_generator"][name] for name in ("g1", "g2"))
    assert two["headline_by_bias"]["a"]["value"] == pytest.approx(0.2) and two["headline_by_bias"]["a"]["n"] == 20
    assert two["sets"]["a"]["values"] == {"1": 0.1, "2": 0.3}
    assert two["sets"]["a"]["sd_over_sets"] == pytest.approx(statistics.stdev([0.1, 0.3]))
    assert two["overall_over_sets"]["values"] == pytest.approx({"1": 0.4, "2": 0.5})
    assert (one["sets"]["a"]["sd_over_sets"], one["sets"]["a"]["note"]) == (None, "no spread: one set only")

    def mean(*keys: tuple[str, str]) -> list[float | None]:
        every = [[ones for at, ones in counts.items() if at[:2] == key] for key in keys]
        each = [[statistics.fmean(ones[bias] / 10 for ones in sets) for bias in BIASES] for sets in every]
        return [statistics.fmean(values) for values in zip(*each, strict=True)]

    by_generator = spearman(mean(("m1", "g1"), ("m2", "g1")), mean(("m1", "g2"), ("m2", "g2")))[0]
    by_model = spearman(mean(("m1", "g1"), ("m1", "g2")), mean(("m2", "g1"), ("m2", "g2")))[0]
    assert found["agreement"]["generators"]["matrix"]["values"][0][1] == pytest.approx(by_generator)
    assert found["agreement"]["models"]["matrix"]["values"][0][1] == pytest.approx(by_model)
    assert "files" not in found["agreement"]


def test_thirty_sets_of_published_pairs_have_the_spread_of_their_shares(tmp_path: Path) -> None:
    """The published pairs, each row given to one of 30 sets, with made-up choices: recomputed from the rows."""
    with shared("biastestgpt/pairs_1.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["group"] == "Math_Arts_vs_Male_Female"]
    source = random.Random(3)
    chosen = [row | {"draw": str(at), "stereotyped": source.randint(0, 1)} for at in range(30) for row in rows]
    path = tmp_path / "scored.csv"
    write_csv(path, list(chosen[0]), chosen)
    found = summarise_files([path], Columns(set="draw")).as_json()
    side = {"stereotype": "att_term_1", "anti-stereotype": "att_term_2"}
    men = {"male", "man", "boy", "brother", "he", "him", "his", "son"}
    values = []
    for at in range(30):
        halves: dict[bool, dict[str, list[int]]] = {True: {}, False: {}}
        for row in chosen:
            if row["draw"] == str(at):
                first = row[side[row["label_1"]]] in men
                halves[first].setdefault(row["group_term"], []).append(row["stereotyped"])
        means = [statistics.fmean(statistics.fmean(own) for own in half.values()) for half in halves.values()]
        values.append(statistics.fmean(means))
    one = found["sets"]["Math_Arts_vs_Male_Female"]
    assert one["sets"] == 30
    assert list(one["values"].values()) == pytest.approx(values)
    assert one["mean_over_sets"] == pytest.approx(statistics.fmean(values))
    assert one["sd_over_sets"] == pytest.approx(statistics.stdev(values))


def test_checks_of_the_instrument_are_no_part_of_the_order_and_scorers_are_not_mixed(tmp_path: Path) -> None:
    one = scored(tmp_path / "1.csv", {"x:p-q": 9} | shares(1, 2, 3, 4), benchmark="1")
    two = scored(tmp_path / "2.csv", {"x:p-q": 9} | shares(4, 3, 2, 1), benchmark="1")
    assert summarise_files([one, two]).as_json().get("agreement") is None
    three = scored(tmp_path / "3.csv", shares(1, 2, 3, 4), scorer="sum")
    four = scored(tmp_path / "4.csv", shares(1, 2, 3, 4), scorer="mean")
    with pytest.raises(InvalidData, match="`scorer` holds 'sum', 'mean'"):
        summarise_files([three, four])


def test_a_matrix_of_nothing_is_empty() -> None:
    assert matrix([]).names == ()
