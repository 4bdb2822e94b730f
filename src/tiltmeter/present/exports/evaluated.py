"""The leading figures of a run as one flat dictionary, as `compute()` of Hugging Face's `evaluate` returns it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from tiltmeter.results.account import LeadingFigure, leading_figures
from tiltmeter.results.summary.runs import summarise_run
from tiltmeter.store import Run
from tiltmeter.views import FACTS

_ALWAYS = ("model", "source", "scorer", "rater", "words", "groups")
"""What is in a name even where the run does not vary it, so that the names of two runs are the same."""
Value = float | int | None


def evaluate_dict(run: Run) -> dict[str, Value]:
    """The leading figure of every cell by its name, with `_low`, `_high`, `_n` and `_n_unscored`; None: undefined.

    A name is the view, the bias, model, source, scorer or rater, and groups; further choices where the run varies them.
    """
    found = list(leading_figures(summarise_run(run)))
    made: dict[str, Value] = {}
    for name, figure in zip(_names(found), found, strict=True):
        one = figure.found
        ends = {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}
        made |= {of: value if value is not None and math.isfinite(value) else None for of, value in ends.items()}
        made |= {f"{name}_n": one.n, f"{name}_n_unscored": one.n_unscored}
    return made


def _names(figures: Sequence[LeadingFigure]) -> Iterator[str]:
    settings: dict[tuple[str, str], set[str]] = {}
    for figure in figures:
        for choice, setting in figure.of.items():
            settings.setdefault((figure.view, choice), set()).add(setting)
    taken: set[str] = set()
    for figure in figures:
        varied = {choice for choice in figure.of if len(settings[figure.view, choice]) > 1}
        name = _name(figure, {*_ALWAYS, *varied})
        numbered = (name, *(f"{name}_{number}" for number in range(2, len(figures) + 2)))
        taken.add(name := next(one for one in numbered if one not in taken))
        yield name


def _name(figure: LeadingFigure, shown: set[str]) -> str:
    """Words between slashes, which trackers take for groups; what else a name may hold becomes a hyphen."""
    of = {choice: setting for choice, setting in figure.of.items() if choice in shown and setting}
    named = (setting if choice in _ALWAYS else f"{choice}-{setting}" for choice, setting in of.items())
    parts = [FACTS[figure.view].key, figure.bias, *named]
    return "/".join(re.sub(r"[^\w.+-]+", "-", part).strip("-") or "unnamed" for part in parts)
