"""Whether a text is English, as far as a short text can tell: by its small words.

Certain or not: a text of another language, of several, or of too few known words is not recognised.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from tiltmeter.english import FUNCTION_WORDS, is_shouted, starts_sentence
from tiltmeter.records import Span
from tiltmeter.sources.rephrased import verbs

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def listed(words: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(words.split())


_ENGLISH = FUNCTION_WORDS | listed(
    "nobody nothing everybody somebody anybody whoever whatever whenever wherever people person someone one two three "
    "my your own many much more most other others new old young good day days time year years way world work works "
    "working home house door job people man woman men women said says asked told knew known thought felt began became "
    "very really usually almost well perhaps maybe only"
)
# Words of English that other languages have too: one of them alone tells nothing.
_OF_OTHERS = listed(
    "a an in on no me he so am was is of we had over under for at as do to be or us i it her also not all have has can "
    "are after man men son per such one will by any else ever mine still own well most here time more"
)
_ENDING = re.compile(r"\w{3,}(?:ing|ings|ly|ness|ship|ful|less)")
# Frequent small words of other languages that are no words of English.
_FOREIGN = (
    # German, Dutch, Afrikaans
    "der das den dem des ein eine einen einem einer eines und oder aber dass daß weil ist sind waren wurde wird hatte "
    "haben nicht auch nach mit von vom zum zur bei für über ich er sie wir ihr sein seine sich wenn wie wo als sagte "
    "sagt konnte können immer het een en niet dat deze zijn haar hij zij wij voor naar ook omdat toen zei werd wordt "
    "heeft hebben kan geen met aan uit bij om te nie wat sê hulle "
    # French, Catalan
    "le la les un une du des et ou mais que qui est sont était étaient dans pour avec sur par pas ne il elle ils elles "
    "nous vous son sa ses leur leurs cette ces ce parce quand où dit disait fut avait aux els amb perquè és va dir "
    # Spanish, Portuguese, Galician
    "el los las uno una unos unas y pero porque es son era eran fue fueron del con por para su sus se lo dijo dice "
    "cuando donde como está están muy más o os um uma uns umas e mas é são foi foram da dos das na nos nas com ao seu "
    "sua seus suas não disse quando onde ele ela eles elas estava muito mais "
    # Italian, Romanian
    "il gli uno ma perché sono era erano di del della dei delle nel nella con su lui lei loro che non più dove quando "
    "ha hanno aveva questo questa și este sunt erau că pentru cu din la nu el ea ei ele lui lor care fost spus "
    "când unde "
    # Swedish, Danish, Norwegian, Icelandic
    "och att det som är var för på av med inte den ett han hon sin sitt säger sade sa när där og ikke til hun han de "
    "et er fra blev være som fordi sagde eller eftersom því og að var ekki hún hann "
    # Finnish, Estonian, Hungarian, Turkish
    "ja että hän oli ovat ei se ne kun missä koska sanoi on ta nad mis kui sest ütles az egy és hogy nem volt mert ő "
    "mint mondta ki bir ve bu o da de ki için ile çünkü dedi değil daha olarak gibi her çok "
    # Polish, Czech, Slovak, Croatian
    "i w z na do nie się jest są był była że który która dla jak ale bo gdy powiedział powiedziała a v na je jsou byl "
    "byla že protože řekl řekla který která ako povedal u su bio bila da jer koji koja rekao rekla što "
    # Indonesian, Malay, Tagalog, Swahili, Vietnamese, Yoruba, Latin
    "yang dan di itu ini dengan untuk dari pada karena tidak adalah seorang ia dia mereka berkata bahwa ang ng mga sa "
    "ay si na kay dahil sabi niya na ya wa kwa ni la katika kwamba alisema kwa sababu một của và là người đã rằng "
    "không cho các được et est quod qui non cum sed"
)
_ELIDED = re.compile(r"(?:[cdjlmnst]|qu|un|dell|nell|all|dall|sull)['’]\w{2}", re.IGNORECASE)
_ELIDED_NAME = re.compile(r"[dl]['’](?=[^\W\d_a-zß-ÿ])")
_OWNER = re.compile(r"\w+['’]s")
_LETTER_AND_HYPHEN = re.compile(r"\b[a-z](?=-[a-z]{2})")
# English has taken these over with their accents.
_BORROWED = listed(
    "café cafés naïve naïveté fiancé fiancée fiancés résumé résumés façade cliché clichés soufflé purée décor crème "
    "brûlée protégé protégée née décolletage éclair à déjà vu jalapeño piñata entrée entrées exposé coördinate"
)


def is_english(text: str, without: Sequence[Span] = ()) -> bool:
    """Whether a text is recognised as English, some of its characters left aside.

    >>> [is_english(text) for text in ("The nurse said that", "Die Schwester sagte, dass", "The nurse dijo que")]
    [True, False, False]
    """
    known: list[str] = []
    foreign = counted = 0
    shouted = is_shouted(text)
    of_names, aside = _parts_of_names(text), bytearray(len(text))
    for start, end in without:
        aside[start:end] = b"\1" * len(aside[start:end])
    for match in _WORD.finditer(text):
        if match.start() in of_names or 1 in aside[slice(*match.span())]:
            continue
        word = match[0].replace("’", "'")
        if not all("LATIN" in unicodedata.name(sign, "") for sign in word if sign.isalpha()):
            return False
        if word[0].isupper() and not shouted and word != "I" and not starts_sentence(text, match.start()):
            continue  # A name may be of any language.
        low = word.casefold()
        counted += 1
        if _is_known(low):
            known.append(low)
        elif low in _foreign() or _ELIDED.match(word) or (not low.isascii() and low not in _BORROWED):
            foreign += 1
    # Of words that other languages share, two are as good as one that they do not, where nothing speaks against it.
    if _OF_OTHERS.issuperset(known):
        longer = any(len(word) > 1 for word in known)
        return len(set(known)) > 1 and longer and not foreign and 3 * len(known) >= counted
    return 4 * foreign < len(known) and (5 if foreign else 8) * len(known) >= counted


def _parts_of_names(text: str) -> set[int]:
    """Where words start that belong to a name though they are small, or stand first: "Ana de la Cruz", "Zoë's"."""
    found = {match.start() for match in _LETTER_AND_HYPHEN.finditer(text)}
    words = list(_WORD.finditer(text))
    known, name = _ENGLISH | _foreign(), False
    for place, match in enumerate(words):
        word = match[0]
        later = next((one[0] for one in words[place + 1 : place + 3] if one[0].casefold() not in _foreign()), "")
        particle = _ELIDED_NAME.match(word) or (word in _foreign() and len(word) < 4 and later[:1].isupper())
        owner = not place and _OWNER.fullmatch(word) and not _ELIDED.match(word)
        if owner or (name and particle):
            found.add(match.start())
        else:
            name = word[0].isupper() and word.casefold() not in known
    return found


@cache
def _foreign() -> frozenset[str]:
    english = _ENGLISH | {"den", "son", "sin", "hat", "war", "pour"}
    return frozenset(word for word in _FOREIGN.split() if word not in english and not verbs.is_past(word))


def _is_known(word: str) -> bool:
    if word in _ENGLISH or _ENDING.fullmatch(word) or (len(word) > 3 and verbs.is_past(word)):
        return True
    return word.endswith(("n't", "'s", "'ll", "'re", "'ve", "'d", "'m")) and re.split("n?'", word)[0] in _ENGLISH
