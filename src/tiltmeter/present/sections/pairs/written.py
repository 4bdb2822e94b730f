"""Sentences that a model wrote: how good they are, what is wrong with them, and what that does to the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tiltmeter.present.blocks import Block, Chart, Notice, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.pairs.account import account_blocks
from tiltmeter.present.sections.pairs.issues import ISSUES, effects, issue_cell
from tiltmeter.present.sections.pairs.templates_beside import beside_templates, sets_and_halves
from tiltmeter.present.series import Series, series_of
from tiltmeter.present.tables import numbers, table
from tiltmeter.present.words import NONE, SPACE, count, listed, percent, percent_range
from tiltmeter.records import Estimate
from tiltmeter.results import Cell
from tiltmeter.results.summary.labels import PeopleSummary
from tiltmeter.results.summary.sentences import Sentences
from tiltmeter.stats.agreement.annotators import Detection, LabelAgreement
from tiltmeter.stats.spread import Spread
from tiltmeter.stats.views.quality import SAMPLE, Quality


def written(found: Reported) -> list[Section]:
    """Everything on written sentences; nothing where no model wrote any."""
    tested = [
        (one, cell)
        for one in series_of(found)
        for source in one.sources
        if (cell := one.leading(source)) is not None and cell.generated
    ]
    blocks = [*_sentences(found), *(_tested(found, one, cell) for one, cell in tested)]
    if not blocks:
        return []
    writers = sorted({name for run, _ in found.runs for name in run.writers})
    by = f"Written by {listed(writers)} from" if writers else "Written from"
    lead = (
        f"{by} the terms of the specs alone. The sets are independent of one another: their spread shows how far a "
        "value depends on the sentences that happened to be written."
    )
    title = "Sentences that a model wrote"
    return [Section(title, (Prose(text(lead)), *blocks), anchor="written", folded=True, about={"view": "pairs"})]


def _sentences(found: Reported) -> Iterator[Block]:
    """The sentences of each run by themselves."""
    for run, summary in found.runs:
        own = summary.sentences
        if own is None or not own.qualities:
            continue
        of = f" ({summary.study}, {run.folder.name})" if len(found.runs) > 1 else ""
        left_out = dict.fromkeys(reason for one in own.qualities for reason in one.missing)
        yield Section(
            f"How good they are{of}",
            (
                Prose(
                    text(
                        "Differences in length, words and tone from templates can move a score by themselves. Small "
                        "print: the same figure worked out in each independent set, mean ± SD over sets."
                    )
                ),
                *filter(None, [_quality(own)]),
                *(Notice(text(f"Left out: {reason}")) for reason in left_out),
            ),
        )
        if own.accounts:
            yield Section(f"What was asked for, kept and dropped{of}", tuple(_accounts(found, own)))
        if own.issues:
            yield Section(f"What is wrong with them{of}", (_issues(own.issues),))
        for source, people in own.people.items():
            yield Section(f"What people say: {source}{of}", tuple(_people(people)))


def _accounts(found: Reported, own: Sentences) -> Iterator[Block]:
    """What each generator was asked for, and what became of it."""
    yield Prose(
        text(
            "Decoded are all sequences, those included that the generator gave up; finished are those that became "
            "sentences. The share with both terms is of these, that of accepted ones of everything decoded. A refusal "
            "counts as a sentence without the terms."
        )
    )
    for source, accounts in own.accounts_by_spec.items():
        yield Section(source, tuple(account_blocks(accounts, own.accounts[source], found.names)))


def _quality(found: Sentences) -> Table | None:
    every = [one.quality for one in found.qualities]
    rows: list[tuple[str, list[TableCell]]] = [
        ("sentences", [TableCell(f"{one.sentences:,}") for one in every]),
        ("contain both terms, of those finished", [_controllability(found, one.name) for one in every]),
        (
            "words per sentence (± SD over sentences)",
            [_figure(one, "words", f"{_number(one.words)} ± {_number(one.words_sd)}", _number, 2) for one in every],
        ),
        *(
            (name, [_figure(one, figure, shown(getattr(one, figure), places), shown, places) for one in every])
            for name, figure, shown, places in _FIGURES
        ),
    ]
    known: list[tuple[TableCell | str, ...]] = [
        (name, *values) for name, values in rows if {value.text for value in values} != {NONE}
    ]
    return table("Quality of the sentences, by source", ("Property", *numbers(*(one.name for one in every))), known)


def _controllability(found: Sentences, source: str) -> TableCell:
    account = found.accounts.get(source)
    if account is None:
        return TableCell(NONE)
    return TableCell(percent(account.controllability), _over_sets(found.controllability[source], percent, 1))


def _figure(one: Quality, figure: str, value: str, shown: Callable[[float | None, int], str], places: int) -> TableCell:
    """A figure over all sentences, and below it its mean and spread over independent sets."""
    sets = one.over_sets.get(figure)
    return TableCell(value, "" if sets is None or value == NONE else _over_sets(sets, shown, places))


def _over_sets(sets: Spread, shown: Callable[[float | None, int], str], places: int) -> str:
    if sets.sd is None:
        return "one set only" if sets.values else "some sets are too small"
    return f"over {count(len(sets.values), 'set')}: {shown(sets.mean, places)} ± {shown(sets.sd, places)}"


def _number(value: float | None, decimals: int = 1) -> str:
    return NONE if value is None else f"{value:.{decimals}f}".replace("-", "−")


_FIGURES: tuple[tuple[str, str, Callable[[float | None, int], str], int], ...] = (
    (f"different words in {SAMPLE} sentences", "unique_tokens", _number, 0),
    ("… without group terms", "unique_tokens_of_templates", _number, 0),
    ("nearly repeat an earlier sentence", "near_duplicates", percent, 1),
    ("negative in tone (VADER)", "negative", percent, 1),
    ("neutral in tone", "neutral", percent, 1),
    ("positive in tone", "positive", percent, 1),
    ("Gunning Fog index (years of school)", "fog", _number, 1),
    ("Automated Readability Index", "ari", _number, 1),
)


def _issues(issues: Mapping[str, Mapping[str, Estimate]]) -> Chart:
    """The share of sentences with each issue, by source."""
    names = dict.fromkeys(issue for found in issues.values() for issue in found)
    rows = [
        DotRow(ISSUES[issue], tuple(_share(found[issue], source) for source, found in issues.items() if issue in found))
        for issue in names
    ]
    said = []
    for source, found in issues.items():
        most = sorted(((share.value or 0.0, issue) for issue, share in found.items() if issue != "any"), reverse=True)
        frequent = [f"{ISSUES[issue]} {percent(share)}" for share, issue in most[:3] if share]
        whole = f"{source}: {percent(found['any'].value)} of {count(found['any'].n, 'sentence')} have an issue"
        said.append(f"{whole}; most often {', '.join(frequent)}." if frequent else f"{whole}.")
    title = listed([f"{percent(found['any'].value, 0)} of {source}" for source, found in issues.items()])
    return Chart(
        "issues",
        f"Sentences with at least one issue: {title}",
        dots(
            rows, Axis("share of sentences with the issue", unit="share", ends=(0.0, 0.0), right="more with the issue")
        ),
        " ".join(said),
        text(f"As the audit found them, with 95{SPACE}% intervals over attribute words. A sentence may have several."),
    )


def _share(found: Estimate, series: str) -> Dot:
    interval = percent_range(found.low, found.high) if found.low is not None else ""
    return Dot(found.value, found.low, found.high, series, percent(found.value), interval)


def _people(found: PeopleSummary) -> Iterator[Block]:
    names = ", ".join(f"{name} ({number:,})" for name, number in found.annotators.items())
    tied = ""
    if found.tied:
        tied = f" In {count(found.tied, 'sentence')} exactly half found an issue, which is not counted as a label."
    judged = f"{count(len(found.annotators), 'annotator')} judged sentences: {names}."
    yield Prose(
        text(f"{judged} Of {count(found.sentences, 'sentence')}, {found.unjudged:,} were judged by nobody.{tied}")
    )
    tables = [_audit(found.audit)] if found.audit else []
    tables += [_annotators(found.agreement)] if len(found.annotators) > 1 else []
    yield from filter(None, tables)


def _audit(found: Sequence[Detection]) -> Table | None:
    columns = ("Issue", *numbers("By people", "By the audit", "By both", "Precision", "Recall", "Kappa"))
    rows = [
        (
            issue_cell(one.label),
            TableCell(f"{one.right:,}", f"of {one.items:,}"),
            one.found,
            one.both,
            percent(one.precision),
            percent(one.recall),
            _number(one.kappa, 2),
        )
        for one in found
        if one.right or one.found
    ]
    return table("The audit compared with the majority of people", columns, rows)


def _annotators(found: Sequence[LabelAgreement]) -> Table | None:
    columns = ("Issue", *numbers("Marked", "Cohen’s kappa", "Krippendorff’s alpha"))
    rows = [
        (
            issue_cell(one.label),
            TableCell(f"{one.flagged:,}", f"of {count(one.judged, 'judgement')}"),
            "; ".join(f"{first} and {second} {_number(kappa, 2)}" for first, second, kappa in one.kappas),
            _number(one.alpha, 2),
        )
        for one in found
        if one.flagged
    ]
    return table("How far annotators agree", columns, rows)


def _tested(found: Reported, one: Series, cell: Cell) -> Section:
    """What a model prefers among the sentences of one source."""
    blocks: list[Block] = []
    for compared, templates in one.beside_templates(cell):
        blocks += beside_templates(found, one, compared, templates, cell)
    sets = sets_and_halves(found, cell)
    blocks += [sets] if sets else []
    told = list(effects(found, one, cell))
    blocks += told or [Prose(text("The sentences were not audited: install the extra `text`."))]
    return Section(f"{one.label}, {cell.source}", tuple(blocks))
