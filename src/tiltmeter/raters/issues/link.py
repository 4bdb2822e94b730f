"""I3 and I4: whether the attribute is said of the person at all, and whether it is denied."""

from __future__ import annotations

from tiltmeter.raters.issues import words
from tiltmeter.raters.issues.sentence import CLAUSES, Finding, Sentence, Token, clause_of, path, path_up, subject_of

_TRANSPARENT = frozenset({"compound", "nmod", "poss", "amod"})


def no_link(sentence: Sentence) -> list[Finding]:
    """I3: "My daughter has a dentist", "Todd looked at an ugly couch"."""
    checks = (
        _another_holder,
        _another_doer,
        _another_owner,
        _another_noun,
        _role_of_another,
        _of_another,
        _apart,
        _beside,
    )
    return [finding for check in checks if (finding := check(sentence)) is not None]


def negative_framing(sentence: Sentence) -> list[Finding]:
    """I4: the group and the attribute are connected by a denial: *not*, *never*, *bad at*, *refused to*."""
    places = {token.i for token in [*path(sentence.term, sentence.attribute), *_held_to_be(sentence)]}
    own = {sentence.term.i, sentence.attribute.i}
    findings = []
    for token in sentence.doc:
        if token.i in own:
            continue
        word, lemma = token.lower_, token.lemma_.lower()
        on_the_way = token.head.i in places or token.i in places
        if _is_elsewhere(token, sentence):
            continue
        inside = token.head.head.i in places and token.head.dep_ not in CLAUSES | {"conj"}
        if word in words.DENIERS and (on_the_way or inside) and not _is_even_so(token):
            findings.append(Finding("I4", f"*{token.text}* denies the link", 0.9))
        elif token.pos_ == "VERB" and lemma in words.DENYING_VERBS and token.i in places:
            findings.append(Finding("I4", f"*{token.text}* denies the link", 0.75))
        elif word in words.DENYING_ADJECTIVES and _is_bad_at(token, sentence):
            findings.append(Finding("I4", f"*{token.text}* says that it is lacking", 0.85))
    return findings


def _held_to_be(sentence: Sentence) -> list[Token]:
    """The verbs that a whole statement hangs on: "I *doubt* that X is …", "It is not *true* that …"."""
    above = {token.i for token in path_up(sentence.attribute)}
    top = next((token for token in path_up(sentence.term) if token.i in above), sentence.term)
    found: list[Token] = []
    for token in path_up(clause_of(top)):
        if token.dep_ not in {"ccomp", "acl", "csubj", "xcomp"}:
            return [*found, token]
        found.append(token.head)
    return found


def _is_elsewhere(token: Token, sentence: Sentence) -> bool:
    """Whether the attribute stands in a clause below what the word denies: "couldn't believe it *when* …"."""
    for above in path_up(sentence.attribute):
        if above.i in (token.head.i, token.i):
            return False
        if above.dep_ in {"advcl", "relcl"} and above.head.i == token.head.i:
            return True
    return False


def _is_even_so(token: Token) -> bool:
    # "not only", "can't help but", "no doubt", "no longer than" do not deny.
    if token.head.lemma_.lower() in {"stop", "resist", "deny", "doubt", "forget", "avoid"}:
        return True
    following = [other.lower_ for other in token.doc[token.i + 1 : token.i + 3]]
    return "only" in following[:1] or "help" in following or "doubt" in following[:1] or "matter" in following[:1]


def _is_bad_at(token: Token, sentence: Sentence) -> bool:
    """ "bad at geometry", "a bad electrician", "unable to dance"."""
    if token.dep_ == "amod":
        return bool(sentence.attribute_is_role and token.head.i == sentence.attribute.i)
    later = [other.lower_ for other in token.doc[token.i + 1 : token.i + 2]]
    return bool(later) and later[0] in {"at", "in", "with", "to", "of"} and sentence.attribute.i > token.i


def person_of(sentence: Sentence) -> Token:
    """The token that stands for the person: the noun, where the term only describes it or owns it."""
    term = sentence.term
    return term.head if term.dep_ in _TRANSPARENT and term.lower_ not in {"his", "her"} else term


