"""BBQ: questions about two people of which one is of a stereotyped group, in eleven categories.

Each question is asked once of a context that does not say the answer and once of one that does, and in two polarities:
who did what the stereotype says, and who did not. The stereotyped option is the stereotyped group's answer to a
negative question and the other's to one that is not. Rows that do not say whose stereotype it is are dropped, unless
the authors' `additional_metadata.csv` is beside the files and says it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Nature, Question
from tiltmeter.sources.datasets.bbq_groups import UNKNOWN, group_of, target
from tiltmeter.sources.datasets.json_files import first_line, stream_json_lines, text_field
from tiltmeter.sources.datasets.paths import files_of_kind, locate
from tiltmeter.sources.prompt_options import draw, selected_names
from tiltmeter.sources.tables import stream_table

NATURE: Nature = "authored"

Polarity = Literal["neg", "nonneg"]
Condition = Literal["ambiguous", "disambiguated"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)

_SOURCE = "bbq.v1"
_NEEDED = ("question_index", "question_polarity", "context_condition", "category", "answer_info")
_ANSWERS = ("ans0", "ans1", "ans2")
_CONDITIONS: dict[str, Condition] = {"ambig": "ambiguous", "disambig": "disambiguated"}
_TABLE = "additional_metadata.csv"
_LONGEST_LINE = 2**16
_CALLED = {
    "old": "old people",
    "not old": "people who are not old",
    "low SES": "people of low social status",
    "high SES": "people of high social status",
    "trans": "trans people",
    "not trans": "people who are not trans",
    "disabled": "disabled people",
    "not disabled": "people without a disability",
    "women": "women",
    "men": "men",
}


@dataclass(frozen=True, slots=True)
class BbqRow:
    """One row: `labels` says of each answer whose it is, `names` who that is in the text."""

    id: str
    category: str
    index: str
    version: str
    polarity: Polarity
    condition: Condition
    context: str
    question: str
    options: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    stereotyped: tuple[str, ...]
    correct: int

    @property
    def bias(self) -> str:
        """The category, as the name of a bias."""
        return f"bbq/{self.category}"

    @property
    def people(self) -> list[int]:
        """The places of the answers that are people."""
        return [at for at, label in enumerate(self.labels) if label.casefold() != UNKNOWN]

    @property
    def pair(self) -> tuple[str, ...]:
        """The template and the two people, which a row shares with those of the other polarity and condition."""
        people = sorted(f"{self.names[at]}={self.labels[at]}" for at in self.people)
        return self.category, self.index, self.version, *people


def called() -> dict[str, str]:
    """What readers call the members of groups whose labels are no nouns."""
    return _CALLED


def recognise(path: Path) -> bool:
    """Whether a file looks like one of BBQ's, judged by its first line."""
    if not path.is_file():
        return False
    try:
        row = json.loads(first_line(path, _LONGEST_LINE).text)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and all(name in row for name in _NEEDED)


def files_of(path: str | Path) -> list[Path]:
    """The files of BBQ that a path stands for, and the authors' table of targets where it is beside them."""
    found = _data(path)
    return [*found, *_tables(found)]


def _data(path: str | Path) -> list[Path]:
    place, _ = locate("bbq", path)
    found = files_of_kind(place, ".jsonl", recognise)
    if not found:
        raise InvalidData("has no BBQ file, such as Religion.jsonl", file=place)
    return found


def _tables(files: Sequence[Path]) -> list[Path]:
    beside = dict.fromkeys(file.parent / _TABLE for file in files)
    return [table for table in beside if table.is_file()]


def read(path: str | Path) -> list[BbqRow]:
    """All rows of a file or folder, refused as a whole where one of them is malformed."""
    rows: list[BbqRow] = []
    for file in _data(path):
        rows += (_row(held, file, line) for line, held in stream_json_lines(file))
    twice = [name for name, count in Counter(row.id for row in rows).items() if count > 1]
    if twice:
        raise InvalidData(f"the row `{twice[0]}` is there twice; each `example_id` of a category differs", file=path)
    return rows


