"""What blocks say, for tests to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tiltmeter.present.blocks import Block, Chart, Facts, Listing, Notice, Prose, Section, Table, Verbatim, each, plain
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.limits import limits
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.findings.findings import Findings
from tiltmeter.store import Run

NOTHING_ASKED = Findings((), 0)


def reported(run: Run, answered: Findings | None = None) -> Reported:
    """A run, its summary and its findings."""
    return Reported.of([(run, summarise_run(run))], answered)


def limits_of(run: Run, summary: RunSummary, answered: Findings | None = None) -> list[str]:
    """The limitations of a run."""
    [section] = limits(Reported.of([(run, summary)], answered))
    [listed] = each([section], Listing)
    return [plain(one) for one in listed.items]


def texts_of(blocks: Iterable[Block], *, folded: bool = True) -> Iterator[str]:
    """Every text of some blocks; with those of folded sections, or their titles alone."""
    for block in blocks:
        match block:
            case Prose(words) | Notice(words):
                yield plain(words)
            case Listing(items):
                yield from map(plain, items)
            case Facts(rows):
                yield from (f"{name} {plain(value)}" for name, value in rows)
            case Table(caption, columns, rows):
                yield from (caption, *(one.label for one in columns))
                yield from (text for row in rows for cell in row for text in (cell.text, cell.small))
            case Chart(title=title, caption=caption):
                yield from (title, plain(caption))
            case Verbatim(words, label):
                yield from (label, words)
            case Section():
                yield from (block.title, block.mark)
                if folded or not block.folded:
                    yield from texts_of(block.blocks, folded=folded)


def tables_of(blocks: Iterable[Block]) -> dict[str, Table]:
    """Tables by their captions."""
    return {one.caption: one for one in each(blocks, Table)}
