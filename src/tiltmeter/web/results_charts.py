"""Which chart is drawn of which rows: charts by name, as their addresses have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.web.charts import PERCENT, Dots, Spec, dots
from tiltmeter.web.charts_curves import curve
from tiltmeter.web.charts_heat import heat
from tiltmeter.web.charts_strips import professions, strips
from tiltmeter.web.charts_words import histogram, labour
from tiltmeter.web.results_curves import curve_rows, settings_shown, thinned
from tiltmeter.web.results_pairs import forest_rows, scorer_rows
from tiltmeter.web.results_rows import Results
from tiltmeter.web.results_strips import strip_rows
from tiltmeter.web.results_texts import board_rows, group_rows, rater_rows
from tiltmeter.web.results_views import view_rows
from tiltmeter.web.results_words import habit_rows, histogram_rows, labour_rows, profession_rows, share_rows

_LINE = 160
"""Letters of a line beside the pointer: names may be very long."""


def chart_of(name: str, results: Results, asked: Mapping[str, str]) -> Spec:
    """The specification of a chart; `asked` says which of several it is."""
    if name not in _CHARTS:
        raise UserError(f"there is no chart `{name}`; there are {', '.join(_CHARTS)}")
    try:
        spec = _CHARTS[name](results, asked)
    except (LookupError, TypeError, ValueError):
        raise UserError(f"the run has no such chart `{name}`; load the page again") from None
    for row in spec["data"]["values"]:
        row["tip"] = "\n".join(line if len(line) <= _LINE else f"{line[:_LINE]}…" for line in row["tip"].split("\n"))
    return spec


def _curve(results: Results, asked: Mapping[str, str]) -> Spec:
    question = results.found["survives"]["questions"][int(asked["at"])]
    rows = thinned(curve_rows(results, question))
    shown = {setting for row in rows for setting in row["chosen"]}
    settings = [setting for setting in settings_shown(results, question) if setting in shown]
    return curve(rows, settings, question["claims"])


def _forest(results: Results, asked: Mapping[str, str]) -> Spec:
    look = Dots("stereotyped sentence preferred", neutral=0.5, format=PERCENT)
    return dots(forest_rows(results, asked["of"]), look)


def _heat(results: Results, asked: Mapping[str, str]) -> Spec:
    board = results.found["texts"]["boards"][int(asked["at"])]
    return heat(board_rows(results, board), sided=bool(board["b"]))


def _groups(results: Results, asked: Mapping[str, str]) -> Spec:
    board = results.found["texts"]["boards"][int(asked["at"])]
    return dots(group_rows(results, board, asked["by"]), Dots(f"mean rating, {results.rater(asked['by'])}"))


def _text_strips(results: Results, asked: Mapping[str, str]) -> Spec:
    found = results.found["texts"]["structures"][int(asked["at"])]
    points, wholes = strip_rows(results, found, "continuations")
    return strips(points, wholes, "difference of mean ratings", 0)


def _pair_strips(results: Results, asked: Mapping[str, str]) -> Spec:
    found = results.found["pairs"]["structures"][int(asked["at"])]
    points, wholes = strip_rows(results, found, "pairs")
    return strips(points, wholes, "share of stereotyped choices", 0.5)


def _shares(results: Results, asked: Mapping[str, str]) -> Spec:
    group = results.found["words"][int(asked["at"])]
    (a, _), (b, _) = group["groups"][:2]
    return dots(share_rows(results, group), Dots(f"share of {a} beside {b}", neutral=0.5, format=PERCENT))


def _professions(results: Results, asked: Mapping[str, str]) -> Spec:
    group = results.found["words"][int(asked["at"])]
    (a, _), (b, _) = group["groups"][:2]
    return professions(profession_rows(results, group), f"share of {a} beside {b}")


def _habit(results: Results, asked: Mapping[str, str]) -> Spec:
    group = results.found["words"][int(asked["at"])]
    return dots(habit_rows(results, group), Dots("chance of the group’s words", logarithmic=True, format="~g"))


def _histogram(results: Results, asked: Mapping[str, str]) -> Spec:
    group = results.found["words"][int(asked["at"])]
    one = group["histograms"][int(asked["of"])]
    (a, _), (b, _) = group["groups"][:2]
    return histogram(histogram_rows(results, group, one), (a, b))


def _labour(results: Results, asked: Mapping[str, str]) -> Spec:
    group = results.found["words"][int(asked["at"])]
    one = group["labour"][int(asked["of"])]
    line = None if one["slope"] is None or one["intercept"] is None else (one["slope"], one["intercept"])
    return labour(labour_rows(results, group, one), one["group"], line)


def _raters(results: Results, _: Mapping[str, str]) -> Spec:
    return dots(rater_rows(results), Dots("rank correlation", neutral=0, domain=(-1, 1)))


def _scorers(results: Results, _: Mapping[str, str]) -> Spec:
    return dots(scorer_rows(results), Dots("the same sentence preferred", format=PERCENT, domain=(0, 1)))


def _views(results: Results, _: Mapping[str, str]) -> Spec:
    return dots(view_rows(results), Dots("← against the stereotype · toward it →", neutral=0))


_CHARTS: dict[str, Callable[[Results, Mapping[str, Any]], Spec]] = {
    "curve": _curve,
    "forest": _forest,
    "heat": _heat,
    "groups": _groups,
    "text-structures": _text_strips,
    "pair-structures": _pair_strips,
    "shares": _shares,
    "professions": _professions,
    "habit": _habit,
    "histogram": _histogram,
    "labour": _labour,
    "raters": _raters,
    "scorers": _scorers,
    "views": _views,
}
