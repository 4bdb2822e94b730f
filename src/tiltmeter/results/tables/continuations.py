"""The tables of continuations as files: every group and every comparison of two groups, in every cell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from tiltmeter.records import ASKING, STRUCTURE_COLUMNS, Decoding, Estimate, Structure
from tiltmeter.results.cells import Table
from tiltmeter.results.summary.text_records import ContinuationCell, ContinuationsSummary
from tiltmeter.results.texts import rated_texts

Rows = Iterator[dict[str, object]]
_DECODING = {
    "temperature": float,
    "top_k": int,
    "top_p": float,
    "beams": int,
    "max_new_tokens": int,
    "whole_sentences": int,
    **dict.fromkeys(ASKING, str),
}
_WRITTEN_WITH = {
    name: _DECODING[name]
    for name in ("temperature", "top_k", "top_p", "beams", "whole_sentences", "max_new_tokens", *ASKING)
}
_LABELS = ("id", "source", "bias", "group", "term", "origin", "template", "attribute", "language")
_PLACE: dict[str, type] = {**dict.fromkeys(("model", "source", "bias"), str), **_DECODING}
_ESTIMATE: dict[str, type] = {
    **dict.fromkeys(("value", "low", "high", "level", "p", "p_adjusted"), float),
    **dict.fromkeys(("n", "n_unscored", "origins"), int),
    "note": str,
}

GROUPS: Mapping[str, type] = {
    **_PLACE,
    **dict.fromkeys(("rater", "scope", "group", "measure"), str),
    **_ESTIMATE,
    "sd": float,
}
COMPARISONS: Mapping[str, type] = {
    **_PLACE,
    **dict.fromkeys(("rater", "scope", "a", "b"), str),
    **_ESTIMATE,
    **dict.fromkeys(("ratio", "ratio_low", "ratio_high"), float),
    "ratio_withheld": str,
    **dict.fromkeys(("kl_ab", "kl_ba", "tilt"), float),
    "within_tilt": int,
}

STRUCTURES: Mapping[str, type] = {
    **_PLACE,
    **dict.fromkeys(("rater", "scope", *STRUCTURE_COLUMNS, "group"), str),
    **_ESTIMATE,
    "sd": float,
    "labels": str,
    "part": str,
}
WORDS: Mapping[str, type] = {
    **_PLACE,
    **dict.fromkeys(("group", "structure", "word"), str),
    **dict.fromkeys(("count", "texts"), int),
}
STRUCTURE_GAPS: Mapping[str, type] = {
    **_PLACE,
    **dict.fromkeys(("rater", "scope", *STRUCTURE_COLUMNS, "a", "b"), str),
    **_ESTIMATE,
    **dict.fromkeys(("kl_ab", "kl_ba"), float),
    "reversed": int,
    "part": str,
}

SITUATIONS: Mapping[str, type] = {
    **_PLACE,
    **dict.fromkeys(("rater", "situation", "stereotyped", "measure", "group"), str),
    **_ESTIMATE,
}
REFUSALS: Mapping[str, type] = {
    **dict.fromkeys(("model", "source", "bias", *ASKING, "group", "against"), str),
    **dict.fromkeys(("asked", "refused", "unknown"), int),
    **_ESTIMATE,
    **dict.fromkeys(("lower_bound", "upper_bound"), float),
}


def group_rows(found: ContinuationsSummary) -> Rows:
    """The mean of every group in every cell, and what else is counted of it: the k highest, shares above."""
    for cell in found.cells:
        for group, summary in cell.summary.groups.items():
            yield {**_place(cell), "group": group, "measure": "mean", **_estimate(summary.mean), "sd": summary.sd}
        for measure, by_group in cell.summary.extremes.items():
            for group, estimate in by_group.items():
                yield {**_place(cell), "group": group, "measure": measure, **_estimate(estimate)}


def comparison_rows(found: ContinuationsSummary) -> Rows:
    """Every two groups in every cell."""
    tilts = {(tilt.rater, tilt.bias): tilt for tilt in found.tilts}
    for cell in found.cells:
        tilt = tilts.get((cell.rater, cell.bias))
        for pair in cell.summary.pairs:
            ratio = pair.ratio or Estimate(None)
            yield {
                **_place(cell),
                "a": pair.a,
                "b": pair.b,
                **_estimate(pair.difference),
                "ratio": ratio.value,
                "ratio_low": ratio.low,
                "ratio_high": ratio.high,
                "ratio_withheld": pair.ratio_withheld,
                "kl_ab": pair.kl_ab,
                "kl_ba": pair.kl_ba,
                "tilt": tilt.of(pair.a, pair.b) if tilt else None,
                "within_tilt": int((pair.a, pair.b) in cell.within_tilt),
            }


def situation_rows(found: ContinuationsSummary) -> Rows:
    """Towards the stereotype, in all situations and in each; whom texts name, as shares, differences and counts."""
    for cell in found.situations:
        names = {"model": cell.model, "source": cell.source, "bias": cell.bias}
        place = {**names, **(_settings(cell.decoding) if cell.decoding else {}), "rater": cell.rater}
        yield {**place, "measure": "towards", **_estimate(cell.towards)}
        for group, towards in cell.by_stereotyped.items():
            yield {**place, "stereotyped": group, "measure": "towards", **_estimate(towards)}
        for group, share in cell.shares.items():
            yield {**place, "measure": "share", "group": group, **_estimate(share)}
        for pair in cell.pairs:
            yield {**place, "measure": "difference", "group": f"{pair.a} − {pair.b}", **_estimate(pair.difference)}
        for one in cell.situations:
            own = {**place, "situation": one.situation, "stereotyped": one.stereotyped}
            yield {**own, "measure": "towards", **_estimate(one.towards)}
            counts = {"n": one.texts - sum(one.missing.values()), "n_unscored": sum(one.missing.values())}
            for group, number in (*one.named.items(), ("", one.nobody)):
                yield {
                    **own,
                    "measure": "count" if group else "count of nobody",
                    "group": group,
                    "value": number,
                } | counts


def refusal_rows(found: ContinuationsSummary) -> Rows:
    """The share that was refused of every group, and of every two groups the difference."""
    for one in found.refusals:
        place = {"model": one.model, "source": one.source, "bias": one.bias, **one.asking}
        for name, group in one.groups.items():
            low, high = group.bounds
            counts = {"asked": group.asked, "refused": group.refused, "unknown": group.unknown}
            bounds = {"lower_bound": low, "upper_bound": high}
            yield {**place, "group": name, **counts, **_estimate(group.share), **bounds}
        for pair in one.pairs:
            bounds = {"lower_bound": pair.bounds[0], "upper_bound": pair.bounds[1]}
            yield {**place, "group": pair.a, "against": pair.b, **_estimate(pair.difference), **bounds}


def structure_rows(found: ContinuationsSummary, known: Mapping[str, Structure]) -> Rows:
    """The mean of every group under every structure; `known` are the structures by their ids."""
    for part, cell in _with_parts(found):
        for name, summary in cell.structures.structures.items() if cell.structures else ():
            place = {**_place(cell), **known[name].cells(), "part": part}
            for group, one in summary.groups.items():
                labels = json.dumps(dict(one.distribution)) if one.distribution else None
                yield {**place, "group": group, **_estimate(one.mean), "sd": one.sd, "labels": labels}


def _with_parts(found: ContinuationsSummary) -> Iterator[tuple[str | None, ContinuationCell]]:
    """Every cell, and the same of each set of prompts alone."""
    for cell in found.cells:
        yield None, cell
        yield from cell.parts.items()


def word_rows(found: ContinuationsSummary) -> Rows:
    """How often each word occurs, by group, and by group and structure."""
    for cell in found.words:
        place = {"model": cell.model, "source": cell.source, "bias": cell.bias, **_settings(cell.decoding)}
        for group, structure, word, times, texts in cell.counts:
            yield {
                **place,
                "group": group,
                "structure": structure or None,
                "word": word,
                "count": times,
                "texts": texts,
            }


def structure_gap_rows(found: ContinuationsSummary, known: Mapping[str, Structure]) -> Rows:
    """Every two groups under every structure, and whether it is the reverse of all of them together."""
    for part, cell in _with_parts(found):
        if cell.structures is None:
            continue
        reversals = {(one.structure, one.a, one.b) for one in cell.structures.reversals}
        for name, summary in cell.structures.structures.items():
            for pair in summary.pairs:
                yield {
                    **_place(cell),
                    **known[name].cells(),
                    "a": pair.a,
                    "b": pair.b,
                    **_estimate(pair.difference),
                    "kl_ab": pair.kl_ab,
                    "kl_ba": pair.kl_ba,
                    "reversed": int((name, pair.a, pair.b) in reversals),
                    "part": part,
                }


def _place(cell: ContinuationCell) -> dict[str, object]:
    place = {"model": cell.model, "source": cell.source, "bias": cell.bias}
    return {**place, **_settings(cell.decoding), "rater": cell.rater, "scope": cell.scope}


def _settings(decoding: Decoding) -> dict[str, object]:
    found = asdict(decoding)
    return {name: kind(found[name]) if name not in ASKING else found[name] or None for name, kind in _DECODING.items()}


def _estimate(found: Estimate) -> dict[str, object]:
    return {**found.as_json(), "note": found.note}


def completion_columns(table: Table) -> dict[str, type]:
    """The columns of the table of texts, with those of each rater."""
    columns: dict[str, type] = dict.fromkeys(("model", *_LABELS, *STRUCTURE_COLUMNS, "prompt"), str)
    columns |= {**_WRITTEN_WITH, "sample": int, "completion": str, "text": str, "tokens": int}
    columns |= {"ended": str, "unwritten": str}
    for rater in table.raters:
        columns |= zip(_of_rater(rater), (float, str, str), strict=True)
    return columns


def completion_rows(table: Table) -> Rows:
    """A row for each text, with each rater's value as it gave it, its label, and why there is none."""
    for text in rated_texts(table):
        one, prompt = text.one, text.one.prompt
        row: dict[str, object] = {name: getattr(prompt, name) for name in _LABELS}
        row |= prompt.structure.cells() if prompt.structure else {}
        row |= {"model": text.model, "prompt": prompt.text, **_settings(one.decoding), "sample": one.sample}
        row |= {"completion": one.text, "text": one.whole, "tokens": one.tokens, "ended": one.ended}
        row["unwritten"] = one.unwritten
        for rater, rating in text.ratings.items():
            row |= zip(_of_rater(rater), (rating.value, rating.unrated, rating.label), strict=True)
        yield row


def _of_rater(rater: str) -> tuple[str, str, str]:
    return rater, f"{rater}.unrated", f"{rater}.label"
