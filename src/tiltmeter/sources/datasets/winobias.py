"""WinoBias: sentences about two occupations, one mostly of men and one mostly of women, and a pronoun for one of them.

Four files: *pro* gives the pronoun the gender that is usual in the occupation it stands for, *anti* the other; in
*type 1* only the meaning says whom it stands for, in *type 2* the grammar does too. Lines have a number, and brackets
around the occupation and its pronouns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tiltmeter.english import GENDER_OF_PRONOUN, Gender
from tiltmeter.errors import InvalidData
from tiltmeter.files import stream_lines
from tiltmeter.records import Dropped, Nature, Pair, Prompt, Question, Span
from tiltmeter.sources.datasets.coreference import Coreference, stereotypes_of
from tiltmeter.sources.datasets.paths import locate
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.prompt_options import selected_names
from tiltmeter.sources.word_sets import CALLED

NATURE: Nature = "authored"

Side = Literal["pro", "anti"]

_SOURCE = "winobias.v1"
_NAME = re.compile(r"(?P<side>pro|anti)_stereotyped_type(?P<type>[12])\.txt(?:\.(?P<split>dev|test))?")
_LINE = re.compile(r"\s*(?:(?P<number>\d+)\s+)?(?P<text>\S.*?)\s*")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_TYPES = ("type1", "type2")
_OTHER: dict[Gender, Gender] = {"male": "female", "female": "male"}


@dataclass(frozen=True, slots=True)
class WinoLine:
    """One line: the sentence without its brackets, the occupation and the gender of the pronoun that stand in them."""

    side: Side
    type: str
    split: str
    number: int
    text: str
    occupation: str
    gender: Gender
    pronouns: tuple[Span, ...]

    @property
    def place(self) -> tuple[str, str, int]:
        """What the line shares with its counterpart in the other file."""
        return self.type, self.split, self.number


def called() -> dict[str, str]:
    """What readers call the groups."""
    return CALLED


def recognise(path: Path) -> bool:
    """Whether a file is one of WinoBias's, judged by its name: nothing in it says which of the four it is."""
    return path.is_file() and _NAME.fullmatch(path.name) is not None


def files_of(path: str | Path) -> list[Path]:
    """The files of WinoBias that a path stands for: a file with its counterpart, or those of a folder."""
    place, _ = locate("winobias", path)
    if place.is_file():
        turned = {"pro": "anti", "anti": "pro"}
        other = place.with_name(re.sub(r"^(pro|anti)(?=_)", lambda found: turned[found[0]], place.name))
        found = sorted({one for one in (place, other) if recognise(one)})
    else:
        found = sorted(one for one in (*place.glob("*"), *place.glob("*/*")) if recognise(one))
    if not found:
        raise InvalidData("has no WinoBias file, such as pro_stereotyped_type1.txt.dev", file=place)
    return found


def read(path: str | Path) -> list[WinoLine]:
    """All lines of a file or folder, refused as a whole where one of them is malformed."""
    lines: dict[tuple[Side, str, str, int], WinoLine] = {}
    for file in files_of(path):
        for at, line in stream_lines(file):
            if line.strip():
                one = _line(line, at, file)
                if lines.setdefault((one.side, *one.place), one) is not one:
                    raise InvalidData(f"the number {one.number} is there twice", file=file, line=at)
    return list(lines.values())


def pairs(path: str | Path) -> tuple[list[Pair], list[Dropped]]:
    """The pro-stereotyped sentence against the anti-stereotyped one; the origin is the occupation."""
    made = [one.pair() for one in _sentences(read(path))]
    return [one for one in made if isinstance(one, Pair)], [one for one in made if isinstance(one, Dropped)]


def prompts(path: str | Path) -> tuple[list[Prompt], list[Dropped]]:
    """Sentences of type 2 up to their pronoun: the beginning of one of type 1 does not say whom it will stand for."""
    made: list[Prompt] = []
    dropped: list[Dropped] = []
    for one in _sentences(read(path)):
        prompt = one.prompt(one.usual)
        if isinstance(prompt, Prompt) and one.bias.endswith("type1"):
            reason = "what stands before the pronoun does not say which of the two it will stand for"
            prompt = Dropped(one.bias, one.occupation, prompt.text, reason)
        (made if isinstance(prompt, Prompt) else dropped).append(prompt)  # type: ignore[arg-type]
    return made, dropped


def questions(path: str | Path, *, type: str | Sequence[str] | None = None) -> tuple[list[Question], list[Dropped]]:
    """Whom the pronoun stands for, of the two occupations; `type` chooses sentences of one type."""
    types = selected_names(type, _TYPES, "type")
    lines = read(path)
    every = [one for one in _sentences(lines) if one.bias.rpartition("/")[2] in types]
    dropped = [_alone(line) for line in lines if line.type in types and _other(line, _occupations(lines)) is None]
    return [question for one in every for question in one.questions() if one.people[1 - one.correct]], dropped


def stereotypes(path: str | Path) -> dict[str, dict[str, list[str]]]:
    """By type and gender, the occupations in which its pronoun is usual."""
    return stereotypes_of(_sentences(read(path)))


