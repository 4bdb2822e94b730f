"""`tiltmeter analyze pairs`: one scored file, or several sets, generators and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import number, percent, print_table, say
from tiltmeter.cli.estimate_words import further_table

if TYPE_CHECKING:
    from tiltmeter.cli.file_query import FileQuery

_AGREEMENT = {
    "files": "Files: rank correlation of the biases",
    "generators": "Generators: rank correlation of the biases, averaged over the models tested with both",
    "models": "Models: rank correlation of the biases, averaged over the generators both were tested with",
}


def result(asked: FileQuery, scorer: str | None) -> dict[str, Any]:
    """The JSON of the view."""
    from tiltmeter.results import Columns
    from tiltmeter.results.files.several import summarise_files

    columns = Columns(**asked.columns, scorer=scorer, where=asked.where)
    found = summarise_files(asked.places, columns, level=asked.level).as_json()
    # Of one file `model` and `files` say nothing new.
    several = len(asked.places) > 1
    return {key: value for key, value in found.items() if several or key not in ("model", "files")}


def print_result(found: Mapping[str, Any]) -> None:
    """Tables for people."""
    for model, one in found.get("by_model", {"": found}).items():
        _print_model(model, one)
    for what, title in _AGREEMENT.items():
        square = found.get("agreement", {}).get(what, {}).get("matrix")
        if square:
            rows = zip(square["names"], square["values"], strict=True)
            shown = [(name, *(number(value, 2) for value in values)) for name, values in rows]
            further_table([title, *square["names"]], shown)
    for note in dict.fromkeys(note for one in found.get("by_model", {"": found}).values() for note in one["notes"]):
        say(note)


def _print_model(model: str, found: Mapping[str, Any]) -> None:
    rows = [("overall (mean over biases)", found["headline"]), ("overall (all cells)", found["overall_cells"])]
    rows += found["headline_by_bias"].items()
    plain = {**found["by_bias"], "overall (mean over biases)": found["overall"]}
    sets = found.get("sets", {})
    print_table(
        [
            *("", "stereotyped" if not sets else "pooled", "interval", "p", "p adjusted", "unbalanced"),
            *("n", "unscored", "origins"),
            *(["mean over sets", "SD over sets", "sets"] if sets else []),
        ],
        [
            (
                name,
                percent(one["value"]),
                _interval(one),
                _short(one["p"]),
                _short(one["p_adjusted"]),
                percent(plain.get(name, {}).get("value")),
                one["n"],
                one["n_unscored"],
                one["origins"],
                *(_over_sets(sets.get(name)) if sets else []),
            )
            for name, one in rows
        ],
        title=f"{model}: {len(found['files'])} {'file' if len(found['files']) == 1 else 'files'}" if model else None,
    )


def _over_sets(one: Mapping[str, Any] | None) -> tuple[object, ...]:
    if one is None:
        return ("", "", "")
    sd = one["sd_over_sets"]
    return percent(one["mean_over_sets"]), "–" if sd is None else f"{100 * sd:.1f} points", one["sets"]


def _interval(found: Mapping[str, Any]) -> str:
    return "–" if found["low"] is None else f"{100 * found['low']:.1f} to {100 * found['high']:.1f}"


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"
