"""The tree of errors. Each writes its own sentence; the command line prints it and exits with status 2.

TiltmeterError
├── UserError            the input is wrong, and the user can mend it
│   ├── InvalidSpec      a bias specification
│   ├── InvalidStudy     a study file
│   ├── InvalidData      a data set, a pair file, a scored file
│   │   └── InvalidItem a pair or prompt that is about nobody
│   ├── UnknownName      a name that no table holds; suggests close matches
│   └── MissingExtra     an optional package; names the install line
├── ModelError           a model cannot be loaded or cannot do what is asked
├── RunError             a run folder cannot be written, read or continued
│   └── OtherRun         it holds another run, which stays as it is
└── GateFailed           a candidate is worse than its baseline, or was not shown not to be: a finding, with status 1
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

_LONG, _MANY, _SHOWN = 100, 2000, 100


class TiltmeterError(Exception):
    """Anything that tiltmeter refuses or fails to do, said in one sentence."""


class UserError(TiltmeterError):
    """The input is wrong: where, what, and what would be right.

    >>> str(UserError("three columns where the header has five", file="pairs.csv", line=7))
    'pairs.csv, line 7: three columns where the header has five'
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        self.problem, self.file, self.line, self.key = problem, file, line, key
        place = [str(file)] if file is not None else []
        if line is not None:
            place.append(f"line {line}")
        if key is not None:
            place.append(f"`{key}`")
        super().__init__(f"{', '.join(place)}: {problem}" if place else problem)


class InvalidSpec(UserError):
    """A bias specification that cannot be used as it is."""


class InvalidStudy(UserError):
    """A study file that cannot be carried out as it is."""


class InvalidData(UserError):
    """A data file that cannot be read as what it claims to be."""


class InvalidItem(InvalidData, ValueError):
    """Data of which no item can be made, whoever tried to."""


class UnknownName(UserError):
    """A name that no table holds.

    >>> str(UnknownName("scorer", "summ", ["sum", "mean"]))
    'there is no scorer `summ`; did you mean `sum`?'
    """

    def __init__(self, noun: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        # Thousands of values, or whole texts, are neither held against one another nor shown.
        short = [one for one in names if len(one) <= _LONG][:_MANY] if len(name) <= _LONG else []
        close = difflib.get_close_matches(name, short, n=1, cutoff=0.6)
        more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        listed = ", ".join(f"{one[:_LONG]}{'…' * (len(one) > _LONG)}" for one in names[:_SHOWN])
        hint = f"did you mean `{close[0]}`?" if close else f"known: {listed}{more}"
        super().__init__(f"there is no {noun} `{name[:_LONG]}{'…' * (len(name) > _LONG)}`; {hint}")


class MissingExtra(UserError):
    """A feature needs packages that are not installed.

    >>> str(MissingExtra("models from Hugging Face", "hf", "torch"))
    "models from Hugging Face need the package torch: pip install 'tiltmeter[hf]'"
    """

    def __init__(self, feature: str, extra: str, package: str) -> None:
        super().__init__(f"{feature} need the package {package}: pip install 'tiltmeter[{extra}]'")


class ModelError(TiltmeterError):
    """A model cannot be loaded, or cannot do what is asked of it."""


class RunError(TiltmeterError):
    """A run folder cannot be written, read or continued."""


class OtherRun(RunError):
    """A run folder holds another run than the one that is to be carried out; it stays as it is."""


class GateFailed(TiltmeterError):
    """A gate does not let a candidate pass; one line of the message for each reason."""
