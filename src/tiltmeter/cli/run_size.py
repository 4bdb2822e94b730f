"""What carrying out a plan comes to, told before anything is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import say

if TYPE_CHECKING:
    from tiltmeter.study import Plan


def size_of(plan: Plan, folder: Path) -> dict[str, Any]:
    """What carrying out a plan comes to, told before anything is done."""
    return {
        "folder": str(folder),
        "models": list(plan.study.models),
        **(_pairs_size(plan) if plan.study.sources else {}),
        **(_continuations_size(plan) if plan.study.continuations else {}),
        **(_next_words_size(plan) if plan.study.next_words else {}),
        **_api_size(plan),
        "dropped": dict(Counter(item.reason for item in plan.dropped).most_common()),
    }


def _pairs_size(plan: Plan) -> dict[str, Any]:
    from tiltmeter.engine.local import scorers_for
    from tiltmeter.engine.scoring import Batches

    questions = Batches(plan.pairs, scorers_for(plan.study, "causal")).questions
    return {
        "pairs": len(plan.pairs),
        "biases": len({pair.bias for pair in plan.pairs}),
        "cells": len(plan.study.models) * len(plan.study.sources) * max(len(plan.study.scorers), 1),
        "texts_per_model": len(questions),
        # English text has about four characters to a token.
        "tokens_per_model": sum(length // 4 + 1 for _, length, *_ in questions),
    }


def _continuations_size(plan: Plan) -> dict[str, Any]:
    from tiltmeter.engine.completing import Batches

    choices = plan.study.continuations
    assert choices is not None
    places = {(prompt.source, prompt.bias) for prompt in plan.prompts}
    return {
        "prompts": len(plan.prompts),
        "groups": len({(prompt.bias, prompt.group) for prompt in plan.prompts if prompt.group}),
        "continuation_cells": len(plan.study.models) * len(places) * len(choices.decodings) * len(choices.raters),
        "completions_per_model": sum(choices.samples_of(one) for one in choices.decodings) * len(plan.prompts),
        # Shorter texts are cut from longer ones; a text may end before its limit.
        "decoded_tokens_per_model": Batches(plan.prompts, choices).tokens,
    }


def _next_words_size(plan: Plan) -> dict[str, Any]:
    from tiltmeter.store.next_words import ordered_questions
    from tiltmeter.study.spool import ordered

    choices = plan.study.next_words
    assert choices is not None
    questions = words = explained = 0
    for one, _ in ordered_questions(plan.asked, choices):
        questions, words, explained = questions + 1, words + len(one.words), explained + one.explained
    places = {(one.prompt.source, one.prompt.bias) for one in plan.asked}
    ways = len(choices.words) * len(choices.bounded) * len(choices.combine)
    return {
        "open_prompts": sum(1 for _ in ordered((one.prompt.id,) for one in plan.asked)),
        "perturbations": len(choices.perturbations),
        "next_word_cells": len(plan.study.models) * len(places) * ways,
        "questions_per_model": questions * len(choices.bounded),
        "words_per_model": words * len(choices.bounded),
        "gradients_per_model": explained,
    }


def _api_size(plan: Plan) -> dict[str, Any]:
    from tiltmeter.engine.costs import expected_costs
    from tiltmeter.engine.local import scorers_for

    costs = expected_costs(plan, scorers_for(plan.study, "causal"))
    return {"api": {name: asdict(cost) for name, cost in costs.items()}} if costs else {}


def tell_size(size: Mapping[str, Any]) -> None:
    """The same in sentences."""
    models = f"for each of {len(size['models'])} models"
    if "pairs" in size:
        say(
            f"plan: {size['pairs']} pairs over {size['biases']} biases; {models} "
            f"{size['texts_per_model']} texts (about {size['tokens_per_model']} tokens; more passes for masked "
            f"models); up to {size['cells']} cells; into {size['folder']}"
        )
    if "prompts" in size:
        say(
            f"plan: {size['prompts']} prompts about {size['groups']} groups; {models} "
            f"{size['completions_per_model']} completions (at most {size['decoded_tokens_per_model']} tokens to "
            f"decode); {size['continuation_cells']} cells; into {size['folder']}"
        )
    if "open_prompts" in size:
        gradients = f" and {size['gradients_per_model']} gradients" if size["gradients_per_model"] else ""
        say(
            f"plan: {size['open_prompts']} prompts that leave the group open, under {size['perturbations']} "
            f"perturbations; {models} {size['questions_per_model']} texts to read for {size['words_per_model']} "
            f"words{gradients}; {size['next_word_cells']} cells; into {size['folder']}"
        )
    for name, cost in size.get("api", {}).items():
        money = "" if cost["money"] is None else f", which cost {cost['money']:,.4g}"
        say(
            f"plan: {name}: at most {cost['requests']:,} requests, about {cost['tokens_in']:,} tokens to read and at "
            f"most {cost['tokens_out']:,} to write{money}"
        )
    for reason, count in list(size["dropped"].items())[:3]:
        say(f"dropped: {count} probes, {reason}")
