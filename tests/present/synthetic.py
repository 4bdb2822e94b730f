"""A run that no model made: small, seeded, and with one of everything that a report must be able to show."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tiltmeter.records import AttributeSet, Dropped, Group, ModelFacts, Pair, PairScore, Spec
from tiltmeter.store import Run

HOSTILE = "</script></style><img src=x onerror=alert(1)><a href='javascript:alert(1)'>&amp;\"'{{7*7}}"
SCORERS = (
    "causal.as-published.v1",
    "causal.mean.v1",
    "causal.prior-corrected.v1",
    "causal.rest.v2",
    "causal.sum.v1",
)
STUDY = 'name = "synthetic"\nmodels = ["alpha-135m", "beta-1b"]\n'


@dataclass(frozen=True)
class Tilt:
    """A bias to make up: how far the model leans, how many attribute terms each set has."""

    name: str
    lean: float
    terms: int = 12
    title: str = ""
    benchmark: bool = False
    control: bool = False


TILTS = (
    Tilt("gender-professions", 0.9, title="Gender and professions", control=True),
    Tilt("gender-math-arts", 0.5, title="Gender, and mathematics against arts"),
    Tilt("race-names-pleasant-1", 0.1, title="European and African American first names, and pleasantness: long lists"),
    Tilt("age-names-pleasant", -0.4, title="First names of young and of old people, and pleasantness"),
    Tilt("short-list", 0.3, terms=3, title="A list too short for an interval"),
    Tilt("hostile", 0.2, title=HOSTILE),
    Tilt("flowers-insects", 2.0, title="Flowers and insects, and pleasantness: a benchmark", benchmark=True),
)


def make_run(
    folder: Path,
    *,
    tilts: Sequence[Tilt] = TILTS,
    models: Sequence[str] = ("alpha-135m", "beta-1b"),
    scorers: Sequence[str] = SCORERS,
    study: str = "synthetic",
    seed: int = 7,
) -> Run:
    """A run over made-up biases: the score of a text is noise, plus the lean where it is the stereotyped one."""
    generator = random.Random(seed)
    specs = [_spec(tilt) for tilt in tilts]
    pairs = tuple(pair for tilt in tilts for pair in _pairs(tilt))
    leans = {tilt.name: tilt.lean for tilt in tilts}
    scores = {}
    for number, model in enumerate(models):
        for scorer in scorers:
            scores[model, scorer] = tuple(
                _score(pair, scorer, leans[pair.bias] * (1 + 0.4 * number), generator) for pair in pairs
            )
    facts = {
        model: ModelFacts(
            model,
            "causal",
            revision="0123abc" + "0" * 33,
            weights_sha256="ab" * 32,
            start_token="<|endoftext|>",
            parameters=134_515_008,
            context=8192,
        )
        for model in models
    }
    meta = {
        "fingerprint": "f" * 64,
        "study": STUDY,
        "resolved": {
            "format": 1,
            "name": study,
            "models": list(models),
            "sources": [{"name": "templates.v1", "path": None, "options": {}, "sha256": None}],
            "specs": [asdict(spec) for spec in specs],
            "scorers": ["sum", "mean", "rest", "prior-corrected", "as-published"],
            "seed": seed,
        },
        "versions": {"python": "3.12.1", "tiltmeter": "0.1.0", "numpy": "2.3.0"},
    }
    dropped = (
        Dropped("gender-professions", "nurse", "[T] is a nurse", "the term has no counterpart"),
        Dropped("gender-professions", "midwife", "[T] is a midwife", "the term has no counterpart"),
        Dropped("hostile", HOSTILE, HOSTILE, f"cannot be filled: {HOSTILE}"),
    )
    return Run(folder, meta, facts, pairs, dropped, scores)


def make_written_run(
    folder: Path,
    *,
    tilts: Sequence[Tilt] = TILTS,
    models: Sequence[str] = ("alpha-135m", "beta-1b", "gamma-7b"),
    writers: Sequence[str] = ("writer", "scribe"),
    stand_ins: bool = True,
    seed: int = 7,
) -> Run:
    """The same with sentences that models wrote: three sets, every fifth with an issue, and others for these."""
    plain = make_run(folder, tilts=tilts, models=models, scorers=["causal.sum.v1"], seed=seed)
    generator = random.Random(seed)
    written = [pair for writer in writers for tilt in tilts for pair in _written(tilt, writer)]
    issues = ["I1", "I3", "I4"]
    findings = {
        pair.id: [(issues[number % 3], "a reason")]
        for number, pair in enumerate(written)
        if generator.random() < 0.2 or pair.origin.endswith(" 0")
    }
    others = [replacement for pair in written if pair.id in findings for replacement in _replacements(pair)]
    pairs = (*plain.pairs, *written, *(others if stand_ins else []))
    leans = {tilt.name: tilt.lean for tilt in tilts}
    scores = {
        (model, "causal.sum.v1"): tuple(
            _score(pair, "causal.sum.v1", (1 + number) * leans[pair.bias] / 2, generator) for pair in pairs
        )
        for number, model in enumerate(models)
    }
    writer_facts = {writer: ModelFacts(writer, "causal") for writer in writers}
    return replace(plain, pairs=pairs, scores=scores, flagged=findings, writers=writer_facts)


def _written(tilt: Tilt, writer: str) -> list[Pair]:
    source = f"generated[by={writer}]"
    made = []
    for number, pair in enumerate(_pairs(replace(tilt, control=False))):
        for place in range(3):
            texts = tuple(f"Once {text[:-1]} so much ({writer}, {place})." for text in pair.texts)
            made.append(
                replace(
                    pair,
                    id=f"{source}:{tilt.name}/{place}/{pair.attribute_set}/{number}.0/{pair.groups[number % 2]}",
                    source=source,
                    texts=(texts[0], texts[1]),
                    template=f"Once [T] likes {pair.attribute} so much ({writer}, {place}).",
                    group_spans=((), ()),
                    written_for=pair.groups[number % 2],
                    set=place,
                )
            )
    return made


def _replacements(pair: Pair) -> list[Pair]:
    """Another sentence for two of three, and a template for all."""
    fresh = replace(pair, id=f"{pair.id}/again", texts=(f"Then {pair.texts[0]}", f"Then {pair.texts[1]}"))
    template = replace(pair, id=f"{pair.id}/template", texts=("He likes it.", "She likes it."), written_for=None)
    clean = [replace(fresh, stands_in="regenerated")] if len(pair.id) % 3 else []
    return [*clean, replace(template, stands_in="template")]


def _spec(tilt: Tilt) -> Spec:
    sets = [
        AttributeSet(f"set-{side}", tuple(f"{tilt.name}-{side}-{i}" for i in range(tilt.terms)), (f"group-{side}",))
        for side in (1, 2)
    ]
    return Spec(
        name=tilt.name,
        title=tilt.title,
        groups=(Group("group-1", ("he", "Brad")), Group("group-2", ("she", "Latonya"))),
        attributes=tuple(sets),
        templates=("[T] likes [A].",),
        citation="Caliskan, Bryson & Narayanan 2017, Science 356(6334):183-186",
        compare=(("group-1", "group-2"),),
        benchmark=tilt.benchmark,
    )


def _pairs(tilt: Tilt) -> list[Pair]:
    sets = ["set-1", "set-2"] if tilt.terms > 4 else ["set-1"]
    made = []
    for name in [*sets, *(["balanced"] if tilt.control else [])]:
        for number in range(tilt.terms):
            attribute = HOSTILE if tilt.name == "hostile" and number == 0 else f"{tilt.name} {name} {number}"
            for first, second in (("He", "She"), ("Brad", "Latonya")):
                texts = (f"{first} likes {attribute}.", f"{second} likes {attribute}.")
                made.append(
                    Pair(
                        id=f"templates:{tilt.name}/{name}/{number}/{first}",
                        source="templates",
                        bias=tilt.name,
                        origin=attribute,
                        texts=texts,
                        groups=("group-1", "group-2"),
                        terms=(first, second),
                        stereotyped={"set-1": 0, "set-2": 1}.get(name),
                        attribute=attribute,
                        attribute_set=name,
                        template="[T] likes [A].",
                        group_spans=(((0, len(first)),), ((0, len(second)),)),
                    )
                )
    return made


def _score(pair: Pair, scorer: str, lean: float, generator: random.Random) -> PairScore:
    if scorer == "causal.prior-corrected.v1" and pair.origin.endswith(" 3"):
        return PairScore(pair, scorer, None, "the attribute cannot be replaced by a neutral word here")
    if pair.origin.endswith(" 5"):
        return PairScore(pair, scorer, None, f"too long for the model {HOSTILE if pair.bias == 'hostile' else ''}")
    # Scorers differ: one of them leans the other way on weak biases.
    twist = -0.6 if scorer == "causal.mean.v1" else 0.0
    gap = generator.gauss(lean + twist, 1.0)
    first = generator.gauss(-30, 4)
    return PairScore(pair, scorer, (first, first - gap) if pair.stereotyped != 1 else (first, first + gap))
