"""The part of the report on written sentences by themselves: quality, issues, what annotators said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, numbers
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import Bar, Panel, Part, bars
from tiltmeter.report.issues import ISSUES
from tiltmeter.report.words import NONE, count, percent, percent_range
from tiltmeter.results import RunSummary
from tiltmeter.results.summary.labels import PeopleSummary
from tiltmeter.results.summary.sentences import Sentences
from tiltmeter.sources.generated import Accounting
from tiltmeter.stats.annotators import Detection, LabelAgreement
from tiltmeter.stats.quality import SAMPLE, Quality
from tiltmeter.store import Run

_NEGATIVE, _NEUTRAL, _POSITIVE = (1, "negative"), (5, "neutral"), (2, "positive")
"""Colours of sentiment and their names."""


@dataclass(frozen=True, slots=True)
class SentenceView:
    """What is shown of the sentences of one run."""

    place: str
    quality: Table
    quality_figure: Drawn
    missing: tuple[str, ...]
    issues_figure: Drawn | None
    people: tuple[tuple[str, tuple[Table, ...]], ...]
    """For each source with labels, what to know of them, and the tables."""


def sentence_views(runs: Sequence[tuple[Run, RunSummary]]) -> list[SentenceView]:
    """One for each run in which a model wrote."""
    several = len(runs) > 1
    return [
        _view(f"{summary.study}, {run.folder.name}" if several else "", summary.sentences)
        for run, summary in runs
        if summary.sentences and summary.sentences.qualities
    ]


def _view(place: str, found: Sentences) -> SentenceView:
    return SentenceView(
        place=place,
        quality=_quality_table(found),
        quality_figure=_quality_figure(place, found),
        missing=tuple(dict.fromkeys(reason for one in found.qualities for reason in one.missing)),
        issues_figure=_issues_figure(place, found.issues) if found.issues else None,
        people=tuple((_labels(source, one), _people_tables(source, one)) for source, one in found.people.items()),
    )


def _quality_table(found: Sentences) -> Table:
    qualities = [one.quality for one in found.qualities]
    rows: list[tuple[str, list[str]]] = [
        ("sentences", [f"{one.sentences:,}" for one in qualities]),
        ("both terms, of those finished", [_controllability(found.accounts.get(one.name)) for one in qualities]),
        ("words per sentence", [f"{_number(one.words)} ± {_number(one.words_sd)}" for one in qualities]),
        (f"different words in {SAMPLE} sentences", [_number(one.unique_tokens, 0) for one in qualities]),
        ("… with [T] for the group term", [_number(one.unique_tokens_of_templates, 0) for one in qualities]),
        ("nearly repeat an earlier one", [percent(one.near_duplicates) for one in qualities]),
        ("negative", [percent(one.negative) for one in qualities]),
        ("neutral", [percent(one.neutral) for one in qualities]),
        ("positive", [percent(one.positive) for one in qualities]),
        ("Gunning Fog", [_number(one.fog) for one in qualities]),
        ("Automated Readability Index", [_number(one.ari) for one in qualities]),
    ]
    columns = (Column(""), *numbers(*(one.name for one in qualities)))
    cells = tuple((TableCell(name), *map(TableCell, values)) for name, values in rows)
    return Table("Quality of the sentences, by source", columns, cells)


def _quality_figure(place: str, found: Sentences) -> Drawn:
    qualities = [one.quality for one in found.qualities]
    panels = [
        _panel("Words per sentence", {one.name: one.words for one in qualities}, "{:.1f}"),
        _panel(
            f"Different words in {SAMPLE} sentences",
            {one.name: one.unique_tokens for one in qualities},
            "{:.0f}",
            f"fewer than {SAMPLE} sentences",
        ),
        _panel("Gunning Fog index: years of school", {one.name: one.fog for one in qualities}, "{:.1f}"),
    ]
    rated = [one for one in qualities if one.neutral is not None]
    if rated:
        key = (_NEGATIVE, _NEUTRAL, _POSITIVE)
        panels.append(Panel("Sentiment by VADER", tuple(map(_sentiment, rated)), 1.0, key))
    both = {source: one.controllability for source, one in found.accounts.items() if one.controllability is not None}
    if both:
        parts = tuple(Bar(source, (Part(share, 0),), percent(share)) for source, share in both.items())
        panels.insert(0, Panel("Finished sentences that hold both terms", parts, 1.0))
    words = [f"{panel.title}: {', '.join(f'{bar.label} {bar.text}' for bar in panel.bars)}." for panel in panels]
    caption = (
        "How the sentences differ from templates before any model is tested on them. Differences in length, words and "
        "tone can move a score by themselves."
    )
    return draw(f"quality {place}", partial(bars, panels), " ".join(words), caption)


def _panel(title: str, values: Mapping[str, float | None], form: str, otherwise: str = "not known") -> Panel:
    return Panel(
        title,
        tuple(
            Bar(name, (), otherwise) if value is None else Bar(name, (Part(value, 0),), form.format(value))
            for name, value in values.items()
        ),
    )


def _sentiment(one: Quality) -> Bar:
    shares = [(one.negative or 0.0, _NEGATIVE), (one.neutral or 0.0, _NEUTRAL), (one.positive or 0.0, _POSITIVE)]
    text = " / ".join(f"{100 * share:.0f}" for share, _ in shares)
    return Bar(one.name, tuple(Part(share, position) for share, (position, _) in shares), f"{text}\N{NO-BREAK SPACE}%")


def _issues_figure(place: str, issues: Mapping[str, Mapping[str, Estimate]]) -> Drawn:
    panels, words = [], []
    for source, found in issues.items():
        panels.append(Panel(source, tuple(_rate(issue, share) for issue, share in found.items())))
        most = sorted((share.value or 0.0, issue) for issue, share in found.items() if issue != "any")[::-1][:3]
        frequent = [f"{ISSUES[issue]} {percent(share)}" for share, issue in most if share]
        words.append(
            f"{source}: {percent(found['any'].value)} of {count(found['any'].n, 'sentence')} have an issue"
            + (f"; most often {', '.join(frequent)}." if frequent else ".")
        )
    caption = (
        "Share of sentences in which the audit found each issue, with 95\N{NO-BREAK SPACE}% intervals over attribute "
        "terms. A sentence may have several."
    )
    return draw(f"issues {place}", partial(bars, panels), " ".join(words), caption)


def _rate(issue: str, share: Estimate) -> Bar:
    known = share.low is not None and share.high is not None
    interval = (share.low or 0.0, share.high or 0.0) if known else None
    text = f"{percent(share.value)} ({percent_range(share.low, share.high)})" if known else percent(share.value)
    return Bar(ISSUES[issue], (Part(share.value or 0.0, 1),), text, interval)


def _labels(source: str, found: PeopleSummary) -> str:
    names = ", ".join(f"{name} ({number:,})" for name, number in found.annotators.items())
    tied = (
        f" In {count(found.tied, 'sentence')} exactly half found an issue, which makes no label." if found.tied else ""
    )
    return (
        f"{source}: {count(len(found.annotators), 'annotator')} judged sentences: {names}. Of "
        f"{count(found.sentences, 'sentence')}, {found.unjudged:,} were judged by nobody.{tied}"
    )


def _people_tables(source: str, found: PeopleSummary) -> tuple[Table, ...]:
    tables = [_audit_table(source, found.audit)] if found.audit else []
    if len(found.annotators) > 1:
        tables.append(_annotator_table(source, found.agreement))
    return tuple(tables)


def _audit_table(source: str, found: Sequence[Detection]) -> Table:
    columns = (Column("Issue"), *numbers("By people", "By the audit", "By both", "Precision", "Recall", "Kappa"))
    rows = tuple(
        (
            _issue(one.label),
            TableCell(f"{one.right:,}", f"of {one.items:,}"),
            TableCell(f"{one.found:,}"),
            TableCell(f"{one.both:,}"),
            TableCell(percent(one.precision)),
            TableCell(percent(one.recall)),
            TableCell(_number(one.kappa, 2)),
        )
        for one in found
        if one.right or one.found
    )
    return Table(f"{source}: the audit held against the majority of people", columns, rows)


def _annotator_table(source: str, found: Sequence[LabelAgreement]) -> Table:
    columns = (Column("Issue"), *numbers("Marked", "Cohen’s kappa", "Krippendorff’s alpha"))
    rows = tuple(
        (
            _issue(one.label),
            TableCell(f"{one.flagged:,}", f"of {count(one.judged, 'judgement')}"),
            TableCell("; ".join(f"{first} and {second} {_number(kappa, 2)}" for first, second, kappa in one.kappas)),
            TableCell(_number(one.alpha, 2)),
        )
        for one in found
        if one.flagged
    )
    return Table(f"{source}: how far annotators agree", columns, rows)


def _issue(label: str) -> TableCell:
    return TableCell(ISSUES[label], mark="mean" if label == "any" else "")


def _controllability(account: Accounting | None) -> str:
    return NONE if account is None else percent(account.controllability)


def _number(value: float | None, decimals: int = 1) -> str:
    return NONE if value is None else f"{value:.{decimals}f}".replace("-", "−")
