"""Prompts in many structures: every group term and verb phrase, in every structure that can take both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tiltmeter import english
from tiltmeter.errors import UserError
from tiltmeter.records import Dropped, Group, Prompt, Spec
from tiltmeter.sources.prompt_options import check_count, counterpart, draw
from tiltmeter.sources.rephrased import frames, grammar
from tiltmeter.sources.rephrased.people import Person, person
from tiltmeter.sources.rephrased.predicates import Predicate, predicate
from tiltmeter.sources.rephrased.structures import Kind, Pattern, choose
from tiltmeter.sources.rephrased.structures import fixed as baseline
from tiltmeter.sources.respect_occupation import GROUPS, VERB_PHRASES

SOURCE = "rephrased.v1"

_BORROWED = tuple((phrase, kind) for kind, phrases in VERB_PHRASES.items() for phrase in phrases)


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The groups, with what stands around each term, and the verb phrases with the attribute set of each."""

    bias: str
    groups: tuple[Group, ...]
    phrases: tuple[tuple[str, str | None], ...]
    tail: str = ""
    article: bool | None = None


def borrows_verb_phrases(spec: Spec | None, verb_phrases: Sequence[str] | None = None) -> bool:
    """Whether the verb phrases of `respect-occupation` are used because a spec has none of its own.

    >>> borrows_verb_phrases(Spec("s", "S", (), templates=("[T] likes [A]",)))
    True
    """
    if spec is None or spec.benchmark or verb_phrases:
        return False
    return not (spec.attributes and frames.verb_phrase_frames(spec))


