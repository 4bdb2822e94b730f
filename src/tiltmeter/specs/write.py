"""Writes specs as TOML: one that exists, or a commented start for a new one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations

from tiltmeter.errors import InvalidSpec
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.specs.check import is_slug, slug_problem

_WIDTH = 110

_SKELETON = """\
# A bias specification. Check it with `tiltmeter specs check FILE`; `docs/specs.md` explains every key.
name = "NAME"
title = "Which groups, and what about them"
citation = "Where the word lists come from: authors, year, title"
note = "What a reader of the figures should know"

# [T] is the place of the group term, [A] that of the attribute.
templates = [
  "[T] likes [A]",
  "[T] is interested in [A]",
]

# Two groups or more. Term 1 of one group is the counterpart of term 1 of the other, and so on.
[groups.male]
terms = ["he", "my brother", "the man"]

[groups.female]
terms = ["she", "my sister", "the woman"]

# Two attribute sets or more; `stereotype_of` names the group that a set is stereotypically tied to.
# A set without `stereotype_of` is a control. `neutral` stands in for a term where a score without it is wanted.
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
    return _SKELETON.replace("NAME", name, 1)


def to_toml(spec: Spec) -> str:
    """The spec as a TOML text, which reads back as the same spec.

    >>> from tiltmeter.specs.read import load, parse
    >>> parse(to_toml(load("disease-permanence"))) == load("disease-permanence")
    True
    """
    top = [f"name = {_text(spec.name)}", f"title = {_text(spec.title)}"]
    top += [f"{key} = {_text(value)}" for key, value in _optional_texts(spec) if value]
    if spec.benchmark:
        top.append("benchmark = true")
    if spec.compare != tuple(combinations((group.name for group in spec.groups), 2)):
        pairs = ", ".join(f"[{_text(first)}, {_text(second)}]" for first, second in spec.compare)
        top.append(f"compare = [{pairs}]")
    if spec.templates:
        top.append(_list("templates", spec.templates, one_per_line=True))
    tables = [_group_table(group) for group in spec.groups]
    tables += [_attribute_table(attributes) for attributes in spec.attributes]
    return "\n\n".join(["\n".join(top), *tables]) + "\n"


def _optional_texts(spec: Spec) -> list[tuple[str, str | None]]:
    return [
        ("citation", spec.citation),
        ("note", spec.note),
        ("published_as", spec.published_as),
        ("reference", spec.reference),
    ]


def _group_table(group: Group) -> str:
    rows = [f"[groups.{group.name}]", _list("terms", group.terms), *_published(group)]
    return "\n".join(rows)


def _published(item: Group | AttributeSet) -> list[str]:
    return [f"published_as = {_text(item.published_as)}"] if item.published_as else []


def _attribute_table(attributes: AttributeSet) -> str:
    rows = [f"[attributes.{attributes.name}]", _list("terms", attributes.terms)]
    if len(attributes.stereotype_of) == 1:
        rows.append(f"stereotype_of = {_text(attributes.stereotype_of[0])}")
    elif attributes.stereotype_of:
        rows.append(_list("stereotype_of", attributes.stereotype_of))
    rows.append(f"neutral = {_text(attributes.neutral)}")
    return "\n".join([*rows, *_published(attributes)])


def _list(key: str, items: Sequence[str], *, one_per_line: bool = False) -> str:
    written = [_text(item) for item in items]
    whole = f"{key} = [{', '.join(written)}]"
    if len(whole) <= _WIDTH and not (one_per_line and len(items) > 1):
        return whole
    rows, row = [], ""
    for item in written:
        if row and (one_per_line or len(row) + len(item) > _WIDTH):
            rows.append(row)
            row = ""
        row += f" {item}," if row else f"  {item},"
    return "\n".join([f"{key} = [", *rows, row, "]"])


def _text(text: str) -> str:
    # TOML's quoted text is JSON's, but for the delete character, which JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
