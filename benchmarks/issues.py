"""How well the audit finds the eight issues: precision, recall and AUC per issue.

Run `python benchmarks/issues.py`; its tables are in docs/raters.md, which says what each part is. None of the parts was
trained on. Settings and thresholds were chosen on `chosen_on`; `blind` was first counted when the judge was fixed;
`autobiastest` are the examples that the paper prints.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.raters import issues

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "training"))

from issues_data import labelled  # noqa: E402

DATA = ROOT / "tests" / "raters" / "data"
PARTS = ("blind", "chosen_on", "autobiastest")
ANY = "any"
MERGED = "I7+I8"  # as the paper counts them


@dataclass(frozen=True)
class Labelled:
    """A sentence that somebody has read."""

    item: issues.AuditItem
    issues: frozenset[str]


@dataclass(frozen=True)
class Figures:
    """Of one issue: how many sentences have it, and how well it is found."""

    positives: int
    precision: float | None
    recall: float | None
    auc: float | None


def part(name: str) -> list[Labelled]:
    """The sentences of one part."""
    return [Labelled(item, found) for item, found, _ in labelled(DATA / f"{name}.tsv")]


def measured(rows: Sequence[Labelled], found: Sequence[tuple[issues.Finding, ...]]) -> dict[str, Figures]:
    """The figures of each issue, of the last two together, and of having any."""
    figures = {}
    for name in (*issues.ISSUES, MERGED, ANY):
        wanted = set(issues.ISSUES) if name == ANY else set(name.split("+"))
        truth = [bool(row.issues & wanted) for row in rows]
        kept = [[finding for finding in findings if finding.issue in wanted] for findings in found]
        scores = [max((finding.score for finding in findings), default=0.0) for findings in kept]
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
    """The probability that a sentence with the issue scores higher than one without; ties count half."""
    yes = [score for score, real in zip(scores, truth, strict=True) if real]
    no = [score for score, real in zip(scores, truth, strict=True) if not real]
    if not yes or not no:
        return None
    return sum((a > b) + 0.5 * (a == b) for a in yes for b in no) / (len(yes) * len(no))


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--parts", default=",".join(PARTS))
    options.add_argument("--misses", action="store_true", help="list the mistakes; not those in the blind part")
    chosen = options.parse_args()
    for name in chosen.parts.split(","):
        rows = part(name)
        start = time.perf_counter()
        found = issues.audit([row.item for row in rows], explain=False)
        seconds = time.perf_counter() - start
        print(f"\n{name}: {len(rows)} sentences, {sum(not row.issues for row in rows)} clean, {seconds:.1f} s\n")
        print("| issue | n | precision | recall | AUC |\n|---|---|---|---|---|")
        for issue, one in measured(rows, found).items():
            shown = " | ".join(map(_shown, (one.precision, one.recall, one.auc)))
            print(f"| {issue} | {one.positives} | {shown} |")
        if chosen.misses and name != "blind":
            _print_misses(rows, found)


def _print_misses(rows: Sequence[Labelled], found: Sequence[tuple[issues.Finding, ...]]) -> None:
    for row, findings in zip(rows, found, strict=True):
        got = {finding.issue for finding in issues.flagged(findings)}
        wrong = [f"+{name}" for name in sorted(got - row.issues)] + [f"-{name}" for name in sorted(row.issues - got)]
        if wrong:
            print(f"{row.item.text}  [{row.item.term}/{row.item.attribute}]  {' '.join(wrong)}")


if __name__ == "__main__":
    main()
