"""What a run of next words says: one summary for every model, source, bias, set of words and way of counting them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell, table_of
from tiltmeter.results.items import expected_items
from tiltmeter.results.measurements.columns import PROBABILITY, SALIENCY, WORD
from tiltmeter.results.summary.labour import Labour
from tiltmeter.results.summary.next_words import (
    ORIGINAL,
    Expected,
    NextWordSettings,
    NextWordSummary,
    summarise_next_words,
)
from tiltmeter.results.summary.prompt_kinds import KindContrast, kind_contrasts
from tiltmeter.results.summary.prompts import by_perturbation
from tiltmeter.results.summary.saliency import Explained, mean_saliency
from tiltmeter.results.texts import answered_prompts
from tiltmeter.sources.labour_files import Occupation
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.views.lengths import Lengths, lengths, lengths_as_published
from tiltmeter.stats.views.next_words import Place
from tiltmeter.store import Answered, Run
from tiltmeter.study.planning import DEFAULT_SOURCE


@dataclass(frozen=True, slots=True)
class NextWordCell:
    """One combination of choices, and what came of it."""

    model: str
    source: str
    bias: str
    words: str
    """The name of the set of words."""
    sets: WordSets
    """Groups and their words; the first two groups are compared first."""
    bounded: bool
    combine: str
    summary: NextWordSummary
    lengths: Lengths
    """Of the prompts as they are."""
    saliency: Mapping[str, Estimate] = field(default_factory=dict)
    """The share that lies on the `profession` and on the `last` word, and the `residue` of integrated gradients."""
    items: Sequence[Expected] = field(repr=False, default=())
    """What the model expects after each prompt under each perturbation."""
    examples: Sequence[Answered] = field(repr=False, default=())
    """Prompts with the least, the middling and the greatest share on the profession."""
    lengths_as_published: Lengths = field(default_factory=lambda: lengths_as_published([]))
    """Of the same, the profession counted as one word of two signs, as the paper does."""

    @property
    def of_habit(self) -> bool:
        """Whether its prompts say nothing: what the model expects by itself."""
        return self.source == DEFAULT_SOURCE

    @property
    def pair(self) -> str:
        """The two groups that are compared first, as the summary names them."""
        return "/".join(group for group, _ in self.sets[:2])

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {
            "model": self.model,
            "source": self.source,
            "bias": self.bias,
            "words": self.words,
            "sets": {group: list(words) for group, words in self.sets},
            "bounded": self.bounded,
            "combine": self.combine,
            "lengths": {**asdict(self.lengths), "as_published": asdict(self.lengths_as_published)},
            "saliency": {name: found.as_json() for name, found in self.saliency.items()},
            **self.summary.as_json(),
        }


@dataclass(frozen=True, slots=True)
class NextWordsSummary:
    """Everything that a run says about whom its models expect."""

    cells: Sequence[NextWordCell]
    method: str | None = None
    """How saliency was found."""
    without_saliency: tuple[str, ...] = ()
    """The models that have none, though the study asks for it: they have no gradients."""
    kinds: tuple[KindContrast, ...] = ()
    """Sentences against templates, where the run has both."""

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {
            "cells": [cell.as_json() for cell in self.cells],
            "saliency": self.method,
            "without_saliency": list(self.without_saliency),
            "natural_against_templates": [one.as_json() for one in self.kinds],
        }


def summarise_expectations(run: Run) -> NextWordsSummary | None:
    """Everything that a run says about whom its models expect; None where it has no such view."""
    if run.next_words is None:
        return None
    choices = run.meta["resolved"]["next_words"]
    without = tuple(_without_saliency(run, choices)) if choices["saliency"] else ()
    cells = tuple(_cells(run, choices))
    return NextWordsSummary(cells, choices["saliency"], without, kind_contrasts(cells))


def _without_saliency(run: Run, choices: Mapping[str, Any]) -> list[str]:
    """The models that answered everything, and something that was to be explained, and explained nothing."""
    query = f"""
    SELECT model, bool_or(measure = '{SALIENCY[0]}') AS explained,
           bool_or(measure = '{WORD}' AND perturbation = '{ORIGINAL}' AND value IS NOT NULL) AS is_open,
           count(DISTINCT (item, perturbation)) FILTER (measure = '{WORD}' AND bounded = ?) AS answered
    FROM ordered WHERE view = 'next words' GROUP BY model ORDER BY min(place)
    """
    table = table_of(run)
    [asked] = table.stream("SELECT count(*) AS n FROM items WHERE view = 'next words'")
    rows = table.stream(query, int(choices["bounded"][0]))
    return [row["model"] for row in rows if not row["explained"] and row["is_open"] and row["answered"] == asked["n"]]


def _cells(run: Run, choices: Mapping[str, Any]) -> Iterator[NextWordCell]:
    table = table_of(run)
    texts = table.texts_of("next words")
    for cell in table.of("next words", measure=PROBABILITY):
        items = expected_items(cell)
        originals = [item for item in items if item.perturbation == ORIGINAL]
        sets = _sets(cell)
        settings = NextWordSettings(labour=_labour(choices, sets, cell.source), seed=run.meta["resolved"]["seed"])
        explained = _explained(cell)
        yield NextWordCell(
            cell.model,
            cell.source,
            cell.bias,
            cell.words,
            sets,
            cell.bounded,
            cell.combine,
            summarise_next_words(by_perturbation(items), settings),
            lengths([texts[item.prompt][0] or "" for item in originals or items]),
            _mean_saliency(list(explained.values()), settings.level),
            items,
            _examples(cell, explained, choices["saliency"]),
            lengths_as_published([(texts[item.prompt][0] or "", item.profession) for item in originals or items]),
        )


def _sets(cell: Cell) -> WordSets:
    """Groups and their words, as the first prompt has them."""
    rows = cell.rows_by(WORD, combine="")
    found: dict[str, list[str]] = {}
    for row in rows:
        if (row.item, row.perturbation) == (rows[0].item, rows[0].perturbation):
            found.setdefault(row.group, []).append(row.label or "")
    return tuple((group, tuple(words)) for group, words in found.items())


def _explained(cell: Cell) -> dict[str, Explained]:
    """By prompt, what its answer is due to, where that is known."""
    profession, last, residue = (cell.rows_by(name, words="", combine="", bounded=False) for name in SALIENCY)
    return {
        one.item: Explained(Place(one.origin, one.template), one.value, two.value, three.value)
        for one, two, three in zip(profession, last, residue, strict=True)
    }


def _mean_saliency(explained: Sequence[Explained], level: float) -> dict[str, Estimate]:
    shares = {name: [getattr(one, name) for one in explained] for name in ("profession", "last", "residue")}
    return mean_saliency([one.place for one in explained], shares, level=level)


def _examples(cell: Cell, explained: Mapping[str, Explained], method: str) -> list[Answered]:
    """Prompts with the least, the middling and the greatest share on the profession, as they were answered."""
    shares = sorted((one.profession, item) for item, one in explained.items() if one.profession is not None)
    wanted = dict.fromkeys(shares[at][1] for at in (0, len(shares) // 2, len(shares) - 1)) if shares else {}
    return answered_prompts(cell, list(wanted), method)


def _labour(choices: Mapping[str, Any], sets: WordSets, source: str) -> Labour | None:
    """The statistics that the study gives, where they speak of the groups that are asked for."""
    occupations = tuple(Occupation(**one) for one in choices["labour"])
    groups = [group for group, _ in sets]
    of, against = choices.get("labour_groups") or (None, None)
    known = {of, against} <= set(groups) if of else Labour.speaks_of(groups)
    if not occupations or source == DEFAULT_SOURCE or not known:
        return None
    return Labour(occupations, of, against, by_head=choices["labour_match"] == "head")
