"""Models that read from left to right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tiltmeter.errors import ModelError
from tiltmeter.models.decoding import completing
from tiltmeter.models.decoding import required_terms as must_have_words
from tiltmeter.models.decoding.checkpoint_sampler import CheckpointSampler
from tiltmeter.models.decoding.interface import TokenIds, Unwritable
from tiltmeter.models.encoding import Encoded, Encoder
from tiltmeter.models.interface import checked_conditioning
from tiltmeter.models.likeliest import likeliest_after, without_words
from tiltmeter.models.network import Network, PlaceQuery, in_turns
from tiltmeter.models.next_words import CausalPredictor, Question, before_blank, begins_word, questions
from tiltmeter.models.saliency import STEPS, Method, Target, explained
from tiltmeter.processes import uncollected
from tiltmeter.records import GENERATED, Completion, Decoding, ModelFacts, NextWords, Saliency, Span, TokenScores

_ANY = "a"


class CausalModel:
    """A causal checkpoint. `left`: each token given a start token and all before it; `left-no-start`: given all
    before it, so that the first has no score (the form that most papers used).
    """

    conditionings = ("left", "left-no-start")

    def __init__(
        self, facts: ModelFacts, network: Network, encoder: Encoder, start: tuple[int, ...], sampler: CheckpointSampler
    ) -> None:
        self.facts = facts
        self._network, self._encoder, self._start, self._sampler = network, encoder, start, sampler
        self._next = CausalPredictor(facts, network, encoder, start, lambda: sampler.joins)

    def score(
        self,
        texts: Sequence[str],
        *,
        conditioning: str | None = None,
        spans: Sequence[tuple[Span, ...]] | None = None,
    ) -> list[TokenScores]:
        """The log-probability of each token given those before it."""
        start = self._start if checked_conditioning(self, conditioning) == "left" else ()
        distinct = list(dict.fromkeys(texts))
        # The longest first, so that texts of one length are asked about together.
        distinct.sort(key=len, reverse=True)
        with uncollected():
            scores = in_turns(distinct, lambda some: self._ask(some, start))
        return [scores[text] for text in texts]

    def _ask(self, texts: Sequence[str], start: TokenIds) -> Callable[[], dict[str, TokenScores]]:
        """Ask about texts that differ; what is returned reads the answers."""
        encoded = self._encoder.encode(texts)
        reasons = [
            unscorable(text, tokens, len(start), self.facts.context)
            for text, tokens in zip(texts, encoded, strict=True)
        ]
        readable = [tokens for tokens, reason in zip(encoded, reasons, strict=True) if reason is None]
        asked = self._network.token_logprobs([start + tokens.ids for tokens in readable], max(1, len(start)))
        unseen: list[float | None] = [] if start else [None]
        # The places of the tokens are worked out while the device is at it.
        places = [tokens.spans for tokens in readable]

        def read() -> dict[str, TokenScores]:
            found = (
                token_scores(spans, [*unseen, *values], self.facts.dtype)
                for spans, values in zip(places, asked.by_row(), strict=True)
            )
            return {
                text: next(found) if reason is None else TokenScores(unscored=reason)
                for text, reason in zip(texts, reasons, strict=True)
            }

        return read

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probability of whole words after each prompt; see `Predictor`."""
        return self._next.answer(questions(prompts, words, hidden), bounded=bounded, capitalised=capitalised)

    def likeliest(self, prompts: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable words after each prompt; see `Proposer`."""
        return [self._likeliest(prompt, count) for prompt in prompts]

    def _likeliest(self, prompt: str, count: int) -> NextWords:
        [plan] = self._next.plans([Question(prompt, ())], None)
        if plan.reason is not None:
            return without_words(plan.reason)

        return self._likeliest_after(plan.row, before_blank(prompt) or "", count)

    def likeliest_answers(self, instructions: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable first words of the answer to each instruction; see `Answerer`."""
        found = []
        for instruction in instructions:
            try:
                row = self._sampler.read(self.chat_prompt(instruction))
            except Unwritable as error:
                found.append(without_words(error.reason))
            else:
                # An answer is a text of its own: its first word may have a space before it, or none.
                found.append(self._likeliest_after(row, "", count))
        return found

    def _likeliest_after(self, row: TokenIds, before: str, count: int) -> NextWords:
        """`before`: what of the row is text that the word belongs to."""
        [tokens] = self._encoder.ids([before])

        def begins(token: int) -> bool:
            text = self._sampler.text(row, [token])
            # The space alone may be a word's first piece.
            return begins_word(f"{text}a" if text == " " else text, before)

        def is_usual(pieces: TokenIds) -> bool:
            text = self._sampler.text(row, pieces)
            [ids] = self._encoder.ids([before + text])
            return bool(text.strip()) and ids == (*tokens, *pieces)

        return likeliest_after(self._sampler, row, begins, is_usual, count)

    def saliency(
        self,
        prompts: Sequence[str],
        words: Sequence[str],
        *,
        method: Method = "gradient-x-input",
        steps: int = STEPS,
    ) -> list[Saliency]:
        """What each token of a prompt has to do with the logit of a word after it; see `Explainer`."""
        # Any word will do where none is asked for: the place is the same.
        asked = questions(prompts, [[word or _ANY] for word in words])
        targets: list[Target | str] = []
        names = list(words)
        for at, (question, plan) in enumerate(zip(asked, self._next.plans(asked, None), strict=True)):
            pieces = plan.words.get(question.words[0], plan.reason or "")
            tokens = plan.row[len(self._start) :]
            if words[at] == GENERATED and tokens and not plan.reason:
                [top] = self._network.best(PlaceQuery(plan.row, len(plan.row) - 1, ()), 1)
                names[at], pieces = self._encoder.tokenizer.decode([top]).strip(), [(top,)]
            if isinstance(pieces, str):
                targets.append(pieces)
            elif not tokens:
                targets.append("the prompt has no tokens")
            else:
                own = range(len(self._start), len(plan.row))
                targets.append(Target(plan.row, len(plan.row) - 1, pieces[0][0], tuple(own), plan.spans))
        return explained(self._network, names, targets, None, method, steps)

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """Texts written after each prompt; see `Writer`."""
        return completing.complete(self._sampler, prompts, decoding, samples=samples, seed=seed)

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        """Sentences that have certain words; see `Writer`."""
        return must_have_words.complete_with(self._sampler, prompts, must_have, decoding, samples=samples, seed=seed)

    def chat_prompt(self, instruction: str, *, system: str = "") -> str:
        """The instruction in the frame of the tokenizer's chat template."""
        frame = self._sampler.chat
        if frame is None:
            raise ModelError(f"{self.facts.name} has no chat template that takes an instruction unchanged")
        if not system:
            return f"{frame.before}{instruction}{frame.after}"
        if frame.system is None:
            raise ModelError(f"the chat template of {self.facts.name} takes no system prompt")
        return f"{frame.system[0]}{system}{frame.system[1]}{instruction}{frame.after}"


def unscorable(text: str, tokens: Encoded, specials: int, context: int | None) -> str | None:
    """Why a text cannot be scored, or None where it can."""
    if not text.strip():
        return "the text is empty"
    if not tokens.ids:
        return "the tokenizer finds no token in the text"
    length = len(tokens.ids) + specials
    if context is not None and length > context:
        return f"the text has {length} tokens and the model reads at most {context}"
    return None


def token_scores(spans: Sequence[Span], logprobs: Sequence[float | None], dtype: str) -> TokenScores:
    """The record of a scored text; one without finite numbers is unscored, and says so."""
    if not all(map(math.isfinite, filter(None, logprobs))):
        return TokenScores(unscored=f"the model's numbers for this text are not finite (computed in {dtype})")
    return TokenScores(tuple(spans), tuple(logprobs))
