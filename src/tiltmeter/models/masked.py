"""Models that fill blanks, and the ways to ask them for a sentence.

- `token`: each token with itself masked (pseudo-log-likelihood, Salazar et al. 2020)
- `within-word`: each token with itself and the later pieces of its word masked (Kauf & Ivanova 2023)
- `none`: each token with nothing masked, in one pass (all unmasked likelihood, Kaneko & Bollegala 2022)
- `slot`: all pieces of the given places masked and filled from left to right; other tokens have no score
- `one-mask-logits`: as published by AutoBiasTest: one mask for the whole place, and the raw logit of each piece
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.errors import ModelError
from tiltmeter.models.blanks import BlankPredictor
from tiltmeter.models.causal import token_scores, unscorable
from tiltmeter.models.encoding import Encoded, Encoder
from tiltmeter.models.interface import checked_conditioning
from tiltmeter.models.likeliest import NO_WORD, best_of, without_words
from tiltmeter.models.network import Network, TokenQuery
from tiltmeter.models.next_words import questions
from tiltmeter.models.saliency import STEPS, Method, explained
from tiltmeter.records import ModelFacts, NextWords, Saliency, Span, TokenScores

_NEED_SPANS = ("slot", "one-mask-logits")
ONE_PIECE = "Words of one piece alone: no more can be read off a blank."
_NO_PLACE = "no token of the text is in the blank"
_UNKNOWN_WORD = "the tokenizer does not know the word in the blank"

_Asks = list[tuple[Span, TokenQuery | None]]


class MaskedModel:
    """A masked checkpoint; see the top of this file for the ways to ask it."""

    conditionings = ("token", "within-word", "none", "slot", "one-mask-logits")

    def __init__(
        self,
        facts: ModelFacts,
        network: Network,
        encoder: Encoder,
        *,
        mask: int,
        frame: tuple[tuple[int, ...], tuple[int, ...]],
        unknown: int | None,
    ) -> None:
        self.facts = facts
        self._network, self._encoder = network, encoder
        self._mask, self._frame, self._unknown = mask, frame, unknown
        self._blank = BlankPredictor(facts, network, encoder, mask=mask, frame=frame, unknown=unknown)

    def score(
        self,
        texts: Sequence[str],
        *,
        conditioning: str | None = None,
        spans: Sequence[tuple[Span, ...]] | None = None,
    ) -> list[TokenScores]:
        """The log-probability of each token, given what the conditioning leaves to be seen."""
        chosen = checked_conditioning(self, conditioning)
        if chosen in _NEED_SPANS and spans is None:
            raise ModelError(f"scoring by `{chosen}` needs the spans of the blanks")
        looked_at = spans if spans is not None and chosen in _NEED_SPANS else [()] * len(texts)
        queries = list(zip(texts, looked_at, strict=True))
        distinct = list(dict.fromkeys(queries))
        encoded = self._encoder.encode([text for text, _ in distinct])
        plans = [self._plan(*query, tokens, chosen) for query, tokens in zip(distinct, encoded, strict=True)]
        asks = [ask for plan in plans if not isinstance(plan, str) for _, ask in plan if ask is not None]
        answers = iter(self._network.answers(asks, raw=chosen == "one-mask-logits"))
        scores: dict[tuple[str, tuple[Span, ...]], TokenScores] = {}
        for query, plan in zip(distinct, plans, strict=True):
            if isinstance(plan, str):
                scores[query] = TokenScores(unscored=plan)
            else:
                values = [None if ask is None else next(answers) for _, ask in plan]
                scores[query] = token_scores([span for span, _ in plan], values, self.facts.dtype)
        return [scores[query] for query in queries]

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probability of whole words in the blank of each prompt, which bounds them; see `Predictor`."""
        return self._blank.answer(questions(prompts, words, hidden), capitalised=capitalised)

    def likeliest(self, prompts: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable words of one piece in the blank of each prompt; see `Proposer`."""
        found: list[NextWords] = []
        for [question] in (questions([prompt], [[]]) for prompt in prompts):
            words = self._blank.proposed(question)
            if isinstance(words, str):
                found.append(without_words(words))
                continue
            [answer] = self.next_words([question.prompt], words)
            best = replace(best_of(answer, count), note=ONE_PIECE)
            found.append(best if best.words else without_words(NO_WORD))
        return found

    def saliency(
        self,
        prompts: Sequence[str],
        words: Sequence[str],
        *,
        method: Method = "gradient-x-input",
        steps: int = STEPS,
    ) -> list[Saliency]:
        """What each token of a prompt has to do with the logit of a word in its blank; see `Explainer`."""
        asked = questions(prompts, [[word] if word else [] for word in words])
        found = [self._blank.target(question) for question in asked]
        names = [word or name for word, (_, name) in zip(words, found, strict=True)]
        return explained(self._network, names, [target for target, _ in found], self._mask, method, steps)

    def _plan(self, text: str, spans: tuple[Span, ...], tokens: Encoded, conditioning: str) -> _Asks | str:
        """What to ask for each token, or why the text cannot be scored."""
        specials = len(self._frame[0]) + len(self._frame[1])
        reason = unscorable(text, tokens, specials, self.facts.context)
        if reason is not None:
            return reason
        everywhere = range(len(tokens.ids))
        if conditioning == "slot":
            return self._slot(tokens, spans)
        if conditioning == "one-mask-logits":
            return self._one_mask(text, tokens, spans)
        hidden: dict[int, list[int]] = {at: [] for at in everywhere}
        if conditioning == "token":
            hidden = {at: [at] for at in everywhere}
        elif conditioning == "within-word":
            words = tokens.words
            hidden = {at: [later for later in everywhere[at:] if words[later] == words[at]] for at in everywhere}
        return [(tokens.spans[at], self._ask(tokens, at, hidden[at])) for at in everywhere]

    def _slot(self, tokens: Encoded, spans: tuple[Span, ...]) -> _Asks | str:
        places = tokens.overlapping(spans)
        if not places:
            return _NO_PLACE
        if any(tokens.ids[at] == self._unknown for at in places):
            return _UNKNOWN_WORD
        filled = {at: self._ask(tokens, at, places[index:]) for index, at in enumerate(places)}
        return [(span, filled.get(at)) for at, span in enumerate(tokens.spans)]

    def _one_mask(self, text: str, tokens: Encoded, spans: tuple[Span, ...]) -> _Asks | str:
        ids = list(tokens.ids)
        pieces: list[tuple[Span, int, int]] = []
        # From the last place to the first, so that the places still to come keep their numbers.
        if not spans:
            return _NO_PLACE
        for start, end in sorted(spans, reverse=True):
            places = tokens.overlapping([(start, end)])
            if not places:
                return _NO_PLACE
            dropped = len(places) - 1
            ids[places[0] : places[-1] + 1] = [self._mask]
            pieces = [(span, place - dropped, target) for span, place, target in pieces]
            # Tokenizers that keep the space with the word must see it, or they give the pieces of another word.
            space = " " if start > 0 and text[start - 1].isspace() else ""
            [term] = self._encoder.encode([space + text[start:end]])
            known = [target for target, span in zip(term.ids, term.spans, strict=True) if span[1] > len(space)]
            if not known or self._unknown in known:
                return _UNKNOWN_WORD
            pieces = [((start, end), places[0], target) for target in known] + pieces
        row = self._frame[0] + tuple(ids) + self._frame[1]
        return [(span, TokenQuery(row, len(self._frame[0]) + place, target)) for span, place, target in pieces]

    def _ask(self, tokens: Encoded, at: int, masked: Sequence[int]) -> TokenQuery:
        ids = list(tokens.ids)
        for place in masked:
            ids[place] = self._mask
        before, after = self._frame
        return TokenQuery(before + tuple(ids) + after, len(before) + at, tokens.ids[at])
