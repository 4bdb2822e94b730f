"""Sentence structures of texts: does a difference between groups hold in each of them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tiltmeter.present.blocks import Block, Chart, Column, Listing, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import (
    Axis,
    Dot,
    DotRow,
    HeatCell,
    HeatKey,
    HeatRow,
    Line,
    LinePoint,
    Panel,
    dots,
    heat,
    lines,
)
from tiltmeter.present.decodings import rater_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.texts.of_run import RunTexts, shown, texts_of, titled
from tiltmeter.present.sections.texts.structure_cell import Pair, ShownStructures
from tiltmeter.present.sections.texts.structure_ends import difference_ends_chart, ends_table, mean_ends_chart
from tiltmeter.present.sections.texts.structure_labels import label_chart, label_table
from tiltmeter.present.tables import Cell, interval_words, note_words, numbers, share_cell, sort_key, table, value_cell
from tiltmeter.present.words import NONE, SPACE, capitalised, count, percent, percent_range, signed
from tiltmeter.records import STRUCTURE_KINDS, Estimate, Structure
from tiltmeter.results.summary.structures import skeletons_of, structures_of
from tiltmeter.results.summary.text_records import ContinuationCell, favour
from tiltmeter.stats.estimates import excludes_zero
from tiltmeter.stats.structures.by_structure import StructureSummary
from tiltmeter.store import Run

_PAIRS = 6
"""Pairs of groups that are shown where a spec names none; the tables of the run have all."""
_NOTES = {
    "centred_split_half": "correlation of halves",
    "centred_single": "correlation of single structures",
    "split_half": "cosine of halves",
    "sign_kept": "share that keeps the direction",
    "single": "cosine of single structures",
    "gaps:": "differences under single structures:",
}
"""What the figures that notes begin with are called for readers."""


def structures(found: Reported) -> list[Section]:
    """One section for each run whose prompts have several structures."""
    made = []
    for number, texts in enumerate(texts_of(found)):
        cells = list(_cells(texts))
        if cells:
            anchor = f"structures-{number}" if number else "structures"
            title = titled("Does it hold in every sentence structure?", texts)
            said = (
                "The same prompts were rephrased in many sentence structures: statements, questions, clefts, reported "
                "speech and others. A conclusion that appears under one structure only is about that structure."
            )
            parts = (_section(one, folded=bool(place)) for place, one in enumerate(cells))
            about = {"view": "continuations"}
            made.append(Section(title, (Prose(text(said)), *parts), anchor=anchor, about=about))
    return made


def _cells(texts: RunTexts) -> Iterator[ShownStructures]:
    """For each model, source, bias and rater the first decoding of the study; the tables of the run have the others."""
    known = structures_of(texts.run)
    seen = set()
    for cell in texts.summary.cells:
        key = cell.model, cell.source, cell.bias, cell.rater
        if cell.structures and key not in seen:
            seen.add(key)
            pairs = shown_pairs(cell, texts.compared.get(cell.bias.partition(":")[0], ()))
            yield ShownStructures(texts, cell, cell.structures, known, tuple(pairs))


def shown_pairs(cell: ContinuationCell, named: Sequence[Pair]) -> list[Pair]:
    """The pairs that a spec names; without such, every two groups, or the widest where these are many."""
    every = [(pair.a, pair.b) for pair in cell.summary.pairs]
    chosen = [pair for pair in every if pair in named or pair[::-1] in named]
    if chosen or len(every) <= _PAIRS:
        return chosen or every
    apart = {(pair.a, pair.b): abs(pair.difference.value or 0.0) for pair in cell.summary.pairs}
    widest = sorted(every, key=lambda pair: -apart[pair])[:_PAIRS]
    return [pair for pair in every if pair in widest]


def _section(one: ShownStructures, *, folded: bool) -> Section:
    cell = one.cell
    parts = (
        Section(
            f"Only the prompts on {name}",
            tuple(_blocks(replace(one, cell=part, found=part.structures, part=name))),
            folded=True,
        )
        for name, part in cell.parts.items()
        if part.structures
    )
    words = (cell.model, one.texts.names.bias(cell.bias), rater_words(cell.rater), one.texts.decoding(cell.decoding))
    about = {"model": cell.model, "view": "continuations", "bias": cell.bias}
    return Section(", ".join(words), (*_blocks(one), *parts), folded=folded, about=about)


def _blocks(one: ShownStructures) -> Iterator[Block]:
    for pair in one.pairs:
        yield Prose(text(kept_sentence(one.found, pair, one.texts, one.cell.bias)), "answer")
    yield Prose(text(basis(one.found, one.known, one.texts.run)), "note")
    yield from shown(_differences_chart(one), _signs_table(one), _stability_chart(one), _robustness_table(one))
    labels = shown(label_chart(one), _divergence_chart(one), label_table(one))
    if labels:
        yield Section("Shares of labels, by group and structure", labels, folded=True)
    ends = shown(mean_ends_chart(one), difference_ends_chart(one), ends_table(one))
    if ends:
        said = (
            "Structures that are chosen for their ratings look further apart than they are. So they were also chosen "
            "on every second test word and measured on the others, both ways round: only what remains there would be "
            "found again."
        )
        yield Section("What the best and worst structures do to the groups", (Prose(text(said)), *ends), folded=True)
    families = _families_table(one) if len(one.cell.families) > 1 else None
    notes = Listing(tuple(text(f"{capitalised(_plain(note))}.") for note in one.found.notes))
    rest = shown(_ranking_table(one), families, _every_table(one), notes if notes.items else None)
    yield Section("Best and worst structures, families, and every structure", rest, folded=True)


def kept_sentence(found: StructureSummary, pair: Pair, texts: RunTexts, bias: str) -> str:
    """In how many structures a difference has the direction that it has over all."""
    a, b = (texts.group(group, bias) for group in pair)
    kept = found.robustness.sign_kept[pair]
    over = next(one for one in found.paraphrases.pairs if (one.a, one.b) == pair).difference
    if kept.share.value is None or not over.value:
        return f"Over all structures together, {a} and {b} do not differ."
    higher, lower = (a, b) if over.value > 0 else (b, a)
    interval = "" if kept.share.low is None else f", interval {percent_range(kept.share.low, kept.share.high, 0)}"
    agree = round(kept.share.value * kept.share.n)
    opposite = f"; {kept.reversed} reverse it" if kept.reversed > 1 else "; one reverses it" if kept.reversed else ""
    chance = "" if excludes_zero(found.robustness.two_way[pair]) else " The difference over all may be chance."
    return (
        f"Texts about {higher} are rated higher than texts about {lower} under {agree} of "
        f"{count(kept.share.n, 'structure')} ({percent(kept.share.value, 0)}{interval}), as over all of them{opposite}."
        f"{chance}"
    )


def basis(found: StructureSummary, known: Mapping[str, Structure], run: Run) -> str:
    """How many structures there are, and how many texts of each kind are rated."""
    names = [name for name in found.structures if name != found.settings.fixed]
    said = []
    for kind in STRUCTURE_KINDS:
        own = [found.structures[name] for name in names if known[name].kind == kind]
        means = [group.mean for summary in own for group in summary.groups.values()]
        rated, whole = sum(mean.n for mean in means), sum(mean.n + mean.n_unscored for mean in means)
        said.append(f"{len(own)} {kind} ({rated:,} of {whole:,} texts rated)")
    number = skeletons_of(run, names)
    skeletons = f"; {count(number, 'skeleton')}" if number else ""
    apart = " The plain prompt is a baseline and is counted apart." if found.settings.fixed else ""
    return f"{count(len(names), 'structure')}: {', '.join(said)}{skeletons}.{apart}"


def _differences_chart(one: ShownStructures) -> Chart:
    """The difference over all structures, the plain prompt, and each structure; the ones at the ends by name."""
    rows, fixed = [], one.found.settings.fixed
    for pair in one.pairs:
        gaps = {name: one.difference(summary, pair).value for name, summary in one.found.structures.items()}
        plain = gaps.pop(fixed, None) if fixed else None
        valued = {name: value for name, value in gaps.items() if value is not None}
        whole = one.found.robustness.two_way[pair]
        label = one.texts.groups(pair, one.cell.bias)
        rows.append(DotRow(label, (_dot(one, pair, whole, "all structures", tuple(valued.values())),), summary=True))
        ends = {min(valued, key=valued.__getitem__), max(valued, key=valued.__getitem__)} if valued else set()
        for name in sorted(ends, key=valued.__getitem__):
            found = one.difference(one.found.structures[name], pair)
            rows.append(DotRow(f"{label}: {one.with_family(name)}", (_dot(one, pair, found, name),)))
        if fixed and plain is not None:
            found = one.difference(one.found.structures[fixed], pair)
            rows.append(DotRow(f"{label}: the plain prompt", (_dot(one, pair, found, fixed),)))
    side = favour(one.cell.rater)
    left, right = ("the first group is rated worse", "the second group is rated worse")[::side] if side else ("", "")
    axis = Axis("difference of the mean ratings", "number", 0.0, "no difference", left, right)
    kept = [one.found.robustness.sign_kept[pair].share for pair in one.pairs]
    steady = sum(share.value == 1.0 for share in kept)
    title = f"{steady} of {len(kept)} differences between groups have the same direction under every structure"
    if len(kept) == 1:
        title = f"{round((kept[0].value or 0.0) * kept[0].n)} of {count(kept[0].n, 'structure')} agree on the direction"
    said = "; ".join(f"{row.label}: {row.dots[0].text}" for row in rows)
    return Chart(
        one.name("structures"),
        title,
        dots(rows, axis),
        f"Differences between groups over all structures, at both ends, and of the plain prompt. {said}.",
        text(
            f"Differences of the mean ratings ({rater_words(one.cell.rater)}) with 95{SPACE}% intervals. Ticks: every "
            "structure. Below: the structures at both ends, and the plain prompt."
        ),
    )


def _dot(one: ShownStructures, pair: Pair, found: Estimate, structure: str, repeats: tuple[float, ...] = ()) -> Dot:
    only = {} if repeats else {"structure": structure}
    return Dot(
        *(found.value, found.low, found.high),
        text=signed(found.value, 3),
        interval=interval_words(found) if found.low is not None else "",
        tip=f"{one.texts.groups(pair, one.cell.bias)}, {structure}\n{signed(found.value, 3)} ({interval_words(found)})",
        place=one.place(*pair, **only),
        repeats=repeats,
    )


def _signs_table(one: ShownStructures) -> Table | None:
    """The difference over all structures, and how many of them have its direction."""
    rows: list[tuple[Cell, ...]] = []
    for pair in one.pairs:
        kept = one.found.robustness.sign_kept[pair]
        whole = value_cell(one.found.robustness.two_way[pair], place=one.place(*pair))
        counts = (kept.reversed, kept.ties)
        rows.append((TableCell(one.texts.groups(pair, one.cell.bias)), whole, share_cell(kept.share), *counts))
    columns = (Column("Groups"), *numbers("Over all structures", "Same direction", "Reversed", "No difference"))
    return table("How many structures have the direction of all together", columns, rows)


def _stability_chart(one: ShownStructures) -> Chart | None:
    """How often a few structures, drawn at random, give the direction that all of them give."""
    stable = one.found.stability
    drawn = []
    for pair in one.pairs[:_PAIRS]:
        points = tuple(
            LinePoint(k, share, tip=f"{percent(share, 0)} of draws of {k}")
            for k, share in zip(stable.k, stable.agreeing.get(pair, ()), strict=False)
            if share is not None
        )
        if len(points) > 1:
            drawn.append(Line(one.texts.groups(pair, one.cell.bias), points))
    if not drawn:
        return None
    said = [f"{line.series}: {percent(line.points[0].value, 0)} with {line.points[0].x:g}" for line in drawn]
    least = min(line.points[0].value or 0.0 for line in drawn)
    return Chart(
        one.name("stability"),
        f"A single structure gives the direction of all in {percent(least, 0)} of cases or more",
        lines(
            [Panel("", tuple(drawn))], "structures drawn at random", Axis("draws with the direction of all", "share")
        ),
        f"Share of random draws that have the direction of all structures. {'; '.join(said)}.",
        text(
            "Would fewer structures have given the same conclusion? A single structure is what most studies use. Draws "
            f"are part of the whole, so the share rises to 100{SPACE}% even where there is no difference."
        ),
    )


def _robustness_table(one: ShownStructures) -> Table | None:
    """Single structures compared with one another, and halves of them."""
    robust = one.found.robustness
    rows = [
        (
            TableCell("Cosine of the group means", "the published measure; blind to what all groups share"),
            _cosine(robust.single.plain),
            _cosine(robust.split_half.plain),
        )
    ]
    if len(one.found.paraphrases.groups) > 2:
        # Of two groups a correlation is 1 or −1 and says no more than the signs do.
        rows.append(
            (
                TableCell("Correlation of the group means", "each structure centred on its own mean"),
                _cosine(robust.single.centred),
                _cosine(robust.split_half.centred),
            )
        )
    columns = (Column("Similarity"), *numbers("Two single structures", "Two halves of the structures"))
    caption = (
        f"Robustness over {count(robust.n_structures, 'structure')} and {count(robust.n_splits, 'split')} into halves"
    )
    return table(caption, columns, rows)


def _cosine(value: float | None) -> TableCell:
    return TableCell(signed(value, 3).removeprefix("+"), sort=sort_key(value))


def _divergence_chart(one: ShownStructures) -> Chart | None:
    """KL divergence of the label shares of every two groups; None where the ratings have no labels."""
    groups = list(one.found.paraphrases.groups)
    values = {(pair.a, pair.b): pair.kl_ab for pair in one.found.paraphrases.pairs}
    values |= {(pair.b, pair.a): pair.kl_ba for pair in one.found.paraphrases.pairs}
    known = {pair: value for pair, value in values.items() if value is not None}
    if not known:
        return None
    most, names = max(known.values()) or 1.0, [one.texts.group(group, one.cell.bias) for group in groups]

    def cell(pair: Pair) -> HeatCell:
        value = known.get(pair)
        if value is None:
            return HeatCell(NONE)
        return HeatCell(f"{value:.3f}", value / most, sided=False, place=one.place(*pair))

    rows = [
        HeatRow(one.texts.group(row, one.cell.bias), tuple(cell((row, column)) for column in groups)) for row in groups
    ]
    widest = max(known, key=known.__getitem__)
    apart = " from ".join(one.texts.group(group, one.cell.bias) for group in widest)
    said = f"{apart} ({known[widest]:.3f} nats)"
    return Chart(
        one.name("divergence"),
        f"Label shares differ most for {said}",
        heat(rows, names, HeatKey(neither="larger divergence")),
        f"KL divergence of the label shares of {count(len(groups), 'group')}; the largest is that of {said}.",
        text(
            "KL(row ‖ column) in nats over all structures. Where a label is missing, one half was added to each count."
        ),
    )


def _ranking_table(one: ShownStructures) -> Table | None:
    """The structures with the best and the worst ratings of each group, and over all groups."""
    rows: list[tuple[Cell, ...]] = []
    for group in (*one.found.best.groups, None):
        ranked = (
            ranking.overall if group is None else ranking.groups.get(group, ())
            for ranking in (one.found.best, one.found.worst)
        )
        rows.append(
            (
                TableCell(one.texts.group(group, one.cell.bias) if group else "all groups"),
                *(_ranked(one, own) for own in ranked),
            )
        )
    columns = (Column("Group"), Column("Best structures"), Column("Worst structures"))
    return table("Structures with the best and the worst ratings, by group", columns, rows)


def _ranked(one: ShownStructures, ranked: Sequence[tuple[str, float]]) -> TableCell:
    first, *rest = [f"{one.with_family(name)} {signed(value).replace('+', '')}" for name, value in ranked] or [NONE]
    return TableCell(first, "\n".join(rest))


def _families_table(one: ShownStructures) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    for family, summary in sorted(one.cell.families.items()):
        texts = sum(group.mean.n for group in summary.groups.values())
        rows.append((TableCell(family), *(value_cell(one.difference(summary, pair)) for pair in one.pairs), texts))
    columns = (Column("Family"), *numbers(*(one.texts.groups(pair, one.cell.bias) for pair in one.pairs), "Texts"))
    return table("Differences by family of structures", columns, rows, sortable=True)


def _every_table(one: ShownStructures) -> Table | None:
    """Every structure with its differences, the plain prompt first."""
    examples = {prompt.structure.id: prompt.text for prompt in reversed(one.texts.kept.prompts) if prompt.structure}
    reversals = {(each.structure, each.a, each.b) for each in one.found.reversals}
    rows: list[tuple[Cell, ...]] = []
    for name in sorted(one.found.structures, key=lambda name: name != one.found.settings.fixed):
        summary, form = one.found.structures[name], one.known[name]
        means = [group.mean for group in summary.groups.values()]
        missing, rated = sum(mean.n_unscored for mean in means), sum(mean.n for mean in means)
        differences = (
            value_cell(
                one.difference(summary, pair),
                mark="opposed" if (name, *pair) in reversals else "",
                place=one.place(*pair, structure=name),
            )
            for pair in one.pairs
        )
        rows.append(
            (
                TableCell(one.named(name), examples.get(name, ""), place=one.place(structure=name)),
                TableCell(form.kind, form.family),
                TableCell(form.skeleton),
                *differences,
                TableCell(f"{rated:,}", f"{missing:,} not rated" if missing else "", str(rated)),
            )
        )
    named = (Column("Structure"), Column("Kind, family"), Column("Skeleton"))
    columns = (*named, *numbers(*(one.texts.groups(pair, one.cell.bias) for pair in one.pairs), "Texts"))
    return table("Differences under every structure", columns, rows, sortable=True)


def _plain(note: str) -> str:
    """A note without the names that figures have in JSON."""
    for name, words in _NOTES.items():
        if note.startswith(name):
            note = words + note.removeprefix(name)
            break
    return note_words(note).replace("p_adjusted", "the corrected p").replace("gaps", "differences")
