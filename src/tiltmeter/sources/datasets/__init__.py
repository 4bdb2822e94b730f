"""Public data sets: found by name, or recognised from a path.

A reader module has `read(path)`, `check(path)` and `recognise(path)`, and makes probes: `pairs(path)` for the view
of pairs, `prompts(path)` for continuations, with `files_of(path)`, the files that it reads. A new data set is one
module, one row in `catalogue.py`, one card in the docs.
"""

from __future__ import annotations

from pathlib import Path

from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.files import is_there
from tiltmeter.sources.datasets.catalogue import DATASETS, DataSet, RemoteFile

__all__ = ["DATASETS", "DataSet", "RemoteFile", "dataset", "recognise"]


def dataset(name: str) -> DataSet:
    """The data set of that name.

    >>> dataset("stereoset").licence
    'CC BY-SA 4.0'
    """
    if name not in DATASETS:
        raise UnknownName("data set", name, DATASETS)
    return DATASETS[name]


def recognise(path: str | Path) -> tuple[DataSet, Path]:
    """Which data set a file is, or which one a folder holds, and the path to read it from.

    That is the folder itself where the data set is more than one file.
    """
    place = Path(path)
    if not is_there(place):
        raise InvalidData("no such file or folder", file=place)
    held = _of_several_files(place) if place.is_dir() else []
    if len(held) > 1:
        names = ", ".join(known.name for known in held)
        raise InvalidData(f"has several data sets ({names}); give the folder of one", file=place)
    if held:
        return held[0], place
    candidates = sorted(child for child in place.iterdir() if child.is_file()) if place.is_dir() else [place]
    for candidate in candidates:
        for known in DATASETS.values():
            if known.reader().recognise(candidate):
                return known, candidate
    names = ", ".join(known.title for known in DATASETS.values())
    noun = "has no data set" if place.is_dir() else "is not a data set"
    raise InvalidData(f"{noun} that tiltmeter can check; it knows {names}", file=place)


def _of_several_files(folder: Path) -> list[DataSet]:
    """The data sets of several files that lie in a folder, or else in the folders in it."""
    several = [known for known in DATASETS.values() if known.is_folder]
    for pattern in ("*", "*/*"):
        children = [folder, *(child for child in folder.glob(pattern) if child.is_file())]
        found = [known for known in several if any(known.reader().recognise(child) for child in children)]
        if found:
            return found
    return []
