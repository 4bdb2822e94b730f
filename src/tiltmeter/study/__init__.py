"""Study files: what to measure, read and checked, and the plan of what that takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter import specs, toml
from tiltmeter.errors import InvalidSpec, InvalidStudy, TiltmeterError, UnknownName, UserError
from tiltmeter.files import is_file, is_there, read_text
from tiltmeter.models import check_name
from tiltmeter.records import Spec
from tiltmeter.study.asked import ASKED, asked_view
from tiltmeter.study.continuations import ContinuationsReader
from tiltmeter.study.next_words import NextWordsReader
from tiltmeter.study.pairs import PairsReader
from tiltmeter.study.planning import plan
from tiltmeter.study.reader import Reader
from tiltmeter.study.records import (
    FORMAT,
    ContinuationChoices,
    NextWordChoices,
    Plan,
    RaterChoice,
    SourceChoice,
    Study,
    WordChoice,
)
from tiltmeter.study.words import is_spec
from tiltmeter.views import FACTS

__all__ = [
    "FORMAT",
    "ContinuationChoices",
    "NextWordChoices",
    "Plan",
    "RaterChoice",
    "SourceChoice",
    "Study",
    "WordChoice",
    "is_spec",
    "parse",
    "plan",
    "read",
]

_KEYS = {"name", "specs", "models", "seed"}
_SIZES = {"size", "sizes"}


def read(path: str | Path) -> Study:
    """Read and check a study file; the paths in it are relative to the file."""
    return parse(read_text(path, "study file"), file=Path(path))


def parse(text: str, file: Path | None = None) -> Study:
    """Check the text of a study file.

    >>> parse('name = "x"\\nspecs = ["gender-math-arts"]\\nmodels = ["scripted"]\\n[pairs]\\n').sources[0].name
    'templates.v1'
    """
    return _StudyReader(_sized(Reader(text, toml.parse(text, InvalidStudy, file), file))).study()


def _sized(reader: Reader) -> Reader:
    """The study at the size that it names: `size = "full"` puts what stands under `[sizes.full]` in its place."""
    known = _KEYS | _views()
    reader.known_keys((), reader.data, known | _SIZES)
    sizes: Mapping[str, Any] = reader.value(("sizes",), dict, {})
    for name in sizes:
        reader.known_keys(("sizes", name), reader.value(("sizes", name), dict, {}), known)
    plain = {key: value for key, value in reader.data.items() if key not in _SIZES}
    if "size" not in reader.data:
        return replace(reader, data=plain)
    size = reader.value(("size",), str, "")
    if size not in sizes:
        raise reader.error(("size",), UnknownName("size", size, sizes).problem)
    return replace(reader, data=_laid_over(plain, sizes[size]), size=size)


def _views() -> set[str]:
    """The tables of views."""
    return {facts.key for facts in FACTS.values()}


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both, of which the second counts; tables are joined, lists are replaced."""
    both = {key for key in above if isinstance(above[key], dict) and isinstance(below.get(key), dict)}
    return {**below, **{key: _laid_over(below[key], above[key]) if key in both else above[key] for key in above}}


@dataclass(frozen=True, slots=True)
class _StudyReader:
    """The steps of checking one study file."""

    reader: Reader

    def study(self) -> Study:
        reader = self.reader
        models = reader.names(("models",))
        if not models:
            raise reader.error(("models",), 'no model to measure; give for example models = ["smollm2-135m"]')
        seed = reader.value(("seed",), int, 0)
        if seed < 0:
            raise reader.error(("seed",), f"{seed} is negative; a seed is a whole number from 0 up")
        # A study that names no view is one of pairs.
        has_pairs = "pairs" in reader.data or not _views() & set(reader.data)
        pairs = PairsReader(reader)
        return Study(
            name=reader.value(("name",), str, reader.file.stem if reader.file else "study"),
            models=tuple(self._model(name) for name in models),
            sources=pairs.sources() if has_pairs else (),
            specs=self._specs(),
            scorers=pairs.scorers() if has_pairs else (),
            seed=seed,
            text=reader.text,
            file=str(reader.file) if reader.file else None,
            continuations=ContinuationsReader(reader).choices() if "continuations" in reader.data else None,
            next_words=NextWordsReader(reader).choices() if "next_words" in reader.data else None,
            asked={view: asked_view(view).read(reader) for view in ASKED if FACTS[view].key in reader.data},
        )

    def _model(self, name: str) -> str:
        """The name, with a path in it made relative to the study file where it is there."""
        kind, colon, path = name.rpartition(":")
        beside = self.reader.beside(path)
        name = f"{kind}{colon}{beside}" if path and is_there(beside) else name
        try:
            check_name(name)
        except TiltmeterError as error:
            raise self.reader.error(("models",), str(error)) from None
        return name

    def _specs(self) -> tuple[Spec, ...]:
        found = tuple(self._spec(name) for name in self.reader.names(("specs",)))
        names = [spec.name for spec in found]
        doubled = next((name for name in names if names.count(name) > 1), None)
        if doubled:
            raise self.reader.error(("specs",), f"two specs are called `{doubled}`; give one of them another name")
        return found

    def _spec(self, name: str) -> Spec:
        path = self.reader.beside(name)
        try:
            return specs.load(path if is_file(path) else name)
        except InvalidSpec:
            raise
        except UserError as error:
            raise self.reader.error(("specs",), str(error)) from None
