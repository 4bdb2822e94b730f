"""Exchanges a group's term for its counterpart in a sentence, with everything that agrees with it; fills templates.

The sentence stays as written but for the term, pronouns in the case that their place needs, and a/an. What cannot
be exchanged without guessing is refused with a reason: a guess would be scored as if it were the writer's English.
The rules are for English and look two words ahead, no further.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tiltmeter.records import Group, Span

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
_FORMS: dict[Gender, dict[Case, str]] = {
    "male": dict(zip(_CASE_ORDER, ("he", "him", "his", "his", "himself"), strict=True)),
    "female": dict(zip(_CASE_ORDER, ("she", "her", "her", "hers", "herself"), strict=True)),
    "neutral": dict(zip(_CASE_ORDER, ("they", "them", "their", "theirs", "themselves"), strict=True)),
}
_GENDER_OF_PRONOUN: dict[str, Gender] = {form: gender for gender, forms in _FORMS.items() for form in forms.values()}

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
_POSSESSED = _words(
    "mother father mom dad parents parent brother brothers sister sisters son sons daughter daughters husband wife "
    "aunt uncle cousin cousins grandmother grandfather children child kids family friend friends boyfriend girlfriend "
    "boss colleagues colleague students student teacher teachers classmates team class way own life career job house "
    "car hair eyes hands head heart face voice name dog cat room office"
)
_BARE_VERBS = _words(
    "go leave cry laugh feel see know do be have get take come become understand learn realize think want seem find "
    "keep make give sing speak eat sit stand succeed achieve solve improve excel pursue gain reach overcome grow "
    "develop stay win earn choose decide enjoy finish start carry bring perform write read swim drive sleep"
)
_PLACE_ADVERBS = _words("home back right straight")
_KIN_ADJECTIVES = (
    "own younger older elder little big twin eldest youngest oldest late dear beloved only first second best other "
    "new young old teenage adult former future infant baby"
)
_TITLES = "mr mrs ms miss mister sir madam lady lord"
_ABBREVIATIONS = _words("mr mrs ms dr prof st jr sr vs e.g i.e rev gen col capt lt sgt")
# The present tense tells one person from several; a past tense or "can" does not.
_PLAIN_PRESENT = _words("like love want need hate work enjoy tend seem think know prefer live")

_ARTICLE = re.compile(r"(?<![\w'’.-])(an?)(\s+[\"'“‘(]?)$", re.IGNORECASE)
_SENTENCE_START = re.compile(r"(?:^\s*|(?:(?P<last>[\w.]*)\.|[!?…])[\"'”’)\]]*\s+)[\"'“‘(¿¡]*$")
_SILENT_H = re.compile(r"hour|honest|honou?r|heir")
_SPOKEN_CONSONANT = re.compile(r"eu|ewe|on(?:e|ce)$|uni(?![nm]|d(?!ir))|us[aeu]|ut[eio]|ur[aio]|ubiq|uk|ugand|ouija|uv")
_SLOT = re.compile(r"\[(T|A|MASK)\]")
_WORD = r"[\w'’-]+"


@dataclass(frozen=True, slots=True)
class Swapped:
    """The sentence with the groups exchanged, and the stretches that differ: in the original, and in the new text."""

    text: str
    original_spans: tuple[Span, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Unswapped:
    """The sentence cannot be exchanged without guessing, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with its slots filled; `article_spans` are a/an directly before a group term, which agree with it."""

    text: str
    term_spans: tuple[Span, ...]
    attribute_spans: tuple[Span, ...]
    article_spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    new: str
    listed: str
    """The new words as their list has them: capitals in the text say nothing about how a word is spoken."""


def swap(
    text: str,
    term: str,
    counterpart: str,
    *,
    pronouns: Literal["along", "leave"] = "along",
    genders: tuple[Gender | None, Gender | None] | None = None,
) -> Swapped | Unswapped:
    """Put the counterpart where the term is, with what agrees with it.

    Pronouns go along where the two terms differ in gender; `genders` says which where the words do not (names).

    >>> swap("A man loves his job.", "man", "aunt").text
    'An aunt loves her job.'
    >>> swap("The man met a woman.", "man", "woman").reason
    '`woman` is in the sentence already: who is meant would be unclear'
    """
    if term.casefold() == counterpart.casefold():
        return Unswapped(f"`{term}` and its counterpart are the same")
    found, taken = _occurrences(text, term, counterpart)
    if not found:
        return Unswapped(f"`{term}` does not occur as a word of its own")
    if taken:
        return Unswapped(f"`{counterpart}` is in the sentence already: who is meant would be unclear")
    before, after = genders or (gender(term), gender(counterpart))
    differ = before is not None and after is not None and before != after
    both_pronouns = _is_gendered_pronoun(term) and _is_gendered_pronoun(counterpart) and differ
    try:
        edits = [] if both_pronouns else [_term_edit(text, span, term, counterpart) for span in found]
        if before is not None and after is not None and differ:
            chosen = found if both_pronouns else []
            if pronouns == "along":
                if not both_pronouns:
                    _refuse_title(text, found)
                chosen = _pronouns_along(text, found, before, after, is_pronoun=both_pronouns)
            edits += [_pronoun_edit(text, span, after) for span in chosen]
    except _CannotSwapError as refusal:
        return Unswapped(str(refusal))
    return _apply(text, [*edits, *_article_edits(text, edits, term)])


def fill(template: str, term: str, attribute: str | None = None, *, agreement: bool = True) -> Filled:
    """Put a group term at `[T]` (or `[MASK]`) and an attribute at `[A]`.

    With `agreement` a slot that starts a sentence gets a capital, and a/an before a slot fits the word.

    >>> fill("[T] is a [A].", "she", "electrician").text
    'She is an electrician.'
    """
    if attribute is None and "[A]" in template:
        raise ValueError(f"the template {template!r} has [A], and no attribute was given")
    text, place = "", 0
    spans: dict[str, list[Span]] = {"term": [], "attribute": [], "article": []}
    for slot in _SLOT.finditer(template):
        text += template[place : slot.start()]
        kind = "attribute" if slot[1] == "A" else "term"
        filler = (attribute or "") if kind == "attribute" else term
        if agreement:
            article = _ARTICLE.search(text)
            if article:
                right = _article_in_case(article[1], article_for(filler) or article[1].lower(), filler)
                text = f"{text[: article.start()]}{right}{article[2]}"
                if kind == "term":
                    spans["article"].append((article.start(), article.start() + len(right)))
            elif starts_sentence(text, len(text)):
                filler = _capitalised(filler)
        spans[kind].append((len(text), len(text) + len(filler)))
        text += filler
        place = slot.end()
    text += template[place:]
    return Filled(text, tuple(spans["term"]), tuple(spans["attribute"]), tuple(spans["article"]))


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
    match = _SENTENCE_START.search(text[:position])
    if not match:
        return False
    last = match["last"]
    return not last or (last.lower() not in _ABBREVIATIONS and not re.fullmatch(r"[A-Z]", last))


class _CannotSwapError(Exception):
    """Carries the reason from the place that finds it to `swap`."""


def _occurrences(text: str, term: str, counterpart: str) -> tuple[list[Span], list[Span]]:
    """Where the term stands and where the counterpart does; the longer of the two wins where one holds the other."""
    spans: dict[str, list[Span]] = {term: [], counterpart: []}
    covered: list[Span] = []
    for words in sorted((term, counterpart), key=len, reverse=True):
        for match in _pattern(words).finditer(text):
            if not any(match.start() < end and start < match.end() for start, end in covered):
                spans[words].append(match.span())
        covered = list(spans[words])
    return spans[term], spans[counterpart]


def _pattern(words: str) -> re.Pattern[str]:
    # A word listed with a capital is a name: "Frank" is not in "to be frank". A common word may be capitalised.
    pieces = []
    for word in words.split():
        escaped = re.sub("['’]", "['’]", re.escape(word))
        pieces.append(f"(?i:{escaped})" if word == word.lower() else f"(?:{escaped}|{escaped.upper()})")
    return re.compile(r"(?<![\w@])(?<!\w[-'’])" + r"\s+".join(pieces) + r"(?![\w@])(?!-\w)")


def _term_edit(text: str, span: Span, term: str, counterpart: str) -> _Edit:
    found = text[span[0] : span[1]]
    new = counterpart.replace("'", "’") if "’" in found else counterpart
    first_capital = found[:1].isupper() and (not term[:1].isupper() or starts_sentence(text, span[0]))
    if _is_shouted(found) and not term.isupper():
        new = new.upper()
    elif " " in term and term == term.lower() and all(word[:1].isupper() for word in found.split()):
        new = " ".join(_capitalised(word) for word in new.split(" "))
    elif first_capital:
        new = _capitalised(new)
    return _Edit(*span, new, counterpart)


def _pronoun_edit(text: str, span: Span, gender: Gender) -> _Edit:
    found = text[span[0] : span[1]]
    case = _case(found.lower(), text, span)
    after, _ = _words_after(text, span[1])
    plural = "neutral" in (gender, _GENDER_OF_PRONOUN[found.lower()])
    contracted = re.match(r"['’](s|re|ve|m)\b", text[span[1] :], re.IGNORECASE)
    if case == "subject" and plural and (contracted or tells_number(after)):
        verb = contracted[0] if contracted else after
        raise _CannotSwapError(f"`{verb}` after `{found}` does not fit `{_FORMS[gender]['subject']}`")
    new = _FORMS[gender][case]
    if _is_shouted(found):
        new = new.upper()
    elif found[0].isupper():
        new = _capitalised(new)
    return _Edit(*span, new, new)


def _pronouns_along(text: str, found: list[Span], before: Gender, after: Gender, *, is_pronoun: bool) -> list[Span]:
    """The pronouns that go along with the term; refused where they may mean somebody else."""
    own, other = list(_pronouns_of(text, before)), list(_pronouns_of(text, after))
    # "her sister": the pronoun means the one whose sister it is.
    owners = [] if is_pronoun else [span for span in own if _owns_one_of(text, span, found)]
    along = [span for span in own if span not in owners]
    if along and other:
        first, second = _quoted(text, along[0]), _quoted(text, other[0])
        raise _CannotSwapError(f"the sentence has both {first} and {second}: who is meant would be unclear")
    if along and owners:
        phrase = text[owners[0][0] : found[0][1]]
        raise _CannotSwapError(f"{_quoted(text, along[-1])} may mean either person in `{phrase}`")
    return along


def _pronouns_of(text: str, gender: Gender) -> Iterator[Span]:
    forms = "|".join(sorted({*_FORMS[gender].values()}, key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w@])(?<!\w[-'’])(?:{forms})(?![\w@])(?!-\w)", text, re.IGNORECASE):
        yield match.span()


def _owns_one_of(text: str, pronoun: Span, found: list[Span]) -> bool:
    if text[pronoun[0] : pronoun[1]].lower() not in ("his", "her", "their"):
        return False
    between = re.compile(rf"(?:\s+(?:{'|'.join(_KIN_ADJECTIVES.split())}))*\s+", re.IGNORECASE)
    match = between.match(text, pronoun[1])
    return match is not None and any(match.end() == start for start, _ in found)


def _refuse_title(text: str, found: list[Span]) -> None:
    for start, end in found:
        title = re.search(rf"\b({'|'.join(_TITLES.split())})\.?\s+$", text[:start], re.IGNORECASE)
        if title:
            raise _CannotSwapError(f"the title `{title[0].strip()}` before `{text[start:end]}` tells the gender")


def _case(form: str, text: str, span: Span) -> Case:
    """The case that a pronoun stands in, by the words around it."""
    cases = CASES[form]
    if len(cases) == 1:
        return cases[0]
    after, after_next = _words_after(text, span[1])
    if not noun_follows(after, after_next) or after is None:
        return cases[1]
    if form == "his":
        return "determiner"
    before, word = _word_before(text, span[0]), after.lower()
    if before in DOUBLE_VERBS:
        if word in _BARE_VERBS or word.endswith("ing"):
            return "object"
        if word in _POSSESSED:
            return "determiner"
    elif before is None or before in PREPOSITIONS | CONJUNCTIONS | BE or word not in _PLACE_ADVERBS:
        return "determiner"
    raise _CannotSwapError(f"`{before} {text[span[0] : span[1]]} {after}` can be read in two ways")


def _article_edits(text: str, edits: list[_Edit], term: str) -> Iterator[_Edit]:
    for edit in edits:
        article = _ARTICLE.search(text[: edit.start])
        # An article that was wrong in the first place is the writer's, and stays.
        if article and article_for(term) == article[1].lower():
            right = article_for(edit.listed)
            if right and right != article[1].lower():
                cased = _article_in_case(article[1], right, text[edit.start : edit.end])
                yield _Edit(article.start(), article.start() + len(article[1]), cased, cased)


def _apply(text: str, edits: list[_Edit]) -> Swapped:
    new, place = "", 0
    spans: list[Span] = []
    edits = sorted(edits, key=lambda edit: edit.start)
    for edit in edits:
        new += text[place : edit.start]
        spans.append((len(new), len(new) + len(edit.new)))
        new += edit.new
        place = edit.end
    return Swapped(new + text[place:], tuple((edit.start, edit.end) for edit in edits), tuple(spans))


def _words_after(text: str, position: int) -> tuple[str | None, str | None]:
    match = re.compile(rf"\s+({_WORD})(?:\s+({_WORD}))?").match(text, position)
    return (match[1], match[2]) if match else (None, None)


def _word_before(text: str, position: int) -> str | None:
    match = re.search(rf"({_WORD})\s+$", text[:position])
    return match[1].lower() if match else None


def _article_in_case(old: str, right: str, word: str) -> str:
    if old.isupper() and (len(old) > 1 or _is_shouted(word)):
        return right.upper()
    return _capitalised(right) if old[0].isupper() else right


def _capitalised(words: str) -> str:
    # "iPhone" and "eBay" keep their small letter.
    return words if any(sign.isupper() for sign in words.partition(" ")[0]) else words[:1].upper() + words[1:]


def _is_shouted(words: str) -> bool:
    return words.isupper() and sum(sign.isalpha() for sign in words) > 1


def _is_spoken_as_word(acronym: str) -> bool:
    # NASA and AIDS are words, the FBI and an MRI are letters: four letters or more that alternate can be spoken.
    return (
        len(acronym) >= 4
        and re.search(r"[AEIOU].*[^AEIOU]", acronym) is not None
        and not re.search(r"[^AEIOUY]{3}", acronym)
    )


def _is_gendered_pronoun(word: str) -> bool:
    return word.lower() in _GENDER_OF_PRONOUN


def _quoted(text: str, span: Span) -> str:
    return f"`{text[span[0] : span[1]]}`"
