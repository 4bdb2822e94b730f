"""What is asked on the playground: a sentence in two variants, or a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlencode

from tiltmeter.errors import UserError
from tiltmeter.models import check_name
from tiltmeter.models.embedded import NAME as EMBEDDED
from tiltmeter.raters.ready import ready
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


@dataclass(frozen=True, slots=True)
class Asked:
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
    ) -> Asked:
        """What a form or an address says, where it makes sense."""
        if kind not in get_args(Kind):
            raise UserError(f"`{kind}` is nothing to ask for; there are {' and '.join(get_args(Kind))}")
        asked: Kind = "pair" if kind == "pair" else "prompt"
        for given in (text, second, attribute):
            if len(given) > LONGEST:
                raise UserError(f"the text has {len(given):,} characters; at most {LONGEST:,} can be asked about here")
        listed = tuple(dict.fromkeys(word.strip() for word in words.split(",") if word.strip()))
        if len(listed) > _MOST_WORDS or any(len(word) > _LONGEST_WORD for word in listed):
            raise UserError(f"at most {_MOST_WORDS} words of {_LONGEST_WORD} characters can be asked about at once")
        return cls(
            asked, _line(text), _line(second), _line(attribute), listed, tuple(raters), model.strip() or EMBEDDED
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
            if rater not in ready():
                raise UserError(f"the rater `{rater}` is not ready here; ready are {', '.join(ready())}")
        if self.kind == "pair":
            self.pair()
        else:
            self.prompts()

    def pair(self) -> Pair:
        """The two sentences as a pair."""
        texts, spans = self._both()
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
        found = variants(self.text)
        return found if found is not None else ((self.text, ()),)

    def _both(self) -> tuple[tuple[str, str], tuple[Spans, Spans]]:
        if not self.text:
            raise UserError("there is no sentence yet: write one with two variants, such as `The {man|woman} left.`")
        found = variants(self.text)
        if found is not None and self.second:
            raise UserError("the first sentence has two variants already: leave the second field empty, or the braces")
        if found is None and not self.second:
            raise UserError(
                "two sentences are needed: write both variants in braces, such as `The {man|woman} left.`, or fill the "
                "second field"
            )
        if found is not None:
            (one, first), (other, second) = found
            return (one, other), (first, second)
        if self.text == self.second:
            raise UserError("the two sentences are the same: there is nothing to compare")
        return (self.text, self.second), differences(self.text, self.second)


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
