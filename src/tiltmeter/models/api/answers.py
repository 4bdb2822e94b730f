"""Strict reading of replies: what is not exactly as it should be is no answer."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tiltmeter.text import all_readable

Finish = Literal["stop", "length", "filter", "refusal"]

_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "safety": "filter",
    "refusal": "refusal",
}
_TOOLS = ("tool_calls", "function_call", "tool_use")
NO_LOGPROBS = "the reply has no log-probabilities"
_REFUSAL = "refusal"
# What servers write for minus infinity, which JSON does not have.
_NOTHING = -9998.0
_MOST_TOKENS = 10**9


class Malformed(Exception):
    """A reply that is no answer; the message says what is wrong with it, without any of its text."""

    tries: ClassVar[int | None] = None
    """How often at most the same is asked; None: as often as anything."""


class NoLogprobs(Malformed):
    """A reply without the log-probabilities that were asked for: a matter of the server, not of the text."""

    tries = 2

    def __init__(self) -> None:
        super().__init__(NO_LOGPROBS)


class ToolCall(Malformed):
    """A reply in which the model calls a tool, and writes nothing: asked the same, it does the same."""

    tries = 1

    def __init__(self) -> None:
        super().__init__("the model calls a tool instead of writing a text")


@dataclass(frozen=True, slots=True)
class Piece:
    """One token of a reply: its text, its log-probability where it has one, and the most probable at its place."""

    text: str
    logprob: float | None
    top: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, and how it ended. `stop_text`: whether a text that was to end it did; None: not said.

    `declined`: the server says that the model would not answer, whatever the text.
    """

    text: str
    finish: Finish
    stop_text: bool | None
    pieces: tuple[Piece, ...] | None
    declined: bool = False


def parsed(body: bytes) -> Mapping[str, Any]:
    """The object that a body holds, its texts without halves of characters.

    >>> parsed(b'{"choices": []}')
    {'choices': []}
    """
    try:
        found = all_readable(json.loads(body, parse_constant=_refuse, parse_float=_finite))
    except (ValueError, RecursionError):
        raise Malformed("the reply is cut off or not JSON") from None
    if not isinstance(found, dict):
        raise Malformed("the reply is not a JSON object")
    return found


def stored_answer(reply: Mapping[str, Any]) -> dict[str, Any]:
    """What of a reply is worth keeping: its choice, the tokens it took, and what server and model call themselves."""
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices:
        raise Malformed("the reply has no choices")
    if not all(isinstance(choice, dict) for choice in choices):
        raise Malformed("the reply has a choice of the wrong type")
    fingerprint, model = reply.get("system_fingerprint"), reply.get("model")
    return {
        "choice": min(choices, key=_place),
        "usage": _usage(reply.get("usage")),
        "fingerprint": fingerprint if isinstance(fingerprint, str) else None,
        "model": model if isinstance(model, str) and model else None,
    }


def _place(choice: Mapping[str, Any]) -> int:
    """Which of several choices it is; one is asked for, and some servers give more, in any order."""
    at = choice.get("index")
    return at if type(at) is int else 0


def written(choice: Mapping[str, Any], *, chat: bool) -> Written:
    """What was written, from a choice of either kind.

    >>> written({"text": " a nurse", "finish_reason": "length"}, chat=False).text
    ' a nurse'
    """
    declined = False
    if chat:
        message = choice.get("message")
        if not isinstance(message, dict):
            raise Malformed("the reply has no message")
        text, declined = _message(message)
    else:
        text = choice.get("text")
    if not isinstance(text, str):
        raise Malformed("the text of the reply is of the wrong type")
    # Some servers say so where others say which text has stopped the model.
    finish = _REFUSAL if choice.get("stop_reason") == _REFUSAL else choice.get("finish_reason")
    if isinstance(finish, str) and finish.lower() in _TOOLS:
        raise ToolCall
    if not isinstance(finish, str) or finish.lower() not in _FINISHES:
        raise Malformed("the reply does not say why it ended")
    ended = _FINISHES[finish.lower()]
    stopped = isinstance(choice["stop_reason"], str) if "stop_reason" in choice else None
    return Written(text, ended, stopped, pieces(choice), declined or ended == _REFUSAL)


