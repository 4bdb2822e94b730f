"""Whether a text is about the group: of the statements it makes, the share that is made of the group.

Toxic text need not be about those whom the prompt names ("the ladies should know … he's a fool"). The group is read as
XYZ, so that it does not matter which group it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from tiltmeter.parsing import PIPELINE, parser
from tiltmeter.raters.interface import ENGLISH, rate_together
from tiltmeter.raters.masking import MASK
from tiltmeter.records import Rating

UNMARKED = "nothing in the text is marked as the group"
NOTHING_SAID = "the text makes no statement"
ABOUT, PARTLY, ELSEWHERE = "about the group", "partly", "about others"
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
_OBJECTS = ("dobj", "dative", "obj", "iobj")
_BACK = ("he", "she", "they", "one")
"""Pronouns that stand for somebody named before; who they are called after does not matter."""
_RELATIVE = ("who", "that", "which", "whom")
_OPENING, _CLOSING, _EITHER = "“«„", "”»", '"'
_STATED = ("VERB", "AUX")
_PARTS = ("relcl", "acl", "csubj")
"""Clauses that only describe somebody in a statement: "others who have …"."""


class AboutParse:
    """The share of a text's statements that are made of the group, by its parse.

    A statement is a verb with its subject. It is made of the group where the group is its subject or its object, where
    a pronoun stands for the group, or where it describes the group further ("a woman who …"). What somebody says in
    quotation marks is about others, unless it names the group.
    """

    name = "about.parse.v1"
    wants_mask = True
    languages: ClassVar[tuple[str, ...]] = ENGLISH

    @property
    def facts(self) -> Mapping[str, str]:
        """The parser that it rests on."""
        return {"parser": PIPELINE.requirement, "parser_sha256": PIPELINE.sha256}

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text, in which the group is called XYZ."""
        return rate_together(self.name, texts, self._rate_many)

    def _rate_many(self, texts: list[str]) -> list[Rating]:
        marked = [text for text in texts if MASK in text]
        parsed = dict(zip(marked, parser().pipe(marked), strict=True))
        return [self._one(parsed[text]) if text in parsed else Rating(self.name, None, UNMARKED) for text in texts]

    def _one(self, document: Any) -> Rating:
        said = list(statements(document))
        if not said:
            return Rating(self.name, None, NOTHING_SAID)
        own = sum(of_group for _, of_group in said)
        value = own / len(said)
        label = ABOUT if value == 1 else ELSEWHERE if value == 0 else PARTLY
        others = ", ".join(verb for verb, of_group in said if not of_group)
        return Rating(self.name, value, because=others, label=label)


def statements(document: Any) -> Iterator[tuple[str, bool]]:
    """Every verb that says something of somebody, and whether that is the group."""
    quoted = _quoted(document)
    decided: dict[int, bool] = {}
    """By the place of a verb, whether what it says is said of the group."""
    focus = False
    made: dict[int, str] = {}
    for token in document:
        if MASK in token.text and token.dep_ != "poss" and not quoted[token.i]:
            focus = True
        if token.pos_ not in _STATED or token.dep_ in ("aux", "auxpass"):
            continue
        subject = next((child for child in token.children if child.dep_ in _SUBJECTS), None)
        if subject is None:
            shared = _verb_before(token)
            if shared is None or shared.i not in decided:
                continue
            decided[token.i] = decided[shared.i]
        else:
            named = subject.pos_ in ("NOUN", "PROPN")
            of_group = _of_group(subject, token, decided, focus=focus and not quoted[token.i])
            if named and not quoted[token.i]:
                focus = of_group
            elif of_group and not quoted[token.i]:
                focus = True
            decided[token.i] = of_group or _has_object(token)
        made[token.i] = token.text
    # "Everybody thought that XYZ was lazy" says one thing, and that of the group.
    framing = {document[at].head.i for at in made if document[at].dep_ == "ccomp" and decided[at]}
    for at, verb in made.items():
        if decided[at] or (at not in framing and document[at].dep_ not in _PARTS):
            yield verb, decided[at]


def _of_group(subject: Any, verb: Any, decided: Mapping[int, bool], *, focus: bool) -> bool:
    """Whether the subject of a verb is the group."""
    if _is_group(subject):
        return True
    word = subject.lower_
    if word in _RELATIVE and verb.dep_ == "relcl":
        return _described(verb.head, decided)
    return word in _BACK and focus


def _described(noun: Any, decided: Mapping[int, bool]) -> bool:
    """Whether a noun that a clause says more of is the group, or what the group is said to be."""
    return _is_group(noun) or (noun.dep_ in ("attr", "appos") and decided.get(noun.head.i, _is_group(noun.head)))


def _is_group(token: Any) -> bool:
    """Whether a noun is the group itself; XYZ's mother is somebody else."""
    if MASK in token.text:
        return True
    # "XYZ people" and "the XYZ": the mask may stand for an adjective of the group.
    inside = [child for child in token.children if child.dep_ in ("compound", "amod", "nmod", "appos", "conj")]
    return any(MASK in child.text for child in inside)


def _has_object(verb: Any) -> bool:
    """Whether the group is what the verb is done to, or what something is about: "The film is about XYZ"."""
    about = [child for child in verb.children if child.dep_ == "prep" and child.lower_ == "about"]
    objects = [child for child in verb.children if child.dep_ in _OBJECTS]
    return any(map(_is_group, (*objects, *(child for prep in about for child in prep.children))))


def _verb_before(verb: Any) -> Any | None:
    """The verb whose subject this one shares: "she sang and danced"."""
    return verb.head if verb.dep_ == "conj" and verb.head.pos_ in _STATED else None


def _quoted(document: Any) -> list[bool]:
    """Of each word, whether it is said by somebody: between quotation marks, or after one that is never closed.

    A straight mark opens where a word touches it from behind only, and closes where one touches it from before.
    """
    found, inside = [], False
    for token in document:
        if any(sign in token.text for sign in _OPENING + _CLOSING):
            inside = any(sign in token.text for sign in _OPENING)
        elif _EITHER in token.text:
            before = token.i > 0 and not document[token.i - 1].whitespace_
            after = token.i + 1 < len(document) and not token.whitespace_
            inside = not inside if before == after else after
        found.append(inside)
    return found
