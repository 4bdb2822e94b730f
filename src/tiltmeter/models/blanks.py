"""The verb `next_words` of masked models: whole words in the blank of a prompt.

The blank is where the prompt says `[MASK]`; otherwise it is added at its end, before a full stop, since a masked model
that sees nothing behind a blank expects the full stop there. A word of one piece is read off one mask; one of several
pieces has as many masks, filled from left to right, the rest of the sentence given. What stands behind the blank is
known, so a word in it is always bounded: *York* and *York City* have nothing in common there, and since their blanks
have different numbers of masks, their probabilities need not be those of one distribution either.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tiltmeter.models.encoding import Encoded, Encoder
from tiltmeter.models.likeliest import whole_words
from tiltmeter.models.network import Network, PlaceAnswer, PlaceQuery, TokenIds
from tiltmeter.models.next_words import BLANK, SEVERAL_BLANKS, UNKNOWN, Question, certainty, spellings
from tiltmeter.models.saliency import Target
from tiltmeter.models.shared_words import next_words_of
from tiltmeter.records import ModelFacts, NextWord, NextWords, Span

JOINED = "the tokenizer merges the word with its neighbours"
_ANY = "a"
"""A word of one piece, to see where the blank is."""
_PROPOSED = 50
"""Tokens that are looked at where the most probable words are asked for."""


@dataclass(frozen=True, slots=True)
class PromptWithBlank:
    """A prompt around its blank, with the hidden characters as they lie before and after it."""

    before: str
    after: str
    hidden_before: tuple[Span, ...]
    hidden_after: tuple[Span, ...]

    @classmethod
    def of(cls, question: Question) -> PromptWithBlank:
        """The parts of a prompt; spaces at its end are none of it."""
        before, mark, after = question.prompt.partition(BLANK)
        if not mark:
            return cls(before.rstrip(" \t"), ".", question.hidden, ())
        end = len(before) + len(mark)
        return cls(
            before.rstrip(" \t"),
            after,
            tuple(span for span in question.hidden if span[0] < len(before)),
            tuple((start - end, stop - end) for start, stop in question.hidden if stop > end),
        )

    def filled(self, way: str) -> tuple[str, Span]:
        """The text with a word, and where the word stands in it."""
        start = len(self.before) + len(way) - len(way.lstrip())
        return self.before + way + self.after, (start, len(self.before) + len(way))

    def hidden(self, way: str) -> tuple[Span, ...]:
        """The hidden characters of the filled text."""
        moved = len(self.before) + len(way)
        return self.hidden_before + tuple((start + moved, end + moved) for start, end in self.hidden_after)


@dataclass(frozen=True, slots=True)
class Slots:
    """One way to write a word: what is to be looked at for each of its pieces."""

    looks: tuple[PlaceQuery, ...]
    single: PlaceQuery
    """One mask for the whole blank, where the model's certainty is read."""


