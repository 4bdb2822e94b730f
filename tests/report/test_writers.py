"""Text stays text in every format, whatever is in it."""

from __future__ import annotations

import re
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest
from tiltmeter.report import latex, markdown
from tiltmeter.report.bibtex import bibtex
from tiltmeter.report.cells import Column, Table, TableCell
from tiltmeter.report.document import (
    Bibliography,
    Block,
    Document,
    Facts,
    Heading,
    Items,
    Paragraph,
    Span,
    Verbatim,
    stepped,
    visible,
)
from tiltmeter.report.references import Reference
from tiltmeter.report.rendering import asset
from tiltmeter.report.table_layout import column_widths, is_wide
from tiltmeter.report.typeset import write_pdf

from tests.report.hostile import STRINGS


def table_of(text: str, rows: int = 2) -> Table:
    row = (TableCell(text), TableCell("61.0 %", f"{text}\n(5)", mark="above"), TableCell(text, mark="opposed"))
    return Table(text, (Column(text), Column("Value", number=True), Column(text)), (row,) * rows)


def document_of(*texts: str) -> Document:
    blocks: list[Block] = []
    for text in texts:
        spans = tuple(Span(text, kind) for kind in ("", "code", "strong", "emphasis", "group", "attribute", "faint"))
        blocks += [
            Heading(1, (Span(text),)),
            *(Paragraph(spans, kind) for kind in ("", "lead", "sentence", "basis", "notice", "opening")),
            Items((spans, (Span(text),))),
            Facts((((Span(text),), spans), ((), spans))),
            table_of(text),
            Verbatim(text),
        ]
    works = (("a1", (Span(texts[0]),)),)
    blocks += [Paragraph((Span("[1]", "cite", ("a1",)),)), Bibliography(works)]
    return Document(texts[0], texts[-1], tuple(blocks))


@pytest.mark.parametrize("text", STRINGS)
def test_markdown_takes_text_for_text(text: str) -> None:
    made = markdown.escaped(text)
    assert not re.search(r"(?<!\\)[`*_\[\]|~$]", made)
    assert "<" not in made and ">" not in made and "@" not in made and "://" not in made
    assert "\n" not in made and not any(sign in made for sign in "\u202e\u2066\x07\x1b\x00\u2028")
    document = document_of(text)
    paragraphs = [one for one in document.blocks if isinstance(one, Paragraph) and not one.kind]
    told = markdown.write_markdown(document, paragraphs, "f").split("\n\n")[2:]
    assert not [line for line in told if re.match(r"\s*([-+=#>]|\d+[.)])(\s|$)", line)]


@pytest.mark.parametrize("text", STRINGS)
def test_a_cell_of_markdown_is_one_cell(text: str) -> None:
    lines = markdown.table(table_of(text)).split("\n")
    rows = [line for line in lines if line.startswith("|")]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [4, 4, 4, 4]
    assert len(lines) == 6


def test_code_in_markdown_is_fenced_by_more_than_it_holds() -> None:
    document = document_of("a ``` b")
    assert "```` a ``` b ````" not in markdown.write_markdown(document, document.blocks, "f")
    assert "````a ``` b````" in markdown.write_markdown(document, document.blocks, "f")
    assert "````\na ``` b\n````" in markdown.write_markdown(document, document.blocks, "f")


@pytest.mark.parametrize("text", STRINGS)
def test_latex_takes_text_for_text(text: str) -> None:
    made = latex.escaped(text)
    commands = set(re.findall(r"\\([a-zA-Z]+)", made))
    mathematics = {"approx", "leq", "geq", "pm", "times", "div", "cdot", "frac", "surd", "leftrightarrow"}
    letters = {name for name in commands if name.startswith("text")}
    assert commands <= letters | mathematics | {"allowbreak", "othersign", "ldots", "S", "uparrow", "downarrow"}
    bare = re.sub(r"\\[a-zA-Z]+|\\.|\$[^$]*\$", "", made)
    assert not set(bare) & set('%$#&_^\\"<>|`')
    assert made.count("{") - made.count(r"\{") == made.count("}") - made.count(r"\}")
    assert max(map(len, re.sub(r"\\allowbreak\{\}", " ", made).split()), default=0) < 300


