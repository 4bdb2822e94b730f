"""What the pipeline knows of words: who is a person, which professions are gendered or gone, where one can be.

Lists of our own, compiled by reading; whoever builds prompts can add to them with files of their own.
"""

from __future__ import annotations

import re

from tiltmeter.sources.nouns import singular


def listed(text: str) -> frozenset[str]:
    """The words of a text that lists them."""
    return frozenset(text.split())


PLAIN_PERSON = listed("person someone somebody anyone anybody individual one people")
"""Words that say no more of somebody than *person* does: they stay."""

GENERAL = listed(
    "professional specialist expert practitioner member head leader holder employee worker chief lead representative "
    "supervisor manager executive official officer assistant"
)
"""Nouns that name a rank more than a trade: they may stay where *person* does not fit."""

PERSONS = (
    PLAIN_PERSON
    | GENERAL
    | listed(
        "academic actor administrator adviser advisor agent aide analyst animator anthropologist archaeologist "
        "architect artisan artist astronaut astronomer athlete attendant author baker bard biologist blacksmith "
        "bookkeeper botanist broker builder buyer caregiver carer carpenter cartoonist chemist choreographer "
        "cinematographer cleric clerk clinician coach comedian communicator composer conductor consultant contractor "
        "coordinator copyist counselor counsellor craftsman craftsperson craftworker creator critic curator dancer "
        "dealer dentist designer detective developer diplomat director doctor dramatist driver economist editor "
        "educator electrician employer engineer entertainer entrepreneur epidemiologist examiner explorer farmer "
        "fighter filmmaker forester founder freelancer gardener generalist geologist governor graduate guard guide "
        "hairdresser healer helper historian horticulturist humorist hunter illustrator inspector installer "
        "instructor internist interpreter inventor investigator journalist judge laborer labourer lawyer lecturer "
        "librarian linguist machinist magician maintainer maker mason mathematician mechanic merchant metalsmith "
        "metalworker meteorologist midwife miner minister mortician musician naturalist novelist nurse operator "
        "organizer organiser overseer owner painter paramedic participant pediatrician performer pharmacist "
        "philosopher photographer physician physicist physiotherapist pilot planner player playwright poet politician "
        "priest producer programmer promoter provider psychiatrist psychologist publisher railroader "
        "repairer reporter researcher restorer rider sailor scholar scientist screenwriter scribe sculptor seller "
        "servant shoemaker shopkeeper singer smith soldier soloist songwriter statistician storyteller student "
        "subordinate superintendent surgeon surveyor tailor teacher technician technologist teller tester therapist "
        "trader tradesman tradesperson tradesworker trainee trainer translator tutor veterinarian weaver woodworker "
        "workman writer"
    )
)
"""Nouns that a sentence uses to say that something is somebody."""

MAN_OR_WOMAN = listed("man woman boy girl lady gentleman male female")
"""Nouns for somebody that tell the gender: what is defined with one of them is a gendered profession."""

POSTS = listed(
    "role position title job post credential certification designation rank office occupation profession career "
    "appointment qualification licensure term name vocation"
)
TRADES = listed(
    "process art branch field discipline practice study science craft technique method trade specialty speciality "
    "subspecialty subdiscipline subfield area application activity use form type profession industry work "
    "engineering management technology system sub-discipline sub-division division therapy nursing approach theory"
)

