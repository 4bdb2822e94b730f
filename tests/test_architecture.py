"""The rules of the design that a reviewer would otherwise have to remember."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tiltmeter
from tiltmeter import registry
from tiltmeter.views import FACTS, VIEWS, View

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "tiltmeter"
SIBLINGS = ("specs", "sources", "models", "raters", "measures", "stats")
# What each part may import, besides itself; see docs/architecture.md.
GROUND = {
    "version",
    "errors",
    "records",
    "cache",
    "packages",
    "toml",
    "toml_writing",
    "amounts",
    "dialects",
    "text",
    "alignment",
    "formulas",
    "files",
    "addresses",
    "registry",
    "symmetry",
    "progress",
    "quietly",
    "processes",
    "products",
    "databases",
    "answers",
    "views",
    "parquet",
    "english",
    "parsing",
    "word_kinds",
    "calling",
    "replies",
}
ALLOWED = {
    "version": set(),
    "errors": set(),
    "records": {"errors"},
    "cache": set(),
    "calling": set(),
    "replies": set(),
    "packages": {"cache", "errors", "files"},
    "toml": {"errors", "text"},
    "toml_writing": set(),
    "amounts": set(),
    "dialects": {"errors", "text"},
    "text": set(),
    "alignment": set(),
    "formulas": set(),
    "files": {"errors", "dialects", "formulas", "text"},
    "addresses": {"errors", "files"},
    "registry": {"errors", "views"},
    "symmetry": {"records"},
    "progress": set(),
    "databases": set(),
    "answers": {"databases", "records"},
    "views": set(),
    "parquet": {"addresses", "errors"},
    "quietly": set(),
    "processes": set(),
    "products": set(),
    "english": {"records"},
    "parsing": {"errors", "packages"},
    "word_kinds": {"errors", "records", "english", "parsing"},
    **dict.fromkeys(SIBLINGS, GROUND),
    "study": GROUND | set(SIBLINGS),
    "store": GROUND | set(SIBLINGS) | {"study"},
    "engine": GROUND | set(SIBLINGS) | {"study", "store"},
    "results": GROUND | set(SIBLINGS) | {"study", "store"},
    "present": GROUND | set(SIBLINGS) | {"study", "store", "results"},
    "api": GROUND | set(SIBLINGS) | {"study", "store", "engine", "results", "present"},
    "web": GROUND | set(SIBLINGS) | {"study", "store", "engine", "results", "present", "api"},
    "cli": GROUND | set(SIBLINGS) | {"study", "store", "engine", "results", "present", "api", "web"},
    "__main__": {"cli"},
}
HEAVY = {"torch", "transformers", "ray", "scipy", "vl_convert", "duckdb", "spacy", "vaderSentiment", "onnxruntime"}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def imports(path: Path, *, top_level: bool = False) -> set[str]:
    """The modules that a file imports; with `top_level`, only those imported when it is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for child in ast.walk(node)
    }
    nodes = tree.body if top_level else [node for node in ast.walk(tree) if id(node) not in typing_only]
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            found |= {f"tiltmeter.{alias.name}" for alias in node.names} if module == "tiltmeter" else {module}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert part in ALLOWED, f"{part} has no place in the order of imports; give it one in docs/architecture.md and here"
    targets = {name.split(".")[1] for name in imports(path) if name.startswith("tiltmeter.")}
    assert targets - {part} <= ALLOWED[part]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_packages_are_imported_where_they_are_needed(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports(path, top_level=True)} & HEAVY


def test_help_imports_nothing_heavy() -> None:
    program = "import sys; sys.argv = ['tiltmeter', '--help']\nfrom tiltmeter.cli import main\n"
    # What takes long to import waits until a command needs it, so that every command begins at once.
    unwanted = HEAVY | {"numpy", "jinja2", "fastapi", "tiltmeter.engine", "tiltmeter.stats", "tiltmeter.results"}
    program += f"try: main()\nfinally: print('HEAVY', sorted({unwanted!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "HEAVY []" in done.stdout
    assert "demo" in done.stdout


