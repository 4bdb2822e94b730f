"""A spec that is being written: its text, and everything that is wrong with it so far, wherever it is written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tiltmeter import specs, toml
from tiltmeter.records import Spec
from tiltmeter.specs.check import check
from tiltmeter.web.fields import Fields
from tiltmeter.web.specs.form import Form, Unshowable, form_from_fields, form_of
from tiltmeter.web.specs.form_data import data_of
from tiltmeter.web.specs.places import Place, place_in_form
from tiltmeter.web.specs.text import parsed, written


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong, and where: a line of the text, and a place in the form."""

    sentence: str
    line: int | None = None
    key: str = ""
    """The key in the text."""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A spec as far as it is written. Without `data` it is no TOML; without `form` the form cannot show it."""

    text: str
    data: dict[str, Any] | None
    spec: Spec | None
    findings: tuple[Finding, ...]
    form: Form | None
    unshowable: str = ""
    """Why the form cannot show it."""


def draft_of(text: str, form: Form | None = None) -> Draft:
    """What a text says; `form` is what was sent where it was written in the form."""
    data = parsed(text)
    if data is None:
        findings = tuple(Finding(one.problem, one.line) for one in specs.examine(text).problems)
        place = f"line {findings[0].line}" if findings and findings[0].line else "it"
        return Draft(text, None, None, findings, None, f"this is no TOML yet; mend {place} first, and it can be shown")
    unshowable = ""
    if form is None:
        try:
            form = form_of(data)
        except Unshowable as reason:
            unshowable = str(reason)
    checked = check(data)
    findings = _findings(text, [(one.path, one.sentence) for one in checked.problems], form)
    return Draft(text, data, checked.spec, findings, form, unshowable)


def draft_from_form(fields: Fields) -> Draft:
    """What a page sent, as a form or as TOML; a form in which two parts have one name is refused."""
    if fields.one("as") != "form":
        return draft_of(fields.text("text"))
    base = fields.text("base")
    before = parsed(base) or {}
    form = form_from_fields(fields)
    data = data_of(form, before)
    # What nobody changed stays as it was written, comments and all.
    return draft_of(base if data == before else written(data), form)


def _findings(text: str, problems: list[tuple[toml.Path, str]], form: Form | None) -> tuple[Finding, ...]:
    lines = toml.lines(text) if problems else {}
    found = []
    for path, sentence in problems:
        place = place_in_form(path, form) if form else None
        found.append(Finding(sentence, toml.line_of(lines, path), toml.dotted(path), place))
    return tuple(sorted(found, key=lambda one: one.line or math.inf))
