"""One unit in the making: ask, check what came, ask again until the attribute has enough sentences."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tiltmeter.errors import ModelError
from tiltmeter.records import AttributeSet, Completion, Pair, Spec, Written
from tiltmeter.sources.generated import prompts
from tiltmeter.sources.generated.checks import DUPLICATE, JUDGED, NOT_CHOSEN, UNSWAPPABLE, sentence_of
from tiltmeter.sources.generated.comparisons import Comparison, comparisons, counterpart
from tiltmeter.sources.generated.interface import Generator, Review
from tiltmeter.sources.generated.pairs import pairs_of
from tiltmeter.sources.generated.settings import GenerationSettings, Unit, UnitResult, seed_of
from tiltmeter.sources.generated.shots import Chooser, Shot
from tiltmeter.sources.swap import Unswapped


class Writing:
    """The sentences of one attribute of one set, as they come in."""

    def __init__(
        self,
        spec: Spec,
        unit: Unit,
        generator: Generator,
        settings: GenerationSettings,
        shots: Chooser,
        review: Review,
    ) -> None:
        self.spec, self.unit, self.generator, self.settings = spec, unit, generator, settings
        self.shots, self.review = shots, review
        self.attributes: AttributeSet = next(item for item in spec.attributes if item.name == unit.attribute_set)
        self.comparisons: list[Comparison] = comparisons(spec, self.attributes)
        self.place = (settings.seed, spec.name, unit.set, unit.attribute_set, unit.attribute)
        self.random = random.Random(seed_of(*self.place))
        groups = dict.fromkeys(name for comparison in self.comparisons for name in comparison.groups)
        self.terms: dict[str, Iterator[str]] = {name: self._shuffled(spec.group(name).terms) for name in groups}
        self.kept: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.seen: set[str] = set()
        self.sentences: list[Written] = []
        self.requests = self.tokens = self.attempts = 0

    def result(self) -> UnitResult:
        """Ask until every comparison has enough sentences, or the requests are spent."""
        limit = self.settings.max_requests * len(self.comparisons)
        while self.requests < limit and (wanted := self._wanted()):
            self._ask(wanted[: limit - self.requests])
        if self.review.rank:
            self._choose(self.review.rank)
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

    def _ask(self, groups: Sequence[str]) -> None:
        requests = [(name, next(self.terms[name])) for name in groups]
        seed = seed_of(*self.place, self.requests, *(term for _, term in requests))
        answers = self._complete([[term, self.unit.attribute] for _, term in requests], seed)
        for (name, term), completions in zip(requests, answers, strict=True):
            self.asked[name] += 1
            self.tokens += sum(completion.tokens for completion in completions)
            self.attempts += sum(completion.attempts for completion in completions)
            found = [self._checked(name, term, one, place) for place, one in enumerate(completions)]
            found = self._judged(found)
            self.kept[name] += sum(sentence.dropped is None for sentence in found)
            self.sentences += found
            self.requests += 1

    def _complete(self, keywords: Sequence[Sequence[str]], seed: int) -> list[list[Completion]]:
        settings, constrained = self.settings, self.settings.strategy == "constrained"
        self._require("complete_with" if constrained else "complete", f'the strategy "{settings.strategy}"')
        asked = []
        for words in keywords:
            shots = self.shots(words, random.Random(seed_of(seed, *words)))
            asked.append(self._chat(shots, words) if settings.chat else prompts.few_shot(shots, words))
        if constrained:
            return self.generator.complete_with(asked, keywords, settings.decoding, samples=settings.samples, seed=seed)
        return self.generator.complete(asked, settings.decoding, samples=settings.samples, seed=seed)

    def _chat(self, shots: Sequence[Shot], words: Sequence[str]) -> str:
        self._require("chat_prompt", "chat = true")
        filled: str = getattr(self.generator, "chat_prompt")(prompts.instruction(shots, words))  # noqa: B009
        return filled

    def _require(self, verb: str, what: str) -> None:
        if not hasattr(self.generator, verb):
            raise ModelError(f"{self.generator.facts.name} cannot `{verb}`, which {what} needs")

    def _checked(self, group: str, term: str, completion: Completion, place: int) -> Written:
        text, reason = sentence_of(completion.text, term, self.unit.attribute, self.settings.checks)
        reason = reason or self._unusable(text, group, term)
        return Written(
            id=f"{self.unit.id}/{self.requests}.{place}",
            bias=self.spec.name,
            text=text,
            group=group,
            term=term,
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

    def _judged(self, found: list[Written]) -> list[Written]:
        passed = [sentence for sentence in found if sentence.dropped is None]
        if not self.review.judge or not passed:
            return found
        verdicts = dict(zip((one.id for one in passed), self.review.judge(passed), strict=True))
        return [
            replace(sentence, dropped=f"{JUDGED}: {why}") if (why := verdicts.get(sentence.id)) else sentence
            for sentence in found
        ]

    def _choose(self, rank: Callable[[Sequence[Pair]], Sequence[float]]) -> None:
        made = [
            (pair, one) for one in self.sentences if one.dropped is None for pair in pairs_of(one, self.spec)[0][:1]
        ]
        if not made:
            return
        scores = rank([pair for pair, _ in made])
        best = sorted(zip(scores, made, strict=True), key=lambda item: -item[0])
        room = dict.fromkeys(self.terms, (self.settings.per_attribute + 1) // 2)
        chosen = set()
        for _, (_, sentence) in best:
            if room[sentence.group] > 0:
                room[sentence.group] -= 1
                chosen.add(sentence.id)
        self.sentences = [
            one if one.dropped is not None or one.id in chosen else replace(one, dropped=NOT_CHOSEN)
            for one in self.sentences
        ]
