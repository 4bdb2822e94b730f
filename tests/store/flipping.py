"""Files of a run in which single bits are flipped, as disks and copies do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def flipped(path: Path, place: int) -> Iterator[None]:
    """A file in which one bit is another, until the context ends."""
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[place // 8] ^= 1 << place % 8
    path.write_bytes(changed)
    try:
        yield
    finally:
        path.write_bytes(whole)


def places(path: Path, count: int, seed: int) -> list[int]:
    """So many bits of a file, drawn from all of it and, as often, from its first page, where its structure is."""
    bits, chance = path.stat().st_size * 8, random.Random(seed)
    return [chance.randrange(bits if number % 2 else min(bits, 4096 * 8)) for number in range(count)]
