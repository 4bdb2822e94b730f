"""The sentences of a run, read back from its folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tiltmeter.records import Spec, Written
from tiltmeter.sources.generated import GenerationSettings, assemble
from tiltmeter.store import read_meta, read_written, spec_of


def read_written_sentences(folder: str | Path) -> tuple[list[Written], dict[str, Spec]]:
    """Every sentence that the generators of a run wrote for its test, dropped ones included, and the run's specs.

    Where several sources wrote, the label of the source stands before the id of a sentence, as it does in the ids of
    pairs.
    """
    written = read_written(folder)
    found: list[Written] = []
    for label, results in written.items():
        # A sentence is put together with the others of its spec: one that stands there twice counts once.
        sentences = assemble(results, GenerationSettings()).sentences
        several = len(written) > 1
        found += [replace(one, id=f"{label}:{one.id}") if several else one for one in sentences]
    return found, {data["name"]: spec_of(data) for data in read_meta(folder)["resolved"]["specs"]}
