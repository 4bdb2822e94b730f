"""Labels of people for the sentences of a run: which sentence each belongs to, and how far people and audit agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.records import Pair
from tiltmeter.results.cells import Table
from tiltmeter.results.items import Judged, flags
from tiltmeter.results.measurements.columns import HUMAN
from tiltmeter.sources.generated.annotations import (
    ISSUES,
    Annotations,
    import_annotations,
    majority,
    sheet_rows,
)
from tiltmeter.sources.generated.pairs import sentence_of
from tiltmeter.sources.tables import read_table
from tiltmeter.stats.agreement.annotators import Detection, LabelAgreement, agreement_by_label, detections


@dataclass(frozen=True, slots=True)
class Labels:
    """The sheets of some annotators, and the text that each sentence had on the sheet."""

    annotations: Annotations
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PeopleSummary:
    """What people said about the sentences of one source, and how far they agree, with one another and the audit."""

    annotators: Mapping[str, int]
    """How many of the sentences each of them judged."""
    sentences: int
    unjudged: int
    tied: int
    """Sentences with an issue that exactly half of those who judged it found: not a label."""
    agreement: Sequence[LabelAgreement]
    audit: Sequence[Detection]
    """The audit held against the majority; empty where the sentences were not audited."""

    def as_json(self) -> dict[str, Any]:
        """The summary as the run folder keeps it."""
        return {
            **asdict(self),
            "audit": [asdict(one) | {"precision": one.precision, "recall": one.recall} for one in self.audit],
        }


def read_labels(paths: Sequence[str | Path]) -> Labels:
    """Read the sheets that came back, one for each annotator."""
    annotations = import_annotations(paths)
    texts: dict[str, str] = {}
    for path in paths:
        for _, row in sheet_rows(path, read_table(path)[1]):
            name, text = row["id"], " ".join(row.get("text", "").split())
            before = texts.get(name) or text
            if text and before != text:
                raise InvalidData(
                    f"the id `{name}` has another text than in the sheets before it; "
                    "sheets on the sentences of different runs go into different reports",
                    file=path,
                )
            texts[name] = before
    return Labels(annotations, texts)


def matched(labels: Labels, pairs: Sequence[Pair]) -> dict[str, str]:
    """The id on the sheets for every pair whose sentence they hold.

    A sheet on several sources has the source before the id. The text must be the same as well: another run has other
    sentences under the same ids.
    """
    found = {}
    for pair in pairs:
        if pair.written_for:
            bare = sentence_of(pair)
            name = next((name for name in (f"{pair.source}:{bare}", bare) if name in labels.texts), None)
            if name is not None and labels.texts[name].split() in ([], written_text(pair).split()):
                found[pair.id] = name
    return found


def labels_by_people(table: Table) -> Annotations:
    """What each annotator found in written sentences, by pair."""
    raters = dict.fromkeys(cell.rater for cell in table.by_people("pairs"))
    found = {rater.removeprefix(f"{HUMAN}:"): flags(table, rater) or {} for rater in raters}
    return Annotations({name: {pair: frozenset(own[pair]) for pair in own} for name, own in found.items()})


def judged_by_people(table: Table) -> Judged | None:
    """The issues that most annotators found, by pair; a pair that nobody judged is not there."""
    return majority(labels_by_people(table)).labels or None


def summarise_people(said: Annotations, pairs: Sequence[Pair], audit: Judged | None) -> PeopleSummary | None:
    """Agreement on the sentences of one source; None where nobody judged any of them."""
    # With several comparisons a sentence makes several pairs.
    names = {pair.id: sentence_of(pair) for pair in pairs}
    sheets = {
        annotator: {names[pair]: issues for pair, issues in found.items() if pair in names}
        for annotator, found in said.by_annotator.items()
    }
    by_majority = majority(Annotations(sheets))
    if not by_majority.labels:
        return None
    by_audit = {} if audit is None else {name: audit[pair] for pair, name in names.items() if pair in audit}
    by_audit = {name: issues for name, issues in by_audit.items() if name in by_majority.labels}
    sentences = len(set(names.values()))
    return PeopleSummary(
        annotators={annotator: len(found) for annotator, found in sheets.items()},
        sentences=sentences,
        unjudged=sentences - len(by_majority.labels),
        tied=len(by_majority.tied),
        agreement=agreement_by_label(sheets, ISSUES),
        audit=detections(by_majority.labels, by_audit, ISSUES) if by_audit else (),
    )


def written_text(pair: Pair) -> str:
    """The text of a pair that was written; the other was made from it."""
    return pair.texts[pair.groups.index(pair.written_for)] if pair.written_for in pair.groups else pair.texts[0]
