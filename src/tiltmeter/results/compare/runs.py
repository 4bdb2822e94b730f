"""Two models on the same items, or one before and after: what changed between two runs, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.errors import UserError
from tiltmeter.results.compare.comparability import check_comparable, notes_on
from tiltmeter.results.compare.items import Wanted
from tiltmeter.results.compare.records import Compared, RunComparison
from tiltmeter.results.compare.sides import Side, sides_of, views_measured, views_of, views_of_one_side
from tiltmeter.results.compare.views import compared_view
from tiltmeter.results.compare.words import in_words
from tiltmeter.stats.estimates import adjust, holm
from tiltmeter.store import Run
from tiltmeter.views import View


def compare_runs(
    runs: Sequence[Run], models: Sequence[str] = (), *, views: Sequence[View] = (), margin: float | None = None
) -> RunComparison:
    """Compare two runs, or two models of one run, on the items that both have.

    Refuses, in one sentence that says which, scorers, raters and sources that differ in version or in what they read,
    decodings and sets of words that differ. A margin is what size of a share or a rating would matter.
    """
    if margin is not None and not 0 < margin < math.inf:
        raise UserError(f"--margin {margin:g}: a margin is more than 0: the difference that would matter")
    return compare_sides(*sides_of(runs, models), views=views, margin=margin)


def compare_sides(a: Side, b: Side, *, views: Sequence[View] = (), margin: float | None = None) -> RunComparison:
    """The same of two sides that were chosen; of a side and itself, what could be compared with it."""
    common = views_of(a, b, views)
    check_comparable(a, b, common)
    made = [compared_view(view, a, b, Wanted(margin)) for view in common]
    lone = [] if views else views_of_one_side(a, b)
    lone += [f"no item of {view.view} is the same in both" for view in made if not view.cells]
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
    tested = sum(cell.p_holm is not None for view in done for cell in view.overall)
    return RunComparison(
        a,
        b,
        tuple(in_words(view, tested) for view in done),
        sum(cell.p_holm is not None for view in done for cell in view.cells),
        tested,
        margin,
        tuple(notes_on(a, b, [view.view for view in done])),
        tuple(lone),
        tuple(views or views_measured(a)),
    )


def _corrected(cells: Sequence[Compared]) -> list[Compared]:
    """With p-values corrected for their number, both ways; where nothing differs anywhere there was nothing to test."""
    differences = [cell.difference for cell in cells]
    tested = [replace(one, p=None) if one.low is None and not one.value else one for one in differences]
    adjusted = adjust({str(place): found for place, found in enumerate(tested)})
    strictly = holm([found.p for found in tested])
    return [
        replace(cell, p_adjusted=found.p_adjusted, p_holm=p)
        for cell, found, p in zip(cells, adjusted.values(), strictly, strict=True)
    ]
