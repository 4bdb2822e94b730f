"""`tiltmeter next-words`: whom a model expects next, after prompts that the user has or that tiltmeter makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, print_json, say
from tiltmeter.cli.options import (
    DeviceOption,
    DtypeOption,
    OutOption,
    ThreadsOption,
    check_names,
    model_settings,
    named_values,
)
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.records import SaliencyMethod, SaliencyTarget

if TYPE_CHECKING:
    from tiltmeter.records import Dropped, Prompt
    from tiltmeter.sources.word_sets import WordSets
    from tiltmeter.store import Answered

_NATURAL = "natural"
_TEMPLATES = ("templates", "profession-templates")
_COLUMNS = ("text", "profession", "template", "id", "subject")


app = typer.Typer(help="Measure or list the words that a model expects next.", no_args_is_help=True)

ModelOption = Annotated[str, typer.Option("--model", "-m", help="The model, e.g. smollm2-135m or hf:NAME.")]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Sample this many professions.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Random seed of that sample.")]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=COLUMN,…",
        help="What columns of the table are called: text (default text or prompt), profession (profession or origin), "
        "template (template or structure), id, subject (the words that perturbations change).",
    ),
]
_PROMPTS = "A table of prompts, a file of `natural build`, or a source: natural, templates."


@app.command()
def score(
    model: ModelOption,
    prompts: Annotated[str, typer.Option(help=_PROMPTS)],
    out: OutOption,
    words: Annotated[
        list[str] | None,
        typer.Option(
            help="pronouns, he-she, he-she-they, a spec (its groups), a TOML or CSV file, or GROUP=word,word; the "
            "last may be repeated. Default: pronouns."
        ),
    ] = None,
    bounded: Annotated[
        bool,
        typer.Option(
            "--bounded", help="Multiply by the probability that the word ends there, so that `he` is not `hear`."
        ),
    ] = False,
    capitalised: Annotated[
        bool | None,
        typer.Option(
            "--capitalised/--no-capitalised",
            help="Whether `He` counts as `he`; default: only at the start of a text.",
        ),
    ] = None,
    perturb: Annotated[
        str,
        typer.Option(
            metavar="NAME,NAME…", help="original, person, deleted, hidden, man, woman, start, openers; or all."
        ),
    ] = "original",
    saliency: Annotated[
        SaliencyMethod | None,
        typer.Option(help="Also compute how much the profession contributes to the most probable word."),
    ] = None,
    saliency_of: Annotated[
        SaliencyTarget,
        typer.Option(help="With --saliency: for the most probable of the words asked for, or of all tokens."),
    ] = "asked",
    columns: ColumnsOption = None,
    template: Annotated[
        list[str] | None,
        typer.Option(
            help="With --prompts templates: a template of your own, e.g. 'The [A] said that' or 'The {} said that', or "
            "a file with one a line; may be repeated."
        ),
    ] = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the probability of whole words after prompts.

    The output has one row for each prompt, perturbation and word. `tiltmeter analyze next-words FILE` computes
    estimates from it.
    """
    from tiltmeter import models
    from tiltmeter.api.progress import Bar
    from tiltmeter.engine.next_words import ask
    from tiltmeter.results.files.next_words import check_table, write_answers
    from tiltmeter.sources.perturbations import PERTURBATIONS, perturb_all
    from tiltmeter.sources.perturbations import check_names as check_perturbations

    check_table(out, "--out", [prompts, *(words or ())])
    names = check_perturbations(PERTURBATIONS if perturb == "all" else [name.strip() for name in perturb.split(",")])
    sets = word_sets(words or ["pronouns"])
    models.check_name(model)
    made, dropped = open_prompts(prompts, sets, _named(columns), template or [], limit, seed)
    loaded = models.as_predictor(models.load(model, model_settings(device, dtype, threads)))
    explainer = models.as_explainer(loaded) if saliency is not None else None
    with Bar() as bar:
        answered = ask(
            loaded,
            perturb_all(made, names),
            sets,
            bounded=bounded,
            capitalised=capitalised,
            explainer=explainer,
            method=saliency or "gradient-x-input",
            saliency_of=saliency_of,
            progress=bar,
        )
    write_answers(out, model, answered, sets, bounded=bounded, capitalised=capitalised, saliency=saliency is not None)
    account = _account(answered, dropped, sets)
    if as_json:
        made_how = {"bounded": bounded, "capitalised": capitalised, "perturbations": list(names)}
        print_json({"model": model, "out": str(out), **made_how, **account})
        return
    for what, reasons in (("rows of the input left out", account["dropped"]), ("words unscored", account["unscored"])):
        for reason, count in reasons.items():
            say(f"{count} {what}: {reason}")


