"""`tiltmeter analyze next-words`: probabilities of the groups' words after prompts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tiltmeter.cli.console import print_table, say
from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.cli.file_query import FileQuery
    from tiltmeter.results.summary.labour import Labour

_SHOWN = ("difference", "absolute_difference", "ratio", "share", "kl", "emd")
_WORDS = {
    "difference": "a − b",
    "absolute_difference": "|a − b|",
    "ratio": "a / b",
    "share": "share of a",
    "kl": "KL",
    "emd": "EMD",
}


class Given(NamedTuple):
    """The options of next words, as they are typed."""

    first_word: bool = False
    labour: Path | None = None
    labour_match: str | None = None
    labour_groups: str | None = None
    by_prompt: Path | None = None


def result(asked: FileQuery, given: Given) -> dict[str, Any]:
    """The JSON of next words."""
    from tiltmeter.results.files.next_words import (
        NextWordColumns,
        check_table,
        read_answers,
        summarise_answers,
        write_by_prompt,
    )
    from tiltmeter.results.summary.next_words import NextWordSettings

    labour, by_prompt = _labour(given), given.by_prompt
    if by_prompt is not None:
        check_table(by_prompt, "--by-prompt", [asked.only, *filter(None, [given.labour])])
    named = asked.columns.get("origin"), asked.columns.get("template")
    columns = NextWordColumns(*named, asked.where, "first" if given.first_word else "sum")
    answers = read_answers(asked.only, columns)
    settings = NextWordSettings(asked.reference, labour, level=asked.level, seed=asked.seed)
    found = summarise_answers(answers, columns, settings)
    if by_prompt is not None:
        write_by_prompt(by_prompt, asked.only, columns, asked.reference)
    return found


def _labour(given: Given) -> Labour | None:
    from tiltmeter.results.summary.labour import Labour
    from tiltmeter.sources.labour_files import read_labour

    if given.labour_match not in (None, "name", "head"):
        raise UserError(f"--labour-match {given.labour_match!r}: write name or head")
    groups = [name.strip() for name in (given.labour_groups or "").split(",")]
    if given.labour_groups is not None and (len(groups) != 2 or not all(groups)):
        raise UserError(f"--labour-groups {given.labour_groups!r}: write WOMEN,MEN, the names of two groups")
    if given.labour is None:
        for option in ("labour_match", "labour_groups"):
            if getattr(given, option) is not None:
                raise UserError(f"--{option.replace('_', '-')} needs labour statistics: --labour FILE")
        return None
    of, against = groups if given.labour_groups else (None, None)
    return Labour(tuple(read_labour(given.labour)), of, against, by_head=given.labour_match == "head")


def print_result(found: Mapping[str, Any]) -> None:
    """Tables for people."""
    parts = {found["perturbation"]: found["overall"], **found["perturbations"]}
    groups = list(found["words"])
    print_table(
        ["", *(f"P({group})" for group in groups), "highest", "gap", "prompts"],
        [
            (
                name,
                *(_number(part["groups"].get(group)) for group in groups),
                _number(part["certainty"]["highest"]),
                _number(part["certainty"]["gap"]),
                part["prompts"],
            )
            for name, part in parts.items()
        ],
    )
    for pair in found["overall"]["pairs"]:
        _print_pair(pair, parts, found["contrasts"])
        rows = found["overall"]["by_template"]
        if rows:
            print_table(
                [f"{pair}, by template", *(_WORDS[name] for name in _SHOWN[:-1]), "highest"],
                [
                    (
                        name,
                        *(_number(part["pairs"][pair][measure]) for measure in _SHOWN[:-1]),
                        _number(part["certainty"]["highest"]),
                    )
                    for name, part in rows.items()
                ],
            )
    if found["saliency"]:
        _print_saliency(found["saliency"])
    if found["labour"]:
        _print_labour(found["labour"])
    for note in found["notes"]:
        say(note)


def _print_pair(pair: str, parts: Mapping[str, Any], contrasts: Mapping[str, Any]) -> None:
    a, _, b = pair.partition("/")
    print_table(
        [f"a = {a}, b = {b}", *(_WORDS[name] for name in _SHOWN), "p of the share", "origins"],
        [
            (
                name,
                *(_with_interval(part["pairs"][pair][measure]) for measure in _SHOWN),
                _p(part["pairs"][pair]["share"]["p_adjusted"]),
                part["pairs"][pair]["share"]["origins"],
            )
            for name, part in parts.items()
            if pair in part["pairs"]
        ],
    )
    if contrasts:
        print_table(
            ["original minus …", "a − b", "|a − b|", "share of a"],
            [
                (
                    name,
                    *(
                        _with_interval(pairs[pair][measure])
                        for measure in ("difference", "absolute_difference", "share")
                    ),
                )
                for name, pairs in contrasts.items()
            ],
        )


def _print_saliency(found: Mapping[str, Any]) -> None:
    names = {"profession": "on the profession", "last": "on the last word", "residue": "missed by the gradients"}
    print_table(
        ["share of the saliency", "value", "interval", "prompts"],
        [(names[key], _number(each), _interval(each), each["n"]) for key, each in found.items()],
    )


def _print_labour(found: Mapping[str, Any]) -> None:
    print_table(
        [f"share of {found['group']}, model against world", "value", "interval", "professions"],
        [
            (name, _number(found[key]), _interval(found[key]), found[key]["n"])
            for name, key in (
                ("rank correlation", "spearman"),
                ("correlation", "pearson"),
                ("slope", "slope"),
                ("model minus world", "above"),
            )
        ],
    )
    left = len(found["unmatched"]) + len(found["without_figure"])
    if left:
        say(f"{left} professions have no figure in the labour statistics: {', '.join(found['unmatched'][:8])} …")


def _with_interval(found: Mapping[str, Any]) -> str:
    interval = _interval(found)
    return _number(found) if interval == "–" else f"{_number(found)} ({interval})"


def _interval(found: Mapping[str, Any]) -> str:
    return "–" if found["low"] is None else f"{_figure(found['low'])} to {_figure(found['high'])}"


def _number(found: Mapping[str, Any] | None) -> str:
    return "–" if found is None or found["value"] is None else _figure(found["value"])


def _figure(value: float) -> str:
    """A number with three digits that say something, however small it is.

    >>> [_figure(value) for value in (0.25, 12.5, 0.01234, -0.00004567, -1e-17)]
    ['0.250', '12.500', '0.0123', '-4.57e-05', '0.000']
    """
    # Below this it is rounding.
    if abs(value) < 1e-12:
        return "0.000"
    return f"{value:.3f}" if abs(value) >= 0.0995 else f"{value:.3g}"


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"
