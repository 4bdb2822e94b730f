"""The upper constituents of a text in the notation of the Penn Treebank, read off a dependency parse: approximate.

It goes as deep as the grammar's own (`structures.toml`) and has its labels: the clause and its immediate parts. A
text that breaks off has the skeleton of the sentence that it begins; a fragment is the clause or phrase that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tiltmeter.english import AUXILIARIES, BE

Token = Any
"""A token of spaCy."""

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
CONJOINING = frozenset({"and", "but", "or"})
_PHRASES = {"NOUN": "NP", "PROPN": "NP", "PRON": "NP", "NUM": "NP", "DET": "NP", "ADP": "PP", "SCONJ": "PP"}
_PHRASES |= {"ADV": "ADVP", "ADJ": "ADJP", "VERB": "VP", "AUX": "VP", "PART": "VP"}
_TAGS = {**dict.fromkeys(("did", "was", "were", "had"), "VBD"), **dict.fromkeys(("does", "is", "has"), "VBZ")}
_TAGS |= dict.fromkeys(("do", "are", "am", "have"), "VBP")
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_ASKING_HOW = frozenset({"where", "when", "why", "how"})
_INTRODUCING = frozenset(
    {"when", "while", "if", "because", "although", "though", "since", "unless", "until", "whereas"}
)


def skeleton(words: list[Token], marks: frozenset[str], inverted: int | None = None) -> str:
    """The clause and its parts from left to right, no deeper.

    `marks` say what the clause is, and `inverted` where its auxiliary stands before the subject; see
    `tiltmeter.sources.rephrased.paraphrasing.form`.
    """
    stop = ["."] if words[-1].text in {".", "?", "!"} else []
    label, parts = _top(words[: len(words) - len(stop)], marks, inverted)
    return f"(ROOT ({label}{''.join(f' ({part})' for part in [*parts, *stop])}))"


def _top(words: list[Token], marks: frozenset[str], inverted: int | None) -> tuple[str, list[str]]:
    sentence = ("S", ["NP", "VP"])
    shapes: dict[str, Callable[[], tuple[str, list[str]]]] = {
        "wh-question": lambda: ("SBARQ", [_asked(words[0]), "SQ"]),
        "subordinate": lambda: _subordinate(words),
        "inverted": lambda: ("SQ", [*_front(words[:inverted]), *_questioned(words[inverted:])]),
        "reported": lambda: sentence,
        "embedded-question": lambda: sentence,
        "extraposed": lambda: sentence,
        "pseudo-cleft": lambda: ("S", ["SBAR", "VP"]),
        "relative": lambda: ("NP", ["NP", *_comma_before_pronoun(words), "SBAR"]),
        "cleft": lambda: _joined(words) or sentence,
        "existential": lambda: _joined(words) or sentence,
    }
    shape = next((shape for mark, shape in shapes.items() if mark in marks), None)
    return shape() if shape else _joined(words) or ("S", _clause(words))


def _asked(first: Token) -> str:
    return "WHADVP" if first.lower_ in _ASKING_HOW else "WHNP"


def _subordinate(words: list[Token]) -> tuple[str, list[str]]:
    """A clause behind its conjunction; with a comma and a subject behind it, the front of a sentence."""
    comma = next((token.i for token in words if token.text == "," and token.i > words[0].i + 1), None)
    root = next((token for token in words if token.dep_ == "ROOT"), words[0])
    within = words[1].text == "," if len(words) > 1 else False
    if comma is None or within or root.i < comma:
        return "SBAR", ["IN", "S"]
    return "S", _clause(words)


def _comma_before_pronoun(words: Sequence[Token]) -> list[str]:
    at = next((at for at, token in enumerate(words) if at and token.tag_ in {"WP", "WDT", "WP$"}), 0)
    return [","] if at and words[at - 1].text == "," else []


def _joined(words: list[Token]) -> tuple[str, list[str]] | None:
    """Two clauses side by side, where the second has a subject of its own: "…, and everyone"."""
    for at in range(len(words) - 2, 1, -1):
        if words[at].lower_ not in CONJOINING:
            continue
        comma = words[at - 1].text == ","
        second, first = words[at + 1 :], words[: at - comma]
        verb = next((place for place, token in enumerate(second) if token.tag_ in _FINITE), len(second))
        named = any(token.pos_ in {"NOUN", "PROPN", "PRON"} for token in second[:verb])
        # Without a comma and a verb, "and the" may as well go on with the nouns before it.
        if named and (comma or verb < len(second)) and any(token.tag_ in _FINITE for token in first):
            return "S", ["S", *([","] if comma else []), "CC", "S"]
    return None


def _clause(words: list[Token]) -> list[str]:
    """The parts of a statement: what stands in front of its subject, the subject, an adverb, and the verb phrase."""
    comma = max((at for at, token in enumerate(words) if token.text == "," and _opens(words[:at])), default=-1)
    front, rest = words[: comma + 1], words[comma + 1 :]
    verb = next((at for at, token in enumerate(rest) if token.tag_ in _FINITE), len(rest))
    subject = next((at for at, token in enumerate(rest) if token.pos_ in {"NOUN", "PROPN", "PRON"}), 0)
    adverb = verb and rest[verb - 1].pos_ == "ADV" and verb - 1 > subject
    # "The visitor, at that time, worked as" has its subject in front.
    named = ["NP"] if verb or not front else []
    return [*_front(front), *named, *(["ADVP"] if adverb else []), "VP"]


def _opens(words: list[Token]) -> bool:
    """Whether these words stand in front of a clause, and are no part of one: a phrase, or a clause of their own."""
    if not words:
        return False
    last = max((at + 1 for at, token in enumerate(words) if token.text == ","), default=0)
    if last and not _opens(words[: last - 1]):
        return False
    part = words[last:]
    is_clause = bool(part) and (part[0].lower_ in _INTRODUCING or part[0].tag_ in {"VBG", "TO"})
    return is_clause or not any(token.tag_ in _FINITE for token in part)


def _front(words: list[Token]) -> list[str]:
    """What stands in front, part by part, with the commas behind them."""
    parts: list[str] = []
    begun: Token | None = None
    for token in words:
        if token.text == ",":
            parts += [_label(begun), ","] if begun is not None else [","]
            begun = None
        elif begun is None:
            begun = token
    return [*parts, _label(begun)] if begun is not None else parts


def _label(first: Token) -> str:
    """The phrase or clause that begins with this word."""
    if first.lower_ in _INTRODUCING:
        return "SBAR"
    if first.lower_ == "according":
        return "PP"
    if first.tag_ in {"VBG", "TO", "VBN"}:
        return "S"
    return _PHRASES.get(first.pos_, "NP")


def _questioned(words: list[Token]) -> list[str]:
    """Auxiliary, subject and what is said of it; where nothing is said yet of the subject of a be, no third part."""
    operator = words[0]
    denied = ["RB"] if any(token.lower_ == "not" for token in words) else []
    said = _said(words) if operator.lower_ in BE else "VP"
    return [_TAGS.get(operator.lower_, "MD"), "NP", *denied, *([said] if said else [])]


def _said(words: list[Token]) -> str | None:
    """What a be in front says of the subject behind it, told by the first word behind the subject's noun."""
    noun = next((at for at, token in enumerate(words) if at and token.pos_ in {"NOUN", "PROPN", "PRON"}), None)
    while noun is not None and noun + 1 < len(words) and words[noun + 1].pos_ in {"NOUN", "PROPN"}:
        noun += 1
    if noun is None:
        return None
    behind = [token for token in words[noun + 1 :] if token.pos_ not in {"ADV", "PUNCT"} and token.lower_ != "not"]
    if not behind:
        return None
    first = behind[0]
    if first.tag_ in {"VBN", "VBG", "VBD"} or first.lower_ in AUXILIARIES:
        return "VP"
    if first.pos_ == "ADJ":
        return "ADJP"
    return _PHRASES.get(first.pos_, "NP")
