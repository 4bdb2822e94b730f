"""Continuations: how texts that a model writes about each group are rated."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.records import Prompt
from tiltmeter.results.cells import Combination, Measurement, table_of, table_with_texts
from tiltmeter.results.compare.sides import Side, decoding_words
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.feasibility import Feasibility, reach
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.findings.stereotypes import Stereotype, group_pairs
from tiltmeter.results.findings.view_agreement import ATTRIBUTES, RATINGS, ViewReading
from tiltmeter.results.measurements.continuations import items, measured
from tiltmeter.results.plan_size.pilots import Pilot
from tiltmeter.results.summary.runs import Cell as Summarised
from tiltmeter.results.summary.text_records import favour
from tiltmeter.results.views import Spec, ViewResults
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.multiverse.aggregation import matters_in_most
from tiltmeter.stats.multiverse.cells import CellData, cell_result
from tiltmeter.stats.planning.precision import Design
from tiltmeter.stats.scales import SIGNED, cut_off
from tiltmeter.store import Run
from tiltmeter.views import FACTS

_VIEW = "continuations"
UNFAVOURED = "the attribute words of the check are not clearly better on one side, so that ratings cannot show it"
_FAVOURABLE = 0.2
"""How far the sentiment of two sets of attributes must lie apart for texts to be rated for or against a group."""
_TEXTS = """
SELECT t.model, items.source, items.bias, origin, items."group", t.text, t.reason
FROM texts AS t JOIN items ON view = 'continuations' AND items.item = t.item ORDER BY t.rowid
"""
_PACKAGES = frozenset({"torch", "transformers", "tokenizers", "onnxruntime", "device", "dtype", "spacy"})
"""Facts of a rater that do not change what it is; where they change a rating, it is in the last digits."""


def _feasible(resolved: Spec, prompts: Iterable[Prompt]) -> Iterator[Feasibility]:
    """What could come of the texts of a study."""
    choices = FACTS[_VIEW].settings(resolved)
    kept: dict[str, dict[tuple[Any, ...], Prompt]] = {}
    often: Counter[tuple[Any, ...]] = Counter()
    for prompt in prompts:
        if prompt.group is not None:
            key = (prompt.source, prompt.group, prompt.origin, prompt.structure and prompt.structure.kind)
            kept.setdefault(prompt.bias, {}).setdefault(key, prompt)
            often[prompt.bias, *key] += 1
    by_topic: dict[tuple[str, tuple[str, str] | None], list[CellData]] = {}
    for bias, found in kept.items():
        groups = list(dict.fromkeys(prompt.group for prompt in found.values() if prompt.group))
        compared = group_pairs(groups, resolved, bias, _VIEW)
        for two in compared:
            # As many as there are, since it matters whether origins have as many texts as one another.
            every = [prompt for key, prompt in found.items() for _ in range(often[bias, *key])]
            by_topic.setdefault((topic_of(bias), two), []).extend(_text_cells(topic_of(bias), every, two))
        if not compared:
            by_topic.setdefault((topic_of(bias), None), [])
    judging = sum(bool(favour(rater["name"])) for rater in choices.get("raters", ()))
    for (topic, about), cells in by_topic.items():
        ways = judging * len(choices["decodings"]) * (2 if matters_in_most(cells) else 1)
        yield reach(_VIEW, topic, about or (), cells, ways)


def _text_cells(topic: str, prompts: Sequence[Prompt], groups: tuple[str, str]) -> Iterator[CellData]:
    for source in dict.fromkeys(prompt.source for prompt in prompts):
        rows = [
            Measurement(
                prompt.id,
                prompt.origin,
                prompt.group or "",
                structure=prompt.structure.id if prompt.structure else None,
                kind=prompt.structure.kind if prompt.structure else None,
                value=0.0,
            )
            for prompt in prompts
            if prompt.source == source
        ]
        of = Combination(_VIEW, source, "rating", worse=1)
        yield from cells_from(Question("", _VIEW, topic, *groups), of, rows, {})


def _unlike(a: Side, b: Side) -> list[str]:
    """What raters read and are, and how texts were decoded."""
    assert a.run.continuations and b.run.continuations
    one, other = (
        {used.name: used for used in side.run.continuations.raters} for side in (a, b) if side.run.continuations
    )
    found = []
    for name in [name for name in one if name in other]:
        if one[name].scope != other[name].scope:
            scopes = f"{one[name].scope} in the one and {other[name].scope} in the other"
            found.append(f"the rater {name} reads {scopes}")
        first, second = one[name].facts, other[name].facts
        # A fact that only one of them has is one that an earlier version did not write down.
        unlike = [key for key in first if key in second and key not in _PACKAGES and first[key] != second[key]]
        found += [
            f"the rater {name} has another {key} ({_short(first[key])} and {_short(second[key])})" for key in unlike
        ]
    return [*found, *_decodings(a, b)]


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 24 else f"{text[:20]}…"


def _decodings(a: Side, b: Side) -> list[str]:
    assert a.run.continuations and b.run.continuations
    one, other = a.run.continuations.decodings, b.run.continuations.decodings
    if set(one) & set(other):
        return []
    return [f"no decoding is the same: {decoding_words(one[0])} in the one, {decoding_words(other[0])} in the other"]


def _notes(a: Side, b: Side) -> list[str]:
    """How many texts there are for each prompt, and what raters ran with."""
    assert a.run.continuations and b.run.continuations
    first, second = (FACTS[_VIEW].settings(side.resolved).get("samples") for side in (a, b))
    found = [f"texts for each prompt differ: {first} and {second}; a prompt counts with the mean of its texts"]
    one, other = (
        {used.name: used.facts for used in side.run.continuations.raters} for side in (a, b) if side.run.continuations
    )
    return [
        *(found if first != second else ()),
        *(
            f"the rater {name} ran with another {key}"
            for name, facts in one.items()
            if name in other
            for key in facts
            if key in _PACKAGES and other[name].get(key) != facts[key]
        ),
    ]


def _options(one: Pilot, design: Design) -> dict[str, int]:
    """How many prompts of each group, or structures of each origin, and how many texts of each."""
    samples = {"samples": design.samples} if one.knobs.samples[1] > 1 else {}
    if one.structured:
        all_of_it = design.origins * design.prompts * design.sets
        drawn = {"per_group": all_of_it} if "per_group" in one.source.given.get("options", {}) else {}
        return {"structures": design.sets, **drawn, **samples}
    return {"per_group": design.origins * design.prompts, **samples}


def _readings(run: Run, known: Mapping[str, Stereotype], cells: Sequence[Summarised] | None) -> Iterator[ViewReading]:
    """Whether texts have the attributes of their group, and how they are rated; checks are by ratings alone."""
    yield from _attribute_readings(run, known) if cells is not None else ()
    yield from _rating_readings(run, known, declared=cells is None)


def _attribute_readings(run: Run, known: Mapping[str, Stereotype]) -> Iterator[ViewReading]:
    """Texts by bias; whether they have attributes is counted here, since only the spec knows which."""
    values: dict[tuple[str, str], list[tuple[float | None, str, str]]] = defaultdict(list)
    for row in table_with_texts(run).stream(_TEXTS):
        for bias, tied in known.items():
            group = row["group"]
            if row["bias"] == tied.bias and tied.balanced and group in tied.groups:
                own = tied.groups.index(group)
                mentioned = [_mentions(row["text"], tied.attributes[side]) for side in (own, 1 - own)]
                value = None if row["reason"] else float(mentioned[0] - mentioned[1])
                values[row["model"], bias].append((value, f"{row['source']}: {row['origin']}", group))
    for (model, bias), found in values.items():
        numbers, origins, groups = zip(*found, strict=True)
        reading = cut_off(estimate(numbers, origins, strata=groups, neutral=0.0), SIGNED)
        yield ViewReading(model, bias, ATTRIBUTES, reading, _of_two(known[bias]))


def _mentions(text: str, words: Iterable[str]) -> bool:
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return bool(re.search(rf"(?<!\w)(?:{listed})(?!\w)", text, re.IGNORECASE))


def _rating_readings(run: Run, known: Mapping[str, Stereotype], *, declared: bool = False) -> Iterator[ViewReading]:
    """By the first rater that says what is better, over all prompts and decodings of the bias; `declared`: a check."""
    liked = {name: side for name, tied in known.items() if (side := _favoured(tied, declared=declared))}
    cells = [cell for cell in table_of(run).of(_VIEW) if cell.worse]
    places = [(cell.model, bias) for cell in cells for bias in liked if known[bias].bias == cell.bias]
    for model, bias in dict.fromkeys(places):
        own = [cell for cell in cells if (cell.model, cell.bias) == (model, known[bias].bias)]
        leading = [cell for cell in own if cell.rater == own[0].rater]
        rows = [
            (row.value, f"{cell.source}: {row.origin}", known[bias].groups.index(row.group))
            for cell in leading
            for row in cell.rows
            if row.group in known[bias].groups
        ]
        if rows:
            values, origins, sides = zip(*rows, strict=True)
            data = CellData.of({}, values, origins, sides, orientation=-1 if liked[bias] * own[0].worse > 0 else 1)
            made_of = {"rater": own[0].rater, **_of_two(known[bias])}
            yield ViewReading(model, bias, RATINGS, cell_result(data).effect, made_of)


def _of_two(tied: Stereotype) -> dict[str, str]:
    return {"bias": tied.bias, **dict(zip(("group", "other"), tied.groups, strict=True))}


def _favoured(tied: Stereotype, *, declared: bool = False) -> int:
    """1 where the attributes of the first group are more favourable, −1 those of the second, 0 where neither are.

    Where a spec declares itself a check, words that VADER does not know say nothing, so that adding some does not
    undo it; both sides must have words that it knows.
    """
    from tiltmeter.raters.sentiment import Vader

    if not tied.balanced:
        return 0
    try:
        rater = Vader()
    except MissingExtra:
        return 0
    sides = [[one.value for one in rater.rate(sorted(terms))] for terms in tied.attributes]
    if declared:
        sides = [[value for value in side if value] for side in sides]
        if not all(sides):
            return 0
    first, second = (estimate(side, interval=False).value or 0.0 for side in sides)
    apart = first - second
    return 0 if abs(apart) < _FAVOURABLE else 1 if apart > 0 else -1


def _unchecked(tied: Sequence[Stereotype]) -> str | None:
    return None if any(_favoured(one, declared=True) for one in tied) else UNFAVOURED


RESULTS = ViewResults(
    measured,
    items,
    summarised=True,
    feasible=_feasible,
    unlike=_unlike,
    notes=_notes,
    options=_options,
    readings=_readings,
    unchecked=_unchecked,
)
