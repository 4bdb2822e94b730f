"""The same prompt in another structure by moving the parts of its parse, before a model is asked.

A parse of a prompt that breaks off is not always right, so nothing here is certain: what is made passes the same checks
as what a model writes, and where the parts cannot be told apart nothing is made. The group stands in the parse as a
stand-in and gets its own words back at the end, so that a transformation cannot depend on which group it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tiltmeter.english import AUXILIARIES, BE, article_for, capitalised
from tiltmeter.records import Prompt
from tiltmeter.sources import nouns
from tiltmeter.sources.rephrased import verbs
from tiltmeter.sources.rephrased.paraphrasing.form import FINITE, Form
from tiltmeter.sources.rephrased.paraphrasing.group import NAME, NOUN, Mentions
from tiltmeter.sources.rephrased.paraphrasing.stranding import takes_to
from tiltmeter.sources.rephrased.paraphrasing.targets import Target

Token = Any
"""A token of spaCy."""
Pieces = Sequence[Any]
"""Tokens of the original, and words that a structure brings along."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_DONE = {"VBD": "did", "VBZ": "does", "VBP": "do"}
_TURNED = frozenset({"wh-question", "inverted", "existential", "cleft", "extraposed", "pseudo-cleft"})
"""Marks of an original that has no plain clause whose parts could be moved."""
_WITHOUT_OBJECT = _words(
    "live come go arrive sleep die work walk happen exist remain stay sit stand fall appear depend belong laugh smile "
    "cry emerge occur seem look retire travel be"
)
"""Verbs that *what* cannot be the object of."""
_NO_PASSIVE = _words("have be become resemble lack cost contain want like include feature fit weigh mean")
_NEVER_CLEFT = _words("it this that there i nobody nothing none")
_DEFINITE, _INDEFINITE = frozenset({"the"}), frozenset({"a", "an", "some", "several", "many", "two", "three", "four"})


@dataclass(frozen=True, slots=True)
class Clause:
    """The parts of a plain clause, from left to right: what stands in front, the subject, and what is said of it."""

    front: tuple[Token, ...]
    """Without the comma behind it."""
    subject: tuple[Token, ...]
    between: tuple[Token, ...]
    """Adverbs between the subject and the finite verb."""
    finite: Token
    verb: Token
    """The verb itself, which is the finite one where it has no auxiliary."""
    rest: tuple[Token, ...]
    """All behind the finite verb."""
    comma: bool
    """Whether one stands behind the front."""

    @property
    def past(self) -> bool:
        """Whether it is told in the past tense."""
        return bool(self.finite.tag_ == "VBD") or self.finite.lower_ in {"could", "would"}

    @property
    def moves(self) -> bool:
        """Whether the finite verb itself goes to the front of a question."""
        helps = self.finite.dep_ in {"aux", "auxpass"} or self.finite.tag_ == "MD"
        # "They have always" goes on with a participle.
        bare = self.finite.lower_ in {"has", "have", "had"} and all(one.pos_ in {"ADV", "PART"} for one in self.rest)
        return helps or bare or self.finite.lower_ in BE

    @property
    def several(self) -> bool:
        """Whether the subject is more than one, as far as the verb or its noun tells."""
        told = {"were": True, "are": True, "was": False, "is": False}.get(self.finite.lower_)
        by_tag = {"VBP": True, "VBZ": False}.get(self.finite.tag_)
        return next((one for one in (told, by_tag) if one is not None), _is_plural(self.head))

    @property
    def head(self) -> Token:
        """The noun of the subject."""
        return next(one for one in self.subject if one.dep_ in _SUBJECTS)


