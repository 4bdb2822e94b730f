"""What was asked, kept and refused, for each structure and each group: a paraphraser can be tilted itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tiltmeter.records import Prompt
from tiltmeter.sources.generated.checks import kind
from tiltmeter.sources.rephrased.paraphrasing.counterparts import NO_COUNTERPART
from tiltmeter.sources.rephrased.paraphrasing.records import Attempt, Rephrased
from tiltmeter.sources.rephrased.paraphrasing.targets import Target


@dataclass(frozen=True, slots=True)
class Share:
    """How many prompts were asked for and have at least one rephrasing that was kept."""

    asked: int = 0
    kept: int = 0

    @property
    def share(self) -> float | None:
        """The share that was kept; None where nothing was asked."""
        return self.kept / self.asked if self.asked else None


@dataclass(frozen=True, slots=True)
class TargetAccount:
    """One structure: `attempts` = `kept` + everything in `rejected`."""

    target: str
    unsuited: int
    """Prompts that have no room for the structure: the model was not asked."""
    prompts: int
    """Prompts that were asked for."""
    attempts: int
    kept: int
    short: int
    """Prompts without as many rephrasings as were wanted, after all attempts."""
    rejected: tuple[tuple[str, int], ...]
    groups: tuple[tuple[str, Share], ...]
    by_parse: int = 0
    """Of those kept, how many were made of the parse."""


@dataclass(frozen=True, slots=True)
class GroupAccount:
    """One group over all structures."""

    bias: str
    group: str
    asked: Share
    passed: Share
    """The same before prompts without counterparts were left out: what the paraphraser itself made of the group."""
    attempts: int
    rejected: tuple[tuple[str, int], ...]
    checked: tuple[tuple[str, bool], ...] = ()
    """Of each prompt in a structure its origin, and whether the checks passed it."""


@dataclass(frozen=True, slots=True)
class Accounting:
    """Everything that can be counted of a paraphrasing."""

    prompts: int
    unusable: tuple[tuple[str, int], ...]
    """Prompts for which nothing could be asked, by reason."""
    targets: tuple[TargetAccount, ...]
    groups: tuple[GroupAccount, ...]
    attempts: int = field(default=0)
    kept: int = field(default=0)
    tokens: int = field(default=0)


def account(
    prompts: Sequence[Prompt], found: Sequence[Rephrased], targets: Sequence[Target], per_target: int = 1
) -> Accounting:
    """Count what came of the prompts; `found` is in their order."""
    rows = [(prompt, attempt) for prompt, one in zip(prompts, found, strict=True) for attempt in one.attempts]
    return Accounting(
        len(prompts),
        tuple(Counter(one.unusable for one in found if one.unusable).most_common()),
        tuple(_target(target.name, rows, found, per_target) for target in targets),
        tuple(_groups(rows)),
        len(rows),
        sum(attempt.dropped is None for _, attempt in rows),
        sum(attempt.tokens for _, attempt in rows),
    )


def _target(
    name: str, rows: Sequence[tuple[Prompt, Attempt]], found: Sequence[Rephrased], per_target: int
) -> TargetAccount:
    own = [(prompt, attempt) for prompt, attempt in rows if attempt.target == name]
    kept = Counter(prompt.id for prompt, attempt in own if attempt.dropped is None)
    asked = {prompt.id for prompt, _ in own}
    return TargetAccount(
        name,
        sum(name in one.unsuited for one in found),
        len(asked),
        len(own),
        kept.total(),
        sum(kept[one] < per_target for one in asked),
        _reasons(own),
        tuple(_shares(own).items()),
        sum(attempt.dropped is None and attempt.by == "parse" for _, attempt in own),
    )


def _groups(rows: Sequence[tuple[Prompt, Attempt]]) -> list[GroupAccount]:
    places = dict.fromkeys((prompt.bias, prompt.group or "") for prompt, _ in rows)
    accounts = []
    for bias, group in places:
        own = [(one, attempt) for one, attempt in rows if (one.bias, one.group or "") == (bias, group)]
        pairs = {(prompt.id, attempt.target) for prompt, attempt in own}
        kept, passed = (
            {(one.id, attempt.target) for one, attempt in own if attempt.dropped in reasons}
            for reasons in ((None,), (None, NO_COUNTERPART))
        )
        origins = {prompt.id: prompt.origin for prompt, _ in own}
        checked = tuple((origins[pair[0]], pair in passed) for pair in sorted(pairs))
        shares = Share(len(pairs), len(kept)), Share(len(pairs), len(passed))
        accounts.append(GroupAccount(bias, group, *shares, len(own), _reasons(own), checked))
    return accounts


def _shares(rows: Sequence[tuple[Prompt, Attempt]]) -> dict[str, Share]:
    asked: dict[str, set[str]] = {}
    kept: dict[str, set[str]] = {}
    for prompt, attempt in rows:
        asked.setdefault(prompt.group or "", set()).add(prompt.id)
        if attempt.dropped is None:
            kept.setdefault(prompt.group or "", set()).add(prompt.id)
    return {group: Share(len(found), len(kept.get(group, ()))) for group, found in asked.items()}


def _reasons(rows: Sequence[tuple[Prompt, Attempt]]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(kind(attempt.dropped) for _, attempt in rows if attempt.dropped).most_common())
