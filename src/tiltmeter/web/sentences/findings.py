"""What the audit found in the sentences of a set, kept by what was audited: a text that changes has no findings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import UserError
from tiltmeter.files import read_text, whole_file
from tiltmeter.raters.issues import ISSUES, Finding
from tiltmeter.raters.issues import NAME as AUDIT
from tiltmeter.records import Written
from tiltmeter.web.sentences.folder import ISSUES as FILE


@dataclass(frozen=True, slots=True)
class Audited:
    """What the audit reads of a sentence."""

    bias: str
    term: str
    attribute: str
    text: str

    @classmethod
    def of(cls, sentence: Written) -> Audited:
        """That of a sentence."""
        return cls(sentence.bias, sentence.term, sentence.attribute, sentence.text)


Findings = Mapping[Audited, tuple[Finding, ...]]


def read_findings(folder: Path) -> Findings:
    """What was found, by the audit of this version; nothing where the file is none of ours."""
    try:
        data = json.loads(read_text(folder / FILE))
        if data["audit"] != AUDIT:
            return {}
        return {
            Audited(*(str(row[key]) for key in ("bias", "term", "attribute", "text"))): tuple(
                Finding(str(issue), str(because), float(score))
                for issue, because, score in row["issues"]
                if issue in ISSUES
            )
            for row in data["sentences"]
        }
    except (UserError, ValueError, TypeError, KeyError, RecursionError):
        return {}


def write_findings(folder: Path, findings: Findings) -> None:
    """Keep what was found."""
    rows = [
        {
            **{key: getattr(audited, key) for key in ("bias", "term", "attribute", "text")},
            "issues": [[one.issue, one.because, one.score] for one in found],
        }
        for audited, found in findings.items()
    ]
    with whole_file(folder / FILE) as file:
        json.dump({"audit": AUDIT, "sentences": rows}, file, ensure_ascii=False, indent=1)
