"""`tiltmeter multiverse`: which conclusions of runs hold under other choices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.conditions import FailIfOption, check, fail_if_any
from tiltmeter.cli.console import JsonOption, percent, print_json, print_table, read_run, say
from tiltmeter.cli.estimate_words import further_table, short, three
from tiltmeter.errors import UnknownName, UserError

if TYPE_CHECKING:
    from tiltmeter.results.findings.findings import Finding
    from tiltmeter.results.findings.questions import Question

_PARTS = 6
"""Interactions that are shown; the JSON has all."""
_WITHOUT = 12
"""Cells without a value that are shown; the JSON has all."""


def multiverse(
    runs: Annotated[
        list[Path], typer.Argument(help="Run folders; several seeds or studies are put together.", metavar="RUN…")
    ],
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            "-q",
            help="Its number in --list, its text, or words that it alone has; default: all.",
        ),
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="Only of this model; may be repeated.")] = None,
    list_only: Annotated[bool, typer.Option("--list", help="Only name the questions that can be asked.")] = False,
    permutations: Annotated[
        int,
        typer.Option(
            "--permutations", min=99, max=10**6, help="How often groups are exchanged in the test of the whole."
        ),
    ] = 1999,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also write answers, cells and figures into this folder.")
    ] = None,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question in every cell of the choices of runs: which conclusion holds, and what it depends on.

    --fail-if speaks of every answer, e.g. "verdict.p_adjusted < 0.05" or "verdict.opposed > 0", and holds if it does of
    any.
    """
    from tiltmeter.results.compare.sides import Side, is_unfinished
    from tiltmeter.results.findings.findings import corrected, finding, questions
    from tiltmeter.results.findings.material import Material
    from tiltmeter.results.findings.questions import asked

    check(conditions)
    _check_different(runs)
    material = Material([read_run(folder) for folder in runs])
    for run in material.runs:
        if any(is_unfinished(Side(run, name, name)) for name in run.facts):
            say(f"{run.folder}: is not finished, so that the answers are those of a part")
    every = questions(material)
    if not every:
        raise UserError(
            f"{', '.join(map(str, runs))}: no question can be asked: no two groups have rated texts, scored pairs or "
            "next words; a run that is not finished goes on with `tiltmeter run`"
        )
    chosen = _of_models(every if question is None else asked(question, every), model)
    if list_only:
        _list(chosen, every, as_json)
        return
    main = [one for one in every if one.main]
    # A verdict counts all questions of the study, whichever of them it is asked for.
    wanted = {(one.model, one.key): one for one in (*main, *chosen)}.values()
    known = [finding(one, material, permutations=permutations) for one in wanted]
    answers = [one for one in corrected(known, main) if one.question in chosen]
    if out:
        _write(answers, out)
    if as_json:
        print_json({"answers": [one.as_json() for one in answers]})
    else:
        _print(answers, tables=question is not None or len(answers) == 1)
    fail_if_any(conditions, [one.as_json() for one in answers])


def _check_different(runs: Sequence[Path]) -> None:
    """A run that is given twice would count every cell twice."""
    places: dict[Path, Path] = {}
    for folder in runs:
        before = places.setdefault(folder.resolve(), folder)
        if before is not folder:
            same = f"is the same run as {before}" if before != folder else "is given twice"
            raise UserError(f"{folder}: {same}, so that every cell would count twice; give each run once")


def _of_models(questions: Sequence[Question], wanted: Sequence[str] | None) -> list[Question]:
    models = list(dict.fromkeys(one.model for one in questions))
    for name in wanted or ():
        if name not in models:
            raise UnknownName("model", name, models)
    return [one for one in questions if not wanted or one.model in wanted]


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


def _write(answers: Sequence[Finding], out: Path) -> None:
    from tiltmeter.report.multiverse import write_multiverse

    write_multiverse(answers, out)
    say(f"written into {out}")


def _print(answers: Sequence[Finding], *, tables: bool) -> None:
    """The verdict of each question first; the figures behind it where one was asked."""
    for number, one in enumerate(answers):
        if number:
            typer.echo()
        typer.echo(f"{one.question.text} ({one.question.view}, {one.question.bias}, {one.question.model})")
        typer.echo(one.verdict.sentence)
        if one.caution:
            typer.echo(one.caution)
        if tables:
            _print_cells(one)
            _print_without(one)
            _print_test(one)
            _print_choices(one)
            _print_flips(one)
        else:
            for why, cells in one.without.items():
                typer.echo(f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'} without a value: {why}")
    if not tables:
        say("the figures behind a verdict: --question, or --json")


def _print_cells(found: Finding) -> None:
    drawn, question = found.multiverse.curve, found.question
    signs, clear, strict, shares = drawn.signs, drawn.significant, drawn.significant_holm, drawn.signs.shares(drawn.of)
    neither = drawn.of - signs.positive - signs.negative
    worse, better = question.claim(), question.claim(turned=True)
    rows: list[tuple[object, ...]] = [
        (worse, signs.positive, percent(shares["positive"]), clear.positive, strict.positive),
        (better, signs.negative, percent(shares["negative"]), clear.negative, strict.negative),
    ]
    if neither:
        rows.append(("neither", neither, percent(neither / drawn.of), "", ""))
    if len(drawn.cells) > drawn.of:
        rows.append(("no value", len(drawn.cells) - drawn.of, "", "", ""))
    further_table(["what cells say", "cells", "share", "significant", "by Holm"], rows)


def _print_without(found: Finding) -> None:
    """The cells that could not be answered, each with the reason."""
    rows = [
        (", ".join(f"{name} {setting}" for name, setting in cell.choices.items()), why)
        for why, cells in found.without.items()
        for cell in cells
    ]
    if rows:
        further_table(["cells without a value", "why"], rows[:_WITHOUT])
    if len(rows) > _WITHOUT:
        say(f"{len(rows) - _WITHOUT} more cells without a value: --json")


def _print_test(found: Finding) -> None:
    test = found.multiverse.test
    if test.p is None:
        return
    named = {
        "median effect over its error": test.median,
        "share with the dominant sign": test.sign_share,
        "share significant": test.significant_share,
    }
    rows = [(name, three(each.value), short(each.p)) for name, each in named.items() if each]
    further_table(["the curve as a whole", "value", "p"], [*rows, ("all three together", "", short(test.p))])


def _print_choices(found: Finding) -> None:
    spread = found.multiverse.decomposition
    rows = [(" × ".join(part.choices), percent(part.share)) for part in spread.main]
    together = [part for part in spread.interactions if part.share > 0]
    rows += [(" × ".join(part.choices), percent(part.share)) for part in together[:_PARTS]]
    if len(together) > _PARTS:
        share = sum(part.share for part in together[_PARTS:])
        rows.append((f"{len(together) - _PARTS} more of two choices", percent(share)))
    if spread.rest and spread.rest.share > 0:
        rows.append(("three and more choices", percent(spread.rest.share)))
    if spread.sampling is not None:
        rows.append(("sampling", percent(spread.sampling)))
    if rows:
        further_table(["spread of the cells due to", "share"], rows)
    for note in spread.notes:
        say(f"note: {note}")


def _print_flips(found: Finding) -> None:
    if found.multiverse.flips:
        further_table(
            ["changing", "to", "changes", "turn the sign", "change the conclusion", "reverse it"],
            [
                (each.choice, each.setting or "any other", each.of, each.sign, each.conclusion, each.reversed)
                for each in found.multiverse.flips
            ],
        )
