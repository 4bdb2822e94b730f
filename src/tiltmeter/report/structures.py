"""The part of the report on sentence structures: does a finding hold under each of them?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.records import STRUCTURE_KINDS, Structure
from tiltmeter.report.cells import Table
from tiltmeter.report.completion_examples import TextList
from tiltmeter.report.decodings import decoding_words, rater_words
from tiltmeter.report.drawn import Drawn
from tiltmeter.report.structure_examples import contradicting_texts
from tiltmeter.report.structure_figures import divergence_figure, stability_figure, swarm_figure
from tiltmeter.report.structure_tables import family_table, ranking_table, robustness_table, sign_table, structure_table
from tiltmeter.report.words import count, percent, percent_range
from tiltmeter.results.summary.structures import structures_of
from tiltmeter.results.summary.text_records import ContinuationCell, ContinuationsSummary
from tiltmeter.stats.continuations import ContinuationSummary
from tiltmeter.stats.estimates import excludes_zero
from tiltmeter.stats.structures import StructureSummary
from tiltmeter.store import Run

Pair = tuple[str, str]
_PAIRS = 6
"""Pairs of groups that are shown where a spec names none; the tables of the run have all."""


@dataclass(frozen=True, slots=True)
class StructuresView:
    """What the structures say under one rater, for one model, bias and decoding."""

    place: str
    sentences: tuple[str, ...]
    """One for each pair of groups: in how many structures its difference keeps its sign."""
    basis: str
    swarm: Drawn
    signs: Table
    robustness: Table
    stability: Drawn | None
    divergence: Drawn | None
    ranking: Table
    families: Table | None
    every: Table
    notes: tuple[str, ...]
    examples: tuple[TextList, ...]

    @property
    def figures(self) -> list[Drawn]:
        """Every figure, in the order of the page."""
        return [figure for figure in (self.swarm, self.stability, self.divergence) if figure]


def structure_views(
    run: Run, found: ContinuationsSummary, compare: Mapping[str, Sequence[Pair]], label: Callable[[str], str]
) -> list[StructuresView]:
    """One for each model, bias and rater, of the first decoding of the study; the tables of the run have the others."""
    known = structures_of(run)
    shown: dict[tuple[str, str, str, str], tuple[ContinuationCell, StructureSummary]] = {}
    for cell in found.cells:
        if cell.structures:
            shown.setdefault((cell.model, cell.source, cell.bias, cell.rater), (cell, cell.structures))
    decodings = [cell.decoding for cell in found.cells]
    made = []
    for cell, structures in shown.values():
        pairs = shown_pairs(cell, compare.get(cell.bias.partition(":")[0], ()))
        words = (cell.model, label(cell.bias), rater_words(cell.rater), decoding_words(cell.decoding, decodings))
        made.append(_view(run, cell, structures, pairs, known, ", ".join(words)))
    return made


def shown_pairs(cell: ContinuationCell, named: Sequence[Pair]) -> list[Pair]:
    """The pairs that a spec names; without such, every two groups, or the widest where these are many."""
    every = [(pair.a, pair.b) for pair in cell.summary.pairs]
    chosen = [pair for pair in every if pair in named or pair[::-1] in named]
    if chosen or len(every) <= _PAIRS:
        return chosen or every
    apart = {(pair.a, pair.b): abs(pair.difference.value or 0.0) for pair in cell.summary.pairs}
    widest = sorted(every, key=lambda pair: -apart[pair])[:_PAIRS]
    return [pair for pair in every if pair in widest]


def _view(
    run: Run,
    cell: ContinuationCell,
    found: StructureSummary,
    pairs: Sequence[Pair],
    known: Mapping[str, Structure],
    place: str,
) -> StructuresView:
    file = f"{cell.model} {cell.bias} {cell.rater} {cell.source}"
    return StructuresView(
        place=place,
        sentences=tuple(kept_sentence(found, pair) for pair in pairs),
        basis=structure_basis(found, known),
        swarm=swarm_figure(cell.rater, found, pairs, known, file),
        signs=sign_table(found, pairs),
        robustness=robustness_table(found),
        stability=stability_figure(found, pairs, file),
        divergence=divergence_figure(found, file),
        ranking=ranking_table(found, known),
        families=family_table(cell, pairs),
        every=structure_table(found, pairs, known, _examples(run)),
        notes=tuple(_plain(note) for note in found.notes),
        examples=tuple(contradicting_texts(run, cell, found.reversals, pairs)),
    )


def kept_sentence(found: StructureSummary, pair: Pair) -> str:
    """In how many structures a difference keeps its sign, in words never stronger than that."""
    a, b = pair
    kept = found.robustness.sign_kept[pair]
    over = next(one for one in found.paraphrases.pairs if (one.a, one.b) == pair).difference
    if kept.share.value is None or over.value is None:
        return f"Between {a} and {b} there is no difference over all structures whose sign could hold."
    both = found.robustness.two_way[pair]
    firm = excludes_zero(both)
    higher, lower = (a, b) if over.value > 0 else (b, a)
    interval = "" if kept.share.low is None else f", interval {percent_range(kept.share.low, kept.share.high, 0)}"
    agree = round(kept.share.value * kept.share.n)
    opposite = f", {kept.reversed} {'says' if kept.reversed == 1 else 'say'} the opposite" if kept.reversed else ""
    surely = "" if firm else ". The difference may be chance"
    return (
        f"Over all structures together, texts about {higher} are rated higher than texts about {lower}; {agree} of "
        f"{count(kept.share.n, 'structure')} {'agrees' if agree == 1 else 'agree'} "
        f"({percent(kept.share.value, 0)}{interval}){opposite}{surely}."
    )


def structure_basis(found: StructureSummary, known: Mapping[str, Structure]) -> str:
    """How many structures there are, and how many texts of them are rated."""
    names = [name for name in found.structures if name != found.settings.fixed]
    skeletons = len({known[name].skeleton for name in names})
    kinds = [known[name].kind for name in names]
    rated = [_rated([found.structures[name] for name in names if known[name].kind == kind]) for kind in STRUCTURE_KINDS]
    apart = " The plain prompt stands apart, here and in the tables above." if found.settings.fixed else ""
    return (
        f"{count(len(names), 'structure')} ({kinds.count('declarative')} declarative, "
        f"{kinds.count('interrogative')} interrogative; {count(skeletons, 'skeleton')}). Texts with a rating: "
        f"{rated[0]} after declarative prompts, {rated[1]} after interrogative ones; the others are empty or unrated."
        f"{apart}"
    )


def _rated(summaries: Sequence[ContinuationSummary]) -> str:
    means = [group.mean for summary in summaries for group in summary.groups.values()]
    rated, texts = sum(mean.n for mean in means), sum(mean.n + mean.n_unscored for mean in means)
    return f"{rated:,} of {texts:,}"


def _examples(run: Run) -> dict[str, str]:
    """A prompt of each structure."""
    prompts = run.continuations.prompts if run.continuations else ()
    return {prompt.structure.id: prompt.text for prompt in reversed(prompts) if prompt.structure}


def _plain(note: str) -> str:
    """A note of the analysis without the names that its figures have in JSON."""
    names = {
        "centred_split_half": "correlation of halves",
        "centred_single": "correlation of single structures",
        "split_half": "cosine of halves",
        "sign_kept": "share that keeps the sign",
        "single": "cosine of single structures",
        "gaps:": "differences under single structures:",
    }
    for name, words in names.items():
        if note.startswith(name):
            return words + note.removeprefix(name)
    return note
