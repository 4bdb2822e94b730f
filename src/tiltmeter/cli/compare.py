"""`tiltmeter compare`: two models on the same items, or one before and after."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.conditions import FailIfOption, check, fail_if_any
from tiltmeter.cli.console import JsonOption, number, percent, print_json, read_run, say
from tiltmeter.cli.estimate_words import further_table, short
from tiltmeter.cli.saving import FormatsOption, check_formats, folder_option, page_option, save
from tiltmeter.cli.views import ViewsOption, views
from tiltmeter.views import FACTS

if TYPE_CHECKING:
    from tiltmeter.records import Estimate
    from tiltmeter.results.compare.records import Compared, ComparedView, RunComparison

_WIDE = 130
"""Columns of a terminal from which on every figure is shown."""
_ROWS = 60
"""Rows of a table for people; the JSON and --out have all."""


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Two run folders: A (before) and B (after). Or one that has two models.", metavar="RUN_A [RUN_B]"
        ),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="The model, for runs with several; given twice, the first is A and the second B.",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            "--no-more-than",
            metavar="SIZE",
            help="The smallest difference that would matter (0.03: 3 points of a share, or 0.03 of a rating): also "
            "test whether the difference is smaller than that.",
        ),
    ] = None,
    view: ViewsOption = None,
    html: Annotated[Path | None, page_option("the comparison")] = None,
    out: Annotated[Path | None, folder_option("comparison", "a row for each comparison")] = None,
    formats: FormatsOption = None,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two runs, or two models of one run, on the items they share.

    A difference is A − B, with its 95 % interval and corrected p-values; a change in per cent is from A to B. Runs with
    different versions of scorers, raters or sources, with different word sets, or with no decoding in common are
    refused, with the reason.

    --fail-if checks every comparison and holds if any fits, e.g. "pairs.overall.difference.low > 0.02" (A is higher
    by more than 2 points) or "continuations.BIAS.RATER.gaps.women/men.difference.p_adjusted < 0.05".
    """
    from tiltmeter.results.compare.runs import compare_runs

    check(conditions)
    check_formats(out, formats)
    found = compare_runs([read_run(folder) for folder in runs], model or (), views=views(view), margin=margin)
    if html or out:
        from tiltmeter.present.saving import saved_comparison

        save(saved_comparison(found), html, out, formats)
    if as_json:
        print_json(found.as_json())
    else:
        _print(found)
    fail_if_any(conditions, found.for_conditions(), {"model": f"{found.a.name} (A) and {found.b.name} (B)"})


def _print(found: RunComparison) -> None:
    from tiltmeter.results.compare.words import MOST

    for letter, side in (("A", found.a), ("B", found.b)):
        typer.echo(f"{letter}: {side.model} ({side.run.folder})")
    for view in found.views:
        typer.echo()
        typer.echo(f"{view.view}:")
        for sentence in view.sentences[:MOST]:
            typer.echo(f"  {sentence}")
        if len(view.sentences) > MOST:
            typer.echo(f"  … {len(view.sentences) - MOST} more: --json")
        if view.summary:
            typer.echo(f"  {view.summary}")
    for view in found.views:
        _print_view(view)
    typer.echo()
    for line in _explained(found):
        typer.echo(line)
    for note in found.notes:
        say(f"note: {note}")


def _explained(found: RunComparison) -> Iterator[str]:
    """What the columns of the tables mean."""
    yield "A − B: the difference. Change: from A to B, in per cent."
    overall = "; rows of all biases by the number of overall rows" if found.overall_comparisons else ""
    yield (
        f"p adj.: Benjamini and Hochberg's, p Holm: Holm's, corrected for {found.comparisons} comparisons{overall}. "
        "p perm.: from exchanging A and B, not corrected."
    )
    yield "Detectable: the smallest true difference found with 80 % power, before correction."
    yield (
        "d_z: the difference divided by the standard deviation of the differences between test words. Moved: items "
        "where A is higher / where B is higher."
    )
    if found.margin is not None:
        yield (
            f"Margin {found.margin:g}: equivalent: smaller than the margin; both: smaller than the margin, and "
            "not zero; different: not zero; undecided: neither was shown."
        )


