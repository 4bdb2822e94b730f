"""The columns of the tables of a run, as `docs/measurements.md` explains them, and what rows of all views share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tiltmeter.records import ASKING, Decoding, Prompt, Span

DECODING: Mapping[str, type] = {
    "temperature": float,
    "top_k": int,
    "top_p": float,
    "max_new_tokens": int,
    "beams": int,
    "whole_sentences": int,
    "stop": str,
    **dict.fromkeys(ASKING, str),
}
SCALE: Mapping[str, type] = {"scale_low": float, "scale_high": float, "neutral": float, "worse": int}
CHOSEN: Mapping[str, type] = {
    "scorer": str,
    "rater": str,
    "scope": str,
    **DECODING,
    "words": str,
    "bounded": int,
    "combine": str,
    "wording": str,
    "order": str,
    "condition": str,
    "measure": str,
}
"""What is chosen for all items of a source."""
CHOICES: Mapping[str, type] = {"source": str, "structure": str, **CHOSEN, "perturbation": str, "set": int}
"""What can be chosen otherwise: all other columns say what was measured."""
MEASUREMENTS: Mapping[str, type] = {
    **dict.fromkeys(("model", "view", "bias", "item", "origin", "template", "term", "attribute_set"), str),
    **dict.fromkeys(("group", "against"), str),
    **CHOICES,
    "sample": int,
    "value": float,
    "reason": str,
    "label": str,
    "parts": str,
    **SCALE,
    "benchmark": int,
}
ITEMS: Mapping[str, type] = {
    "number": int,
    **dict.fromkeys(("item", "view", "source", "bias", "origin", "structure", "kind", "family", "skeleton"), str),
    **dict.fromkeys(("template", "attribute", "attribute_set", "group", "against", "term", "other_term"), str),
    **dict.fromkeys(("text", "other_text", "marks", "other_marks"), str),
    "swapped": int,
    **dict.fromkeys(("role", "written_for", "stereotyped", "words"), str),
    **dict.fromkeys(("perturbation", "language", "status", "condition", "reason"), str),
    "set": int,
    "benchmark": int,
}
TEXTS: Mapping[str, type] = {
    "number": int,
    **dict.fromkeys(("model", "item", "source", "bias", "group"), str),
    **DECODING,
    "sample": int,
    "text": str,
    "tokens": int,
    "ended": str,
    "reason": str,
}
STEREOTYPED, OTHER = "stereotyped", "other"
"""The two sides of a pair that names no groups."""
FIRST, SECOND = "first", "second"
"""The same of a pair of which neither text is stereotyped."""
CONTROL, MEANING, STAND_INS = "control", "meaning", ("regenerated", "template")
"""Roles of pairs that are not the test itself."""
SCORE, ASIDE = "score", "stand-in"
"""The log-probability of one text; what measures of pairs are called that only stand in for flagged sentences."""
RATING, GIVEN = "rating", "rating as given"
"""What a rater makes of a text; and what it said before refusals and numbers off its scale were taken out."""
APART, BETWEEN, WITHIN = "apart", "similarity between groups", "similarity within a group"
"""Of texts whose prompts differ in the group alone: how much less alike those of two groups are than those of one."""
TILT = "rater tilt"
"""What a rater makes of a sentence in which only the group changes."""
REFUSED = "refused"
"""Of replies: whether the model would not answer; and why it then has no other value."""
HUMAN = "human"
"""Before the name of a person who is a rater, and before what the person rated."""
PROBABILITY, HIGHEST, GAP = "probability", "highest", "gap"
"""Of next words: the probability of a group, that of the likeliest word of all, and how far the next is behind it."""
WORD = "log_probability"
"""Of one word, which is the label."""
SALIENCY = ("saliency.profession", "saliency.last", "saliency.residue")
AUDIT = "issues"
"""The audit of written sentences as a rater; a run does not say which version of it looked."""


def of_prompt(prompt: Prompt) -> dict[str, object]:
    """What all tables say of a prompt."""
    return {
        "item": prompt.id,
        "source": prompt.source,
        "bias": prompt.bias,
        "origin": prompt.origin,
        "structure": prompt.structure.id if prompt.structure else None,
        "template": prompt.template,
        "term": prompt.term or None,
    }


def prompt_item(prompt: Prompt, hidden: Sequence[Span] = ()) -> dict[str, object]:
    """A prompt as a row of items; some of it may be hidden from the model."""
    return {
        **of_prompt(prompt),
        **(prompt.structure.cells() if prompt.structure else {}),
        "attribute": prompt.attribute,
        "group": prompt.group,
        "text": prompt.text,
        "marks": marks({"group": prompt.group_spans, "attribute": prompt.subject_spans, "hidden": hidden}),
        "stereotyped": prompt.stereotyped,
        "words": json.dumps(prompt.word_sets, ensure_ascii=False) if prompt.word_sets else None,
        "language": prompt.language,
        "status": prompt.status or None,
    }


def marks(spans: Mapping[str, Sequence[Span]]) -> str | None:
    """Where a text names what, as JSON: `{"group": [[4, 9]]}`."""
    found = {kind: each for kind, each in spans.items() if each}
    return json.dumps(found) if found else None


def settings_of(decoding: Decoding) -> dict[str, object]:
    """A decoding as columns."""
    stop = json.dumps(decoding.stop, ensure_ascii=False) if decoding.stop else None
    said = {"stop": stop, **{name: getattr(decoding, name) or None for name in ASKING}}
    return {name: said[name] if name in said else kind(getattr(decoding, name)) for name, kind in DECODING.items()}


def scale(low: float | None, high: float | None, neutral: float | None, worse: int) -> dict[str, object]:
    """A scale as columns."""
    return dict(zip(SCALE, (low, high, neutral, worse), strict=True))
