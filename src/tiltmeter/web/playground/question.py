"""A question on the playground: a sentence in two variants, or a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args
from urllib.parse import urlencode

from tiltmeter.errors import UserError
from tiltmeter.models import check_name
from tiltmeter.models.embedded import NAME as EMBEDDED
from tiltmeter.raters.availability import available_raters
from tiltmeter.records import Pair, Span
from tiltmeter.sources.differences import differences
from tiltmeter.sources.pairs_file import attribute_in

Kind = Literal["pair", "prompt"]
Spans = tuple[Span, ...]
LONGEST = 2_000
"""Characters of a text."""
_MOST_WORDS = 20
_LONGEST_WORD = 60
_VARIANTS = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")


class Piece(Protocol):
    """A stretch of a text, and whether it names the attribute."""

    @property
    def text(self) -> str:
        """What it says."""

    @property
    def kind(self) -> str:
        """What it is: `attribute`, `group`, `prompt` or something else."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question, as the address of the page has it."""

    kind: Kind = "pair"
    text: str = ""
    second: str = ""
    attribute: str = ""
    words: tuple[str, ...] = ()
    raters: tuple[str, ...] = ()
    model: str = EMBEDDED

    @classmethod
    def of(
        cls,
        *,
        kind: str = "pair",
        text: str = "",
        second: str = "",
        attribute: str = "",
        words: str = "",
        raters: Sequence[str] = (),
        model: str = "",
    ) -> Question:
        """What a form or an address says, where it makes sense."""
        if kind not in get_args(Kind):
            raise UserError(f"`{kind}` is nothing to ask for; there are {' and '.join(get_args(Kind))}")
        known: Kind = "pair" if kind == "pair" else "prompt"
        for given in (text, second, attribute):
            if len(given) > LONGEST:
                raise UserError(f"the text has {len(given):,} characters; at most {LONGEST:,} can be asked about here")
        listed = tuple(dict.fromkeys(word.strip() for word in words.split(",") if word.strip()))
        if len(listed) > _MOST_WORDS or any(len(word) > _LONGEST_WORD for word in listed):
            raise UserError(f"at most {_MOST_WORDS} words of {_LONGEST_WORD} characters can be asked about at once")
        return cls(
            known, _line(text), _line(second), _line(attribute), listed, tuple(raters), model.strip() or EMBEDDED
        )

    @property
    def address(self) -> str:
        """The address of the page with this question."""
        given = [
            ("kind", self.kind if self.kind != "pair" else ""),
            ("text", self.text),
            ("second", self.second),
            ("attribute", self.attribute),
            ("words", ", ".join(self.words)),
            ("model", self.model if self.model != EMBEDDED else ""),
            *(("rater", rater) for rater in self.raters),
        ]
        wanted = urlencode([(name, value) for name, value in given if value])
        return f"/playground?{wanted}" if wanted else "/playground"

    def check(self) -> None:
        """Refuse what cannot be asked, before anything is loaded."""
        check_name(self.model)
        for rater in self.raters:
            if rater not in available_raters():
                raise UserError(f"the rater `{rater}` is not ready here; ready are {', '.join(available_raters())}")
        if self.kind == "pair":
            self.pair()
        else:
            self.prompts()

    def pair(self) -> Pair:
        """The two sentences as a pair."""
        if not self.text:
            raise UserError("there is no sentence yet: write one with two variants, such as `The {man|woman} left.`")
        found = self._both()
        if found is None:
            raise UserError(
                "two sentences are needed: write both variants in braces, such as `The {man|woman} left.`, or fill the "
                "second field"
            )
        (one, first), (other, second) = found
        texts, spans = (one, other), (first, second)
        terms = tuple(
            text[spans[side][0][0] : spans[side][0][1]] if spans[side] else "" for side, text in enumerate(texts)
        )
        return Pair(
            id="playground",
            source="playground",
            bias="playground",
            origin=self.attribute or "one sentence",
            texts=texts,
            groups=(terms[0] or "first", terms[1] or "second"),
            terms=(terms[0], terms[1]),
            attribute=self.attribute or None,
            group_spans=spans,
            **attribute_in(texts, spans, self.attribute),
        )

    def prompts(self) -> tuple[tuple[str, Spans], ...]:
        """The prompt, or both variants of it, with the characters in which they differ."""
        if not self.text:
            raise UserError("there is no prompt yet: write the beginning of a text, such as `The nurse said that`")
        return self._both() or ((self.text, ()),)

    @property
    def unchanged(self) -> bool:
        """Whether the second text is still a copy of the first."""
        return bool(self.text) and self.text == self.second

    def _both(self) -> tuple[tuple[str, Spans], tuple[str, Spans]] | None:
        """Both texts and the characters in which they differ; None where there is only one."""
        if not self.second:
            return variants(self.text)
        if _VARIANTS.search(self.text):
            raise UserError("the first text has two variants already: leave the second field empty, or the braces")
        if self.unchanged:
            raise UserError("the two texts are the same: change a word in one of them")
        first, second = differences(self.text, self.second)
        return (self.text, first), (self.second, second)


def variants(text: str) -> tuple[tuple[str, Spans], tuple[str, Spans]] | None:
    """Both variants of a text and where they differ; None where it has no braces.

    >>> variants("{He|She} left.")
    (('He left.', ((0, 2),)), ('She left.', ((0, 3),)))
    """
    if "{" not in text and "}" not in text:
        return None
    if re.search(r"[{}]", _VARIANTS.sub("", text)):
        raise UserError("the braces do not fit: write exactly two variants in each pair of braces, as in {man|woman}")
    if all(match[1] == match[2] for match in _VARIANTS.finditer(text)):
        raise UserError("both variants in the braces are the same: there is nothing to compare")
    return _variant(text, 1), _variant(text, 2)


def _variant(text: str, side: Literal[1, 2]) -> tuple[str, Spans]:
    made, spans, place = "", list[Span](), 0
    for match in _VARIANTS.finditer(text):
        made += text[place : match.start()]
        if match[side]:
            spans.append((len(made), len(made) + len(match[side])))
        made, place = made + match[side], match.end()
    return made + text[place:], tuple(spans)


def _line(text: str) -> str:
    """A text without line breaks and without spaces around it; a sentence is one line."""
    lines = (line.strip() for line in re.split(r"[\r\n]+", text))
    return " ".join(line for line in lines if line)


def question_about(view: str, texts: Sequence[Sequence[Piece]], model: str = "") -> str:
    """The address of the playground with a text of a run in it, and a copy to be changed; empty where it is too long.

    A pair comes with both of its sentences.
    """
    given = [_line("".join(piece.text for piece in pieces)) for pieces in texts[:2]]
    attribute = next((piece.text for pieces in texts for piece in pieces if piece.kind == "attribute"), "")
    if not given or max(map(len, given)) > LONGEST:
        return ""
    kind: Kind = "prompt" if view == "next-words" else "pair"
    return Question(kind, given[0], given[-1], attribute if view == "pairs" else "", model=model or EMBEDDED).address
