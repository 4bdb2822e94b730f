"""The upper constituents of a text in the notation of the Penn Treebank, read off a dependency parse: approximate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Token = Any
"""A token of spaCy."""

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_PHRASES = {"NOUN": "NP", "PROPN": "NP", "PRON": "NP", "NUM": "NP", "DET": "NP", "ADP": "PP", "SCONJ": "PP"}
_PHRASES |= {"ADV": "ADVP", "ADJ": "ADJP", "VERB": "VP", "AUX": "VP", "PART": "VP"}


def skeleton(words: list[Token], marks: frozenset[str]) -> str:
    """The clause, its parts from left to right, and the parts of its verb phrase; no deeper.

    `marks` say what the clause is; see `tiltmeter.sources.rephrased.paraphrasing.form`.
    """
    stop = " (.)" if words[-1].text in {".", "?", "!"} else ""
    return f"(ROOT ({_top(words, marks)}{stop}))"


def _top(words: list[Token], marks: frozenset[str]) -> str:
    root = next((token for token in words if token.dep_ == "ROOT"), words[0])
    shapes: dict[str, Callable[[], str]] = {
        "wh-question": lambda: f"SBARQ ({_asked(words[0])}) (SQ{_inside(words, root, past_subject=True)})",
        "subordinate": lambda: f"FRAG (SBAR (IN) (S{_clause(words[1:], root)}))",
        "relative": lambda: f"FRAG (NP (NP) (SBAR (WHNP) (S{_inside(words, root, past_subject=True)})))",
        "inverted": lambda: f"SQ{_clause(words, root)}",
        "pseudo-cleft": lambda: "S (SBAR (WHNP) (S)) (VP)",
        "cleft": lambda: "S (NP) (VP (NP) (SBAR (WHNP) (S)))",
        "extraposed": lambda: f"S (NP) (VP ({_between(words)}) (SBAR (IN) (S)))",
    }
    shape = next((shape for mark, shape in shapes.items() if mark in marks), None)
    return shape() if shape else f"S{_clause(words, root)}"


def _asked(first: Token) -> str:
    return "WHADVP" if first.lower_ in {"where", "when", "why", "how"} else "WHNP"


def _between(words: list[Token]) -> str:
    return "ADJP" if words[2].pos_ in {"ADJ", "ADV", "VERB"} else "NP"


def _clause(words: list[Token], root: Token) -> str:
    """The parts of a clause: what stands before the verb, then the verb with what depends on it."""
    parts: list[str] = []
    for child in sorted(root.children, key=lambda token: int(token.i)):
        if child.i >= root.i or child.i < words[0].i or child.dep_ in {"punct", "neg", "auxpass"}:
            continue
        if child.dep_ == "aux":
            parts += [f"({child.tag_})"] if child.i == words[0].i else []
        else:
            parts.append(f"({_label(child)})")
    inside = _inside(words, root)
    return "".join(f" {part}" for part in [*parts, f"(VP{inside})"])


def _inside(words: list[Token], root: Token, *, past_subject: bool = False) -> str:
    """The parts of a verb phrase, in order, like parts in a row once."""
    labels: list[str] = []
    for child in sorted(root.children, key=lambda token: int(token.i)):
        if child.i <= root.i or child.dep_ in {"punct", "neg", "aux", "auxpass", "cc"} or child.i < words[0].i:
            continue
        if past_subject and child.dep_ in SUBJECTS:
            continue
        label = _label(child)
        if not labels or labels[-1] != label:
            labels.append(label)
    passive = any(child.dep_ == "auxpass" for child in root.children)
    inner = "".join(f" ({label})" for label in labels)
    return f" (VP{inner})" if passive else inner


def _label(token: Token) -> str:
    if token.dep_ in {"ccomp", "advcl", "relcl", "csubj"}:
        return "SBAR"
    if token.dep_ in {"xcomp", "acl", "conj"} and token.pos_ in {"VERB", "AUX"}:
        return "S"
    return _PHRASES.get(token.pos_, "X")
