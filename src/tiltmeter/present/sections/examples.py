"""Example texts of a finding: what its figures are made of."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Examples
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.example_pairs import example_pairs
from tiltmeter.present.sections.example_texts import example_texts
from tiltmeter.results.findings.findings import Finding


def examples_of(one: Finding, found: Reported) -> Iterator[Examples]:
    """Example texts of a finding, chosen by number alone."""
    yield from example_pairs(one, found)
    yield from example_texts(one, found)
