"""Several models in order on the items that all of them have: figures, places, and which order is shown."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Block, Chart, Column, Document, Listing, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.sections.comparing.comparison import side_facts, unsigned
from tiltmeter.present.sections.methods import interval_words
from tiltmeter.present.tables import no_interval, sort_key
from tiltmeter.present.words import NONE, SPACE, count, listed, percent, percent_range, signed
from tiltmeter.records import Estimate
from tiltmeter.results.compare.names import split_pair
from tiltmeter.results.names import Names, names_of
from tiltmeter.results.rank.records import ALL, Entry, Leaderboard, Leaderboards
from tiltmeter.views import FACTS

_COLUMNS = (
    Column("Model"),
    Column(f"Place (95{SPACE}%)"),
    *(Column(label, number=True) for label in ("Figure", f"95{SPACE}% interval", "n", "Missing", "Test words")),
)
_LEADING, _OPEN, _FEW = 3, 3, 3
"""Models of which it is said what they are above, boards that are open at once, models that fit into a title."""
RULES = (
    "Place: in brackets, the places the model may have, given which others are shown to be above or below it. The "
    f"probability that a board says anything false about the order is at most 5{SPACE}%.",
    "Neutral is 50 % of a share and 0 of a gap. A high place does not mean a bad model, or a low one a fair one.",
)


def leaderboard(found: Leaderboards) -> Document:
    """The page of some leaderboards."""
    names = names_of(side.run for side in found.sides)
    models = [side.name for side in found.sides]
    made = interval_words(entry.value for board in found.boards for entry in board.entries)
    rules = (*RULES, *([f"Intervals are made {made}."] if made else []))
    blocks: list[Block] = [Prose(text(" ".join(rules)), "note")]
    for number, board in enumerate(ordered(found)):
        blocks.append(_section(board, names, folded=number >= _OPEN))
    appendix = []
    if found.notes:
        notes = Listing(tuple(map(text, found.notes)))
        appendix.append(Section("What was left out, and what else differs", (notes,), anchor="not-ranked"))
    appendix.append(Section("What was measured", tuple(map(side_facts, found.sides)), anchor="models"))
    title = listed(models) if len(models) <= _FEW else f"{len(models)} models in order"
    return Document(title, "", tuple(blocks), appendix=tuple(appendix))


def ordered(found: Leaderboards) -> list[Leaderboard]:
    """Every leaderboard; the first of each view before all others."""
    leading = {board.view: at for at, board in reversed(list(enumerate(found.boards)))}.values()
    return [found.boards[at] for at in sorted(range(len(found.boards)), key=lambda at: (at not in leading, at))]


def _section(board: Leaderboard, names: Names, *, folded: bool) -> Section:
    title = title_of(board, names)
    return Section(title, tuple(_blocks(board, title)), folded=folded)


def _blocks(board: Leaderboard, title: str) -> Iterator[Block]:
    rows = []
    for entry in board.entries:
        value, interval = written(board, entry.value)
        found = entry.value
        label = entry.side.name if entry.standing.place is None else f"{entry.side.name}, place {_place(entry)}"
        rows.append(DotRow(label, (Dot(found.value, found.low, found.high, text=value, interval=interval),)))
    axis = Axis(
        title,
        unit="share" if board.is_share else "number",
        neutral=board.neutral,
        neutral_name="neutral",
    )
    said = order_words(board)
    yield Prose(text(said), "answer")
    name = f"leaderboard-{board.view}".replace(" ", "-")
    yield Chart(name, f"{title}, by model", dots(rows, axis), f"{title}. {said}")
    yield board_table(board, title)


def board_table(board: Leaderboard, title: str) -> Table:
    """The models of a board, one a row."""
    return Table(f"{title} ({about(board)})", _COLUMNS, tuple(_cells(board, entry) for entry in board.entries))


def _cells(board: Leaderboard, entry: Entry) -> tuple[TableCell, ...]:
    found = entry.value
    value, interval = written(board, found)
    return (
        TableCell(entry.side.name, f"run {entry.side.run.folder.name}"),
        TableCell(_place(entry)),
        TableCell(value, sort=sort_key(found.value)),
        TableCell(interval, sort=sort_key(found.low)),
        *(TableCell(f"{number:,}", sort=sort_key(number)) for number in (found.n, found.n_unscored, found.origins)),
    )


def _place(entry: Entry) -> str:
    standing = entry.standing
    low, high = standing.low, standing.high
    sure = "" if low is None else f" ({low})" if low == high else f" ({low}–{high})"
    return NONE if standing.place is None else f"{standing.place}{sure}"


def title_of(board: Leaderboard, names: Names) -> str:
    """What a board is of."""
    choices = board.choices
    bias = "all biases" if choices["bias"] == ALL else names.bias(choices["bias"])
    groups = [names.group(name, choices["bias"]) for name in split_pair(choices.get("groups", ""))]
    named = dict(zip(("first", "second"), groups, strict=True))
    return f"{board.words.format(**named, rater=choices.get('rater', ''))}, {bias}"


def about(board: Leaderboard) -> str:
    """The choices of a board, and what was left out."""
    choices = board.choices
    facts = FACTS[board.view]
    told = [f"{name} {choices[name]}" for name in facts.named_by]
    chosen = "over all decodings that all models share" if facts.decoded else ", ".join(told)
    lost = f"; {count(board.left_out, 'item')} left out that not all models were asked" if board.left_out else ""
    return ", ".join(filter(None, (f"source {choices['source']}", chosen))) + lost


def written(board: Leaderboard, found: Estimate) -> tuple[str, str]:
    """A figure of a board and its interval, or why it has none."""
    if board.is_share:
        value, interval = percent(found.value), percent_range(found.low, found.high)
    else:
        value, interval = signed(found.value, 3), f"{unsigned(found.low)} to {unsigned(found.high)}"
    return value, interval if found.low is not None else no_interval(found)


def order_words(board: Leaderboard) -> str:
    """Which models are shown to be above which."""
    note = f" {board.note[0].upper()}{board.note[1:]}." if board.note else ""
    if not board.differences:
        return f"Figures without places: {board.note}."
    if not any(one.origins for one in board.differences):
        return "All models are the same on every item."
    if not board.shown:
        return f"No two models can be told apart.{note}"
    if board.shown == board.pairs:
        return "The whole order is shown: each model is above the next."
    leading = [entry for entry in board.entries if entry.standing.above]
    said = [f"{entry.side.name} is shown to be above {listed(entry.standing.above)}" for entry in leading[:_LEADING]]
    more = [f"{len(leading) - _LEADING} more are above others"] if len(leading) > _LEADING else []
    shown = f"{board.shown} of {count(board.pairs, 'pair')} of models can be told apart"
    return f"Part of the order is shown: {shown}. {'; '.join([*said, *more])}.{note}"
