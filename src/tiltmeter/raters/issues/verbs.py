"""I7: verbs that do not agree, are doubled, or stand in the wrong form or time."""

from __future__ import annotations

from tiltmeter.raters.issues import nouns
from tiltmeter.raters.issues.sentence import Finding, Sentence, Token, subject_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MODALS = _words("would could should may might must will can did does do 'll ’ll 'd ’d wo ca")
_BE = _words("is are was were am")
_ONE = _words("a an every each")
_MANY = _words("many several these those")
# Their past looks like their present: "he put", "she read".
_SAME_PAST = _words(
    "put read hit cut set let cost hurt shut split spread quit bet cast beat burst rid shed wed thrust bid bit pet fit "
    "come become run lay upset"
)
_NEVER_AFTER_BE = _words(
    "went took gave wrote ate saw began broke chose drove fell flew knew rode sang spoke swam threw wore did drew grew"
)
# "a group of people are", "the majority have".
_OF_MANY = _words(
    "group number majority minority lot couple team family police staff crowd crew pair half rest percent variety "
    "range people audience band set series public company class host bunch handful plenty dozen clergy cattle folk "
    "community army third quarter bulk most all some none committee government population aircraft spacecraft "
    "personnel offspring fish sheep"
)
_ONE_IN_S = _words("news data species series headquarters measles means scissors media")
# "I insist that he go", "help him do": after these the bare form is right.
_WISHES = _words("insist suggest recommend demand request require propose ask urge let make help see hear watch have")
# "the day he met her": a relative clause with nothing missing.
_HIDDEN = _words("day way time reason moment place year night week minute morning")
_GIVES = _words(
    "give tell show send teach buy ask offer bring make call owe name throw pay hand pass lend write sell do cost get "
    "leave feed read"
)
_LEADS_ON = _words("mark ccomp xcomp prep conj")
_SPANS = _words("night week month year summer winter spring")


def wrong_verb(sentence: Sentence) -> Finding | None:
    """The strongest sign of a verb in the wrong form."""
    checks = (_wrong_number, _does_not_agree, _bare_after_one, _doubled, _after_modal, _filled_relative, _past_time)
    found = [finding for token in sentence.doc for check in checks if (finding := check(token)) is not None]
    return max(found, key=lambda finding: finding.score, default=None)


def _wrong_number(noun: Token) -> Finding | None:
    """ "a maids", "many dog"."""
    before = _determiner(noun)
    if before not in (_ONE if noun.tag_ == "NNS" else _MANY) or noun.tag_ not in {"NN", "NNS"}:
        return None
    if noun.dep_ in {"compound", "ROOT"} or noun.lower_ in _OF_MANY or noun.i + 1 == len(noun.doc):
        return None
    # What the tagger got wrong, or what describes the next noun, proves nothing.
    if noun.nbor(1).pos_ == "NOUN" or noun.nbor(1).tag_ == "POS" or noun.lower_.endswith("s") != (noun.tag_ == "NNS"):
        return None
    return Finding("I7", f"*{before} {noun.text}* does not agree", 0.75)


def _determiner(noun: Token) -> str:
    """The word before a noun, or before the one adjective that it has."""
    before = noun.nbor(-1) if noun.i else None
    if before is not None and before.tag_ == "JJ" and before.lower_ not in _MANY and before.i:
        before = before.nbor(-1) if before.lower_ not in {"few", "great", "good"} else None
    return before.lower_ if before is not None else ""


def _does_not_agree(subject: Token) -> Finding | None:
    """ "My sister are", "The boys is", "He have been"."""
    verb = subject.head
    if subject.dep_ not in {"nsubj", "nsubjpass"} or verb.pos_ not in {"VERB", "AUX"} or subject.i > verb.i:
        return None
    forms = {child.lower_ for child in verb.children if child.dep_ in {"aux", "auxpass"}}
    forms |= {verb.lower_} if verb.tag_ != "VB" else set()
    wrong: set[str] = set()
    if subject.lower_ in {"he", "she", "it"} or (subject.tag_ in {"NN", "NNP"} and not _is_many(subject)):
        wrong = {"are", "have", "do"} if subject.tag_ == "PRP" else {"are", "were", "have", "do"}
        wrong = set() if forms & ((_MODALS - {"do"}) | {"to"}) else wrong
    elif subject.tag_ == "NNS" and not _is_one(subject) and not subject.is_sent_start:
        wrong = {"is", "was", "has"}
    if not forms & wrong or _is_far(subject):
        return None
    return Finding("I7", f"*{subject.text} {min(forms & wrong)}* does not agree", 0.8)


def _is_one(subject: Token) -> bool:
    return subject.lower_ in _ONE_IN_S or subject.lower_.endswith("ics")


def _is_many(subject: Token) -> bool:
    """Several, or one word for several."""
    if subject.lower_ in _OF_MANY or subject.text.isupper() or any(child.dep_ == "conj" for child in subject.children):
        return True
    if any(child.lower_ in _MANY | {"some", "most", "all", "both", "few", "two"} for child in subject.lefts):
        return True
    if subject.text[0].isupper() and subject.lower_.endswith("s"):
        return True
    return subject.tag_ == "NNP" and any(child.lower_ in {"and", "or", ",", "of"} for child in subject.subtree)


def _is_far(subject: Token) -> bool:
    """Whether so much stands before the verb that the parser is often wrong about whose it is."""
    between = subject.doc[subject.i + 1 : subject.head.i]
    return any(token.tag_ in {"NNS", "NNPS", "WDT", "WP", "CC"} or token.text in {",", '"', "-"} for token in between)


