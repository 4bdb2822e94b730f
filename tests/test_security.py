"""docs/security.md names a test for each line, and the tests are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


@cache
def functions_of(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_named_test_is_there() -> None:
    assert len(NAMED) > 40
    missing = [
        f"{file}::{name}" for file, name in NAMED if name not in functions_of(file) or not name.startswith("test_")
    ]
    assert not missing


def test_every_line_of_a_table_names_one() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("|") and not re.match(r"\|(---| what is)", line)]
    assert len(lines) > 30
    assert not [line for line in lines if "::test_" not in line]


def test_whoever_looks_for_it_finds_it() -> None:
    assert "security.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in ("README.md", "CONTRIBUTING.md", "docs/workbench.md"):
        assert "security.md" in (ROOT / page).read_text(encoding="utf-8"), page
