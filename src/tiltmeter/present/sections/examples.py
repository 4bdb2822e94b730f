"""Example texts of a finding: what its figures are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tiltmeter.present.blocks import Examples
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.next_words.examples import example_prompts
from tiltmeter.present.sections.pairs.examples import example_pairs
from tiltmeter.present.sections.texts.examples import example_texts
from tiltmeter.results.findings.findings import Finding
from tiltmeter.views import View

_EXAMPLES: Mapping[View, Callable[[Finding, Reported], Iterator[Examples]]] = {
    "pairs": example_pairs,
    "continuations": example_texts,
    "next words": example_prompts,
}


def examples_of(one: Finding, found: Reported) -> Iterator[Examples]:
    """Example texts of a finding, chosen by number alone."""
    own = _EXAMPLES.get(one.question.view)
    return own(one, found) if own else iter(())
