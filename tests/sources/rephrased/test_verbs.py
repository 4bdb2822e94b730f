from __future__ import annotations

import pytest

from tiltmeter.sources.rephrased import verbs
from tiltmeter.sources.rephrased.lists import lines

PASTS = """
worked work|earned earn|hoped hope|hopped hop|planned plan|tried try|died die|dreamed dream|lived live|visited visit
invited invite|created create|treated treat|offered offer|adhered adhere|explored explore|honored honor|danced dance
managed manage|belonged belong|changed change|handled handle|curled curl|travelled travel|traveled travel|called call
controlled control|passed pass|focused focus|realized realize|agreed agree|argued argue|developed develop|hoped hope
escaped escape|tasted taste|lasted last|related relate|graduated graduate|acquired acquire|quoted quote|guided guide
typed type|played play|panicked panic|added add|preferred prefer|regarded regard|described describe|used use
went go|told tell|grew grow|got get|was be|were be|had have|thought think|taught teach|led lead|wrote write
"""
THIRDS = """
likes like|works work|teaches teach|watches watch|studies study|goes go|does do|has have|is be|uses use|passes pass
dies die|aches ache|focuses focus|fixes fix|are be|am be
"""


@pytest.mark.parametrize("pair", [pair for line in (PASTS + THIRDS).split("\n") for pair in line.split("|") if pair])
def test_the_base_of_a_finite_form(pair) -> None:
    finite, base = pair.split()
    assert verbs.base(finite) == base


@pytest.mark.parametrize("base", ["like", "work", "study", "go", "be", "have", "teach", "play"])
def test_a_base_is_its_own_base_and_that_of_its_third_person(base) -> None:
    assert verbs.base(base) == base
    assert verbs.base(verbs.third_person(base)) == base


@pytest.mark.parametrize(
    ("past", "participle"),
    [("went", "gone"), ("grew", "grown"), ("worked", "worked"), ("was", "been"), ("got", "gotten"), ("told", "told")],
)
def test_participles(past, participle) -> None:
    assert verbs.participle(past) == participle


def test_what_only_looks_like_a_past() -> None:
    assert not any(verbs.is_past(word) for word in ("need", "hatred", "naked", "red", "works", "feed"))


# Any finite form, base, third person, past participle ("-" of a present), gerund.
FORMS = """
need need needs - needing|needed need needs needed needing|succeed succeed succeeds - succeeding
exceeds exceed exceeds - exceeding|proceeded proceed proceeds proceeded proceeding|heed heed heeds - heeding
agreed agree agrees agreed agreeing|freed free frees freed freeing
guaranteed guarantee guarantees guaranteed guaranteeing
dreamt dream dreams dreamt dreaming|dreamed dream dreams dreamed dreaming|spat spit spits spat spitting
learnt learn learns learnt learning|burnt burn burns burnt burning|leapt leap leaps leapt leaping
overheard overhear overhears overheard overhearing|overslept oversleep oversleeps overslept oversleeping
outran outrun outruns outrun outrunning|sped speed speeds sped speeding|bore bear bears borne bearing
taxied taxi taxis taxied taxiing|skied ski skis skied skiing|underwent undergo undergoes undergone undergoing
rewrote rewrite rewrites rewritten rewriting|misled mislead misleads misled misleading
withdrew withdraw withdraws withdrawn withdrawing|foresaw foresee foresees foreseen foreseeing
upheld uphold upholds upheld upholding|resent resent resents - resenting|relented relent relents relented relenting
quizzed quiz quizzes quizzed quizzing|panicked panic panics panicked panicking|embed embed embeds - embedding
lay lie lies lain lying|died die dies died dying|ran run runs run running|became become becomes become becoming
studied study studies studied studying|hoped hope hopes hoped hoping|hopped hop hops hopped hopping
got get gets gotten getting|smelt smell smells smelt smelling|strode stride strides stridden striding
babysat babysit babysits babysat babysitting|slew slay slays slain slaying|wants want wants - wanting
played play plays played playing|showed show shows shown showing|tied tie ties tied tying
focus focus focuses - focusing|present present presents - presenting|undid undo undoes undone undoing
"""


@pytest.mark.parametrize("row", [row for line in FORMS.split("\n") for row in line.split("|") if row])
def test_the_forms_of_a_verb(row) -> None:
    finite, base, third, participle, gerund = row.split()
    assert verbs.can_be_finite(finite)
    assert (verbs.base(finite), verbs.third_person(base), verbs.lemma(gerund)) == (base, third, base)
    assert (verbs.participle(finite) if verbs.is_past(finite) else "-") == participle
    if participle != "-":
        assert verbs.is_participle(participle)


@pytest.mark.parametrize("word", ["gone", "born", "working", "adrift", "upright", "spoken", "unhurt"])
def test_what_has_no_tense(word) -> None:
    assert not verbs.can_be_finite(word)


def test_every_irregular_verb_is_found_again_by_its_forms() -> None:
    for row in lines("verbs.toml", "irregular"):
        base, pasts, participles = row.split()
        # "saw", "found", "lay" and their like are the past of another verb first.
        if not verbs.is_past(base):
            assert verbs.base(base) == base
            assert verbs.base(verbs.third_person(base)) == base
        assert all(verbs.base(past) == base for past in pasts.split("/")), row
        assert all(verbs.is_participle(form) for form in participles.split("/")), row
