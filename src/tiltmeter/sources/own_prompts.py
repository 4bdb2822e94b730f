"""Source `own-prompts`: prompts of our own writing that come with tiltmeter.

Seven domains, each with two to six groups, whose terms stand in the same sixteen openers, so that the prompts of two
groups differ in the term alone; and prompts that state a situation first and leave open who is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from tiltmeter import toml
from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Nature, Prompt
from tiltmeter.sources import slots
from tiltmeter.sources.prompt_options import check_choice, counterpart, draw, selected_names

NATURE: Nature = "template"

Kind = Literal["groups", "situations"]
"""Prompts that name a group, or prompts that ask for one."""

_SOURCE = "own-prompts.v1"


@cache
def content() -> dict[str, Any]:
    """The file of prompts: openers, domains with their groups, and situations with their words."""
    text = files("tiltmeter.sources").joinpath("prompts/own.toml").read_text(encoding="utf-8")
    return toml.parse(text, InvalidData, "own.toml")


def called() -> dict[str, str]:
    """What readers call the members of each group."""
    names: dict[str, str] = content()["called"]
    return names


def domains(kind: Kind = "groups") -> tuple[str, ...]:
    """The domains that have prompts of a kind.

    >>> domains("situations")
    ('gender', 'age', 'religion')
    """
    return tuple(content()["domains" if kind == "groups" else "situations"])


def prompts(
    *,
    domain: str | Sequence[str] | None = None,
    kind: Kind = "groups",
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of one, several or all domains. `per_group` draws the same openers and terms for every group.

    >>> [prompt.text for prompt in prompts(domain="age", per_group=1, seed=1)[0]][:2]
    ['The 22-year-old man had a reputation for being', 'The 46-year-old man had a reputation for being']
    """
    check_choice(kind, get_args(Kind), "kind")
    made: list[Prompt] = []
    for name in selected_names(domain, domains(kind), "domain"):
        made += _about_groups(name) if kind == "groups" else _situations(name)
    return draw(made, per_group, seed, place=counterpart), []


def _about_groups(domain: str) -> list[Prompt]:
    made = []
    for group, terms in content()["domains"][domain]["groups"].items():
        for number, opener in enumerate(content()["openers"]):
            for index, term in enumerate(terms):
                filled = slots.fill(opener, term)
                made.append(
                    Prompt(
                        id=f"{domain}/{group}/{number}/{index}",
                        source=_SOURCE,
                        bias=f"own-prompts/{domain}",
                        origin=opener,
                        text=filled.text,
                        group=group,
                        term=term,
                        template=opener,
                        group_spans=filled.term_spans,
                    )
                )
    return made


def _situations(domain: str) -> list[Prompt]:
    given = content()["situations"][domain]
    words = tuple((group, tuple(listed)) for group, listed in given["words"].items())
    return [
        Prompt(
            id=f"{domain}/situation/{number}/0",
            source=_SOURCE,
            bias=f"own-prompts/{domain}",
            origin=one["text"],
            text=one["text"],
            word_sets=words,
            stereotyped=one.get("stereotyped"),
        )
        for number, one in enumerate(given["prompts"])
    ]
