"""What a server can do: seen from its answers to a few requests of one token, before anything is measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from tiltmeter.errors import ModelError
from tiltmeter.models.api.answers import Malformed, Piece, pieces
from tiltmeter.models.api.chat_requests import is_about_form
from tiltmeter.models.api.client import LENGTHS, Client, Refused, Request
from tiltmeter.models.api.echo import echo_of
from tiltmeter.models.api.model_names import accepts
from tiltmeter.models.api.transport import UNREACHABLE
from tiltmeter.records import NO_ANSWER, Decoding

COMPLETIONS, CHAT = "completions", "chat/completions"
TEXT = "The nurse said that she"
"""What is asked about: nothing is measured on it."""
Plain = Literal["fields", "generation_config", ""]
"""How a server takes the settings beyond the OpenAI form that leave a model's own probabilities as they are."""
FEW = 5
"""As many tokens as any server lists that lists some."""
_ATTEMPTS = 5
MOST = 18
"""Requests, at most, until it is known what a server can do: every form of a text, then those of a greeting."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a server can do. `start` is the start token that it puts before a text by itself."""

    completes: bool = False
    """Whether it has `/completions`; one that has not is asked by chat alone."""
    echoes: bool = False
    """Whether it gives the log-probabilities of a text that it is handed."""
    top: int = 0
    """How many of the most probable next tokens it lists."""
    plain: Plain = ""
    """How it takes settings that are not of the OpenAI form, such as `top_k`; empty: not at all."""
    seeds: bool = False
    """Whether it takes a seed; whether it heeds it is another matter."""
    start: str = ""
    length: str | None = None
    """What it calls the limit of an answer by chat; None: not seen yet."""

    def words(self) -> str:
        """The same for people.

        >>> Abilities(completes=True, top=20, seeds=True).words()
        'completions; the 20 most probable next tokens; takes a seed; takes no top_k'
        """
        if not self.completes:
            return "chat alone"
        parts = ["completions"]
        parts += ["log-probabilities of whole texts"] if self.echoes else []
        parts += [f"the {self.top} most probable next tokens"] if self.top else ["no log-probabilities"]
        parts += ["takes a seed" if self.seeds else "takes no seed", "takes top_k" if self.plain else "takes no top_k"]
        return "; ".join(parts)


def probe(client: Client, start: str) -> Abilities:
    """Ask, with less and less, until the server takes the request; one without `/completions` is left to chat."""
    # Each form is tried a few times alone, and a refusal among them says nothing about the server's health.
    client = client.with_attempts(min(_ATTEMPTS, client.settings.attempts))
    refused: Refused | None = None
    asked = [(form, _request(client, start, form)) for form in _forms(client.settings.top)]
    is_seen = not client.shared and _has_measured(client, [one for _, one in asked])
    if is_seen:
        # What was measured in a run was measured so: what the server refused is not asked again. Before that, and
        # elsewhere, it may have learnt more, or had a bad moment.
        if not any(client.has(one) for _, one in asked) and any(map(client.has, _hellos(client))):
            return _chat_alone(client, Refused(f"{NO_ANSWER}it only answers by chat"))
        asked.sort(key=lambda one: client.has(one[1]), reverse=True)
    for form, request in asked:
        lasts = _always if is_seen else partial(_has_all, form, start)
        [found] = client.ask([request], _read, lasts)
        if isinstance(found, Refused):
            refused = found
            if (found.status in (404, 405) and not is_about_form(found, form)) or _may_chat(found):
                return _chat_alone(client, found)
            if found.status is None:
                raise _silent(client, found)
            continue
        if found == "chat":
            return _chat_alone(client, Refused(f"{NO_ANSWER}it answers {COMPLETIONS} as a chat"))
        plain: Plain = "fields" if "top_k" in form else "generation_config" if "generation_config" in form else ""
        tried = Abilities(True, plain=plain, seeds="seed" in form)
        return _seen(tried, found, start)
    assert refused is not None
    try:
        return _chat_alone(client, refused)
    except ModelError:
        problem = f"{client.address.model} at {client.address.url} cannot be asked: {refused.reason}"
        raise ModelError(problem) from None


def _request(client: Client, start: str, form: Mapping[str, Any]) -> Request:
    body = {"model": client.address.model, "prompt": start + TEXT, "max_tokens": 1, "temperature": 0.0, **form}
    return Request(COMPLETIONS, body, text=start + TEXT)


def hello_request(model: str, abilities: Abilities) -> Callable[[int], Request]:
    """Questions of one token that any server answers which is there at all."""

    def request(number: int) -> Request:
        text = f"{TEXT} {number}"
        asked = {"prompt": text} if abilities.completes else {"messages": [{"role": "user", "content": text}]}
        length = LENGTHS[0] if abilities.completes else abilities.length or LENGTHS[0]
        return Request(COMPLETIONS if abilities.completes else CHAT, {"model": model, **asked, length: 1})

    return request


