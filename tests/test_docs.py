"""What README, tutorial and how-to pages tell people to type: it is typed here.

Blocks marked `console` are carried out in an empty folder for each page; blocks with a title are files of that folder.
Blocks marked `sh` need what a test machine does not have (a server, a cluster, a large model): their commands and
options have to exist. The built-in model is replaced by a table, which takes no time; the tutorial has it as it is.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tests.models.conftest import wordpiece_tokenizer
from tests.raters.test_classifier import network
from tiltmeter.cli import app
from tiltmeter.sources.datasets.catalogue import DATASETS
from tiltmeter.sources.rephrased.asking import open_forms
from tiltmeter.sources.rephrased.pairing import closed
from tiltmeter.sources.rephrased.structures import structures
from tiltmeter.specs import load, names

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
HOW_TO = sorted((DOCS / "how-to").glob("*.md"))
PAGES = [ROOT / "README.md", *sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "cards")]
MODEL = "smollm2-135m"
FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(tiltmeter [^`]+)`")
SLOW_MODELS = {"test-sentences.md"}
"""Pages on what a table cannot do: write."""
TONE = ("negative", "neutral", "positive")
"""Classes of the classifier that the page on own raters has in its folder."""
TYPED = [ROOT / "README.md", *(page for page in HOW_TO if page.name not in SLOW_MODELS)]


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """The fenced blocks of a page: kind, title, text."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def commands(text: str) -> list[list[str]]:
    """The `tiltmeter` lines of a block, as arguments."""
    lines = [line.removeprefix("$ ") for line in text.replace("\\\n", " ").splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("tiltmeter ")]


def type_page(page: Path, monkeypatch: pytest.MonkeyPatch, folder: Path, model: str = MODEL) -> list[str]:
    """Carry out a page in a folder; what each command printed."""
    monkeypatch.chdir(folder)
    if page.name == "own-raters.md":
        tokenizer = wordpiece_tokenizer()
        network("bert", TONE, tokenizer, None).eval().save_pretrained(folder / "tone")
        tokenizer.save_pretrained(folder / "tone")
    said = []
    for kind, title, text in blocks(page):
        if title:
            (folder / title).write_text(text.replace(MODEL, model), encoding="utf-8")
        elif kind == "console":
            for arguments in commands(text):
                done = CliRunner().invoke(app, [one.replace(MODEL, model) for one in arguments])
                assert done.exit_code == 0, f"{page.name}: {arguments} said {done.output}"
                said.append(done.output)
    return said


@pytest.mark.slow
@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_what_pages_say_can_be_typed(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    type_page(page, monkeypatch, tmp_path, model="scripted")


@pytest.mark.slow
@pytest.mark.parametrize("page", [DOCS / "how-to" / name for name in sorted(SLOW_MODELS)], ids=lambda page: page.stem)
def test_what_how_to_pages_say_of_the_built_in_model(
    page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    type_page(page, monkeypatch, tmp_path)


@pytest.mark.slow
def test_the_tutorial_ends_in_the_verdict_that_it_shows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = DOCS / "tutorial.md"
    type_page(page, monkeypatch, tmp_path)
    assert (tmp_path / "runs" / "age" / "report.html").is_file()
    found = (tmp_path / "runs" / "age" / "findings.json").read_text(encoding="utf-8")
    [verdict] = re.findall(r"^Verdict: \*\*([a-z ]+)\*\*", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert f'"{verdict}"' in found


@pytest.mark.slow
def test_the_python_of_the_readme_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    [program] = [text for kind, _, text in blocks(ROOT / "README.md") if kind == "python"]
    exec(compile(program, "README.md", "exec"), {})
    assert re.search(r"\d+ % stereotyped|\d+% stereotyped", capsys.readouterr().out)


def test_the_readme_names_targets_of_make() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"^\$ make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_and_option_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    typed = [one for kind, _, block in blocks(page) if kind in ("", "sh", "console") for one in commands(block)]
    typed += [one for line in INLINE.findall(text) for one in commands(line)]
    for arguments in typed:
        command: Any = get_command(app)
        rest = list(arguments)
        while rest and rest[0] in getattr(command, "commands", {}):
            command = command.commands[rest.pop(0)]
        words = [one for one in rest if not one.startswith("-")]
        assert not words or not hasattr(command, "commands"), f"{page.name}: no such command: {arguments}"
        known = {"--help"} | {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        unknown = [one for one in rest if re.match(r"--?[a-z]", one) and one.partition("=")[0] not in known]
        assert not unknown, f"{page.name}: `{shlex.join(arguments)}` has {unknown}"


def test_every_link_leads_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            path, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            there = (page.parent / path).resolve() if path else page
            assert there.exists(), f"{page.name} links to {target}"
            if anchor and there.suffix == ".md":
                assert anchor in anchors(there), f"{page.name} links to {target}"


def anchors(page: Path) -> set[str]:
    """What headings of a page are called in addresses."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = [unicodedata.normalize("NFKD", one).encode("ascii", "ignore").decode().lower() for one in headings]
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", one).strip()) for one in plain}


def test_every_page_is_in_the_navigation() -> None:
    nav = re.split(r"^nav:\n", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.MULTILINE)[1]
    assert re.findall(r"^  - ([\w-]+):$", nav, re.MULTILINE) == ["Tutorial", "How-to", "Reference", "Explanation"]
    pages = set(re.findall(r"[\w/.-]+\.md", nav))
    there = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if page.parent.name != "cards"}
    assert pages == there | {"cards/index.md"}


def test_counts_of_the_library_agree() -> None:
    every, checks = len(names()), sum(load(name).benchmark for name in names())
    said = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{every} specs: {every - checks} social biases and {checks} instrument checks" in said
    for page in (ROOT / "README.md", *DOCS.glob("*.md"), *HOW_TO):
        for number in re.findall(r"library (?:has|of) (\d+) (?:specs|biases)", page.read_text(encoding="utf-8")):
            assert int(number) == every, page.name


def test_counts_of_structures_and_data_sets_agree() -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
    said = {int(one) for text in pages.values() for one in re.findall(r"up to (\d+) \[?sentence structures", text)}
    assert said == {len(structures()), len(closed()), len(open_forms())}
    assert all(f"`{name}`" in pages["data.md"] for name in DATASETS)
    assert len(re.findall(r"^\| `[\w-]+` \|.*\| \[", pages["data.md"], re.MULTILINE)) == len(DATASETS)
