"""Finds a data set that a user named: by its path, or by a part of it that was fetched into the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tiltmeter.cache import cache_folder
from tiltmeter.errors import InvalidData
from tiltmeter.files import is_file, is_there


def locate(name: str, given: str | Path) -> tuple[Path, str | None]:
    """The file or folder, and the part asked for: `bold:gender` is the part `gender` of the copy in the cache."""
    place = Path(given)
    if is_there(place):
        return place, None
    fetched = cache_folder() / "data" / name
    if place.name == str(given) and fetched.is_dir():
        return fetched, str(given)
    raise InvalidData(
        f"no such file or folder; give the path of the data set, or download it: tiltmeter data get {name}",
        file=place,
    )


def files_of_kind(place: Path, suffix: str, recognise: Callable[[Path], bool]) -> list[Path]:
    """The files of a kind that a path stands for: itself, or those of the folder and the folders in it, sorted."""
    if is_file(place):
        return [place]
    found = [*place.glob(f"*{suffix}"), *place.glob(f"*/*{suffix}")]
    return sorted(child for child in found if child.is_file() and recognise(child))
