"""What is written into a ledger and read back from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter.records import Dropped, ModelFacts, Pair, PairScore
from tiltmeter.store.next_words import Expectations
from tiltmeter.store.reading import Continuations


@dataclass(frozen=True, slots=True)
class Probes:
    """What a generation stage adds to a plan: pairs, what could not be made, and the issues of each pair's sentence."""

    pairs: Sequence[Pair]
    dropped: Sequence[Dropped]
    findings: Mapping[str, Sequence[tuple[str, str]]]
    """By the id of a pair that was audited: issues and reasons; none of them where the sentence is clean."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Run:
    """What a finished or unfinished run holds, read back without any model; very many items when they are asked for."""

    folder: Path
    meta: Mapping[str, Any]
    facts: Mapping[str, ModelFacts]
    pairs: Sequence[Pair]
    dropped: Sequence[Dropped]
    scores: Mapping[tuple[str, str], Sequence[PairScore]]
    """By model and scorer, in the order of the study; the scores in the order of the pairs."""
    findings: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    """Issues and reasons of the generated pairs that have some, by the id of the pair."""
    writers: Mapping[str, ModelFacts] = field(default_factory=dict)
    """The models that wrote sentences."""
    continuations: Continuations | None = None
    """Texts and ratings, read when they are asked for; None where the study has no such view."""
    next_words: Expectations | None = None
    """What the models expect, likewise."""
    is_checked: bool = True
    """Whether the ledger keeps digests, so that damage to it is noticed: those of earlier versions do not."""
