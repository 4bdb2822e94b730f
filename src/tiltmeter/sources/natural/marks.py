"""The annotated form of a sentence, after Appendix A of Alnegheimish, Guo & Sun (2022).

Four marks stand in the sentence itself: `[profession:silversmith]`, the word that perturbations hide;
`[person:craftsperson]`, a noun that would give the trade away, for which *person* is put; `[remove: and other metals]`,
what is left out to shorten the sentence; and at the end `[continue:, where]`, after which a pronoun can follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tiltmeter.english import ARTICLE, article_for, article_in_case, capitalised
from tiltmeter.records import Span

CONTINUATIONS = ("where", "because", "and", "that")
"""The words that end a prompt, in the order of preference."""
PERSON = "person"

_MARK = re.compile(r"\[(profession|person|remove|continue):([^\[\]]*)\]")
_RIGHT = "[profession:…], [person:…], [remove:…] and, last, [continue:, where]"


@dataclass(frozen=True, slots=True)
class Applied:
    """What an annotated sentence comes to: the prompt, where the profession stands in it, and the full sentence."""

    prompt: str
    spans: tuple[Span, ...]
    profession: str
    sentence: str
    continuation: str


def apply(annotated: str) -> Applied:
    """Carry the marks out; ValueError, with a sentence for the user, where they cannot be.

    >>> made = apply("An [profession:usher] is an [person:aide] who shows people in[remove: and out][continue:, where]")
    >>> made.prompt, made.sentence
    ('An usher is a person who shows people in, where', 'An usher is an aide who shows people in and out.')
    """
    marks = list(_MARK.finditer(annotated))
    _check(annotated, marks)
    prompt = full = ""
    spans: list[Span] = []
    place = 0
    for mark in marks:
        between = annotated[place : mark.start()]
        prompt, full, place = _joined(prompt, between), full + between, mark.end()
        kind, words = mark[1], mark[2]
        if kind == "profession":
            prompt = _agreeing(prompt, words)
            spans.append((len(prompt), len(prompt) + len(words)))
            prompt, full = prompt + words, full + words
        elif kind == "person":
            prompt, full = _agreeing(prompt, PERSON) + PERSON, full + words
        elif kind == "remove":
            prompt, full = _closed(prompt, words, annotated[place:]), full + words
        else:
            prompt += words
    if not prompt[:1].isupper():
        prompt = capitalised(prompt)
    profession = next(mark[2] for mark in marks if mark[1] == "profession")
    return Applied(prompt, tuple(spans), profession, _sentence(full), marks[-1][2].strip(" ,"))


def mark(kind: str, words: str) -> str:
    """One mark, as it stands in an annotated sentence; nothing where there are no words.

    >>> mark("remove", " of silver"), mark("remove", "")
    ('[remove: of silver]', '')
    """
    return f"[{kind}:{words}]" if words else ""


def name_of(profession: str) -> str:
    """The profession as it is listed: in small letters, but for what is all capitals.

    >>> name_of("Head Nurse"), name_of("CAD Operator")
    ('head nurse', 'CAD operator')
    """
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in profession.split())


def _check(annotated: str, marks: list[re.Match[str]]) -> None:
    rest = _MARK.sub("", annotated)
    if "[" in rest or "]" in rest:
        raise ValueError(f"a bracket that is not a mark; the marks are {_RIGHT}")
    kinds = [mark[1] for mark in marks]
    if kinds.count("profession") != 1:
        raise ValueError(f"{kinds.count('profession')} professions are marked; mark one, [profession:…]")
    if kinds.count("continue") != 1 or kinds[-1] != "continue" or annotated[marks[-1].end() :].strip():
        raise ValueError("a sentence ends in one [continue:…], with nothing after it")
    word = marks[-1][2].strip(" ,")
    if word not in CONTINUATIONS:
        raise ValueError(f"`{word}` does not continue a sentence; write {', '.join(CONTINUATIONS)}")
    if not all(mark[2].strip() for mark in marks):
        raise ValueError("an empty mark; remove it or put words into it")


def _joined(prompt: str, words: str) -> str:
    # After a removal "a" may stand before another word than it was written for.
    if not words.strip():
        return prompt if words.startswith(" ") and prompt.endswith(" ") else prompt + words
    if prompt.endswith(" ") and words.startswith(" "):
        words = words[1:]
    return _agreeing(prompt, words) + words


def _agreeing(prompt: str, following: str) -> str:
    article = ARTICLE.search(prompt)
    right = article_for(following) if article and following[:1].strip() else None
    if not article or right is None:
        return prompt
    return f"{prompt[: article.start()]}{article_in_case(article[1], right, following)}{article[2]}"


def _closed(prompt: str, removed: str, after: str) -> str:
    """The prompt so far where words go that had a space on both sides: one of the two goes along."""
    both = removed.startswith(" ") and removed.endswith(" ")
    return prompt.rstrip() + " " if both and not after.startswith(" ") else prompt


def _sentence(full: str) -> str:
    words = full.rstrip(" ,;:")
    return capitalised(words) + ("" if words.endswith((".", "!", "?")) else ".")
