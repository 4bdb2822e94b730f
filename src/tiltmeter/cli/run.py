"""`tiltmeter run` and `tiltmeter demo`: carry out a study."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.analyze_continuations import for_conditions
from tiltmeter.cli.conditions import FailIfOption, check, fail_if, fail_if_any
from tiltmeter.cli.console import JsonOption, print_json, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.analysis import RunSummary
    from tiltmeter.models import ModelSettings
    from tiltmeter.study import Plan, Study

OutOption = Annotated[Path | None, typer.Option("--out", "-o", help="The run folder; default runs/NAME.")]
_TEXTS = "continuations"
"""How a condition begins that speaks of what the models write."""
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

    --fail-if speaks of the first scorer's result of every model and source, e.g. "overall.low > 0.55"; of the view of
    continuations with "continuations.BIAS.RATER.pairs.A/B.difference.low > 0.1", which holds if it does in any cell.
    """
    from tiltmeter.study import read

    check(conditions)
    study = read(file)
    _check_views(conditions or (), study, file)
    summary = _carry_out(study, out, model_settings(device, dtype, threads), plan_only, as_json)
    if summary:
        _fail_if(conditions or (), summary)


def _check_views(conditions: Sequence[str], study: Study, file: Path) -> None:
    """Refuse, before any work is done, a condition on a view that the study does not have."""
    of_texts = [one for one in conditions if _of_texts(one)]
    if len(of_texts) < len(conditions) and not study.sources:
        raise UserError(
            "the study has no pairs, so --fail-if can only speak of its continuations: "
            '"continuations.BIAS.RATER.pairs.A/B.difference.low > 0.1"',
            file=file,
        )
    if of_texts and not study.continuations:
        raise UserError(f"--fail-if {of_texts[0]!r}: the study has no table [continuations]", file=file)


def _fail_if(conditions: Sequence[str], summary: RunSummary) -> None:
    of_texts = [one for one in conditions if _of_texts(one)]
    if of_texts and summary.continuations:
        fail_if_any(
            of_texts,
            [
                {_TEXTS: {cell.bias: {cell.rater: for_conditions(cell.as_json())}}}
                for cell in summary.continuations.cells
            ],
        )
    of_pairs = [one for one in conditions if not _of_texts(one)]
    seen = set()
    for cell in summary.cells:
        if (cell.model, cell.source) not in seen:
            seen.add((cell.model, cell.source))
            fail_if(of_pairs, cell.summary.as_json())


def _of_texts(condition: str) -> bool:
    return condition.strip().startswith(f"{_TEXTS}.")


def demo(
    out: OutOption = None, plan_only: PlanOption = False, threads: ThreadsOption = None, as_json: JsonOption = False
) -> None:
    """Measure the embedded model on six biases and on what it writes about two groups, and end with a report."""
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
    size = _size(made, folder)
    _tell(size)
    if plan_only:
        if as_json:
            print_json(size)
        return None
    try:
        with Bar() as bar:
            finished = carry_out(made, folder, settings, bar)
    except KeyboardInterrupt:
        say(f"stopped; the same command goes on from here (what is done is in {folder})")
        raise
    summary = summarise_run(finished)
    report = write_run(finished, summary)
    if as_json:
        print_json({"folder": str(folder), "report": str(report), **summary.as_json()})
    else:
        typer.echo(f"report: {report}")
    return summary


def _size(plan: Plan, folder: Path) -> dict[str, Any]:
    """What carrying out a plan comes to, told before anything is done."""
    return {
        "folder": str(folder),
        "models": list(plan.study.models),
        **(_pairs_size(plan) if plan.study.sources else {}),
        **(_continuations_size(plan) if plan.study.continuations else {}),
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
    for reason, count in list(size["dropped"].items())[:3]:
        say(f"dropped: {count} probes, {reason}")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "run"
