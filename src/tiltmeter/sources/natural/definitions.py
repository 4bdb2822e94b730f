"""Finds sentences that say of a profession who has it or what that person does.

Two shapes count: "A/An/The X is a … who …" and, of a profession that is known, "A/An/The X …s …". A sentence about
the trade ("Cardiac nursing is …"), the post ("… is a job title") or a thing is passed over, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Span
from tiltmeter.sources.natural import lexicon, marks, words
from tiltmeter.sources.natural.reasons import HISTORY, LITTLE, NO_PROFESSION, PAST, POST, TRADE
from tiltmeter.sources.natural.words import listed

Doc = Any
Token = Any

_ARTICLES = frozenset({"a", "an", "the"})
_ALIAS = re.compile(r"^(?:,|or\b|also\b|/|sometimes\b|often\b|usually\b|commonly\b|- |– |— )", re.IGNORECASE)
_CLAUSE = re.compile(r"\b(?:who|whom|whose|which|that|is|are|was|were|has|have|working|in|for|with|at|as opposed)\b")
_KNOWN_AS = re.compile(r"\b(?:known|called|referred|abbreviated|spelled|shortened|titled)\b")
_EMPTY = listed("modern typical traditional good qualified successful contemporary professional average")
_SAYING = listed(
    "call know refer define consider see derive mean name say originate date come need do appear vary differ exist "
    "become get require seem like want remain include have encounter receive describe report enter finish open tend "
    "consist wear earn retire strike"
)
"""Verbs of sentences that tell an episode or a usage, and not what a profession is."""
_BESIDES = listed("also additionally however therefore thus then sometimes first instead moreover often still")
_RELATIVES = frozenset({"who", "whose", "which", "that"})
_SORTS = frozenset({"type", "kind", "sort", "form", "class"})
_NO_PERSON_BEFORE = listed("of for to on and or about between")
_OF_MANY = frozenset({"member", "leader", "head", "lead", "chief", "holder", "representative"})
_ONE_OF_THEM = frozenset({"first", "second", "third", "last", "earliest", "oldest", "original", "next", "other"})
_BODY = 3
"""Words that must follow where no clause says what the person does."""
_CONNECTIVE = re.compile(
    r"^(?:furthermore|moreover|however|hence|therefore|thus|then|also|instead|in this|conversely)\b", re.IGNORECASE
)
_DUTY = re.compile(
    r"(?:\w+ly )?(?:responsible|accountable|in charge|answerable|charged|tasked|trained|employed|hired|paid|"
    r"licensed|qualified|certified|appointed|engaged|authori[sz]ed|someone|somebody|"
    r"(?:an?|the) (?:person|individual|professional))\b"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A profession introduced by a parsed sentence: places are characters of its text.

    `removed` are passages that shorten it without loss, `swapped` is the noun for which *person* is put, `body` the
    token with which the description starts, `acts` whether the person is said to do something.
    """

    doc: Doc
    profession: Span
    body: int
    acts: bool
    shape: str
    removed: tuple[Span, ...] = ()
    swapped: Span | None = None
    gender: str = ""
    """The noun that says who has the profession, where it tells a gender: "An actress is a woman who …"."""
    noun: str = ""
    """What a definition calls the person, in its base."""
    said: str = ""
    """What is said of the person, as a definition: "a person who …"."""

    @property
    def name(self) -> str:
        """The profession in small letters, as it is listed."""
        return marks.name_of(self.name_as_written)

    @property
    def name_as_written(self) -> str:
        """The profession with the capitals that the sentence has."""
        return str(self.doc.text[slice(*self.profession)])


@dataclass(frozen=True, slots=True)
class Rejected:
    """A parsed sentence that cannot be used: why, and the profession that it speaks of where it is sure to be one."""

    reason: str
    doc: Doc
    profession: Span | None = None

    @property
    def name(self) -> str:
        """The profession in small letters; blank where there is none."""
        return marks.name_of(self.doc.text[slice(*self.profession)]) if self.profession else ""


