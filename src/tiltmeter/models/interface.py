"""What a model is to the rest of tiltmeter: facts about itself, and verbs over plain strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from tiltmeter.errors import ModelError
from tiltmeter.records import Completion, Decoding, ModelFacts, NextWords, Saliency, SaliencyMethod, Span, TokenScores


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a model is run; none of it changes what is measured beyond rounding, except `dtype`.

    `device` and `dtype` "auto": see `docs/models.md` for the rule. `threads` None leaves torch's own number.
    `batch_tokens` bounds the tokens, padding included, that are computed at once; None: as suits the device. `answers`
    is the folder in which models behind an API keep what they were answered; None: one in the cache.
    """

    device: str = "auto"
    dtype: str = "auto"
    threads: int | None = None
    batch_tokens: int | None = None
    answers: Path | None = None


class Model(Protocol):
    """A language model behind small verbs.

    >>> from tiltmeter.models import load
    >>> load("scripted").conditionings
    ('left', 'left-no-start')
    """

    @property
    def facts(self) -> ModelFacts:
        """What must be known of the model to trust a number that came from it."""
        ...

    @property
    def conditionings(self) -> tuple[str, ...]:
        """What a token's score can be conditioned on; the first is the default."""
        ...

    def score(
        self,
        texts: Sequence[str],
        *,
        conditioning: str | None = None,
        spans: Sequence[tuple[Span, ...]] | None = None,
    ) -> list[TokenScores]:
        """The log-probability of each token of each text, in the order given.

        `spans[i]` are the characters of `texts[i]` to look at, for the conditionings that ask about a place.
        """
        ...


@runtime_checkable
class Writer(Model, Protocol):
    """A model that also writes.

    >>> from tiltmeter.models import load
    >>> from tiltmeter.records import Decoding
    >>> [[completion]] = as_writer(load("scripted")).complete(["The nurse said"], Decoding(max_new_tokens=3), seed=1)
    >>> completion.tokens, completion.ended
    (3, 'length')
    """

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """`samples` texts written after each prompt, in the order given.

        `seed` is one for all prompts, or one for each. The text of one (prompt, sample number, seed) does not depend
        on what else is asked for in the call. A prompt that leaves no room to write does not stop the others: its
        completions are empty and say why in `unwritten`.
        """
        ...

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        """One sentence for each sample, in which every term of `must_have[i]` stands as whole words.

        Attempts that were dropped on the way are counted in `Completion.tokens`. A prompt that leaves no room to write
        is refused.
        """
        ...

    def chat_prompt(self, instruction: str, *, system: str = "") -> str:
        """A prompt that gives the instruction to a chat model, for `complete`; blank: the system prompt is its own."""
        ...


@runtime_checkable
class Predictor(Model, Protocol):
    """A model that says how probable a word is as the next one.

    >>> from tiltmeter.models import load
    >>> [found] = as_predictor(load("scripted")).next_words(["The nurse said that"], ["he", "she"])
    >>> [round(word.probability, 4) for word in found.words]
    [0.1109, 0.2234]
    """

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probability of each word after each prompt; `words` are the same for all, or a list for each.

        The product over all pieces of the word with the space before it; `bounded` also times the chance that the
        word ends there. At the start of a text (a blank prompt: the start token alone) the word counts with and
        without a capital and a space; `capitalised` lets the capital count everywhere (True) or nowhere (False). To
        `hidden[i]`, characters of `prompts[i]`, the model does not attend; the words after them keep their places.
        What two words share (*York* and *York City*, *he* and *He* at the start of a text) is said in
        `NextWord.shared`, so that nobody counts it twice.
        """
        ...


@runtime_checkable
class Proposer(Model, Protocol):
    """A model that lists its most probable next words by itself.

    >>> from tiltmeter.models import load
    >>> [found] = as_proposer(load("scripted")).likeliest(["The nurse said that"], 1)
    >>> found.words[0].word
    'she'
    """

    def likeliest(self, prompts: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable whole words after each prompt, the first one first, each with the probability that it ends.

        A prompt that cannot be read has one word without letters, unscored with the reason. Where a model cannot do as
        much (in a blank only words of one piece are found), `NextWords.note` says what the list is.
        """
        ...


@runtime_checkable
class Answerer(Model, Protocol):
    """A chat model that lists the words with which it most probably begins an answer."""

    def likeliest_answers(self, instructions: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable first words of the answer to each instruction; otherwise as `Proposer.likeliest`."""
        ...


@runtime_checkable
class Explainer(Model, Protocol):
    """A model that says what each token of a prompt has to do with a word after it."""

    def saliency(
        self,
        prompts: Sequence[str],
        words: Sequence[str],
        *,
        method: SaliencyMethod = "gradient-x-input",
        steps: int = 64,
    ) -> list[Saliency]:
        """The saliency of each prompt for the logit of the first piece of `words[i]`; where that is blank, for the
        most probable token of all, which is then the word of the answer.
        """
        ...


def as_predictor(model: Model) -> Predictor:
    """The model, where it can say how probable a next word is; otherwise one sentence."""
    if not isinstance(model, Predictor):
        bare = "; without `chat:` it may" if model.facts.name.startswith("chat:") else ""
        raise ModelError(f"{model.facts.name} gives no probabilities for next words{bare}")
    return model


def as_proposer(model: Model) -> Proposer:
    """The model, where it lists its most probable next words; otherwise one sentence."""
    if not isinstance(model, Proposer):
        raise ModelError(f"{model.facts.name} does not list its most probable next words; name the words instead")
    return model


def as_answerer(model: Model) -> Answerer:
    """The model, where it lists the first words of its answers; otherwise one sentence."""
    if not isinstance(model, Answerer):
        raise ModelError(
            f"{model.facts.name} does not list the most probable first words of an answer; a checkpoint or a server "
            "of the OpenAI form does"
        )
    return model


def as_explainer(model: Model) -> Explainer:
    """The model, where its gradients can be had; otherwise one sentence."""
    if not isinstance(model, Explainer):
        raise ModelError(f"{model.facts.name} has no gradients and so no saliency; use a checkpoint")
    return model


def as_writer(model: Model) -> Writer:
    """The model, where it can write; otherwise one sentence."""
    if not isinstance(model, Writer):
        causal = model.facts.family == "causal"
        why = "has no `complete`, so it cannot write" if causal else f"is {model.facts.family} and cannot write"
        raise ModelError(f"{model.facts.name} {why}; use a {'model with it' if causal else 'causal model'}")
    return model


def has_changed(model: Model) -> bool:
    """Whether a model is no longer what its facts say: one behind an API may become another while it is asked."""
    return bool(getattr(model, "has_changed", False))


def on_accelerator(model: Model) -> bool:
    """Whether a model computes on another device than this process, which can do something else meanwhile."""
    return model.facts.device.partition(":")[0] in ("cuda", "mps")


def checked_conditioning(model: Model, conditioning: str | None) -> str:
    """The conditioning asked for, or the model's default; refuses one that the model does not have."""
    if conditioning is None:
        return model.conditionings[0]
    if conditioning not in model.conditionings:
        raise ModelError(
            f"{model.facts.name} is {model.facts.family} and cannot score by `{conditioning}`; "
            f"it can by {', '.join(model.conditionings)}"
        )
    return conditioning
