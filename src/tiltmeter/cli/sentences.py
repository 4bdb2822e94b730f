"""`tiltmeter sentences`: have a model write test sentences, audit them, and bring labels of people back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, number, percent, print_json, print_table, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import InvalidData, UserError

if TYPE_CHECKING:
    from tiltmeter.models import ModelSettings
    from tiltmeter.records import Spec, Written
    from tiltmeter.sources.generated import Accounting, Generation, GenerationSettings, Review
    from tiltmeter.sources.generated.shots import Chooser


def sentences(
    specs: Annotated[list[str] | None, typer.Argument(help="Specs: names of the library, or files.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="The model that writes, e.g. smollm2-135m.")] = None,
    per_attribute: Annotated[int, typer.Option(help="Sentences that every attribute needs at least.")] = 2,
    sets: Annotated[int, typer.Option(help="Independent sets of sentences.")] = 1,
    seed: Annotated[int, typer.Option(help="The same seed and settings give the same sentences.")] = 0,
    strategy: Annotated[
        str, typer.Option(help="constrained: both terms by construction; rejection: the published loop.")
    ] = "constrained",
    shots: Annotated[str, typer.Option(help="Example sentences: own, fixed (the paper's four), similar.")] = "own",
    shots_from: Annotated[Path | None, typer.Option(help="Examples from a JSONL, CommonGen or StereoSet file.")] = None,
    temperature: Annotated[float, typer.Option(min=0, help="Sampling temperature.")] = 0.8,
    chat: Annotated[bool, typer.Option("--chat", help="Ask through the model's chat template.")] = False,
    checks: Annotated[
        str, typer.Option(help="full, or as-published: nothing but the two terms is asked for.")
    ] = "full",
    judge: Annotated[bool, typer.Option(help="Drop sentences that the audit finds incoherent or incomplete.")] = True,
    reader: Annotated[
        str | None,
        typer.Option(help="A second model, not to be tested: keeps the likeliest sentences, finds incoherent ones."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="CSV file for the kept sentences.")] = None,
    dropped: Annotated[Path | None, typer.Option(help="CSV file for the dropped ones, with reasons.")] = None,
    audit: Annotated[Path | None, typer.Option(help="Quality and issues of a file of sentences.")] = None,
    stereoset: Annotated[Path | None, typer.Option(help="With --audit: StereoSet, to set beside it.")] = None,
    annotate: Annotated[Path | None, typer.Option(help="Write a sheet for annotators: .csv or .jsonl.")] = None,
    agreement: Annotated[list[Path] | None, typer.Option(help="Sheets that came back; give all of them.")] = None,
    propose_terms: Annotated[str | None, typer.Option(help="Propose further terms for a spec.", metavar="SPEC")] = None,
    propose_templates: Annotated[Path | None, typer.Option(help="Write templates made of the sentences.")] = None,
    show: Annotated[int, typer.Option(min=0, help="Print so many sentences; they may offend.")] = 0,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a model write test sentences from a spec; audit sentences; exchange labels with annotators.

    SPEC… --by MODEL --out S.csv writes sentences and prints what was kept, what was dropped and why.
    --audit S.csv takes such a file or AutoBiasTest's own. --annotate goes with either; --agreement reads the sheets
    that came back. --propose-terms and --propose-templates only propose: a person decides.
    """
    from tiltmeter.cli.sentence_audit import print_agreement, print_audit
    from tiltmeter.engine.review import Auditor
    from tiltmeter.sources.generated.settings import settings_from

    running = model_settings(device, dtype, threads)
    if agreement:
        # The shell hands the files after the first over as arguments.
        print_agreement([*agreement, *map(Path, specs or [])], as_json)
    elif propose_terms:
        _print_terms(propose_terms, as_json)
    elif audit:
        known = _specs(specs or [], library=True)
        found = _read(audit, known)
        print_audit(audit, found, Auditor(known, reader, running), stereoset, show, as_json)
        _hand_over(found, known, annotate, propose_templates)
    else:
        if not specs or not by:
            raise UserError("say what to write about and who writes: tiltmeter sentences SPEC --by MODEL --out S.csv")
        settings = settings_from(
            {"strategy": strategy, "per_attribute": per_attribute, "sets": sets, "seed": seed, "shots": shots}
            | {"temperature": temperature, "chat": chat, "checks": checks}
        )
        known = _specs(specs)
        choosers = _choosers(known, settings, shots_from)
        review = Auditor(known, reader, running).review(judge=judge)
        written = _generate(known, by, settings, choosers, review, running)
        kept = [sentence for generation in written.values() for sentence in generation.kept]
        _write(out, kept)
        _write(dropped, [one for generation in written.values() for one in generation.sentences if one.dropped])
        _hand_over(kept, known, annotate, propose_templates)
        _print_accounts({name: generation.accounting for name, generation in written.items()}, by, as_json)
        for sentence in kept[:show]:
            typer.echo(f"{sentence.attribute}, {sentence.term}: {sentence.text}")


