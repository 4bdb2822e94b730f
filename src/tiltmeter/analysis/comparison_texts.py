"""Rated texts of two sides: what is written about each group after the same prompts, and the gap between groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tiltmeter.analysis.comparable import Matched, Side, bare, decoding_words, group_pairs
from tiltmeter.analysis.comparison_cells import SIDES, Shared, Wanted, only_one
from tiltmeter.analysis.comparison_records import Compared, ComparedView
from tiltmeter.analysis.continuation_records import ends_of, favour
from tiltmeter.analysis.paired_names import as_pair
from tiltmeter.analysis.rated_items import RatedCell, rated_cells, rated_items
from tiltmeter.stats.before_after import Prompted, gap_change, gap_equivalence, means_of
from tiltmeter.stats.comparisons import paired
from tiltmeter.stats.equivalence import paired_equivalence


class RatedPrompt(NamedTuple):
    """A prompt about a group with the mean rating of its texts."""

    group: str
    origin: str
    value: float | None


def compared_texts(a: Side, b: Side, wanted: Wanted) -> ComparedView:
    """Rated texts: the mean of each group before and after, and the gap between groups."""
    sources, shared = Matched.of(a, b, "continuations"), Shared()
    cells = [rated_choices(side, named) for side, named in ((a, sources.of_a), (b, sources.of_b))]
    made: list[Compared] = []
    over_decodings: dict[tuple[str, str, str, str], list[tuple[str, _Matched]]] = defaultdict(list)
    for place in (place for place in cells[0] if place in cells[1]):
        source, bias, _, rater, scope = place
        one, other = (rated_prompts(side, own[place]) for side, own in zip((a, b), cells, strict=True))
        shared.seen((source, bias), {key[:2] for key in one}, {key[:2] for key in other})
        items = _Matched([(key, one[key], other[key].value) for key in one if key in other])
        if not items.rows:
            continue
        over_decodings[source, bias, rater, scope].append((place[2], items))
        choices = {"source": source, "bias": bias, "decoding": place[2], "rater": rater, "scope": scope}
        pairs = group_pairs(items.groups, a.resolved, bias)
        made += _groups_compared(choices, items, wanted)
        made += [_gap_compared(choices, items, pair, wanted) for pair in pairs if not _situated(rater)]
    overall = []
    for (source, bias, rater, scope), parts in over_decodings.items():
        pairs = group_pairs(parts[0][1].groups, a.resolved, bias)
        if favour(rater) and pairs:
            choices = {"source": source, "bias": bias, "decoding": "all", "rater": rater, "scope": scope}
            overall.append(_gap_compared(choices, _together([items for _, items in parts]), pairs[0], wanted))
    left_out = only_one(a, b, cells, ("source", "bias", "decoding", "rater", "scope"))
    return ComparedView("continuations", shared.counts, tuple(overall), tuple(made), left_out)


def _situated(rater: str) -> bool:
    """Whether the rater looks for groups in texts about a situation: there the groups' shares are one figure."""
    return rater.startswith("groups.")


@dataclass(frozen=True, slots=True)
class _Matched:
    """Prompts that both sides have: key, what side a has of it, and the mean rating of side b."""

    rows: list[tuple[tuple[str, str, str], RatedPrompt, float | None]]

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(one.group for _, one, _ in self.rows))

    @property
    def prompted(self) -> list[Prompted]:
        return [
            Prompted(one.group, one.value, other, one.origin)
            for _, one, other in self.rows
            if one.value is not None and other is not None
        ]


def _together(parts: Sequence[_Matched]) -> _Matched:
    """The means over decodings of prompts that both sides have ratings of."""
    if len(parts) == 1:
        return parts[0]
    rows = [row for part in parts for row in part.rows if row[1].value is not None and row[2] is not None]
    of_a, of_b = means_of((key, one.value) for key, one, _ in rows), means_of((key, other) for key, _, other in rows)
    labels = {key: one for part in parts for key, one, _ in part.rows}
    return _Matched([(key, one._replace(value=of_a.get(key)), of_b.get(key)) for key, one in labels.items()])


def rated_choices(side: Side, named: Mapping[str, str]) -> dict[tuple[str, str, str, str, str], RatedCell]:
    """By source, bias, decoding, rater and what it reads; `named` gives sources other names."""
    found: dict[tuple[str, str, str, str, str], RatedCell] = {}
    for cell in rated_cells(side.run):
        if cell.model == side.model:
            source = named.get(cell.source, cell.source)
            found[source, cell.bias, decoding_words(cell.decoding), cell.rater, cell.scope] = cell
    return found


def rated_prompts(side: Side, cell: RatedCell) -> dict[tuple[str, str, str], RatedPrompt]:
    """By id and text of the prompt and by group: samples of two sides are no pairs, so that prompts are."""
    assert side.run.continuations is not None
    texts = {prompt.id: prompt.text for prompt in side.run.continuations.prompts}
    items = rated_items(side.run, cell.model, cell.source, cell.bias, cell.decoding, cell.rater, cell.scope)
    keys = [(bare(item.prompt, cell.source), texts[item.prompt], item.group) for item in items]
    values = means_of(zip(keys, (item.value for item in items), strict=True))
    origins = {key: item.origin for key, item in zip(keys, items, strict=True)}
    return {key: RatedPrompt(key[2], origins[key], value) for key, value in values.items()}


def _groups_compared(choices: Mapping[str, str], items: _Matched, wanted: Wanted) -> Iterator[Compared]:
    for group in items.groups:
        rows = [(one, other) for _, one, other in items.rows if one.group == group]
        first, second, origins = (
            [one.value for one, _ in rows],
            [other for _, other in rows],
            [one.origin for one, _ in rows],
        )
        found = paired(first, second, origins, names=SIDES, seed=wanted.seed, scale=ends_of(choices["rater"]))
        delta = wanted.margin
        same = None if delta is None else paired_equivalence(first, second, origins, margin=delta)
        yield Compared("continuations", {**choices, "group": group}, found, same)


def _gap_compared(choices: Mapping[str, str], items: _Matched, groups: tuple[str, str], wanted: Wanted) -> Compared:
    prompts = items.prompted
    found = gap_change(prompts, groups, scale=ends_of(choices["rater"]), seed=wanted.seed)
    same = None if wanted.margin is None else gap_equivalence(prompts, groups, margin=wanted.margin)
    return Compared("continuations", {**choices, "groups": as_pair(groups)}, found, same)
