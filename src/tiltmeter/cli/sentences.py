"""`tiltmeter sentences`: have a model write test sentences, audit them, and bring labels of people back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.console import JsonOption
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import InvalidData, UserError

if TYPE_CHECKING:
    from tiltmeter.records import Spec, Written


def sentences(
    specs: Annotated[list[str] | None, typer.Argument(help="Specs: library names, or files.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="The model that writes, e.g. smollm2-135m.")] = None,
    per_attribute: Annotated[int, typer.Option(help="Minimum sentences for each attribute.")] = 2,
    sets: Annotated[int, typer.Option(help="Independent sets of sentences.")] = 1,
    seed: Annotated[int, typer.Option(help="The same seed and settings give the same sentences.")] = 0,
    samples: Annotated[int, typer.Option(help="Sentences per request.")] = 5,
    max_requests: Annotated[
        int | None, typer.Option(help="Maximum requests per attribute; default 40, by chat 10.")
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(help="auto: to suit the model; constrained: both terms by construction; rejection: as published."),
    ] = "auto",
    shots: Annotated[str, typer.Option(help="Example sentences: own, fixed (the paper's four), similar.")] = "own",
    shots_from: Annotated[Path | None, typer.Option(help="Examples from a JSONL, CommonGen or StereoSet file.")] = None,
    temperature: Annotated[
        float | None,
        typer.Option(min=0, help="Sampling temperature; default 0.8, or 1 if the model takes no other."),
    ] = None,
    top_k: Annotated[
        int | None, typer.Option(min=0, help="Sample from this many words; 0: all; default 50 if the model takes it.")
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Sample from this much probability mass; default 0.85, or 1."),
    ] = None,
    chat: Annotated[
        bool | None,
        typer.Option("--chat/--no-chat", help="Request by chat, or by a text to continue; default: to suit the model."),
    ] = None,
    checks: Annotated[str, typer.Option(help="full, or as-published: only the two terms are required.")] = "full",
    judge: Annotated[bool, typer.Option(help="Drop sentences that the audit finds incoherent or incomplete.")] = True,
    reader: Annotated[
        str | None,
        typer.Option(help="A second model, not under test, that ranks the sentences; none: keep all."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The CSV file for the kept sentences.")] = None,
    dropped: Annotated[Path | None, typer.Option(help="A CSV file for dropped sentences, with reasons.")] = None,
    audit: Annotated[
        Path | None, typer.Option(help="Audit the sentences of a file or run folder: quality and issues.")
    ] = None,
    stereoset: Annotated[Path | None, typer.Option(help="With --audit: a StereoSet file to compare with.")] = None,
    annotate: Annotated[Path | None, typer.Option(help="Write a sheet for annotators: .csv or .jsonl.")] = None,
    agreement: Annotated[list[Path] | None, typer.Option(help="Filled-in sheets; give all of them.")] = None,
    propose_terms: Annotated[str | None, typer.Option(help="Propose further terms for a spec.", metavar="SPEC")] = None,
    propose_templates: Annotated[Path | None, typer.Option(help="Write templates made from the sentences.")] = None,
    by_request: Annotated[
        bool, typer.Option("--by-request", help="With --propose-templates: ask the model for templates instead.")
    ] = False,
    compare_strategies: Annotated[
        bool, typer.Option("--compare-strategies", help="Write with each strategy, and compare them.")
    ] = False,
    show: Annotated[int, typer.Option(min=0, help="Print this many sentences; they may offend.")] = 0,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a model write test sentences from a spec; audit sentences; exchange labels with annotators.

    SPEC… --by MODEL --out S.csv writes sentences and prints what was kept, what was dropped and why; if interrupted,
    the same command resumes from S.csv.partial. --audit S.csv takes such a file, AutoBiasTest's own, or a run folder.
    --annotate works with either; --agreement reads filled-in sheets. --propose-terms and --propose-templates only make
    suggestions.
    """
    from tiltmeter.cli import sentence_accounts, sentence_audit, sentence_proposals, sentence_writing
    from tiltmeter.cli.score import accounted
    from tiltmeter.engine.executor import Executor
    from tiltmeter.engine.review import Auditor
    from tiltmeter.sources.generated.settings import settings_from

    running = model_settings(device, dtype, threads)
    if agreement:
        # The shell hands the files after the first over as arguments.
        sentence_audit.print_agreement([*agreement, *map(Path, specs or [])], as_json)
        return
    if propose_terms:
        sentence_proposals.print_terms(propose_terms, as_json)
        return
    if audit:
        rows, known = _read(audit, _specs(specs or [], library=True))
        sentence_audit.print_audit(audit, rows, Auditor(known, reader, Executor(running)), stereoset, show, as_json)
        found = [sentence for sentence in rows if sentence.dropped is None]
        _hand_over(found, known, annotate, propose_templates)
        return
    if not specs or not by:
        raise UserError("a spec, --by and --out are required: tiltmeter sentences SPEC --by MODEL --out S.csv")
    settings = settings_from(
        {"strategy": strategy, "per_attribute": per_attribute, "sets": sets, "seed": seed, "shots": shots}
        | {"samples": samples, "max_requests": max_requests}
        | {"temperature": temperature, "top_k": top_k, "top_p": top_p, "chat": chat, "checks": checks}
    )
    known = _specs(specs)
    if by_request:
        if not propose_templates:
            raise UserError("--by-request needs --propose-templates T.toml")
        sentence_proposals.templates_by_request(known, by, settings, running, propose_templates, as_json)
        return
    order = sentence_writing.Order(known, by, settings, shots_from, judge, reader, running)
    write = sentence_writing.write_both if compare_strategies else sentence_writing.write_order
    with accounted(by) as spent:
        made, asked = write(order, out, dropped)
    kept = [sentence for generation in made.values() for sentence in generation.kept]
    _hand_over(kept, known, annotate, propose_templates)
    if compare_strategies:
        sentence_accounts.print_comparison(made, order.auditor(), as_json)
    else:
        accounts = {name: one.accounting for name, one in made.items()}
        sentence_accounts.print_accounts(accounts, asked, spent, as_json)
        sentence_accounts.refuse_nothing(accounts, by)
    for sentence in kept[: 0 if as_json else show]:
        typer.echo(f"{sentence.attribute}, {sentence.term}: {sentence.text}")


