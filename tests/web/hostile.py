"""Strings that try to get out of where they are put."""

from __future__ import annotations

HOSTILE = (
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 1</script>",
    '"><img src=x onerror="window.pwned = 1">',
    "' onmouseover='window.pwned = 1' x='",
    "<svg/onload=window.pwned=1>",
    "javascript:window.pwned=1",
    "</textarea><script>window.pwned = 1</script>",
    "</title><script>window.pwned = 1</script>",
    "<!--<script>window.pwned = 1//",
    "]]><script>window.pwned = 1</script>",
    "{{ 7 * 7 }}{% for x in [1] %}pwned{% endfor %}",
    "${window.pwned = 1}`window.pwned = 1`",
    "<div hx-get='/specs' hx-trigger='load'>hx</div>",
    "<div sse-connect='/runs' hx-on::load='window.pwned = 1'>sse</div>",
    "datum.constructor.constructor('window.pwned = 1')()",
    "../../../../etc/passwd",
    "%2e%2e%2f%00",
    "a\u202egnidaer fo noitcerid eht\u202c b",
    "\u200bzero\u200bwidth\ufeff",
    "W" * 3000,
    "word " * 600,
    "Zͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘",
    "👩🏿‍❤️‍💋‍👨🏻" * 20,
    '=HYPERLINK("http://evil.example")',
    "line one\nline two\r\nline three\ttab",
    "NULL",
    "None",
    "NaN",
    "true",
    "-1",
    "",
)
PRINTABLE = tuple(text for text in HOSTILE if text.strip() and text == text.strip() and "\n" not in text)
"""Those that a spec can hold at all: on one line, with something to see."""
