"""One unit in the making: what it asks for next, and what it makes of what came."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tiltmeter.records import AttributeSet, Completion, Pair, Spec, Written
from tiltmeter.sources.generated import prompts
from tiltmeter.sources.generated.checks import DUPLICATE, NOT_CHOSEN, UNSWAPPABLE, sentence_of
from tiltmeter.sources.generated.comparisons import Comparison, comparisons, counterpart
from tiltmeter.sources.generated.interface import Generator, require
from tiltmeter.sources.generated.pairs import pairs_of
from tiltmeter.sources.generated.settings import GenerationSettings, Unit, UnitResult, seed_of
from tiltmeter.sources.generated.shots import Chooser, Shot
from tiltmeter.sources.swap import Unswapped


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt for the generator: a sentence about a group, with this term of it."""

    group: str
    term: str
    prompt: str
    seed: int


class Writing:
    """The sentences of one attribute of one set, as they come in."""

    def __init__(
        self, spec: Spec, unit: Unit, generator: Generator, settings: GenerationSettings, shots: Chooser
    ) -> None:
        self.spec, self.unit, self.generator, self.settings, self.shots = spec, unit, generator, settings, shots
        self.attributes: AttributeSet = next(item for item in spec.attributes if item.name == unit.attribute_set)
        self.comparisons: list[Comparison] = comparisons(spec, self.attributes)
        again = (unit.round,) if unit.round else ()
        self.place = (settings.seed, spec.name, unit.set, unit.attribute_set, unit.attribute, *again)
        self.random = random.Random(seed_of(*self.place))
        groups = dict.fromkeys(name for comparison in self.comparisons for name in comparison.groups)
        self.terms: dict[str, Iterator[str]] = {name: self._shuffled(spec.group(name).terms) for name in groups}
        self.kept: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.seen: set[str] = set()
        self.sentences: list[Written] = []
        self.requests = self.tokens = self.attempts = 0

    def next_requests(self) -> list[Request]:
        """What to ask for next; nothing when every comparison has enough sentences, or the requests are spent."""
        limit = self.settings.max_requests * len(self.comparisons)
        groups = self._wanted()[: limit - self.requests] if self.requests < limit else []
        asked = [(name, next(self.terms[name])) for name in groups]
        seed = seed_of(*self.place, self.requests, *(term for _, term in asked))
        return [Request(name, term, self._prompt([term, self.unit.attribute], seed), seed) for name, term in asked]

    def check(self, request: Request, completions: Sequence[Completion]) -> list[Written]:
        """The sentences that came of a request, those that fail the checks with the reason."""
        self.asked[request.group] += 1
        self.tokens += sum(completion.tokens for completion in completions)
        self.attempts += sum(completion.attempts for completion in completions)
        found = [self._checked(request, one, place) for place, one in enumerate(completions)]
        self.requests += 1
        return found

    def keep(self, found: Sequence[Written]) -> None:
        """Take what was checked and judged."""
        self.sentences += found
        self.kept.update(sentence.group for sentence in found if sentence.dropped is None)

    def candidates(self) -> list[tuple[Pair, Written]]:
        """Every kept sentence that makes a pair, with that pair, for someone to rank."""
        kept = [sentence for sentence in self.sentences if sentence.dropped is None]
        return [(pair, sentence) for sentence in kept for pair in pairs_of(sentence, self.spec)[0][:1]]

    def choose(self, ranked: Sequence[tuple[float, Written]]) -> None:
        """Of the sentences that were ranked, keep the better half for each group, or as many as it needs."""
        counts = Counter(sentence.group for _, sentence in ranked)
        room = {name: max((self.settings.per_attribute + 1) // 2, (counts[name] + 1) // 2) for name in self.terms}
        chosen = set()
        for _, sentence in sorted(ranked, key=lambda item: -item[0]):
            if room[sentence.group] > 0:
                room[sentence.group] -= 1
                chosen.add(sentence.id)
        if chosen:
            self.sentences = [
                one if one.dropped is not None or one.id in chosen else replace(one, dropped=NOT_CHOSEN)
                for one in self.sentences
            ]

    def result(self) -> UnitResult:
        """What came of the unit."""
        return UnitResult(self.unit, tuple(self.sentences), self.requests, self.tokens, self.attempts)

    def _shuffled(self, terms: Sequence[str]) -> Iterator[str]:
        """The terms in random order, each once before any comes again."""
        while True:
            yield from self.random.sample(terms, len(terms))

    def _wanted(self) -> list[str]:
        """The groups to write for next: those of a comparison that lacks sentences, the neediest first."""
        wanted: dict[str, None] = {}
        for comparison in self.comparisons:
            groups = self.random.sample(comparison.groups, 2)
            groups.sort(key=lambda name: (self.kept[name], self.asked[name]))
            half = self.settings.per_attribute // 2
            lacking = [name for name in groups if self.kept[name] < half]
            if not lacking and sum(self.kept[name] for name in groups) < self.settings.per_attribute:
                lacking = groups[:1]
            # The published loop asks for one term at a time; both at once is one batch instead of two.
            wanted |= dict.fromkeys(lacking[:1] if self.settings.strategy == "rejection" else lacking)
        return list(wanted)[:1] if self.settings.strategy == "rejection" else list(wanted)

    def _prompt(self, words: Sequence[str], seed: int) -> str:
        shots = self.shots(words, random.Random(seed_of(seed, *words)))
        return self._chat(shots, words) if self.settings.chat else prompts.few_shot(shots, words)

    def _chat(self, shots: Sequence[Shot], words: Sequence[str]) -> str:
        require(self.generator, "chat_prompt", "chat = true")
        filled: str = getattr(self.generator, "chat_prompt")(prompts.instruction(shots, words))  # noqa: B009
        return filled

    def _checked(self, request: Request, completion: Completion, place: int) -> Written:
        text, reason = sentence_of(completion.text, request.term, self.unit.attribute, self.settings.checks)
        reason = reason or self._unusable(text, request.group, request.term)
        return Written(
            id=f"{self.unit.id}/{self.requests}.{place}",
            bias=self.spec.name,
            text=text,
            group=request.group,
            term=request.term,
            attribute=self.unit.attribute,
            attribute_set=self.unit.attribute_set,
            set=self.unit.set,
            generator=self.generator.facts.name,
            strategy=self.settings.strategy,
            dropped=reason,
        )

    def _unusable(self, text: str, group: str, term: str) -> str | None:
        variants, reason = [text.casefold()], None
        if self.settings.checks == "full":
            for comparison in self.comparisons:
                if group in comparison.groups:
                    other = comparison.groups[1 - comparison.groups.index(group)]
                    _, swapped = counterpart(text, term, self.spec, (group, other))
                    if isinstance(swapped, Unswapped):
                        reason = reason or f"{UNSWAPPABLE}: {swapped.reason}"
                    else:
                        variants.append(swapped.text.casefold())
            # A sentence of several comparisons serves if one of them can be made.
            if len(variants) == 1:
                return reason
        if any(variant in self.seen for variant in variants):
            return DUPLICATE
        self.seen.update(variants)
        return None
