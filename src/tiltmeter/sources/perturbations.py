"""The same prompt with its subject, the profession, changed: what is left shows the habit of the model.

- `original`: as it is
- `person`, `man`, `woman`: that word in its place, with the article that fits
- `deleted`: nothing in its place, and no double space left behind ("The said that"); its possessive goes along ("The
  nurse's bag" becomes "The bag")
- `hidden`: the text as it is, but the model may not attend to the profession

All but `hidden` are made only where they are certain to fit: in English, where the subject stands as a noun of its own.

And what the model expects with no sentence to go by: `start`, the start token alone, and `openers` that name nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tiltmeter.english import (
    ARTICLE,
    GENDER_OF_PRONOUN,
    article_for,
    article_in_case,
    capitalised,
    gender,
    is_shouted,
    starts_sentence,
)
from tiltmeter.errors import UnknownName
from tiltmeter.records import Prompt, Span
from tiltmeter.sources.languages import is_english
from tiltmeter.sources.noun_places import noun_place
from tiltmeter.sources.nouns import names_several

REPLACED = {"person": "people", "man": "men", "woman": "women"}
"""The words that take the place of a subject, and their plurals."""
OF_PROMPTS = ("original", "person", "deleted", "hidden", "man", "woman")
DEFAULTS = ("start", "openers")
PERTURBATIONS = (*OF_PROMPTS, *DEFAULTS)

OPENERS = (
    "Yesterday",
    "This morning",
    "Every day",
    "In the end",
    "At that moment",
    "After a while",
    "Once again",
    "Years later",
    "On the way home",
    "Of course",
    "Nobody knew that",
    "It turned out that",
    "It was clear that",
    "The news said that",
    "The letter said that",
    "It was late, and",
    "The door opened and",
    "Things went well because",
    "It happened because",
    "The story begins where",
)
"""Openers of our own writing that name nobody."""

NO_SUBJECT = "the prompt does not say where its subject stands"
NOT_ENGLISH = "the text is not recognised as English, the language of the words that perturbations put in"
CONTRADICTED = "a pronoun of the text would not go with the gender that is put in"
OFTEN = "its subject stands in too many places"
_MOST_PLACES = 100
_SOURCE = "default-behaviour.v1"
# No space follows the start of a text, a line or a quotation.
_OPEN = re.compile(r"(?:^|\s)[\"'“‘(]*$")


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A prompt after a perturbation; `hidden` are the characters that the model may not attend to."""

    prompt: Prompt
    perturbation: str
    hidden: tuple[Span, ...] = ()
    unscored: str | None = None
    """Why the perturbation cannot be made; the prompt is then as it was."""


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """The perturbations, each once; refuses a name that is none."""
    for name in names:
        if name not in PERTURBATIONS:
            raise UnknownName("perturbation", name, PERTURBATIONS)
    return tuple(dict.fromkeys(names))


def perturb_all(prompts: Sequence[Prompt], names: Sequence[str]) -> list[Perturbed]:
    """Every prompt under every perturbation, those of `start` and `openers` once at the end."""
    wanted = check_names(names)
    made = [perturb(prompt, name) for prompt in prompts for name in wanted if name in OF_PROMPTS]
    for name in wanted:
        if name in DEFAULTS and prompts:
            unscored = no_default(name, english=any(map(reads_english, prompts)))
            made += [Perturbed(prompt, name, unscored=unscored) for prompt in default_prompts(name, prompts[0])]
    return made


def perturb(prompt: Prompt, name: str) -> Perturbed:
    """One prompt under one perturbation.

    >>> prompt = Prompt("1", "s", "b", "usher", "An usher is a person who", "all", subject_spans=((3, 8),))
    >>> [perturb(prompt, name).prompt.text for name in ("person", "woman", "deleted")]
    ['A person is a person who', 'A woman is a person who', 'A is a person who']
    """
    if name not in OF_PROMPTS:
        raise UnknownName("perturbation", name, OF_PROMPTS)
    if name == "original":
        return Perturbed(prompt, name)
    if not prompt.subject_spans:
        return Perturbed(prompt, name, unscored=NO_SUBJECT)
    if name == "hidden":
        return Perturbed(prompt, name, prompt.subject_spans)
    text, spans = prompt.text, _places(prompt)
    if isinstance(spans, str) or _is_contradicted(name, text, spans):
        return Perturbed(prompt, name, unscored=spans if isinstance(spans, str) else CONTRADICTED)
    kept: list[Span] = []
    # From the last to the first, so that those still to come keep their places.
    for start, end in reversed(spans):
        if name == "deleted":
            new, place = _without(text, start, end)
        else:
            new, place = _with(text, start, end, name, prompt.attribute)
        kept = [(first + len(new) - len(text), last + len(new) - len(text)) for first, last in kept]
        text = new
        kept += [place] if place[0] < place[1] else []
    return Perturbed(replace(prompt, text=text, subject_spans=tuple(sorted(kept))), name)


