"""Rater `python`: a function of the user's own, from a file that the study names, or one that is handed over in Python.

Naming a file runs it. Nothing here is called for a rater that only stands in a run: its name says its scale.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import math
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from tiltmeter.calling import cut, listed, number_of, shown, takes_one
from tiltmeter.errors import UserError
from tiltmeter.files import is_file
from tiltmeter.raters import class_map
from tiltmeter.raters.class_map import FUNCTION, ClassMap
from tiltmeter.raters.interface import rate_together
from tiltmeter.raters.scales import SCALES, Scale
from tiltmeter.records import Rating

KIND = "python"
NO_RATING = "the function gave no rating"
_DIGEST = 12
"""Signs of the hash of the source that stand in the name, as in that of a classifier."""
_TRIED = ("XYZ was there.", "XYZ was not there.")
"""A function is tried once on these, so that one that fails does so before a model has written anything."""
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Source:
    """A function, where it is written, and the hash of what is written there."""

    call: Callable[..., Any]
    label: str
    """What runs call it: `FILE.py:FUNCTION`, or the name that was given."""
    digest: str
    file: str = ""
    meaning: ClassMap | None = None
    """Its scale, of one that was handed over in Python."""

    @property
    def name(self) -> str:
        """Its own name, for messages."""
        return self.label.rpartition(":")[2]


_HANDED_OVER: dict[str, Source] = {}
"""Functions that `rater` was given in this process, by the names under which a study may name them."""


class Function:
    """A function of yours that maps texts to numbers, None where it rates a text not.

    `argument`: `FILE.py:FUNCTION[range=0..1;worse=high]`, `MODULE:FUNCTION[…]`, or the name given to `tiltmeter.rater`.
    """

    name: str = class_map.PYTHON
    wants_mask: bool = False
    languages: ClassVar[None] = None
    """Whatever it is written for: nobody here knows."""
    takes: ClassVar[str] = f"FILE.py:FUNCTION{FUNCTION.example}"
    needs: ClassVar[bool] = True

    def __init__(self, argument: str) -> None:
        where, meaning = parsed(argument)
        self.argument = f"{KIND}:{argument}"
        """What a study calls it."""
        self._source = _HANDED_OVER.get(where) or _loaded(where)
        self._meaning = meaning
        self.wants_mask = meaning.mask
        self._said = str(meaning).removeprefix(";")
        self.name = f"{class_map.PYTHON}:{self._source.label}@{self._source.digest[:_DIGEST]}[{self._said}]"
        self._one_by_one = takes_one(self._source.call)
        self._rate_many(list(_TRIED))

    def __repr__(self) -> str:
        return f"<rater {self.name}>"

    @staticmethod
    def check(argument: str) -> None:
        """Refuse an argument that names no function or no scale, without running anything."""
        where, _ = parsed(argument)
        file, _, _ = where.rpartition(":")
        if where not in _HANDED_OVER and file.endswith(".py") and not is_file(Path(file).expanduser()):
            raise UserError(f"`{KIND}:{where}`: there is no file {file}")

    @property
    def facts(self) -> Mapping[str, str]:
        """Which function, the hash of the file in which it is, and its scale."""
        low, high = self._meaning.ends
        return {
            "function": self._source.label,
            "source_sha256": self._source.digest,
            "scale": self._said,
            "range": f"{low:g} to {high:g}",
        }

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text; equal texts are handed over once, texts without a word not at all."""
        return rate_together(self.name, texts, self._rate_many)

    def _rate_many(self, texts: list[str]) -> list[Rating]:
        source = self._source
        given = "a text" if self._one_by_one else f"a list of {len(texts)} texts"
        with _blamed(source, f"`{source.name}` cannot rate {given}:"):
            if self._one_by_one:
                answers = [source.call(text) for text in texts]
            else:
                answers = self._listed(source.call(list(texts)), len(texts))
        return [self._rating(text, answer) for text, answer in zip(texts, answers, strict=True)]

    def _listed(self, found: Any, wanted: int) -> list[Any]:
        """One answer for each text."""
        answers = listed(found)
        if answers is None:
            raise self._fault(
                f"gives {shown(found)} for a list of {wanted} texts; expected a list with a number or None for each "
                "(a function of one text calls its parameter `text`)"
            )
        if len(answers) != wanted:
            ratings = f"{len(answers)} rating{'s' * (len(answers) != 1)}"
            raise self._fault(f"gives {ratings} for {wanted} texts; expected one for each, in their order")
        return answers

    def _rating(self, text: str, answer: Any) -> Rating:
        if isinstance(answer, tuple) and len(answer) == 2 and answer[0] is None and isinstance(answer[1], str):
            return Rating(self.name, None, " ".join(answer[1].split()) or NO_RATING)
        if answer is None:
            return Rating(self.name, None, NO_RATING)
        low, high = self._meaning.ends
        number = number_of(answer)
        if number is None or not math.isfinite(number) or not low - _ROUNDING <= number <= high + _ROUNDING:
            right = f"a number from {low:g} to {high:g}, None, or None and a reason"
            raise self._fault(f"gives {shown(answer)} for the text “{cut(text)}”; expected {right}")
        return Rating(self.name, round(min(max(number, low), high), 9))

    def _fault(self, problem: str) -> UserError:
        return UserError(f"`{self._source.name}` {problem}", file=self._source.file or None)


