"""Source `templates` of the view "next words": the templates of a spec, cut or turned so that the group comes next.

- Where the attribute stands before the group, the template is cut before the group: "The [A] said that [T]" asks
  whom the model expects after "The nurse said that".
- Otherwise a template that says something of the group is turned around: "[T] likes [A]" asks who comes after "The one
  who likes math is"; and after "The ones who like math are" where most terms of the spec are plural. Only without such
  a template is the article of one taken along: "The [T] is [A]" asks who comes after "The one who is calm is the".

Without a spec it is the source `profession-templates`. The words asked for are the terms of the spec's groups, with an
article where the turned sentence needs one ("is the man", but "is Emily").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.english import AUXILIARIES, PREPOSITIONS
from tiltmeter.records import Dropped, Nature, Prompt, Spec
from tiltmeter.sources import profession_templates, slots
from tiltmeter.sources.prompt_options import draw
from tiltmeter.sources.subjects import Subject, subject
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.word_kinds import verb_misfit

NATURE: Nature = "template"

SOURCE = "templates.v1"
_CUT = re.compile(r"(?P<before>.*\[A\].*?)\s*\[T\]")
_SAID = re.compile(r"(?:(?P<article>[Tt]he) )?\[T\] (?P<said>(?P<verb>\w+)\b.*\[A\].*?)[.!]?")
_PLURAL_VERBS = frozenset({"are", "like", "have", "were", "do", "work", "want"})
_SINGULAR_VERBS = frozenset({"is", "was", "has", "does"})
_A_PERSON = re.compile(r"\b(?:an?|the) \[A\]")
NOT_OPEN = "the template cannot be cut or reordered so that the group comes next"


@dataclass(frozen=True, slots=True)
class OpenTemplate:
    """A template that ends where the group is expected; `turned` ones ask for it with an article of its own, if any."""

    text: str
    turned: bool = False
    of_people: bool = True
    """Whether its attribute stands for a person, so that *person* can take its place."""


def prompts(
    spec: Spec | None = None,
    *,
    templates: Sequence[str] | None = None,
    limit: int | None = None,
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """Every attribute of a spec in every template; the origin is the attribute.

    `templates` have `[A]` where the attribute goes and end where the group is expected; `limit` draws so many
    attributes, `per_group` so many prompts.

    >>> from tiltmeter.records import AttributeSet, Group
    >>> groups = Group("male", ("man", "he")), Group("female", ("woman", "she"))
    >>> spec = Spec("speed", "Speed", groups, (AttributeSet("fast", ("racing",)),), ("[T] likes [A]",))
    >>> made, _ = prompts(spec)
    >>> made[0].text, made[0].word_sets[0]
    ('The one who likes racing is', ('male', ('the man', 'he')))
    """
    if spec is None:
        return profession_templates.prompts(templates=templates, limit=limit, per_group=per_group, seed=seed)
    profession_templates.check_templates(templates)
    wanted = [OpenTemplate(text) for text in templates or ()] or open_templates(spec)
    dropped = [Dropped(spec.name, text, text, NOT_OPEN) for text in spec.templates if not wanted]
    among = {term: attributes.terms for attributes in reversed(spec.attributes) for term in attributes.terms}
    terms = list(dict.fromkeys(term for attributes in spec.attributes for term in attributes.terms))
    made = []
    for name in profession_templates.some(terms, limit, seed):
        for number, template in enumerate(wanted):
            if word := verb_misfit(template.text, name, among[name]):
                reason = f"`{name}` is a verb, which cannot follow `{word}` in '{template.text}'"
                dropped.append(Dropped(spec.name, name, slots.fill(template.text, "", name).text, reason))
                continue
            filled = slots.fill(template.text, "", name)
            made.append(
                Prompt(
                    id=f"{spec.name}/{name}/{number}",
                    source=SOURCE,
                    bias=spec.name,
                    origin=name,
                    text=filled.text,
                    word_sets=_words(spec, turned=template.turned),
                    attribute=name,
                    template=template.text,
                    subject_spans=filled.attribute_spans if template.of_people else (),
                    status="template",
                )
            )
    return draw(made, per_group, seed), dropped


def open_templates(spec: Spec) -> list[OpenTemplate]:
    """The templates of a spec that ask for the group: those that can be cut, and only without such, those turned."""
    cut = [OpenTemplate(found["before"]) for text in spec.templates if (found := _CUT.match(text))]
    if cut:
        return list(dict.fromkeys(cut))
    every = [subject(term) for group in spec.groups for term in group.terms]
    subjects = [each for each in every if isinstance(each, Subject)]
    several = 2 * sum(each.several for each in subjects) > len(subjects)
    made: dict[bool, list[OpenTemplate]] = {False: [], True: []}
    for text in spec.templates:
        found = _SAID.fullmatch(text)
        if found and _says(found["said"]) and _fits(found["verb"], several=several):
            start, end = ("The ones who", "are") if several else ("The one who", "is")
            article = found["article"] is not None
            turned = f"{start} {found['said']} {end}{' the' * article}"
            made[article].append(OpenTemplate(turned, turned=not article, of_people=bool(_A_PERSON.search(text))))
    return list(dict.fromkeys(made[False] or made[True]))


def _says(said: str) -> bool:
    """Whether what stands after the group says something of it, and does not go on to name it.

    >>> [_says(said) for said in ("is [A]", "probably [A]", "in this town are [A]", "next door was called [A]")]
    [True, True, False, False]
    """
    first, *others = said.partition("[A]")[0].casefold().split()
    if first in AUXILIARIES | _PLURAL_VERBS:
        return True
    # Where the verb comes later, what stands before it belongs to the name.
    return first not in PREPOSITIONS and (first.endswith(("s", "ed", "ly")) or not AUXILIARIES & {*others})


def _fits(verb: str, *, several: bool) -> bool:
    """Whether a verb goes with one person, or with several; one that shows no number goes with both.

    >>> [_fits(verb, several=False) for verb in ("likes", "like", "can", "applied")]
    [True, False, True, True]
    """
    if verb in _PLURAL_VERBS:
        return several
    singular = verb in _SINGULAR_VERBS or (verb.endswith("s") and not verb.endswith("ss"))
    return not several if singular else True


def _words(spec: Spec, *, turned: bool) -> WordSets:
    """The terms, in a turned sentence as they end it; one that cannot be a subject ("him") stands as it is."""
    sets = []
    for group in spec.groups:
        found = (subject(term) for term in group.terms)
        words = [
            term if not turned or isinstance(each, str) or each.several else each.text
            for term, each in zip(group.terms, found, strict=True)
        ]
        sets.append((group.name, tuple(dict.fromkeys(words))))
    return tuple(sets)
