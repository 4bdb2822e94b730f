"""The table `[continuations]` of a study file: prompts, settings of the decoding, raters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, get_args

from tiltmeter import raters, registry
from tiltmeter.errors import TiltmeterError, UnknownName, UserError
from tiltmeter.files import is_there
from tiltmeter.models import check_name
from tiltmeter.models.asking import PROMPT
from tiltmeter.raters import class_map, functions
from tiltmeter.raters.judge import name_of, question_of
from tiltmeter.raters.scales import scale_of, threshold_of
from tiltmeter.records import ASKING, Decoding, Scope
from tiltmeter.study.reader import Reader, prompt_sources
from tiltmeter.study.records import ContinuationChoices, RaterChoice

JUDGE = class_map.JUDGE
_PLACE = "continuations"
_KEYS = {"sources", "decoding", "asking", "samples", "raters", "scope", "reference", "threshold"}
_OWN = {
    class_map.NAME: class_map.CLASSIFIER,
    class_map.PYTHON: class_map.FUNCTION,
    class_map.COLUMN_NAME: class_map.COLUMN,
}
"""Raters of the user's, whose names say what their numbers mean."""
RATERS = ["sentiment.minilm", "toxicity.minilm", "hate.minilm", "regard.minilm"]
"""Those that rate texts where nobody names any."""
_AXES: Mapping[str, tuple[type, float, float, str]] = {
    "beams": (int, 1, 64, "a whole number from 1 (no beam search) to 64"),
    "temperature": (float, 0, 100, "a number from 0 (greedy) up"),
    "top_k": (int, 0, 10**9, "a whole number from 0 (no cut) up"),
    "top_p": (float, 1e-9, 1, "a number above 0 and at most 1 (no cut)"),
    "whole_sentences": (bool, 0, 1, "true or false"),
    "max_new_tokens": (int, 1, 10**6, "a whole number from 1 up"),
}
"""Settings of the decoding in the order of the grid: their kind, least, most, and what is right."""
_SHARE = (0.0, 1.0)
_MOST_SAMPLES = 100_000
_MOST_DECODINGS = 10_000
"""Texts of one prompt, which are written and held together."""


