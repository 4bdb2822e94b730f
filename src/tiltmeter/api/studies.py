"""A study from Python: the keys of a study file as keywords, with models, raters and specs that are in memory."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter import study as studies
from tiltmeter.api.measuring import Say, measured, too_many, usual_folder, write_report
from tiltmeter.api.progress import Bar, NotebookBar, in_notebook, to_stderr
from tiltmeter.api.runs import Run
from tiltmeter.api.shown import short
from tiltmeter.calling import listed, number_of, shown
from tiltmeter.errors import InvalidStudy, ModelError, UserError
from tiltmeter.models import ModelSettings, as_predictor, as_writer, given
from tiltmeter.models.asking import conditionings_of
from tiltmeter.present import drawing
from tiltmeter.progress import NoProgress
from tiltmeter.raters import Rater
from tiltmeter.raters.functions import Function
from tiltmeter.records import Spec
from tiltmeter.study import Plan
from tiltmeter.toml_writing import to_toml
from tiltmeter.views import FACTS

if TYPE_CHECKING:
    from tiltmeter.engine import Cluster

Table = Mapping[str, object]


class Study:
    """What to measure: biases, models, and for each view its sources and choices, as in a study file.

    Models are names, or what `wrap` takes; raters are names or what `rater` made; specs are names, paths or `Spec`s.

    >>> study = Study(name="gate", specs=["gender-math-arts"], models=["scripted"], pairs={"scorers": ["sum", "mean"]})
    >>> study
    <Study gate, models scripted, specs gender-math-arts, views pairs>
    >>> len(study.plan().pairs)
    288
    """

    def __init__(
        self,
        *,
        name: str,
        models: Sequence[str | Path | object],
        specs: Sequence[str | Path | Spec] = (),
        seed: int = 0,
        pairs: Table | None = None,
        continuations: Table | None = None,
        next_words: Table | None = None,
        choices: Table | None = None,
    ) -> None:
        for key, given_as in (("models", models), ("specs", specs)):
            if isinstance(given_as, str | Spec) or not isinstance(given_as, Iterable):
                raise InvalidStudy(f"{shown(given_as)} is not a list; write {key}=[…]", key=key)
        specs = list(specs)
        opened = [one if isinstance(one, str | Path) else given.wrap(one) for one in models]
        self._in_memory = [one for one in opened if not isinstance(one, str | Path)]
        views = {
            "pairs": pairs,
            "continuations": _with_raters(continuations),
            "next_words": next_words,
            "choices": choices,
        }
        data: dict[str, object] = {
            "name": name,
            "models": [str(one) if isinstance(one, str | Path) else one.facts.name for one in opened],
            "specs": [str(one) for one in specs if not isinstance(one, Spec)],
            "seed": seed,
            **{view: table for view, table in views.items() if table is not None},
        }
        self._hand_over()
        written = to_toml({key: _as_in_file(value, key) for key, value in data.items()})
        try:
            read = studies.parse(written)
        except InvalidStudy as error:
            # Nobody has seen the lines of this text.
            raise InvalidStudy(error.problem, key=error.key) from None
        named = iter(read.specs)
        every = tuple(one if isinstance(one, Spec) else next(named) for one in specs)
        if len({spec.name for spec in every}) < len(every):
            raise InvalidStudy("two specs have the same name; give one of them another", key="specs")
        self.checked = replace(read, specs=every)

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """The study of a file."""
        made = cls.__new__(cls)
        made._in_memory, made.checked = [], studies.read(path)
        return made

    @property
    def name(self) -> str:
        """What it is called."""
        return self.checked.name

    def plan(self) -> Plan:
        """Every item of the study; nothing is asked of a model."""
        with given.meant(self._in_memory):
            return studies.plan(self.checked)

    def run(
        self,
        folder: str | Path | None = None,
        *,
        settings: ModelSettings | None = None,
        cache: bool = True,
        progress: bool = True,
        report: bool = True,
        cluster: Cluster | None = None,
    ) -> Run:
        """Carry it out in a folder, by default runs/NAME; an interrupted run goes on, a finished one is read.

        With `report` the tables and the report are written into the folder, as `tiltmeter run` does. The finished run
        of another study that is in the folder is moved into a folder inside it.
        """
        if settings is not None and not isinstance(settings, ModelSettings):
            raise UserError(f"settings={shown(settings)}: right is tiltmeter.ModelSettings(device=…)")
        if report:
            drawing.check()
        self._check_verbs()
        made, place = self.plan(), Path(folder) if folder is not None else usual_folder(self.name)
        bar: Any = nullcontext(NoProgress())
        if progress:
            bar = NotebookBar() if in_notebook() else Bar()
        say: Say = to_stderr if progress else lambda _: None
        with given.meant(self._in_memory), bar as watching:
            done = measured(made, place, settings or ModelSettings(), watching, say=say, cached=cache, cluster=cluster)
        found = Run.of(done)
        if report and not too_many(found):
            # What the report takes is what findings and estimates take, and is worked out once.
            write_report(found, lambda: found.reported)
        return found

    def _check_verbs(self) -> None:
        """Refuse models that lack what the study asks, before any of them has been asked anything."""
        asked = self.checked
        for model in self._in_memory:
            if asked.sources:
                model.score([])
            if asked.continuations:
                writer = as_writer(model)
                for decoding in asked.continuations.decodings:
                    writer.complete([], decoding)
            if asked.next_words:
                as_predictor(model)
            for choices in asked.asked.values():
                if not choices.ways(conditionings_of(model)):
                    raise ModelError(choices.unfit(model.facts.name))

    def _hand_over(self) -> None:
        """Let the study name its models that are in memory."""
        names = [given.hand_over(model) for model in self._in_memory]
        doubled = next((name for name in names if names.count(name) > 1), None)
        if doubled:
            raise UserError(f"two models in memory are called `{doubled}`; give one another name: wrap(model, name=…)")

    def __repr__(self) -> str:
        one = self.checked
        views = [FACTS[view].key for view in one.views]
        parts = {"models": one.models, "specs": [spec.name for spec in one.specs], "views": views}
        return short(f"Study {one.name},", {key: " ".join(map(str, values)) for key, values in parts.items()})


def _as_in_file(value: Any, key: str) -> Any:
    """A value as a study file can hold it: lists of whatever has an order, plain numbers."""
    if isinstance(value, Mapping):
        return {str(name): _as_in_file(one, f"{key}.{name}") for name, one in value.items()}
    if isinstance(value, Path):
        return str(value)
    if type(value) in (str, bool, int, float):
        return value
    with suppress(TypeError):
        return operator.index(value)
    number = number_of(value)
    if number is not None:
        return number
    ordered = None if isinstance(value, Set) else listed(value)
    if ordered is None:
        raise InvalidStudy(f"{shown(value)} is no text, number, list or table", key=key)
    return [_as_in_file(one, key) for one in ordered]


def _with_raters(table: Table | None) -> Table | None:
    """The table, with raters in memory by their names."""
    raters = (table or {}).get("raters")
    if table is None or not isinstance(raters, Sequence) or isinstance(raters, str):
        return table
    return {**table, "raters": [_rater_name(one) for one in raters]}


def _rater_name(one: str | Mapping[str, object] | Rater) -> object:
    if isinstance(one, Function):
        return one.argument
    if not isinstance(one, str | Mapping):
        raise InvalidStudy(
            f"{shown(getattr(one, 'name', one))} is an object; name raters as a study file does, and make a function "
            "one with tiltmeter.rater",
            key="continuations.raters",
        )
    return one