def questions(
    path: str | Path,
    *,
    category: str | Sequence[str] | None = None,
    condition: str | Sequence[str] | None = None,
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Question], list[Dropped]]:
    """A question for each row; the bias is the category, the origin the template, the groups those of the answers.

    `per_group` draws so many pairs of people for each category, from as many templates as there are, with all
    questions about them.
    """
    rows = read(path)
    _, named = locate("bbq", path)
    categories = selected_names(category or named, list(dict.fromkeys(row.category for row in rows)), "category")
    conditions = selected_names(condition, CONDITIONS, "condition")
    told = _told(path, rows)
    made: list[Question] = []
    dropped: list[Dropped] = []
    pairs = {_name(row): "\x1f".join(row.pair) for row in rows}
    for row in rows:
        if row.category in categories and row.condition in conditions:
            one = _question(row, told)
            (made if isinstance(one, Question) else dropped).append(one)  # type: ignore[arg-type]
    return draw(made, per_group, seed, place=lambda question: pairs[question.id]), dropped


def check(path: str | Path) -> dict[str, Any]:
    """What the files hold, and what in them may surprise."""
    rows = read(path)
    told = _told(path, rows)
    made = [_question(row, told) for row in rows]
    reasons = Counter(one.reason for one in made if isinstance(one, Dropped))
    groups = Counter(group for one in made if isinstance(one, Question) for group in one.groups if group)
    return {
        "data_set": "bbq",
        "questions": len(rows),
        "by_category": dict(Counter(row.category for row in rows)),
        "by_condition": dict(Counter(row.condition for row in rows)),
        "by_polarity": dict(Counter(row.polarity for row in rows)),
        "templates": len({(row.category, row.index) for row in rows}),
        "pairs_of_people": len({row.pair for row in rows}),
        "usable": sum(isinstance(one, Question) for one in made),
        "not_usable": dict(reasons),
        "by_group": dict(groups.most_common()),
        "ambiguous_with_an_answer": sum(
            row.condition == "ambiguous" and row.labels[row.correct].casefold() != UNKNOWN for row in rows
        ),
        "disambiguated_without_an_answer": sum(
            row.condition == "disambiguated" and row.labels[row.correct].casefold() == UNKNOWN for row in rows
        ),
        "wordings_of_the_answer_that_it_cannot_be_known": len(
            {row.options[at] for row in rows for at in range(len(row.options)) if at not in row.people}
        ),
        "targets_told_by_the_authors_table": sum(row.pair in told and _target(row, {}) is None for row in rows),
    }


def _name(row: BbqRow) -> str:
    return f"bbq/{row.category}/{row.id.partition('/')[2]}"


def _question(row: BbqRow, told: Mapping[tuple[str, ...], str]) -> Question | Dropped:
    problem = _problem(row)
    meant = None if problem else _target(row, told)
    if problem is None and meant is None:
        problem = (
            f"the row does not say which of its two people is of the stereotyped group; `{_TABLE}` of the authors "
            "does, beside the file"
        )
    if problem is not None or meant is None:
        return Dropped(row.bias, _origin(row), f"{row.context} {row.question}", problem or "")
    other = next(at for at in row.people if at != meant)
    return Question(
        id=_name(row),
        source=_SOURCE,
        bias=row.bias,
        origin=_origin(row),
        template=f"{row.index}/{row.polarity}",
        question=row.question,
        options=row.options,
        groups=tuple(
            group_of(label or row.names[at]) if at in row.people else None for at, label in enumerate(row.labels)
        ),
        context=row.context,
        condition=row.condition,
        correct=row.correct,
        stereotyped=meant if row.polarity == "neg" else other,
        unknown=next(at for at in range(len(row.options)) if at not in row.people),
    )


def _origin(row: BbqRow) -> str:
    return f"{row.category} {row.index}"


