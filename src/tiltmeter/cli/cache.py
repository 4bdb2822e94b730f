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

app = typer.Typer(help="The cache of model and rater answers, shared between runs.", no_args_is_help=True)


@app.command("info")
def info(json: JsonOption = False) -> None:
    """Show where the cache is, how many answers it holds by model and rater, its size and its limit."""
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
        f"{found.path}; TILTMETER_CACHE_LIMIT sets the limit, `run --no-cache` does not use it"
    )


@app.command("prune")
def prune(
    to: Annotated[
        str | None,
        typer.Option("--to", help="Keep at most this much, most recently used first: 500MB, 2GB; 0 empties it."),
    ] = None,
    unused_for: Annotated[
        str | None, typer.Option("--unused-for", help="Delete answers not used for this many days: 30 or 30d.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Delete the least recently used answers; without an option, down to the limit."""
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
        raise UserError(f"--unused-for {text!r}: is not a number of days; write e.g. 30")
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
