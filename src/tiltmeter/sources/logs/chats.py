"""Logs of chat models: an exchange in each row, as the interfaces of the usual providers write it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tiltmeter.records import DECLINED
from tiltmeter.sources.cells import NonText
from tiltmeter.sources.chat_logs import REFUSED, conversation
from tiltmeter.sources.logs.answers import Answer, LogFile, decoding_of, facts_of, single
from tiltmeter.sources.tables import stream_objects

TASK = "chats"
"""What exchanges of any file are of, so that those of two models can be compared."""
NO_ANSWER = "the log has no answer"
_ASKED = ("prompt", "input", "inputs", "instructions", "question")
_SAID = ("generated_text", "text", "completion", "response", "output_text", "output", "answer")
"""Where interfaces for bare text have the prompt and what was written."""


def is_exchange(row: dict[str, Any]) -> bool:
    """Whether a row is an exchange with a chat model."""
    return bool(conversation(row)) or _is_bare(row)


def read(path: Path) -> LogFile:
    """The exchanges of a file; each says itself which model it was with."""
    return LogFile(facts_of(path.stem), _answers(path))


def _answers(path: Path) -> Iterator[Answer]:
    for line, row in stream_objects(path):
        said = conversation(row) or _bare(row) or {**conversation({**row, "answer": ""}), "text": "", REFUSED: ""}
        prompt, text = said.get("prompt", ""), said.get("text", "")
        unsaid = text.what if isinstance(text, NonText) else NO_ANSWER if said.get(REFUSED) == "" else ""
        yield Answer(
            task=TASK,
            # Exchanges have no items: what was asked in the same words is the same.
            id=hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:16],
            item=row,
            row=row,
            line=line,
            context=prompt,
            model=_deep(row, ("model", "modelVersion", "model_name")),
            text="" if unsaid else text,
            decoding=decoding_of(partial(_deep, row)),
            failed=DECLINED if said.get(REFUSED) == "1" else unsaid,
        )


def _is_bare(row: Mapping[str, Any]) -> bool:
    """Whether a row is what an interface for bare text logs, and no table that happens to have such columns."""
    return any(name in row for name in ("generated_text", "choices")) and bool(_bare(row))


def _bare(row: Mapping[str, Any]) -> dict[str, str]:
    """Prompt and text of an exchange without messages."""
    said = next((text for name in _SAID if (text := _deep(row, (name,)))), None)
    return {} if said is None else {"prompt": _deep(row, _ASKED), "text": said}


def _deep(row: Any, names: Sequence[str]) -> str:
    """The first text or number under one of these names, from the outside in."""
    level = [row]
    while level:
        for one in level:
            found = (single(one[name]) for name in names if isinstance(one, Mapping) and name in one)
            if text := next(filter(None, found), ""):
                return text
        level = [
            held
            for one in level
            for held in (one.values() if isinstance(one, Mapping) else one if isinstance(one, list) else ())
            if isinstance(held, (dict, list))
        ]
    return ""
