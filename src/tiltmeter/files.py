"""Reading tables that people made, and writing files whole or not at all."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import platform
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Literal

from tiltmeter import dialects
from tiltmeter.errors import InvalidData, RunError, UserError
from tiltmeter.formulas import defused
from tiltmeter.text import all_readable, readable

# A cell may hold a whole article; the reader's default of 128 kB is too small for that.
csv.field_size_limit(2**27)
_DEEPEST = 100
_DIGITS = 300
_LONG_NAME = 160
# Signs that some reader takes for the end of a cell, a line or a file, for padding, or for the beginning of JSON.
_QUOTED = re.compile(r'[",;|\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]|^[\s{\[]|\s\Z')


@contextmanager
def whole_file(path: str | Path, mode: Literal["w", "wb"] = "w") -> Iterator[IO[Any]]:
    """Open a file for writing that appears under its name only when everything was written.

    A device or a pipe is written to directly, since replacing it would destroy it.
    """
    target = Path(path)
    text: dict[str, Any] = {} if mode == "wb" else {"encoding": "utf-8", "newline": ""}
    temporary: Path | None = None
    try:
        if target.exists() and not target.is_file():
            if target.is_dir():
                raise IsADirectoryError(None, "is a folder; name a file", str(target))
            with target.open(mode, **text) as file:
                yield file
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        number, name = tempfile.mkstemp(prefix=f"{_unfinished(target)}{os.getpid()}-", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(number, mode, **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_UMASK)
        temporary.replace(target)
    except OSError as error:
        raise RunError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with suppress(FileNotFoundError):
                temporary.unlink()


def _remove_leftovers(target: Path) -> None:
    """Remove what processes of this machine that were killed while they wrote this file have left of it."""
    begin = _unfinished(target)
    for path in target.parent.iterdir():
        if path.name.startswith(begin):
            process = path.name.removeprefix(begin).split("-")[0]
            if process.isdecimal() and not _is_alive(int(process)):
                with suppress(OSError):
                    path.unlink()


def _unfinished(target: Path) -> str:
    """How the names begin of what is written for a file on this machine; a long one is cut to leave room."""
    name = target.name
    if len(os.fsencode(name)) > _LONG_NAME:
        name = f"{name[: _LONG_NAME // 8]}-{zlib.crc32(os.fsencode(name)):08x}"
    return f".{name}.{_machine()}-"


def _machine() -> str:
    """What tells this machine from others that may write into the same folder."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _is_alive(process: int) -> bool:
    if os.name != "posix":
        # Elsewhere the signal 0 is no question.
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        # It is there, and belongs to somebody else; or nobody can tell.
        return True
    return True


def is_there(path: str | Path) -> bool:
    """Whether there is such a file or folder; what cannot be the name of one is none."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def is_file(path: str | Path) -> bool:
    """Whether there is such a file; what cannot be the name of one is none."""
    return is_there(path) and Path(path).is_file()


def plain_file(folder: Path, name: str) -> Path | None:
    """A regular file below a folder to which no link leads, nor a name such as `..`; None where there is none."""
    path = folder
    for part in name.split("/"):
        path = path / part
        if part in ("", ".", "..") or path.is_symlink():
            return None
    return path if path.is_file() else None


def refuse_links_in(folder: Path, *names: str) -> None:
    """Refuse to write files or folders of a folder that are, or hold, links, pipes or devices: they lead out of it."""
    for path in (folder / name for name in names):
        for one in (path, *(path.iterdir() if path.is_dir() and not path.is_symlink() else ())):
            if one.is_symlink() or (one.exists() and not one.is_file() and not one.is_dir()):
                raise RunError(f"{one}: is a link, a pipe or a device, through which nothing is written; remove it")


def listing_sha256(folder: Path, files: Iterable[Path]) -> str:
    """The SHA-256 of the list of the hashes and names of small files of a folder; empty where there are none."""
    lines = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(folder).as_posix()}\n"
        for file in sorted(files)
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest() if lines else ""


def write_csv(
    path: str | Path,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, object]],
    *,
    delimiter: str = ",",
    sheet: bool = False,
) -> None:
    """Write a table, row by row; None becomes an empty cell. In a `sheet`, which people open, formulas are defused."""
    with whole_file(path) as file:
        file.writelines(_csv_lines(columns, rows, delimiter, sheet=sheet))


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, sheet: bool = False) -> str:
    """The same table as text.

    >>> csv_text(["a", "b"], [{"a": 1, "b": None}])
    'a,b\\n1,\\n'
    """
    return "".join(_csv_lines(columns, rows, sheet=sheet))


def _csv_lines(
    columns: Sequence[str], rows: Iterable[Mapping[str, object]], delimiter: str = ",", *, sheet: bool = False
) -> Iterator[str]:
    """Quotes more than the module csv does, of which each version of Python reads and writes some signs differently."""
    alone = len(columns) == 1
    yield delimiter.join(map(_csv_cell, columns)) + "\n"
    for row in rows:
        given = map(row.get, columns)
        cells = ["" if cell is None else cell if type(cell) is str else str(cell) for cell in given]
        line = delimiter.join(map(_csv_cell, map(defused, cells) if sheet else cells))
        # A single blank cell would be an empty line.
        yield (line or '""' * alone) + "\n"


@lru_cache(maxsize=2_000)
def _csv_cell(cell: str) -> str:
    """A cell as it is written; of most columns the same few come again and again."""
    text = readable(cell)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def write_texts(files: Mapping[Path, str]) -> None:
    """Write texts to paths, each of them whole, and none where one of the paths cannot be written."""
    for path in files:
        check_writable(path)
    for path, text in files.items():
        with whole_file(path) as file:
            file.write(text)


def read_text(path: str | Path, noun: str = "file") -> str:
    """The text of a UTF-8 file, with or without a byte-order mark."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InvalidData(f"there is no such {noun}", file=path) from None
    except UnicodeDecodeError as error:
        raise InvalidData(f"not UTF-8 text (byte {error.start}); save it as UTF-8", file=path) from None
    except OSError as error:
        raise InvalidData(f"cannot be read: {error.strerror or error}", file=path) from None


