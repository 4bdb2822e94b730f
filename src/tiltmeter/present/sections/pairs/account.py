"""The account of what a generator was asked for: requests, what came of them, and why the rest was dropped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from tiltmeter.present.blocks import Block, Listing, Table, TableCell, text
from tiltmeter.present.tables import numbers, sort_key, table
from tiltmeter.present.words import NONE, percent
from tiltmeter.results.names import Names
from tiltmeter.sources.generated import Accounting
from tiltmeter.stats.views.quality import low_yield

_SHOWN = 12
"""Names in a line, at most."""
_NOUNS = {"attribute": "attribute", "group": "group", "group about it": "attribute and group"}
_COUNTS = ("Requests", "Decoded", "Finished", "Both terms", "Accepted", "Share", "Per 1,000 tokens", "Kept")


def account_blocks(
    accounts: Mapping[str, Accounting], whole: Accounting | None = None, names: Names | None = None, title: str = ""
) -> Iterator[Block]:
    """The accounts of specs, that of all of them, and what is to be reconsidered; specs are called by their names."""
    called = {spec: names.bias(spec) if names else spec for spec in accounts}
    yield from filter(
        None,
        (
            _counts(accounts, whole, called, title or "What was asked for, and what was kept"),
            _groups(accounts, called, names),
            _reasons(accounts, whole),
            _low(accounts, called, names),
        ),
    )
    lacking = list(missing_words(accounts, called))
    if lacking and names:
        yield Listing(tuple(map(text, lacking)))


def missing_words(accounts: Mapping[str, Accounting], called: Mapping[str, str] | None = None) -> Iterator[str]:
    """Which groups and attributes have no sentence, those with the same reason together."""
    for spec, account in accounts.items():
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for one in account.missing:
            what = "attribute" if one.kind == "attribute" else "group about it" if one.of else "group"
            name = f"{one.of}, {one.name}" if one.kind == "group" and one.of else one.name
            found[what, one.reason].append(name)
        for (what, reason), named in found.items():
            shown = "; ".join(named[:_SHOWN]) + (f"; and {len(named) - _SHOWN} more" if len(named) > _SHOWN else "")
            who = (called or {}).get(spec, spec)
            yield f"{who}: no sentence for the {_NOUNS[what]} {shown} (most often: {reason})"


def _counts(
    accounts: Mapping[str, Accounting], whole: Accounting | None, called: Mapping[str, str], title: str
) -> Table | None:
    rows = [(TableCell(called[spec]), *_count_cells(account)) for spec, account in accounts.items()]
    if whole and len(accounts) > 1:
        rows.append((TableCell("All", mark="mean"), *_count_cells(whole)))
    return table(title, ("Spec", *numbers(*_COUNTS)), rows)


def _count_cells(account: Accounting) -> tuple[TableCell | str | int, ...]:
    per_tokens = account.accepted_per_1000_tokens
    return (
        account.requests,
        account.attempts,
        account.decoded,
        TableCell(percent(account.controllability), sort=sort_key(account.controllability)),
        account.accepted,
        TableCell(percent(account.share), sort=sort_key(account.share)),
        NONE if per_tokens is None else f"{per_tokens:.1f}",
        account.kept,
    )


def _groups(accounts: Mapping[str, Accounting], called: Mapping[str, str], names: Names | None) -> Table | None:
    rows = [
        (
            called[spec],
            names.group(one.group, spec) if names else one.group,
            one.drawn,
            one.judged,
            one.flagged,
            percent(one.flagged / max(1, one.judged)),
            one.kept,
        )
        for spec, account in accounts.items()
        for one in account.groups
    ]
    columns = ("Spec", "Written for", *numbers("Drawn", "Judged", "Rejected by the judge", "Share", "Kept"))
    return table("By group", columns, rows)


def _reasons(accounts: Mapping[str, Accounting], whole: Accounting | None) -> Table | None:
    reasons: Counter[str] = Counter()
    for account in [whole] if whole else accounts.values():
        reasons.update(dict(account.dropped))
    return table("Why the rest were dropped", ("Reason", *numbers("Sentences")), reasons.most_common())


def _low(accounts: Mapping[str, Accounting], called: Mapping[str, str], names: Names | None) -> Table | None:
    rows = [
        (
            called[spec],
            names.group(one.holder, spec) if names and one.kind == "group" else one.holder,
            one.term,
            one.accepted,
            one.decoded,
            percent(share),
        )
        for spec, account in accounts.items()
        for counts in account.yields.values()
        for one, share in low_yield(counts).items()
    ]
    columns = ("Spec", "Of", "Term", *numbers("Accepted", "Decoded", "Share"))
    return table("Terms to reconsider: yield below half the median", columns, rows)
