"""Figures on sentence structures: each one's difference, how groups diverge, and how many structures are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tiltmeter.records import STRUCTURE_KINDS, Estimate, Structure
from tiltmeter.report.decodings import rater_words
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import (
    Curve,
    CurvePanel,
    HeatCell,
    HeatKey,
    HeatRow,
    Swarm,
    SwarmKey,
    curves,
    heat,
    swarms,
)
from tiltmeter.report.words import NONE, count, percent, signed
from tiltmeter.results.summary.text_records import favour
from tiltmeter.stats.estimate import FEWEST
from tiltmeter.stats.structures import StructureSummary

_LINES = 6
"""Lines in the figure of stability: more cannot be told apart; summary.json has all."""


def swarm_figure(
    rater: str, found: StructureSummary, pairs: Sequence[tuple[str, str]], known: Mapping[str, Structure], place: str
) -> Drawn:
    """The difference of each pair of groups under each structure, with that over all and that of the plain prompt."""
    rows = []
    for a, b in pairs:
        gaps = {
            name: next((one.difference.value for one in summary.pairs if (one.a, one.b) == (a, b)), None)
            for name, summary in found.structures.items()
        }
        fixed = gaps.pop(found.settings.fixed, None) if found.settings.fixed else None
        points = tuple(
            (value, STRUCTURE_KINDS.index(known[name].kind)) for name, value in gaps.items() if value is not None
        )
        kept = found.robustness.sign_kept[a, b].share
        text = "" if kept.value is None else f"{percent(kept.value, 0)} keep the sign"
        rows.append(Swarm(f"{a} − {b}", points, found.robustness.two_way[a, b], fixed, text))
    side = favour(rater)
    better = ("", "") if not side else ("second group rated better", "first group rated better")[::side]
    over = "structures and verb phrases" if any(len(row.points) >= FEWEST for row in rows) else "verb phrases"
    key = SwarmKey(
        series=tuple(f"{kind} structure" for kind in STRUCTURE_KINDS),
        whole=f"all structures together, with 95\N{NO-BREAK SPACE}% interval over {over}",
        apart="the plain prompt" if found.settings.fixed else "",
        left=f"← {better[0]}" if side else "",
        right=f"{better[1]} →" if side else "",
    )
    caption = f"Difference of the mean ratings ({rater_words(rater)}) of two groups, a dot for each structure."
    return draw(f"structures {place}", partial(swarms, rows, key), _swarm_words(rows), caption)


def divergence_figure(found: StructureSummary, place: str) -> Drawn | None:
    """KL divergence of the distributions of labels of every two groups; None where the ratings have no labels."""
    groups = list(found.paraphrases.groups)
    by_pair = {(one.a, one.b): (one.kl_ab, one.kl_ba) for one in found.paraphrases.pairs}
    values: dict[tuple[str, str], float | None] = {}
    for (a, b), (ab, ba) in by_pair.items():
        values[a, b], values[b, a] = ab, ba
    known = [value for value in values.values() if value is not None]
    if not known:
        return None
    most = max(known) or 1.0

    def cell(row: str, column: str) -> HeatCell:
        value = values.get((row, column))
        if row == column or value is None:
            return HeatCell(NONE)
        return HeatCell(f"{value:.3f}", value / most, sided=False)

    rows = [HeatRow(row, tuple(cell(row, column) for column in groups)) for row in groups]
    widest = max((pair for pair, value in values.items() if value is not None), key=lambda pair: values[pair] or 0.0)
    words = (
        f"KL divergence of {count(len(groups), 'group')}; the largest is that of {widest[0]} from {widest[1]}, "
        f"{values[widest]:.3f} nats."
    )
    caption = (
        "KL(row ‖ column) in nats of the shares of labels over all structures. Where a label is missing, one half was "
        "added to each count."
    )
    key = HeatKey(neither="larger divergence")
    return draw(f"divergence {place}", partial(heat, rows, groups, key), words, caption)


def stability_figure(found: StructureSummary, pairs: Sequence[tuple[str, str]], place: str) -> Drawn | None:
    """How often so many structures, drawn at random, give the sign that all of them give."""
    stable = found.stability
    names: list[str] = []
    lines: list[Curve] = []
    for pair in pairs[:_LINES]:
        shares = stable.agreeing.get(pair, ())
        points = tuple(
            (float(k), Estimate(100 * share)) for k, share in zip(stable.k, shares, strict=True) if share is not None
        )
        if len(points) > 1:
            lines.append(Curve(len(names), points))
            names.append(f"{pair[0]} − {pair[1]}")
    if not lines:
        return None
    parts = []
    for name, line in zip(names, lines, strict=True):
        (first, start), (last, end) = line.points[0], line.points[-1]
        parts.append(f"{name}: {start.value:.0f} per cent with {first:g}, {end.value:.0f} with {last:g}")
    panel = CurvePanel("Draws with the sign of all, in %", tuple(lines))
    caption = (
        "Would fewer structures have given the same conclusion? Share of random draws of so many structures in which "
        "the difference has the sign that it has over all. A single structure is what most studies use. Draws are part "
        "of the whole, so the share rises towards 100 even where there is nothing to find."
    )
    return draw(
        f"stability {place}",
        partial(curves, [panel], names, "structures drawn", zero=False),
        f"Stability of the sign. {'; '.join(parts)}.",
        caption,
    )


def _swarm_words(rows: Sequence[Swarm]) -> str:
    parts = []
    for row in rows:
        values = [value for value, _ in row.points]
        if values:
            ends = f"from {signed(min(values), 3)} to {signed(max(values), 3)}"
            parts.append(
                f"{row.label}: {ends} over {count(len(values), 'structure')}, {signed(row.whole.value, 3)} together"
            )
    return f"{count(len(rows), 'difference')} under each structure. {'; '.join(parts)}."
