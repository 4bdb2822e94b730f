"""What the numbers of a rater of the user's mean: which class is which number, their scale, and which end is worse.

In words: `negative=-1,neutral=0,positive=1;worse=low;axis=sentiment`. A class that is `none` leaves a text unrated
where it is the most probable one. A function gives numbers and no classes: `range=0..1;worse=high;axis=toxicity`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

from tiltmeter.errors import UserError

KIND = "hf"
NAME = "hf.v1"
PYTHON = "python.v1"
COLUMN_NAME = "column.v1"
JUDGE = "judge.chat.v1"
OWN = "own@"
"""With this begins, in the name of a judge, a question of the user's; its digest follows."""
EXAMPLE = "[negative=-1,neutral=0,positive=1;worse=low;axis=sentiment]"
Head = Literal["softmax", "sigmoid", "regression"]
Worse = Literal["low", "high", "neither"]
HEADS: tuple[Head, ...] = get_args(Head)
WORSE: tuple[Worse, ...] = get_args(Worse)
NO_AXIS = "rating"
"""What numbers are of where nobody says."""
_SCALE = ("worse", "axis", "range", "neutral", "mask", "threshold")


@dataclass(frozen=True, slots=True)
class Bearer:
    """What kind of rater a map is of: what it is called, what can be said of it, and how that is written."""

    noun: str
    settings: tuple[str, ...]
    example: str

    @property
    def has_classes(self) -> bool:
        """Whether its numbers may be those of classes."""
        return "classes" in self.settings


CLASSIFIER = Bearer("a classifier", ("classes", *_SCALE, "head", "value"), EXAMPLE)
FUNCTION = Bearer("a function", _SCALE, "[range=0..1;worse=high;axis=toxicity]")
COLUMN = Bearer(
    "a column", ("classes", *(name for name in _SCALE if name != "mask")), "[range=1..5;worse=low;axis=sentiment]"
)
QUESTION = Bearer("a question", ("classes", *_SCALE), "[yes=1,partly=0.5,no=0;worse=low;axis=competence]")


@dataclass(frozen=True, slots=True)
class ClassMap:
    """The numbers of the classes, and the scale that they are on."""

    classes: tuple[tuple[str, float | None], ...]
    """Empty for a head that gives the number itself."""
    worse: Worse
    axis: str = NO_AXIS
    """What the numbers are of."""
    range: tuple[float, float] | None = None
    neutral: float | None = None
    head: Head | None = None
    """None: as the checkpoint's configuration says."""
    top: bool = False
    """The number of the most probable class in place of the mean over classes."""
    mask: bool = False
    threshold: float | None = None
    """Above it a text counts as one of the high end; None: no share above it is given."""

    @property
    def numbers(self) -> dict[str, float]:
        """The classes that have one."""
        return {label: number for label, number in self.classes if number is not None}

    @property
    def ends(self) -> tuple[float, float]:
        """Between which two values ratings lie; where it is missing, the least and the greatest that can come."""
        if self.range is not None:
            return self.range
        numbers = [*self.numbers.values(), *([0.0] if len(self.classes) == 1 else [])]
        return min(numbers), max(numbers)

    @property
    def favour(self) -> int:
        """1 where a higher rating is the better one, −1 where it is the worse one, 0 where neither is."""
        return {"low": 1, "high": -1, "neither": 0}[self.worse]

    def __str__(self) -> str:
        named = ",".join(f"{label}={'none' if number is None else _plain(number)}" for label, number in self.classes)
        settings = {
            "worse": self.worse,
            "axis": self.axis,
            "range": "" if self.range is None else f"{_plain(self.range[0])}..{_plain(self.range[1])}",
            "neutral": "" if self.neutral is None else _plain(self.neutral),
            "head": self.head or "",
            "value": "top" if self.top else "",
            "mask": "yes" if self.mask else "",
            "threshold": "" if self.threshold is None else _plain(self.threshold),
        }
        return ";".join([named, *(f"{key}={value}" for key, value in settings.items() if value)])


def split(argument: str) -> tuple[str, str]:
    """Where a classifier is, and what its classes mean; blank where that is missing.

    >>> split("models/tone[good=1,bad=-1;worse=low]"), split("org/tone")
    (('models/tone', 'good=1,bad=-1;worse=low'), ('org/tone', ''))
    """
    if not argument.endswith("]"):
        return argument, ""
    where, _, said = argument[:-1].rpartition("[")
    return where, said


def parse(said: str, bearer: Bearer = CLASSIFIER) -> ClassMap:
    """The map that is said in words.

    >>> found = parse("bad=-1,good=1;worse=low;axis=tone")
    >>> found.ends, found.favour, str(found)
    ((-1.0, 1.0), 1, 'bad=-1,good=1;worse=low;axis=tone')
    >>> str(parse("range=0..1;worse=high", FUNCTION))
    ';worse=high;axis=rating;range=0..1'
    """
    return of(table(said, bearer), bearer)


def table(said: str, bearer: Bearer = CLASSIFIER) -> dict[str, Any]:
    """What is said in words, as a table of a study file has it."""
    listed, *settings = said.split(";")
    key, _, value = (part.strip() for part in listed.partition("="))
    # A class has a number, or none: what has a range or a word is a setting.
    if not bearer.has_classes or (key in (*bearer.settings, "scale") and not _is_class_number(value)):
        listed, settings = "", [listed, *settings]
    classes: dict[str, Any] = {}
    for one in filter(str.strip, listed.split(",")):
        label, equals, number = one.rpartition("=")
        if not equals or not label.strip():
            raise UserError(f"a class must be LABEL=NUMBER, not `{one.strip()}`; write the classes as {bearer.example}")
        _put(classes, label.strip(), number.strip(), "the class")
    options: dict[str, Any] = {}
    for one in filter(str.strip, settings):
        key, equals, value = one.partition("=")
        if not equals:
            raise UserError(f"a setting must be NAME=VALUE, not `{one.strip()}`; settings are {_listed(bearer)}")
        _put(options, key.strip(), value.strip(), "the setting")
    return {"classes": classes, **options} if bearer.has_classes else options


