"""The form of a request by chat: servers differ in what they call the limit, and in what they let nobody set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from tiltmeter.models.api.client import LENGTHS, Request

_IDLE: Mapping[str, float] = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
}
"""Settings that change nothing at these values, so that they can be left out."""
_PARTS = (
    ("temperature",),
    ("top_p",),
    ("seed",),
    ("logprobs", "top_logprobs"),
    ("top_k", "min_p", "repetition_penalty"),
)
"""What is left out together; what is not idle at any value can go at any: the answer is the same kind of answer."""


@dataclass(frozen=True, slots=True)
class ChatForm:
    """What a request calls its limit, and what it leaves out.

    >>> ChatForm("max_completion_tokens").of(Request("", {"max_tokens": 5, "seed": 1})).body
    {'max_completion_tokens': 5, 'seed': 1}
    """

    length: str
    left_out: frozenset[str] = frozenset()

    def of(self, request: Request) -> Request:
        """The request in this form."""
        body = {
            self.length if key == LENGTHS[0] else key: value
            for key, value in request.body.items()
            if key not in self.left_out or (key in _IDLE and value != _IDLE[key])
        }
        return replace(request, body=body)

    def without(self, said: str, body: Mapping[str, Any]) -> ChatForm | None:
        """The form without what a server says that it does not take; None where nothing of the kind is in the body.

        >>> ChatForm("max_tokens").without("unsupported: 'top_p'", {"top_p": 1.0, "max_tokens": 5}).left_out
        frozenset({'top_p'})
        """
        if self.length == LENGTHS[0] and any(name in said for name in LENGTHS):
            return replace(self, length=LENGTHS[1])
        for part in _PARTS:
            if any(name in said for name in part) and any(_can_go(name, body) for name in part):
                return replace(self, left_out=self.left_out | {*part})
        # Where nothing is named, it may be the one thing that nobody needs.
        return replace(self, left_out=self.left_out | {"seed"}) if "seed" in body else None


def _can_go(name: str, body: Mapping[str, Any]) -> bool:
    return name in body and body[name] == _IDLE.get(name, body[name])


def _forms() -> Iterator[ChatForm]:
    for length in LENGTHS:
        for taken in product([False, True], repeat=len(_PARTS)):
            gone = [name for part, out in zip(_PARTS, taken, strict=True) if out for name in part]
            yield ChatForm(length, frozenset(gone))


STEPS = 2 + len(_PARTS)
"""Forms, at most, in which one request is tried: with nothing left out, under the other name, and without each part."""
FORMS: tuple[ChatForm, ...] = tuple(_forms())
"""Every form that a server may have been asked in."""
