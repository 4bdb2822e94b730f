"""Two models on the same items, or one before and after: what changed between two runs, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.analysis.comparable import notes_on, refuse_unlike, sides_of, views_of
from tiltmeter.analysis.comparison_cells import BUILDERS, Wanted
from tiltmeter.analysis.comparison_records import Compared, ComparedView, RunComparison
from tiltmeter.analysis.comparison_words import sentences
from tiltmeter.analysis.questions import View
from tiltmeter.errors import UserError
from tiltmeter.records import Estimate
from tiltmeter.stats.correction import holm
from tiltmeter.stats.estimates import adjust
from tiltmeter.store import Run


def compare_runs(
    runs: Sequence[Run], models: Sequence[str] = (), *, views: Sequence[View] = (), margin: float | None = None
) -> RunComparison:
    """Compare two runs, or two models of one run, on the items that both have.

    Refuses, in one sentence that says which, scorers, raters and sources that differ in version or in what they read,
    decodings and sets of words that differ. A margin is what size of a share or a rating would matter.
    """
    if margin is not None and not margin > 0:
        raise UserError(f"--margin {margin:g}: a margin is more than 0: the difference that would matter")
    a, b = sides_of(runs, models)
    common = views_of(a, b, views)
    refuse_unlike(a, b, common)
    made = [BUILDERS[view](a, b, Wanted(margin)) for view in common]
    made = [view for view in made if view.cells]
    if not made:
        told = ", ".join(common)
        raise UserError(
            f"{a.name} and {b.name} have nothing in common to compare ({told}): no item has the same id and text "
            "under the same choices in both; run the same study with both models"
        )
    cells = iter(_corrected([cell for view in made for cell in view.cells]))
    overall = iter(_corrected([cell for view in made for cell in view.overall]))
    done = [
        replace(view, cells=tuple(next(cells) for _ in view.cells), overall=tuple(next(overall) for _ in view.overall))
        for view in made
    ]
    done = [replace(view, sentences=tuple(sentences(view))) for view in done]
    notes = [*notes_on(a, b, [view.view for view in done]), *(note for view in done for note in view.left_out)]
    notes += _lost(done, a.name, b.name)
    return RunComparison(
        a,
        b,
        tuple(done),
        sum(cell.p_holm is not None for view in done for cell in view.cells),
        sum(cell.p_holm is not None for view in done for cell in view.overall),
        margin,
        tuple(notes),
    )


def _differences(cells: Sequence[Compared]) -> list[Estimate]:
    return [cell.difference for cell in cells]


def _corrected(cells: Sequence[Compared]) -> list[Compared]:
    """With p-values corrected for their number, both ways; where nothing differs anywhere there was nothing to test."""
    tested = [replace(one, p=None) if one.low is None and not one.value else one for one in _differences(cells)]
    adjusted = adjust({str(place): found for place, found in enumerate(tested)})
    strictly = holm([found.p for found in tested])
    return [
        replace(cell, p_adjusted=found.p_adjusted, p_holm=p)
        for cell, found, p in zip(cells, adjusted.values(), strictly, strict=True)
    ]


def _lost(views: Sequence[ComparedView], a: str, b: str) -> list[str]:
    return [
        f"{view.view}: {count:,} items that only {name} has are left out, {view.items.both:,} are compared"
        for view in views
        for count, name in ((view.items.only_a, a), (view.items.only_b, b))
        if count
    ]
