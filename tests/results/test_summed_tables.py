"""Tables of any size: the sums that DuckDB makes give what the values one by one give."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.parquet_files import write_rows
from tiltmeter.errors import InvalidData
from tiltmeter.files import write_csv
from tiltmeter.results.files.rated import RatedSettings, summarise_rated, summarise_rated_file
from tiltmeter.results.files.rated_texts import RatedColumns, read_rated
from tiltmeter.results.files.rated_values import DECLINED, OTHER
from tiltmeter.results.files.scored import Columns, summarise_file

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
    texts, sums = (read_rated(path, RatedColumns("rated"), by_text=each) for each in (True, False))
    assert sum(item.n for item in sums.items) == len(texts.items) == len(rows)
    known, found = (summarise_rated(each).as_json() for each in (texts, sums))
    same(known, found)


def test_values_outside_the_scale_of_a_rater_are_refused_with_their_place(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rated.parquet", ratings(scale=1e6))
    with pytest.raises(InvalidData) as raised:
        summarise_rated_file(path, COLUMNS)
    assert raised.value.line and raised.value.key == COLUMNS.value
    assert summarise_rated_file(path, COLUMNS, RatedSettings(scale=(0.0, 1e6))).summary.pairs


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
    texts, sums = (read_rated(path, RatedColumns("regard.minilm"), by_text=each) for each in (True, False))
    known, found = (summarise_rated(each).as_json() for each in (texts, sums))
    same(known, found)
    declined = sum(row["refusal.v5.label"] == "refusal" and row["group"] == "a" for row in rows)
    reasons = found["groups"]["a"]["unscored"]
    assert (reasons[DECLINED], set(reasons)) == (declined, {OTHER, DECLINED})
    assert found["rows"] == 401 and found["groups"]["a"]["distribution"]


def test_a_folder_of_files_is_one_table_whatever_the_order_of_its_rows(tmp_path: Path) -> None:
    rows = ratings()
    whole = summarise_rated_file(write_rows(tmp_path / "whole.parquet", rows), COLUMNS).as_json()
    folder = tmp_path / "parts"
    folder.mkdir()
    ordered = sorted(rows, key=lambda row: row["group"] != rows[0]["group"])
    for number in range(3):
        write_rows(folder / f"{number}.parquet", ordered[number::3])
    # To the last digit: rows are sorted before they are summed.
    assert summarise_rated_file(folder, COLUMNS).as_json()["groups"]["men"] == whole["groups"]["men"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_a_table_says_the_same_in_every_format(tmp_path: Path, ending: str) -> None:
    rows = ratings()
    known = summarise_rated_file(write_rows(tmp_path / "known.parquet", rows), COLUMNS).as_json()
    path = tmp_path / f"rated.{ending}"
    if ending == "parquet":
        # An object in a row, so that it is not read as a flat table.
        write_rows(path, [{**row, "more": {"id": at}} for at, row in enumerate(rows)])
    elif ending == "csv":
        write_csv(path, list(rows[0]), rows)
    else:
        lines = [json.dumps({name: cell for name, cell in row.items() if cell is not None}) for row in rows]
        path.write_text("\n".join(lines) if ending == "jsonl" else f"[{','.join(lines)}]", encoding="utf-8")
    found = summarise_rated_file(path, COLUMNS).as_json()
    assert found["groups"] == known["groups"] and found["pairs"] == known["pairs"]


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
    known, found = summarise_file(tmp_path / "pairs.csv").as_json(), summarise_file(path).as_json()
    same(known, found)
    chosen = summarise_file(path, Columns(where={"bias": "race"})).as_json()
    same(known["by_bias"]["race"] | {"p_adjusted": None}, chosen["by_bias"]["race"] | {"p_adjusted": None})


def test_files_that_are_none_and_models_that_are_mixed_are_refused(tmp_path: Path) -> None:
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(InvalidData, match="cannot be read as a Parquet file"):
        summarise_rated_file(tmp_path / "torn.parquet", COLUMNS)
    with pytest.raises(InvalidData, match="there is no such file"):
        summarise_rated_file(tmp_path / "none.parquet", COLUMNS)
    rows = [{**row, "model": f"m{place % 2}"} for place, row in enumerate(ratings())]
    with pytest.raises(InvalidData, match="the column `model` holds m0 and m1, which must not be mixed"):
        summarise_rated_file(write_rows(tmp_path / "mixed.parquet", rows), COLUMNS)


def test_names_are_never_read_as_sql(tmp_path: Path) -> None:
    odd = "o'; drop table x; --\" {table}"
    rows = [
        {odd: row["toxicity.linear.v1"], "group": f"{odd}{row['group']}", "origin": row["origin"]} for row in ratings()
    ]
    found = summarise_rated_file(write_rows(tmp_path / "rated.parquet", rows), RatedColumns(odd))
    assert all(group.startswith(odd) for group in found.summary.groups)


@pytest.mark.slow
def test_two_million_rows_are_summed_with_bounded_memory(tmp_path: Path) -> None:
    import numpy as np

    path, each, batches = tmp_path / "big.parquet", 500_000, 4
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
        "from tiltmeter.results.files.rated import summarise_rated_file\n"
        "from tiltmeter.results.files.rated_texts import RatedColumns\n"
        "found = summarise_rated_file(sys.argv[1], RatedColumns('value')).as_json()\n"
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
    assert kilobytes < 600_000


def test_an_object_where_a_column_may_be_missing_is_refused(tmp_path: Path) -> None:
    row = {"bias": "b", "attribute": "a", "stereotyped": 1}
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, [row, {**row, "template": {"x": 1}}])), encoding="utf-8")
    with pytest.raises(InvalidData) as raised:
        summarise_file(path)
    assert (raised.value.line, raised.value.key) == (2, "template")


def test_numbers_that_only_python_reads_and_spaces_that_only_python_strips(tmp_path: Path) -> None:
    values = ["−0.5", "\u00a00.25\u2003", "1e-3", ".5", "true", "1_000"]
    rows = [{"group": f"\u2003{'ab'[at % 2]} ", "origin": f"o{at}", "v": value} for at, value in enumerate(values)]
    write_csv(tmp_path / "v.csv", ["group", "origin", "v"], rows[:-1])
    found = summarise_rated_file(tmp_path / "v.csv", RatedColumns("v")).summary.groups
    assert {name: round(group.mean.value or 0, 6) for name, group in found.items()} == {"a": 0.167, "b": 0.375}
    write_csv(tmp_path / "w.csv", ["group", "origin", "v"], rows)
    with pytest.raises(InvalidData) as raised:
        summarise_rated_file(tmp_path / "w.csv", RatedColumns("v"))
    assert (raised.value.line, raised.value.key) == (7, "v")
