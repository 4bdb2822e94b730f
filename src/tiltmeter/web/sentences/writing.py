"""The process that writes a set of sentences and looks for issues: `python -m tiltmeter.web.sentences.writing FOLDER`.

Started again it goes on; where the sentences are there, it only looks for issues that nobody has looked for yet.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
from dataclasses import asdict, replace
from pathlib import Path

from tiltmeter.engine.executor import Executor
from tiltmeter.engine.review import Auditor
from tiltmeter.engine.sentences import accounts_as_json, audit_problem, refuse_nothing, write_order
from tiltmeter.errors import RunError, TiltmeterError
from tiltmeter.files import whole_file
from tiltmeter.models import ModelSettings
from tiltmeter.models.api import accounts
from tiltmeter.progress import Progress
from tiltmeter.records import Written
from tiltmeter.sources.generated import read_sentences
from tiltmeter.store import ANSWERS, ProgressFile, locked
from tiltmeter.web.jobs import SAID
from tiltmeter.web.sentences.findings import Audited, read_findings, write_findings
from tiltmeter.web.sentences.folder import ACCOUNT, DROPPED, SENTENCES, WRITTEN
from tiltmeter.web.sentences.requests import known_specs, read_request, write_request

_AT_ONCE = 16
"""Sentences that are audited before the progress is told."""


def write_set(folder: Path, own: dict[str, Path] | None = None) -> None:
    """Write the sentences of a set that are not written yet, and audit those that are not audited yet."""
    with ProgressFile(folder) as file, locked(folder):
        problem = audit_problem()
        if not (folder / SENTENCES).is_file():
            _write(folder, can_audit=not problem, progress=file)
        if problem:
            print(f"the audit cannot be used here, so no issues were looked for: {problem}", file=sys.stderr)
        else:
            _audit(folder, own or {}, file)


def _write(folder: Path, *, can_audit: bool, progress: Progress) -> None:
    wanted = read_request(folder)
    if wanted is None:
        raise RunError(f"`{folder.name}` has neither sentences nor an order for some")
    if wanted.judge is None:
        # Written down, so that whoever goes on asks for the same.
        wanted = replace(wanted, judge=can_audit)
        write_request(folder, wanted)
    order = wanted.order(folder)
    made, asked = write_order(order, folder / SENTENCES, folder / DROPPED, progress)
    found = {name: one.accounting for name, one in made.items()}
    refuse_nothing(found, wanted.by)
    spent = {name: asdict(one) for name, one in accounts(folder / ANSWERS).items()}
    with whole_file(folder / ACCOUNT) as file:
        json.dump(accounts_as_json(found, replace(asked, by=wanted.by), spent), file, ensure_ascii=False)
    shutil.copyfile(folder / SENTENCES, folder / WRITTEN)


def _audit(folder: Path, own: dict[str, Path], progress: Progress) -> None:
    known = known_specs(folder, own)
    kept = [one for one in read_sentences(folder / SENTENCES, known) if one.dropped is None]
    findings = dict(read_findings(folder))
    todo = [one for one in kept if Audited.of(one) not in findings]
    if not todo:
        return
    auditor = Auditor({spec.name: spec for spec in reversed(known)}, None, Executor(ModelSettings()))
    progress.start("looking for issues", len(kept), len(kept) - len(todo))
    for start in range(0, len(todo), _AT_ONCE):
        some: list[Written] = todo[start : start + _AT_ONCE]
        for sentence, found in zip(some, auditor.findings(some), strict=True):
            findings[Audited.of(sentence)] = found
        write_findings(folder, findings)
        progress.advance(len(some))


def main() -> None:
    """Write the set of the folder that the command line names."""
    if len(sys.argv) != 2:
        print("name the folder of a set: python -m tiltmeter.web.sentences.writing FOLDER", file=sys.stderr)
        raise SystemExit(2)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(sys.argv[1])
    specs = sorted((folder.parent.parent / "specs").glob("*.toml"))
    try:
        write_set(folder, {path.stem: path for path in specs})
    except (TiltmeterError, OSError) as problem:
        print(f"{SAID}{problem}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("stopped; what is finished stays, and a new start goes on from here", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
