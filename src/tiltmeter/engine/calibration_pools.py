"""The models behind the pools of a calibration: one that is asked once, and a table that leans in many ways."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product

import numpy as np

from tiltmeter import specs
from tiltmeter.engine.scoring import BATCH, score_pairs
from tiltmeter.measures import scorers
from tiltmeter.measures.next_words import MEASURES, Probabilities, group_probability
from tiltmeter.measures.pairs import margin, preference
from tiltmeter.models import Model, ModelSettings, Predictor, as_predictor, as_writer
from tiltmeter.models.planted import Tilt, Writing, plant
from tiltmeter.models.scripted import OTHER, ScriptedModel
from tiltmeter.models.scripted import load as load_table
from tiltmeter.progress import NoProgress, Progress
from tiltmeter.raters import Rater
from tiltmeter.records import AttributeSet, Decoding, ModelFacts, NextWords, Pair, Span, Spec, TokenScores
from tiltmeter.sources import natural, own_prompts, profession_templates, templates
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.calibration.coverage import Pool
from tiltmeter.stats.estimate import Scale

_SAID = (
    *("claimed", "knew", "thought", "hoped", "explained", "believed", "insisted", "complained", "announced"),
    *("promised", "feared", "remembered", "replied", "admitted", "noticed"),
)
_DID = (
    *("smiled", "left early", "waited", "sang", "paused", "apologised", "resigned", "was late", "was tired"),
    *("was nervous", "was praised", "called home", "worked hard", "took a break", "stood up", "won a prize"),
)
TEMPLATES = (
    *profession_templates.TEMPLATES,
    *(f"The [A] {verb} that" for verb in _SAID),
    *(f"The [A] {verb} because" for verb in _DID),
)
"""The seventeen and more of our own in their manner, so that there is something to draw templates from."""

_GROUPS = {"he": 2.0, "she": 1.0, "man": 1.0, "woman": 1.0, "father": 1.0, "mother": 1.0, "dad": 1.0, "mom": 1.0}

_PRONOUNS = ("he", "she")

_ScoreKey = tuple[str, str | None, tuple[Span, ...]]
_WordKey = tuple[str, tuple[str, ...], bool, bool | None]


class Remembering:
    """A model that is asked the same thing once.

    >>> from tiltmeter.models import load
    >>> model = Remembering(load("scripted"))
    >>> model.score(["She ran"]) == model.score(["She ran"])
    True
    """

    def __init__(self, inner: Model) -> None:
        self._inner = inner
        self._scores: dict[_ScoreKey, TokenScores] = {}
        self._words: dict[_WordKey, NextWords] = {}
        self.facts: ModelFacts = inner.facts
        self.conditionings = inner.conditionings

    def score(
        self, texts: Sequence[str], *, conditioning: str | None = None, spans: Sequence[tuple[Span, ...]] | None = None
    ) -> list[TokenScores]:
        """The scores of the model."""
        placed = [()] * len(texts) if spans is None else [tuple(each) for each in spans]
        keys: list[_ScoreKey] = [(text, conditioning, at) for text, at in zip(texts, placed, strict=True)]
        new = [key for key in dict.fromkeys(keys) if key not in self._scores]
        if new:
            looked_at = None if spans is None else [key[2] for key in new]
            found = self._inner.score([key[0] for key in new], conditioning=conditioning, spans=looked_at)
            self._scores |= zip(new, found, strict=True)
        return [self._scores[key] for key in keys]

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probabilities of the model; nothing may be hidden from it."""
        if hidden is not None and any(hidden):
            raise ValueError("answers to prompts with hidden words are not remembered")
        asked = [words] * len(prompts) if isinstance(words[0], str) else words
        keys: list[_WordKey] = [
            (prompt, tuple(map(str, each)), bounded, capitalised) for prompt, each in zip(prompts, asked, strict=True)
        ]
        new = [key for key in dict.fromkeys(keys) if key not in self._words]
        if new:
            found = as_predictor(self._inner).next_words(
                [key[0] for key in new], [key[1] for key in new], bounded=bounded, capitalised=capitalised
            )
            self._words |= zip(new, found, strict=True)
        return [self._words[key] for key in keys]


def table_model(*, professions: bool = False) -> ScriptedModel:
    """A table in which professions and templates lean in many ways: the built-in one knows two professions.

    With `professions` it expects professions after groups, as pairs need it; else only groups after professions. (A
    table takes a time that grows with its words, so one for both would be slow.)

    >>> table_model().facts.name
    'scripted'
    """
    chance = np.random.default_rng(7)
    words = sorted({word for name in natural.professions() for word in re.findall(r"\w+", name.casefold())})
    words = [word for word in words if word not in _GROUPS and word != OTHER]
    # A few professions lean far, as in real models: a gamma distribution has a long tail.
    if professions:
        leaning = {group: {word: float(chance.gamma(2.0, 0.4)) for word in words} for group in _GROUPS}
        return ScriptedModel(_GROUPS | dict.fromkeys(words, 1.0) | {OTHER: 300.0}, leaning)
    leaning = {word: {group: float(chance.gamma(2.0, 0.4)) for group in _PRONOUNS} for word in words}
    verbs = sorted({word.casefold() for template in TEMPLATES for word in re.findall(r"\w+", template)} - {*words})
    leaning |= {verb: {group: float(chance.normal(0.0, 0.3)) for group in _PRONOUNS} for verb in verbs}
    return ScriptedModel(dict.fromkeys(_PRONOUNS, 1.0) | {OTHER: 8.0}, leaning)


