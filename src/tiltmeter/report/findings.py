"""What a run found, as one file of figures and words: what the workbench draws without reading a single text.

The file grows with the cells of a run, never with its texts. Numbers that are undefined are null, and each row says
which model, source, bias, decoding, rater or scorer it is of, so that it can be filtered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tiltmeter.files import whole_file
from tiltmeter.report.contents import Contents
from tiltmeter.report.decodings import decoding_words, rater_words
from tiltmeter.report.findings_curves import curves_found
from tiltmeter.report.findings_pairs import pairs_found
from tiltmeter.report.findings_texts import texts_found
from tiltmeter.report.findings_words import words_found
from tiltmeter.report.series import make_series, short_scorer
from tiltmeter.report.view_agreement import views_view
from tiltmeter.report.words import instrument_words
from tiltmeter.results import RunSummary
from tiltmeter.results.account import account
from tiltmeter.results.findings.findings import Findings
from tiltmeter.store import Run
from tiltmeter.store.run_folder import note_made

FINDINGS = "findings.json"
"""The name of the file in a run folder."""
VERSION = 3
"""Of the form of the file: one of another version is made anew."""


def findings_of(run: Run, summary: RunSummary, answered: Findings) -> dict[str, Any]:
    """Everything that was found; `answered` is the multiverse of the same run."""
    series = make_series([(run, summary)])
    contents = Contents(series)
    decodings, raters = (run.continuations.decodings, run.continuations.raters) if run.continuations else ((), ())
    return {
        **mark_of(run.meta),
        "study": summary.study,
        "missing": list(summary.missing),
        "names": {
            "models": {name: one.family for name, one in summary.facts.items()},
            "biases": {bias: contents.label(bias) for bias in _biases(summary, answered)},
            "decodings": [decoding_words(one, decodings) for one in decodings],
            "raters": {one.name: rater_words(one.name) for one in raters},
            "scorers": {cell.scorer: short_scorer(cell.scorer) for cell in summary.cells},
        },
        "instrument": {**summary.instrument.as_json(), "said": list(instrument_words(summary.instrument))},
        "account": account([(run, summary)], answered).as_json(),
        "survives": curves_found(run, summary, answered, contents.label),
        "pairs": pairs_found(contents),
        "texts": texts_found(run, summary.continuations, contents.label),
        "words": words_found(series, contents.label),
        "views": _views(summary, contents),
    }


def mark_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What tells whether a file of findings is that of a run as it stands: its version, the plan, and when it ended."""
    return {"version": VERSION, "fingerprint": meta["fingerprint"], "finished": meta.get("finished")}


def write_findings(run: Run, summary: RunSummary, answered: Findings) -> Path:
    """Put the findings into the run's own folder."""
    path = keep_findings(findings_of(run, summary, answered), run.folder)
    note_made(run.folder, [path])
    return path


def keep_findings(found: Mapping[str, Any], folder: Path) -> Path:
    """Put findings into a folder."""
    path = folder / FINDINGS
    with whole_file(path) as file:
        json.dump(found, file, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        file.write("\n")
    return path


def read_findings(folder: Path) -> dict[str, Any] | None:
    """The findings of a run folder; None where there are none that can be read, or of another version."""
    try:
        found = json.loads((folder / FINDINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("version") == VERSION else None


def _biases(summary: RunSummary, answered: Findings) -> list[str]:
    named = [bias for cell in summary.cells for bias in cell.summary.headline_by_bias]
    named += [cell.bias for cell in (summary.continuations.cells if summary.continuations else ())]
    named += [cell.bias for cell in (summary.next_words.cells if summary.next_words else ())]
    return list(dict.fromkeys([*named, *(one.question.bias for one in answered.findings)]))


def _views(summary: RunSummary, contents: Contents) -> dict[str, Any] | None:
    shown = views_view([summary.views], contents.label)
    if shown is None or summary.views is None:
        return None
    return {
        "sentence": shown.sentence,
        "readings": [
            {
                "model": one.model,
                "bias": one.bias,
                "view": one.view,
                **one.found.as_json(),
                "note": one.found.note,
                "place": dict(one.place),
            }
            for one in summary.views.readings
        ],
        "correlations": asdict(shown.correlations),
        "apart": list(shown.disagreements),
    }
