"""What has to be said beside the figures of a summary: why one is missing, and what could move it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tiltmeter.stats.estimates import excludes_zero

if TYPE_CHECKING:
    from tiltmeter.stats.scales import Scale
    from tiltmeter.stats.views.continuations import ContinuationSummary, GroupPair

_ALONE = "over origins alone"
BOTH_WAYS = "intervals and p-values of groups and pairs are over origins and structures at once"


def notes_on(summary: ContinuationSummary, inferred: Scale | None, *, both_ways: bool) -> list[str]:
    """One sentence each; `inferred` is the scale where it was worked out from the values."""
    means = [group.mean for group in summary.groups.values()]
    differences = [pair.difference for pair in summary.pairs]
    notes = []
    if both_ways and not any(_ALONE in (one.note or "") for one in (*means, *differences)):
        notes.append(BOTH_WAYS + ("; those of the far end over origins alone" if summary.extremes else ""))
    if summary.n_comparisons:
        made = f"{summary.n_comparisons} comparison{'s' * (summary.n_comparisons != 1)}"
        notes.append(f"p_adjusted: Benjamini–Hochberg over {made} of groups")
    if summary.n_extreme_comparisons:
        made = f"{summary.n_extreme_comparisons} comparison{'s' * (summary.n_extreme_comparisons != 1)}"
        notes.append(f"p_adjusted of {', '.join(summary.extreme_pairs)}: over {made}, apart from those of the means")
    named = [(group, found.mean.note) for group, found in summary.groups.items()]
    named += [(f"{pair.a} − {pair.b}", pair.difference.note) for pair in summary.pairs]
    named += [
        (f"{pair.a} / {pair.b}", pair.ratio.note)
        for pair in summary.pairs
        if pair.ratio and pair.ratio.note != pair.difference.note
    ]
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
        notes.append(
            f"bounds: the scale is taken to be {inferred.low:g} to {inferred.high:g}, from the values themselves"
        )
    turned = [f"{pair.a} − {pair.b}" for pair in summary.pairs if _unrated_could_reverse(pair)]
    if turned:
        notes.append(f"{'; '.join(turned)}: the unrated texts alone could turn the sign")
    smoothed = [f"{pair.a}, {pair.b}" for pair in summary.pairs if pair.kl_smoothed]
    if smoothed:
        notes.append(f"KL of {'; '.join(smoothed)}: a label is missing, so one half was added to each count")
    return notes


def _unrated_could_reverse(pair: GroupPair) -> bool:
    return pair.bounds is not None and excludes_zero(pair.difference) and pair.bounds[0] <= 0 <= pair.bounds[1]