def _specs(names: Sequence[str], *, library: bool = False) -> dict[str, Spec]:
    from tiltmeter import specs

    wanted = [specs.load(name) for name in dict.fromkeys([*names, *(specs.names() if library else [])])]
    return {spec.name: spec for spec in wanted}


def _read(path: Path, known: Mapping[str, Spec]) -> tuple[list[Written], Mapping[str, Spec]]:
    """The sentences of a file or a run folder, dropped ones included, and the specs to look them up in."""
    from tiltmeter.engine.sentences import read_written_sentences
    from tiltmeter.sources.generated import read_sentences
    from tiltmeter.sources.generated.sentence_files import specs_in

    if path.is_dir():
        sentences, own = read_written_sentences(path)
        known = {**known, **own}
    else:
        known = {**{spec.name: spec for spec in specs_in(path)}, **known}
        sentences = read_sentences(path, list(known.values()))
    if all(sentence.dropped for sentence in sentences):
        raise InvalidData("it has no sentences", file=path)
    return sentences, known


def _hand_over(
    found: Sequence[Written], known: Mapping[str, Spec], annotate: Path | None, templates: Path | None
) -> None:
    from tiltmeter.cli.sentence_proposals import templates_of
    from tiltmeter.sources.generated.annotations import export_annotations

    if annotate:
        export_annotations(annotate, found, known.values())
    if templates:
        templates_of(found, known, templates)