class BlankPredictor:
    """Asks a masked checkpoint. Questions that leave the same blank are computed once."""

    def __init__(
        self,
        facts: ModelFacts,
        network: Network,
        encoder: Encoder,
        *,
        mask: int,
        frame: tuple[TokenIds, TokenIds],
        unknown: int | None,
    ) -> None:
        self._facts, self._network, self._encoder = facts, network, encoder
        self._mask, self._frame, self._unknown = mask, frame, unknown

    def answer(self, asked: Sequence[Question], *, capitalised: bool | None = None) -> list[NextWords]:
        """The answers, in the order of the questions."""
        distinct = list(dict.fromkeys(asked))
        plans = [self.plan(question, capitalised) for question in distinct]
        wanted: dict[tuple[TokenIds, int, tuple[int, ...]], dict[int, None]] = {}
        for plan in plans:
            for found in plan.values():
                for slots in found if not isinstance(found, str) else ():
                    for look in (*slots.looks, slots.single):
                        targets = wanted.setdefault((look.row, look.place, look.hidden), {})
                        targets |= dict.fromkeys(look.targets)
        keys = list(wanted)
        looks = [PlaceQuery(row, place, tuple(wanted[row, place, hidden]), hidden) for row, place, hidden in keys]
        seen = {
            key: (dict(zip(look.targets, each.logprobs, strict=True)), each)
            for key, look, each in zip(keys, looks, self._network.ask_places(looks)(), strict=True)
        }
        answers = {question: self._read(question, plan, seen) for question, plan in zip(distinct, plans, strict=True)}
        return [answers[question] for question in asked]

    def plan(self, question: Question, capitalised: bool | None) -> dict[str, list[Slots] | str]:
        """The ways to write each word of a question, or why it has none."""
        if question.prompt.count(BLANK) > 1:
            return dict.fromkeys(question.words, SEVERAL_BLANKS)
        blanked = PromptWithBlank.of(question)
        written = {word: self._ways(word, blanked, capitalised) for word in question.words}
        texts = [blanked.filled(way) for each in written.values() for way in each]
        encoded = dict(zip([text for text, _ in texts], self._encoder.encode([text for text, _ in texts]), strict=True))
        plan: dict[str, list[Slots] | str] = {}
        for word, each in written.items():
            found: dict[tuple[PlaceQuery, ...], Slots] = {}
            reason = JOINED
            for way in each:
                text, span = blanked.filled(way)
                slots = self._slots(text, encoded[text], span, blanked.hidden(way))
                if isinstance(slots, str):
                    reason = slots
                else:
                    found.setdefault(slots.looks, slots)
            plan[word] = list(found.values()) or reason
        return plan

    def proposed(self, question: Question) -> list[str] | str:
        """Words of one piece that the model may put into the blank, the most probable first; or why there are none."""
        [found] = self.plan(replace(question, words=(_ANY,)), None).values()
        if isinstance(found, str):
            return found
        tokens = self._network.best(found[0].single, _PROPOSED)
        return whole_words(self._encoder.tokenizer.batch_decode([[token] for token in tokens]))

    def target(self, question: Question) -> tuple[Target | str, str]:
        """Where the logit of the first piece of a question's word is found, the tokens of the prompt around it, and the
        word; without a word the most probable token of a blank with one mask.
        """
        if question.words:
            return self._target(question, None), question.words[0]
        question = replace(question, words=(_ANY,))
        [found] = self.plan(question, None).values()
        if isinstance(found, str):
            return found, ""
        [top] = self._network.best(found[0].single, 1)
        return self._target(question, top), self._encoder.tokenizer.decode([top]).strip()

    def _target(self, question: Question, token: int | None) -> Target | str:
        [found] = self.plan(question, None).values()
        if isinstance(found, str):
            return found
        look = found[0].looks[0] if token is None else replace(found[0].single, targets=(token,))
        blanked = PromptWithBlank.of(question)
        [word] = question.words
        way = self._ways(word, blanked, None)[0]
        text, (start, end) = blanked.filled(way)
        [tokens] = self._encoder.encode([text])
        own, spans = [], []
        moved = len(blanked.before) + len(way)
        back = question.prompt.find(BLANK) + len(BLANK)
        for place, span in enumerate(tokens.spans):
            if span[1] <= start and span[1] <= len(blanked.before):
                own.append(len(self._frame[0]) + place)
                spans.append(span)
            elif span[0] >= end and BLANK in question.prompt:
                own.append(len(self._frame[0]) + place)
                spans.append((span[0] - moved + back, span[1] - moved + back))
        if not own:
            return "the prompt has no tokens"
        return Target(look.row, look.place, look.targets[0], tuple(own), tuple(spans))

    def _ways(self, word: str, blanked: PromptWithBlank, capitalised: bool | None) -> list[str]:
        """A space before the first word of a text would be a mask for nothing."""
        every = spellings(word, blanked.before, capitalised)
        return every if blanked.before else [way for way in every if not way.startswith(" ")]

    def _slots(self, text: str, tokens: Encoded, span: Span, hidden: Sequence[Span]) -> Slots | str:
        places = tokens.overlapping([span])
        before, after = self._frame
        covered = [tokens.spans[place] for place in places]
        if not places or any(text[start : span[0]].strip() or end > span[1] for start, end in covered):
            return JOINED
        if any(tokens.ids[place] == self._unknown for place in places):
            return UNKNOWN
        length, context = len(tokens.ids) + len(before) + len(after), self._facts.context
        if context is not None and length > context:
            return f"prompt and word have {length} tokens and the model reads at most {context}"
        unseen = tuple(len(before) + place for place in tokens.overlapping(hidden) if place not in places)
        looks = []
        for index, place in enumerate(places):
            ids = list(tokens.ids)
            for later in places[index:]:
                ids[later] = self._mask
            looks.append(PlaceQuery(before + tuple(ids) + after, len(before) + place, (tokens.ids[place],), unseen))
        cut = len(places) - 1
        ids = [*tokens.ids[: places[0]], self._mask, *tokens.ids[places[-1] + 1 :]]
        last = len(before) + places[-1]
        unmoved = tuple(place - cut if place > last else place for place in unseen)
        single = PlaceQuery(before + tuple(ids) + after, len(before) + places[0], (), unmoved)
        return Slots(tuple(looks), single)

    def _read(
        self,
        question: Question,
        plan: Mapping[str, list[Slots] | str],
        seen: Mapping[tuple[TokenIds, int, tuple[int, ...]], tuple[Mapping[int, float], PlaceAnswer]],
    ) -> NextWords:
        def total(slots: Slots) -> float:
            return math.fsum(seen[look.row, look.place, look.hidden][0][look.targets[0]] for look in slots.looks)

        filled = {word: found for word in question.words if not isinstance(found := plan[word], str)}
        totals = {word: {slots.looks: total(slots) for slots in found} for word, found in filled.items()}
        scored = next_words_of(totals, self._facts.dtype)
        words = tuple(scored.get(word) or NextWord(word, None, str(plan[word])) for word in question.words)
        if not filled:
            return NextWords(words)
        single = next(iter(filled.values()))[0].single
        return NextWords(words, *certainty(seen[single.row, single.place, single.hidden][1].highest))
