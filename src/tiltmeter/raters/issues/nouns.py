"""What kind of thing an English noun names: a person, a field of study, a stuff, an event, a work, a body of people.

Closed lists of common words and a few endings, not the terms of any specification. A noun that is in none of them is
of unknown kind, and nothing is concluded from it.
"""

from __future__ import annotations

from tiltmeter.raters.issues import words
from tiltmeter.raters.issues.sentence import STAND_IN, Token


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STUDIED = _words(
    "math maths algebra geometry calculus trigonometry arithmetic chemistry biology astronomy philosophy sociology "
    "psychology geology botany zoology accounting journalism engineering poetry literature photography homework"
)
_STUDIED_AND_COUNTED = _words("science technology art history drama dance medicine law architecture computation")
_STUFF = _words(
    "furniture equipment information advice luggage baggage laughter weather traffic money cash clothing jewelry "
    "software hardware evidence research health wealth poverty patience fun luck progress rice bread butter mud dirt "
    "filth electricity employment housing transportation management oxygen gasoline meat sunshine thunder lightning "
    "scenery machinery garbage trash wildlife leather music applause happiness sadness violence"
)
_NO_FIELDS = _words("topics tropics mechanics comics critics clinics fabrics basics attics lyrics graphics relics")

_EVENTS = _words(
    "concert wedding accident war ceremony conference experiment murder vacation sunrise sunset trip journey election "
    "funeral divorce birthday lesson lecture exam assault festival tournament rehearsal robbery earthquake career"
)
_WORKS = _words(
    "novel sculpture symphony poem song painting photograph equation diploma salary letter film movie opera essay "
    "textbook magazine newspaper sonnet report calculation website theorem formula document certificate invoice"
)
_BODIES = _words(
    "orchestra corporation company university college hospital school office factory museum library bank agency "
    "department restaurant hotel shop"
)
_OBJECTS = _words(
    "house car table chair window door floor roof building kitchen garden room desk bicycle truck boat bus train plane "
    "computer phone hat shirt coat shoe bag bottle cup plate knife piano guitar camera clock lamp bed sofa couch "
    "pencil notebook road hammer home"
)
THINGS = _EVENTS | _WORKS | _BODIES | _OBJECTS
"""Nouns that are counted, and that hardly anybody is called, not even in a figure of speech."""

NEVER_BARE = _words(
    "novel symphony equation diploma corporation company orchestra museum library house chair door kitchen garden desk "
    "bicycle truck hat shirt coat shoe bag bottle knife camera clock lamp sofa couch pencil notebook hammer job "
    "concert wedding poem essay textbook magazine website theorem tournament factory restaurant hotel building"
)
"""Nouns for things that need an article or the like in the singular."""

KIN_AS_NAMES = _words(
    "mother father mom mum mommy mummy dad daddy mama papa grandma grandpa granny grandad grandmother grandfather"
)
"""What one calls one's own: "Mother says so"."""
KIN = _words(
    "brother sister son daughter uncle aunt nephew niece cousin husband wife grandson granddaughter boyfriend "
    "girlfriend"
)
_PERSONS = (
    KIN
    | KIN_AS_NAMES
    | _words("man woman boy girl person child kid lady gentleman guy friend neighbor student teacher doctor")
)
# Ranks and offices: "she was elected president", "as captain".
POSTS = _words(
    "president captain head king queen chief master leader chair host minister mayor editor director manager secretary "
    "treasurer winner professor doctor officer author chairman chairwoman ambassador governor commander coordinator "
    "runner-up successor co-founder founder owner speaker senator general counsel champion member partner producer "
    "chancellor commissioner curator conductor coach judge child patient expert prince princess god"
)
# Materials and tools whose names end like professions.
_NO_ROLES = _words(
    "powder pepper ginger copper fiber amber cider humor labor vapor liquor horror odor motor sensor factor vector "
    "tractor reactor trailer container filter meter liter buffer server browser scanner freezer cooler heater boiler "
    "burner toaster blender mixer folder binder marker timer trigger slipper sneaker zipper feather shelter quarter "
    "semester hamster lobster oyster rooster cluster plaster register encounter disorder wonder cylinder reminder "
    "remainder surrender bestseller thriller helicopter skyscraper wallpaper whisper temper supper slaughter transfer "
    "manner era outer inner former latter lower further elder razor metaphor anchor corridor elevator calculator "
    "generator indicator refrigerator processor armor harbor neighbor flavor tutor list mist twist wrist exist "
    "consist assist median pedestrian vegetarian guardian civilian"
)


def is_field(word: str) -> bool:
    """Whether a noun names what one can study.

    >>> is_field("physics"), is_field("topics"), is_field("sociology")
    (True, False, True)
    """
    if word in _STUDIED or word in _STUDIED_AND_COUNTED:
        return True
    return word.endswith(("ics", "ology")) and word not in _NO_FIELDS


def is_mass(word: str) -> bool:
    """Whether a noun takes neither *a* nor a plural.

    >>> is_mass("furniture"), is_mass("poem")
    (True, False)
    """
    return word in _STUDIED or word in _STUFF or (word.endswith("ics") and is_field(word))


def is_person(token: Token) -> bool:
    """Whether a word stands for someone: a pronoun, a name, or a noun for people."""
    if token.lower_ in {"he", "she", "i", "we", "you", "who", "someone", "somebody", "everyone", "him", "me", "us"}:
        return True
    if token.text == STAND_IN or (token.pos_ == "PROPN" and token.ent_type_ == "PERSON"):
        return True
    return token.pos_ in {"NOUN", "PROPN"} and is_person_noun(token)


def is_person_noun(token: Token) -> bool:
    """Whether a common noun says who a person is: woman, uncle, plumber."""
    lemma = token.lemma_.lower()
    return is_surely_a_person(lemma) or (
        words.is_role(lemma) and lemma not in _NO_ROLES and lemma not in THINGS and not is_mass(lemma)
    )


def is_surely_a_person(lemma: str) -> bool:
    """A person by the list, and not by the ending that *beer* and *plumber* share."""
    if lemma in words.PRONOUNS or lemma in {"male", "female", "miss", "lord", "groom"}:
        return False
    return lemma in _PERSONS or lemma in words.GENDER or lemma.endswith(("woman", "ologist"))
