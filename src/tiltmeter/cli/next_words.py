"""`tiltmeter next-words`: whom a model expects next, after prompts that the user has or that tiltmeter makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, print_json, say
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import UnknownName, UserError

if TYPE_CHECKING:
    from tiltmeter.records import Dropped, Prompt
    from tiltmeter.sources.open_prompts_file import OpenColumns
    from tiltmeter.sources.word_sets import WordSets
    from tiltmeter.store import Answered


class SaliencyMethod(StrEnum):
    """How the part of each token is found."""

    gradient = "gradient-x-input"
    integrated = "integrated-gradients"


def next_words(
    model: Annotated[str, typer.Option("--model", "-m", help="The model, e.g. smollm2-135m or hf:NAME.")],
    prompts: Annotated[
        str, typer.Option(help="A table of prompts, a file of `natural build`, or a source: natural, templates.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the table of probabilities goes (CSV).")],
    words: Annotated[
        list[str] | None,
        typer.Option(
            help="pronouns, he-she, he-she-they, a spec (its groups), a TOML or CSV file, or GROUP=word,word; "
            "the last may be repeated."
        ),
    ] = None,
    bounded: Annotated[
        bool, typer.Option("--bounded", help="Times the chance that the word ends there: `he` is not `hear`.")
    ] = False,
    perturb: Annotated[
        str,
        typer.Option(
            metavar="NAME,NAME…", help="original, person, deleted, hidden, man, woman, start, openers; or all."
        ),
    ] = "original",
    saliency: Annotated[
        SaliencyMethod | None, typer.Option(help="Also how much of the most probable word is due to the profession.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Of a source, draw so many professions.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of that draw.")] = 0,
    text: Annotated[str | None, typer.Option(help="The column of the prompts; else `text` or `prompt`.")] = None,
    profession: Annotated[
        str | None, typer.Option(help="The column of the profession; else `profession` or `origin`.")
    ] = None,
    template: Annotated[
        str | None, typer.Option(help="The column of the template; else `template` or `structure`.")
    ] = None,
    id: Annotated[str | None, typer.Option(help="The column of the id; else `id`; else rows are numbered.")] = None,
    subject: Annotated[
        str | None, typer.Option(help="The column of the words that perturbations change; else `subject`.")
    ] = None,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a model whom it expects next: the probability of whole words after prompts.

    The output has one row for each prompt, perturbation and word. `tiltmeter analyze FILE --view next-words` makes
    estimates of it.
    """
    from tiltmeter import models
    from tiltmeter.analysis.next_word_files import write_answers
    from tiltmeter.cli.progress import Bar
    from tiltmeter.engine.asking import ask
    from tiltmeter.files import check_writable
    from tiltmeter.sources.open_prompts_file import OpenColumns
    from tiltmeter.sources.perturbing import PERTURBATIONS, check_names, perturbed

    check_writable(out)
    names = check_names(PERTURBATIONS if perturb == "all" else [name.strip() for name in perturb.split(",")])
    sets = word_sets(words or ["pronouns"])
    models.check_name(model)
    columns = OpenColumns(text, profession, template, id, subject)
    made, dropped = open_prompts(prompts, sets, columns, limit, seed)
    loaded = models.as_predictor(models.load(model, model_settings(device, dtype, threads)))
    explainer = models.as_explainer(loaded) if saliency is not None else None
    with Bar() as bar:
        method: Any = (saliency or SaliencyMethod.gradient).value
        asked = perturbed(made, names)
        answered = ask(loaded, asked, sets, bounded=bounded, explainer=explainer, method=method, watcher=bar)
    write_answers(out, model, answered, sets, bounded=bounded, saliency=saliency is not None)
    account = _account(answered, dropped)
    if as_json:
        print_json({"model": model, "out": str(out), "bounded": bounded, "perturbations": list(names), **account})
        return
    for what, reasons in (("rows of the input left out", account["dropped"]), ("words unscored", account["unscored"])):
        for reason, count in reasons.items():
            say(f"{count} {what}: {reason}")


def word_sets(given: Sequence[str]) -> WordSets:
    """The groups and their words: a built-in name, a file, a spec, or `GROUP=word,word`."""
    from tiltmeter.sources import word_sets
    from tiltmeter.study.words import named_words

    if any("=" in one for one in given):
        return word_sets.parse(given)
    if len(given) > 1:
        raise UserError("--words: one name is enough; several may be given only as GROUP=word,word")
    try:
        return named_words(given[0])
    except UnknownName as error:
        raise UserError(f"--words: {error.problem}; or write GROUP=word,word") from None


def open_prompts(
    given: str, sets: WordSets, columns: OpenColumns, limit: int | None, seed: int
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of a source, of a file that `natural build` made, or of a table."""
    from dataclasses import replace

    from tiltmeter.sources import natural, open_prompts_file, profession_templates
    from tiltmeter.sources.tables import read_table

    sources: dict[str, Any] = {
        "natural": natural.prompts,
        "templates": profession_templates.prompts,
        "profession-templates": profession_templates.prompts,
    }
    if given in sources:
        made, dropped = sources[given](limit=limit, seed=seed)
    elif not Path(given).exists():
        raise UserError(f"--prompts {given!r}: no such file; sources that need none: {', '.join(sources)}")
    elif Path(given).suffix.lower() in (".jsonl", ".ndjson") and "annotated" in read_table(given)[0]:
        made, dropped = natural.prompts(given, limit=limit, seed=seed)
    else:
        made, dropped = open_prompts_file.read(given, sets, columns)
    if not made:
        raise UserError(f"--prompts {given!r}: there is no prompt in it")
    return [replace(prompt, word_sets=sets) for prompt in made], dropped


def _account(answered: Sequence[Answered], dropped: Sequence[Dropped]) -> dict[str, Any]:
    unscored = Counter(word.unscored for one in answered for word in one.found.words if word.unscored)
    return {
        "prompts": len({one.asked.prompt.id for one in answered}),
        "rows": sum(len(one.found.words) for one in answered),
        "unscored": dict(unscored),
        "dropped": dict(Counter(each.reason for each in dropped)),
    }
