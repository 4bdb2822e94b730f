"""Works as entries for BibTeX."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.present.references import Reference
from tiltmeter.report.latex import escaped


def bibtex(references: Sequence[Reference]) -> str:
    """A file of entries, in the order of their numbers.

    >>> print(bibtex([Reference("hall1992", "On it", ("Hall", "others"), 1992, "JRSS")]), end="")
    @misc{hall1992,
      author = {{Hall} and others},
      year = {1992},
      title = {{On it}},
      howpublished = {JRSS},
    }
    """
    return "\n".join(map(_entry, references))


def _entry(work: Reference) -> str:
    people = " and ".join(name if name == "others" else f"{{{escaped(name)}}}" for name in work.authors)
    fields = {
        "author": people,
        "year": str(work.year or ""),
        "title": f"{{{escaped(work.title)}}}",
        "howpublished": escaped(work.venue),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{work.key},", *lines, "}", ""])
