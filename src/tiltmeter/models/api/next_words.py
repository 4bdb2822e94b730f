"""Next words of an API model: from the log-probabilities of whole texts, or from the most probable next tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.models.api.answers import Piece
from tiltmeter.models.api.client import Refused
from tiltmeter.models.api.echo import Echo
from tiltmeter.models.api.likeliest import ListedTokens, ListTokens, most_probable_words
from tiltmeter.models.likeliest import without_words
from tiltmeter.models.next_words import (
    JOINED,
    NO_START,
    Question,
    before_blank,
    blank_problem,
    certainty,
    from_top_logprobs,
    spellings,
)
from tiltmeter.models.shared_words import next_words_of
from tiltmeter.records import NextWord, NextWords

UNBOUNDED = "the server lists only the most probable next tokens, so whether a word ends is unknown"
CANNOT_MASK = "attention to part of the prompt cannot be masked in an API model"
NO_NUMBERS = "the server gives no log-probabilities"
NOTHING_BEFORE = "the prompt is empty, and the server takes no empty text; give the start token with `?start=`"


@dataclass(frozen=True, slots=True)
class NextWordAsker:
    """Asks a server about words. `echo` looks at whole texts; where a server cannot, `after` lists next tokens."""

    has_start: bool
    """Whether something stands before a text, so that its first word has a probability."""
    takes_nothing: bool
    """Whether a blank prompt can be handed over: the start token alone."""
    echo: Callable[[Sequence[str]], Sequence[Echo | Refused]] | None
    after: Callable[[Sequence[str]], Sequence[Mapping[str, float] | Refused]] | None

    def answer(
        self, asked: Sequence[Question], *, bounded: bool = False, capitalised: bool | None = None
    ) -> list[NextWords]:
        """The answers in the order of the questions."""
        reasons = [self._unanswerable(question, bounded) for question in asked]
        open_ones = [question for question, reason in zip(asked, reasons, strict=True) if reason is None]
        found = iter(self._by_echo(open_ones, capitalised) if self.echo else self._by_list(open_ones, capitalised))
        return [
            next(found) if reason is None else _nothing(question, reason)
            for question, reason in zip(asked, reasons, strict=True)
        ]

    def likeliest(self, prompt: str, count: int) -> NextWords:
        """The most probable words after a prompt, as far as the server lists tokens; see `proposing`."""
        reason = self._unanswerable(Question(prompt, ()), bounded=False)
        before = before_blank(prompt) or ""
        if reason is None and not before and not self.takes_nothing:
            reason = NOTHING_BEFORE
        return most_probable_words(self._show(before), prompt, count) if reason is None else without_words(reason)

    def _show(self, before: str) -> ListTokens:
        """Looks behind a prompt with texts added to it; the prompt itself is sent once, since its answer is kept."""
        echo, after = self.echo, self.after

        def by_echo(added: Sequence[str]) -> list[ListedTokens | Refused]:
            assert echo is not None
            prompt, *found = echo([before, *(before + text for text in added)])
            if isinstance(prompt, Refused):
                return [prompt] * len(added)
            return [
                _shown(prompt, one) if text else ListedTokens(_top(prompt))
                for text, one in zip(added, found, strict=True)
            ]

        def by_list(added: Sequence[str]) -> list[ListedTokens | Refused]:
            assert after is not None
            found = after([before + text for text in added])
            return [one if isinstance(one, Refused) else ListedTokens(one) for one in found]

        return by_list if echo is None else by_echo

    def _unanswerable(self, question: Question, bounded: bool) -> str | None:
        problem = blank_problem(question.prompt)
        if problem is not None:
            return problem
        if bounded:
            return UNBOUNDED
        if question.hidden:
            return CANNOT_MASK
        return NO_START if not _before(question) and not self.has_start else None

    def _by_list(self, asked: Sequence[Question], capitalised: bool | None) -> list[NextWords]:
        if not asked or self.after is None:
            return []
        prompts = list(dict.fromkeys(map(_before, asked)))
        tops = dict(zip(prompts, self.after(prompts), strict=True))
        made = []
        for question in asked:
            top = tops[_before(question)]
            if isinstance(top, Refused) or not top:
                made.append(_nothing(question, top.reason if isinstance(top, Refused) else NO_NUMBERS))
            else:
                made.append(from_top_logprobs(question.words, top, prompt=question.prompt, capitalised=capitalised))
        return made

    def _by_echo(self, asked: Sequence[Question], capitalised: bool | None) -> list[NextWords]:
        """A word that is one of the listed tokens is read from the list; the others are looked at as whole texts."""
        assert self.echo is not None
        prompts = list(dict.fromkeys(map(_before, asked)))
        # Without a start token of ours nothing is left of a blank prompt; its words are looked at alone.
        shown = [prompt for prompt in prompts if prompt or self.takes_nothing]
        seen = dict(zip(shown, self.echo(shown), strict=True))
        wanted = {
            before + way: None
            for question in asked
            for before in (_before(question),)
            if not isinstance(seen.get(before), Refused)
            for word in question.words
            for way in spellings(word, before, capitalised)
            if way not in _top(seen.get(before))
        }
        written = dict(zip(wanted, self.echo(list(wanted)), strict=True))
        return [_read(question, seen.get(_before(question)), written, capitalised) for question in asked]


def _read(
    question: Question,
    seen: Echo | Refused | None,
    written: Mapping[str, Echo | Refused],
    capitalised: bool | None,
) -> NextWords:
    if isinstance(seen, Refused):
        return _nothing(question, seen.reason)
    before, top = _before(question), _top(seen)
    totals: dict[str, dict[tuple[str, ...], float]] = {}
    reasons: dict[str, str] = {}
    for word in question.words:
        found: dict[tuple[str, ...], float] = {}
        for way in spellings(word, before, capitalised):
            if way in top:
                found[(way,)] = top[way]
                continue
            whole = written[before + way]
            if isinstance(whole, Refused):
                reasons[word] = whole.reason
                break
            rest = _behind(() if seen is None else seen.given, whole.given)
            if rest:
                found[tuple(piece.text for piece in rest)] = sum(piece.logprob or 0.0 for piece in rest)
        if word not in reasons and found:
            totals[word] = found
    scored = next_words_of(totals, "the server's format")
    words = tuple(scored.get(word) or NextWord(word, None, reasons.get(word, JOINED)) for word in question.words)
    ranked = sorted(top.values(), reverse=True)[:2]
    return NextWords(words, *(certainty((ranked[0], ranked[1])) if len(ranked) > 1 else (None, None)))


def _behind(prompt: Sequence[Piece], whole: Sequence[Piece]) -> Sequence[Piece]:
    """The tokens of a text behind those of its prompt; none where the two do not begin alike or a number is missing."""
    same = [piece.text for piece in whole[: len(prompt)]] == [piece.text for piece in prompt]
    rest = whole[len(prompt) :]
    return rest if same and all(piece.logprob is not None for piece in rest) else ()


def _shown(prompt: Echo, whole: Echo | Refused) -> ListedTokens | Refused:
    if isinstance(whole, Refused):
        return whole
    rest = _behind(prompt.given, whole.given)
    return ListedTokens(_top(whole), sum(piece.logprob or 0.0 for piece in rest)) if rest else Refused(JOINED)


def _top(seen: Echo | Refused | None) -> Mapping[str, float]:
    return seen.after.top if isinstance(seen, Echo) and seen.after is not None else {}


def _before(question: Question) -> str:
    return before_blank(question.prompt) or ""


def _nothing(question: Question, reason: str) -> NextWords:
    return NextWords(tuple(NextWord(word, None, reason) for word in question.words))
