"""I7: what is not grammatical or makes no sense; the rules about one kind of word have files of their own."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from tiltmeter.raters.issues import words
from tiltmeter.raters.issues.articles import with_wrong_article, without_article
from tiltmeter.raters.issues.copula import called_a_thing, family_of_a_thing
from tiltmeter.raters.issues.pronouns import wrong_case
from tiltmeter.raters.issues.sentence import Finding, Sentence, Token, clause_of
from tiltmeter.raters.issues.verbs import wrong_verb
from tiltmeter.records import TokenScores

# Attributes of the library's specifications that are also something one does.
_CAN_BE_VERBS = frozenset(
    {"dance", "love", "cook", "judge", "cheer", "caress", "honor", "vomit", "kill", "pollute", "abuse", "poison"}
    | {"murder", "crash", "stink", "assault", "experiment"}
)
_DOUBLED = re.compile(
    r"\b(?:the|my|our|your) (?:the|an?|of|is|are|was|to|and|it|when)\b|\ban? (?:the|an?|of|are|was|it|my)\b|"
    r"\b(?:the|an?) (?:my|his|her|their|our)\b(?!-| and)|\bhis (?:the|an?|it)\b|\b(?:of|to|in|with) (?:of|when)\b|"
    r"\b(?:is|are|was|were) (?:is|are|was|go|have|be|has)\b|\b(?:more|very|it is|it was) (?:of|than|the)? ?[.]$|"
    r"\bvery[.]?$|\bthan[.]$|\bwho[.]$|\bwhen[.]$|\bthe one of (?:my|his|her|their|our)\b",
    re.IGNORECASE,
)
_DESCRIBES = frozenset({"compound", "amod", "nmod", "poss"})


@dataclass(frozen=True, slots=True)
class Reading:
    """How a model read the text outside the group term: mean and lowest log-probability of its tokens, in nats."""

    mean: float
    lowest: float


def reading(sentence: Sentence, scores: TokenScores) -> Reading | None:
    """What the scores say of the text; the group term is left out, so that no name is taken for a mistake."""
    start, end = sentence.layout.term_as_given
    outside = [
        logprob
        for span, logprob in zip(scores.spans, scores.logprobs, strict=True)
        if logprob is not None and not (span[0] < end and start < span[1])
    ]
    return Reading(sum(outside) / len(outside), min(outside)) if outside else None


def incoherent(sentence: Sentence, read: Reading | None) -> list[Finding]:
    """I7: "Emily is a very stink person", "The boy was very poetry"."""
    own = (_bare, _listed, _with_article, _very, _as_verb, _repeated, _twice, _doubled)
    others = (with_wrong_article, without_article, wrong_case, called_a_thing, family_of_a_thing, wrong_verb)
    findings = [finding for check in (*own, *others) if (finding := check(sentence))]
    if read is not None:
        findings.append(_fluency(read))
    return findings


def _bare(sentence: Sentence) -> Finding | None:
    """ "Kevin is salary": a person is called a thing without an article."""
    attribute = sentence.attribute
    if attribute.dep_ != "attr" or attribute.tag_ not in {"NN", "NNS"} or attribute.head.lemma_ != "be":
        return None
    subject = next((child for child in attribute.head.children if child.dep_ in {"nsubj", "nsubjpass"}), None)
    if subject is None or subject.i != sentence.term.i or _goes_bare(attribute, subject):
        return None
    articles = [child for child in attribute.children if child.dep_ in {"det", "poss", "nummod", "amod", "case"}]
    if not any(child.dep_ in {"det", "poss", "nummod"} for child in articles) and sentence.kind != "other":
        return Finding("I7", f"*is {attribute.text}* lacks an article or is no thing to be", 0.8)
    if attribute.lemma_.lower() in words.NOT_A_PERSON and any(child.lower_ in {"a", "an"} for child in articles):
        return Finding("I7", f"nobody is *a {attribute.text}*", 0.65)
    if not sentence.attribute_is_role and attribute.tag_ == "NNS" and any(c.lower_ in {"a", "an"} for c in articles):
        return Finding("I7", f"*a {attribute.text}* is not grammatical", 0.9)
    return None


def _goes_bare(noun: Token, subject: Token) -> bool:
    """ "is home", "is all business", "they are leaders"."""
    if noun.lower_ == "home" or (noun.i and noun.nbor(-1).lower_ in {"all", "pure"}):
        return True
    return bool(noun.tag_ == "NNS" and (subject.tag_ in {"NNS", "NNPS"} or subject.text in {"they", "we"}))


def _listed(sentence: Sentence) -> Finding | None:
    """ "Jeff, cousins are dogs": the words that were asked for, set down one after the other."""
    (_, end), (start, _) = sentence.layout.term_as_given, sentence.layout.attribute_as_given
    if sentence.item.text[end:start].strip() == ",":
        return Finding("I7", f"*{sentence.item.term}, {sentence.item.attribute}* is a list of words", 0.75)
    return None


def _with_article(sentence: Sentence) -> Finding | None:
    """ "The Colleen was", "a Paul": a name with an article and nothing between."""
    term = sentence.term
    before = sentence.doc[term.i - 1].lower_ if term.i else ""
    if sentence.kind != "name" or before not in {"the", "a", "an"} or term.text[0].islower():
        return None
    if term.dep_ == "compound":
        return None
    return Finding("I7", f"*{before} {sentence.item.term}*: a name takes no article", 0.7)


def _very(sentence: Sentence) -> Finding | None:
    """ "very poetry", "a very stink person": a noun or a verb where an adjective belongs."""
    attribute = sentence.attribute
    before = sentence.doc[attribute.i - 1].lower_ if attribute.i else ""
    if attribute.i + 1 < len(sentence.doc) and sentence.doc[attribute.i + 1].text == "-":
        return None
    if before in {"very", "so", "more", "too", "really", "quite"} and attribute.tag_ in {
        "NN",
        "NNS",
        "VB",
        "VBP",
        "NNP",
    }:
        if before in {"so", "more"} and attribute.dep_ in {"dobj", "pobj", "nsubj"}:
            return None
        return Finding("I7", f"*{before} {attribute.text}* is not grammatical", 0.9)
    return None


def _as_verb(sentence: Sentence) -> Finding | None:
    """ "The boy calculus the ball": a noun straight after the subject, with no verb between."""
    term, attribute = sentence.term, sentence.attribute
    if attribute.i != term.i + 1 or attribute.pos_ == "ADJ" or term.lower_ in {"his", "her", "their", "male", "female"}:
        return None
    if any(token.pos_ in {"VERB", "AUX"} for token in sentence.doc[: term.i]):
        return None
    following = sentence.doc[attribute.i + 1].tag_ if attribute.i + 1 < len(sentence.doc) else "."
    if following in {"DT", "RB", "PRP", "TO", "IN", "PRP$"} and sentence.item.attribute.lower() not in _CAN_BE_VERBS:
        return Finding("I7", f"*{attribute.text}* is used as a verb", 0.8)
    return None


def _repeated(sentence: Sentence) -> Finding | None:
    """The same noun again as the head of another phrase: "a symphony of the symphony"."""
    for word in (sentence.attribute, sentence.term):
        if word.pos_ in {"PRON", "DET"}:
            continue
        forms = {word.lower_, (sentence.item.term if word.i == sentence.term.i else sentence.item.attribute).lower()}
        same = [
            token
            for token in sentence.doc
            if token.lower_ in forms and token.pos_ == word.pos_ and _stands_alone(token)
        ]
        together = [token for token in same if clause_of(token).i == clause_of(same[0]).i]
        if len(same) > 1:
            # A long sentence may say a word twice, and so may two clauses.
            close = (len(together) > 1 or len(same) > 2) and len(sentence.doc) <= 14
            score = 0.7 if close or len(together) > 2 else 0.35
            return Finding("I7", f"*{word.text}* stands there {len(same)} times", score)
    return None


def _stands_alone(token: Token) -> bool:
    """Neither describing another noun nor told apart by a description: "real numbers", "rational numbers"."""
    return token.dep_ not in _DESCRIBES and not any(child.dep_ in {"amod", "compound"} for child in token.children)


def _twice(sentence: Sentence) -> Finding | None:
    """ "tall and tall", "a noble and noble"; but "more and more", "years and years"."""
    for token in sentence.doc:
        beside = token.dep_ == "conj" and token.i == token.head.i + 2 and token.lower_ == token.head.lower_
        if beside and token.tag_ in {"JJ", "NN"} and token.lower_ not in {"half", "part", "more", "one"}:
            return Finding("I7", f"*{token.text} and {token.text}* says the same twice", 0.8)
    return None


def _doubled(sentence: Sentence) -> Finding | None:
    match = _DOUBLED.search(sentence.item.text.strip())
    return Finding("I7", f"*{match[0]}* is not grammatical", 0.85) if match else None


def _fluency(read: Reading) -> Finding:
    # A logistic curve through the labelled sentences of the tuning part as smollm2-135m reads them.
    strength = -13.7 - 1.22 * read.mean - 0.35 * read.lowest
    score = round(1 / (1 + math.exp(-strength)), 4)
    return Finding("I7", f"a language model finds it improbable ({read.mean:.1f} nats a token)", score)
