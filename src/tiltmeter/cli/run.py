"""`tiltmeter run` and `tiltmeter demo`: carry out a study."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tiltmeter.cli.conditions import FailIfOption, check
from tiltmeter.cli.console import JsonOption, print_json, say, show_blocks
from tiltmeter.cli.doctor import missing_packages
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.cli.run_conditions import check_names, check_views, fail_if_found
from tiltmeter.cli.run_size import refuse_huge, tell_size
from tiltmeter.errors import MissingExtra, UserError

if TYPE_CHECKING:
    from tiltmeter.engine import Cluster
    from tiltmeter.models import ModelSettings
    from tiltmeter.results import RunSummary
    from tiltmeter.store import Run
    from tiltmeter.study import Plan

OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="The run folder; default runs/NAME.")]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the cache of answers.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Run a plan of more than ten million texts.")]
EngineOption = Annotated[
    Literal["local", "ray"],
    typer.Option(help="Run in this process, or on the workers of a Ray cluster; the results are the same."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="Workers of --engine ray; default one per GPU share, or per node without GPUs."),
]
GpusOption = Annotated[
    float | None,
    typer.Option("--gpus-per-worker", min=0.0, help="GPUs that each worker needs, e.g. 1 or 0.5; default none."),
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        "--ray-address",
        help="The cluster, e.g. auto or HOST:PORT; default RAY_ADDRESS, or one on this machine for this run.",
    ),
]
PlanOption = Annotated[bool, typer.Option("--plan", help="Print the plan and stop.")]


def run(
    file: Annotated[Path, typer.Argument(help="The study file.", metavar="STUDY.toml")],
    out: OutOption = None,
    plan_only: PlanOption = False,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    conditions: FailIfOption = None,
    no_cache: NoCacheOption = False,
    engine: EngineOption = "local",
    workers: WorkersOption = None,
    gpus_per_worker: GpusOption = None,
    ray_address: AddressOption = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run a study, or resume an interrupted run.

    A finished run stays as it is while its models, raters and packages are unchanged; only answers that a server failed
    to give are requested again. If one of these has changed, everything is measured again. If the study has changed,
    unchanged parts come from the cache of answers (`tiltmeter cache`). The earlier result is moved to `before.1` in the
    run folder.

    --fail-if checks the first scorer's result for every model and source, e.g. "headline.low > 0.55";
    "continuations.BIAS.RATER.pairs.A/B.difference.low > 0.1" and
    "next_words.BIAS.SOURCE.overall.pairs.A/B.share.low > 0.6" hold if they do for any method; the instrument check is
    "instrument.failed > 0".
    """
    from tiltmeter.study import plan, read

    check(conditions)
    cluster = _cluster(engine, workers, gpus_per_worker, ray_address)
    study = read(file)
    check_views(conditions or (), study, file)
    made = plan(study)
    check_names(conditions or (), made, file)
    settings = model_settings(device, dtype, threads)
    if not yes and not plan_only:
        refuse_huge(made)
    summary = _carry_out(made, out, settings, plan_only, as_json, no_cache, cluster, needed=bool(conditions))
    if summary:
        fail_if_found(conditions or (), summary)


def _cluster(engine: str, workers: int | None, gpus: float | None, address: str | None) -> Cluster | None:
    """The settings of a cluster; None: this process does the work."""
    if engine == "ray":
        from tiltmeter.engine import Cluster

        return Cluster(workers, gpus or 0.0, address, say)
    given = {"--workers": workers, "--gpus-per-worker": gpus, "--ray-address": address}
    name = next((option for option, value in given.items() if value is not None), None)
    if name:
        raise UserError(f"{name} needs a cluster; add --engine ray")
    return None


