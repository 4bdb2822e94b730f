"""Who remembers what was asked and answered before: one model, or one rater."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tiltmeter.store import CacheError, KeptAnswers, key_of
from tiltmeter.store.packing import Packing
from tiltmeter.version import __version__

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Memory:
    """The answers of one model or rater, which is known by its facts."""

    kept: KeptAnswers
    name: str
    facts: Mapping[str, Any]
    forgets: Callable[[Any], bool] | None = None
    """Of an answer, whether it is to be asked for again another time; None: no answer is."""

    def recall(
        self,
        verb: str,
        questions: Sequence[Any],
        ask: Callable[[list[int]], Sequence[Answer]],
        packing: Packing[Answer],
        **settings: Any,
    ) -> list[Answer]:
        """The answers in the order of the questions: those that are kept, and fresh ones to the others.

        `ask` gets the places of the questions that are open, each different one once. A cache that fails is left alone.
        """
        keys = [key_of({**self.facts, "tiltmeter": __version__}, verb, [settings, question]) for question in questions]
        found = {key: packing.unpack(text) for key, text in self._found(list(dict.fromkeys(keys))).items()}
        missing: dict[bytes, int] = {}
        for at, key in enumerate(keys):
            if key not in found:
                missing.setdefault(key, at)
        self.kept.recalled += len(keys) - len(missing)
        self.kept.asked += len(missing)
        if missing:
            fresh = dict(zip(missing, ask(list(missing.values())), strict=True))
            lasting = {key: one for key, one in fresh.items() if not (self.forgets and self.forgets(one))}
            self._keep(verb, {key: packing.pack(one) for key, one in lasting.items()})
            found |= fresh
        return [found[key] for key in keys]

    def _found(self, keys: list[bytes]) -> dict[bytes, str]:
        try:
            return {} if self.kept.trouble else self.kept.found(keys)
        except CacheError as error:
            self.kept.trouble = str(error)
            return {}

    def _keep(self, verb: str, answers: Mapping[bytes, str]) -> None:
        try:
            if not self.kept.trouble:
                self.kept.keep(self.name, verb, answers)
        except CacheError as error:
            self.kept.trouble = str(error)
