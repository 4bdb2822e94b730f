"""Chat prompts: an instruction in the frame that a tokenizer's chat template puts around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError

from tiltmeter.models.encoding import Encoder

# Any words that no template contains.
_PLACE, _SYSTEM = "tiltmeterinstruction", "tiltmetersystem"


@dataclass(frozen=True, slots=True)
class ChatFrame:
    """What stands before an instruction and after it, up to where the answer begins."""

    before: str
    after: str
    system: tuple[str, str] | None = None
    """What stands before a system prompt, and between it and the instruction; None: the template takes none."""

    @classmethod
    def of(cls, tokenizer: Any) -> ChatFrame | None:
        """The frame of a tokenizer's template; None without a template, or where it changes the instruction."""
        if not getattr(tokenizer, "chat_template", None):
            return None
        turns = [{"role": "user", "content": _PLACE}]
        rendered = _rendered(tokenizer, turns)
        before, found, after = rendered.partition(_PLACE)
        if not (found and before and after) or _PLACE in after:
            return None
        told = _rendered(tokenizer, [{"role": "system", "content": _SYSTEM}, *turns])
        start, said, rest = told.partition(_SYSTEM)
        between, asked, end = rest.partition(_PLACE)
        fits = said and asked and start and between and end == after and _SYSTEM not in between
        return cls(before, after, (start, between) if fits else None)

    def ids(self, prompt: str, encoder: Encoder) -> tuple[int, ...] | None:
        """The tokens of a prompt that has this frame, and perhaps the first words of the answer; None: it has not.

        Only the frame's own special tokens are special: those that someone wrote into the instruction are characters.
        """
        frames, texts = [self.before], []
        inside = prompt.removeprefix(self.before)
        if inside == prompt and self.system is not None and prompt.startswith(self.system[0]):
            told, found, inside = prompt.removeprefix(self.system[0]).partition(self.system[1])
            if not found:
                return None
            frames, texts = [*self.system], [told]
        instruction, found, answer = inside.rpartition(self.after)
        if inside == prompt or not found:
            return None
        frame = [
            tuple(encoder.tokenizer(part, add_special_tokens=False)["input_ids"]) for part in (*frames, self.after)
        ]
        read = [part.ids for part in encoder.encode([*texts, instruction, answer])]
        return tuple(number for special, part in zip(frame, read, strict=True) for number in (*special, *part))


def _rendered(tokenizer: Any, turns: list[dict[str, str]]) -> str:
    """The turns in the template; blank where it refuses them."""
    try:
        rendered: str = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    except TemplateError:
        return ""
    return rendered
