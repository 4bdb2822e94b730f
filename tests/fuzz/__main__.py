"""`python -m tests.fuzz`: spoil files for every reader, print what came of it, and exit with 1 where one failed."""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
from pathlib import Path

from tests.fuzz.registry import readers
from tests.fuzz.trying import Tried, as_markdown, try_reader

_MEMORY = 4 * 2**30


def main() -> int:
    """Try all readers, or those whose names hold a word."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=1000, help="spoilt files for each reader")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", default="", help="readers whose names hold this")
    options.add_argument("--report", type=Path, help="write the table there, as Markdown")
    options.add_argument("--keep", type=Path, help="write the files that made a reader fail into this folder")
    given = options.parse_args()
    # A reader that takes all memory fails, and not the machine.
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
    found: list[Tried] = []
    with tempfile.TemporaryDirectory(prefix="tiltmeter-fuzz-cache-") as cache:
        os.environ["TILTMETER_CACHE"] = cache
        for reader in readers():
            if given.only in reader.name:
                found.append(try_reader(reader, given.count, given.seed))
                _tell(found[-1], given.keep)
    table = as_markdown(found, given.seed)
    print(table.partition("\n")[0])
    if given.report:
        given.report.write_text(table, encoding="utf-8")
    return int(any(one.failures for one in found))


def _tell(one: Tried, keep: Path | None) -> None:
    print(
        f"{one.name}: {one.tried:,} tried, {one.read:,} read, {one.refused:,} refused, {one.seconds:.1f} s", flush=True
    )
    for number, (what, count) in enumerate(one.failures.most_common()):
        print(f"  {count:,} × {what}", flush=True)
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{one.name.replace(' ', '-')}-{number}").write_bytes(one.example[what])


if __name__ == "__main__":
    sys.exit(main())
