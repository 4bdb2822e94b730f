"""`tiltmeter analyze` on the Parquet tables of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.results.planted_studies import BOOKS, TOOLS, pairs_run

pytestmark = pytest.mark.slow


def test_exported_pairs_say_the_same_as_csv_and_as_parquet(tiltmeter: Command, tmp_path: Path) -> None:
    run = pairs_run(tmp_path, [(("he", "man"), TOOLS[:5], 1.0), (("she", "woman"), BOOKS[:3], 1.0)])
    assert tiltmeter("report", run.folder, "--parquet").status == 0
    known, found = (
        tiltmeter("analyze", run.folder / "tables" / f"pairs.{kind}", "--where", "scorer=causal.sum.v1", "--json").json
        for kind in ("csv", "parquet")
    )
    for part in ("headline", "headline_by_bias", "overall", "overall_cells", "overall_balanced", "by_bias"):
        assert found[part] == known[part]
    assert found["by_bias_balanced"] == known["by_bias_balanced"]
    cells = json.loads((run.folder / "summary.json").read_text(encoding="utf-8"))["cells"]
    [published] = [cell for cell in cells if "as-published" in cell["scorer"]]
    where = ("--where", f"scorer={published['scorer']}", "--json")
    for kind in ("csv", "parquet"):
        again = tiltmeter("analyze", run.folder / "tables" / f"pairs.{kind}", *where).json
        assert again["headline"]["value"] == published["headline"]["value"] == published["overall"]["value"]
    mixed = tiltmeter("analyze", run.folder / "tables" / "pairs.parquet")
    assert (mixed.status, mixed.out) == (2, "")
    assert "which must not be mixed: choose one with --where scorer=" in mixed.err