def test_a_bracket_is_no_option_of_latex() -> None:
    assert latex.long_table(table_of("[2cm]")).count(r"\\[") == 0
    document = document_of("[x]")
    assert not re.search(r"\\item\s*\[x", latex.write_latex(document, document.blocks, "f"))


def test_signs_that_do_something_are_spelled_out() -> None:
    assert visible("a\u202eb\x00\u2028") == "a[U+202E]b[U+0000][U+2028]"
    assert visible("क्\u200dष 👩\u200d🔬") == "क्\u200dष 👩\u200d🔬"


def test_no_heading_skips_a_level() -> None:
    given = [Heading(level, ()) for level in (3, 1, 4, 2, 3)]
    assert [one.level for one in stepped(given) if isinstance(one, Heading)] == [1, 1, 2, 2, 3]


def test_bibtex_holds_what_is_known_and_no_more() -> None:
    made = bibtex([Reference("x", r"50% \input{y} {"), Reference("y2020", "T", ("A", "others"), 2020)])
    assert r"title = {{50\% \textbackslash{}input\{y\} \{}}" in made
    assert "author = {{A} and others}," in made
    assert "howpublished" not in made and "@misc{x,\n  title" in made


def test_a_table_with_many_columns_lies_on_its_side() -> None:
    columns = tuple(Column(f"column {number}") for number in range(12))
    wide = Table("c", columns, (tuple(TableCell("w" * 20) for _ in columns),))
    assert is_wide(wide) and r"\begin{landscape}" in latex.long_table(wide)
    assert not is_wide(table_of("short"))
    assert column_widths(table_of("short"))[0] == len("short")


def test_the_template_of_the_pdf_reads_nothing_as_markup() -> None:
    template = asset("report.typ")
    assert not re.search(r"\beval\s*\(|#include|#import|\bread\s*\(|\bplugin\s*\(", template)
    assert template.count("sys.inputs") == 1


def test_hostile_text_becomes_a_pdf_all_the_same() -> None:
    pytest.importorskip("typst")
    document = document_of(*STRINGS)
    made = write_pdf(document, document.blocks)
    assert made.startswith(b"%PDF") and len(made) > 10_000


ACTIVE = ("JavaScript", "JS", "Launch", "URI", "EmbeddedFile", "OpenAction", "AA", "SubmitForm", "GoToR", "RichMedia")
PDF_STRINGS = (
    "/OpenAction << /S /JavaScript /JS (app.alert(1)) >> /AA",
    ") >> endstream endobj trailer << /Root 1 0 R /OpenAction 2 0 R >> %%EOF (",
    '#link("javascript:alert(1)")[x] #image("/etc/passwd") #json("/etc/passwd") #eval("1")',
    "\ud800half\udfff \x00 \ufffe",
)


@pytest.mark.parametrize("text", PDF_STRINGS)
def test_hostile_text_stays_text_inside_the_pdf(text: str) -> None:
    pytest.importorskip("typst")
    document = document_of(text, "end")
    made = write_pdf(document, document.blocks)
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
    document = Document(
        "t", "s", (Paragraph((Span("x" * 300_000),)), Verbatim("a " * 300_000), table_of("y" * 300_000))
    )
    assert write_pdf(document, document.blocks).startswith(b"%PDF")


def test_a_pdf_of_plain_text_can_be_read_aloud() -> None:
    pytest.importorskip("typst")
    document = document_of("Plain words", "and more")
    made = write_pdf(document, document.blocks)
    assert b"pdfuaid" in made
    assert made == write_pdf(document, document.blocks)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_hostile_text_compiles(tmp_path: Path) -> None:
    document = document_of(*STRINGS)
    (tmp_path / "r.tex").write_text(latex.write_latex(document, document.blocks, "f"), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")
    assert (tmp_path / "r.pdf").is_file()
