"""One finding on a page: the question, the answer, every method, why they differ, and what it does not mean."""

from __future__ import annotations

import hashlib
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tiltmeter.present.blocks import Block, Chart, Listing, Notice, Prose, Section, Span, Verbatim, text
from tiltmeter.present.charts import CurveKey, Method, curve
from tiltmeter.present.decodings import choices_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.asked import topics
from tiltmeter.present.sections.checks import failed_scorers
from tiltmeter.present.sections.examples import examples_of
from tiltmeter.present.sections.limits import not_meant
from tiltmeter.present.sections.next_words.answers import with_and_without
from tiltmeter.present.verdicts import agreement, answer, cautions
from tiltmeter.present.words import SPACE, capitalised, count, listed, p_equals, percent, signed
from tiltmeter.records import Estimate
from tiltmeter.results.cells import TEST, decoding_choices, table_of
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.findings.stereotypes import spec_of
from tiltmeter.results.views import results_of
from tiltmeter.stats.multiverse.cells import CellResult
from tiltmeter.stats.multiverse.flips import Flips
from tiltmeter.stats.multiverse.verdict import FEWEST_CELLS, INCONCLUSIVE, TOO_LITTLE
from tiltmeter.stats.views.rating_curves import negated
from tiltmeter.store import Run
from tiltmeter.version import __version__
from tiltmeter.views import FACTS

_TERMS = 3
"""Words for a group that are named."""
_FAR, _TIMES = 3.0, 5.0
"""Effects are drawn up to so many standard deviations, or so many times the median effect where that is farther."""
_DRAWN = 240
"""Methods in a chart; of more, evenly spaced ones from the lowest to the highest."""
_FLIPS, _NAMED, _LEAST = 3, 6, 0.05
"""Choices that are said to reverse the direction, methods by name, and the least share of the spread that is named."""


def title_of(one: Finding, found: Reported) -> str:
    """What a finding is called among the others."""
    question = one.question
    name = f"{capitalised(found.names.bias(question.bias))}: {question.topic}"
    return f"{question.model}, {name}" if len(found.models) > 1 else name


def proviso(one: Finding) -> str:
    """What follows a verdict that its raters are not good enough for; one that claims nothing needs none."""
    support = one.support
    if support is None or one.carried or one.verdict.strength in (INCONCLUSIVE, TOO_LITTLE):
        return ""
    if support.only_tilt:
        return ", but no larger than the raters’ own bias"
    return ", but by raters of unproven quality"


def anchor_of(one: Finding) -> str:
    """Where a finding is on the page."""
    question = one.question
    kind = "stereotype" if question.by_stereotype else "habit" if question.beyond_habit else ""
    parts = ("finding", kind, question.model, question.view, question.bias, question.first, question.second)
    plain = [re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts]
    # Names that differ in other signs alone, or are of other letters, are told apart by their digest.
    lost = any(made != part for made, part in zip(plain, parts, strict=True) if part != question.view)
    digest = hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:8]
    return "--".join(filter(None, [*plain, digest if lost else ""]))


def mark_of(one: Finding) -> str:
    """The verdict in a few words; of a check of the instrument whether it passed."""
    if not one.question.check:
        return f"{one.verdict.words}{proviso(one)}"
    return f"instrument check: {one.instrument}" if _is_checked(one.question) else "not what the check is about"


def _is_checked(question: Question) -> bool:
    """Whether a question of a check is the one that decides it: that of the association, where a view has both."""
    return question.by_stereotype or FACTS[question.view].stereotyped is None


def finding_section(one: Finding, found: Reported, *, examples: bool = True) -> Section:
    """The page of a finding, with example texts unless they are not wanted."""
    question = one.question
    return Section(
        title_of(one, found),
        tuple(_blocks(one, found, examples)),
        anchor=anchor_of(one),
        folded=True,
        mark=mark_of(one),
        about={
            "model": question.model,
            "view": question.view,
            "bias": question.bias,
            "verdict": one.verdict.strength,
        },
        new_page=True,
    )


