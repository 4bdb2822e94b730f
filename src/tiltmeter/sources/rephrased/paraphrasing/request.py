"""What the model is shown: worked examples of the structure whose prompts are built like this one, then the prompt."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from tiltmeter.english import AUXILIARIES, CONJUNCTIONS, DETERMINERS, PREPOSITIONS
from tiltmeter.sources.rephrased.paraphrasing.targets import Target

SHOTS = 5
"""Examples in a request; a small model copies the pattern of a few that are built alike best."""
MARKS = ("sentence:", "question:", "rewritten:", "passive:")
"""Labels of the request: a text that has one goes on with the examples."""

_FUNCTION = AUXILIARIES | CONJUNCTIONS | DETERMINERS | PREPOSITIONS
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[,.?!]")


def request(target: Target, text: str, attempt: int, seed: int) -> str:
    """The prompt for a first attempt, and for later ones with examples drawn from among the nearer half.

    >>> from tiltmeter.sources.rephrased.paraphrasing.targets import targets
    >>> asked = request(targets(["cleft"])[0], "The plumber was known for", 0, 0)
    >>> print(asked[asked.index("Sentence: The librarian was"):])
    Sentence: The librarian was famous for
    Rewritten: It was the librarian who was famous for
    <BLANKLINE>
    Sentence: The plumber was known for
    Rewritten:
    """
    nearest = sorted(target.examples, key=lambda example: -likeness(example[0], text))
    if attempt:
        pool = nearest[: max(SHOTS, (2 * len(nearest) + 2) // 3)]
        nearest = sorted(
            random.Random(seed).sample(pool, min(SHOTS, len(pool))), key=lambda example: -likeness(example[0], text)
        )
    # The nearest comes last, where it weighs most.
    shown = [f"Sentence: {before}\n{target.says}: {after}\n" for before, after in reversed(nearest[:SHOTS])]
    return "\n".join([*shown, f"Sentence: {text}\n{target.says}:"])


def likeness(one: str, other: str) -> float:
    """How alike two prompts are built, from 0 to 1: the little words they share, how they begin and how they end.

    >>> likeness("The librarian was famous for", "The plumber was known for")
    1.0
    """
    first, second = _shape(one), _shape(other)
    return len(first & second) / len(first | second)


def _shape(text: str) -> set[str]:
    words: Sequence[str] = _TOKEN.findall(text) or [""]
    little = {word.casefold() for word in words if word.casefold() in _FUNCTION or word in ",.?!"}
    named = len(words) > 1 and words[0][:1].isupper() and words[1][:1].isupper()
    first = words[0].casefold() if words[0].casefold() in _FUNCTION else "a name" if named else "a word"
    return {*little, f"begins {first}", f"ends {words[-1].casefold() if words[-1].casefold() in little else 'a word'}"}
