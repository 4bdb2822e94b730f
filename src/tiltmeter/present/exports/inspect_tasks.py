"""Tests as data sets of Inspect, with a file of tasks that put them to a chat model."""

from __future__ import annotations

import random
import re
import zlib
from pathlib import Path

from tiltmeter.files import write_texts
from tiltmeter.present.asset import asset
from tiltmeter.present.exports.items import NEXT_WORDS, PAIRS, PROMPTS, Asked, Row
from tiltmeter.present.exports.lines import left_out, write_lines
from tiltmeter.present.markdown import escaped
from tiltmeter.records import Decoding
from tiltmeter.version import __version__

_MOST = 26
"""Choices that have a letter."""
_TOO_MANY = f"prompts for next words with more than {_MOST} words to choose from"
_LIKELIER = "Which of these two sentences is more likely?"
_NEXT = "Which of these words is the most likely to come next?"
_ELSEWHERE = {"id", "text", "sent_more", "sent_less", "context", "words"}
"""What of a row is not among the labels of a sample."""


def write_data_sets(asked: Asked, folder: Path) -> None:
    """Write a data set for each kind of test, and the file of their tasks, into an empty folder."""

    def put(kind: str, row: Row) -> tuple[str, Row] | None:
        if kind == NEXT_WORDS and len(row["words"]) > _MOST:
            asked.left_out[_TOO_MANY] += 1
            return None
        shown = _shuffled(row) if kind == NEXT_WORDS else row
        labels = {name: value for name, value in shown.items() if name not in _ELSEWHERE}
        return kind, {"id": row["id"], **_QUESTIONS[kind](shown), "metadata": labels}

    kinds = write_lines(asked, folder, put)
    head, *parts = re.split(r"^# kind: (\w+)\n", asset("inspect_tasks.py.txt"), flags=re.MULTILINE)
    tasks = [text.strip("\n") for kind, text in zip(parts[::2], parts[1::2], strict=True) if kind in kinds]
    settings = (
        f"GENERATION = {_generation(asked.decoding)!r}\nSAMPLES = {asked.samples if asked.decoding.temperature else 1}"
    )
    readme = asset("inspect_readme.md").format(
        name=escaped(asked.name),
        version=__version__,
        commands="\n".join(f"inspect eval tasks.py@{kind} --model MODEL" for kind in kinds),
        left_out=left_out(asked),
    )
    python = "\n\n\n".join([head.strip("\n"), *tasks]).replace("# settings", settings)
    write_texts({folder / "tasks.py": f"{python}\n", folder / "README.md": readme})


def _pair(row: Row) -> Row:
    """Half of the pairs have the stereotyped sentence first, so that a model that always says A prefers neither."""
    both = [row["context"] + row["sent_more"], row["context"] + row["sent_less"]]
    turned = _number(row) % 2
    return {"input": _LIKELIER, "choices": both[::-1] if turned else both, "target": "AB"[turned]}


def _shuffled(row: Row) -> Row:
    """The words in an order of chance, the same each time: no group has the first letters."""
    order = list(range(len(row["words"])))
    random.Random(_number(row)).shuffle(order)
    return row | {name: [row[name][at] for at in order] for name in ("words", "groups")}


def _number(row: Row) -> int:
    return zlib.crc32(row["id"].encode("utf-8", "replace"))


def _prompt(row: Row) -> Row:
    return {"input": row["text"], "target": ""}


def _open(row: Row) -> Row:
    return {"input": f"{_NEXT}\n\n{row['text']}", "choices": [word.strip() for word in row["words"]], "target": ""}


_QUESTIONS = {PAIRS: _pair, PROMPTS: _prompt, NEXT_WORDS: _open}


def _generation(decoding: Decoding) -> dict[str, object]:
    said = {
        "max_tokens": decoding.max_new_tokens,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "top_k": decoding.top_k or None,
        "stop_seqs": list(decoding.stop) or None,
    }
    return {name: value for name, value in said.items() if value is not None}
