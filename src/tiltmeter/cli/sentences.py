"""`tiltmeter sentences`: have a model write test sentences, audit them, and bring labels of people back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.console import JsonOption
from tiltmeter.cli.options import (
    DeviceOption,
    DtypeOption,
    OutOption,
    SettingsOption,
    ShowOption,
    ThreadsOption,
    model_settings,
    settings_of,
)
from tiltmeter.errors import InvalidData, UserError

if TYPE_CHECKING:
    from tiltmeter.records import Spec, Written

app = typer.Typer(help="Have a model write test sentences; audit and label them.", no_args_is_help=True)

SpecsArgument = Annotated[list[str], typer.Argument(help="Specs: library names, or files.", metavar="SPEC…")]
FileArgument = Annotated[
    Path, typer.Argument(help="A file of `sentences write` or of AutoBiasTest, or a run folder.", metavar="FILE")
]
LookupArgument = Annotated[
    list[str] | None, typer.Argument(help="Specs that the file does not bring along.", metavar="SPEC…")
]
ReaderOption = Annotated[
    str | None, typer.Option(help="A second model, not under test, that ranks the sentences; none: keep all.")
]


@app.command()
def write(
    specs: SpecsArgument,
    by: Annotated[str, typer.Option("--by", help="The model that writes, e.g. smollm2-135m.")],
    out: OutOption,
    per_attribute: Annotated[int, typer.Option(help="Minimum sentences for each attribute.")] = 2,
    seed: Annotated[int, typer.Option(help="The same seed and settings give the same sentences.")] = 0,
    settings: SettingsOption = None,
    shots_from: Annotated[Path | None, typer.Option(help="Examples from a JSONL, CommonGen or StereoSet file.")] = None,
    judge: Annotated[bool, typer.Option(help="Drop sentences that the audit finds incoherent or incomplete.")] = True,
    reader: ReaderOption = None,
    dropped: Annotated[Path | None, typer.Option(help="A CSV file for dropped sentences, with reasons.")] = None,
    compare_strategies: Annotated[
        bool, typer.Option("--compare-strategies", help="Write with each strategy, and compare them.")
    ] = False,
    show: ShowOption = 0,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a model write test sentences, and print what was kept, what was dropped and why.

    If interrupted, the same command resumes from S.csv.partial. --settings takes what a study file can say of
    `generated` sentences: strategy (auto, constrained, rejection), sets, attributes (words of each attribute set),
    samples (sentences per request), max_requests (per attribute), shots (own, fixed, similar), temperature, top_k,
    top_p, chat (true or false), checks (full, as-published).
    """
    from tiltmeter.cli import sentence_accounts, sentence_writing
    from tiltmeter.cli.score import accounted
    from tiltmeter.sources.generated.settings import settings_from

    chosen = settings_from({"per_attribute": per_attribute, "seed": seed} | settings_of(settings))
    running = model_settings(device, dtype, threads)
    order = sentence_writing.Order(_specs(specs), by, chosen, shots_from, judge, reader, running)
    carry_out = sentence_writing.write_both if compare_strategies else sentence_writing.write_order
    with accounted(by) as spent:
        made, asked = carry_out(order, out, dropped)
    if compare_strategies:
        sentence_accounts.print_comparison(made, order.auditor(), as_json)
    else:
        accounts = {name: one.accounting for name, one in made.items()}
        sentence_accounts.print_accounts(accounts, asked, spent, as_json)
        sentence_accounts.refuse_nothing(accounts, by)
    kept = [sentence for generation in made.values() for sentence in generation.kept]
    for sentence in kept[: 0 if as_json else show]:
        typer.echo(f"{sentence.attribute}, {sentence.term}: {sentence.text}")


@app.command()
def audit(
    path: FileArgument,
    specs: LookupArgument = None,
    stereoset: Annotated[Path | None, typer.Option(help="A StereoSet file to compare with.")] = None,
    reader: ReaderOption = None,
    show: ShowOption = 0,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the quality of sentences, and which of the eight issues they have."""
    from tiltmeter.cli.sentence_audit import print_audit
    from tiltmeter.engine.executor import Executor
    from tiltmeter.engine.review import Auditor

    rows, known = _read(path, specs)
    auditor = Auditor(known, reader, Executor(model_settings(device, dtype, threads)))
    print_audit(path, rows, auditor, stereoset, show, as_json)


@app.command()
def sheet(path: FileArgument, out: OutOption, specs: LookupArgument = None) -> None:
    """Write a sheet (.csv or .jsonl) on which annotators mark the issues of sentences."""
    from tiltmeter.sources.generated.annotations import export_annotations

    rows, known = _read(path, specs)
    export_annotations(out, [one for one in rows if one.dropped is None], known.values())


@app.command()
def agreement(
    sheets: Annotated[list[Path], typer.Argument(help="Filled-in sheets of all annotators.", metavar="SHEET…")],
    as_json: JsonOption = False,
) -> None:
    """Print how far annotators agree, and what most of them marked."""
    from tiltmeter.cli.sentence_audit import print_agreement

    print_agreement(sheets, as_json)


@app.command()
def terms(spec: Annotated[str, typer.Argument(help="A spec.")], as_json: JsonOption = False) -> None:
    """Propose further terms for a spec; a person decides."""
    from tiltmeter.cli.sentence_proposals import print_terms

    print_terms(spec, as_json)


@app.command()
def templates(
    given: Annotated[
        str, typer.Argument(help="A file of sentences or a run folder; with --by a spec.", metavar="FILE|SPEC")
    ],
    out: OutOption,
    by: Annotated[str | None, typer.Option("--by", help="Ask this model for templates.")] = None,
    settings: SettingsOption = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Propose templates for a spec, made from sentences or asked of a model; a person decides."""
    from tiltmeter.cli.sentence_proposals import templates_by_request, templates_of
    from tiltmeter.sources.generated.settings import settings_from

    if by is not None:
        running = model_settings(device, dtype, threads)
        templates_by_request(_specs([given]), by, settings_from(settings_of(settings)), running, out, as_json)
        return
    if not Path(given).exists():
        raise UserError(f"{given}: no such file of sentences; to ask a model for templates of a spec, give --by MODEL")
    rows, known = _read(Path(given), None)
    templates_of([one for one in rows if one.dropped is None], known, out)


def _specs(names: Sequence[str], *, library: bool = False) -> dict[str, Spec]:
    from tiltmeter import specs

    wanted = [specs.load(name) for name in dict.fromkeys([*names, *(specs.names() if library else [])])]
    return {spec.name: spec for spec in wanted}


def _read(path: Path, specs: Sequence[str] | None) -> tuple[list[Written], Mapping[str, Spec]]:
    """The sentences of a file or a run folder, dropped ones included, and the specs to look them up in."""
    from tiltmeter.engine.sentences import read_written_sentences
    from tiltmeter.sources.generated import read_sentences
    from tiltmeter.sources.generated.sentence_files import specs_in

    known: Mapping[str, Spec] = _specs(specs or [], library=True)
    if path.is_dir():
        sentences, own = read_written_sentences(path)
        known = {**known, **own}
    else:
        known = {**{spec.name: spec for spec in specs_in(path)}, **known}
        sentences = read_sentences(path, list(known.values()))
    if all(sentence.dropped for sentence in sentences):
        raise InvalidData("it has no sentences", file=path)
    return sentences, known
