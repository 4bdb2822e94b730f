"""Sentences against templates: what is paired, and how often the interval holds the truth."""

from __future__ import annotations

import numpy as np

from tiltmeter.stats.comparing.kinds_of_prompts import PromptValue, kind_contrast
from tiltmeter.stats.estimate import SHARE, Scale


def world(rng, *, effect: float = 0.0) -> tuple[list[PromptValue], list[PromptValue]]:
    """Forty professions that differ much, in a sentence each and in 17 templates that differ too."""
    professions, templates = rng.normal(0.5, 0.2, 40), rng.normal(0, 0.05, 17)
    sentences = [
        PromptValue(str(at), f"s{at}", value + effect + rng.normal(0, 0.05)) for at, value in enumerate(professions)
    ]
    crossed = [
        PromptValue(str(at), f"t{of}", value + more + rng.normal(0, 0.05))
        for at, value in enumerate(professions)
        for of, more in enumerate(templates)
    ]
    return sentences, crossed


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    found = [kind_contrast(*world(rng), Scale()) for _ in range(200)]
    assert 0.9 <= np.mean([one.low <= 0 <= one.high for one in found]) <= 0.99
    assert np.mean([one.p < 0.05 for one in found]) <= 0.09


def test_pairing_by_profession_sees_what_lies_below_their_spread() -> None:
    rng = np.random.default_rng(6)
    found = kind_contrast(*world(rng, effect=0.08), Scale())
    assert found.low is not None
    assert found.low > 0
    assert found.p is not None
    assert found.p < 0.01


def test_only_professions_of_both_kinds_count() -> None:
    sentences = [PromptValue("a", None, 0.2), PromptValue("b", None, 0.9), PromptValue("c", None, None)]
    templates = [PromptValue("a", "t", 0.6), PromptValue("c", "t", 0.1), PromptValue("d", "t", 0.1)]
    found = kind_contrast(sentences, templates, SHARE)
    assert (round(found.value or 0, 6), found.n, found.low) == (-0.4, 1, None)
    assert kind_contrast(sentences, [], SHARE).value is None
