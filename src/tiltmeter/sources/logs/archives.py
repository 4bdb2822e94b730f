"""The files of an archive, read without being unpacked: their sizes are bounded, and their names mean nothing."""

from __future__ import annotations

import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.parquet import database

LARGEST = 1 << 26
"""Bytes of one file."""
MOST = 200_000
"""Files of an archive."""
_TOTAL = 1 << 34
"""Bytes of all files."""
_ENCRYPTED = 0x1
_ZSTANDARD = 93
_HEADER = struct.Struct("<26xHH")
"""What stands before a file: the lengths of its name and of what is said of it are at the end."""
_OBJECT = (
    "SELECT json FROM read_json_objects(?, format = 'unstructured', compression = 'zstd', maximum_object_size = ?)"
)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    import duckdb

    try:
        yield
    except (*_BROKEN, duckdb.Error) as error:
        said = next(iter(str(error).splitlines()), "damaged")
        raise InvalidData(
            f"cannot be read as an archive of JSON files ({said:.120}); was it cut off?", file=path
        ) from None


def is_archive(path: Path) -> bool:
    """Whether a file is a ZIP archive, whatever it is called."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def names(path: Path) -> list[str]:
    """The names of the files, in their order."""
    with _readable(path), zipfile.ZipFile(path) as archive:
        return [one.filename for one in _checked(path, archive)]


def texts(path: Path, chosen: list[str]) -> Iterator[str]:
    """The texts of some files, in the order in which they are named."""
    with _readable(path), zipfile.ZipFile(path) as archive, database() as found:
        there = {one.filename: one for one in _checked(path, archive)}
        for name in chosen:
            one = there[name]
            if one.compress_type == _ZSTANDARD:
                yield _zstandard(found, path, one)
            else:
                with archive.open(one) as file:
                    content = file.read(LARGEST + 1)
                _refuse_large(path, len(content))
                yield content.decode("utf-8", errors="replace")


def _checked(path: Path, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    every = archive.infolist()
    if len(every) > MOST or sum(one.file_size for one in every) > _TOTAL:
        raise InvalidData(f"holds more than {MOST:,} files or {_TOTAL >> 30} GB; split it", file=path)
    for one in every:
        if one.flag_bits & _ENCRYPTED:
            raise InvalidData("is encrypted; save it without a password", file=path)
        _refuse_large(path, max(one.file_size, one.compress_size))
    return every


def _refuse_large(path: Path, size: int) -> None:
    if size > LARGEST:
        raise InvalidData(f"holds a file of more than {LARGEST >> 20} MB; split it", file=path)


def _zstandard(found: Any, path: Path, one: zipfile.ZipInfo) -> str:
    """A JSON file that is compressed as Python's archives cannot read before 3.14, and DuckDB can."""
    with path.open("rb") as file:
        file.seek(one.header_offset)
        file.seek(sum(_HEADER.unpack(file.read(_HEADER.size))), 1)
        content = file.read(one.compress_size)
    with tempfile.NamedTemporaryFile(suffix=".zst") as held:
        held.write(content)
        held.flush()
        [(text,)] = found.execute(_OBJECT, [held.name, one.file_size + 1024]).fetchall()
    return str(text)
