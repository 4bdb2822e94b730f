"""`tiltmeter cache`: what models and raters answered before, and making room."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter import amounts
from tiltmeter.cli.console import JsonOption, print_json, print_table, say
from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.store import CacheInfo

app = typer.Typer(
    help="What models and raters answered before, shared between runs; and making room.", no_args_is_help=True
)


@app.command("info")
def info(json: JsonOption = False) -> None:
    """Where the answers are kept, how many there are of whom, how large they are, and the limit."""
    from tiltmeter.store import Cache

    with Cache() as cache:
        found = cache.info()
    if json:
        print_json(_as_json(found))
        return
    if found.subjects:
        print_table(("who", "verb", "answers"), found.subjects)
    say(
        f"{found.answers:,} answers, {amounts.size(found.size)} of at most {amounts.size(found.limit)} in "
        f"{found.path}; "
        "TILTMETER_CACHE_LIMIT sets the limit, --no-cache leaves a run alone"
    )


@app.command("prune")
def prune(
    to: Annotated[
        str | None, typer.Option("--to", help="Keep at most so much, used most lately: 500MB, 2GB; 0 for none.")
    ] = None,
    unused_for: Annotated[
        str | None, typer.Option("--unused-for", help="Delete what was not used for so many days: 30 or 30d.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Delete answers, those that were used least lately first; without an option, down to the limit."""
    from tiltmeter.store import Cache, size_from

    size = None if to is None else size_from(to)
    days = None if unused_for is None else _days(unused_for)
    with Cache() as cache:
        gone = cache.prune(to=cache.limit if size is None and days is None else size, unused_for=days)
        found = cache.info()
    if json:
        print_json({"deleted": gone, **_as_json(found)})
        return
    say(f"{gone:,} answers deleted; {found.answers:,} are left, {amounts.size(found.size)} in {found.path}")


def _days(text: str) -> int:
    found = re.fullmatch(r"\s*(\d+)\s*(?:d|days?)?\s*", text)
    if not found:
        raise UserError(f"--unused-for {text!r}: a number of days is needed, e.g. 30")
    return int(found[1])


def _as_json(found: CacheInfo) -> dict[str, Any]:
    names = ("who", "verb", "answers")
    return {
        "path": str(found.path),
        "bytes": found.size,
        "limit": found.limit,
        "answers": found.answers,
        "subjects": [dict(zip(names, one, strict=True)) for one in found.subjects],
    }
