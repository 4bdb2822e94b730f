"""`tiltmeter import` and `tiltmeter analyze log`: what other programs logged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.analyze_measurements import print_result
from tiltmeter.cli.conditions import FailIfOption, check, fail_if_any
from tiltmeter.cli.console import JsonOption, print_json, say
from tiltmeter.cli.options import named_values
from tiltmeter.cli.rate import masking_of
from tiltmeter.errors import UserError
from tiltmeter.study.rater_names import rater_choice

if TYPE_CHECKING:
    from tiltmeter.raters import Rater
    from tiltmeter.results.files.logs import LogQuery

LogsArgument = Annotated[
    list[Path],
    typer.Argument(
        help="Samples of lm-evaluation-harness, logs of Inspect, exchanges with chat models; or folders of logs.",
        metavar="LOG…",
    ),
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=FIELD,…",
        help="Where a log has bias, group, origin, value or model, e.g. group=metadata.group,origin=doc.template.",
    ),
]
ModelOption = Annotated[str | None, typer.Option(metavar="NAME", help="The model, where the log names none.")]
RaterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rater",
        "-r",
        metavar="NAME",
        help="Who rates what the model wrote; may be repeated; default: as in a study that names none.",
    ),
]
SpecOption = Annotated[
    str | None, typer.Option("--group-spec", metavar="SPEC", help="Mask the terms of the groups of this spec.")
]
TermsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--mask-terms",
        metavar="GROUP=TERM,TERM…",
        help="Mask these terms, as raters of regard need; may be repeated.",
    ),
]
_REASONS = 8
"""Reasons for missing numbers that are shown to people; the JSON has all."""


def analyze_log(
    logs: LogsArgument,
    columns: ColumnsOption = None,
    model: ModelOption = None,
    rater: RaterOption = None,
    group_spec: SpecOption = None,
    mask_terms: TermsOption = None,
    where: Annotated[
        list[str] | None, typer.Option(help="Keep only measurements with COLUMN=VALUE; may be repeated.")
    ] = None,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")] = 0.95,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Logs of lm-evaluation-harness, Inspect and chat models.

    Answers to two options are compared as pairs; answers about a group get figures by group, and texts are rated.
    Refusals, empty answers and answers that cannot be placed are missing, with the reason.

    --fail-if checks every figure and holds if any fits, e.g. "preference.BIAS.low > 0.55" of pairs, or
    "sentiment.minilm.BIAS.women/men.high < 0" and "says yes.BIAS.women.value < 0.4" of answers about groups.
    """
    from tiltmeter.results.files.logs import measured_log

    check(conditions)
    asked = _query(columns, model, rater, group_spec, mask_terms)
    kept = named_values("--where", where)
    found = measured_log(logs, asked, where=kept, level=level)
    print_json(found) if as_json else _print(found)
    fail_if_any(conditions, [_named(one) for one in found["cells"]])


def import_(
    logs: LogsArgument,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="RUN", help="The run folder to make.")],
    columns: ColumnsOption = None,
    model: ModelOption = None,
    rater: RaterOption = None,
    group_spec: SpecOption = None,
    mask_terms: TermsOption = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(metavar="GROUP", help="Compare the groups of its bias with this one only; may be repeated."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a run of what other programs logged, for `multiverse`, `compare`, `leaderboard` and `report`.

    Reads samples of lm-evaluation-harness, logs of Inspect and exchanges with chat models. Nothing is asked again.
    """
    from dataclasses import replace

    from tiltmeter.results.files.logs import import_log

    asked = _query(columns, model, rater, group_spec, mask_terms)
    made = import_log(logs, out, replace(asked, reference=tuple(reference or ())))
    run = made.run
    prompts = len(run.continuations.prompts) if run.continuations else 0
    counts = {"models": list(run.facts), "pairs": len(run.pairs), "prompts": prompts}
    if as_json:
        print_json({"out": str(out), **counts, "notes": list(made.notes)})
        return
    for note in made.notes:
        say(note)
    say(f"{out}: {', '.join(run.facts)}; {len(run.pairs):,} pairs, {prompts:,} prompts")


def _named(one: Mapping[str, Any]) -> dict[str, Any]:
    """A figure under the names that conditions use."""
    from tiltmeter.results.files.logs import rater_in_log

    sides = "/".join(one[name] for name in ("group", "against") if one.get(name))
    own = {one["bias"]: {sides: one} if one.get("rater") else one}
    return {rater_in_log(one["rater"]) if one.get("rater") else one["measure"]: own}


def _query(
    columns: Sequence[str] | None,
    model: str | None,
    raters: Sequence[str] | None,
    group_spec: str | None,
    mask_terms: Sequence[str] | None,
) -> LogQuery:
    from tiltmeter.results.files.logs import LogQuery

    masking = masking_of(group_spec, mask_terms or (), None, None)
    return LogQuery(
        named_values("--columns", columns), model, None if raters is None else list(map(_rater, raters)), masking
    )


def _rater(name: str) -> Rater:
    from tiltmeter.cli.options import model_settings
    from tiltmeter.engine.executor import Executor
    from tiltmeter.engine.rating import GROUPS, maker

    choice = rater_choice(name)
    if choice.name in GROUPS:
        raise UserError(f"--rater {name} reads texts about a situation, of which logs have none; name another rater")
    return maker(choice, Executor(model_settings("auto", "auto", None)))(())


def _print(found: Mapping[str, Any]) -> None:
    print_result(found, "source")
    for one in found["missing"][:_REASONS]:
        say(f"missing, {one['group']}: {one['n']:,}: {one['reason']}")
    if len(found["missing"]) > _REASONS:
        say(f"… {len(found['missing']) - _REASONS} more reasons: --json")
    for note in found["notes"]:
        say(note)
