"""Winogender: sentences about an occupation, another person and a pronoun for one of them, in three genders.

The id of a sentence says who is in it, whom the pronoun stands for and its gender. What is usual in an occupation is
taken from labour statistics: the authors' table beside the sentences, or one that the user has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from tiltmeter.english import FORMS, Gender
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import read_numbered_csv
from tiltmeter.records import Dropped, Nature, Pair, Prompt, Question
from tiltmeter.sources.datasets.coreference import Coreference, of_gender, stereotypes_of
from tiltmeter.sources.datasets.json_files import opening
from tiltmeter.sources.datasets.paths import files_of_kind, locate
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.labour_files import Matched, match, read_labour
from tiltmeter.sources.prompt_options import selected_names
from tiltmeter.sources.word_sets import CALLED

NATURE: Nature = "authored"

Other = Literal["participant", "someone"]

_SOURCE = "winogender.v1"
_BIAS = "winogender"
_COLUMNS = ("sentid", "sentence")
_STATISTICS = "occupations-stats.tsv"
_SOMEONE = "someone"
_ID = re.compile(r"(?P<occupation>.+)\.(?P<other>[^.]+)\.(?P<answer>[01])\.(?P<gender>male|female|neutral)(?:\.txt)?")


@dataclass(frozen=True, slots=True)
class WinogenderSentence:
    """One sentence; `answer` is 0 where the pronoun stands for the occupation and 1 for the other person."""

    occupation: str
    other: str
    answer: Literal[0, 1]
    gender: Gender
    text: str


def called() -> dict[str, str]:
    """What readers call the groups."""
    return CALLED


def recognise(path: Path) -> bool:
    """Whether a file has Winogender's sentences, judged by its header."""
    header = opening(path).partition("\n")[0].strip().split("\t") if path.is_file() else []
    return {*_COLUMNS} <= {*header}


def files_of(path: str | Path) -> list[Path]:
    """The file of sentences that a path stands for, and the authors' statistics where they are beside it."""
    sentences = _sentences(path)
    return [sentences, *_beside(sentences)]


def _sentences(path: str | Path) -> Path:
    place, _ = locate("winogender", path)
    found = files_of_kind(place, ".tsv", recognise)
    if len(found) != 1:
        problem = f"has {len(found)} files of Winogender's sentences, such as all_sentences.tsv; one is needed"
        raise InvalidData(problem, file=place)
    return found[0]


def _beside(sentences: Path) -> list[Path]:
    table = sentences.with_name(_STATISTICS)
    return [table] if table.is_file() else []


def read(path: str | Path) -> list[WinogenderSentence]:
    """All sentences, refused as a whole where one of them is malformed."""
    file = _sentences(path)
    columns, lines = read_numbered_csv(file, "\t")
    missing = next((name for name in _COLUMNS if name not in columns), None)
    if missing:
        raise InvalidData(f"not Winogender's sentences: there is no column `{missing}`", file=file, line=1)
    found: dict[tuple[str, str, int, Gender], WinogenderSentence] = {}
    for line, cells in lines:
        one = _sentence(cells, line, file)
        if found.setdefault((one.occupation, one.other, one.answer, one.gender), one) is not one:
            raise InvalidData(f"the sentence `{cells['sentid']}` is there twice", file=file, line=line)
    return list(found.values())


def pairs(path: str | Path, *, statistics: str | None = None) -> tuple[list[Pair], list[Dropped]]:
    """The sentence about a man against that about a woman; the origin is the occupation.

    Stereotyped is the gender that most have who work in it, where the pronoun stands for the occupation. `statistics`
    is a table of occupations with the share of women, in the place of the authors' own.
    """
    made = [one.pair() for one in _items(path, statistics)]
    return [one for one in made if isinstance(one, Pair)], [one for one in made if isinstance(one, Dropped)]


def prompts(path: str | Path, *, statistics: str | None = None) -> tuple[list[Prompt], list[Dropped]]:
    """Sentences up to their pronoun, each beginning once; the words are its forms, *they* among them."""
    made: dict[tuple[str, Any], Prompt] = {}
    dropped: list[Dropped] = []
    for one in _items(path, statistics):
        usual = next((gender for gender, place in one.given_to.items() if place == 0), None)
        prompt = one.prompt(usual)
        if isinstance(prompt, Prompt) and made.setdefault((prompt.text, prompt.word_sets), prompt) is not prompt:
            prompt = Dropped(_BIAS, one.occupation, prompt.text, "another sentence begins in the same way")
        if isinstance(prompt, Dropped):
            dropped.append(prompt)
    return list(made.values()), dropped


