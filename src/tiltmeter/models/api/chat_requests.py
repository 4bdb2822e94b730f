"""The form of a request by chat: servers differ in what they call the limit, and in what they let nobody set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from tiltmeter.models.api.client import LENGTHS, Refused, Request

WRONG = (400, 422)
"""What servers answer to a request of the wrong form."""
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

    def others(self, refused: Refused, body: Mapping[str, Any]) -> Iterator[ChatForm]:
        """The forms to try where a server refuses this one: without what it names, the likeliest first.

        >>> said = Refused("", 400, blamed="unsupported: 'top_p'")
        >>> [form.left_out for form in ChatForm("max_tokens").others(said, {"top_p": 1.0, "max_tokens": 5})]
        [frozenset({'top_p'})]
        """
        if any(_names(refused.blamed, name) for name in LENGTHS):
            yield replace(self, length=LENGTHS[self.length == LENGTHS[0]])
        for part in _PARTS:
            if any(_names(refused.blamed, name) for name in part) and any(_can_go(name, body) for name in part):
                yield replace(self, left_out=self.left_out | {*part})
        # Where nothing is named, it may be the one thing that nobody needs.
        if "seed" in body and refused.status in WRONG:
            yield replace(self, left_out=self.left_out | {"seed"})


def is_about_form(refused: Refused, body: Mapping[str, Any]) -> bool:
    """Whether a server refuses what a request has in it, and not the model, the key or the address.

    Some say so by a status that means something else: then it must name a part of the request.
    """
    named = any(_names(refused.blamed, name) for name in (*body, *LENGTHS) if name not in ("model", "messages"))
    return refused.status in WRONG or (refused.status is not None and named)


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _can_go(name: str, body: Mapping[str, Any]) -> bool:
    return name in body and body[name] == _IDLE.get(name, body[name])


def _forms() -> Iterator[ChatForm]:
    for length in LENGTHS:
        for taken in product([False, True], repeat=len(_PARTS)):
            gone = [name for part, out in zip(_PARTS, taken, strict=True) if out for name in part]
            yield ChatForm(length, frozenset(gone))


STEPS = 2 * (1 + len(_PARTS))
"""Forms, at most, in which one request is tried: without one part after another, under either name of the limit."""
FORMS: tuple[ChatForm, ...] = tuple(_forms())
"""Every form that a server may have been asked in."""


# Signs that no keyboard writes; the server never sees them.
_BEFORE, _BETWEEN, _AFTER = "\x02chat\x1f", "\x1d", "\x03"


def framed(instruction: str, system: str = "") -> str:
    """The instruction as a prompt."""
    return f"{_BEFORE}{f'{system}{_BETWEEN}' if system else ''}{instruction}{_AFTER}"


def messages_of(prompt: str) -> list[dict[str, str]] | None:
    """The messages of a prompt that was framed; None where the prompt is a plain text.

    >>> messages_of(framed("Say A.", "Be brief.")), messages_of("The nurse")
    ([{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Say A.'}], None)
    """
    if not prompt.startswith(_BEFORE) or not prompt.endswith(_AFTER):
        return None
    inside = prompt.removeprefix(_BEFORE).removesuffix(_AFTER)
    system, told, instruction = inside.partition(_BETWEEN)
    asked = [{"role": "user", "content": instruction if told else inside}]
    return [{"role": "system", "content": system}, *asked] if told else asked


def instruction_of(prompt: str) -> str | None:
    """The instruction in a prompt that was framed; None where the prompt is a plain text.

    >>> instruction_of(framed("Say A.")), instruction_of("The nurse")
    ('Say A.', None)
    """
    messages = messages_of(prompt)
    return messages[-1]["content"] if messages else None


def has_answer_begun(prompt: str) -> bool:
    """Whether first words of the answer stand behind the frame, which no server of this kind can go on from."""
    return prompt.startswith(_BEFORE) and not prompt.endswith(_AFTER)
