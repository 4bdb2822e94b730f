"""Example prompts of a finding on next words, chosen by number alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.present.blocks import Example, Examples, Span, Text, text
from tiltmeter.present.decodings import source_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.words import capitalised, probability
from tiltmeter.records import Prompt
from tiltmeter.results.cells import Cell, table_of
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.questions import topic_of
from tiltmeter.results.items import expected_items
from tiltmeter.results.measurements.columns import PROBABILITY
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.store import Run
from tiltmeter.study.planning import DEFAULT_SOURCE

_SHOWN = 4
"""Prompts in each list."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A prompt with the probabilities of the two groups of a finding."""

    prompt: Prompt
    probabilities: tuple[float, float]

    @property
    def share(self) -> float:
        """Of the first group."""
        return self.probabilities[0] / sum(self.probabilities)


def example_prompts(one: Finding, found: Reported) -> Iterator[Examples]:
    """The prompts after which either group is most expected, and those after which both are equally probable."""
    first, second = one.question.names
    asked = sorted(_of_finding(one, found), key=lambda each: (-each.share, each.prompt.id))
    sources = list(dict.fromkeys(source_words(each.prompt.source) for each in asked))
    toward = [each for each in asked if each.share > 0.5][:_SHOWN]
    away = [each for each in reversed(asked) if each.share < 0.5][:_SHOWN]
    shown = {each.prompt.id for each in (*toward, *away)}
    rest = [each for each in asked if each.prompt.id not in shown]
    near = sorted(rest, key=lambda each: (abs(each.share - 0.5), each.prompt.id))[:_SHOWN]
    lists = (
        (f"{capitalised(first)} most expected", toward),
        (f"{capitalised(second)} most expected", away),
        ("Closest to equal", near),
    )
    entries = tuple((title, tuple(_example(each, (first, second)) for each in own)) for title, own in lists if own)
    if entries:
        of = f" of {len(sources)} sources" if len(sources) > 1 else ""
        yield Examples(f"Single prompts{of} by which group is expected next", entries)


def _of_finding(one: Finding, found: Reported) -> Iterator[_Asked]:
    """The prompts of all sources as they are, each text once, by the words that the study names first."""
    question = one.question
    if question.view != "next words":
        return
    counted: tuple[object, ...] | None = None
    seen: set[str] = set()
    for run in found.read:
        for cell in table_of(run).of("next words", measure=PROBABILITY):
            asked = (cell.model, topic_of(cell.bias)) == (question.model, question.bias)
            groups = {row.group for row in cell.rows} if asked and cell.source != DEFAULT_SOURCE else set()
            way = (cell.words, cell.bounded, cell.combine)
            if {question.first, question.second} <= groups and way == (counted or way):
                counted = way
                yield from _of_cell(run, cell, (question.first, question.second), seen)


def _of_cell(run: Run, cell: Cell, groups: tuple[str, str], seen: set[str]) -> Iterator[_Asked]:
    items = [item for item in expected_items(cell) if item.perturbation == ORIGINAL]
    expected = {item.prompt: tuple(item.chances.get(group) for group in groups) for item in items}
    for one in run.next_words.asked if run.next_words else ():
        prompt = one.asked.prompt
        known = (prompt.source, prompt.bias, one.asked.perturbation) == (cell.source, cell.bias, ORIGINAL)
        first, second = expected.get(prompt.id, (None, None)) if known and prompt.text not in seen else (None, None)
        if first is not None and second is not None and first + second > 0:
            seen.add(prompt.text)
            yield _Asked(prompt, (first, second))


def _example(one: _Asked, called: Sequence[str]) -> Example:
    both = zip(called, one.probabilities, strict=True)
    numbers = ", ".join(f"{name} {probability(value)}" for name, value in both)
    return Example(one.prompt.origin, _marked(one.prompt), numbers)


def _marked(prompt: Prompt) -> Text:
    """The text with the test word marked."""
    made: list[Span] = []
    start = 0
    for begin, end in sorted(prompt.subject_spans):
        if start <= begin < end <= len(prompt.text):
            made += [Span(prompt.text[start:begin]), Span(prompt.text[begin:end], "attribute")]
            start = end
    return text(*(span for span in (*made, Span(prompt.text[start:])) if span.text))
