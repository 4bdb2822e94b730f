"""`tiltmeter plan`: how large a study has to be, from a pilot run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.console import JsonOption, number, print_json, print_table, read_run, say
from tiltmeter.cli.estimate_words import further_table
from tiltmeter.cli.views import ViewsOption, views

if TYPE_CHECKING:
    from tiltmeter.results.plan_size.records import RunPlan, Target

_DETAILS = 3
"""Figures of which alternatives and components are shown; the JSON has all."""


def plan(
    pilot: Annotated[
        Path, typer.Argument(help="The folder of a small run: a few samples of the study.", metavar="PILOT")
    ],
    width: Annotated[
        float,
        typer.Option(
            metavar="WIDTH", help="Width of the 95 % interval, from low to high: 0.02 is ±1 percentage point."
        ),
    ],
    view: ViewsOption = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", metavar="MODEL", help="Only for this model; may be repeated.")
    ] = None,
    bias: Annotated[str | None, typer.Option(metavar="BIAS", help="Only for this bias.")] = None,
    max_origins: Annotated[
        int | None,
        typer.Option(
            "--max-origins",
            metavar="N",
            help="How many attribute terms, openers or professions you could supply; default: as many as the source "
            "has.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate how large a study must be for intervals of a given width, from the variance in a small run.

    The interval is for the share of stereotyped choices (pairs), the difference between two groups' ratings
    (continuations), or the share of the first of two groups (next words). For each, the cheapest sizes are printed with
    the model calls under one decoding and the lines for the study file. A pilot that is too small gives a range.
    """
    from tiltmeter.api import comparing
    from tiltmeter.results.findings.feasibility import at_risk_or_unanswerable, feasibility_of_run

    run = read_run(pilot)
    found = comparing.plan(run, width, views=views(view), models=model or (), bias=bias, max_origins=max_origins)
    for one in at_risk_or_unanswerable(feasibility_of_run(run)):
        say(f"note: {one.sentence()}")
    if as_json:
        print_json(found.as_json())
    else:
        _print(found)


def _print(found: RunPlan) -> None:
    typer.echo(
        f"For 95 % intervals {found.width:g} wide, from low to high (± {found.width / 2:g}), the cheapest first:"
    )
    ordered = sorted(found.targets, key=lambda one: one.settable.cost if one.settable else float("inf"))
    choices = list(dict.fromkeys(name for one in ordered for name in one.choices))
    told = [name for name in choices if len({one.choices[name] for one in ordered if name in one.choices}) > 1]
    told = told or ["bias"]
    typer.echo()
    print_table(
        ["figure", "pilot", "width now", "study size", "calls"],
        [
            (
                _name(one, told),
                number(one.pilot.value, 3),
                number(one.width, 3),
                one.advice,
                "–" if one.settable is None else f"{one.settable.cost:,.0f}",
            )
            for one in ordered
        ],
    )
    for one in ordered if len(ordered) <= _DETAILS else ():
        _print_target(one, told)
    if found.lines:
        _print_lines(found)
    for small in found.too_small:
        say(f"note: {', '.join(small.choices[name] for name in told if name in small.choices)}: {small.reason}")
    if len(ordered) > _DETAILS:
        say(f"alternatives and components of each figure: --bias, --view, --model, or --json ({len(ordered)} figures)")


def _print_lines(found: RunPlan) -> None:
    reached = sum(one.settable is not None for one in found.targets)
    which = "" if reached == len(found.targets) else f", for the {reached} of {len(found.targets)} that can be reached"
    typer.echo()
    typer.echo(f"In the study file{which}:")
    for table, lines in found.lines.items():
        under = ", under one decoding" if table == "continuations" else ""
        typer.echo(f"\n[{table}]  # about {found.calls[table]:,} calls of one model{under}")
        for line in lines:
            typer.echo(line)


def _name(one: Target, told: list[str]) -> str:
    return ", ".join(one.choices[name] for name in told if name in one.choices)


def _print_target(one: Target, told: list[str]) -> None:
    found, plan = one.found, one.plan
    parts = {name: getattr(found, name) for name in ("origins", "prompts", "samples", "again", "sets")}
    named = {
        "origins": f"origins: {one.origins_are}",
        "again": f"{one.origins_are} by {one.sets_are}",
        "sets": f"sets: {one.sets_are}",
    }
    further_table(
        [f"variance of {_name(one, told)}", "standard deviation", "degrees of freedom"],
        [
            (
                named.get(name, name),
                number(part.variance**0.5, 3),
                f"{part.freedom:.0f}",
            )
            for name, part in parts.items()
            if part is not None
        ],
    )
    if plan.alternatives:
        further_table(
            ["alternatives", "sets", "prompts", "samples", "width", "calls"],
            [
                (
                    f"{option.design.origins:,} {one.origins_are}",
                    option.design.sets,
                    option.design.prompts,
                    option.design.samples,
                    number(option.width, 3),
                    f"{option.cost:,.0f}",
                )
                for option in sorted(plan.alternatives, key=lambda option: option.cost)
            ],
        )
    if one.settable is not None and one.likely is not None:
        low, high = one.likely
        say(f"in 95 % of such studies the interval is {low:.3g} to {high:.3g} wide")
    if plan.best is not None:
        say(plan.advice)
    for note in one.notes:
        say(f"note: {note}")
