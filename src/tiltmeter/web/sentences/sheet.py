"""The sentences of a set as the file has them, with the pairs that they make and what the audit found; and changes.

A change is a new file in the place of the old one, whole or not at all.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from tiltmeter.engine.executor import Executor
from tiltmeter.engine.review import Auditor
from tiltmeter.engine.sentences import audit_problem
from tiltmeter.errors import InvalidData, TiltmeterError, UserError
from tiltmeter.files import write_csv
from tiltmeter.models import ModelSettings
from tiltmeter.raters.issues import Finding
from tiltmeter.records import Pair, Spec, Written
from tiltmeter.sources.generated.checks import sentence_of
from tiltmeter.sources.generated.sentence_files import COLUMNS, STRUCK, as_written, sentence_rows
from tiltmeter.sources.generated.sentence_pairs import sentence_pairs
from tiltmeter.sources.tables import NumberedRow as TableRow
from tiltmeter.sources.tables import read_table
from tiltmeter.web.sentences.findings import Audited, Findings, read_findings, write_findings
from tiltmeter.web.sentences.folder import SENTENCES, WRITTEN
from tiltmeter.web.specs.text import fingerprint

MENDED = "mended by a reviewer"
"""What the strategy of a sentence ends in whose text somebody changed."""
_OURS = ("id", "text", "dropped", "strategy")
"""Columns of our own files that a change goes into."""
_LONGEST = 1_000
_CHANGING = Lock()


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence, the pairs it makes or why it makes none, and its issues."""

    number: int
    """Its place in the file."""
    sentence: Written
    pairs: tuple[Pair, ...]
    reason: str
    issues: tuple[Finding, ...] | None
    """None: nobody has looked for any."""
    written: str
    """What the model wrote, where that is not the text."""
    stamp: str
    """Another one means that somebody changed the row."""

    @property
    def is_struck(self) -> bool:
        """Whether it is no part of the test."""
        return self.sentence.dropped is not None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file of sentences that is looked at."""

    folder: Path
    specs: Sequence[Spec]
    columns: tuple[str, ...]
    lines: tuple[TableRow, ...]
    rows: tuple[Row, ...]

    def row(self, number: int) -> Row:
        """The sentence at a place in the file."""
        if not 0 <= number < len(self.rows):
            raise UserError(f"there is no sentence {number + 1:,} in this set; load the page again")
        return self.rows[number]


def read_sheet(folder: Path, specs: Sequence[Spec]) -> Sheet:
    """The sentences of a set; `specs` are those in which their biases are looked up."""
    path = folder / SENTENCES
    columns, lines = _table(path)
    missing = next((name for name in (*COLUMNS[:8], *_OURS) if name not in columns), None)
    if missing:
        raise InvalidData(f"has no column `{missing}`; a file that `tiltmeter sentences` wrote has it", file=path.name)
    return Sheet(folder, specs, tuple(columns), tuple(lines), tuple(_rows(folder, specs, columns, lines)))


def strike(sheet: Sheet, number: int, stamp: str) -> None:
    """Leave a sentence out of the test; it stays in the file."""
    _change(sheet, number, stamp, {"dropped": STRUCK})


def restore(sheet: Sheet, number: int, stamp: str) -> None:
    """Bring a sentence back that was left out."""
    _change(sheet, number, stamp, {"dropped": ""})


def mend(sheet: Sheet, number: int, stamp: str, text: str) -> None:
    """Change the text of a sentence; refuses what is no test sentence, and leaves everything as it was then."""
    before = sheet.row(number)
    words = " ".join(text.split())
    _check(before.sentence, words)
    changed = {"text": words, "strategy": _strategy(before, words), "dropped": ""}
    made = {row.number: row for row in _rows(sheet.folder, sheet.specs, sheet.columns, _with(sheet, number, changed))}
    if not made[number].pairs:
        raise UserError(f"Not saved: no counterpart can be made of this sentence: {made[number].reason}")
    lost = next((row for row in sheet.rows if row.pairs and not made[row.number].pairs), None)
    if lost is not None:
        raise UserError(
            f"Not saved: sentence {lost.number + 1:,} of the set makes the same two sentences; strike one of them"
        )
    if words != before.sentence.text and not audit_problem():
        auditor = Auditor({spec.name: spec for spec in reversed(sheet.specs)}, None, Executor(ModelSettings()))
        [found] = auditor.findings([made[number].sentence])
        _change(sheet, number, stamp, changed, {Audited.of(made[number].sentence): found})
    else:
        _change(sheet, number, stamp, changed)


def _strategy(before: Row, words: str) -> str:
    """How the sentence came to be, where it has these words now."""
    strategy = before.sentence.strategy
    if words == before.sentence.text:
        return strategy
    bare = strategy.removesuffix(MENDED).removesuffix(", ")
    if words == before.written:
        return bare
    return f"{bare}, {MENDED}" if bare else MENDED


def _check(sentence: Written, words: str) -> None:
    """The same that is asked of what a model writes."""
    if len(words) > _LONGEST:
        raise UserError(f"Not saved: the sentence has {len(words):,} characters; write at most {_LONGEST:,}")
    if any(unicodedata.category(sign) == "Cc" for sign in words):
        raise UserError("Not saved: the text holds a sign that cannot be seen; type it anew")
    found, reason = sentence_of(words, sentence.term, sentence.attribute)
    terms = f"`{sentence.term}` and `{sentence.attribute}`"
    if reason:
        raise UserError(f"Not saved: the text {_said(reason)}; write one whole sentence with {terms} in it")
    if found != words:
        raise UserError(f"Not saved: the text is more than one sentence; write one with {terms} in it")


def _said(reason: str) -> str:
    return reason if reason.startswith(("lacks", "repeats")) else f"is refused: {reason}"


def _change(sheet: Sheet, number: int, stamp: str, changed: Mapping[str, str], found: Findings | None = None) -> None:
    """Write the file anew with some cells of a row changed; refuses where somebody else changed the row."""
    with _CHANGING:
        columns, lines = _table(sheet.folder / SENTENCES)
        if number >= len(lines) or _stamp(lines[number][1]) != stamp:
            raise UserError(
                "Not saved: this sentence was changed elsewhere since the page was opened; load the page again"
            )
        if found:
            # What was found is kept by the text, so that it does no harm before the text is there.
            write_findings(sheet.folder, {**read_findings(sheet.folder), **found})
        cells = [{**row, **changed} if at == number else row for at, (_, row) in enumerate(lines)]
        write_csv(sheet.folder / SENTENCES, columns, cells, sheet=True)


def _table(path: Path) -> tuple[list[str], list[TableRow]]:
    columns, lines = read_table(path)
    return columns, list(as_written(path, columns, lines))


def _with(sheet: Sheet, number: int, changed: Mapping[str, str]) -> list[TableRow]:
    return [(line, {**cells, **changed} if at == number else cells) for at, (line, cells) in enumerate(sheet.lines)]


def _rows(folder: Path, specs: Sequence[Spec], columns: Sequence[str], lines: Sequence[TableRow]) -> list[Row]:
    path = folder / SENTENCES
    pairs: dict[int, list[Pair]] = defaultdict(list)
    reasons: dict[int, str] = {}
    for made in sentence_pairs(path, columns, lines, specs):
        if made.pair:
            pairs[made.line].append(made.pair)
        else:
            reasons.setdefault(made.line, made.reason or "")
    findings, written = read_findings(folder), _written(folder)
    found = []
    for number, read in enumerate(sentence_rows(path, columns, lines, specs)):
        sentence = read.sentence or _unreadable(read.cells)
        original = written.get(sentence.id, sentence.text)
        found.append(
            Row(
                number,
                sentence,
                tuple(pairs[read.line]),
                read.problem or reasons.get(read.line, ""),
                findings.get(Audited.of(sentence)),
                original if original != sentence.text else "",
                _stamp(read.cells),
            )
        )
    return found


def _unreadable(cells: Mapping[str, str]) -> Written:
    """A row that lacks something, as far as it goes."""
    return Written(
        id=cells.get("id", ""),
        bias=cells.get("bias", ""),
        text=cells.get("text", ""),
        group=cells.get("group", ""),
        term=cells.get("term", ""),
        attribute=cells.get("attribute", ""),
        attribute_set=cells.get("attribute_set", ""),
    )


def _written(folder: Path) -> dict[str, str]:
    """What the model wrote, by the id of the sentence; nothing where that is not known."""
    try:
        return {cells.get("id", ""): cells.get("text", "") for _, cells in _table(folder / WRITTEN)[1]}
    except TiltmeterError:
        return {}


def _stamp(cells: Mapping[str, str]) -> str:
    return fingerprint("\x1f".join(cells.get(name, "") for name in _OURS))
