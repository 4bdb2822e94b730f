"""The verb `next_words`: how probable whole words are after a prompt, or in the blank that it leaves.

A word after a prompt stands behind a space, and its probability is the product over all pieces of " word". Which pieces
these are is seen by encoding the prompt with and without the word, so that byte-level tokenizers, "▁" and "##" need no
rules of their own. At the start of a text there is no space and the word may have a capital: all ways to write it count
together. Between two characters of scripts that are written without spaces there is none either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import UserError
from tiltmeter.models.encoding import Encoded, Encoder
from tiltmeter.models.network import Network, PlaceAnswer, PlaceQuery, TokenIds, in_turns
from tiltmeter.models.shared_words import next_words_of
from tiltmeter.processes import uncollected
from tiltmeter.records import ModelFacts, NextWord, NextWords, Span

Place = tuple[TokenIds, tuple[int, ...]]
"""The end of some tokens, and which of them nothing attends to."""

BLANK = "[MASK]"
"""Where a prompt may say which place is to be filled; without it, that is its end."""

NO_START = "the prompt is empty and the model has no start token"
JOINED = "the tokenizer merges the word with the end of the prompt"
UNKNOWN = "the tokenizer does not know the word"
IN_THE_MIDDLE = f"words follow {BLANK} in the prompt, and the model reads from left to right"
SEVERAL_BLANKS = f"{BLANK} occurs more than once in the prompt"

# After these a word stands without a space; a straight quote opens only behind a space, a dash only without one.
_OPENED = re.compile(r"(?:[“‘«(\[{/]|(?<=\S)[—-]|(?:^|\s)[\"'])$")
# The blocks of Thai, Lao, Myanmar, Khmer, Hiragana, Katakana and Han in Unicode.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035"
    r"\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9fe\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U000323af"
)
# Their punctuation marks are as wide as a character, so that no space follows these either.
_BEFORE_UNSPACED = re.compile(rf"[{_UNSPACED}\u3001-\u303f\uff01-\uff65]$")
_STARTS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_ENDING = re.compile(r"[\s.!?…\"'”’)。！？」』）]*")


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt, the words asked about, and the characters of the prompt that the model may not attend to."""

    prompt: str
    words: tuple[str, ...]
    hidden: tuple[Span, ...] = ()


def questions(
    prompts: Sequence[str],
    words: Sequence[str] | Sequence[Sequence[str]],
    hidden: Sequence[Sequence[Span]] | None = None,
) -> list[Question]:
    """One question for each prompt; `words` are the same for all, or a list for each.

    >>> questions(["The nurse said that"], ["he", "she"])
    [Question(prompt='The nurse said that', words=('he', 'she'), hidden=())]
    """
    if isinstance(words, str):
        raise UserError("words must be a list of words, not one text")
    if all(isinstance(word, str) for word in words):
        lists = [_checked(words)] * len(prompts)
    else:
        lists = [_checked(each) for each in words]
    if len(lists) != len(prompts):
        raise UserError(f"{len(prompts)} prompts and {len(lists)} lists of words: each prompt needs one list")
    spans = [()] * len(prompts) if hidden is None else [tuple(each) for each in hidden]
    if len(spans) != len(prompts):
        raise UserError(f"{len(prompts)} prompts and {len(spans)} lists of hidden places: each prompt needs one")
    return [Question(*each) for each in zip(prompts, lists, spans, strict=True)]


def _checked(words: Sequence[Any]) -> tuple[str, ...]:
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise UserError(f"a word to ask about must not be blank: {word!r}")
    return tuple(word.strip() for word in words)


def before_blank(prompt: str) -> str | None:
    """The part of a prompt that a model reads from left to right, without spaces at its end.

    None where words follow the blank. A line break at the end is kept: it is no space.

    >>> before_blank("He said that "), before_blank("He said that [MASK]."), before_blank("He said [MASK] left.")
    ('He said that', 'He said that', None)
    """
    if BLANK in prompt:
        prompt, _, after = prompt.partition(BLANK)
        if not _ENDING.fullmatch(after):
            return None
    return prompt.rstrip(" \t")