def questions(
    path: str | Path, *, other: str | Sequence[str] | None = None, statistics: str | None = None
) -> tuple[list[Question], list[Dropped]]:
    """Whom the pronoun stands for, the occupation or the other person, once for each gender.

    `other` chooses sentences whose other person has a name of its own ("participant") or is "someone". The stereotyped
    answer gives the pronoun of most who work in the occupation to it, and the other pronoun to the other person.
    """
    wanted = selected_names(other, get_args(Other), "other")
    every = [one for one in _items(path, statistics) if _kind(one.people[1]) in wanted]
    return [question for one in every for question in one.questions()], []


def stereotypes(path: str | Path, *, statistics: str | None = None) -> dict[str, dict[str, list[str]]]:
    """By gender, the occupations in which its pronoun is usual."""
    return stereotypes_of(_items(path, statistics))


def check(path: str | Path) -> dict[str, Any]:
    """What the file holds, and what in it may surprise."""
    rows = read(path)
    shares = _shares(path, None, rows)
    every = _items(path, None)
    dropped = [made for one in every if isinstance(made := one.pair(), Dropped)]
    return {
        "data_set": "winogender",
        "sentences": len(rows),
        "templates": len({(row.occupation, row.answer) for row in rows}),
        "occupations": len({row.occupation for row in rows}),
        "by_pronoun": dict(Counter(row.gender for row in rows)),
        "by_whom_it_stands_for": dict(Counter(("occupation", "other person")[row.answer] for row in rows)),
        "about_someone": sum(_kind(row.other) == _SOMEONE for row in rows),
        "with_a_labour_statistic": sum(one.share is not None for one in shares.values()),
        "occupations_of_more_women": sum((one.share or 0) > 1 / 2 for one in shares.values()),
        "pairs": len(every) - len(dropped),
        "not_paired": dict(Counter(one.reason for one in dropped)),
    }


def _sentence(cells: Mapping[str, str], line: int, file: Path) -> WinogenderSentence:
    named, text = _ID.fullmatch(cells["sentid"].strip()), " ".join(cells["sentence"].split())
    if named is None:
        problem = f"{cells['sentid']!r:.60} is no id such as baker.guest.1.male.txt"
        raise InvalidData(problem, file=file, line=line, key="sentid")
    gender = cast(Gender, named["gender"])
    if not of_gender(text, gender):
        problem = f"has none of the pronouns {', '.join(dict.fromkeys(FORMS[gender].values()))}"
        raise InvalidData(problem, file=file, line=line, key="sentence")
    for person in (named["occupation"], named["other"]):
        if not find(text, person):
            raise InvalidData(f"does not name the {person} of its id", file=file, line=line, key="sentence")
    return WinogenderSentence(named["occupation"], named["other"], 1 if named["answer"] == "1" else 0, gender, text)


def _kind(person: str) -> str:
    return _SOMEONE if person == _SOMEONE else "participant"


def _shares(path: str | Path, statistics: str | None, rows: Sequence[WinogenderSentence]) -> dict[str, Matched]:
    """What labour statistics say of each occupation; nothing without a table."""
    if statistics is not None and (not isinstance(statistics, str) or not statistics.strip()):
        raise UserError(f"must be the path of a table of occupations, not {statistics!r:.60}", key="statistics")
    tables = [Path(statistics)] if statistics else _beside(_sentences(path))
    names = list(dict.fromkeys(row.occupation for row in rows))
    return {one.profession: one for table in tables for one in match(names, read_labour(table))}


def _items(path: str | Path, statistics: str | None) -> list[Coreference]:
    rows = read(path)
    shares = _shares(path, statistics, rows)
    held: dict[tuple[str, str, Literal[0, 1]], dict[Gender, str]] = {}
    for row in rows:
        held.setdefault((row.occupation, row.other, row.answer), {})[row.gender] = row.text
    return [_item(*key, texts, shares.get(key[0])) for key, texts in held.items()]


def _item(
    occupation: str, other: str, answer: Literal[0, 1], texts: dict[Gender, str], known: Matched | None
) -> Coreference:
    share = known.share if known else None
    given: dict[Gender, Literal[0, 1]] = {}
    if share is not None and share != 1 / 2:
        given = {"female": 0, "male": 1} if share > 1 / 2 else {"male": 0, "female": 1}
    usual: Gender | None = next((gender for gender, place in given.items() if place == 0), None)
    return Coreference(
        id=f"winogender/{occupation}/{other}/{answer}",
        source=_SOURCE,
        bias=_BIAS,
        occupation=occupation,
        template=f"{occupation}/{answer}",
        people=(f"the {occupation}", other if _kind(other) == _SOMEONE else f"the {other}"),
        correct=answer,
        texts=texts,
        pronouns={gender: of_gender(text, gender) for gender, text in texts.items()},
        attribute=occupation,
        given_to=given,
        # The sentence is about the occupation only where the pronoun stands for it.
        attribute_set=f"occupations of {CALLED[usual]}" if usual and answer == 0 else None,
    )
