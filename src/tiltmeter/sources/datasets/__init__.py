"""Public data sets: where each comes from, under which terms, and the module that reads it.

A reader module has `read(path)`, `pairs(path)`, `check(path)` and `recognise(path)`. A new data set is
one module, one row here, one card in the docs.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData, UnknownName


@dataclass(frozen=True, slots=True)
class DataSet:
    """What a user needs to know to get a data set and to cite it."""

    name: str
    title: str
    licence: str
    origin: str
    """The authors' page."""
    url: str
    """The file itself."""
    file: str
    citation: str
    module: str

    def reader(self) -> Any:
        """The module that reads it, imported now."""
        return importlib.import_module(self.module)


DATASETS = {
    dataset.name: dataset
    for dataset in (
        DataSet(
            name="crows-pairs",
            title="CrowS-Pairs",
            licence="CC BY-SA 4.0",
            origin="https://github.com/nyu-mll/crows-pairs",
            url="https://raw.githubusercontent.com/nyu-mll/crows-pairs/master/data/crows_pairs_anonymized.csv",
            file="crows_pairs_anonymized.csv",
            citation=(
                "Nangia, Vania, Bhalerao & Bowman (2020). CrowS-Pairs: A Challenge Dataset for Measuring Social "
                "Biases in Masked Language Models. EMNLP."
            ),
            module="tiltmeter.sources.datasets.crows_pairs",
        ),
        DataSet(
            name="stereoset",
            title="StereoSet, development set",
            licence="CC BY-SA 4.0",
            origin="https://github.com/moinnadeem/StereoSet",
            url="https://raw.githubusercontent.com/moinnadeem/StereoSet/master/data/dev.json",
            file="dev.json",
            citation=(
                "Nadeem, Bethke & Reddy (2021). StereoSet: Measuring stereotypical bias in pretrained language "
                "models. ACL."
            ),
            module="tiltmeter.sources.datasets.stereoset",
        ),
    )
}


def dataset(name: str) -> DataSet:
    """The data set of that name.

    >>> dataset("stereoset").licence
    'CC BY-SA 4.0'
    """
    if name not in DATASETS:
        raise UnknownName("data set", name, DATASETS)
    return DATASETS[name]


def recognise(path: str | Path) -> tuple[DataSet, Path]:
    """Which data set a file is, or which one a folder holds, and the file itself."""
    place = Path(path)
    if not place.exists():
        raise InvalidData("there is no such file or folder", file=place)
    candidates = sorted(child for child in place.iterdir() if child.is_file()) if place.is_dir() else [place]
    for candidate in candidates:
        for known in DATASETS.values():
            if known.reader().recognise(candidate):
                return known, candidate
    names = ", ".join(f"{known.title} ({known.file})" for known in DATASETS.values())
    noun = "holds no data set" if place.is_dir() else "is not a data set"
    raise InvalidData(f"{noun} that tiltmeter can check; it knows {names}", file=place)