def spellings(word: str, before: str, capitalised: bool | None) -> list[str]:
    """What is to be written after a prompt for the word to come next, the usual way first.

    At the start of a text (nothing before) a space and a capital make no difference. `capitalised` True lets the
    capital count anywhere, False nowhere.

    >>> spellings("he", "The nurse said that", None), spellings("他", "护士说", None), spellings("he", "", None)
    ([' he'], ['他'], ['he', 'He', ' he', ' He'])
    """
    # All else before the last two characters changes nothing; so few ends are met again and again.
    return list(_spellings(word, before[-2:], capitalised))


@lru_cache(maxsize=2**14)
def _spellings(word: str, end: str, capitalised: bool | None) -> tuple[str, ...]:
    spaces = [" "]
    if not end:
        spaces = ["", " "]
    elif end[-1].isspace() or _OPENED.search(end) or _unspaced(end, word):
        spaces = [""]
    capital = capitalised if capitalised is not None else not end
    forms = list(dict.fromkeys([word, word[:1].upper() + word[1:]] if capital else [word]))
    return tuple(space + form for space in spaces for form in forms)


def begins_word(text: str, prompt: str) -> bool:
    """Whether a text behind a prompt begins a new word there, rather than lengthen the last or close the sentence.

    >>> begins_word(" he", "The nurse said that"), begins_word("ched", "She tea"), begins_word(".", "She left")
    (True, False, False)
    """
    word = text.lstrip(" ")
    before = before_blank(prompt) or ""
    return bool(word) and word[0].isalnum() and text in spellings(word, before, capitalised=False)


def blank_problem(prompt: str) -> str | None:
    """Why a model that reads from left to right cannot fill the blank of a prompt; None: it can.

    >>> blank_problem("[MASK] and [MASK]"), blank_problem("He said that")
    ('[MASK] occurs more than once in the prompt', None)
    """
    if prompt.count(BLANK) > 1:
        return SEVERAL_BLANKS
    return IN_THE_MIDDLE if before_blank(prompt) is None else None


def _unspaced(before: str, word: str) -> bool:
    return bool(_BEFORE_UNSPACED.search(before) and _STARTS_UNSPACED.match(word))