def demo(
    out: OutOption = None,
    plan_only: PlanOption = False,
    threads: ThreadsOption = None,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the built-in model on six biases, the texts it writes and the words it expects, and write a report."""
    from tiltmeter.study import parse, plan

    if not plan_only:
        for extra in ("hf", "text", "raters", "report"):
            if missing := missing_packages(extra):
                raise MissingExtra("the models, raters and figures of the demo", "all", missing[0])
    study = parse(files("tiltmeter").joinpath("examples/demo.toml").read_text(encoding="utf-8"))
    _carry_out(plan(study), out, model_settings("auto", "auto", threads), plan_only, as_json, no_cache)


def _carry_out(
    made: Plan,
    out: Path | None,
    settings: ModelSettings,
    plan_only: bool,
    as_json: bool,
    no_cache: bool,
    cluster: Cluster | None = None,
    needed: bool = False,
) -> RunSummary | None:
    """Run a plan; its summary, or None for a plan too large for a report unless one is `needed`."""
    from tiltmeter.api.measuring import too_many, usual_folder, write_report
    from tiltmeter.engine.plan_size import size_of
    from tiltmeter.present.reported import Reported
    from tiltmeter.results import summarise_run
    from tiltmeter.results.findings.feasibility import at_risk_or_unanswerable, feasibility_of
    from tiltmeter.results.summary.number_faults import number_faults

    folder = out or usual_folder(made.study.name)
    feasible = feasibility_of(made.resolved, made.by_view)
    faults = number_faults(made.pairs)
    size = {"folder": str(folder), **size_of(made).as_json(), "reach": [one.as_json() for one in feasible]}
    size |= {"number_faults": faults.as_json()} if faults else {}

    def tell_plan() -> None:
        tell_size(size)
        for one in at_risk_or_unanswerable(feasible):
            say(f"plan: {one.sentence()}")
        if faults:
            say(f"plan: {faults.sentence()}")

    if plan_only:
        tell_plan()
        if as_json:
            print_json(size)
        return None
    if "vl-convert-python" in missing_packages("report"):
        raise MissingExtra("the figures of the report at the end of a run", "report", "vl-convert-python")
    finished = measured(made, folder, settings, no_cache, cluster, tell_plan)
    many = too_many(finished)
    if many and not needed and not as_json:
        _say_too_large(many, folder)
        return None
    summary = summarise_run(finished)
    report = write_report(finished, lambda: Reported.of([(finished, summary)]))
    if as_json:
        spent = {"api": finished.meta["api"]} if "api" in finished.meta else {}
        print_json({"folder": str(folder), "report": str(report), **spent, **summary.as_json()})
    else:
        _show_verdicts(folder)
        typer.echo(f"report: {report}")
    _tell_remarks(summary)
    return summary


def measured(
    made: Plan,
    folder: Path,
    settings: ModelSettings,
    no_cache: bool,
    cluster: Cluster | None,
    tell_plan: Callable[[], None],
) -> Run:
    """The finished run; `tell_plan` is called first, unless everything is done already."""
    from tiltmeter.api import measuring
    from tiltmeter.api.progress import Bar

    # Being told to end is the same as Ctrl+C, which a process in the background may not even hear.
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    try:
        with Bar() as bar:
            finished = measuring.measured(
                made, folder, settings, bar, say=say, cached=not no_cache, cluster=cluster, begin=tell_plan
            )
    except KeyboardInterrupt:
        say(f"stopped; run the same command to resume (finished work is in {folder})")
        raise
    finally:
        _say_spent(folder, made.study.models)
    return finished


def _show_verdicts(folder: Path) -> None:
    """What the report says first."""
    from itertools import takewhile

    from tiltmeter.present.blocks import Chart, Section
    from tiltmeter.present.kept import read_findings

    found = read_findings(folder)
    if found:
        show_blocks(takewhile(lambda block: not isinstance(block, Chart | Section), found["page"].blocks))


def _tell_remarks(summary: RunSummary) -> None:
    """Say what a reader of the figures must know first."""
    for source, reason in summary.sentences.came_to_nothing.items() if summary.sentences else ():
        say(f"{source} has no pairs: none of its sentences makes one (most often: {reason})")
    for repeated in summary.continuations.repeats if summary.continuations else ():
        if repeated.is_suspect:
            say(f"WARNING: {repeated.words()}; does the server ignore seeds?")
    for model in summary.next_words.without_saliency if summary.next_words else ():
        say(f"no saliency for {model}: it has no gradients; use a checkpoint")


def _say_too_large(many: str, folder: Path) -> None:
    """What to do with a run that is too large for a report."""
    say(
        f"{many} are too many for a report, which needs them all in memory; `tiltmeter export {folder}` writes "
        f"them as Parquet for `tiltmeter analyze`; `tiltmeter report {folder}` tries anyway"
    )
    typer.echo(f"run: {folder}")


def _say_spent(folder: Path, names: Sequence[str]) -> None:
    """What models behind an API took, in all the starts of a run."""
    from tiltmeter.models.api import account_of, accounts, price_of
    from tiltmeter.store import ANSWERS

    prices = {account_of(name): price_of(name) for name in names}
    for name, spent in accounts(folder / ANSWERS).items():
        say(f"{name}: {spent.words(prices.get(name) or price_of(name))}")
