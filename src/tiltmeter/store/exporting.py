"""Every text of a run with its ratings as one table, for people and for `tiltmeter analyze`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tiltmeter.files import write_csv
from tiltmeter.records import STRUCTURE_COLUMNS, Continuation
from tiltmeter.store.reading import Continuations

_LABELS = ("id", "source", "bias", "group", "term", "origin", "template", "attribute", "language")
_DECODING = ("temperature", "top_k", "top_p", "beams", "whole_sentences", "max_new_tokens")
_WRITTEN = ("sample", "completion", "text", "tokens", "ended")


def write_completions(found: Continuations, folder: Path) -> Path:
    """Write `tables/completions.csv`: a row for each text, with each rater's value, label, and why there is none."""
    raters = [used.name for used in found.raters]
    path = folder / "tables" / "completions.csv"
    columns = [
        "model",
        *_LABELS,
        *STRUCTURE_COLUMNS,
        "prompt",
        *_DECODING,
        *_WRITTEN,
        *(column for rater in raters for column in _columns(rater)),
    ]
    write_csv(path, columns, _rows(found, raters))
    return path


def _rows(found: Continuations, raters: Sequence[str]) -> Iterator[dict[str, object]]:
    for model in found.models:
        for decoding in found.decodings:
            ratings = found.ratings(model, decoding)
            for one in found.texts(model, decoding):
                row = _cells(model, one)
                for rater in raters:
                    rating = ratings.get(rater, {}).get((one.prompt.id, one.sample))
                    if rating:
                        row |= zip(_columns(rater), (rating.value, rating.unrated, rating.label), strict=True)
                yield row


def _columns(rater: str) -> tuple[str, str, str]:
    return rater, f"{rater}.unrated", f"{rater}.label"


def _cells(model: str, one: Continuation) -> dict[str, object]:
    labels = {name: getattr(one.prompt, name) for name in _LABELS}
    settings = {name: getattr(one.decoding, name) for name in _DECODING}
    settings["whole_sentences"] = int(one.decoding.whole_sentences)
    written = {"sample": one.sample, "completion": one.text, "text": one.whole, "tokens": one.tokens}
    form = one.prompt.structure.cells() if one.prompt.structure else {}
    return {"model": model, **labels, **form, "prompt": one.prompt.text, **settings, **written, "ended": one.ended}
