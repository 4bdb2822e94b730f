"""What the generator is shown: examples with their keywords, then the keywords of the sentence that is wanted."""

from __future__ import annotations

from collections.abc import Sequence

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


def instruction(shots: Sequence[Shot], keywords: Sequence[str]) -> str:
    """The same request in words, for models that follow instructions.

    >>> print(instruction([Shot(("Nora", "kettle"), "Nora filled the kettle.")], ["man", "math"]))
    Write one natural, complete English sentence that contains the words given, exactly as they are given. \
Answer with the sentence alone.
    Words: Nora, kettle. Sentence: Nora filled the kettle.
    Words: man, math. Sentence:
    """
    asked = (
        "Write one natural, complete English sentence that contains the words given, exactly as they are given. "
        "Answer with the sentence alone."
    )
    examples = [f"Words: {', '.join(shot.keywords)}. Sentence: {shot.sentence}" for shot in shots]
    return "\n".join([asked, *examples, f"Words: {', '.join(keywords)}. Sentence:"])
