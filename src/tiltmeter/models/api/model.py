"""A model behind an API of the OpenAI form: `api:MODEL@URL`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tiltmeter.errors import ModelError
from tiltmeter.models.api import forced_choice
from tiltmeter.models.api.answers import NO_LOGPROBS, echoed, listed, written
from tiltmeter.models.api.budget import Spent
from tiltmeter.models.api.chat_requests import (
    FORMS,
    STEPS,
    ChatForm,
    framed,
    has_answer_begun,
    instruction_of,
    is_about_form,
    messages_of,
)
from tiltmeter.models.api.client import LENGTHS, Client, Read, Refused, Request
from tiltmeter.models.api.completions import Reply, completion_of, decoding_body, seed_of
from tiltmeter.models.api.echo import MISSPELT, Echo, echo_of
from tiltmeter.models.api.likeliest import first_pieces
from tiltmeter.models.api.next_words import NextWordAsker
from tiltmeter.models.api.probing import CHAT, COMPLETIONS, FEW, Abilities, plain_fields
from tiltmeter.models.decoding import sampling
from tiltmeter.models.decoding.sampled import seeds_of
from tiltmeter.models.interface import checked_conditioning
from tiltmeter.models.next_words import questions
from tiltmeter.records import Completion, Decoding, ModelFacts, NextWords, Span, TokenScores

BEGUN = "a model behind an API cannot continue from the first words of an answer"
NOT_NUMBERED = "the server gives no log-probability for part of this text"
NOT_FINITE = "the server's numbers for this text are not finite"
SPECIAL = "the text contains the start token, which the server would read as one"

Answer = TypeVar("Answer")


class ApiModel:
    """A model that a server computes. What it can do was seen beforehand; what it cannot is unscored with the reason.

    `left` and `left-no-start` are there where the server gives the log-probabilities of a text that it is handed.
    `forced-choice` asks a chat model which of two sentences is likelier; see `scorer.causal.forced-choice.v1`.
    """

    def __init__(self, client: Client, abilities: Abilities, facts: ModelFacts) -> None:
        self._client, self._abilities, self.facts = client, abilities, facts
        self._start = client.settings.start
        self._form: ChatForm | None = None
        self.conditionings = _conditionings(abilities, self._start)
        self._asker = NextWordAsker(
            has_start=bool(self._start or abilities.start),
            takes_nothing=bool(self._start),
            echo=self._echo_with_top if abilities.echoes else None,
            after=self._top if abilities.top and not abilities.echoes else None,
        )

    @property
    def spent(self) -> Spent:
        """What was sent so far, and what the replies say that it took, as the journal has it."""
        return self._client.journal.spent()

    @property
    def has_changed(self) -> bool:
        """Whether replies named more than one model, so that the facts are not those of all answers."""
        return len(self._client.named) > 1

    @property
    def kept(self) -> int:
        """How many answers were there already, so that nothing was sent for them."""
        return self._client.budget.kept

    def score(
        self,
        texts: Sequence[str],
        *,
        conditioning: str | None = None,
        spans: Sequence[tuple[Span, ...]] | None = None,
    ) -> list[TokenScores]:
        """The log-probability of each token given those before it; or, by `forced-choice`, votes."""
        self._explain(conditioning)
        chosen = checked_conditioning(self, conditioning)
        if chosen == forced_choice.CONDITIONING:
            return self._votes(texts, spans)
        start = self._start if chosen == "left" else ""
        reasons = [self._unscorable(text) for text in texts]
        found = iter(self._echo([text for text, reason in zip(texts, reasons, strict=True) if not reason], start, 1))
        return [
            TokenScores(unscored=reason) if reason else _scores(next(found), len(start), chosen) for reason in reasons
        ]

    def next_words(
        self,
        prompts: Sequence[str],
        words: Sequence[str] | Sequence[Sequence[str]],
        *,
        bounded: bool = False,
        capitalised: bool | None = None,
        hidden: Sequence[Sequence[Span]] | None = None,
    ) -> list[NextWords]:
        """The probability of each word after each prompt, as far as the server says; see `Predictor`."""
        if not (self._abilities.echoes or self._abilities.top):
            raise self._unnumbered("cannot give the probability of next words")
        return self._asker.answer(questions(prompts, words, hidden), bounded=bounded, capitalised=capitalised)

    def likeliest(self, prompts: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable words after each prompt, as far as the server lists tokens; see `Proposer`."""
        if not self._abilities.top:
            raise self._unnumbered("cannot list its most probable next words")
        return [self._asker.likeliest(prompt, count) for prompt in prompts]

    def likeliest_answers(self, instructions: Sequence[str], count: int = 10) -> list[NextWords]:
        """The most probable first pieces of the answer to each instruction, by chat; see `Answerer`."""
        most = self._client.settings.top
        return first_pieces(self._tops_by_chat, instructions, dict.fromkeys([most, min(most, FEW)]), count)

    def complete(
        self, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
    ) -> list[list[Completion]]:
        """Texts written after each prompt; those of `chat_prompt` are asked by chat."""
        sampling.check(decoding, samples)
        seeds = seeds_of(seed, len(prompts))
        body = decoding_body(decoding, self._abilities.plain, self.facts.name)
        places = [
            (at, sample)
            for at, prompt in enumerate(prompts)
            if not has_answer_begun(prompt)
            for sample in range(samples)
        ]
        asked = [self._request(prompts[at], body, seeds[at], sample) for at, sample in places]
        made = {}
        for kind, ask, read in (
            (COMPLETIONS, self._client.ask, _text_reply),
            (CHAT, self._ask_by_chat, _chat_reply),
        ):
            of_kind = [at for at, request in enumerate(asked) if request.path == kind]
            for at, reply in zip(of_kind, ask([asked[at] for at in of_kind], read), strict=True):
                # An answer by chat begins a sentence of its own.
                before = prompts[places[at][0]] if kind == COMPLETIONS else ""
                made[places[at]] = completion_of(reply, before, decoding)
        begun = Completion("", 0, "unwritten", attempts=0, unwritten=BEGUN)
        return [[made.get((at, sample), begun) for sample in range(samples)] for at in range(len(prompts))]

    def complete_with(
        self,
        prompts: Sequence[str],
        must_have: Sequence[Sequence[str]],
        decoding: Decoding,
        *,
        samples: int = 1,
        seed: int | Sequence[int] = 0,
    ) -> list[list[Completion]]:
        """Refused: words cannot be forced into what a server writes."""
        raise ModelError(
            f"{self.facts.name} is behind an API, which cannot be made to use certain words; let it write freely and "
            "keep the sentences that have them"
        )

    def chat_prompt(self, instruction: str, *, system: str = "") -> str:
        """A prompt that `complete` sends as a request to chat; the server has the template."""
        return framed(instruction, system)

    def _unnumbered(self, problem: str) -> ModelError:
        """Say what would help where a server gives no numbers at all."""
        how = (
            "gives no log-probabilities; vLLM and llama.cpp do, and so does a checkpoint, as hf:NAME"
            if self._abilities.completes
            else "has no /completions and only answers by chat: write `chat:` before the name"
        )
        return ModelError(f"{self.facts.name} {problem}: the server {how}")

    def _explain(self, conditioning: str | None) -> None:
        """Say what would help where a conditioning is missing that another setting or server has."""
        if conditioning is None or conditioning in self.conditionings or not conditioning.startswith("left"):
            return
        if not self._abilities.echoes:
            raise ModelError(
                f"{self.facts.name}: the server gives no log-probabilities of a given text, so texts cannot be "
                f"scored; for pairs use the scorer `{forced_choice.CONDITIONING}`"
            )
        if conditioning == "left":
            raise ModelError(
                f"{self.facts.name}: the server puts no start token before a text, so its first word has no score; "
                f"name the model's own, e.g. {self.facts.name}?start=<|endoftext|>, or score by `left-no-start`"
            )
        raise ModelError(f"{self.facts.name}: the server puts {self._abilities.start!r} before every text by itself")

    def _unscorable(self, text: str) -> str | None:
        if not text.strip():
            return "the text is empty"
        return SPECIAL if self._start and self._start in text else None

    def _request(self, prompt: str, settings: Mapping[str, Any], seed: int, sample: int) -> Request:
        body: dict[str, Any] = {"model": self._client.address.model}
        instruction = instruction_of(prompt)
        boundaries = self._abilities.top > 0
        if instruction is not None:
            body["messages"] = messages_of(prompt)
            body |= {"logprobs": True, "top_logprobs": 1} if boundaries else {}
        elif not self._abilities.completes:
            raise ModelError(
                f"{self.facts.name}: the server has no /completions and only answers by chat: write `chat:` "
                "before the name"
            )
        else:
            body["prompt"] = self._start + prompt
            # One listed token each, to see where the text can be cut.
            body |= {"logprobs": 1} if boundaries else {}
        body |= settings
        drawn = settings["temperature"] > 0
        # By chat a seed is tried: whoever does not take it is asked without.
        if drawn and (self._abilities.seeds or instruction is not None):
            body["seed"] = seed_of(seed, prompt, sample)
        # Without chance all samples are one, and are asked for once.
        which = f"{seed}/{sample}" if drawn else ""
        return Request(CHAT if instruction is not None else COMPLETIONS, body, which, instruction or prompt)

    def _votes(self, texts: Sequence[str], spans: Sequence[tuple[Span, ...]] | None) -> list[TokenScores]:
        places = forced_choice.check_spans(spans, len(texts))
        answers = self.complete([framed(text) for text in texts], forced_choice.DECODING)
        return [
            forced_choice.voted(text, place, answer)
            for text, place, [answer] in zip(texts, places, answers, strict=True)
        ]

    def _echo_with_top(self, texts: Sequence[str]) -> list[Echo | Refused]:
        found = self._echo(texts, self._start, self._abilities.top)
        return [one if isinstance(one, Refused) else _without_start(one, len(self._start)) for one in found]

    def _echo(self, texts: Sequence[str], start: str, top: int) -> list[Echo | Refused]:
        bodies = [self._look(start + text) | {"echo": True, "logprobs": top} for text in texts]
        asked = [Request(COMPLETIONS, body, text=body["prompt"]) for body in bodies]
        made: list[Echo | Refused] = []
        for body, found in zip(bodies, self._client.ask(asked, echoed), strict=True):
            made.append(found if isinstance(found, Refused) else echo_of(body["prompt"], found) or Refused(MISSPELT))
        return made

    def _top(self, prompts: Sequence[str]) -> list[Mapping[str, float] | Refused]:
        bodies = [self._look(self._start + prompt) | {"logprobs": self._abilities.top} for prompt in prompts]
        asked = [Request(COMPLETIONS, body, text=body["prompt"]) for body in bodies]
        return self._client.ask(asked, lambda kept: listed(kept, -1))

    def _tops_by_chat(self, instructions: Sequence[str], number: int) -> list[Mapping[str, float] | Refused]:
        """The most probable first tokens of the answer to each instruction."""
        body: dict[str, Any] = {"model": self._client.address.model, "max_tokens": 1, "temperature": 0.0}
        body |= {"logprobs": True, "top_logprobs": number}
        body |= plain_fields(self._abilities.plain, Decoding(temperature=0.0, max_new_tokens=1))
        asked = [
            Request(CHAT, body | {"messages": [{"role": "user", "content": one}]}, text=one) for one in instructions
        ]
        found = self._ask_by_chat(asked, lambda kept: listed(kept, 0))
        return [{} if isinstance(one, Refused) and NO_LOGPROBS in one.reason else one for one in found]

    def _ask_by_chat(self, asked: Sequence[Request], read: Read[Answer]) -> list[Answer | Refused]:
        """The answer to each request, in the form that the server takes: seen from the first, and remembered."""
        found: list[Answer | Refused] = []
        while self._form is None and len(found) < len(asked):
            found.append(self._first_by_chat(asked[len(found)], read))
        rest = [self._form.of(one) if self._form else one for one in asked[len(found) :]]
        return found + self._client.ask(rest, read)

    def _first_by_chat(self, request: Request, read: Read[Answer]) -> Answer | Refused:
        """The answer to a request, tried in one form after another while the server says what it does not take."""
        # What was answered once is not asked again: not even to see what it was refused for before.
        known = next((form for form in FORMS if self._client.has(form.of(request))), None)
        form: ChatForm | None = known or ChatForm(self._abilities.length or LENGTHS[0])
        refused: Refused | None = None
        tried: set[ChatForm] = set()
        while form is not None and len(tried) < STEPS:
            body = form.of(request).body
            [found] = self._client.ask([form.of(request)], read)
            if not isinstance(found, Refused):
                self._form = form
                return found
            tried.add(form)
            refused = refused or found
            others = form.others(found, body) if is_about_form(found, body) else ()
            form = next((one for one in others if one not in tried), None)
        assert refused is not None
        return refused

    def _look(self, prompt: str) -> dict[str, Any]:
        """A request for numbers: one token is written, since not every server can write none."""
        body: dict[str, Any] = {"model": self._client.address.model, "prompt": prompt}
        body |= {"max_tokens": 1, "temperature": 0.0}
        body |= plain_fields(self._abilities.plain, Decoding(temperature=0.0, max_new_tokens=1))
        return body


