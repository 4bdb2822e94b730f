"""`tiltmeter multiverse`: which conclusions of runs hold under other choices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.conditions import FailIfOption, check, fail_if_any
from tiltmeter.cli.console import JsonOption, print_json, print_table, read_run, say, show_blocks

if TYPE_CHECKING:
    from tiltmeter.present.reported import Reported
    from tiltmeter.results.findings.questions import Question


def multiverse(
    runs: Annotated[
        list[Path], typer.Argument(help="Run folders; several seeds or studies are combined.", metavar="RUN…")
    ],
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            "-q",
            help="Its number in --list, its text, or words found in no other question; default: all.",
        ),
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="Only this model; may be repeated.")] = None,
    list_only: Annotated[bool, typer.Option("--list", help="Only list the questions.")] = False,
    permutations: Annotated[
        int,
        typer.Option("--permutations", min=99, max=10**6, help="How often group labels are swapped in the test."),
    ] = 1999,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write findings, methods and figures into this folder.")
    ] = None,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer questions under every combination of choices: which conclusions hold, and what they depend on.

    --fail-if checks every answer, e.g. "verdict.p_adjusted < 0.05" or "verdict.opposed > 0", and holds if any fits.
    """
    from tiltmeter.api.comparing import evidence
    from tiltmeter.present.known_raters import left_out_words
    from tiltmeter.present.multiverse import multiverse_json, write_multiverse
    from tiltmeter.present.reported import Reported
    from tiltmeter.results.compare.sides import Side, is_unfinished
    from tiltmeter.results.findings.findings import Findings, answered, asked_of

    check(conditions)
    material = evidence([read_run(folder) for folder in runs])
    for run in material.runs:
        if any(is_unfinished(Side(run, name, name)) for name in run.facts):
            say(f"{run.folder}: is not finished, so the answers may change")
    every, chosen = asked_of(material, question, model or ())
    if list_only:
        _list(chosen, every, as_json)
        return
    answers = answered(material, chosen, every, permutations=permutations)
    found = Reported(tuple(material.runs), Findings(tuple(answers), 0))
    if out:
        write_multiverse(found, out)
        say(f"written into {out}")
    if as_json:
        print_json(multiverse_json(found))
    else:
        for words in left_out_words(material.left_out()):
            say(words)
        _print(found, tables=question is not None or len(answers) == 1)
    fail_if_any(conditions, [one.as_json() for one in answers])


def _list(questions: Sequence[Question], every: Sequence[Question], as_json: bool) -> None:
    from tiltmeter.results.findings.questions import kinds

    if as_json:
        print_json({"questions": [one.as_json() for one in questions]})
        return
    rows = [
        (number, one.text, one.view, one.bias, ", ".join(each.model for each in same))
        for number, all_of_it in enumerate(kinds(every), 1)
        for same in [[one for one in all_of_it if one in questions]]
        for one in same[:1]
    ]
    print_table(["number", "question", "view", "bias", "models"], rows)


def _print(found: Reported, *, tables: bool) -> None:
    """The verdict of each question first; the figures behind it where one was asked."""
    from tiltmeter.present.sections.finding import finding_section
    from tiltmeter.present.verdicts import answer, cautions

    if tables:
        show_blocks([finding_section(one, found, examples=False) for one in found.findings])
        return
    for number, one in enumerate(found.findings):
        if number:
            typer.echo()
        typer.echo(f"{one.question.text} ({one.question.view}, {one.question.bias}, {one.question.model})")
        for words in filter(None, (answer(one), cautions(one))):
            typer.echo(words)
        for why, cells in one.without.items():
            typer.echo(f"{len(cells)} {'method has' if len(cells) == 1 else 'methods have'} no value: {why}")
    say("the figures behind a verdict: --question, or --json")
