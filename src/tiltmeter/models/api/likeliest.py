"""The most probable next words of an API model, from no more than the tokens that the server lists.

A listed token may be no more than the beginning of a word. So the server is asked again behind each of them: where the
tokens that it lists there more probably end the word than go on with it, the word is whole; otherwise its longer
beginnings are followed. The list ends where a word that the server did not show could be more probable. That takes a
request for each beginning, and a few for each word that is wanted at most.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.models.api.client import Refused
from tiltmeter.models.decoding.checkpoint_sampler import lengthens
from tiltmeter.models.likeliest import NO_WORD, without_words, words_of
from tiltmeter.models.next_words import begins_word
from tiltmeter.records import NextWord, NextWords

NO_LIST = "the server lists no next tokens for this prompt"
NO_NUMBERS_BY_CHAT = (
    "the server gives no log-probabilities of an answer by chat (`top_logprobs`), so its most probable first words "
    "cannot be listed; a checkpoint, as chat:hf:NAME, gives them"
)
FIRST_PIECES = "Only the first piece of each word: by chat, a server cannot be asked how its answer continues."
_ROUNDING = 1e-4
"""How far the number of a token in a list may lie from that of the same token in a text."""
_REQUESTS = 4
"""Beginnings that are looked at, for each word that is wanted."""


@dataclass(frozen=True, slots=True)
class ListedTokens:
    """The most probable tokens behind a prompt and what was added to it; `added`: the log-probability of that, where
    the server says it.
    """

    top: Mapping[str, float]
    added: float | None = None


ListTokens = Callable[[Sequence[str]], Sequence[ListedTokens | Refused]]
"""Looks behind a prompt with each of some texts added to it."""


def most_probable_words(show: ListTokens, prompt: str, count: int) -> NextWords:
    """The most probable words after a prompt, each with the probability that it comes next, even within a longer word.

    A beginning that the server says nothing of stands at the end, unscored.
    """
    [first] = show([""])
    if isinstance(first, Refused) or not first.top:
        return without_words(first.reason if isinstance(first, Refused) else NO_LIST)
    begun = {token: value for token, value in _possible(first.top) if begins_word(token, prompt)}
    whole: dict[str, float] = {}
    unknown: dict[str, str] = {}
    # What a word may have that the server did not show.
    unseen = min(first.top.values())
    left = _REQUESTS * count
    while promising := _by_probability(begun, whole, unseen, count):
        if not left:
            unseen = begun[promising[0]]
            break
        promising = promising[:left]
        left -= len(promising)
        for text, shown in zip(promising, show(promising), strict=True):
            logprob = begun.pop(text)
            if isinstance(shown, Refused) or not shown.top:
                unknown[text] = shown.reason if isinstance(shown, Refused) else NO_LIST
                continue
            logprob = logprob if shown.added is None else shown.added
            longer = {token: value for token, value in _possible(shown.top) if lengthens(token)}
            if _chance(longer) <= _chance(shown.top) / 2:
                whole[text] = logprob
            else:
                begun |= {text + token: logprob + value for token, value in longer.items()}
                unseen = max(unseen, logprob + min(shown.top.values()))
    words = words_of({text: value for text, value in whole.items() if value >= unseen - _ROUNDING}, count)
    words += tuple(NextWord(text.strip(), None, reason) for text, reason in unknown.items())
    return NextWords(words, note=_note(len(first.top))) if words else without_words(NO_WORD)


def first_pieces(
    ask: Callable[[Sequence[str], int], Sequence[Mapping[str, float] | Refused]],
    instructions: Sequence[str],
    numbers: Iterable[int],
    count: int,
) -> list[NextWords]:
    """The words, or first pieces of words, that most probably begin the answer to each instruction.

    `ask` lists a number of tokens for each; where the server refuses, the next of `numbers` is tried.
    """
    tops: dict[str, Mapping[str, float] | Refused] = {}
    missing = list(dict.fromkeys(instructions))
    for number in numbers:
        tops |= zip(missing, ask(missing, number), strict=True)
        missing = [one for one, top in tops.items() if isinstance(top, Refused) and top.status is not None]
    return [_beginning(tops[one], count) for one in instructions]


def _beginning(top: Mapping[str, float] | Refused, count: int) -> NextWords:
    if isinstance(top, Refused):
        return without_words(top.reason)
    if not top:
        return without_words(NO_NUMBERS_BY_CHAT)
    words = words_of({token: value for token, value in _possible(top) if begins_word(token, "")}, count)
    return NextWords(words, note=FIRST_PIECES) if words else without_words(NO_WORD)


def _by_probability(begun: Mapping[str, float], whole: Mapping[str, float], unseen: float, count: int) -> list[str]:
    """The beginnings that may yet be among the most probable words, the most probable first."""
    best = heapq.nlargest(count, whole.values())
    least = max(unseen, best[-1] if len(best) == count else -math.inf)
    return heapq.nlargest(count, [text for text, value in begun.items() if value >= least], key=begun.__getitem__)


def _possible(top: Mapping[str, float]) -> list[tuple[str, float]]:
    return [(token, value) for token, value in top.items() if math.isfinite(value)]


def _chance(top: Mapping[str, float]) -> float:
    return math.fsum(map(math.exp, top.values()))


def _note(listed: int) -> str:
    return (
        f"The probability that each word comes next, whether or not it ends there: the server lists {listed} "
        "tokens at a time. Words that an unlisted one could beat are left out."
    )