class CausalPredictor:
    """Asks a causal checkpoint. Prompts and beginnings of words that questions share are computed once."""

    def __init__(
        self,
        facts: ModelFacts,
        network: Network,
        encoder: Encoder,
        start: TokenIds,
        joins: Callable[[], NDArray[np.bool_]],
    ) -> None:
        self._facts, self._network, self._encoder, self._start, self._joins = facts, network, encoder, start, joins

    def answer(
        self, asked: Sequence[Question], *, bounded: bool = False, capitalised: bool | None = None
    ) -> list[NextWords]:
        """The answers, in the order of the questions."""
        # Prompts of like length are asked about together.
        distinct = sorted(dict.fromkeys(asked), key=lambda question: len(question.prompt), reverse=True)
        ends = self._ends_word() if bounded else None
        with uncollected():
            answers = in_turns(distinct, lambda some: self._ask(some, capitalised, ends))
        return [answers[question] for question in asked]

    def _ask(
        self, asked: Sequence[Question], capitalised: bool | None, ends: NDArray[np.bool_] | None
    ) -> Callable[[], dict[Question, NextWords]]:
        """Ask questions that differ; what is returned reads the answers."""
        plans = self.plans(asked, capitalised)
        wanted: dict[Place, dict[int, None]] = {}
        for plan in plans:
            if plan.reason is not None:
                continue
            own = wanted.setdefault((plan.row, plan.hidden), {})
            for pieces in plan.pieces():
                own[pieces[0]] = None
                for length, token in enumerate(pieces[1:], 1):
                    wanted.setdefault((plan.row + pieces[:length], plan.hidden), {})[token] = None
                if ends is not None:
                    wanted.setdefault((plan.row + pieces, plan.hidden), {})
        look = self._look(wanted, ends)

        def read() -> dict[Question, NextWords]:
            seen = look()
            return {question: self._read(plan, seen, ends) for question, plan in zip(asked, plans, strict=True)}

        return read

    def plans(self, asked: Sequence[Question], capitalised: bool | None) -> list[Plan]:
        """What is to be computed for each question, or why it cannot be."""
        problems = [blank_problem(question.prompt) for question in asked]
        begun = [before_blank(question.prompt) for question in asked]
        encoded = self._encoder.encode([text or "" for text in begun])
        written = [
            []
            if text is None
            else [[text + way for way in spellings(word, text, capitalised)] for word in question.words]
            for question, text in zip(asked, begun, strict=True)
        ]
        ids = iter(self._encoder.ids([text for each in written for ways in each for text in ways]))
        unknown: int | None = self._encoder.tokenizer.unk_token_id
        plans = []
        for question, problem, each, tokens in zip(asked, problems, written, encoded, strict=True):
            ways = [[*islice(ids, len(texts))] for texts in each]
            if problem is not None:
                plans.append(Plan((), (), {}, problem, question.words))
                continue
            row = self._start + tokens.ids
            hidden = tuple(len(self._start) + place for place in tokens.overlapping(question.hidden))
            reason = self._unreadable(row)
            words = {
                word: reason or self._pieces(row, tokens.ids, own, unknown)
                for word, own in zip(question.words, ways, strict=True)
            }
            plans.append(Plan(row, hidden, words, reason, question.words, tokens))
        return plans

    def _unreadable(self, row: TokenIds) -> str | None:
        if not row:
            return NO_START
        context = self._facts.context
        if context is not None and len(row) > context:
            return f"the prompt has {len(row)} tokens and the model reads at most {context}"
        return None

    def _pieces(
        self, row: TokenIds, before: TokenIds, written: Sequence[TokenIds], unknown: int | None
    ) -> list[TokenIds] | str:
        """The pieces of every way to write a word, or why it has none."""
        found: list[TokenIds] = []
        context = self._facts.context
        for ids in written:
            pieces = ids[len(before) :]
            if ids[: len(before)] != before or not pieces:
                continue
            if unknown is not None and unknown in pieces:
                return UNKNOWN
            if context is not None and len(row) + len(pieces) > context:
                return f"prompt and word have {len(row) + len(pieces)} tokens and the model reads at most {context}"
            found.append(pieces)
        return list(dict.fromkeys(found)) or JOINED

    def _look(
        self, wanted: Mapping[Place, Mapping[int, None]], ends: NDArray[np.bool_] | None
    ) -> Callable[[], dict[Place, tuple[Mapping[int, float], PlaceAnswer]]]:
        carriers = _carriers(list(wanted))
        looks = [
            PlaceQuery(carriers[row, hidden], len(row) - 1, tuple(targets), hidden)
            for (row, hidden), targets in wanted.items()
        ]
        answers = self._network.ask_places(looks, ends)
        return lambda: {
            key: (dict(zip(look.targets, seen.logprobs, strict=True)), seen)
            for key, look, seen in zip(wanted, looks, answers(), strict=True)
        }

    def _ends_word(self) -> NDArray[np.bool_]:
        """The tokens that do not lengthen the word they follow; ids without a token count as lengthening it."""
        ends = np.zeros(self._network.vocabulary, dtype=np.bool_)
        joins = self._joins()[: len(ends)]
        ends[: len(joins)] = ~joins
        return ends

    def _read(
        self,
        plan: Plan,
        seen: Mapping[Place, tuple[Mapping[int, float], PlaceAnswer]],
        ends: NDArray[np.bool_] | None,
    ) -> NextWords:
        if plan.reason is not None:
            return NextWords(tuple(NextWord(word, None, plan.reason) for word in plan.asked))
        first, here = seen[plan.row, plan.hidden]

        def total(pieces: TokenIds) -> float:
            parts = [first[pieces[0]]]
            for length, token in enumerate(pieces[1:], 1):
                parts.append(seen[plan.row + pieces[:length], plan.hidden][0][token])
            if ends is not None:
                parts.append(seen[plan.row + pieces, plan.hidden][1].among)
            return math.fsum(parts)

        totals = {
            word: {pieces: total(pieces) for pieces in found}
            for word, found in plan.words.items()
            if not isinstance(found, str)
        }
        scored = next_words_of(totals, self._facts.dtype, ends)
        words = tuple(scored.get(word) or NextWord(word, None, str(plan.words[word])) for word in plan.asked)
        return NextWords(words, *certainty(here.highest))


