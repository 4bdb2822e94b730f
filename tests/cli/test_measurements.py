"""`tiltmeter analyze --view measurements` on tables of other people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.slow

OWN = [
    {"topic": "age", "prompt": f"p{number}", "who": group, "stars": stars}
    for number, both in enumerate([(5, 2), (4, 3), (5, 2), (4, 2), (3, 1), (5, None)])
    for group, stars in zip(("young", "old"), both, strict=True)
]
NAMED = "bias=topic,origin=prompt,group=who,value=stars"


def test_a_table_of_anybody_is_read_by_the_names_of_its_columns(tiltmeter: Command, tmp_path: Path) -> None:
    """By hand: 26 / 6 and 10 / 5; the difference is 7/3, over six prompts of which one has one group."""
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, OWN)), encoding="utf-8")
    done = tiltmeter("analyze", "own.jsonl", "--view", "measurements", "--columns", NAMED, "--json")
    assert done.status == 0, done.err
    old, young, gap = done.json["cells"]
    assert (young["group"], young["value"], young["n"]) == ("young", pytest.approx(26 / 6), 6)
    assert (old["value"], old["n"], old["n_unscored"]) == (pytest.approx(2.0), 5, 1)
    assert (gap["figure"], gap["group"], gap["against"]) == ("difference", "old", "young")
    assert gap["value"] == pytest.approx(-7 / 3)
    assert gap["low"] < -7 / 3 < gap["high"] < 0
    assert gap["p_adjusted"] == gap["p"] < 0.05
    shown = tiltmeter("analyze", "own.jsonl", "--view", "measurements", "--columns", NAMED)
    assert shown.status == 0 and "-2.333" in shown.out.replace("−", "-")


@pytest.mark.parametrize(
    ("change", "arguments", "problem"),
    [
        ({}, (), "has no column `bias`"),
        ({}, ("--columns", "topic"), "write NAME=COLUMN"),
        ({}, ("--columns", f"{NAMED},shape=who"), "there is no column `shape`"),
        ({"stars": "many"}, ("--columns", NAMED), "own.jsonl, line 1, `stars`: 'many' is not a number"),
        ({"who": " "}, ("--columns", NAMED), "`who` is blank in 1 rows"),
        ({}, ("--columns", NAMED, "--where", "topic=height"), "there is no row with `topic` = `height`"),
    ],
)
def test_bad_input_is_one_sentence(
    tiltmeter: Command, tmp_path: Path, change: dict[str, object], arguments: tuple[str, ...], problem: str
) -> None:
    spoilt = [{**OWN[0], **change}, *OWN[1:]]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, spoilt)), encoding="utf-8")
    done = tiltmeter("analyze", "own.jsonl", "--view", "measurements", *arguments)
    assert (done.status, done.out) == (2, "")
    assert problem in done.err
