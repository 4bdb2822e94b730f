from __future__ import annotations

import pytest

from tiltmeter.sources.rephrased import verbs

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
