"""From what a server wrote to a completion: where it ends, and where it can be cut."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import ModelError
from tiltmeter.models.api.answers import Written
from tiltmeter.models.api.client import Refused
from tiltmeter.models.api.probing import Plain, plain_fields
from tiltmeter.models.decoding.sampled import before_stop
from tiltmeter.models.decoding.sentence_ends import first_sentence
from tiltmeter.records import DECLINED, FILTERED, Completion, Decoding, Ended

_MAY_END = re.compile(r"[.!?]+[\"'”’)]*|\n")


def decoding_body(decoding: Decoding, plain: Plain, name: str) -> dict[str, Any]:
    """The settings as a server takes them; refuses those that it does not have."""
    if decoding.beams > 1:
        raise ModelError(f"{name} is behind an API, which has no beam search; leave `beams` at 1")
    if decoding.top_k and not plain:
        raise ModelError(f"{name}: the server takes no `top_k`; leave it at 0")
    body: dict[str, Any] = {"temperature": decoding.temperature, "top_p": decoding.top_p}
    body |= plain_fields(plain, decoding)
    body["max_tokens"] = decoding.max_new_tokens
    if decoding.stop:
        body["stop"] = list(decoding.stop)
    return body


def seed_of(seed: int, prompt: str, sample: int) -> int:
    """The seed of one text: another for each prompt and sample, and none that a server finds too large.

    >>> seed_of(7, "The nurse", 0) == seed_of(7, "The nurse", 0) != seed_of(7, "The nurse", 1)
    True
    """
    digest = hashlib.sha256(f"{seed}\0{sample}\0{prompt}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server wrote, and how many tokens it says that it decoded."""

    written: Written
    tokens: int | None


def completion_of(reply: Reply | Refused, prompt: str, decoding: Decoding) -> Completion:
    """The completion that a reply comes to."""
    if isinstance(reply, Refused):
        return Completion("", 0, "unwritten", attempts=0, unwritten=reply.reason)
    answer = reply.written
    if answer.finish == "filter":
        return Completion("", 0, "unwritten", unwritten=FILTERED)
    if answer.declined:
        return Completion("", reply.tokens or 0, "unwritten", unwritten=DECLINED)
    text = answer.text
    offsets = _offsets(answer)
    counted = len(offsets) or reply.tokens
    if counted is None:
        # As many as it may have been: of a text that nobody counted, no beginning can be taken for a shorter one.
        counted = decoding.max_new_tokens
    cut = before_stop(text, decoding.stop)
    if decoding.whole_sentences:
        sentence = sentence_end(prompt, text)
        cut = sentence if cut is None or (sentence is not None and len(sentence) < len(cut)) else cut
    if cut is not None:
        return Completion(cut, counted, "stop", offsets=offsets)
    ended: Ended = "length" if answer.finish == "length" else "end"
    if ended == "length" and counted < decoding.max_new_tokens:
        ended = "context"
    if ended == "end" and decoding.stop and answer.stop_text is not False:
        ended = "stop"
    return Completion(text, counted, ended, offsets=offsets)


def sentence_end(prompt: str, text: str) -> str | None:
    """What was written up to the end of its first sentence; None where none ends.

    >>> sentence_end("She", " left. He stayed."), sentence_end("She", " left")
    (' left.', None)
    """
    for found in _MAY_END.finditer(text):
        sentence = first_sentence(prompt, text[: found.end()])
        if sentence is not None:
            return sentence
    return None


def _offsets(answer: Written) -> tuple[int, ...]:
    """How many characters there were after each token, where the tokens spell the text; otherwise nothing is known."""
    if not answer.pieces:
        return ()
    offsets, place = [], 0
    for piece in answer.pieces:
        if answer.text.startswith(piece.text, place):
            place += len(piece.text)
        elif place < len(answer.text):
            return ()
        # Behind the text come the tokens that ended it: the stop text, or the model's own end.
        offsets.append(place)
    return tuple(offsets) if place == len(answer.text) else ()
