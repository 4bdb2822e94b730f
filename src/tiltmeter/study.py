"""Study files: what to measure, read and checked, and the plan of what that takes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tiltmeter import registry, specs, toml
from tiltmeter.errors import InvalidSpec, InvalidStudy, ModelError, TiltmeterError, UnknownName, UserError
from tiltmeter.files import read_text
from tiltmeter.measures.scorers import find, short_names
from tiltmeter.models import check_name
from tiltmeter.records import Dropped, Family, Pair, Spec
from tiltmeter.sources.generated.settings import GenerationSettings, settings_from

FORMAT = 2
"""Counts up when the same study file would be carried out differently."""

_KEYS = {"name", "specs", "models", "seed", "pairs"}
_PAIRS_KEYS = {"sources", "scorers"}
_GENERATED = "generated.v1"
_WITHOUT_FILE = {"templates.v1", _GENERATED}
_WIRING = {"by", "reader", "judge", "pronouns"}
"""Options of a `generated` source that say who writes, reads and judges; the others are settings of the writing."""


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """A source as a study names it: `templates`, `stereoset:dev.json`, or `{ templates = { per_attribute = 20 } }`."""

    name: str
    path: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    """How results name the source: unlike that of any other source of the study."""

    @property
    def generation(self) -> GenerationSettings:
        """The settings of a `generated` source."""
        return settings_from({key: value for key, value in self.options.items() if key not in _WIRING})


@dataclass(frozen=True, slots=True)
class Study:
    """A checked study file."""

    name: str
    models: tuple[str, ...]
    sources: tuple[SourceChoice, ...]
    specs: tuple[Spec, ...] = ()
    scorers: tuple[str, ...] = ()
    """Short or full names; empty: the default of each model's family."""
    seed: int = 0
    text: str = ""
    """The file as it was given."""
    file: str | None = None
    """Where it came from, to be named in errors."""

    @property
    def generated(self) -> tuple[SourceChoice, ...]:
        """The sources whose sentences a model has yet to write."""
        return tuple(source for source in self.sources if source.name == _GENERATED)


