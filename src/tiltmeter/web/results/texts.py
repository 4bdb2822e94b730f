"""What a model writes: the bidimensional heat map, group by group, and how far raters agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltmeter.report.texts_by_rater import difference_title, heat_in_words
from tiltmeter.report.words import NONE, signed
from tiltmeter.web.results.figures import Figure, figure_of
from tiltmeter.web.results.rows import Results, Rows, named, range_words, seen, tip
from tiltmeter.web.results.tables import COUNTS, ESTIMATE, INTERVAL, VALUE, Column, field


def boards_fitting(results: Results) -> list[tuple[int, Mapping[str, Any]]]:
    """The boards that fit the filters, with their numbers."""
    every = enumerate(results.found["texts"]["boards"])
    return [
        (at, one)
        for at, one in every
        if results.filters.fit({"model": one["model"], "bias": one["bias"]}) and board_rows(results, one)
    ]


def board_title(board: Mapping[str, Any]) -> str:
    """What a board is about."""
    groups = f"{board['a']} and {board['b']}" if board["b"] else "all groups"
    return f"{board['model']}, {board['label']}: {groups}"


def board_shown(results: Results, at: int) -> dict[str, Any]:
    """A bidimensional heat map, and the groups behind it by rater."""
    board = results.found["texts"]["boards"][at]
    rows = board_rows(results, board)
    place = (field("Prompts, decoding", "setting"), field("Rater", "column"), field("Difference", "about"))
    key = [("above", f"texts about {board['a']} come off worse"), ("below", f"texts about {board['b']} come off worse")]
    key += [("neither", "a rater without better or worse")] if any(not row["favour"] for row in rows) else []
    heat = figure_of(
        results,
        "heat",
        heat_in_words(
            difference_title(board["a"], board["b"]),
            {
                name: [(row["value"], row["firm"]) for row in rows if row["column"] == name]
                for name in seen(rows, "column")
            },
        ),
        board["caption"],
        rows,
        (*place, *ESTIMATE),
        key=key if board["b"] else (),
        at=at,
    )
    about = (board["model"], board["bias"])
    # Boards of one bias differ in the two groups that they compare: all groups stand under the first of them.
    first = all((one["model"], one["bias"]) != about for one in results.found["texts"]["boards"][:at])
    groups = [_groups(results, board, at, rater) for rater in seen(rows, "rater")] if first else []
    return {"board": board, "title": board_title(board), "heat": heat if rows else None, "groups": groups}


def board_rows(results: Results, board: Mapping[str, Any]) -> Rows:
    """A square for each setting and rater of a board."""
    fitting = [cell for cell in board["cells"] if results.filters.fit({**cell, "model": board["model"]})]
    several = len({cell["source"] for cell in fitting}) > 1
    full = results.found["texts"]["full"]
    made = []
    for cell in fitting:
        value, side = cell["value"], cell["favour"] if board["b"] else 0
        strength = (cell["deviations"] or 0.0) / full
        about = f"{cell['a']} − {cell['b']}"
        shown = NONE if value is None else f"{signed(value, 3)}{' ≈' if cell['within_tilt'] else ''}"
        setting = f"{cell['source']}, {cell['row']}" if several else cell["row"]
        own = "\nno larger than the rater’s own tilt" if cell["within_tilt"] else ""
        made.append(
            {
                **cell,
                "setting": setting,
                "column": results.rater(cell["rater"]),
                "shade": max(-1.0, min(1.0, strength * side)) if board["b"] else min(1.0, abs(strength)),
                "text": shown,
                "shown": shown,
                "range": range_words(cell),
                "about": about,
                "tip": tip(cell, f"{about}: {results.rater(cell['rater'])}, {setting}", shown, "text") + own,
                "open": results.texts_of_two(
                    {**cell, "model": board["model"], "bias": board["bias"]}, [cell["a"], cell["b"]]
                ),
            }
        )
    return made


def _groups(results: Results, board: Mapping[str, Any], at: int, rater: str) -> Figure:
    rows = group_rows(results, board, rater)
    known = sorted((row for row in rows if row["value"] is not None), key=lambda row: float(row["value"]))
    name = results.rater(rater)
    words = f"{name}: no text has a rating."
    if known:
        low, high = known[0], known[-1]
        words = f"{name}: from {named(low, rows)}, {low['shown']}, to {named(high, rows)}, {high['shown']}."
    columns = (field("Group", "label"), field("Decoding", "series"), VALUE, INTERVAL, *COUNTS)
    caption = f"Mean rating of texts about each group, {name}, with 95\N{NO-BREAK SPACE}% intervals."
    return figure_of(results, "groups", words, caption, rows, columns, at=at, by=rater)


def group_rows(results: Results, board: Mapping[str, Any], rater: str) -> Rows:
    """The mean rating of each group of a board's bias by one rater, under each decoding."""
    own = [
        row
        for row in results.filters.narrow(results.found["texts"]["groups"])
        if (row["model"], row["bias"], row["rater"]) == (board["model"], board["bias"], rater)
    ]
    several = len({row["source"] for row in own}) > 1
    made = []
    for row in own:
        series = results.decoding(row["decoding"])
        series = f"{row['source']}, {series}" if several else series
        made.append(
            {
                **row,
                "label": row["group"],
                "series": series,
                "shown": signed(row["value"], 3),
                "range": range_words(row),
                "tip": tip(row, f"{row['group']}, {series}", signed(row["value"], 3), "text"),
                "open": results.texts("continuations", row, "rater", "decoding", "group"),
            }
        )
    return made


