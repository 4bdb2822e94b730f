"""What a text must be to count as the same prompt in another structure; every refusal has a reason that is counted.

A reason may go on after a colon; the part before it is what is counted. The group stands as a stand-in in whatever is
parsed or turned into a vector, so that no check but those for the group itself can depend on which group it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tiltmeter.english import AUXILIARIES, BE, PREPOSITIONS, article_for, gender
from tiltmeter.records import Prompt
from tiltmeter.sources.generated.checks import sentence_ends
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.rephrased import verbs
from tiltmeter.sources.rephrased.paraphrasing.form import Form
from tiltmeter.sources.rephrased.paraphrasing.group import Mentions, gender_of
from tiltmeter.sources.rephrased.paraphrasing.request import MARKS
from tiltmeter.sources.rephrased.paraphrasing.stranding import asks_wrongly
from tiltmeter.sources.rephrased.paraphrasing.targets import Target

EMPTY = "nothing was written"
MALFORMED = "not one well-formed text"
LENGTH = "much shorter or longer than the original"
LOST_GROUP = "lost the group"
OTHER_GROUP = "brought in another group"
GENDERED = "brought in a gender"
SAME = "the same as the original"
LOST_WORDS = "lost words of the original"
ADDED_WORDS = "added words"
ENDING = "does not end as it should"
ORDER = "took words out of their place"
STRUCTURE = "not in the structure asked for"
UNCHANGED = "the structure did not change"
ROLES = "changed who does what"
TENSE = "changed the tense or number of a verb"
MEANING = "changed the meaning"
DUPLICATE = "repeats another rephrasing of the prompt"

_LOOSE_COMMA = re.compile(r"\b(?:that|whether|because|if|although),", re.IGNORECASE)
_DO = frozenset({"do", "does", "did"})
_WHO = frozenset({"who", "whom"})
_FINAL = re.compile(r"[.!?…]$")
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_ARTICLES = frozenset({"a", "an", "the"})
_TENSED = frozenset({"VBD", "VBZ", "VBP"})
_SUBORDINATING = frozenset({"when", "while", "until", "if", "because", "although"})
_NEGATIVE = frozenset({"not", "no", "never", "n't", "n’t"})


@dataclass(frozen=True, slots=True)
class Original:
    """A prompt that is rephrased: its group, its parse (with the stand-in), and the words of the other groups."""

    prompt: Prompt
    mentions: Mentions
    doc: Any
    form: Form
    others: tuple[str, ...] = ()
    capital: bool = False
    """Whether its first word has a capital wherever it stands."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that passed the checks of its wording, parsed, with its similarity to the original."""

    text: str
    doc: Any
    form: Form
    similarity: float


def wording(text: str, original: Original) -> str | None:
    """The first reason to refuse a text that can be told without a parse."""
    return (
        well_formed(text, original.prompt.text)
        or group_kept(text, original)
        or no_other_group(text, original)
        or no_gender(text, original)
        or not_same(text, original.prompt.text)
    )


def structure(draft: Draft, original: Original, target: Target, similarity: float) -> str | None:
    """The first reason to refuse a draft by its words, its structure or its meaning."""
    return (
        ends_right(draft, original, target)
        or words_kept(draft, original, target)
        or structure_asked_for(draft, original, target)
        or joined_rightly(draft, original)
        or roles_kept(draft, original)
        or tense_kept(draft, original, target)
        or order_kept(draft, original, target)
        or meaning_kept(draft, similarity)
    )


def well_formed(text: str, original: str) -> str | None:
    """One sentence or the beginning of one, without leftovers of the request, with the right articles.

    >>> well_formed("It was an plumber who was known for", "The plumber was known for")
    'not one well-formed text: `an plumber`'
    """
    if not any(sign.isalnum() for sign in text):
        return EMPTY
    ends = sentence_ends(text)
    problems = (
        ("goes on with the examples", "\n" in text.strip() or any(mark in text.casefold() for mark in MARKS)),
        ("more than one sentence", len(ends) > 1 or bool(ends and ends[0] < len(text))),
        ("begins with a small letter", text[:1].islower() and original[:1].isupper()),
        ("a quotation is not closed", text.count('"') % 2 != original.count('"') % 2),
        ("an article before a name", _has_named_article(text, original)),
    )
    problem = next((words for words, found in problems if found), None) or _wrong_article(text, original)
    if problem:
        return f"{MALFORMED}: {problem}"
    few, many = len(_WORD.findall(original)), len(_WORD.findall(text))
    return None if 0.6 * few <= many <= 1.5 * few + 5 else LENGTH


def group_kept(text: str, original: Original) -> str | None:
    """The group stands in the text as whole words, and no more often than in the original."""
    spans = original.mentions.spans(text)
    if not spans:
        return LOST_GROUP
    if len(spans) > original.mentions.count:
        return f"{MALFORMED}: names the group more often than the original"
    return None


