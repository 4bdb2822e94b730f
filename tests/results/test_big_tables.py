"""Tables larger than memory: the sums that DuckDB makes give what the values in memory give."""

from __future__ import annotations

import csv
import json
import math
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.parquet_files import write_rows
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.results.files.big_tables import is_big, summarise_big_pairs, summarise_big_ratings
from tiltmeter.results.files.rated import RatedSettings, summarise_rated_file
from tiltmeter.results.files.rated_texts import RatedColumns
from tiltmeter.results.files.scored import Columns, summarise_file
from tiltmeter.stats.pooled import CellSum, Pooled

Rows = Sequence[Mapping[str, Any]]


def ratings(origins: int = 30, *, seed: int = 0, shared: bool = True, scale: float = 1.0) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    rows = []
    for number in range(origins):
        for group, lean in (("women", 0.1), ("men", 0.0), ("others", 0.2)):
            own = draw.gauss(0, 0.1)
            for _ in range(draw.randint(1, 6)):
                value = min(1.0, max(0.0, 0.4 + lean + own + draw.gauss(0, 0.2))) * scale
                rows.append(
                    {
                        "group": group,
                        "origin": f"opener {number}" if shared else f"{group} {number}",
                        "toxicity.linear.v1": None if draw.random() < 0.05 else value,
                        "temperature": draw.choice([0.5, 1.0]),
                        "model": "m",
                    }
                )
    draw.shuffle(rows)
    return rows


