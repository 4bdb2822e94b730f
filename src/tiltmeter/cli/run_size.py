"""What carrying out a plan comes to, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import say
from tiltmeter.errors import UserError
from tiltmeter.views import FACTS

if TYPE_CHECKING:
    from tiltmeter.study import Plan

MOST_TEXTS = 10_000_000


def refuse_huge(plan: Plan) -> None:
    """Refuse a plan that nobody can have meant, before anything of it takes memory, disk or money."""
    choices = plan.study.continuations
    written = sum(map(choices.samples_of, choices.decodings)) * len(plan.prompts) if choices else 0
    texts = (len(plan.pairs) + written + len(plan.asked) + sum(map(len, plan.items.values()))) * len(plan.study.models)
    if texts > MOST_TEXTS:
        raise UserError(
            f"the plan has {texts:,} texts or more, above the limit of {MOST_TEXTS:,}: reduce samples, decodings "
            "or prompts, or add --yes"
        )


def tell_size(size: Mapping[str, Any]) -> None:
    """Say what a plan takes, before anything is done."""
    from tiltmeter.present.words import count

    models = f"for each of {len(size['models'])} models" if len(size["models"]) > 1 else "for the model"
    if "pairs" in size:
        say(
            f"plan: {count(size['pairs'], 'pair')} over {count(size['biases'], 'bias', 'biases')}; {models} "
            f"{size['texts_per_model']} texts (about {size['tokens_per_model']} tokens; more passes for masked "
            f"models); up to {count(size['cells'], 'method')}; into {size['folder']}"
        )
    if "prompts" in size:
        named, bare = size["prompts"] - size["situations"], size["situations"]
        about = [f"{count(named, 'prompt')} about {count(size['groups'], 'group')}"] if named else []
        about += [f"{count(bare, 'prompt')} that {'names' if bare == 1 else 'name'} no group"] if bare else []
        say(
            f"plan: {' and '.join(about)}; {models} {size['completions_per_model']} completions (at most "
            f"{size['decoded_tokens_per_model']} tokens to decode); {count(size['continuation_cells'], 'method')}; "
            f"into {size['folder']}"
        )
    if "open_prompts" in size:
        gradients = f" and {size['gradients_per_model']} gradients" if size["gradients_per_model"] else ""
        say(
            f"plan: {count(size['open_prompts'], 'prompt')} that {'leaves' if size['open_prompts'] == 1 else 'leave'} "
            f"the group open, under {count(size['perturbations'], 'perturbation')}; {models} "
            f"{size['questions_per_model']} texts to read for {size['words_per_model']} words{gradients}; "
            f"{count(size['next_word_cells'], 'method')}; into {size['folder']}"
        )
    for facts in FACTS.values():
        if isinstance(asked := size.get(facts.key), Mapping):
            say(
                f"plan: {count(asked['items'], facts.asked)} over {count(asked['biases'], 'bias', 'biases')}; {models} "
                f"{asked['queries_per_model']} texts (about {asked['tokens_per_model']} tokens); up to "
                f"{count(asked['cells'], 'method')}; into {size['folder']}"
            )
    for name, cost in size.get("api", {}).items():
        money = "" if cost["money"] is None else f", which cost {cost['money']:,.4g}"
        most = "if the server fails every one of them" if cost["most"] > cost["requests"] else "by `max_requests`"
        say(
            f"plan: {name}: at most {cost['requests']:,} requests ({cost['most']:,} {most}), about "
            f"{cost['tokens_in']:,} tokens to read and at most {cost['tokens_out']:,} to write{money}"
        )
    for reason, number in list(size["dropped"].items())[:3]:
        say(f"dropped: {count(number, 'item')}, {reason}")
