"""Having a model continue the prompts of a study, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tiltmeter.engine.staff import Staff
from tiltmeter.models import Model, Writer, as_writer
from tiltmeter.records import Completion, Decoding, Prompt
from tiltmeter.store import Ledger, Step
from tiltmeter.study import ContinuationChoices, Plan
from tiltmeter.watching import Watcher

BATCH = 192
"""Texts in a batch: what a killed run loses at most. Part of the plan, so that resuming changes no text."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Prompts that are continued together; `lengths` has every setting that comes of it, and its limit of tokens."""

    decoding: Decoding
    samples: int
    lengths: tuple[tuple[int, int], ...]
    """The number of a setting of the study, and its `max_new_tokens`."""
    texts: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many texts are written."""
        return len(self.texts) * self.samples


def complete(plan: Plan, model: Model, ledger: Ledger, staff: Staff, watch: Watcher) -> None:
    """Write what the study asks of a model that can write; one that cannot is left to the other views."""
    choices = plan.study.continuations
    others = plan.study.sources or plan.study.next_words
    if choices is None or (others and not isinstance(model, Writer)):
        return
    writer, name = as_writer(model), model.facts.name
    batches = plan_batches(plan.prompts, choices)
    places: dict[str, list[int]] = {}
    for number, prompt in enumerate(plan.prompts):
        places.setdefault(prompt.text, []).append(number)
    done = ledger.continuations.done("completing", name)
    watch.start(f"writing with {name}", sum(one.size for one in batches), sum(batches[at].size for at in done))
    todo = ((at, batch) for at, batch in enumerate(batches) if at not in done)
    for (at, batch), written in staff.each(writer, lambda pen, one: write(pen, one[1], plan.study.seed), todo):
        found = {
            (setting, number, sample): one.at(limit)
            for setting, limit in batch.lengths
            for text, samples in zip(batch.texts, written, strict=True)
            for number in places[text]
            for sample, one in enumerate(samples)
        }
        ledger.continuations.record_completions(Step("completing", name, at), found)
        watch.advance(batch.size, sum(one.unwritten is not None for samples in written for one in samples))


def write(writer: Writer, batch: Batch, seed: int) -> list[list[Completion]]:
    """The texts of a batch at their greatest length; each depends on its prompt, sample and the seed alone."""
    return writer.complete(batch.texts, batch.decoding, samples=batch.samples, seed=seed)


def plan_batches(prompts: Sequence[Prompt], choices: ContinuationChoices) -> list[Batch]:
    """Every text once at its greatest length, short prompts before long ones, cut into batches."""
    texts = sorted({prompt.text for prompt in prompts}, key=lambda text: (len(text), text))
    batches = []
    for decoding, lengths in generations(choices.decodings):
        samples = choices.samples_of(decoding)
        step = max(1, BATCH // samples)
        parts = (tuple(texts[start : start + step]) for start in range(0, len(texts), step))
        batches += [Batch(decoding, samples, lengths, part) for part in parts]
    return batches


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
