"""`tiltmeter analyze`: estimates from scores or ratings that the user already has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.addresses import is_address
from tiltmeter.cli import analyze_continuations, analyze_measurements, analyze_next_words, analyze_pairs
from tiltmeter.cli.conditions import FailIfOption, check, fail_if
from tiltmeter.cli.console import JsonOption, print_json, print_table, say, tell_assumed
from tiltmeter.cli.file_query import FileQuery
from tiltmeter.cli.options import named_values
from tiltmeter.errors import UserError


class View(StrEnum):
    """What a file holds."""

    pairs = "pairs"
    continuations = "continuations"
    next_words = "next-words"
    stereoset = "stereoset"
    measurements = "measurements"


class Layout(StrEnum):
    """How a file of rated texts is laid out."""

    table = "table"
    blocks = "blocks"


class Better(StrEnum):
    """Which ratings are the better ones."""

    high = "high"
    low = "low"


_RATED = "Of rated texts:"
_EXPECTED = "Of next words:"
_STRUCTURES = "With structures:"
_BLOCKS = "With --layout blocks:"
_COLUMNS = {
    View.pairs: ("bias", "attribute"),
    View.continuations: ("value", "group", "origin", "structure", "prompt", "label"),
    View.next_words: ("origin", "template"),
    View.stereoset: (),
}
"""What can be named with --columns; of measurements it is every column that there is."""


def analyze(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Scored files (CSV, JSON lines; several are sets, or other generators or models), a table of rated "
            "texts or next words, or StereoSet predictions (JSON); Parquet also at an address (s3://…); with --layout "
            "blocks one file for each seed, or a folder of them.",
        ),
    ],
    view: Annotated[
        View | None,
        typer.Option(
            help="What the file holds; else continuations where --columns names a value, and pairs otherwise."
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="StereoSet's own file, for --view stereoset.")] = None,
    scorer: Annotated[str | None, typer.Option(help="Of a file scored by several, the scorer that counts.")] = None,
    where: Annotated[
        list[str] | None, typer.Option(help="Keep only the rows with COLUMN=VALUE; may be repeated.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COLUMN,…",
            help="What columns are called, e.g. group=G,value=V. Of pairs: bias, attribute. Of rated texts: "
            "value (numbers or labels), group, origin (what a text was made from), structure (of its sentence: compare "
            "under each, and see what holds), prompt (for --most-k), label (else VALUE.label). Of next words: origin "
            "(the profession), template. Of measurements: any of theirs.",
        ),
    ] = None,
    most_k: Annotated[
        str | None, typer.Option(metavar="K,K…", help=f"{_RATED} mean of the k highest of each prompt, e.g. 1,5,10.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help=f"{_RATED} count texts and prompts above it.")] = None,
    reference: Annotated[
        str | None,
        typer.Option(metavar="GROUP", help="Of rated texts and next words: compare every group with this one only."),
    ] = None,
    scale: Annotated[
        str | None, typer.Option(metavar="LOW,HIGH", help=f"{_RATED} ends of the scale; else seen from the values.")
    ] = None,
    unscored_label: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL", help=f"{_RATED} a value or label that is unscored, e.g. 2; may be repeated."),
    ] = None,
    fixed: Annotated[
        str | None,
        typer.Option(metavar="STRUCTURE", help=f"{_STRUCTURES} the baseline; what is said over all is of the rest."),
    ] = None,
    best: Annotated[
        int | None, typer.Option(min=1, help=f"{_STRUCTURES} how many are listed as best and as worst; else 5.")
    ] = None,
    better: Annotated[
        Better | None,
        typer.Option(help=f"{_STRUCTURES} which means are best; else low for toxicity and word lists, high otherwise."),
    ] = None,
    layout: Annotated[
        Layout | None,
        typer.Option(
            help=f"{_RATED} a table with columns, or blocks: lines of label, tab and text, whose place says the rest "
            "(prompt type, then group, then structure); then no columns are named. Else table."
        ),
    ] = None,
    groups: Annotated[
        str | None, typer.Option(metavar="GROUP,GROUP…", help=f"{_BLOCKS} the groups in their order.")
    ] = None,
    structures: Annotated[
        int | None, typer.Option(min=1, help=f"{_BLOCKS} how many structures there are; they are called 0, 1, 2 …")
    ] = None,
    prompt_types: Annotated[
        str | None, typer.Option(metavar="TYPE,TYPE…", help=f"{_BLOCKS} names of the prompt types; else 0, 1, 2 …")
    ] = None,
    first_word: Annotated[
        bool, typer.Option("--first-word", help=f"{_EXPECTED} a group's chance is that of its first word, not of all.")
    ] = False,
    labour: Annotated[
        Path | None, typer.Option(help=f"{_EXPECTED} a table of occupations and the share of women, to compare with.")
    ] = None,
    labour_match: Annotated[
        str | None,
        typer.Option(metavar="name|head", help=f"{_EXPECTED} `head` lets `nurse` stand for all titles ending in it."),
    ] = None,
    labour_groups: Annotated[
        str | None,
        typer.Option(
            metavar="WOMEN,MEN", help=f"{_EXPECTED} the groups that --labour is about, where their names do not say so."
        ),
    ] = None,
    by_prompt: Annotated[
        Path | None, typer.Option(help=f"{_EXPECTED} write every measure of every prompt there (CSV).")
    ] = None,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")] = 0.95,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            help="Seed of random draws: permutations of next words, halves of the structures, resamples of StereoSet.",
        ),
    ] = 0,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate bias from scores or ratings you already have.

    A file of pairs needs a column `stereotyped` (1, 0, 0.5 or blank), or two variants of a sentence and their scores in
    each row; bias and attribute are found by usual names. Several such files are sets of one test, with their mean and
    standard deviation beside the pooled figure, and are compared by the order of their biases; where they differ in
    `generator` or `model`, so are these.
    Rated texts (--view continuations) need --columns value=COLUMN, a group and an origin. Values are numbers, true and
    false, or negative, neutral, positive and other, or −1, 0, 1 and 2 for these; other, blanks and texts that a column
    `refusal.v5.label` calls a refusal are unscored. With a structure, or --layout blocks, intervals are over origins
    and structures, and also: which conclusions hold whatever the sentence structure. Next words (--view next-words) are
    what `tiltmeter next-words` writes: a row for each prompt and word.
    Measurements (--view measurements) are what every run writes as measurements.parquet, or a table of yours with such
    columns: bias, origin, group and value at least.
    """
    check(conditions)
    named = named_values("--columns", columns)
    view = view or (View.continuations if "value" in named else View.pairs)
    rated = {
        "most_k": most_k,
        "threshold": threshold,
        "scale": scale,
        "unscored_label": tuple(unscored_label) if unscored_label else None,
        "fixed": fixed,
        "best": best,
        "better": better,
        "layout": layout,
        "groups": groups,
        "structures": structures,
        "prompt_types": prompt_types,
    }
    expected = {
        "first_word": first_word or None,
        "labour": labour,
        "labour_match": labour_match,
        "labour_groups": labour_groups,
        "by_prompt": by_prompt,
    }
    owners: dict[View, Mapping[str, Any]] = {
        View.continuations: rated,
        View.next_words: expected,
        View.pairs: {"scorer": scorer},
        View.stereoset: {"data": data},
    }
    _refuse_others(view, owners, named)
    if reference is not None and view not in (View.continuations, View.next_words):
        raise UserError(f"--reference is for --view continuations and --view next-words, not for --view {view}")
    asked = FileQuery(_places(files, view), named, _pairs_of(where or []), reference, level, seed)
    for place in asked.places:
        tell_assumed(place)
    if view is View.pairs:
        found = analyze_pairs.result(asked, scorer)
    elif view is View.continuations:
        found = analyze_continuations.result(asked, rated)
    elif view is View.next_words:
        found = analyze_next_words.result(asked, expected)
    elif view is View.measurements:
        found = analyze_measurements.result(asked)
    else:
        found = _stereoset(asked, data)
    print_json(found) if as_json else _PRINTED[view](found)
    fail_if(conditions, analyze_continuations.for_conditions(found) if view is View.continuations else found)


