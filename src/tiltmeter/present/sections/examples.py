"""Example texts of a finding: what its figures are made of."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Examples
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.example_prompts import example_prompts
from tiltmeter.results.findings.findings import Finding


def examples_of(one: Finding, found: Reported) -> Iterator[Examples]:
    """Example texts of a finding, chosen by number alone."""
    yield from example_prompts(one, found)
