"""`tiltmeter sentences`: have a model write test sentences, audit them, and bring labels of people back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, print_json, print_table, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import InvalidData, MissingExtra, UserError

if TYPE_CHECKING:
    from tiltmeter.models import ModelSettings
    from tiltmeter.raters.issues import AuditItem, Finding
    from tiltmeter.records import Pair, Rating, Spec, Written
    from tiltmeter.sources.generated import Accounting, Generation, GenerationSettings, Review
    from tiltmeter.sources.generated.shots import Chooser
    from tiltmeter.stats.quality import Quality

_ENOUGH = 5
"""Sentences that a term needs before its issues say something about the term."""
_RATERS = {"sentiment": "sentiment.vader", "fog": "readability.fog", "ari": "readability.ari"}


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
    from tiltmeter.sources.generated.settings import settings_from

    running = model_settings(device, dtype, threads)
    if agreement:
        # The shell hands the files after the first over as arguments.
        _print_agreement([*agreement, *map(Path, specs or [])], as_json)
    elif propose_terms:
        _print_terms(propose_terms, as_json)
    elif audit:
        known = _specs(specs or [], library=True)
        found = _read(audit, known)
        _print_audit(audit, found, _Audit(known, reader, running), stereoset, show, as_json)
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
        review = _Audit(known, reader, running).review(judge)
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


class _Audit:
    """Looks for issues in sentences, and ranks them, with the help of a second model where there is one."""

    def __init__(self, specs: Mapping[str, Spec], reader: str | None, running: ModelSettings) -> None:
        from tiltmeter import models

        self.specs = specs
        self.reader = models.load(reader, running) if reader else None

    def review(self, judge: bool) -> Review:
        from tiltmeter.sources.generated import Review

        return Review(self.incoherence if judge else None, self.rank if self.reader else None)

    def findings(self, found: Sequence[Written]) -> list[tuple[Finding, ...]]:
        from tiltmeter.raters.issues import audit, flagged

        return [flagged(one) for one in audit([self._item(one) for one in found], fluency=self.reader)]

    def incoherence(self, found: Sequence[Written]) -> list[str | None]:
        """Why a sentence is taken for incoherent or incomplete."""
        return [
            next((finding.because for finding in one if finding.issue in ("I7", "I8")), None)
            for one in self.findings(found)
        ]

    def rank(self, found: Sequence[Pair]) -> list[float]:
        """The log-likelihood per token of both texts together: that of one alone would favour its group."""
        from tiltmeter.engine import score_pairs
        from tiltmeter.measures.scorers import find

        assert self.reader is not None
        scorer = find("mean", self.reader.facts.family)
        scored = score_pairs(self.reader, found, [scorer])[scorer.name]
        return [sum(one.scores) if one.scores else float("-inf") for one in scored]

    def _item(self, sentence: Written) -> AuditItem:
        from tiltmeter.raters.issues import AuditItem

        spec = self.specs.get(sentence.bias)
        if spec is None:
            return AuditItem(sentence.text, sentence.term, sentence.attribute)
        return AuditItem(
            sentence.text,
            sentence.term,
            sentence.attribute,
            _counterpart(spec, sentence),
            tuple(term for group in spec.groups for term in group.terms),
            tuple(term for attributes in spec.attributes for term in attributes.terms),
        )


def _counterpart(spec: Spec, sentence: Written) -> str:
    groups = next((groups for groups in spec.compare if sentence.group in groups), None)
    if groups is None or sentence.term not in spec.group(sentence.group).terms:
        return ""
    other = groups[1 - groups.index(sentence.group)]
    return spec.group(other).terms[spec.group(sentence.group).terms.index(sentence.term)]


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
        ["spec", "requests", "decoded", "both terms", "accepted", "share", "per 1,000 tokens", "kept", "written for"],
        [
            (
                name,
                one.requests,
                one.decoded,
                _percent(one.controllability),
                one.accepted,
                _percent(one.share),
                _number(one.accepted_per_1000_tokens),
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
        (name, row["holder"], row["term"], row["accepted"], row["decoded"], _percent(row["share"]))
        for name, found in low.items()
        for row in found
    ]
    if rows:
        title = "\nTerms to reconsider: yield below half of the median"
        print_table(["spec", "of", "term", "accepted", "decoded", "share"], rows, title=title)
    for account in accounts.values():
        for unit, count in account.short:
            say(f"{unit}: only {count} sentences")


def _print_audit(
    path: Path, found: Sequence[Written], audit: _Audit, stereoset: Path | None, show: int, as_json: bool
) -> None:
    from tiltmeter.raters.issues import ISSUES
    from tiltmeter.stats.quality import low_yield

    findings = audit.findings(found)
    marked = [{finding.issue for finding in one} for one in findings]
    counts = {issue: sum(issue in issues for issues in marked) for issue in ISSUES}
    clean: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for sentence, issues in zip(found, marked, strict=True):
        for key in ((sentence.bias, sentence.term), (sentence.bias, sentence.attribute)):
            clean[key] = (clean[key][0] + (not issues), clean[key][1] + 1)
    low = [(*key, *clean[key]) for key in low_yield(clean) if clean[key][1] >= _ENOUGH]
    qualities = _qualities(path, found, audit.specs, stereoset)
    if as_json:
        total = len(found)
        print_json(
            {
                "file": str(path),
                "sentences": total,
                "quality": [asdict(one) for one in qualities],
                "issues": {name: {"n": count, "share": count / total} for name, count in counts.items()},
                "any_issue": sum(map(bool, marked)),
                "reconsider": [dict(zip(("bias", "term", "clean", "sentences"), row, strict=True)) for row in low],
            }
        )
        return
    _print_qualities(qualities)
    rows = [(name, title, counts[name], _percent(counts[name] / len(found))) for name, title in ISSUES.items()]
    any_issue = sum(map(bool, marked))
    rows.append(("any", "", any_issue, _percent(any_issue / len(found))))
    print_table(["issue", "", "sentences", "share"], rows, title=f"\nIssues in {len(found)} sentences")
    if low:
        title = "\nTerms to reconsider: share without issue below half of the median"
        print_table(["bias", "term", "without issue", "sentences"], low, title=title)
    for sentence, one in [(sentence, one) for sentence, one in zip(found, findings, strict=True) if one][:show]:
        typer.echo(f"{sentence.text}  [{'; '.join(f'{item.issue} {item.because}' for item in one)}]")


def _qualities(
    path: Path, found: Sequence[Written], specs: Mapping[str, Spec], stereoset: Path | None
) -> list[Quality]:
    from tiltmeter.sources import templates
    from tiltmeter.sources.datasets import stereoset as stereoset_file
    from tiltmeter.sources.generated import pairs as to_pairs
    from tiltmeter.stats.quality import quality

    known = [specs[name] for name in dict.fromkeys(one.bias for one in found) if name in specs]
    made = [pair for spec in known for pair in to_pairs(found, spec)[0]]
    filled = [pair for spec in known for pair in templates.pairs(spec, per_attribute=4)[0]]
    sets: list[tuple[str, list[str], list[str] | None]] = [
        (path.name, [one.text for one in found], [pair.template or "" for pair in made]),
        (
            "templates",
            [pair.texts[0] for pair in filled],
            [(pair.template or "").replace("[A]", pair.attribute or "") for pair in filled],
        ),
    ]
    if stereoset:
        examples = stereoset_file.read(stereoset)
        texts = [one.text for item in examples if item.task == "intrasentence" for one in item.sentences[:2]]
        sets.append(("StereoSet", texts, None))
    return [
        quality(name, texts, templates=with_slot, ratings=_ratings(texts)) for name, texts, with_slot in sets if texts
    ]


def _ratings(texts: Sequence[str]) -> dict[str, list[Rating]]:
    from tiltmeter import raters

    found = {}
    for kind, name in _RATERS.items():
        try:
            found[kind] = raters.load(name).rate(texts)
        except MissingExtra as missing:
            say(str(missing))
    return found


def _print_qualities(qualities: Sequence[Quality]) -> None:
    print_table(
        ["", *(one.name for one in qualities)],
        [
            ("sentences", *(one.sentences for one in qualities)),
            ("words per sentence", *(f"{_number(one.words)} ± {_number(one.words_sd)}" for one in qualities)),
            ("unique tokens in 200 sentences", *(_number(one.unique_tokens) for one in qualities)),
            ("… with [T] for the group term", *(_number(one.unique_tokens_of_templates) for one in qualities)),
            ("nearly repeat an earlier one", *(_percent(one.near_duplicates) for one in qualities)),
            ("negative", *(_percent(one.negative) for one in qualities)),
            ("neutral", *(_percent(one.neutral) for one in qualities)),
            ("positive", *(_percent(one.positive) for one in qualities)),
            ("Gunning Fog", *(_number(one.fog) for one in qualities)),
            ("ARI", *(_number(one.ari) for one in qualities)),
            ("ratings that could not be given", *(one.unrated for one in qualities)),
        ],
        title="Quality",
    )


def _print_agreement(paths: Sequence[Path], as_json: bool) -> None:
    from tiltmeter.raters.issues import ISSUES
    from tiltmeter.sources.generated.annotations import import_annotations, majority
    from tiltmeter.stats.annotators import agreement_by_label

    sheets = import_annotations(paths)
    rows = agreement_by_label(sheets.by_annotator, list(ISSUES))
    labels = majority(sheets)
    if as_json:
        print_json(
            {
                "annotators": {name: len(found) for name, found in sheets.by_annotator.items()},
                "agreement": [asdict(row) for row in rows],
                "majority": {name: sorted(issues) for name, issues in labels.labels.items()},
                "tied": {name: sorted(issues) for name, issues in labels.tied.items()},
            }
        )
        return
    print_table(
        ["issue", "", "marked", "of judgements", "by majority", "Cohen's kappa", "Krippendorff's alpha"],
        [
            (
                row.label,
                ISSUES.get(row.label, ""),
                row.flagged,
                row.judged,
                sum(row.label in issues if row.label in ISSUES else bool(issues) for issues in labels.labels.values()),
                ", ".join(f"{one}–{two} {_number(kappa, 2)}" for one, two, kappa in row.kappas),
                _number(row.alpha, 2),
            )
            for row in rows
        ],
        title=f"Agreement of {len(sheets.by_annotator)} annotators on {len(sheets.ids)} sentences",
    )


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


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _number(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