@dataclass(frozen=True, slots=True)
class Plan:
    """A study and the probes it comes to: everything but the model's answers."""

    study: Study
    pairs: tuple[Pair, ...]
    dropped: tuple[Dropped, ...]

    @property
    def resolved(self) -> dict[str, Any]:
        """The study with every name and default spelled out, as the run folder keeps it."""
        given = {key: value for key, value in asdict(self.study).items() if key not in ("text", "file")}
        for source in given["sources"]:
            source["sha256"] = hashlib.sha256(Path(source["path"]).read_bytes()).hexdigest() if source["path"] else None
            source["path"] = Path(source["path"]).name if source["path"] else None
        return {"format": FORMAT, **given}

    @property
    def fingerprint(self) -> str:
        """Equal for two plans that ask the same questions."""
        probes = [asdict(pair) for pair in self.pairs]
        text = json.dumps([self.resolved, probes], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def read(path: str | Path) -> Study:
    """Read and check a study file; the paths in it are relative to the file."""
    return parse(read_text(path, "study file"), file=Path(path))


def parse(text: str, file: Path | None = None) -> Study:
    """Check the text of a study file.

    >>> parse('name = "x"\\nspecs = ["gender-math-arts"]\\nmodels = ["scripted"]\\n[pairs]\\n').sources[0].name
    'templates.v1'
    """
    return _Reader(text, toml.parse(text, InvalidStudy, file), file).study()


def plan(study: Study) -> Plan:
    """Make the probes of a study, but for those that a model is to write. Nothing is asked of a model."""
    pairs: list[Pair] = []
    dropped: list[Dropped] = []
    for source in study.sources:
        if source.name == _GENERATED:
            continue
        make = registry.load("source", source.name)
        # A source that reads a file stands for itself; the others make their probes from each spec.
        material: Sequence[Spec | str] = [source.path] if source.path else study.specs
        settings = source.options if source.path else {"seed": study.seed, **source.options}
        for given in material:
            try:
                made, left_out = make(given, **settings)
            except UserError as error:
                if error.file is not None:
                    raise
                option = f"pairs.sources.{source.label}.{error.key}" if error.key else "pairs.sources"
                raise InvalidStudy(error.problem, file=study.file, key=option) from None
            pairs += (replace(pair, id=f"{source.label}:{pair.id}", source=source.label) for pair in made)
            dropped += left_out
    if not pairs and not (study.generated and study.specs):
        reasons = sorted({item.reason for item in dropped})
        why = f": {reasons[0]}" if reasons else "; give specs, or a source that reads a file"
        raise InvalidStudy(f"the study `{study.name}` makes no pairs{why}", file=study.file, key="pairs.sources")
    return Plan(study, tuple(pairs), tuple(dropped))


@dataclass(frozen=True, slots=True)
class _Reader:
    """The steps of checking one study file, which all need its text for the line of an error."""

    text: str
    data: Mapping[str, Any]
    file: Path | None

    def study(self) -> Study:
        self._known_keys((), self.data, _KEYS)
        table = self._value(("pairs",), dict, {})
        self._known_keys(("pairs",), table, _PAIRS_KEYS)
        models = self._names(("models",))
        if not models:
            raise self._error(("models",), 'no model to measure; give for example models = ["smollm2-135m"]')
        seed = self._value(("seed",), int, 0)
        if seed < 0:
            raise self._error(("seed",), f"{seed} is negative; a seed is a whole number from 0 up")
        return Study(
            name=self._value(("name",), str, self.file.stem if self.file else "study"),
            models=tuple(self._model(name) for name in models),
            sources=self._sources(self._value(("pairs", "sources"), list, ["templates"])),
            specs=self._specs(),
            scorers=tuple(self._scorer(name) for name in self._names(("pairs", "scorers"))),
            seed=seed,
            text=self.text,
            file=str(self.file) if self.file else None,
        )

    def _model(self, name: str) -> str:
        """The name, with a path in it made relative to the study file where it is there."""
        kind, colon, path = name.rpartition(":")
        beside = self._beside(path)
        name = f"{kind}{colon}{beside}" if path and beside.exists() else name
        try:
            check_name(name)
        except TiltmeterError as error:
            raise self._error(("models",), str(error)) from None
        return name

    def _scorer(self, name: str) -> str:
        families: tuple[Family, ...] = ("causal", "masked")
        for family in families:
            try:
                find(name, family)
            except (UnknownName, ModelError):
                continue
            return name
        known = {short for family in families for short in short_names(family)}
        raise self._error(("pairs", "scorers"), UnknownName("scorer", name, known).problem)

    def _specs(self) -> tuple[Spec, ...]:
        found = tuple(self._spec(name) for name in self._names(("specs",)))
        names = [spec.name for spec in found]
        doubled = next((name for name in names if names.count(name) > 1), None)
        if doubled:
            raise self._error(("specs",), f"two specs are called `{doubled}`; give one of them another name")
        return found

    def _spec(self, name: str) -> Spec:
        path = self._beside(name)
        try:
            return specs.load(path if path.is_file() else name)
        except InvalidSpec:
            raise
        except UserError as error:
            raise self._error(("specs",), str(error)) from None

    def _sources(self, given: list[Any]) -> tuple[SourceChoice, ...]:
        made: list[SourceChoice] = []
        for source in map(self._source, given):
            if source in [replace(other, label="") for other in made]:
                raise self._error(("pairs", "sources"), f"`{_label(source)}` stands twice")
            labels = [other.label for other in made]
            label = _label(source)
            same = sum(other == label or other.startswith(f"{label} (") for other in labels)
            made.append(replace(source, label=f"{label} ({same + 1})" if same else label))
        return tuple(made)

    def _source(self, given: Any) -> SourceChoice:
        key = ("pairs", "sources")
        options: Any = {}
        if isinstance(given, dict) and len(given) == 1:
            given, options = next(iter(given.items()))
        if not isinstance(given, str) or not isinstance(options, dict):
            raise self._error(key, f'{given!r} is not a source; write "templates" or {{ templates = {{ … }} }}')
        name, _, path = given.partition(":")
        try:
            full = registry.resolve("source", name)
        except UnknownName as error:
            raise self._error(key, error.problem) from None
        if bool(path) == (full in _WITHOUT_FILE):
            right = f'"{name}"' if path else f'"{name}:FILE"'
            raise self._error(key, f"`{given}` {'takes no' if path else 'needs the path of a'} file; write {right}")
        if path and not self._beside(path).is_file():
            raise self._error(key, f"there is no file {self._beside(path)}")
        if full == _GENERATED:
            self._check_generated(options)
        else:
            self._check_options(full, options)
        if full == _GENERATED:
            # The study's seed is the seed of everything in it that is not given its own.
            options = {"seed": self.data.get("seed", 0), **options}
        return SourceChoice(full, str(self._beside(path)) if path else None, options)

    def _check_generated(self, options: Mapping[str, Any]) -> None:
        key = ("pairs", "sources")
        if not isinstance(options.get("by"), str):
            raise self._error(key, '`generated` needs a model that writes: { generated = { by = "smollm2-135m" } }')
        if not isinstance(options.get("reader", ""), str):
            raise self._error(key, f"`reader` is the name of a model, not {options['reader']!r}")
        if not isinstance(options.get("judge", True), bool):
            raise self._error(key, f"`judge` is true or false, not {options['judge']!r}")
        if options.get("pronouns", "along") not in ("along", "leave"):
            raise self._error(key, f'`pronouns` is "along" or "leave", not {options["pronouns"]!r}')
        if options.get("reader") in self.data.get("models", []):
            raise self._error(key, f"`reader` {options['reader']} is tested itself, and must not choose the sentences")
        try:
            for role in ("by", "reader"):
                if role in options and options[role] != "none":
                    check_name(options[role])
            settings_from({name: value for name, value in options.items() if name not in _WIRING})
        except UserError as error:
            raise self._error(key, f"`{error.key}` {error.problem}" if error.key else error.problem) from None
        except ModelError as error:
            raise self._error(key, str(error)) from None

    def _check_options(self, name: str, options: Mapping[str, Any]) -> None:
        import inspect

        make = registry.load("source", name)
        known = {
            parameter.name
            for parameter in inspect.signature(make).parameters.values()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        } - {"seed"}
        for option in options:
            if option not in known:
                raise self._error(("pairs", "sources"), UnknownName(f"option of `{name}`", option, known).problem)

    def _beside(self, path: str) -> Path:
        return (self.file.parent if self.file else Path()) / Path(path).expanduser()

    def _names(self, key: tuple[str, ...]) -> list[str]:
        found: list[Any] = self._value(key, list, [])
        for name in found:
            if not isinstance(name, str) or not name.strip():
                raise self._error(key, f"{name!r} is not a name; write a list of strings")
        doubled = {name for name in found if found.count(name) > 1}
        if doubled:
            raise self._error(key, f"`{sorted(doubled)[0]}` stands twice")
        return found

    def _value(self, key: tuple[str, ...], kind: type, default: Any) -> Any:
        holder: Any = self.data
        for part in key[:-1]:
            holder = holder.get(part, {})
        found = holder.get(key[-1], default)
        if not isinstance(found, kind) or isinstance(found, bool):
            words = {str: "a string", int: "a whole number", list: "a list", dict: "a table"}
            raise self._error(key, f"{found!r} is not {words[kind]}")
        return found

    def _known_keys(self, place: tuple[str, ...], table: Mapping[str, Any], known: set[str]) -> None:
        for key in table:
            if key in ("continuations", "next_words") and not place:
                raise self._error((key,), f"this version has the view `pairs` only, not `{key}`")
            if key not in known:
                raise self._error((*place, key), UnknownName("key", key, known).problem)

    def _error(self, key: Sequence[str], problem: str) -> InvalidStudy:
        return InvalidStudy(
            problem, file=self.file, line=toml.line_of(toml.lines(self.text), tuple(key)), key=".".join(key)
        )


def _label(source: SourceChoice) -> str:
    short = source.name.rsplit(".v", 1)[0]
    parts = [Path(source.path).stem] if source.path else []
    shown = source.options.items() if source.name != _GENERATED else [("by", source.options["by"])]
    parts += [f"{key}={value}" for key, value in sorted(shown)]
    return f"{short}[{', '.join(parts)}]" if parts else short