def transformed(
    prompt: Prompt, mentions: Mentions, doc: Any, form: Form, target: Target, number: int = 0, *, capital: bool = False
) -> str | None:
    """The prompt in a structure; None where its parse does not show how.

    `doc` is the parse of the prompt with the stand-in. `number` chooses among the openings that a structure has.
    `capital` says that the group's first word keeps its capital.
    """
    words = [token for token in doc if not token.is_space]
    stop = words[-1].text if words and words[-1].text in {".", "!", "?"} else ""
    plain = words[: len(words) - len(stop)]
    loose = any(token.text in {"—", "–", ":", ";"} for token in plain)
    if not plain or loose or stop == "?" or form.marks & {"wh-question", "inverted"}:
        return None
    rendering = _Rendering(prompt, mentions, doc, capital)
    if target.openings:
        opening = target.openings[number % len(target.openings)]
        again = opening.lower() in {token.lower_ for token in plain}
        pieces: Pieces | None = None if again or not _is_sentence(plain) else _opened(plain, opening)
    else:
        clause = None if form.marks & _TURNED else clause_of(plain)
        build = _BUILT.get(target.name)
        pieces = build(_Asked(clause, form.breaks_off, mentions, prompt)) if clause and build else None
    if pieces is None or not rendering.possible:
        return None
    end = "" if form.breaks_off != "whole" else "?" if target.kind == "interrogative" else "."
    text = rendering.text(pieces)
    return f"{text.rstrip(', ')}?" if target.ends == "question" else text + end


def has_room(doc: Any, target: Target) -> bool:
    """Whether a structure can be had at all: a passive needs a verb with a whole object, or with a clause instead.

    An object is whole where something else follows it; what breaks off within the object has nothing to begin with.
    """
    if target.name != "passive":
        return True
    words = [token for token in doc if not token.is_space and not token.is_punct]
    for token, behind in pairwise(words):
        if token.dep_ in {"dobj", "dative"} and token.head.pos_ == "VERB" and behind.lower_ != "of":
            return True
        if token.pos_ == "VERB" and behind.lower_ == "that":
            return True
    return False


def clause_of(words: Sequence[Token]) -> Clause | None:
    """The parts of a text that is one plain clause, or begins with one; None where they cannot be told apart."""
    root = next((token for token in words if token.dep_ == "ROOT"), None)
    if root is None or root.pos_ not in {"VERB", "AUX"}:
        return None
    helping = [one for one in root.children if one.dep_ in {"aux", "auxpass"} and one.i < root.i]
    finite = next((one for one in sorted([*helping, root], key=lambda one: one.i) if one.tag_ in FINITE), None)
    subject = next((one for one in root.children if one.dep_ in _SUBJECTS and one.i < root.i), None)
    if finite is None or subject is None or subject.right_edge.i >= finite.i or subject.tag_ in {"WP", "WDT", "EX"}:
        return None
    first = subject.left_edge.i
    own = tuple(one for one in words if first <= one.i <= subject.right_edge.i)
    between = tuple(one for one in words if subject.right_edge.i < one.i < finite.i)
    front = tuple(one for one in words if one.i < first)
    if own[0].pos_ == "CCONJ" or any(one.pos_ not in {"ADV", "PART"} for one in between):
        return None
    if front and (front[0].pos_ == "CCONJ" or front[-1].tag_ in FINITE or front[-1].pos_ in {"ADP", "VERB", "SCONJ"}):
        return None
    comma = bool(front) and front[-1].text == ","
    rest = tuple(one for one in words if one.i > finite.i)
    return Clause(front[: len(front) - comma], own, between, finite, root, rest, comma)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A clause, and what the structures want to know of the prompt that it is of."""

    clause: Clause
    breaks_off: str
    mentions: Mentions
    prompt: Prompt

    def is_group(self, token: Token) -> bool:
        return bool(token.text == self.mentions.stand_in)

    @property
    def names_person(self) -> bool:
        """Whether the group's words stand for somebody: of "Judaism" it is known that they do not."""
        return self.prompt.person is None

    def relative(self, noun: Sequence[Token], case: str = "who") -> str:
        """The pronoun that goes on behind a noun: *who* only right behind the group."""
        return case if self.is_group(noun[-1]) and self.names_person else "that"

    @property
    def named(self) -> bool:
        """Whether the subject is the group's name, or a noun without an article as a name would be: "liberalism"."""
        first, *more = self.clause.subject
        bare = self.mentions.stand_in == NOUN and not more
        return self.is_group(first) and (bare or (self.mentions.stand_in == NAME and _are_names(more)))

    @property
    def several(self) -> bool:
        """Whether the subject is more than one; a name is one, whatever the parse makes of its verb."""
        return self.clause.several and not self.named


