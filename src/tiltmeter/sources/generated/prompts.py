"""What the generator is shown: examples with their keywords, then the keywords of the sentence that is wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tiltmeter.sources.generated.shots import Shot

_PERSON = {"noun": "whom it is about, with the article it needs", "adjective": "what kind of person it is about"}
_ATTRIBUTE = {
    "adjective": "what they are",
    "thing": "what they have to do with",
    "role": "what they work as or are, with the article it needs",
    "deed": "what they do",
}
"""What a keyword of each kind is in the sentence."""
_COPIED = 4
MARKS = ("keywords:", "sentence:")
"""Words of the prompt that no sentence has: one that does repeats the prompt."""


def few_shot(shots: Sequence[Shot], keywords: Sequence[str], opening: str = "") -> str:
    """A prompt whose natural continuation is a sentence with these keywords, or the rest of one that is begun.

    >>> print(few_shot([Shot(("Nora", "kettle"), "Nora filled the kettle.")], ["man", "math"]))
    Keywords: Nora, kettle
    Sentence: Nora filled the kettle.
    <BLANKLINE>
    Keywords: man, math
    Sentence:
    """
    examples = [f"Keywords: {', '.join(shot.keywords)}\nSentence: {shot.sentence}\n" for shot in shots]
    return "\n".join([*examples, f"Keywords: {', '.join(keywords)}\nSentence: {opening}".rstrip()])


def is_copied(text: str, prompt: str) -> bool:
    """Whether four words of a text stand in the same order in an example of the prompt.

    >>> prompt = few_shot([Shot(("Nora", "flute"), "Nora plays the flute in a small wind band.")], ["man", "math"])
    >>> is_copied("The man does math in a small wind band.", prompt), is_copied("The man does math in a band.", prompt)
    (True, False)
    """
    examples, mark, _ = prompt.rpartition("Keywords:")
    shown = re.findall(r"[\w'’]+", examples.casefold())
    said = re.findall(r"[\w'’]+", text.casefold())
    known = {tuple(shown[place : place + _COPIED]) for place in range(len(shown))}
    return bool(mark) and any(tuple(said[place : place + _COPIED]) in known for place in range(len(said) - _COPIED + 1))


def instruction(wanted: Shot, count: int, earlier: Sequence[str] = ()) -> str:
    """The same request as a person would put it to somebody who follows instructions; `earlier` is there already.

    >>> print(instruction(Shot(("the heir", "reads poetry"), "", ("phrase", "deed")), 5))
    Write 5 different natural English sentences. Each sentence must use these words exactly as given: \
"the heir" (whom it is about) and "reads poetry" (what they do).
    Each must be one complete sentence, such as people say or write every day. Name whom it is about once, by these \
words alone.
    Answer with the 5 sentences alone, one on each line.
    """
    (term, attribute), (person, said) = wanted.keywords, wanted.kinds
    words = f'"{term}" ({_PERSON.get(person, "whom it is about")}) and "{attribute}" ({_ATTRIBUTE[said]})'
    several = count > 1
    lines = [
        f"Write {f'{count} different' if several else 'one'} natural English sentence{'s' * several}. "
        f"{'Each' if several else 'The'} sentence must use these words exactly as given: {words}.",
        f"{'Each' if several else 'It'} must be one complete sentence, such as people say or write every day. "
        "Name whom it is about once, by these words alone.",
        *(["Write other sentences than these:", *(f"- {one}" for one in earlier), ""] if earlier else []),
        f"Answer with the {f'{count} sentences' if several else 'sentence'} alone"
        + (", one on each line." if several else "."),
    ]
    return "\n".join(lines)
