"""What the sources know of English: pronouns and their cases, a/an, where a sentence starts.

Rules of thumb over short word lists; whoever asks must be ready for None, "cannot be told".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Literal

from tiltmeter.records import Group

Gender = Literal["male", "female", "neutral"]
Case = Literal["subject", "object", "determiner", "possessive", "reflexive"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CASES: dict[str, tuple[Case, ...]] = {
    **dict.fromkeys(("he", "she", "they", "i", "we"), ("subject",)),
    **dict.fromkeys(("him", "them", "me", "us"), ("object",)),
    **dict.fromkeys(("you", "it"), ("subject", "object")),
    **dict.fromkeys(("their", "my", "our", "your", "its"), ("determiner",)),
    **dict.fromkeys(("hers", "theirs", "mine", "ours", "yours"), ("possessive",)),
    **dict.fromkeys(("himself", "herself", "themselves", "themself", "myself", "itself"), ("reflexive",)),
    "her": ("determiner", "object"),
    "his": ("determiner", "possessive"),
}
"""The cases that a pronoun can stand in."""

_CASE_ORDER: tuple[Case, ...] = ("subject", "object", "determiner", "possessive", "reflexive")
FORMS: dict[Gender, dict[Case, str]] = {
    "male": dict(zip(_CASE_ORDER, ("he", "him", "his", "his", "himself"), strict=True)),
    "female": dict(zip(_CASE_ORDER, ("she", "her", "her", "hers", "herself"), strict=True)),
    "neutral": dict(zip(_CASE_ORDER, ("they", "them", "their", "theirs", "themselves"), strict=True)),
}
GENDER_OF_PRONOUN: dict[str, Gender] = {form: gender for gender, forms in FORMS.items() for form in forms.values()}

_MALE_WORDS = _words(
    "male males man men boy boys brother brothers son sons father fathers dad dads daddy papa uncle uncles nephew "
    "grandfather grandpa grandson husband husbands boyfriend groom bridegroom king prince duke lord gentleman "
    "gentlemen sir guy guys lad widower bachelor stepfather stepson stepbrother godfather mr policeman businessman "
    "salesman chairman fireman actor waiter host he him his himself"
)
_FEMALE_WORDS = _words(
    "female females woman women girl girls sister sisters daughter daughters mother mothers mom moms mum mommy mama "
    "aunt aunts niece grandmother grandma granddaughter wife wives girlfriend bride queen princess duchess lady ladies "
    "madam gal gals lass widow bachelorette stepmother stepdaughter stepsister godmother mrs ms miss policewoman "
    "businesswoman saleswoman chairwoman firewoman actress waitress hostess she her hers herself"
)
_GENDER_OF_WORD: dict[str, Gender] = {
    **dict.fromkeys(_MALE_WORDS, "male"),
    **dict.fromkeys(_FEMALE_WORDS, "female"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "neutral"),
}

PREPOSITIONS = _words(
    "about above across after against along among around as at before behind below beneath beside between beyond by "
    "despite during for from in inside into like near of off on onto out outside over per since than through "
    "throughout to toward towards under until up upon via with within without"
)
CONJUNCTIONS = _words(
    "and or but nor yet so that because if when where while whether although though unless once how why who what "
    "which whom whose"
)
BE = _words("is are was were be been being am")
AUXILIARIES = BE | _words("has have had do does did will would can could should may might must shall")
DETERMINERS = _words("a an the this that these those some any every each no another such both all several")
_ADVERBS = _words(
    "not never always often too also just again here there now then today tomorrow yesterday tonight soon still even "
    "twice later away down instead anyway everywhere somewhere forever together sometimes ever else"
)
_PRONOUNS = frozenset(CASES) | _words("someone anyone everyone something anything everything nothing")
FUNCTION_WORDS = PREPOSITIONS | CONJUNCTIONS | AUXILIARIES | DETERMINERS | _ADVERBS | _PRONOUNS

# Words that are adverbs at the end of a phrase ("met her first") and belong to a noun inside one ("her first book").
_ADVERB_OR_ADJECTIVE = _words(
    "first last next best better most more less least only very many much few little well hard long far early late "
    "alone second third enough"
)
_NOT_ADVERBS = _words(
    "family lovely early only elderly friendly daily weekly monthly yearly lonely ugly silly curly holy belly bully "
    "lively likely unlikely deadly costly ally assembly butterfly homely jolly jelly reply supply anomaly monopoly "
    "motherly fatherly sisterly brotherly womanly manly orderly worldly scholarly"
)
# After these verbs `her` may be an object with something said of it ("made her happy", "taught her math", "saw her
# dance") or belong to a noun ("made her debut"): the next word alone cannot tell.
DOUBLE_VERBS = _words(
    "see sees saw seen seeing watch watches watched watching hear hears heard hearing feel feels felt let lets letting "
    "make makes made making help helps helped helping keep keeps kept keeping find finds found finding consider "
    "considers considered call calls called calling think thinks thought name named give gives gave given giving teach "
    "teaches taught teaching tell tells told telling show shows showed showing offer offers offered buy buys bought "
    "send sends sent bring brings brought ask asks asked asking hand hands handed cost costs earn earned win won lend "
    "lent owe owes owed promise promised pay pays paid cook cooks cooked leave leaves left get gets got getting "
    "render renders rendered drive drives drove wish wished grant granted deny denied"
)
POSSESSED = _words(
    "mother father mom dad parents parent brother brothers sister sisters son sons daughter daughters husband wife "
    "aunt uncle cousin cousins grandmother grandfather children child kids family friend friends boyfriend girlfriend "
    "boss colleagues colleague students student teacher teachers classmates team class way own life career job house "
    "car hair eyes hands head heart face voice name dog cat room office"
)
BARE_VERBS = _words(
    "go leave cry laugh feel see know do be have get take come become understand learn realize think want seem find "
    "keep make give sing speak eat sit stand succeed achieve solve improve excel pursue gain reach overcome grow "
    "develop stay win earn choose decide enjoy finish start carry bring perform write read swim drive sleep"
)
PLACE_ADVERBS = _words("home back right straight")
KIN_ADJECTIVES = (
    "own younger older elder little big twin eldest youngest oldest late dear beloved only first second best other "
    "new young old teenage adult former future infant baby"
)
TITLES = "mr mrs ms miss mister sir madam lady lord"
_ABBREVIATIONS = _words("mr mrs ms dr prof st jr sr vs e.g i.e rev gen col capt lt sgt")
# The present tense tells one person from several; a past tense or "can" does not.
_PLAIN_PRESENT = _words("like love want need hate work enjoy tend seem think know prefer live")

ARTICLE = re.compile(r"(?<![\w'’.-])(an?)(\s+[\"'“‘(]?)$", re.IGNORECASE)
_OPENING, _CLOSING = frozenset("\"'“‘(¿¡"), frozenset("\"'”’)]")
_LONGEST_ABBREVIATION = 8
_SILENT_H = re.compile(r"hour|honest|honou?r|heir")
_SPOKEN_CONSONANT = re.compile(r"eu|ewe|on(?:e|ce)$|uni(?![nm]|d(?!ir))|us[aeu]|ut[eio]|ur[aio]|ubiq|uk|ugand|ouija|uv")


def gender(words: str | Group) -> Gender | None:
    """The gender that a term, or a whole group by its name and then its terms, stands for; None where it is open.

    >>> gender("the man"), gender("Kim"), gender(Group("european-male", ("Brad", "Josh")))
    ('male', None, 'male')
    """
    if isinstance(words, Group):
        named = gender(words.name.replace("-", " "))
        of_terms = {gender(term) for term in words.terms}
        return named or (of_terms.pop() if len(of_terms) == 1 else None)
    genders = {_GENDER_OF_WORD[word] for word in re.findall(r"\w+", words.casefold()) if word in _GENDER_OF_WORD}
    return genders.pop() if len(genders) == 1 else None


def article_for(phrase: str) -> Literal["a", "an"] | None:
    """The article that a phrase takes, by its sound; None where it cannot be told or both are used.

    >>> [article_for(word) for word in ("hour", "university", "uncle", "European", "8-year-old", "FBI agent", "herb")]
    ['an', 'a', 'an', 'a', 'an', 'an', None]
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFD", phrase) if not unicodedata.combining(sign))
    match = re.match(r"[\"'“‘(]*(\d[\d,]*|[A-Za-z]+)", plain)
    if not match:
        return None
    word = match[1]
    if word[0].isdigit():
        return "an" if re.match(r"8|1[18](?:\d\d)?(?:,|$)", word) else "a"
    if len(word) == 1 or (word.isupper() and not _is_spoken_as_word(word)):
        return "an" if word[0] in "AEFHILMNORSXaefhilmnorsx" else "a"
    word = word.lower()
    if word.startswith("herb") and not word.startswith("herbert"):
        return None
    return "an" if _SILENT_H.match(word) or (word[0] in "aeiou" and not _SPOKEN_CONSONANT.match(word)) else "a"


