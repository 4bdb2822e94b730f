"""How well `tiltmeter natural build` finds sentences that introduce a profession, on sentences with gold labels.

Run `python benchmarks/introducing.py FILE.tsv [--wrong]`. The file has the columns profession (`-` where a sentence
introduces none), dropped (gendered or obsolete: introduced, and rightly not used), kind and text. A sentence counts as
found where it is used, under whatever name; all are built as one plain text, a sentence a line.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.engine.natural import build_from
from tiltmeter.sources.natural.accounts import plain
from tiltmeter.sources.natural.pipeline import BuildSettings


@dataclass(frozen=True)
class Gold:
    """A sentence, and the profession that it introduces, if any."""

    profession: str
    dropped: str
    kind: str
    text: str

    @property
    def usable(self) -> bool:
        """Whether it should become a prompt."""
        return self.profession != "-" and not self.dropped


def read(path: Path) -> list[Gold]:
    """The rows of a file."""
    return [Gold(*line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def counted(rows: list[Gold]) -> tuple[dict[str, float], list[str]]:
    """Precision, recall and their counts; and what went wrong, one line each."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("\n".join(row.text for row in rows) + "\n", encoding="utf-8")
        built = build_from(corpus, BuildSettings(per_profession=len(rows)))
    by_text = {sentence.sentence: sentence for sentence in built.sentences}
    right = found = wanted = named = 0
    wrong = []
    for row in rows:
        made = by_text.get(row.text)
        used = made is not None and made.use
        found, wanted, right = found + used, wanted + row.usable, right + (used and row.usable)
        if used and row.usable and made is not None:
            same = plain(made.profession) == plain(row.profession)
            named += same
            if not same:
                wrong.append(f"NAME  {made.profession} for {row.profession}: {row.text}")
        if used != row.usable:
            reason = made.prompt if made and made.use else made.reason if made else "not in the file"
            wrong.append(f"{'EXTRA' if used else 'LOST '} {row.text}   [{reason}]")
    figures = {
        "sentences": len(rows), "wanted": wanted, "found": found, "right": right, "named": named,
        "precision": right / max(1, found), "recall": right / max(1, wanted),
    }  # fmt: skip
    return figures, wrong


def main() -> None:
    """Count, and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--wrong", action="store_true", help="print every sentence that came out wrong")
    given = options.parse_args()
    figures, wrong = counted(read(given.file))
    print(
        "  ".join(
            f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}" for key, value in figures.items()
        )
    )
    if given.wrong:
        print("\n".join(sorted(wrong)))


if __name__ == "__main__":
    main()
