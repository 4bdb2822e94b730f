"""Studies to begin with: three questions, each in three sizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from tiltmeter.models.embedded import NAME
from tiltmeter.study import Plan, parse, plan
from tiltmeter.toml_writing import to_toml


@dataclass(frozen=True, slots=True)
class Preset:
    """A study that somebody can start from."""

    key: str
    title: str
    about: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StudyQuestion:
    """A question that a study can answer, and studies of three sizes that do."""

    key: str
    title: str
    about: str
    sizes: tuple[Preset, ...]


_SIZES = ("Small", "Medium", "Large")
_SCORERS = ["prior-corrected", "sum", "mean", "rest"]
_RATERS = ["sentiment.minilm", "toxicity.minilm", "hate.minilm", "regard.minilm"]
_MORE_RATERS = [*_RATERS, "sentiment.vader", "toxicity.linear"]


def _pairs(specs: list[str], per_attribute: int, scorers: list[str], *more: str) -> dict[str, Any]:
    sources = [{name: {"per_attribute": per_attribute}} for name in ("templates", *more)]
    return {"specs": specs, "pairs": {"sources": sources, "scorers": scorers}}


def _texts(domains: list[str], per_group: int, decoding: dict[str, Any], raters: list[str]) -> dict[str, Any]:
    sources = [{"own-prompts": {"domain": domains, "per_group": per_group}}]
    return {"continuations": {"sources": sources, "decoding": decoding, "samples": 3, "raters": raters}}


def _words(professions: int, sentences: int, words: list[str]) -> dict[str, Any]:
    sources = [{"profession-templates": {"limit": professions}}, {"natural": {"limit": sentences}}]
    return {"next_words": {"sources": sources, "words": words}}


def _question(key: str, title: str, about: str, *sizes: tuple[str, dict[str, Any]]) -> StudyQuestion:
    made = []
    for size, (what, data) in zip(_SIZES, sizes, strict=True):
        study = {"name": f"{key} {size.lower()}", "models": [NAME], "seed": 7, **data}
        made.append(Preset(f"{key}-{size.lower()}", size, what, study))
    return StudyQuestion(key, title, about, tuple(made))


QUESTIONS = (
    _question(
        "prefers",
        "Which sentence does it prefer?",
        "The model compares sentences that differ only in the group they are about.",
        ("Two biases, two scorers.", _pairs(["gender-math-arts", "gender-science-arts"], 6, _SCORERS[:2])),
        ("Professions of women and men, three scorers.", _pairs(["gender-professions"], 12, _SCORERS[:3])),
        (
            "Professions and first names, with rephrased sentences and four scorers.",
            _pairs(["gender-professions", "race-names-pleasant-1"], 6, _SCORERS, "rephrased"),
        ),
    ),
    _question(
        "writes",
        "What does it write?",
        "The model continues prompts about each group, and several raters read the texts.",
        (
            "Women and men, 16 prompts each.",
            _texts(["gender"], 16, {"temperature": 1.0, "max_new_tokens": 20}, _RATERS),
        ),
        (
            "Gender and age, 32 prompts for each group.",
            _texts(["gender", "age"], 32, {"temperature": 1.0, "max_new_tokens": 30}, _RATERS),
        ),
        (
            "Gender and age, two temperatures, two lengths, five raters.",
            _texts(["gender", "age"], 48, {"temperature": [0.6, 1.0], "max_new_tokens": [10, 30]}, _MORE_RATERS),
        ),
    ),
    _question(
        "expects",
        "Which group does it expect?",
        "The model fills in “he”, “she” or “they” after sentences about people in many professions.",
        ("A few professions.", _words(10, 20, ["he-she"])),
        ("More professions, and more words for each group.", _words(20, 60, ["he-she", "pronouns"])),
        ("All professions and sentences of several templates.", _words(60, 240, ["he-she", "pronouns"])),
    ),
)
PRESETS = tuple(size for question in QUESTIONS for size in question.sizes)
_EMPTY = Preset("empty", "", "", {"name": "", "models": [NAME], "seed": 7, "pairs": {}})


@cache
def planned_preset(key: str) -> Plan:
    """The plan of a preset, which is the same in every folder."""
    return plan(parse(to_toml(preset(key).data)))


def preset(key: str) -> Preset:
    """The preset of a key; the empty one where there is none."""
    return next((one for one in PRESETS if one.key == key), _EMPTY)
