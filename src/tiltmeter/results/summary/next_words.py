"""Probabilities of the groups' words after many prompts: over all, by template, by profession, by perturbation.

Everything is a pure function of `Prompts`, which has a column for each group and not an object for each prompt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tiltmeter.measures.next_words import DIFFERENCE, MEASURES, Combine, Probabilities, group_probability
from tiltmeter.measures.next_words import SHARE as SHARE_OF
from tiltmeter.records import Estimate, NextWord, NextWords
from tiltmeter.results.summary.labour import Labour
from tiltmeter.results.summary.prompts import Prompts
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.arrays import Array, Codes
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.stats.views.next_words import Places, Values, distances, means, resampled_over

ORIGINAL = "original"
CONTRASTED = ("difference", "absolute_difference", "log_ratio", "share", "kl")
"""The measures whose change under a perturbation is estimated."""
SHARE = Scale(0.0, 1.0)
UNANSWERED = "the run has no answer for it"
_AT_ONCE = 50_000
"""Prompts whose values Python holds."""
_NO_CHANCE = "the probability of a group is zero"
"""Why there is no ratio and no share of probabilities that are known."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a model expects after one prompt under one perturbation: each group's probability, and its certainty."""

    prompt: str
    profession: str
    template: str | None
    chances: Mapping[str, float | None]
    perturbation: str = ORIGINAL
    highest: float | None = None
    gap: float | None = None
    unscored: Mapping[str, str] = field(default_factory=dict)
    """By group, why it has no probability."""


def expected(
    found: NextWords,
    sets: WordSets,
    prompt: str,
    profession: str,
    template: str | None,
    perturbation: str = ORIGINAL,
    combine: Combine = "sum",
) -> Expected:
    """What a model's answer says of the groups."""
    by_word = {word.word: word for word in found.words}
    chances: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for group, words in sets:
        answers = [by_word.get(word) or NextWord(word, None, UNANSWERED) for word in words]
        chances[group], reason = group_probability(answers, combine)
        if reason is not None:
            reasons[group] = reason
    return Expected(prompt, profession, template, chances, perturbation, found.highest, found.gap, reasons)


