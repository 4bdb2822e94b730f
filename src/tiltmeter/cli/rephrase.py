"""`tiltmeter rephrase`: the same prompts in many sentence structures, by a grammar or by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, say
from tiltmeter.cli.options import (
    DeviceOption,
    DtypeOption,
    OutOption,
    ShowOption,
    ThreadsOption,
    check_names,
    model_settings,
    named_values,
    settings_of,
)
from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.engine.sentence_units import UnfinishedFile
    from tiltmeter.records import Prompt
    from tiltmeter.sources.rephrased.paraphrasing import ParaphraseSettings, Rephrased, Target

_PROMPT_COLUMNS = ("text", "group", "origin", "term")
_SETTINGS = ("per_target", "attempts", "similarity", "transform")


app = typer.Typer(help="Put the same prompts into many sentence structures.", no_args_is_help=True)

PerGroupOption = Annotated[int | None, typer.Option(min=1, help="Sample at most this many prompts of each group.")]
SeedOption = Annotated[int, typer.Option(help="The same seed and settings give the same prompts.")]


@app.command("spec")
def by_grammar(
    spec: Annotated[str, typer.Argument(help="A spec: a library name, or a file.")],
    out: OutOption,
    structures: Annotated[int | None, typer.Option(min=1, help="Most structures; default all.")] = None,
    kind: Annotated[str | None, typer.Option(help="declarative or interrogative; default both.")] = None,
    fixed: Annotated[bool, typer.Option("--fixed", help="Also the plain prompts, as a baseline.")] = False,
    per_group: PerGroupOption = None,
    seed: SeedOption = 0,
    show: ShowOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Write every group and verb phrase of a spec in many structures, by a grammar.

    The file can be used as a prompts-file.
    """
    from tiltmeter.api import rephrasing
    from tiltmeter.cli import rephrase_accounts
    from tiltmeter.files import check_writable, write_csv
    from tiltmeter.sources.rephrased import borrows_verb_phrases
    from tiltmeter.specs import load

    check_writable(out, not_over=[spec])
    options = {"structures": structures, "kind": kind, "fixed": fixed, "per_group": per_group, "seed": seed}
    opened = load(spec)
    made, dropped = rephrasing.by_grammar(opened, options)
    if borrows_verb_phrases(opened):
        say("the spec has no verb phrases, so those of respect-occupation are used")
    write_csv(out, rephrasing.COLUMNS, map(rephrasing.grammar_row, made))
    rephrase_accounts.print_grammar(made, dropped, show, as_json)


@app.command("prompts")
def by_model(
    what: Annotated[
        str,
        typer.Argument(help="A file of prompts, or a source: own-prompts, bold:FOLDER, …", metavar="PROMPTS"),
    ],
    by: Annotated[str, typer.Option("--by", help="The model that rephrases, e.g. smollm2-135m.")],
    out: OutOption,
    targets: Annotated[str, typer.Option(help="Structures, separated by commas, or all.")] = "all",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE,…",
            help="per_target (rephrasings in each structure; 1), attempts (for each of them; 4), similarity (of "
            "meaning, at least; 0.75), transform (move the parts of the parse first; true).",
        ),
    ] = None,
    matched: Annotated[
        bool, typer.Option("--matched", help="Keep only prompts that differ between groups in the term alone.")
    ] = False,
    keep_rejected: Annotated[
        bool, typer.Option("--keep-rejected", help="Also write rejected prompts, with the reason.")
    ] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=COLUMN,…", help="What columns of the file are called: text, group, origin, term."),
    ] = None,
    per_group: PerGroupOption = None,
    seed: SeedOption = 0,
    show: ShowOption = 0,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rephrase prompts by their parse, and by a model where that gives nothing.

    What lost the group, changed the meaning or kept the structure is rejected.

    If interrupted, the same command resumes from P.csv.partial. The file can be used as a prompts-file.
    """
    from tiltmeter.cli import rephrase_accounts
    from tiltmeter.files import check_writable
    from tiltmeter.sources.rephrased import paraphrasing

    check_writable(out, not_over=[what])
    named = named_values("--columns", columns)
    check_names("column", named, _PROMPT_COLUMNS)
    chosen = paraphrasing.targets([] if targets == "all" else [name.strip() for name in targets.split(",")])
    given = settings_of(settings)
    check_names("setting", given, _SETTINGS)
    wanted = paraphrasing.ParaphraseSettings(seed=seed, **given)
    prompts = _prompts(what, named, per_group, seed)
    partial, results = _by_model(prompts, chosen, wanted, by, out, model_settings(device, dtype, threads))
    if matched:
        results = paraphrasing.matched(prompts, results)
    lines = paraphrasing.rephrased_prompts(prompts, results, chosen)
    paraphrasing.write_rephrased(out, lines, rejected=keep_rejected)
    if partial:
        partial.remove()
    account = paraphrasing.account(prompts, results, chosen, wanted.per_target)
    rephrase_accounts.print_paraphrases(account, by, as_json)
    kept = [line for line in lines if line[2].dropped is None]
    for line in kept[: 0 if as_json else show]:
        typer.echo(f"{line[2].target}: {line[1].text} -> {line[0].text}")


def _prompts(what: str, columns: dict[str, str], per_group: int | None, seed: int) -> list[Prompt]:
    """The prompts of a file, or of a source as a study names it: own-prompts, bold:FOLDER."""
    from tiltmeter.sources.interface import Source

    options: dict[str, Any] = {"per_group": per_group, "seed": seed}
    if Path(what).is_file():
        made, dropped = Source.named("prompts-file", "continuations").make(what, **columns, **options)
    else:
        name, _, path = what.partition(":")
        source = Source.named(name, "continuations")
        if source.input == "spec" or bool(path) != source.reads_file:
            right = f"{name}:PATH" if source.reads_file else "own-prompts"
            raise UserError(f"`{what}` cannot be rephrased by a model; give a file of prompts, or {right}")
        if columns:
            raise UserError("--columns names the columns of a file of prompts")
        made, dropped = source.make(*([path] if path else []), **options)
    if dropped:
        say(f"{len(dropped)} prompts were skipped when reading, e.g. {dropped[0].reason}")
    if not made:
        raise UserError(f"`{what}` has no prompts to rephrase")
    found: list[Prompt] = made
    return found


def _by_model(
    prompts: list[Prompt], targets: list[Target], settings: ParaphraseSettings, by: str, out: Path, running: Any
) -> tuple[UnfinishedFile | None, list[Rephrased]]:
    from tiltmeter import models
    from tiltmeter.api.progress import Bar
    from tiltmeter.engine import rephrasing
    from tiltmeter.models.interface import as_writer

    pen = as_writer(models.load(by, running))
    partial = None
    if out.is_file() or not out.exists():
        partial = rephrasing.unfinished_file(out, rephrasing.described(prompts, targets, settings, by, pen.facts))
    try:
        with Bar() as bar:
            found = rephrasing.rephrase(
                prompts,
                targets,
                pen,
                rephrasing.judge,
                settings,
                partial=partial,
                progress=bar,
            )
    except BaseException:
        if partial:
            if partial.has_units():
                say(f"stopped; run the same command to resume (finished work is in {partial.path})")
            partial.close()
        raise
    return partial, found