def _message(message: Mapping[str, Any]) -> tuple[Any, bool]:
    """The text of a message, which may come in parts, and whether the server says that the model refused."""
    content, said = message.get("content"), message.get(_REFUSAL)
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        said = said or any(part.get("type") == _REFUSAL for part in content)
        texts = [part.get("text") for part in content if part.get("type") in ("text", "output_text")]
        content = "".join(text for text in texts if isinstance(text, str))
    # A model that was stopped while it still reasoned has written nothing.
    return "" if content is None else content, bool(said.strip() if isinstance(said, str) else said)


def pieces(choice: Mapping[str, Any]) -> tuple[Piece, ...] | None:
    """The tokens of a choice, in either of the two forms that servers use; None where it has none.

    >>> pieces({"logprobs": {"tokens": ["The", " nurse"], "token_logprobs": [None, -2.5], "top_logprobs": None}})[1]
    Piece(text=' nurse', logprob=-2.5, top={})
    """
    found = choice.get("logprobs")
    if found is None:
        return None
    if not isinstance(found, dict):
        raise Malformed("the log-probabilities are of the wrong type")
    content = found.get("content")
    if content is not None:
        return tuple(_content_piece(one) for one in _list(content))
    if found.get("tokens") is None:
        return None
    tokens, logprobs = _list(found["tokens"]), _list(found.get("token_logprobs"))
    tops = found.get("top_logprobs")
    tops = [None] * len(tokens) if tops is None else _list(tops)
    if not len(tokens) == len(logprobs) == len(tops):
        raise Malformed("the reply lacks a log-probability for some tokens")
    return tuple(
        Piece(_text(token), _number(value), _top(top)) for token, value, top in zip(tokens, logprobs, tops, strict=True)
    )


def echoed(kept: Mapping[str, Any]) -> tuple[Piece, ...]:
    """The tokens of a text that was to be given back, and the one after it, each but the first with its number."""
    found = pieces(kept["choice"]) or ()
    if len(found) < 2 or any(piece.logprob is None for piece in found[1:-1]):
        raise NoLogprobs
    return found


def listed(kept: Mapping[str, Any], place: Literal[0, -1]) -> Mapping[str, float]:
    """The most probable tokens at the first or the last place of a reply."""
    found = pieces(kept["choice"])
    if not found or not found[place].top:
        raise NoLogprobs
    return found[place].top


def _content_piece(one: Any) -> Piece:
    if not isinstance(one, dict):
        raise Malformed("the log-probabilities are of the wrong type")
    others = one.get("top_logprobs")
    listed = [] if others is None else _list(others)
    if not all(isinstance(other, dict) for other in listed):
        raise Malformed("the log-probabilities are of the wrong type")
    top: dict[str, float] = {}
    for other in listed:
        value = _number(other.get("logprob"))
        if value is not None:
            # Two tokens may have the same text; the more probable of them stands first.
            top.setdefault(_text(other.get("token")), value)
    return Piece(_text(one.get("token")), _number(one.get("logprob")), top)


def _top(found: Any) -> Mapping[str, float]:
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise Malformed("the log-probabilities are of the wrong type")
    return {name: value for name, one in found.items() if (value := _number(one)) is not None}


def _usage(found: Any) -> list[int] | None:
    if not isinstance(found, dict):
        return None
    counts = [found.get("prompt_tokens"), found.get("completion_tokens", 0)]
    # A server that counts in another way counts for nothing, but its answer stands.
    return counts if all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in counts) else None


def _list(found: Any) -> Sequence[Any]:
    if not isinstance(found, list):
        raise Malformed("the log-probabilities are of the wrong type")
    return found


def _text(found: Any) -> str:
    if not isinstance(found, str):
        raise Malformed("a token of the reply is not text")
    return found


def _number(found: Any) -> float | None:
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not -math.inf < found <= 1e-3:
        raise Malformed("a log-probability of the reply is not a number of at most 0")
    return -math.inf if found <= _NOTHING else min(0.0, float(found))


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    found = float(digits)
    return found if math.isfinite(found) else _refuse(digits)
