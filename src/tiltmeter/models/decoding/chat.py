"""Chat prompts: an instruction in the frame that a tokenizer's chat template puts around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError

from tiltmeter.models.encoding import Encoder

# Any word that no template contains.
_PLACE = "tiltmeterinstruction"


@dataclass(frozen=True, slots=True)
class ChatFrame:
    """What stands before an instruction and after it, up to where the answer begins."""

    before: str
    after: str

    @classmethod
    def of(cls, tokenizer: Any) -> ChatFrame | None:
        """The frame of a tokenizer's template; None without a template, or where it changes the instruction."""
        if not getattr(tokenizer, "chat_template", None):
            return None
        turns = [{"role": "user", "content": _PLACE}]
        try:
            rendered: str = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        except TemplateError:
            return None
        before, found, after = rendered.partition(_PLACE)
        return cls(before, after) if found and before and after and _PLACE not in after else None

    def ids(self, prompt: str, encoder: Encoder) -> tuple[int, ...] | None:
        """The tokens of a prompt that has this frame, and perhaps the first words of the answer; None: it has not.

        Only the frame's own special tokens are special: those that someone wrote into the instruction are characters.
        """
        inside = prompt.removeprefix(self.before)
        instruction, found, answer = inside.rpartition(self.after)
        if inside == prompt or not found:
            return None
        texts = [part.ids for part in encoder.encode([instruction, answer])]
        frame = [
            tuple(encoder.tokenizer(part, add_special_tokens=False)["input_ids"]) for part in (self.before, self.after)
        ]
        return frame[0] + texts[0] + frame[1] + texts[1]