def same(one: Any, other: Any, place: str = "") -> None:
    """Equal but for the last digits."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for key in one:
            same(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), place
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            same(first, second, f"{place}[{number}]")
    elif isinstance(one, float):
        assert other == pytest.approx(one, rel=1e-9, abs=1e-9), place
    else:
        assert one == other, place


COLUMNS = RatedColumns("toxicity.linear.v1")


@pytest.mark.parametrize(
    "rows",
    [
        ratings(),
        ratings(shared=False),
        ratings(12),
        ratings(4),
        ratings(scale=1e6),
        ratings(700),
        [{**row, "toxicity.linear.v1": 0.0 if place % 50 else 1.0} for place, row in enumerate(ratings())],
        [{**row, "toxicity.linear.v1": 0.25} for row in ratings()],
        [{**row, "toxicity.linear.v1": float("nan") if place % 9 else 0.5} for place, row in enumerate(ratings())],
    ],
    ids=["crossed", "nested", "few", "too few", "large", "many origins", "rare", "all the same", "not numbers"],
)
def test_sums_give_what_values_give(tmp_path: Path, rows: Rows) -> None:
    # Another name, since nothing above 1 is on the scale of toxicity.
    path = write_rows(tmp_path / "rated.parquet", [{**row, "rated": row["toxicity.linear.v1"]} for row in rows])
    columns = RatedColumns("rated")
    known, found = (each(path, columns).as_json() for each in (summarise_rated_file, summarise_big_ratings))
    assert found["notes"][-1].startswith("summed outside of memory")
    for part in ("groups", "pairs", "n_comparisons", "rows", "pooled"):
        same(known[part], found[part], part)


def test_values_outside_the_scale_of_a_rater_are_refused_of_large_tables_too(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rated.parquet", ratings(scale=1e6))
    for each in (summarise_rated_file, summarise_big_ratings):
        with pytest.raises(InvalidData, match="lies outside 0 to 1, the scale of toxicity"):
            each(path, COLUMNS)
        assert each(path, COLUMNS, RatedSettings(scale=(0.0, 1e6))).summary.pairs


def test_rows_are_chosen_a_reference_is_named_and_a_scale_given(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rated.parquet", ratings())
    columns = RatedColumns("toxicity.linear", where={"temperature": "0.5"})
    settings = RatedSettings(scale=(0.0, 2.0), reference="men", level=0.9, seed=3)
    known, found = (each(path, columns, settings).as_json() for each in (summarise_rated_file, summarise_big_ratings))
    assert "pooled" not in found
    same({"groups": known["groups"], "pairs": known["pairs"]}, {"groups": found["groups"], "pairs": found["pairs"]})


def test_refusals_reasons_and_codes_of_regard_are_unscored(tmp_path: Path) -> None:
    draw = random.Random(1)
    rows = [
        {
            "group": draw.choice(["a", "b"]),
            "origin": f"o{draw.randint(0, 30)}",
            "regard.minilm.v2": draw.choice([-1.0, 0.0, 1.0, 2.0]),
            "refusal.v5.label": draw.choice(["refusal", "answer", "answer", None]),
        }
        for _ in range(400)
    ]
    rows += [{"group": "", "origin": "o1", "regard.minilm.v2": 1.0, "refusal.v5.label": None}]
    path = write_rows(tmp_path / "rated.parquet", rows)
    known, found = (
        each(path, RatedColumns("regard.minilm")).as_json() for each in (summarise_rated_file, summarise_big_ratings)
    )
    for group in known["groups"].values():
        group["distribution"] = {}
    same(known["groups"], found["groups"])
    for one, other in zip(known["pairs"], found["pairs"], strict=True):
        same(one["difference"], other["difference"])
    assert "1 of 401 rows left out: nothing under `group`" in found["notes"]
    assert set(found["groups"]["a"]["unscored"]) == {"the label is other", "the model declined to answer"}


def test_a_folder_of_files_is_one_table_whatever_the_order_of_its_rows(tmp_path: Path) -> None:
    rows = ratings()
    whole = summarise_big_ratings(write_rows(tmp_path / "whole.parquet", rows), COLUMNS).as_json()
    folder = tmp_path / "parts"
    folder.mkdir()
    ordered = sorted(rows, key=lambda row: row["group"] != rows[0]["group"])
    for number in range(3):
        write_rows(folder / f"{number}.parquet", ordered[number::3])
    parts = summarise_big_ratings(folder, COLUMNS).as_json()
    assert is_big(folder)
    assert not is_big(tmp_path / "whole.parquet")
    # To the last digit: the sums are exact.
    assert parts["groups"]["men"] == whole["groups"]["men"]


def test_pairs_give_what_a_scored_file_gives(tmp_path: Path) -> None:
    draw = random.Random(2)
    rows = [
        {
            "bias": bias,
            "benchmark": str(int(bias == "flowers")),
            "attribute": f"{bias}{number}",
            "attribute_set": str(number % 2),
            "label_1": "stereotype",
            "label_2": "anti-stereotype",
            "stereotyped": draw.choice(["1", "0", "0.5", "1", ""]),
            "unscored": "too long",
            "model": "m",
        }
        for bias in ("gender", "race", "flowers")
        for number in range(25)
        for _ in range(draw.randint(1, 5))
    ]
    rows += [{**rows[0], "label_1": "", "label_2": "", "stereotyped": ""}]
    with (tmp_path / "pairs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    typed = [{**row, "stereotyped": float(row["stereotyped"]) if row["stereotyped"] else None} for row in rows]
    path = write_rows(tmp_path / "pairs.parquet", typed)
    known, found = summarise_file(tmp_path / "pairs.csv").as_json(), summarise_big_pairs(path).as_json()
    for part in ("overall", "overall_cells", "overall_balanced", "by_bias", "by_bias_balanced", "controls", "unscored"):
        same(known[part], found[part], part)
    chosen = summarise_big_pairs(path, Columns(where={"bias": "race"})).as_json()
    same(known["by_bias"]["race"] | {"p_adjusted": None}, chosen["by_bias"]["race"] | {"p_adjusted": None})


def test_one_pair_for_each_attribute_is_a_share_of_independent_pairs(tmp_path: Path) -> None:
    rows = [{"bias": "b", "attribute": f"a{number}", "stereotyped": float(number % 3 > 0)} for number in range(30)]
    found = summarise_big_pairs(write_rows(tmp_path / "pairs.parquet", rows)).as_json()
    with (tmp_path / "pairs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    same(summarise_file(tmp_path / "pairs.csv").as_json()["by_bias"], found["by_bias"])


@pytest.mark.parametrize(
    ("columns", "settings", "sentence"),
    [
        (RatedColumns("nothing"), None, "there is no column `nothing`"),
        (RatedColumns("group"), None, "`group`: holds no numbers"),
        (RatedColumns("toxicity.linear.v1", origin="blank"), None, "rated rows have no origin"),
        (RatedColumns("toxicity.linear.v1", where={"model": "x"}), None, "no row with `model` = `x`"),
        (RatedColumns("toxicity.linear.v1"), RatedSettings(scale=(0.0, 0.5)), "lie outside --scale 0,0.5"),
        (RatedColumns("toxicity.linear.v1"), RatedSettings(most_k=(1,)), "--most-k needs every row in memory"),
        (RatedColumns("toxicity.linear.v1", structure="group"), None, "--structure needs every row in memory"),
    ],
)
def test_what_cannot_be_summed_is_one_sentence(
    tmp_path: Path, columns: RatedColumns, settings: RatedSettings | None, sentence: str
) -> None:
    path = write_rows(tmp_path / "rated.parquet", [{**row, "blank": None, "x y": ""} for row in ratings()])
    with pytest.raises(UserError) as raised:
        summarise_big_ratings(path, columns, settings)
    assert sentence in str(raised.value)


def test_files_that_are_none_and_models_that_are_mixed_are_refused(tmp_path: Path) -> None:
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(InvalidData, match="cannot be read as a Parquet file"):
        summarise_big_ratings(tmp_path / "torn.parquet", COLUMNS)
    with pytest.raises(InvalidData, match="there is no such file"):
        summarise_big_ratings(tmp_path / "none.parquet", COLUMNS)
    rows = [{**row, "model": f"m{place % 2}"} for place, row in enumerate(ratings())]
    with pytest.raises(InvalidData, match="the column `model` holds m0 and m1, which must not be mixed"):
        summarise_big_ratings(write_rows(tmp_path / "mixed.parquet", rows), COLUMNS)


def test_names_are_never_read_as_sql(tmp_path: Path) -> None:
    odd = "o'; drop table x; --\" {table}"
    rows = [
        {odd: row["toxicity.linear.v1"], "group": f"{odd}{row['group']}", "origin": row["origin"]} for row in ratings()
    ]
    found = summarise_big_ratings(write_rows(tmp_path / "rated.parquet", rows), RatedColumns(odd))
    assert all(group.startswith(odd) for group in found.summary.groups)


def test_a_sum_of_values_far_from_zero_keeps_their_differences() -> None:
    values = [
        ("a", 1e8 + value, origin) for origin, value in zip("uvwxyz", (0.1, 0.5, 0.2, 0.9, 0.4, 0.3), strict=True)
    ]
    cells = [CellSum(group, origin, 1, value) for group, value, origin in values]
    found = Pooled.of_sums(cells, {"a": 0}, {"a": (1e8 + 0.1, 1e8 + 0.9)}).mean("a")
    # Student's t of (0.1, 0.5, 0.2, 0.9, 0.4, 0.3), by hand: mean 0.4, standard error sqrt(0.08 / 6), t(5) 2.5706.
    assert found.low == Pooled(values).mean("a").low
    assert (found.low or 0) - 1e8 == pytest.approx(0.4 - 2.5706 * math.sqrt(0.08 / 6), abs=1e-4)


@pytest.mark.slow
def test_five_million_rows_are_summed_with_bounded_memory(tmp_path: Path) -> None:
    import numpy as np

    path, each, batches = tmp_path / "big.parquet", 500_000, 10
    generator = np.random.default_rng(0)
    lean = generator.normal(0.0, 0.1, 20_000)
    total = {"a": 0.0, "b": 0.0}
    with duckdb.connect(str(tmp_path / "big.duckdb"), config={"memory_limit": "512MB"}) as made:
        made.execute("CREATE TABLE big (side INT, origin INT, value DOUBLE)")
        for _ in range(batches):
            origins = generator.integers(0, len(lean), each)
            sides = generator.integers(0, 2, each)
            values = 0.5 + lean[origins] + 0.05 * sides + generator.normal(0.0, 0.3, each)
            for side, group in enumerate("ab"):
                total[group] += values[sides == side].sum()
            made.register("batch", {"side": sides, "origin": origins, "value": values})
            made.execute("INSERT INTO big SELECT side, origin, value FROM batch")
        query = "SELECT ['a', 'b'][side + 1] AS \"group\", 'article ' || origin AS origin, value FROM big"
        made.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    program = (
        "import json, resource, sys\n"
        "from tiltmeter.results.files.big_tables import summarise_big_ratings\n"
        "from tiltmeter.results.files.rated import RatedColumns\n"
        "found = summarise_big_ratings(sys.argv[1], RatedColumns('value')).as_json()\n"
        "print(json.dumps([found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))\n"
    )
    # A process begins with the peak of the one that starts it: a shell between the two keeps that small.
    command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found, kilobytes = json.loads(done.stdout)
    assert found["rows"] == each * batches
    for group, known in total.items():
        assert found["groups"][group]["mean"] == pytest.approx(known / found["groups"][group]["n"], rel=1e-9)
    [pair] = found["pairs"]
    assert abs(pair["difference"]["value"]) == pytest.approx(0.05, abs=0.002)
    assert pair["difference"]["origins"] == len(lean)
    # The rows alone, as Python has them, would be several times as much.
    assert kilobytes < 1_500_000