def _places(files: Sequence[str], view: View) -> list[str | Path]:
    """Paths, and addresses where the view is read from Parquet."""
    for file in files:
        if is_address(file) and view is View.stereoset:
            raise UserError(f"{file}: --view stereoset reads files, not addresses")
    return [file if is_address(file) else Path(file) for file in files]


def _refuse_others(view: View, owners: Mapping[View, Mapping[str, Any]], named: Mapping[str, str]) -> None:
    """Refuse an option that means nothing in this view, and the name of a column that it has not."""
    for owner, options in owners.items():
        for name, value in options.items():
            if value is not None and view is not owner:
                raise UserError(f"--{name.replace('_', '-')} is for --view {owner}, not for --view {view}")
    for name in named:
        known = _COLUMNS.get(view, (name,))
        if name not in known:
            there = f"there are {', '.join(known)}" if known else "it names its columns itself"
            raise UserError(f"--columns {name}=…: --view {view} has no column `{name}`; {there}")


def _stereoset(asked: FileQuery, data: Path | None) -> dict[str, Any]:
    from tiltmeter.results import summarise_predictions

    if data is None:
        raise UserError("--view stereoset needs StereoSet's own file: --data dev.json")
    return summarise_predictions(asked.only, data, level=asked.level, seed=asked.seed)


def _pairs_of(where: list[str]) -> dict[str, str]:
    for condition in where:
        if "=" not in condition:
            raise UserError(f"--where {condition!r}: write COLUMN=VALUE")
    return {column: value for column, _, value in (condition.partition("=") for condition in where)}


def _print_stereoset(result: Mapping[str, Any]) -> None:
    rows = [("overall", result["overall"])]
    for key in ("by_task", "by_domain"):
        rows += result[key].items()
    print_table(
        ["", "LM", "SS", "interval", "ICAT", "n", "ties"],
        [
            (
                name,
                *(f"{found[key]['value']:.2f}" if found[key]["value"] is not None else "–" for key in ("lm", "ss")),
                _interval(found["ss"], 1.0),
                f"{found['icat']['value']:.2f}" if found["icat"]["value"] is not None else "–",
                found["n"],
                found["ties"],
            )
            for name, found in rows
        ],
    )
    for note in result["notes"]:
        say(note)


def _interval(found: Mapping[str, Any], scale: float = 100.0) -> str:
    return "–" if found["low"] is None else f"{scale * found['low']:.1f} to {scale * found['high']:.1f}"


_PRINTED: Mapping[View, Callable[[Mapping[str, Any]], None]] = {
    View.pairs: analyze_pairs.print_result,
    View.continuations: analyze_continuations.print_result,
    View.next_words: analyze_next_words.print_result,
    View.measurements: analyze_measurements.print_result,
    View.stereoset: _print_stereoset,
}
