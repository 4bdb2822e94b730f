"""Runs that are made up, with findings worked out and just enough of a ledger for the pages of results."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tests.present.completions import DECODINGS, STRUCTURES, Lean, make_rated_run
from tests.present.next_words import PROFESSIONS, make_asked_run
from tests.present.synthetic import SCORERS, TILTS, make_run
from tests.store.broken import rewritten
from tiltmeter.present.kept import findings_of, keep_findings
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.results import summarise_run
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.store import LEDGER, Run
from tiltmeter.store.run_folder import record_made_files

FINISHED = "2026-11-16T02:28:00+00:00"
RATERS = ("sentiment.vader.v1", "sentiment.minilm.v1", "toxicity.linear.v1", "refusal.v5")
LABOUR = tuple(Occupation(name.title(), number / 25, 100.0) for number, name in enumerate(PROFESSIONS[1:9]))


def make_whole_run(folder: Path) -> Run:
    """A finished run with all three views, as small as can be; names in it are hostile."""
    rated = make_rated_run(
        folder,
        sources=("rephrased",),
        decodings=DECODINGS[:2],
        raters=RATERS,
        openers=5,
        samples=1,
        lean=Lean({"sentiment.vader.v1": -0.2, "toxicity.linear.v1": 0.1}),
        structures=STRUCTURES[:5],
    )
    paired = make_run(folder, models=tuple(rated.facts), tilts=(TILTS[0], *TILTS[-2:]), scorers=SCORERS[:2])
    asked = make_asked_run(
        folder,
        models=tuple(rated.facts),
        labour=LABOUR,
        professions=PROFESSIONS[:6],
        perturbations=("original", "person", "start", "openers"),
    )
    resolved = {**paired.meta["resolved"], "next_words": asked.meta["resolved"]["next_words"]}
    meta = {**paired.meta, "resolved": resolved, "finished": FINISHED}
    return replace(paired, meta=meta, continuations=rated.continuations, next_words=asked.next_words)


def keep(run: Run) -> None:
    """Write the findings of a run, and what a ledger says of it."""
    run.folder.mkdir(parents=True, exist_ok=True)
    keep_meta(run)
    found = Reported.of([(run, summarise_run(run))])
    record_made_files(run.folder, [keep_findings(findings_of(found, report(found)), run.folder)])


def keep_meta(run: Run) -> None:
    """Write a ledger that says which run it is, and holds nothing."""
    run.folder.mkdir(parents=True, exist_ok=True)
    (run.folder / LEDGER).unlink(missing_ok=True)
    with rewritten(run.folder / LEDGER) as database:
        database.execute("create table meta (key text primary key, value text not null)")
        rows = [(key, json.dumps(value)) for key, value in run.meta.items()]
        database.executemany("insert into meta values (?, ?)", rows)
