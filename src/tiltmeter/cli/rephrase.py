"""`tiltmeter rephrase`: the same prompts in many sentence structures, by a grammar or by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.engine.sentence_units import PartialFile
    from tiltmeter.records import Dropped, Prompt
    from tiltmeter.sources.rephrased.paraphrasing import ParaphraseSettings, Rephrased, Target

COLUMNS = (
    *("id", "text", "group", "term", "verb_phrase", "attribute", "structure", "kind", "family", "skeleton"),
    *("origin", "bias", "source", "spec_term"),
)
"""Of the grammar's file; `term` has the words that name the group as they stand in the text, `spec_term` the spec's."""


def rephrase(
    what: Annotated[
        str,
        typer.Argument(
            help="A spec; with --by a file of prompts, or a source of prompts such as own-prompts or bold:FOLDER.",
            metavar="SPEC|PROMPTS",
        ),
    ],
    by: Annotated[str | None, typer.Option("--by", help="The model that rephrases, e.g. smollm2-135m.")] = None,
    structures: Annotated[int | None, typer.Option(min=1, help="Grammar: most structures; default all.")] = None,
    kind: Annotated[str | None, typer.Option(help="Grammar: declarative or interrogative; default both.")] = None,
    fixed: Annotated[bool, typer.Option("--fixed", help="Grammar: also the plain prompts, as a baseline.")] = False,
    targets: Annotated[str, typer.Option(help="With --by: structures, separated by commas, or all.")] = "all",
    per_prompt: Annotated[
        int, typer.Option(min=1, help="With --by: rephrasings of each prompt in each structure.")
    ] = 1,
    attempts: Annotated[int, typer.Option(min=1, help="With --by: attempts for each rephrasing.")] = 4,
    similarity: Annotated[
        float, typer.Option(min=0, max=1, help="With --by: minimum similarity of meaning, by sentence vectors.")
    ] = 0.75,
    matched: Annotated[
        bool,
        typer.Option("--matched", help="With --by: keep only prompts that differ between groups in the term alone."),
    ] = False,
    keep_rejected: Annotated[
        bool, typer.Option("--keep-rejected", help="With --by: also write rejected prompts, with the reason.")
    ] = False,
    text: Annotated[str | None, typer.Option(help="The text column of a file of prompts.")] = None,
    group: Annotated[str | None, typer.Option(help="The group column of a file of prompts.")] = None,
    origin: Annotated[str | None, typer.Option(help="The origin column of a file of prompts.")] = None,
    term: Annotated[
        str | None, typer.Option(help="The column of a file of prompts with the words that name the group.")
    ] = None,
    per_group: Annotated[
        int | None, typer.Option(min=1, help="Sample at most this many prompts of each group.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed and settings give the same prompts.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The CSV file for the prompts.")] = None,
    show: Annotated[int, typer.Option(min=0, help="Print this many of them.")] = 0,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rephrase prompts in many sentence structures: a spec's by a grammar, any others by a model.

    SPEC --structures 100 --out P.csv writes every group and verb phrase of a spec in 100 structures. PROMPTS --by MODEL
    --out P.csv has a model rephrase the prompts of a file or source, rejects what lost the group, changed the meaning
    or kept the structure, and prints the counts; if interrupted, the same command resumes from P.csv.partial. Either
    file can be used as a prompts-file.
    """
    if out is None:
        raise UserError("--out is required: tiltmeter rephrase SPEC --out P.csv")
    from tiltmeter.cli import rephrase_accounts
    from tiltmeter.files import check_writable

    check_writable(out, not_over=[what] if what else ())
    if by is None and matched:
        raise UserError("--matched needs --by; prompts by the grammar already differ in the term alone")
    if by is None:
        options = {"structures": structures, "kind": kind, "fixed": fixed, "per_group": per_group, "seed": seed}
        made, dropped = _by_grammar(what, options)
        _write_grammar(out, made)
        rephrase_accounts.print_grammar(made, dropped, show, as_json)
        return
    if structures is not None or kind is not None or fixed:
        raise UserError("--structures, --kind and --fixed are for the grammar; with --by use --targets")
    from tiltmeter.sources.rephrased import paraphrasing

    settings = paraphrasing.ParaphraseSettings(per_prompt, attempts, similarity, seed)
    chosen = paraphrasing.targets([] if targets == "all" else [name.strip() for name in targets.split(",")])
    columns = {"text": text, "group": group, "origin": origin, "term": term}
    prompts = _prompts(what, {key: value for key, value in columns.items() if value}, per_group, seed)
    found = _by_model(prompts, chosen, settings, by, out, model_settings(device, dtype, threads))
    partial, results = found
    if matched:
        results = paraphrasing.matched(prompts, results)
    lines = paraphrasing.rephrased_prompts(prompts, results, chosen)
    paraphrasing.write_rephrased(out, lines, rejected=keep_rejected)
    if partial:
        partial.remove()
    account = paraphrasing.account(prompts, results, chosen, per_prompt)
    rephrase_accounts.print_paraphrases(account, by, as_json)
    kept = [line for line in lines if line[2].dropped is None]
    for line in kept[: 0 if as_json else show]:
        typer.echo(f"{line[2].target}: {line[1].text} -> {line[0].text}")