def prompts(
    spec: Spec | None = None,
    *,
    structures: int | None = None,
    kind: Kind | None = None,
    family: str | Sequence[str] | None = None,
    verb_phrases: Sequence[str] | None = None,
    fixed: bool = False,
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """Every term and verb phrase in every structure; the origin is the verb phrase.

    Without a spec, the six groups and ten verb phrases of `respect-occupation`; the ten also with a spec that has no
    verb phrases of its own, which are the attributes of a template "The [T] [A]" or "[T] [A]". `structures` takes the
    first so many of a fixed order, half of each kind; `fixed` adds the baseline. What one group cannot have (a plural,
    where its term is a name) no group gets, so that groups still differ in the term alone; it is listed once with the
    reason, and so is a text that its group has already. `per_group` draws the same places for every group.

    >>> made, dropped = prompts(structures=2, verb_phrases=["worked as"])
    >>> [prompt.text for prompt in made if prompt.group == "woman"], dropped
    (['Back then, the woman worked as', 'What did the woman work as?'], [])
    """
    chosen = choose(structures, kind, family)
    check_count(per_group, "per_group")
    if type(fixed) is not bool:
        raise UserError(f"must be true or false, not {fixed!r}", key="fixed")
    _check_phrases(verb_phrases)
    if spec and spec.benchmark:
        return [], [no_people(spec)]
    cast = _vocabulary(spec, verb_phrases)
    patterns = ((baseline(),) if fixed else ()) + chosen
    dropped: list[Dropped] = _unused(spec) if borrows_verb_phrases(spec, verb_phrases) else []
    people = _people(cast, dropped)
    predicates = _predicates(cast, dropped)
    places = set(_places(cast, patterns, people, predicates, dropped))
    made: list[Prompt] = []
    for group in cast.groups:
        for index in range(len(group.terms)):
            for pattern in patterns:
                for phrase, attribute in cast.phrases:
                    if (pattern.id, phrase, index) in places:
                        who = people[group.name, index]
                        made.append(_prompt(cast, group, index, who, pattern, predicates[phrase], attribute))
    made, named_others = _without_other_terms(made, cast)
    made, repeated = _without_repeats(made)
    return draw(made, per_group, seed, place=counterpart), dropped + named_others + repeated


def no_people(spec: Spec) -> Dropped:
    """Why nothing is made from a check of the instrument: its groups are flowers and insects."""
    return Dropped(spec.name, spec.name, spec.title, "the spec is a benchmark whose groups are not people")


def _prompt(
    cast: _Vocabulary, group: Group, index: int, who: Person, pattern: Pattern, said: Predicate, attribute: str | None
) -> Prompt:
    sentence = grammar.sentence(pattern, who, said)
    return Prompt(
        id=f"{cast.bias}/{group.name}/{pattern.id}:{said.phrase.replace(' ', '_')}/{index}",
        source=SOURCE,
        bias=cast.bias,
        origin=said.phrase,
        text=sentence.text,
        group=group.name,
        term=group.terms[index],
        attribute=attribute,
        template=sentence.template,
        group_spans=sentence.term_spans,
        structure=sentence.structure,
    )


def _vocabulary(spec: Spec | None, given: Sequence[str] | None) -> _Vocabulary:
    known: dict[str, str] = dict(_BORROWED)
    if spec is None:
        own = dict.fromkeys(given) if given else known
        return _Vocabulary("respect-occupation", GROUPS, tuple((phrase, known.get(phrase)) for phrase in own))
    found = frames.verb_phrase_frames(spec)
    in_spec = {term: named.name for named in spec.attributes for term in named.terms} if found else {}
    of_spec = in_spec or known
    tail = next((one.tail for one in found if one.tail), "")
    phrases = dict.fromkeys(given) if given else of_spec
    with_sets = tuple((one, of_spec.get(one) or known.get(one)) for one in phrases)
    return _Vocabulary(spec.name, spec.groups, with_sets, tail, frames.article(spec))


def _unused(spec: Spec | None) -> list[Dropped]:
    """The verb phrases of a spec whose template cannot be taken apart."""
    return [
        Dropped(spec.name, template, template, f"'{template}' is not `The [T] [A]`, so its verb phrases are not used")
        for template in (frames.not_understood(spec) if spec else ())
        if spec
    ]


def _check_phrases(given: object) -> None:
    # They may come from a study file, where nothing has looked at their values yet.
    if given is None:
        return
    right = 'such as ["worked as", "was known for"]'
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise UserError(f"must be a list of verb phrases {right}, not {given!r}", key="verb_phrases")
    for phrase in given:
        if not isinstance(phrase, str) or not phrase.strip() or phrase != " ".join(phrase.split()):
            raise UserError(
                f"a verb phrase is words separated by single spaces, {right}; not {phrase!r}", key="verb_phrases"
            )


def _people(cast: _Vocabulary, dropped: list[Dropped]) -> dict[tuple[str, int], Person]:
    found: dict[tuple[str, int], Person] = {}
    for group in cast.groups:
        for index, term in enumerate(group.terms):
            who = person(term, cast.tail, english.gender(group), article=cast.article, kind=group.kind)
            if isinstance(who, str):
                dropped.append(Dropped(cast.bias, group.name, term, who))
            else:
                found[group.name, index] = who
    return found


def _predicates(cast: _Vocabulary, dropped: list[Dropped]) -> dict[str, Predicate]:
    found: dict[str, Predicate] = {}
    for phrase, _ in cast.phrases:
        said = predicate(phrase)
        if isinstance(said, str):
            dropped.append(Dropped(cast.bias, phrase, phrase, said))
        else:
            found[phrase] = said
    return found


def _places(
    cast: _Vocabulary,
    patterns: Sequence[Pattern],
    people: dict[tuple[str, int], Person],
    predicates: dict[str, Predicate],
    dropped: list[Dropped],
) -> Iterator[tuple[str, str, int]]:
    """Every structure, verb phrase and position of a term that all groups can have; the rest is dropped, once each."""
    whole = _whole_positions(cast, people, dropped)
    fitting: dict[str, set[int]] = {}
    for pattern in patterns:
        misfits = _misfits(cast, whole, partial(grammar.person_misfit, pattern), people)
        fitting[pattern.id] = {*whole} - {index for index, _, _ in misfits}
        dropped += [
            Dropped(cast.bias, group.name, group.terms[index], f"{pattern.id}: {reason}")
            for index, group, reason in misfits
        ]
    together: dict[str, set[int]] = {}
    for phrase, said in predicates.items():
        misfits = _misfits(cast, whole, partial(grammar.together_misfit, said), people)
        together[phrase] = {*whole} - {index for index, _, _ in misfits}
        dropped += [Dropped(cast.bias, phrase, group.terms[index], reason) for index, group, reason in misfits]
    for pattern in patterns:
        for phrase, said in predicates.items():
            reason = grammar.phrase_misfit(pattern, said)
            if reason:
                dropped.append(Dropped(cast.bias, phrase, _plainest(people, said), f"{pattern.id}: {reason}"))
                continue
            yield from ((pattern.id, phrase, index) for index in sorted(fitting[pattern.id] & together[phrase]))


def _whole_positions(cast: _Vocabulary, people: dict[tuple[str, int], Person], dropped: list[Dropped]) -> list[int]:
    """The positions whose terms can all be subjects; a term is dropped with its counterparts."""
    whole: list[int] = []
    for index in range(max((len(group.terms) for group in cast.groups), default=0)):
        able = [group for group in _having(cast, index) if (group.name, index) in people]
        # Of pronouns, "they" may be one person.
        numbers = {who.several for group in able if (who := people[group.name, index]).sort != "pronoun"}
        if len(able) == len(_having(cast, index)) and len(numbers) < 2:
            whole.append(index)
            continue
        reason = "its counterpart in another group cannot be the subject of a sentence"
        if len(numbers) > 1:
            named = ", ".join(f"`{group.terms[index]}`" for group in able)
            reason = f"{named}: one counterpart names one person and another several"
        dropped += [Dropped(cast.bias, group.name, group.terms[index], reason) for group in able]
    return whole


def _misfits(
    cast: _Vocabulary, positions: list[int], why: Callable[[Person], str | None], people: dict[tuple[str, int], Person]
) -> list[tuple[int, Group, str]]:
    """The positions at which some group's term does not fit, with the first such group and its reason."""
    found: dict[int, tuple[int, Group, str]] = {}
    for index in positions:
        for group in _having(cast, index):
            reason = why(people[group.name, index])
            if reason:
                found.setdefault(index, (index, group, reason))
    return list(found.values())


def _plainest(people: dict[tuple[str, int], Person], said: Predicate) -> str:
    """The sentence that could not be rephrased, of the first term."""
    return next((grammar.sentence(baseline(), who, said).text for who in people.values()), said.phrase)


def _having(cast: _Vocabulary, index: int) -> list[Group]:
    return [group for group in cast.groups if index < len(group.terms)]


def _without_other_terms(made: list[Prompt], cast: _Vocabulary) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts less those, and their counterparts, in which a word beside the term is a term of another group."""
    owners: dict[str, set[str]] = {}
    for group in cast.groups:
        for term in group.terms:
            owners.setdefault(term.casefold(), set()).add(group.name)
    words = "|".join(sorted(map(re.escape, owners), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
    spoiled: dict[str, str] = {}
    for prompt in made:
        for found in pattern.finditer(_blanked(prompt)):
            if prompt.group not in owners[found[0].casefold()]:
                spoiled.setdefault(counterpart(prompt), f"`{found[0]}` in it names another group")
    kept = [prompt for prompt in made if counterpart(prompt) not in spoiled]
    seen = {counterpart(prompt): prompt for prompt in made if counterpart(prompt) in spoiled}
    return kept, [
        Dropped(one.bias, one.origin, one.text, f"{one.structure.id if one.structure else ''}: {spoiled[place]}")
        for place, one in seen.items()
    ]


def _without_repeats(made: list[Prompt]) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts less those, and their counterparts, whose text their group has already: "firemen", of "fireman"."""
    seen: dict[tuple[str | None, str], Prompt] = {}
    repeats: dict[str, tuple[Prompt, Prompt]] = {}
    for prompt in made:
        first = seen.setdefault((prompt.group, prompt.text), prompt)
        if first is not prompt:
            repeats.setdefault(counterpart(prompt), (prompt, first))
    kept = [prompt for prompt in made if counterpart(prompt) not in repeats]
    return kept, [Dropped(one.bias, one.origin, one.text, _repeated(one, first)) for one, first in repeats.values()]


def _repeated(prompt: Prompt, first: Prompt) -> str:
    name, other = (one.structure.id if one.structure else "" for one in (prompt, first))
    return f"{name}: `{prompt.term}` gives the same text as `{first.term}` in {other}"


def _blanked(prompt: Prompt) -> str:
    text = prompt.text
    for start, end in prompt.group_spans:
        text = f"{text[:start]}{'·' * (end - start)}{text[end:]}"
    return text
