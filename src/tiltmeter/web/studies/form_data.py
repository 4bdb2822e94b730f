"""From the form of a study back to the data of its file: what the form does not show stays as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.sources.perturbations import PERTURBATIONS
from tiltmeter.study.asked import ASKED, asked_view, listed_name
from tiltmeter.views import FACTS, View
from tiltmeter.web.fields import Fields
from tiltmeter.web.studies.available import (
    Available,
    Option,
    available_raters,
    available_sources,
    decoding_axes,
    defaults,
)
from tiltmeter.web.studies.entries import listed_of, number
from tiltmeter.web.studies.scorers import ticked_scorers
from tiltmeter.web.studies.values import KEYS, VIEWS, axis_text, list_in, strings_in, table_in


def data_of(sent: Fields, before: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a study whose form was changed; `before` is what its TOML had."""
    data = dict(before)
    seed = sent.one("seed")
    _put(data, "name", sent.one("name") or None)
    _put(data, "models", list(dict.fromkeys(sent.lines("models"))))
    _put(data, "seed", number("seed", seed, whole=True) if seed else None)
    _put(data, "specs", _in_order(strings_in(before.get("specs")), sent.all("specs")))
    views = [view for view in VIEWS if sent.one(f"{view}.on")]
    if not views and not (KEYS - set(VIEWS)) & set(before):
        *some, last = VIEWS.values()
        raise UserError(f"a study needs a view: tick {', '.join(some)} or {last}")
    readers = {"pairs": _pairs, "continuations": _continuations, "next_words": _next_words}
    readers |= {FACTS[view].key: partial(_asked, view) for view in ASKED}
    for view in VIEWS:
        table = data.pop(view, {})
        if view in views:
            data[view] = readers[view](sent, table if isinstance(table, dict) else {})
    return _ordered(data)


def _pairs(sent: Fields, before: Mapping[str, Any]) -> dict[str, Any]:
    table = dict(before)
    _put_entries(table, "pairs.sources", sent, available_sources(VIEWS["pairs"]))
    _put(table, "scorers", ticked_scorers(strings_in(before.get("scorers")), sent.all("pairs.scorers")))
    return table


def _continuations(sent: Fields, before: Mapping[str, Any]) -> dict[str, Any]:
    table = dict(before)
    view = "continuations"
    _put_entries(table, f"{view}.sources", sent, available_sources(VIEWS[view]))
    decoding = dict(table_in(before, "decoding"))
    for axis in decoding_axes():
        text = sent.one(f"{view}.decoding.{axis.name}")
        if axis_text(decoding.get(axis.name)) not in (None, text):
            _put(decoding, axis.name, _axis_values(axis, text))
    if not isinstance(before.get("decoding"), list):
        # Several grids have no fields in the form, and stay as they are.
        _put(table, "decoding", decoding)
    samples, threshold = sent.one(f"{view}.samples"), sent.one(f"{view}.threshold")
    _put(table, "samples", number("samples", samples, whole=True) if samples else None)
    _put_entries(table, f"{view}.raters", sent, available_raters())
    _put(table, "scope", sent.one(f"{view}.scope") or None)
    names = [one.strip() for one in sent.one(f"{view}.reference").split(",") if one.strip()]
    if names != strings_in(before.get("reference")):
        _put(table, "reference", names[0] if len(names) == 1 else names)
    if not isinstance(before.get("threshold"), dict):
        _put(table, "threshold", number("threshold", threshold, whole=False) if threshold else None)
    return table


def _next_words(sent: Fields, before: Mapping[str, Any]) -> dict[str, Any]:
    table = dict(before)
    view = "next_words"
    _put_entries(table, f"{view}.sources", sent, available_sources(VIEWS[view]))
    given = before.get("words", [])
    inline = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, dict)]
    words = [*_in_order(strings_in(given), [*sent.all(f"{view}.words"), *sent.lines(f"{view}.more_words")]), *inline]
    _put(table, "words", words[0] if len(words) == 1 and not isinstance(given, list) else words)
    perturbations = [name for name in PERTURBATIONS if name in sent.all(f"{view}.perturbations")]
    _put(table, "perturbations", None if len(perturbations) == len(PERTURBATIONS) else perturbations)
    bounded = [one == "yes" for one in sent.all(f"{view}.bounded")]
    _put_setting(table, "bounded", bounded, default=False)
    _put_setting(table, "combine", sent.all(f"{view}.combine"), default="sum")
    _put(table, "saliency", sent.one(f"{view}.saliency") or None)
    return table


def _asked(view: View, sent: Fields, before: Mapping[str, Any]) -> dict[str, Any]:
    table, key = dict(before), FACTS[view].key
    _put_entries(table, f"{key}.sources", sent, available_sources(view))
    for name, known in asked_view(view).lists.items():
        ticked, given = sent.all(f"{key}.{name}"), before.get(name, ())
        if given != "all" or set(ticked) != set(known()):
            kept = [one for one in strings_in(given) if listed_name(one) in ticked]
            _put(table, name, [*kept, *(one for one in ticked if one not in map(listed_name, kept))])
    return table


def _put(table: dict[str, Any], key: str, value: Any) -> None:
    """Set a value, or take the key away where there is none."""
    if value is None or value in ([], {}):
        table.pop(key, None)
    else:
        table[key] = value


def _put_entries(table: dict[str, Any], place: str, sent: Fields, known: Sequence[Available]) -> None:
    """Set a list of sources or raters; an empty one stays, and the check says what is wrong with it."""
    key = place.rpartition(".")[2]
    made = listed_of(place, sent, list_in(table, key, place), known)
    if key in table or made != defaults()[place]:
        table[key] = made


def _put_setting(table: dict[str, Any], key: str, values: Sequence[Any], *, default: Any) -> None:
    """Set one value or several, unless they hold already."""
    given = table.get(key, default)
    before = given if isinstance(given, list) else [given]
    now = _in_order(before, values)
    if now != before:
        _put(table, key, now[0] if len(now) == 1 else now)


def _ordered(data: dict[str, Any]) -> dict[str, Any]:
    first = [key for key in ("name", "specs", "models", "seed") if key in data]
    return {key: data[key] for key in (*first, *(one for one in data if one not in first))}


def _axis_values(axis: Option, text: str) -> Any:
    given = [one.strip() for one in text.split(",") if one.strip()]
    if axis.kind == "yes-no":
        values: list[Any] = [one == "yes" for one in given]
    else:
        values = [number(axis.label, one, whole=axis.kind == "whole") for one in given]
    return values[0] if len(values) == 1 else values


def _in_order(before: Sequence[Any], now: Sequence[Any]) -> list[Any]:
    """What is chosen now, in the order in which it stood before."""
    kept = [one for one in before if one in now]
    return kept + [one for one in dict.fromkeys(now) if one not in kept]
