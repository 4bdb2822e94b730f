"""`tiltmeter analyze pairs`: one scored file, or several sets, generators and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

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
    for at, (model, one) in enumerate(found.get("by_model", {"": found}).items()):
        if at:
            typer.echo()
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
    files = found.get("files", ())
    title = f"{model}: {len(files)} {'file' if len(files) == 1 else 'files'}" if model else None
    rows = [("overall (mean over biases)", found["headline"]), ("overall (all cells)", found["overall_cells"])]
    rows += found["headline_by_bias"].items()
    plain = {**found["by_bias"], "overall (mean over biases)": found["overall"]}
    sets = _by_row(found)
    several = bool(sets or found.get("by_generator"))
    print_table(
        [
            *("", "stereotyped" if not several else "pooled", "interval", "p", "p adjusted", "unbalanced"),
            *("n", "unscored", "origins"),
            *(_OVER_SETS if sets else []),
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
        title=title,
    )
    for generator, one in found.get("by_generator", {}).items():
        sets = _by_row(one)
        rows = [("overall (mean over biases)", one["headline"]), *one["headline_by_bias"].items()]
        further_table(
            [f"{f'{model}, ' if model else ''}generator {generator}", "pooled", "interval", "n", *_OVER_SETS],
            [
                (name, percent(share["value"]), _interval(share), share["n"], *_over_sets(sets.get(name)))
                for name, share in rows
            ],
        )


_OVER_SETS = ("mean over sets", "SD over sets", "sets")


def _by_row(found: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What is said over sets, by the rows of the table."""
    overall = found.get("overall_over_sets")
    return {"overall (mean over biases)": overall, **found["sets"]} if overall else {}


def _over_sets(one: Mapping[str, Any] | None) -> tuple[object, ...]:
    if one is None:
        return ("", "", "")
    sd = one["sd_over_sets"]
    none = "one set only" if one["sets"] == 1 else "–"
    return percent(one["mean_over_sets"]), none if sd is None else f"{100 * sd:.1f} points", one["sets"]


def _interval(found: Mapping[str, Any]) -> str:
    return "–" if found["low"] is None else f"{100 * found['low']:.1f} to {100 * found['high']:.1f}"


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"
