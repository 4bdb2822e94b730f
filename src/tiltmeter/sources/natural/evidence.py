"""Whether what a sentence defines is a profession: something must say that it is work.

A patient, a customer and a fan are persons who do something too. So the sentence has to give evidence: it calls the
person by the name of a trade ("a craftsperson who"), says that there is training or pay ("licensed", "for a living"),
or has the person do what is done for others ("builds", "repairs"). Or the corpus says that someone works as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tiltmeter.english import FUNCTION_WORDS
from tiltmeter.sources.natural import words
from tiltmeter.sources.natural.definitions import Definition
from tiltmeter.sources.natural.words import listed
from tiltmeter.sources.nouns import singular

Token = Any

_NO_TRADE = words.PLAIN_PERSON | listed(
    "child adult member participant owner student graduate founder holder subordinate player helper trainee employee "
    "supporter follower enthusiast admirer resident citizen user consumer human being relative friend minor"
)
"""Nouns for somebody that do not say what the work is."""
_WORK = re.compile(
    r"\b(?:professionally|self-employed|freelance|for a living|by (?:trade|profession)|clients?|"
    r"(?:works?|working) (?:in|as|at|for|under)|whose (?:job|work|trade|profession|duty|task)|"
    r"speciali[sz](?:es?|ing)|responsible for|in charge of)\b",
    re.IGNORECASE,
)
_TRAINED = listed(
    "professional trained skilled licensed certified qualified registered accredited employed hired paid salaried "
    "apprenticed"
)
"""What says that the person is trained or paid, where it is said of the person."""
_NO_WORK = re.compile(
    r"\b(?:for (?:pleasure|fun)|as a (?:hobby|pastime)|hobby|amateur|unpaid|in (?:their|his|her) (?:spare|free) time|"
    r"after the end of a working life|retired)\b",
    re.IGNORECASE,
)
_VERBS = listed(
    "adapt administer advise advocate alter analyse analyze animate apply appraise arbitrate arrange assemble assess "
    "assist auction audit bake bind blend bottle brew broker build butcher calculate carry carve cast catalog "
    "catalogue cater certify choreograph clean coach code compile compose conduct conserve construct consult cook "
    "coordinate counsel craft create cultivate curate cure cut deal decorate defend deliver design develop diagnose "
    "diagram dig direct dispatch dispense dissect distil distill dive draft draw drill drive dub dye edit educate "
    "embalm embroider enforce engineer engrave escort examine excavate execute extract fabricate farm fashion fell "
    "finish fit forge formulate gild glaze govern grind groom guard guide handle harvest heal herd illuminate "
    "illustrate import inspect install instruct insure interpret interview investigate iron landscape launder lay "
    "lead lecture light litigate load lubricate machine maintain make manage manufacture map market massage measure "
    "mediate mend mill mine mix model mold monitor mould mount move mow negotiate nurse officiate operate organise "
    "organize oversee pack paint patrol perform photograph pilot plan plant plaster plumb polish prepare prescribe "
    "preserve print process produce program programme promote prosecute protect prune publish quarry recommend record "
    "recruit referee refine repair report represent rescue research restore review rig roast roof salt sample saw "
    "schedule sculpt seal sell serve service sew shape shear shoe smelt solder solve sort spin staff stage steer "
    "stitch stock stuff supervise supply survey sweep tailor tan tattoo teach test thatch till trade train transcribe "
    "translate transplant transport treat trim tune turn tutor umpire unload upholster vaccinate value wash weave "
    "weld whittle write x-ray"
)
"""What people do for others, or make, as their work."""
_WORKS_AS = re.compile(
    r"\b(?:work(?:s|ed|ing)?|employ(?:ed|ment)|hired|train(?:ed|ing)|job|career|apprenticeship|apprenticed|living|"
    r"qualif(?:ied|ies|y)|appointed)\s+(?:\w+ly\s+)?as\s+(?:an?\s+)?((?:[\w-]+[ ]?){1,4})|"
    r"\b((?:[\w-]+ ){0,2}[\w-]+) by (?:trade|profession)\b",
    re.IGNORECASE,
)


def is_work(found: Definition) -> bool:
    """Whether a definition says of a person what is done as work."""
    doc, body = found.doc, found.body
    # The word that is defined is no evidence: "a client".
    text = doc.text[found.profession[1] :]
    if _NO_WORK.search(text):
        return False
    if found.noun not in _NO_TRADE or _WORK.search(text):
        return True
    deeds = list(_deeds(doc, body))
    return any(_is_deed(verb) or _is_trained(verb) for verb in deeds) or any(
        child.lower_ in _TRAINED for verb in deeds[:1] for child in verb.head.children if child.i < verb.i
    )


def worked_as(texts: Iterable[str]) -> Iterator[str]:
    """The professions that a corpus says someone works as.

    >>> list(worked_as(["She works as a luthier in Cremona.", "He was a tanner by trade."]))
    ['luthier', 'tanner']
    """
    for text in texts:
        for found in _WORKS_AS.finditer(text):
            name: list[str] = []
            for word in (found[1] or found[2]).split():
                if word.lower() in FUNCTION_WORDS:
                    if found[1]:
                        break
                    name = []
                else:
                    name.append(word)
            if name:
                yield singular(" ".join(name).casefold())


def _deeds(doc: Any, body: int) -> Iterator[Token]:
    """The verbs of the clause that says what the person does, with those beside them."""
    clauses = [token for token in doc[body:] if token.dep_ in {"relcl", "acl"} and token.head.i <= body]
    for clause in clauses[:1]:
        yield clause
        yield from (token for token in doc[clause.i + 1 :] if token.head.i == clause.i and token.dep_ in _BESIDE)
        yield from (other for other in clause.conjuncts if other.i > clause.i)


def _is_trained(verb: Token) -> bool:
    """Whether a verb says that others train or pay the person, not that the person does: "is paid", "has paid"."""
    helpers = {child.dep_ for child in verb.children} & {"aux", "auxpass"}
    passive = "auxpass" in helpers or (verb.tag_ == "VBN" and not helpers and not _has_subject(verb))
    return verb.lower_ in _TRAINED and passive


def _has_subject(verb: Token) -> bool:
    return any(child.dep_ == "nsubj" for child in verb.children)


_BESIDE = {"conj", "advcl", "xcomp"}


def _is_deed(verb: Token) -> bool:
    """Whether a verb names work that the person does to something, rather than what becomes of the person."""
    # "Has served" tells of the past, "is taught" of what others do.
    if verb.tag_ == "VBN" or any(child.dep_ in {"auxpass", "neg"} for child in verb.children):
        return False
    particle = {child.lower_ for child in verb.children if child.dep_ in {"prep", "prt"}}
    if verb.lemma_ == "look" and "after" in particle:
        return True
    return verb.lemma_.lower() in _VERBS
