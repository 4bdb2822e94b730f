"""What decodings, scopes, raters and scorers are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from tiltmeter.raters.class_map import JUDGE, OWN, declared, split
from tiltmeter.records import ASKING, Decoding
from tiltmeter.results.summary.by_rater import Row

AXES = {
    "max_new_tokens": "new tokens",
    "temperature": "temperature",
    "beams": "beams",
    "top_k": "top k (0: no cut)",
    "top_p": "top p (1: no cut)",
}
"""Choices along which a curve can be drawn."""


def decoding_words(decoding: Decoding, every: Iterable[Decoding]) -> str:
    """Temperature and length, and whatever else differs between the decodings of the run; a cut only where one is made.

    >>> decoding_words(Decoding(0.6, max_new_tokens=10), [Decoding(1.0)])
    'temperature 0.6, 10 tokens'
    """
    differing = varying(every)
    words = ["greedy" if not decoding.temperature else f"temperature {decoding.temperature:g}"]
    if decoding.beams > 1:
        words = [f"{decoding.beams} beams"]
    words.append(f"{decoding.max_new_tokens} tokens")
    if decoding.unstated:
        words = [*words[: "temperature" not in decoding.unstated], "settings not stated"]
    if "top_k" in differing and decoding.top_k:
        words.append(f"top k {decoding.top_k}")
    if "top_p" in differing and decoding.top_p < 1:
        words.append(f"top p {decoding.top_p:g}")
    if "whole_sentences" in differing:
        words.append("to the sentence's end" if decoding.whole_sentences else "to the limit")
    words += [asking_words(name, getattr(decoding, name)) for name in ASKING if name in differing]
    if "stop" in differing:
        words.append(f"{len(decoding.stop)} stop texts")
    return ", ".join(words)


def asking_words(name: str, value: str) -> str:
    """How the prompt is put, in a few words without commas.

    >>> asking_words("form", "chat"), asking_words("system", ""), asking_words("request", "Finish this: {prompt}")
    ('asked as chat', 'own system prompt', 'request “Finish this: {prompt}”')
    """
    short = " ".join(value.replace(",", " ").split())
    short = short if len(short) <= _SHORT else f"{short[: _SHORT - 1]}…"
    if name == "form":
        return f"asked as {value or 'named'}"
    called = {"request": "request", "system": "system prompt"}[name]
    return f"{called} “{short}”" if value else {"request": "our request", "system": "own system prompt"}[name]


_SHORT = 48
"""Characters of a request or system prompt that tell it from others."""


def varying(decodings: Iterable[Decoding]) -> list[str]:
    """The settings that are not the same in all decodings, in the order of the record."""
    found = [asdict(decoding) for decoding in decodings]
    return [name for name in (found[0] if found else {}) if len({repr(one[name]) for one in found}) > 1]


def row_words(row: Row, rows: Sequence[Row]) -> tuple[str, str]:
    """The prompt set of a row, and its decoding; the scope where rows differ in it."""
    source, decoding, scope = row
    words = decoding_words(decoding, (one for _, one, _ in rows))
    scopes = {one for _, _, one in rows}
    how = words if len(scopes) == 1 else f"{words}, {'with' if scope == 'whole' else 'without'} the prompt"
    return source_words(source), how


def rater_words(rater: str) -> str:
    """A rater's name without its version, as a column heading.

    >>> rater_words("toxicity.linear.v1"), rater_words("judge.chat.v1:regard:smollm2-135m")
    ('toxicity linear', 'judge regard (smollm2-135m)')
    >>> rater_words("judge.chat.v1:own@12ab34cd56ef:smollm2-135m[yes=1,no=0;worse=low;axis=competence]")
    'judge competence (smollm2-135m, question 12ab)'
    """
    name, _, argument = rater.partition(":")
    meaning = declared(rater)
    if meaning is not None and name == JUDGE:
        asked, _, model = split(argument)[0].removeprefix(OWN).partition(":")
        return f"judge {meaning.axis} ({model}, question {asked[:4]})"
    if meaning is not None:
        return f"{meaning.axis} ({split(argument)[0].rpartition('/')[2]})"
    words = name.rsplit(".v", 1)[0].replace(".", " ")
    question, _, model = argument.partition(":")
    if name.startswith("judge.") and model:
        return f"judge {question} ({model})"
    return f"{words} ({argument.rpartition('/')[2]})" if argument else words


def choice_words(name: str, setting: str) -> str:
    """A choice with its setting, as readers know both.

    >>> choice_words("rater", "toxicity.tiny.v1"), choice_words("new tokens", "10")
    ('rater toxicity tiny', 'new tokens 10')
    """
    known = {"rater": rater_words, "scorer": short_scorer, "source": source_words}
    return f"{name} {known[name](setting) if name in known else setting}"


def choices_words(choices: Mapping[str, str]) -> str:
    """A method: all of its choices."""
    return ", ".join(choice_words(name, setting) for name, setting in choices.items() if setting)


def source_words(source: str) -> str:
    """A source with its options in words.

    >>> source_words("own-prompts[domain=gender+age, per_group=16]"), source_words("natural")
    ('own-prompts (domain: gender and age, per group: 16)', 'natural')
    """
    name, _, options = source.rstrip("]").partition("[")
    words = options.replace("=", ": ").replace("+", " and ").replace("_", " ")
    return f"{name} ({words})" if words else name


def short_scorer(scorer: str) -> str:
    """A scorer's name without family and version, as a column heading.

    >>> short_scorer("causal.prior-corrected.v1")
    'prior-corrected'
    """
    return scorer.rsplit(".v", 1)[0].split(".", 1)[-1]
