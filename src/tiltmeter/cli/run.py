"""`tiltmeter run` and `tiltmeter demo`: carry out a study."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tiltmeter.cli.analyze_continuations import for_conditions
from tiltmeter.cli.conditions import FailIfOption, check, fail_if, fail_if_any
from tiltmeter.cli.console import JsonOption, print_json, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import UnknownName, UserError

if TYPE_CHECKING:
    from tiltmeter.analysis import RunSummary
    from tiltmeter.engine import Cluster
    from tiltmeter.models import ModelSettings
    from tiltmeter.store import KeptAnswers, RunState
    from tiltmeter.study import Plan, Study

OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="The run folder; default runs/NAME.")]
_VIEWS = ("continuations", "next_words")
"""How a condition begins that speaks of what the models write, or of whom they expect."""
_EXAMPLES = {
    "continuations": "continuations.BIAS.RATER.pairs.A/B.difference.low > 0.1",
    "next_words": "next_words.BIAS.SOURCE.overall.pairs.A/B.share.low > 0.6",
}
MANY_TEXTS = 300_000
"""More than this are not put into a report unless somebody asks for one."""
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Ask everything anew, and keep nothing for other runs.")
]
EngineOption = Annotated[
    Literal["local", "ray"],
    typer.Option(help="Who does the work: this process, or the workers of a Ray cluster. The results are the same."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="Workers of --engine ray; default one for each GPU share, or without GPUs each node."),
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
PlanOption = Annotated[bool, typer.Option("--plan", help="Only say what would be done.")]


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
    as_json: JsonOption = False,
) -> None:
    """Carry out a study; a run that was interrupted goes on by itself.

    One that is finished is left as it is. Where the study has changed since, what stays the same comes from the cache
    of answers (`tiltmeter cache`), and only the rest is asked; the earlier ledger is kept beside the new one.

    --fail-if speaks of the first scorer's result of every model and source, e.g. "overall.low > 0.55"; of the view of
    continuations with "continuations.BIAS.RATER.pairs.A/B.difference.low > 0.1", and of next words with
    "next_words.BIAS.SOURCE.overall.pairs.A/B.share.low > 0.6", which hold if they do in any cell.
    """
    from tiltmeter.study import plan, read

    check(conditions)
    cluster = _cluster(engine, workers, gpus_per_worker, ray_address)
    study = read(file)
    _check_views(conditions or (), study, file)
    made = plan(study)
    _check_names(conditions or (), made, file)
    settings = model_settings(device, dtype, threads)
    summary = _carry_out(made, out, settings, plan_only, as_json, no_cache, cluster, needed=bool(conditions))
    if summary:
        _fail_if(conditions or (), summary)


def _cluster(engine: str, workers: int | None, gpus: float | None, address: str | None) -> Cluster | None:
    """The settings of a cluster; None: this process does the work."""
    if engine == "ray":
        from tiltmeter.engine import Cluster

        return Cluster(workers, gpus or 0.0, address, say)
    given = {"--workers": workers, "--gpus-per-worker": gpus, "--ray-address": address}
    name = next((option for option, value in given.items() if value is not None), None)
    if name:
        raise UserError(f"{name} is about a cluster, and the engine is local; add --engine ray")
    return None


def _check_views(conditions: Sequence[str], study: Study, file: Path) -> None:
    """Refuse, before any work is done, a condition on a view that the study does not have."""
    has = {"continuations": study.continuations is not None, "next_words": study.next_words is not None}
    for condition in conditions:
        view = _view_of(condition)
        if view and not has[view]:
            raise UserError(f"--fail-if {condition!r}: the study has no table [{view}]", file=file)
        if view is None and not study.sources:
            examples = " or ".join(f'"{_EXAMPLES[name]}"' for name in _VIEWS if has[name])
            raise UserError(
                f"--fail-if {condition!r}: the study has no pairs; a condition on what it has is {examples}", file=file
            )


def _check_names(conditions: Sequence[str], made: Plan, file: Path) -> None:
    """Refuse, before a model is asked, a condition on a bias or on a source of prompts that the plan does not have."""
    asked: dict[str, dict[str, Any]] = {}
    for one in made.asked:
        asked.setdefault(one.prompt.bias, {})[one.prompt.source] = {}
    names: dict[str, dict[str, Any]] = {
        "continuations": {prompt.bias: {} for prompt in made.prompts},
        "next_words": asked,
    }
    for condition in conditions:
        view = _view_of(condition)
        if view:
            _check_path(condition, view, names[view], file)


def _check_path(condition: str, view: str, names: Mapping[str, Any], file: Path) -> None:
    rest, nouns = condition.strip().removeprefix(f"{view}."), iter(("bias", "source"))
    while names:
        # As when the condition is decided: the longest name that fits, with or without its version.
        forms = {form: name for name in names for form in (re.sub(r"\.v\d+$", "", name), name)}
        form = max((one for one in forms if re.match(rf"{re.escape(one)}(\.|\s*[<>])", rest)), key=len, default=None)
        if form is None:
            given = re.split(r"\s*[.<>]", rest)[0]
            problem = UnknownName(next(nouns), given, names).problem
            raise UserError(f"--fail-if {condition!r}: {problem}", file=file)
        if not rest.startswith(f"{form}."):
            raise UserError(f'--fail-if {condition!r}: that is no figure; one is "{_EXAMPLES[view]}"', file=file)
        next(nouns)
        rest, names = rest[len(form) + 1 :], names[forms[form]]


def _fail_if(conditions: Sequence[str], summary: RunSummary) -> None:
    by_view: dict[str | None, list[str]] = {}
    for condition in conditions:
        by_view.setdefault(_view_of(condition), []).append(condition)
    cells: dict[str, list[dict[str, Any]]] = {
        "continuations": [
            {cell.bias: {cell.rater: for_conditions(cell.as_json())}}
            for cell in (summary.continuations.cells if summary.continuations else ())
        ],
        "next_words": [
            {cell.bias: {cell.source: cell.as_json()}}
            for cell in (summary.next_words.cells if summary.next_words else ())
        ],
    }
    for view in _VIEWS:
        fail_if_any(by_view.get(view), [{view: cell} for cell in cells[view]])
    seen = set()
    for cell in summary.cells:
        if (cell.model, cell.source) not in seen:
            seen.add((cell.model, cell.source))
            fail_if(by_view.get(None), cell.summary.as_json())


def _view_of(condition: str) -> str | None:
    """The view that a condition speaks of; None: pairs."""
    return next((view for view in _VIEWS if condition.strip().startswith(f"{view}.")), None)


def demo(
    out: OutOption = None,
    plan_only: PlanOption = False,
    threads: ThreadsOption = None,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure the embedded model on six biases, what it writes and whom it expects, and end with a report."""
    from tiltmeter.study import parse, plan

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
    """Carry a plan out; its summary, unless there are so many texts that nobody asked for one (`needed`)."""
    from tiltmeter.analysis import summarise_run
    from tiltmeter.cli.progress import Bar
    from tiltmeter.engine import carry_out
    from tiltmeter.report import REPORT, write_run
    from tiltmeter.store import state_of

    folder = out or Path("runs") / _slug(made.study.name)
    size = _size(made, folder)
    _tell(size)
    if plan_only:
        if as_json:
            print_json(size)
        return None
    try:
        with _kept(no_cache) as kept, Bar() as bar:
            state = state_of(folder, made)
            _tell_state(state, folder, kept is not None)
            finished = carry_out(made, folder, settings, bar, kept=kept, cluster=cluster)
            _tell_recalled(kept)
    except KeyboardInterrupt:
        say(f"stopped; the same command goes on from here (what is done is in {folder})")
        raise
    finally:
        _tell_spent(folder, made.study.models)
    texts = finished.continuations.count if finished.continuations else 0
    if texts > MANY_TEXTS and not needed and not as_json:
        _tell_many(texts, folder)
        return None
    summary = summarise_run(finished)
    report = folder / REPORT
    if state.kind != "finished" or not report.is_file():
        write_run(finished, summary)
    if as_json:
        spent = {"api": finished.meta["api"]} if "api" in finished.meta else {}
        print_json({"folder": str(folder), "report": str(report), **spent, **summary.as_json()})
    else:
        typer.echo(f"report: {report}")
    for model in summary.next_words.without_saliency if summary.next_words else ():
        say(f"no saliency of {model}: it has no gradients; a checkpoint is needed")
    return summary


