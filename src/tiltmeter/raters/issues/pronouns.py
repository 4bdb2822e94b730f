"""I7: pronouns in a form that does not fit their place."""

from __future__ import annotations

from tiltmeter.raters.issues import nouns
from tiltmeter.raters.issues.sentence import Finding, Sentence, Token, clause_of

_OBJECTS = frozenset({"him", "me", "them", "us", "her"})
_SUBJECTS = frozenset({"he", "she", "they", "we", "i"})
_OWN = frozenset({"hers", "theirs", "ours", "mine", "yours"})
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_PREPOSITIONS = frozenset({"of", "by", "with", "to", "at", "about", "from", "for", "on", "in", "into"})
# "said he", "thought she": these verbs may come before their subject.
_SAY = frozenset(
    {"say", "reply", "ask", "cry", "think", "know", "answer", "shout", "add", "whisper", "believe", "hope", "wish"}
    | {"tell", "guess", "feel", "suppose", "swear", "bet", "see", "hear", "find", "mean", "ensure", "realize", "let"}
)
# "made the house hers", "called the idea hers".
_MAKE = frozenset({"make", "call", "consider", "think", "believe", "declare", "claim", "deem", "want", "have"})
_TIMES = frozenset({"yesterday", "today", "tomorrow", "tonight", "home", "back", "alone", "too", "all", "both", "so"})
# "a degree in him": what is studied is a field.
_STUDY = frozenset({"degree", "course", "class", "major", "lesson", "lecture", "diploma", "exam", "homework"})


def wrong_case(sentence: Sentence) -> Finding | None:
    """The strongest sign of a pronoun in the wrong form."""
    checks = (_object_as_subject, _subject_as_object, _own_beside_a_noun, _of_own, _of_whom, _left_over, _is_him)
    found = [finding for token in sentence.doc for check in checks if (finding := check(token)) is not None]
    return max(found, key=lambda finding: finding.score, default=None)


def _object_as_subject(token: Token) -> Finding | None:
    """ "Him wrote poetry", "Her is good at dance", "Brother and me read"."""
    if token.lower_ not in _OBJECTS or token.i + 1 >= len(token.doc):
        return None
    verb = token.nbor(1)
    if verb.tag_ not in _FINITE or verb.lower_ in {"'s", "'d", "’s"}:
        return None
    joined = token.i > 1 and token.nbor(-1).lower_ == "and" and token.nbor(-2).dep_ == "nsubj" and token.i <= 4
    if not token.is_sent_start and not joined:
        return None
    if token.lower_ == "her" and not (verb.pos_ == "AUX" or _opens_an_object(verb)):
        return None
    because = f"*{token.text} {verb.text}*: *{token.lower_}* is no form of a subject"
    return Finding("I7", because, 0.6 if joined else 0.9)


def _opens_an_object(verb: Token) -> bool:
    return verb.i + 1 < len(verb.doc) and verb.nbor(1).tag_ in {"DT", "IN", "TO", "PRP", "PRP$", "RB"}


def _subject_as_object(token: Token) -> Finding | None:
    """ "done by he", "We gave he a book"."""
    if token.lower_ not in _SUBJECTS or token.i == 0 or token.text == "i":
        return None
    before = token.nbor(-1)
    following = token.nbor(1) if token.i + 1 < len(token.doc) else None
    closes = following is None or following.is_punct or following.tag_ in {"DT", "IN", "TO", "PRP$"}
    if not closes or any(child.pos_ in {"VERB", "AUX"} and child.i > token.i for child in [token.head]):
        return None
    if before.tag_ == "IN" and before.lower_ in _PREPOSITIONS:
        return Finding("I7", f"*{before.text} {token.text}*: the form of a subject after *{before.text}*", 0.85)
    if before.pos_ == "VERB" and before.tag_ != "VBG" and before.lemma_ not in _SAY:
        return Finding("I7", f"*{before.text} {token.text}*: the form of a subject as an object", 0.8)
    return None