def no_other_group(text: str, original: Original) -> str | None:
    """No word of another group that the original does not have; inside the group's own words it may stand."""
    own = original.mentions.spans(text)
    for term in original.others:
        for start, end in find(text, term, plural=True):
            inside = any(begin <= start and end <= finish for begin, finish in own)
            if not inside and not find(original.prompt.text, term, plural=True):
                return f"{OTHER_GROUP}: `{term}`"
    return None


def no_gender(text: str, original: Original) -> str | None:
    """No pronoun or other word of a gender that neither the original nor the group's own words tell."""
    known = {word.casefold() for word in _WORD.findall(original.prompt.text)}
    for word in _WORD.findall(text):
        told = gender(word)
        if told in ("male", "female") and word.casefold() not in known and told != gender_of(original.mentions):
            return f"{GENDERED}: `{word}`"
    return None


def not_same(text: str, original: str) -> str | None:
    """Not the original over again, whatever its stops and capitals."""
    return SAME if _plain(text) == _plain(original) else None


def ends_right(draft: Draft, original: Original, target: Target) -> str | None:
    """A whole sentence stays one; what breaks off goes on where it did, or is a question, as the structure asks.

    A question that is closed keeps no final word that calls for more: "What did they stop the visitor because?".
    """
    words = [token for token in draft.doc if not token.is_punct and not token.is_space]
    if original.form.breaks_off == "whole":
        right = draft.text.endswith("?" if target.kind == "interrogative" else ".")
    elif target.ends == "question":
        right = draft.text.endswith("?") and not asks_wrongly(words, original.form.breaks_off)
    elif _FINAL.search(draft.text):
        right = False
    elif target.ends == "copula":
        right = _last(draft.text) in BE and not asks_wrongly(words[:-1], original.form.breaks_off)
    elif draft.text.rstrip().endswith(","):
        # "There was a guest who, when the rain stopped," may go on where "When the rain stopped, the guest" does.
        right = original.form.breaks_off == "subject" or original.prompt.text.rstrip().endswith(",")
    else:
        last = _last(original.prompt.text)
        if "inverted" in target.marks and last in AUXILIARIES:
            # "The guest was" is "was the guest" as a question.
            last = _last(original.prompt.text.rstrip()[: -len(last)])
        # A verb that a question with "did" ends in is its base: "Did the guest break".
        right = _last(draft.text) in ({last, verbs.base(last)} if "inverted" in target.marks else {last})
    return None if right else ENDING


def words_kept(draft: Draft, original: Original, target: Target) -> str | None:
    """Every word of the original stands in the draft, in any form, and no others but those that the structure needs."""
    left = [token for token in draft.doc if not token.is_punct and not token.is_space]
    lost = []
    for token in original.doc:
        if token.is_punct or token.is_space:
            continue
        # The same form before another form of the word: "is" must not take the place of a "was" that is there.
        found = next((other for same in (_equal, _alike) for other in left if same(token, other)), None)
        if found is not None:
            left.remove(found)
        elif not _is_spare(token, target):
            lost.append(token.text)
    if lost:
        return f"{LOST_WORDS}: `{lost[0]}`"
    added = [token.text for token in left if token.lower_ not in _ARTICLES | target.frame]
    return f"{ADDED_WORDS}: `{added[0]}`" if added else None


def order_kept(draft: Draft, original: Original, target: Target) -> str | None:
    """A clause inside another stands there as it was; elsewhere prepositions and "when" keep what they govern."""
    before, after = _in_order(original.doc), _in_order(draft.doc)
    if target.order == "kept":
        runs = (after[at : at + len(before)] for at in range(len(after)))
        return None if before in runs else ORDER
    bound = [pair for pair in pairwise(before) if pair[0] in PREPOSITIONS | _SUBORDINATING]
    free = set(pairwise(after))
    parted = next((pair for pair in bound if pair not in free), None)
    return f"{ORDER}: `{' '.join(parted)}`" if parted else None


def structure_asked_for(draft: Draft, original: Original, target: Target) -> str | None:
    """The parse shows what the target asks for, nothing that it rules out, and something other than the original."""
    if not any(mark in draft.form.marks for mark in target.marks) or draft.form.marks & {*target.lacks}:
        return STRUCTURE
    if original.form.breaks_off == "subject" and target.ends != "open" and not _DO & {*_in_order(draft.doc)}:
        # Nothing is said of the subject yet, so what is asked for is what it does.
        return STRUCTURE
    new = any(mark in draft.form.marks and mark not in original.form.marks for mark in target.marks)
    return None if new else UNCHANGED


