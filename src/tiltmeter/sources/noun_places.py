"""Whether words of an English text stand there as a noun of their own, so that another noun fits in their place.

As far as the words beside them tell; what is in doubt does not fit.
"""

from __future__ import annotations

import re

from tiltmeter.english import (
    AUXILIARIES,
    BARE_VERBS,
    CASES,
    CONJUNCTIONS,
    DETERMINERS,
    DOUBLE_VERBS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    is_shouted,
    starts_sentence,
)
from tiltmeter.records import Span
from tiltmeter.sources import nouns
from tiltmeter.sources.languages import listed
from tiltmeter.sources.rephrased import verbs

_OWNERS = {"my", "your", "his", "her", "its", "our", "their", "one's", "whose"}
LEADS = DETERMINERS | _OWNERS | listed("one two three four five six ten many few most more other either neither")
"""Words that a noun follows."""
NO_NOUN = "its subject does not stand as a noun of its own, so that no other fits there"
NUMBER = "whether its subject is one or several cannot be told"

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*['’]?")
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)
# The present participle may open what belongs to the noun ("the nurse working here"); -ly is an adverb.
_ADJECTIVE = re.compile(r"\w{2,}(?:al|ic|ive|ous|ful|less|able|ible|ish|ary|ory|ed|ent|ant|ior|ern|time|wing|born)")
_ADJECTIVES = listed(
    "male female young old older younger elderly new good great big small little tall short rich poor busy kind tired "
    "local famous "
    "head chief senior junior lead first second third last next best other only own same late early able angry brave "
    "calm cheerful clever cold dear eager fair fat fine free full happy hard honest humble keen lazy lonely loud lucky "
    "mad modern nice odd pale plain proud quick quiet rude sad shy sick silly slim slow smart sober strong sweet thin "
    "tough ugly warm weak weary wild wise wrong black white brown blind deaf mute lame gay straight queer trans "
    "disabled former future current retired skilled trained licensed certified registered celebrated devoted"
)
_ONE, _SEVERAL = frozenset({"is", "was", "has", "does"}), frozenset({"are", "were", "have", "do"})
_SHORT = {"isn't": "is", "wasn't": "was", "aren't": "are", "weren't": "were", "doesn't": "does", "don't": "do"}


def noun_place(text: str, span: Span) -> Span | str:
    """Where the noun stands that a subject is, without article and possessive; or why it is none.

    >>> noun_place("The nurse's bag", (0, 11)), noun_place("The woman was known for", (10, 23)) == NO_NOUN
    ((4, 9), True)
    """
    words = list(_WORD.finditer(text, *span))
    while words and words[0][0].casefold() in LEADS:
        del words[0]
    if not words:
        return NO_NOUN
    start, end = words[0].start(), words[-1].end()
    owns = _POSSESSIVE.search(text[start:end])
    end -= len(owns[0]) if owns else 0
    if not _is_noun(text, start, end) or not _has_determiner(text, start, end) or _goes_on(text, start, end):
        return NO_NOUN
    return (start, end) if _agrees(text, start, end) else NUMBER


def _is_noun(text: str, start: int, end: int) -> bool:
    """Whether the words themselves can be a common noun, whole and with nothing joined to them."""
    parts = text[start:end].split()
    small = [part.casefold() for part in parts]
    if text[:start][-1:] in {"-", "–"} or re.match(r"[-–_/]\w|['’](?!s\b)\w", text[end:], re.IGNORECASE):
        return False
    head = nouns.head_place(parts)
    last = small[head] if head + 1 < len(small) - 1 else small[-1]
    if small[0] in FUNCTION_WORDS or last in FUNCTION_WORDS or small[0] in CASES:
        return False
    if any(word in AUXILIARIES or word in CONJUNCTIONS - {"and", "or"} for word in small[: head + 1]):
        return False
    if is_shouted(text):
        parts = [part.capitalize() if part.casefold() != part else part for part in small]
    return not nouns.is_adjective(parts) and not (len(parts) == 1 and small[0] in _ADJECTIVES)