def _specs(names: Sequence[str], *, library: bool = False) -> dict[str, Spec]:
    from tiltmeter import specs

    wanted = [specs.load(name) for name in dict.fromkeys([*names, *(specs.names() if library else [])])]
    return {spec.name: spec for spec in wanted}


def _generate(
    specs: Mapping[str, Spec],
    by: str,
    settings: GenerationSettings,
    choosers: Mapping[str, Chooser],
    review: Review,
    running: ModelSettings,
) -> dict[str, Generation]:
    from tiltmeter import models
    from tiltmeter.cli.progress import Bar
    from tiltmeter.sources.generated import write

    generator: Any = models.load(by, running)
    with Bar() as bar:
        return {
            name: write(spec, generator, settings, shots=choosers[name], review=review, watcher=bar)
            for name, spec in specs.items()
        }


def _choosers(specs: Mapping[str, Spec], settings: GenerationSettings, path: Path | None) -> dict[str, Chooser]:
    from tiltmeter.sources.generated import vectors
    from tiltmeter.sources.generated.shots import chooser, read_shots

    repository = read_shots(path) if path else None
    space = vectors.load() if settings.shots == "similar" else None
    return {name: chooser(settings.shots, spec, repository=repository, vectors=space) for name, spec in specs.items()}


def _read(path: Path, known: Mapping[str, Spec]) -> list[Written]:
    from tiltmeter.sources.generated import read_sentences

    found = [sentence for sentence in read_sentences(path, list(known.values())) if sentence.dropped is None]
    if not found:
        raise InvalidData("no sentences to look at", file=path)
    return found


def _write(path: Path | None, found: Sequence[Written]) -> None:
    from tiltmeter.sources.generated import write_sentences

    if path:
        write_sentences(path, found)


def _hand_over(
    found: Sequence[Written], known: Mapping[str, Spec], annotate: Path | None, templates: Path | None
) -> None:
    from tiltmeter.files import whole_file
    from tiltmeter.sources.generated import annotations, proposals

    if annotate:
        annotations.export_annotations(annotate, found)
    if templates:
        writers = ", ".join(sorted({one.generator for one in found if one.generator})) or "a language model"
        with whole_file(templates) as file:
            for name in dict.fromkeys(one.bias for one in found if one.bias in known):
                made = proposals.from_sentences(found, known[name])
                file.write(f"# {name}\n{proposals.as_toml(made, writers)}\n")


def _print_accounts(accounts: dict[str, Accounting], by: str, as_json: bool) -> None:
    from tiltmeter.stats.quality import low_yield

    low: dict[str, list[dict[str, Any]]] = {}
    for name, account in accounts.items():
        by_kind: dict[str, dict[Any, tuple[int, int]]] = defaultdict(dict)
        for one in account.terms:
            by_kind[one.kind][one] = (one.accepted, one.decoded)
        low[name] = [
            {**asdict(one), "share": share} for counts in by_kind.values() for one, share in low_yield(counts).items()
        ]
    if as_json:
        data = {
            name: asdict(account)
            | {
                "share": account.share,
                "controllability": account.controllability,
                "accepted_per_1000_tokens": account.accepted_per_1000_tokens,
                "reconsider": low[name],
            }
            for name, account in accounts.items()
        }
        print_json({"by": by, "specs": data})
        return
    print_table(
        [
            "spec",
            "requests",
            "decoded",
            "finished",
            "both terms",
            "accepted",
            "share",
            "per 1,000 tokens",
            "kept",
            "written for",
        ],
        [
            (
                name,
                one.requests,
                one.attempts,
                one.decoded,
                percent(one.controllability),
                one.accepted,
                percent(one.share),
                number(one.accepted_per_1000_tokens),
                one.kept,
                ", ".join(f"{group} {count}" for group, count in one.written_for),
            )
            for name, one in accounts.items()
        ],
        title=f"Sentences written by {by}",
    )
    reasons: Counter[str] = Counter()
    for account in accounts.values():
        reasons.update(dict(account.dropped))
    print_table(["dropped because it", "sentences"], reasons.most_common(), title="\nWhy the rest were dropped")
    rows = [
        (name, row["holder"], row["term"], row["accepted"], row["decoded"], percent(row["share"]))
        for name, found in low.items()
        for row in found
    ]
    if rows:
        title = "\nTerms to reconsider: yield below half of the median"
        print_table(["spec", "of", "term", "accepted", "decoded", "share"], rows, title=title)
    for account in accounts.values():
        for unit, count in account.short:
            say(f"{unit}: only {count} sentences")


def _print_terms(name: str, as_json: bool) -> None:
    from tiltmeter import specs
    from tiltmeter.sources.generated import vectors
    from tiltmeter.sources.generated.expansion import as_toml, propose_terms

    spec = specs.load(name)
    found = propose_terms(spec, vectors.load())
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        typer.echo(as_toml(spec, found), nl=False)
