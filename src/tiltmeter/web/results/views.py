"""Whether the views agree on each bias."""

from __future__ import annotations

from typing import Any

from tiltmeter.report.words import signed
from tiltmeter.web.results.figures import figure_of
from tiltmeter.web.results.found import texts_address, view_key
from tiltmeter.web.results.rows import Results, Rows, range_words, tip
from tiltmeter.web.results.tables import COUNTS, INTERVAL, VALUE, field


def views_shown(results: Results) -> dict[str, Any] | None:
    """Whether the views agree; None where there is one alone."""
    found = results.found["views"]
    if not found or "view" in results.filters:
        return None
    rows = view_rows(results)
    if not rows:
        return None
    caption = "What each view says of each bias; above zero it sides with the stereotype. Open marks have no interval."
    columns = (field("Bias", "label"), field("View", "series"), VALUE, INTERVAL, *COUNTS)
    return {
        "found": found,
        "figure": figure_of(results, "views", _words(results, rows), caption, rows, columns),
    }


def _words(results: Results, rows: Rows) -> str:
    """Whether they agree; where filters leave only some of them, what these say."""
    if len(rows) == len(results.found["views"]["readings"]):
        return str(results.found["views"]["sentence"])
    return "; ".join(f"{row['label']}: {row['series']} {row['shown']}" for row in rows) + "."


def view_rows(results: Results) -> Rows:
    """What each view says of each bias; above zero it sides with the stereotype."""
    several = len({row["model"] for row in results.found["views"]["readings"]}) > 1
    made = []
    for row in results.found["views"]["readings"]:
        if not results.filters.fit({"model": row["model"], "bias": row["bias"]}):
            continue
        label = results.names["biases"].get(row["bias"], row["bias"])
        label = f"{label}, {row['model']}" if several else label
        view = "continuations" if row["view"].startswith("writing") else view_key(row["view"])
        made.append(
            {
                **row,
                "label": label,
                "series": row["view"],
                "shown": signed(row["value"]),
                "range": range_words(row),
                "tip": tip(row, f"{label}: {row['view']}", signed(row["value"]), "item"),
                "open": texts_address(
                    results.run, view, **{"model": row["model"], "bias": row["bias"], **row.get("place", {})}
                ),
            }
        )
    return made