def json_value(text: str, **options: Any) -> Any:
    """What a JSON text from outside says, fit to be written again; ValueError where it says nothing that can be used.

    That is: no JSON, or more than a hundred brackets within one another. A number beyond all measure is infinite.
    """
    try:
        value = json.loads(text, parse_int=_whole_number, **options)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level, depth = [value], 0
    while level := [held for one in level for held in _held(one) if isinstance(held, (dict, list))]:
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(f"nested more than {_DEEPEST} deep")
    return all_readable(value)


def _whole_number(digits: str) -> int | float:
    # Python's own whole numbers have no end, and everything that counts with them has.
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def _held(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def read_csv(path: str | Path, delimiter: str = ",") -> tuple[list[str], list[dict[str, str]]]:
    """The columns and rows of a table with a header; refuses one that was cut off."""
    columns, rows = read_numbered_csv(path, delimiter)
    return columns, [cells for _, cells in rows]


def read_numbered_csv(path: str | Path, delimiter: str = ",") -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The columns of a table, and its rows with the line on which each ends.

    Encoding and separator are seen from the file (`dialects`); `delimiter` is the one that is tried first.
    """
    with dialects.opened(path, delimiter) as (file, dialect):
        columns, rows = _parsed_csv(file, path, dialect)
        return columns, list(rows)


def stream_csv(path: str | Path, delimiter: str = ",") -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table one by one, each with the line on which it ends: for tables that may be very long."""
    with dialects.opened(path, delimiter) as (file, dialect):
        yield from _parsed_csv(file, path, dialect)[1]


def csv_columns(path: str | Path, delimiter: str = ",") -> list[str]:
    """The columns of a table."""
    with dialects.opened(path, delimiter) as (file, dialect):
        return _parsed_csv(file, path, dialect)[0]


def dialect_assumptions(path: str | Path) -> list[str]:
    """What was assumed of a CSV file that was not saved in the usual way, for people to check."""
    usual = "\t" if Path(path).suffix.lower() == ".tsv" else ","
    with dialects.opened(path, usual) as (file, dialect):
        found = dialect.assumptions(usual)
        rows = csv.reader(file, delimiter=dialect.delimiter)
        blank = sum(not any(cell.strip() for cell in cells) for cells in rows)
    return found + ([f"{blank} empty line{'s' * (blank != 1)} left out"] if blank else [])


def stream_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file one by one, each with its number; nothing but a line feed ends a line."""
    with _reading(path, newline="\n") as file:
        yield from enumerate(file, start=1)


@contextmanager
def _reading(path: str | Path, newline: str = "") -> Iterator[IO[str]]:
    try:
        with Path(path).open(encoding="utf-8-sig", newline=newline) as file:
            yield file
    except FileNotFoundError:
        raise InvalidData("there is no such file", file=path) from None
    except UnicodeDecodeError:
        raise InvalidData("not UTF-8 text; save it as UTF-8", file=path) from None
    except OSError as error:
        raise InvalidData(f"cannot be read: {error.strerror or error}", file=path) from None


def _parsed_csv(
    lines: Iterable[str], path: str | Path, dialect: dialects.Dialect
) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    reader = csv.reader(lines, delimiter=dialect.delimiter, strict=True)
    rows = _csv_cells(reader, path)
    columns = [cell.strip() for cell in next(rows, ())]
    if not columns:
        raise InvalidData("the file is empty; a header line with column names is needed", file=path)
    _refuse_doubles(columns, path)

    def cells_by_column() -> Iterator[tuple[int, dict[str, str]]]:
        for cells in rows:
            line = reader.line_num + dialect.lines
            if len(cells) != len(columns):
                raise InvalidData(
                    f"{len(cells)} cell{'s' * (len(cells) != 1)} where the header has {len(columns)}; "
                    "was the file cut off?",
                    file=path,
                    line=line,
                )
            yield line, dict(zip(columns, cells, strict=True))

    return columns, cells_by_column()


def _csv_cells(reader: Any, path: str | Path) -> Iterator[list[str]]:
    """The cells of each row that has any."""
    try:
        yield from (cells for cells in reader if any(cell.strip() for cell in cells))
    except csv.Error as error:
        raise InvalidData(
            f"not a well-formed table ({error}); was the file cut off?", file=path, line=reader.line_num
        ) from None


def check_writable(path: str | Path, *, not_over: Iterable[str | Path] = ()) -> None:
    """Refuse a path that cannot be written, or that is one of the files that are read, before any work is done."""
    target = Path(path)
    for other in map(Path, not_over):
        if is_file(other) and (target.resolve() == other.resolve() or (is_there(target) and target.samefile(other))):
            raise UserError("is read, so it must not be written; name another file", file=target)
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            return
        if target.is_dir():
            raise IsADirectoryError(None, "is a folder; name a file", str(target))
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise RunError(f"{target}: cannot be written: {error.strerror or error}") from error


def _refuse_doubles(columns: list[str], path: str | Path) -> None:
    doubled = {name for name in columns if columns.count(name) > 1}
    if doubled:
        raise InvalidData(f"the column `{sorted(doubled)[0]}` is listed twice in the header", file=path, line=1)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_UMASK = _umask()
"""Seen once: to look is to change it, for all threads."""