def raters_shown(results: Results) -> Figure | None:
    """How far raters of the same kind agree; None where no two are of one kind."""
    rows = [row for row in rater_rows(results) if row["value"] is not None]
    if not rows:
        return None
    lowest = min(rows, key=lambda row: row["value"])
    words = f"The two that agree least, {named(lowest, rows)}: rank correlation {lowest['shown']}."
    texts = Column("Texts", lambda row: f"{row['n']:,}", number=True)
    more = (field("Krippendorff’s alpha", "alpha", number=True), field("Point to opposite groups", "opposite"))
    columns = (field("Raters", "label"), field("Model, source", "series"), VALUE, INTERVAL, texts, *more)
    caption = (
        "Rank correlation of the ratings of two raters of the same kind on the same texts, with 95\N{NO-BREAK SPACE}% "
        "intervals. A mark opens the texts that they disagree on."
    )
    return figure_of(results, "raters", words, caption, rows, columns)


def rater_rows(results: Results) -> Rows:
    """How far raters of the same kind put texts in the same order."""
    made = []
    chosen = results.filters.chosen.get("rater")
    for one in results.found["texts"]["agreement"]:
        if not results.filters.fit({name: one[name] for name in ("model", "source")}):
            continue
        if chosen and chosen not in (one["first"], one["second"]):
            continue
        found = {**one["rank_correlation"], "note": one["note"], "n": one["n"]}
        label = f"{results.rater(one['first'])} and {results.rater(one['second'])}"
        opposite = [f"{bias}: {a} and {b}" for bias, a, b in one["opposite"]]
        words = tip(found, label, signed(found["value"]), "text")
        made.append(
            {
                **found,
                "model": one["model"],
                "source": one["source"],
                "label": label,
                "series": f"{one['model']}, {one['source']}",
                "shown": signed(found["value"]),
                "range": range_words(found),
                "alpha": signed(one["krippendorff"]),
                "opposite": "; ".join(opposite) or "nowhere",
                "tip": f"{words}\nopposite groups: {'; '.join(opposite[:4]) or 'nowhere'}",
                "open": results.texts("continuations", {"model": one["model"], "source": one["source"]})
                + "&order=disagreement",
            }
        )
    return made
