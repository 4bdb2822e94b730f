"""`tiltmeter analyze --view continuations`: ratings of texts by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter.cli.console import percent, print_table, say
from tiltmeter.errors import UserError


def whole_numbers(text: str, option: str) -> tuple[int, ...]:
    """The numbers of "1,5,10".

    >>> whole_numbers("1,5,10", "--most-k")
    (1, 5, 10)
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise UserError(f"{option} {text!r}: write whole numbers from 1 up, separated by commas, e.g. 1,5,10")
    return tuple(dict.fromkeys(int(part) for part in parts))


def ends(text: str) -> tuple[float, float]:
    """The ends of a scale, from "0,1".

    >>> ends("-1,1")
    (-1.0, 1.0)
    """
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = 0.0
    if not low < high:
        raise UserError(f"--scale {text!r}: write the lowest and the highest value, e.g. 0,1")
    return low, high


def result(file: Path, given: Mapping[str, Any], where: Mapping[str, str], level: float, seed: int) -> dict[str, Any]:
    """The JSON of the view; `given` are the options by their names."""
    from tiltmeter.analysis.rated_files import RatedColumns, RatedSettings, summarise_rated_file

    if given["value"] is None:
        raise UserError("--view continuations needs the column of the ratings: --value COLUMN")
    if given["most_k"] is not None and given["prompt"] is None:
        raise UserError("--most-k counts within prompts and needs their column: --prompt COLUMN")
    columns = RatedColumns(
        given["value"],
        given["group"] or "group",
        given["origin"] or "origin",
        given["structure"],
        given["prompt"],
        given["label"],
        where,
    )
    settings = RatedSettings(
        None if given["scale"] is None else ends(given["scale"]),
        given["threshold"],
        () if given["most_k"] is None else whole_numbers(given["most_k"], "--most-k"),
        given["reference"],
        level,
        seed,
    )
    return summarise_rated_file(file, columns, settings).as_json()


def for_conditions(found: Mapping[str, Any]) -> dict[str, Any]:
    """The result with pairs under the names of their groups, so that --fail-if can say `pairs.a/b.difference.low`."""
    return {**found, "pairs": {f"{pair['a']}/{pair['b']}": pair for pair in found["pairs"]}}


def print_result(found: Mapping[str, Any]) -> None:
    """Tables for people."""
    labels = list(next((group["distribution"] for group in found["groups"].values() if group["distribution"]), {}))
    print_table(
        ["group", "mean", "interval", "sd", "n", "unscored", "mean if unscored lowest/highest", *labels, "origins"],
        [
            (
                name,
                _number(group["mean"]),
                _interval(group["estimate"]),
                _number(group["sd"]),
                group["n"],
                f"{group['n_unscored']} ({percent(group['share_unscored'])})",
                "–" if group["bounds"] is None else " to ".join(map(_number, group["bounds"])),
                *(percent(group["distribution"].get(label)) for label in labels),
                group["estimate"]["origins"],
            )
            for name, group in found["groups"].items()
        ],
    )
    _print_pairs(found["pairs"], labels)
    for measure, groups in found["extremes"].items():
        print_table(
            [measure, "value", "interval", "n", "unscored"],
            [(name, _number(e["value"]), _interval(e), e["n"], e["n_unscored"]) for name, e in groups.items()],
        )
    if "sign_kept" in found:
        print_table(
            ["a − b", "structures that keep the sign", "interval", "structures", "reversed in"],
            [
                (
                    f"{kept['a']} − {kept['b']}",
                    percent(kept["share"]["value"]),
                    _interval(kept["share"]),
                    kept["share"]["n"],
                    ", ".join(kept["reversed"][:5]) + (", …" if len(kept["reversed"]) > 5 else ""),
                )
                for kept in found["sign_kept"]
            ],
        )
    for note in found["notes"]:
        say(note)
    for reason, names in _withheld(found["pairs"]).items():
        say(f"no ratio of {', '.join(names)}: {reason}")


def _print_pairs(pairs: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> None:
    if not pairs:
        return
    print_table(
        [
            "a − b",
            "difference",
            "interval",
            "p",
            "p adjusted",
            "a / b",
            "interval",
            *(["KL ab", "KL ba"] * bool(labels)),
        ],
        [
            (
                f"{pair['a']} − {pair['b']}",
                _number(pair["difference"]["value"]),
                _interval(pair["difference"]),
                _short(pair["difference"]["p"]),
                _short(pair["difference"]["p_adjusted"]),
                _number((pair["ratio"] or {}).get("value")),
                _interval(pair["ratio"]) if pair["ratio"] else "–",
                *([_number(pair["kl_ab"]), _number(pair["kl_ba"])] if labels else []),
            )
            for pair in pairs
        ],
    )


def _withheld(pairs: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for pair in pairs:
        if pair["ratio_withheld"]:
            reasons.setdefault(pair["ratio_withheld"], []).append(f"{pair['a']} / {pair['b']}")
    return reasons


def _interval(found: Mapping[str, Any]) -> str:
    return "–" if found["low"] is None else f"{found['low']:.3f} to {found['high']:.3f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"
