"""Places that are not on this machine's disk: `s3://bucket/folder`, `gs://…`, `memory://…`, whatever fsspec knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tiltmeter.errors import MissingExtra, RunError, UserError
from tiltmeter.files import whole_file


def is_address(place: str | Path) -> bool:
    """Whether a place is an address rather than a path.

    >>> is_address("s3://bucket/runs"), is_address("runs/first"), is_address(Path("a/b"))
    (True, False, False)
    """
    return "://" in str(place)


def filesystem_of(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtra(f"places such as {address.partition('://')[0]}://", "big", "fsspec") from None
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:
        raise UserError(f"{address}: cannot be opened here: {error}") from None
    except ValueError as error:
        raise UserError(f"{address}: is no address that is known: {error}") from None
    return system, path


def joined(place: str | Path, name: str) -> str | Path:
    """A name below a place.

    >>> joined("s3://bucket/runs/", "pairs.parquet"), str(joined(Path("runs"), "pairs.parquet"))
    ('s3://bucket/runs/pairs.parquet', 'runs/pairs.parquet')
    """
    return f"{str(place).rstrip('/')}/{name}" if is_address(place) else Path(place) / name


@contextmanager
def whole_object(place: str | Path) -> Iterator[IO[Any]]:
    """Open a file or an object for writing, which appears under its name only when everything was written."""
    if not is_address(place):
        with whole_file(place, "wb") as file:
            yield file
        return
    system, path = filesystem_of(str(place))
    part = f"{path}.part"
    try:
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        with system.open(part, "wb") as file:
            yield file
        system.mv(part, path)
    except OSError as error:
        raise RunError(f"{place}: cannot be written: {error}") from error
    finally:
        if system.exists(part):
            system.rm(part)