def noun_follows(after: str | None, after_next: str | None) -> bool:
    """Whether the next words can be what a possessive belongs to; None is the end of the phrase.

    >>> noun_follows("job", None), noun_follows("about", "math"), noun_follows("first", "book")
    (True, False, True)
    """
    if after is None or after.lower() in FUNCTION_WORDS:
        return False
    word = after.lower()
    if word in _ADVERB_OR_ADJECTIVE or (word.endswith("ly") and word not in _NOT_ADVERBS):
        return after_next is not None and after_next.lower() not in FUNCTION_WORDS
    return True


def tells_number(verb: str | None) -> bool:
    """Whether a verb form fits only one person or only several.

    >>> tells_number("is"), tells_number("said")
    (True, False)
    """
    if verb is None:
        return False
    word = verb.lower().replace("’", "'")
    if word in BE - {"be", "been", "being"} or word in {"has", "have", "does", "do"} | _PLAIN_PRESENT:
        return True
    return word.endswith("s") and not word.endswith("ss") and word not in FUNCTION_WORDS


def starts_sentence(text: str, position: int) -> bool:
    """Whether a sentence starts at this place of the text.

    >>> starts_sentence("Stop. He ran.", 6), starts_sentence("Mr. Smith", 4)
    (True, False)
    """
    # Backwards from the place: a pattern would look at the whole text from every place of it.
    spaced = _before(text, position, _OPENING.__contains__)
    ended = _before(text, spaced, str.isspace)
    if not ended:
        return True
    closed = _before(text, ended, _CLOSING.__contains__)
    if ended == spaced or not closed or text[closed - 1] not in ".!?…":
        return False
    if text[closed - 1] != ".":
        return True
    begin = max(0, closed - 1 - _LONGEST_ABBREVIATION)
    last = text[_before(text, closed - 1, _is_lettered, begin) : closed - 1]
    return not last or (last.lower() not in _ABBREVIATIONS and not re.fullmatch(r"[A-Z]", last))


