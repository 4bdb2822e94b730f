"""Studies to begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tiltmeter.models.embedded import NAME


@dataclass(frozen=True, slots=True)
class Preset:
    """A study that somebody can start from, and what it is good for."""

    key: str
    title: str
    about: str
    data: dict[str, Any]


def _study(name: str, specs: list[str], **views: Any) -> dict[str, Any]:
    return {"name": name, "specs": specs, "models": [NAME], "seed": 7, **views}


PRESETS = (
    Preset(
        "quick",
        "A quick look",
        "Which of two sentences does the embedded model prefer? The smallest of these studies.",
        _study(
            "a quick look",
            ["gender-math-arts", "gender-science-arts"],
            pairs={"sources": [{"templates": {"per_attribute": 6}}], "scorers": ["prior-corrected", "sum"]},
        ),
    ),
    Preset(
        "writes",
        "What it writes",
        "What does the model write about women and men, young and old, and how do three tools read that?",
        _study(
            "what it writes",
            [],
            continuations={
                "sources": [{"own-prompts": {"domain": ["gender", "age"], "per_group": 16}}],
                "decoding": {"temperature": 1.0, "max_new_tokens": 30},
                "samples": 3,
                "raters": ["sentiment.vader", "toxicity.linear", "regard.minilm"],
            },
        ),
    ),
    Preset(
        "three",
        "All three views",
        "The same biases seen as preferences, as texts and as expected words: what do they agree on?",
        _study(
            "three views",
            ["gender-professions", "gender-science-arts"],
            pairs={"sources": [{"templates": {"per_attribute": 8}}], "scorers": ["prior-corrected", "sum"]},
            continuations={
                "sources": [{"own-prompts": {"domain": ["gender"], "per_group": 16}}],
                "decoding": {"temperature": 1.0, "max_new_tokens": 20},
                "samples": 3,
                "raters": ["sentiment.vader", "toxicity.linear", "regard.minilm"],
            },
            next_words={
                "sources": [{"profession-templates": {"limit": 10}}, {"natural": {"limit": 20}}],
                "words": ["he-she", "pronouns"],
                "saliency": "gradient-x-input",
            },
        ),
    ),
    Preset(
        "multiverse",
        "Many choices: a multiverse",
        "Every defensible choice at once: which conclusions survive another scorer, temperature, length and tool?",
        _study(
            "many choices",
            ["gender-professions", "gender-science-arts", "gender-math-arts"],
            pairs={
                "sources": [{"templates": {"per_attribute": 12}}, {"rephrased": {"per_attribute": 12}}],
                "scorers": ["prior-corrected", "sum", "mean", "rest"],
            },
            continuations={
                "sources": [{"own-prompts": {"domain": ["gender", "age"], "per_group": 16}}],
                "decoding": {"temperature": [0.6, 1.0], "max_new_tokens": [10, 30]},
                "samples": 3,
                "raters": ["sentiment.vader", "sentiment.minilm", "toxicity.linear", "toxicity.tiny", "regard.minilm"],
            },
            next_words={
                "sources": [{"profession-templates": {"limit": 20}}, {"natural": {"limit": 60}}],
                "words": ["he-she", "pronouns"],
            },
        ),
    ),
)
EMPTY = Preset(
    "empty",
    "From nothing",
    "An empty form.",
    _study("", [], pairs={}),
)


def preset(key: str) -> Preset:
    """The preset of a key; the empty one where there is none."""
    return next((one for one in PRESETS if one.key == key), EMPTY)