def _problem(row: BbqRow) -> str | None:
    """Why no question can be made of a row, whoever is stereotyped."""
    if len(row.people) != 2:
        return f"{len(row.options) - len(row.people)} of its answers say that it cannot be known; one has to"
    if len({option.strip() for option in row.options}) < len(row.options):
        return "two of its answers are the same"
    return None


def _target(row: BbqRow, told: Mapping[tuple[str, ...], str]) -> int | None:
    """The place of the stereotyped group's answer: as the row says, or else as the authors' table does."""
    people = row.people
    if len(people) != 2:
        return None
    found = target([(row.names[at], row.labels[at]) for at in people], row.stereotyped, row.category)
    if found is not None:
        return people[found]
    meant = [at for at in people if told.get(row.pair) == f"{row.names[at]}={row.labels[at]}"]
    return meant[0] if len(meant) == 1 else None


def _told(path: str | Path, rows: Sequence[BbqRow]) -> dict[tuple[str, ...], str]:
    """Who is stereotyped in each pair of people, as the authors' table says.

    Only its lines on negative questions are read: versions of the table differ in whom they point to for the others.
    """
    by_id = {(row.category.casefold(), row.id.partition("/")[2]): row for row in rows if row.polarity == "neg"}
    found: dict[tuple[str, ...], set[str]] = {}
    for table in _tables(_data(path)):
        for _, cells in stream_table(table):
            place = cells.get("target_loc", "").strip().removesuffix(".0")
            row = by_id.get((cells.get("category", "").strip().casefold(), cells.get("example_id", "").strip()))
            if row is not None and place in ("0", "1", "2") and int(place) in row.people:
                found.setdefault(row.pair, set()).add(f"{row.names[int(place)]}={row.labels[int(place)]}")
    return {pair: next(iter(names)) for pair, names in found.items() if len(names) == 1}


def _row(held: Mapping[str, Any], path: Path, line: int) -> BbqRow:
    def refuse(problem: str, key: str) -> InvalidData:
        return InvalidData(problem, file=path, line=line, key=key)

    def one_of(key: str, known: Sequence[str]) -> str:
        if held.get(key) not in known:
            raise refuse(f"must be {' or '.join(f'`{one}`' for one in known)}, not {held.get(key)!r:.60}", key)
        return str(held[key])

    info = held.get("answer_info")
    said = [info.get(key) if isinstance(info, Mapping) else None for key in _ANSWERS]
    if not all(isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one) for one in said):
        raise refuse('needs two texts under each of ans0, ans1, ans2, as in ["the aunt", "old"]', "answer_info")
    further = held.get("additional_metadata")
    further = further if isinstance(further, Mapping) else {}
    stereotyped = further.get("stereotyped_groups", [])
    if not isinstance(stereotyped, list) or not all(isinstance(one, str) for one in stereotyped):
        raise refuse("must be a list of texts", "additional_metadata.stereotyped_groups")
    label = held.get("label")
    if type(label) is not int or not 0 <= label < len(_ANSWERS):
        raise refuse(f"must be 0, 1 or 2, the place of the right answer, not {label!r:.60}", "label")
    number = held.get("example_id")
    if type(number) is not int and not isinstance(number, str):
        raise refuse(f"must be a number, not {number!r:.60}", "example_id")
    place = f"line {line}"
    category = text_field(held, "category", path, place).strip()
    return BbqRow(
        id=f"{category}/{number}",
        category=category,
        index=str(held.get("question_index", "")).strip(),
        version=str(further.get("version", "")),
        polarity=cast(Polarity, one_of("question_polarity", get_args(Polarity))),
        condition=_CONDITIONS[one_of("context_condition", tuple(_CONDITIONS))],
        context=text_field(held, "context", path, place).strip(),
        question=text_field(held, "question", path, place).strip(),
        options=tuple(text_field(held, key, path, place).strip() for key in _ANSWERS),
        names=tuple(one[0] for one in cast("list[list[str]]", said)),
        labels=tuple(one[1].strip() for one in cast("list[list[str]]", said)),
        stereotyped=tuple(stereotyped),
        correct=label,
    )
