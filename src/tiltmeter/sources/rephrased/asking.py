"""Prompts that ask for the next word, in many sentence structures: the open templates of a spec behind other openings.

A prompt that leaves the group open ends where the group is expected, so only what stands before may change: an opening
that makes the sentence part of a larger one ("Did you know that the nurse said that"), or a cleft, an existential or a
question of a template that says something of somebody ("It was the nurse who said that").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tiltmeter.errors import UserError
from tiltmeter.records import Dropped, Prompt, Spec, Structure, StructureKind
from tiltmeter.sources import open_templates, slots
from tiltmeter.sources.prompt_options import check_choice, check_count, draw
from tiltmeter.sources.rephrased import verbs
from tiltmeter.sources.rephrased.paraphrasing.targets import targets
from tiltmeter.sources.rephrased.prompting import SOURCE, no_people
from tiltmeter.sources.rephrased.structures import FIXED

_SAID = re.compile(r"The \[A\] (?P<verb>[a-z]+)(?P<rest>\b.*)")
_BE = frozenset({"is", "was"})
NO_ROOM = "the template cannot be put into this structure"


@dataclass(frozen=True, slots=True)
class OpenForm:
    """A structure of open prompts: an opening, or a name of a form that moves the parts of the template."""

    structure: Structure
    opening: str = ""


def open_forms(kind: StructureKind | None = None) -> list[OpenForm]:
    """Every structure that an open prompt can have: first those that move parts, then one opening of each family.

    >>> [form.structure.id for form in open_forms("interrogative")]
    ['yes-no-question', 'asked-of-the-reader', 'asked-of-the-reader-2']
    """
    made: list[list[OpenForm]] = [[], [], []]
    for target in targets():
        for number, opening in enumerate(target.openings):
            name = f"{target.name}-{number + 1}" if number else target.name
            form = Structure(name, target.kind, target.family, target.skeleton)
            made[min(number, 1) + 1].append(OpenForm(form, opening))
        if target.name in _BUILT:
            made[0].append(OpenForm(Structure(target.name, target.kind, target.family, target.skeleton)))
    return [form for turn in made for form in turn if kind in (None, form.structure.kind)]


def open_prompts(
    spec: Spec | None = None,
    *,
    structures: int | None = None,
    kind: StructureKind | None = None,
    fixed: bool = False,
    templates: Sequence[str] | None = None,
    limit: int | None = None,
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """Every open prompt of a spec (or of professions) in every structure that its template can take.

    `structures` takes the first so many, declarative and interrogative in turn; `fixed` adds the prompts as they are.

    >>> made, _ = open_prompts(structures=2, fixed=True, templates=["The [A] said that"], limit=1)
    >>> [(prompt.structure.id, prompt.text.replace(prompt.origin, "…")) for prompt in made]
    [('fixed', 'The … said that'), ('cleft', 'It was the … who said that'), ('yes-no-question', 'Did the … say that')]
    """
    check_count(structures, "structures")
    if kind is not None:
        check_choice(kind, ("declarative", "interrogative"), "kind")
    if type(fixed) is not bool:
        raise UserError(f"must be true or false, not {fixed!r}", key="fixed")
    if spec and spec.benchmark:
        return [], [no_people(spec)]
    plain, dropped = open_templates.prompts(spec, templates=templates, limit=limit, seed=seed)
    forms = _in_turn(kind)
    if structures is not None and structures > len(forms):
        raise UserError(f"must be at most {len(forms)}, the number available, not {structures}", key="structures")
    made, refused = [], dict[tuple[str, str], Dropped]()
    for prompt in plain:
        if fixed:
            made.append(replace(prompt, source=SOURCE, structure=Structure(FIXED, "declarative", "plain", "")))
        for form in forms[:structures]:
            template = rephrased_template(prompt.template or "", form)
            if template is None:
                why = Dropped(prompt.bias, prompt.origin, prompt.template or "", f"{form.structure.id}: {NO_ROOM}")
                refused.setdefault((prompt.template or "", form.structure.id), why)
                continue
            filled = slots.fill(template, "", prompt.origin)
            spans = filled.attribute_spans if prompt.subject_spans else ()
            made.append(
                replace(
                    prompt,
                    id=f"{prompt.id}/{form.structure.id}",
                    source=SOURCE,
                    text=filled.text,
                    template=template,
                    subject_spans=spans,
                    structure=form.structure,
                )
            )
    return draw(made, per_group, seed), [*dropped, *refused.values()]


def rephrased_template(template: str, form: OpenForm) -> str | None:
    """A template that ends where the group is expected, in another structure; None where it cannot be had.

    >>> forms = {one.structure.id: one for one in open_forms()}
    >>> [rephrased_template("The [A] was fired because", forms[name]) for name in ("reported", "yes-no-question")]
    ['People say that the [A] was fired because', 'Was the [A] fired because']
    >>> rephrased_template("As a [A],", forms["cleft"]) is None
    True
    """
    if form.opening:
        opening = form.opening[:1].upper() + form.opening[1:]
        if opening.casefold() in template.casefold().split():
            return None
        first = template.split(" ", 1)[0]
        known = first in {"The", "A", "An", "In", "As", "Every", "My"} or template.startswith("[A]")
        return f"{opening} {template[:1].lower()}{template[1:]}" if known else None
    found = _SAID.fullmatch(template)
    if found is None:
        return None
    return _BUILT[form.structure.id](found["verb"], found["rest"])


def _cleft(verb: str, rest: str) -> str:
    return f"It {_be(verb)} the [A] who {verb}{rest}"


def _existential(verb: str, rest: str) -> str:
    return f"There {_be(verb)} a [A] who {verb}{rest}"


def _question(verb: str, rest: str) -> str:
    if verb in _BE:
        return f"{verb.capitalize()} the [A]{rest}"
    helping = "Did" if verbs.is_past(verb) else "Does"
    return f"{helping} the [A] {verbs.base(verb)}{rest}"


def _be(verb: str) -> str:
    return "was" if verb == "was" or (verb not in _BE and verbs.is_past(verb)) else "is"


_BUILT = {"cleft": _cleft, "existential": _existential, "yes-no-question": _question}


def _in_turn(kind: StructureKind | None) -> list[OpenForm]:
    """Declarative and interrogative in turn, so that few structures are of both kinds."""
    if kind is not None:
        return open_forms(kind)
    return list(_alternating(open_forms("declarative"), open_forms("interrogative")))


def _alternating(first: Sequence[OpenForm], second: Sequence[OpenForm]) -> Iterator[OpenForm]:
    for at in range(max(len(first), len(second))):
        yield from first[at : at + 1]
        yield from second[at : at + 1]
