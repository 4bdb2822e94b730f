"""A bias card: what was found of one model, on one screen, in the order of a model card (Mitchell et al. 2019)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiltmeter.files import write_texts
from tiltmeter.present.blocks import Block, Document, Facts, Listing, Prose, Section, Span, TableCell, text
from tiltmeter.present.html import page
from tiltmeter.present.markdown import write_markdown
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.finding import as_found, effect_as_found, mark_of
from tiltmeter.present.sections.limits import not_meant
from tiltmeter.present.sections.summary import (
    claim_label,
    instrument_block,
    sorted_findings,
    verdict_counts,
)
from tiltmeter.present.tables import numbers, table
from tiltmeter.present.words import NONE, date_words, p_value, signed
from tiltmeter.results.account import summary_of_model
from tiltmeter.results.findings.findings import Finding
from tiltmeter.store import Run
from tiltmeter.version import __version__
from tiltmeter.views import VIEWS

_USE = "A card describes tests on a few biases in the tested language. It does not certify a model for any use."


@dataclass(frozen=True, slots=True)
class Card:
    """A card as blocks, the name of its files, and what a model hub reads before the Markdown form."""

    name: str
    document: Document
    front_matter: str


def make_cards(found: Reported) -> list[Card]:
    """A card for each model of each run."""
    models = [(run, summary, model) for run, summary in found.runs for model in summary.facts]
    slugs = [re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-") or "model" for *_, model in models]
    names = ["card"] if len(models) == 1 else [f"card-{own}-{number}" for number, own in enumerate(slugs, start=1)]
    # Findings of several runs are over all of them; a card is of one.
    own = [found] if len(found.runs) == 1 else [Reported.of([each]) for each in found.runs]
    by_run = dict(zip((run.folder for run, _ in found.runs), own, strict=True))
    return [
        Card(name, _card(_of_model(by_run[run.folder], model), run), _front_matter(run, model))
        for name, (run, _, model) in zip(names, models, strict=True)
    ]


def write_cards(found: Reported, folder: Path) -> list[Path]:
    """Write each card as Markdown and HTML; nothing before all of them are made."""
    files: dict[Path, str] = {}
    for card in make_cards(found):
        files[folder / f"{card.name}.md"] = f"{card.front_matter}\n{write_markdown(card.document, '')}"
        files[folder / f"{card.name}.html"] = page(card.document, eyebrow="tiltmeter bias card")
    write_texts(files)
    return list(files)


def _of_model(found: Reported, model: str) -> Reported:
    """What the report of one run says of one model."""
    own = tuple(one for one in found.findings if one.question.model == model)
    [(run, summary)] = found.runs
    return Reported.of([(run, summary_of_model(summary, model))], replace(found.answered, findings=own))


def _card(found: Reported, run: Run) -> Document:
    [model] = found.summaries[0].facts
    facts = found.summaries[0].facts[model]
    views = [view for view in VIEWS if any(one.question.view == view for one in found.findings)]
    checked = instrument_block(found)
    meanings = [not_meant(view)[0] for view in views]
    social = [one for one in found.findings if not one.question.check]
    blocks: list[Block] = [
        Prose(text(Span(f"{date_words(run.meta.get('finished'))}. ", "strong"), verdict_counts(social)), "lead"),
        *([checked] if checked else []),
    ]
    verdicts = verdict_table(found)
    if verdicts:
        blocks.append(verdicts)
    blocks += [
        Section("What it does not mean", (Listing(tuple(map(text, [*meanings, _USE]))),)),
        Facts(
            (
                ("Model", text(f"{facts.name}, {facts.family}")),
                ("Revision", text(Span(facts.revision or "unknown", "code"))),
                ("Weights", text("SHA-256 ", Span((facts.weights_sha256 or "unknown")[:16], "code"))),
                ("Study", text(f"{found.runs[0][1].study}, seed {run.meta['resolved']['seed']}")),
                (
                    "Made with",
                    text(f"tiltmeter {__version__}, fingerprint ", Span(run.meta["fingerprint"][:16], "code")),
                ),
            )
        ),
    ]
    return Document(f"Bias card: {model}", "", tuple(blocks))


def verdict_table(found: Reported) -> Block | None:
    """One line for each finding."""
    return table(
        "Findings by verdict",
        ("Finding", "Verdict", *numbers("Methods that say so", "Effect of the first, in SD", "Adjusted p")),
        [_line(one, found) for one in sorted_findings(found.findings)],
    )


def _line(one: Finding, found: Reported) -> Sequence[TableCell | str]:
    _, sign = as_found(one)
    verdict, signs = one.verdict, one.multiverse.curve.signs
    return (
        claim_label(one, found),
        mark_of(one),
        f"{signs.positive if sign > 0 else signs.negative} of {verdict.of}" if verdict.of else NONE,
        signed(effect_as_found(one).value),
        p_value(verdict.p_adjusted),
    )


def _front_matter(run: Run, model: str) -> str:
    """What a model hub reads of a card."""
    return front_matter({**hub_facts(run), "model_name": model})


def hub_facts(run: Run) -> dict[str, object]:
    """What a hub reads of anything that a run has measured."""
    languages = {prompt.language for prompt in run.continuations.prompts} if run.continuations else set()
    return {"language": sorted(languages or {"en"}), "tags": ["bias", "evaluation", "tiltmeter"]}


def front_matter(said: Mapping[str, object]) -> str:
    """Facts before a Markdown page, as YAML; every value is JSON, since a name may be anything."""
    return "\n".join(["---", *(f"{key}: {json.dumps(value)}" for key, value in said.items()), "---", ""])
