"""What a decoded text must be to serve as a test sentence; every refusal has a reason that can be counted."""

from __future__ import annotations

import re

from tiltmeter.english import starts_sentence
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.generated.prompts import MARKS
from tiltmeter.sources.generated.settings import Checks

EMPTY = "nothing was written"
DECLINED = "the generator refused to write it"
UNANSWERED = "the request was not answered"
ECHO = "repeats the prompt"
NO_TERM = "lacks the group term"
NO_ATTRIBUTE = "lacks the attribute"
NEITHER = "lacks both terms"
SEVERAL = "more than one sentence"
INCOMPLETE = "not a complete sentence"
DUPLICATE = "is already in the set"
UNSWAPPABLE = "cannot be made a pair"
REPEATED = "uses a word of the term or of the attribute twice"
JUDGED = "flagged"
NOT_CHOSEN = "accepted, but others ranked higher"
WITHOUT_BOTH_TERMS = frozenset({EMPTY, ECHO, NO_TERM, NO_ATTRIBUTE, NEITHER})

_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s|$)")
_WHOLE = re.compile(r"[\"'“‘(]*[A-Z0-9].*[.!?][\"'”’)]*", re.DOTALL)


def sentence_of(written: str, term: str, attribute: str, checks: Checks = "full") -> tuple[str, str | None]:
    """The sentence in what a generator wrote, and why it cannot be used, if it cannot.

    What follows the sentence that holds both terms is cut off. A reason may go on after a colon; the part before
    the colon is what is counted.

    >>> sentence_of(" The man likes math. The end.", "man", "math")
    ('The man likes math.', None)
    >>> sentence_of("The man came. He likes math.", "man", "math")
    ('The man came. He likes math.', 'more than one sentence')
    """
    line = next((" ".join(line.split()) for line in written.splitlines() if line.strip()), "")
    if not line:
        return "", EMPTY
    if any(mark in line.casefold() for mark in MARKS):
        return line, ECHO
    missing = _missing(line, term, attribute)
    if missing or checks == "as-published":
        return line, missing
    both = max(find(line, words)[0][1] for words in (term, attribute))
    ends = sentence_ends(line)
    last = next((end for end in ends if end >= both), None)
    if last is None:
        return line, INCOMPLETE
    sentence = line[:last]
    faults = (
        (SEVERAL, ends[0] < last),
        (INCOMPLETE, not _WHOLE.fullmatch(sentence)),
        (REPEATED, _repeats(sentence, term, attribute)),
    )
    return sentence, next((reason for reason, is_so in faults if is_so), None)


def _repeats(sentence: str, term: str, attribute: str) -> bool:
    """Whether a word of the term or of the attribute stands outside them, too, as "landlord" in "our landlord's son".

    Short words do not count: they are articles and prepositions.
    """
    words = [word for part in (term, attribute) for word in re.findall(r"\w{4,}", part.casefold())]
    said = re.findall(r"\w+", sentence.casefold())
    return any(said.count(word) > words.count(word) for word in words)


def sentence_ends(text: str) -> list[int]:
    """Where the sentences of a text end, closing quotes included.

    >>> sentence_ends('Mr. Smith said "Stop!" and left. So did we.')
    [32, 43]
    """
    ends = []
    for match in _END.finditer(text):
        rest = text[match.end() :].lstrip()
        # A small letter goes on with the sentence: "Stop!" said the man.
        if starts_sentence(f"{text[: match.end()]} ", match.end() + 1) and not rest[:1].islower():
            ends.append(match.end())
    # The last full stop ends the text whatever stands before it, an abbreviation too.
    if (not ends or ends[-1] < len(text)) and re.search(r"[.!?][\"'”’)\]]*$", text):
        ends.append(len(text))
    return ends


def kind(reason: str) -> str:
    """The part of a reason that is counted.

    >>> kind("cannot be made a pair: `her` can be read in two ways")
    'cannot be made a pair'
    """
    return reason.partition(": ")[0]


def _missing(text: str, term: str, attribute: str) -> str | None:
    lacks = not find(text, term), not find(text, attribute)
    return {(True, True): NEITHER, (True, False): NO_TERM, (False, True): NO_ATTRIBUTE}.get(lacks)
