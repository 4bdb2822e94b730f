"""`tiltmeter report`: the report of one run, or of several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.console import JsonOption, print_json, read_run, say
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import refuse_links_in

if TYPE_CHECKING:
    from tiltmeter.results import Labels, RunSummary
    from tiltmeter.store import Run


class Format(StrEnum):
    """The formats of a report; said here again, since its package is imported when it is needed."""

    HTML = "html"
    PDF = "pdf"
    MD = "md"
    LATEX = "latex"
    NOTEBOOK = "notebook"
    CARD = "card"


def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", metavar="RUN…")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The report file; default: report.html in the (first) run folder."),
    ] = None,
    formats: Annotated[
        list[Format] | None,
        typer.Option("--format", help="The format; may be repeated.", show_default="html"),
    ] = None,
    with_texts: Annotated[
        bool,
        typer.Option(
            "--with-texts",
            help="Also put example texts, some of them offensive, into an appendix of the other formats.",
        ),
    ] = False,
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            "--labels",
            metavar="SHEET",
            help="A sheet of the run's sentences filled in by an annotator; once for each annotator.",
        ),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(
            "--ratings",
            metavar="SHEET",
            help="Human ratings of the models' texts: a CSV with id, value and annotator; may be repeated.",
        ),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option("--sheet", help="Write a sheet of texts for people to rate instead of a report.", metavar="SHEET"),
    ] = None,
    sample: Annotated[int, typer.Option("--sample", min=1, help="Number of texts in the sheet.")] = 100,
    parquet: Annotated[bool, typer.Option("--parquet", help="Also export the tables as Parquet.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the report of a run, with figures and tables, or of several runs side by side.

    --format chooses html (one file), pdf, md and latex (with the figures beside them, and BibTeX), notebook (for
    Jupyter), card (a bias card of each model, as Markdown and HTML). With several formats, or one other than html,
    --out gives the folder and the name; the format sets the suffix.

    For two runs with one model each, a second page shows what differs between them, as `tiltmeter compare` does.

    --labels adds annotators' marks on written sentences: their effect on the score, and agreement with the audit.
    --ratings adds human ratings of the models' texts, as one more rater.
    """
    from tiltmeter.results import read_labels, summarise_run
    from tiltmeter.results.tables import write_parquet
    from tiltmeter.store.run_folder import record_made_files

    read = [read_run(folder) for folder in runs]
    if sheet:
        _write_sheet(read, sheet, sample, as_json)
        return
    found = read_labels(labels) if labels else None
    if found:
        _check_labels(found, read)
    pairs = [(run, summarise_run(run, found)) for run in read]
    if ratings:
        pairs = _with_people(pairs, ratings)
    names = [str(one) for one in dict.fromkeys(formats or [Format.HTML])]
    written = _write_reports(pairs, out, names, with_texts)
    page = next((path for path in written if path.name.endswith(".html") and not path.name.startswith("card")), None)
    differences = _write_differences(read, page) if page else None
    if parquet:
        for run, summary in pairs:
            refuse_links_in(run.folder, "tables")
            record_made_files(run.folder, map(Path, write_parquet(run, summary, run.folder / "tables")))
    if as_json:
        others = {"files": [str(path) for path in written]} if names != ["html"] else {}
        one = {"report": str(page)} if page else {}
        print_json({**one, **others, **({"differences": str(differences)} if differences else {})})
    else:
        for path in written:
            typer.echo(f"{'card' if path.name.startswith('card') else 'report'}: {path}")
        if differences:
            typer.echo(f"differences: {differences}")