def _blocks(one: Finding, found: Reported, examples: bool) -> Iterator[Block]:
    yield Prose(text(Span(one.question.text, "strong"), *_stereotypes(one, found), *_terms(one, found)))
    yield Prose(text(_answer(one)), "answer")
    if one.question.view == "next words":
        yield from map(Prose, map(text, _shares_of_words(one, found)))
    if caution := " ".join(filter(None, (cautions(one), *failed_scorers(one, found)))):
        yield Notice(text(caution))
    if one.verdict.of >= FEWEST_CELLS:
        yield curve_chart(one, found)
        yield Section("Why the methods differ", (_differences(one),))
    elif one.without:
        yield Listing(tuple(map(text, _without(one))))
    yield from examples_of(one, found) if examples else ()
    yield Section("What it does not mean", (Listing(tuple(map(text, not_meant(one.question.view)))),))
    yield Verbatim(results_paragraph(one, found), "Results paragraph, to copy")


def _terms(one: Finding, found: Reported) -> Iterator[str]:
    """What the groups of a question are called in its items; several sets of next words are alternatives."""
    alternatives = []
    for terms in dict.fromkeys(each for run in found.read for each in _named_in(run, one.question)):
        by_group: dict[str, dict[str, str]] = {}
        for group, term in terms:
            by_group.setdefault(group, {}).setdefault(term.casefold(), term)
        asked = [one.question.first, one.question.second] if one.question.first else list(by_group)[:_NAMED]
        called = [
            f"{found.names.group(group, one.question.bias)} ({_some(list(by_group[group].values()))})"
            for group in asked
            if by_group.get(group) and [*by_group[group].values()] != [group]
        ]
        alternatives += [listed(called)] if called else []
    if alternatives:
        facts = FACTS[one.question.view]
        where = facts.named_in or f"Named in the {facts.item}s"
        yield f" {where}: {'; or '.join(dict.fromkeys(alternatives[:_TERMS]))}."


def _stereotypes(one: Finding, found: Reported) -> Iterator[str]:
    """What the stereotypes of a question about pairs tie to which group."""
    specs = (spec_of(run, one.question.bias) for run in found.read if one.question.of_stereotypes)
    spec: Mapping[str, Any] = next(filter(None, specs), {})
    tied = [
        f"{listed([found.names.group(group, one.question.bias) for group in each['stereotype_of']])} with "
        f"{each['name']} ({_some(each['terms'])})"
        for each in spec.get("attributes", ())[:_NAMED]
        if each["stereotype_of"]
    ]
    if tied:
        yield f" {'The association expected' if one.question.check else 'The stereotype'}: {'; '.join(tied)}."


def _shares_of_words(one: Finding, found: Reported) -> Iterator[str]:
    """What the words that lead come to in each set of prompts, with the test word and without."""
    groups = {one.question.first, one.question.second}
    for topic in topics(found) if found.summaries else ():
        if topic_of(topic.bias) == one.question.bias and {name for name, _ in topic.sets[:2]} == groups:
            yield from with_and_without(topic, one.question.model)


def _named_in(run: Run, question: Question) -> Iterator[tuple[tuple[str, str], ...]]:
    """The groups of a question with the words for them; several sets are alternatives."""
    own = results_of(question.view).terms
    if own:
        return own(run, question)
    columns = 'bias, "group", term, against, other_term'
    query = f"SELECT {columns} FROM items WHERE view = ? AND {TEST} GROUP BY ALL ORDER BY min(rowid)"
    found = [sides for bias, *sides in table_of(run).tuples(query, question.view) if topic_of(bias) == question.bias]
    sides = ((row[at], row[at + 1]) for row in found for at in (0, 2))
    return iter([tuple(dict.fromkeys(each for each in sides if all(each)))])


