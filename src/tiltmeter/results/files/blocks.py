"""Rated texts in the layout of the syntactic-diversity paper: what a line is about is said by its place alone.

One line `label<TAB>text` for each prompt, ordered by prompt type, then group, then structure; one file for each seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from tiltmeter.errors import InvalidData, UnknownName, UserError
from tiltmeter.results.files.loaded import loaded
from tiltmeter.results.files.rated_texts import RATED, RatedTexts, rated_texts, value_notes
from tiltmeter.results.files.rated_values import Given, read_values
from tiltmeter.stats.structures.means import natural

LABEL = "label"
"""What errors and reasons call the part of a line before the tab."""


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """What the files do not say themselves."""

    groups: tuple[str, ...]
    """In the order in which they follow one another."""
    structures: int
    """How many prompts of each type and group there are; they are called "0", "1" and so on."""
    prompt_types: tuple[str, ...] = ()
    """Names of the prompt types, in order; without them they are numbered from 0."""
    unscored: tuple[str, ...] = ()
    """Labels that are not to be scored."""
    only: tuple[str, ...] = ()
    """The prompt types that count, such as those on occupation; without them all do."""

    @property
    def block(self) -> int:
        """Lines of one prompt type."""
        return len(self.groups) * self.structures


def read_blocks(paths: Sequence[str | Path], layout: BlockLayout, *, by_prompt: bool = True) -> RatedTexts:
    """The rated texts of the files, or of all files of a folder; the prompt type is the origin.

    `by_prompt`: whether each knows its prompt, for what is counted within prompts. The texts themselves are not looked
    at. A line without a label is unscored.
    """
    _check(layout)
    files = block_files(paths)
    lines = {file: _labels(file) for file in files}
    types = _types(lines, layout)
    for name in layout.only:
        if name not in types:
            raise UserError(UnknownName("prompt type", name, types).problem, key="--only")
    places = list(product(types, layout.groups, map(str, range(layout.structures))))
    given = [
        Given(label, file, number) for file, labels in lines.items() for number, label in enumerate(labels, start=1)
    ]
    values = read_values(given, LABEL, layout.unscored, codes=True)
    numbers = {file: number for number, file in enumerate(files)}
    rows = (
        {
            "file": numbers[Path(held.file)],
            "line": held.line,
            "group": group,
            "origin": kind,
            "structure": structure,
            "item": f"{kind}/{group}/{structure}" if by_prompt else None,
            "value": cell.value,
            "reason": cell.unrated,
            "label": cell.label,
        }
        for held, cell, (kind, group, structure) in zip(given, values.cells, places * len(files), strict=True)
        if kind in (layout.only or types)
    )
    with loaded(RATED, rows) as found:
        texts = rated_texts(found, by_text=True, files=files)
    notes = value_notes(texts.items, values, layout.unscored)
    return replace(
        texts,
        notes=tuple(notes),
        regard=values.regard,
        rater="regard" if values.regard else "",
        structured=True,
    )


def block_files(paths: Sequence[str | Path]) -> list[Path]:
    """The files that are meant, a folder standing for those in it, in order of their names."""
    found: list[Path] = []
    for path in map(Path, paths):
        if not path.is_dir():
            found.append(path)
            continue
        held = [each for each in path.iterdir() if each.is_file() and not each.name.startswith(".")]
        if not held:
            raise InvalidData("the folder holds no files; one for each seed is needed", file=path)
        found += sorted(held, key=lambda each: natural(each.name))
    seen: set[Path] = set()
    for path in found:
        if path.resolve() in seen:
            raise InvalidData("the file is given twice; each seed counts once", file=path)
        seen.add(path.resolve())
    return found


def _check(layout: BlockLayout) -> None:
    if not layout.groups or not all(layout.groups):
        raise UserError("--groups: write the names of the groups in their order, e.g. man,woman")
    for option, names in (("--groups", layout.groups), ("--prompt-types", layout.prompt_types)):
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise UserError(f"{option}: {double!r} is there twice; every name stands for one place in the order")
    if layout.structures < 1:
        raise UserError(f"--structures {layout.structures}: write how many there are, 1 or more")


def _types(lines: dict[Path, list[str]], layout: BlockLayout) -> Sequence[str]:
    """The names of the prompt types, of which there are as many as the files have blocks."""
    first, length = next((file, len(labels)) for file, labels in lines.items())
    for file, labels in lines.items():
        if len(labels) != length:
            raise InvalidData(
                f"{len(labels)} lines where {first} has {length}; the files of all seeds have the same prompts",
                file=file,
            )
    block = f"{len(layout.groups)} groups × {layout.structures} structures"
    if not length or length % layout.block:
        raise InvalidData(
            f"{length} lines are no whole number of prompt types of {block} = {layout.block} lines each; check "
            "--groups and --structures",
            file=first,
        )
    types = length // layout.block
    if layout.prompt_types and len(layout.prompt_types) != types:
        raise InvalidData(
            f"{length} lines are {types} prompt types of {block}, and --prompt-types names {len(layout.prompt_types)}",
            file=first,
        )
    return layout.prompt_types or [str(number) for number in range(types)]


def _labels(path: Path) -> list[str]:
    """What stands before the first tab of each line; blank lines at the end are none, a tab alone is one."""
    lines = [line.removesuffix("\r") for line in _read(path).split("\n")]
    while lines and "\t" not in lines[-1] and not lines[-1].strip():
        lines.pop()
    return [line.partition("\t")[0].strip() for line in lines]


def _read(path: Path) -> str:
    # Only a line feed ends a line: texts that a model wrote hold all the other signs that Python would split at.
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InvalidData("there is no such file", file=path) from None
    except UnicodeDecodeError as error:
        raise InvalidData(f"not UTF-8 text (byte {error.start}); save it as UTF-8", file=path) from None
    except OSError as error:
        raise InvalidData(f"cannot be read: {error.strerror or error}", file=path) from None


def names_of(text: str) -> tuple[str, ...]:
    """The names of "man,woman", without blanks around them.

    >>> names_of("man, gay person")
    ('man', 'gay person')
    """
    return tuple(part.strip() for part in text.split(","))
