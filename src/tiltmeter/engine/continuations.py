"""Having a model continue the prompts of a study, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tiltmeter.engine.executor import Batches, Executor, Stage, batch_size, perform
from tiltmeter.models import Model, Writer, as_writer
from tiltmeter.models.asking import chat_prompt, complete_as_asked
from tiltmeter.models.interface import on_accelerator
from tiltmeter.progress import Progress
from tiltmeter.records import Completion, Decoding, Prompt
from tiltmeter.store import Ledger
from tiltmeter.store.continuations import Place
from tiltmeter.study import ContinuationChoices, Plan
from tiltmeter.study.disk_lists import disk_list, ordered

BATCH = 192
"""Texts in a batch on a CPU: what a killed run loses at most. Part of the plan, so that resuming changes no text."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Prompts that are continued together; `lengths` has every setting that comes of it, and its limit of tokens."""

    decoding: Decoding
    samples: int
    lengths: tuple[tuple[int, int], ...]
    """The number of a setting of the study, and its `max_new_tokens`."""
    texts: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    """For each text, the numbers of the prompts that have it."""

    @property
    def tokens(self) -> int:
        """How many tokens are decoded at most."""
        return len(self.texts) * self.samples * self.decoding.max_new_tokens * self.decoding.beams


def complete(plan: Plan, model: Model, ledger: Ledger, executor: Executor, progress: Progress) -> None:
    """Write what the study asks of a model that can write; one that cannot is left to the other views."""
    choices = plan.study.continuations
    others = plan.study.sources or plan.study.next_words
    if choices is None or (others and not isinstance(model, Writer)):
        return
    writer, name, seed = as_writer(model), model.facts.name, plan.study.seed
    for system in {one.system for one in choices.decodings if one.form == "chat"}:
        # A model without a template, or without a place for a system prompt, is refused before anything is written.
        chat_prompt(writer, "", system)
    steps = ledger.steps("completing", name)
    longest = [lengths[0][0] for _, lengths in generations(choices.decodings)]

    def lost() -> int:
        # A text that several prompts have, or that is cut to several lengths, was written once.
        places = (place for place in ledger.written.unanswered((name,)) if place[0] in longest)
        return sum(1 for _ in ordered((at, plan.prompts[number].text, sample) for at, number, sample in places))

    stage = Stage(
        f"writing texts with {name}",
        batches_of(plan.prompts, choices, batch_size(BATCH, model)),
        ask=lambda batch: write(writer, batch, seed),
        write=lambda batch, written: ledger.written.put((name,), _places(batch, written).items()),
        failed=lambda _, written: sum(one.unwritten is not None for samples in written for one in samples),
        done=steps.done(),
        marked=steps.marked,
        failed_before=lost,
        ahead=on_accelerator(model),
    )
    perform(stage, executor, progress)


def _places(batch: Batch, written: Sequence[Sequence[Completion]]) -> dict[Place, Completion]:
    """The texts of every prompt and setting of a batch."""
    return {
        (setting, number, sample): one.at(limit)
        for setting, limit in batch.lengths
        for places, samples in zip(batch.places, written, strict=True)
        for number in places
        for sample, one in enumerate(samples)
    }


def write(writer: Writer, batch: Batch, seed: int) -> list[list[Completion]]:
    """The texts of a batch at their greatest length; each depends on its prompt, sample and the seed alone."""
    return complete_as_asked(writer, batch.texts, batch.decoding, samples=batch.samples, seed=seed)


def batches_of(prompts: Iterable[Prompt], choices: ContinuationChoices, size: int = BATCH) -> Batches[Batch]:
    """Every text once at its greatest length, short prompts before long ones, cut into batches.

    Prompts that are many are not in memory, but in a temporary file.
    """
    rows = ordered((len(prompt.text), prompt.text, number) for number, prompt in enumerate(prompts))
    same = groupby(rows, key=lambda row: row[1])
    texts = disk_list((text, tuple(number for *_, number in every)) for text, every in same)
    kinds = [(one, choices.samples_of(one), lengths) for one, lengths in generations(choices.decodings)]
    bounds = [
        (kind, start, min(start + step, len(texts)))
        for kind, (_, samples, _) in enumerate(kinds)
        for step in (max(1, size // samples),)
        for start in range(0, len(texts), step)
    ]

    def read(at: int) -> Batch:
        kind, start, stop = bounds[at]
        return Batch(*kinds[kind], *zip(*texts[start:stop], strict=True))

    return Batches([(stop - start) * kinds[kind][1] for kind, start, stop in bounds], read)


def generations(decodings: Sequence[Decoding]) -> list[tuple[Decoding, tuple[tuple[int, int], ...]]]:
    """The settings to decode with. Of those that differ in length alone the longest is enough, except with beams.

    >>> [decoding.max_new_tokens for decoding, _ in generations([Decoding(max_new_tokens=n) for n in (10, 30)])]
    [30]
    """
    families: dict[Decoding, list[tuple[int, int]]] = {}
    for number, decoding in enumerate(decodings):
        # The best text of one length need not begin the best of another.
        family = decoding if decoding.beams > 1 else replace(decoding, max_new_tokens=0)
        families.setdefault(family, []).append((number, decoding.max_new_tokens))
    return [
        (replace(family, max_new_tokens=max(length for _, length in lengths)), tuple(lengths))
        for family, lengths in families.items()
    ]
