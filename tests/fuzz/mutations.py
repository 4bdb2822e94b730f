"""How a good file becomes a bad one: by bytes, by lines, by cells, by the values of its JSON or of its database."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

_DEEP: Any = "deep"
for _ in range(60):
    _DEEP = [_DEEP]
NASTY: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**63, 10**400, -0.0, 1e308, float("nan"), float("inf"), 0.5, 1e12),
    *(
        "",
        " ",
        "\0",
        "\ud800",
        "a\udfffb",
        "\ufeff",
        "\r",
        "\u2028",
        "\u202e",
        "=1+1",
        "-",
        "..",
        "../x",
        "NaN",
        "1e999",
    ),
    *("x" * 5000, "n" * 300, "ß" * 300, "😀" * 200, "a " * 2000, "[T] [A]", "{}", "%s", "[profession:x]", "٣", "１"),
    *([], {}, [[]], {"": ""}, ["a"], [1, None], {"a": {"b": []}}, _DEEP),
)
SIGNS = (
    "\0",
    "\r",
    "\n",
    '"',
    ",",
    ";",
    "\t",
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "=",
    "\ufeff",
    "\x85",
    "\u2028",
    "😀",
    "é",
)
Mutation = Callable[[bytes, Random], bytes]


def mutated(data: bytes, chance: Random) -> bytes:
    """The content with one to four things in it gone wrong."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(_fitting(data))(data, chance)
    return data


def _fitting(data: bytes) -> list[Mutation]:
    if data.startswith(b"SQLite format 3"):
        return [_row_of_table] * 6 + [_flip, _cut]
    if data.startswith((b"PAR1", b"PK")):
        return [_flip] * 4 + [_cut, _doubled_part]
    general: list[Mutation] = [_flip, _cut, _lines, _lines, _sign, _encoded, _doubled_part, _emptied, _token, _token]
    head = data.lstrip()[:1]
    if head in (b"{", b"["):
        general += [_json] * 8
    elif b"," in data.split(b"\n", 1)[0] or b"\t" in data.split(b"\n", 1)[0]:
        general += [_cell] * 6
    return general


