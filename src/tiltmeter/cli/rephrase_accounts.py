"""What `tiltmeter rephrase` prints: counts of the grammar's prompts, or the account of a paraphraser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from tiltmeter.cli.console import percent, print_json, print_table, say

if TYPE_CHECKING:
    from tiltmeter.records import Dropped, Prompt
    from tiltmeter.sources.rephrased.paraphrasing import Accounting


def print_grammar(made: Sequence[Prompt], dropped: Sequence[Dropped], show: int, as_json: bool) -> None:
    """Print how many prompts, structures, skeletons and families there are, and what was dropped."""
    forms = {prompt.structure.id: prompt.structure for prompt in made if prompt.structure}
    counts: dict[str, Any] = {
        "prompts": len(made),
        "distinct_texts": len({prompt.text for prompt in made}),
        "by_group": dict(Counter(prompt.group or "" for prompt in made)),
        "verb_phrases": len({prompt.origin for prompt in made}),
        "structures": len(forms),
        "by_kind": dict(Counter(form.kind for form in forms.values())),
        "skeletons": len({prompt.structure.skeleton for prompt in made if prompt.structure}),
        "by_family": dict(Counter(form.family for form in forms.values())),
        "dropped": dict(Counter(one.reason for one in dropped).most_common()),
    }
    if as_json:
        print_json(counts)
        return
    # One line for a reason that holds of many structures; `--json` names each of them.
    without_structure = [re.sub(r"^[a-z-]+: ", "", one.reason) for one in dropped]
    counts["dropped"] = dict(Counter(without_structure).most_common())
    rows: list[tuple[str, object]] = []
    for key, value in counts.items():
        words = key.replace("_", " ")
        if isinstance(value, dict):
            rows += [(f"{words.removeprefix('by ')}: {name}", count) for name, count in value.items()]
        else:
            rows.append((words, value))
    print_table(["what", "count"], rows, title="Prompts by grammar")
    for prompt in made[:show]:
        typer.echo(prompt.text)


def print_paraphrases(account: Accounting, by: str, as_json: bool) -> None:
    """Print, for each structure and each group, what was asked, kept and refused."""
    from tiltmeter.stats.views.attrition import Attempt, unequal_attrition

    # What the checks passed, not what was kept: leaving out prompts without counterparts would hide a tilt.
    passed = [Attempt(one.bias, one.group, origin, kept) for one in account.groups for origin, kept in one.checked]
    tilted = unequal_attrition(passed)
    if as_json:
        print_json({"by": by, **_as_json(account), "uneven": [asdict(one) for one in tilted]})
        return
    columns = ["structure", "no room", "prompts", "attempts", "kept", "share", "without"]
    rows = [
        (
            one.target,
            one.unsuited,
            one.prompts,
            one.attempts,
            one.kept,
            percent((one.prompts - one.short) / one.prompts if one.prompts else None),
            one.short,
        )
        for one in account.targets
    ]
    print_table(columns, rows, title=f"{account.prompts} prompts rephrased by {by}")
    _print_reasons(account)
    shares = [
        (
            *(one.bias, one.group, one.asked.asked, one.passed.kept, percent(one.passed.share)),
            *(one.asked.kept, _most(one.rejected)),
        )
        for one in account.groups
    ]
    columns = ["bias", "group", "asked", "passed", "share", "kept", "rejected most often"]
    print_table(columns, shares, title="\nBy group: prompts in a structure, requested, passed the checks, and kept")
    for one in tilted:
        say(
            f"{one.bias}: {percent(one.share)} of the rephrasings for {one.group} passed the checks, and "
            f"{percent(one.others)} for the other groups (p = {one.p:.2g} over {one.origins} prompts): this "
            "paraphraser treats them differently"
        )
    for reason, count in account.unusable:
        say(f"{count} prompts were not rephrased: {reason}")


def _print_reasons(account: Accounting) -> None:
    reasons = list(dict.fromkeys(reason for one in account.targets for reason, _ in one.rejected))
    rows = []
    for reason in reasons:
        counts = [(one.target, dict(one.rejected).get(reason, 0)) for one in account.targets]
        most = sorted(((count, name) for name, count in counts if count), reverse=True)[:3]
        where = ", ".join(f"{name} {count}" for count, name in most)
        rows.append((reason, sum(count for _, count in counts), where))
    rows.sort(key=lambda row: -row[1])
    print_table(["reason", "attempts", "most in"], rows, title="\nWhy attempts were rejected")


def _most(rejected: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in rejected[:2])


def _as_json(account: Accounting) -> dict[str, Any]:
    return {
        "prompts": account.prompts,
        "attempts": account.attempts,
        "kept": account.kept,
        "tokens": account.tokens,
        "unusable": dict(account.unusable),
        "targets": [
            {
                **asdict(one),
                "rejected": dict(one.rejected),
                "groups": {group: {**asdict(share), "share": share.share} for group, share in one.groups},
            }
            for one in account.targets
        ],
        "groups": [
            {
                "bias": one.bias,
                "group": one.group,
                **asdict(one.asked),
                "share": one.asked.share,
                "passed": one.passed.kept,
                "attempts": one.attempts,
                "rejected": dict(one.rejected),
            }
            for one in account.groups
        ],
    }
