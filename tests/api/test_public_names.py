"""What is public: listed once, with an example that runs, types that say something, and a line in the changelog."""

from __future__ import annotations

import inspect
import re
import typing
from pathlib import Path
from typing import Any

import pytest

import tiltmeter as tm

ROOT = Path(__file__).resolve().parents[2]
NAMES = [name for name in tm.__all__ if name != "__version__"]
PAGES = [ROOT / "docs" / "api.md", ROOT / "docs" / "how-to" / "from-python.md"]
RECORDS = "tiltmeter.records", "tiltmeter.results.summary", "tiltmeter.stats"


def programs(page: Path) -> list[str]:
    """The blocks of a page that run here: those with a trainer have a test of their own."""
    found = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [one for one in found if "trainer = ..." not in one]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    for number, program in enumerate(programs(page)):
        # A function in a file can be hashed, one in a string cannot.
        file = tmp_path / f"block_{number}.py"
        file.write_text(program, encoding="utf-8")
        exec(compile(program, str(file), "exec"), known)
    assert known["tm"] is tm
    assert isinstance(known["run"], tm.Run)


def test_every_public_name_has_an_example() -> None:
    shown = "\n".join(programs(PAGES[0]))
    assert [name for name in tm.__all__ if not re.search(rf"\btm\.{name}\b", shown)] == []


def test_the_changelog_says_which_names_are_public() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    removed, named = set(), set()
    for line in text.splitlines():
        found = set(re.findall(r"`tm\.(\w+)[`(]", line))
        (removed if line.startswith("- Removed") else named).update(found)
    assert named - removed == set(NAMES), "name it in the changelog as `tm.NAME`, or in a line that begins with Removed"


def signatures() -> list[tuple[str, Any]]:
    found = []
    for name in NAMES:
        one = getattr(tm, name)
        if inspect.isfunction(one):
            found.append((name, one))
        elif one.__module__.startswith("tiltmeter.api."):
            own = [(key, value) for key, value in vars(one).items() if not key.startswith("_")]
            found += [(f"{name}.{key}", value) for key, value in own if inspect.isfunction(value)]
    return found


@pytest.mark.parametrize(("name", "function"), signatures(), ids=lambda one: one if isinstance(one, str) else "")
def test_signatures_say_what_they_take_and_give(name: str, function: Any) -> None:
    for parameter, kind in function.__annotations__.items():
        assert not re.search(r"\bAny\b", str(kind)), f"{name}: {parameter} is {kind}"
    parameters = inspect.signature(function).parameters.values()
    bare = [one.name for one in parameters if one.annotation is inspect.Parameter.empty and one.name != "self"]
    assert bare == []
    assert "return" in typing.cast(Any, function).__annotations__