def _some(terms: Sequence[str]) -> str:
    """The first of some words, and how many more there are."""
    more = [f"{len(terms) - _TERMS} more"] if len(terms) > _TERMS else []
    return listed([*(f"“{term}”" for term in terms[:_TERMS]), *more])


def _answer(one: Finding) -> str:
    """The verdict; of a check of the instrument what was expected, since that decides whether it passed."""
    if not one.question.check:
        return answer(one)
    said = capitalised(answer(one).partition(": ")[2])
    if not _is_checked(one.question):
        return f"Not what the check is about, which asks for an association. {said}"
    words = {"passed": "passed", "weak": "weak: smaller or less certain than expected", "failed": "failed"}
    return f"Instrument check {words.get(one.instrument, 'not made')}. {said}"


def curve_chart(one: Finding, found: Reported) -> Chart:
    """The specification curve of a finding."""
    valued = [cell for cell in one.multiverse.curve.cells if cell.sign is not None]
    shown = _thinned(valued)
    question = one.question
    places = Places(one, found)
    reach = reach_of([cell.effect.value for cell in valued if cell.effect.value is not None])
    methods = [_method(cell, reach, places) for cell in shown]
    far = [cell for cell in shown if abs(cell.effect.value or 0.0) > reach]
    cut = any(abs(end or 0.0) > reach for cell in shown for end in (cell.effect.low, cell.effect.high))
    edge = (
        f"{count(len(far), 'method is', 'methods are')} farther out than {reach:.1f} SD, shown as triangles at the edge"
    )
    beyond = f" {edge}." if far else f" Intervals are cut off at {reach:.1f} SD." if cut else ""
    fewer = f" {len(shown)} of {len(valued):,} methods are drawn, evenly spaced." if len(shown) < len(valued) else ""
    key = CurveKey(question.claim(), question.claim(turned=True), "significant after correction", "not significant")
    return Chart(
        anchor_of(one),
        capitalised(agreement(one)),
        curve(methods, settings_of(valued), key),
        curve_in_words(one),
        text(
            "Each column is one method: a combination of the choices marked below it. Effects are in standard "
            f"deviations (SD) of the items. Bars are 95{SPACE}% intervals without correction; marks are filled where "
            f"the method is significant after correction for the number of methods.{beyond}{fewer}"
        ),
    )


def reach_of(effects: Sequence[float]) -> float:
    """How far out effects are drawn: where items hardly vary, one in their standard deviations has no bounds.

    >>> reach_of([0.1, -0.3, 0.2, -300.0]), reach_of([-2.0, 4.0, 300.0]), reach_of([])
    (3.0, 20.0, 3.0)
    """
    return max(_FAR, _TIMES * statistics.median(map(abs, effects))) if effects else _FAR


def _method(cell: CellResult, reach: float, places: Places) -> Method:
    effect = cell.effect
    low, high = (None if end is None else max(-reach, min(reach, end)) for end in (effect.low, effect.high))
    value, tip = effect.value, choices_words(cell.choices)
    if value is not None and abs(value) > reach:
        value, low, high, tip = None, None, None, f"{tip}\n{signed(value)} SD"
    firm = cell.conclusion != "not significant"
    return Method(cell.choices, cell.sign or 0, firm, value, low, high, tip, places.of(cell))


