"""`--fail-if`: a condition on a result that stops a release pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from tiltmeter.cli.console import say

FailIfOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="CONDITION",
        help='Exit with status 1 if this is true of the JSON result, e.g. "headline.low > 0.55". May be repeated.',
    ),
]


def fail_if(
    conditions: Sequence[str] | None, result: Mapping[str, Any], about: Mapping[str, str] | None = None
) -> None:
    """Leave with status 1 where a condition holds; a condition that cannot be decided is an error, never a pass."""
    fail_if_any(conditions, [result], about)


def fail_if_any(
    conditions: Sequence[str] | None, results: Sequence[Mapping[str, Any]], about: Mapping[str, str] | None = None
) -> None:
    """The same for several results: a condition holds where it is true of any that has its path; that place is named.

    `about` is what all results are of, such as the two models of a comparison.
    """
    if not conditions:
        return
    from tiltmeter.present.blocks import visible
    from tiltmeter.results.conditions import SHOWN, held_in

    found = [held_in(condition, results, about) for condition in conditions]
    for held in filter(None, found):
        for one in held[:SHOWN]:
            say(f"tiltmeter: --fail-if holds: {visible(one.sentence)}")
        if len(held) > SHOWN:
            say(f"tiltmeter: --fail-if holds: {visible(held[0].condition)}: … and in {len(held) - SHOWN} more cells")
    if any(found):
        raise typer.Exit(1)


def holds(condition: str, result: Mapping[str, Any]) -> bool:
    """Whether a condition is true of a result."""
    return holds_in_any(condition, [result])


def holds_in_any(condition: str, results: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a condition is true of at least one of those results that have its path."""
    from tiltmeter.results import conditions

    return conditions.holds_in_any(condition, results)


def check(conditions: Sequence[str] | None) -> None:
    """Refuse a condition that cannot be read, before any work is done."""
    if conditions:
        from tiltmeter.results import conditions as of_results

        of_results.check(conditions)
