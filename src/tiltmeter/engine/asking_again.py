"""Asking again what servers left without an answer in a finished run, and nothing else.

An answer that was paid for is not asked for twice. Only what is gained is written, so that a server that fails again
leaves the run as it was.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from tiltmeter.answers import Answers, is_transient
from tiltmeter.engine.continuations import generations
from tiltmeter.engine.executor import Executor, Stage, cut, perform
from tiltmeter.engine.identity import refuse_changed
from tiltmeter.engine.next_words import expected_after
from tiltmeter.engine.rating import BATCH, JUDGE, RatingRun, panel
from tiltmeter.engine.scoring import ask
from tiltmeter.models import Model, Predictor, Writer, lasting_name
from tiltmeter.models.api import BudgetSpent, Hopeless, api_name
from tiltmeter.models.asking import complete_as_asked
from tiltmeter.progress import Progress
from tiltmeter.records import Completion, Decoding, Query
from tiltmeter.store import Ledger
from tiltmeter.study import Plan

AT_ONCE = 16
"""Questions that are asked together, and wait for another time together where the server turns out to be gone."""

_SERVED = "vllm:"

Asked = TypeVar("Asked")
Write = Callable[[Sequence[int]], list[list[Completion]]]


@dataclass
class Again:
    """What came of asking again."""

    progress: Progress
    gained: int = 0
    troubles: list[str] = field(default_factory=list)
    """Why not everything was asked for."""

    def each(self, what: str, asked: Sequence[Asked], gain: Callable[[Sequence[Asked]], int]) -> None:
        """Have questions asked a few at a time; `gain` writes what is answered, and says how much that is."""

        def ask_some(some: Sequence[Asked]) -> int:
            try:
                return gain(some)
            except BudgetSpent:
                # Those that were answered before it was spent are known now.
                for one in some:
                    with suppress(BudgetSpent):
                        gained = gain([one])
                        note(some, gained)
                        self.progress.advance(1, 1 - gained)
                raise

        def note(_: Sequence[Asked], gained: int) -> None:
            self.gained += gained

        if asked:
            batches = cut(asked, AT_ONCE)
            stage = Stage(f"asking again: {what}", batches, ask_some, note, lambda some, gained: len(some) - gained)
            perform(stage, progress=self.progress)


def ask_again(plan: Plan, ledger: Ledger, executor: Executor, progress: Progress) -> Again:
    """Ask every model and judge behind an API for what is missing; a spent budget or a dead server ends its turn."""
    again = Again(progress)
    for name in plan.study.models:
        if api_name(name) is None and _SERVED not in name:
            continue
        if not _lacks(plan, lasting_name(name), ledger):
            continue
        model = executor.model(name)
        try:
            _scores(model, ledger, again)
            if isinstance(model, Writer):
                _texts(plan, model, ledger, again)
            if isinstance(model, Predictor):
                _next_words(plan, model, ledger, again)
        except (BudgetSpent, Hopeless) as error:
            again.troubles.append(str(error))
        refuse_changed(name, model.facts)
        # There is room for one: the next is loaded when it is gone.
        del model
        gc.collect()
    for task in panel(plan, executor):
        if task.choice.name == JUDGE and _lacks_ratings(lasting_name(task.choice.options["model"]), ledger):
            try:
                _ratings(RatingRun(plan, ledger, task), ledger, again)
            except (BudgetSpent, Hopeless) as error:
                again.troubles.append(str(error))
    return again


def _lacks(plan: Plan, name: str, ledger: Ledger) -> bool:
    """Whether anything of a model is missing, as far as its name tells without opening it."""
    words = plan.study.next_words
    return (
        name not in ledger.noted("models")
        or any(kept.lacking((name,)) for kept in (ledger.scored, ledger.replied))
        or bool(plan.study.continuations and ledger.written.lacking((name,)))
        or any(ledger.expected.lacking((name, int(bounded))) for bounded in (words.bounded if words else ()))
    )


def _lacks_ratings(model: str, ledger: Ledger) -> bool:
    judges = [rater for rater, facts in ledger.noted("raters").items() if facts.get("model") == model]
    return not judges or any(ledger.rated.lacking((one,)) or ledger.amendments.tilts(one) for one in judges)


def _scores(model: Model, ledger: Ledger, again: Again) -> None:
    name = model.facts.name
    for kept in (ledger.scored, ledger.replied):
        missing = kept.lacking((name,))
        for conditioning in dict.fromkeys(query.conditioning for query in missing):

            def gain(some: Sequence[Query], kept: Answers[Query, Any] = kept) -> int:
                return ledger.amendments.amend(kept, (name,), ask(model, some))

            again.each(f"scores of {name}", [one for one in missing if one.conditioning == conditioning], gain)


def _texts(plan: Plan, writer: Writer, ledger: Ledger, again: Again) -> None:
    choices, name = plan.study.continuations, writer.facts.name
    missing = set(ledger.written.lacking((name,)) if choices else ())
    for decoding, lengths in generations(choices.decodings) if choices else ():
        settings = dict(lengths)
        prompts = sorted({prompt for setting, prompt, _ in missing if setting in settings})
        write = partial(_written, plan, writer, decoding)

        def gain(some: Sequence[int], write: Write = write, settings: dict[int, int] = settings) -> int:
            found = {
                (setting, prompt, sample): one.at(limit)
                for prompt, samples in zip(some, write(some), strict=True)
                for sample, one in enumerate(samples)
                for setting, limit in settings.items()
                if (setting, prompt, sample) in missing and not is_transient(one)
            }
            ledger.amendments.amend_texts(name, found, BATCH)
            return len({prompt for _, prompt, _ in found})

        again.each(f"texts of {name}", prompts, gain)


def _written(plan: Plan, writer: Writer, decoding: Decoding, prompts: Sequence[int]) -> list[list[Completion]]:
    assert plan.study.continuations is not None
    samples = plan.study.continuations.samples_of(decoding)
    texts = [plan.prompts[number].text for number in prompts]
    return complete_as_asked(writer, texts, decoding, samples=samples, seed=plan.study.seed)


def _next_words(plan: Plan, model: Predictor, ledger: Ledger, again: Again) -> None:
    name = model.facts.name
    questions = ledger.next_words.questions() if plan.study.next_words else ()
    for bounded in plan.study.next_words.bounded if plan.study.next_words else ():

        def gain(some: Sequence[int], bounded: bool = bounded) -> int:
            answers = expected_after(model, [questions[number] for number in some], bounded=bounded)
            found = dict(zip(some, answers, strict=True))
            return ledger.amendments.amend(ledger.expected, (name, int(bounded)), found)

        again.each(f"next words of {name}", ledger.expected.lacking((name, int(bounded))), gain)


def _ratings(rating: RatingRun, ledger: Ledger, again: Again) -> None:
    name, texts = rating.name, ledger.continuations.texts()

    def gain(some: Sequence[int]) -> int:
        # Their numbers begin with 1.
        found = dict(rating.rated([texts[number - 1] for number in some]))
        return ledger.amendments.amend(ledger.rated, (name,), found)

    def gain_tilt(some: Sequence[int]) -> int:
        items = rating.tilt()
        gained = ledger.amendments.tilts(name) - sum(is_transient(one.rating) for _, one in items)
        if gained > 0:
            ledger.amendments.tilted(name, items)
        return min(len(some), max(gained, 0))

    again.each(f"ratings by {name}", ledger.rated.lacking((name,)), gain)
    if ledger.amendments.tilts(name):
        again.each(f"tilt of {name}", [0], gain_tilt)
