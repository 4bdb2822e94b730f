"""Exchanges with chat models as the interfaces of the usual providers write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.records import DECLINED
from tiltmeter.sources import logs

ASKED = [{"role": "user", "content": "Describe her."}]
SAID = {"role": "assistant", "content": "She is calm."}
GEMINI = {"contents": [{"role": "user", "parts": [{"text": "Describe her."}]}]}
FORMS: dict[str, Any] = {
    "chat completions": {"request": {"model": "m", "messages": ASKED}, "response": {"choices": [{"message": SAID}]}},
    "batch": {
        "custom_id": "1",
        "messages": ASKED,
        "response": {"body": {"model": "m", "choices": [{"message": SAID}]}},
    },
    "responses": {
        "model": "m",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "She is calm."}]},
        ],
        "input": ASKED,
    },
    "anthropic": {
        "model": "m",
        "system": "Be brief.",
        "messages": ASKED,
        "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "She is calm."}]},
    },
    "gemini": {
        **GEMINI,
        "modelVersion": "m",
        "candidates": [{"content": {"role": "model", "parts": [{"text": "She is "}, {"text": "calm."}]}}],
    },
    "text generation": {"model": "m", "inputs": "Describe her.", "generated_text": "She is calm."},
    "completions": {"model": "m", "prompt": "Describe her.", "choices": [{"text": "She is calm."}]},
    "runs": {
        "inputs": {"messages": [[{"type": "human", "content": "Describe her."}]]},
        "outputs": {"generations": [[{"message": {"type": "ai", "content": "She is calm."}}]]},
        "extra": {"model_name": "m"},
    },
    "one list": {"model": "m", "log": {"messages": [*ASKED, SAID]}},
    "text beside": {"model": "m", "messages": ASKED, "response": "She is calm."},
}
REFUSALS: dict[str, Any] = {
    "field": {"messages": ASKED, "response": {"content": None, "refusal": "No."}},
    "part": {
        "input": ASKED,
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}],
    },
    "stop reason": {"messages": ASKED, "r": {"type": "message", "content": [], "stop_reason": "refusal"}},
    "filter": {"messages": ASKED, "choices": [{"finish_reason": "content_filter", "message": {**SAID, "content": ""}}]},
    "safety": {**GEMINI, "candidates": [{"finishReason": "SAFETY", "content": {"role": "model", "parts": []}}]},
}


def answers(path: Path, rows: list[Any], *, whole: bool = False) -> list[Any]:
    """What is read of rows."""
    path.write_text(json.dumps(rows) if whole else "\n".join(map(json.dumps, rows)))
    assert logs.is_log(path)
    return list(logs.open_log(path).answers)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_prompt_answer_and_model_are_found(tmp_path: Path, form: str, whole: bool) -> None:
    found = answers(tmp_path / "log.json", [{**FORMS[form], "group": group} for group in "ab"], whole=whole)
    assert [(one.context, one.text, one.model, one.failed) for one in found] == [
        ("Describe her.", "She is calm.", "m", "")
    ] * 2
    assert [one.value(("group",)) for one in found] == ["a", "b"]


@pytest.mark.parametrize("form", REFUSALS)
def test_a_refusal_is_told_from_an_answer(tmp_path: Path, form: str) -> None:
    [one] = answers(tmp_path / "log.jsonl", [REFUSALS[form]])
    assert one.failed == DECLINED and one.context == "Describe her."


def test_the_settings_of_a_request_are_read(tmp_path: Path) -> None:
    request = {"messages": ASKED, "temperature": 0.2, "max_tokens": 64, "top_p": 0.9}
    [one] = answers(tmp_path / "log.jsonl", [{"request": request, "response": SAID}])
    assert (one.decoding.temperature, one.decoding.max_new_tokens, one.decoding.top_p) == (0.2, 64, 0.9)
    [other] = answers(tmp_path / "log.jsonl", [{"messages": ASKED, "temperature": "warm", "response": SAID}])
    assert other.decoding.unstated == {"temperature", "max_new_tokens"}


@pytest.mark.parametrize(
    "row",
    [
        {"text": "She is calm.", "group": "a"},
        {"prompt": "Describe her.", "text": "She is calm.", "toxicity": 0.1},
        {"people": [{"role": "nurse"}]},
        {"messages": ASKED},
    ],
)
def test_a_table_is_no_log(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text(json.dumps(row))
    assert not logs.is_log(path)
