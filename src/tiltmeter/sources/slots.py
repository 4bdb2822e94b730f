"""Fills the slots of a template with a group term and an attribute; puts one word in the place of another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.english import ARTICLE, article_for, article_in_case, capitalised, starts_sentence
from tiltmeter.records import Span

_SLOT = re.compile(r"\[(T|A|MASK)\]")


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with its slots filled; `article_spans` are a/an directly before a group term, which agree with it."""

    text: str
    term_spans: tuple[Span, ...]
    attribute_spans: tuple[Span, ...]
    article_spans: tuple[Span, ...]


def fill(template: str, term: str, attribute: str | None = None, *, agreement: bool = True) -> Filled:
    """Put a group term at `[T]` (or `[MASK]`) and an attribute at `[A]`.

    With `agreement` a slot that starts a sentence gets a capital, and a/an before a slot fits the word.

    >>> fill("[T] is a [A].", "she", "electrician").text
    'She is an electrician.'
    """
    if attribute is None and "[A]" in template:
        raise ValueError(f"the template {template!r} has [A], and no attribute was given")
    text, place, filled = "", 0, 0
    spans: dict[str, list[Span]] = {"term": [], "attribute": [], "article": []}
    for slot in _SLOT.finditer(template):
        text += template[place : slot.start()]
        kind = "attribute" if slot[1] == "A" else "term"
        filler = (attribute or "") if kind == "attribute" else term
        if agreement:
            article = ARTICLE.search(text)
            # A filler that is itself an "a" is no article of the template's.
            if article and article.start() >= filled:
                right = article_in_case(article[1], article_for(filler) or article[1].lower(), filler)
                text = f"{text[: article.start()]}{right}{article[2]}"
                if kind == "term":
                    spans["article"].append((article.start(), article.start() + len(right)))
            elif not article and starts_sentence(text, len(text)):
                filler = capitalised(filler)
        spans[kind].append((len(text), len(text) + len(filler)))
        text += filler
        place, filled = slot.end(), len(text)
    text += template[place:]
    return Filled(text, tuple(spans["term"]), tuple(spans["attribute"]), tuple(spans["article"]))


_NEAR = 60
"""Characters before a word in which its article is looked for."""


def replaced(text: str, spans: Sequence[Span], word: str) -> str:
    """The text with a word in place of the spans, with a/an before it and a capital at the start as it needs them.

    >>> replaced("Electricians like an electrician.", [(0, 12), (21, 32)], "person")
    'Person like a person.'
    """
    for start, end in reversed(spans):
        before = text[:start]
        article = ARTICLE.search(before, max(0, start - _NEAR))
        right = article_for(word) if article else None
        if article and right:
            cased = article_in_case(article[1], right, word)
            before = f"{before[: article.start()]}{cased}{article[2]}"
        fitting = capitalised(word) if starts_sentence(text, start) else word
        text = f"{before}{fitting}{text[end:]}"
    return text
