"""How benchmarks give account."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


def test_a_newer_account_takes_the_place_of_the_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import common  # type: ignore[import-not-found]

    monkeypatch.delitem(sys.modules, "common")
    results, history = tmp_path / "RESULTS.md", tmp_path / "HISTORY.md"
    results.write_text("# Results\n\n## 1 (`a.py`)\n\nold\n\n## 1 (`b.py`)\n\nother\n\n", encoding="utf-8")
    history.write_text("# Earlier\n\n", encoding="utf-8")
    common.keep(["## 2 (`a.py`)", "", "new"], results, history)
    assert results.read_text(encoding="utf-8") == "# Results\n\n## 1 (`b.py`)\n\nother\n\n## 2 (`a.py`)\n\nnew\n\n"
    assert history.read_text(encoding="utf-8") == "# Earlier\n\n## 1 (`a.py`)\n\nold\n\n"
    common.keep(["## 1 (`c.py`)", "", "first"], results, history)
    assert history.read_text(encoding="utf-8").count("## ") == 1


def test_every_benchmark_that_is_run_with_all_others_is_there() -> None:
    source = (BENCHMARKS / "run_all.py").read_text(encoding="utf-8")
    named = [part.split('"')[0].split()[0] for part in source.split('    "')[1:] if part.split('"')[0].split()]
    scripts = [name for name in named if name.endswith(".py")]
    assert len(scripts) > 5
    for script in scripts:
        assert '"--write"' in (BENCHMARKS / script).read_text(encoding="utf-8"), script