def _print_view(view: ComparedView) -> None:
    facts = FACTS[view.view]
    for measure, title in facts.tables.items():
        own = [one for one in view.cells if one.choices["measure"] == measure]
        _print_rows(title, [*(view.overall if measure == facts.lead else ()), *own])
    by_group, gaps = [one for one in view.cells if "group" in one.choices], [one for one in view.cells if one.is_gap]
    _print_rows(f"{facts.values} by group", by_group)
    _print_rows("gaps between groups", gaps)
    if not facts.tables:
        _print_rows(view.view, [one for one in view.cells if one not in by_group and not one.is_gap])


def _print_rows(title: str, cells: Sequence[Compared]) -> None:
    if not cells:
        return
    # What a rater reads goes with it.
    names = [name for name in cells[0].choices if name != "scope"]
    told = [name for name in names if len({one.choices.get(name) for one in cells}) > 1] or ["bias"]
    columns = _columns(cells)
    further_table(
        [title, *columns], [(_label(one, told), *(write(one) for write in columns.values())) for one in cells[:_ROWS]]
    )
    if len(cells) > _ROWS:
        typer.echo(f"… {len(cells) - _ROWS} more: --json, or --out FOLDER")


def _label(one: Compared, told: Sequence[str]) -> str:
    return ", ".join(
        f"bounded: {one.choices[name]}" if name == "bounded" else one.choices.get(name, "") for name in told
    )


def _columns(cells: Sequence[Compared]) -> dict[str, Callable[[Compared], str]]:
    """What is shown of a comparison; a narrow terminal gets what matters most."""
    from tiltmeter.stats.comparing.paired import Paired

    shares = cells[0].in_points and not cells[0].groups
    wide = not sys.stdout.isatty() or shutil.get_terminal_size().columns >= _WIDE

    def figure(value: float | None) -> str:
        return percent(value) if shares else number(value, 3)

    def ends(found: Estimate) -> str:
        return "–" if found.low is None else f"{figure(found.low)} to {figure(found.high)}"

    def changed(one: Compared) -> str:
        change = one.change
        return "–" if change is None or change.value is None else f"{change.value:+.1f}"

    def of_items(write: Callable[[Paired], str]) -> Callable[[Compared], str]:
        return lambda one: write(one.found) if isinstance(one.found, Paired) else "–"

    every: dict[str, tuple[bool, Callable[[Compared], str]]] = {
        "A": (True, lambda one: figure(one.found.a.value)),
        "B": (True, lambda one: figure(one.found.b.value)),
        "A − B": (True, lambda one: figure(one.difference.value)),
        "interval": (True, lambda one: ends(one.difference)),
        "p perm.": (wide, lambda one: short(one.found.p_permutation)),
        "p adj.": (wide, lambda one: short(one.p_adjusted)),
        "p Holm": (True, lambda one: short(one.p_holm)),
        "ratio, %" if cells[0].is_gap else "change, %": (True, changed),
        "d_z": (wide and not cells[0].is_gap, of_items(lambda found: number(found.standardised.value, 2))),
        "moved": (
            wide and not cells[0].is_gap,
            of_items(lambda found: f"{found.a_higher}/{found.b_higher} of {found.difference.n}"),
        ),
        "detectable": (wide, lambda one: figure(one.detectable)),
        "margin": (
            any(one.equivalence for one in cells),
            lambda one: one.equivalence.verdict if one.equivalence and one.equivalence.p is not None else "–",
        ),
        "origins": (wide, lambda one: str(one.difference.origins)),
    }
    return {name: write for name, (shown, write) in every.items() if shown}