def _conditionings(abilities: Abilities, start: str) -> tuple[str, ...]:
    found: list[str] = []
    if abilities.echoes and (start or abilities.start):
        found.append("left")
    if abilities.echoes and not abilities.start:
        found.append("left-no-start")
    return (*found, forced_choice.CONDITIONING)


def _text_reply(kept: Mapping[str, Any]) -> Reply:
    return Reply(written(kept["choice"], chat=False), kept["usage"][1] if kept["usage"] else None)


def _chat_reply(kept: Mapping[str, Any]) -> Reply:
    return Reply(written(kept["choice"], chat=True), kept["usage"][1] if kept["usage"] else None)


def _without_start(echo: Echo, start: int) -> Echo:
    """The tokens of the text alone, without those of the start token that stands before it."""
    kept = [at for at, (begin, _) in enumerate(echo.spans) if begin >= start]
    spans = tuple((echo.spans[at][0] - start, echo.spans[at][1] - start) for at in kept)
    return Echo(echo.added, tuple(echo.given[at] for at in kept), spans, echo.after)


def _scores(found: Echo | Refused, start: int, conditioning: str) -> TokenScores:
    if isinstance(found, Refused):
        return TokenScores(unscored=found.reason)
    if any(begin < start < end for begin, end in found.spans):
        return TokenScores(unscored="the server does not read the start token as one token")
    echo = _without_start(found, start)
    logprobs = [piece.logprob for piece in echo.given]
    missing = logprobs if conditioning == "left" else logprobs[1:]
    if any(value is None for value in missing):
        return TokenScores(unscored=NOT_NUMBERED)
    if any(value is not None and math.isinf(value) for value in logprobs):
        return TokenScores(unscored=NOT_FINITE)
    if conditioning == "left-no-start":
        logprobs[0] = None
    return TokenScores(echo.spans, tuple(logprobs))
