"""What each view of a run says of each bias: see `view_agreement`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tiltmeter.errors import MissingExtra
from tiltmeter.measures.next_words import LOG_RATIO
from tiltmeter.results.cells import table_of, table_with_texts
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.questions import Question
from tiltmeter.results.findings.stereotypes import Stereotype, spec_of, stereotype
from tiltmeter.results.findings.view_agreement import (
    ATTRIBUTES,
    NEXT_WORDS,
    PAIRS,
    RATINGS,
    ViewAgreement,
    ViewReading,
    agree,
)
from tiltmeter.results.scorer_order import rank_of
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.stats.estimates import estimate, scaled, shifted
from tiltmeter.stats.multiverse.cells import CellData, cell_result
from tiltmeter.stats.scales import SIGNED, cut_off
from tiltmeter.store import Run

if TYPE_CHECKING:
    from tiltmeter.results.summary.runs import Cell

_FAVOURABLE = 0.2
"""How far the sentiment of two sets of attributes must lie apart for texts to be rated for or against a group."""


_TEXTS = """
SELECT t.model, items.source, items.bias, origin, items."group", t.text, t.reason
FROM texts AS t JOIN items ON view = 'continuations' AND items.item = t.item ORDER BY t.rowid
"""


def summarise_agreement(run: Run, cells: Sequence[Cell]) -> ViewAgreement | None:
    """The agreement of the views of a run; None where it has fewer than two views of any spec."""
    specs = {spec["name"]: spec for spec in run.meta["resolved"]["specs"] if not spec["benchmark"]}
    known = {name: found for name, spec in specs.items() if (found := stereotype(spec))}
    readings = [
        *_pair_readings(run, cells, known),
        *next_word_readings(run, known),
        *_attribute_readings(run, known),
        *rating_readings(run, known),
    ]
    return agree(readings)


def _pair_readings(run: Run, cells: Sequence[Cell], known: Mapping[str, Stereotype]) -> Iterator[ViewReading]:
    """The first scorer of the study on its first source that has the bias."""
    named = run.meta["resolved"]["scorers"]
    seen = set()
    for cell in sorted(cells, key=lambda cell: rank_of(cell.scorer, named, run.facts[cell.model].family)):
        if cell.published:
            continue
        for bias, found in cell.summary.by_bias_balanced.items():
            name = bias.partition(":")[0]
            if name in known and (cell.model, name) not in seen:
                seen.add((cell.model, name))
                place = {"source": cell.source, "scorer": cell.scorer, "bias": bias, "labelled": "yes"}
                yield ViewReading(cell.model, name, PAIRS, shifted(found, -0.5), place)


def next_word_readings(run: Run, known: Mapping[str, Stereotype]) -> Iterator[ViewReading]:
    """Whether the stereotyped group is expected more, on the first source that has the bias."""
    seen = set()
    for cell in table_of(run).of("next words", measure=LOG_RATIO.name):
        tied = known.get(cell.bias)
        if tied is None or (cell.model, cell.bias) in seen:
            continue
        asked = Question(cell.model, cell.view, cell.bias, *tied.groups, by_stereotype=True)
        for data in cells_from(asked, cell, cell.rows, spec_of(run, cell.bias)):
            seen.add((cell.model, cell.bias))
            # Of the two sets together: half of what lies between them.
            reading = scaled(cell_result(data, groups=tied.groups).raw, 0.5)
            place = {"source": cell.source, "perturbation": ORIGINAL}
            yield ViewReading(cell.model, cell.bias, NEXT_WORDS, reading, place)


def _attribute_readings(run: Run, known: Mapping[str, Stereotype]) -> Iterator[ViewReading]:
    """Texts by bias; whether they have attributes is counted here, since only the spec knows which."""
    values: dict[tuple[str, str], list[tuple[float | None, str, str]]] = defaultdict(list)
    for row in table_with_texts(run).stream(_TEXTS):
        tied, group = known.get(row["bias"]), row["group"]
        if tied is not None and tied.balanced and group in tied.groups:
            own = tied.groups.index(group)
            mentioned = [_mentions(row["text"], tied.attributes[side]) for side in (own, 1 - own)]
            value = None if row["reason"] else float(mentioned[0] - mentioned[1])
            values[row["model"], tied.bias].append((value, f"{row['source']}: {row['origin']}", group))
    for (model, bias), found in values.items():
        numbers, origins, groups = zip(*found, strict=True)
        reading = cut_off(estimate(numbers, origins, strata=groups, neutral=0.0), SIGNED)
        yield ViewReading(model, bias, ATTRIBUTES, reading, _of_two(known[bias]))


def _mentions(text: str, words: Iterable[str]) -> bool:
    listed = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return bool(re.search(rf"(?<!\w)(?:{listed})(?!\w)", text, re.IGNORECASE))


def rating_readings(run: Run, known: Mapping[str, Stereotype], *, declared: bool = False) -> Iterator[ViewReading]:
    """By the first rater that says what is better, over all prompts and decodings of the bias; `declared`: a check."""
    liked = {name: side for name, tied in known.items() if (side := favoured(tied, declared=declared))}
    cells = [cell for cell in table_of(run).of("continuations") if cell.bias in liked and cell.worse]
    for model, bias in dict.fromkeys((cell.model, cell.bias) for cell in cells):
        own = [cell for cell in cells if (cell.model, cell.bias) == (model, bias)]
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
    return dict(zip(("group", "other"), tied.groups, strict=True))


def favoured(tied: Stereotype, *, declared: bool = False) -> int:
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
