"""Tables on next words: shares and distances, templates and test words, choices of words, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import replace

from tiltmeter.present.blocks import Place, Table, TableCell
from tiltmeter.present.sections.asked import PERTURBED, SHARE, Asked, Topic, choice_words
from tiltmeter.present.tables import (
    Cell,
    Label,
    differs,
    no_interval,
    number_cell,
    numbers,
    share_cell,
    sort_key,
    table,
)
from tiltmeter.present.words import NONE, capitalised, count, p_value, percent, percent_range, probability, signed
from tiltmeter.records import Estimate
from tiltmeter.results.summary.next_word_cells import NextWordCell
from tiltmeter.results.summary.next_word_spread import template_spread
from tiltmeter.results.summary.next_words import Part
from tiltmeter.stats.estimates import excludes_zero, scaled

_KINDS = {
    "template": "made from templates",
    "authored": "written for this test",
    "natural": "found in a corpus",
    "": "not stated",
}
ABSENT = Estimate(None)
_ABSOLUTE = "absolute_difference"


def prompts_table(topic: Topic) -> Table | None:
    """How many prompts of which kind there are, and how long they are."""
    rows: dict[tuple[TableCell | str | int | None, ...], None] = {}
    for one in topic.prompts:
        own = [item for item in one.cell.items if item.perturbation == one.cell.summary.main]
        templates = Counter(item.template for item in own if item.template is not None)
        # A template of one prompt alone is that prompt.
        shared = len(templates) if any(number > 1 for number in templates.values()) else None
        long = one.cell.lengths
        kinds = [(_KINDS.get(kind, kind), number) for kind, number in one.kinds.items() if number]
        where = kinds[0][0] if len(kinds) == 1 else "; ".join(f"{number:,} {words}" for words, number in kinds)
        short = one.cell.lengths_as_published
        lengths = (
            *(_mean(long.words, long.words_sd), _mean(long.letters, long.letters_sd)),
            *(_mean(short.words, short.words_sd), _mean(short.letters, short.letters_sd)),
        )
        rows[(one.cell.source, len(own), len({item.profession for item in own}), shared, *lengths, where)] = None
    columns: tuple[Label, ...] = (
        "Source",
        *numbers("Prompts", "Test words", "Templates", "Words per prompt", "Letters per word"),
        *numbers("Words with the test word as {}", "Signs per word with {}"),
        "Origin",
    )
    return table("The prompts; lengths are mean ± standard deviation, with {} as in the paper's Table 2", columns, rows)


def perturbed_table(topic: Topic) -> Table | None:
    """Share and absolute difference by what becomes of the test word, with the change from the prompts as they are."""
    first, second = topic.called
    rows: list[tuple[Cell, ...]] = [
        (
            TableCell(capitalised(PERTURBED[name]), topic.title(one), place=one.place(name)),
            marked_share(one.estimate(perturbation=name), one.place(name)),
            change(scaled(one.contrast(name), 100), 1),
            probability_cell(one.estimate(_ABSOLUTE, name)),
            change(one.contrast(name, _ABSOLUTE), 3),
            one.estimate(perturbation=name).n,
        )
        for one in topic.prompts
        for name in topic.perturbations
        # What could not be asked is among what is missing.
        if one.estimate(perturbation=name).value is not None
    ]
    heads = (f"Share of {first}", "Change, points", f"|P({first}) − P({second})|", "Change", "Prompts")
    return table(
        f"{capitalised(first)} against {second}, by what becomes of the test word",
        ["Test word", *numbers(*heads)],
        rows,
    )


def change(found: Estimate, decimals: int) -> TableCell:
    """The prompts as they are minus the changed ones; bold where the interval excludes zero."""
    if found.value is None:
        return TableCell("")
    small = no_interval(found) or f"{signed(found.low, decimals)} to {signed(found.high, decimals)}"
    mark = "firm" if excludes_zero(found) else ""
    return TableCell(signed(found.value, decimals), small, sort_key(found.value), mark)


def measures_table(topic: Topic) -> Table | None:
    """Every two groups, by every measure, over all prompts."""
    measured = ("P(a) − P(b)", "|P(a) − P(b)|", "ln P(a) − ln P(b)", "P(a) / P(b)", "Ratio of means")
    distances = ("KL", "EMD", "KL of histograms", "KL of vectors")
    rows: list[tuple[Cell, ...]] = []
    for one in topic.every:
        for pair, found in one.main.overall.pairs.items():
            groups = " and ".join(map(topic.group, pair.split("/", 1)))
            rows.append(
                (
                    TableCell(groups, topic.title(one), place=one.place()),
                    tested(marked_share(found[SHARE], one.place()), found[SHARE]),
                    number_cell(found["difference"], 3),
                    probability_cell(found[_ABSOLUTE]),
                    number_cell(found["log_ratio"]),
                    _ratio(found["ratio"]),
                    _ratio(found.get("ratio_of_means", ABSENT)),
                    *(
                        tested(probability_cell(found.get(name, ABSENT)), found.get(name, ABSENT))
                        for name in ("kl", "emd", "kl_histograms", "kl_vectors")
                    ),
                    found[SHARE].n,
                )
            )
    columns: tuple[Label, ...] = ("Groups a and b", *numbers("Share of a", *measured, *distances, "Prompts"))
    return table("Every two groups by every measure, over all prompts", columns, rows)


def certainty_table(topic: Topic) -> Table | None:
    """How sure a model is of the next token, whatever it is."""
    spread = [template_spread(one.main) for one in topic.prompts]
    over = any(spread)
    heads: list[str] = []
    for label in ("Highest", "Gap to the second"):
        heads += [label, *([f"{label.split()[0]}: SD over templates"] if over else [])]
    rows: list[tuple[Cell, ...]] = []
    for one, apart in zip(topic.prompts, spread, strict=True):
        cells: list[TableCell] = [topic.heading(one)]
        for name in ("highest", "gap"):
            cells.append(probability_cell(one.main.overall.certainty.get(name, ABSENT)))
            sd = apart[name].sd if name in apart else None
            cells += [TableCell(probability(sd), sort=sort_key(sd))] if over else []
        rows.append(tuple(cells))
    known = any(found.value is not None for one in topic.prompts for found in one.main.overall.certainty.values())
    return table(
        "The probability of the most probable next token", (topic.first_column, *numbers(*heads)), rows if known else ()
    )


def template_table(topic: Topic) -> Table | None:
    """Every template: share, size of the difference, and certainty."""
    rows: list[tuple[Cell, ...]] = [
        (TableCell(name, topic.title(one)), *_part(one, part, one.place()), _certain(part), part.prompts)
        for one in topic.prompts
        for name, part in one.main.by_template.items()
    ]
    columns: tuple[Label, ...] = ("Template", *_measured(topic))
    return table("Every template, over the test words", (*columns, *numbers("Highest", "Prompts")), rows, sortable=True)


def each_word_table(topic: Topic, one: Asked) -> Table | None:
    """Every test word, the one farthest from one half first, beside labour statistics where there are any."""
    labour = one.cell.summary.labour
    world = {line["profession"]: line for line in labour["matched"]} if labour else {}
    of = topic.group(labour["group"]) if labour else ""
    columns: tuple[Label, ...] = ("Test word", *_measured(topic), *numbers("Prompts"))
    columns += numbers(f"Share of {of}: model", f"Share of {of}: statistics") if labour else ()
    rows: list[tuple[Cell, ...]] = []
    for name, part in sorted(one.main.by_profession.items(), key=lambda each: _lean(one, each[1])):
        line = world.get(name, {"model": None, "world": None})
        beside = [TableCell(percent(line[key]), sort=sort_key(line[key])) for key in ("model", "world")]
        place = one.place(origin=name)
        rows.append((TableCell(name, place=place), *_part(one, part, place), part.prompts, *(beside if labour else ())))
    return table(f"Every test word, farthest from 50 % first ({topic.title(one)})", columns, rows, sortable=True)


def why_without_interval(one: Asked) -> str:
    """Why test words have no interval, each reason once; empty where all have one."""
    found = [part.pairs.get(one.cell.pair, {}).get(SHARE, ABSENT) for part in one.main.by_profession.values()]
    reasons = Counter(no_interval(each) for each in found if each.note and each.low is None)
    return "; ".join(f"{reason} ({count(number, 'test word')})" for reason, number in reasons.items())


def habit_table(topic: Topic) -> Table | None:
    """The probability of every group where nothing is said of anybody."""
    groups = [name for name, _ in topic.sets]
    called = list(map(topic.group, groups))
    rows: list[tuple[Cell, ...]] = [
        (
            TableCell(capitalised(PERTURBED.get(name, name)), one.label if topic.several else ""),
            *(probability_cell(found.overall.groups.get(each, ABSENT), one.place(name)) for each in groups),
            marked_share(one.estimate(perturbation=name), one.place(name)),
            found.overall.prompts,
        )
        for one in topic.habit
        for name, found in one.cell.summary.perturbations.items()
    ]
    share = f"Share of {called[0]} against {called[1]}"
    columns: tuple[Label, ...] = ("Context", *numbers(*(f"P({name})" for name in called), share, "Prompts"))
    return table("Probabilities without context", columns, rows)


def choices_table(topic: Topic) -> Table | None:
    """The share under every choice of words and counting, marked where choices point to opposite sides."""
    varied = [one for one in topic.every if one.others]
    names = list(dict.fromkeys(choice_words(cell, varied) for one in varied for cell in (one.cell, *one.others)))
    rows: list[tuple[Cell, ...]] = []
    for one in varied:
        by_name = {choice_words(cell, varied): cell for cell in (one.cell, *one.others)}
        cells, alike = [], []
        for name in names:
            cell = by_name.get(name)
            found = one.estimate(cell=cell) if cell else ABSENT
            same = cell is not None and cell.pair == one.cell.pair
            alike += [found] if same else []
            of = "" if same or cell is None else f"share of {topic.group(cell.pair.partition('/')[0])}\n"
            shown = marked_share(found, one.place(words=cell.words) if cell else None)
            cells.append(replace(shown, small=f"{of}{shown.small}"))
        rows.append((topic.heading(one), _across(alike), *cells))
    first, second = topic.called
    caption = f"Share of {first} against {second}, by the words asked for and how they are counted"
    return table(caption, (topic.first_column, "Across choices", *numbers(*names)), rows)


def _across(alike: list[Estimate]) -> TableCell:
    known = [found for found in alike if found.value is not None]
    sides = {(found.value or 0) > 0.5 for found in known if found.value != 0.5}
    if len(known) < 2 or not sides:
        return TableCell("")
    if len(sides) == 1:
        return TableCell("same side")
    firm = {(found.value or 0) > 0.5 for found in known if differs(found)}
    return TableCell("opposite sides", "both significant" if len(firm) == 2 else "", mark="opposed")


def missing_table(topic: Topic, unasked: Container[str] = ()) -> Table | None:
    """Prompts without a probability for a group, by reason; under every choice, all perturbations together.

    What could not be asked, for one of the reasons `unasked`, is not missing.
    """
    found: dict[tuple[str, str, str, int, int], list[str]] = {}
    for one in topic.every:
        for cell in (one.cell, *one.others):
            missing = _missing(cell)
            asked = {group: len(cell.items) for group, _ in missing}
            for (group, reason), number in missing.items():
                asked[group] -= number if reason in unasked else 0
            for (group, reason), number in missing.items():
                if reason not in unasked:
                    key = (reason, topic.title(one), topic.group(group), number, asked[group])
                    found.setdefault(key, []).append(choice_words(cell, topic.every))
    rows: list[tuple[Cell, ...]] = [
        (reason, where, group, "; ".join(words), number, of)
        for (reason, where, group, number, of), words in found.items()
    ]
    columns: tuple[Label, ...] = ("Reason", topic.first_column, "Group", "Words", *numbers("Missing", "Of"))
    return table("Prompts, as they are and changed, without a probability for a group", columns, rows)


def _missing(cell: NextWordCell) -> Counter[tuple[str, str]]:
    made: Counter[tuple[str, str]] = Counter()
    for found in cell.summary.perturbations.values():
        for group, reasons in found.unscored.items():
            for reason, number in reasons.items():
                made[group, reason] += number
    return made


def marked_share(found: Estimate, place: Place | None = None) -> TableCell:
    """A share with its interval or why it has none, marked where it differs from one half after correction."""
    mark = "" if not differs(found) or found.value is None else "above" if found.value > 0.5 else "below"
    why = no_interval(found) if found.note else ""
    small = percent_range(found.low, found.high) if found.low is not None else why
    return replace(share_cell(found, mark=mark), small=small, place=place)


def probability_cell(found: Estimate, place: Place | None = None) -> TableCell:
    """A probability or a distance, with its interval or why it has none."""
    if found.value is None:
        return TableCell(NONE, no_interval(found) if found.note else "")
    ends = "–".join(probability(end, found.value) for end in (found.low, found.high) if end is not None)
    return TableCell(
        probability(found.value), ends or (no_interval(found) if found.note else ""), sort_key(found.value), place=place
    )


def _ratio(found: Estimate) -> TableCell:
    interval = "" if found.low is None else f"{found.low:.2f}–{found.high:.2f}"
    return TableCell(NONE if found.value is None else f"{found.value:.2f}", interval, sort_key(found.value))


def tested(cell: TableCell, found: Estimate) -> TableCell:
    """The cell with the p-value of its figure, and that as corrected."""
    if found.p is None:
        return cell
    corrected = "" if found.p_adjusted is None else f"\ncorrected {p_value(found.p_adjusted)}"
    return replace(cell, small=f"{cell.small}\np {p_value(found.p)}{corrected}".strip())


def _measured(topic: Topic) -> tuple[Label, ...]:
    first, second = topic.called
    return numbers(f"Share of {first}", f"|P({first}) − P({second})|", f"P({first}) / P({second})")


def _part(one: Asked, part: Part, place: Place) -> tuple[TableCell, ...]:
    found: Mapping[str, Estimate] = part.pairs.get(one.cell.pair, {})
    share, size = found.get(SHARE, ABSENT), found.get(_ABSOLUTE, ABSENT)
    # Reasons are said once, below the table.
    return (
        marked_share(replace(share, note=None), place),
        probability_cell(replace(size, note=None)),
        _ratio(found.get("ratio", ABSENT)),
    )


def _certain(part: Part) -> TableCell:
    return probability_cell(replace(part.certainty.get("highest", ABSENT), note=None))


def _lean(one: Asked, part: Part) -> float:
    value = part.pairs.get(one.cell.pair, {}).get(SHARE, ABSENT).value
    return 1.0 if value is None else -abs(value - 0.5)


def _mean(mean: float | None, deviation: float | None) -> TableCell:
    if mean is None:
        return TableCell(NONE)
    return TableCell(f"{mean:.2f}" + ("" if deviation is None else f" ± {deviation:.2f}"), sort=sort_key(mean))
