"""`tiltmeter calibrate`: plant a known tilt and see what the instrument reads."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.conditions import FailIfOption, check, fail_if
from tiltmeter.cli.console import JsonOption, percent, print_json, print_table, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import UnknownName, UserError

if TYPE_CHECKING:
    from tiltmeter.engine.calibration_pools import PoolSettings
    from tiltmeter.models import Model, ModelSettings
    from tiltmeter.progress import Progress
    from tiltmeter.stats.calibration.coverage import Pool, ViewCalibration

VIEWS = ("pairs", "next_words", "natural", "continuations")
FAILS, TOO_FEW = "FAILS", "too few studies"
_SENTENCE_ORIGINS = 50
"""The sentence about a view speaks of so many origins, or of the number next to it."""
_SPOKEN_FOR = {"pairs": "margin", "next_words": "log_ratio", "natural": "log_ratio", "continuations": "negative_shared"}
"""The estimator that the sentence about a view speaks of."""


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
    from tiltmeter import models
    from tiltmeter.api.progress import Bar
    from tiltmeter.engine.calibration import Repeats
    from tiltmeter.engine.calibration import calibrate as carry_out

    check(conditions)
    chosen = _checked(views)
    if like is not None and origins:
        raise UserError("--like takes the numbers of test words from a run: leave --origins out")
    sizes = tuple(dict.fromkeys(_numbers_of(like) if like else origins or (20, 50, 200)))
    models.check_name(model)
    if out is not None and out.is_dir():
        raise UserError(f"--out {out}: is a folder; give a file")
    settings, repeats = _settings(quick, seed), Repeats.of(studies, quick=quick)
    with Bar() as bar:
        pools = make_pools(model, model_settings(device, dtype, threads), chosen, settings, bar)
        found = carry_out(pools, sizes, repeats, seed=seed, workers=workers or os.cpu_count() or 1, progress=bar)
    sentences = {view: sentence(view, found) for view in chosen}
    result = _result(model, settings.as_json(), studies, quick, seed, found, sentences)
    if out is not None:
        _write(out, result)
    if as_json:
        print_json(result)
    else:
        _print(found, sentences)
    fail_if(conditions, result)


def _numbers_of(folder: Path) -> list[int]:
    """How many test words the biases of a run have, where there are enough for an interval."""
    from tiltmeter.results.cells import table_of
    from tiltmeter.stats.estimates import FEWEST_ORIGINS
    from tiltmeter.store import read_run

    count = "count(DISTINCT origin)"
    query = f"SELECT {count} AS n FROM items GROUP BY view, source, bias HAVING {count} >= {FEWEST_ORIGINS}"
    run = read_run(folder)
    found = sorted({row["n"] for row in table_of(run).stream(query)})
    if not found:
        raise UserError(f"no bias of the run has {FEWEST_ORIGINS} test words, which an interval takes", file=folder)
    return found


def make_pools(
    name: str, settings: ModelSettings, views: Sequence[str], sizes: PoolSettings, progress: Progress
) -> list[Pool]:
    """The pools of the views, from the cache or by asking the model."""
    from tiltmeter import models, raters
    from tiltmeter.engine import calibration_pools
    from tiltmeter.engine.calibration import kept

    def loaded(view: str) -> Model:
        # The built-in table leans in two professions alone; there would be nothing to see.
        return calibration_pools.table_model(professions=view == "pairs") if name == "scripted" else whole

    whole = models.load("scripted" if set(views) == {"continuations"} else name, settings)
    makers: dict[str, Callable[[Model], Pool]] = {
        "pairs": lambda model: calibration_pools.pairs_pool(model, sizes, progress),
        "next_words": lambda model: calibration_pools.next_words_pool(model, sizes, progress),
        "natural": lambda model: calibration_pools.natural_pool(model, sizes, progress),
        "continuations": lambda _: calibration_pools.texts_pool(raters.load("sentiment.vader"), sizes, progress),
    }
    made = []
    for view in views:
        asked = loaded(view)
        facts = asked.facts
        key = "" if view == "continuations" else f"{facts.weights_sha256}/{facts.files_sha256}/{facts.dtype}"
        made.append(kept(key, sizes, view, lambda view=view, asked=asked: makers[view](asked)))  # type: ignore[misc]
    return made


def sentence(view: str, found: Sequence[ViewCalibration]) -> str | None:
    """What the instrument sees in a view, in plain words."""
    from tiltmeter.stats.calibration.coverage import FEWEST_TILTED

    spoken = [one for one in found if (one.view, one.estimator) == (view, _SPOKEN_FOR[view])]
    if not spoken:
        return None
    one = min(spoken, key=lambda each: (abs(each.origins - _SENTENCE_ORIGINS), each.origins))
    what = "shares of negative texts that differ by" if view == "continuations" else "tilts of"
    where = f"{view.replace('_', ' ')}, {one.estimator}"
    if one.keeps_alarms is False:
        return f"{where}: with {one.origins} test words there are too many false alarms to say what a study can detect"
    if not one.knows_power:
        few = f"{one.drawn_tilted} of each tilt where {FEWEST_TILTED} are needed: raise --studies"
        return f"{where}: too few studies to say what a study can detect ({few})"
    if one.smallest is None:
        most = max(one.tilted, default=0.0)
        return f"{where}: with {one.origins} test words a study cannot detect {what} {most:g} with 80 % power"
    seen = f"{what} {one.smallest:.2g} or more (80 % power, {one.origins} test words)"
    return f"{where}: a study of this design can detect {seen}"


def _checked(views: Sequence[str] | None) -> list[str]:
    for view in views or ():
        if view.replace("-", "_") not in VIEWS:
            raise UnknownName("view", view, list(VIEWS))
    return list(dict.fromkeys(view.replace("-", "_") for view in views or VIEWS))


def _settings(quick: bool, seed: int) -> PoolSettings:
    from dataclasses import replace

    from tiltmeter.engine.calibration_pools import QUICK, PoolSettings

    return replace(QUICK if quick else PoolSettings(), seed=seed)


def _result(
    model: str,
    pools: dict[str, object],
    studies: int,
    quick: bool,
    seed: int,
    found: Sequence[ViewCalibration],
    sentences: dict[str, str | None],
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "model": model,
        "quick": quick,
        "studies": studies,
        "seed": seed,
        "pools": pools,
        "sentences": sentences,
        "failing": _paths(found, FAILS),
        "too_few_studies": _paths(found, TOO_FEW),
    }
    for one in found:
        by_estimator = result.setdefault(one.view, {}).setdefault(one.estimator, {})
        by_estimator[str(one.origins)] = one.as_json()
    return result


def _paths(found: Sequence[ViewCalibration], marked: str) -> list[str]:
    """The names of the readings that have a mark."""
    return [f"{one.view}.{one.estimator}.{one.origins}" for one in found if mark(one).startswith(marked)]


def mark(one: ViewCalibration) -> str:
    """OK, what fails, or that there is too little to say either."""
    failing = [name for name, good in (("coverage", one.covers), ("false alarms", one.keeps_alarms)) if good is False]
    if failing:
        return f"{FAILS}: {', '.join(failing)}"
    return "OK" if one.is_known else TOO_FEW


def _write(out: Path, result: dict[str, Any]) -> None:
    from tiltmeter.files import whole_file

    with whole_file(out) as file:
        json.dump(result, file, indent=2, ensure_ascii=False, allow_nan=False)
        file.write("\n")


def _print(found: Sequence[ViewCalibration], sentences: dict[str, str | None]) -> None:
    for view in dict.fromkeys(one.view for one in found):
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
        if sentences.get(view):
            typer.echo(sentences[view])
        typer.echo()
    failing, few = _paths(found, FAILS), _paths(found, TOO_FEW)
    if failing:
        say(f"{len(failing)} of {len(found)} checks fail: {', '.join(failing)}")
    if few:
        from tiltmeter.stats.calibration.coverage import WIDEST

        say(
            f"{len(few)} of {len(found)} checks rest on too few studies to pass: the 99 % interval of their "
            f"coverage or false alarms is more than {100 * WIDEST:.0f} points wide; raise --studies"
        )


def _row(one: ViewCalibration, tilts: Sequence[float]) -> tuple[object, ...]:
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