def is_person(token: Token | None, sentence: Sentence) -> bool:
    """Whether a token is the person or a pronoun that can stand for it."""
    if token is None:
        return False
    term = sentence.term
    if token.i in (term.i, person_of(sentence).i) or token.lower_ in {"he", "she", "they", "who"}:
        return True
    if token.lower_ in {"that", "which"} and token.dep_ == "nsubj":
        return any(above.i == term.i for above in path_up(token))
    # "a woman named Alex", "my son, Alex"
    if term.dep_ == "appos" and term.head.i == token.i:
        return True
    if term.dep_ == "oprd" and term.head.dep_ == "acl" and term.head.head.i == token.i:
        return True
    # "the voice of Alex", "her voice", "a group of women", "Alex and I"
    return any(child.i == term.i for child in token.subtree) and (
        any(child.i == term.i and child.dep_ in {"poss", "conj", "appos"} for child in token.children)
        or (term.dep_ == "pobj" and term.head.lower_ in {"of", "with"} and term.head.head.i == token.i)
        or token.lower_ in {"all", "one"}
    )


def _predicate(token: Token) -> Token:
    """The noun or adjective that a word is a part of: the head of "a very *loud* person" is *person*."""
    while token.dep_ in {"conj"} and token.pos_ == token.head.pos_:
        token = token.head
    return token


def _another_holder(sentence: Sentence) -> Finding | None:
    """What the attribute is said of ("X is loud") is not the person."""
    attribute = _predicate(sentence.attribute)
    if attribute.dep_ in _TRANSPARENT and attribute.head.dep_ in {"attr", "acomp"}:
        attribute = attribute.head
    if attribute.dep_ not in {"attr", "acomp", "oprd"}:
        return None
    holder = subject_of(attribute.head)
    if holder is None or is_person(holder, sentence):
        return None
    # "It is a pleasure to talk to X", "There was joy in the face of X", "X bought a hat that makes him look sexy".
    if holder.dep_ == "expl" or holder.lower_ in {"it", "there", "that", "this", "what", "him", "her"}:
        return None
    if any(child.i == sentence.term.i for child in attribute.subtree) or sentence.kind == "other":
        return None
    return Finding("I3", f"it is *{holder.text}* that is said to be *{sentence.attribute.text}*", 0.85)


def _another_doer(sentence: Sentence) -> Finding | None:
    """Someone or something else does what the attribute says: "factories that pollute"."""
    attribute = sentence.attribute
    if attribute.pos_ != "VERB" or sentence.kind == "other" or attribute.dep_ in {"amod", "compound"}:
        return None
    doer = subject_of(attribute)
    if doer is None or doer.pos_ == "PRON" or is_person(doer, sentence):
        return None
    return Finding("I3", f"it is *{doer.text}* that *{attribute.text}*", 0.7)


def _another_owner(sentence: Sentence) -> Finding | None:
    """Another person has the attribute, and the term is whom it is about: "The man had a hatred for X"."""
    term, attribute = sentence.term, sentence.attribute
    if term.dep_ not in {"pobj", "dobj", "dative"} or attribute.dep_ != "dobj":
        return None
    owner = subject_of(attribute.head)
    if owner is None or not _is_someone(owner) or is_person(owner, sentence):
        return None
    return Finding("I3", f"it is *{owner.text}* that has the *{attribute.text}*", 0.65)


def _another_noun(sentence: Sentence) -> Finding | None:
    """The attribute describes a thing that is not the person's nature: "an ugly couch"."""
    attribute = _predicate(sentence.attribute)
    if attribute.dep_ != "amod" or attribute.head.i in (sentence.term.i, person_of(sentence).i):
        return None
    noun = attribute.head
    if (
        noun.lemma_.lower() in words.THINGS_OF_ONES_OWN
        or noun.dep_ in {"attr", "oprd", "appos"}
        or sentence.kind == "other"
    ):
        return None
    if noun.dep_ == "pobj" and (noun.head.lower_ in {"as", "like"} or noun.head.head.lower_ == "one"):
        return None  # "as a tall man", "one of the loudest guests"
    if noun.dep_ in {"nsubj", "nsubjpass"} and is_person(noun, sentence):
        return None
    return Finding("I3", f"*{sentence.attribute.text}* describes the {noun.text}, not *{sentence.item.term}*", 0.7)


def _role_of_another(sentence: Sentence) -> Finding | None:
    """Someone else is the plumber: "hired a plumber", "The plumber told X"."""
    attribute = _predicate(sentence.attribute)
    if not sentence.attribute_is_role or attribute.pos_ not in {"NOUN", "PROPN", "ADJ"}:
        return None
    owner = next((child for child in attribute.children if child.dep_ == "poss"), None)
    if owner is not None and owner.lower_ in words.PRONOUNS and owner.i != sentence.term.i:
        return Finding("I3", f"*{owner.text} {sentence.item.attribute}* is someone else", 0.85)
    if sentence.term.head.i == attribute.i and sentence.term.dep_ in {"appos", "compound", "amod", "conj", "nsubj"}:
        return None
    verb = attribute.head.lemma_.lower()
    done_to = attribute.dep_ == "dobj" and verb not in {"become", "be", "play", "remain", "make"}
    met = attribute.dep_ == "pobj" and verb not in {"as", "of", "like", "for", "into"}
    acts = attribute.dep_ in {"nsubj", "agent"} and not _is_predicated(attribute, sentence)
    if not (done_to or met or acts):
        return None
    because = f"the {sentence.item.attribute} is someone else" + (f": *{attribute.head.text}*" if not acts else "")
    return Finding("I3", because, 0.75 if met else 0.85)


