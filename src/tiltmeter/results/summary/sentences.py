"""The written sentences of a run by themselves: how good they are, what is wrong with them, what people say of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, TypeVar

from tiltmeter import raters
from tiltmeter.errors import MissingExtra
from tiltmeter.raters.interface import Rater
from tiltmeter.records import Estimate, Pair, Rating
from tiltmeter.results.cells import TEST, Table
from tiltmeter.results.items import Judged, flags
from tiltmeter.results.measurements.columns import AUDIT
from tiltmeter.results.summary.labels import PeopleSummary, labels_by_people, summarise_people, written_text
from tiltmeter.results.texts import pairs_of_test
from tiltmeter.sources.generated import Accounting, GenerationSettings, assemble
from tiltmeter.sources.generated.annotations import ISSUES
from tiltmeter.sources.generated.pairs import sentence_of
from tiltmeter.sources.generated.settings import Unit, UnitResult
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.spread import Spread, spread
from tiltmeter.stats.views.quality import Quality, quality
from tiltmeter.store import LEDGER, Run, read_written

Key = TypeVar("Key", str, int)

_RATERS = {"sentiment": "sentiment.vader", "fog": "readability.fog", "ari": "readability.ari"}


@dataclass(frozen=True, slots=True)
class SourceQuality:
    """The sentences of one source, or of the templates beside them."""

    source: str
    written: bool
    quality: Quality
    missing: Sequence[str] = ()
    """What would have to be installed for the figures that are not there."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """What there is to say about written sentences before any model is tested on them."""

    qualities: Sequence[SourceQuality]
    """Every source that a model wrote, and the templates of the run."""
    accounts: Mapping[str, Accounting]
    """By source, what was decoded and what was kept; empty where the run does not hold it."""
    accounts_by_spec: Mapping[str, Mapping[str, Accounting]]
    """The same for each spec."""
    controllability: Mapping[str, Spread]
    """By source, the share with both terms in each independent set."""
    issues: Mapping[str, Mapping[str, Estimate]]
    """By source, the share of sentences with each issue, as the audit found it; empty where nothing was audited."""
    people: Mapping[str, PeopleSummary]
    """By source, what annotators said; empty where there are no labels."""
    came_to_nothing: Mapping[str, str] = field(default_factory=dict)
    """The sources without any pair, and why most of their sentences were dropped."""

    def as_json(self) -> dict[str, Any]:
        """The findings as the run folder keeps them."""
        return {
            "quality": [
                {"source": one.source, "written": one.written, **asdict(one.quality)} for one in self.qualities
            ],
            "accounts": {
                source: {
                    **_account_json(one),
                    "controllability_over_sets": asdict(self.controllability[source]),
                    "specs": {spec: _account_json(own) for spec, own in self.accounts_by_spec[source].items()},
                }
                for source, one in self.accounts.items()
            },
            "issues": {
                source: {issue: share.as_json() for issue, share in found.items()}
                for source, found in self.issues.items()
            },
            "came_to_nothing": dict(self.came_to_nothing),
            **({"people": {source: found.as_json() for source, found in self.people.items()}} if self.people else {}),
        }


def _account_json(one: Accounting) -> dict[str, Any]:
    return {
        "requests": one.requests,
        "attempts": one.attempts,
        "decoded": one.decoded,
        "with_both_terms": one.with_both_terms,
        "accepted": one.accepted,
        "share": one.share,
        "controllability": one.controllability,
        "kept": one.kept,
        "asked": list(one.asked),
        "dropped": dict(one.dropped),
        "missing": [asdict(each) for each in one.missing],
    }


def summarise_sentences(run: Run, table: Table) -> Sentences | None:
    """The written sentences of a run, also where none of them is of use; None where no model was to write any."""
    by_source: dict[str, list[Pair]] = {}
    for pair in pairs_of_test(table) if _has_written(table) else ():
        by_source.setdefault(pair.source, []).append(pair)
    written = {source: pairs for source, pairs in by_source.items() if any(pair.written_for for pair in pairs)}
    done = bool(run.meta.get("has_all_probes"))
    wrote = _wrote(run) if written or done else {}
    accounts = {source: _account(results) for source, results in wrote.items()}
    by_spec = {source: _accounts(results, lambda unit: unit.spec) for source, results in wrote.items()}
    by_set = {source: _accounts(results, lambda unit: unit.set) for source, results in wrote.items()}
    shares = {source: spread([one.controllability for one in by_set[source].values()]) for source in wrote}
    nothing = {source: one.commonest for source, one in accounts.items() if done and source not in written}
    if not written:
        return Sentences([], accounts, by_spec, shares, {}, {}, nothing) if nothing else None
    templates = {source: pairs for source, pairs in by_source.items() if source.startswith("templates")}
    audit, said = flags(table, AUDIT), labels_by_people(table)
    found = {source: summarise_people(said, pairs, audit) for source, pairs in written.items()}
    return Sentences(
        qualities=[
            *(_quality(source, pairs, written=True) for source, pairs in written.items()),
            *(_quality(source, pairs, written=False) for source, pairs in templates.items()),
        ],
        accounts=accounts,
        accounts_by_spec=by_spec,
        controllability=shares,
        issues={} if audit is None else {source: _issues(pairs, audit) for source, pairs in written.items()},
        people={source: one for source, one in found.items() if one},
        came_to_nothing=nothing,
    )


def _has_written(table: Table) -> bool:
    """Whether a model wrote any pair of the test."""
    [(found,)] = table.tuples(f"SELECT count(*) FROM items WHERE view = 'pairs' AND written_for != '' AND {TEST}")
    return bool(found)


def _wrote(run: Run) -> dict[str, list[UnitResult]]:
    return read_written(run.folder) if (run.folder / LEDGER).is_file() else {}


def _account(results: Sequence[UnitResult]) -> Accounting:
    return assemble(results, GenerationSettings()).accounting


def _accounts(results: Sequence[UnitResult], part: Callable[[Unit], Key]) -> dict[Key, Accounting]:
    """The account of each part of what was written."""
    parts: dict[Key, list[UnitResult]] = {}
    for one in results:
        parts.setdefault(part(one.unit), []).append(one)
    return {key: _account(own) for key, own in parts.items()}


def _once(pairs: Sequence[Pair]) -> list[Pair]:
    """One pair for each sentence: with several comparisons a sentence makes several pairs."""
    return list({sentence_of(pair) if pair.written_for else written_text(pair): pair for pair in pairs}.values())


def _issues(pairs: Sequence[Pair], audit: Judged) -> dict[str, Estimate]:
    once = _once(pairs)
    found = [audit[pair.id] for pair in once]
    flags = {"any": [bool(issues) for issues in found]}
    flags |= {issue: [issue in issues for issues in found] for issue in ISSUES}
    attributes = [f"{pair.bias}/{pair.attribute}" for pair in once]
    return {issue: estimate([float(flag) for flag in has], attributes, neutral=None) for issue, has in flags.items()}


def _quality(source: str, pairs: Sequence[Pair], *, written: bool) -> SourceQuality:
    once = _once(pairs)
    texts = [written_text(pair) for pair in once]
    slotted = [(pair.template or "").replace("[A]", pair.attribute or "") for pair in once]
    ratings: dict[str, Sequence[Rating]] = {}
    missing = []
    for kind, name in _RATERS.items():
        try:
            ratings[kind] = _rater(name).rate(texts)
        except MissingExtra as error:
            missing.append(str(error))
    sets = [pair.set or 0 for pair in once] if written else None
    return SourceQuality(
        source, written, quality(source, texts, templates=slotted, ratings=ratings, sets=sets), missing
    )


@cache
def _rater(name: str) -> Rater:
    return raters.load(name)
