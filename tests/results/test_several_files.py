"""Several scored files: sets, generators and models."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from tiltmeter.errors import InvalidData
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