@app.command("list")
def list_likeliest(
    model: ModelOption,
    texts: Annotated[list[str] | None, typer.Argument(help="Prompts, each in quotes.", metavar="TEXT…")] = None,
    prompts: Annotated[str | None, typer.Option(help=f"Instead of texts: {_PROMPTS}")] = None,
    count: Annotated[int, typer.Option(min=1, max=100, help="How many words to list after each prompt.")] = 10,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A CSV file for the words.")] = None,
    columns: ColumnsOption = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the most probable next words, whichever they are: next-words list -m smollm2-135m "The nurse said that"."""
    from tiltmeter import models
    from tiltmeter.cli.likeliest import list_words
    from tiltmeter.results.files.next_words import check_table

    if out is not None:
        check_table(out, "--out", [prompts] if prompts else [])
    models.check_name(model)
    if texts and prompts is not None:
        raise UserError("texts and --prompts both give prompts; leave one of them out")
    if prompts is not None:
        made, dropped = open_prompts(prompts, word_sets(["pronouns"]), _named(columns), [], limit, seed)
        for reason, left_out in Counter(each.reason for each in dropped).items():
            say(f"{left_out} rows of the input left out: {reason}")
        given = [(prompt.id, prompt.text) for prompt in made]
    elif texts:
        given = [(str(number), text) for number, text in enumerate(texts, start=1)]
    else:
        raise UserError('no prompts: give texts, e.g. "The nurse said that", or a table or source with --prompts')
    proposer = models.as_proposer(models.load(model, model_settings(device, dtype, threads)))
    list_words(proposer, given, count, out, as_json=as_json)


def _named(columns: Sequence[str] | None) -> Mapping[str, str]:
    named = named_values("--columns", columns)
    check_names("column", named, _COLUMNS)
    return named


def word_sets(given: Sequence[str]) -> WordSets:
    """The groups and their words: a built-in name, a file, a spec, or `GROUP=word,word`."""
    from tiltmeter.sources import word_sets
    from tiltmeter.study.words import named_words

    if any("=" in one for one in given):
        return word_sets.parse(given)
    if len(given) > 1:
        raise UserError("--words: give one name, or several GROUP=word,word")
    try:
        return named_words(given[0])
    except UnknownName as error:
        raise UserError(f"--words: {error.problem}; or write GROUP=word,word") from None


def open_prompts(
    given: str,
    sets: WordSets,
    columns: Mapping[str, str],
    template: Sequence[str],
    limit: int | None,
    seed: int,
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a source, of a file that `natural build` made, or of a table.

    `columns` are those that a table is told to have; `template` has templates for the source of that name.
    """
    from dataclasses import replace

    from tiltmeter.sources import natural, profession_templates
    from tiltmeter.sources.tables import kind_of, read_table

    made: list[Prompt]
    if template and given not in _TEMPLATES:
        raise UserError(f"--template needs --prompts templates, not {given!r}; of a table, --columns template=NAME")
    if given in _TEMPLATES:
        _refuse_columns(given, columns)
        made, dropped = profession_templates.prompts(templates=of_files(template) or None, limit=limit, seed=seed)
    elif given == _NATURAL:
        _refuse_columns(given, columns)
        made, dropped = natural.prompts(limit=limit, seed=seed)
    elif not Path(given).exists():
        known = ", ".join((_NATURAL, *_TEMPLATES))
        raise UserError(f"--prompts {given!r}: no such file; sources that need no file: {known}")
    elif natural.is_published(given) or (kind_of(given) == "json-lines" and "annotated" in read_table(given)[0]):
        _refuse_columns(given, columns)
        made, dropped = natural.prompts(given, limit=limit, seed=seed)
    else:
        made, dropped = _of_table(given, sets, columns, limit, seed)
    if not made:
        raise UserError(f"--prompts {given!r}: it has no prompts")
    return [replace(prompt, word_sets=sets) for prompt in made], dropped


def of_files(templates: Sequence[str]) -> list[str]:
    """The templates that are given, those of files among them."""
    from tiltmeter.sources.profession_templates import given_templates

    return [one for given in templates for one in (given_templates(given) or () if Path(given).is_file() else [given])]


def _of_table(
    path: str, sets: WordSets, columns: Mapping[str, str], limit: int | None, seed: int
) -> tuple[list[Prompt], list[Dropped]]:
    from tiltmeter.sources import open_prompts_file
    from tiltmeter.sources.profession_templates import some

    made, dropped = open_prompts_file.read(path, sets, open_prompts_file.OpenColumns(**columns))
    chosen = set(some(list(dict.fromkeys(prompt.origin for prompt in made)), limit, seed))
    return [prompt for prompt in made if prompt.origin in chosen], dropped


def _refuse_columns(given: str, columns: Mapping[str, str]) -> None:
    """Refuse names of columns where there is no table."""
    if columns:
        raise UserError(f"--columns needs a table of prompts, and --prompts {given!r} is not one")


def _account(answered: Sequence[Answered], dropped: Sequence[Dropped], sets: WordSets) -> dict[str, Any]:
    unscored = Counter(word.unscored for one in answered for word in one.found.words if word.unscored)
    by_group: dict[str, dict[str, int]] = {}
    for group, words in sets:
        missing = (
            word.unscored for one in answered for word in one.found.words if word.word in words and word.unscored
        )
        by_group[group] = dict(Counter(missing))
    return {
        "prompts": len({one.asked.prompt.id for one in answered}),
        "rows": sum(len(one.found.words) for one in answered),
        "unscored": dict(unscored),
        "unscored_by_group": by_group,
        "dropped": dict(Counter(each.reason for each in dropped)),
    }
