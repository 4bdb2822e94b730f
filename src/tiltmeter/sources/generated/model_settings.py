"""How a generator is asked, chosen to fit it: by a text to continue or by chat, with which strategy and settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tiltmeter.errors import ModelError, UserError
from tiltmeter.sources.generated.interface import Generator, require
from tiltmeter.sources.generated.settings import GenerationSettings

SERVED = ("server", "vllm")
"""The device of a model that is asked through an API."""
TRIAL = "Please answer with the single word yes."
"""What a server is asked to see whether it takes a request of this form; nothing is made of the answer."""

ROOM = 2000
"""Tokens that an answer by chat may take where it is not computed here: some models think before they write."""


def settings_for(settings: GenerationSettings, generator: Generator) -> GenerationSettings:
    """The settings with everything chosen that was left open.

    A model that can be made to use certain words is given examples and made to; one that is asked by chat gets an
    instruction; any other is given examples and writes freely. A server is tried with one short request, so that what
    it cannot take is known before any other is sent.
    """
    by_name = generator.facts.name.startswith("chat:")
    if by_name and settings.chat is False:
        raise UserError(f"is false, but {generator.facts.name} is asked by chat; leave one of them out", key="chat")
    if generator.facts.device in SERVED:
        return _served(settings, generator, (True,) if by_name else (True, False))
    chat = by_name if settings.chat is None else settings.chat
    strategy = settings.strategy
    if strategy == "auto":
        strategy = "rejection" if chat or not hasattr(generator, "complete_with") else "constrained"
    require(generator, "complete_with" if strategy == "constrained" else "complete", f'the strategy "{strategy}"')
    return _settled(replace(settings, strategy=strategy, chat=chat))


def _served(settings: GenerationSettings, generator: Generator, chats: tuple[bool, ...]) -> GenerationSettings:
    name = generator.facts.name
    if settings.strategy == "constrained":
        raise ModelError(
            f"{name} is behind an API, which cannot be made to use certain words, as the strategy `constrained` "
            "needs; leave the strategy out, or use rejection"
        )
    require(generator, "complete", 'the strategy "rejection"')
    reasons: dict[bool, str] = {}
    for chat in chats if settings.chat is None else (settings.chat,):
        for tried in _candidates(replace(settings, strategy="rejection", chat=chat), generator):
            problem = _problem(tried, generator)
            if problem is None:
                return tried
            reasons[chat] = problem
    # By chat first: that the server has no texts either says less.
    reason = next(iter(reasons.values()))
    raise ModelError(f"{name} cannot be asked for sentences: {reason.removeprefix(f'{name}: ')}")


def _candidates(settings: GenerationSettings, generator: Generator) -> Iterator[GenerationSettings]:
    """The settings as they would be best, then without what some servers do not take; what was chosen stays."""
    if settings.lists and settings.max_new_tokens is None:
        context = generator.facts.context
        settings = replace(settings, max_new_tokens=min(ROOM, context // 2) if context else ROOM)
    seen = []
    for less in ({}, {"top_k": 0}, {"top_k": 0, "temperature": 1.0, "top_p": 1.0}):
        left: dict[str, Any] = {key: value for key, value in less.items() if getattr(settings, key) is None}
        tried = _settled(replace(settings, **left))
        if tried not in seen:
            seen.append(tried)
            yield tried


def _problem(settings: GenerationSettings, generator: Generator) -> str | None:
    """Why a server does not take a request of this form; None where it does."""
    try:
        prompt = TRIAL
        if settings.chat:
            require(generator, "chat_prompt", "chat = true")
            prompt = getattr(generator, "chat_prompt")(TRIAL)  # noqa: B009
        [[answer]] = generator.complete([prompt], settings.decoding, seed=settings.seed)
    except ModelError as error:
        return str(error)
    # Whoever declines or is cut off was asked in a form that is understood.
    return answer.unwritten if not answer.attempts else None


def _settled(settings: GenerationSettings) -> GenerationSettings:
    """The settings with their numbers spelled out."""
    decoding = settings.decoding
    return replace(
        settings,
        max_requests=settings.most_requests,
        temperature=decoding.temperature,
        top_k=decoding.top_k,
        top_p=decoding.top_p,
        max_new_tokens=decoding.max_new_tokens,
    )