def rater(
    fn: Callable[..., object],
    *,
    name: str = "",
    scale: Scale | str | None = None,
    wants_mask: bool = False,
    **settings: object,
) -> Function:
    """A function of yours as a rater. It gets a list of texts, or one if its parameter is called `text`.

    `scale` is a `Scale`, the name of one (sentiment, regard, toxicity), or `"range=0..1;worse=high;axis=rudeness"`;
    or give these as keywords: `range=(0, 1), worse="high", axis="rudeness"`. A study that is carried out in this
    process may name it: `"python:NAME"`, where NAME is that of the function unless `name` says another.

    >>> shouting = rater(lambda text: text.isupper(), name="shouting", range=(0, 1), worse="high", axis="shouting")
    >>> [one.value for one in shouting.rate(["STOP THAT", "Stop that"])]
    [1.0, 0.0]
    """
    if scale is not None and settings:
        raise UserError("a function's scale is given twice, as `scale` and by keywords; keep one of them")
    meaning = _meaning(scale) if scale is not None else class_map.of(settings, FUNCTION)
    if not callable(fn):
        raise UserError(f"{shown(fn)} is not a function; a rater is made of a function of texts")
    source = _source_of(fn, name)
    known = name or source.name
    if known != known.strip() or any(sign in "[]/\\" or not sign.isprintable() for sign in known):
        raise UserError(f"{name!r} cannot be the name of a rater; leave out [ ] / \\ and blanks at its ends")
    _HANDED_OVER[known] = replace(source, meaning=replace(meaning, mask=meaning.mask or wants_mask))
    return Function(known)


def parsed(argument: str) -> tuple[str, ClassMap]:
    """Where a function is, and its scale; of one that was handed over the scale is known."""
    where, said = class_map.split(argument)
    given, known = f"{KIND}:{where}", _HANDED_OVER.get(where)
    if known is None:
        file, _, function = where.rpartition(":")
        if not file or not function.isidentifier():
            raise UserError(f"`{given}` names no function; write {KIND}:{Function.takes}")
    if not said:
        if known is None or known.meaning is None:
            raise UserError(f"`{given}` does not say its scale; append it: {given}{FUNCTION.example}")
        return where, known.meaning
    try:
        meaning = class_map.parse(said, FUNCTION)
    except UserError as error:
        raise UserError(f"`{given}`: {error.problem}") from None
    if known is not None and meaning != known.meaning:
        raise UserError(f"`{given}` was given another scale in Python; leave it out here")
    return where, meaning


