"""The table `[next_words]` of a study file: prompts, the groups' words, perturbations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from tiltmeter.errors import TiltmeterError, UserError
from tiltmeter.files import is_file
from tiltmeter.measures.next_words import Combine
from tiltmeter.records import SaliencyMethod, SaliencyTarget
from tiltmeter.sources import word_sets
from tiltmeter.sources.labour_files import Occupation, read_labour
from tiltmeter.sources.perturbations import PERTURBATIONS, check_names
from tiltmeter.study.reader import Reader, prompt_sources
from tiltmeter.study.records import NextWordChoices, WordChoice
from tiltmeter.study.words import named_words

_PLACE = "next_words"
_KEYS = {
    "sources",
    "words",
    "perturbations",
    "bounded",
    "combine",
    "saliency",
    "saliency_of",
    "labour",
    "labour_match",
    "labour_groups",
}


@dataclass(frozen=True, slots=True)
class NextWordsReader:
    """The steps of reading the table."""

    reader: Reader

    def choices(self) -> NextWordChoices:
        """The table with its defaults."""
        self.reader.table(_PLACE, _KEYS)
        return NextWordChoices(
            sources=prompt_sources(self.reader, "next words", self._usual_sources()),
            words=self._words(),
            perturbations=self._perturbations(),
            bounded=self._settings("bounded", (False, True), False),
            combine=self._settings("combine", get_args(Combine), "sum"),
            saliency=self._saliency(),
            saliency_of=self._setting("saliency_of", get_args(SaliencyTarget), "asked"),
            labour=self._labour(),
            labour_match=self._setting("labour_match", ("name", "head"), "name"),
            labour_groups=self._labour_groups(),
        )

    def _usual_sources(self) -> list[str]:
        """The templates of the specs; our defining sentences are about professions, which no other spec asks about."""
        return ["templates"] if self.reader.names(("specs",)) else ["templates", "natural"]

    def _given(self, name: str, default: Any = None) -> Any:
        return self.reader.table(_PLACE, _KEYS).get(name, default)

    def _words(self) -> tuple[WordChoice, ...]:
        given = self._given("words", [])
        found = [self._word_choice(one) for one in (given if isinstance(given, list) else [given])]
        made: list[WordChoice] = []
        for one in found:
            same = next((other.label for other in made if other.sets == one.sets), None)
            if same is not None:
                names = f"`{same}`" if same == one.label else f"`{same}` and `{one.label}`"
                raise self.reader.error((_PLACE, "words"), f"a set of words is listed twice: {names}")
            made.append(replace(one, label=_free(one.label, {other.label for other in made})))
        return tuple(made) or (WordChoice(""),)

    def _word_choice(self, given: Any) -> WordChoice:
        key = (_PLACE, "words")
        try:
            if isinstance(given, str):
                path = self.reader.beside(given)
                label = Path(given).stem if is_file(path) else given
                return WordChoice(label, named_words(given, path))
            if isinstance(given, dict) and all(
                isinstance(words, list) and all(isinstance(word, str) for word in words) for words in given.values()
            ):
                return WordChoice("/".join(given), word_sets.check_word_sets(given))
        except TiltmeterError as error:
            raise self.reader.error(key, str(error)) from None
        right = f'"{next(iter(word_sets.BUILT_IN))}", a spec, a file, or {{ kin = ["mother"], work = ["boss"] }}'
        raise self.reader.error(key, f"{given!r:.60} is not a set of words; write {right}")

    def _perturbations(self) -> tuple[str, ...]:
        given = self._given("perturbations", "all")
        names = list(PERTURBATIONS) if given == "all" else given
        key = (_PLACE, "perturbations")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise self.reader.error(key, f'must be "all" or a list such as ["original", "person"], not {given!r}')
        try:
            chosen = check_names(names)
        except UserError as error:
            raise self.reader.error(key, error.problem) from None
        return tuple(name for name in PERTURBATIONS if name in chosen)

    def _settings(self, name: str, known: tuple[Any, ...], default: Any) -> tuple[Any, ...]:
        """One setting or several, each of them known."""
        given = self._given(name, default)
        values = given if isinstance(given, list) else [given]
        for value in values:
            if not any(value is one or (isinstance(one, str) and value == one) for one in known):
                shown = " or ".join(str(one).lower() if isinstance(one, bool) else f'"{one}"' for one in known)
                raise self.reader.error((_PLACE, name), f"must be {shown}, not {value!r}")
        if not values or len(set(values)) < len(values):
            raise self.reader.error((_PLACE, name), "a value is listed twice" if values else "the list is empty")
        return tuple(values)

    def _setting(self, name: str, known: tuple[str, ...], default: str) -> Any:
        """One setting alone, which makes no choice of cells."""
        given = self._given(name, default)
        if isinstance(given, list):
            shown = " or ".join(f'"{one}"' for one in known)
            raise self.reader.error((_PLACE, name), f"must be one of {shown}, not a list")
        return self._settings(name, known, default)[0]

    def _saliency(self) -> SaliencyMethod | None:
        given = self._given("saliency")
        if given is None:
            return None
        found: SaliencyMethod = self._setting("saliency", get_args(SaliencyMethod), given)
        return found

    def _labour(self) -> tuple[Occupation, ...]:
        given = self._given("labour")
        if given is None:
            return ()
        if not isinstance(given, str) or not is_file(self.reader.beside(given)):
            raise self.reader.error((_PLACE, "labour"), f"there is no file {given!r}; write the path of a table")
        return tuple(read_labour(self.reader.beside(given)))

    def _labour_groups(self) -> tuple[str, ...]:
        given = self._given("labour_groups", [])
        if not isinstance(given, list) or len(given) not in (0, 2) or not all(isinstance(name, str) for name in given):
            problem = f'must name the group of women and the group of men, e.g. ["female", "male"], not {given!r}'
            raise self.reader.error((_PLACE, "labour_groups"), problem)
        if given and given[0] == given[1]:
            problem = f"`{given[0]}` is listed twice; name the group of women, then the group of men"
            raise self.reader.error((_PLACE, "labour_groups"), problem)
        if given and self._given("labour") is None:
            problem = "no labour table covers these groups; give one with `labour`"
            raise self.reader.error((_PLACE, "labour_groups"), problem)
        return tuple(given)


def _free(label: str, taken: set[str]) -> str:
    """The label, with a number where other words have it.

    >>> _free("a/b", {"a/b", "a/b (2)"})
    'a/b (3)'
    """
    numbered = (f"{label} ({number})" for number in range(2, len(taken) + 3))
    return next(one for one in (label, *numbered) if one not in taken)
