"""Raters: tools that read one text and return one number, or none and the reason; and the audit of sentences."""

from __future__ import annotations

from typing import Any

from tiltmeter import registry
from tiltmeter.errors import UserError
from tiltmeter.raters.interface import CheckedRater, Rater, language_problem
from tiltmeter.raters.masking import mask_group

__all__ = ["Rater", "check_name", "language_problem", "load", "mask_group"]


def load(name: str) -> Rater:
    """The rater of that name, ready to use; a name without a version is the newest.

    Some take an argument after a colon: `lexicon.hurtlex:FILE`, `toxicity.detoxify-original:FOLDER`.

    >>> load("readability.ari").name
    'readability.ari.v1'
    """
    maker, argument = _parsed(name)
    given = getattr(maker, "given", "")
    if given:
        raise UserError(f"the rater `{name}` cannot be loaded by name; it needs {given}")
    full = registry.resolve("rater", name.partition(":")[0])
    with registry.blamed("rater", full):
        made: Rater = maker(argument) if argument else maker()
        return CheckedRater(made, full) if registry.is_plugged("rater", full) else made


def check_name(name: str) -> None:
    """Refuse a name that stands for no rater, without loading or fetching anything."""
    _parsed(name)


def _parsed(name: str) -> tuple[Any, str]:
    """What makes the rater, and its argument."""
    kind, _, argument = name.partition(":")
    maker = registry.load("rater", kind)
    takes, needs = getattr(maker, "takes", ""), getattr(maker, "needs", False)
    if argument and not takes:
        raise UserError(f"the rater `{kind}` takes no argument, but was given `{argument}`")
    if argument and hasattr(maker, "check"):
        maker.check(argument)
    if needs and not argument:
        raise UserError(f"the rater `{kind}` needs an argument; write `{kind}:{takes}`")
    return maker, argument
