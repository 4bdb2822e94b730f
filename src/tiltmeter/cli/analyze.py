"""`tiltmeter analyze`: estimates from scores or ratings that the user already has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tiltmeter.addresses import is_address
from tiltmeter.cli import analyze_continuations, analyze_measurements, analyze_next_words, analyze_pairs
from tiltmeter.cli.conditions import FailIfOption, check, fail_if
from tiltmeter.cli.console import JsonOption, print_json, print_table, say, tell_assumed
from tiltmeter.cli.file_query import FileQuery
from tiltmeter.cli.logs import analyze_log
from tiltmeter.cli.options import named_values
from tiltmeter.errors import UserError

_VIEWS = {"pairs": "pairs", "continuations": "texts", "next-words": "next-words", "stereoset": "stereoset"}
_VIEWS |= {"texts": "texts", "measurements": "measurements", "log": "log"}
"""What --view says, and the command that it stands for."""


class _ByContent(TyperGroup):
    """Commands for what a file may hold; where none is named, --view or the other options tell which is meant."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in ctx.help_option_names:
            known = {
                name: {flag for one in command.params for flag in one.opts} for name, command in self.commands.items()
            }
            args = args if args[0] in known else _with_command(args, known)
            _refuse_others(args, known)
        return super().parse_args(ctx, args)


def _given(args: Iterable[str]) -> set[str]:
    """The options among arguments."""
    return {flag for one in args if (flag := one.partition("=")[0]).startswith("--")}


def _refuse_others(args: Sequence[str], known: Mapping[str, Set[str]]) -> None:
    """Refuse an option of another command in a sentence; one of no command at all is refused by the parser."""
    for flag in sorted(_given(args) - known[args[0]]):
        owners = [f"`{name}`" for name, options in known.items() if flag in options]
        if owners:
            raise UserError(f"{flag} is for `tiltmeter analyze` {' and '.join(owners)}, not for `{args[0]}`")


def _with_command(args: Sequence[str], known: Mapping[str, Set[str]]) -> list[str]:
    """Arguments that begin with the command that they are for; `known` are the options of each.

    >>> known = {"pairs": {"--columns"}, "texts": {"--columns"}, "next-words": {"--labour"}}
    >>> _with_command(["a.csv"], known), _with_command(["a.csv", "--columns", "group=G,value=V"], known)
    (['pairs', 'a.csv'], ['texts', 'a.csv', '--columns', 'group=G,value=V'])
    >>> _with_command(["--view=next-words", "a.csv"], known), _with_command(["a.csv", "--labour=b.csv"], known)
    (['next-words', 'a.csv'], ['next-words', 'a.csv', '--labour=b.csv'])
    """
    rest = list(args)
    view, layout = _taken(rest, "--view"), _taken(rest, "--layout")
    if view is not None and view not in _VIEWS:
        raise UserError(f"--view {view}: there is no such view; there are {', '.join(_VIEWS)}")
    if layout not in (None, "table", "blocks"):
        raise UserError(f"--layout {layout}: write table or blocks")
    if view or layout:
        return ["blocks" if layout == "blocks" else _VIEWS[view or "texts"], *rest]
    if "log" in known and _given(rest) <= known["log"] and _is_log(rest[0]):
        return ["log", *rest]
    usual = "texts" if "value" in named_values("--columns", list(_values(rest, "--columns"))) else "pairs"
    able = [name for name, options in known.items() if _given(rest) <= options]
    return [able[0] if len(able) == 1 else usual, *rest]


def _is_log(place: str) -> bool:
    from tiltmeter.sources.logs import is_log

    return not is_address(place) and is_log(place)


def _values(args: Sequence[str], option: str) -> Iterator[str]:
    """What is given for an option, in both ways of writing it."""
    for one, after in zip(args, (*args[1:], ""), strict=True):
        if one == option:
            yield after
        elif one.startswith(f"{option}="):
            yield one.partition("=")[2]


def _taken(args: list[str], option: str) -> str | None:
    """The value of an option, which is taken out of the arguments."""
    found = None
    while (at := next((at for at, one in enumerate(args) if one.partition("=")[0] == option), None)) is not None:
        found = next(_values(args[at : at + 2], option))
        del args[at : at + (1 if "=" in args[at] else 2)]
    return found


app = typer.Typer(
    cls=_ByContent,
    no_args_is_help=True,
    help="Estimate bias from scores or ratings you already have: `tiltmeter analyze pairs FILE`. Without such a word, "
    "the options decide: rated texts where --columns names a value, what alone has an option, and pairs otherwise.",
)


class Better(StrEnum):
    """Which ratings are the better ones."""

    high = "high"
    low = "low"


