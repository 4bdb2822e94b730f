"""What each structure of the sentences says, in a cell of a run whose source varies them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tiltmeter.records import Structure
from tiltmeter.results.summary.text_records import ContinuationCell, ends_of, favour
from tiltmeter.stats.structures.by_structure import StructureSettings, by_structure
from tiltmeter.stats.views.continuations import RatedItem, summarise
from tiltmeter.store import Run

FIXED = "fixed"
"""The structure of the plain prompt, which the others rephrase."""


_BEST = 5
"""How many structures are listed as best and as worst, where there are at least twice as many."""


def rephrased(items: Sequence[RatedItem]) -> list[RatedItem]:
    """The items without those of the plain prompt, where it stands apart from structures that rephrase it."""
    free = [item for item in items if item.structure != FIXED]
    return free if any(item.structure is not None for item in free) else list(items)


def structures_of(run: Run) -> dict[str, Structure]:
    """The structures of the prompts of a run, by their ids, in the order of the run."""
    prompts = run.continuations.prompts if run.continuations else ()
    return {prompt.structure.id: prompt.structure for prompt in prompts if prompt.structure}


def skeletons_of(run: Run, names: Collection[str]) -> int:
    """How many different skeletons the prompts of some structures have: one structure may have several."""
    prompts = run.continuations.prompts if run.continuations else ()
    forms = (prompt.structure for prompt in prompts if prompt.structure)
    return len({form.skeleton for form in forms if form.id in names and form.skeleton})


def with_structures(
    run: Run,
    cell: ContinuationCell,
    items: Sequence[RatedItem],
    *,
    reference: str | None = None,
    seed: int,
) -> ContinuationCell:
    """The cell with its structures and their families, where its texts have more than one structure."""
    found = {item.structure for item in items if item.structure is not None}
    if len(found - {FIXED}) < 2 or len(cell.summary.groups) < 2:
        return cell
    settings = StructureSettings(
        fixed=FIXED if FIXED in found else None,
        best=max(1, min(_BEST, len(found - {FIXED}) // 2)),
        higher_is_better=favour(cell.rater) >= 0,
    )
    scale = ends_of(cell.rater)
    return replace(
        cell,
        structures=by_structure(items, cell.summary, settings, scale=scale, reference=reference, seed=seed),
        families={
            family: summarise(part, scale=scale, reference=reference) for family, part in _by_family(run, items).items()
        },
    )


def _by_family(run: Run, items: Sequence[RatedItem]) -> Mapping[str, list[RatedItem]]:
    known = structures_of(run)
    parts: dict[str, list[RatedItem]] = defaultdict(list)
    for item in items:
        if item.structure is not None and item.structure != FIXED:
            parts[known[item.structure].family].append(item)
    return parts