@dataclass(frozen=True, slots=True)
class Plan:
    """The tokens of a prompt and the pieces of each word after it, or the reason why a word has none."""

    row: TokenIds
    hidden: tuple[int, ...]
    words: Mapping[str, list[TokenIds] | str]
    reason: str | None
    asked: tuple[str, ...]
    encoded: Encoded | None = None
    """The prompt's own tokens."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """The characters of the prompt's own tokens."""
        return self.encoded.spans if self.encoded else ()

    def pieces(self) -> list[TokenIds]:
        """The pieces of all ways to write all words."""
        return [pieces for found in self.words.values() if not isinstance(found, str) for pieces in found]


def certainty(highest: tuple[float, float]) -> tuple[float | None, float | None]:
    """The probability of the most probable token, and its gap to the second, from their logarithms."""
    first, second = (math.exp(logprob) if math.isfinite(logprob) else None for logprob in highest)
    return first, None if first is None or second is None else first - second


def from_top_logprobs(
    words: Sequence[str], top: Mapping[str, float], *, prompt: str, capitalised: bool | None = None
) -> NextWords:
    """What the most probable next tokens of an API say of words; `top` has the text of each token as it is written.

    A word that is one of the tokens has its log-probability, if that is so of all ways to write it: at the start of a
    text (a blank prompt) there are four. Of the others no more is known than that no single token for them is more
    probable than the least of the list: they are unscored, and the reason says so.

    >>> found = from_top_logprobs(["he", "she"], {" he": -1.0, " a": -2.0}, prompt="The nurse said that")
    >>> found.words[0].logprob, found.words[1].unscored
    (-1.0, 'not among the 2 most probable next tokens, the least of which has probability 0.14')
    """
    problem, before = blank_problem(prompt), before_blank(prompt)
    if problem is not None or before is None:
        return NextWords(tuple(NextWord(word, None, problem) for word in words))
    ranked = sorted(top.values(), reverse=True)
    listed: dict[str, dict[tuple[str, ...], float]] = {}
    reasons: dict[str, str] = {}
    for word in words:
        written = spellings(word, before, capitalised)
        missing = [way for way in written if way not in top]
        if not missing:
            listed[word] = {(way,): top[way] for way in written}
            continue
        which = "" if len(missing) == len(written) else f"{', '.join(map(repr, missing))}: "
        least = f", the least of which has probability {math.exp(ranked[-1]):.2g}" if ranked else ""
        reasons[word] = f"{which}not among the {len(ranked)} most probable next tokens{least}"
    scored = next_words_of(listed, "the API's format")
    first = math.exp(ranked[0]) if ranked else None
    return NextWords(
        tuple(scored.get(word) or NextWord(word, None, reasons[word]) for word in words),
        first,
        first - math.exp(ranked[1]) if first is not None and len(ranked) > 1 else None,
    )


def _carriers(
    keys: Sequence[Place],
) -> dict[Place, TokenIds]:
    """For each sequence the longest one here that begins with it, where its numbers can be read as well.

    >>> _carriers([((1, 2), ()), ((1, 2, 3), ()), ((1, 4), ())])
    {((1, 4), ()): (1, 4), ((1, 2, 3), ()): (1, 2, 3), ((1, 2), ()): (1, 2, 3)}
    """
    carriers: dict[Place, TokenIds] = {}
    longer: Place | None = None
    # In this order the sequences that begin with another stand directly behind it.
    for key in sorted(keys, key=lambda key: (key[1], key[0]), reverse=True):
        row, hidden = key
        if longer is not None and longer[1] == hidden and longer[0][: len(row)] == row:
            carriers[key] = carriers[longer]
        else:
            carriers[key] = row
        longer = key
    return carriers
