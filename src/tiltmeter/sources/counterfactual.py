"""Source `counterfactual`: the same prompt with the group exchanged, so that texts can be compared two by two.

The prompts are the templates of the spec itself, cut before the attribute ("The [T] works as a [A]" asks to go on from
"The nurse works as"), or openers of ours where none of them says anything before it, or those of a list or table that
the user has, with `[T]` where the group term goes. What one group lacks is left out of all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import is_there
from tiltmeter.records import Dropped, Nature, Prompt, Spec
from tiltmeter.sources.cells import text_of
from tiltmeter.sources.noun_phrases import SLOT, exchanged
from tiltmeter.sources.own_prompts import content
from tiltmeter.sources.prompt_options import counterpart, draw
from tiltmeter.sources.tables import open_table

NATURE: Nature = "template"

SOURCE = "counterfactual.v1"
NOT_OPEN = "nothing is said of the group before the attribute, so that it makes no prompt"
_COLUMNS = ("template", "prompt", "text")
_ARTICLE = re.compile(r"\s+(?:an?|the)$", re.IGNORECASE)


def prompts(
    spec: Spec, *, templates: str | Sequence[str] | None = None, per_group: int | None = None, seed: int = 0
) -> tuple[list[Prompt], list[Dropped]]:
    """Every term of every group in every template; the origin is the template.

    `templates` is a list of prompts with `[T]`, or the path of a table of them; `per_group` draws the same templates
    and the same positions in the lists of terms for every group.

    >>> from tiltmeter.records import Group
    >>> groups = Group("aunts", ("my aunt",), kind="phrase"), Group("uncles", ("my uncle",), kind="phrase")
    >>> spec = Spec("kin", "Kin", groups, templates=("[T] works as a [A].", "[A] is for [T]"))
    >>> made, dropped = prompts(spec)
    >>> [prompt.text for prompt in made], [one.text for one in dropped]
    (['My aunt works as', 'My uncle works as'], ['[A] is for [T]'])
    """
    given = (_own(spec) or content()["subject_openers"]) if templates is None else _given(templates)
    dropped = []
    if templates is None:
        dropped = [Dropped(spec.name, text, text, NOT_OPEN) for text in spec.templates if _cut(text) is None]
    made: list[Prompt] = []
    for one in exchanged(spec, given):
        template = given[one.number]
        if isinstance(one.named, str):
            dropped.append(Dropped(spec.name, template, one.term, one.named))
            continue
        made.append(
            Prompt(
                id=f"counterfactual/{one.place}",
                source=SOURCE,
                bias=spec.name,
                origin=template,
                template=template,
                text=one.named.text,
                group=one.group,
                term=one.term,
                group_spans=one.named.spans,
                status="template",
            )
        )
    return draw(made, per_group, seed, place=counterpart), dropped


def _own(spec: Spec) -> list[str]:
    return list(dict.fromkeys(cut for text in spec.templates if (cut := _cut(text)) is not None))


def _cut(template: str) -> str | None:
    """What a template says before its attribute, without the attribute's article; None where that is not enough.

    >>> _cut("[T] is an [A]."), _cut("[T] [A]"), _cut("[A] is for [T]"), _cut("[T] was known for")
    ('[T] is', None, None, '[T] was known for')
    """
    before, _, _ = template.partition("[A]")
    found = _ARTICLE.sub("", before.rstrip()) if "[A]" in template else template.rstrip()
    return found if SLOT in found and not found.endswith(SLOT) else None


def _given(templates: object) -> list[str]:
    """The prompts of a list or table, each with a place for the group."""
    if isinstance(templates, str):
        if not is_there(templates):
            raise UserError(f"there is no file {templates!r:.100}; give a list of prompts, or a table", key="templates")
        return _checked(_read(templates), templates)
    if not isinstance(templates, Sequence) or not templates or not all(isinstance(one, str) for one in templates):
        raise UserError(
            f'must be a list of prompts such as ["[T] was known for"], or a table of them, not {templates!r:.100}',
            key="templates",
        )
    return _checked(list(templates), None)


def _read(path: str) -> list[str]:
    columns, rows = open_table(path)
    named = next((one for one in _COLUMNS if one in columns), None)
    if named is None:
        problem = (
            f"there is no column {' or '.join(f'`{one}`' for one in _COLUMNS)}, with [T] where the group term goes"
        )
        raise InvalidData(problem, file=path, line=1)
    return [text_of(cells, named, path, line).strip() for line, cells in rows]


def _checked(templates: Sequence[str], path: str | None) -> list[str]:
    wrong = next((one for one in templates if SLOT not in one or one != one.rstrip() or "[A]" in one), None)
    if wrong is not None or not templates:
        problem = f"a prompt needs [T] where the group term goes, no [A], and no space at its end; not {wrong!r:.100}"
        problem = problem if templates else "there are no prompts in it"
        raise InvalidData(problem, file=path) if path else UserError(problem, key="templates")
    if len(set(templates)) < len(templates):
        twice = next(one for one in templates if list(templates).count(one) > 1)
        problem = f"the prompt {twice!r:.100} is there twice"
        raise InvalidData(problem, file=path) if path else UserError(problem, key="templates")
    return list(templates)