def file_of(argument: str) -> Path | None:
    """The Python file that a rater of this kind would run; None: a module, or a function that was handed over."""
    where, _ = class_map.split(argument)
    file, _, _ = where.rpartition(":")
    return Path(file).expanduser() if file.endswith(".py") and where not in _HANDED_OVER else None


def _meaning(scale: Scale | str) -> ClassMap:
    if isinstance(scale, str) and "=" in scale:
        return class_map.parse(scale, FUNCTION)
    if isinstance(scale, str) and scale not in SCALES:
        raise UserError(f"there is no scale `{scale}`; write {FUNCTION.example[1:-1]}, or one of {', '.join(SCALES)}")
    found = SCALES[scale] if isinstance(scale, str) else scale
    worse = {1: "high", -1: "low"}.get(found.worse, "neither")
    given = {"worse": worse, "axis": found.axis, "range": found.ends}
    return class_map.of(given if found.neutral is None else {**given, "neutral": found.neutral}, FUNCTION)


def _loaded(where: str) -> Source:
    """The function in a file or module, which is run."""
    given, _, function = where.rpartition(":")
    if not given.endswith(".py"):
        with _blamed(Source(len, where, ""), f"the module `{given}` cannot be imported:"):
            module = importlib.import_module(given)
        found = getattr(module, function, None)
        file, code = str(module.__file__ or given), _read(Path(module.__file__ or given))
    else:
        file, code = given, _read(Path(given).expanduser())
        digest = hashlib.sha256(code).hexdigest()
        module = ModuleType(f"tiltmeter_rater_{digest}")
        module.__file__ = str(Path(given).expanduser())
        # Dataclasses of a module look for it here.
        sys.modules[module.__name__] = module
        with _blamed(Source(len, where, digest, module.__file__), "the file cannot be run:"):
            # What is run is what was hashed: neither a file that changes meanwhile nor a compiled one that is older.
            exec(compile(code, module.__file__, "exec"), vars(module))
        found = getattr(module, function, None)
    if not callable(found):
        raise UserError(f"there is no function `{function}`; write the name of one that is in the file", file=file)
    label = f"{Path(given).name}:{function}" if given.endswith(".py") else where
    return Source(found, label, hashlib.sha256(code).hexdigest(), file)


def _source_of(fn: Callable[..., Any], name: str) -> Source:
    """A function that is there already: its file, or what the notebook knows of it."""
    held: Any = inspect.unwrap(fn if hasattr(fn, "__code__") else getattr(fn, "func", None) or type(fn))
    called = str(getattr(fn, "__name__", None) or getattr(held, "__name__", "") or type(fn).__name__)
    try:
        file = inspect.getsourcefile(held) or ""
        is_whole = bool(file) and is_file(file)
        code = _read(Path(file)) if is_whole else inspect.getsource(held).encode()
    except (TypeError, OSError, UserError):
        raise UserError(
            f"the source of `{called}` cannot be read, so that its ratings could not be told from those of another; "
            "define it in a file or a notebook"
        ) from None
    label = name or (f"{Path(file).name}:{called}" if is_whole else called)
    return Source(fn, label, hashlib.sha256(code).hexdigest(), file if is_whole else "")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}", file=file) from None


@contextmanager
def _blamed(source: Source, what: str) -> Iterator[None]:
    """What the user's code raises is one sentence with its line; what it prints is no part of our answers."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        said = cut(f"{type(error).__name__}: {error}", 160)
        frames = traceback.extract_tb(error.__traceback__)
        line = next((one.lineno for one in reversed(frames) if one.filename == source.file), None)
        if isinstance(error, SyntaxError) and error.filename == source.file:
            line = error.lineno
        raise UserError(f"{what} {said}", file=source.file or None, line=line) from error
