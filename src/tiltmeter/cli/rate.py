"""`tiltmeter rate`: rate texts that the user already has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.console import JsonOption, print_json, say
from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.analysis.rating_files import Masking, RatedColumn


def rate(
    file: Annotated[Path, typer.Argument(help="A table of texts: CSV, JSON lines or Parquet.", metavar="TEXTS.csv")],
    rater: Annotated[
        list[str], typer.Option("--rater", "-r", help="What rates them, e.g. sentiment.vader; may be repeated.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the rated table goes.")],
    text: Annotated[str, typer.Option(help="The column that holds the text.")] = "text",
    group: Annotated[
        str | None, typer.Option(help="The column of the group, so that only its own terms are masked.")
    ] = None,
    group_spec: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Mask the terms of the groups of this spec.")
    ] = None,
    mask_terms: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TERM,TERM…", help="Mask these, or with GROUP=TERM,TERM those of a group; may be repeated."
        ),
    ] = None,
    mask_column: Annotated[
        str | None, typer.Option(help="Mask what stands in this column: the name or term of each text.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Rate texts you already have.

    The output has the same columns plus, for each rater, the rating under the rater's name, the reason where there is
    none under NAME.unrated, and the class under NAME.label where the rater gives one. Raters of regard want the group
    masked as XYZ: say what stands for it with --group-spec, --mask-terms or --mask-column. Others see all.
    """
    from tiltmeter import raters
    from tiltmeter.analysis.rating_files import check_kind, rate_file
    from tiltmeter.cli.progress import Bar
    from tiltmeter.files import check_writable

    for name in rater:
        raters.check_name(name)
    check_kind(out)
    check_writable(out)
    masking = _masking(group_spec, mask_terms or [], group, mask_column)
    loaded = [raters.load(name) for name in dict.fromkeys(rater)]
    with Bar() as bar:
        found = rate_file(file, out, loaded, text=text, masking=masking, watcher=bar)
    if as_json:
        print_json({"out": str(out), "rows": len(found[0].ratings), "raters": [each.as_json() for each in found]})
    else:
        _tell(found, masking.given)


def _masking(spec: str | None, given: Sequence[str], group: str | None, column: str | None) -> Masking:
    from tiltmeter import specs
    from tiltmeter.analysis.rating_files import Masking

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
    for each in found:
        account = each.as_json()
        rows = len(each.ratings)
        for reason, count in account["unrated"].items():
            say(f"{each.rater}: {count} of {rows} texts unrated: {reason}")
        if each.unmasked is not None and not given:
            say(
                f"{each.rater} wants the group masked as XYZ and was not told what stands for it: nothing was masked; "
                "see --group-spec, --mask-terms and --mask-column"
            )
        elif each.unmasked:
            say(f"{each.rater}: in {each.unmasked} of {rows} texts there was nothing to mask")