def _has_determiner(text: str, start: int, end: int) -> bool:
    """Whether a determiner stands before it, also with an adjective between, or it is several and needs none."""
    before = _words_before(text, start)
    while before and (before[-1] in _ADJECTIVES or _ADJECTIVE.fullmatch(before[-1]) or nouns.is_adjective(before[-1:])):
        if before[-1] in LEADS:
            break
        del before[-1]
    parts = text[start:end].split()
    named = nouns.is_name(parts) and not starts_sentence(text, start) and not is_shouted(text)
    if before and before[-1] in LEADS:
        # "My man" is another man than "the man", and "that" or "either" before a name is no determiner.
        return before[-1] not in _OWNERS and not (named and before[-1] not in {"the", "a", "an"})
    if named or not nouns.names_several(text[start:end]):
        return False
    behind = PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | BARE_VERBS | DOUBLE_VERBS | {"not", "never", "often", "also"}
    return not before or before[-1] in behind


def _words_before(text: str, start: int) -> list[str]:
    """The words of the same part of the sentence before a place, nearest last."""
    part = re.split(r"[,.;:!?…()\n]", text[:start])[-1]
    return [word.casefold().replace("’", "'") for word in _WORD.findall(part)]


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether what follows belongs to the same noun: "the nurse practitioner", "the nurse Anna"."""
    after = text[end:]
    owns = re.match(r"['’]s?(?=\s)", after, re.IGNORECASE)
    found = re.match(r"[\"'”’)]*\s+([\"'“‘(]*)(\S+)(?:\s+(\S+))?", after)
    if owns or found is None or found[1]:
        return False
    word, then = (re.sub(r"[^\w'’-]+$", "", one or "").replace("’", "'") for one in (found[2], found[3]))
    if not word or not word[0].isalpha():
        return word[:1].isdigit()
    titled = is_shouted(text) or _is_titled(text)
    if word[0].isupper() and word != "I" and not titled:
        return True
    low, later = word.casefold(), then.casefold()
    if low in FUNCTION_WORDS or low in _SHORT or low.endswith(("n't", "'ll", "'d")):
        may_lead = {"that", "both", "all", "most", "one", "each"} | (LEADS if _is_asked(text, start) else set())
        return low in LEADS - may_lead or low in {"him", "me", "us", "them"}
    if verbs.is_participle(low) or _can_be_verb(
        low, any_form=_is_asked(text, start) or nouns.names_several(text[start:end])
    ):
        # Of two verbs in a row the first is a noun: "the nurse managers said".
        return bool(later) and len(low) > 2 and low.endswith("s") and (later in AUXILIARIES or verbs.is_past(later))
    return not (low.endswith(("ing", "ly")) or low in {"alone", "nearby", "indeed"})


def _is_asked(text: str, start: int) -> bool:
    """Whether its verb stands before it, as in a question: "did the nurse work"."""
    before = [word for word in _words_before(text, start) if word not in LEADS]
    return bool(before) and (before[-1] in AUXILIARIES or before[-1].endswith("n't"))


def _can_be_verb(word: str, *, any_form: bool = False) -> bool:
    """Whether a word has the form of a verb that can follow its subject."""
    if word in AUXILIARIES or verbs.is_past(word):
        return True
    if any_form:
        return not word.endswith(("er", "or", "ist", "ian", "man", "men", "tion", "ment", "ness", "ship", "union"))
    return bool(re.search(r"[^s]s$", word)) and not word.endswith(("ers", "ors", "ists", "ians", "tions", "'s"))


def _is_titled(text: str) -> bool:
    """Whether a text is written with capitals as a title is."""
    words = [word for word in _WORD.findall(text) if word.casefold() not in FUNCTION_WORDS or len(word) > 3]
    return len(words) > 2 and all(word[0].isupper() for word in words)


def _agrees(text: str, start: int, end: int) -> bool:
    """Whether the verb right after it goes with its number."""
    following = re.match(r"[\"'”’)]*\s+(?:also |never |often |always )?([\w'’]+)", text[end:])
    verb = following[1].casefold().replace("’", "'") if following else ""
    verb = _SHORT.get(verb, verb)
    several = nouns.names_several(text[start:end])
    return verb not in (_ONE if several else _SEVERAL) or _is_asked(text, start)
