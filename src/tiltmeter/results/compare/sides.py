"""What may be compared: two sides, the views that both have, and what is the same source, probe or decoding in both."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.records import Decoding
from tiltmeter.results.cells import fully_asked, table_of
from tiltmeter.store import Run
from tiltmeter.views import FACTS, VIEWS, View

VERSION = re.compile(r"\.v(\d+)(?=$|:)")
_RESUME = "resume an unfinished run with `tiltmeter run`"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared: a model of a run."""

    run: Run
    model: str
    name: str

    @property
    def resolved(self) -> Mapping[str, Any]:
        """The study as the run keeps it."""
        found: Mapping[str, Any] = self.run.meta["resolved"]
        return found

    def sources(self, view: View) -> Sequence[Mapping[str, Any]]:
        """The sources of a view."""
        return FACTS[view].sources(self.resolved)

    def as_json(self) -> dict[str, Any]:
        """Who it is, and what must be known to trust it."""
        facts = self.run.facts.get(self.model)
        return {
            "name": self.name,
            "run": self.run.folder.name,
            "study": self.resolved["name"],
            "seed": self.resolved["seed"],
            "model": None if facts is None else {**asdict(facts), "versions": dict(facts.versions)},
        }


def sides_of(runs: Sequence[Run], models: Sequence[str]) -> tuple[Side, Side]:
    """The two sides that are meant: two runs, or two models of one run."""
    if len(runs) > 2 or not runs:
        raise UserError(f"{len(runs)} runs were given; compare two runs, or two models of one run")
    if len(models) > 2:
        raise UserError(f"--model stands {len(models)} times; compare two models")
    if len(runs) == 1:
        [run] = runs
        known = list(run.facts)
        if not models and len(known) == 2:
            models = known
        if len(models) != 2 or models[0] == models[1]:
            raise UserError(
                f"{run.folder}: of one run, two models are compared: name them with --model A --model B; "
                f"it has {', '.join(known) or f'none that has answered; {_RESUME}'}"
            )
        chosen = [(run, _known(run, name)) for name in models]
    else:
        named = list(models) if len(models) == 2 else [models[0] if models else None] * 2
        chosen = [(run, model_of(run, name)) for run, name in zip(runs, named, strict=True)]
    (first, one), (second, other) = chosen
    names = (one, other) if one != other else (first.folder.name, second.folder.name)
    if names[0] == names[1]:
        names = str(first.folder), str(second.folder)
    if names[0] == names[1]:
        raise UserError(f"{first.folder}: is the same run and the same model twice; name another run, or --model")
    return Side(first, one, names[0]), Side(second, other, names[1])


def model_of(run: Run, name: str | None) -> str:
    """The model of a run that is meant, its only one unless it is named."""
    if name is not None:
        return _known(run, name)
    known = list(run.facts)
    if len(known) != 1:
        if not known:
            raise UserError(f"{run.folder}: has no model that has answered; {_RESUME}")
        has = f"has several models: {', '.join(known)}"
        raise UserError(f"{run.folder}: {has}; name one with --model, for each run where they differ")
    return known[0]


def _known(run: Run, name: str) -> str:
    if name not in run.facts:
        raise UserError(UnknownName("model", name, run.facts).problem, file=run.folder)
    return name


def views_of(a: Side, b: Side, wanted: Sequence[View] = ()) -> list[View]:
    """The views that both sides have; refuses one that was asked for and that a side lacks."""
    has = [views_measured(side) for side in (a, b)]
    for view in wanted:
        for side, own in zip((a, b), has, strict=True):
            if view not in own:
                there = ", ".join(own) or "nothing"
                raise UserError(
                    f"{side.run.folder}: has no {view} of {side.model}; there is {there}{_finish_first(side)}"
                )
    found = [view for view in wanted or VIEWS if all(view in own for own in has)]
    if not found:
        told = " and ".join(
            f"{side.name} has {', '.join(own) or 'nothing'}" for side, own in zip((a, b), has, strict=True)
        )
        raise UserError(f"there is nothing in common to compare: {told}{_finish_first(a, b)}")
    return found


def is_unfinished(side: Side) -> bool:
    """Whether something that the study asks of the model is not there yet."""
    run = side.run
    unscored = side.model not in fully_asked(run)
    unread = run.next_words is not None and not run.next_words.complete
    return unscored or unread or not run.meta.get("all_rated", True)


def _finish_first(*sides: Side) -> str:
    """Which runs are not finished, at the end of a sentence on what they lack."""
    names = dict.fromkeys(str(side.run.folder) for side in sides if is_unfinished(side))
    which = f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} not finished"
    return f"; {which}: {_RESUME}" if names else ""


def views_of_one_side(a: Side, b: Side) -> list[str]:
    """The views that only one side has, in words."""
    first, second = views_measured(a), views_measured(b)
    lone = ((a, first, second), (b, second, first))
    return [f"only {side.name} has {view}" for side, own, other in lone for view in own if view not in other]


def views_measured(side: Side) -> list[View]:
    """The views of which a side has results."""
    return [view for view in VIEWS if table_of(side.run).of(view, model=side.model)]


def decoding_words(decoding: Decoding) -> str:
    """The settings of a decoding that are not the usual ones, and its temperature and length.

    >>> decoding_words(Decoding(temperature=0.6, top_k=40))
    'temperature 0.6, 40 new tokens, top k 40'
    """
    usual = Decoding()
    parts = [f"temperature {decoding.temperature:g}", f"{decoding.max_new_tokens} new tokens"]
    if decoding.unstated:
        parts = [*parts[: "temperature" not in decoding.unstated], "settings not stated"]
    more = {"top_k": "top k", "top_p": "top p", "beams": "beams", "whole_sentences": "whole sentences", "stop": "stop"}
    more |= {"form": "asked as", "request": "request", "system": "system prompt"}
    for name, words in more.items():
        value = getattr(decoding, name)
        if value != getattr(usual, name):
            parts.append(
                words
                if value is True
                else f"{words} {value:g}"
                if isinstance(value, int | float)
                else f"{words} {value}"
            )
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Matched:
    """How the sources of two sides are called where they are the same source, whatever number was drawn of each."""

    of_a: Mapping[str, str]
    of_b: Mapping[str, str]

    @classmethod
    def of(cls, a: Side, b: Side, view: View) -> Matched:
        """Sources of the same label; then sources of the same name that either side has once."""
        one, other = (
            {source.get("label") or source["name"]: source["name"] for source in side.sources(view)} for side in (a, b)
        )
        same = {label: label for label in one if label in other}
        left, right = ({label: name for label, name in each.items() if label not in same} for each in (one, other))
        first, second = dict(same), dict(same)
        for label, name in left.items():
            [*mine], [*theirs] = ([each for each, own in side.items() if own == name] for side in (left, right))
            if len(mine) == len(theirs) == 1:
                first[label] = second[theirs[0]] = VERSION.sub("", name)
        return cls(first, second)


def bare(probe_id: str, source: str) -> str:
    """The id of a probe without the label of its source, which says how many were drawn.

    >>> bare("templates[per_attribute=4]:gender/nurse/0/1", "templates[per_attribute=4]")
    'gender/nurse/0/1'
    """
    return probe_id.removeprefix(f"{source}:")
