"""Terms that every page explains where it first uses them, and that the glossary lists."""

from __future__ import annotations

from collections.abc import Mapping

GLOSSARY: Mapping[str, str] = {
    "method": "One combination of choices: a source of text, a scorer or rater, a decoding. Each has its own estimate.",
    "test words": "The words whose tie to a group is tested, such as professions. Errors cluster by them.",
    "SD": "Standard deviation: how much single test words differ. 0.2 is a small effect, 0.5 medium, 0.8 large.",
    "power": "How often a study finds a difference of this size where there is one.",
    "instrument check": "The same measurement where the answer is known, such as flowers and insects.",
    "probability": "How likely the model says a word or sentence is, between 0 and 1.",
    "log-probability": "The logarithm of a probability: 0 is certain, and more negative is less probable.",
    "spec": "A file that says which groups and words a bias is about.",
    "source": "Where sentences or prompts come from, such as templates or a data set.",
    "scorer": "How the probabilities of two sentences are compared.",
    "rater": "A program that rates a text, such as its sentiment or toxicity.",
    "decoding": "How a model chooses the words that it writes: temperature, length and so on.",
    "seed": "The number that random choices start from. The same seed gives the same numbers again.",
}
