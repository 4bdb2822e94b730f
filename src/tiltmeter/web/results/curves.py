"""Which conclusions hold: the table of verdicts, and the specification curve of each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.multiverse_words import curve_in_words
from tiltmeter.report.words import p_value, signed
from tiltmeter.stats.verdict import DEPENDS, HOLDS, INCONCLUSIVE, NEGLIGIBLE, NONE_LARGER, TOO_LITTLE
from tiltmeter.web.charts.curves import DRAWN
from tiltmeter.web.pages import address
from tiltmeter.web.results.figures import figure_of
from tiltmeter.web.results.found import view_key
from tiltmeter.web.results.rows import Results, Rows, counted
from tiltmeter.web.results.tables import ADJUSTED, COUNTS, Column, field

_ASKED = ("model", "view", "bias")


def questions(results: Results) -> list[tuple[int, Mapping[str, Any]]]:
    """The questions that fit the filters, with their numbers."""
    every = enumerate(results.found["survives"]["questions"])
    return [(at, one) for at, one in every if results.filters.fit({name: one[name] for name in _ASKED})]


_OTHERWISE = {
    DEPENDS: "with one that depends on the method",
    NONE_LARGER: f"without a difference larger than {NEGLIGIBLE:g} SD",
    INCONCLUSIVE: "inconclusive",
    TOO_LITTLE: "with too little data",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A line of the table of verdicts."""

    at: int
    title: str
    text: str
    strength: str
    words: str
    said: str
    holds: str
    significant: int
    p: str
    check: bool
    part: str
    """The address of its curve, for a part of the page and for a page."""
    page: str


def verdicts(results: Results) -> list[Verdict]:
    """Every question that fits the filters."""
    page = address("runs", results.run, "results")
    return [
        Verdict(
            at=at,
            title=one["title"],
            text="" if one["view"] == "pairs" else one["text"],
            strength=one["strength"],
            words=one["verdict"],
            said=one["said"],
            holds=f"{one['holds']} of {one['of']}" if one["of"] else "–",
            significant=one["significant"],
            p=p_value(one["p"]),
            check=one["check"],
            part=f"{page}/one/curve/{at}?{results.filters.query()}",
            page=f"{page}?{results.filters.query(question=at)}",
        )
        for at, one in questions(results)
    ]


def verdict_sentence(shown: Sequence[Verdict]) -> str:
    """How many conclusions hold, in one sentence; checks of the instrument are not counted."""
    social = [one for one in shown if not one.check]
    if not social:
        return "No question about a social bias could be asked of what is shown here."
    strong = sum(one.strength == HOLDS for one in social)
    others = [
        f"{number} {words}"
        for strength, words in _OTHERWISE.items()
        if (number := sum(one.strength == strength for one in social))
    ]
    if len(social) == 1:
        said = f"The one question has {'an' if strong else 'no'} answer that holds whatever the method"
    else:
        has = "has" if strong == 1 else "have"
        said = f"{strong or 'None'} of {len(social)} questions {has} an answer that holds whatever the method"
    return f"{said}; {', '.join(others)}." if others and len(social) > 1 else f"{said}."


def curve_rows(results: Results, question: Mapping[str, Any]) -> Rows:
    """The cells of a question, in the order of effect; `chosen` names the settings that vary."""
    varied = [name for name, _ in question["settings"]]
    view = view_key(question["view"])

    def opened(place: Mapping[str, Any]) -> str:
        kind = place["choices"].get("structure")
        if view == "continuations":
            return results.texts_of_two(place, question["groups"], kind=kind)
        only = {"labelled": "yes", "kind": kind} if view == "pairs" else {}
        return results.texts(view, place, "scorer", **only)

    made = []
    for at, cell in enumerate(results.filters.narrow(question["cells"])):
        choices = {name: setting_words(results, name, value) for name, value in cell["choices"].items()}
        side = {1: question["claims"][0], -1: question["claims"][1]}.get(cell["sign"], "neither")
        firmly = "significant after correction" if cell["firm"] else "not significant"
        words = [
            f"{side}, {firmly}",
            f"effect {_number(cell['effect'])}{_ends(cell['effect_low'], cell['effect_high'])} SD",
            *(f"{name}: {value}" for name, value in choices.items()),
            counted(cell, "item"),
        ]
        made.append(
            {
                **cell,
                "at": at,
                "chosen": [f"{name}: {choices[name]}" for name in varied if name in choices],
                "choice": ", ".join(f"{name} {value}" for name, value in choices.items()),
                "said": side,
                "tip": "\n".join(words),
                "open": opened({**cell, "model": question["model"]}),
            }
        )
    return made


def setting_words(results: Results, name: str, value: str) -> str:
    """A setting of a choice as the page calls it."""
    known = {"rater": results.rater, "scorer": results.scorer}
    return known[name](value) if name in known else value


def settings_shown(results: Results, question: Mapping[str, Any]) -> list[str]:
    """The lines below a curve, choice by choice; two that are called the same share one."""
    lines = (
        f"{name}: {setting_words(results, name, value)}" for name, values in question["settings"] for value in values
    )
    return list(dict.fromkeys(lines))


def thinned(rows: Rows) -> Rows:
    """At most so many cells as a curve can show, the first and the last among them, numbered anew."""
    if len(rows) <= DRAWN:
        return rows
    last = len(rows) - 1
    kept = (rows[round(place * last / (DRAWN - 1))] for place in range(DRAWN))
    return [{**row, "at": at} for at, row in enumerate(kept)]


def curve_shown(results: Results, at: int) -> dict[str, Any]:
    """One question with its curve."""
    question = results.found["survives"]["questions"][at]
    rows = curve_rows(results, question)
    columns = (
        field("Choices", "choice"),
        field("Says", "said"),
        Column("Effect (SD)", lambda row: f"{row['effect']:+.2f}" if row["effect"] is not None else "–", number=True),
        ADJUSTED,
        *COUNTS,
    )
    fewer = len(rows) - len(thinned(rows))
    caption = question["caption"] + (f" {fewer:,} cells between these are not drawn." if fewer else "")
    if len(rows) < len(question["cells"]):
        caption += f" Of {len(question['cells']):,} cells, {len(rows):,} fit the filters; the verdict is of all."
    figure = figure_of(results, "curve", _curve_words(question, rows), caption, rows, columns, at=at) if rows else None
    return {"question": question, "figure": figure, "at": at}


def _curve_words(question: Mapping[str, Any], rows: Rows) -> str:
    """The curve for those who cannot see it; of what is left of it where filters hide some."""
    if len(rows) == len(question["cells"]):
        return str(question["words"])
    cells = [(row["sign"], row["firm"], row["effect"]) for row in rows]
    return curve_in_words(question["claims"], cells, len(rows))


def _number(value: float | None) -> str:
    return signed(value) if value is not None else "beyond measure"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None else f" ({signed(low)} to {signed(high)})"