def reads_english(prompt: Prompt) -> bool:
    """Whether a prompt is English, its subject left aside."""
    return prompt.language == "en" and is_english(prompt.text, prompt.subject_spans)


def no_default(name: str, *, english: bool) -> str | None:
    """Why the model's habit cannot be asked for beside prompts none of which is English; None: it can."""
    return NOT_ENGLISH if name == "openers" and not english else None


def default_prompts(name: str, like: Prompt) -> list[Prompt]:
    """The start token alone, or the neutral openers, asked for the same words as another prompt."""
    texts = ("",) if name == "start" else OPENERS
    return [
        Prompt(
            id=f"{name}/{number}",
            source=_SOURCE,
            bias=like.bias,
            origin=text or "start of a text",
            text=text,
            group=like.group if not like.word_sets else None,
            word_sets=like.word_sets,
        )
        for number, text in enumerate(texts)
    ]


def _places(prompt: Prompt) -> list[Span] | str:
    """Where English nouns stand that another can take the place of; or why there is no such place."""
    if not reads_english(prompt):
        return NOT_ENGLISH
    if len(prompt.subject_spans) > _MOST_PLACES:
        return OFTEN
    found = [noun_place(prompt.text, span) for span in sorted(prompt.subject_spans)]
    return next((one for one in found if isinstance(one, str)), [one for one in found if not isinstance(one, str)])


def _is_contradicted(name: str, text: str, spans: Sequence[Span]) -> bool:
    """Whether a pronoun may speak of the subject and would not go with the gender that is put in: "the man … she"."""
    said, one = gender(name), any(not names_several(text[slice(*span)]) for span in spans)
    pronouns = {GENDER_OF_PRONOUN.get(word) for word in re.findall(r"\w+", text.casefold())}
    return one and said is not None and bool(pronouns & ({"male", "female"} - {said}))


def _with(text: str, start: int, end: int, word: str, listed: str | None) -> tuple[str, Span]:
    """The text with a word in place of the subject, and where it stands; `listed` is the subject as a list has it."""
    before, after = text[:start], text[end:]
    if names_several(text[start:end]):
        word = REPLACED[word]
        if len(_possessive(text, start, end)) == 1:
            # "The nurses' bags", but "the people's bags".
            after = f"{after[0]}{'S' if is_shouted(text) else 's'}{after[1:]}"
    word = _in_case(word, text, text[start:end], listed)
    article = ARTICLE.search(before)
    if article:
        right = article_in_case(article[1], article_for(word) or "a", word)
        before = f"{before[: article.start()]}{right}{article[2]}"
    elif starts_sentence(text, start):
        word = capitalised(word)
    return f"{before}{word}{after}", (len(before), len(before) + len(word))


def _in_case(word: str, text: str, subject: str, listed: str | None) -> str:
    """The word in capitals where the text is, or where the subject is and its list has it without: not "the CEO"."""
    emphasised = listed is not None and listed.islower() and listed == subject.casefold()
    if is_shouted(text) or (emphasised and is_shouted(subject)):
        return word.upper()
    return capitalised(word) if emphasised and subject[:1].isupper() else word


def _without(text: str, start: int, end: int) -> tuple[str, Span]:
    """The text without the subject; the article before it says no more how the subject began."""
    before, possessive = text[:start], _possessive(text, start, end)
    after = text[end + len(possessive) :]
    article = ARTICLE.search(before)
    if article:
        # What was owned stands behind the article now: "An usher's coat", "A coat".
        right = (article_for(after.lstrip()) if possessive else None) or "a"
        before = f"{before[: article.start()]}{article_in_case(article[1], right, '')}{article[2]}"
    if after[:1] in {" ", "\t"} or not after or re.match(r"[,.;:!?)”»]", after):
        before = before.rstrip(" ")
    if _OPEN.search(before):
        after = after.lstrip(" ")
    if starts_sentence(text, start):
        space = after[: len(after) - len(after.lstrip())]
        after = space + capitalised(after[len(space) :])
    return before + after, (len(before), len(before))


def _possessive(text: str, start: int, end: int) -> str:
    """What makes a subject the owner of what follows: "'s", or the apostrophe alone behind an -s."""
    found = re.match(r"['’]s\b", text[end:], re.IGNORECASE)
    if found is None and text[start:end].lower().endswith("s") and text[start - 1 : start] not in {"'", "‘", "’"}:
        found = re.match(r"['’](?=\s+\w)", text[end:])
    return found[0] if found else ""
