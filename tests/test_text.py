"""Halves of characters, which JSON can hold and nothing else can."""

from __future__ import annotations

import json

import pytest

from tiltmeter.text import all_readable, is_readable, readable


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("plain", "plain"),
        ("\ufeffmark", "\ufeffmark"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\ud83d" + "\ude42", "🙂"),
        ("\ud83d\ud83d\ude42\ude42", "\ufffd🙂\ufffd"),
        ("end\udfff", "end\ufffd"),
        ("\x00 nul", "\x00 nul"),
    ],
)
def test_halves_are_joined_or_replaced(given: str, expected: str) -> None:
    assert readable(given) == expected
    assert is_readable(expected)
    assert readable(expected) == expected


def test_every_text_of_json_is_readable() -> None:
    found = all_readable(json.loads('{"a\\ud800": ["\\udfff", {"b": "\\ud83d\\ude42"}, 1, null, true]}'))
    assert found == {"a\ufffd": ["\ufffd", {"b": "🙂"}, 1, None, True]}
    json.dumps(found, ensure_ascii=False).encode()
