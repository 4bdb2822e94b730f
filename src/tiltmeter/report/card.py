"""A bias card: what was found of one model, in the order of a model card (Mitchell et al. 2019)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tiltmeter.report.cells import Table
from tiltmeter.report.contents import Contents
from tiltmeter.report.continuations import board_key, board_place, compared_groups
from tiltmeter.report.drawn import slug
from tiltmeter.report.limitations import limitations, not_meant
from tiltmeter.report.methods import methods
from tiltmeter.report.multiverse import with_titles
from tiltmeter.report.multiverse_words import verdict_table
from tiltmeter.report.next_word_readings import reading_groups
from tiltmeter.report.next_word_tables import share_table
from tiltmeter.report.next_word_words import next_word_headline
from tiltmeter.report.rendering import render
from tiltmeter.report.run_facts import facts_of_run, specs_of
from tiltmeter.report.series import Runs, Series, make_series
from tiltmeter.report.texts_by_rater import board_table
from tiltmeter.report.texts_by_rater_words import board_headline
from tiltmeter.report.words import NEUTRAL, instrument_words
from tiltmeter.results import boards
from tiltmeter.results.account import account, summary_of_model
from tiltmeter.results.findings.findings import Findings, summarise_findings
from tiltmeter.store import Run


@dataclass(frozen=True, slots=True)
class Finding:
    """What is said of one view of a model: sentences, and the table that they rest on."""

    title: str
    place: str
    sentences: tuple[str, ...]
    basis: str
    table: Table | None
    key: str = ""
    """What the tint of the table means."""


@dataclass(frozen=True, slots=True)
class Card:
    """A card as HTML, the name of its files, and what a model hub reads before the text of the Markdown form."""

    name: str
    html: str
    front_matter: str


def make_cards(runs: Runs, answered: Findings | None = None) -> list[Card]:
    """A card for each model of each run; `answered` is what the one run says to its questions, where that is known."""
    series = make_series(runs)
    by_run = {id(run): answered or summarise_findings([(run, summary)]) for run, summary in runs}
    names = _names(series)
    return [_card(one, name, by_run[id(one.run)]) for one, name in zip(series, names, strict=True)]


def _card(one: Series, name: str, answered: Findings) -> Card:
    run, summary = one.run, one.summary
    contents = Contents([one])
    own = tuple(answer for answer in answered.findings if answer.question.model == one.facts.name)
    views = [
        *(["pairs"] if run.pairs else []),
        *(["continuations"] if run.continuations else []),
        *(["next words"] if run.next_words else []),
    ]
    own_summary = summary_of_model(summary, one.facts.name)
    own_answered = replace(answered, findings=own)
    done = account([(run, own_summary)], own_answered)
    meanings = not_meant(done)
    html = render(
        "card.html.jinja",
        {},
        title=one.label,
        one=one,
        run=facts_of_run(run, summary),
        specs=specs_of([(run, summary)]),
        views=views,
        instrument=instrument_words(own_summary.instrument),
        verdicts=verdict_table(with_titles(own, contents.label)) if own else None,
        findings=[*_pairs(contents), *_texts(one, contents), *_words(one, contents)],
        not_meant=[sentence for view in views for sentence in meanings[view]],
        limits=limitations([(run, own_summary)], own_answered, done),
        method=methods([(run, own_summary)], own_answered, done),
    )
    return Card(name, html, _front_matter(one, run))


def _pairs(contents: Contents) -> Iterator[Finding]:
    title = "Which of two sentences it prefers"
    for section in contents.sources():
        for _, headline in section.headlines:
            said = tuple(text for text in (headline.sentence, headline.reading, headline.caution) if text)
            yield Finding(title, section.source, said, headline.basis, None)
    table = contents.estimates(published=False, leading=True)
    if table:
        key = "Tinted: differs from neutral after correction, toward the stereotype (orange) or against it (blue)."
        yield Finding(title, "every bias", (), "", table, key)


def _texts(one: Series, contents: Contents) -> Iterator[Finding]:
    found = one.summary.continuations
    if found is None:
        return
    for board in boards(found, compared_groups(one.run, found)):
        if board.model == one.facts.name:
            said = board_headline(board)
            sentences = tuple(text for text in (said.sentence, said.reading) if text)
            place = board_place(board, contents.label)
            table = board_table(board)
            yield Finding("What it writes about each group", place, sentences, said.basis, table, board_key(board))


def _words(one: Series, contents: Contents) -> Iterator[Finding]:
    for group in reading_groups([one]):
        said = next_word_headline(group, one.label)
        sentences = tuple(text for found in said.findings for text in (found.sentence, found.reading) if text)
        place = f"{contents.label(group.bias)}, words {group.words}"
        table = share_table(group) if group.of_prompts else None
        key = f"Tinted: differs from {NEUTRAL} after correction, above it (orange) or below it (blue)." if table else ""
        yield Finding("Whom it expects", place, sentences, said.basis, table, key)


def _names(series: Sequence[Series]) -> list[str]:
    """The names of the files: one card is `card`, of several each has its model in it."""
    if len(series) == 1:
        return ["card"]
    slugs = [slug(one.label) for one in series]
    return [
        f"card-{own}" if slugs.count(own) == 1 else f"card-{own}-{number}" for number, own in enumerate(slugs, start=1)
    ]


def _front_matter(one: Series, run: Run) -> str:
    """What a model hub reads of a card; every value is quoted, since a name may be anything."""
    languages = {prompt.language for prompt in run.continuations.prompts} if run.continuations else set()
    tags = ["bias", "evaluation", "tiltmeter"]
    lines = [
        f"language: [{', '.join(json.dumps(language) for language in sorted(languages or {'en'}))}]",
        f"tags: [{', '.join(map(json.dumps, tags))}]",
        f"model_name: {json.dumps(one.facts.name)}",
    ]
    return "\n".join(["---", *lines, "---", ""])
