"""Pairs of the sentences of a file: ours after a review, an annotator's sheet, or a published one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.records import Pair, Spec, Written
from tiltmeter.sources.generated.annotations import ISSUES, marked_issues
from tiltmeter.sources.generated.comparisons import Comparison, comparisons
from tiltmeter.sources.generated.pairs import pairs_of
from tiltmeter.sources.generated.sentence_files import SentenceRow, sentence_rows
from tiltmeter.sources.generated.sentence_specs import spec_of_row, terms_by_group
from tiltmeter.sources.tables import NumberedRow

PAIR_COLUMNS = (
    *("id", "bias", "set", "attribute_set", "attribute", "sentence_1", "sentence_2", "term_1", "term_2"),
    *("group_1", "group_2", "label_1", "label_2", "benchmark"),
)
"""What a pair of a sentence adds to the row of the sentence."""


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A pair of a sentence, or why there is none; `left_out`: because somebody struck the sentence."""

    line: int
    cells: dict[str, str]
    pair: Pair | None
    reason: str | None = None
    left_out: bool = False


def sentence_pairs(
    path: str | Path, columns: Sequence[str], rows: Iterable[NumberedRow], specs: Sequence[Spec] = ()
) -> Iterator[SentencePair]:
    """Every pair that the sentences of a file make, in their order, and every row that makes none.

    What the file says about its spec counts before `specs`, in which the rest is looked up.
    """
    read = list(sentence_rows(path, columns, rows, specs))
    named = [(row.cells, row.sentence) for row in read if row.sentence]
    terms = terms_by_group(named)
    specs_by_row: list[Spec | None] = []
    for row in read:
        try:
            own = row.sentence and spec_of_row(row.cells, row.sentence, terms[row.sentence.bias])
        except InvalidData as error:
            raise InvalidData(error.problem, file=path, line=row.line) from None
        specs_by_row.append(own or row.spec)
    _refuse_unknown(path, zip(read, specs_by_row, strict=True))
    seen: dict[tuple[int, str, tuple[str, str]], str] = {}
    judged = all(issue in columns for issue in ISSUES)
    for number, (row, spec) in enumerate(zip(read, specs_by_row, strict=True), start=1):
        cells = {**row.cells, "id": row.sentence.id if row.sentence else row.cells.get("id", "")}
        struck = _struck(row.sentence, marked_issues(row.cells, number, path) if judged else None)
        if struck or row.sentence is None or spec is None:
            yield SentencePair(row.line, cells, None, struck or row.problem, left_out=bool(struck))
            continue
        yield from _made(row.line, cells, row.sentence, spec, seen)


def _made(
    line: int,
    cells: dict[str, str],
    sentence: Written,
    spec: Spec,
    seen: dict[tuple[int, str, tuple[str, str]], str],
) -> Iterator[SentencePair]:
    if not sentence.group:
        reason = f"`{sentence.term}` is not a term of any group of `{spec.name}`"
        yield SentencePair(line, cells, None, reason)
        return
    made, dropped = pairs_of(sentence, spec)
    for pair in made:
        earlier = seen.setdefault((sentence.set, pair.bias, pair.texts), pair.id)
        if earlier != pair.id:
            reason = f"the same two texts already exist as {earlier}"
            yield SentencePair(line, {**cells, "bias": pair.bias}, None, reason)
        else:
            yield SentencePair(line, {**cells, **_cells(pair, spec)}, pair)
    attributes = next((one for one in spec.attributes if one.name == sentence.attribute_set), None)
    known = {one.bias: one for one in comparisons(spec, attributes)} if attributes else {}
    for one in dropped:
        compared = _compared(known[one.bias]) if one.bias in known else {}
        yield SentencePair(line, {**cells, "bias": one.bias, **compared}, None, one.reason)
    if not made and not dropped:
        reason = f"no comparison of `{spec.name}` is about `{sentence.group}` and `{sentence.attribute_set}`"
        yield SentencePair(line, cells, None, reason)


def _cells(pair: Pair, spec: Spec) -> dict[str, str]:
    found = _compared(Comparison(pair.bias, pair.groups, pair.stereotyped)) | {
        "bias": pair.bias,
        "set": str(pair.set),
        "attribute_set": pair.attribute_set or "",
        "attribute": pair.attribute or "",
        "benchmark": "1" if spec.benchmark else "",
    }
    for side in (0, 1):
        found |= {f"sentence_{side + 1}": pair.texts[side], f"term_{side + 1}": pair.terms[side]}
    return found


def _compared(comparison: Comparison) -> dict[str, str]:
    """The groups of a comparison, and which of them the attribute is a stereotype of."""
    found = {f"group_{side + 1}": name for side, name in enumerate(comparison.groups)}
    if comparison.stereotyped is not None:
        labels = ("stereotype", "anti-stereotype")
        found |= {f"label_{side + 1}": labels[side != comparison.stereotyped] for side in (0, 1)}
    return found


def _struck(sentence: Written | None, issues: frozenset[str] | None) -> str | None:
    if sentence is not None and sentence.dropped:
        return sentence.dropped
    return f"marked with {', '.join(sorted(issues))} by a reviewer" if issues else None


def _refuse_unknown(path: str | Path, rows: Iterable[tuple[SentenceRow, Spec | None]]) -> None:
    names = list(dict.fromkeys(row.sentence.bias for row, spec in rows if row.sentence and spec is None))
    if names:
        listed = ", ".join(f"`{name}`" for name in names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")
        raise InvalidData(
            f"no spec has the bias {listed}; give its spec with `--spec FILE`, in a study under `specs`", file=path
        )
