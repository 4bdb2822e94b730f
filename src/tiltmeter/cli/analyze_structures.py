"""What `tiltmeter analyze` prints of sentence structures: a hundred of them must fit a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.cli.console import percent, say
from tiltmeter.cli.estimate_words import decimals, further_table, interval, pair_name, short

_SHOWN = 5
"""Reversing structures that are named."""


def print_structures(found: Mapping[str, Any]) -> None:
    """The fixed structure beside the others, what holds over structures, and the best and worst of them."""
    if found["fixed"]:
        _print_fixed(found["fixed"], found["paraphrases"])
    _print_signs(found)
    _print_two_way(found)
    robust = found["robustness"]
    further_table(
        ["cosine of the group means", "as they are", "centred"],
        [
            ("two single structures", decimals(robust["single"]), decimals(robust["centred_single"])),
            ("two halves of the structures", decimals(robust["split_half"]), decimals(robust["centred_split_half"])),
        ],
    )
    _print_stability(found["stability"])
    for word in ("best", "worst"):
        _print_ranking(word, found[word])


def _print_fixed(fixed: Mapping[str, Any], others: Mapping[str, Any]) -> None:
    name = f"structure {fixed['structure']}"
    further_table(
        ["group", name, "interval", "n", "all others", "interval", "n"],
        [
            (group, *_mean(fixed["groups"].get(group)), *_mean(others["groups"].get(group)))
            for group in dict.fromkeys([*others["groups"], *fixed["groups"]])
        ],
    )
    beside = {(pair["a"], pair["b"]): pair["difference"] for pair in fixed["pairs"]}
    if others["pairs"]:
        further_table(
            ["a − b", name, "interval", "all others", "interval"],
            [
                (
                    pair_name(pair),
                    decimals((beside.get((pair["a"], pair["b"])) or {}).get("value")),
                    interval(beside.get((pair["a"], pair["b"]))),
                    decimals(pair["difference"]["value"]),
                    interval(pair["difference"]),
                )
                for pair in others["pairs"]
            ],
        )


def _mean(group: Mapping[str, Any] | None) -> Sequence[object]:
    return ("–", "–", 0) if group is None else (decimals(group["mean"]), interval(group["estimate"]), group["n"])


def _print_signs(found: Mapping[str, Any]) -> None:
    robust = found["robustness"]
    turned: dict[str, list[str]] = {}
    for reversal in found["reversals"]:
        turned.setdefault(f"{reversal['a']}/{reversal['b']}", []).append(reversal["structure"])
    if robust["sign_kept"]:
        further_table(
            ["a − b", "sign kept", "interval", "of", "zero", "reversed", "in"],
            [
                (
                    pair_name(pair),
                    percent(share["value"]),
                    interval(share),
                    share["n"],
                    robust["ties"][pair],
                    robust["reversed"][pair],
                    ", ".join(turned.get(pair, [])[:_SHOWN]) + (", …" if len(turned.get(pair, [])) > _SHOWN else ""),
                )
                for pair, share in robust["sign_kept"].items()
            ],
        )


def _print_two_way(found: Mapping[str, Any]) -> None:
    """Of the paraphrases; without a fixed structure they are all there is, and stand among the pairs."""
    two_way = found["robustness"]["pairs_two_way"]
    if two_way and found["paraphrases"]:
        further_table(
            ["a − b, all others", "difference", "interval", "p", "p adjusted"],
            [
                (
                    pair_name(pair),
                    decimals(each["value"]),
                    interval(each),
                    short(each["p"]),
                    short(each["p_adjusted"]),
                )
                for pair, each in two_way.items()
            ],
        )


def _print_stability(found: Mapping[str, Any]) -> None:
    if found["k"] and found["pairs"]:
        further_table(
            ["same sign from k structures, k =", *map(str, found["k"])],
            [(pair_name(pair), *map(percent, shares)) for pair, shares in found["pairs"].items()],
        )


def _print_ranking(word: str, found: Mapping[str, Any]) -> None:
    if found["overall"] or any(found["groups"].values()):
        further_table(
            ["group", f"{word} structures, with their means"],
            [(group, _listed(ranked)) for group, ranked in [*found["groups"].items(), ("all", found["overall"])]],
        )
        if found["intersection"]:
            say(f"among the {word} of every group: {', '.join(found['intersection'])}")


def _listed(ranked: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{each['structure']} ({decimals(each['mean'])})" for each in ranked)
