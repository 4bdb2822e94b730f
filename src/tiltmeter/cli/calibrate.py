"""`tiltmeter calibrate`: plant a known tilt and see what the instrument reads."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.conditions import FailIfOption, check, fail_if
from tiltmeter.cli.console import JsonOption, percent, print_json, print_table, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.api.calibrating import Calibration
    from tiltmeter.stats.calibration.coverage import ViewCalibration

VIEWS = ("pairs", "next_words", "natural", "continuations")
"""Said here again, since what they are of is imported when it is needed."""


def calibrate(
    model: Annotated[
        str, typer.Option("--model", "-m", help="The model whose probabilities are tilted.")
    ] = "smollm2-135m",
    quick: Annotated[bool, typer.Option("--quick", help="Smaller pools, fewer tilted studies.")] = False,
    views: Annotated[
        list[str] | None, typer.Option("--view", help=f"Only this view: {', '.join(VIEWS)}. May be repeated.")
    ] = None,
    origins: Annotated[
        list[int] | None, typer.Option(min=5, help="Test words in a simulated study; default 20, 50 and 200.")
    ] = None,
    like: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Simulate studies with as many test words as those of this run.")
    ] = None,
    studies: Annotated[
        int,
        typer.Option(min=10, max=10**6, help="Simulated studies of each estimator, and as many without a tilt."),
    ] = 5000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; default one for each core.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Also write every figure to this JSON file.")] = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plant a known tilt in a model and check what the instrument measures: coverage, false alarms, power.

    Studies are sampled from a large pool of one model's values; the value of the whole pool is the truth. --fail-if
    takes VIEW.ESTIMATOR.TEST_WORDS, e.g. "pairs.margin.20.coverage.low < 0.92".
    """
    from tiltmeter.api import calibrating
    from tiltmeter.api.progress import Bar

    check(conditions)
    if like is not None and origins:
        raise UserError("--like takes the numbers of test words from a run: leave --origins out")
    if out is not None and out.is_dir():
        raise UserError(f"--out {out}: is a folder; give a file")
    with Bar() as bar:
        found = calibrating.calibrate(
            model,
            views=views or (),
            test_words=origins or calibrating.SIZES,
            like=like,
            studies=studies,
            quick=quick,
            seed=seed,
            workers=workers or os.cpu_count() or 1,
            settings=model_settings(device, dtype, threads),
            progress=bar,
        )
    result = found.as_json()
    if out is not None:
        _write(out, result)
    if as_json:
        print_json(result)
    else:
        _print(found)
    fail_if(conditions, result)


def _write(out: Path, result: dict[str, Any]) -> None:
    from tiltmeter.files import whole_file

    with whole_file(out) as file:
        json.dump(result, file, indent=2, ensure_ascii=False, allow_nan=False)
        file.write("\n")


def _print(made: Calibration) -> None:
    from tiltmeter.api.calibrating import TOO_FEW, paths

    found, sentences = made.found, made.sentences
    for view, said in sentences.items():
        mine = [one for one in found if one.view == view]
        tilts = list(dict.fromkeys(tilt for one in mine for tilt in one.tilted))
        columns = ["estimator", "origins", "covers the truth", "no tilt", "withheld", "false alarms", "(99 %)"]
        print_table(
            [*columns, *(f"power {tilt:g}" for tilt in tilts), "detects from", ""],
            [_row(one, tilts) for one in mine],
            title=f"{view.replace('_', ' ')}",
        )
        shown = [one for one in mine if one.tilted and one.origins == max(each.origins for each in mine)]
        if shown:
            print_table(
                ["recovered share of a planted", *(f"{tilt:g}" for tilt in tilts)],
                [(one.estimator, *(_decimals(one.tilted[tilt].mean) for tilt in tilts)) for one in shown],
            )
        if said:
            typer.echo(said)
        typer.echo()
    failing, few = made.failing, paths(found, TOO_FEW)
    if failing:
        say(f"{len(failing)} of {len(found)} checks fail: {', '.join(failing)}")
    if few:
        from tiltmeter.stats.calibration.coverage import WIDEST

        say(
            f"{len(few)} of {len(found)} checks rest on too few studies to pass: the 99 % interval of their "
            f"coverage or false alarms is more than {100 * WIDEST:.0f} points wide; raise --studies"
        )


def _row(one: ViewCalibration, tilts: Sequence[float]) -> tuple[object, ...]:
    from tiltmeter.api.calibrating import mark

    as_it_is = None if one.p_alone or one.as_it_is is None else one.as_it_is.held.value
    bounds = one.neutral.alarms.bounds
    return (
        one.estimator,
        one.origins,
        percent(as_it_is),
        percent(None if one.p_alone else one.neutral.held.value),
        percent(one.withheld) if one.withheld else "–",
        percent(one.neutral.alarms.value),
        f"{100 * bounds[0]:.1f} to {100 * bounds[1]:.1f}" if bounds else "–",
        *(percent(one.tilted[tilt].alarms.value) if tilt in one.tilted else "–" for tilt in tilts),
        "–" if one.smallest is None else f"{one.smallest:.2g}",
        mark(one),
    )


def _decimals(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
