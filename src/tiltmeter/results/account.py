"""What was done, said once: made from the record of runs, and read by everything that puts it into words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.records import Estimate, Pair
from tiltmeter.results.cells import TEST, decoding_choices, table_of
from tiltmeter.results.findings.findings import Finding, Findings
from tiltmeter.results.scores import of_the_test
from tiltmeter.results.summary.refusals import ANY
from tiltmeter.results.summary.runs import RunSummary
from tiltmeter.results.summary.text_records import ContinuationsSummary
from tiltmeter.sources.interface import Source
from tiltmeter.store import Run
from tiltmeter.study.planning import DEFAULT_SOURCE
from tiltmeter.views import FACTS, VIEWS, View

NOT_STATED = "not stated"

Choices = Mapping[str, str]
_ITEMS = f"""
SELECT view, source, status, count(DISTINCT item) FROM items
WHERE {TEST} AND source != ? GROUP BY ALL ORDER BY min(rowid)
"""
_UNLIKE = """
SELECT source FROM items WHERE against IS NULL AND "group" != ? GROUP BY source HAVING count(DISTINCT "group") > 1
AND count(DISTINCT (bias, origin)) = count(DISTINCT (bias, origin, "group")) ORDER BY min(rowid)
"""
"""Sources of prompts about several groups of which no two share an origin."""


@dataclass(frozen=True, slots=True)
class SourceUsed:
    """A source that items came from, and what these are."""

    view: View
    label: str
    name: str
    natures: Mapping[str, int]
    """How many items are of which nature: as they say themselves, otherwise as their source declares."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """How the intervals of a view were made, by method, and how many figures have none, by reason."""

    methods: Mapping[str, int]
    without: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Varied:
    """A choice that took several settings within a question, all else that does not follow from it being equal."""

    choice: str
    settings: int
    """The most that met within one question."""
    questions: int
    alongside: tuple[str, ...] = ()
    """Choices that changed with it and never apart, so that it cannot be told which of them mattered."""
    views: tuple[View, ...] = ()


@dataclass(frozen=True, slots=True)
class Account:
    """What was done."""

    models: tuple[str, ...]
    sources: tuple[SourceUsed, ...]
    intervals: Mapping[View, Intervals]
    origins: Mapping[tuple[View, str], Estimate]
    """Of each view and bias the figure that rests on the most origins."""
    questions: int
    answered: int
    """Those of them that some combination of choices has a value for."""
    varied: tuple[Varied, ...]
    fixed: tuple[str, ...]
    """Choices that no question saw under two settings with all else equal."""
    pairs: int
    alike: int
    """Pairs whose texts are the same but for the words that name the group."""
    leading: Mapping[View, Intervals] = field(default_factory=dict)
    """The same as `intervals`, of the figures that are spoken of first."""
    unlike: tuple[str, ...] = ()
    """Sources of prompts about several groups of which no two share an origin, so that more than the group differs."""

    def of(self, view: View) -> tuple[SourceUsed, ...]:
        """The sources of a view."""
        return tuple(source for source in self.sources if source.view == view)

    @property
    def natures(self) -> set[str]:
        """What kinds of text were used."""
        return {nature for source in self.sources for nature in source.natures}

    def as_json(self) -> dict[str, Any]:
        """The account as a record."""
        return {
            "models": list(self.models),
            "sources": [asdict(source) for source in self.sources],
            "intervals": {view: asdict(found) for view, found in self.intervals.items()},
            "origins": [
                {"view": view, "bias": bias, "origins": found.origins, "method": found.method}
                for (view, bias), found in self.origins.items()
            ],
            "questions": self.questions,
            "answered": self.answered,
            "varied": [asdict(one) for one in self.varied],
            "fixed": list(self.fixed),
            "pairs": self.pairs,
            "alike": self.alike,
            "leading": {view: asdict(found) for view, found in self.leading.items()},
            "unlike": list(self.unlike),
        }


def account(runs: Sequence[tuple[Run, RunSummary]], answered: Findings) -> Account:
    """The account of some runs; `answered` is what they say to their questions."""
    every: dict[View, list[Estimate]] = {}
    most: dict[tuple[View, str], Estimate] = {}
    leading: dict[View, list[Estimate]] = {}
    for _, summary in runs:
        for one in leading_figures(summary):
            leading.setdefault(one.view, []).append(one.found)
            if (one.view, one.bias) not in most or most[one.view, one.bias].origins < one.found.origins:
                most[one.view, one.bias] = one.found
        for view, part in _parts(summary):
            every.setdefault(view, []).extend(estimates_in(part))
    pairs = [pair for run, _ in runs for pair in of_the_test(run.pairs)]
    varied = varied_choices(answered.findings)
    names = dict.fromkeys(name for one in answered.findings for cell in _choices(one) for name in cell)
    told = {name for one in varied for name in (one.choice, *one.alongside)}
    return Account(
        models=tuple(dict.fromkeys(name for _, summary in runs for name in summary.facts)),
        sources=tuple(_sources(runs)),
        intervals={view: _intervals(every[view]) for view in VIEWS if view in every},
        origins=most,
        questions=len(answered.findings),
        answered=sum(bool(one.verdict.of) for one in answered.findings),
        varied=varied,
        fixed=tuple(name for name in names if name not in told),
        pairs=len(pairs),
        alike=sum(map(_is_alike, pairs)),
        leading={view: _intervals(leading[view]) for view in VIEWS if view in leading},
        unlike=tuple(dict.fromkeys(name for run, _ in runs for (name,) in table_of(run).tuples(_UNLIKE, ANY))),
    )


def summary_of_model(summary: RunSummary, model: str) -> RunSummary:
    """What a run says of one of its models."""
    texts, words = summary.continuations, summary.next_words
    return replace(
        summary,
        facts={model: summary.facts[model]},
        cells=[cell for cell in summary.cells if cell.model == model],
        continuations=texts and _texts_of_model(texts, model),
        instrument=summary.instrument.of_model(model),
        figures=[one for one in summary.figures if one.model == model],
        next_words=words and replace(words, cells=tuple(cell for cell in words.cells if cell.model == model)),
    )


def _texts_of_model(texts: ContinuationsSummary, model: str) -> ContinuationsSummary:
    return replace(
        texts,
        cells=tuple(cell for cell in texts.cells if cell.model == model),
        situations=tuple(cell for cell in texts.situations if cell.model == model),
        refusals=tuple(one for one in texts.refusals if one.model == model),
    )


@dataclass(frozen=True, slots=True)
class LeadingFigure:
    """The figure of a cell and bias that is spoken of first, and what it is of besides."""

    view: View
    bias: str
    of: Choices
    found: Estimate


def leading_figures(summary: RunSummary) -> Iterator[LeadingFigure]:
    """Of every cell and bias the figure that is spoken of first."""
    for cell in summary.cells:
        of = {"model": cell.model, "source": cell.source, "scorer": cell.scorer}
        for bias, found in cell.summary.headline_by_bias.items():
            yield LeadingFigure("pairs", bias, of, found)
    for text in summary.continuations.cells if summary.continuations else ():
        of = {"model": text.model, "source": text.source, "rater": text.rater, "scope": text.scope}
        of |= decoding_choices(text.decoding)
        for pair in text.summary.pairs:
            yield LeadingFigure("continuations", text.bias, {**of, "groups": f"{pair.a}/{pair.b}"}, pair.difference)
    for one in summary.continuations.situations if summary.continuations else ():
        of = {"model": one.model, "source": one.source, "rater": one.rater}
        of |= decoding_choices(one.decoding) if one.decoding else {}
        # Where no situation has a direction, what is spoken of is whom texts name.
        named = {f"{two.a}/{two.b}": two.difference for two in one.pairs}
        for groups, found in ({"": one.towards} if one.by_stereotyped else named).items():
            yield LeadingFigure("continuations", one.bias, {**of, "groups": groups}, found)
    for figure in summary.figures:
        of = {"model": figure.model, **figure.choices, "groups": "/".join(figure.groups)}
        yield LeadingFigure(figure.view, figure.bias, of, figure.found)
    for word in summary.next_words.cells if summary.next_words else ():
        if not word.of_habit and word.summary.main in word.summary.perturbations:
            of = {"model": word.model, "source": word.source, "words": word.words, "combine": word.combine}
            of |= {"bounded": "bounded" if word.bounded else "unbounded"}
            for two, figures in word.summary.perturbations[word.summary.main].overall.pairs.items():
                if "share" in figures:
                    yield LeadingFigure("next words", word.bias, {**of, "groups": two}, figures["share"])


def estimates_in(thing: object) -> Iterator[Estimate]:
    """Every estimate within a record."""
    if isinstance(thing, Estimate):
        yield thing
    elif is_dataclass(thing):
        for one in fields(thing):
            yield from estimates_in(getattr(thing, one.name))
    elif isinstance(thing, Mapping):
        for value in thing.values():
            yield from estimates_in(value)
    elif isinstance(thing, list | tuple):
        for value in thing:
            yield from estimates_in(value)


def varied_choices(answers: Iterable[Finding]) -> tuple[Varied, ...]:
    """The choices that questions saw under several settings with all else equal, in the order they are named."""
    settings: dict[tuple[str, ...], list[tuple[int, View]]] = {}
    for one in answers:
        for names, number in _varied_within(_choices(one)).items():
            settings.setdefault(names, []).append((number, one.question.view))
    return tuple(
        Varied(
            name,
            max(number for number, _ in found),
            len(found),
            tuple(rest),
            tuple(dict.fromkeys(view for _, view in found)),
        )
        for (name, *rest), found in settings.items()
    )


def _varied_within(cells: Sequence[Choices]) -> dict[tuple[str, ...], int]:
    """Each choice that varies within a question, with those that cannot be told from it, and how many settings met.

    A choice that follows from another, as the scope of a rater does, is no choice beside it.

    >>> cells = [{"rater": rater, "scope": scope} for rater, scope in (("a", "all"), ("b", "end"), ("c", "end"))]
    >>> _varied_within(cells), _varied_within(cells[:2])
    ({('rater',): 3}, {('rater', 'scope'): 2})
    """
    names = list(dict.fromkeys(name for cell in cells for name in cell))
    follows = {(one, other): _follows(cells, one, other) for one in names for other in names}
    found: dict[tuple[str, ...], int] = {}
    for place, name in enumerate(names):
        several = len({cell.get(name) for cell in cells}) > 1
        twins = [one for one in names if one != name and follows[one, name] and follows[name, one] and several]
        if not several or any(names.index(one) < place for one in twins):
            continue
        others = [one for one in names if one != name and not follows[one, name]]
        lines: dict[tuple[str | None, ...], set[str | None]] = {}
        for cell in cells:
            lines.setdefault(tuple(cell.get(one) for one in others), set()).add(cell.get(name))
        met = max(map(len, lines.values()))
        if met > 1:
            found[name, *twins] = met
    return found


def _follows(cells: Sequence[Choices], name: str, of: str) -> bool:
    """Whether the setting of one choice follows from that of another."""
    settings: dict[str | None, set[str | None]] = {}
    for cell in cells:
        settings.setdefault(cell.get(of), set()).add(cell.get(name))
    return all(len(found) == 1 for found in settings.values())


def _choices(one: Finding) -> list[Choices]:
    return [cell.choices for cell in one.multiverse.curve.cells if cell.sign is not None]


def _parts(summary: RunSummary) -> Iterator[tuple[View, object]]:
    for cell in summary.cells:
        yield "pairs", (cell.summary, cell.controls)
    for text in summary.continuations.cells if summary.continuations else ():
        yield "continuations", text.summary
    if summary.continuations:
        yield "continuations", (summary.continuations.situations, summary.continuations.refusals)
    for word in summary.next_words.cells if summary.next_words else ():
        yield "next words", word.summary
    for figure in summary.figures:
        yield figure.view, figure.found


def _intervals(found: Sequence[Estimate]) -> Intervals:
    made = Counter(one.method or NOT_STATED for one in found if one.low is not None)
    reasons = Counter(
        (one.note or NOT_STATED).removeprefix("no interval: ")
        for one in found
        if one.value is not None and one.low is None
    )
    return Intervals(dict(made.most_common()), dict(reasons.most_common()))


def _sources(runs: Sequence[tuple[Run, RunSummary]]) -> Iterator[SourceUsed]:
    counts: dict[tuple[View, str, str], Counter[str]] = {}
    for run, _ in runs:
        for view, source, status, number in table_of(run).tuples(_ITEMS, DEFAULT_SOURCE):
            named = FACTS[view].sources(run.meta["resolved"])
            full = next((one["name"] for one in named if one.get("label") == source), source)
            counts.setdefault((view, source, full), Counter())[status or _nature(view, full)] += number
    for (view, label, full), natures in counts.items():
        yield SourceUsed(view, label, full, dict(natures.most_common()))


@cache
def _nature(view: View, source: str) -> str:
    try:
        return Source.named(source, view).declared("NATURE") or NOT_STATED
    except (UserError, ImportError):
        return NOT_STATED  # A source of a plug-in that is not installed here.


def _is_alike(pair: Pair) -> bool:
    """Whether two texts are the same but for the words that name the group."""
    rests = []
    for text, spans in zip(pair.texts, pair.group_spans, strict=True):
        kept, end = "", 0
        for start, stop in sorted(spans):
            kept, end = kept + text[end:start] + "\0", stop
        rests.append(kept + text[end:])
    return rests[0] == rests[1] and "\0" in rests[0]
