"""HONEST: templates about women and men in six languages, and about queer and nonqueer people in English.

Columns are read by name: the queer file has two of them in another order, and in early versions `category` is called
`mf`. The mask `[M]` at the end of a template is
taken off, so that what stands before it can be continued.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from tiltmeter.english import capitalised
from tiltmeter.errors import InvalidData
from tiltmeter.files import read_numbered_csv
from tiltmeter.records import Dropped, Nature, Prompt
from tiltmeter.sources.datasets.json_files import opening
from tiltmeter.sources.datasets.paths import files_of_kind, locate
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.prompt_options import Repeats, draw, selected_names, without_repeats

NATURE: Nature = "template"

Subset = Literal["binary", "queer_nonqueer"]
PARTS: tuple[Subset, ...] = get_args(Subset)

_SOURCE = "honest.v1"
_NEEDED = ("template_masked", "raw", "identity", "number", "category", "type")
_NOW = {"mf": "category"}
"""What columns of early versions are called now."""
_LANGUAGE = re.compile(r"(?:^|_)(en|es|fr|it|pt|ro)(?:_|$)")


@dataclass(frozen=True, slots=True)
class HonestTemplate:
    """One template with its identity term filled in and the mask still there."""

    id: str
    part: Subset
    language: str
    text: str
    template: str
    identity: str
    number: str
    category: str
    type: str


def recognise(path: Path) -> bool:
    """Whether a file looks like one of HONEST's, judged by its header alone."""
    header = opening(path).partition("\n")[0].strip().split("\t") if path.is_file() else []
    return {*_NEEDED} <= {_NOW.get(name, name) for name in header}


def files_of(path: str | Path) -> list[Path]:
    """The files of HONEST that a path stands for."""
    place, _ = locate("honest", path)
    found = files_of_kind(place, ".tsv", recognise)
    if not found:
        raise InvalidData("has no HONEST file: a tab-separated table with a column `template_masked`", file=place)
    return found


def read(path: str | Path) -> list[HonestTemplate]:
    """All rows of a file or folder, refused as a whole where one of them is malformed."""
    rows: list[HonestTemplate] = []
    for file in files_of(path):
        columns, lines = _renamed(*read_numbered_csv(file, "\t"))
        missing = [name for name in _NEEDED if name not in columns]
        if missing:
            raise InvalidData(f"not a HONEST file: it has no column `{missing[0]}`", file=file, line=1)
        for line, cells in lines:
            empty = next((name for name in _NEEDED[1:] if not cells[name].strip()), None)
            if empty:
                raise InvalidData(f"nothing under `{empty}`", file=file, line=line)
        rows += _rows(file, [cells for _, cells in lines])
    return rows


def _renamed(
    columns: list[str], lines: list[tuple[int, dict[str, str]]]
) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    if not {*_NOW} & {*columns}:
        return columns, lines
    new = [_NOW.get(name, name) for name in columns]
    return new, [(line, dict(zip(new, cells.values(), strict=True))) for line, cells in lines]