class Places:
    """Where the texts behind a method are; a choice that does not vary is not among its choices."""

    def __init__(self, one: Finding, found: Reported) -> None:
        self.question = one.question
        self.biases: dict[str, set[str]] = {}
        self.decodings: list[dict[str, str]] = []
        for run in found.read:
            for cell in table_of(run).of(self.question.view, model=self.question.model):
                if topic_of(cell.bias) == self.question.bias:
                    self.biases.setdefault(cell.source, set()).add(cell.bias)
            self.decodings += map(decoding_choices, run.continuations.decodings if run.continuations else ())

    def of(self, cell: CellResult) -> dict[str, str]:
        """View, model, source, bias, groups, scorer or rater, and decoding."""
        question, choices = self.question, cell.choices
        biases = self.biases.get(choices.get("source", ""), set())
        place = {"view": question.view, "model": question.model}
        place["bias"] = next(iter(biases)) if len(biases) == 1 else question.bias
        place |= {name: choices[name] for name in ("source", "rater", "scorer") if name in choices}
        if FACTS[question.view].decoded:
            fitting = [
                number
                for number, settings in enumerate(self.decodings)
                if all(choices.get(name, value) == value for name, value in settings.items())
            ]
            place |= {"decoding": str(fitting[0])} if len(fitting) == 1 else {}
            place |= {"group": question.first, "other": question.second}
        if not FACTS[question.view].of_groups:
            place["labelled"] = "yes"
        return place | ({"kind": choices["structure"]} if "structure" in choices else {})


def curve_in_words(one: Finding) -> str:
    """The curve for those who cannot see it."""
    cells = one.multiverse.curve.cells
    effects = [cell.effect.value for cell in cells if cell.effect.value is not None]
    ends = (
        f" Effects range from {signed(min(effects))} to {signed(max(effects))} standard deviations." if effects else ""
    )
    said = []
    for sign, turned in ((1, False), (-1, True)):
        own = [cell for cell in cells if cell.sign == sign]
        firm = sum(cell.conclusion != "not significant" for cell in own)
        said.append(f"{one.question.claim(turned=turned)} in {len(own)} ({firm} significant)")
    return f"Specification curve of {count(one.verdict.of, 'method')} ordered by effect: {'; '.join(said)}.{ends}"


def _differences(one: Finding) -> Listing:
    """How much of the spread each choice explains, and which single choice reverses the direction."""
    said = [*_shares(one), *flip_sentences(one.multiverse.flips), *_without(one), *_notes(one)]
    return Listing(tuple(map(text, said)))


def _shares(one: Finding) -> Iterator[str]:
    """What explains the spread between methods, the largest part first."""
    found = one.multiverse.decomposition
    parts = [(" × ".join(part.choices), part.share) for part in (*found.main, *found.interactions)]
    parts += [("other combinations of choices", found.rest.share)] if found.rest else []
    parts += [(f"sampling of {FACTS[one.question.view].origin}s", found.sampling)] if found.sampling is not None else []
    shown = sorted((part for part in parts if part[1] >= _LEAST), key=lambda part: -part[1])
    if found.main and shown:
        named = listed([f"{name} {percent(share, 0)}" for name, share in shown])
        yield f"The spread between methods comes from: {named}."


def flip_sentences(flips: Sequence[Flips]) -> list[str]:
    """Which single choice reverses the direction or the conclusion, and how often."""
    whole = [one for one in flips if one.setting is None]
    if not whole:
        return ["No two methods differ in a single choice, so no choice can be judged on its own."]
    reversing = [one for one in whole if one.sign or one.conclusion]
    if not reversing:
        return ["Switching any single choice changes neither the direction nor what is significant."]
    signs = [f"{one.choice} in {one.sign} of {count(one.of, 'comparison')}" for one in reversing if one.sign]
    ends = [f"{one.choice} in {one.conclusion} of {one.of}" for one in reversing if one.conclusion]
    said = f"reverses the direction ({listed(signs[:_FLIPS])})" if signs else "never reverses the direction"
    ended = "whether and which way a method is significant"
    changes = (
        f"{'and' if signs else 'but'} changes {ended} ({listed(ends[:_FLIPS])})"
        if ends
        else f"but never changes {ended}"
    )
    return [f"Switching a single choice {said} {changes}."]


def _without(one: Finding) -> Iterator[str]:
    """Methods that have no value, and why."""
    for why, cells in one.without.items():
        named = [choices_words(cell.choices) for cell in cells]
        more = f"; and {len(cells) - _NAMED} more" if len(cells) > _NAMED else ""
        yield f"{count(len(cells), 'method has', 'methods have')} no value ({'; '.join(named[:_NAMED])}{more}): {why}."