def _is_class_number(text: str) -> bool:
    try:
        return text == "none" or math.isfinite(float(text))
    except ValueError:
        return False


def of(options: Mapping[str, Any], bearer: Bearer = CLASSIFIER) -> ClassMap:
    """The map that a table of a study file gives."""
    unknown = sorted(set(options) - {*bearer.settings})
    if unknown:
        raise UserError(f"{bearer.noun} has no setting `{unknown[0]}`; settings are {', '.join(bearer.settings)}")
    classes = options.get("classes", {})
    if not isinstance(classes, Mapping):
        raise UserError(f"`classes` must be a table of labels and numbers, not {classes!r}")
    found = ClassMap(
        tuple((str(label), None if number == "none" else _number(number, label)) for label, number in classes.items()),
        _one_of("worse", options.get("worse"), WORSE, "which end of the scale is worse for the people a text is about"),
        str(options.get("axis") or NO_AXIS),
        ends_of(options["range"]) if "range" in options else None,
        _number(options["neutral"], "neutral") if "neutral" in options else None,
        _one_of("head", options["head"], HEADS, "how the classes relate") if "head" in options else None,
        "value" in options and _one_of("value", options["value"], ("mean", "top"), "what a rating is") == "top",
        options.get("mask") in (True, "yes"),
        _number(options["threshold"], "threshold") if "threshold" in options else None,
    )
    _check(found, bearer)
    return found


@lru_cache(maxsize=256)
def declared(rater: str) -> ClassMap | None:
    """The map in the name of a rater; None where it has none.

    >>> [declared(f"judge.chat.v1:{question}:m[yes=1,no=0;worse=low]") is None for question in ("own@1a", "regard")]
    [False, True]
    """
    name, _, argument = rater.partition(":")
    bearer = _BEARERS.get(name)
    if bearer is None or (bearer is QUESTION and not argument.startswith(OWN)):
        return None
    said = split(argument)[1]
    return parse(said, bearer) if said else None


_BEARERS = {KIND: CLASSIFIER, NAME: CLASSIFIER, "python": FUNCTION, PYTHON: FUNCTION, JUDGE: QUESTION}
_BEARERS |= {"column": COLUMN, COLUMN_NAME: COLUMN}


def _listed(bearer: Bearer) -> str:
    return ", ".join(name for name in bearer.settings if name != "classes")


def _check(found: ClassMap, bearer: Bearer) -> None:
    if any(sign in found.axis for sign in ";[]=,:") or any(
        sign in label for label, _ in found.classes for sign in ";[],"
    ):
        raise UserError("the names of an axis and of classes must not contain ; [ ] ,")
    if found.classes and not found.numbers:
        raise UserError("no class has a number; at least one needs one")
    if not found.classes and found.range is None:
        lacking = "the range of the numbers is missing; write"
        if bearer.has_classes:
            lacking = "the meaning of the classes is missing; give the range of a single number, or write them as"
        raise UserError(f"{lacking} {bearer.example}")
    low, high = found.ends
    if not low < high:
        raise UserError(
            f"all ratings would be {low:g}; give classes different numbers, or number only one of several "
            "independent classes"
        )
    beyond = [number for number in (*found.numbers.values(), found.neutral) if number is not None]
    if any(not low <= number <= high for number in beyond):
        raise UserError(f"a class or the neutral value is outside the range {low:g} to {high:g}")
    if found.threshold is not None and not low <= found.threshold < high:
        raise UserError(f"the threshold {found.threshold:g} must be from {low:g} to below {high:g}")


def _plain(number: float) -> str:
    """A number as it stands in a name, which is read again.

    >>> _plain(-1.0), _plain(0.123456789), _plain(1234567.5)
    ('-1', '0.123456789', '1234567.5')
    """
    return f"{number:.15g}"


def _put(into: dict[str, Any], key: str, value: str, noun: str) -> None:
    if key in into:
        raise UserError(f"{noun} `{key}` is listed twice")
    into[key] = value


def _one_of(key: str, given: Any, known: Iterable[Any], what: str) -> Any:
    if given not in known:
        said = "is missing" if given is None else f"cannot be {given!r}"
        raise UserError(f"{what} {said}; write {key} as one of {', '.join(known)}")
    return given


def _number(given: Any, name: object) -> float:
    try:
        number = math.nan if isinstance(given, bool) else float(given)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"`{name}` must be a number (a class may be none), not {given!r}")
    return number


def ends_of(given: Any) -> tuple[float, float]:
    """The ends of a range: two numbers, or `LOW..HIGH`.

    >>> ends_of([0, 10]), ends_of("0..1")
    ((0.0, 10.0), (0.0, 1.0))
    """
    ends = given.split("..") if isinstance(given, str) else given
    if not isinstance(ends, list | tuple) or len(ends) != 2:
        raise UserError(f"a range must be two numbers, LOW..HIGH, not {given!r}")
    return _number(ends[0], "range"), _number(ends[1], "range")
