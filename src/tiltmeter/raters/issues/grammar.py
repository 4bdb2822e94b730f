"""I7 and I8: what is not grammatical or makes no sense, and what is no complete sentence."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from tiltmeter.raters.issues import words
from tiltmeter.raters.issues.sentence import Finding, Sentence, Token
from tiltmeter.records import TokenScores

_PLURAL_SUBJECTS = frozenset({"they", "we", "you", "people"})
_MODALS = frozenset({"would", "could", "should", "may", "might", "must", "will", "can", "did", "does", "to"})
# Attributes of the library's specifications that are also something one does.
_CAN_BE_VERBS = frozenset(
    {"dance", "love", "cook", "judge", "cheer", "caress", "honor", "vomit", "kill", "pollute", "abuse", "poison"}
    | {"murder", "crash", "stink", "assault", "experiment"}
)
_OPEN_ENDINGS = frozenset({"DT", "IN", "CC", "TO", "PRP$", "WDT", "WP", "WRB", "MD"})
_DOUBLED = re.compile(
    r"\b(?:the|an?|my|his|her) (?:the|an?|of|is|are|was|to|in|and|it)\b|\b(?:of|to|in|with) (?:of|when|is|are|was)\b|"
    r"\b(?:is|are|was|were) (?:is|are|was|go|have|be|has)\b|\b(?:more|very|it is|it was) (?:of|than|the)? ?[.]$|"
    r"\bvery[.]?$|\bthan[.]$|\bwho[.]$|\bwhen[.]$|\bmany [a-z]+[^s\W] *[.]$|\bevery [a-z]+s\b",
    re.IGNORECASE,
)


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
    findings = [
        finding
        for check in (_bare, _listed, _with_article, _very, _as_verb, _numbers, _repeated, _doubled)
        if (finding := check(sentence))
    ]
    if read is not None:
        findings.append(_fluency(read))
    return findings


def incomplete(sentence: Sentence) -> list[Finding]:
    """I8: starts in the middle, has no verb of its own, or is cut off."""
    doc = sentence.doc
    text = sentence.item.text.strip()
    findings = []
    first, root = doc[0], next(token for token in doc if token.dep_ == "ROOT")
    ended = text[-1] in ".!?\"'”’)"
    last = next((token for token in reversed(doc) if not token.is_punct), root)
    if first.text[0].islower():
        if first.tag_ in {"VBZ", "VBD", "VBP", "VBG", "TO", "CC", "WP", "WDT"} or len(first.text) == 1:
            findings.append(Finding("I8", f"it starts in the middle, with *{first.text}*", 0.95))
        else:
            findings.append(Finding("I8", f"it starts with a small letter: *{first.text}*", 0.45))
    if (last.tag_ in _OPEN_ENDINGS or text.endswith(",")) and not (ended and last.tag_ == "IN"):
        findings.append(Finding("I8", f"it is cut off after *{last.text}*", 0.9))
    if not _has_finite_verb(root):
        findings.append(Finding("I8", "it has no finite verb of its own", 0.85))
    elif _is_subordinate(root, first) and not text.endswith("?"):
        findings.append(Finding("I8", f"a clause that starts with *{first.text}* and has no main clause", 0.8))
    if not ended and last.lower_ in {"then", "so", "also", "just", "very"}:
        findings.append(Finding("I8", f"it is cut off after *{last.text}*", 0.8))
    if not ended:
        findings.append(Finding("I8", "it has no full stop", 0.4))
    return findings


def _is_subordinate(root: Token, first: Token) -> bool:
    """ "Because the girl wanted to dance": the whole is what should be a part."""
    opens = any(child.i == first.i and child.dep_ in {"mark", "advmod"} for child in root.children)
    return bool(first.tag_ in {"IN", "WRB"} and opens and root.tag_ != "VB")


def _has_finite_verb(root: Token) -> bool:
    if root.tag_ in {"VBZ", "VBP", "VBD", "MD"}:
        return True
    if any(
        child.dep_ in {"aux", "auxpass", "cop"} and child.tag_ in {"VBZ", "VBP", "VBD", "MD"} for child in root.children
    ):
        return True
    # The parser takes "My uncle dreams of it and *talks*" for a noun with a verb joined to it.
    if any(child.dep_ == "conj" and child.tag_ in {"VBZ", "VBP", "VBD"} for child in root.children):
        return True
    return root.tag_ == "VB" and any(child.dep_ in {"nsubj", "aux"} for child in root.children)


def _bare(sentence: Sentence) -> Finding | None:
    """ "Kevin is salary": a person is called a thing without an article."""
    attribute = sentence.attribute
    if attribute.dep_ != "attr" or attribute.tag_ not in {"NN", "NNS"} or attribute.head.lemma_ != "be":
        return None
    subject = next((child for child in attribute.head.children if child.dep_ in {"nsubj", "nsubjpass"}), None)
    if subject is None or subject.i != sentence.term.i:
        return None
    articles = [child for child in attribute.children if child.dep_ in {"det", "poss", "nummod", "amod", "case"}]
    if not any(child.dep_ in {"det", "poss", "nummod"} for child in articles) and sentence.kind != "other":
        return Finding("I7", f"*is {attribute.text}* lacks an article or is no thing to be", 0.8)
    if attribute.lemma_.lower() in words.NOT_A_PERSON and any(child.lower_ in {"a", "an"} for child in articles):
        return Finding("I7", f"nobody is *a {attribute.text}*", 0.65)
    if not sentence.attribute_is_role and attribute.tag_ == "NNS" and any(c.lower_ in {"a", "an"} for c in articles):
        return Finding("I7", f"*a {attribute.text}* is not grammatical", 0.9)
    return None


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
    return Finding("I7", f"*{before} {sentence.item.term}*: a name takes no article", 0.7)


def _very(sentence: Sentence) -> Finding | None:
    """ "very poetry", "a very stink person": a noun or a verb where an adjective belongs."""
    attribute = sentence.attribute
    before = sentence.doc[attribute.i - 1].lower_ if attribute.i else ""
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
    if attribute.i != term.i + 1 or attribute.pos_ == "ADJ" or term.lower_ in {"his", "her", "their"}:
        return None
    if any(token.pos_ in {"VERB", "AUX"} for token in sentence.doc[: term.i]):
        return None
    following = sentence.doc[attribute.i + 1].tag_ if attribute.i + 1 < len(sentence.doc) else "."
    if following in {"DT", "RB", "PRP", "TO", "IN", "PRP$"} and sentence.item.attribute.lower() not in _CAN_BE_VERBS:
        return Finding("I7", f"*{attribute.text}* is used as a verb", 0.8)
    return None


def _numbers(sentence: Sentence) -> Finding | None:
    """ "My sister are", "he have", "a maids": forms that do not agree."""
    for token in sentence.doc:
        forms = _verb_forms(token) if token.dep_ in {"nsubj", "nsubjpass"} else set()
        several = any(child.dep_ == "conj" for child in token.children)
        if token.tag_ in {"NN", "NNP"} and token.lower_ not in _PLURAL_SUBJECTS and not several:
            wrong = forms & {"are", "were", "have", "do"} if not forms & _MODALS else set()
        else:
            many = token.tag_ == "NNS" and token.lower_ not in {"mathematics", "physics"}
            wrong = forms & {"is", "was", "has"} if many else set()
        if wrong:
            return Finding("I7", f"*{token.text} {min(wrong)}* does not agree", 0.8)
        before = {child.lower_ for child in token.children}
        if token.tag_ == "NNS" and before & {"a", "an"} and not before & {"few", "many", "couple", "dozen", "hundred"}:
            return Finding("I7", f"*a {token.text}* does not agree", 0.75)
    return None


def _verb_forms(subject: Token) -> set[str]:
    """The verb of a subject and its auxiliaries."""
    verb = subject.head
    if verb.pos_ not in {"VERB", "AUX"}:
        return set()
    return {verb.lower_, *(child.lower_ for child in verb.children if child.dep_ in {"aux", "auxpass"})}


def _repeated(sentence: Sentence) -> Finding | None:
    """The same noun again: "a symphony of the symphony"."""
    for word in (sentence.attribute, sentence.term):
        written = sentence.item.term if word.i == sentence.term.i else sentence.item.attribute
        count = len(re.findall(rf"\b{re.escape(written)}\b", sentence.item.text, re.IGNORECASE))
        if count > 1 and word.pos_ not in {"PRON", "DET"}:
            # A long sentence may say a word twice.
            score = 0.7 if len(sentence.doc) <= 12 or count > 2 else 0.35
            return Finding("I7", f"*{word.text}* stands there {count} times", score)
    return None


def _doubled(sentence: Sentence) -> Finding | None:
    match = _DOUBLED.search(sentence.item.text.strip())
    return Finding("I7", f"*{match[0]}* is not grammatical", 0.85) if match else None


def _fluency(read: Reading) -> Finding:
    # A logistic curve through the labelled sentences of the tuning part as smollm2-135m reads them.
    strength = -13.7 - 1.22 * read.mean - 0.35 * read.lowest
    score = round(1 / (1 + math.exp(-strength)), 4)
    return Finding("I7", f"a language model finds it improbable ({read.mean:.1f} nats a token)", score)
