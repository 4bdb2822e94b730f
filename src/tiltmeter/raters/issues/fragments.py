"""I8: what is no complete sentence."""

from __future__ import annotations

from tiltmeter.raters.issues.sentence import Finding, Sentence, Token

_OPEN_ENDINGS = frozenset({"DT", "IN", "CC", "TO", "PRP$", "WDT", "WP", "WRB", "MD"})
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_SUBORDINATORS = frozenset(
    {"because", "if", "when", "while", "although", "though", "after", "before", "since", "unless", "until", "as"}
    | {"once", "whereas", "where", "whenever", "whether", "that", "how", "why"}
)
# Past forms that nothing else looks like.
_PAST = frozenset({"forgot", "went", "took", "gave", "wrote", "began", "knew", "became", "got", "kept", "spoke"})


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
    if _is_cut_off(last, ended) or text.endswith(","):
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


def _is_cut_off(last: Token, ended: bool) -> bool:
    """Whether the last word leads on; *in* or *this* may close a sentence that has its full stop."""
    if last.tag_ not in _OPEN_ENDINGS:
        return False
    return not ended or not (last.tag_ in {"IN", "WP"} or last.lower_ in _CLOSING)


_CLOSING = frozenset({"this", "that", "these", "those", "all", "some", "another", "any", "both", "each", "either"})


def _is_subordinate(root: Token, first: Token) -> bool:
    """ "Because the girl wanted to dance": the whole is what should be a part."""
    opens = any(child.i == first.i and child.dep_ in {"mark", "advmod"} for child in root.children)
    if first.lower_ not in _SUBORDINATORS or not opens or root.tag_ == "VB":
        return False
    # The parser at times takes the first of two clauses for the main one.
    return not any(_is_clause(token) for token in root.doc if token.i != root.i and token.dep_ != "ccomp")


def _is_clause(verb: Token) -> bool:
    """Whether a verb has a subject of its own and does not describe a noun."""
    if verb.dep_ in {"relcl", "acl"} or verb.pos_ not in {"VERB", "AUX"}:
        return False
    return any(child.dep_ in {"nsubj", "nsubjpass", "expl"} for child in verb.children)


def _has_finite_verb(root: Token) -> bool:
    if _is_finite(root) or _is_mistaken_verb(root):
        return True
    # The parser takes "My uncle dreams of it and *talks*" for a noun with a verb joined to it.
    if any(child.dep_ == "conj" and child.pos_ in {"VERB", "AUX"} and _is_finite(child) for child in root.children):
        return True
    if root.tag_ == "VB":
        return any(child.dep_ in {"nsubj", "expl", "aux"} for child in root.children) or _is_command(root)
    return any(_is_clause(token) and _is_finite(token) for token in root.doc if token.dep_ in {"ccomp", "parataxis"})


def _is_mistaken_verb(root: Token) -> bool:
    """ "A farmer *milks* the cow", "The maid *forgot* to": finite, though the tagger took it for something else."""
    if root.lower_ in _PAST:
        return True
    if root.tag_ == "NNS" and any(child.lower_ in {"a", "an", "this", "every"} for child in root.lefts):
        return True
    if not any(child.dep_ in {"nsubj", "expl"} for child in root.children):
        return False
    if root.tag_ == "VBN":
        return not root.lower_.endswith(("en", "wn", "ne"))
    return bool(root.pos_ == "NOUN" and root.i + 1 < len(root.doc))


def _is_finite(verb: Token) -> bool:
    helps = [child for child in verb.children if child.dep_ in {"aux", "auxpass", "cop"}]
    return verb.tag_ in _FINITE or any(_is_finite(child) for child in helps)


def _is_command(root: Token) -> bool:
    """ "Please close the door."."""
    before = [token for token in root.doc[: root.i] if not token.is_punct]
    return root.doc[0].text[0].isupper() and all(token.pos_ in {"ADV", "INTJ", "AUX", "PART"} for token in before)
