"""The same report in every format: the same words and numbers, and no example text where it was not asked for."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiltmeter.report import FORMATS, Page, latex, make_page, markdown, write_formats
from tiltmeter.report.cells import Table
from tiltmeter.report.document import Bibliography, Document, Figure, Heading, Paragraph, Verbatim, plain
from tiltmeter.report.page_reader import read_page

from tests.report.synthetic import HOSTILE, Tilt, make_run
from tests.report.test_page import Page as Parsed
from tiltmeter.errors import MissingExtra, UnknownName, UserError
from tiltmeter.present.words import p_value, percent, percent_range, signed
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run

pytest.importorskip("vl_convert")
pytest.importorskip("typst")

TILTS = (
    Tilt("gender-professions", 0.9, terms=6, title="Gender and professions", control=True),
    Tilt("hostile", 0.2, terms=6, title=HOSTILE),
    Tilt("flowers-insects", 2.0, terms=6, title="Flowers and insects", benchmark=True),
)
EXAMPLE = "likes gender-professions set-1"

Runs = list[tuple[Run, RunSummary]]


@pytest.fixture(scope="module")
def runs() -> Runs:
    run = make_run(Path("nowhere"), tilts=TILTS, models=("alpha-135m",), scorers=("causal.sum.v1", "causal.mean.v1"))
    return [(run, summarise_run(run))]


@pytest.fixture(scope="module")
def page(runs: Runs) -> Page:
    return make_page(runs)


@pytest.fixture(scope="module")
def document(page: Page) -> Document:
    return read_page(page.html, page.figures)


@pytest.fixture(scope="module")
def folder(runs: Runs, page: Page, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("formats")
    write_formats(runs, out, FORMATS, page=page)
    return out


def tables(document: Document) -> list[Table]:
    return [block for block in document.blocks if isinstance(block, Table)]


def estimates(found: Any) -> Iterator[dict[str, Any]]:
    """Every estimate that a summary has of its biases, as JSON."""
    for cell in found["cells"]:
        yield from cell["headline_by_bias"].values()


def test_the_document_has_every_table_and_figure_of_the_page(page: Page, document: Document) -> None:
    parsed = Parsed(page.html)
    assert len(tables(document)) == len(parsed.all("table")) > 5
    shown = [block for block in document.blocks if isinstance(block, Figure)]
    assert [block.file for block in shown] == [found["data-file"] for found in parsed.all("figure")]
    assert {block.file for block in shown} == set(page.figures)


def test_the_document_has_every_word_of_the_page(page: Page, document: Document) -> None:
    shown = Parsed(re.sub(r"<(nav|footer|head|svg)\b.*?</\1>", "", page.html, flags=re.DOTALL))
    page_words = set(" ".join(shown.words).split())
    blocks = document.shown(with_texts=True)
    told = markdown.write_markdown(document, blocks, "f")
    # What is there for the eye or the hand has no place on paper: a column of bars, the link that opens a warning.
    missing = [word for word in page_words if markdown.escaped(word) not in told and word.isalpha()]
    assert set(missing) <= {"Show", "them", "bar"}


def test_numbers_of_the_summary_stand_in_markdown_and_latex(runs: Runs, folder: Path) -> None:
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in ("report.md", "report.tex")}
    found = list(estimates(runs[0][1].as_json()))
    assert len(found) == 6
    for one in found:
        words = [
            percent(one["value"]),
            percent_range(one["low"], one["high"]),
            p_value(one["p_adjusted"]),
            str(one["n"]),
        ]
        for word in words:
            assert markdown.escaped(word) in texts["report.md"]
            assert latex.escaped(word) in texts["report.tex"]


def test_the_rows_of_the_largest_table_are_those_of_the_summary(runs: Runs, document: Document) -> None:
    [found] = [one for one in tables(document) if one.caption.startswith("Share of pairs in which")]
    names = [column.label for column in found.columns]
    rows = [dict(zip(names, (cell.text for cell in row), strict=True)) for row in found.rows]
    expected = [(one, bias) for one in runs[0][1].cells for bias in one.summary.headline_by_bias]
    assert len(rows) == len(expected)
    for row, (cell, bias) in zip(rows, expected, strict=True):
        one, plain = cell.summary.headline_by_bias[bias], cell.summary.by_bias[bias]
        assert (row["Value"], row["Interval"]) == (percent(one.value), percent_range(one.low, one.high))
        assert row["Unbalanced"] == percent(plain.value)
        assert (row["Pairs"], row["Unscored"]) == (f"{one.n:,}", f"{one.n_unscored:,}")
        assert row["Margin"] == signed(cell.summary.margin_by_bias[bias].value)


def test_formats_have_the_same_tables(document: Document, folder: Path) -> None:
    told, typeset = ((folder / name).read_text(encoding="utf-8") for name in ("report.md", "report.tex"))
    for found in tables(document):
        assert markdown.table(found) in told
        assert latex.long_table(found) in typeset
    assert told.count("\n|---") + told.count("\n|--:") == len(tables(document))
    assert typeset.count(r"\begin{longtable}") == typeset.count(r"\end{longtable}") == len(tables(document))


def test_headings_are_those_of_the_page(document: Document, folder: Path) -> None:
    titles = [plain(block.text) for block in document.blocks if isinstance(block, Heading) and block.level == 1]
    assert titles[0] == "Which conclusions survive"
    assert {"Result", "Limitations", "Methods", "What was run"} <= set(titles)
    told = (folder / "report.md").read_text(encoding="utf-8")
    assert [line[3:] for line in told.split("\n") if line.startswith("## ")] == [
        markdown.escaped(one) for one in titles
    ]


def test_files_that_are_named_are_there(folder: Path) -> None:
    told, typeset = ((folder / name).read_text(encoding="utf-8") for name in ("report.md", "report.tex"))
    for pattern, text in ((r"\]\((figures/[^)]+)\)", told), (r"\{(figures/[^}]+)\}", typeset)):
        named = re.findall(pattern, text)
        assert named and all((folder / name).stat().st_size > 500 for name in named)


def test_works_are_cited_by_the_keys_of_the_bibliography(document: Document, folder: Path) -> None:
    typeset = (folder / "report.tex").read_text(encoding="utf-8")
    cited = {key for keys in re.findall(r"\\cite\{([^}]+)\}", typeset) for key in keys.split(",")}
    works = re.findall(r"\\bibitem\{([^}]+)\}", typeset)
    entries = re.findall(r"@misc\{([^,]+),", (folder / "report.bib").read_text(encoding="utf-8"))
    [block] = [one for one in document.blocks if isinstance(one, Bibliography)]
    assert cited == set(works) and works == entries == [key for key, _ in block.works]
    assert "Caliskan, Bryson & Narayanan (2017)" in " ".join(plain(text) for _, text in block.works)


def test_hostile_names_are_text_in_all_formats(folder: Path) -> None:
    told, typeset = ((folder / name).read_text(encoding="utf-8") for name in ("report.md", "report.tex"))
    assert "<img" not in told and "<script" not in told and "](javascript" not in told
    assert markdown.escaped(HOSTILE) in told and latex.escaped(HOSTILE) in typeset
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_examples_of_texts_are_written_where_they_are_asked_for(runs: Runs, page: Page, folder: Path, tmp_path: Path):
    write_formats(runs, tmp_path, ["md", "latex", "pdf"], page=page, with_texts=True)
    for name in ("report.md", "report.tex"):
        plain_file, full = ((one / name).read_text(encoding="utf-8") for one in (folder, tmp_path))
        assert EXAMPLE not in plain_file and "Content warning" not in plain_file
        assert full.index("Appendix: example texts") < full.index("Content warning") < full.index(EXAMPLE)
    assert len((tmp_path / "report.pdf").read_bytes()) > len((folder / "report.pdf").read_bytes())
    html = page.html
    assert html.index('<details class="warning">') < html.index(EXAMPLE)
    assert '<details class="warning" open' not in html


def test_tints_have_a_sign_where_there_is_no_colour(document: Document, folder: Path) -> None:
    marks = {cell.mark for found in tables(document) for row in found.rows for cell in row}
    told = (folder / "report.md").read_text(encoding="utf-8")
    assert ("above" in marks) == (" ↑" in told)
    assert told.index("it has ↑ here") < told.index("| ")


def test_nothing_is_written_where_a_package_is_missing(
    runs: Runs, page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(MissingExtra, match=r"pip install 'tiltmeter\[report\]'"):
        write_formats(runs, tmp_path / "new", ["html", "md", "pdf"], page=page)
    assert not (tmp_path / "new").exists()


def test_a_format_that_does_not_exist_is_refused(runs: Runs, page: Page, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="there is no format `markdown`"):
        write_formats(runs, tmp_path / "new", ["html", "markdown"], page=page)
    assert not (tmp_path / "new").exists()


def test_name_and_figures_can_be_called_otherwise(runs: Runs, page: Page, tmp_path: Path) -> None:
    written = write_formats(runs, tmp_path, ["md"], page=page, name="paper", figures="drawn")
    assert written == [tmp_path / "paper.md"]
    assert "](drawn/" in written[0].read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drawn", "paper.md"]


def test_a_folder_that_a_file_could_not_name_is_quoted_or_refused(runs: Runs, page: Page, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="LaTeX cannot find figures in `a%b`"):
        write_formats(runs, tmp_path / "new", ["md", "latex"], page=page, figures="a%b")
    assert not (tmp_path / "new").exists()
    [written] = write_formats(runs, tmp_path, ["md"], page=page, figures="a b")
    assert "](a%20b/" in written.read_text(encoding="utf-8") and (tmp_path / "a b").is_dir()


def test_an_element_that_nobody_knows_is_refused() -> None:
    def html(inner: str) -> str:
        return f"<header><p>report</p><h1>t</h1></header><main><h2>s</h2>{inner}</main>"

    with pytest.raises(ValueError, match="<video>"):
        read_page(html("<video></video>"), {})
    with pytest.raises(ValueError, match="text outside a paragraph"):
        read_page(html("<div>lost</div>"), {})
    with pytest.raises(ValueError, match="<table> in a line"):
        read_page(html("<p>a <table></table></p>"), {})


def test_the_study_keeps_its_lines(runs: Runs, document: Document) -> None:
    study = [block.text for block in document.blocks if isinstance(block, Verbatim)]
    assert study == [runs[0][0].meta["study"]]


@pytest.mark.slow
def test_several_runs_stand_side_by_side(runs: Runs, tmp_path: Path) -> None:
    run, summary = runs[0]
    other = replace(run, folder=Path("elsewhere"))
    written = write_formats([(run, summary), (other, summary)], tmp_path, ["md", "card"])
    assert {path.name for path in written} == {
        "report.md",
        "card-alpha-135m-synthetic-nowhere.md",
        "card-alpha-135m-synthetic-nowhere.html",
        "card-alpha-135m-synthetic-elsewhere.md",
        "card-alpha-135m-synthetic-elsewhere.html",
    }
    assert "alpha-135m (synthetic, elsewhere)" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_paragraphs_keep_what_they_are(document: Document) -> None:
    kinds = {block.kind for block in document.blocks if isinstance(block, Paragraph)}
    assert {"", "lead", "sentence", "basis", "opening"} <= kinds
