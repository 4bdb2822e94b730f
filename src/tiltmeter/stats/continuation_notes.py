"""What has to be said beside the figures of a summary: why one is missing, and what could move it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.stats.continuations import ContinuationSummary, GroupPair


def notes_on(summary: ContinuationSummary, inferred: tuple[float, float] | None) -> list[str]:
    """One sentence each; `inferred` is the scale where it was worked out from the values."""
    notes = []
    if summary.n_comparisons:
        made = f"{summary.n_comparisons} comparison{'s' * (summary.n_comparisons != 1)}"
        notes.append(f"p_adjusted: Benjamini–Hochberg over {made} of groups")
    if summary.n_extreme_comparisons:
        made = f"{summary.n_extreme_comparisons} comparison{'s' * (summary.n_extreme_comparisons != 1)}"
        notes.append(f"p_adjusted of {', '.join(summary.extreme_pairs)}: over {made}, apart from those of the means")
    named = [(group, found.mean.note) for group, found in summary.groups.items()]
    named += [(f"{pair.a} − {pair.b}", pair.difference.note) for pair in summary.pairs]
    for measure, by_group in summary.extremes.items():
        named += [(f"{measure}, {group}", found.note) for group, found in by_group.items()]
    for measure, pairs in summary.extreme_pairs.items():
        named += [(f"{measure}, {pair.a} − {pair.b}", pair.difference.note) for pair in pairs]
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, note in named:
        if note:
            reasons[note].append(name)
    notes += [f"{'; '.join(names)}: {reason}" for reason, names in reasons.items()]
    if inferred and any(group.mean.n_unscored for group in summary.groups.values()):
        notes.append(f"bounds: the scale is taken to be {inferred[0]:g} to {inferred[1]:g}, from the values themselves")
    turned = [f"{pair.a} − {pair.b}" for pair in summary.pairs if _unrated_could_turn(pair)]
    if turned:
        notes.append(f"{'; '.join(turned)}: the unrated texts alone could turn the sign")
    smoothed = [f"{pair.a}, {pair.b}" for pair in summary.pairs if pair.kl_smoothed]
    if smoothed:
        notes.append(f"KL of {'; '.join(smoothed)}: a label is missing, so one half was added to each count")
    return notes


def _unrated_could_turn(pair: GroupPair) -> bool:
    found = pair.difference
    if found.low is None or found.high is None or pair.bounds is None or found.low <= 0 <= found.high:
        return False
    return pair.bounds[0] <= 0 <= pair.bounds[1]
