"""Exchanges a group's term for its counterpart in a sentence, with everything that agrees with it.

The sentence stays as written but for the term, pronouns in the case that their place needs, and a/an. What cannot
be exchanged without guessing is refused with a reason: a guess would be scored as if it were the writer's English.
The rules are for English and look two words ahead, no further.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tiltmeter.english import (
    ARTICLE,
    BARE_VERBS,
    BE,
    CASES,
    CONJUNCTIONS,
    DOUBLE_VERBS,
    FORMS,
    GENDER_OF_PRONOUN,
    KIN_ADJECTIVES,
    PLACE_ADVERBS,
    POSSESSED,
    PREPOSITIONS,
    TITLES,
    Case,
    Gender,
    article_for,
    article_in_case,
    capitalised,
    gender,
    is_shouted,
    noun_follows,
    starts_sentence,
    tells_number,
)
from tiltmeter.records import Span

_WORD = r"[\w'’-]+"


@dataclass(frozen=True, slots=True)
class Swapped:
    """The sentence with the groups exchanged, and the stretches that differ: in the original, and in the new text."""

    text: str
    original_spans: tuple[Span, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Unswapped:
    """The sentence cannot be exchanged without guessing, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    new: str
    listed: str
    """The new words as their list has them: capitals in the text say nothing about how a word is spoken."""


def swap(
    text: str,
    term: str,
    counterpart: str,
    *,
    pronouns: Literal["along", "leave"] = "along",
    genders: tuple[Gender | None, Gender | None] | None = None,
) -> Swapped | Unswapped:
    """Put the counterpart where the term is, with what agrees with it.

    Pronouns go along where the two terms differ in gender; `genders` says which where the words do not (names).

    >>> swap("A man loves his job.", "man", "aunt").text
    'An aunt loves her job.'
    >>> swap("The man met a woman.", "man", "woman").reason
    '`woman` is in the sentence already: who is meant would be unclear'
    """
    if term.casefold() == counterpart.casefold():
        return Unswapped(f"`{term}` and its counterpart are the same")
    found, taken = _occurrences(text, term, counterpart)
    if not found:
        return Unswapped(f"`{term}` does not occur as a word of its own")
    if taken:
        return Unswapped(f"`{counterpart}` is in the sentence already: who is meant would be unclear")
    before, after = genders or (gender(term), gender(counterpart))
    differ = before is not None and after is not None and before != after
    both_pronouns = _is_gendered_pronoun(term) and _is_gendered_pronoun(counterpart) and differ
    try:
        edits = [] if both_pronouns else [_term_edit(text, span, term, counterpart) for span in found]
        if before is not None and after is not None and differ:
            chosen = found if both_pronouns else []
            if pronouns == "along":
                if not both_pronouns:
                    _refuse_title(text, found)
                chosen = _pronouns_along(text, found, before, after, is_pronoun=both_pronouns)
            edits += [_pronoun_edit(text, span, after) for span in chosen]
    except _CannotSwapError as refusal:
        return Unswapped(str(refusal))
    return _apply(text, [*edits, *_article_edits(text, edits, term)])


class _CannotSwapError(Exception):
    """Carries the reason from the place that finds it to `swap`."""


def _occurrences(text: str, term: str, counterpart: str) -> tuple[list[Span], list[Span]]:
    """Where the term stands and where the counterpart does; the longer of the two wins where one holds the other."""
    spans: dict[str, list[Span]] = {term: [], counterpart: []}
    covered: list[Span] = []
    for words in sorted((term, counterpart), key=len, reverse=True):
        for match in _pattern(words).finditer(text):
            if not any(match.start() < end and start < match.end() for start, end in covered):
                spans[words].append(match.span())
        covered = list(spans[words])
    return spans[term], spans[counterpart]


def _pattern(words: str) -> re.Pattern[str]:
    # A word listed with a capital is a name: "Frank" is not in "to be frank". A common word may be capitalised.
    pieces = []
    for word in words.split():
        escaped = re.sub("['’]", "['’]", re.escape(word))
        pieces.append(f"(?i:{escaped})" if word == word.lower() else f"(?:{escaped}|{escaped.upper()})")
    return re.compile(r"(?<![\w@])(?<!\w[-'’])" + r"\s+".join(pieces) + r"(?![\w@])(?!-\w)")


def _term_edit(text: str, span: Span, term: str, counterpart: str) -> _Edit:
    found = text[span[0] : span[1]]
    new = counterpart.replace("'", "’") if "’" in found else counterpart
    first_capital = found[:1].isupper() and (not term[:1].isupper() or starts_sentence(text, span[0]))
    if is_shouted(found) and not term.isupper():
        new = new.upper()
    elif " " in term and term == term.lower() and all(word[:1].isupper() for word in found.split()):
        new = " ".join(capitalised(word) for word in new.split(" "))
    elif first_capital:
        new = capitalised(new)
    return _Edit(*span, new, counterpart)


