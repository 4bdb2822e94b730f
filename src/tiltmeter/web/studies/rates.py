"""How fast work goes on this machine, from the runs that were made on it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from tiltmeter.errors import RunError
from tiltmeter.models import lasting_name
from tiltmeter.store import read_meta, read_progress

TEXTS = "writing texts with"
_KINDS = ("scoring with", "writing sentences with", TEXTS, "next words of", "saliency of", "rating by")
_MOST = 50
"""Runs that are looked at, the newest first."""
_SHORT = 1.0
"""Seconds; a stretch of work that took less says little."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Steps a second of each kind of work, by its kind and who does it; of texts, tokens a second."""

    found: Mapping[tuple[str, str], float]

    def of(self, kind: str, name: str) -> float | None:
        """The rate of some work; None: not known yet."""
        return self.found.get((kind, short_model(name)))


def rates_of(folders: Iterable[Path]) -> Rates:
    """The rates of runs. The slowest counts: answers that come from the cache take no time."""
    found: dict[tuple[str, str], float] = {}
    short: dict[tuple[str, str], float] = {}
    for folder in list(folders)[:_MOST]:
        for work, rate, seconds in _rates(folder):
            kept = found if seconds >= _SHORT else short
            kept[work] = min(rate, kept.get(work, rate))
    return Rates(short | found)


def _rates(folder: Path) -> Iterator[tuple[tuple[str, str], float, float]]:
    progress = read_progress(folder)
    known = [stage for stage in progress.stages if stage.rate] if progress else []
    resolved = _resolved(folder) if any(stage.what.startswith(TEXTS) for stage in known) else {}
    for stage in known:
        kind = next((one for one in _KINDS if stage.what.startswith(f"{one} ")), None)
        if kind is None or stage.rate is None:
            continue
        name = stage.what.removeprefix(f"{kind} ").removesuffix(", bounded")
        rate = stage.rate
        if kind == TEXTS and resolved.get("continuations"):
            rate *= _tokens(resolved["continuations"]["decodings"])
        yield (kind, short_model(name)), rate, stage.changed - stage.began


def _tokens(decodings: Iterable[Mapping[str, Any]]) -> float:
    """Tokens of a text at most, on average; of settings that differ in length alone the longest is written."""
    longest: dict[str, float] = {}
    for one in decodings:
        key = json.dumps({**one, "max_new_tokens": None}, sort_keys=True)
        longest[key] = max(longest.get(key, 0), one["max_new_tokens"] * one["beams"])
    return sum(longest.values()) / len(longest)


def _resolved(folder: Path) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = read_meta(folder)["resolved"]
    except RunError:
        return {}
    return found


def short_model(name: str) -> str:
    """A name as two runs have in common: a file by its own name, and without settings that change nothing.

    >>> short_model("scripted:studies/../data/model.toml"), short_model("hf:org/name")
    ('scripted:model.toml', 'hf:org/name')
    """
    kind, colon, path = lasting_name(name).partition(":")
    return f"{kind}:{PurePath(path).name}" if colon and path.endswith((".toml", ".gguf")) else f"{kind}{colon}{path}"
