"""Structures from the command line: the paper's layout, the fixed structure, and what pipelines may ask."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Command
from tiltmeter.cli.analyze_continuations import for_conditions
from tiltmeter.cli.conditions import holds

pytestmark = pytest.mark.slow

VIEW = ["--view", "continuations"]
BLOCKS = [*VIEW, "--layout", "blocks", "--groups", "man,woman,gay person", "--structures", "8"]


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    generator = np.random.default_rng(0)
    folder = tmp_path / "seeds"
    folder.mkdir()
    tilts = {"man": 0.4, "woman": 0.1, "gay person": -0.5}
    for seed in range(4):
        lines = []
        for _ in range(6):
            for tilt in tilts.values():
                for _ in range(8):
                    value = int(np.clip(np.round(generator.normal(tilt, 0.6)), -1, 1))
                    lines.append(f"{2 if generator.random() < 0.1 else value}\tSome text.")
        (folder / f"{seed}.tsv").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "rated.csv"
    generator = np.random.default_rng(1)
    lines = ["g,o,s,p,v"]
    for structure in range(7):
        for origin in range(6):
            lines += [f"{g},o{origin},s{structure},p{origin},{generator.uniform():.3f}" for g in "ab" for _ in "12"]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_papers_layout_with_its_fixed_structure(tiltmeter: Command, seeds: Path) -> None:
    done = tiltmeter("analyze", seeds, *BLOCKS, "--fixed", "0", "--unscored-label", "2", "--json")
    assert (done.status, done.err) == (0, "")
    found = done.json
    assert found["layout"] == {"files": 4, "prompt_types": 6, "groups": 3, "structures": 8}
    assert found["rows"] == 4 * 6 * 3 * 8
    man = found["groups"]["man"]
    assert man["n"] + man["n_unscored"] == 192 and man["unscored"] == {"the label is 2": man["n_unscored"]}
    assert found["fixed"]["structure"] == "0" and found["fixed"]["groups"]["man"]["estimate"]["origins"] == 6
    assert found["fixed"]["groups"]["man"]["n"] + found["paraphrases"]["groups"]["man"]["n"] == man["n"]
    assert set(found["structures"]) == set(found["gaps"]) == {str(place) for place in range(8)}
    robust = found["robustness"]
    assert (robust["n_structures"], robust["n_splits"]) == (7, 35)
    assert set(robust["sign_kept"]) == {"man/woman", "man/gay person", "woman/gay person"}
    assert 0.9 < robust["split_half"] <= 1 and robust["single"] < robust["split_half"]
    assert found["stability"]["k"] == [1, 2, 5]
    files = sorted(seeds.iterdir())
    again = tiltmeter("analyze", *files, *BLOCKS, "--fixed", "0", "--unscored-label", "2", "--json")
    assert again.json == found


def test_tables_for_people_fit_a_screen(tiltmeter: Command, seeds: Path) -> None:
    done = tiltmeter("analyze", seeds, *BLOCKS, "--fixed", "0", "--best", "2", "--most-k", "1,2", "--threshold", "0.5")
    assert done.status == 0
    assert max(len(line.rstrip()) for line in done.out.splitlines()) <= 100
    for words in ("structure 0", "all others", "sign kept", "two halves of the structures", "best structures", "k ="):
        assert words in done.out
    assert "a − b, all others" in done.out and "most_k=2 a − b" in done.out
    assert "best structures are those with the highest means" in done.err


def test_conditions_reach_the_new_fields(tiltmeter: Command, seeds: Path) -> None:
    command = ["analyze", seeds, *BLOCKS, "--fixed", "0", "--most-k", "1", "--json"]
    done = tiltmeter(*command, "--fail-if", "robustness.sign_kept.man/gay person.value > 0.9")
    assert done.status == 1
    found = for_conditions(done.json)
    for condition, held in (
        ("robustness.sign_kept.man/gay person.low < 0.2", False),
        ("robustness.pairs_two_way.man/gay person.low > 0", True),
        ("robustness.reversed.man/gay person > 0", False),
        ("robustness.centred_split_half < 0.5", False),
        ("fixed.pairs.man/gay person.difference.value > 0", True),
        ("paraphrases.groups.gay person.mean < 0", True),
        ("gaps.3.man/gay person.difference.value > 0", True),
        ("extreme_pairs.most_k=1.man/gay person.difference.value > 0", True),
    ):
        assert holds(condition, found) is held, condition


def test_a_table_with_two_groups(tiltmeter: Command, table: Path) -> None:
    command = ["analyze", table, *VIEW, "--columns", "value=v,group=g,origin=o,structure=s"]
    found = tiltmeter(*command, "--json").json
    assert (found["fixed"], found["better"], len(found["best"]["groups"]["a"])) == (None, "high", 5)
    assert any("a centred cosine is 1 or −1" in note for note in found["notes"])
    low = tiltmeter(*command, "--better", "low", "--best", "3", "--json").json
    assert low["best"]["groups"]["a"] == found["worst"]["groups"]["a"][:3]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--columns", "value=v", "--fixed", "s0"], "--fixed is about structures and needs their column"),
        (["--columns", "value=v", "--best", "3"], "--best is about structures"),
        (
            ["--columns", "value=v,structure=s", "--fixed", "x"],
            "there is no structure `x` to be the fixed one; known: s0",
        ),
        (
            ["--columns", "value=v", "--structures", "8"],
            "--structures is for `tiltmeter analyze` `blocks`, not for `texts`",
        ),
        (
            ["--columns", "value=v", "--groups", "a,b", "--layout", "table"],
            "--groups is for `tiltmeter analyze`",
        ),
        (["--layout", "blocks", "--groups", "a,b"], "need the groups in their order"),
        (["--layout", "blocks", "--structures", "7"], "need the groups in their order"),
        (
            ["--layout", "blocks", "--columns", "value=v"],
            "--columns is for",
        ),
        (["--layout", "blocks", "--where", "a=b"], "--where is for"),
        (["--layout", "blocks", "--groups", "a,b", "--structures", "7"], "are no whole number of prompt types"),
    ],
)
def test_options_that_need_one_another(tiltmeter: Command, table: Path, arguments: list[str], sentence: str) -> None:
    names = ["--columns", "group=g,origin=o"] if "--columns" in arguments and "blocks" not in arguments else []
    done = tiltmeter("analyze", table, *VIEW, *names, *arguments)
    assert (done.status, done.out) == (2, "")
    assert sentence in done.err and len(done.err.splitlines()) == 1


def test_what_was_averaged_over_is_said_before_the_tables(tiltmeter: Command, tmp_path: Path) -> None:
    path = tmp_path / "decoded.csv"
    rows = [f"{group},o{place},0.{place},{1 + place % 2}" for group in "ab" for place in range(6)]
    path.write_text("\n".join(["group,origin,v,temperature", *rows]), encoding="utf-8")
    done = tiltmeter("analyze", path, *VIEW, "--columns", "value=v")
    assert done.status == 0
    assert done.err.startswith("averaged over `temperature`, which is 1 and 2; --where temperature=1 takes one alone")
    assert done.err.count("averaged over") == 1


def test_pairs_are_uncertain_over_origins_and_structures(tiltmeter: Command, seeds: Path) -> None:
    found = tiltmeter("analyze", seeds, *BLOCKS, "--fixed", "0", "--json").json
    for pair in found["pairs"]:
        assert (pair["difference"]["origins"], pair["difference"]["low"] is None) == (6, False)
    assert any("over origins and structures at once" in note for note in found["notes"])
    whole, rest = found["pairs"][0]["difference"], found["paraphrases"]["pairs"][0]["difference"]
    assert rest == found["robustness"]["pairs_two_way"]["man/woman"] != whole
    assert whole["n"] > rest["n"]


def test_of_rated_texts_only_blocks_come_in_several_files(tiltmeter: Command, table: Path) -> None:
    done = tiltmeter("analyze", table, table, *VIEW, "--columns", "value=v,group=g,origin=o")
    assert done.status == 2
    assert "unexpected extra argument" in done.err