def plain_fields(plain: Plain, decoding: Decoding) -> dict[str, Any]:
    """The settings beyond the OpenAI form, without which servers cut and punish by defaults of their own.

    `transformers serve` takes them as one text, and is greedy without it whatever the temperature.

    >>> plain_fields("fields", Decoding(top_k=40))
    {'top_k': 40, 'min_p': 0.0, 'repetition_penalty': 1.0}
    """
    if plain == "fields":
        return {"top_k": decoding.top_k, "min_p": 0.0, "repetition_penalty": 1.0}
    if plain == "generation_config":
        chosen: dict[str, Any] = {"do_sample": decoding.temperature > 0, "max_new_tokens": decoding.max_new_tokens}
        chosen |= {"top_k": decoding.top_k, "top_p": decoding.top_p} if decoding.temperature > 0 else {}
        return {"generation_config": json.dumps(chosen, sort_keys=True)}
    return {}


def _forms(top: int) -> Iterator[dict[str, Any]]:
    """From everything that could be wanted to the least, so that what a server knows is not left out."""
    numbers = [{"logprobs": number} for number in dict.fromkeys([top, min(top, FEW)])]
    greedy = Decoding(temperature=0.0, max_new_tokens=1)
    kinds: tuple[Plain, ...] = ("fields", "generation_config", "")
    for look in ({"echo": True}, {}):
        for number in numbers:
            for plain in kinds:
                yield {"seed": 1, **plain_fields(plain, greedy), **look, **number}
    yield {"seed": 1, **plain_fields("fields", greedy)}
    yield {"seed": 1}
    yield {}


def _read(kept: Mapping[str, Any]) -> tuple[Piece, ...] | Literal["chat"]:
    """The tokens of a reply, unless it is that of a chat, which some servers give whatever they are asked."""
    if "text" not in kept["choice"] and isinstance(kept["choice"].get("message"), dict):
        return "chat"
    if not isinstance(kept["choice"].get("text"), str):
        raise Malformed("the text of the reply is of the wrong type")
    return pieces(kept["choice"]) or ()


def _has_measured(client: Client, asked: Sequence[Request]) -> bool:
    """Whether anything was answered beside what shows what the server can do."""
    return client.journal.spent().answered > sum(map(client.has, [*asked, *_hellos(client)]))


def _always(_: Any) -> bool:
    return True


def _has_all(form: Mapping[str, Any], start: str, found: tuple[Piece, ...] | Literal["chat"]) -> bool:
    """Whether a reply has the numbers that were asked for, so that the server need not be asked whether it has them."""
    if found == "chat":
        return True
    seen = _seen(Abilities(), found, start)
    return (seen.top > 0 or "logprobs" not in form) and (seen.echoes or "echo" not in form)


def _seen(tried: Abilities, found: Sequence[Piece], start: str) -> Abilities:
    echo = echo_of(start + TEXT, found)
    top = len(found[-1].top) if found else 0
    if echo is None or len(echo.given) < 2 or any(piece.logprob is None for piece in echo.given[1:]):
        return replace(tried, top=top)
    return replace(tried, echoes=True, top=top, start="".join(piece.text for piece in echo.added))


def _chat_alone(client: Client, refused: Refused) -> Abilities:
    """A server without `/completions`, unless it is the model that is missing."""
    newer = False
    first: Refused | None = None
    for form in sorted(_hellos(client), key=client.has, reverse=True):
        [found] = client.ask([form], lambda kept: kept)
        if not isinstance(found, Refused):
            newer |= LENGTHS[1] in form.body
            return Abilities(length=LENGTHS[newer])
        first = first or found
        newer |= LENGTHS[1] in found.blamed
        if not is_about_form(found, form.body):
            break
    assert first is not None
    if first.status is None or (first.status >= 500 and first.status != 501):
        raise _silent(client, first if first.status or refused.status else refused)
    raise _unasked(client, first)


def _unasked(client: Client, refused: Refused) -> ModelError:
    """Why a model cannot be asked: that it is not there is said only where the server does not list it."""
    asked, listed = client.address.model, served(client)
    names = "model" in refused.blamed.lower() or refused.status in (404, 405)
    if any(accepts(name, asked) or accepts(asked, name) for name in listed) or not names:
        return ModelError(f"{asked} at {client.address.url} cannot be asked: {refused.reason}")
    known = f"; it has {', '.join(sorted(listed)[:5])}" if listed else ", or there is no API at this address"
    return ModelError(f"{client.address.url} has no model `{asked}`{known}")


def _hellos(client: Client) -> list[Request]:
    """Greetings by chat: some want the limit by its newer name, and a model that thinks first may find one too low."""
    body = {"model": client.address.model, "messages": [{"role": "user", "content": "Hello"}]}
    return [Request(CHAT, body | limit, text="Hello") for limit in (*({name: 1} for name in LENGTHS), {})]


def _may_chat(found: Refused) -> bool:
    """Whether a server that failed at a text may yet answer by chat: it is there, and said nothing of the request."""
    if found.status is not None:
        return found.status > 501
    return UNREACHABLE not in found.reason


def _silent(client: Client, found: Refused) -> ModelError:
    return ModelError(
        f"{client.address.url} does not answer: {found.reason.removeprefix(NO_ANSWER)}; check that it runs and "
        "that the address is right"
    )


def served(client: Client) -> Mapping[str, Mapping[str, Any]]:
    """What the server says of its models, by name; nothing where it does not say."""
    found = client.get("models")
    listed = [] if isinstance(found, Refused) else found.get("data")
    if not isinstance(listed, list):
        return {}
    return {one["id"]: one for one in listed if isinstance(one, dict) and isinstance(one.get("id"), str)}
