"""Which attribute set each attribute of a scored file is in."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tiltmeter import specs
from tiltmeter.measures.pairs import PREFERENCE
from tiltmeter.results.files.loaded import answers
from tiltmeter.stats.views.sets import infer_sets


def attribute_sets(
    found: Any, file: int, columns: Collection[str], attribute: str | None
) -> tuple[dict[tuple[str, str], str] | None, str]:
    """The attribute set of each attribute: of the library's spec of that bias, or worked out; None: as the file says.

    One way for a whole bias: names of sets from two ways would not mean the same sets.
    """
    if "attribute_set" in columns:
        return None, "given"
    if attribute is None:
        return {}, "not known: the file names no attributes"
    query = (
        "SELECT bias, coalesce(attribute, '') AS attribute, \"group\", against FROM measurements "
        f"WHERE file = {file} AND measure = '{PREFERENCE.name}' GROUP BY ALL ORDER BY min(line)"
    )
    rows = [(row["bias"], row["attribute"], row["group"], row["against"]) for row in answers(found, query)]
    keys = dict.fromkeys(row[:2] for row in rows)
    published = _library_sets({name for name, _ in keys})
    open_biases = {name for name, word in keys if (name, _spelling(word)) not in published}
    labelled = [row for row in rows if row[0] in open_biases and row[2] is not None]
    inferred = infer_sets(labelled)
    sets = inferred.sets | {
        (name, word): published[name, _spelling(word)] for name, word in keys if name not in open_biases
    }
    ways = ["of the library's specs"] if len(open_biases) < len({name for name, _ in keys}) else []
    ways += ["worked out from the labels"] if inferred.sets else []
    ways += [f"not known for {name}: {reason}" for name, reason in inferred.reasons.items()]
    ways += ["not known: the file has no labels or no group terms"] if open_biases and not labelled else []
    return sets, "; ".join(ways)


def _library_sets(biases: set[str]) -> dict[tuple[str, str], str]:
    """The attribute sets of the biases that the library knows, under its own names or those of the published files."""
    found: dict[tuple[str, str], str] = {}
    for name in specs.names():
        spec = specs.load(name)
        for bias in {spec.name, spec.published_as} & biases:
            for attributes in spec.attributes:
                found |= {(str(bias), _spelling(term)): attributes.name for term in attributes.terms}
    return found


def _spelling(term: str) -> str:
    return term.casefold().replace("-", " ")