def prompts(
    path: str | Path,
    *,
    part: str | Sequence[str] | None = None,
    language: str | Sequence[str] | None = None,
    merge: bool = False,
    repeats: Repeats = "unshared",
    as_published: bool = False,
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """A prompt for each template; the group is the category, the origin the template, the term the identity.

    Of a folder the English files are used unless `language` says otherwise. `merge` makes two groups, queer and
    nonqueer, of the eight categories. `repeats` says what becomes of texts that stand more than once: by default
    what both genders share ("the child") is dropped. `as_published` keeps the first letter small and double spaces.
    """
    place, named = locate("honest", path)
    rows = read(path)
    parts = selected_names(part or named, PARTS, "part")
    spoken = list(dict.fromkeys(row.language for row in rows))
    usual = "en" if place.is_dir() and "en" in spoken else None
    languages = selected_names(language or usual, spoken, "language")
    made: list[Prompt] = []
    dropped: list[Dropped] = []
    for row in rows:
        if row.part in parts and row.language in languages:
            text, mask, rest = row.text.partition("[M]")
            if not text.strip():
                dropped.append(Dropped(_bias(row), row.template, row.text, "the prompt is blank"))
            elif rest.strip(" .") or not mask:
                reason = "the mask [M] is not at the end"
                dropped.append(Dropped(_bias(row), row.template, row.text, reason))
            else:
                made.append(_prompt(row, _repaired(text) if not as_published else text.rstrip(), merge=merge))
    kept, repeated = without_repeats(made, repeats)
    return draw(kept, per_group, seed), dropped + repeated


def check(path: str | Path) -> dict[str, Any]:
    """What the files hold, and what in them may surprise, in all and part by part."""
    rows = read(path)
    return {
        "data_set": "honest",
        "prompts": len(rows),
        "by_group": dict(Counter(row.category for row in rows)),
        "blank": sum(not row.text for row in rows),
        "duplicates": len(rows) - len({(_bias(row), row.text) for row in rows}),
        "parts": {
            name: _check([row for row in rows if _bias(row) == name]) for name in dict.fromkeys(map(_bias, rows))
        },
    }


def _check(rows: list[HonestTemplate]) -> dict[str, Any]:
    texts = Counter(row.text for row in rows)
    owners = {(row.text, row.category) for row in rows}
    doubled = dict(_doubled(rows))
    return {
        "rows": len(rows),
        "by_group": dict(Counter(row.category for row in rows)),
        "by_type": dict(Counter(row.type for row in rows)),
        "identities": len({row.identity for row in rows}),
        "distinct": len(texts),
        "duplicates": len(rows) - len(texts),
        "shared_by_several_groups": sum(count > 1 for count in Counter(text for text, _ in owners).values()),
        "with_double_spaces": sum("  " in row.text for row in rows),
        "mask_not_at_the_end": sum(not re.search(r"\[M\][ .]*$", row.text) for row in rows),
        "templates_doubled": sum(map(len, doubled.values())),
        "templates_missing": sum(len(_missing(rows, group, number)) for group, number in doubled),
        "templates_doubled_are": {group: "; ".join(found) for (group, _), found in doubled.items()},
        "templates_missing_are": {
            group: "; ".join(_missing(rows, group, number))
            for group, number in doubled
            if _missing(rows, group, number)
        },
    }


def _doubled(rows: list[HonestTemplate]) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """The templates that each identity of a group has twice where its other templates stand once."""
    for group, number in dict.fromkeys((row.category, row.number) for row in rows):
        counts = Counter(row.template for row in rows if (row.category, row.number) == (group, number))
        usual = Counter(counts.values()).most_common(1)[0][0]
        found = [template for template, count in counts.items() if count >= 2 * usual and len(counts) > 2]
        if found:
            yield (group, number), found


def _missing(rows: list[HonestTemplate], group: str, number: str) -> list[str]:
    """The templates that other groups have and this one has not."""
    same_number = [row for row in rows if row.number == number]
    own = {row.template for row in same_number if row.category == group}
    return list(dict.fromkeys(row.template for row in same_number if row.template not in own))


def _rows(file: Path, lines: list[dict[str, str]]) -> Iterator[HonestTemplate]:
    part: Subset = "queer_nonqueer" if any("queer" in cells["category"] for cells in lines) else "binary"
    named = _LANGUAGE.search(file.stem.lower())
    language = named[1] if named else "en"
    for number, cells in enumerate(lines):
        values = (cells[name].strip() for name in ("template_masked", "raw", "identity", "number", "category", "type"))
        yield HonestTemplate(f"honest/{part}/{language}/{number}", part, language, *values)


def _bias(row: HonestTemplate) -> str:
    return f"honest/{row.part}/{row.language}"


def _repaired(text: str) -> str:
    return capitalised(" ".join(text.split()))


def _prompt(row: HonestTemplate, text: str, *, merge: bool) -> Prompt:
    group = row.category.partition("_")[0] if merge and row.part == "queer_nonqueer" else row.category
    return Prompt(
        id=row.id,
        source=_SOURCE,
        bias=_bias(row),
        origin=row.template,
        text=text,
        group=group,
        term=row.identity,
        attribute=row.type,
        template=row.template,
        group_spans=tuple(find(text, row.identity.removeprefix("the "))),
        language=row.language,
    )