FileArgument = Annotated[str, typer.Argument(help="A table: CSV, JSON lines or Parquet, Parquet also at an address.")]
WhereOption = Annotated[list[str] | None, typer.Option(help="Keep only the rows with COLUMN=VALUE; may be repeated.")]
LevelOption = Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of random draws.")]
ReferenceOption = Annotated[str | None, typer.Option(metavar="GROUP", help="Compare every group with this one only.")]
MostKOption = Annotated[
    str | None, typer.Option(metavar="K,K…", help="Mean of the k highest of each prompt, e.g. 1,5,10.")
]
ThresholdOption = Annotated[float | None, typer.Option(help="Count texts and prompts above it.")]
ScaleOption = Annotated[
    str | None, typer.Option(metavar="LOW,HIGH", help="Ends of the scale; else taken from the values.")
]
UnscoredOption = Annotated[
    list[str] | None,
    typer.Option(metavar="LABEL", help="A value or label that is unscored, e.g. 2; may be repeated."),
]
FixedOption = Annotated[
    str | None,
    typer.Option(metavar="STRUCTURE", help="The structure that is the baseline; the rest is summed without it."),
]
BestOption = Annotated[
    int | None, typer.Option(min=1, help="How many structures are listed as best and as worst; else 5.")
]
BetterOption = Annotated[
    Better | None, typer.Option(help="Which means are best; else low for toxicity and word lists, high otherwise.")
]


def _columns(help: str) -> Any:
    return typer.Option(metavar="NAME=COLUMN,…", help=f"What columns are called, e.g. group=G,value=V: {help}")


