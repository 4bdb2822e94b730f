"""`tiltmeter run` and `tiltmeter demo`: carry out a study."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.conditions import FailIfOption, check, fail_if
from tiltmeter.cli.console import JsonOption, print_json, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings

if TYPE_CHECKING:
    from tiltmeter.analysis import RunSummary
    from tiltmeter.models import ModelSettings
    from tiltmeter.study import Plan, Study

OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="The run folder; default runs/NAME.")]
PlanOption = Annotated[bool, typer.Option("--plan", help="Only say what would be done.")]


def run(
    file: Annotated[Path, typer.Argument(help="The study file.", metavar="STUDY.toml")],
    out: OutOption = None,
    plan_only: PlanOption = False,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Carry out a study; a run that was interrupted goes on by itself.

    --fail-if speaks of the first scorer's result of every model and source, e.g. "overall.low > 0.55".
    """
    from tiltmeter.study import read

    check(conditions)
    study = read(file)
    summary = _carry_out(study, out, model_settings(device, dtype, threads), plan_only, as_json)
    if summary:
        seen = set()
        for cell in summary.cells:
            if (cell.model, cell.source) not in seen:
                seen.add((cell.model, cell.source))
                fail_if(conditions, cell.summary.as_json())


def demo(
    out: OutOption = None, plan_only: PlanOption = False, threads: ThreadsOption = None, as_json: JsonOption = False
) -> None:
    """Measure the embedded model on six biases, and end with a report."""
    from tiltmeter.study import parse

    study = parse(files("tiltmeter").joinpath("examples/demo.toml").read_text(encoding="utf-8"))
    _carry_out(study, out, model_settings("auto", "auto", threads), plan_only, as_json)


def _carry_out(
    study: Study, out: Path | None, settings: ModelSettings, plan_only: bool, as_json: bool
) -> RunSummary | None:
    from tiltmeter.analysis import summarise_run
    from tiltmeter.cli.progress import Bar
    from tiltmeter.engine import carry_out
    from tiltmeter.report import write_run
    from tiltmeter.study import plan

    made = plan(study)
    folder = out or Path("runs") / _slug(study.name)
    _tell(made, folder)
    if plan_only:
        return None
    with Bar() as bar:
        finished = carry_out(made, folder, settings, bar)
    summary = summarise_run(finished)
    report = write_run(finished, summary)
    if as_json:
        print_json({"folder": str(folder), "report": str(report), **summary.as_json()})
    else:
        typer.echo(f"report: {report}")
    return summary


def _tell(plan: Plan, folder: Path) -> None:
    biases = len({pair.bias for pair in plan.pairs})
    texts = len({text for pair in plan.pairs for text in pair.texts})
    cells = len(plan.study.models) * len(plan.study.sources) * max(len(plan.study.scorers), 1)
    say(
        f"plan: {len(plan.pairs)} pairs over {biases} biases, {texts} different texts for each of "
        f"{len(plan.study.models)} models, up to {cells} cells, into {folder}"
    )
    for reason, count in Counter(item.reason for item in plan.dropped).most_common(3):
        say(f"dropped: {count} probes, {reason}")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "run"
