"""How a table was saved by whoever saved it: its encoding and its separator, seen from the file itself."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tiltmeter.errors import InvalidData

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# The mark of UTF-32 begins as that of UTF-16 does.
_BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_ENCODINGS = {"cp1252": "Windows-1252 (Latin-1)", "latin-1": "Latin-1"}
_WHOLE_SIGN = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH = re.compile(rb"[\x80-\xff]")
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n")
_SAMPLE = 2**18
_CHUNK = 2**20
_ROWS = 50


@dataclass(frozen=True, slots=True)
class Dialect:
    """The encoding and the separator of a table; `start` and `lines` are the bytes and lines before its header."""

    encoding: str
    delimiter: str
    start: int = 0
    lines: int = 0

    def assumptions(self, usual: str = ",") -> list[str]:
        """What is unusual about it, in words.

        >>> Dialect("cp1252", ";").assumptions()
        ['read as Windows-1252 (Latin-1), since it is not UTF-8', 'columns separated by semicolons']
        """
        found = []
        if self.encoding in _ENCODINGS:
            found.append(f"read as {_ENCODINGS[self.encoding]}, since it is not UTF-8")
        elif self.encoding != "utf-8":
            found.append(f"read as {self.encoding[:6].upper()}")
        if self.delimiter != usual:
            found.append(f"columns separated by {SEPARATORS[self.delimiter]}")
        return found


@contextmanager
def opened(path: str | Path, delimiter: str = ",") -> Iterator[tuple[IO[str], Dialect]]:
    """A table from its header on, as text, and how it was saved; `delimiter` is tried before the others."""
    try:
        with Path(path).open("rb") as given:
            # What can be read only once is held in memory.
            file: IO[bytes] = given if given.seekable() else io.BytesIO(given.read())
            dialect = _dialect(file, path, delimiter)
            file.seek(dialect.start)
            with io.TextIOWrapper(file, encoding=dialect.encoding, newline="") as text:
                for _ in range(dialect.lines):
                    text.readline()
                yield text, dialect
    except FileNotFoundError:
        raise InvalidData("there is no such file", file=path) from None
    except UnicodeDecodeError:
        raise InvalidData("neither UTF-8 nor UTF-16 text; save it as UTF-8", file=path) from None
    except OSError as error:
        raise InvalidData(f"cannot be read: {error.strerror or error}", file=path) from None


def _dialect(file: IO[bytes], path: str | Path, delimiter: str) -> Dialect:
    head = file.read(_SAMPLE)
    mark = next((mark for mark in _BOMS if head.startswith(mark)), b"")
    file.seek(len(mark))
    encoding = _BOMS.get(mark, "utf-8")
    if encoding == "utf-8":
        encoding = _encoding(file, path)
    sample = head[len(mark) :].decode(encoding, errors="ignore")
    told = _SEPARATOR_LINE.match(sample)
    if told and told[1] in SEPARATORS:
        return Dialect(encoding, told[1], len(mark), 1)
    return Dialect(encoding, _separator(sample, delimiter, whole=len(head) < _SAMPLE), len(mark))


def _encoding(file: IO[bytes], path: str | Path) -> str:
    """UTF-8, or the Latin alphabet with one byte for a letter; refuses what is no text, and UTF-8 that is damaged."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    begin = file.tell()
    quoted = 0
    try:
        while chunk := file.read(_CHUNK):
            # Inside quotation marks a text may hold anything; between cells only other kinds of files have zero bytes.
            if b"\0" in chunk and any(b"\0" in part for part in chunk.split(b'"')[quoted % 2 :: 2]):
                raise InvalidData("not a table of text: it holds zero bytes", file=path)
            quoted += chunk.count(b'"')
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        file.seek(begin)
        data = file.read()
        signs = _WHOLE_SIGN.findall(data)
        others = len(_HIGH.findall(data)) - sum(map(len, signs))
        if len(signs) >= others:
            problem = "UTF-8 text that is damaged or cut off; save it as UTF-8 again"
            raise InvalidData(problem, file=path) from error
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            return "latin-1"
        return "cp1252"
    return "utf-8"


def _separator(sample: str, usual: str, *, whole: bool) -> str:
    """The sign that cuts all rows into as many cells as the header has; the usual one where none does."""
    order = [usual, *(sign for sign in SEPARATORS if sign != usual)]
    widths = {sign: _widths(sample, sign, whole=whole) for sign in order}
    for sign, found in widths.items():
        if found and found[0] > 1 and len(set(found)) == 1:
            return sign
    return next((sign for sign, found in widths.items() if found and found[0] > 1), usual)


def _widths(sample: str, delimiter: str, *, whole: bool) -> list[int]:
    found: list[int] = []
    ended = False
    try:
        for cells in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter, strict=True):
            if any(cell.strip() for cell in cells):
                found.append(len(cells))
            if len(found) > _ROWS:
                break
        else:
            ended = True
    except csv.Error:
        ended = True
    # The last row of a sample may have been cut by the sample.
    return found if whole or not ended else found[:-1]
