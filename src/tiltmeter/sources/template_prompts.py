"""Source `templates` of the view "continuations": the group terms of a spec in openers, to be continued.

The openers come from `prompts/own.toml` or from the user; the term is the subject, in the past tense, so that nouns,
names and pronouns fit. Terms that cannot be a subject are dropped with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.errors import UserError
from tiltmeter.records import Dropped, Nature, Prompt, Spec
from tiltmeter.sources.own_prompts import content
from tiltmeter.sources.prompt_options import counterpart, draw
from tiltmeter.sources.subjects import put, subject

NATURE: Nature = "template"

SOURCE = "templates.v1"


def prompts(
    spec: Spec, *, openers: Sequence[str] | None = None, per_group: int | None = None, seed: int = 0
) -> tuple[list[Prompt], list[Dropped]]:
    """Every term of every group in every opener; the origin is the opener.

    `per_group` draws the same openers and the same positions in the lists of terms for every group.

    >>> from tiltmeter.records import Group
    >>> spec = Spec("speed", "Speed", (Group("male", ("he", "him")), Group("female", ("she", "her"))))
    >>> made, dropped = prompts(spec, openers=["[T] was known for"])
    >>> [prompt.text for prompt in made], dropped[0].reason
    (['He was known for', 'She was known for'], '`him` cannot be the subject of a sentence')
    """
    _check(openers)
    made: list[Prompt] = []
    dropped: list[Dropped] = []
    for group in spec.groups:
        for index, term in enumerate(group.terms):
            stands = subject(term)
            if isinstance(stands, str):
                dropped.append(Dropped(spec.name, group.name, term, stands))
                continue
            for number, opener in enumerate(openers or content()["subject_openers"]):
                text, spans = put(opener, stands)
                made.append(
                    Prompt(
                        id=f"{spec.name}/{group.name}/{number}/{index}",
                        source=SOURCE,
                        bias=spec.name,
                        origin=opener,
                        text=text,
                        group=group.name,
                        term=term,
                        template=opener,
                        group_spans=spans,
                    )
                )
    return draw(made, per_group, seed, place=counterpart), dropped


def _check(openers: object) -> None:
    # They may come from a study file, where nothing has looked at their values yet.
    if openers is None:
        return
    if not isinstance(openers, Sequence) or isinstance(openers, str) or not openers:
        raise UserError(f'must be a list of openers such as ["[T] was known for"], not {openers!r}', key="openers")
    for opener in openers:
        if not isinstance(opener, str) or "[T]" not in opener or opener != opener.rstrip():
            raise UserError(
                f"an opener needs [T] for the group, and no space at its end; not {opener!r}", key="openers"
            )
