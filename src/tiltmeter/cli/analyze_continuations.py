"""`tiltmeter analyze texts` and `blocks`: ratings of texts by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tiltmeter.cli.analyze_structures import print_structures
from tiltmeter.cli.console import percent, print_table, say
from tiltmeter.cli.estimate_words import decimals, further_table, interval, pair_name, short
from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.cli.file_query import FileQuery
    from tiltmeter.results.files.rated import RatedSettings

_OF_STRUCTURES = ("fixed", "best", "better")


class Given(NamedTuple):
    """The options of rated texts, as they are typed."""

    most_k: str | None = None
    threshold: float | None = None
    scale: str | None = None
    unscored_label: tuple[str, ...] = ()
    fixed: str | None = None
    best: int | None = None
    better: str | None = None


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


def result(asked: FileQuery, given: Given) -> dict[str, Any]:
    """The JSON of a table of rated texts."""
    from tiltmeter.results.files.rated import summarise_rated_file
    from tiltmeter.results.files.rated_texts import RatedColumns

    named = asked.columns
    if "value" not in named:
        raise UserError("rated texts need the column of the ratings: --columns value=COLUMN")
    if given.most_k is not None and "prompt" not in named:
        raise UserError("--most-k counts within prompts and needs their column: --columns prompt=COLUMN")
    for name in _OF_STRUCTURES:
        if getattr(given, name) is not None and "structure" not in named:
            raise UserError(f"--{name} is about structures and needs their column: --columns structure=COLUMN")
    columns = RatedColumns(**named, where=asked.where, unscored=given.unscored_label)
    return summarise_rated_file(asked.only, columns, _settings(asked, given)).as_json()


def blocks(
    asked: FileQuery,
    given: Given,
    groups: str | None,
    structures: int | None,
    prompt_types: str | None,
    only: str | None,
) -> dict[str, Any]:
    """The JSON of files of labels whose place says what they are of."""
    from tiltmeter.results.files.blocks import BlockLayout, block_files, names_of, read_blocks
    from tiltmeter.results.files.rated import summarise_rated

    if groups is None or structures is None:
        raise UserError("files of blocks need the groups in their order, --groups man,woman, and --structures NUMBER")
    types = () if prompt_types is None else names_of(prompt_types)
    settings = _settings(asked, given)
    chosen = () if only is None else names_of(only)
    layout = BlockLayout(names_of(groups), structures, types, given.unscored_label, chosen)
    by_prompt = bool(settings.most_k) or settings.threshold is not None
    texts = read_blocks(asked.places, layout, by_prompt=by_prompt)
    seeds = len(block_files(asked.places))
    return {
        **summarise_rated(texts, settings).as_json(),
        "layout": {
            "files": seeds,
            "prompt_types": texts.rows // seeds // layout.block,
            "groups": len(layout.groups),
            "structures": layout.structures,
        },
    }


def _settings(asked: FileQuery, given: Given) -> RatedSettings:
    from tiltmeter.results.files.rated import RatedSettings

    return RatedSettings(
        scale=None if given.scale is None else ends(given.scale),
        threshold=given.threshold,
        most_k=() if given.most_k is None else whole_numbers(given.most_k, "--most-k"),
        reference=asked.reference,
        level=asked.level,
        seed=asked.seed,
        fixed=given.fixed,
        best=given.best or 5,
        higher_is_better=None if given.better is None else given.better == "high",
    )


def for_conditions(found: Mapping[str, Any]) -> dict[str, Any]:
    """The result with pairs under the names of their groups, so that --fail-if can say `pairs.a/b.difference.low`."""
    made = {**found, "pairs": _named(found["pairs"])}
    for key in ("extreme_pairs", "gaps"):
        made[key] = {name: _named(pairs) for name, pairs in found.get(key, {}).items()}
    for key in ("fixed", "paraphrases"):
        if found.get(key):
            made[key] = {**found[key], "pairs": _named(found[key]["pairs"])}
    return made


def _named(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {f"{pair['a']}/{pair['b']}": pair for pair in pairs}


def print_result(found: Mapping[str, Any]) -> None:
    """Tables for people."""
    if "layout" in found:
        files, *read_as = [f"{number} {name.replace('_', ' ')}" for name, number in found["layout"].items()]
        say(f"{files}, each read as {' × '.join(read_as)}")
    pooled = len(found.get("pooled", {}))
    for note in found["notes"][:pooled]:
        say(note)
    _print_groups(found["groups"])
    _print_pairs(found["pairs"])
    for measure, groups in found["extremes"].items():
        further_table(
            [_far_words(measure, found["threshold"]), "value", "interval", "n", "unscored"],
            [(name, decimals(e["value"]), interval(e), e["n"], e["n_unscored"]) for name, e in groups.items()],
        )
        _print_pairs(found["extreme_pairs"][measure], _far_words(measure, found["threshold"]))
    if "structures" in found:
        print_structures(found)
    for note in found["notes"][pooled:]:
        say(note)
    for reason, names in _withheld(found).items():
        say(f"no ratio of {', '.join(names)}: {reason}")


def _far_words(measure: str, threshold: float | None) -> str:
    """A measure of the highest ratings, with the threshold that it is above."""
    return f"{measure} {threshold:g}" if threshold is not None and measure.endswith("_above") else measure


def _print_groups(groups: Mapping[str, Mapping[str, Any]]) -> None:
    print_table(
        ["group", "mean", "interval", "sd", "n", "unscored", "origins"],
        [
            (
                name,
                decimals(group["mean"]),
                interval(group["estimate"]),
                decimals(group["sd"]),
                group["n"],
                f"{group['n_unscored']} ({percent(group['share_unscored'])})",
                group["estimate"]["origins"],
            )
            for name, group in groups.items()
        ],
    )
    labels = list(next((group["distribution"] for group in groups.values() if group["distribution"]), {}))
    unscored = any(group["n_unscored"] for group in groups.values())
    if labels or unscored:
        further_table(
            ["group", *labels, *(["mean if the unscored were lowest to highest"] * unscored)],
            [
                (
                    name,
                    *(percent(group["distribution"].get(label)) for label in labels),
                    *(["–" if group["bounds"] is None else " to ".join(map(decimals, group["bounds"]))] * unscored),
                )
                for name, group in groups.items()
            ],
        )


def _print_pairs(pairs: Sequence[Mapping[str, Any]], measure: str = "") -> None:
    """Columns that would be empty for every pair are left out."""
    if not pairs:
        return
    ratios = any(pair["ratio"] for pair in pairs)
    labels = any(pair.get("kl_ab") is not None for pair in pairs)
    further_table(
        [
            f"{measure} a − b".strip(),
            "difference",
            "interval",
            "p",
            "p adjusted",
            *(["a / b", "interval"] * ratios),
            *(["KL ab", "KL ba"] * labels),
        ],
        [
            (
                pair_name(pair),
                decimals(pair["difference"]["value"]),
                interval(pair["difference"]),
                short(pair["difference"]["p"]),
                short(pair["difference"]["p_adjusted"]),
                *([decimals((pair["ratio"] or {}).get("value")), interval(pair["ratio"])] if ratios else []),
                *([decimals(pair["kl_ab"]), decimals(pair["kl_ba"])] if labels else []),
            )
            for pair in pairs
        ],
    )


def _withheld(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """By reason, the pairs without a ratio; of a measure that never has one for the same reason, its name alone."""
    reasons: dict[str, list[str]] = {}
    for measure, pairs in {"": found["pairs"], **found["extreme_pairs"]}.items():
        whys = {pair["ratio_withheld"] for pair in pairs}
        for pair in pairs:
            name = measure if measure and len(whys) == 1 else f"{measure} {pair['a']} / {pair['b']}".strip()
            names = reasons.setdefault(pair["ratio_withheld"], []) if pair["ratio_withheld"] else []
            if name not in names:
                names.append(name)
    return reasons
