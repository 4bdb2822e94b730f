"""What a run found, as one file in its folder: the findings as records, and the page that the workbench shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tiltmeter.files import whole_file
from tiltmeter.present.blocks import Document, Examples, as_json, from_json
from tiltmeter.present.reported import Reported
from tiltmeter.present.verdicts import finding_json

FINDINGS = "findings.json"
"""The name of the file in a run folder."""
VERSION = 6
"""Of the form of the file: one of another version is made anew."""


def findings_of(found: Reported, page: Document) -> dict[str, Any]:
    """The findings of one run, and its page without texts of a model."""
    run, summary = found.runs[0]
    return {
        **mark_of(run.meta),
        "study": summary.study,
        "missing": list(summary.missing),
        "instrument": summary.instrument.as_json(),
        "account": found.done.as_json(),
        "raters": [one.as_json() for one in summary.continuations.raters] if summary.continuations else [],
        "left_out": [one.as_json() for one in summary.continuations.left_out] if summary.continuations else [],
        "findings": [finding_json(one) for one in found.findings],
        "page": as_json(page.without(Examples)),
    }


def mark_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What tells whether a file is that of a run as it is now: its version, the plan, and when the run ended."""
    return {"version": VERSION, "fingerprint": meta["fingerprint"], "finished": meta.get("finished")}


def keep_findings(found: Mapping[str, Any], folder: Path) -> Path:
    """Put findings into a folder."""
    path = folder / FINDINGS
    with whole_file(path) as file:
        json.dump(found, file, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        file.write("\n")
    return path


def read_findings(folder: Path) -> dict[str, Any] | None:
    """The findings in a folder; None where there are none that can be read, or of another version."""
    try:
        found = json.loads((folder / FINDINGS).read_text(encoding="utf-8"))
        if not isinstance(found, dict) or found.get("version") != VERSION:
            return None
        page = from_json(found["page"])
    except (OSError, ValueError, KeyError):
        return None
    return {**found, "page": page} if isinstance(page, Document) else None