def _by_grammar(name: str, options: dict[str, Any]) -> tuple[list[Prompt], list[Dropped]]:
    from tiltmeter import registry, specs
    from tiltmeter.sources.rephrased import borrows_verb_phrases

    spec = specs.load(name)
    made, dropped = registry.load("prompt-source", "rephrased")(
        spec, **{key: value for key, value in options.items() if value is not None}
    )
    if not made:
        why = f": {dropped[0].reason}" if dropped else ""
        raise UserError(f"`{name}` makes no prompts{why}")
    if borrows_verb_phrases(spec):
        say("the spec has no verb phrases, so those of respect-occupation are used")
    return made, dropped


def _write_grammar(out: Path, made: list[Prompt]) -> None:
    from tiltmeter.files import write_csv

    def row(prompt: Prompt) -> dict[str, object]:
        form = prompt.structure
        return {
            "id": prompt.id,
            "text": prompt.text,
            "group": prompt.group,
            "term": prompt.text[slice(*prompt.group_spans[0])] if prompt.group_spans else prompt.term,
            "verb_phrase": prompt.origin,
            "attribute": prompt.attribute,
            "structure": form.id if form else None,
            "kind": form.kind if form else None,
            "family": form.family if form else None,
            "skeleton": form.skeleton if form else None,
            "origin": prompt.origin,
            "bias": prompt.bias,
            "source": prompt.source,
            "spec_term": prompt.term,
        }

    write_csv(out, COLUMNS, map(row, made))


def _prompts(what: str, columns: dict[str, str], per_group: int | None, seed: int) -> list[Prompt]:
    """The prompts of a file, or of a source as a study names it: own-prompts, bold:FOLDER."""
    from tiltmeter import registry
    from tiltmeter.study.reader import material

    options: dict[str, Any] = {"per_group": per_group, "seed": seed}
    if Path(what).is_file():
        made, dropped = registry.load("prompt-source", "prompts-file")(what, **columns, **options)
    else:
        name, _, path = what.partition(":")
        full = registry.resolve("prompt-source", name)
        needs = material("prompt-source", full).name
        if needs == "spec" or bool(path) != (needs == "path"):
            right = f"{name}:PATH" if needs == "path" else "own-prompts"
            raise UserError(f"`{what}` cannot be rephrased by a model; give a file of prompts, or {right}")
        if columns:
            raise UserError("--text, --group, --origin and --term name the columns of a file of prompts")
        made, dropped = registry.load("prompt-source", full)(*([path] if path else []), **options)
    if dropped:
        say(f"{len(dropped)} prompts were skipped when reading, e.g. {dropped[0].reason}")
    if not made:
        raise UserError(f"`{what}` has no prompts to rephrase")
    found: list[Prompt] = made
    return found


def _by_model(
    prompts: list[Prompt], targets: list[Target], settings: ParaphraseSettings, by: str, out: Path, running: Any
) -> tuple[PartialFile | None, list[Rephrased]]:
    from tiltmeter import models
    from tiltmeter.cli.progress import Bar
    from tiltmeter.engine import rephrasing
    from tiltmeter.models.interface import as_writer

    pen = as_writer(models.load(by, running))
    partial = None
    if out.is_file() or not out.exists():
        partial = rephrasing.partial_beside(out, rephrasing.described(prompts, targets, settings, by, pen.facts))
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