def _of_another(sentence: Sentence) -> Finding | None:
    """The attribute belongs to someone else by name: "my diploma", "the death of the mayor"."""
    attribute = sentence.attribute.head if sentence.attribute.dep_ == "compound" else sentence.attribute
    if attribute.dep_ in {"attr", "appos"} or sentence.term.head.i == attribute.i or sentence.kind == "other":
        return None
    for child in attribute.children:
        if child.dep_ == "poss" and child.lower_ in {"my", "your", "our", "their"}:
            return Finding("I3", f"*{child.text} {attribute.text}* is someone else's", 0.65)
        owner = next(child.children, None) if child.dep_ == "prep" and child.lower_ == "of" else None
        if owner is not None and owner.i != sentence.term.i and _is_someone(owner):
            return Finding("I3", f"*{attribute.text} of {owner.text}* is someone else's", 0.65)
    return None


def _is_someone(token: Token) -> bool:
    return (
        token.ent_type_ == "PERSON"
        or token.lower_ in words.PEOPLE
        or token.lower_ in words.GENDER
        or words.is_role(token.lower_)
    )


def _is_predicated(attribute: Token, sentence: Sentence) -> bool:
    """Whether the attribute is the subject of what the person is: "The best roofer is X", "the girl is the roofer"."""
    term = sentence.term
    if term.dep_ in {"attr", "appos"} and term.head.i in (attribute.i, attribute.head.i):
        return True
    return any(child.i == term.i and child.dep_ in {"appos", "compound", "amod"} for child in attribute.children)


def _apart(sentence: Sentence) -> Finding | None:
    """The two stand in clauses of different subjects: "My dog is loyal, and X lives next door"."""
    here, there = clause_of(sentence.term), clause_of(sentence.attribute)
    if here.i == there.i or sentence.kind == "other":
        return None
    if is_person(subject_of(there), sentence):
        return None
    between = path(sentence.term, sentence.attribute)
    joints = {token.dep_ for token in between if token.i in (here.i, there.i)}
    below = here if here.dep_ in {"advcl", "conj"} else there
    if joints & {"advcl", "conj"} and below.dep_ in {"advcl", "conj"}:
        holder = subject_of(there)
        # "I am loyal because X is": what the attribute's clause is about is another.
        named = holder is not None and holder.dep_ != "expl" and holder.lower_ not in {"it", "there"}
        if holder is not None and named and not any(child.i == sentence.term.i for child in holder.subtree):
            inside = any(child.i == sentence.term.i for child in there.subtree) and here.dep_ not in {"advcl", "conj"}
            return (
                None
                if inside
                else Finding("I3", f"*{sentence.item.attribute}* stands in a clause about *{holder.text}*", 0.75)
            )
    if here.dep_ == "relcl" and there.dep_ == "ROOT":
        return Finding("I3", f"*{sentence.item.term}* is only mentioned beside the point", 0.4)
    if here.dep_ == "ccomp" and sentence.attribute.i in {child.i for child in there.children}:
        holder = subject_of(there)
        # "The experiment made him famous": the attribute is the subject.
        if holder is not None and holder.i != sentence.attribute.i:
            return Finding("I3", f"*{sentence.item.attribute}* is said of *{holder.text}*", 0.6)
    return None


def _beside(sentence: Sentence) -> Finding | None:
    """A thing or a person that is only near: "behind the sculpture"."""
    between = path(sentence.term, sentence.attribute)
    for token in between[1:-1]:
        near = token.lower_ in words.BESIDE or (token.lower_ == "to" and token.head.lower_ == "next")
        if token.dep_ == "prep" and near:
            return Finding("I3", f"*{token.text}* only puts the one beside the other", 0.6)
    if any(
        token.dep_ == "prep"
        and token.lower_ == "of"
        and token.head.pos_ == "NOUN"
        and token.head.dep_ in {"nsubj"}
        and words.is_role(token.head.lower_)
        for token in between[1:-1]
    ) and sentence.term.dep_ in {"pobj", "dobj"}:
        return Finding("I3", f"*{sentence.item.attribute}* is that of someone else", 0.6)
    return None
