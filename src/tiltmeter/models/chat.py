"""A chat model asked in its own form: `chat:NAME` puts each prompt into the model's chat template.

Without it a chat model is handed a prompt as bare text and goes on writing, which no user of it sees. In its template
it is asked to continue the text, and may decline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tiltmeter.errors import ModelError
from tiltmeter.models.asking import chat_prompt, request_for, set_off
from tiltmeter.models.interface import Model, ModelSettings, Writer, as_answerer, as_writer, has_changed
from tiltmeter.models.likeliest import without_words
from tiltmeter.models.next_words import before_blank, blank_problem
from tiltmeter.records import Completion, Decoding, ModelFacts, NextWords, Span, TokenScores

_PLACE, _SYSTEM = "tiltmeterinstruction", "tiltmetersystem"
"""Any words that no template contains."""
NOTHING = "the prompt is empty, so there is nothing to ask a chat model to continue"


def load(argument: str, settings: ModelSettings) -> Model:
    """The model of the name after `chat:`; refuses one without a chat template."""
    from tiltmeter.models import lasting_name
    from tiltmeter.models import load as load_model

    inner = as_writer(load_model(argument, settings))
    inner.chat_prompt("")
    return ChatModel(inner, lasting_name(f"chat:{argument}"))


class ChatModel:
    """A model that completes prompts by answering a request to continue them; it scores texts as it always does."""

    def __init__(self, inner: Writer, name: str) -> None:
        self._inner = inner
        self._starts = tuple(filter(None, _starts(inner)))
        self.facts: ModelFacts = replace(inner.facts, name=name)
        self.conditionings = inner.conditionings

    @property
    def has_changed(self) -> bool:
        """Whether the model behind it is no longer what the facts say."""
        return has_changed(self._inner)

    def score(
        self, texts: Sequence[str], *, conditioning: str | None = None, spans: Sequence[tuple[Span, ...]] | None = None
    ) -> list[TokenScores]:
        """The scores of the model itself: a text has no chat around it."""
        return self._inner.score(texts, conditioning=conditioning, spans=spans)

    def likeliest(self, prompts: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable first words of the answer to the request to continue each prompt; see `Proposer`."""
        begun = [before_blank(prompt) or "" for prompt in prompts]
        reasons = [
            blank_problem(prompt) or (None if text.strip() else NOTHING)
            for prompt, text in zip(prompts, begun, strict=True)
        ]
        asked = [request_for(text) for text, reason in zip(begun, reasons, strict=True) if reason is None]
        found = iter(as_answerer(self._inner).likeliest_answers(asked, count))
        return [next(found) if reason is None else without_words(reason) for reason in reasons]

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """The answers to the request to continue each prompt, set off from it by a space.

        A prompt of `chat_prompt` is a request already, and is asked as it is.
        """
        whole = [prompt.startswith(self._starts) for prompt in prompts]
        asked = [
            prompt if is_whole else self._inner.chat_prompt(request_for(prompt))
            for prompt, is_whole in zip(prompts, whole, strict=True)
        ]
        written = self._inner.complete(asked, decoding, samples=samples, seed=seed)
        return [
            answers if is_whole else [set_off(answer) for answer in answers]
            for answers, is_whole in zip(written, whole, strict=True)
        ]

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        """Sentences that have certain words, as the model itself writes them."""
        return self._inner.complete_with(prompts, must_have, decoding, samples=samples, seed=seed)

    def chat_prompt(self, instruction: str, *, system: str = "") -> str:
        """The instruction in the frame of the model."""
        return chat_prompt(self._inner, instruction, system)


def _starts(inner: Writer) -> Iterator[str]:
    """How the prompts of `chat_prompt` begin, with the template's own system prompt and with another."""
    yield inner.chat_prompt(_PLACE).partition(_PLACE)[0]
    try:
        yield inner.chat_prompt(_PLACE, system=_SYSTEM).partition(_SYSTEM)[0]
    except (ModelError, TypeError):
        return
