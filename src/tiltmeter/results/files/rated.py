"""Estimates of a file that holds a rating per text, whoever rated it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.raters.scales import is_name, scale_of
from tiltmeter.results.files.rated_texts import RatedColumns, RatedTexts, read_rated
from tiltmeter.results.files.tables import listed
from tiltmeter.results.summary.text_records import favour
from tiltmeter.stats.scales import SIGNED, Bounds
from tiltmeter.stats.structures.by_structure import StructureSettings, StructureSummary, by_structure
from tiltmeter.stats.views.continuations import MOST_GROUPS, ContinuationSummary, RatedItem, summarise


@dataclass(frozen=True, slots=True)
class RatedSettings:
    """What is asked of the ratings."""

    scale: Bounds | None = None
    threshold: float | None = None
    most_k: tuple[int, ...] = ()
    reference: str | None = None
    level: float = 0.95
    seed: int = 0
    fixed: str | None = None
    """The baseline among the structures."""
    best: int = 5
    """How many structures are listed as best and as worst."""
    higher_is_better: bool | None = None
    """None is seen from the name of the rater: a lower toxicity is better, otherwise the higher rating."""


@dataclass(frozen=True, slots=True)
class RatedFileSummary:
    """The estimates of a rated file, and how its rows were read."""

    summary: ContinuationSummary
    structures: StructureSummary | None
    rows: int
    notes: tuple[str, ...]
    """What was done to the rows."""
    pooled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Choices that were averaged over: column and values."""

    def as_json(self) -> dict[str, Any]:
        """The summary's JSON, with that of the structures where they were asked for."""
        made = self.summary.as_json()
        first = [pooled_note(name, values) for name, values in self.pooled.items()]
        made["notes"] = [*first, *made["notes"], *self.notes]
        made["rows"] = self.rows
        if self.pooled:
            made["pooled"] = {name: list(values) for name, values in self.pooled.items()}
        if self.structures is not None:
            made |= self.structures.as_json()
            made["notes"] += self.structures.notes
        return made


def summarise_rated_file(
    path: str | Path, columns: RatedColumns, settings: RatedSettings | None = None
) -> RatedFileSummary:
    """Estimates from a table with a rating, a group and an origin in each row; a blank rating is unscored."""
    wanted = settings or RatedSettings()
    by_text = bool(columns.structure or columns.prompt or wanted.threshold is not None)
    return summarise_rated(read_rated(path, columns, by_text=by_text), wanted)


def summarise_rated(texts: RatedTexts, settings: RatedSettings | None = None) -> RatedFileSummary:
    """Estimates from rated texts, wherever they were read."""
    wanted = settings or RatedSettings()
    if texts.structured and wanted.reference is None:
        _refuse_hours(texts.items)
    scale = _scale(texts, wanted.scale)
    summary = summarise(
        texts.items,
        scale=scale,
        threshold=wanted.threshold,
        most_k=wanted.most_k,
        reference=wanted.reference,
        level=wanted.level,
    )
    structures = None
    if texts.structured:
        better = favour(texts.rater) >= 0 if wanted.higher_is_better is None else wanted.higher_is_better
        structures = by_structure(
            texts.items,
            summary,
            StructureSettings(wanted.fixed, wanted.best, better),
            scale=scale,
            reference=wanted.reference,
            level=wanted.level,
            seed=wanted.seed,
        )
    return RatedFileSummary(summary, structures, texts.rows, texts.notes, texts.pooled)


def _refuse_hours(items: Sequence[RatedItem]) -> None:
    """Refuse to compare so many groups under so many structures that it would take hours."""
    groups, structures = ({getattr(item, name) for item in items} for name in ("group", "structure"))
    if math.comb(len(groups), 2) * len(structures) > math.comb(MOST_GROUPS, 2):
        raise UserError(
            f"{len(groups):,} groups under {len(structures):,} structures are too many to compare every two: name one "
            "to compare with by `--reference`; or is one of them the wrong column?"
        )


def _scale(texts: RatedTexts, given: Bounds | None) -> Bounds | None:
    """The ends of the scale that are given, or known of labels of regard and of the raters of this package."""
    if given is not None:
        for value, place in texts.ends:
            if not given[0] <= value <= given[1]:
                wide = min(given[0], texts.ends[0][0]), max(given[1], texts.ends[1][0])
                raise InvalidData(
                    f"{place.text.strip()} lies outside --scale {given[0]:g},{given[1]:g}; a scale holds every rating, "
                    f"here at least {wide[0]:g},{wide[1]:g}",
                    file=place.file,
                    line=place.line,
                    key=texts.rater or None,
                )
        return given
    if texts.regard:
        return SIGNED
    # A column that is called sentiment may hold anything; the name of a rater has a version.
    known = scale_of(texts.rater) if "." in texts.rater else None
    outside = [(why, place) for value, place in texts.ends if known and (why := known.outside(value))]
    if outside and is_name(texts.rater):
        why, place = outside[0]
        raise InvalidData(
            f"{why}; if these ratings have another scale, give its ends with --scale",
            file=place.file,
            line=place.line,
            key=texts.rater,
        )
    return known.ends if known and not outside else None


def pooled_note(name: str, values: Sequence[str]) -> str:
    """That the figures average over a choice.

    >>> pooled_note("temperature", ["0.5", "1.0"])
    'averaged over `temperature`, which is 0.5 and 1.0; --where temperature=0.5 takes one alone'
    """
    first = next(value for value in values if value)
    return f"averaged over `{name}`, which is {listed(values)}; --where {name}={first} takes one alone"
