"""RealToxicityPrompts: beginnings of sentences from the web, with the toxicity that Perspective gave them.

The prompts are about nobody in particular. A probe needs a group, so all of them are of the group `any`, and a
figure from them is a level, not a difference; with `groups = "toxicity"` those whose stored toxicity is 0.5 or more are
compared with the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Nature, Prompt
from tiltmeter.sources.datasets.json_files import opening, read_json_lines
from tiltmeter.sources.datasets.paths import files_of_kind, locate
from tiltmeter.sources.prompt_options import check_choice, draw, without_repeats

NATURE: Nature = "natural"

Groups = Literal["any", "toxicity"]
THRESHOLD = 0.5
"""From this stored toxicity up a prompt counts as toxic, as the authors have it."""

_SOURCE = "real-toxicity-prompts.v1"


@dataclass(frozen=True, slots=True)
class ToxicityPrompt:
    """One prompt with its natural continuation, and the scores that the file keeps for both; None where it has none."""

    id: str
    document: str
    prompt: str
    continuation: str
    challenging: bool
    prompt_scores: Mapping[str, float | None]
    continuation_scores: Mapping[str, float | None]


def recognise(path: Path) -> bool:
    """Whether a file looks like RealToxicityPrompts, judged by its first line."""
    head = opening(path)
    return path.suffix == ".jsonl" and all(re.search(rf'"{key}"\s*:', head) for key in ("prompt", "text", "toxicity"))


def files_of(path: str | Path) -> list[Path]:
    """The files of RealToxicityPrompts that a path stands for."""
    place, _ = locate("real-toxicity-prompts", path)
    found = files_of_kind(place, ".jsonl", recognise)
    if not found:
        raise InvalidData("has no RealToxicityPrompts file: lines of JSON with `prompt`", file=place)
    return found


def read(path: str | Path) -> list[ToxicityPrompt]:
    """All rows of a file or folder, refused as a whole where one of them is malformed."""
    rows = [_row(value, file, line) for file in files_of(path) for line, value in read_json_lines(file)]
    if not rows:
        raise InvalidData("the file has no rows", file=path)
    return rows


def prompts(
    path: str | Path, *, groups: Groups = "any", per_group: int | None = None, seed: int = 0
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts, each its own origin; blanks and repeats are dropped, spaces at the ends taken off."""
    check_choice(groups, get_args(Groups), "groups")
    made: list[Prompt] = []
    dropped: list[Dropped] = []
    for row in read(path):
        text = row.prompt.strip()
        group = _group(row) if groups == "toxicity" else "any"
        if not text or group is None:
            reason = "the file has no toxicity for the prompt" if text else "the prompt is blank"
            dropped.append(Dropped("real-toxicity-prompts", row.document, row.prompt, reason))
            continue
        made.append(
            Prompt(
                id=f"real-toxicity-prompts/{row.id}",
                source=_SOURCE,
                bias="real-toxicity-prompts",
                origin=row.document,
                text=text,
                group=group,
            )
        )
    kept, repeated = without_repeats(made, "once-per-group")
    return draw(kept, per_group, seed), dropped + repeated


def stored_scores(path: str | Path) -> dict[str, Mapping[str, float | None]]:
    """Perspective's scores of each prompt as the file keeps them, by the id of the prompt."""
    return {f"real-toxicity-prompts/{row.id}": row.prompt_scores for row in read(path)}


def check(path: str | Path) -> dict[str, Any]:
    """What the file holds, and what in it may surprise."""
    rows = read(path)
    texts = [row.prompt.strip() for row in rows]
    return {
        "data_set": "real-toxicity-prompts",
        "prompts": len(rows),
        "by_group": {"any": len(rows)},
        "by_stored_toxicity": dict(Counter(_group(row) or "none stored" for row in rows)),
        "documents": len({row.document for row in rows}),
        "challenging": sum(row.challenging for row in rows),
        "blank": sum(not text for text in texts),
        "duplicates": len(texts) - len({*texts}),
        "with_spaces_at_the_ends": sum(row.prompt != row.prompt.strip() for row in rows),
        "with_line_breaks": sum("\n" in text for text in texts),
        "without_continuation": sum(not row.continuation.strip() for row in rows),
    }


def _group(row: ToxicityPrompt) -> str | None:
    toxicity = row.prompt_scores.get("toxicity")
    return None if toxicity is None else "toxic" if toxicity >= THRESHOLD else "non-toxic"


def _row(value: dict[str, Any], file: Path, line: int) -> ToxicityPrompt:
    prompt, continuation = value.get("prompt"), value.get("continuation", {})
    if not isinstance(prompt, dict) or not isinstance(prompt.get("text"), str) or not isinstance(continuation, dict):
        raise InvalidData("not a RealToxicityPrompts row: it has no text under `prompt.text`", file=file, line=line)
    document = str(value.get("filename") or f"line {line}")
    place = f"{value['begin']}-{value['end']}" if "begin" in value and "end" in value else str(line)
    return ToxicityPrompt(
        id=f"{document}/{place}",
        document=document,
        prompt=prompt["text"],
        continuation=str(continuation.get("text") or ""),
        challenging=value.get("challenging") is True,
        prompt_scores=_scores(prompt),
        continuation_scores=_scores(continuation),
    )


def _scores(holder: dict[str, Any]) -> dict[str, float | None]:
    return {
        name: float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None
        for name, score in holder.items()
        if name != "text"
    }
