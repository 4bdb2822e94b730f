"""Logs of chat models: what was asked, what was answered, and whether the answer is a refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tiltmeter.sources.cells import SEVERAL, NonText, as_cell

REFUSED = "refused"
"""The cell that says whether the interface itself marked an answer as a refusal: 1 or 0."""
_USUAL = ("response", "answer", "completion", "output", "reply", "generation")
_ENDS = ("finish_reason", "stop_reason", "finishReason", "blockReason", "reason")
_DECLINED = ("content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST")
"""What interfaces say of an answer that was not given."""
_SPEAKERS = ("system", "developer", "user", "assistant")
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant"}
"""What roles are called elsewhere."""
CELLS = ("system", "prompt", "text", REFUSED)


def conversation(row: Mapping[str, Any]) -> dict[str, str]:
    """The cells of a row that logs a conversation, wherever in it that stands; nothing where it logs none.

    >>> asked = [{"role": "user", "content": "Describe her."}]
    >>> conversation({"messages": asked, "answer": {"content": None, "refusal": "No."}})
    {'system': '', 'prompt': 'Describe her.', 'text': 'No.', 'refused': '1'}
    """
    row = _usual(row)
    turns = min(filter(_is_conversation, _values(row)), key=_is_said_by_model, default=None)
    if turns is None:
        return {}
    answer = next((held for held in _values(row) if _is_answer(held, turns)), None)
    several = next((held for held in _values(row) if held is not turns and _are_answers(held, turns)), None)
    asked = list(turns)
    if answer is None and asked[-1].get("role") not in ("user", "system", "developer"):
        answer = asked.pop()
    if answer is None:
        # The text alone, beside the conversation.
        name = next((name for name in _USUAL if name in row and isinstance(row[name], str | None)), None)
        if name is None:
            return {}
        answer = {"content": row[name], "refusal": row.get("refusal")}
    declined = message_text(answer.get("refusal")) or _refusal(answer.get("content"))
    stopped = any(held.get(key) in _DECLINED for held in _values(row) if isinstance(held, dict) for key in _ENDS)
    return {
        "system": "\n".join(
            message_text(turn.get("content")) for turn in asked if turn.get("role") in ("system", "developer")
        ),
        "prompt": next(
            (message_text(turn.get("content")) for turn in reversed(asked) if turn.get("role") == "user"), ""
        ),
        "text": NonText.of(several, SEVERAL) if several else message_text(answer.get("content")) or declined,
        REFUSED: str(int(stopped or bool(declined.strip()))),
    }


def _usual(value: Any) -> Any:
    """The same with messages as most interfaces write them: `role` and `content`.

    >>> _usual({"contents": [{"role": "model", "parts": [{"text": "Yes."}]}]})
    {'contents': [{'role': 'assistant', 'content': [{'text': 'Yes.'}]}]}
    >>> _usual([{"type": "human", "content": "Who?"}])
    [{'role': 'user', 'content': 'Who?'}]
    """
    if isinstance(value, list):
        return [_usual(one) if isinstance(one, (dict, list)) else one for one in value]
    held = {key: _usual(one) if isinstance(one, (dict, list)) else one for key, one in value.items()}
    if isinstance(held.get("parts"), list) and "content" not in held:
        held = {"role": held.get("role", "model"), "content": held["parts"]}
    if "content" in held:
        role = held.pop("type") if held.get("type") in (*_ROLES, "system") else held.get("role")
        return {
            **({} if role is None else {"role": _ROLES.get(role, role) if isinstance(role, str) else role}),
            **{key: one for key, one in held.items() if key != "role"},
        }
    return held


def _values(value: Any) -> Iterator[Any]:
    """Everything that an object holds, from the outside in."""
    level = [value]
    while level:
        yield from level
        level = [
            held
            for one in level
            for held in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
            if isinstance(held, (dict, list, str))
        ]


def _is_conversation(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(one, dict) and "role" in one for one in value)
        and any(one["role"] in _SPEAKERS for one in value)
    )


def _is_said_by_model(turns: Sequence[Any]) -> bool:
    """Whether nobody asks anything in it."""
    return not any(turn["role"] in ("user", "system", "developer") for turn in turns)


def _is_answer(value: Any, turns: Sequence[Any]) -> bool:
    """Whether this is what came back: a message of its own, not one of those that were sent."""
    if not isinstance(value, dict) or any(value is turn for turn in turns) or value.get("role") in ("user", "system"):
        return False
    held = value.get("content", {})
    return not isinstance(held, dict) and not _is_conversation(held) and value.get("type") in (None, "message")


def _are_answers(value: Any, turns: Sequence[Any]) -> bool:
    """Whether this is a list of what came back to one question, of which no one is the answer."""
    if not isinstance(value, list) or len(value) < 2:
        return False
    inside = [[one, *one.values()] for one in value if isinstance(one, dict)]
    return sum(any(_is_answer(held, turns) for held in held_by) for held_by in inside) > 1


def message_text(content: Any) -> str:
    """A message's text, which may come in parts, of which some may be no text."""
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else _part(part) for part in content)
    return _part(content) if isinstance(content, dict) and "text" in content else as_cell(content)


def _part(part: Any) -> str:
    held = part.get("text") if isinstance(part, dict) else None
    return held if isinstance(held, str) else ""


def _refusal(content: Any) -> str:
    """What a message says in parts that are a refusal."""
    parts = [part.get("refusal") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "".join(part for part in parts if isinstance(part, str))