def _is_sentence(words: Sequence[Token]) -> bool:
    """Whether a text begins a sentence: not a piece of a bibliography, nor the end of a sentence."""
    if words[0].tag_ in FINITE or words[0].tag_ == "VB":
        return False
    loose = any(one.text in {'"', "“", "”", "(", ")"} or one.text.endswith(".") for one in words)
    return not loose or any(one.tag_ in FINITE for one in words)


def _opened(words: Sequence[Token], opening: str) -> Pieces:
    """The text as it is behind an opening; a part in front of it that has a comma gets one before it, too."""
    clause = clause_of(words)
    return [opening, *([","] if clause and clause.comma else []), *words]


def _questioned(asked: _Asked) -> list[Any]:
    """Auxiliary, subject and what is said of it."""
    clause = asked.clause
    if clause.moves:
        joined = bool(clause.rest) and clause.rest[0].lower_ in {"n't", "n’t"}
        moved, rest = [clause.finite, *clause.rest[:joined]], clause.rest[joined:]
        return [*moved, *clause.subject, *clause.between, *rest]
    bare = verbs.base(clause.finite.lower_)
    return [_DONE[clause.finite.tag_], *clause.subject, *clause.between, bare, *clause.rest]


def _yes_no(asked: _Asked) -> Pieces:
    clause = asked.clause
    front = [*clause.front, ","] if clause.front else []
    return [*front, *_questioned(asked)]


def _what(asked: _Asked) -> Pieces | None:
    if asked.breaks_off == "because":
        return ["why", *_questioned(asked)[:-1], *asked.clause.front]
    end = _asked_for(asked)
    return None if end is None else ["what", *_questioned(asked), *end, *asked.clause.front]


def _asked_for(asked: _Asked) -> list[str] | None:
    """What closes a question for what is left out; None where *what* does not ask for it."""
    clause = asked.clause
    last = [clause.finite, *clause.rest][-1]
    if last.lower_ == "to" and not takes_to(
        last, [one for one in (clause.finite, *clause.rest) if one.i == last.i - 1]
    ):
        return ["do"]
    if asked.breaks_off == "preposition":
        return []
    if asked.breaks_off != "verb":
        return None
    if last.tag_ == "MD" or (last.lower_ in {"do", "does", "did"} and last.dep_ == "aux"):
        return ["do"]
    if last.lower_ in BE:
        return [] if last.i == clause.finite.i else None
    passive = last.tag_ == "VBN" and any(one.dep_ == "auxpass" or one.lower_ in BE for one in last.children)
    describes = last.dep_ in {"acl", "relcl", "amod", "advcl"}
    ruled_out = passive or describes or last.lower_ in AUXILIARIES or verbs.lemma(last.lower_) in _WITHOUT_OBJECT
    return None if ruled_out or any(one.dep_ == "dobj" for one in last.children) else []


def _cleft(asked: _Asked) -> Pieces | None:
    clause = asked.clause
    if _is_interrupted(clause.subject) or clause.head.lower_ in _NEVER_CLEFT:
        return None
    return ["it", "was" if clause.past else "is", *clause.subject, *_relative_clause(asked)]


def _relative_clause(asked: _Asked) -> list[Any]:
    """The rest of the clause behind its subject, with a pronoun for it."""
    clause = asked.clause
    front = [",", *clause.front, ","] if clause.front else []
    return [asked.relative(clause.subject), *front, *clause.between, clause.finite, *clause.rest]


def _relative(asked: _Asked) -> Pieces | None:
    clause = asked.clause
    if _is_interrupted(clause.subject) or clause.head.pos_ == "PRON":
        return None
    if not asked.named and clause.subject[0].tag_ != "PRP$":
        return [*clause.subject, *_relative_clause(asked)]
    _, *rest = _relative_clause(asked)
    return [*clause.subject, ",", "who" if asked.names_person else "which", *rest]


def _existential(asked: _Asked) -> Pieces | None:
    """Of the subject; where that is not the group and the object is, of the object."""
    clause = asked.clause
    if not any(map(asked.is_group, clause.subject)):
        return _existential_object(asked)
    if _is_interrupted(clause.subject):
        return None
    be = ("were" if asked.several else "was") if clause.past else ("are" if asked.several else "is")
    if asked.named:
        who = ["someone", "called"] if asked.names_person else ["something", "called"]
        pronoun = "who" if asked.names_person else "that"
        return ["there", be, *who, *clause.subject, pronoun, *_relative_clause(asked)[1:]]
    noun = _indefinite(clause.subject, asked.several)
    return None if noun is None else ["there", be, *noun, *_relative_clause(asked)]