def test_every_public_name_is_there_and_nothing_else() -> None:
    assert sorted(tiltmeter.__all__) == sorted({*tiltmeter._HOMES, "__version__"})
    for name in tiltmeter.__all__:
        assert getattr(tiltmeter, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tiltmeter.nonsense


# The cards of sources say for which view they are; a source that makes the same prompts for two views has one card.
_CARDS = {
    "pairs": ["source"],
    "continuations": ["prompt-source"],
    "next words": ["open-prompt-source", "prompt-source"],
    "choices": ["question-source"],
}


@pytest.mark.parametrize(
    ("noun", "view"), [*((noun, None) for noun in registry.TABLES), *(("source", v) for v in VIEWS)]
)
def test_every_registered_name_loads_and_has_a_card(noun: str, view: View | None) -> None:
    for name in registry.names(noun, view):
        assert registry.load(noun, name, view) is not None
        cards = [ROOT / "docs" / "cards" / f"{one}.{name}.md" for one in (_CARDS[view] if view else [noun])]
        card = next((path for path in cards if path.is_file()), cards[0])
        assert card.is_file(), f"{noun} {name} has no card: write {card.relative_to(ROOT)}"
        text = card.read_text(encoding="utf-8")
        for part in ("**Assumes**", "**Where it fails**", "**Citation**"):
            assert part in text, f"{card.name} does not say {part}"


def test_every_command_is_documented() -> None:
    from tiltmeter.cli import app

    commands = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    documented = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for command in commands:
        assert f"tiltmeter {command}" in documented, f"docs/commands.md does not mention `tiltmeter {command}`"


def test_the_page_of_commands_is_current() -> None:
    import runpy

    script = runpy.run_path(str(ROOT / "docs" / "write_commands.py"))
    current = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert current == script["page"](), "run `python docs/write_commands.py`"


def test_every_path_on_the_page_of_the_design_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+(?:/|\.py|\.toml))`", page))
    assert len(named) > 50
    assert sorted(one for one in named if not any((base / one).exists() for base in (PACKAGE, ROOT))) == []


def test_every_path_of_the_layout_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    layout = page.split("## Layout")[1].split("```")[1]
    checked, part = 0, ""
    for line in layout.splitlines():
        if found := re.match(r"  (\w+(?:/|\.py))\s", line):
            part = found[1]
        for name in re.findall(r"(?<![\w/.])([\w/]+(?:/|\.py))(?=[\s,;)]|$)", line):
            checked += 1
            places = (ROOT / name, PACKAGE / name, PACKAGE / part / name)
            assert any(place.exists() for place in places), f"the layout names {part}: {name}, which is not there"
    assert checked > 25


def test_what_the_facts_of_views_name_exists() -> None:
    from tiltmeter.measures.choices import BIAS_SCORE, CHOICE, CORRECT, LOG_ODDS, UNKNOWN
    from tiltmeter.measures.next_words import COMPARED
    from tiltmeter.measures.pairs import MARGIN, PREFERENCE
    from tiltmeter.results.measurements import columns
    from tiltmeter.results.views import RESULTS

    measures = {"pairs": (PREFERENCE.name, MARGIN.name), "continuations": (columns.RATING,)}
    measures["next words"] = tuple(one.name for one in COMPARED)
    measures["choices"] = (CHOICE.name, LOG_ODDS.name)
    assert {name: facts.measures for name, facts in FACTS.items()} == measures
    assert FACTS["next words"].further == (columns.PROBABILITY, columns.HIGHEST, columns.GAP)
    assert FACTS["choices"].further == (CORRECT.name, UNKNOWN.name, columns.REFUSED, BIAS_SCORE.name)
    for facts in FACTS.values():
        assert set(facts.choices) <= {*columns.CHOSEN, "decoding"}
        assert {*facts.tables, facts.lead} <= set(facts.measures)
    assert set(RESULTS) == set(FACTS)


def test_no_feature_names_a_view() -> None:
    """What differs between views is in their facts and in results/views; readers of runs' own parts are listed."""
    own = {"measurements", "views", "summary", "tables", "files"}
    known = {"account.py", "cells.py", "items.py", "findings/feasibility.py", "findings/view_agreement.py"}
    known |= {"compare/sides.py"}  # Whether a run is finished.
    for path in (PACKAGE / "results").rglob("*.py"):
        place = path.relative_to(PACKAGE / "results")
        if place.parts[0] not in own and place.as_posix() not in known:
            code = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            named = re.findall(r'"(?:pairs|continuations|next words|choices)"', code)
            assert not named, f"{place} names a view: {named}"


def test_every_part_of_the_package_is_on_the_page_of_the_design() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    parts = {path.name for path in PACKAGE.glob("*.py")} - {"__main__.py"}
    parts |= {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(part for part in parts if part not in page) == []