def _size(plan: Plan, folder: Path) -> dict[str, Any]:
    """What carrying out a plan comes to, told before anything is done."""
    return {
        "folder": str(folder),
        "models": list(plan.study.models),
        **(_pairs_size(plan) if plan.study.sources else {}),
        **(_continuations_size(plan) if plan.study.continuations else {}),
        **(_next_words_size(plan) if plan.study.next_words else {}),
        **_api_size(plan),
        "dropped": dict(Counter(item.reason for item in plan.dropped).most_common()),
    }


def _pairs_size(plan: Plan) -> dict[str, Any]:
    from tiltmeter.engine.local import scorers_for
    from tiltmeter.engine.scoring import plan_batches

    questions = [query for batch in plan_batches(plan.pairs, scorers_for(plan.study, "causal")) for query in batch]
    return {
        "pairs": len(plan.pairs),
        "biases": len({pair.bias for pair in plan.pairs}),
        "cells": len(plan.study.models) * len(plan.study.sources) * max(len(plan.study.scorers), 1),
        "texts_per_model": len(questions),
        # English text has about four characters to a token.
        "tokens_per_model": sum(len(query.text) // 4 + 1 for query in questions),
    }


def _continuations_size(plan: Plan) -> dict[str, Any]:
    from tiltmeter.engine.completing import plan_batches

    choices = plan.study.continuations
    assert choices is not None
    batches = plan_batches(plan.prompts, choices)
    places = {(prompt.source, prompt.bias) for prompt in plan.prompts}
    return {
        "prompts": len(plan.prompts),
        "groups": len({(prompt.bias, prompt.group) for prompt in plan.prompts if prompt.group}),
        "continuation_cells": len(plan.study.models) * len(places) * len(choices.decodings) * len(choices.raters),
        "completions_per_model": sum(choices.samples_of(one) for one in choices.decodings) * len(plan.prompts),
        # Shorter texts are cut from longer ones; a text may end before its limit.
        "decoded_tokens_per_model": sum(
            batch.size * batch.decoding.max_new_tokens * batch.decoding.beams for batch in batches
        ),
    }


def _next_words_size(plan: Plan) -> dict[str, Any]:
    from tiltmeter.store import questions_of

    choices = plan.study.next_words
    assert choices is not None
    questions, asked = questions_of(plan.asked, choices)
    places = {(one.prompt.source, one.prompt.bias) for one in plan.asked}
    ways = len(choices.words) * len(choices.bounded) * len(choices.combine)
    return {
        "open_prompts": len({one.asked.prompt.id for one in asked}),
        "perturbations": len(choices.perturbations),
        "next_word_cells": len(plan.study.models) * len(places) * ways,
        "questions_per_model": len(questions) * len(choices.bounded),
        "words_per_model": sum(len(one.words) for one in questions) * len(choices.bounded),
        "gradients_per_model": sum(one.explained for one in questions),
    }


def _api_size(plan: Plan) -> dict[str, Any]:
    from tiltmeter.engine.costs import expected_costs
    from tiltmeter.engine.local import scorers_for

    costs = expected_costs(plan, scorers_for(plan.study, "causal"))
    return {"api": {name: asdict(cost) for name, cost in costs.items()}} if costs else {}


def _tell(size: Mapping[str, Any]) -> None:
    models = f"for each of {len(size['models'])} models"
    if "pairs" in size:
        say(
            f"plan: {size['pairs']} pairs over {size['biases']} biases; {models} "
            f"{size['texts_per_model']} texts (about {size['tokens_per_model']} tokens; more passes for masked "
            f"models); up to {size['cells']} cells; into {size['folder']}"
        )
    if "prompts" in size:
        say(
            f"plan: {size['prompts']} prompts about {size['groups']} groups; {models} "
            f"{size['completions_per_model']} completions (at most {size['decoded_tokens_per_model']} tokens to "
            f"decode); {size['continuation_cells']} cells; into {size['folder']}"
        )
    if "open_prompts" in size:
        gradients = f" and {size['gradients_per_model']} gradients" if size["gradients_per_model"] else ""
        say(
            f"plan: {size['open_prompts']} prompts that leave the group open, under {size['perturbations']} "
            f"perturbations; {models} {size['questions_per_model']} texts to read for {size['words_per_model']} "
            f"words{gradients}; {size['next_word_cells']} cells; into {size['folder']}"
        )
    for name, cost in size.get("api", {}).items():
        money = "" if cost["money"] is None else f", which cost {cost['money']:,.4g}"
        say(
            f"plan: {name}: at most {cost['requests']:,} requests, about {cost['tokens_in']:,} tokens to read and at "
            f"most {cost['tokens_out']:,} to write{money}"
        )
    for reason, count in list(size["dropped"].items())[:3]:
        say(f"dropped: {count} probes, {reason}")


@contextmanager
def _kept(no_cache: bool) -> Iterator[KeptAnswers | None]:
    """The cache of answers; None where nobody wants it, or where it cannot be used."""
    from tiltmeter.store import CacheError, KeptAnswers

    try:
        kept = None if no_cache else KeptAnswers()
    except CacheError as error:
        say(f"{error}; going on without it")
        kept = None
    try:
        yield kept if kept is not None and kept.limit else None
    finally:
        if kept is not None:
            kept.close()


def _tell_state(state: RunState, folder: Path, has_cache: bool) -> None:
    """What is there already."""
    if state.kind == "finished":
        say(f"{folder}: the run is finished; there is nothing to do")
    elif state.kind == "begun":
        say(f"{folder}: going on with what is not done yet")
    elif state.kind == "changed" and has_cache:
        named = ", ".join(state.changes[:6]) + (f" and {len(state.changes) - 6} more" if len(state.changes) > 6 else "")
        say(f"{folder}: the study has changed ({named}); what stays the same comes from the cache")


def _tell_recalled(kept: KeptAnswers | None) -> None:
    """How much was not asked again."""
    if kept is None:
        return
    if kept.trouble:
        say(f"{kept.trouble}; the run went on without it")
    elif kept.recalled:
        say(f"from the cache: {kept.recalled:,} of {kept.recalled + kept.asked:,} answers")


def _tell_many(texts: int, folder: Path) -> None:
    """What to do with a run that is too large for a report."""
    say(
        f"{texts:,} texts are too many for a report, which holds them all at once; `tiltmeter export {folder}` writes "
        f"them as Parquet, which `tiltmeter analyze` sums without holding them; `tiltmeter report {folder}` tries it"
    )
    typer.echo(f"run: {folder}")


def _tell_spent(folder: Path, names: Sequence[str]) -> None:
    """What models behind an API took, in all the starts of a run."""
    from tiltmeter.models.api import account_of, accounts, price_of
    from tiltmeter.store import ANSWERS

    prices = {account_of(name): price_of(name) for name in names}
    for name, spent in accounts(folder / ANSWERS).items():
        say(f"{name}: {spent.words(prices.get(name) or price_of(name))}")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "run"
