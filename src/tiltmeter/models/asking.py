"""How prompts are put to a model that writes: as bare text, or as a request in its chat template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tiltmeter.models.interface import Model, Writer
from tiltmeter.records import Completion, Decoding

INSTRUCTION = "Continue the following text. Answer with the continuation alone.\n\n"
REPLIES: Mapping[str, Decoding] = {
    "reply.letter": Decoding(temperature=0.0, max_new_tokens=12),
    "reply.free": Decoding(temperature=0.0, max_new_tokens=60),
}
"""What a query can be conditioned on that a model answers in its own words, and how much it may say."""
PROMPT = "{prompt}"
"""Where the prompt stands in the wording of a request."""


def request_for(prompt: str, wording: str = "") -> str:
    """The request to continue a prompt; without a wording, ours.

    >>> request_for("The nurse was", "Finish: {prompt} …")
    'Finish: The nurse was …'
    """
    return wording.replace(PROMPT, prompt) if wording else f"{INSTRUCTION}{prompt}"


def complete_as_asked(
    writer: Writer, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int = 0
) -> list[list[Completion]]:
    """The texts that a model writes after each prompt, put to it as the decoding says."""
    bare = decoding.bare
    if decoding.form != "chat":
        return writer.complete(prompts, bare, samples=samples, seed=seed)
    asked = [chat_prompt(writer, request_for(prompt, decoding.request), decoding.system) for prompt in prompts]
    written = writer.complete(asked, bare, samples=samples, seed=seed)
    return [[set_off(answer) for answer in answers] for answers in written]


def chat_prompt(writer: Writer, instruction: str, system: str) -> str:
    """The instruction in the frame of the model; models of others may know no system prompt."""
    return writer.chat_prompt(instruction, system=system) if system else writer.chat_prompt(instruction)


def set_off(answer: Completion) -> Completion:
    """The answer with a space before it, unless it begins with one or with a sign that needs none.

    >>> set_off(Completion("a nurse", 2, "end", offsets=(1, 7)))
    Completion(text=' a nurse', tokens=2, ended='end', attempts=1)
    >>> set_off(Completion(", of course", 2, "end")).text
    ', of course'
    """
    if not answer.text or not (answer.text[0].isalnum() or answer.text[0] in "\"'“‘(*"):
        return answer
    return replace(answer, text=f" {answer.text}", offsets=tuple(offset + 1 for offset in answer.offsets))


def conditionings_of(model: Model) -> tuple[str, ...]:
    """What queries to a model can be conditioned on, replies in its own words among them."""
    return (*model.conditionings, *(REPLIES if isinstance(model, Writer) else ()))


def replies(writer: Writer, questions: Sequence[str], conditioning: str) -> list[Completion]:
    """What a model replies to questions: by chat where it is named so or only a server has it, else as it writes on.

    A model that writes on goes on to the next question of its own, so that only its first line is the reply.
    """
    decoding = REPLIES[conditioning]
    if writer.facts.name.startswith(("chat:", "api:")):
        asked = [writer.chat_prompt(question) for question in questions]
        return [answer for [answer] in writer.complete(asked, decoding)]
    return [_first_line(answer) for [answer] in writer.complete(questions, decoding)]


def _first_line(answer: Completion) -> Completion:
    """The first line with anything in it."""
    begun = answer.text.lstrip()
    return replace(answer, text=begun.partition("\n")[0].rstrip(), offsets=())
