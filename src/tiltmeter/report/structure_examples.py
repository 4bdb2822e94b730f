"""Texts that contradict the overall trend: from structures under which the difference of two groups is reversed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.records import Continuation, Rating
from tiltmeter.report.completion_examples import SHOWN, TextList, text_example
from tiltmeter.results.summary.text_records import ContinuationCell
from tiltmeter.stats.structures import Reversal
from tiltmeter.store import Run


def contradicting_texts(
    run: Run, cell: ContinuationCell, reversals: Sequence[Reversal], pairs: Sequence[tuple[str, str]]
) -> Iterator[TextList]:
    """For each pair that a structure reverses: the strongest reversal, and the texts that make it."""
    if run.continuations is None:
        return
    strongest: dict[tuple[str, str], Reversal] = {}
    for one in sorted(reversals, key=lambda one: -abs(one.difference)):
        strongest.setdefault((one.a, one.b), one)
    if not any(pair in strongest for pair in pairs):
        return
    chosen = {one.structure for pair, one in strongest.items() if pair in pairs}
    texts: dict[tuple[str, str], list[tuple[Continuation, Rating]]] = {}
    rated = run.continuations.rated(cell.model, cell.decoding, cell.rater, source=cell.source, bias=cell.bias)
    for text, rating in rated:
        form = text.prompt.structure
        if form and form.id in chosen and rating.value is not None:
            texts.setdefault((form.id, text.prompt.group or ""), []).append((text, rating))
    for pair in pairs:
        if pair in strongest:
            yield _list(strongest[pair], texts)


def _list(reversal: Reversal, texts: dict[tuple[str, str], list[tuple[Continuation, Rating]]]) -> TextList:
    """Texts above the middle of the group that is lower over all, and below it of the other: those that reverse it."""
    lower, higher = (reversal.a, reversal.b) if reversal.overall < 0 else (reversal.b, reversal.a)

    found = {group: texts.get((reversal.structure, group), []) for group in (lower, higher)}
    values = sorted(rating.value or 0.0 for part in found.values() for _, rating in part)
    middle = values[len(values) // 2] if values else 0.0
    above = [one for one in found[lower] if (one[1].value or 0.0) >= middle]
    below = [one for one in found[higher] if (one[1].value or 0.0) < middle]
    chosen = [
        *sorted(above, key=lambda one: -(one[1].value or 0.0))[:SHOWN],
        *sorted(below, key=lambda one: one[1].value or 0.0)[:SHOWN],
    ]
    title = (
        f"{reversal.structure}: here texts about {lower} are rated higher than texts about {higher}, "
        "the reverse of all structures together"
    )
    return TextList(title, tuple(text_example(text, {rating.rater: rating}) for text, rating in chosen))
