"""What the lines of WinoBias say, read without the reader under test."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_MALE = {"he", "him", "his"}


def expected(folder: Path, kind: str, number: int, gender: str) -> tuple[str, str]:
    """Of a sentence with a pronoun of that gender: whether it is pro or anti, and whom the pronoun stands for."""
    for side in ("pro", "anti"):
        line = _lines(folder / f"{side}_stereotyped_{kind}.txt.dev")[number]
        person, pronoun = (" ".join(one.split()) for one in re.findall(r"\[([^\]]*)\]", line)[:2])
        if ("male" if pronoun.casefold() in _MALE else "female") == gender:
            return side, person.casefold() if person.casefold().startswith("the ") else f"the {person.casefold()}"
    raise AssertionError(f"{kind} {number} has no {gender} pronoun")


@cache
def _lines(file: Path) -> dict[int, str]:
    return {int(line.split()[0]): line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()}
