"""The same blocks in every medium, in files, and as JSON."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.present.every_block import EXAMPLE, MEDIA, document_of
from tests.present.hostile import STRINGS
from tests.present.realistic import chart, report
from tiltmeter.errors import MissingExtra, UnknownName, UserError
from tiltmeter.present import formats
from tiltmeter.present.blocks import (
    Block,
    Chart,
    Column,
    Document,
    Example,
    Examples,
    Facts,
    Listing,
    Notice,
    Prose,
    References,
    Section,
    Table,
    TableCell,
    Verbatim,
    as_json,
    from_json,
    text,
)

pytestmark = pytest.mark.usefixtures("tiny_drawings")


@pytest.mark.parametrize("medium", MEDIA)
def test_every_block_is_in_every_medium(medium: str) -> None:
    def words(name: str) -> str:
        return f"Word{name}"

    kinds: dict[str, Block] = {
        "prose": Prose(text(words("prose"))),
        "notice": Notice(text(words("notice"))),
        "listing": Listing((text(words("listing")),)),
        "facts": Facts((("name", text(words("facts"))),)),
        "table": Table(words("table"), (Column(words("column")),), ((TableCell(words("cell"), words("small")),),)),
        "chart": Chart("c", words("chart"), {}, words("alternative"), text("caption")),
        "examples": Examples(words("examples"), ((words("about"), (Example("role", text(words("text")), "1"),)),)),
        "verbatim": Verbatim(words("verbatim"), words("label")),
        "references": References((("k", text(words("references"))),)),
        "section": Section(words("section"), (Prose(text(words("inner"))),), mark=words("mark")),
    }
    names = [*kinds, "column", "cell", "small", "alternative", "about", "text", "label", "inner", "mark"]
    made = MEDIA[medium](Document("T", "s", tuple(kinds.values()), (Section(words("last"), ()),)))
    # LaTeX has no place for an alternative text.
    left_out = {"alternative"} if medium == "latex" else set()
    assert {name for name in [*names, "last"] if words(name) not in made} == left_out


@pytest.mark.parametrize("medium", MEDIA)
def test_a_chart_added_to_a_section_appears_everywhere(medium: str) -> None:
    before = report()
    added = Chart("added", "An added chart", {"mark": "bar"}, "Its words")
    [first] = [one for one in before.blocks if isinstance(one, Section) and one.title == "Findings"]
    after = replace(before, blocks=(replace(first, blocks=(*first.blocks, added)),))
    assert "An added chart" not in MEDIA[medium](before)
    assert "An added chart" in MEDIA[medium](after)


def test_blocks_are_the_same_after_a_round_trip() -> None:
    for document in (report(), document_of(*STRINGS)):
        assert from_json(json.loads(json.dumps(as_json(document)))) == document


@pytest.mark.parametrize(
    "given",
    [
        {"block": "Prose", "text": "words"},
        {"block": "Prose", "text": [{"block": "Span", "text": 1}]},
        {"block": "Prose", "text": [], "kind": "script"},
        {"block": "Listing", "items": [[{"block": "Notice", "text": []}]]},
        {"block": "Facts", "rows": [["name"]]},
        {"block": "Section", "title": "t", "blocks": ["words"]},
        {"block": "Section", "title": "t", "blocks": [], "about": {"model": 1}},
        {"block": "Chart", "name": "n", "title": "t", "spec": [], "alternative": ""},
        {"block": "Unknown"},
        {"block": "Prose", "text": [], "more": ""},
    ],
)
def test_what_is_not_a_block_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not a block"):
        from_json(given)


def test_every_format_is_written_with_its_files(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    document = replace(report(), blocks=(*report().blocks, chart(name="../Forest"), chart(name="a/b")))
    written = formats.write(document, tmp_path, formats.FORMATS)
    assert [path.name for path in written] == ["report.html", "report.pdf", "report.md", "report.tex", "report.ipynb"]
    drawn = {"forest", "forest-2", "a-b"}
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"{n}.{e}" for n in drawn for e in ("png", "pdf")
    }
    for name, pattern in (("report.md", r"\]\((figures/[^)]+)\)"), ("report.tex", r"\{(figures/[^}]+)\}")):
        named = re.findall(pattern, (tmp_path / name).read_text(encoding="utf-8"))
        assert len(named) == 3 and all((tmp_path / one).is_file() for one in named)
    assert "@misc{caliskan2017," in (tmp_path / "report.bib").read_text(encoding="utf-8")


def test_example_texts_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    for with_texts in (False, True):
        for path in formats.write(report(), tmp_path, ["md", "latex", "html"], with_texts=with_texts):
            asked = with_texts or path.suffix == ".html"
            assert (EXAMPLE in path.read_text(encoding="utf-8")) == asked


def test_nothing_is_written_where_a_package_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(MissingExtra, match=r"pip install 'tiltmeter\[report\]'"):
        formats.write(report(), tmp_path / "new", ["html", "md", "pdf"])
    assert not (tmp_path / "new").exists()


def test_a_format_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="there is no format `markdown`"):
        formats.write(report(), tmp_path / "new", ["html", "markdown"])
    assert not (tmp_path / "new").exists()


def test_a_folder_that_a_file_could_not_name_is_quoted_or_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="LaTeX cannot find figures in `a%b`"):
        formats.write(report(), tmp_path / "new", ["md", "latex"], named=formats.Named(figures="a%b"))
    assert not (tmp_path / "new").exists()
    [written] = formats.write(report(), tmp_path, ["md"], named=formats.Named("paper", "a b"))
    assert written == tmp_path / "paper.md"
    assert "](a%20b/" in written.read_text(encoding="utf-8") and (tmp_path / "a b").is_dir()
