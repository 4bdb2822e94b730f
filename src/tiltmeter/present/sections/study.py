"""What was run: models, study, settings and specifications, with everything it takes to repeat it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tiltmeter.present.blocks import Block, Facts, Section, Span, Table, Text, Verbatim, text
from tiltmeter.present.decodings import decoding_words
from tiltmeter.present.reported import Reported, Runs
from tiltmeter.present.series import pair_kinds
from tiltmeter.present.tables import numbers, table
from tiltmeter.present.words import count, date_words, format_words, listed
from tiltmeter.records import ModelFacts
from tiltmeter.results import RunSummary, of_the_test
from tiltmeter.results.names import Names
from tiltmeter.store import Run

UNCHECKED = "made by an earlier version, without digests: damage to it would not be noticed"


def what_was_run(found: Reported) -> list[Section]:
    """Models, studies, specifications, and what could not be made."""
    blocks: list[Block] = [_model(facts) for _, summary in found.runs for facts in summary.facts.values()]
    for run, summary in found.runs:
        blocks.append(Section(f"Study {summary.study}", tuple(_study(run, summary, found))))
    specs = specs_of(found.runs)
    if specs:
        blocks.append(
            Section("Specifications", (Facts(tuple((_called(spec), _spec(spec, found.names)) for spec in specs)),))
        )
    return [Section("What was run", tuple(blocks), anchor="run")]


def _model(facts: ModelFacts) -> Facts:
    size = f", {facts.parameters:,} parameters" if facts.parameters else ""
    context = f", reads {facts.context:,} tokens" if facts.context else ""
    start = "none" if facts.start_token is None else facts.start_token
    versions = ", ".join(f"{name} {version}" for name, version in sorted(facts.versions.items()))
    return Facts(
        (
            ("Model", text(facts.name)),
            ("Kind", text(f"{facts.family}{size}{context}")),
            ("Revision", text(Span(facts.revision or "unknown", "code"))),
            ("Weights", text("SHA-256 ", Span(facts.weights_sha256 or "unknown", "code"))),
            ("Computed on", text(", ".join(filter(None, (facts.device, format_words(facts.dtype)))) or "unknown")),
            ("Start token", text(Span(str(start), "code"))),
            *([("Versions", text(versions))] if versions else []),
        )
    )


def _study(run: Run, summary: RunSummary, found: Reported) -> Iterator[Block]:
    yield Facts(tuple((name, text(value)) for name, value in _facts(run, found)))
    dropped = _dropped(summary)
    if dropped:
        yield dropped
    yield Verbatim(run.meta["study"], "The study file as given")


def _facts(run: Run, found: Reported) -> Iterator[tuple[str, str]]:
    resolved = run.meta["resolved"]
    yield "Finished", date_words(run.meta.get("finished"))
    if run.pairs:
        yield "Pairs", pair_kinds(found, of_the_test(run.pairs))
        yield "Sources", listed([source_words(source) for source in resolved["sources"]])
        yield "Scorers", ", ".join(resolved["scorers"]) or "the default of each kind of model"
        for model, account in run.meta.get("screened", {}).items():
            yield f"Scored twice, {model}", _screened(account)
    texts = run.continuations
    if texts is not None:
        yield "Prompts", f"{len(texts.prompts):,}"
        yield "Decoding", "; ".join(decoding_words(one, texts.decodings) for one in texts.decodings)
        for one in texts.raters:
            facts = ", ".join(f"{name} {value}" for name, value in sorted(one.facts.items()))
            yield "Rater", f"{one.name}{f' ({facts})' if facts else ''}"
    yield from _next_words(run, found.names)
    yield "Seed", str(resolved["seed"])
    yield "Fingerprint", run.meta["fingerprint"]
    versions = {**run.meta["versions"], **({} if run.is_checked else {"ledger": UNCHECKED})}
    yield "Versions", ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))


def _screened(account: Mapping[str, Any]) -> str:
    """Which pairs were scored in float32 too, and why these."""
    close = " or ".join(f"{one['bound']:.2g} ({one['scorer']})" for one in account["scorers"])
    changed = f"{account['changed'] or 'none'} of which changed the preferred text"
    drawn = f", and {account['drawn']:,} drawn from the others, {changed}"
    return (
        f"all {account['pairs']:,} pairs in {account['format']}; again in float32: {count(account['close'], 'pair')} "
        f"whose two scores are closer than {close or 'can be told'}{drawn if account['drawn'] else ''}"
    )


def _next_words(run: Run, names: Names) -> Iterator[tuple[str, str]]:
    """What was asked about next words."""
    if run.next_words is None:
        return
    choices = run.meta["resolved"]["next_words"]
    yield "Open prompts", f"{len(run.next_words.asked):,}, including perturbed ones"
    yield "Sources of open prompts", listed([source_words(source) for source in choices["sources"]])
    for one in choices["words"]:
        sets = (
            "; ".join(f"{names.group(group, '')}: {', '.join(words)}" for group, words in one["sets"])
            or "those of each source"
        )
        yield "Words", f"{one['label']} ({sets})".strip()
    counted = ["with word end" if one else "without word end" for one in choices["bounded"]]
    counted += ["all words of a group" if one == "sum" else "the first word of a group" for one in choices["combine"]]
    yield "Counted", ", ".join(counted)
    yield "Perturbations", ", ".join(choices["perturbations"])
    if choices["saliency"]:
        yield "Saliency", choices["saliency"]
    if choices["labour"]:
        yield "Labour statistics", count(len(choices["labour"]), "occupation")


def _dropped(summary: RunSummary) -> Table | None:
    rows = sorted(summary.dropped.items(), key=lambda item: -item[1])
    return table("Test items that could not be made, by reason", ("Reason", *numbers("Items")), rows)


def _called(spec: Mapping[str, Any]) -> str:
    return f"{spec['title'] or spec['name']}{' (instrument check)' if spec['benchmark'] else ''}"


def _spec(spec: Mapping[str, Any], names: Names) -> Text:
    groups = ", ".join(
        f"{names.group(one['name'], spec['name'])} ({len(one['terms'])} terms)" for one in spec["groups"]
    )
    sets = ", ".join(
        f"{one['name']} ({len(one['terms'])}{'' if one['stereotype_of'] else ', control'})"
        for one in spec["attributes"]
    )
    note = f" {spec['note']}" if spec["note"] else ""
    cited = (Span(f" {spec['citation']}", "faint"),) if spec["citation"] else ()
    return text(Span(spec["name"], "code"), f": {groups}{f'; {sets}' if sets else ''}.{note}", *cited)


def source_words(source: Mapping[str, Any]) -> str:
    """A source with its file and its options."""
    options = [f"{key} = {_option(value)}" for key, value in sorted(source["options"].items())]
    file = [f"file {source['path']}, sha256 {_hashes(source['sha256'])}"] if source["path"] else []
    return "; ".join([source["name"], *file, *options])


def _hashes(found: str | Mapping[str, str]) -> str:
    """The hash of a file, or of each of several.

    >>> _hashes("ab"), _hashes({"a.csv": "ab"}), _hashes({"a.csv": "ab", "b.csv": "cd"})
    ('ab', 'ab', 'a.csv: ab, b.csv: cd')
    """
    if isinstance(found, str) or len(found) == 1:
        return found if isinstance(found, str) else next(iter(found.values()))
    return ", ".join(f"{name}: {one}" for name, one in found.items())


def _option(value: object) -> str:
    """A setting as a person would write it.

    >>> _option(["gender", "age"]), _option(16)
    ('gender, age', '16')
    """
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def specs_of(runs: Runs) -> list[Mapping[str, Any]]:
    """The specs of some runs, each once, as a run keeps them."""
    found = {spec["name"]: spec for run, _ in runs for spec in run.meta["resolved"]["specs"]}
    return list(found.values())
