"""A study file as a form: the data of the TOML is the truth, and the form shows what it can of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, get_args

from tiltmeter import specs
from tiltmeter.measures.next_words import Combine
from tiltmeter.records import Family, SaliencyMethod, Scope
from tiltmeter.sources.perturbations import PERTURBATIONS
from tiltmeter.sources.word_sets import BUILT_IN
from tiltmeter.study.asked import ASKED, asked_view, listed_name
from tiltmeter.views import FACTS, View
from tiltmeter.web.studies.available import (
    Option,
    available_raters,
    available_scorers,
    available_sources,
    decoding_axes,
)
from tiltmeter.web.studies.entries import Entry, entries_of
from tiltmeter.web.studies.scorers import FAMILIES, may_be_masked, meant_by
from tiltmeter.web.studies.values import KEYS, VIEWS, axis_text, list_in, strings_in, table_in

_SHOWN = {
    "": {"name", "specs", "models", "seed", *VIEWS},
    "pairs": {"sources", "scorers"},
    "continuations": {"sources", "decoding", "samples", "raters", "scope", "reference", "threshold"},
    "next_words": {"sources", "words", "perturbations", "bounded", "combine", "saliency"},
    **{FACTS[view].key: {"sources", *asked_view(view).lists} for view in ASKED},
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A box to tick."""

    value: str
    on: bool
    about: str = ""
    label: str = ""
    """What stands beside the box, where that is not the value."""


@dataclass(frozen=True, slots=True)
class AskedForm:
    """A view whose table has nothing but sources and lists of which some are ticked."""

    key: str
    name: str
    title: str
    item: str
    lists: Mapping[str, Sequence[Choice]]


@dataclass(frozen=True, slots=True)
class Form:
    """Everything that the form shows."""

    name: str
    seed: str
    models: str
    own: Sequence[Choice]
    library: Sequence[Choice]
    views: Mapping[str, bool]
    sources: Mapping[str, Sequence[Entry]]
    scorers: Mapping[str, Sequence[Choice]]
    masked: bool
    """Whether a model may be a masked one, or a scorer of those is ticked by its own name."""
    axes: Sequence[tuple[Option, str | None]]
    raters: Sequence[Entry]
    plain: Mapping[str, str]
    """Single values of tables, by their names with dots."""
    words: Sequence[Choice]
    more_words: str
    perturbations: Sequence[Choice]
    bounded: Sequence[Choice]
    combine: Sequence[Choice]
    asked: Sequence[AskedForm]
    kept: Sequence[str]
    """What is in the TOML alone."""

    scopes = get_args(Scope)
    methods = get_args(SaliencyMethod)


def form_of(data: Mapping[str, Any], own_specs: Sequence[tuple[str, str]]) -> Form:
    """The form of a study; `own_specs` are the user's own, as a study names them, with their titles."""
    tables = {view: table_in(data, view) for view in VIEWS}
    if "continuations" not in data:
        tables["continuations"] = _first_texts(strings_in(data.get("specs")))
    texts, words = tables["continuations"], tables["next_words"]
    chosen = strings_in(data.get("specs"))
    # A study may also name files elsewhere.
    offered = {**{name: "" for name in chosen if name not in specs.names()}, **dict(own_specs)}
    return Form(
        name=_plain(data.get("name")),
        seed=_plain(data.get("seed")),
        models="\n".join(strings_in(data.get("models"))),
        own=_first([Choice(name, name in chosen, title, PurePath(name).stem) for name, title in offered.items()]),
        library=_first([Choice(name, name in chosen, specs.load(name).title or "") for name in specs.names()]),
        views={view: view in data or (view == "pairs" and not KEYS & set(data)) for view in VIEWS},
        sources={
            view: entries_of(
                f"{view}.sources",
                list_in(tables[view], "sources", f"{view}.sources"),
                available_sources(noun),
                is_new=view not in data,
            )
            for view, noun in VIEWS.items()
        },
        scorers={family: _scorers(family, strings_in(tables["pairs"].get("scorers"))) for family in FAMILIES},
        masked=any(map(may_be_masked, strings_in(data.get("models"))))
        or any(name.startswith("masked.") for name in strings_in(tables["pairs"].get("scorers"))),
        axes=[(one, axis_text(table_in(texts, "decoding").get(one.name))) for one in decoding_axes()],
        raters=entries_of("continuations.raters", list_in(texts, "raters", "continuations.raters"), available_raters()),
        plain={
            **{f"continuations.{key}": _plain(texts.get(key)) for key in ("samples", "scope", "threshold")},
            "continuations.reference": ", ".join(strings_in(texts.get("reference"))),
            "next_words.saliency": _plain(words.get("saliency")),
        },
        words=[Choice(name, name in strings_in(words.get("words")), _sets_words(name)) for name in BUILT_IN],
        more_words="\n".join(one for one in strings_in(words.get("words")) if one not in BUILT_IN),
        perturbations=_ticked(PERTURBATIONS, words.get("perturbations", "all")),
        bounded=_ticked(("no", "yes"), _yes_no(words.get("bounded", False))),
        combine=_ticked(get_args(Combine), words.get("combine", "sum")),
        asked=[_asked(view, tables[FACTS[view].key]) for view in ASKED],
        kept=_kept(data, tables),
    )


def _first_texts(named: Sequence[str]) -> dict[str, Any]:
    """What stands in the form before somebody ticks continuations: few texts, about the groups of the specs if any.

    What holds where a file says nothing, every prompt of our own with ten texts each, can take hours on a laptop.
    """
    source = "templates" if named else "own-prompts"
    return {"sources": [{source: {"per_group": 16}}], "decoding": {"max_new_tokens": 30}, "samples": 3}


def _asked(view: View, table: Mapping[str, Any]) -> AskedForm:
    facts = FACTS[view]
    lists = {}
    for key, known in asked_view(view).lists.items():
        given = table.get(key, ())
        on = known() if given == "all" else {listed_name(name) for name in strings_in(given)}
        lists[key] = [Choice(name, name in on, about) for name, about in known().items()]
    return AskedForm(facts.key, facts.name, facts.title, facts.item, lists)


def _first(choices: Sequence[Choice]) -> list[Choice]:
    """Those that are ticked before the others."""
    return sorted(choices, key=lambda one: not one.on)


def _scorers(family: Family, given: Sequence[str]) -> list[Choice]:
    on = {full for name in given for full in meant_by(name)}
    return [Choice(one.name, one.name in on, one.about) for one in available_scorers(family)]


def _kept(data: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> list[str]:
    found = [key for key in data if key not in _SHOWN[""]]
    found += [f"{view}.{key}" for view, table in tables.items() for key in table if key not in _SHOWN[view]]
    given = tables["next_words"].get("words", [])
    if any(isinstance(one, dict) for one in (given if isinstance(given, list) else [given])):
        found.append("next_words.words (sets of your own)")
    return found


def _ticked(names: Sequence[str], given: Any) -> list[Choice]:
    chosen = names if given == "all" else strings_in(given)
    return [Choice(name, name in chosen) for name in names]


def _yes_no(given: Any) -> list[str]:
    values = given if isinstance(given, list) else [given]
    return ["yes" if one is True else "no" for one in values]


def _sets_words(name: str) -> str:
    return "; ".join(f"{group}: {', '.join(words)}" for group, words in BUILT_IN[name])


def _plain(value: Any) -> str:
    return "" if value is None or isinstance(value, list | dict) else str(value)
