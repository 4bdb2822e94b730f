"""What the chances of the groups' words after many prompts say: over all, by template, by profession, by perturbation.

Everything is a pure function of `Expected`, one for each prompt under each perturbation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tiltmeter.measures.next_words import DIFFERENCE, MEASURES, Chances, Combine, group_chance, share
from tiltmeter.records import Estimate, NextWord, NextWords
from tiltmeter.results.summary.labour import Labour
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.next_words import Place, Values, distances, means, resampled_over

ORIGINAL = "original"
CONTRASTED = ("difference", "absolute_difference", "log_ratio", "share", "kl")
"""The measures whose change under a perturbation is estimated."""
SHARE = Scale(0.0, 1.0)
UNANSWERED = "the run has no answer for it"
_NO_CHANCE = "a group has no chance at all"
"""Why there is no ratio and no share of chances that are known."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a model expects after one prompt under one perturbation: the chance of each group, and its certainty."""

    prompt: str
    profession: str
    template: str | None
    chances: Mapping[str, float | None]
    perturbation: str = ORIGINAL
    highest: float | None = None
    gap: float | None = None
    unscored: Mapping[str, str] = field(default_factory=dict)
    """By group, why it has no chance."""

    @property
    def place(self) -> Place:
        """What figures are uncertain over."""
        return Place(self.profession, self.template)


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
        chances[group], reason = group_chance(answers, combine)
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
    """The figures of some prompts: the chance of each group, the certainty, and every pair of groups."""

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
    """By group, why prompts have no chance of it, and how many."""

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
        """The JSON of `tiltmeter analyze --view next-words`."""
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
    """What is asked of the chances."""

    reference: str | None = None
    labour: Labour | None = None
    parts: bool = True
    """Whether templates and professions have figures of their own."""
    level: float = 0.95
    seed: int = 0


def summarise_next_words(items: Iterable[Expected], settings: NextWordSettings | None = None) -> NextWordSummary:
    """Estimates of every measure, under each perturbation.

    >>> items = [Expected("1", "nurse", "said", {"male": 0.1, "female": 0.3})]
    >>> found = summarise_next_words(items).perturbations["original"].overall.pairs["male/female"]
    >>> round(found["difference"].value, 6), round(found["share"].value, 6)
    (-0.2, 0.25)
    """
    wanted = settings or NextWordSettings()
    by_name: dict[str, list[Expected]] = defaultdict(list)
    for item in items:
        by_name[item.perturbation].append(item)
    main = ORIGINAL if ORIGINAL in by_name else next(iter(by_name), ORIGINAL)
    perturbations = {
        # What becomes of each profession is asked once: under a perturbation there is none.
        name: _perturbation(found, wanted, by_profession=name == main)
        for name, found in by_name.items()
    }
    contrasts = {
        name: _contrast(by_name[ORIGINAL], found, wanted)
        for name, found in by_name.items()
        if name != ORIGINAL and ORIGINAL in by_name
    }
    contrasts = {name: found for name, found in contrasts.items() if found}
    labour = wanted.labour.compared(by_name[main], level=wanted.level) if wanted.labour else None
    return completed(NextWordSummary(perturbations, contrasts, labour, 0, ()))


def completed(summary: NextWordSummary) -> NextWordSummary:
    """The summary with p-values that are adjusted for their number, and with what is to be said of it."""
    adjusted, comparisons = _adjusted(summary)
    return replace(adjusted, n_comparisons=comparisons, notes=tuple(_notes(adjusted, comparisons)))


def measured(items: Sequence[Expected], a: str, b: str) -> dict[str, Values]:
    """Every measure of two groups, a value for each prompt."""
    chances: list[Chances] = [(item.chances.get(a), item.chances.get(b)) for item in items]
    return {
        each.name: Values(
            each.values(chances),
            Scale(each.low, each.high, each.tested),
            chances if each is DIFFERENCE else None,
        )
        for each in MEASURES
    }


def shares_by_profession(items: Sequence[Expected], of: str, against: str) -> dict[str, float | None]:
    """The mean share of a group among two, by profession; over templates where there are several."""
    by_profession: dict[str, list[Expected]] = defaultdict(list)
    for item in items:
        by_profession[item.profession].append(item)
    found = {}
    for profession, own in by_profession.items():
        values = share([(item.chances.get(of), item.chances.get(against)) for item in own])
        [mean] = means([item.place for item in own], {"share": Values(values, SHARE)}).values()
        found[profession] = mean.value
    return found


def _perturbation(items: Sequence[Expected], settings: NextWordSettings, *, by_profession: bool) -> Perturbation:
    templates: dict[str, list[Expected]] = defaultdict(list)
    professions: dict[str, list[Expected]] = defaultdict(list)
    over = resampled_over([item.place for item in items])
    if settings.parts:
        for item in items:
            # A template of one profession alone is that prompt.
            if item.template is not None and "template" in over:
                templates[item.template].append(item)
            if by_profession:
                professions[item.profession].append(item)
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for item in items:
        for group, reason in item.unscored.items():
            reasons[group][reason] += 1
    return Perturbation(
        _part(items, settings, whole=True),
        {name: _part(found, settings) for name, found in templates.items()},
        {name: _part(found, settings) for name, found in professions.items()},
        over,
        reasons,
    )


def _part(items: Sequence[Expected], settings: NextWordSettings, *, whole: bool = False) -> Part:
    places = [item.place for item in items]
    groups = list(dict.fromkeys(group for item in items for group in item.chances))
    level = settings.level
    shares = {group: Values([item.chances.get(group) for item in items], SHARE) for group in groups}
    sure = {
        "highest": Values([item.highest for item in items], SHARE),
        "gap": Values([item.gap for item in items], SHARE),
    }
    pairs: dict[str, dict[str, Estimate]] = {}
    for a, b in pairs_of_groups(groups, settings.reference):
        found = means(places, measured(items, a, b), level=level)
        if whole:
            both = [(item.chances.get(a), item.chances.get(b)) for item in items]
            found |= distances(places, both, level=level, seed=settings.seed)
        pairs[f"{a}/{b}"] = found
    return Part(means(places, shares, level=level), means(places, sure, level=level), pairs, len(items))


def _contrast(
    originals: Sequence[Expected], others: Sequence[Expected], settings: NextWordSettings
) -> dict[str, dict[str, Estimate]]:
    """The original minus the perturbed, prompt by prompt; empty where no prompt has both."""
    by_prompt = {item.prompt: item for item in others}
    both = [(item, by_prompt[item.prompt]) for item in originals if item.prompt in by_prompt]
    groups = list(dict.fromkeys(group for item, _ in both for group in item.chances))
    found: dict[str, dict[str, Estimate]] = {}
    for a, b in pairs_of_groups(groups, settings.reference) if both else []:
        before, after = (measured([pair[side] for pair in both], a, b) for side in (0, 1))
        changes = {
            name: Values(
                [
                    None if one is None or other is None else one - other
                    for one, other in zip(before[name].values, after[name].values, strict=True)
                ],
                before[name].scale.change,
            )
            for name in CONTRASTED
        }
        places = [item.place for item, _ in both]
        found[f"{a}/{b}"] = means(places, changes, level=settings.level)
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
