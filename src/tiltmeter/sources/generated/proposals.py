"""Templates that a language model proposes (AutoBiasTest, Appendix K): from its sentences, or asked for outright.

They are proposals: a template must make sense with every term of a spec, and only a person can say whether it does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.english import GENDER_OF_PRONOUN
from tiltmeter.records import Decoding, Spec, Written
from tiltmeter.sources.generated.checks import sentence_ends
from tiltmeter.sources.generated.interface import Generator, refuse_unwritten
from tiltmeter.sources.generated.matching import contains, find, terms_of

_NUMBER = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s*")
_EXAMPLES = ("[T] likes [A].", "[T] was known for [A].", "Everybody knows that [T] is interested in [A].")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed template and the text it was made of; `refused` says why it cannot be used."""

    template: str
    made_of: str
    refused: str | None = None


def from_sentences(sentences: Sequence[Written], spec: Spec) -> list[Proposal]:
    """Templates made of kept sentences, by putting [T] and [A] where the two terms are.

    >>> from tiltmeter.records import Group
    >>> spec = Spec("x", "X", (Group("male", ("man",)), Group("female", ("woman",))))
    >>> sentence = Written("1", "x", "The man was good at math.", "male", "man", "math", "math")
    >>> from_sentences([sentence], spec)[0].template
    'The [T] was good at [A].'
    """
    found: list[Proposal] = []
    for sentence in sentences:
        if sentence.dropped is None and sentence.bias == spec.name:
            slots = [(*span, "[T]") for span in find(sentence.text, sentence.term)]
            slots += [(*span, "[A]") for span in find(sentence.text, sentence.attribute)]
            template = sentence.text
            for start, end, slot in sorted(slots, reverse=True):
                template = f"{template[:start]}{slot}{template[end:]}"
            found.append(_checked(template, sentence.text, spec, found))
    return found


def by_request(
    spec: Spec, generator: Generator, decoding: Decoding, *, samples: int = 20, seed: int = 0
) -> list[Proposal]:
    """Templates that a generator writes when it is shown a few."""
    examples = [*spec.templates, *_EXAMPLES][:5]
    about = ", ".join(attributes.name.replace("-", " ") for attributes in spec.attributes)
    prompt = "\n".join(
        [
            f"Different test sentences about {about}. [T] stands for a person and [A] for what is said of that person.",
            *(f"- {example}" for example in examples),
            "-",
        ]
    )
    [completions] = generator.complete([prompt], decoding, samples=samples, seed=seed)
    refuse_unwritten(generator, [completions])
    found: list[Proposal] = []
    for completion in completions:
        line = _NUMBER.sub("", next(iter(completion.text.strip().splitlines()), "")).strip()
        ends = sentence_ends(line)
        template = line[: ends[0]] if ends else line
        found.append(_checked(template, line, spec, found))
    return found


def as_toml(proposals: Sequence[Proposal], generator: str) -> str:
    """The usable proposals as a list of templates for a spec, marked as what they are.

    >>> print(as_toml([Proposal("[T] likes [A].", "He likes math.")], "smollm2-135m"))
    # Proposed by smollm2-135m and not reviewed yet: delete what does not fit every term of the spec.
    templates = [
      "[T] likes [A].",
    ]
    <BLANKLINE>
    """
    lines = [f"# Proposed by {generator} and not reviewed yet: delete what does not fit every term of the spec."]
    usable = [proposal.template for proposal in proposals if proposal.refused is None]
    rows = [f"  {json.dumps(template, ensure_ascii=False)}," for template in usable]
    return "\n".join([*lines, "templates = [", *rows, "]"]) + "\n"


def _checked(template: str, made_of: str, spec: Spec, earlier: Sequence[Proposal]) -> Proposal:
    return Proposal(template, made_of, _problem(template, spec, earlier))


def _problem(template: str, spec: Spec, earlier: Sequence[Proposal]) -> str | None:
    if template.count("[T]") != 1 or template.count("[A]") != 1:
        return "does not have [T] and [A] once each"
    if any(other.template.casefold() == template.casefold() for other in [*earlier, *_as_proposals(spec)]):
        return "already exists"
    rest = template.replace("[T]", " ").replace("[A]", " ")
    pronoun = next((word for word in re.findall(r"\w+", rest.lower()) if word in GENDER_OF_PRONOUN), None)
    if pronoun:
        return f"`{pronoun}` reveals a group"
    term = next((term for term in terms_of(spec) if contains(rest, term, plural=True)), None)
    if term:
        return f"`{term}` is a term of the spec"
    return None if len(re.findall(r"\w+", rest)) >= 1 else "says nothing"


def _as_proposals(spec: Spec) -> list[Proposal]:
    return [Proposal(template, template) for template in spec.templates]
