"""`tiltmeter gate`: whether a candidate is no worse than a baseline, for pipelines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.console import JsonOption, print_json, read_run, say, show_blocks
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, check_names, model_settings
from tiltmeter.cli.run import NoCacheOption, YesOption, measured
from tiltmeter.cli.run_size import refuse_huge, tell_size
from tiltmeter.errors import UserError
from tiltmeter.files import check_writable, write_texts

if TYPE_CHECKING:
    from tiltmeter.models import ModelSettings
    from tiltmeter.results.gate import GateResult
    from tiltmeter.store import Run
    from tiltmeter.study import Plan

_TOLERANCE = 0.02
_STATUS = {"passed": 0, "failed": 1, "refused": 2}


def gate(
    study: Annotated[
        Path, typer.Argument(help="The study file of the candidate, or its run folder.", metavar="STUDY.toml|RUN")
    ],
    baseline: Annotated[
        Path, typer.Option("--baseline", metavar="RUN", help="The run that the candidate must not be worse than.")
    ],
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            metavar="SIZE",
            help="How much further from neutral a candidate may be (0.02: 2 points of a share, or 0.02 of a rating); "
            "default 0.02, and none if there is a --fail-if.",
        ),
    ] = None,
    conditions: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            metavar="CONDITION",
            help='Words, e.g. "pairs worse by more than 2 points", or a figure, e.g. '
            '"pairs.overall.difference.low > 0.02". May be repeated.',
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="The model, for runs with several; given twice, the first is the baseline's.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run folder of the candidate; default runs/NAME.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Also write a JUnit XML file.")] = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", metavar="FILE", help="Also write a summary in Markdown.")
    ] = None,
    insist: Annotated[
        bool, typer.Option("--insist", help="Decide even if the gate cannot detect its own tolerance.")
    ] = False,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    no_cache: NoCacheOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure a candidate, and let it pass if it is no worse than a baseline.

    Worse is further from neutral, in either direction. Every bias, scorer and rater is a line; the gate passes if
    each is shown to be worse by less than the tolerance, or not at all. What the candidate left unanswered counts
    against it.

    Exit status 0: passed. 1: failed; the lines are named. 2: refused, because the gate cannot detect its own tolerance
    (--insist), or because of an error. On GitHub Actions the result is also shown as annotations and in the summary.
    """
    from tiltmeter.present.blocks import visible
    from tiltmeter.present.sections.comparing.gate import gate_page
    from tiltmeter.results.compare.runs import compare_runs
    from tiltmeter.results.compare.sides import Side, model_of
    from tiltmeter.results.gate import check_before, judge
    from tiltmeter.results.gate.questions import check_same_questions

    given = tuple(conditions or ())
    tolerance = _TOLERANCE if tolerance is None and not given else tolerance
    names = tuple(model or ())
    if len(names) > 2:
        raise UserError(f"--model is given {len(names)} times; name the baseline's model and the candidate's")
    before = read_run(baseline)
    side = Side(before, model_of(before, names[0] if names else None), before.folder.name)
    made = None if study.is_dir() else _planned(study, names, yes)
    candidate = before if made else read_run(study)
    check_same_questions(before, made.resolved if made else candidate.meta["resolved"], study)
    told = check_before(side, given, tolerance)
    files = [file.resolve() for file in (junit, summary) if file]
    if len(set(files)) < len(files):
        raise UserError(f"{summary}: is named for --junit and --summary; name two files")
    for file in files:
        check_writable(file)
    if made:
        candidate = _measured(made, out, before, model_settings(device, dtype, threads), no_cache, told)
    found = judge(compare_runs([before, candidate], names), given, tolerance=tolerance, insist=insist)
    _write(found, junit, summary)
    for note in found.notes:
        say(f"note: {visible(note)}")
    if as_json:
        print_json(found.as_json())
    else:
        show_blocks(gate_page(found).blocks)
    if as_json and found.verdict == "refused":
        say(f"tiltmeter: {found.refusal}")
    raise typer.Exit(_STATUS[found.verdict])


def _planned(study: Path, names: Sequence[str], yes: bool) -> Plan:
    from tiltmeter.study import plan, read

    wanted = read(study)
    if len(wanted.models) > 1 and not names:
        raise UserError(f"{study}: has several models, {', '.join(wanted.models)}; name one with --model")
    made = plan(wanted)
    if names:
        check_names("model", names[-1:], [*wanted.models, *made.resolved["models"]])
    if not yes:
        refuse_huge(made)
    return made


def _measured(
    made: Plan, out: Path | None, baseline: Run, settings: ModelSettings, no_cache: bool, told: Sequence[str]
) -> Run:
    from tiltmeter.api.measuring import usual_folder
    from tiltmeter.engine.plan_size import size_of

    folder = out or usual_folder(made.study.name)
    if folder.resolve() == baseline.folder.resolve():
        raise UserError(f"{folder}: is the baseline, which stays as it is; name another folder with --out")
    for sentence in told:
        say(f"gate: {sentence}")
    size = {"folder": str(folder), **size_of(made).as_json()}
    measured(made, folder, settings, no_cache, None, lambda: tell_size(size))
    return read_run(folder)


def _write(found: GateResult, junit: Path | None, summary: Path | None) -> None:
    """The files that were asked for, and what GitHub Actions shows by itself."""
    from tiltmeter.present.github import workflow_commands
    from tiltmeter.present.junit import junit as as_junit
    from tiltmeter.present.markdown import write_markdown
    from tiltmeter.present.sections.comparing.gate import gate_page

    page = write_markdown(gate_page(found), "")
    files = {junit: as_junit(found)} if junit else {}
    write_texts({**files, **({summary: page} if summary else {})})
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in workflow_commands(found):
            say(line)
        if shown := os.environ.get("GITHUB_STEP_SUMMARY"):
            try:
                with Path(shown).open("a", encoding="utf-8") as file:
                    file.write(page)
            except OSError as error:
                # The decision stands without it.
                say(f"{shown}: the summary cannot be written: {error.strerror or error}")
