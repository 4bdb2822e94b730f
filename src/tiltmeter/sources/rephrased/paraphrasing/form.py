"""The structure of a text as a dependency parse shows it: marks such as "cleft", a skeleton, who does what.

Read off the parse of a small pipeline, and of prompts that break off at that: approximate, and labelled so wherever it
is shown. Documents are spaCy's; they are given, so that nothing here loads a parser.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tiltmeter.english import AUXILIARIES, BE, DETERMINERS
from tiltmeter.sources.rephrased.paraphrasing.skeleton import SUBJECTS, Token, skeleton

FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
RELATIVE = frozenset({"WP", "WDT", "WP$"})
SPEAKING = frozenset({"say", "tell", "hear", "read", "report", "claim", "learn"})
ASKING = frozenset({"wonder", "ask", "know", "doubt"})
KNOWING = frozenset({"know", "hear", "think", "believe", "remember"})
SUBORDINATORS = frozenset({"if", "although", "because", "while", "since", "though", "unless", "whereas"})
EXTRAPOSING = frozenset({"secret", "surprise", "wonder", "fact", "pity", "shame"})
_WH = frozenset({"what", "who", "whom", "whose", "which", "where", "when", "why", "how"})


@dataclass(frozen=True, slots=True)
class Form:
    """What the parse of a text shows."""

    marks: frozenset[str]
    skeleton: str
    breaks_off: str
    """Behind what it breaks off: see `suits` in targets.toml."""
    past: bool | None
    """Whether the first finite verb is in the past tense; None where there is none, or it shows no tense."""
    roles: tuple[tuple[str, str, str], ...]
    """(verb, "subject" or "object", noun), as lemmas, with passives and relative pronouns resolved."""


def form_of(doc: Any) -> Form:
    """The structure of a parsed text."""
    words = [token for token in doc if not token.is_space]
    if not words:
        return Form(frozenset(), "(ROOT)", "whole", None, ())
    marks = frozenset(_marks(words))
    shape = skeleton(words, marks, _inverted(words))
    return Form(marks, shape, _breaks_off(words), _past(words), tuple(sorted(set(_roles(words)))))


def _marks(words: list[Token]) -> Iterator[str]:
    small = [*(token.lower_ for token in words), *[""] * (len(words) == 1)]
    inverted = _inverted(words)
    asks_reader = inverted == 0 and small[1] == "you" and any(token.lemma_ in KNOWING for token in words[:4])
    if small[0] in _WH and small[1] in AUXILIARIES:
        yield "wh-question"
    if small[0] == "what" and small[1] not in AUXILIARIES and small[-1] in BE and _has_verb(words[1:-1]):
        yield "pseudo-cleft"
    if inverted is not None:
        yield "inverted"
    if asks_reader:
        yield "asks-the-reader"
    if small[0] == "there" and small[1] in BE:
        yield "existential"
    yield from _after_it(words)
    if any(token.dep_ in {"auxpass", "nsubjpass", "agent"} for token in words):
        yield "passive"
    root = _main_verb(words)
    if root is not None and inverted is None:
        behind = [token for token in words if token.i > root.i]
        if root.lemma_ in SPEAKING and any(token.lower_ == "that" for token in behind[:4]) and _clause_follows(behind):
            yield "reported"
        if root.lemma_ in ASKING and behind and behind[0].lower_ in {"whether", "if"} | _WH:
            yield "embedded-question"
    if small[0] in SUBORDINATORS:
        yield "subordinate"
    if _is_relative(words):
        yield "relative"


def _inverted(words: list[Token]) -> int | None:
    """Where an auxiliary stands before its subject in the main clause: first, or behind a comma; None: nowhere."""
    places = [0, *(at + 1 for at, token in enumerate(words[:-1]) if token.text == ",")]
    for at in places:
        if at + 1 >= len(words) or words[at].lower_ not in AUXILIARIES:
            continue
        following = words[at + 1]
        # "had the" and "is the" at the beginning of a main clause have their subject behind them.
        if following.pos_ in {"DET", "NOUN", "PROPN", "PRON", "ADJ", "NUM"} and not any(
            token.dep_ in SUBJECTS and token.head.i == _head_of(words[at]).i for token in words[:at]
        ):
            return at
    return None


def _has_verb(words: list[Token]) -> bool:
    return any(token.pos_ in {"VERB", "AUX"} and token.dep_ != "amod" for token in words)


def _head_of(auxiliary: Token) -> Token:
    return auxiliary.head if auxiliary.dep_ in {"aux", "auxpass"} else auxiliary


def _after_it(words: list[Token]) -> Iterator[str]:
    """A cleft ("it was Alex who …") or an extraposed clause ("it is true that …")."""
    if words[0].lower_ != "it" or len(words) < 4 or words[1].lower_ not in BE:
        return
    at = next((at for at, token in enumerate(words) if at > 1 and token.lower_ in {"that", "who", "whom", "which"}), 0)
    if at < 3:
        return
    between = words[2:at]
    head = between[-1]
    extraposed = head.lemma_ in EXTRAPOSING or (head.pos_ in {"ADJ", "VERB", "ADV"} and words[at].lower_ == "that")
    yield "extraposed" if extraposed else "cleft"


def _main_verb(words: list[Token]) -> Token | None:
    """The verb of the clause that begins the text, behind its auxiliaries."""
    for token in words[:6]:
        if token.lower_ in {"that", "who", "whom", "which", "whose"}:
            return None
        if token.pos_ == "VERB":
            return token
    return None


def _clause_follows(words: list[Token]) -> bool:
    return any(token.dep_ in SUBJECTS or token.pos_ in {"NOUN", "PROPN", "PRON"} for token in words)


def _is_relative(words: list[Token]) -> bool:
    """Whether it is a noun with a relative clause, and nothing is said of the noun yet."""
    for at, token in enumerate(words):
        if at and token.tag_ in RELATIVE and token.lower_ in {"who", "whom", "which", "that", "whose"}:
            return words[0].lower_ not in {"it", "there"} | _WH
        if token.tag_ in FINITE:
            return False
    return False


def _breaks_off(words: list[Token]) -> str:
    last, words_before = words[-1], words[-4:-1]
    finite = [token for token in words if token.tag_ in FINITE]
    comma = max((token.i for token in words if token.text == ","), default=-1)
    joined = any(token.lower_ in {"and", "but", "or"} and token.i > 1 for token in words_before)
    noun = last.pos_ in {"NOUN", "PROPN", "PRON"} and last.lower_ not in DETERMINERS
    # Behind a comma, or where there is no verb yet, a noun at the end is what something is going to be said of.
    is_subject = (comma >= 0 or not finite) and not any(token.i > comma for token in finite)
    places = (
        ("whole", last.text in {".", "!", "?", "…"}),
        ("because", last.lower_ == "because"),
        ("clause", noun and joined and bool(finite) and finite[-1].i < last.i),
        ("preposition", last.pos_ in {"ADP", "PART"} or last.lower_ == "as"),
        ("verb", last.pos_ in {"VERB", "AUX"}),
        ("subject", is_subject and (noun or last.pos_ == "ADV")),
    )
    return next((name for name, here in places if here), "elsewhere")


def _past(words: list[Token]) -> bool | None:
    for token in words:
        if token.tag_ in {"VBD", "VBZ", "VBP"}:
            return bool(token.tag_ == "VBD")
    return None


def _roles(words: list[Token]) -> Iterator[tuple[str, str, str]]:
    for verb in words:
        if verb.pos_ not in {"VERB", "AUX"}:
            continue
        for child in verb.children:
            if child.dep_ in {"nsubj", "dobj", "nsubjpass"}:
                noun = _noun(child, verb)
                if noun:
                    yield verb.lemma_, "subject" if child.dep_ == "nsubj" else "object", noun
            elif child.dep_ == "agent":
                yield from (
                    (verb.lemma_, "subject", noun.lemma_.lower()) for noun in child.children if noun.dep_ == "pobj"
                )


def _noun(child: Token, verb: Token) -> str | None:
    """The noun that stands for an argument; a relative pronoun stands for what its clause belongs to."""
    if child.tag_ not in RELATIVE:
        return str(child.lemma_).lower() if child.pos_ in {"NOUN", "PROPN"} else None
    before = [token for token in verb.doc[: child.i] if token.pos_ in {"NOUN", "PROPN"}]
    return str(before[-1].lemma_).lower() if before and child.i else None
