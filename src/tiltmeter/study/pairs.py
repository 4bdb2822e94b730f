"""The table `[pairs]` of a study file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import ModelError, UnknownName, UserError
from tiltmeter.measures.scorers import find, short_names
from tiltmeter.models import check_name
from tiltmeter.records import Family
from tiltmeter.sources.generated.settings import settings_from
from tiltmeter.study.reader import Reader, place_of
from tiltmeter.study.records import GENERATED, WIRING, SourceChoice

_KEY = ("pairs", "sources")


@dataclass(frozen=True, slots=True)
class PairsReader:
    """The steps of reading the sources and scorers of pairs."""

    reader: Reader

    def sources(self) -> tuple[SourceChoice, ...]:
        """The sources; templates unless the file says otherwise."""
        self.reader.table("pairs", {"sources", "scorers"})
        return self.reader.sources(_KEY, self.reader.value(_KEY, list, ["templates"]), self._source)

    def scorers(self) -> tuple[str, ...]:
        """The names of scorers of either family."""
        return tuple(self._scorer(name) for name in self.reader.names(("pairs", "scorers")))

    def _scorer(self, name: str) -> str:
        families: tuple[Family, ...] = ("causal", "masked")
        for family in families:
            try:
                find(name, family)
            except (UnknownName, ModelError):
                continue
            return name
        known = {short for family in families for short in short_names(family)}
        raise self.reader.error(("pairs", "scorers"), UnknownName("scorer", name, known).problem)

    def _source(self, given: Any) -> SourceChoice:
        given, options = self.reader.named(_KEY, given, "source", "templates")
        name, _, path = given.partition(":")
        source = self.reader.source(_KEY, name, "pairs")
        if bool(path) != source.reads_file:
            right = f'"{name}"' if path else f'"{name}:FILE"'
            problem = f"`{given}` {'takes no' if path else 'needs the path of a'} file; write {right}"
            raise self.reader.error(_KEY, problem)
        place = place_of(self.reader, _KEY, source, path)
        if source.name == GENERATED:
            self._check_generated(options)
            # The study's seed is the seed of everything in it that is not given its own.
            options = {"seed": self.reader.data.get("seed", 0), **options}
        else:
            self.reader.check_options(_KEY, source, options)
        return SourceChoice(source.name, place, options)

    def _check_generated(self, options: Mapping[str, Any]) -> None:
        if not isinstance(options.get("by"), str):
            raise self._error(
                '`generated` needs a model to write the sentences: { generated = { by = "smollm2-135m" } }'
            )
        if not isinstance(options.get("reader", ""), str):
            raise self._error(f"`reader` must be the name of a model, not {options['reader']!r}")
        if not isinstance(options.get("judge", True), bool):
            raise self._error(f"`judge` must be true or false, not {options['judge']!r}")
        if options.get("pronouns", "along") not in ("along", "leave"):
            raise self._error(f'`pronouns` is "along" or "leave", not {options["pronouns"]!r}')
        if options.get("reader") in self.reader.data.get("models", []):
            raise self._error(
                f"`reader` {options['reader']} is also tested, so it must not choose the sentences; name another model"
            )
        try:
            for role in ("by", "reader"):
                if role in options and options[role] != "none":
                    check_name(options[role])
            settings_from({name: value for name, value in options.items() if name not in WIRING})
        except UserError as error:
            raise self._error(f"`{error.key}` {error.problem}" if error.key else error.problem) from None
        except ModelError as error:
            raise self._error(str(error)) from None

    def _error(self, problem: str) -> UserError:
        return self.reader.error(_KEY, problem)