def _own_beside_a_noun(token: Token) -> Finding | None:
    """ "Hers novel was", "algebra homework hers"."""
    if token.lower_ not in _OWN or (token.lower_ == "mine" and token.pos_ != "PRON"):
        return None
    before = token.nbor(-1) if token.i else None
    following = token.nbor(1) if token.i + 1 < len(token.doc) else None
    opens = before is None or before.pos_ in {"VERB", "ADP", "DET", "CCONJ"}
    if opens and following is not None and following.tag_ in {"NN", "NNS"} and following.lower_ not in _TIMES:
        return Finding("I7", f"*{token.text} {following.text}*: {token.text} takes no noun", 0.8)
    if before is None or clause_of(token).lemma_ in _MAKE or token.doc[-1].text == "?":
        return None
    ends = following is None or following.is_punct
    if before.pos_ in {"NOUN", "PROPN"} and (following is None or ends or following.tag_ in _FINITE):
        return Finding("I7", f"*{before.text} {token.text}*: {token.text} does not follow a noun without *of*", 0.85)
    if before.text == "," and ends and token.i > 1 and token.nbor(-2).pos_ in {"NOUN", "PROPN"}:
        return Finding("I7", f"*{token.nbor(-2).text}, {token.text}* does not join up", 0.6)
    return None


def _of_own(token: Token) -> Finding | None:
    """ "geometry of hers", "the hand of hers"; but "a sculpture of hers", "that book of hers"."""
    if token.lower_ not in _OWN or token.i < 2 or token.nbor(-1).lower_ != "of":
        return None
    noun = token.nbor(-2)
    articles = {child.lower_ for child in noun.children if child.dep_ in {"det", "poss", "nummod"}}
    if noun.tag_ == "NN" and not articles and nouns.is_mass(noun.lower_):
        return Finding("I7", f"*{noun.text} of {token.text}* is not how one owns it", 0.65)
    if articles == {"the"} and not any(child.dep_ == "relcl" for child in [*noun.children, *token.children]):
        place = 0.6 if noun.dep_ == "pobj" else 0.35
        return Finding("I7", f"*the {noun.text} of {token.text}*: one says *a* or *that*, or whose it is first", place)
    return None


def _of_whom(token: Token) -> Finding | None:
    """ "the literature of him", "a degree in him", "the brother of him"."""
    if token.lower_ not in _OBJECTS or token.tag_ != "PRP" or token.i < 2:
        return None
    if token.i + 1 < len(token.doc) and token.nbor(1).pos_ in {"NOUN", "ADJ", "VERB", "NUM"}:
        return None
    preposition, noun = token.nbor(-1), token.nbor(-2)
    lemma = noun.lemma_.lower()
    if preposition.lower_ == "in" and lemma in _STUDY:
        return Finding("I7", f"*{noun.text} in {token.text}*: nobody is a field of study", 0.8)
    owned = nouns.is_field(noun.lower_) or lemma in nouns.KIN or lemma in {"homework", "house", "career", "friend"}
    if preposition.lower_ == "of" and noun.pos_ == "NOUN" and owned:
        return Finding("I7", f"*{noun.text} of {token.text}*: whose it is goes before", 0.75)
    return None


def _left_over(token: Token) -> Finding | None:
    """ "They lost the book him.": one object too many."""
    if token.lower_ not in _OBJECTS or token.i < 3 or token.nbor(-1).pos_ != "NOUN":
        return None
    if token.i + 1 < len(token.doc) and not token.nbor(1).is_punct:
        return None
    noun = token.nbor(-1)
    is_object = noun.dep_ in {"dobj", "pobj", "attr"} and noun.head.i < noun.i
    if not is_object or clause_of(token).lemma_ in _MAKE:
        return None
    return Finding("I7", f"*{noun.text} {token.text}* does not join up", 0.75)


def _is_him(token: Token) -> Finding | None:
    """ "Poetry was him": a field is nobody."""
    if token.lower_ not in _OBJECTS or token.i < 2 or token.nbor(-1).lemma_ != "be":
        return None
    if token.i + 1 < len(token.doc) and not token.nbor(1).is_punct:
        return None
    subject = token.nbor(-2)
    if nouns.is_field(subject.lower_) and subject.dep_ in {"nsubj", "conj"}:
        return Finding("I7", f"*{subject.text}* is nobody", 0.7)
    return None
