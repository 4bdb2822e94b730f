"""The results of a run as a data-set folder of Hugging Face: Parquet files, and a card that says what they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import UserError
from tiltmeter.files import whole_file
from tiltmeter.parquet import quoted, write_parquet
from tiltmeter.present.blocks import (
    Block,
    Document,
    Facts,
    Listing,
    Notice,
    Prose,
    References,
    Section,
    Span,
    Verbatim,
    text,
)
from tiltmeter.present.card import front_matter, hub_facts, verdict_table
from tiltmeter.present.latex import bibtex
from tiltmeter.present.markdown import write_markdown
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.limits import limits, not_meant
from tiltmeter.present.sections.methods import methods
from tiltmeter.present.words import count, date_words, listed
from tiltmeter.results.cells import Table, table_of, table_with_texts
from tiltmeter.results.measurements import MADE
from tiltmeter.results.measurements.columns import AUDIT, HUMAN
from tiltmeter.results.summary.runs import summarise_run
from tiltmeter.store import Run
from tiltmeter.version import __version__

_WORDS = {"text", "other_text", "marks", "other_marks"}
"""Columns that hold the words of texts, or say where something is in them."""
_WITHHELD = {
    # That of a generated sentence is the sentence: which template it was can still be told.
    "template": "left(sha256(template), 12) AS template",
    # Why a sentence was flagged may quote it.
    "label": f"CASE WHEN rater = '{AUDIT}' OR starts_with(rater, '{HUMAN}:') THEN NULL ELSE label END AS label",
}
"""Columns without the words of texts, in SQL."""
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
_ABOUT = {
    "measurements": "every number with its labels and choices, or the reason why there is none",
    "items": "the pairs and prompts that were asked about",
    "texts": "what the models wrote",
}


@dataclass(frozen=True, slots=True)
class DatasetSettings:
    """What the user decides about a data set."""

    with_texts: bool = False
    """Whether the words of sentences and texts are in it, some of them offensive."""
    license: str = "unknown"


def write_dataset(run: Run, folder: Path, settings: DatasetSettings) -> None:
    """Write the tables of a run and their card into an empty folder."""
    if not settings.license.strip():
        raise UserError('the licence is blank; give one as the hub names it, e.g. "cc-by-4.0", or leave it "unknown"')
    table = table_with_texts(run)
    rows = {name: _write(table, name, folder, settings.with_texts) for name in _ABOUT}
    sizes = {name: number for name, number in rows.items() if number is not None}
    summary = summarise_run(run)
    found = Reported.of([(run, summary)])
    most = max(sizes.values())
    facts = {
        "license": settings.license,
        "pretty_name": f"Social bias in {listed(found.models)}: {summary.study}",
        "size_categories": [next((size for at, size in enumerate(_SIZES) if most < 1000 * 10**at), "n>1B")],
        **hub_facts(run),
        "configs": [
            {"config_name": name, "data_files": f"{name}.parquet", "default": name == "measurements"} for name in sizes
        ],
    }
    with whole_file(folder / "README.md") as file:
        file.write(f"{front_matter(facts)}\n{write_markdown(_card(found, run, sizes, settings), '')}")


def _write(table: Table, name: str, folder: Path, with_texts: bool) -> int | None:
    """Write one of the tables; how many rows it has, None where the run has no such table."""
    [(number,)] = table.tuples(f"SELECT count(*) FROM {quoted(name)}")
    if not number and name != "measurements":
        return None
    columns = dict(MADE[f"{name}.parquet"][0])
    chosen = "*"
    if not with_texts:
        columns = {column: kind for column, kind in columns.items() if column not in _WORDS}
        chosen = ", ".join(_WITHHELD.get(column, quoted(column)) for column in columns)
    write_parquet(folder / f"{name}.parquet", columns, table.stream(f"SELECT {chosen} FROM {quoted(name)}"))
    return int(number)


def _card(found: Reported, run: Run, sizes: dict[str, int], settings: DatasetSettings) -> Document:
    return Document(
        f"Social bias in {listed(found.models)}",
        f"Study “{found.summaries[0].study}”, {date_words(run.meta.get('finished'))}",
        tuple(_blocks(found, run, sizes, settings)),
    )


def _blocks(found: Reported, run: Run, sizes: dict[str, int], settings: DatasetSettings) -> Iterator[Block]:
    texts = (
        "Test sentences and what models wrote are in the tables. They may state stereotypes, insult or be hateful."
        if settings.with_texts
        else "The words of sentences and texts are left out, and templates are replaced by hashes. Names of groups and "
        "test words may still offend."
    )
    yield Notice(text(Span("Content warning.", "strong"), f" {texts}"))
    yield Prose(
        text(
            "Measurements of social bias, made by tiltmeter. Each row of ",
            Span("measurements", "code"),
            " is one number: it belongs to one group, or compares two. A value that is missing has its reason and is "
            "not zero.",
        )
    )
    yield Facts(tuple((name, text(f"{count(number, 'row')}: {_ABOUT[name]}")) for name, number in sizes.items()))
    yield Verbatim('from datasets import load_dataset\n\nload_dataset("FOLDER", "measurements")')
    if verdicts := verdict_table(found):
        yield Section("What was found", (verdicts,))
    meanings = dict.fromkeys(sentence for view in table_of(run).views for sentence in not_meant(view))
    yield Section("What the figures do not mean", (Listing(tuple(map(text, meanings))),))
    yield from limits(found)
    how = methods(found)
    yield from how
    yield Section("How to cite", (Verbatim(bibtex(Document("", "", (_work(found, run), *how)))),))


def _work(found: Reported, run: Run) -> References:
    """The data set itself as a work; who publishes it adds an author."""
    made = f"Data set made with tiltmeter {__version__}, fingerprint {run.meta['fingerprint'][:16]}"
    title = f"Social bias in {listed(found.models)}: {found.summaries[0].study}"
    fields = {"title": title, "year": str(run.meta.get("finished") or "")[:4], "howpublished": made}
    return References((("tiltmeter-run", text(title)),), (fields,))
