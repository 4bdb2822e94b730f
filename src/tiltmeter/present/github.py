"""The decision of a gate as GitHub's workflow commands, which mark a pipeline's page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tiltmeter.present.blocks import visible
from tiltmeter.results.gate.records import GateResult

_MOST = 10
"""GitHub shows no more of a kind for one step."""


def workflow_commands(found: GateResult) -> Iterator[str]:
    """A line for each thing that does not pass.

    >>> from types import SimpleNamespace as Any
    >>> culprit = Any(name="a: b, c", sentence="50 % more\\n::warning::x")
    >>> list(workflow_commands(Any(culprits=(culprit,), held=(), verdict="failed", failed_checks=())))
    ['::error title=a%3A b%2C c::50 %25 more%0A::warning::x']
    """
    every = [("error", line.name, line.sentence) for line in found.culprits]
    every += [("error", one.condition, one.sentence) for one in found.held]
    if found.verdict == "refused":
        every = [("error", "The gate cannot detect its own tolerance", found.refusal)]
    every += [
        ("warning", "The candidate fails an instrument check", f"{check}: the other figures mean little")
        for check in found.failed_checks
    ]
    for kind, title, message in every[:_MOST]:
        yield f"::{kind} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    text = "\n".join(map(visible, re.split(r"\r?\n", text)))
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
