"""The findings on whom models expect: shares, habit, histograms, professions, labour, and prompts by saliency."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.report.next_word_choices import choice_words, unscored_table
from tiltmeter.report.next_word_figures import binned, labour_words
from tiltmeter.report.next_word_readings import SHARE, Reading, ReadingGroup, reading_groups, words_of_group
from tiltmeter.report.next_word_words import PERTURBATION, next_word_headline
from tiltmeter.report.saliency_pictures import saliency_pictures
from tiltmeter.report.series import Series
from tiltmeter.sources.perturbing import PERTURBATIONS

_PROFESSIONS = 400
"""Professions of one source and model: the first so many of those with the largest and the smallest share."""


def words_found(series: Sequence[Series], label: Callable[[str], str]) -> list[dict[str, Any]]:
    """One for each bias and set of words that leads."""
    names = {one.label: one.facts.name for one in series}
    return [_group(group, label, names) for group in reading_groups(series)]


def _group(group: ReadingGroup, label: Callable[[str], str], names: dict[str, str]) -> dict[str, Any]:
    unscored = unscored_table(group)
    return {
        "bias": group.bias,
        "label": label(group.bias),
        "words": group.words,
        "groups": [[name, words_of_group(group.every[0].cell, name)] for name, _ in group.sets],
        "headlines": [{"model": names[one], **asdict(next_word_headline(group, one))} for one in group.labels],
        "shares": [row for one in group.of_prompts for row in _shares(one, group, names)],
        "histograms": [made for one in group.of_prompts if (made := _histogram(one, group, names))],
        "professions": [row for one in group.of_prompts for row in _professions(one, names)],
        "habit": [row for one in group.of_habit for row in _habit(one, names)],
        "labour": [made for one in group.of_prompts if (made := _labour(one, names))],
        "pictures": [made for one in group.of_prompts for made in _pictures(one, names)],
        "unscored": asdict(unscored) if unscored else None,
    }


def _place(one: Reading, names: dict[str, str]) -> dict[str, str]:
    """Where a figure is from; unless it says otherwise, from prompts as the view has them."""
    return {"model": names[one.label], "source": one.cell.source, "perturbation": one.cell.summary.main}


def _shares(one: Reading, group: ReadingGroup, names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The share of the first group under each perturbation, and under each other choice of words and counting."""
    for name in PERTURBATIONS:
        if name in one.cell.summary.perturbations:
            yield {
                **_place(one, names),
                "perturbation": name,
                "label": f"profession {PERTURBATION[name]}",
                "choice": "",
                **_figures(one.figure(SHARE, name)),
            }
    for cell in one.others:
        if cell.pair == one.cell.pair:
            found = cell.summary.perturbations[cell.summary.main].overall.pairs.get(cell.pair, {}).get(SHARE)
            yield {
                **_place(one, names),
                "label": choice_words(cell, group.every),
                "choice": choice_words(cell, group.every),
                **_figures(found or Estimate(None)),
            }


def _histogram(one: Reading, group: ReadingGroup, names: dict[str, str]) -> dict[str, Any] | None:
    own = [item for item in one.cell.items if item.perturbation == one.cell.summary.main]
    first, second, top = binned(own, *group.pair)
    return {**_place(one, names), "counts": [first, second], "top": top} if any(first) else None


def _professions(one: Reading, names: dict[str, str]) -> list[dict[str, Any]]:
    rows = [
        {**_place(one, names), "profession": name, "prompts": part.prompts, **_figures(found)}
        for name, part in one.main.by_profession.items()
        if (found := part.pairs.get(one.cell.pair, {}).get(SHARE)) is not None and found.value is not None
    ]
    ordered = sorted(rows, key=lambda row: float(row["value"]))
    half = _PROFESSIONS // 2
    return ordered if len(ordered) <= _PROFESSIONS else [*ordered[:half], *ordered[-half:]]


def _habit(one: Reading, names: dict[str, str]) -> Iterator[dict[str, Any]]:
    for name in PERTURBATIONS:
        found = one.cell.summary.perturbations.get(name)
        for group, chance in found.overall.groups.items() if found else ():
            yield {
                **_place(one, names),
                "perturbation": name,
                "opener": PERTURBATION[name],
                "group": group,
                **_figures(chance),
            }


def _labour(one: Reading, names: dict[str, str]) -> dict[str, Any] | None:
    labour = one.cell.summary.labour
    if not labour:
        return None
    return {
        **_place(one, names),
        "group": labour["group"],
        "words": labour_words(labour),
        "slope": labour["slope"]["value"],
        "intercept": labour["intercept"],
        "points": [
            {name: line[name] for name in ("profession", "world", "model")}
            for line in labour["matched"]
            if line["model"] is not None
        ],
    }


def _pictures(one: Reading, names: dict[str, str]) -> Iterator[dict[str, Any]]:
    for picture in saliency_pictures(one):
        yield {
            **_place(one, names),
            "method": one.method,
            "about": picture.about,
            "figures": picture.figures,
            "pieces": [{**asdict(piece), "title": piece.title} for piece in picture.pieces],
        }


def _figures(found: Estimate) -> dict[str, Any]:
    return {**found.as_json(), "note": found.note}
