"""What a source is to the rest of tiltmeter: it makes the items of a view from a spec, from a file, or by itself."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tiltmeter import registry
from tiltmeter.records import Dropped, Pair, Prompt, Question
from tiltmeter.views import View

_GIVEN = frozenset({"seed", "specs"})
"""Parameters that the study itself gives, and that are no options."""


@dataclass(frozen=True)
class Source:
    """One registered source and the function that makes its items for one view.

    The function returns items and what it dropped. Its first parameter says what they are made from (`path`, `spec`, or
    neither); its keywords are options. The module that it is registered in may have `stream`, the same one by one;
    `files_of`, the files that a path stands for; `NATURE`, where the texts come from; `called`, what readers call its
    groups; and `stereotypes`, what stereotypes tie to its groups, from the same path and options.
    """

    name: str
    view: View
    make: Callable[..., Any]

    @classmethod
    def named(cls, name: str, view: View) -> Source:
        """The source of this name, with or without its version.

        >>> Source.named("bold", "continuations").reads_file, Source.named("own-prompts", "continuations").input
        (True, '')
        """
        full = registry.resolve("source", name, view)
        return cls(full, view, registry.load("source", full, view))

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The parameters of the function."""
        return tuple(inspect.signature(self.make).parameters.values())

    @property
    def input(self) -> str:
        """What the items are made from: a `path`, a `spec`, or nothing (an empty name)."""
        first = next(iter(self.parameters), None)
        return "" if first is None or first.kind is inspect.Parameter.KEYWORD_ONLY else first.name

    @property
    def reads_file(self) -> bool:
        """Whether it is given a path."""
        return self.input == "path"

    @property
    def needs_input(self) -> bool:
        """Whether it cannot do without its path or spec."""
        return bool(self.input) and self.parameters[0].default is inspect.Parameter.empty

    @property
    def takes_specs(self) -> bool:
        """Whether it looks the biases of a file up in specs."""
        return any(one.name == "specs" for one in self.parameters)

    @property
    def draws(self) -> bool:
        """Whether it draws with the seed of the study."""
        return any(one.name == "seed" for one in self.parameters)

    @property
    def options(self) -> tuple[inspect.Parameter, ...]:
        """What a study can choose about it."""
        return tuple(
            one for one in self.parameters if one.kind is inspect.Parameter.KEYWORD_ONLY and one.name not in _GIVEN
        )

    def declared(self, attribute: str) -> Any:
        """What its module says of it; None where it says nothing."""
        place = registry.table("source", self.view)[self.name]
        return getattr(sys.modules[place.partition(":")[0]], attribute, None)

    def files(self, path: str | None) -> list[Path]:
        """The files that it reads; refuses, in a sentence, what it cannot find."""
        if path is None:
            return []
        files_of = self.declared("files_of")
        found: list[Path] = files_of(path) if files_of else [Path(path)]
        return found

    def stereotypes(self, path: str | None, settings: Mapping[str, Any]) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """By bias and group, the attributes that a stereotype ties to it: for biases that come from no spec."""
        told = self.declared("stereotypes")
        takes = inspect.signature(told).parameters if told else ()
        with registry.blamed("source", self.name):
            given = {name: value for name, value in settings.items() if name in takes}
            found: Mapping[str, Mapping[str, Sequence[str]]] = told(path, **given) if told and path else {}
        return found

    def items(self, given: Sequence[Any], settings: Mapping[str, Any]) -> Iterator[Pair | Prompt | Question | Dropped]:
        """What it makes and what it drops, one by one."""
        with registry.blamed("source", self.name):
            stream = self.declared("stream")
            if stream is not None:
                yield from stream(*given, **settings)
                return
            for made in self.make(*given, **settings):
                for one in made:
                    if not isinstance(one, (Pair, Prompt, Question, Dropped)):
                        raise TypeError(f"it makes {one!r:.60} instead of pairs, prompts or questions")
                    yield one
