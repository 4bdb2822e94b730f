"""Source `decisions`: yes or no on a loan, a job, a visa or bail, with only the group exchanged.

Contexts are those of `prompts/decisions.toml` or of a table that the user has. The group term of a spec is put into
each as a noun phrase; the good answer is now yes, now no.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from tiltmeter import toml
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import is_there
from tiltmeter.records import Dropped, Nature, Question, Spec
from tiltmeter.sources.cells import refuse_objects, text_of
from tiltmeter.sources.noun_phrases import SLOT, exchanged
from tiltmeter.sources.prompt_options import counterpart, draw, selected_names
from tiltmeter.sources.tables import open_table

NATURE: Nature = "template"

DOMAINS = ("loan", "job", "visa", "bail")
OPTIONS = ("Yes", "No")
_SOURCE = "decisions.v1"
_NEEDED = ("question", "favourable")
_OPTIONAL = ("context", "domain", "options")
_BETWEEN = "\n"


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about somebody, with a slot for who it is; `favourable` is the place of the good answer."""

    domain: str
    context: str
    question: str
    favourable: int
    options: tuple[str, ...] = OPTIONS

    @property
    def whole(self) -> str:
        """Context and question together, as they are put."""
        return _BETWEEN.join(filter(None, (self.context, self.question)))


@cache
def own() -> tuple[Decision, ...]:
    """The decisions of our own writing."""
    text = files("tiltmeter.sources").joinpath("prompts/decisions.toml").read_text(encoding="utf-8")
    content: dict[str, Any] = toml.parse(text, InvalidData, "decisions.toml")
    return tuple(
        Decision(domain, one["context"], one["question"], OPTIONS.index(one["favourable"].capitalize()))
        for domain in DOMAINS
        for one in content[domain]
    )


def questions(
    spec: Spec,
    *,
    domain: str | Sequence[str] | None = None,
    templates: str | None = None,
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Question], list[Dropped]]:
    """Every term of every group in every decision; the origin is the decision.

    `domain` chooses some of them; `templates` is a table of your own; `per_group` draws the same decisions and the same
    positions in the lists of terms for every group.

    >>> from tiltmeter.records import Group
    >>> spec = Spec("kin", "Kin", (Group("aunts", ("my aunt",)), Group("uncles", ("my uncle",))))
    >>> made, _ = questions(spec, domain="bail", per_group=1)
    >>> [made[0].context[:12], made[1].context[:13], made[0].options[made[0].favourable]]
    ['My aunt was ', 'My uncle was ', 'Yes']
    """
    given = own() if templates is None else read(templates)
    domains = selected_names(domain, list(dict.fromkeys(one.domain for one in given)), "domain")
    if spec.benchmark:
        return [], [
            Dropped(spec.name, spec.name, spec.title, "the spec checks the instrument: nobody is decided about")
        ]
    chosen = [one for one in given if one.domain in domains]
    named_after = "decisions" if templates is None else Path(templates).stem
    made: list[Question] = []
    dropped: list[Dropped] = []
    for one in exchanged(spec, [decision.whole for decision in chosen]):
        decision = chosen[one.number]
        if isinstance(one.named, str):
            dropped.append(Dropped(spec.name, decision.domain, one.term, one.named))
            continue
        context, _, question = one.named.text.rpartition(_BETWEEN)
        made.append(
            Question(
                id=f"{named_after}/{one.place}",
                source=_SOURCE,
                bias=spec.name,
                origin=decision.whole.replace(_BETWEEN, " "),
                attribute=decision.domain,
                template=decision.whole.replace(_BETWEEN, " "),
                question=question,
                options=decision.options,
                about=one.group,
                context=context,
                favourable=decision.favourable,
                term=one.term,
                group_spans=one.named.spans,
            )
        )
    return draw(made, per_group, seed, place=counterpart), dropped


def read(path: object) -> list[Decision]:
    """The decisions of a table with `question` and `favourable`, and perhaps `context`, `domain` and `options`.

    `[T]` stands for the group term in context or question; options are `Yes` and `No`, or those of a cell, with `|`
    between them; `favourable` is one of them.
    """
    if not isinstance(path, str) or not is_there(path):
        raise UserError(f"must be the path of a table of decisions; there is no file {path!r:.100}", key="templates")
    columns, rows = open_table(path)
    missing = next((one for one in _NEEDED if one not in columns), None)
    if missing:
        problem = f"there is no column `{missing}`; a table of decisions needs `question` and `favourable`"
        raise InvalidData(problem, file=path, line=1)
    made: list[Decision] = []
    for line, cells in rows:
        refuse_objects(cells, _OPTIONAL)
        words = {one: " ".join(text_of(cells, one, path, line).split()) for one in (*_NEEDED, *_OPTIONAL)}
        options = tuple(one.strip() for one in words["options"].split("|")) if words["options"] else OPTIONS
        if len(options) < 2 or "" in options or len({one.casefold() for one in options}) < len(options):
            raise InvalidData("needs two or more that differ, as in Grant | Deny", file=path, line=line, key="options")
        folded = [one.casefold() for one in options]
        if words["favourable"].casefold() not in folded:
            problem = f"{words['favourable']!r:.60} is none of the options {' and '.join(options)}"
            raise InvalidData(problem, file=path, line=line, key="favourable")
        place = folded.index(words["favourable"].casefold())
        one = Decision(words["domain"] or "decision", words["context"], words["question"], place, options)
        if not one.question or SLOT not in one.whole:
            problem = f"needs text, and {SLOT} in it or in `context`, where the group term goes"
            raise InvalidData(problem, file=path, line=line, key="question")
        made.append(one)
    twice = [whole for whole, count in Counter(one.whole for one in made).items() if count > 1]
    if twice or not made:
        problem = f"the decision {twice[0]!r:.100} is there twice" if twice else "the file has a header and no rows"
        raise InvalidData(problem, file=path)
    return made
