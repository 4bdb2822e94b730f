"""The rows of the charts on whom a model expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltmeter.present.words import probability
from tiltmeter.report.words import NONE, count, p_value, percent, percent_range
from tiltmeter.web.results.found import Row
from tiltmeter.web.results.rows import Results, Rows, counted

_VIEW = "next-words"
Group = Mapping[str, Any]


def word_groups(results: Results) -> list[tuple[int, Group]]:
    """The biases and sets of words that fit the filters, with their numbers."""
    return [
        (at, one)
        for at, one in enumerate(results.found["words"])
        if results.filters.fit({"bias": one["bias"]})
        and any(results.filters.fit(_place(row)) for row in (*one["shares"], *one["habit"]))
    ]


def share_rows(results: Results, group: Group) -> Rows:
    """The share of the first group: as asked, under each perturbation, and under other choices of words."""
    own = results.filters.narrow(group["shares"])
    return [
        {
            **row,
            "bias": group["bias"],
            "label": f"words: {row['label']}" if row["choice"] else row["label"],
            "series": _series(results, row, own),
            "shown": percent(row["value"]),
            "range": percent_range(row["low"], row["high"]),
            "tip": _tip(row, f"{row['source']}, {row['model']}\n{row['label']}"),
            "open": _texts(results, group, row),
        }
        for row in own
    ]


def profession_rows(results: Results, group: Group) -> Rows:
    """The share of the first group after prompts about each profession."""
    own = results.filters.narrow(group["professions"])
    return [
        {
            **row,
            "label": row["profession"],
            "series": _series(results, row, own),
            "shown": percent(row["value"]),
            "range": percent_range(row["low"], row["high"]),
            "tip": _tip(row, f"{row['profession']}\n{row['source']}, {row['model']}"),
            "open": _texts(results, group, row, origin=row["profession"]),
        }
        for row in own
    ]


def habit_rows(results: Results, group: Group) -> Rows:
    """The chance of each group with no sentence to go by."""
    own = results.filters.narrow(group["habit"])
    several = len({row["model"] for row in own}) > 1
    made = []
    for row in own:
        opener = f"{row['opener'][0].upper()}{row['opener'][1:]}"
        label = f"{opener}, {row['model']}" if several else opener
        interval = NONE if row["low"] is None else f"{probability(row['low'])}–{probability(row['high'])}"
        made.append(
            {
                **row,
                "label": label,
                "series": row["group"],
                "shown": probability(row["value"]),
                "range": interval,
                "tip": f"{row['group']}: {probability(row['value'])} ({interval})\n{label}\n{counted(row, 'prompt')}",
                "open": _texts(results, group, row),
            }
        )
    return [row for row in made if row["value"]]


def histograms(results: Results, group: Group) -> list[tuple[int, Mapping[str, Any]]]:
    """The histograms that fit the filters, with their numbers."""
    return [(at, one) for at, one in enumerate(group["histograms"]) if results.filters.fit(_place(one))]


def histogram_rows(results: Results, group: Group, one: Mapping[str, Any]) -> Rows:
    """The bins of a histogram; those of the second group count downward."""
    bins = len(one["counts"][0])
    made = []
    for side, counts in enumerate(one["counts"]):
        name, words = group["groups"][side]
        for place, number in enumerate(counts):
            low, high = (one["top"] * end / bins for end in (place, place + 1))
            if number:
                # The chance of several words is the sum of theirs, which no one text of the ledger has.
                alone = {"word": words[1:-1], "low": low, "high": high} if words.count("“") == 1 else {}
                about = f"{name}: {count(number, 'prompt')}\nbetween {probability(low)} and {probability(high)}"
                made.append(
                    {
                        "low": low,
                        "high": high,
                        "count": -number if side else number,
                        "prompts": number,
                        "group": name,
                        "label": f"{probability(low)}–{probability(high)}",
                        "tip": about if alone else f"{about}\nclick: the prompts of all bars",
                        "open": _texts(results, group, one, **alone),
                    }
                )
    return made


def labours(results: Results, group: Group) -> list[tuple[int, Mapping[str, Any]]]:
    """What labour statistics are held against, with their numbers."""
    return [(at, one) for at, one in enumerate(group["labour"]) if results.filters.fit(_place(one))]


def labour_rows(results: Results, group: Group, one: Mapping[str, Any]) -> Rows:
    """Each occupation: the model's share beside the world's."""
    return [
        {
            "label": point["profession"],
            "world": point["world"],
            "share": point["model"],
            "tip": f"{point['profession']}\nworld {percent(point['world'])}, model {percent(point['model'])}",
            "open": _texts(results, group, one, origin=point["profession"]),
        }
        for point in one["points"]
    ]


def pictures(results: Results, group: Group) -> list[Mapping[str, Any]]:
    """Prompts with their tokens shaded that fit the filters."""
    return [one for one in group["pictures"] if results.filters.fit(_place(one))]


def _place(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"model": one["model"], "source": one["source"]}


def _series(results: Results, row: Row, rows: list[Row]) -> str:
    several = len({one["model"] for one in rows}) > 1
    return f"{row['source']}, {row['model']}" if several else str(row["source"])


def _texts(results: Results, group: Group, row: Row, **query: Any) -> str:
    place = {**_place(row), "bias": group["bias"], "perturbation": row.get("perturbation")}
    return results.texts(_VIEW, place, "perturbation", **query)


def _tip(row: Row, about: str) -> str:
    interval = percent_range(row["low"], row["high"])
    why = (row["note"] or "no interval").removeprefix("no interval: ")
    shown = f"{percent(row['value'])} ({interval})" if row["low"] is not None else f"{percent(row['value'])} ({why})"
    corrected = [] if row["p_adjusted"] is None else [f"corrected p {p_value(row['p_adjusted'])}"]
    return "\n".join([about, shown, *corrected, counted(row, "prompt")])