GENDERED = listed(
    "actress waitress hostess stewardess seamstress sempstress governess abbess priestess duchess empress goddess "
    "heiress murderess mistress headmistress postmistress wardress songstress enchantress sorceress poetess authoress "
    "shepherdess huntress conductress directress manageress mayoress laundress tailoress usherette majorette "
    "chorine heroine ballerina danseuse danseur chanteuse diva masseuse masseur comedienne tragedienne equestrienne "
    "doyenne geisha maiko sultana tsarina "
    "actor waiter steward emperor sultan tsar czar shah maharaja rajah pope monk friar abbot nun matron "
    "footman maid barmaid nursemaid wetnurse midhusband "
    "showgirl callgirl cowboy cowgirl busboy bellboy paperboy paperboys altar-boy pageboy king queen prince princess "
    "lord lady dame knight sire squire duke earl baron baroness count countess wizard witch patriarch matriarch "
    "gigolo"
)
"""Gendered by form, by definition, or as the male half of a pair whose female half is in common use.

The pairs: actor and actress, waiter and waitress, steward and stewardess, all three rated as gendered by definition in
the list of Bolukbasi et al. (2016). What only custom or some churches keep to one gender is not listed: *barber*,
*priest*, *bishop* (`--leave-out` with that list drops those too). Nor is *host*, of which one half serves for both.
"""
_GENDERED_ENDING = re.compile(
    r"(?:(?<!hu)m[ae]n|wom[ae]n|boys?|girls?|maids?|masters?|mistress(?:es)?|lad(?:y|ies)|wi(?:fe|ves)|husbands?|"
    r"(?:god|grand|step|fore)?(?:fa|mo)thers?|lords?|tri(?:x|xes|ces))$"
)

OBSOLETE = listed(
    "archimime benshi minstrel skomorokh kobzar harlequin jester flatulist taxi-dancer "
    "lamplighter fuller tinker town-crier knocker-up "
    "link-boy resurrectionist alchemist apothecary gleeman troubadour telegraphist switchboard-operator "
    "barber-surgeon bobbin-boy powder-monkey computer puddler phrenologist leech-collector"
)

GENDERED_WORDS = listed(
    "he him his himself she her hers herself man men woman women male female males females boy boys girl girls mother "
    "mothers father fathers wife wives husband husbands son sons daughter daughters brother brothers sister sisters "
    "lady ladies gentleman gentlemen sir madam king queen prince princess actress actresses ballerina ballerinas "
    "craftsman craftsmen tradesman tradesmen foreman foremen businessman businessmen salesman salesmen workman "
    "workmen cameraman cameramen draftsman draftsmen chairman maid maids bride groom widow hostess waitress geisha "
    "showgirl showgirls"
)
"""Words that must not stand in a prompt that asks for a pronoun."""

PLACES = listed(
    "airport area arena army bakery bank bar base building business café camp cellar center centre church cinema "
    "circus city classroom clinic club college community company concert conference construction corporation country "
    "countryside county court department district emergency environment establishment estate event exhibition facility "
    "factory farm film firm forest forge foundry gallery garden government gym hall harbour harbor "
    "hospital hospitality hotel house household industry institute institution kitchen laboratory laboratories lab "
    "library market marketplace mill mine mines ministry mission museum navy network newspaper nightclub "
    "office offices opera orchestra organisation organization park performance place plant plants practice press "
    "prison production project railroad railway rehearsal rehearsals restaurant restaurants room school schools sea "
    "set setting settings shop shops show site sites society space stadium stage station "
    "stations store studio studios team television theater theaters theatre theatres town train trains "
    "troupe unit units university universities village ward warehouse wing workplace workplaces workshop "
    "workshops world yard zoo hospitals clinics companies industries organisations organizations buildings homes home "
    "facilities institutions mines railways movies films games videos events concerts productions performances "
    "environments sectors sector situations situation circumstances teams patrol vessel vessels ship ships "
    "locomotive locomotives"
)
"""Nouns for where one can be or what one can take part in: *where* goes on from them."""

