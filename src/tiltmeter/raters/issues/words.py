"""Word lists that the detectors read: who is a person, which words tell a group, which deny a link."""

from __future__ import annotations

import re
from typing import Literal

Gender = Literal["male", "female"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRONOUNS: dict[str, Gender] = {
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
}
_MALE = _words(
    "male man boy brother son father dad daddy papa uncle nephew grandfather grandpa grandson husband boyfriend groom "
    "bridegroom king prince duke lord gentleman sir guy lad dude fellow widower bachelor stepfather stepson godfather "
    "policeman businessman salesman chairman fireman actor waiter mr mister fiancé grandad bro"
)
_FEMALE = _words(
    "female woman girl sister daughter mother mom mum mommy mama aunt niece grandmother grandma granddaughter wife "
    "girlfriend bride queen princess duchess lady madam gal lass widow stepmother stepdaughter godmother policewoman "
    "businesswoman saleswoman chairwoman firewoman actress waitress hostess housewife mrs ms miss fiancée granny"
)
GENDER: dict[str, Gender] = {
    **PRONOUNS,
    **dict.fromkeys(_MALE, "male"),
    **dict.fromkeys(_FEMALE, "female"),
    **dict.fromkeys(("men", "gentlemen"), "male"),
    **dict.fromkeys(("women", "ladies", "wives"), "female"),
}
"""The gender that a word tells, by lemma or form."""

PARTNERS = _words("husband wife boyfriend girlfriend fiancé fiancée bride groom")
"""Whose partner it is tells the group: "her husband", "his wife"."""

TITLES = _words("mr mrs ms miss mister sir dr professor president king queen prince princess")

# Words that name a social group wherever they stand.
GROUPS = _words(
    "jew jews jewish muslim muslims islamic christian christians catholic catholics protestant hindu hindus buddhist "
    "buddhists atheist atheists gay gays lesbian lesbians homosexual homosexuals bisexual transgender queer immigrant "
    "immigrants refugee refugees migrant migrants foreigner foreigners african-american african-americans hispanic "
    "hispanics latino latinos latina latinas asian asians caucasian caucasians mexican mexicans arab arabs gypsy "
    "gypsies native natives indigenous elderly disabled veteran veterans teenager teenagers toddler orphan orphans "
    "homeless minorities minority whites blacks"
)
# Words that name one only where they are said of people: "poor people", but "poor results".
GROUPS_OF_PEOPLE = _words(
    "black white brown old young poor rich wealthy deaf blind foreign african european chinese japanese indian "
    "russian american german french italian spanish irish polish korean british straight younger older senior"
)
PEOPLE = _words(
    "person people man men woman women boy boys girl girls child children kid kids baby lady ladies guy guys folk "
    "folks student students worker workers candidate candidates defendant defendants community communities family "
    "families friend friends neighbor neighbors couple couples player players employee employees bar neighborhood "
    "citizen citizens citizenry teacher doctor nurse artist"
)

# What a person can be called without being given an attribute.
NEUTRAL_NOUNS = _words(
    "person people individual one member part someone somebody human student pupil participant employee example name "
    "friend colleague neighbor resident owner reader fan lot best type kind sort piece work result victim subject "
    "character case reason way thing part pleasure joy love burden mine ours yours theirs hers his"
)
# Adjectives that describe the moment, the place in a row or the measure, and not the person.
NEUTRAL_ADJECTIVES = _words(
    "able about afraid alive alone available aware awake back big certain chief close content convinced current dead "
    "different due early eager easy few first following former full glad good great grateful half happy hard hearty "
    "here high important impossible in interested involved keen known large last late latest least less likely little "
    "local long lucky main many more most much near necessary new next nice old older oldest elder eldest only other "
    "over own particular part-time past possible present previous proud ready real responsible right same second "
    "several short similar single small sorry such sure surprised third tired top total true unable unlikely upset "
    "usual various very well whole willing worth wrong younger youngest fond passionate fascinated excited famous "
    "skilled experienced certified licensed registered full-time retired married best better bad worse worst avid "
    "determined excellent outstanding amazing fantastic perfect huge dedicated devoted devastated disgusted thrilled "
    "regular familiar capable obsessed busy pleased delighted delicious constant daily natural twin"
)
THINGS_OF_ONES_OWN = _words(
    "hair voice personality attitude body smile face eyes eye skin manner behavior behaviour character nature mood "
    "temper spirit heart mind soul answer speech remark comment statement joke story letter opinion view laugh "
    "life childhood past background upbringing home household family time day night week year experience feeling "
    "feelings thought thoughts mistake decision choice work job performance habit tone look appearance figure shape "
    "complexion reputation style way headache cold pain injury dream accent "
    "moment side streak presence image sense state condition thing something position status type posture stature "
    "height build physique ability skill talent approach demeanor lifestyle outlook beauty energy effort"
)
"""What an adjective can be said of and still be said of the person who has it."""

_ROLES = _words(
    "nurse cook judge mason clerk aide guard executive professional leader hardworker maid maids assistant agent "
    "chef coach doctor lawyer engineer pilot soldier priest chaplain monk thief expert boss chief detective spy host "
    "athlete scholar author poet critic mechanic politician musician technician electrician librarian physician "
    "specialist therapist surgeon scientist secretary accountant merchant merchandiser patient child teenager hero "
    "coward genius criminal gangster cop officer president minister mayor tutor tailor butcher baker farmer "
    "survivor gambler landlord dealer owner slave servant queen king widow guardian paralegal"
)
_ROLE_ENDING = re.compile(r"(?:[a-z]{2}(?:er|or|ist|ian|man|woman|guard|nurse|clerk|maid))$")
_NOT_ROLES = _words(
    "laughter disaster cancer murder number numbers honor color flavor corner paper letter matter chapter character "
    "dinner summer winter water weather river finger shoulder computer printer power order answer offer career border "
    "mother father brother sister daughter other another ever never number member master monster remember theater "
    "center sweater october september december november door floor minor major poor behavior favor tumor error terror "
    "mirror savior human woman man german roman business happiness illness sickness sadness process success address "
    "access mess dress stress less list artist interest fever favor gender poster counter after under over super "
    "paper layer danger anger hunger spider tiger flower tower shower customer stranger newspaper together better "
    "whether rather either neither bigger cover silver rubber butter cheer"
) - {"artist"}


def is_role(word: str) -> bool:
    """Whether a noun says what a person is or does for a living.

    >>> is_role("plumber"), is_role("laughter"), is_role("guards")
    (True, False, True)
    """
    forms = (word, word.removesuffix("s"))
    if any(form in _NOT_ROLES for form in forms):
        return False
    return any(form in _ROLES or _ROLE_ENDING.search(form) for form in forms)


NOT_A_PERSON = _words(
    "laughter abuse salary freedom health peace cheer heaven filth murder sickness death grief stink poverty cancer "
    "agony vomit assault divorce hatred accident crash war jail prison vacation sunrise rainbow paradise diploma "
    "math algebra geometry calculus poetry literature dance symphony sculpture drama physics chemistry astronomy "
    "technology science computation addition equation experiment office business career management corporation home "
    "marriage wedding art novel family status happiness wealth crime violence money work school music food "
    "education"
)
"""What nobody can be: "Todd is a laughter" makes no sense."""

DENIERS = _words(
    "not n't never no nobody none nothing hardly rarely seldom barely scarcely without neither nor least "
    "unfair untrue false impossible unlikely uncommon"
)
"""Words that deny what they belong to."""

# The lemmatiser takes "hates" for a form of "hat".
DENYING_VERBS = _words(
    "hate refuse fail struggle quit doubt lack avoid dislike deny stop forbid reject abandon fire despise dread forget "
    "cease loathe prevent oppose regret resist hat"
)
DENYING_ADJECTIVES = _words(
    "unable bad terrible awful horrible poor worst weak hopeless uninterested incapable clueless"
)
"""With "at", "in" or "with", or before a role, they say that the attribute is lacking."""

BESIDE = _words("behind near beside above below outside opposite")
"""Places that put a person next to a thing, and say nothing of the person."""

PLACES = _words(
    "place town city state country island village county region paradise beach river road street mountain station "
    "jail prison home hospital school neighborhood area land"
)
TRAVEL = _words("vacation trip road way flight journey go travel move fly drive visit train bus walk sail ticket tour")

NOT_ILL = _words(
    "day days weather sky song beat music movie film story morning evening night afternoon room house place news end "
    "winter light joke ending street film picture tale look eyes face"
)
"""What can be gloomy or sick without anyone being ill."""