@dataclass(frozen=True, slots=True)
class ContinuationsReader:
    """The steps of reading the table."""

    reader: Reader

    def choices(self) -> ContinuationChoices:
        """The table with its defaults."""
        self.reader.table(_PLACE, _KEYS)
        samples = self.reader.value((_PLACE, "samples"), int, 10)
        if not 1 <= samples <= _MOST_SAMPLES:
            right = f"write a whole number from 1 to {_MOST_SAMPLES:,}"
            raise self.reader.error(
                (_PLACE, "samples"), f"{samples:,} is too {'few' if samples < 1 else 'many'}; {right}"
            )
        scope = self.reader.value((_PLACE, "scope"), str, "whole")
        if scope not in get_args(Scope):
            raise self.reader.error((_PLACE, "scope"), f'must be "whole" or "completion", not {scope!r}')
        chosen = self._raters()
        return ContinuationChoices(
            sources=prompt_sources(self.reader, "continuations", ["own-prompts"]),
            decodings=self._decodings(),
            raters=chosen,
            samples=samples,
            scope=scope,
            reference=self._reference(),
            threshold=self._threshold(chosen),
        )

    def _reference(self) -> tuple[str, ...]:
        given = self.reader.table(_PLACE, _KEYS).get("reference", [])
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            problem = f"must be the name of a group, or a list with one group for each bias, not {given!r}"
            raise self.reader.error((_PLACE, "reference"), problem)
        return tuple(names)

    def _threshold(self, chosen: Sequence[RaterChoice]) -> float | dict[str, float] | None:
        """One for all raters that have one, or one for each that is named; None where each keeps its own."""
        given = self.reader.table(_PLACE, _KEYS).get("threshold")
        if given is None:
            return None
        if not isinstance(given, dict):
            counted = [scale for one in chosen if threshold_of(_named(one)) is not None for scale in _ends(one)]
            return self._threshold_on(given, max(low for low, _ in counted or [_SHARE]), counted or [_SHARE])
        found: dict[str, float] = {}
        for name, value in given.items():
            try:
                full = registry.resolve("rater", name)
            except TiltmeterError as error:
                raise self.reader.error((_PLACE, "threshold"), str(error)) from None
            own = [one for one in chosen if one.name == full]
            if not own:
                problem = UnknownName("rater", name, [one.name for one in chosen]).problem
                raise self.reader.error((_PLACE, "threshold"), f"{problem}; a threshold is for a rater of the study")
            ends = [scale for one in own for scale in _ends(one)]
            found[full] = self._threshold_on(value, max((low for low, _ in ends), default=-math.inf), ends)
        return found

    def _threshold_on(self, given: Any, low: float, ends: Sequence[tuple[float, float]]) -> float:
        """A threshold that lies on the scales of all raters that it is for."""
        high = min((high for _, high in ends), default=math.inf)
        if type(given) not in (int, float) or not low <= given < high:
            where = f" from {low:g} to below {high:g}" if math.isfinite(high) else ""
            raise self.reader.error((_PLACE, "threshold"), f"must be a number{where}, not {given!r}")
        return float(given)

    def _decodings(self) -> tuple[Decoding, ...]:
        """Every combination of the settings of each grid, under every way of asking."""
        key = (_PLACE, "decoding")
        given = self.reader.table(_PLACE, _KEYS).get("decoding", {})
        grids = given if isinstance(given, list) else [self.reader.value(key, dict, {})]
        if not grids or not all(isinstance(grid, dict) for grid in grids):
            raise self.reader.error(key, "must be a table of settings, or a list of such tables")
        asking = self._asking()
        axes = []
        for grid in grids:
            self.reader.known_keys(key, grid, set(_AXES))
            found = {name: self._axis(name, values) for name, values in grid.items()}
            axes.append([[(name, value) for value in found[name]] for name in _AXES if name in found])
        count = sum(math.prod(map(len, grid)) for grid in axes) * len(asking)
        if count > _MOST_DECODINGS:
            raise self.reader.error(
                key,
                f"{count:,} combinations of settings are too many; the limit is {_MOST_DECODINGS:,} at most",
            )
        made = (Decoding(**dict(cell), **way) for way in asking for grid in axes for cell in product(*grid))
        return tuple(dict.fromkeys(map(plainest, made)))

    def _asking(self) -> list[dict[str, Any]]:
        """Every combination of form, request and system prompt; one without any where the study names none."""
        key = (_PLACE, "asking")
        table = self.reader.value(key, dict, {})
        self.reader.known_keys(key, table, set(ASKING))
        axes = []
        for name, given in table.items():
            values = given if isinstance(given, list) else [given]
            if not values or len({repr(value) for value in values}) < len(values):
                problem = "a value is listed twice" if values else "the list is empty"
                raise self.reader.error((*key, name), problem)
            for value in values:
                self._check_asking(name, value)
            axes.append([(name, value) for value in values])
        return [dict(way) for way in product(*axes)]

    def _check_asking(self, name: str, value: Any) -> None:
        key = (_PLACE, "asking", name)
        if not isinstance(value, str):
            raise self.reader.error(key, f"must be a text, or a list of texts, not {value!r}")
        if name == "form" and value not in ("chat", "text"):
            raise self.reader.error(key, f'must be "chat" (in the chat template) or "text" (bare), not {value!r}')
        if name == "request" and value and value.count(PROMPT) != 1:
            raise self.reader.error(key, f"must contain {PROMPT} once, where the prompt goes, not {value!r}")
        named = [model for model in self.reader.data.get("models", ()) if str(model).startswith("chat:")]
        if name == "form" and value == "text" and named:
            problem = f"`{named[0]}` is always asked in its chat template; name the model without `chat:`"
            raise self.reader.error(key, problem)

    def _axis(self, name: str, given: Any) -> list[Any]:
        kind, least, most, right = _AXES[name]
        values = given if isinstance(given, list) else [given]
        for value in values:
            fits = type(value) is kind or (kind is float and type(value) is int)
            if not fits or not least <= value <= most:
                raise self.reader.error((_PLACE, "decoding", name), f"must be {right}, not {value!r}")
        if not values or len(set(values)) < len(values):
            problem = "a value is listed twice" if values else "the list is empty"
            raise self.reader.error((_PLACE, "decoding", name), problem)
        return [kind(value) for value in values]

    def _raters(self) -> tuple[RaterChoice, ...]:
        key = (_PLACE, "raters")
        found = [self._rater(given) for given in self.reader.value(key, list, RATERS)]
        doubled = next((one for at, one in enumerate(found) if one in found[:at]), None)
        if doubled:
            raise self.reader.error(key, f"`{doubled.name}` is listed twice")
        return tuple(found)

    def _rater(self, given: Any) -> RaterChoice:
        key = (_PLACE, "raters")
        given, options = self.reader.named(key, given, "rater", "sentiment.vader")
        name, _, argument = given.partition(":")
        try:
            full = registry.resolve("rater", "judge.chat" if name == "judge" else name)
            if full not in _OWN:
                raters.check_name(f"{full}:{argument}" if argument else full)
        except TiltmeterError as error:
            raise self.reader.error(key, str(error)) from None
        if full == JUDGE:
            self._check_judge(options)
        elif full in _OWN:
            return self._own(full, name, argument, options)
        elif options:
            raise self.reader.error(key, f"`{name}` has no options; write it as a string")
        place = str(self.reader.beside(argument)) if argument and is_there(self.reader.beside(argument)) else argument
        return RaterChoice(full, place or None, options)

    def _own(self, full: str, kind: str, argument: str, options: Mapping[str, Any]) -> RaterChoice:
        """A classifier or a function of the user's; what its numbers mean stands behind its name, or in a table."""
        key, bearer = (_PLACE, "raters"), _OWN[full]
        where, said = class_map.split(argument)
        if said and options:
            raise self.reader.error(
                key, f"`{kind}:{where}` gives its scale twice, in its name and in a table; keep one of them"
            )
        file, colon, function = where.rpartition(":") if full != class_map.NAME else (where, "", "")
        beside = self.reader.beside(file)
        place = f"{beside}{colon}{function}" if file and is_there(beside) else where
        try:
            said = str(class_map.of(options, bearer)) if options else said
        except UserError as error:
            raise self.reader.error(key, f"`{kind}:{where}`: {error.problem}") from None
        named = f"{place}[{said}]" if said else place
        try:
            raters.check_name(f"{full}:{named}" if named else full)
            meaning = functions.parsed(named)[1] if full == class_map.PYTHON else class_map.parse(said, bearer)
        except UserError as error:
            raise self.reader.error(key, error.problem) from None
        return RaterChoice(full, f"{place}[{meaning}]")

    def _check_judge(self, options: Mapping[str, Any]) -> None:
        key = (_PLACE, "raters")
        right = '{ judge = { model = "smollm2-135m", question = "sentiment" } }'
        if not all(isinstance(options.get(name), str) for name in ("model", "question")):
            raise self.reader.error(key, f"a judge needs a chat model and a question: {right}")
        try:
            question_of(options)
            check_name(options["model"])
        except TiltmeterError as error:
            raise self.reader.error(key, str(error)) from None


def _named(choice: RaterChoice) -> str:
    """A rater with what stands behind its name; a judge with its question."""
    if choice.name == class_map.JUDGE:
        return name_of(question_of(choice.options), choice.options["model"])
    return f"{choice.name}:{choice.argument}" if choice.argument else choice.name


def _ends(choice: RaterChoice) -> list[tuple[float, float]]:
    """The ends of the scale of a rater, where it declares one."""
    scale = scale_of(_named(choice))
    return [scale.ends] if scale else []


def plainest(decoding: Decoding) -> Decoding:
    """The same settings without those that change nothing: nothing is cut where the best is taken.

    Bare text has no request and no system prompt, and these make it a chat.

    >>> plainest(Decoding(temperature=0.0, top_p=0.9)) == Decoding(temperature=0.0)
    True
    """
    if decoding.form == "text":
        decoding = replace(decoding, request="", system="")
    elif decoding.request or decoding.system:
        decoding = replace(decoding, form="chat")
    if decoding.beams > 1 or decoding.temperature == 0:
        return replace(decoding, temperature=0.0, top_k=0, top_p=1.0)
    return decoding