def _flip(data: bytes, chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        if changed:
            at = chance.randrange(len(changed))
            changed[at] = chance.choice((changed[at] ^ (1 << chance.randrange(8)), 0, 0xFF, chance.randrange(256)))
    return bytes(changed)


def _cut(data: bytes, chance: Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return chance.choice((data[:at], data[at:], data[:at] + data[at + chance.randrange(1, 40) :]))


def _doubled_part(data: bytes, chance: Random) -> bytes:
    at, size = chance.randrange(len(data) + 1), chance.randrange(1, 200)
    return data[:at] + data[at : at + size] * chance.choice((2, 2, 3, 50)) + data[at + size :]


def _emptied(data: bytes, chance: Random) -> bytes:
    return chance.choice(
        (b"", b"\n", b" ", b"\xef\xbb\xbf", b"null", b"[]", b"{}", b'""', data.split(b"\n", 1)[0], data)
    )


def _lines(data: bytes, chance: Random) -> bytes:
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    how = chance.randrange(5)
    if how == 0:
        lines.insert(at, lines[chance.randrange(len(lines))])
    elif how == 1:
        del lines[at]
    elif how == 2:
        lines[at] = b""
    elif how == 3:
        chance.shuffle(lines)
    else:
        lines[at] = lines[at] * chance.choice((2, 100))
    return b"\n".join(lines)


def _sign(data: bytes, chance: Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + (chance.choice(SIGNS) * chance.choice((1, 1, 2, 3000))).encode() + data[at:]


def _token(data: bytes, chance: Random) -> bytes:
    """A number or a quoted text of the file, replaced by something else."""
    text = data.decode("utf-8", "replace")
    starts = [at for at, sign in enumerate(text) if sign.isdigit() or sign == '"']
    if not starts:
        return data
    at = chance.choice(starts)
    end = text.find('"', at + 1) + 1 if text[at] == '"' else at + 1
    with suppress(ValueError):
        new = json.dumps(chance.choice(NASTY))
        return (text[:at] + new + text[end:]).encode("utf-8", "replace") if end > 0 else data
    return data


def _encoded(data: bytes, chance: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(chance.choice(("utf-16", "utf-8-sig", "latin-1", "utf-16-be", "utf-32")), "replace")


def _cell(data: bytes, chance: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    delimiter = "\t" if "\t" in text.split("\n", 1)[0] else ","
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows += (row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row)
    if not rows:
        return data
    row = chance.choice(rows)
    how = chance.randrange(4)
    if how == 0:
        del row[chance.randrange(len(row))]
    elif how == 1:
        row.insert(chance.randrange(len(row) + 1), str(chance.choice(NASTY))[:6000])
    else:
        row[chance.randrange(len(row))] = str(chance.choice(NASTY))[:6000]
    held = io.StringIO()
    csv.writer(held, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return held.getvalue().encode("utf-8", "replace")


def _json(data: bytes, chance: Random) -> bytes:
    """One value of a JSON text, or of a line of JSON, replaced, taken away, doubled or renamed."""
    text = data.decode("utf-8", "replace")
    lines = [text]
    at = 0
    if not _is_json(text):
        lines = text.split("\n")
        at = chance.randrange(len(lines))
    if not _is_json(lines[at]):
        return data
    holder = [json.loads(lines[at])]
    places = list(_places(holder))
    inside, key = chance.choice(places)
    how = chance.randrange(8)
    if how == 0:
        del inside[key]
    elif how == 1 and isinstance(inside, dict):
        inside[str(chance.choice(NASTY))[:300]] = inside.pop(key)
    elif how == 2:
        inside[key] = [inside[key], inside[key]]
    else:
        inside[key] = chance.choice(NASTY)
    made = json.dumps(holder[0] if holder else None, ensure_ascii=chance.random() < 0.7)
    lines[at] = made
    return "\n".join(lines).encode("utf-8", "replace")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    level = [value]
    while level:
        one = level.pop()
        held = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, inner in held:
            found.append((one, key))
            level.append(inner)
        if len(found) > 2000:
            break
    return found


def _row_of_table(data: bytes, chance: Random) -> bytes:
    """One cell of a database replaced, a row or a table taken away; JSON in a cell is changed as JSON is."""
    with tempfile.TemporaryDirectory(prefix="tiltmeter-fuzz-") as scratch:
        path = Path(scratch) / "d.sqlite"
        path.write_bytes(data)
        # An earlier mutation may have taken every table, or every column that can be named.
        with suppress(sqlite3.Error, UnicodeError, IndexError), closing(sqlite3.connect(path)) as database:
            database.text_factory = lambda held: held.decode("utf-8", "replace")
            tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
            table = chance.choice(tables)
            columns = [row[1] for row in database.execute(f'pragma table_info("{table}")')]
            column = chance.choice(columns)
            rows = database.execute(f'select "{column}" from "{table}" limit 50').fetchall()
            how = chance.randrange(12)
            if how == 0:
                database.execute(f'drop table "{table}"')
            elif how == 1:
                database.execute(f'delete from "{table}"')
            elif rows:
                [old] = chance.choice(rows)
                database.execute(
                    f'update "{table}" set "{column}" = ? where "{column}" is ?', (_other(old, chance), old)
                )
            database.commit()
        return path.read_bytes()


def _other(old: Any, chance: Random) -> Any:
    if isinstance(old, str) and old[:1] in ("{", "[") and chance.random() < 0.7:
        return _json(old.encode("utf-8", "replace"), chance).decode("utf-8", "replace")
    new = chance.choice(NASTY)
    if isinstance(new, int) and not isinstance(new, bool) and abs(new) >= 2**63:
        return float(10**300)
    if isinstance(new, str):
        return new.encode("utf-8", "replace").decode()
    return json.dumps(new) if isinstance(new, (list, dict)) else chance.choice((new, b"\xff\x00"))