@app.command("pairs")
def pairs(
    files: Annotated[
        list[str], typer.Argument(help="Scored files: CSV or JSON lines; several are sets, or generators, or models.")
    ],
    scorer: Annotated[str | None, typer.Option(help="Of a file scored by several, the scorer that counts.")] = None,
    columns: Annotated[list[str] | None, _columns("bias, attribute, set, generator, model.")] = None,
    where: WhereOption = None,
    level: LevelOption = 0.95,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Scored pairs of sentences.

    A file needs a column `stereotyped` (1, 0, 0.5 or blank), or two variants of a sentence and their scores in each
    row; bias and attribute are found by usual names. Several files, or the values of a column `set`, are sets of one
    test, with their mean and standard deviation beside the pooled figure. Files, generators and tested models (columns
    `generator` and `model`) are compared by the order of their biases; generators have sets of their own.
    """
    known = ("bias", "attribute", "set", "generator", "model")
    asked = _query(files, conditions, _named(columns, known), where, level=level)
    _show(analyze_pairs.result(asked, scorer), analyze_pairs.print_result, conditions, as_json)


@app.command("texts")
def texts(
    file: FileArgument,
    columns: Annotated[
        list[str] | None,
        _columns(
            "value (numbers or labels), group, origin (what a text was made from), structure (of its sentence), "
            "prompt (for --most-k), label (else VALUE.label)."
        ),
    ] = None,
    where: WhereOption = None,
    most_k: MostKOption = None,
    threshold: ThresholdOption = None,
    reference: ReferenceOption = None,
    scale: ScaleOption = None,
    unscored_label: UnscoredOption = None,
    fixed: FixedOption = None,
    best: BestOption = None,
    better: BetterOption = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rated texts by group.

    Needs --columns value=COLUMN, a group and an origin. Values are numbers, true and false, or negative, neutral,
    positive and other, or −1, 0, 1 and 2 for these; other, blanks and texts that a column `refusal.v5.label` calls a
    refusal are unscored. With a structure, intervals are over origins and structures, and also: which conclusions hold
    whatever the sentence structure.
    """
    known = ("value", "group", "origin", "structure", "prompt", "label")
    asked = _query([file], conditions, _named(columns, known), where, reference, level, seed)
    given = analyze_continuations.Given(most_k, threshold, scale, tuple(unscored_label or ()), fixed, best, better)
    found = analyze_continuations.result(asked, given)
    _show(found, analyze_continuations.print_result, conditions, as_json, analyze_continuations.for_conditions)


@app.command("blocks")
def blocks(
    files: Annotated[list[str], typer.Argument(help="One file for each seed, or a folder of them.")],
    groups: Annotated[str | None, typer.Option(metavar="GROUP,GROUP…", help="The groups in their order.")] = None,
    structures: Annotated[
        int | None, typer.Option(min=1, help="How many structures there are; they are called 0, 1, 2 …")
    ] = None,
    prompt_types: Annotated[
        str | None, typer.Option(metavar="TYPE,TYPE…", help="Names of the prompt types; else 0, 1, 2 …")
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="TYPE,TYPE…", help="Only these prompt types, e.g. those on occupation.")
    ] = None,
    most_k: MostKOption = None,
    threshold: ThresholdOption = None,
    reference: ReferenceOption = None,
    scale: ScaleOption = None,
    unscored_label: UnscoredOption = None,
    fixed: FixedOption = None,
    best: BestOption = None,
    better: BetterOption = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rated texts without columns: lines of label, tab and text.

    The place of a line says the rest: prompt types one after the other, in each of them the groups, and for each group
    the structures.
    """
    asked = _query(files, conditions, {}, None, reference, level, seed)
    given = analyze_continuations.Given(most_k, threshold, scale, tuple(unscored_label or ()), fixed, best, better)
    found = analyze_continuations.blocks(asked, given, groups, structures, prompt_types, only)
    _show(found, analyze_continuations.print_result, conditions, as_json, analyze_continuations.for_conditions)


@app.command("next-words")
def next_words(
    file: FileArgument,
    columns: Annotated[list[str] | None, _columns("origin (the profession), template.")] = None,
    where: WhereOption = None,
    reference: ReferenceOption = None,
    first_word: Annotated[
        bool, typer.Option("--first-word", help="A group's probability is that of its first word, not of all.")
    ] = False,
    labour: Annotated[
        Path | None, typer.Option(help="A table of occupations and the share of women, to compare with.")
    ] = None,
    labour_match: Annotated[
        str | None, typer.Option(metavar="name|head", help="`head` lets `nurse` stand for all titles ending in it.")
    ] = None,
    labour_groups: Annotated[
        str | None,
        typer.Option(metavar="WOMEN,MEN", help="The groups that --labour is about, where their names do not say so."),
    ] = None,
    by_prompt: Annotated[Path | None, typer.Option(help="Write every measure of every prompt there (CSV).")] = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Probabilities of words after prompts.

    The table is the one that `tiltmeter next-words score` writes: a row for each prompt and word.
    """
    asked = _query([file], conditions, _named(columns, ("origin", "template")), where, reference, level, seed)
    given = analyze_next_words.Given(first_word, labour, labour_match, labour_groups, by_prompt)
    _show(analyze_next_words.result(asked, given), analyze_next_words.print_result, conditions, as_json)


@app.command("stereoset")
def stereoset(
    file: Annotated[str, typer.Argument(help="StereoSet predictions (JSON).")],
    data: Annotated[Path | None, typer.Option(help="StereoSet's own file.")] = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Predictions for StereoSet, with the scores of its paper."""
    from tiltmeter.results import summarise_predictions

    check(conditions)
    if is_address(file):
        raise UserError(f"{file}: StereoSet's predictions are read from files, not addresses")
    if data is None:
        raise UserError("predictions for StereoSet need its own file: --data dev.json")
    _show(summarise_predictions(Path(file), data, level=level, seed=seed), _print_stereoset, conditions, as_json)


app.command("log")(analyze_log)


@app.command("measurements")
def measurements(
    file: FileArgument,
    columns: Annotated[list[str] | None, _columns("any of those of a run's measurements.parquet.")] = None,
    where: WhereOption = None,
    level: LevelOption = 0.95,
    conditions: FailIfOption = None,
    as_json: JsonOption = False,
) -> None:
    """A table of measurements, yours or a run's.

    Every run writes measurements.parquet; a table of yours needs bias, origin, group and value at least.
    """
    asked = _query([file], conditions, named_values("--columns", columns), where, level=level)
    _show(analyze_measurements.result(asked), analyze_measurements.print_result, conditions, as_json)


def _query(
    files: Sequence[str],
    conditions: list[str] | None,
    columns: Mapping[str, str],
    where: Sequence[str] | None,
    reference: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> FileQuery:
    """What is asked, after the conditions were checked."""
    check(conditions)
    places = [file if is_address(file) else Path(file) for file in files]
    for place in places:
        tell_assumed(place)
    return FileQuery(places, columns, _conditions_of(where or ()), reference, level, seed)


def _named(columns: Sequence[str] | None, known: Sequence[str]) -> dict[str, str]:
    """The columns by name, where there are such columns."""
    named = named_values("--columns", columns)
    for name in named:
        if name not in known:
            raise UserError(f"--columns {name}=…: there is no column `{name}`; there are {', '.join(known)}")
    return named


def _conditions_of(where: Sequence[str]) -> dict[str, str]:
    for condition in where:
        if "=" not in condition:
            raise UserError(f"--where {condition!r}: write COLUMN=VALUE")
    return {column: value for column, _, value in (condition.partition("=") for condition in where)}


def _show(
    found: dict[str, Any],
    print_result: Callable[[Mapping[str, Any]], None],
    conditions: list[str] | None,
    as_json: bool,
    for_conditions: Callable[[dict[str, Any]], Mapping[str, Any]] = lambda found: found,
) -> None:
    print_json(found) if as_json else print_result(found)
    fail_if(conditions, for_conditions(found))


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