def _before(text: str, place: int, belongs: Callable[[str], bool], least: int = 0) -> int:
    """Where the signs of a kind begin that stand before a place."""
    while place > least and belongs(text[place - 1]):
        place -= 1
    return place


def _is_lettered(sign: str) -> bool:
    return sign in "._" or sign.isalnum()


def article_in_case(old: str, right: str, word: str) -> str:
    """The right article, written as the old one was: capital, shouted or plain."""
    if old.isupper() and (len(old) > 1 or is_shouted(word)):
        return right.upper()
    return capitalised(right) if old[0].isupper() else right


def capitalised(words: str) -> str:
    """The words with a capital at their start."""
    # "iPhone" and "eBay" keep their small letter.
    return words if any(sign.isupper() for sign in words.partition(" ")[0]) else words[:1].upper() + words[1:]


def is_shouted(words: str) -> bool:
    """Whether words are written in capitals, as opposed to being one capital letter."""
    return words.isupper() and sum(sign.isalpha() for sign in words) > 1


def _is_spoken_as_word(acronym: str) -> bool:
    # NASA and AIDS are words, the FBI and an MRI are letters: four letters or more that alternate can be spoken.
    return (
        len(acronym) >= 4
        and re.search(r"[AEIOU][^AEIOU]", acronym) is not None
        and not re.search(r"[^AEIOUY]{3}", acronym)
    )
