"""What models behind an API cost: the estimate of a plan, and the account of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain, repeat

from tiltmeter.engine import completing, scoring
from tiltmeter.engine.panel import JUDGE
from tiltmeter.measures.scorers import Scorer
from tiltmeter.models.api import (
    Cost,
    accounts,
    api_name,
    estimated_tokens,
    expected_cost,
    forced_choice,
    lasting_name,
    price_of,
)
from tiltmeter.store import ANSWERS, Ledger
from tiltmeter.store.next_words import ordered_questions
from tiltmeter.study import Plan

_CHOICE = forced_choice.DECODING.max_new_tokens
_CHAT = 40
"""Tokens, about, that a chat template and an instruction put around a text."""


def expected_costs(plan: Plan, scorers: Sequence[Scorer]) -> dict[str, Cost]:
    """For each model of the study behind an API, and each judge, what it will take at most, by its name.

    Tokens are estimated from characters, since only the server's tokenizer knows; and sentences that a model has yet
    to write are not counted.
    """
    found = {}
    for name in dict.fromkeys(name for name in (*plan.study.models, *_judges(plan)) if api_name(name)):
        requests = read = wrote = 0
        asked = _asked(plan, scorers, chat=name.startswith("chat:")) if name in plan.study.models else ()
        for tokens_in, tokens_out in chain(asked, *(_judged(plan) for judge in _judges(plan) if judge == name)):
            requests, read, wrote = requests + 1, read + tokens_in, wrote + tokens_out
        found[lasting_name(name)] = expected_cost(requests, (read, wrote), price_of(name))
    return found


@contextmanager
def accounted(ledger: Ledger) -> Iterator[None]:
    """Note at the end, however it comes, what models behind an API took."""
    try:
        yield
    finally:
        spent = {name: asdict(found) for name, found in accounts(ledger.folder / ANSWERS).items()}
        if spent:
            ledger.record_spent(spent)


def _asked(plan: Plan, scorers: Sequence[Scorer], *, chat: bool) -> Iterator[tuple[int, int]]:
    """The tokens that each request to a tested model reads and writes."""
    for conditioning, _, text, _ in scoring.Batches(plan.pairs, scorers).questions:
        by_chat = conditioning == forced_choice.CONDITIONING
        yield estimated_tokens(text) + _CHAT * by_chat, _CHOICE if by_chat else 1
    for read, wrote in _written(plan):
        yield read + _CHAT * chat, wrote
    for question, _ in ordered_questions(plan.asked, plan.study.next_words) if plan.study.next_words else ():
        # The prompt alone, and with each word that is not among the most probable.
        yield from repeat((estimated_tokens(question.text), 1), 1 + len(question.words))


def _written(plan: Plan) -> Iterator[tuple[int, int]]:
    choices = plan.study.continuations
    batches = completing.Batches(plan.prompts, choices) if choices else ()
    for batch in batches:
        for text in batch.texts:
            yield from repeat((estimated_tokens(text), batch.decoding.max_new_tokens), batch.samples)


def _judges(plan: Plan) -> list[str]:
    choices = plan.study.continuations
    raters = choices.raters if choices else ()
    return [one.options["model"] for one in raters if one.name == JUDGE]


def _judged(plan: Plan) -> Iterator[tuple[int, int]]:
    """Every text of every model, asked about once."""
    for read, wrote in _written(plan):
        yield from repeat((read + wrote + _CHAT, _CHOICE), len(plan.study.models))
