"""The model that the workbench keeps between questions: one at a time, so that two do not fill the memory."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from threading import Lock

from tiltmeter import models, raters
from tiltmeter.models import Model
from tiltmeter.raters import Rater


@dataclass(slots=True)
class LoadedModel:
    """A model and some raters, loaded when they are first asked for."""

    _name: str = ""
    _model: Model | None = None
    _raters: dict[str, Rater] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def name(self) -> str:
        """The model that is there now; empty: none."""
        return self._name

    def model(self, name: str) -> Model:
        """The model of that name; another one is let go first."""
        with self._lock:
            if self._model is None or self._name != name:
                self._name, self._model = "", None
                gc.collect()
                self._model = models.load(name)
                self._name = name
            return self._model

    def rater(self, name: str) -> Rater:
        """The rater of that name."""
        with self._lock:
            if name not in self._raters:
                self._raters[name] = raters.load(name)
            return self._raters[name]