_GENDERED_FIRST = listed("male female man woman gentleman lady boy girl")
_NOT_GENDERED = listed(
    "human humans superhuman german talisman caiman specimen shaman roman norman ottoman brahman midwife midwives "
    "matrix matrices"
)
_TRADE_ENDING = re.compile(r"(?:ing|ry|ics|logy|graphy|ism|ment|tion|sion|ance|ence|ship|ture|ity|ness|hood)$")
_PERSON_ENDING = re.compile(
    r"(?:er|or|ist|ian|ician|eer|smith|wright|ant|ent|maker|keeper|worker|person|chef|cook|nurse|author|aide|guide|"
    r"artist|clerk|pilot|hand|boss|intern|critic|mechanic|medic|agent|chief|head|judge|runner|writer)$"
)
NO_PERSON = listed(
    "center centre number order computer laser paper water power matter layer polymer helicopter elevator reactor "
    "sensor motor tractor vector factor sector buffer filter container server browser timer router printer scanner "
    "charger adapter zipper corner shoulder finger border folder chapter letter newsletter poster meter micrometer "
    "thermometer theater theatre thimble amount element component instrument document garment ornament equipment "
    "environment department moment treatment plant giant constant accent cent percent patient event content parent "
    "student accident incident agreement management transistor semiconductor error mirror colour color behavior "
    "behaviour labor labour humor favour odor tumor consumer customer user viewer listener offer career tier pier "
    "fiber fibre silver copper leather rubber timber lumber weather summer winter december november october september "
    "river lever cover hammer ladder banner answer master manner dinner supper butter flower shower tower cylinder "
    "transformer amplifier generator calculator cancer ulcer danger escalator thermostat chamber team crew company "
    "institute fastener threader notcher ripper challenger bioreactor list assist twist mist waist"
)


def gendered(profession: str) -> bool:
    """Whether a profession names the gender of whoever has it, by our list or by how its last word is made.

    >>> [gendered(one) for one in ("actress", "stagehand", "fireman", "station master", "shaman", "Drag Queen")]
    [True, False, True, True, False, True]
    """
    words = re.findall(r"[\w'’]+", profession.casefold())
    if not words:
        return False
    # The head of "road foreman of engines" stands first.
    head = words[0 if words[1:2] == ["of"] else words.index("of") - 1] if "of" in words[1:] else words[-1]
    return (
        "-".join(words) in GENDERED
        or words[0] in _GENDERED_FIRST
        or not {head, singular(head)}.isdisjoint(GENDERED | GENDERED_WORDS)
        or (bool(_GENDERED_ENDING.search(head)) and head not in _NOT_GENDERED and "science" not in words)
    )


def obsolete(profession: str) -> bool:
    """Whether nobody has the profession any more, by our list.

    >>> obsolete("lamplighter"), obsolete("lifeguard")
    (True, False)
    """
    words = re.findall(r"\w+", profession.casefold())
    return "-".join(words) in OBSOLETE or (bool(words) and words[-1] in OBSOLETE - {"computer"})


def names_a_trade(phrase: str) -> bool:
    """Whether a noun phrase names what is done rather than who does it, by the ending of its last word.

    >>> names_a_trade("cardiac nursing"), names_a_trade("cardiac nurse")
    (True, False)
    """
    last = _last(phrase)
    return bool(_TRADE_ENDING.search(last)) and last not in PERSONS


def names_a_person(phrase: str) -> bool:
    """Whether the last word of a noun phrase is one for people, by our list or by its ending.

    >>> names_a_person("set decorator"), names_a_person("elevator")
    (True, False)
    """
    last = _last(phrase)
    if last in PERSONS:
        return True
    return bool(_PERSON_ENDING.search(last)) and last not in NO_PERSON and not last.endswith("ment")


def gendered_word(text: str) -> str | None:
    """The first word of a text that tells a gender, if there is one.

    >>> gendered_word("brings his tools"), gendered_word("brings tools")
    ('his', None)
    """
    return next((word for word in re.findall(r"\w+", text) if word.casefold() in GENDERED_WORDS), None)


def _last(phrase: str) -> str:
    words = re.findall(r"[\w-]+", phrase.casefold())
    head = words[: words.index("of")] if "of" in words[1:] else words
    return head[-1].rpartition("-")[2] if head else ""
