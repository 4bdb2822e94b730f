"""`tiltmeter score`: score pairs that the user already has; with several scorers, a scorer lab."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, percent, print_json, print_table, say, tell_assumed
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings

if TYPE_CHECKING:
    from tiltmeter.measures.scorers import Scorer
    from tiltmeter.models.api import Spent
    from tiltmeter.records import Family, PairScore, Spec
    from tiltmeter.sources.pairs_file import Table

_RESULTS = ("score_1", "score_2", "preferred", "stereotyped", "unscored")


def score(
    file: Annotated[
        Path, typer.Argument(help="A file of pairs or of written sentences: CSV or JSON lines.", metavar="PAIRS.csv")
    ],
    model: Annotated[str, typer.Option("--model", "-m", help="The model, e.g. smollm2-135m or hf:NAME.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file for the scored pairs.")],
    scorer: Annotated[
        list[str] | None,
        typer.Option("--scorer", "-s", help="The scorer; repeat it, or give `all`, to compare several."),
    ] = None,
    spec: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A spec with the bias of written sentences, if neither the file nor the library has it; may be "
            "repeated.",
        ),
    ] = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score your own pairs or written sentences.

    The file has `template` (with [T] or [MASK]), `term_1` and `term_2`, or `sentence_1` and `sentence_2`; the pair
    files of AutoBiasTest and BiasTestGPT work unchanged. `label_1` and `label_2` say which of the two is the stereotype
    and which the anti-stereotype; `tiltmeter analyze` needs them. The output of `tiltmeter sentences`, its annotation
    sheets and AutoBiasTest's generated sentences are made into pairs first, without sentences that were struck or
    marked. The output has the same columns plus the pairs, score_1 and score_2 (natural log), preferred (1, 2 or tie),
    stereotyped (1, 0, 0.5 or blank) and unscored (the reason). With several scorers, each has its own columns, and
    rows on which they disagree are marked.
    """
    from tiltmeter import models
    from tiltmeter.api.progress import Bar
    from tiltmeter.engine import score_pairs
    from tiltmeter.engine.scoring import fitting
    from tiltmeter.files import check_writable
    from tiltmeter.sources import pairs_file

    check_writable(out, not_over=[file])
    table = pairs_file.read(file, _specs(spec or []))
    tell_assumed(file)
    with accounted(model) as spent:
        loaded = models.load(model, model_settings(device, dtype, threads))
        scorers, pairs = _scorers(scorer or [], loaded.facts.family), [row.pair for row in table.rows if row.pair]
        if "all" in (scorer or ()):
            scorers = fitting(scorers, loaded, pairs)
        with Bar() as bar:
            scored = score_pairs(loaded, pairs, scorers, bar)
    _write(out, table, scored, model)
    account = _account(table, scored)
    if as_json:
        print_json({"model": model, "out": str(out), **({"api": spent} if spent else {}), **account})
    else:
        _print(account, model, out)


@contextmanager
def accounted(model: str) -> Iterator[dict[str, Any]]:
    """Say what a model behind an API took, however the work ends; what it answered before is not asked again.

    Gives what becomes the account, by the model's name.
    """
    spent: dict[str, Any] = {}
    if "api:" not in model:
        yield spent
        return
    from tiltmeter.cache import cache_folder
    from tiltmeter.models.api import Spent, account_of, accounts, price_of

    name = account_of(model) or model
    folder = cache_folder() / "api"
    before = accounts(folder).get(name, Spent())
    try:
        yield spent
    finally:
        now = accounts(folder).get(name)
        if now is not None:
            took = _since(before, now)
            spent[name] = asdict(took)
            say(f"{name}: {took.words(price_of(model))}")


def _since(before: Spent, now: Spent) -> Spent:
    counts = ("requests", "answered", "tokens_in", "tokens_out", "uncounted")
    more = {key: getattr(now, key) - getattr(before, key) for key in counts}
    faults = Counter(dict(now.faults)) - Counter(dict(before.faults))
    return replace(now, **more, faults=tuple(sorted(faults.items())))


def _specs(given: Sequence[str]) -> list[Spec]:
    """The user's specs, and then those of the library."""
    from tiltmeter import specs

    own = [one for name in given for one in specs.load_all(name)]
    return [*own, *map(specs.load, specs.names())]


def _scorers(names: Sequence[str], family: Family) -> list[Scorer]:
    from tiltmeter.measures.scorers import DEFAULTS, all_for, find

    if "all" in names:
        return all_for(family)
    return [find(name, family) for name in dict.fromkeys(names or [DEFAULTS[family]])]


def _write(out: Path, table: Table, scored: Mapping[str, Sequence[PairScore]], model: str) -> None:
    from tiltmeter.files import write_csv
    from tiltmeter.results.tables import scored_cells

    several = len(scored) > 1
    rows: list[dict[str, Any]] = []
    answers = {name: iter(found) for name, found in scored.items()}
    for row in table.rows:
        cells: dict[str, Any] = {**row.cells, "model": model}
        choices = set()
        for name, found in answers.items():
            result = scored_cells(next(found)) if row.pair else {"unscored": row.reason}
            cells |= {_column(name, key, several): result.get(key) for key in _RESULTS}
            choices.add(result.get("preferred"))
        # A tie is no vote: `rest` ties wherever the group term comes last.
        cells["scorers_disagree"] = int(choices >= {1, 2})
        rows.append(cells)
    results = ["model", *(_column(name, key, several) for name in scored for key in _RESULTS)]
    results += ["scorers_disagree"] if several else []
    write_csv(out, [column for column in table.columns if column not in results] + results, rows)


def _column(scorer: str, key: str, several: bool) -> str:
    from tiltmeter.present.decodings import short_scorer

    return f"{key}.{short_scorer(scorer)}" if several else key


def _account(table: Table, scored: Mapping[str, Sequence[PairScore]]) -> dict[str, Any]:
    from tiltmeter.measures.pairs import preferred
    from tiltmeter.stats.agreement.scorers import agreements

    unusable = Counter(row.reason for row in table.rows if row.reason)
    choices = {name: [preferred(score) for score in found] for name, found in scored.items()}
    return {
        "rows": len(table.rows),
        **({"left_out": dict(table.left_out)} if table.left_out else {}),
        "unscored": {
            name: dict(unusable + Counter(score.unscored for score in found if score.unscored))
            for name, found in scored.items()
        },
        "agreement": [
            {"scorers": [pair.first, pair.second], "n": pair.n, "same": pair.same, "share": pair.share}
            for pair in agreements(choices)
        ],
        "disagreements": sum({*row} >= {1, 2} for row in zip(*choices.values(), strict=True)),
    }


def _print(account: Mapping[str, Any], model: str, out: Path) -> None:
    from tiltmeter.present.decodings import short_scorer

    for reason, count in account.get("left_out", {}).items():
        say(f"left out: {count} {'sentence' if count == 1 else 'sentences'}: {reason}")
    for name, reasons in account["unscored"].items():
        for reason, count in reasons.items():
            say(f"{name}: {count} of {account['rows']} rows not scored: {reason}")
    if account["agreement"]:
        print_table(
            ["scorer", "scorer", "rows scored by both", "same preference"],
            [(*map(short_scorer, pair["scorers"]), pair["n"], percent(pair["share"])) for pair in account["agreement"]],
            title=f"{model}: on {account['disagreements']} of {account['rows']} rows the scorers disagree; they are "
            f"marked in {out}",
        )
