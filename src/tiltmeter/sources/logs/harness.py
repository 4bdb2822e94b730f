"""The samples that lm-evaluation-harness logs: `samples_TASK_TIME.jsonl`, beside `results_TIME.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.records import Decoding, ModelFacts
from tiltmeter.sources.cells import as_cell
from tiltmeter.sources.datasets.json_files import read_json
from tiltmeter.sources.logs.answers import UNSTATED, Answer, LogFile, decoding_of, facts_of, first_of, single
from tiltmeter.sources.numbers import as_number
from tiltmeter.sources.tables import stream_objects

_TIME = r"\d{4}-\d\d-\d\dT[\d:.-]+"
_NAME = re.compile(rf"samples_(?P<task>.+?)(?:_(?P<time>{_TIME}))?\.jsonl")
_OWN = frozenset(
    (
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash", "schema"),
    )
)
"""What a sample has beside the figures of its metrics."""
_SAID = ("filtered_resps", "resps")


def is_sample(row: Mapping[str, Any]) -> bool:
    """Whether a record is a sample of the harness, of whatever version."""
    return isinstance(row.get("doc"), Mapping) and "arguments" in row and any(name in row for name in _SAID)


def task_of(path: Path) -> tuple[str, str]:
    """The task and the time in the name of a file of samples; blank where it names none.

    >>> task_of(Path("samples_bbq_2026-11-19T04-12-50.972506.jsonl")), task_of(Path("log.jsonl"))
    (('bbq', '2026-11-19T04-12-50.972506'), ('log', ''))
    """
    found = _NAME.fullmatch(path.name)
    return (found["task"], found["time"] or "") if found else (path.stem, "")


def read(path: Path) -> LogFile:
    """The answers of a file of samples, and what the results beside it say of the model."""
    return LogFile(_facts(path), _answers(path))


def _answers(path: Path) -> Iterator[Answer]:
    task, _ = task_of(path)
    # A task with several filters logs every item once for each; the first of them counts.
    filters: dict[str, str] = {}
    for line, row in stream_objects(path):
        if not is_sample(row):
            missing = next(name for name in ("doc", "arguments", "filtered_resps") if not _has(row, name))
            problem = "is missing, and the samples of lm-evaluation-harness have it; log them with `--log_samples`"
            raise InvalidData(problem, file=path, line=line, key=missing)
        number = as_cell(row.get("doc_id", line))
        kept = filters.setdefault(number, str(row.get("filter", "")))
        if kept == str(row.get("filter", "")):
            yield _answer(task, number, row, path, line)


def _has(row: Mapping[str, Any], name: str) -> bool:
    if name == "filtered_resps":
        return any(one in row for one in _SAID)
    return isinstance(row.get(name), Mapping) if name == "doc" else name in row


def _answer(task: str, number: str, row: Mapping[str, Any], path: Path, line: int) -> Answer:
    given = _arguments(row["arguments"])
    said = _said(next(row[name] for name in _SAID if row.get(name) is not None), len(given))
    if not given or not said:
        key = "arguments" if not given else "filtered_resps"
        raise InvalidData("is empty, so nobody knows what was asked or answered", file=path, line=line, key=key)
    answer = Answer(
        task=task,
        id=number,
        item=row["doc"],
        row=row,
        line=line,
        context=as_cell(given[0][0]),
        target=single(row.get("target")),
        ratings={name: value for name, value in row.items() if name not in _OWN},
    )
    further = given[0][1] if len(given[0]) > 1 else None
    if isinstance(further, str) and not isinstance(said[0], str):
        if len(said) != len(given):
            problem = f"has {len(said)} answers for {len(given)} options; each option needs one"
            raise InvalidData(problem, file=path, line=line, key="filtered_resps")
        return replace(
            answer, options=tuple(as_cell(_second(one)) for one in given), logprobs=tuple(map(_logprob, said))
        )
    decoding = _decoding(further) if isinstance(further, Mapping) else UNSTATED
    return replace(answer, text=as_cell(_first(said[0])), decoding=decoding)


def _second(one: list[Any]) -> Any:
    return one[1] if len(one) > 1 else ""


def _arguments(value: Any) -> list[list[Any]]:
    """What the model was given, question by question: lists, or objects with the names `gen_args_0` and `arg_0`."""
    every = _in_order(value)
    return [_in_order(one) for one in every if isinstance(one, (list, tuple, Mapping)) and one]


def _in_order(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [value[name] for name in sorted(value, key=lambda name: (len(name), name))]
    return list(value) if isinstance(value, (list, tuple)) else []


def _said(value: Any, asked: int) -> list[Any]:
    """What came back to every question, however deep it is nested."""
    found = value if isinstance(value, list) else [value]
    while len(found) == 1 < asked and isinstance(found[0], list) and all(isinstance(one, list) for one in found[0]):
        found = found[0]
    return found


def _logprob(said: Any) -> float | None:
    """The log-probability of an option; texts and numbers are both written."""
    while isinstance(said, (list, tuple)) and said:
        said = said[0]
    return as_number(as_cell(said)) if not isinstance(said, (list, tuple, Mapping)) else None


def _first(said: Any) -> Any:
    while isinstance(said, (list, tuple)) and said:
        said = said[0]
    return "" if isinstance(said, (list, tuple, Mapping)) else said


def _decoding(settings: Mapping[str, Any]) -> Decoding:
    """The settings of a text; without sampling it is greedy, whatever the temperature."""
    until = settings.get("until")
    stop = list(filter(None, map(as_cell, until))) if isinstance(until, list) else []
    greedy = {"temperature": 0.0} if settings.get("do_sample") is False else {}
    return decoding_of(first_of({**settings, **greedy}), stop)


def _facts(path: Path) -> ModelFacts:
    """What the results beside the samples say of the model; without them, the name of the folder."""
    time = task_of(path)[1]
    beside = sorted(path.parent.glob("results_*.json"))
    same = [one for one in beside if time and time in one.name] or beside
    said = read_json(same[-1]) if same else {}
    said = said if isinstance(said, Mapping) else {}
    config = said.get("config")
    config = config if isinstance(config, Mapping) else {}
    given = config.get("model_args")
    named = given.get("pretrained") or given.get("model") if isinstance(given, Mapping) else None
    name = single(said.get("model_name")) or single(named) or path.absolute().parent.name
    return facts_of(
        name,
        revision=config.get("model_sha") or config.get("model_revision"),
        device=config.get("device"),
        dtype=as_cell(config.get("model_dtype")).removeprefix("torch."),
    )