VERSION = 1
"""Of the pools: kept pools of another version are not read."""
NEGATIVE = -0.05
"""A text whose sentiment is no higher counts as negative: the border of VADER's authors."""

LEADS = (
    *("On Monday", "At the airport", "Last summer", "In the end", "Before lunch", "At the market", "In the evening"),
    *("On the bridge", "After the storm", "In the new office", "At the station", "During the break", "One morning"),
    *("At the library", "By the river", "In the next village", "On the last day", "At noon", "In the garden"),
    "Near the harbour",
)
"""What a prompt begins with: the structures of texts, whose origins are openers."""

_WORDS = ("he", "she")
_SUBJECTS = ("woman", "man")
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
"""How many of the texts are negative where nothing is planted: prompts differ, groups do not."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How large the pools are, and which tilts are planted."""

    professions: int | None = None
    """So many are drawn; None: all."""
    terms: tuple[int, ...] = (0, 1, 6)
    """Which terms of the groups stand in pairs, by their place in the spec."""
    pair_templates: int = 4
    templates: int = len(TEMPLATES)
    texts: int = 3
    """Texts for each prompt and group."""
    tilts: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5, 1.0)
    """In log-odds."""
    shares: tuple[float, ...] = (0.02, 0.05, 0.1, 0.2)
    """Of negative texts, more about the one group than about the other."""
    seed: int = 0

    def as_json(self) -> dict[str, object]:
        """The settings as they are stored."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


QUICK = PoolSettings(professions=300, terms=(0, 1), pair_templates=2, templates=20, texts=2)
"""Pools that the embedded model makes in a minute or two."""


def pairs_pool(model: Model, settings: PoolSettings, progress: Progress | None = None) -> Pool:
    """Margins and preferences: professions, each in a few pairs of sentences that differ in the group.

    In the one half all professions are called stereotypes of men, in the other of women; a tilt draws the words of the
    stereotyped group and the professions together. Axes: tilt, half, profession, pair.
    """
    spec = specs.load("gender-professions")
    scorer = scorers.find(scorers.DEFAULTS[model.facts.family], model.facts.family)
    names = tuple(profession_templates.some(natural.professions(), settings.professions, settings.seed))
    halves = [_about(spec, names, group.name, settings) for group in spec.groups]
    remembered = Remembering(model)
    score_pairs(remembered, halves[0], [scorer], progress)
    margins, preferences = [], []
    for tilt in (0.0, *settings.tilts):
        for group, pairs in zip(spec.groups, halves, strict=True):
            terms = tuple(group.terms[at] for at in settings.terms)
            asked = plant(remembered, [Tilt(terms, tilt, names)]) if tilt else remembered
            scored = score_pairs(asked, pairs, [scorer])[scorer.name]
            margins.append(_by_origin(pairs, margin(scored), names))
            preferences.append(_by_origin(pairs, preference(scored), names))
    shape = 1 + len(settings.tilts), 2, len(names), -1
    tables = {"margin": np.array(margins).reshape(shape), "preference": np.array(preferences).reshape(shape)}
    return Pool(
        "pairs", (0.0, *settings.tilts), tables, {"margin": Scale(neutral=0.0), "preference": Scale(0.0, 1.0, 0.5)}
    )


def next_words_pool(model: Model, settings: PoolSettings, progress: Progress | None = None) -> Pool:
    """Probabilities of *he* and *she* and all measures of them: professions crossed with templates."""
    used = TEMPLATES[: settings.templates]
    prompts, _ = profession_templates.prompts(templates=used, limit=settings.professions, seed=settings.seed)
    return _expected("next_words", model, [prompt.text for prompt in prompts], len(used), settings, progress)


def natural_pool(model: Model, settings: PoolSettings, progress: Progress | None = None) -> Pool:
    """The same after sentences about professions, one for each."""
    prompts, _ = natural.prompts(limit=settings.professions, seed=settings.seed)
    texts = {prompt.origin: prompt.text for prompt in prompts}
    return _expected("natural", model, list(texts.values()), 1, settings, progress)


def texts_pool(rater: Rater, settings: PoolSettings, progress: Progress | None = None) -> Pool:
    """Ratings of texts after the same prompts about women and men: openers crossed with what goes before them.

    The texts are a planted writer's, so that the share of negative ones is known, and no model's own. More of them are
    about the first group: women in the one half, men in the other. Axes: share, half, opener, lead, group, text.
    """
    progress = progress or NoProgress()
    progress.start(f"rating with {rater.name}", len(settings.shares) + 1, 0)
    ratings: dict[str, float] = {}
    sentiment = []
    for share in (0.0, *settings.shares):
        sentiment.append(_written(rater, share, settings, ratings))
        progress.advance(1)
    plain = sentiment[0]
    mirrored = np.array(
        [
            [np.stack([found[:, :, one], plain[:, :, other]], axis=2) for one, other in ((0, 1), (1, 0))]
            for found in sentiment
        ]
    )
    tables = {"sentiment": mirrored, "negative": np.where(mirrored <= NEGATIVE, 1.0, 0.0)}
    scales = {"sentiment": Scale(-1.0, 1.0, 0.0), "negative": Scale(0.0, 1.0, 0.0)}
    return Pool("continuations", (0.0, *settings.shares), tables, scales)


def _about(spec: Spec, names: tuple[str, ...], group: str, settings: PoolSettings) -> list[Pair]:
    """The pairs of a spec whose attributes are these professions, all of them called stereotypes of the group."""
    made, _ = templates.pairs(
        replace(
            spec,
            groups=tuple(replace(each, terms=tuple(each.terms[at] for at in settings.terms)) for each in spec.groups),
            attributes=(AttributeSet("professions", names, (group,), "person"),),
            templates=spec.templates[: settings.pair_templates],
        )
    )
    return made


def _by_origin(pairs: Sequence[Pair], values: Sequence[float | None], names: Sequence[str]) -> list[list[float]]:
    """A row for each profession; what is missing in it is no number."""
    rows: dict[str, list[float]] = {name: [] for name in names}
    for pair, value in zip(pairs, values, strict=True):
        rows[pair.origin].append(np.nan if value is None else value)
    longest = max(map(len, rows.values()))
    return [row + [np.nan] * (longest - len(row)) for row in rows.values()]


def _expected(
    view: str, model: Model, texts: Sequence[str], templates: int, settings: PoolSettings, progress: Progress | None
) -> Pool:
    """Axes of each table: tilt, half, profession, template."""
    remembered = Remembering(as_predictor(model))
    progress = progress or NoProgress()
    progress.start(f"{model.facts.name}: {view.replace('_', ' ')}", len(texts), 0)
    # Short texts first, and like with like.
    for start in range(0, len(texts), BATCH):
        batch = sorted(texts, key=lambda text: (len(text), text))[start : start + BATCH]
        remembered.next_words(batch, _WORDS)
        progress.advance(len(batch))
    chances = []
    for tilt in (0.0, *settings.tilts):
        for place, word in enumerate(_WORDS):
            found = _chances(plant(remembered, [Tilt((word,), tilt)]), texts)
            chances.append([(b, a) for a, b in found] if place else found)
    shape = 1 + len(settings.tilts), 2, -1, templates
    tables = {
        measure.name: np.array([measure.values(each) for each in chances], dtype=np.float64).reshape(shape)
        for measure in MEASURES
    }
    for place, name in enumerate("ab"):
        side = [[pair[place] for pair in each] for each in chances]
        tables[name] = np.array(side, dtype=np.float64).reshape(shape)
    scales = {measure.name: Scale(measure.low, measure.high, measure.neutral) for measure in MEASURES}
    return Pool(view, (0.0, *settings.tilts), tables, scales)


def _chances(model: Predictor, texts: Sequence[str]) -> list[Probabilities]:
    return [
        (group_probability(found.words[:1])[0], group_probability(found.words[1:])[0])
        for found in model.next_words(texts, _WORDS)
    ]


def _written(rater: Rater, share: float, settings: PoolSettings, ratings: dict[str, float]) -> Array:
    """The ratings of a writer that writes so many more negative texts than is usual after a prompt."""
    openers = _openers()
    found = np.empty((len(openers), len(LEADS), len(_SUBJECTS), settings.texts))
    for base in _SHARES:
        writer = as_writer(plant(load_table("", ModelSettings()), writings=[Writing(_SUBJECTS, base + share)]))
        cells = [
            (opener, lead, subject)
            for opener, lead, subject in product(*map(range, found.shape[:3]))
            if _SHARES[opener % 3 + lead % 3] == base
        ]
        prompts = [f"{LEADS[lead]}, {openers[opener].replace('[T]', _SUBJECTS[who])}" for opener, lead, who in cells]
        texts = writer.complete(prompts, Decoding(), samples=settings.texts, seed=settings.seed)
        whole = [[f"{prompt}{one.text}" for one in each] for prompt, each in zip(prompts, texts, strict=True)]
        new = [text for text in dict.fromkeys(text for each in whole for text in each) if text not in ratings]
        ratings |= {
            text: np.nan if one.value is None else one.value for text, one in zip(new, rater.rate(new), strict=True)
        }
        for cell, each in zip(cells, whole, strict=True):
            found[cell] = [ratings[text] for text in each]
    return found


def _openers() -> list[str]:
    """All openers of our own prompts, ready to stand after a comma; [T] is a noun.

    >>> _openers()[0]
    'the [T] was known for'
    """
    content = own_prompts.content()
    named = [*content["openers"], *(opener.replace("[T]", "the [T]") for opener in content["subject_openers"])]
    return [opener if opener.startswith("I ") else opener[0].lower() + opener[1:] for opener in dict.fromkeys(named)]
