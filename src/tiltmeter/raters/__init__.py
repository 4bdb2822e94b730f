"""Raters: tools that read one text and return one number, or none and the reason; and the audit of sentences."""

from __future__ import annotations

from tiltmeter.raters.interface import Rater


def load(name: str) -> Rater:
    """The rater of that name, ready to use; a name without a version is the newest.

    >>> load("readability.ari").name
    'readability.ari.v1'
    """
    from tiltmeter import registry

    made: Rater = registry.load("rater", name)()
    return made
