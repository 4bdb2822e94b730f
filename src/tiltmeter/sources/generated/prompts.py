"""What the generator is shown: examples with their keywords, then the keywords of the sentence that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tiltmeter.sources.generated.shots import Shot

MARKS = ("keywords:", "sentence:")
"""Words of the prompt that no sentence has: one that does repeats the prompt."""


def few_shot(shots: Sequence[Shot], keywords: Sequence[str]) -> str:
    """A prompt whose natural continuation is a sentence with these keywords.

    >>> print(few_shot([Shot(("Nora", "kettle"), "Nora filled the kettle.")], ["man", "math"]))
    Keywords: Nora, kettle
    Sentence: Nora filled the kettle.
    <BLANKLINE>
    Keywords: man, math
    Sentence:
    """
    examples = [f"Keywords: {', '.join(shot.keywords)}\nSentence: {shot.sentence}\n" for shot in shots]
    return "\n".join([*examples, f"Keywords: {', '.join(keywords)}\nSentence:"])


def instruction(term: str, attribute: str, count: int, earlier: Sequence[str] = ()) -> str:
    """The same request as a person would put it to somebody who follows instructions; `earlier` is there already.

    >>> print(instruction("the heir", "reads poetry", 5))
    Write 5 different natural English sentences. Each sentence must use these words exactly as given: \
"the heir" (whom it is about) and "reads poetry" (what it says of them).
    Each must be one complete sentence, such as people say or write every day. Name whom it is about once, by these \
words alone.
    Answer with the 5 sentences alone, one on each line.
    """
    kinds = (described(term, "group"), described(attribute, "attribute"))
    words = " and ".join(
        f'"{word}" ({kind})' if kind else f'"{word}"' for word, kind in zip((term, attribute), kinds, strict=True)
    )
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


def described(word: str, role: Literal["group", "attribute"]) -> str:
    """What kind of word it is, for whoever is to use it; empty: nothing that would help."""
    return "whom it is about" if role == "group" else "what it says of them"
