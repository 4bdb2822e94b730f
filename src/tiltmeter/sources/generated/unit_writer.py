"""One unit in the making: what it asks for next, and what it makes of what came."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tiltmeter.english import article_for
from tiltmeter.records import AttributeSet, Completion, Pair, Spec, Written
from tiltmeter.sources.generated import prompts
from tiltmeter.sources.generated.checks import (
    DECLINED,
    DUPLICATE,
    ECHO,
    EMPTY,
    NOT_CHOSEN,
    UNANSWERED,
    UNSWAPPABLE,
    kind,
    sentence_of,
)
from tiltmeter.sources.generated.comparisons import Comparison, comparisons, counterpart
from tiltmeter.sources.generated.interface import Generator, require
from tiltmeter.sources.generated.lists import sentences_in
from tiltmeter.sources.generated.matching import contains
from tiltmeter.sources.generated.pairs import pairs_of
from tiltmeter.sources.generated.settings import GenerationSettings, Unit, UnitResult, seed_of
from tiltmeter.sources.generated.shots import Chooser, openings, wanted_shot
from tiltmeter.sources.swap import Unswapped
from tiltmeter.word_kinds import attribute_kind, term_kind

_ALIKE = 2.0
"""What a sentence loses in the ranking that has all its other words in common with one that is kept."""
_SHOWN = 10
"""Sentences that a request for others shows, at most."""


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt for the generator: a sentence about a group, with this term of it."""

    group: str
    term: str
    words: tuple[str, str]
    """The term and the attribute as they are to stand in the sentence, with the article that they need."""
    prompt: str
    seed: int
    opening: str = ""
    """How the sentence is begun for the generator."""