def why_unscored(item: Expected, groups: tuple[str, str]) -> str:
    """Why the item has no value that compares two groups, should it have none."""
    for group in groups:
        if item.chances.get(group) is None:
            return item.unscored.get(group, f"{group} was not asked for")
    return _NO_CHANCE


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of some prompts: the probability of each group, the certainty, and every pair of groups."""

    groups: Mapping[str, Estimate]
    certainty: Mapping[str, Estimate]
    pairs: Mapping[str, Mapping[str, Estimate]]
    """By the names of the groups ("male/female") and by measure."""
    prompts: int

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {
            "prompts": self.prompts,
            "groups": _json(self.groups),
            "certainty": _json(self.certainty),
            "pairs": {name: _json(found) for name, found in self.pairs.items()},
        }


@dataclass(frozen=True, slots=True)
class Perturbation:
    """The figures of all prompts under one perturbation, and of their parts."""

    overall: Part
    by_template: Mapping[str, Part]
    by_profession: Mapping[str, Part]
    resampled_over: Mapping[str, int]
    unscored: Mapping[str, Mapping[str, int]]
    """By group, why prompts have no probability of it, and how many."""

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {
            **self.overall.as_json(),
            "resampled_over": dict(self.resampled_over),
            "unscored": {group: dict(reasons) for group, reasons in self.unscored.items()},
            "by_template": {name: part.as_json() for name, part in self.by_template.items()},
            "by_profession": {name: part.as_json() for name, part in self.by_profession.items()},
        }


@dataclass(frozen=True, slots=True)
class NextWordSummary:
    """Everything that is said of what one model expects after one set of prompts."""

    perturbations: Mapping[str, Perturbation]
    contrasts: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
    """By perturbation, pair and measure: the original minus the perturbed, over the prompts that have both."""
    labour: Mapping[str, Any] | None
    n_comparisons: int
    notes: tuple[str, ...]

    @property
    def main(self) -> str:
        """The perturbation that `overall` is about: none, where there are prompts as they are."""
        return ORIGINAL if ORIGINAL in self.perturbations else next(iter(self.perturbations))

    def as_json(self) -> dict[str, Any]:
        """The JSON of `tiltmeter analyze next-words`."""
        return {
            "view": "next-words",
            "perturbation": self.main,
            "overall": self.perturbations[self.main].as_json(),
            "perturbations": {name: found.as_json() for name, found in self.perturbations.items() if name != self.main},
            "contrasts": {
                name: {pair: _json(found) for pair, found in pairs.items()} for name, pairs in self.contrasts.items()
            },
            "labour": self.labour,
            "n_comparisons": self.n_comparisons,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class NextWordSettings:
    """What is asked of the probabilities."""

    reference: str | None = None
    labour: Labour | None = None
    parts: bool = True
    """Whether templates and professions have figures of their own."""
    level: float = 0.95
    seed: int = 0


def summarise_next_words(prompts: Mapping[str, Prompts], settings: NextWordSettings | None = None) -> NextWordSummary:
    """Estimates of every measure, under each perturbation.

    >>> from tiltmeter.results.summary.prompts import by_perturbation
    >>> items = [Expected("1", "nurse", "said", {"male": 0.1, "female": 0.3})]
    >>> found = summarise_next_words(by_perturbation(items)).perturbations["original"].overall.pairs["male/female"]
    >>> round(found["difference"].value, 6), round(found["share"].value, 6)
    (-0.2, 0.25)
    """
    wanted = settings or NextWordSettings()
    main = ORIGINAL if ORIGINAL in prompts else next(iter(prompts), ORIGINAL)
    perturbations = {
        # What becomes of each profession is asked once: under a perturbation there is none.
        name: _perturbation(found, wanted, by_profession=name == main)
        for name, found in prompts.items()
    }
    contrasts = {
        name: _contrast(prompts[ORIGINAL], found, wanted)
        for name, found in prompts.items()
        if name != ORIGINAL and ORIGINAL in prompts
    }
    contrasts = {name: found for name, found in contrasts.items() if found}
    labour = wanted.labour.compared(prompts[main], level=wanted.level) if wanted.labour else None
    return completed(NextWordSummary(perturbations, contrasts, labour, 0, ()))


def completed(summary: NextWordSummary) -> NextWordSummary:
    """The summary with p-values that are adjusted for their number, and with what is to be said of it."""
    adjusted, comparisons = _adjusted(summary)
    return replace(adjusted, n_comparisons=comparisons, notes=tuple(_notes(adjusted, comparisons)))


def measured(chances: Array) -> dict[str, Values]:
    """Every measure of two groups, a value for each prompt, from a column for each group."""
    values = {each.name: np.empty(len(chances)) for each in MEASURES}
    for start in range(0, len(chances), _AT_ONCE):
        both = _known(chances[start : start + _AT_ONCE])
        for each in MEASURES:
            values[each.name][start : start + _AT_ONCE] = np.array(each.values(both), dtype=np.float64)
    return {
        each.name: Values(
            values[each.name], Scale(each.low, each.high, each.tested), chances if each is DIFFERENCE else None
        )
        for each in MEASURES
    }


def _known(chances: Array) -> list[Probabilities]:
    """Probabilities as the measures read them, of which those that are unscored are None."""
    known = chances.astype(object)
    known[np.isnan(chances)] = None
    return list(map(tuple, known.tolist()))


def shares_by_profession(prompts: Prompts, of: str, against: str) -> dict[str, float | None]:
    """The mean share of a group among two, by profession; over templates where there are several."""
    share = measured(prompts.both(of, against))[SHARE_OF.name].values
    return {
        profession: means(prompts.places.at(chosen), {"": Values(np.asarray(share)[chosen], SHARE)})[""].value
        for profession, chosen in prompts.professions.parts
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """The values of some prompts: the chance of each group, the certainty, every measure of every two groups."""

    places: Places
    chances: Mapping[str, Values]
    certainty: Mapping[str, Values]
    pairs: Mapping[str, Mapping[str, Values]]

    @classmethod
    def of(cls, prompts: Prompts, reference: str | None) -> _Measured:
        return cls(
            prompts.places,
            {group: Values(chances, SHARE) for group, chances in prompts.chances.items()},
            {"highest": Values(prompts.highest, SHARE), "gap": Values(prompts.gap, SHARE)},
            {f"{a}/{b}": measured(prompts.both(a, b)) for a, b in pairs_of_groups(list(prompts.chances), reference)},
        )

    def at(self, chosen: Codes) -> _Measured:
        """The same of some of the prompts."""

        def taken(values: Mapping[str, Values]) -> dict[str, Values]:
            return {
                name: Values(
                    np.asarray(each.values)[chosen],
                    each.scale,
                    None if each.chances is None else np.asarray(each.chances)[chosen],
                )
                for name, each in values.items()
            }

        pairs = {pair: taken(values) for pair, values in self.pairs.items()}
        return _Measured(self.places.at(chosen), taken(self.chances), taken(self.certainty), pairs)

    def part(self, level: float) -> Part:
        """The means."""
        return Part(
            means(self.places, self.chances, level=level),
            means(self.places, self.certainty, level=level),
            {pair: means(self.places, values, level=level) for pair, values in self.pairs.items()},
            len(self.places.professions),
        )


def _perturbation(prompts: Prompts, settings: NextWordSettings, *, by_profession: bool) -> Perturbation:
    over, level = resampled_over(prompts.places), settings.level
    values = _Measured.of(prompts, settings.reference)
    overall = values.part(level)
    apart = {
        f"{a}/{b}": distances(prompts.places, prompts.both(a, b), level=level, seed=settings.seed)
        for a, b in pairs_of_groups(list(prompts.chances), settings.reference)
    }
    # A template of one profession alone is that prompt.
    templates = prompts.templates.parts if settings.parts and "template" in over else ()
    professions = prompts.professions.parts if settings.parts and by_profession else ()
    return Perturbation(
        replace(overall, pairs={pair: {**found, **apart[pair]} for pair, found in overall.pairs.items()}),
        {name: values.at(chosen).part(level) for name, chosen in templates},
        {name: values.at(chosen).part(level) for name, chosen in professions},
        over,
        prompts.unscored,
    )


def _contrast(original: Prompts, other: Prompts, settings: NextWordSettings) -> dict[str, dict[str, Estimate]]:
    """The original minus the perturbed, prompt by prompt; empty where no prompt has both."""
    _, first, second = np.intersect1d(original.numbers, other.numbers, return_indices=True)
    found: dict[str, dict[str, Estimate]] = {}
    for a, b in pairs_of_groups(list(original.chances), settings.reference) if len(first) else []:
        before, after = (measured(one.both(a, b)[at]) for one, at in ((original, first), (other, second)))
        changes = {
            name: Values(np.asarray(before[name].values) - np.asarray(after[name].values), before[name].scale.change)
            for name in CONTRASTED
        }
        found[f"{a}/{b}"] = means(original.places.at(first), changes, level=settings.level)
    return found


def _adjusted(summary: NextWordSummary) -> tuple[NextWordSummary, int]:
    """The p-values of each table adjusted together: overall, templates, professions, contrasts; and their number."""
    comparisons = 0

    def together(parts: Mapping[str, Part]) -> dict[str, Part]:
        nonlocal comparisons
        flat = {
            f"{name}\0{pair}\0{measure}": found
            for name, part in parts.items()
            for pair, measures in part.pairs.items()
            for measure, found in measures.items()
        }
        comparisons += sum(found.p is not None for found in flat.values())
        new = adjust(flat)
        return {
            name: replace(
                part,
                pairs={
                    pair: {measure: new[f"{name}\0{pair}\0{measure}"] for measure in measures}
                    for pair, measures in part.pairs.items()
                },
            )
            for name, part in parts.items()
        }

    overall = together({name: found.overall for name, found in summary.perturbations.items()})
    perturbations = {
        name: replace(
            found,
            overall=overall[name],
            by_template=together(found.by_template),
            by_profession=together(found.by_profession),
        )
        for name, found in summary.perturbations.items()
    }
    contrasts = together({name: Part({}, {}, pairs, 0) for name, pairs in summary.contrasts.items()})
    made = replace(
        summary,
        perturbations=perturbations,
        contrasts={name: part.pairs for name, part in contrasts.items()},
    )
    return made, comparisons


def _notes(summary: NextWordSummary, comparisons: int) -> list[str]:
    same: dict[str, list[str]] = defaultdict(list)
    """By what is said, the perturbations of which it is true."""
    for name, found in summary.perturbations.items():
        missing: dict[str, set[str]] = defaultdict(set)
        for measures in found.overall.pairs.values():
            for measure, one in measures.items():
                if one.note:
                    missing[one.note].add(measure)
        for reason, which in missing.items():
            same[f"{', '.join(sorted(which))}: {reason}"].append(name)
        for group, reasons in found.unscored.items():
            for reason, count in reasons.items():
                same[f"{group}: {count} prompts unscored: {reason}"].append(name)
    notes = [f"{', '.join(names)}: {said}" for said, names in same.items()]
    if comparisons > 1:
        notes.append(f"p_adjusted: Benjamini–Hochberg within each table; {comparisons} p-values in all")
    return notes


def _json(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: found.as_json() for name, found in estimates.items()}
