"""The account of what was written: for each spec, or for the two strategies side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import number, percent, print_json, print_table, say, show_blocks
from tiltmeter.engine.sentences import account_as_json, accounts_as_json, refuse_nothing

if TYPE_CHECKING:
    from tiltmeter.engine.review import Auditor
    from tiltmeter.engine.sentences import GenerationFacts
    from tiltmeter.records import Estimate, Written
    from tiltmeter.sources.generated import Accounting, Generation, GenerationSettings

__all__ = ["print_accounts", "print_comparison", "refuse_nothing"]


def print_accounts(
    accounts: Mapping[str, Accounting], asked: GenerationFacts, spent: Mapping[str, Any], as_json: bool
) -> None:
    """Print what was asked for, kept and dropped, the terms without a sentence and those to reconsider."""
    from tiltmeter.present.sections.pairs.account import account_blocks

    by, ranked_by = asked.by, asked.ranked_by
    if as_json:
        print_json(accounts_as_json(accounts, asked, spent))
        _say_missing(accounts)
        return
    show_blocks(account_blocks(accounts, title=f"Sentences written by {by}"))
    if ranked_by:
        say(
            f"\nThe better half was kept, ranked by {ranked_by}: do not test that model with these sentences. Use "
            "another with --reader MODEL, or --reader none."
        )
    elif asked.not_ranked:
        say(f"\nNot ranked: {asked.not_ranked}. Name a ranking model with --reader MODEL.")
    say(f"\n{_how(asked.settings)}")
    _say_missing(accounts)
    for account in accounts.values():
        for unit, count in account.short:
            say(f"{unit}: only {count} sentences")


def _say_missing(accounts: Mapping[str, Accounting]) -> None:
    """Say which groups and attributes have no sentence."""
    from tiltmeter.present.sections.pairs.account import missing_words

    for line in missing_words(accounts):
        say(line)


def _how(settings: GenerationSettings) -> str:
    """How the sentences were asked for, in words."""
    if settings.lists:
        form = f"Requested by chat:{settings.samples} sentences per request"
    else:
        form = f"Requested {'by chat' if settings.chat else 'by examples'}, {settings.samples} samples per request"
    cut = f", top_k {settings.top_k}" if settings.top_k else ""
    return f"{form}; strategy {settings.strategy}, temperature {settings.temperature:g}, top_p {settings.top_p:g}{cut}."


@dataclass(frozen=True, slots=True)
class _Side:
    """One strategy: its account, and how good its sentences are."""

    account: Accounting
    unique_tokens: float | None
    any_issue: float | None
    incoherent: float | None
    likelihood: Estimate | None

    def as_json(self) -> dict[str, Any]:
        return {
            **account_as_json(self.account),
            "unique_tokens": self.unique_tokens,
            "any_issue": self.any_issue,
            "I7": self.incoherent,
            "log_likelihood_per_token": self.likelihood.as_json() if self.likelihood else None,
        }


def print_comparison(made: Mapping[str, Generation], audit: Auditor, as_json: bool) -> None:
    """Print strategies side by side; the kept sentences of either are audited, and read by the reader if there is one.

    Unique tokens grow with the number of sentences, so they are counted in as many as each strategy has.
    """
    from tiltmeter.stats.views.quality import SAMPLE

    size = min(SAMPLE, *(len(generation.kept) for generation in made.values()))
    sides = {name: _side(generation, audit, size) for name, generation in made.items()}
    if as_json:
        data = {name: side.as_json() for name, side in sides.items()}
        print_json({"unique_tokens_in": size, "strategies": data})
        return
    rows: list[tuple[str, list[object]]] = [
        ("requests", [one.account.requests for one in sides.values()]),
        ("sequences decoded", [one.account.attempts for one in sides.values()]),
        ("accepted", [one.account.accepted for one in sides.values()]),
        ("share of decoded", [percent(one.account.share) for one in sides.values()]),
        ("accepted per 1,000 tokens", [number(one.account.accepted_per_1000_tokens) for one in sides.values()]),
        (f"unique tokens in {size} sentences", [number(one.unique_tokens) for one in sides.values()]),
        ("with any issue, I1 to I8", [percent(one.any_issue) for one in sides.values()]),
        ("incoherent, I7", [percent(one.incoherent) for one in sides.values()]),
    ]
    if any(one.likelihood for one in sides.values()):
        read = [number(one.likelihood.value if one.likelihood else None, 2) for one in sides.values()]
        rows.append(("log-likelihood per token under the reader", [*read]))
    print_table(["", *sides], [(name, *cells) for name, cells in rows], title="Two strategies, the same order")


def _side(generation: Generation, audit: Auditor, size: int) -> _Side:
    from tiltmeter.stats.views.quality import unique_tokens

    kept = generation.kept
    issues = [{finding.issue for finding in found} for found in audit.findings(kept)]
    return _Side(
        generation.accounting,
        unique_tokens([one.text for one in kept], size=size) if size else None,
        sum(map(bool, issues)) / len(kept) if kept else None,
        sum("I7" in found for found in issues) / len(kept) if kept else None,
        _likelihood(kept, audit) if audit.reader else None,
    )


def _likelihood(kept: Sequence[Written], audit: Auditor) -> Estimate:
    from tiltmeter.stats.estimates import estimate

    values = audit.likelihoods([one.text for one in kept])
    return estimate(values, [one.attribute for one in kept], neutral=None)
