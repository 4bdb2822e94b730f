"""--fail-if of `tiltmeter run`: which figures of which views conditions speak of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.analyze_continuations import for_conditions
from tiltmeter.cli.conditions import fail_if, fail_if_any, holds
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.registry import unversioned
from tiltmeter.study.asked import ASKED
from tiltmeter.views import FACTS

if TYPE_CHECKING:
    from tiltmeter.records import Item
    from tiltmeter.results import RunSummary
    from tiltmeter.study import Plan, Study

_ASKED = {FACTS[view].key: view for view in ASKED}
_VIEWS = ("continuations", "next_words", *_ASKED)
"""How a condition begins that speaks of another view than pairs."""
_INSTRUMENT = "instrument"
"""How a condition begins that speaks of how many checks of the instrument failed, were weak or passed."""
_EXAMPLES = {
    "continuations": "continuations.BIAS.RATER.pairs.A/B.difference.low > 0.1",
    "next_words": "next_words.BIAS.SOURCE.overall.pairs.A/B.share.low > 0.6",
    **{FACTS[view].key: f"{FACTS[view].key}.BIAS.SOURCE.{FACTS[view].lead}.low > 0.6" for view in ASKED},
}


def check_views(conditions: Sequence[str], study: Study, file: Path) -> None:
    """Refuse, before any work is done, a condition on a view that the study does not have."""
    has = {FACTS[view].key for view in study.views}
    for condition in conditions:
        view = _view_of(condition)
        if view == _INSTRUMENT:
            continue
        if view and view not in has:
            raise UserError(f"--fail-if {condition!r}: the study has no table [{view}]", file=file)
        if view is None and not study.sources:
            examples = (
                " or ".join(f'"{_EXAMPLES[name]}"' for name in _VIEWS if name in has) or '"instrument.failed > 0"'
            )
            raise UserError(
                f"--fail-if {condition!r}: the study has no pairs; for this study write {examples}", file=file
            )


def check_names(conditions: Sequence[str], made: Plan, file: Path) -> None:
    """Refuse, before a model is asked, a condition on a bias or on a source of prompts that the plan does not have."""
    from tiltmeter.results.findings.instrument import Instrument

    names: dict[str, dict[str, Any]] = {
        "continuations": {prompt.bias: {} for prompt in made.prompts},
        "next_words": _sources(one.prompt for one in made.asked),
        **{key: _sources(made.items.get(view, ())) for key, view in _ASKED.items()},
    }
    for condition in conditions:
        view = _view_of(condition)
        if view == _INSTRUMENT:
            holds(condition, {_INSTRUMENT: Instrument().counted()})
        elif view:
            _check_path(condition, view, names[view], file)


def _sources(items: Iterable[Item]) -> dict[str, dict[str, Any]]:
    """The sources of each bias."""
    found: dict[str, dict[str, Any]] = {}
    for item in items:
        found.setdefault(item.bias, {})[item.source] = {}
    return found


def _check_path(condition: str, view: str, names: Mapping[str, Any], file: Path) -> None:
    rest, nouns = condition.strip().removeprefix(f"{view}."), iter(("bias", "source"))
    while names:
        # As when the condition is decided: the longest name that fits, with or without its version.
        forms = {form: name for name in names for form in (unversioned(name), name)}
        form = max((one for one in forms if re.match(rf"{re.escape(one)}(\.|\s*[<>])", rest)), key=len, default=None)
        if form is None:
            given = re.split(r"[.<>]", rest)[0].rstrip()
            problem = UnknownName(next(nouns), given, names).problem
            raise UserError(f"--fail-if {condition!r}: {problem}", file=file)
        if not rest.startswith(f"{form}."):
            raise UserError(f'--fail-if {condition!r}: is not a figure; write e.g. "{_EXAMPLES[view]}"', file=file)
        next(nouns)
        rest, names = rest[len(form) + 1 :], names[forms[form]]


def fail_if_found(conditions: Sequence[str], summary: RunSummary) -> None:
    """Leave with status 1 where a condition holds."""
    by_view: dict[str | None, list[str]] = {}
    for condition in conditions:
        by_view.setdefault(_view_of(condition), []).append(condition)
    cells: dict[str, list[dict[str, Any]]] = {
        "continuations": [
            {cell.bias: {cell.rater: for_conditions(cell.as_json())}}
            for cell in (summary.continuations.cells if summary.continuations else ())
        ],
        "next_words": [
            {cell.bias: {cell.source: cell.as_json()}}
            for cell in (summary.next_words.cells if summary.next_words else ())
        ],
        **{
            key: [
                {one.bias: {one.choices["source"]: {one.choices["measure"]: one.as_json()}}}
                for one in summary.figures
                if one.view == view
            ]
            for key, view in _ASKED.items()
        },
    }
    fail_if(by_view.get(_INSTRUMENT), {_INSTRUMENT: summary.instrument.counted()})
    for view in _VIEWS:
        fail_if_any(by_view.get(view), [{view: cell} for cell in cells[view]])
    seen = set()
    for cell in summary.cells:
        if (cell.model, cell.source) not in seen:
            seen.add((cell.model, cell.source))
            about = {"model": cell.model, "source": cell.source, "scorer": cell.scorer}
            fail_if(by_view.get(None), cell.summary.as_json(), about)


def _view_of(condition: str) -> str | None:
    """The view that a condition speaks of; None: pairs."""
    return next((view for view in (*_VIEWS, _INSTRUMENT) if condition.strip().startswith(f"{view}.")), None)