def _pronoun_edit(text: str, span: Span, gender: Gender) -> _Edit:
    found = text[span[0] : span[1]]
    case = _case(found.lower(), text, span)
    after, _ = _words_after(text, span[1])
    plural = "neutral" in (gender, GENDER_OF_PRONOUN[found.lower()])
    contracted = re.match(r"['’](s|re|ve|m)\b", text[span[1] :], re.IGNORECASE)
    if case == "subject" and plural and (contracted or tells_number(after)):
        verb = contracted[0] if contracted else after
        raise _CannotSwapError(f"`{verb}` after `{found}` does not fit `{FORMS[gender]['subject']}`")
    new = FORMS[gender][case]
    if is_shouted(found):
        new = new.upper()
    elif found[0].isupper():
        new = capitalised(new)
    return _Edit(*span, new, new)


def _pronouns_along(text: str, found: list[Span], before: Gender, after: Gender, *, is_pronoun: bool) -> list[Span]:
    """The pronouns that go along with the term; refused where they may mean somebody else."""
    own, other = list(_pronouns_of(text, before)), list(_pronouns_of(text, after))
    # "her sister": the pronoun means the one whose sister it is.
    owners = [] if is_pronoun else [span for span in own if _owns_one_of(text, span, found)]
    along = [span for span in own if span not in owners]
    if along and other:
        first, second = _quoted(text, along[0]), _quoted(text, other[0])
        raise _CannotSwapError(f"the sentence has both {first} and {second}: who is meant would be unclear")
    if along and owners:
        phrase = text[owners[0][0] : found[0][1]]
        raise _CannotSwapError(f"{_quoted(text, along[-1])} may mean either person in `{phrase}`")
    return along


def _pronouns_of(text: str, gender: Gender) -> Iterator[Span]:
    forms = "|".join(sorted({*FORMS[gender].values()}, key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w@])(?<!\w[-'’])(?:{forms})(?![\w@])(?!-\w)", text, re.IGNORECASE):
        yield match.span()


def _owns_one_of(text: str, pronoun: Span, found: list[Span]) -> bool:
    if text[pronoun[0] : pronoun[1]].lower() not in ("his", "her", "their"):
        return False
    between = re.compile(rf"(?:\s+(?:{'|'.join(KIN_ADJECTIVES.split())}))*\s+", re.IGNORECASE)
    match = between.match(text, pronoun[1])
    return match is not None and any(match.end() == start for start, _ in found)


def _refuse_title(text: str, found: list[Span]) -> None:
    for start, end in found:
        title = re.search(rf"\b({'|'.join(TITLES.split())})\.?\s+$", text[:start], re.IGNORECASE)
        if title:
            raise _CannotSwapError(f"the title `{title[0].strip()}` before `{text[start:end]}` reveals the gender")


def _case(form: str, text: str, span: Span) -> Case:
    """The case that a pronoun stands in, by the words around it."""
    cases = CASES[form]
    if len(cases) == 1:
        return cases[0]
    after, after_next = _words_after(text, span[1])
    if not noun_follows(after, after_next) or after is None:
        return cases[1]
    if form == "his":
        return "determiner"
    before, word = _word_before(text, span[0]), after.lower()
    if before in DOUBLE_VERBS:
        if word in BARE_VERBS or word.endswith("ing"):
            return "object"
        if word in POSSESSED:
            return "determiner"
    elif before is None or before in PREPOSITIONS | CONJUNCTIONS | BE or word not in PLACE_ADVERBS:
        return "determiner"
    raise _CannotSwapError(f"`{before} {text[span[0] : span[1]]} {after}` can be read in two ways")


def _article_edits(text: str, edits: list[_Edit], term: str) -> Iterator[_Edit]:
    for edit in edits:
        article = ARTICLE.search(text[: edit.start])
        # An article that was wrong in the first place is the writer's, and stays.
        if article and article_for(term) == article[1].lower():
            right = article_for(edit.listed)
            if right and right != article[1].lower():
                cased = article_in_case(article[1], right, text[edit.start : edit.end])
                yield _Edit(article.start(), article.start() + len(article[1]), cased, cased)


def _apply(text: str, edits: list[_Edit]) -> Swapped:
    new, place = "", 0
    spans: list[Span] = []
    edits = sorted(edits, key=lambda edit: edit.start)
    for edit in edits:
        new += text[place : edit.start]
        spans.append((len(new), len(new) + len(edit.new)))
        new += edit.new
        place = edit.end
    return Swapped(new + text[place:], tuple((edit.start, edit.end) for edit in edits), tuple(spans))


def _words_after(text: str, position: int) -> tuple[str | None, str | None]:
    match = re.compile(rf"\s+({_WORD})(?:\s+({_WORD}))?").match(text, position)
    return (match[1], match[2]) if match else (None, None)


def _word_before(text: str, position: int) -> str | None:
    match = re.search(rf"({_WORD})\s+$", text[:position])
    return match[1].lower() if match else None


def _is_gendered_pronoun(word: str) -> bool:
    return word.lower() in GENDER_OF_PRONOUN


def _quoted(text: str, span: Span) -> str:
    return f"`{text[span[0] : span[1]]}`"
