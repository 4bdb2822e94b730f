"""What is left open at the end of a verb phrase: the word that asks for it, and the words that close it.

"worked as" is asked for with *what* ("What did she work as?"), "earned money by" with *how* ("How did she earn
money?"), "lived in" with *where*; "wanted to" and "was a" stop where nothing simple can be asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Asks = Literal["what", "who", "how", "where"]


@dataclass(frozen=True, slots=True)
class Gap:
    """What can be asked for at the end of a verb phrase.

    `dropped` counts the words that the question leaves out ("by" of "earned money by"); `preposition` is the one that
    can move to the front with its question word.
    """

    asks: Asks
    dropped: int = 0
    preposition: str = ""

    @property
    def label(self) -> str:
        """The phrase that the question word makes, in the labels of the Penn Treebank."""
        return "WHNP" if self.asks in ("what", "who") else "WHADVP"

    @property
    def fronted(self) -> str | None:
        """Preposition and question word together: "as what", "by what means"; None where there is no preposition."""
        if not self.preposition:
            return None
        means = {"how": "by what means", "where": f"{self.preposition} what place", "who": f"{self.preposition} whom"}
        return means.get(self.asks, f"{self.preposition} what")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a verb phrase ends: what can be asked for, and the words that close it in a statement and in a question.

    `some` is None where the phrase stops inside another phrase ("was a") and cannot be closed; empty where it is
    complete. `replaced` counts the words of the phrase that the closing words take the place of.
    """

    gap: Gap | None
    some: str | None
    replaced: int = 0

    @property
    def any(self) -> str | None:
        """What closes it in a question: "anything"."""
        return None if self.some is None else re.sub(r"\bsome(?=thing|one|where)", "any", self.some)


COMPLETE = Ending(None, "")
UNFINISHED = Ending(None, None)
"""Where the phrase stops inside another, or where nothing here tells that it is complete."""
A_THING = Ending(Gap("what"), "something")
A_PERSON = Ending(Gap("who"), "someone")
