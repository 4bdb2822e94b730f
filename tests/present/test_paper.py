"""Blocks as Markdown, LaTeX, PDF and lines of a terminal: text stays text in each."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from tests.present.every_block import MEDIA, document_of, spans, table_of, terminal_text
from tests.present.hostile import STRINGS
from tests.present.realistic import report
from tiltmeter.present import latex, markdown, paper, pdf
from tiltmeter.present.asset import asset
from tiltmeter.present.blocks import (
    Column,
    Document,
    Prose,
    References,
    Section,
    Table,
    TableCell,
    Verbatim,
    text,
    visible,
)

pytestmark = pytest.mark.usefixtures("tiny_drawings")


@pytest.mark.parametrize("words", STRINGS)
def test_hostile_text_does_nothing_to_a_terminal(words: str) -> None:
    made = terminal_text(document_of(words))
    assert not any(sign in made for sign in "\u202e\u2066\x07\x1b\x00\u2028")


def test_a_terminal_loses_no_characters() -> None:
    columns = tuple(Column(f"column {number}") for number in range(9))
    wide = Table("c", columns, (tuple(TableCell("abcdefghijkl") for _ in columns),))
    assert sum(map(terminal_text(Document("T", "", (wide,)), width=90).count, "abcdefghijkl")) >= 9 * 12


@pytest.mark.parametrize("words", STRINGS)
def test_markdown_takes_text_for_text(words: str) -> None:
    made = markdown.escaped(words)
    assert not re.search(r"(?<!\\)[`*_\[\]|~$]", made)
    assert "<" not in made and ">" not in made and "@" not in made and "://" not in made
    assert "\n" not in made and not any(sign in made for sign in "\u202e\u2066\x07\x1b\x00\u2028")
    document = Document("t", "s", tuple(Prose(spans(words)) for _ in range(2)))
    told = markdown.write_markdown(document, "f").split("\n\n")[2:]
    assert not [line for line in told if re.match(r"\s*([-+=#>]|\d+[.)])(\s|$)", line)]
    unfenced = re.sub(r"(?ms)^(`{3,})\n.*?\n\1$", "", MEDIA["markdown"](document_of(words)))
    assert len([line for line in unfenced.split("\n") if line.startswith("#")]) == 5


@pytest.mark.parametrize("words", STRINGS)
def test_a_cell_of_markdown_is_one_cell(words: str) -> None:
    lines = markdown.table(table_of(words)).split("\n")
    rows = [line for line in lines if line.startswith("|")]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [4, 4, 4, 4]
    assert len(lines) == 6


def test_code_in_markdown_is_fenced_by_more_than_it_holds() -> None:
    made = MEDIA["markdown"](document_of("a ``` b"))
    assert "````a ``` b````" in made
    assert "````\na ``` b\n````" in made


@pytest.mark.parametrize("words", STRINGS)
def test_latex_takes_text_for_text(words: str) -> None:
    made = latex.escaped(words)
    commands = set(re.findall(r"\\([a-zA-Z]+)", made))
    mathematics = {"approx", "leq", "geq", "pm", "times", "div", "cdot", "frac", "surd", "leftrightarrow"}
    letters = {name for name in commands if name.startswith("text")}
    assert commands <= letters | mathematics | {"allowbreak", "othersign", "ldots", "S", "uparrow", "downarrow"}
    bare = re.sub(r"\\[a-zA-Z]+|\\.|\$[^$]*\$", "", made)
    assert not set(bare) & set('%$#&_^\\"<>|`')
    assert made.count("{") - made.count(r"\{") == made.count("}") - made.count(r"\}")
    assert max(map(len, re.sub(r"\\allowbreak\{\}", " ", made).split()), default=0) < 300
    whole = MEDIA["latex"](document_of(words))
    for key in re.findall(r"\\(?:cite|bibitem)\{([^}]*)\}", whole):
        assert re.fullmatch(r"[A-Za-z0-9:.,-]+", key)


def test_a_bracket_is_no_option_of_latex() -> None:
    assert latex.long_table(table_of("[2cm]")).count(r"\\[") == 0
    assert not re.search(r"\\item\s*\[x", MEDIA["latex"](document_of("[x]")))


def test_bibtex_has_what_is_known_and_no_more() -> None:
    fields: tuple[dict[str, str], ...] = ({"author": "A B and others", "year": "2020", "title": "50% {"}, {})
    made = latex.bibtex(Document("t", "", (References((("y2020", text("w")), ("x", text("Own words"))), fields),)))
    assert "@misc{y2020,\n  author = {{A B} and others},\n  year = {2020},\n  title = {{50\\% \\{}},\n}" in made
    assert "@misc{x,\n  title = {{Own words}},\n}" in made


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_hostile_text_compiles(tmp_path: Path) -> None:
    made = re.sub(r"\\includegraphics\[.*?\]\{.*?\}", "", MEDIA["latex"](document_of(*STRINGS)))
    (tmp_path / "r.tex").write_text(made, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")


def test_signs_that_do_something_are_spelled_out() -> None:
    assert visible("a\u202eb\x00\u2028") == "a[U+202E]b[U+0000][U+2028]"
    assert visible("क्\u200dष 👩\u200d🔬") == "क्\u200dष 👩\u200d🔬"


def test_a_table_with_many_columns_needs_the_long_side() -> None:
    columns = tuple(Column(f"column {number}") for number in range(12))
    wide = Table("c", columns, (tuple(TableCell("w" * 20) for _ in columns),))
    assert paper.is_wide(wide) and r"\begin{landscape}" in latex.long_table(wide)
    assert not paper.is_wide(table_of("short"))
    assert paper.column_widths(table_of("short"))[0] == len("short")


def test_the_template_of_the_pdf_reads_nothing_as_markup() -> None:
    template = asset("report.typ")
    assert not re.search(r"\beval\s*\(|#include|#import|\bread\s*\(|\bplugin\s*\(", template)
    assert template.count("sys.inputs") == 1


def test_hostile_text_becomes_a_pdf_all_the_same() -> None:
    pytest.importorskip("typst")
    made = pdf.write_pdf(document_of(*STRINGS))
    assert made.startswith(b"%PDF") and len(made) > 10_000


ACTIVE = ("JavaScript", "JS", "Launch", "URI", "EmbeddedFile", "OpenAction", "AA", "SubmitForm", "GoToR", "RichMedia")
PDF_STRINGS = (
    "/OpenAction << /S /JavaScript /JS (app.alert(1)) >> /AA",
    ") >> endstream endobj trailer << /Root 1 0 R /OpenAction 2 0 R >> %%EOF (",
    '#link("javascript:alert(1)")[x] #image("/etc/passwd") #json("/etc/passwd") #eval("1")',
    "\ud800half\udfff \x00 \ufffe",
)


@pytest.mark.parametrize("words", PDF_STRINGS)
def test_hostile_text_stays_text_inside_the_pdf(words: str) -> None:
    pytest.importorskip("typst")
    made = pdf.write_pdf(document_of(words, "end"))
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", made, re.DOTALL)
    rest = re.sub(rb"stream\r?\n.*?\r?\nendstream", b"", made, flags=re.DOTALL)
    # Strings are text, whatever they say, with brackets in them as well; and so is the description in XML.
    whole = b"\n".join([rest, *(held for held in map(_unpacked, streams) if b"<?xpacket" not in held)])
    names, before = whole, b""
    while names != before:
        before, names = names, re.sub(rb"\((?:\\.|[^\\()])*\)", b"", names, flags=re.DOTALL)
    assert not [name for name in ACTIVE if re.search(rb"/%s\b" % name.encode(), names)]
    assert made.rstrip().endswith(b"%%EOF") and b"root:x:" not in whole


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return b""


@pytest.mark.slow
def test_a_text_without_end_is_cut_in_the_pdf() -> None:
    pytest.importorskip("typst")
    blocks = (Prose(text("x" * 300_000)), Verbatim("a " * 300_000), table_of("y" * 300_000))
    assert pdf.write_pdf(Document("t", "s", blocks)).startswith(b"%PDF")


def test_a_pdf_can_be_read_aloud() -> None:
    pytest.importorskip("typst")
    made = pdf.write_pdf(report())
    assert b"pdfuaid" in made and b"/Alt" in made
    assert made == pdf.write_pdf(report())


def test_a_section_begins_a_page_where_it_says_so() -> None:
    pytest.importorskip("typst")

    def pages(new_page: bool) -> int:
        sections = tuple(Section(name, (Prose(text(name)),), new_page=new_page) for name in "abc")
        made = pdf.write_pdf(Document("t", "s", (Prose(text("first")), *sections)))
        return len(re.findall(rb"/Type\s*/Page\b", made))

    assert (pages(False), pages(True)) == (1, 4)


def test_no_heading_is_left_alone_before_a_new_page() -> None:
    inner = tuple(Section(name, (Prose(text(name)),), new_page=True) for name in "ab")
    flat = list(pdf._flat(paper.pages_of(Document("t", "", (Section("Both", inner),))), 1))
    assert [one["new_page"] for one in flat if one["kind"] == "heading"] == [True, False, True]
