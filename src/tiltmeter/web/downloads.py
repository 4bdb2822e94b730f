"""Files that a browser is to keep."""

from __future__ import annotations

from urllib.parse import quote


def download_headers(name: str) -> dict[str, str]:
    """The headers of an answer that is kept as a file; the name may hold anything.

    >>> download_headers('a"b.toml')["Content-Disposition"]
    "attachment; filename*=UTF-8''a%22b.toml"
    """
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
