"""`tiltmeter rate`: rate texts that the user already has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.console import JsonOption, print_json, say, tell_assumed
from tiltmeter.cli.options import DeviceOption, DtypeOption, ThreadsOption, model_settings
from tiltmeter.errors import UserError
from tiltmeter.study.rater_names import rater_choice

if TYPE_CHECKING:
    from tiltmeter.results.files.ratings import Masking, RatedColumn
    from tiltmeter.study import RaterChoice


def rate(
    file: Annotated[Path, typer.Argument(help="A table of texts: CSV, JSON lines or Parquet.", metavar="TEXTS.csv")],
    rater: Annotated[
        list[str], typer.Option("--rater", "-r", help="The rater, e.g. sentiment.vader; may be repeated.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file for the rated table.")],
    text: Annotated[str, typer.Option(help="The text column.")] = "text",
    group: Annotated[
        str | None, typer.Option(help="The group column, so that only that group's terms are masked.")
    ] = None,
    group_spec: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Mask the terms of the groups of this spec.")
    ] = None,
    mask_terms: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TERM,TERM…", help="Mask these terms, for one group with GROUP=TERM,TERM; may be repeated."
        ),
    ] = None,
    mask_column: Annotated[str | None, typer.Option(help="Mask the name or term in this column.")] = None,
    language: Annotated[
        str,
        typer.Option(metavar="CODE", help="The language of the texts, e.g. it; raters that do not read it skip them."),
    ] = "",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace existing columns that have a rater's name.")
    ] = False,
    device: DeviceOption = "auto",
    dtype: DtypeOption = "auto",
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rate texts you already have.

    The output has the same columns plus, for each rater, the rating under the rater's name, the reason for a missing
    one under NAME.unrated, and the class under NAME.label if the rater gives one. Raters of regard need the group
    masked as XYZ: name its terms with --group-spec, --mask-terms or --mask-column. Other raters see the whole text.
    groups.first and groups.only look for the terms of --group-spec or of --mask-terms GROUP=TERM,TERM.
    judge:QUESTION:MODEL asks a chat model (sentiment, toxicity, regard or about, or your own question with its answers:
    'judge:Is it polite?:MODEL[yes=1,no=0;worse=low;axis=politeness]'); --device, --dtype and --threads apply to it.
    python:FILE.py:FUNCTION[range=0..1;worse=high;axis=rudeness] runs your function.
    """
    from tiltmeter.api.progress import Bar
    from tiltmeter.engine.executor import Executor
    from tiltmeter.engine.rating import maker
    from tiltmeter.files import check_writable
    from tiltmeter.results.files.ratings import check_kind, rate_file
    from tiltmeter.results.summary.known_raters import known_rater

    choices = [rater_choice(name) for name in dict.fromkeys(rater)]
    check_kind(out)
    check_writable(out)
    if not re.fullmatch(r"|[a-z]{2,3}", language):
        raise UserError(f"--language {language!r}: is not a language code in lower case, e.g. it")
    tell_assumed(file)
    masking = masking_of(group_spec, mask_terms or [], group, mask_column)
    words = _words(choices, masking)
    executor = Executor(model_settings(device, dtype, threads))
    loaded = [maker(choice, executor)(words) for choice in choices]
    with Bar() as bar:
        found = rate_file(
            file,
            out,
            loaded,
            text=text,
            masking=masking,
            language=language,
            overwrite=overwrite,
            progress=bar,
        )
    if as_json:
        told = [{**known_rater(each.rater).as_json(), **each.as_json()} for each in found]
        print_json({"out": str(out), "rows": found[0].rows, "raters": told})
    else:
        _tell(found, masking.given)


def _words(choices: Sequence[RaterChoice], masking: Masking) -> tuple[tuple[str, tuple[str, ...]], ...]:
    from tiltmeter.engine.rating import GROUPS

    wanted = next((choice.name for choice in choices if choice.name in GROUPS), None)
    if wanted and len(masking.by_group) < 2:
        raise UserError(
            f"--rater {wanted} needs the words of at least two groups: give --group-spec SPEC, or --mask-terms "
            "GROUP=TERM,TERM for each"
        )
    return tuple(masking.by_group.items())


def masking_of(spec: str | None, given: Sequence[str], group: str | None, column: str | None) -> Masking:
    """What the options that name terms say."""
    from tiltmeter import specs
    from tiltmeter.results.files.ratings import Masking

    by_group: dict[str, tuple[str, ...]] = {}
    if spec is not None:
        by_group = {each.name: each.terms for each in specs.load(spec).groups}
    terms: list[str] = []
    for option in given:
        name, equals, listed = option.rpartition("=")
        found = tuple(term.strip() for term in listed.split(",") if term.strip())
        if not found or (equals and not name.strip()):
            raise UserError(f"--mask-terms {option!r}: write TERM,TERM or GROUP=TERM,TERM")
        if equals:
            by_group[name.strip()] = (*by_group.get(name.strip(), ()), *found)
        else:
            terms += found
    return Masking(tuple(terms), by_group, group, column)


def _tell(found: Sequence[RatedColumn], given: bool) -> None:
    from tiltmeter.present.known_raters import head_words
    from tiltmeter.results.summary.known_raters import known_rater

    for each in found:
        say(f"{each.rater}: {head_words(known_rater(each.rater)).replace(chr(10), '; ')}")
        account = each.as_json()
        rows = each.rows
        for reason, count in account["unrated"].items():
            say(f"{each.rater}: {count} of {rows} texts not rated: {reason}")
        for caveat, count in each.caveats.items():
            say(f"{each.rater}: {count} of {rows} texts: {caveat}")
        if each.unmasked is not None and not given:
            say(
                f"{each.rater} needs the group masked as XYZ, and nothing was masked; name its terms with "
                "--group-spec, --mask-terms or --mask-column"
            )
        elif each.unmasked:
            say(f"{each.rater}: in {each.unmasked} of {rows} texts there was nothing to mask")
