"""What has to be said beside the figures over structures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.stats.structures.by_structure import StructureSummary
    from tiltmeter.stats.structures.ranking import Ranking


def structure_notes(found: StructureSummary, without: int) -> list[str]:
    """One sentence each; `without` is the number of texts that name no structure."""
    notes = []
    if without:
        notes.append(f"{without} texts name no structure: they count in groups and pairs only")
    notes += _about_gaps(found)
    better = "highest" if found.settings.higher_is_better else "lowest"
    if found.best.overall:
        notes.append(f"best structures are those with the {better} means")
    for word, ranking in (("best", found.best), ("worst", found.worst)):
        notes += _about_ranking(word, ranking, found.settings.best)
    return notes + _about_robustness(found)


def _about_gaps(found: StructureSummary) -> list[str]:
    pairs = [pair for summary in found.structures.values() for pair in summary.pairs]
    notes = []
    if found.n_comparisons:
        notes.append(f"gaps: p_adjusted is Benjamini–Hochberg over {found.n_comparisons} comparisons")
    reasons = Counter(pair.difference.note for pair in pairs if pair.difference.note)
    notes += [f"{count} of {len(pairs)} gaps: {reason}" for reason, count in reasons.items()]
    smoothed = sum(pair.kl_smoothed for pair in pairs)
    if smoothed:
        notes.append(f"KL of {smoothed} of {len(pairs)} gaps: a label is missing, so one half was added to each count")
    return notes


def _about_ranking(word: str, ranking: Ranking, n: int) -> list[str]:
    notes = []
    if len(ranking.groups) > 1 and not ranking.intersection:
        notes.append(f"no structure is among the {n} {word} of every group")
    if ranking.tied:
        notes.append(f"{word} structures: {ranking.tied} with the mean of the last on a list were left off it")
    return notes


def _about_robustness(found: StructureSummary) -> list[str]:
    robust = found.robustness
    notes = []
    if robust.n_incomplete:
        notes.append(
            f"cosines and stability: {robust.n_incomplete} structures left out, since a group has no rated text there"
        )
    if robust.n_structures < 2:
        notes.append(f"no cosine: {robust.n_structures} structures where at least 2 are needed")
    elif len(found.paraphrases.groups) == 2:
        notes.append("two groups: a centred cosine is 1 or −1, so the centred figures only count agreeing signs")
    for what, noun, (plain, centred) in (
        ("single", "structures", robust.single.without),
        ("split_half", "splits", robust.split_half.without),
    ):
        if plain:
            notes.append(f"{what}: {plain} {noun} left out, since all means are zero")
        if centred:
            notes.append(f"centred_{what}: {centred} {noun} left out, since all groups have the same mean")
    ties = [f"{a} − {b} {kept.ties}" for (a, b), kept in robust.sign_kept.items() if kept.ties]
    if ties:
        notes.append(
            f"structures with a difference of zero, which neither keep nor reverse the sign: {', '.join(ties)}"
        )
    named = [(f"sign_kept, {a} − {b}", kept.share.note) for (a, b), kept in robust.sign_kept.items()]
    named += [(f"both ways, {a} − {b}", two_way.note) for (a, b), two_way in robust.two_way.items()]
    reasons: dict[str, list[str]] = {}
    for name, note in named:
        if note:
            reasons.setdefault(note, []).append(name)
    return notes + [f"{'; '.join(names)}: {reason}" for reason, names in reasons.items()]