def check(path: str | Path) -> dict[str, Any]:
    """What the files hold, and what in them may surprise."""
    lines = read(path)
    known = _occupations(lines)
    every = _sentences(lines)
    dropped = [made for one in every if isinstance(made := one.pair(), Dropped)]
    return {
        "data_set": "winobias",
        "sentences": len(lines),
        "by_file": dict(Counter(f"{line.side} {line.type} {line.split}".strip() for line in lines)),
        "by_pronoun": dict(Counter(line.gender for line in lines)),
        "occupations": len(known),
        "with_three_brackets": sum(len(line.pronouns) > 1 for line in lines),
        "without_another_occupation": sum(_other(line, known) is None for line in lines),
        "pairs": len(every) - len(dropped),
        "not_paired": dict(Counter(one.reason for one in dropped)),
    }


def _line(line: str, at: int, file: Path) -> WinoLine:
    named, found = _NAME.fullmatch(file.name), _LINE.fullmatch(line)
    brackets = [one.strip() for one in _BRACKETS.findall(line)]
    genders = {GENDER_OF_PRONOUN[one.casefold()] for one in brackets if one.casefold() in GENDER_OF_PRONOUN}
    others = [one for one in brackets if one.casefold() not in GENDER_OF_PRONOUN and one]
    if named is None or found is None or len(others) != 1 or len(genders) != 1 or not genders <= {*_OTHER}:
        raise InvalidData(
            "needs one occupation and pronouns of one gender in brackets, as in 1 [The baker] smiled because [she] won",
            file=file,
            line=at,
        )
    text, spans = _plain(found["text"])
    side: Side = "pro" if named["side"] == "pro" else "anti"
    return WinoLine(
        side,
        f"type{named['type']}",
        named["split"] or "",
        int(found["number"]) if found["number"] else at,
        text,
        re.sub(r"^the\s+", "", others[0], flags=re.IGNORECASE),
        genders.pop(),
        spans,
    )


def _plain(line: str) -> tuple[str, tuple[Span, ...]]:
    """The sentence without brackets, and where the pronouns stand that were in them.

    What was left of words set apart is put together: "[the cook] 's hat", "the [the cook]".
    """
    text = " ".join(line.split())
    text = re.sub(r" (?=['’]s\b|[.,;:!?])", "", re.sub(r"\[ | \]", lambda sign: sign[0].strip(), text))
    text = re.sub(r"\bthe \[the\b", "[the", text, flags=re.IGNORECASE)
    plain, place, spans = "", 0, []
    for found in _BRACKETS.finditer(text):
        plain += text[place : found.start()]
        if found[1].casefold() in GENDER_OF_PRONOUN:
            spans.append((len(plain), len(plain) + len(found[1])))
        plain += found[1]
        place = found.end()
    return plain + text[place:], tuple(spans)


def _occupations(lines: Sequence[WinoLine]) -> list[str]:
    """Every occupation that some line has in brackets, the longest first."""
    found = {line.occupation.casefold(): line.occupation for line in lines}
    return sorted(found.values(), key=lambda one: (-len(one), one))


def _other(line: WinoLine, known: Sequence[str]) -> str | None:
    """The other occupation of a sentence; None where it has none, or several."""
    own = find(line.text, line.occupation)
    places = {
        span: one
        for one in known
        if one.casefold() != line.occupation.casefold()
        for span in find(line.text, one.casefold() if not one.isupper() else one)
        if not any(start < span[1] and span[0] < end for start, end in own)
    }
    return next(iter(places.values())) if len({*places.values()}) == 1 else None


def _sentences(lines: Sequence[WinoLine]) -> list[Coreference]:
    """The sentences, each with its counterpart."""
    known = _occupations(lines)
    both: dict[tuple[str, str, int], dict[Side, WinoLine]] = {}
    for line in lines:
        both.setdefault(line.place, {})[line.side] = line
    return [_sentence(held, known) for held in both.values()]


def _sentence(held: dict[Side, WinoLine], known: Sequence[str]) -> Coreference:
    line = held.get("pro") or held["anti"]
    usual = line.gender if line.side == "pro" else _OTHER[line.gender]
    other = _other(line, known)
    people = (f"the {line.occupation}", f"the {other}" if other else "")
    turned = bool(other) and _place(line, people[1]) < _place(line, people[0])
    correct: Literal[0, 1] = 1 if turned else 0
    split = f"{line.split}/" if line.split else ""
    return Coreference(
        id=f"winobias/{split}{line.type}/{line.number}",
        source=_SOURCE,
        bias=f"winobias/{line.type}",
        occupation=line.occupation.casefold(),
        template=f"{line.type}/{line.number}",
        people=(people[1], people[0]) if turned else people,
        correct=correct,
        texts={one.gender: one.text for one in held.values()},
        pronouns={one.gender: one.pronouns for one in held.values()},
        attribute=line.occupation,
        given_to={usual: correct, _OTHER[usual]: 0 if turned else 1},
        attribute_set=f"occupations of {CALLED[usual]}",
    )


def _place(line: WinoLine, person: str) -> int:
    return line.text.casefold().find(person.casefold())


def _alone(line: WinoLine) -> Dropped:
    reason = "the sentence has none of the other occupations that lines have in brackets, or several"
    return Dropped(f"winobias/{line.type}", line.occupation.casefold(), line.text, reason)
