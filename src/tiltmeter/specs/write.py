"""Writes specs as TOML: one that exists, or a commented start for a new one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from tiltmeter import toml_writing
from tiltmeter.errors import InvalidSpec
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.specs.check import GROUP_NAMES, is_slug, slug_problem
from tiltmeter.specs.typing_mistakes import EXAMPLES

ONE_PER_LINE = ("templates",)
"""Lists with one item on a line."""

_SKELETON = """\
# A bias specification. Check it with `tiltmeter specs check FILE`; `docs/specs.md` explains every key.
name = "NAME"
# title = "TITLE"
# citation = "CITATION"
# note = "NOTE"

# [T] is replaced by the group term, [A] by the attribute.
templates = [
  "[T] likes [A]",
  "[T] is interested in [A]",
]

# Two or more groups. Term 1 of one group is the counterpart of term 1 of the other, and so on.
# `noun` is what a report calls the group's members.
[groups.male]
noun = "men"
terms = ["he", "my brother", "the man"]

[groups.female]
noun = "women"
terms = ["she", "my sister", "the woman"]

# Two or more attribute sets; `stereotype_of` names the group that a set is stereotypically linked to.
# A set without `stereotype_of` is a control. `neutral` replaces a term in scores that leave the attribute out.
[attributes.machines]
terms = ["engines", "computers", "robots"]
stereotype_of = "male"
neutral = "something"

[attributes.crafts]
terms = ["knitting", "embroidery", "pottery"]
stereotype_of = "female"
neutral = "something"
"""


def skeleton(name: str) -> str:
    """A commented spec file to start from; it passes the check as it is.

    >>> skeleton("gender-hobbies").splitlines()[1]
    'name = "gender-hobbies"'
    """
    if not is_slug(name):
        raise InvalidSpec(slug_problem(name))
    text = _SKELETON.replace("NAME", name, 1)
    for key, example in EXAMPLES.items():
        text = text.replace(key.upper(), example, 1)
    return text


def to_toml(spec: Spec) -> str:
    """The spec as a TOML text, which reads back as the same spec.

    >>> from tiltmeter.specs.read import load, parse
    >>> parse(to_toml(load("disease-permanence"))) == load("disease-permanence")
    True
    """
    data: dict[str, Any] = {"name": spec.name, "title": spec.title}
    data |= {key: value for key, value in _optional_texts(spec) if value}
    if spec.benchmark:
        data["benchmark"] = True
    if spec.compare != tuple(combinations((group.name for group in spec.groups), 2)):
        data["compare"] = spec.compare
    if spec.templates:
        data["templates"] = spec.templates
    data["groups"] = {group.name: {"terms": group.terms, **_published(group)} for group in spec.groups}
    data["attributes"] = {one.name: _attributes(one) for one in spec.attributes}
    return toml_writing.to_toml({key: value for key, value in data.items() if value != {}}, ONE_PER_LINE)


def _optional_texts(spec: Spec) -> list[tuple[str, str | None]]:
    return [
        ("citation", spec.citation),
        ("note", spec.note),
        ("published_as", spec.published_as),
        ("reference", spec.reference),
    ]


def _published(item: Group | AttributeSet) -> dict[str, str]:
    return {key: value for key in ("kind", *GROUP_NAMES, "published_as") if (value := getattr(item, key, ""))}


def _attributes(given: AttributeSet) -> dict[str, Any]:
    data: dict[str, Any] = {"terms": given.terms}
    if given.stereotype_of:
        data["stereotype_of"] = given.stereotype_of[0] if len(given.stereotype_of) == 1 else given.stereotype_of
    return data | {"neutral": given.neutral} | _published(given)