def _existential_object(asked: _Asked) -> Pieces | None:
    clause, taken = asked.clause, _object_of(asked.clause)
    if taken is None or not asked.is_group(taken[-1]) or clause.front:
        return None
    if any(one.dep_ == "cc" for one in clause.rest):
        return None
    several = _is_plural(taken[-1])
    noun = _indefinite(taken, several)
    if noun is None or clause.head.pos_ == "PRON":
        return None
    be = ("were" if several else "was") if clause.past else ("are" if several else "is")
    left = [one for one in clause.rest if one not in taken]
    whom = asked.relative(taken, "whom")
    return ["there", be, *noun, whom, *clause.subject, *clause.between, clause.finite, *left]


def _pseudo_cleft(asked: _Asked) -> Pieces | None:
    clause, end = asked.clause, _asked_for(asked)
    if end is None or (not clause.rest and clause.finite.lower_ in BE):
        return None
    said = [*clause.subject, *clause.between, clause.finite, *clause.rest, *end]
    return ["what", *said, *clause.front, "was" if clause.past else "is"]


def _passive(asked: _Asked) -> Pieces | None:
    clause, taken = asked.clause, _object_of(asked.clause)
    # At the end of a prompt the parser takes the "that" of a clause for an object.
    reports = bool(clause.rest) and clause.rest[0].lower_ == "that" and clause.finite.i == clause.verb.i
    if reports and (taken is None or len(taken) == 1) and clause.head.pos_ != "PRON":
        done = verbs.participle_of(verbs.lemma(clause.verb.lower_))
        front = [*clause.front, ","] if clause.front else []
        return [*front, "it", *_passive_be(clause, several=False), done, "by", *clause.subject, *clause.rest]
    if taken is None or clause.head.pos_ == "PRON" or verbs.lemma(clause.verb.lower_) in _NO_PASSIVE:
        return None
    noun = next(one for one in taken if one.head.i == clause.verb.i)
    behind = [one for one in clause.rest if one.i > taken[-1].i]
    if noun.pos_ == "PRON" or any(one.tag_ == "PRP$" for one in taken) or not behind or behind[0].lower_ == "of":
        return None
    helping = [one for one in clause.rest if one.i < clause.verb.i]
    if any(one.dep_ not in {"aux", "neg", "advmod"} for one in helping) or clause.verb.tag_ == "VBG":
        return None
    be = _passive_be(clause, several=_is_plural(noun))
    done = verbs.participle_of(verbs.lemma(clause.verb.lower_))
    verb = [*be[:1], *clause.between, *helping[: len(helping)], *be[1:], done]
    front = [*clause.front, ","] if clause.front else []
    return [*front, *taken, *verb, "by", *clause.subject, *behind]


def _passive_be(clause: Clause, *, several: bool) -> list[Any]:
    """The forms of be (and have) of a passive, in the tense of the clause."""
    if clause.finite.tag_ == "MD":
        return [clause.finite, "be"]
    if clause.finite.i != clause.verb.i and clause.finite.lower_ in {"has", "have", "had"}:
        return ["had" if clause.past else "have" if several else "has", "been"]
    if clause.finite.i != clause.verb.i and clause.finite.lower_ in _DONE.values():
        return ["were" if several else "was"] if clause.past else ["are" if several else "is"]
    past, present = ("were", "are") if several else ("was", "is")
    return [past if clause.past else present]


_BUILT: dict[str, Callable[[_Asked], Pieces | None]] = {
    "wh-question": _what,
    "yes-no-question": _yes_no,
    "cleft": _cleft,
    "pseudo-cleft": _pseudo_cleft,
    "passive": _passive,
    "existential": _existential,
    "relative": _relative,
}