class UnitWriter:
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
        self.openings = openings(spec) if settings.is_begun else ()
        self.fruitless: set[tuple[str, str]] = set()
        self.kept: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.idle: Counter[str] = Counter()
        """Requests for a group that brought nothing, since the last that did."""
        self.seen: set[str] = set()
        self.sentences: list[Written] = []
        self.requests = self.tokens = self.attempts = 0

    def next_requests(self) -> list[Request]:
        """What to ask for next; nothing when every comparison has enough sentences, or the requests are spent."""
        limit = self.settings.most_requests * len(self.comparisons)
        groups = self._wanted()[: limit - self.requests] if self.requests < limit else []
        asked = [(name, self._next_term(name)) for name in groups]
        seed = seed_of(*self.place, self.requests, *(term for _, term in asked))
        return [self._request(name, term, seed) for name, term in asked]

    def _request(self, group: str, term: str, seed: int) -> Request:
        words = self._worded(group, term, random.Random(seed_of(seed, "words", term)))
        if self.settings.chat:
            return Request(group, term, words, self._instruction(group, term), seed)
        keywords = [words[0], self.unit.attribute]
        source = random.Random(seed_of(seed, *keywords))
        shots = self.shots(keywords, source)
        begun = self.openings if self.asked[group] % 2 else ()
        opening = source.choice(begun) if begun else ""
        return Request(group, term, words, prompts.few_shot(shots, keywords, opening), seed, opening)

    def _worded(self, group: str, term: str, source: random.Random) -> tuple[str, str]:
        """A noun that has no article of its own is given one, and so is a role: without, small models leave it out."""
        attribute = self.unit.attribute
        if term_kind(term, self.spec.group(group), self.spec) == "noun":
            term = f"{source.choice(['the', article_for(term) or 'the'])} {term}"
        if attribute_kind(attribute, self.attributes, self.spec) == "role" and (article := article_for(attribute)):
            attribute = f"{article} {attribute}"
        return term, attribute

    def check(
        self, request: Request, completions: Sequence[Completion], declines: Callable[[str], bool] | None = None
    ) -> list[Written]:
        """The sentences that came of a request, those that fail the checks with the reason.

        An answer by chat lists as many as it likes, and each of them counts; one that declines counts once.
        """
        self.asked[request.group] += 1
        self.tokens += sum(completion.tokens for completion in completions)
        texts = [text for one in completions for text in self._texts(request, one, declines)]
        # Without a list every completion is a text, and says how many were begun for it.
        self.attempts += (
            sum(kind(reason or "") != UNANSWERED for _, reason in texts)
            if self.settings.lists
            else sum(completion.attempts for completion in completions)
        )
        found = [self._checked(request, *text, place) for place, text in enumerate(texts)]
        if texts and all(kind(reason or "") in (DECLINED, EMPTY) for _, reason in texts):
            self.fruitless.add((request.group, request.term))
        self.requests += 1
        return found

    def keep(self, found: Sequence[Written]) -> None:
        """Take what was checked and judged."""
        self.sentences += found
        if found:
            gained = any(sentence.dropped is None for sentence in found)
            self.idle[found[0].group] = 0 if gained else self.idle[found[0].group] + 1
        self.kept.update(sentence.group for sentence in found if sentence.dropped is None)

    def candidates(self) -> list[tuple[Pair, Written]]:
        """Every kept sentence that makes a pair, with that pair, for someone to rank."""
        kept = [sentence for sentence in self.sentences if sentence.dropped is None]
        return [(pair, sentence) for sentence in kept for pair in pairs_of(sentence, self.spec)[0][:1]]

    def choose(self, ranked: Sequence[tuple[float, Written]]) -> None:
        """Of the sentences that were ranked, keep the better half for each group, or as many as it needs.

        One that is much like another that is kept already stands back.
        """
        counts = Counter(sentence.group for _, sentence in ranked)
        room = {name: max((self.settings.per_attribute + 1) // 2, (counts[name] + 1) // 2) for name in self.terms}
        left = {sentence.id: (value, sentence.group, self._words(sentence)) for value, sentence in ranked}
        chosen: dict[str, frozenset[str]] = {}
        while open_ones := {name: one for name, one in left.items() if room[one[1]] > 0}:
            best = max(open_ones, key=lambda name: left[name][0] - _ALIKE * _most_alike(left[name][2], chosen.values()))
            _, group, chosen[best] = left.pop(best)
            room[group] -= 1
        if chosen:
            self.sentences = [
                one if one.dropped is not None or one.id in chosen else replace(one, dropped=NOT_CHOSEN)
                for one in self.sentences
            ]

    def result(self) -> UnitResult:
        """What came of the unit."""
        return UnitResult(self.unit, tuple(self.sentences), self.requests, self.tokens, self.attempts)

    def _words(self, sentence: Written) -> frozenset[str]:
        """The words of a sentence without those that were asked for."""
        asked = {*re.findall(r"\w+", f"{sentence.term} {sentence.attribute}".casefold())}
        return frozenset(re.findall(r"\w+", sentence.text.casefold())) - asked

    def _shuffled(self, terms: Sequence[str]) -> Iterator[str]:
        """The terms in random order, each once before any comes again."""
        while True:
            yield from self.random.sample(terms, len(terms))

    def _wanted(self) -> list[str]:
        """The groups to write for next: those of a comparison that lacks sentences, the neediest first."""
        wanted: dict[str, None] = {}
        one_by_one = self.settings.strategy == "rejection" and not self.settings.lists
        for comparison in self.comparisons:
            groups = self.random.sample(comparison.groups, 2)
            groups.sort(key=lambda name: (self.kept[name], self.asked[name]))
            half = self.settings.per_attribute // 2
            lacking = [name for name in groups if self.kept[name] < half or self.asked[name] < self.settings.rounds]
            if not lacking and sum(self.kept[name] for name in groups) < self.settings.per_attribute:
                lacking = groups[:1]
            # The published loop asks for one term at a time; both at once is one batch instead of two.
            wanted |= dict.fromkeys(lacking[:1] if one_by_one else lacking)
        open_ones = [
            name for name in wanted if self.settings.patience is None or self.idle[name] < self.settings.patience
        ]
        found = [name for name in open_ones if any((name, one) not in self.fruitless for one in self._terms_of(name))]
        return found[:1] if one_by_one else found

    def _terms_of(self, group: str) -> Sequence[str]:
        return self.spec.group(group).terms

    def _next_term(self, group: str) -> str:
        """The next term of a group; one to which the generator answered without a sentence is not asked for again."""
        return next(term for term in self.terms[group] if (group, term) not in self.fruitless)

    def _instruction(self, group: str, term: str) -> str:
        require(self.generator, "chat_prompt", "chat = true")
        # A request that was put before asks for others, so that nothing is paid for twice.
        earlier = [one.text for one in self.sentences if (one.group, one.term) == (group, term) and one.text]
        wanted = wanted_shot([term, self.unit.attribute], self.spec)
        lists = self.settings.lists
        asked = prompts.instruction(
            wanted, self.settings.samples if lists else 1, list(dict.fromkeys(earlier))[-_SHOWN:] if lists else ()
        )
        filled: str = getattr(self.generator, "chat_prompt")(asked)  # noqa: B009
        return filled

    def _texts(
        self, request: Request, completion: Completion, declines: Callable[[str], bool] | None
    ) -> list[tuple[str, str | None]]:
        """What a completion holds, each text with the reason why it is no sentence at all, if there is one."""
        if completion.unwritten is not None:
            reason = DECLINED if completion.attempts else UNANSWERED
            return [("", f"{reason}: {completion.unwritten}")]
        if not self.settings.lists:
            return [(f"{request.opening}{completion.text}", None)]
        words = (request.term, self.unit.attribute)
        found = sentences_in(completion.text, words)
        has_both = any(all(contains(one, word) for word in words) for one in found)
        if declines and not has_both and declines(completion.text):
            return [(" ".join(completion.text.split()), DECLINED)]
        return [(one, None) for one in found] or [("", EMPTY)]

    def _checked(self, request: Request, text: str, reason: str | None, place: int) -> Written:
        if reason is None:
            text, reason = sentence_of(text, request.term, self.unit.attribute, self.settings.checks)
            if self.settings.checks == "full" and prompts.is_copied(text.removeprefix(request.opening), request.prompt):
                reason = reason or ECHO
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
            strategy=self.settings.manner,
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


def _most_alike(words: frozenset[str], others: Iterable[frozenset[str]]) -> float:
    """The largest share of words that are in both, of those in either."""
    return max((len(words & other) / max(1, len(words | other)) for other in others), default=0.0)
