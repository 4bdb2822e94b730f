"""The tables of `tiltmeter sentences audit` and `agreement`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tiltmeter.cli.console import number, percent, print_json, print_table, say
from tiltmeter.errors import MissingExtra

if TYPE_CHECKING:
    from tiltmeter.engine.review import Auditor
    from tiltmeter.raters.issues import Finding
    from tiltmeter.records import Rating, Spec, Written
    from tiltmeter.stats.views.quality import Quality

_ENOUGH = 5
"""Sentences that a term needs before its issues say something about the term."""
_RATERS = {"sentiment": "sentiment.vader", "fog": "readability.fog", "ari": "readability.ari"}


def print_audit(
    path: Path, rows: Sequence[Written], audit: Auditor, stereoset: Path | None, show: int, as_json: bool
) -> None:
    """Print the quality and the issues of sentences, and the terms that make trouble.

    Every row of the file has its scores; those that were dropped count in nothing else.
    """
    from tiltmeter.raters.issues import ISSUES, flagged
    from tiltmeter.stats.views.quality import low_yield

    scores = audit.scores(rows)
    found = [row for row in rows if row.dropped is None]
    findings = [flagged(one) for row, one in zip(rows, scores, strict=True) if row.dropped is None]
    marked = [{finding.issue for finding in one} for one in findings]
    counts = {issue: sum(issue in issues for issues in marked) for issue in ISSUES}
    clean: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for sentence, issues in zip(found, marked, strict=True):
        for key in ((sentence.bias, sentence.term), (sentence.bias, sentence.attribute)):
            clean[key] = (clean[key][0] + (not issues), clean[key][1] + 1)
    low = [(*key, *clean[key]) for key in low_yield(clean) if clean[key][1] >= _ENOUGH]
    qualities = _qualities(path, found, audit.specs, stereoset)
    if as_json:
        total = len(found)
        print_json(
            {
                "file": str(path),
                "sentences": total,
                "quality": [asdict(one) for one in qualities],
                "issues": {name: {"n": count, "share": count / total} for name, count in counts.items()},
                "any_issue": sum(map(bool, marked)),
                "scores": [_scores(place, row, one) for place, (row, one) in enumerate(zip(rows, scores, strict=True))],
                "reconsider": [dict(zip(("bias", "term", "clean", "sentences"), row, strict=True)) for row in low],
            }
        )
        return
    _print_qualities(qualities)
    lines = [(name, title, counts[name], percent(counts[name] / len(found))) for name, title in ISSUES.items()]
    any_issue = sum(map(bool, marked))
    lines.append(("any", "", any_issue, percent(any_issue / len(found))))
    print_table(["issue", "", "sentences", "share"], lines, title=f"\nIssues in {len(found)} sentences")
    if low:
        title = "\nTerms to reconsider: share without issues below half the median"
        print_table(["bias", "term", "without issue", "sentences"], low, title=title)
    for sentence, one in [(sentence, one) for sentence, one in zip(found, findings, strict=True) if one][:show]:
        typer.echo(f"{sentence.text}  [{'; '.join(f'{item.issue} {item.because}' for item in one)}]")


def _scores(place: int, sentence: Written, issues: Sequence[Finding]) -> dict[str, Any]:
    """What the audit says of one row of the file."""
    from tiltmeter.raters.issues import flagged

    high = flagged(issues)
    return {
        "row": place,
        "id": sentence.id,
        **({"dropped": sentence.dropped} if sentence.dropped else {}),
        **{one.issue: one.score for one in sorted(issues, key=lambda one: one.issue)},
        "flags": sorted(one.issue for one in high),
        "because": {one.issue: one.because for one in high},
    }


def _qualities(
    path: Path, found: Sequence[Written], specs: Mapping[str, Spec], stereoset: Path | None
) -> list[Quality]:
    from tiltmeter.sources import templates
    from tiltmeter.sources.datasets import stereoset as stereoset_file
    from tiltmeter.sources.generated import pairs as to_pairs
    from tiltmeter.stats.views.quality import quality

    known = [specs[name] for name in dict.fromkeys(one.bias for one in found) if name in specs]
    writers: dict[str, list[Written]] = defaultdict(list)
    for one in found:
        writers[_writer(one)].append(one)
    if len(writers) == 1:
        writers = {path.name: [*found]}
    filled = [pair for spec in known for pair in templates.pairs(spec, per_attribute=4)[0]]
    made = [
        quality(
            name,
            texts := [one.text for one in own],
            templates=[pair.template or "" for spec in known for pair in to_pairs(own, spec)[0]],
            ratings=_ratings(texts),
            sets=[one.set for one in own],
        )
        for name, own in writers.items()
    ]
    others: list[tuple[str, list[str], list[str] | None]] = [
        (
            "templates",
            [pair.texts[0] for pair in filled],
            [(pair.template or "").replace("[A]", pair.attribute or "") for pair in filled],
        ),
    ]
    if stereoset:
        examples = stereoset_file.read(stereoset)
        texts = [one.text for item in examples if item.task == "intrasentence" for one in item.sentences[:2]]
        others.append(("StereoSet", texts, None))
    return made + [
        quality(name, texts, templates=with_slot, ratings=_ratings(texts)) for name, texts, with_slot in others if texts
    ]


def _writer(sentence: Written) -> str:
    """Whose sentence it is: of several sources of a run the label, which stands before its id, else the generator."""
    return sentence.id.rpartition("]:")[0] + "]" if "]:" in sentence.id else sentence.generator


def _ratings(texts: Sequence[str]) -> dict[str, list[Rating]]:
    from tiltmeter import raters

    found = {}
    for kind, name in _RATERS.items():
        try:
            found[kind] = raters.load(name).rate(texts)
        except MissingExtra as missing:
            say(str(missing))
    return found


def _print_qualities(qualities: Sequence[Quality]) -> None:
    print_table(
        ["", *(one.name for one in qualities)],
        [
            ("sentences", *(one.sentences for one in qualities)),
            ("words per sentence", *(f"{number(one.words)} ± {number(one.words_sd)}" for one in qualities)),
            ("unique tokens in 200 sentences", *(number(one.unique_tokens) for one in qualities)),
            ("… with [T] for the group term", *(number(one.unique_tokens_of_templates) for one in qualities)),
            ("near-duplicates", *(percent(one.near_duplicates) for one in qualities)),
            ("negative", *(percent(one.negative) for one in qualities)),
            ("neutral", *(percent(one.neutral) for one in qualities)),
            ("positive", *(percent(one.positive) for one in qualities)),
            ("Gunning Fog", *(number(one.fog) for one in qualities)),
            ("ARI", *(number(one.ari) for one in qualities)),
            ("missing ratings", *(one.unrated for one in qualities)),
        ],
        title="Quality",
    )
    for one in qualities:
        _print_over_sets(one)


def _print_over_sets(one: Quality) -> None:
    """The figures of each independent set: their mean and spread."""
    several = max((len(found.values) for found in one.over_sets.values()), default=0)
    if several < 2:
        return
    rows = [
        (name, show(found.mean), show(found.sd))
        for name, figure, show in _OVER_SETS
        if (found := one.over_sets[figure]).sd is not None
    ]
    print_table(["", "mean over sets", "SD over sets"], rows, title=f"\n{one.name}: {several} independent sets")


_OVER_SETS: tuple[tuple[str, str, Callable[[float | None], str]], ...] = (
    ("words per sentence", "words", lambda value: number(value, 2)),
    ("unique tokens in 200 sentences", "unique_tokens", number),
    ("… with [T] for the group term", "unique_tokens_of_templates", number),
    ("near-duplicates", "near_duplicates", percent),
    ("negative", "negative", percent),
    ("neutral", "neutral", percent),
    ("positive", "positive", percent),
    ("Gunning Fog", "fog", number),
    ("ARI", "ari", number),
)


def print_agreement(paths: Sequence[Path], as_json: bool) -> None:
    """Print how far annotators agree, issue by issue."""
    from tiltmeter.raters.issues import ISSUES
    from tiltmeter.sources.generated.annotations import import_annotations, majority
    from tiltmeter.stats.agreement.annotators import agreement_by_label

    sheets = import_annotations(paths)
    rows = agreement_by_label(sheets.by_annotator, list(ISSUES))
    labels = majority(sheets)
    if as_json:
        print_json(
            {
                "annotators": {name: len(found) for name, found in sheets.by_annotator.items()},
                "agreement": [asdict(row) for row in rows],
                "majority": {name: sorted(issues) for name, issues in labels.labels.items()},
                "tied": {name: sorted(issues) for name, issues in labels.tied.items()},
            }
        )
        return
    print_table(
        ["issue", "", "marked", "of judgements", "by majority", "Cohen's kappa", "Krippendorff's alpha"],
        [
            (
                row.label,
                ISSUES.get(row.label, ""),
                row.flagged,
                row.judged,
                sum(row.label in issues if row.label in ISSUES else bool(issues) for issues in labels.labels.values()),
                ", ".join(f"{one}–{two} {number(kappa, 2)}" for one, two, kappa in row.kappas),
                number(row.alpha, 2),
            )
            for row in rows
        ],
        title=f"Agreement of {len(sheets.by_annotator)} annotators on {len(sheets.ids)} sentences",
    )