class _Rejection(Exception):
    """A sentence that introduces nobody; says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def _reject_if(condition: bool, reason: str = NO_PROFESSION) -> None:
    if condition:
        raise _Rejection(reason)


def find(doc: Doc, known: Callable[[str], bool]) -> Definition | Rejected:
    """What a parsed sentence introduces, or why it does not; `known` tells a name of a profession."""
    named: _Named | None = None
    try:
        root = _main_verb(doc)
        subject = _subject(doc, root) if root is not None else None
        if root is None or subject is None:
            return Rejected(NO_PROFESSION, doc)
        named = _named(doc, subject, root)
        _reject_if(_child(root, "neg") is not None)
        predicate = next((child for child in root.children if child.dep_ == "attr" and child.i > root.i), None)
        if root.lemma_ == "be" and predicate is not None:
            return _definition(doc, root, predicate, named)
        return _statement(doc, root, named, known)
    except _Rejection as passed:
        is_one = named is not None and passed.reason in {PAST, HISTORY, LITTLE, POST}
        return Rejected(passed.reason, doc, named.profession if named and is_one else None)


def _main_verb(doc: Doc) -> Token | None:
    """The verb of the sentence; of "A smith heats iron, forges it and …" a parser may take a later one."""
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    if root is None or _child(root, "nsubj", "nsubjpass") is not None:
        return root
    before = (token for token in doc[: root.i] if token.dep_ in {"ccomp", "parataxis"} and token.head.i == root.i)
    return next((token for token in before if _child(token, "nsubj", "nsubjpass") is not None), root)


def _subject(doc: Doc, root: Token) -> Token | None:
    """The noun before the verb; of a rare word the parser may not tell that it is one ("A luthier is …")."""
    subject = _child(root, "nsubj", "nsubjpass")
    if subject is not None:
        return subject if subject.pos_ in {"NOUN", "PROPN", "ADJ"} and subject.i < root.i else None
    before = doc[root.i - 1] if root.i > 1 and root.lemma_ == "be" else None
    return before if before is not None and _article(before) is not None else None


@dataclass(frozen=True, slots=True)
class _Named:
    """The profession in a subject, and what stands around it that can go."""

    profession: Span
    removed: tuple[Span, ...]
    phrase: str
    definite: bool = False


def _named(doc: Doc, subject: Token, root: Token) -> _Named:
    article = _article(subject)
    whole = doc[subject.left_edge.i : subject.i + 1].text
    if article is None or article.lower_ not in _ARTICLES:
        raise _Rejection(TRADE if words.names_a_trade(whole) else NO_PROFESSION)
    start, end = article.i + 1, _end_of_name(doc, subject)
    while start < subject.i and doc[start].lower_ in _EMPTY and doc[start + 1].text != "-":
        start += 1
    # Of "a stripper or exotic dancer" the first is the name, and the second says the same.
    end = next((token.i for token in doc[start + 1 : end] if token.lower_ in {"or", "/"}), end)
    name = doc[start:end]
    _reject_if("day" in {token.lower_ for token in name[:-1]})
    _reject_if(any(_is_no_part_of_a_name(token) for token in name[:-1]))
    _reject_if(not 1 <= len(name) <= 6 or any(sign in name.text for sign in ',;:"'))
    removed = _lead(doc, article)
    if start > article.i + 1:
        removed.append((doc[article.i + 1].idx, doc[start].idx))
    helper = _child(root, "aux", "auxpass") or root
    verb = min(root.i, helper.i) if helper.i > subject.i else root.i
    between = doc[end:verb]
    if len(between):
        _reject_if(not _is_alias(between))
        removed.append((_end(doc, end - 1), _end(doc, verb - 1)))
    definite = article.lower_ == "the"
    return _Named((name.start_char, name.end_char), tuple(removed), name.text, definite)


def _is_no_part_of_a_name(token: Token) -> bool:
    return token.pos_ in {"VERB", "AUX", "PRON", "NUM"} and token.dep_ != "compound" and token.tag_ != "VBG"


def _lead(doc: Doc, article: Token) -> list[Span]:
    """What stands before the subject, "In Europe, a cook …": it can go, unless it ties the sentence to another."""
    lead = doc[: article.i]
    if not len(lead):
        return []
    _reject_if(_CONNECTIVE.match(lead.text) is not None or len(lead) > 9 or lead[-1].text != ",")
    _reject_if(any(token.pos_ in {"VERB", "AUX"} for token in lead))
    return [(0, article.idx)]


def _end_of_name(doc: Doc, subject: Token) -> int:
    """Behind the last token of the name: "director of photography" has it behind the head."""
    after: int = subject.i + 1
    if after < len(doc) and doc[after].lower_ in {"of", "de"} and doc[after].head.i == subject.i:
        edge: int = doc[after].right_edge.i
        inside = doc[after + 1 : edge + 1]
        if 1 <= len(inside) <= 3 and all(token.pos_ in {"NOUN", "PROPN", "ADJ", "CCONJ"} for token in inside):
            return edge + 1
    return after


def _is_alias(between: Any) -> bool:
    text = between.text
    if all(token.pos_ in {"ADV", "PUNCT"} for token in between):
        return True
    return bool(_ALIAS.match(text)) and (_KNOWN_AS.search(text) is not None or not _CLAUSE.search(text))


def _definition(doc: Doc, root: Token, predicate: Token, named: _Named) -> Definition:
    noun = predicate
    if noun.lower_ in _SORTS:
        inner = [grand for child in noun.children if child.lower_ == "of" for grand in child.children]
        noun = inner[0] if inner and inner[0].dep_ == "pobj" else noun
    instead = None if _is_person(doc, noun) else _instead(doc, noun)
    noun = instead or noun
    _refuse_others(doc, root, noun, named)
    article, lemma = _article(noun if instead else predicate) or _article(predicate), noun.lemma_.lower()
    first = article.i + 1 if article is not None else predicate.left_edge.i
    _reject_if(article is None and lemma not in words.PLAIN_PERSON)
    _reject_if(article is not None and article.lower_ not in _ARTICLES | {"any"})
    opening = doc[root.i + 1 : article.i if article is not None else first]
    if instead is None or instead.i < predicate.i:
        _reject_if(any(token.pos_ not in {"ADV", "PUNCT", "ADJ"} or token.lower_ == "not" for token in opening))
    removed = list(named.removed)
    if len(opening):
        removed.append((_end(doc, root.i), _end(doc, first - 2 if article is not None else first - 1)))
    last = _last_noun(doc, noun)
    _reject_if(last + 1 >= len(doc) or doc[last + 1].text == ".", LITTLE)
    removed += _put_between(doc, last)
    acts = any(child.dep_ in {"relcl", "acl"} for token in doc[first : last + 1] for child in token.children)
    acts = acts or any(token.lower_ in {"who", "whose"} for token in doc[last + 1 :])
    _reject_if(any(_is_past(child) for token in doc[first : last + 1] for child in token.children), HISTORY)
    _reject_if(not acts and words.names_a_trade(named.phrase) and not lexicon.is_person(named.phrase), TRADE)
    _reject_if(not acts and len(doc) - last - 2 < _BODY, LITTLE)
    # "The dentist is a friend of the mayor" speaks of one of them.
    said = any(child.dep_ in {"relcl", "acl", "prep", "amod"} for child in noun.children)
    _reject_if(named.definite and not said and _child(root, "acomp") is None)
    _reject_if(named.definite and lexicon.is_role(lemma))
    # "The author is a linguist who teaches in Ghana" does too.
    _reject_if(named.definite and any(token.pos_ == "PROPN" for token in doc[last + 1 :]))
    _reject_if(lemma == "one" and doc[last + 1].lower_ == "of")
    characters = None
    if lemma in words.PLAIN_PERSON:
        if first < noun.i:
            removed.append((doc[first].idx, noun.idx))
    elif _person_fits(doc, last, acts):
        characters = (doc[first].idx, _end(doc, last))
    body = doc[root.i + 1 :].text.rstrip(" .!?")
    gender = noun.lower_ if noun.lemma_.lower() in words.MAN_OR_WOMAN else ""
    return Definition(
        doc, named.profession, last + 1, acts, "definition", tuple(removed), characters, gender, lemma, body
    )


def _instead(doc: Doc, noun: Token) -> Token | None:
    """The person where the parser, or the sentence, has something else first: "an information *professional* who",
    "an organization or a *person* that".
    """
    following = doc[noun.i + 1] if noun.i + 1 < len(doc) else noun
    if following.head.i == noun.i and following.pos_ == "ADJ" and _is_person(doc, following):
        return following
    return next((other for other in noun.conjuncts if other.i > noun.i and _is_person(doc, other)), None)


def _put_between(doc: Doc, last: int) -> list[Span]:
    """What would part *person* from what is said of it: a comma ("an executive, responsible for"), or all that stands
    between two of them ("a guide, often a volunteer, who").
    """
    first = doc[last + 1]
    if first.text != "," or doc[min(last + 2, len(doc) - 1)].lower_ in _RELATIVES:
        return []
    closing = next((token for token in doc[last + 2 : -1] if token.text == ","), None)
    if closing is not None and doc[closing.i + 1].lower_ in _RELATIVES:
        return [(_end(doc, last), closing.idx + 1)]
    return [(first.idx, first.idx + 1)]


def _refuse_others(doc: Doc, root: Token, noun: Token, named: _Named) -> None:
    """Pass over what is said of a post, a trade, a thing, or of former times."""
    lemma = noun.lemma_.lower()
    person = words.names_a_person(named.phrase) or lexicon.is_person(named.phrase)
    # "A notary is an official who": whatever it ends in, a person is no trade.
    _reject_if(words.names_a_trade(named.phrase) and not _is_person(doc, noun), TRADE)
    _reject_if(lemma in _OF_MANY and not person)
    if not _is_person(doc, noun):
        _reject_if(lemma in words.POSTS and person, POST)
        _reject_if(lemma in words.TRADES and not person, TRADE)
        _reject_if(True)
    # "The first geisha was a dancer" tells of one person, not of what is gone.
    _reject_if(root.tag_ == "VBD" and named.phrase.partition(" ")[0].lower() in _ONE_OF_THEM)
    _reject_if(root.tag_ == "VBD", PAST)
    _reject_if(root.tag_ != "VBZ" or noun.tag_ in {"NNS", "NNPS"})


def _person_fits(doc: Doc, last: int, acts: bool) -> bool:
    """Whether *person* can take the place of the noun: not in "a writer of novels", nor where nothing would be left
    that says what the person has to do with it, "a mechanic with all makes of cars".
    """
    following = doc[last + 1]
    return following.lower_ not in _NO_PERSON_BEFORE and (acts or following.pos_ != "ADP")


def _is_person(doc: Doc, noun: Token) -> bool:
    lemma = noun.lemma_.lower()
    if lemma == "one":
        return noun.i + 1 < len(doc) and doc[noun.i + 1].lower_ in {"who", "whose"}
    if {lemma, noun.lower_} & (words.PERSONS | words.MAN_OR_WOMAN) or lexicon.is_person(lemma):
        return True
    following = [token for token in doc[noun.i + 1 : noun.i + 3] if token.text != ","]
    return bool(following) and following[0].lower_ in {"who", "whom"} and lemma not in words.POSTS


def _last_noun(doc: Doc, noun: Token) -> int:
    """The last of nouns for the same person: "an author or *writer* who"."""
    last: int = noun.i
    for other in sorted(noun.conjuncts, key=lambda token: token.i):
        inside = doc[last + 1 : other.i]
        plain = all(token.pos_ in {"CCONJ", "PUNCT", "ADJ", "NOUN", "DET", "PROPN"} for token in inside)
        if other.i > last and len(inside) <= 4 and plain and _is_person(doc, other):
            last = other.i
    return last


def _statement(doc: Doc, root: Token, named: _Named, known: Callable[[str], bool]) -> Definition:
    """What a known profession does: in the present, always, and not besides something else."""
    _reject_if(words.names_a_trade(named.phrase) and not known(named.phrase), TRADE)
    _reject_if(not known(named.phrase))
    helpers = [child for child in root.children if child.dep_ in {"aux", "auxpass"} and child.i < root.i]
    finite = helpers[0] if helpers else root
    _reject_if(finite.tag_ == "VBD", HISTORY)
    # "may recommend mortgages" tells of the work, "may retire" does not.
    able = finite.lower_ in {"may", "can", "will"} and _child(root, "dobj") is not None
    _reject_if((finite.tag_ != "VBZ" and not able) or finite.lower_ == "has")
    _reject_if(any(token.lower_ in _BESIDES for token in doc[finite.i - 1 : root.i + 2]))
    # "gets up early" and "tends the lamp" say what somebody does, "gets old" and "tends to be" do not.
    does = {"get": "prt", "tend": "dobj"}.get(root.lemma_)
    _reject_if(root.lemma_ in _SAYING and (does is None or _child(root, does) is None))
    _reject_if(root.tag_ == "VBG")
    _reject_if(_child(root, "auxpass") is not None and not _DUTY.match(root.text))
    _reject_if(any(child.dep_ in {"expl", "advcl"} and child.i < root.i for child in root.children))
    _reject_if(root.lemma_ == "be" and not _DUTY.match(doc[root.i + 1 :].text))
    acts = root.lemma_ != "be" or any(token.lower_ == "who" for token in doc[root.i :])
    said = f"a person who {doc[finite.i :].text.rstrip(' .!?')}"
    return Definition(doc, named.profession, finite.i, acts, "statement", named.removed, said=said)


def _is_past(clause: Token) -> bool:
    """Whether a clause tells what somebody did once: "who moved here last spring"."""
    helpers = any(child.dep_ in {"aux", "auxpass"} for child in clause.children)
    return clause.dep_ == "relcl" and clause.tag_ == "VBD" and not helpers


def _child(token: Token, *kinds: str) -> Token | None:
    return next((child for child in token.children if child.dep_ in kinds), None)


def _article(noun: Token) -> Token | None:
    own = next((child for child in noun.children if child.dep_ == "det" and child.i < noun.i), None)
    # "A bellhop or hotel porter": that of the first name.
    return own or (noun.left_edge if noun.left_edge.dep_ == "det" else None)


def _end(doc: Doc, place: int) -> int:
    return int(doc[place].idx) + len(doc[place].text)