def _write_reports(
    runs: Sequence[tuple[Run, RunSummary]], out: Path | None, formats: Sequence[str], with_texts: bool
) -> list[Path]:
    """Write every format that was asked for; the page last, since the others can fail for want of a package."""
    from tiltmeter.present.card import write_cards
    from tiltmeter.present.files import write_page, write_run
    from tiltmeter.present.formats import Named, write
    from tiltmeter.present.report import report
    from tiltmeter.present.reported import Reported

    whole = out is None and len(runs) == 1
    base = out or runs[0][0].folder / ("report.html" if whole else "comparison.html")
    figures = "figures" if whole else f"{base.stem}-figures"
    others = [name for name in formats if name not in ("html", "card")]
    found = Reported.of(runs)
    page = report(found)
    named = Named(base.stem, figures, tuple(run.folder for run, _ in runs))
    written = write(page, base.parent, others, with_texts=with_texts, named=named)
    if "card" in formats:
        written += write_cards(found, base.parent)
    if "html" not in formats:
        return written
    if whole:
        return [write_run(*runs[0], found), *written]
    html = base if formats == ["html"] else base.with_suffix(".html")
    write_page(page, html, figures=html.parent / figures)
    return [html, *written]


def _write_differences(runs: Sequence[Run], page: Path) -> Path | None:
    """What differs between two runs, as a page beside that of both; where they cannot be compared, it says why."""
    if len(runs) != 2:
        return None
    if any(len(run.facts) > 1 for run in runs):
        say(
            "note: runs of several models are not compared here; `tiltmeter compare RUN_A RUN_B --model A "
            "--model B --html FILE` compares two"
        )
        return None
    from tiltmeter.present.files import write_page
    from tiltmeter.present.sections.comparing.comparison import comparison
    from tiltmeter.results.compare.runs import compare_runs

    try:
        found = compare_runs(runs)
    except UserError as problem:
        say(f"note: the runs are not compared: {problem}")
        return None
    out = page.with_name(f"{page.stem}-differences.html")
    write_page(comparison(found), out, figures=out.with_name(f"{out.stem}-figures"))
    return out


def _write_sheet(runs: Sequence[Run], sheet: Path, sample: int, as_json: bool) -> None:
    from tiltmeter.results import write_sheet

    if len(runs) != 1 or runs[0].continuations is None:
        raise UserError("--sheet needs one run with [continuations]")
    texts = write_sheet(runs[0], sheet, sample, seed=int(runs[0].meta["resolved"]["seed"]))
    if as_json:
        print_json({"sheet": str(sheet), "texts": texts})
    else:
        typer.echo(f"sheet: {sheet} ({texts} texts)")


def _with_people(pairs: Sequence[tuple[Run, RunSummary]], sheets: Sequence[Path]) -> list[tuple[Run, RunSummary]]:
    """The summaries again, with the ratings of people; refuses sheets that fit no text of the runs."""
    from tiltmeter.results import read_ratings, summarise_continuations

    people = read_ratings(sheets)
    made = [(run, replace(summary, continuations=summarise_continuations(run, people))) for run, summary in pairs]
    said = [summary.continuations.people for _, summary in made if summary.continuations]
    if not any(said):
        raise InvalidData(
            "no rated row of the sheets has the id of a text of the run; `tiltmeter report RUN --sheet SHEET` "
            "writes a sheet that fits"
        )
    missing = len(people.texts) - sum(one.texts + one.unrated for one in said if one)
    if missing > 0:
        say(
            f"{missing} of {len(people.texts)} rated texts are skipped: the run has no such id, or another text under "
            "it"
        )
    return made


def _check_labels(labels: Labels, runs: Sequence[Run]) -> None:
    """Refuse sheets of which no row fits a sentence of the runs; say how many rows do not."""
    from tiltmeter.results.summary.labels import matched

    fitting = {name for run in runs for name in matched(labels, run.pairs).values()}
    judged = labels.annotations.ids
    if not judged:
        raise InvalidData("no row of the sheets is marked; write x under an issue, or under `none`")
    missing = sum(name not in fitting for name in judged)
    if missing == len(judged):
        raise InvalidData(
            "no judged row of the sheets has the id and the text of a sentence of the run; `tiltmeter sentences "
            "sheet RUN --out SHEET` writes a sheet that fits"
        )
    if missing:
        say(
            f"{missing} of {len(judged)} judged sentences are skipped: the run has no such id, or another text under it"
        )
