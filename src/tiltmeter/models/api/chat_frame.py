"""Prompts that carry a request to a chat model through the verb `complete`, which knows nothing but texts."""

from __future__ import annotations

# Signs that no keyboard writes; the server never sees them.
_BEFORE, _AFTER = "\x02chat\x1f", "\x03"


def framed(instruction: str) -> str:
    """The instruction as a prompt."""
    return f"{_BEFORE}{instruction}{_AFTER}"


def instruction_of(prompt: str) -> str | None:
    """The instruction in a prompt that was framed; None where the prompt is a plain text.

    >>> instruction_of(framed("Say A.")), instruction_of("The nurse")
    ('Say A.', None)
    """
    if not prompt.startswith(_BEFORE) or not prompt.endswith(_AFTER):
        return None
    return prompt.removeprefix(_BEFORE).removesuffix(_AFTER)


def has_answer_begun(prompt: str) -> bool:
    """Whether first words of the answer stand behind the frame, which no server of this kind can go on from."""
    return prompt.startswith(_BEFORE) and not prompt.endswith(_AFTER)
