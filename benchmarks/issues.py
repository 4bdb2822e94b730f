"""How well the audit finds the eight issues: precision, recall and AUC per issue.

Run `python benchmarks/issues.py [--fluency smollm2-135m] [--misses]`; its tables are in docs/raters.md, which says what
each part is. Rules and thresholds were made on the parts `tune` and `written-tune`; the others were only ever counted.
`--misses` lists the mistakes in the tuning parts, and only there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.raters import issues
from tiltmeter.specs import load

DATA = Path(__file__).resolve().parents[1] / "tests" / "raters" / "data"
ANY = "any"
MERGED = "I7+I8"  # as the paper counts them


@dataclass(frozen=True)
class Labelled:
    """A sentence that a person has read."""

    item: issues.AuditItem
    issues: frozenset[str]
    part: str


@dataclass(frozen=True)
class Figures:
    """Of one issue: how many sentences have it, and how well it is found."""

    positives: int
    precision: float | None
    recall: float | None
    auc: float | None


def labelled() -> list[Labelled]:
    """Sentences that we wrote (`tune`, `test`), that a small model wrote (`written-…`), and the paper's (`paper`)."""
    rows = []
    for name in ("issues", "written", "autobiastest"):
        for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            part = {"issues": "", "written": "written-", "autobiastest": "paper"}[name]
            part += _part(row["text"]) if part != "paper" else ""
            audited = item(row["text"], row["term"], row["attribute"], row["spec"])
            rows.append(Labelled(audited, frozenset(row["issues"]), part))
    return rows


def item(text: str, term: str, attribute: str, spec_name: str) -> issues.AuditItem:
    """What is to be audited, with the terms of its specification."""
    spec = load(spec_name)
    index, group = next((g.terms.index(term), g) for g in spec.groups if term in g.terms)
    other = next(g for g in spec.groups if g.name != group.name)
    return issues.AuditItem(
        text,
        term,
        attribute,
        other.terms[index] if index < len(other.terms) else "",
        tuple(name for g in spec.groups for name in g.terms),
        tuple(name for attributes in spec.attributes for name in attributes.terms),
    )


def measured(rows: Sequence[Labelled], found: Sequence[tuple[issues.Finding, ...]]) -> dict[str, Figures]:
    """The figures of each issue and of having any."""
    figures = {}
    for name in (*issues.ISSUES, MERGED, ANY):
        wanted = set(issues.ISSUES) if name == ANY else set(name.split("+"))
        truth = [bool(row.issues & wanted) for row in rows]
        kept = [[finding for finding in findings if finding.issue in wanted] for findings in found]
        scores = [max((f.score for f in findings), default=0.0) for findings in kept]
        flags = [bool(issues.flagged(findings)) for findings in kept]
        hits = sum(flag and real for flag, real in zip(flags, truth, strict=True))
        figures[name] = Figures(
            sum(truth),
            hits / sum(flags) if any(flags) else None,
            hits / sum(truth) if any(truth) else None,
            _auc(scores, truth),
        )
    return figures


def _auc(scores: Sequence[float], truth: Sequence[bool]) -> float | None:
    """The chance that a sentence with the issue scores higher than one without; ties count half."""
    yes = [score for score, real in zip(scores, truth, strict=True) if real]
    no = [score for score, real in zip(scores, truth, strict=True) if not real]
    if not yes or not no:
        return None
    return sum((a > b) + 0.5 * (a == b) for a in yes for b in no) / (len(yes) * len(no))


def _part(text: str) -> str:
    return "test" if int(hashlib.sha256(text.encode()).hexdigest(), 16) % 2 else "tune"


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--fluency", help="a model that reads the sentences, e.g. smollm2-135m")
    options.add_argument("--misses", action="store_true", help="list the mistakes of the tuning part")
    options.add_argument("--parts", default="tune,test,written-tune,written-test,paper")
    chosen = options.parse_args()
    reader = None
    if chosen.fluency:
        from tiltmeter import models

        reader = models.load(chosen.fluency)
    everything = labelled()
    for part in chosen.parts.split(","):
        rows = [row for row in everything if row.part == part]
        start = time.perf_counter()
        found = issues.audit([row.item for row in rows], fluency=reader)
        seconds = time.perf_counter() - start
        print(f"\n{part}: {len(rows)} sentences, {sum(not row.issues for row in rows)} clean, {seconds:.1f} s\n")
        print("| issue | n | precision | recall | AUC |\n|---|---|---|---|---|")
        for name, one in measured(rows, found).items():
            print(f"| {name} | {one.positives} | {_shown(one.precision)} | {_shown(one.recall)} | {_shown(one.auc)} |")
        if chosen.misses and part.endswith("tune"):
            _print_misses(rows, found)


def _print_misses(rows: Sequence[Labelled], found: Sequence[tuple[issues.Finding, ...]]) -> None:
    for row, findings in zip(rows, found, strict=True):
        got = {finding.issue: finding for finding in issues.flagged(findings)}
        wrong = [f"+{name} ({got[name].because})" for name in sorted(set(got) - row.issues)]
        missed = [f"-{name}" for name in sorted(row.issues - set(got))]
        if wrong or missed:
            print(f"{row.item.text}  [{row.item.term}/{row.item.attribute}]  {' '.join(missed + wrong)}")


if __name__ == "__main__":
    main()
