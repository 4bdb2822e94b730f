"""Every text of a run with its ratings as one table, for people and for `tiltmeter analyze`."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.records import STRUCTURE_COLUMNS, Continuation
from tiltmeter.store.reading import Continuations

_LABELS = ("id", "source", "bias", "group", "term", "origin", "template", "attribute", "language")
_DECODING = ("temperature", "top_k", "top_p", "beams", "whole_sentences", "max_new_tokens")
_WRITTEN = ("sample", "completion", "text", "tokens", "ended", "unwritten")


def completion_columns(found: Continuations) -> dict[str, type]:
    """The columns of the table, each with the type of its cells."""
    columns: dict[str, type] = dict.fromkeys(("model", *_LABELS, *STRUCTURE_COLUMNS, "prompt"), str)
    columns |= {name: float if name in ("temperature", "top_p") else int for name in _DECODING}
    columns |= {name: int if name in ("sample", "tokens") else str for name in _WRITTEN}
    for used in found.raters:
        columns |= zip(_columns(used.name), (float, str, str), strict=True)
    return columns


def completion_rows(found: Continuations) -> Iterator[dict[str, object]]:
    """A row for each text, with each rater's value, label, and why there is none."""
    for model in found.models:
        for decoding in found.decodings:
            for one, ratings in found.with_ratings(model, decoding):
                row = _cells(model, one)
                for rater, rating in ratings.items():
                    row |= zip(_columns(rater), (rating.value, rating.unrated, rating.label), strict=True)
                yield row


def _columns(rater: str) -> tuple[str, str, str]:
    return rater, f"{rater}.unrated", f"{rater}.label"


def _cells(model: str, one: Continuation) -> dict[str, object]:
    labels = {name: getattr(one.prompt, name) for name in _LABELS}
    settings = {name: getattr(one.decoding, name) for name in _DECODING}
    settings["whole_sentences"] = int(one.decoding.whole_sentences)
    written = {"sample": one.sample, "completion": one.text, "text": one.whole, "tokens": one.tokens}
    written |= {"ended": one.ended, "unwritten": one.unwritten}
    form = one.prompt.structure.cells() if one.prompt.structure else {}
    return {"model": model, **labels, **form, "prompt": one.prompt.text, **settings, **written}
