"""The logs of Inspect: `.eval`, which is an archive of JSON files, and `.json`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.files import json_value
from tiltmeter.records import DECLINED, Decoding
from tiltmeter.sources.cells import as_cell
from tiltmeter.sources.chat_logs import conversation, message_text
from tiltmeter.sources.datasets.json_files import opening, read_json
from tiltmeter.sources.logs.answers import Answer, LogFile, decoding_of, facts_of, first_of, single
from tiltmeter.sources.logs.archives import is_archive, names, texts

_HEADERS = ("header.json", "_journal/start.json")
"""Where an archive says what was evaluated; a run that was broken off has the second alone."""
_SAMPLES = "samples/"
_READ = ("id", "epoch", "input", "choices", "target", "messages", "output", "scores", "metadata", "error")
"""What is read of a sample, which is large for all that happened on the way."""
_ATTACHED = "attachment://"
_LETTER = re.compile(r"(?i)answer\s*:\s*\(?([a-z])\b")


def is_log(path: Path) -> bool:
    """Whether a file is a log of Inspect."""
    if is_archive(path):
        return True
    head = opening(path, 2**14)
    return head.lstrip().startswith("{") and '"eval"' in head and '"task"' in head and '"model"' in head


def read(path: Path) -> LogFile:
    """The answers of a log, and the model that gave them."""
    header, samples = _opened(path)
    about = header.get("eval")
    if not isinstance(about, Mapping) or not single(about.get("model")):
        raise InvalidData("is no log of Inspect: it has no `eval.model`", file=path)
    settings = _of(header, "plan", "config") or _of(about, "model_generate_config")
    facts = facts_of(single(about["model"]), revision=_of(about, "model_args").get("revision"))
    return LogFile(
        facts, _answers(path, single(about.get("task")) or path.stem, samples, decoding_of(first_of(settings)))
    )


def _opened(path: Path) -> tuple[Mapping[str, Any], Iterable[Mapping[str, Any]]]:
    """What the log says of itself, and its samples."""
    if not is_archive(path):
        whole = read_json(path)
        whole = whole if isinstance(whole, dict) else {}
        samples = whole.get("samples")
        return whole, [one for one in samples if isinstance(one, dict)] if isinstance(samples, list) else []
    there = names(path)
    header = next((name for name in _HEADERS if name in there), None)
    if header is None:
        raise InvalidData("is an archive, and no log of Inspect: it has no `header.json`", file=path)
    [said] = _objects(path, [header])
    return said, _objects(path, [one for one in there if one.startswith(_SAMPLES) and one.endswith(".json")])


def _objects(path: Path, chosen: list[str]) -> Iterator[Mapping[str, Any]]:
    for name, text in zip(chosen, texts(path, chosen), strict=True):
        try:
            value = json_value(text)
        except ValueError as error:
            raise InvalidData(f"not well-formed JSON ({error})", file=path, key=name[:80]) from None
        if not isinstance(value, dict):
            raise InvalidData("not an object with keys", file=path, key=name[:80])
        yield value


def _answers(path: Path, task: str, samples: Iterable[Mapping[str, Any]], decoding: Decoding) -> Iterator[Answer]:
    for number, whole in enumerate(samples, start=1):
        sample = _resolved({name: held for name, held in whole.items() if name in _READ}, _of(whole, "attachments"))
        item, epoch = _of(sample, "metadata"), sample.get("epoch")
        asked = {"messages": _turns(sample)}
        said = conversation({**asked, "output": sample.get("output")}) or conversation({**asked, "answer": ""})
        text = message_text(_of(sample, "output").get("completion")) or said.get("text", "")
        options = sample.get("choices")
        target = sample.get("target")
        answer = Answer(
            task=task,
            id=as_cell(sample.get("id", number)),
            item=item,
            row=sample,
            line=number,
            context=said.get("prompt", ""),
            options=tuple(map(as_cell, options)) if isinstance(options, list) else (),
            target=single(target[0] if isinstance(target, list) and target else target),
            text=text,
            ratings={name: one["value"] for name, one in _of(sample, "scores").items() if _has_value(one)},
            sample=epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
            decoding=decoding,
            failed=_failed(sample, said),
        )
        yield _with_letters(answer, sample)


def _resolved(value: Any, attachments: Mapping[str, Any]) -> Any:
    """The same with long texts in their places, which a log has apart."""
    if isinstance(value, str):
        return attachments.get(value.removeprefix(_ATTACHED), value) if value.startswith(_ATTACHED) else value
    if isinstance(value, list):
        return [_resolved(one, attachments) for one in value]
    return {key: _resolved(one, attachments) for key, one in value.items()} if isinstance(value, dict) else value


def _turns(sample: Mapping[str, Any]) -> list[Any]:
    """What was said; the input alone where the log has no messages."""
    turns = sample.get("messages") or sample.get("input")
    found = turns if isinstance(turns, list) else [{"role": "user", "content": as_cell(turns)}]
    # The answer is in the output, and is not what was asked.
    asked = [turn for turn in found if isinstance(turn, dict) and turn.get("role") != "assistant"]
    return asked or [{"role": "user", "content": ""}]


def _failed(sample: Mapping[str, Any], said: Mapping[str, str]) -> str:
    error = sample.get("error")
    if isinstance(error, Mapping):
        return f"the sample failed: {' '.join(as_cell(error.get('message')).split())[:80]}"
    return DECLINED if said.get("refused") == "1" else ""


def _with_letters(answer: Answer, sample: Mapping[str, Any]) -> Answer:
    """Options are answered by letters: which of them was chosen, and which is right."""
    if not answer.options:
        return answer
    scored = (one.get("answer") for one in _of(sample, "scores").values() if isinstance(one, Mapping))
    letters = [said for said in map(as_cell, scored) if len(said.strip()) == 1]
    found = letters or _LETTER.findall(answer.text)[-1:] or [answer.text.strip()[:2].strip(".) ")]
    chosen, right = _number(found[0], answer), _number(answer.target, answer)
    return replace(answer, chosen=chosen, target=answer.target if right is None else str(right))


def _number(letter: str, answer: Answer) -> int | None:
    """Which option a letter stands for.

    >>> _number("B", Answer("t", "1", {}, {}, 1, "", ("x", "y")))
    1
    """
    at = ord(letter.strip().upper()) - ord("A") if len(letter.strip()) == 1 else -1
    return at if 0 <= at < len(answer.options) else None


def _has_value(score: Any) -> bool:
    return isinstance(score, Mapping) and isinstance(score.get("value"), (int, float))


def _of(holder: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The object within an object; an empty one where there is none."""
    for name in names:
        held = holder.get(name)
        holder = held if isinstance(held, Mapping) else {}
    return holder
