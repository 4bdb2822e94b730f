"""I7: nouns with an article that they cannot take, or without one that they need."""

from __future__ import annotations

from tiltmeter.raters.issues import nouns
from tiltmeter.raters.issues.sentence import Finding, Sentence, Token

_DETERMINERS = frozenset({"det", "poss", "nummod", "predet", "quantmod"})
_DETERMINES = frozenset({"DT", "PRP$", "POS", "CD", "WP$", "WDT", "PDT"})
_MAY_STAND_BETWEEN = frozenset({"JJ", "JJR", "JJS", "NN", "NNS", "NNP", "VBN", "VBG", "RB", "HYPH", "CC", ","})
# "became leader", "turned writer", "play doctor": what follows is a part to be played.
_OF_PARTS = frozenset({"become", "turn", "play", "elect", "name", "appoint", "make", "call", "remain", "go"})
_GENERIC = frozenset({"man", "woman"})


def with_wrong_article(sentence: Sentence) -> Finding | None:
    """ "a math", "an advice": what cannot be counted takes no *a*."""
    for token in sentence.doc:
        if token.tag_ not in {"NN", "NNS", "NNP"} or not nouns.is_mass(token.lower_) or _leads_to_a_noun(token):
            continue
        article = next((child for child in token.lefts if child.lower_ in {"a", "an"}), None)
        if article is None:
            continue
        # "a strange laughter", "a poetry of exile": one kind of it.
        described = any(
            child.dep_ in {"amod", "compound", "relcl", "acl", "nummod"} or child.lower_ == "of"
            for child in token.children
        )
        return Finding("I7", f"*{article.text} {token.text}*: it is not counted", 0.4 if described else 0.85)
    return None


def without_article(sentence: Sentence) -> Finding | None:
    """ "Brother read the novel", "He bought hat": what is counted needs an article or the like."""
    found = [finding for token in sentence.doc if (finding := _bare(token)) is not None]
    return max(found, key=lambda finding: finding.score, default=None)


def _bare(token: Token) -> Finding | None:
    lemma = token.lemma_.lower()
    if token.tag_ not in {"NN", "NNP"} or token.lower_ != lemma:
        return None
    person = nouns.is_person_noun(token) and lemma not in nouns.POSTS
    # "Taylor", "Hunter": names end like professions.
    if person and token.ent_type_ and not nouns.is_surely_a_person(lemma):
        return None
    if not person and lemma not in nouns.NEVER_BARE:
        return None
    if _is_named(token) or _has_determiner(token) or _leads_to_a_noun(token):
        return None
    score = _as_person(token) if person else _as_thing(token)
    return Finding("I7", f"*{token.text}* lacks an article", score) if score else None


def _as_person(token: Token) -> float:
    """How wrong a noun for a person is without an article: it depends on its place."""
    lemma, place = token.lemma_.lower(), token.dep_
    joined = _joined(token)
    if joined is not None:
        # "mother and child" goes, "brother and me" does not.
        return 0.65 if joined.pos_ in {"PRON", "PROPN"} and token.is_sent_start and place.startswith("nsubj") else 0.0
    is_role = place in {"attr", "acomp"} and token.head.lemma_ in {"be", "become"}
    if is_role or (place == "pobj" and token.head.lower_ == "as"):
        return 0.6 if not _has_complement(token) else 0.0
    if not nouns.is_surely_a_person(lemma):
        return 0.0
    if place in {"nsubj", "nsubjpass"} and token.i < token.head.i:
        return 0.3 if lemma in nouns.KIN_AS_NAMES or lemma in _GENERIC else 0.65
    if place in {"dobj", "dative"} and token.head.pos_ == "VERB" and token.head.lemma_ not in _OF_PARTS:
        return 0.7
    return 0.0


def _as_thing(token: Token) -> float:
    if _joined(token) is not None:
        return 0.0
    if token.dep_ == "pobj":
        return 0.55 if token.head.lower_ in {"for", "about", "with"} else 0.0
    return {"dobj": 0.7, "nsubj": 0.6, "nsubjpass": 0.6, "attr": 0.6}.get(token.dep_, 0.0)


def _joined(token: Token) -> Token | None:
    """What a noun is joined to by *and* or *or*."""
    if token.dep_ == "conj":
        return token.head
    return next((child for child in token.children if child.dep_ == "conj"), None)


def _has_determiner(token: Token) -> bool:
    if any(child.dep_ in _DETERMINERS for child in token.lefts):
        return True
    # The parser hangs some articles elsewhere, so look back over what may stand between.
    at = token.i - 1
    while at > 0 and token.doc[at].tag_ in _MAY_STAND_BETWEEN:
        at -= 1
    return at >= 0 and token.doc[at].tag_ in _DETERMINES


def _has_complement(token: Token) -> bool:
    """ "secretary of the club", "mother to three": what makes it one of a kind."""
    return any(child.dep_ in {"prep", "relcl", "acl", "appos"} for child in token.rights)


def _is_named(token: Token) -> bool:
    """Written like a name, quoted, called out to, or before a name: "Mother", "Brother John", "“doctor”"."""
    if token.text[0].isupper() and not token.is_sent_start:
        return True
    before = token.doc[token.i - 1] if token.i else None
    if before is not None and (before.is_quote or before.text in {"-", "/"}):
        return True
    after = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    return after is not None and (after.tag_ == "NNP" or after.is_quote or after.text in {",", "/", ":"})


def _leads_to_a_noun(token: Token) -> bool:
    """Whether the noun only describes the next one: "a math teacher"."""
    if token.dep_ in {"compound", "nmod", "amod", "poss"} and token.head.i > token.i:
        return True
    if token.i + 1 == len(token.doc):
        return False
    after = token.nbor(1)
    return after.text in {"-", "/", "'s", "’s"} or after.tag_ in {"NN", "NNS", "NNP", "NNPS", "POS", "VBG"}
