"""Word lists as columns of a CSV file, as spreadsheets write it."""

from __future__ import annotations

import csv
import io

from tiltmeter.web.workbench import plain_name


def word_lists(text: str) -> dict[str, list[str]]:
    """The columns of a CSV by their headings; none where it is not a table of three columns or more.

    >>> word_lists("Women;men;Jobs\\nshe;he;nurse\\n;;pilot\\n")
    {'Women': ['she'], 'men': ['he'], 'Jobs': ['nurse', 'pilot']}
    """
    head = text.lstrip().partition("\n")[0]
    between = max(",;\t", key=head.count)
    try:
        table = list(csv.reader(io.StringIO(text), delimiter=between, strict=True))
    except csv.Error:
        return {}
    rows = [row for row in table if any(map(str.strip, row))]
    if not rows or len(rows[0]) < 3 or "=" in head:
        return {}
    titles = [title.strip() for title in rows[0]]
    if len({plain_name(title) for title in titles}) < len(titles):
        return {}
    cells = ((title, row[at].strip()) for row in rows[1:] for at, title in enumerate(titles) if at < len(row))
    found: dict[str, list[str]] = {title: [] for title in titles}
    for title, word in cells:
        if word:
            found[title].append(word)
    return found