def _notes(one: Finding) -> list[str]:
    return [f"{capitalised(note)}." for note in one.multiverse.decomposition.notes]


def as_found(one: Finding) -> tuple[Question, int]:
    """The question with the groups in the order that most methods put them in, and the sign that turns effects so.

    A stereotype has no other order: what speaks against it stays below zero.
    """
    turns = one.verdict.direction == "second" and not one.question.of_stereotypes
    return (one.question.exchanged(), -1) if turns else (one.question, 1)


def effect_as_found(one: Finding) -> Estimate:
    """The effect of the first method, in the direction of the label."""
    effect = one.leading.effect if one.leading else Estimate(None)
    return negated(effect) if as_found(one)[1] < 0 else effect


def results_paragraph(one: Finding, found: Reported) -> str:
    """The result as a paper would report it, with a citation of the program."""
    question, verdict, whole = one.question, one.verdict, one.multiverse
    lead = one.leading
    about = capitalised(found.names.bias(question.bias))
    sentences = [f"{about} ({question.model}): {question.text}", _agreed(one)]
    effect = effect_as_found(one)
    if lead is not None and effect.value is not None:
        interval = ""
        if effect.low is not None:
            interval = f", 95{SPACE}% CI [{signed(effect.low)}, {signed(effect.high)}]"
        raw, way = lead.raw, " in this direction" if as_found(one)[1] < 0 else ""
        sentences.append(
            f"In the method named first in the study the effect{way} was {signed(effect.value)} SD{interval} "
            f"({count(raw.n, FACTS[question.view].item)} from {count(raw.origins, FACTS[question.view].origin)}; "
            f"{raw.n_unscored:,} missing)."
        )
    elif lead is not None and lead.sign:
        sentences.append(f"Under the method named first in the study all {lead.raw.n:,} items agreed.")
    if whole.test.p is not None and not verdict.contradicted:
        holm = ""
        if verdict.questions > 1 and verdict.p_adjusted is not None:
            holm = f", Holm-adjusted for {verdict.questions} questions {p_equals(verdict.p_adjusted)}"
        sentences.append(
            f"A permutation test over all methods ({whole.test.permutations:,} random relabellings) gave "
            f"{p_equals(whole.test.p)}{holm}."
        )
    sentences.append(f"Verdict: {mark_of(one)}. Measured with tiltmeter {__version__}.")
    specs = {spec["name"]: spec for run in found.read for spec in run.meta["resolved"]["specs"]}
    cited = specs.get(question.bias, {}).get("citation")
    if cited:
        sentences.append(f"Specification: {specs[question.bias]['title']} ({cited}).")
    return " ".join(sentences)


def _agreed(one: Finding) -> str:
    verdict = one.verdict
    if not verdict.of:
        return "No method gave a value."
    median = one.multiverse.curve.median
    spread = f"; median effect {signed(as_found(one)[1] * median)} SD" if median is not None else ""
    return f"{capitalised(agreement(one))}{spread}."


def settings_of(cells: Sequence[CellResult]) -> list[tuple[str, list[str]]]:
    """The choices that vary, with their settings: numbers by size, others by name."""
    names = dict.fromkeys(name for cell in cells for name in cell.choices)
    found = []
    for name in names:
        settings = {cell.choices[name] for cell in cells if name in cell.choices}
        if len(settings) > 1 or any(name not in cell.choices for cell in cells):
            found.append((name, sorted(settings, key=_by_size)))
    return found


def _by_size(setting: str) -> tuple[float, str]:
    try:
        return float(setting), setting
    except ValueError:
        return float("inf"), setting


def _thinned(cells: Sequence[CellResult]) -> list[CellResult]:
    """As many methods as fit, the first and the last among them."""
    if len(cells) <= _DRAWN:
        return list(cells)
    last = len(cells) - 1
    return [cells[round(place * last / (_DRAWN - 1))] for place in range(_DRAWN)]