def _object_of(clause: Clause) -> tuple[Token, ...] | None:
    """The object right behind the verb."""
    found = next((one for one in clause.verb.children if one.dep_ == "dobj" and one.i > clause.verb.i), None)
    if found is None or found.left_edge.i != clause.verb.i + 1:
        return None
    # What belongs to the noun as a phrase of its own may as well belong to the verb: "chose the guest for".
    last = found.i
    own = tuple(one for one in clause.rest if found.left_edge.i <= one.i <= last)
    joined = any(one.dep_ in {"conj", "cc"} and one.head.i == found.i for one in clause.rest)
    return None if joined or _is_interrupted(own) else own


def _indefinite(noun: Sequence[Token], several: bool) -> list[Any] | None:
    """A noun as one that was not spoken of before; None where it has another owner or measure."""
    first = noun[0].lower_
    if any(one.dep_ == "cc" or one.tag_ == "POS" for one in noun):
        return None
    if first in _DEFINITE:
        return list(noun[1:]) if several else ["a", *noun[1:]]
    plain = noun[0].pos_ in {"NOUN", "ADJ", "NUM", "PROPN"} and several
    return list(noun) if first in _INDEFINITE or plain else None


def _are_names(words: Sequence[Token]) -> bool:
    return all(one.pos_ == "PROPN" for one in words)


def _is_interrupted(noun: Sequence[Token]) -> bool:
    return any(one.text in {",", "(", ")", "–", "—", ":"} for one in noun)


def _is_plural(noun: Token) -> bool:
    return noun.tag_ in {"NNS", "NNPS"} or any(one.dep_ == "conj" for one in noun.children)


class _Rendering:
    """Writes pieces of a parse, the group in its own words, with capitals and articles where they belong."""

    def __init__(self, prompt: Prompt, mentions: Mentions, doc: Any, capital: bool) -> None:
        standing = [token.i for token in doc if token.text == mentions.stand_in]
        spans = mentions.spans(prompt.text)
        self.possible = len(standing) == len(spans)
        """Whether each stand-in is known to be the group."""
        self.first = next((token.i for token in doc if not token.is_space), 0)
        self.own = dict(zip(standing, (prompt.text[slice(*span)] for span in spans), strict=False))
        own = self.own.get(self.first, "")
        if own and not capital and own[1:] == own[1:].lower():
            self.own[self.first] = own[:1].lower() + own[1:]

    def text(self, pieces: Pieces) -> str:
        """The pieces as a text that begins with a capital."""
        said: list[str] = []
        for at, piece in enumerate(pieces):
            written = self._word(piece)
            before = pieces[at - 1] if at else None
            if written == "," and (not said or said[-1].endswith(",")):
                continue
            said.append(written if not said or _joins(before, piece, written) else f" {written}")
        text = "".join(said)
        for article in ("a", "an"):
            text = _with_articles(text, article)
        return capitalised(text)

    def _word(self, piece: Any) -> str:
        if isinstance(piece, str):
            return piece
        if piece.i in self.own:
            return str(self.own[piece.i])
        word = str(piece.text)
        keeps = piece.i != self.first or piece.pos_ == "PROPN" or word == "I" or word[1:] != word[1:].lower()
        return word if keeps else word[:1].lower() + word[1:]


def _joins(before: Any, piece: Any, written: str) -> bool:
    """Whether no space stands between two pieces."""
    if isinstance(piece, str) or isinstance(before, str) or before is None:
        return written in {",", ".", "?"} or written.startswith(("'", "’", "n't", "n’t"))
    return bool(piece.i == before.i + 1 and not before.whitespace_) or written in {",", ".", "?"}


def _with_articles(text: str, article: str) -> str:
    """The text with *a* or *an* as the next word wants it."""
    words = text.split(" ")
    for at, word in enumerate(words[:-1]):
        if word.lower() == article:
            right = article_for(words[at + 1])
            words[at] = right if right and word.islower() else word
    return " ".join(words)


def keeps_capital(doc: Any) -> bool:
    """Whether the first word of a text, parsed as it stands, has a capital wherever it stands: "Jewish", not "Old"."""
    first = next((token for token in doc if not token.is_space and not token.is_punct), None)
    if first is None or first.pos_ == "PROPN" or first.ent_type_:
        return True
    return nouns.is_capital_noun(first.text) and not nouns.is_capital_noun(first.lower_)
