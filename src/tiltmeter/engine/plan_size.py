"""What carrying out a plan comes to, before anything is done. Nothing of it holds the plan in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.engine import continuations, scoring
from tiltmeter.engine.costs import expected_costs
from tiltmeter.engine.run import scorers_for
from tiltmeter.models.api import Cost
from tiltmeter.store.next_words import ordered_questions
from tiltmeter.study import Plan
from tiltmeter.study.disk_lists import ordered
from tiltmeter.views import FACTS, View

_LETTERS = 4
"""English text has about so many characters to a token."""


@dataclass(frozen=True, slots=True)
class PairsSize:
    """What the view of pairs takes; sentences that a model has yet to write are not counted."""

    pairs: int
    biases: int
    cells: int
    texts_per_model: int
    tokens_per_model: int


@dataclass(frozen=True, slots=True)
class ContinuationsSize:
    """What the view of continuations takes."""

    prompts: int
    situations: int
    """Prompts that name no group."""
    groups: int
    continuation_cells: int
    completions_per_model: int
    decoded_tokens_per_model: int
    """At most: shorter texts are cut from longer ones, and a text may end before its limit."""


@dataclass(frozen=True, slots=True)
class NextWordsSize:
    """What the view of next words takes."""

    open_prompts: int
    perturbations: int
    next_word_cells: int
    questions_per_model: int
    words_per_model: int
    read_tokens_per_model: int
    gradients_per_model: int


@dataclass(frozen=True, slots=True)
class AskedSize:
    """What a view takes that needs no more than queries."""

    items: int
    biases: int
    cells: int
    """At most, of all models."""
    queries_per_model: int
    tokens_per_model: int


@dataclass(frozen=True, slots=True)
class PlanSize:
    """What a plan takes: each view that the study has, what APIs are asked for, and what was left out why."""

    models: Sequence[str]
    pairs: PairsSize | None
    continuations: ContinuationsSize | None
    next_words: NextWordsSize | None
    asked: Mapping[View, AskedSize]
    """Views that need no more than queries."""
    costs: Mapping[str, Cost]
    dropped: Mapping[str, int]
    """Items that could not be made, by reason, the most frequent first."""

    def as_json(self) -> dict[str, Any]:
        """All of it by name; the views that the study does not have are left out."""
        views = (self.pairs, self.continuations, self.next_words)
        return {
            "models": list(self.models),
            **{name: value for view in views if view for name, value in asdict(view).items()},
            **{FACTS[view].key: asdict(one) for view, one in self.asked.items()},
            **({"api": {name: asdict(cost) for name, cost in self.costs.items()}} if self.costs else {}),
            "dropped": dict(self.dropped),
        }


def size_of(plan: Plan) -> PlanSize:
    """What carrying out a plan comes to."""
    return PlanSize(
        plan.study.models,
        _pairs(plan) if plan.study.sources else None,
        _continuations(plan) if plan.study.continuations else None,
        _next_words(plan) if plan.study.next_words else None,
        {view: _asked(plan, view) for view in plan.study.asked},
        expected_costs(plan, scorers_for(plan.study, "causal")),
        dict(Counter(item.reason for item in plan.dropped).most_common()),
    )


def _pairs(plan: Plan) -> PairsSize:
    questions = scoring.questions_of([(plan.pairs, scorers_for(plan.study, "causal"))])
    return PairsSize(
        pairs=len(plan.pairs),
        biases=len({pair.bias for pair in plan.pairs}),
        cells=len(plan.study.models) * len(plan.study.sources) * max(len(plan.study.scorers), 1),
        texts_per_model=len(questions),
        tokens_per_model=sum(length // _LETTERS + 1 for _, length, *_ in questions),
    )


def _asked(plan: Plan, view: View) -> AskedSize:
    items, ways = plan.items[view], plan.study.asked[view].ways(None)
    queries = scoring.questions_of([(items, ways)])
    places = {(item.source, item.bias) for item in items}
    return AskedSize(
        items=len(items),
        biases=len({bias for _, bias in places}),
        cells=len(plan.study.models) * len(places) * len(ways),
        queries_per_model=len(queries),
        tokens_per_model=sum(length // _LETTERS + 1 for _, length, *_ in queries),
    )


def _continuations(plan: Plan) -> ContinuationsSize:
    choices = plan.study.continuations
    assert choices is not None
    places = {(prompt.source, prompt.bias) for prompt in plan.prompts}
    return ContinuationsSize(
        prompts=len(plan.prompts),
        situations=sum(prompt.group is None for prompt in plan.prompts),
        groups=len({(prompt.bias, prompt.group) for prompt in plan.prompts if prompt.group}),
        continuation_cells=len(plan.study.models) * len(places) * len(choices.decodings) * len(choices.raters),
        completions_per_model=sum(choices.samples_of(one) for one in choices.decodings) * len(plan.prompts),
        decoded_tokens_per_model=sum(batch.tokens for batch in continuations.batches_of(plan.prompts, choices)),
    )


def _next_words(plan: Plan) -> NextWordsSize:
    choices = plan.study.next_words
    assert choices is not None
    questions = words = tokens = explained = 0
    for one, _ in ordered_questions(plan.asked, choices):
        questions, words, explained = questions + 1, words + len(one.words), explained + one.explained
        tokens += len(one.text) // _LETTERS + 1 + len(one.words)
    places = {(one.prompt.source, one.prompt.bias) for one in plan.asked}
    ways = len(choices.words) * len(choices.bounded) * len(choices.combine)
    return NextWordsSize(
        open_prompts=sum(1 for _ in ordered((one.prompt.id,) for one in plan.asked)),
        perturbations=len(choices.perturbations),
        next_word_cells=len(plan.study.models) * len(places) * ways,
        questions_per_model=questions * len(choices.bounded),
        words_per_model=words * len(choices.bounded),
        read_tokens_per_model=tokens * len(choices.bounded),
        gradients_per_model=explained,
    )