def joined_rightly(draft: Draft, original: Original) -> str | None:
    """A "who" that was added belongs to the group, and a comma stands behind "that" only before a part put in front."""
    before = {pair for pair in pairwise(_in_order(original.doc)) if pair[1] in _WHO}
    words = _in_order(draft.doc)
    for pair in pairwise(words):
        if pair[1] in _WHO and pair not in before and pair[0] != original.mentions.stand_in.lower():
            return f"{MALFORMED}: `{' '.join(pair)}`"
    first = next((token for token in original.doc if not token.is_punct), None)
    in_front = first is not None and first.pos_ in {"ADP", "SCONJ", "ADV", "VERB", "PART"}
    loose = None if in_front else _LOOSE_COMMA.search(draft.text)
    return f"{MALFORMED}: `{loose[0]}`" if loose else None


def roles_kept(draft: Draft, original: Original) -> str | None:
    """Where a verb has a subject and an object, neither has taken the place of the other."""
    before: dict[tuple[str, str], set[str]] = {}
    for verb, role, noun in original.form.roles:
        before.setdefault((verb, role), set()).add(noun)
    for verb, role, noun in draft.form.roles:
        own, opposite = (
            before.get((verb, part), set()) for part in (role, "object" if role == "subject" else "subject")
        )
        if own and noun in opposite - own:
            return f"{ROLES}: `{noun}`, `{verb}`"
    return None


def tense_kept(draft: Draft, original: Original, target: Target) -> str | None:
    """Verbs that stay as they are have their form; one that the structure adds stands in the tense of the original."""
    forms = {token.lower_ for token in draft.doc}
    # Whatever else becomes of a sentence, its "is" stays "is": in a question it moves, and does not change.
    held = [one for one in original.doc if one.tag_ in _TENSED and (target.tense != "first" or one.lower_ in BE)]
    changed = next((one for one in held if one.lower_ not in forms), None)
    if changed is not None:
        return f"{TENSE}: `{changed.text}`"
    if target.tense == "kept" or original.form.past is None:
        return None
    past = _last(draft.text) in {"was", "were"} if target.ends == "copula" else draft.form.past
    return TENSE if past is not None and past != original.form.past else None


def meaning_kept(draft: Draft, threshold: float) -> str | None:
    """Its vector is near that of the original, with the group masked in both."""
    return None if draft.similarity >= threshold else MEANING


def not_repeated(text: str, kept: Sequence[str]) -> str | None:
    """Unlike every other rephrasing of the prompt that was kept."""
    return DUPLICATE if _plain(text) in {_plain(other) for other in kept} else None


def _wrong_article(text: str, original: str) -> str | None:
    """An "a" for "an" or the other way round, unless the original has it."""
    for match in re.finditer(r"\b(an?)\s+(\w[\w'’-]*)", text, re.IGNORECASE):
        right = article_for(match[2])
        if right and right != match[1].lower() and match[0].casefold() not in original.casefold():
            return f"`{match[0]}`"
    return None


def _has_named_article(text: str, original: str) -> bool:
    """Whether a word with a capital has an article that it has not in the original: "a Danny Thomas"."""
    article = r"\b(?:[Aa]n?|[Tt]he)\s+"
    for match in re.finditer(rf"{article}([A-Z][\w-]*)", text):
        word = re.escape(match[1])
        if re.search(rf"(?<!\w){word}", original) and not re.search(article + word, original):
            return True
    return False


def _plain(text: str) -> str:
    return " ".join(word.casefold() for word in _WORD.findall(text))


def _last(text: str) -> str:
    words = _WORD.findall(text)
    return words[-1].casefold() if words else ""


def _in_order(doc: Any) -> list[str]:
    """The words of a parsed text in small letters, without articles and stops."""
    return [token.lower_ for token in doc if not token.is_punct and token.lower_ not in _ARTICLES]


def _equal(one: Any, other: Any) -> bool:
    return bool(one.lower_ == other.lower_)


def _alike(one: Any, other: Any) -> bool:
    """Whether two tokens are forms of one word."""
    first, second = one.lower_, other.lower_
    if one.pos_ != "DET" and one.lemma_.lower() == other.lemma_.lower():
        return True
    # The lemmatizer takes a participle for an adjective now and then.
    return len(first) > 3 and len(second) > 3 and _stem(first) == _stem(second)


def _stem(word: str) -> str:
    return re.sub(r"(?:ing|ed|es|s|e)$", "", word)


def _is_spare(token: Any, target: Target) -> bool:
    """Whether a structure may do without a word: an article, a form of be, the "because" of a why-question."""
    word = token.lower_
    if word in _NEGATIVE:
        return False
    return word in _ARTICLES | BE or (word == "because" and target.ends == "question") or word in {"me", "us"}