def _bare_after_one(subject: Token) -> Finding | None:
    """ "She like poetry", "My mom work as", "they goes"."""
    verb = subject.head
    if subject.dep_ not in {"nsubj", "nsubjpass"} or not 0 < verb.i - subject.i <= 2 or verb.i + 1 == len(verb.doc):
        return None
    if any(child.dep_ in {"aux", "auxpass", "mark"} for child in verb.children) or verb.head.lemma_ in _WISHES:
        return None
    if any(child.dep_ in {"conj", "cc"} for child in subject.children):
        return None
    if _is_singular(subject):
        is_wrong = _is_bare(verb) and subject.doc[max(0, subject.left_edge.i - 1)].pos_ not in {"AUX", "VERB"}
    else:
        is_wrong = subject.lower_ in {"they", "we", "i"} and verb.tag_ == "VBZ"
    return Finding("I7", f"*{subject.text} {verb.text}* does not agree", 0.8) if is_wrong else None


def _is_singular(subject: Token) -> bool:
    if subject.lower_ in {"he", "she", "it"}:
        return True
    is_known = any(child.dep_ in {"det", "poss"} for child in subject.lefts)
    return bool(subject.tag_ == "NN" and is_known and nouns.is_person_noun(subject))


def _is_bare(verb: Token) -> bool:
    """The bare form where a finite one belongs; or a noun that the parser had to take for the verb."""
    if verb.tag_ == "NN":
        return bool(verb.dep_ == "ROOT" and len(list(verb.lefts)) == 1)
    if verb.tag_ not in {"VBP", "VB"} or verb.pos_ != "VERB" or verb.dep_ not in {"ROOT", "relcl", "ccomp", "advcl"}:
        return False
    return bool(verb.lower_ == verb.lemma_ and verb.lower_ not in _SAME_PAST and verb.nbor(1).text != "-")


def _doubled(token: Token) -> Finding | None:
    """ "is goes", "was went": a finite verb straight after a form of *be*."""
    if token.lower_ not in _BE or token.i + 1 == len(token.doc):
        return None
    verb = token.nbor(1)
    is_finite = verb.pos_ == "VERB" and (verb.tag_ == "VBZ" or verb.lower_ in _NEVER_AFTER_BE)
    # "What it is matters."
    if not is_finite or any(word.tag_ in {"WP", "WDT", "WRB"} for word in token.doc[: token.i]):
        return None
    return Finding("I7", f"*{token.text} {verb.text}* is not grammatical", 0.85)


def _after_modal(token: Token) -> Finding | None:
    """ "can plays", "did won": a finite verb where the bare form belongs."""
    if token.lower_ not in _MODALS or token.pos_ != "AUX" or token.is_sent_start or token.i + 1 == len(token.doc):
        return None
    if token.text[0] in "'’":
        return None
    verb = token.nbor(1)
    is_finite = verb.tag_ == "VBZ" or (verb.tag_ in {"VBD", "VBN"} and verb.lower_ != verb.lemma_)
    if verb.pos_ != "VERB" or not is_finite or verb.lower_ in _SAME_PAST:
        return None
    return Finding("I7", f"*{token.text} {verb.text}* is not grammatical", 0.85)


def _filled_relative(verb: Token) -> Finding | None:
    """ "He is literature his father owns him": two sentences in one, with nothing that joins them."""
    if not _hangs_on_a_noun(verb) or verb.head.lower_ in _HIDDEN or verb.lemma_ in _GIVES:
        return None
    inside = {child.dep_: child for child in verb.children}
    subject = inside.get("nsubj") or inside.get("nsubjpass")
    filled = inside.get("dobj") or inside.get("attr") or inside.get("acomp")
    if subject is None or filled is None or filled.i < verb.i or inside.keys() & _LEADS_ON:
        return None
    before = verb.doc[: verb.left_edge.i]
    joins = any(word.tag_ in {"WDT", "WP", "WP$", "WRB", "IN"} or word.lower_ == "that" for word in verb.subtree)
    is_finite = verb.tag_ != "VB" or "aux" in inside
    if joins or not is_finite or not any(word.tag_ in {"VBZ", "VBD", "VBP"} for word in before):
        return None
    if before[-1].tag_ not in {"NN", "NNS"}:
        return None
    return Finding("I7", f"*{subject.text} {verb.text} {filled.text}* is joined by nothing", 0.65)


def _hangs_on_a_noun(clause: Token) -> bool:
    """Whether a clause describes a noun, or follows "is a …" that is complete without it."""
    if clause.dep_ == "relcl":
        return True
    above = clause.head
    if clause.dep_ != "ccomp" or clause.i < above.i:
        return False
    if above.pos_ == "NOUN":
        return above.dep_ in {"attr", "acomp"} and subject_of(above.head) is not None
    subject = subject_of(above)
    is_complete = any(child.dep_ == "attr" and child.pos_ == "NOUN" for child in above.children)
    return above.lemma_ == "be" and is_complete and subject is not None and nouns.is_person(subject)


def _past_time(token: Token) -> Finding | None:
    """ "He is a student last year": a past time with a verb in the present."""
    is_last = token.lower_ in _SPANS and any(child.lower_ == "last" for child in token.lefts)
    if not (is_last or token.lower_ == "yesterday") or token.dep_ not in {"npadvmod", "advmod"}:
        return None
    verb = token.head
    now = {child.tag_ for child in [verb, *verb.children] if child.pos_ in {"VERB", "AUX"}} & {"VBZ", "VBP"}
    if not now or any(word.tag_ in {"VBD", "VBN", "MD"} for word in token.doc[: token.i]):
        return None
    return Finding("I7", f"*{token.text}* is past, *{verb.text}* is not", 0.6)
