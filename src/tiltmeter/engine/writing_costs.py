"""What the sentences that a model has yet to write will take at most: to write them, to read them, to score them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from typing import TypeAlias

from tiltmeter.engine.replacing import replacement_settings
from tiltmeter.engine.review import NOBODY
from tiltmeter.measures.scorers import Scorer
from tiltmeter.models.api import forced_choice
from tiltmeter.records import Pair, Spec
from tiltmeter.sources import generated
from tiltmeter.sources.generated import GenerationSettings
from tiltmeter.sources.generated.comparisons import comparisons
from tiltmeter.sources.generated.fitting import ROOM
from tiltmeter.study import SourceChoice

Tokens: TypeAlias = tuple[int, int]
"""Read and written by one request."""

_PROMPT = 400
"""Tokens, about, of a request for sentences, with its examples."""
_SENTENCE = 25
"""Tokens, about, of a sentence."""
_TRIALS = 6
"""Requests that show in which form a server takes requests for sentences."""
_ANY = Pair(
    "any",
    "any",
    "any",
    "any",
    ("He reads books.", "She reads books."),
    ("a", "b"),
    terms=("He", "She"),
    attribute="books",
    group_spans=(((0, 2),), ((0, 3),)),
    attribute_spans=(((9, 14),), ((10, 15),)),
)


def written_sentences(specs: Sequence[Spec], source: SourceChoice) -> Iterator[Tokens]:
    """The requests to the model that writes: as many as every attribute gets at most."""
    wrote = source.generation.max_new_tokens or max(ROOM, source.generation.decoding.max_new_tokens)
    requests = sum(asked * _each(settings) for settings in _rounds(source) for asked, _ in _units(specs, settings))
    yield from repeat((_PROMPT, wrote), _TRIALS + requests)


def read_by_reader(specs: Sequence[Spec], source: SourceChoice) -> Iterator[Tokens]:
    """The texts that a reader looks at: both of every pair that anything written may make."""
    if source.options.get("reader") == NOBODY:
        return
    written = sum(
        asked * settings.samples * ways for settings in _rounds(source) for asked, ways in _units(specs, settings)
    )
    yield from repeat((_SENTENCE, 1), 2 * written)


def scored_later(specs: Sequence[Spec], source: SourceChoice, scorers: Sequence[Scorer]) -> Iterator[Tokens]:
    """The questions about pairs of what is kept, where no list is longer than was asked for."""
    asked = {query for scorer in scorers for query in scorer.asks(_ANY)}
    choices = sum(query.conditioning == forced_choice.CONDITIONING for query in asked)
    for settings in _rounds(source):
        half = settings.per_attribute // 2
        # Of each group no more is asked for when it has half of what is wanted; of both, when they have it together.
        kept = 2 * (max(half - 1, settings.samples) + settings.samples) + settings.samples
        # Where flagged sentences are replaced, templates stand in for those that cannot be.
        pairs = sum(max(kept, settings.per_attribute) * ways * ways for _, ways in _units(specs, settings))
        yield from repeat((_SENTENCE, 1), pairs * (len(asked) - choices))
        yield from repeat((3 * _SENTENCE, forced_choice.DECODING.max_new_tokens), pairs * choices)


def _rounds(source: SourceChoice) -> list[GenerationSettings]:
    """The writing itself, and that of sentences in place of flagged ones."""
    settings = source.generation
    return [settings, *([replacement_settings(settings)] if settings.replace_flagged else [])]


def _units(specs: Sequence[Spec], settings: GenerationSettings) -> Iterator[tuple[int, int]]:
    """For each attribute of each set: the requests that it gets at most, and in how many comparisons it stands."""
    for spec in specs:
        ways = {one.name: len(comparisons(spec, one)) for one in spec.attributes}
        for unit in generated.units(spec, settings):
            number = ways[unit.attribute_set]
            yield _most(settings) * number, number


def _most(settings: GenerationSettings) -> int:
    """Requests for each comparison, whichever way the model turns out to be asked."""
    ways = [settings.chat] if settings.chat is not None else [True, False]
    return max(replace(settings, chat=chat).most_requests for chat in ways)


def _each(settings: GenerationSettings) -> int:
    """Requests to a server that one request for sentences comes to: a list is one, texts are asked for one by one."""
    return 1 if settings.chat else settings.samples
