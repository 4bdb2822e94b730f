"""What counts as a word and as the end of a sentence in a text that is still being written."""

from __future__ import annotations

import re

# A full stop after these is seldom the end.
_ABBREVIATIONS = {"mr", "mrs", "ms", "dr", "st", "vs", "jr", "sr", "no", "prof", "e.g", "i.e", "u.s", "a.m", "p.m"}
_VOWELS = tuple("aeiouAEIOU")
_POSSESSIVE = {"mine", "yours", "hers", "ours", "theirs"}
# "A friend of hers", "better than hers"; but hardly ever "in hers" or "a hers".
_NOT_BEFORE_POSSESSIVE = {"a", "an", "the", "my", "your", "his", "her", "our", "their", "own", "very", "about", "at"}
_ARTICLES = {"a", "an", "the", "my", "your", "his", "her", "our", "their"}
_NOT_BEFORE_POSSESSIVE |= {"by", "for", "from", "in", "into", "on", "over", "through", "under", "without"}


def find_term(term: str) -> re.Pattern[str]:
    """A pattern for a term as whole words; a term in lower case may also begin with a capital.

    >>> bool(find_term("business").search("Business as usual")), bool(find_term("Bill").search("the bill"))
    (True, False)
    >>> bool(find_term("man").search("A man-made lake, a manager"))
    False
    """
    first, rest = re.escape(term[:1]), re.escape(term[1:])
    if first == first.lower():
        first = f"[{re.escape(term[0])}{re.escape(term[0].upper())}]"
    return re.compile(rf"(?<![\w-]){first}{rest}(?![\w-])")


def ends_sentence(text: str) -> bool:
    """Whether a sentence ends where the text ends.

    >>> [ends_sentence(text) for text in ("She is a mason.", "She asked Dr.", '"I am a mason.', "It costs $3.")]
    [True, False, False, False]
    """
    closed = text.rstrip("\"'”’)")
    ended = closed.rstrip(".!?")
    said = ended.rsplit(maxsplit=1)[-1] if ended and not ended[-1].isspace() else ""
    if ended == closed or not said or text.count('"') % 2:
        return False
    word = said.lower().strip("\"'(“‘")
    if word[-1:].isdigit():
        # A decimal may follow, except after a year.
        return len(word) == 4 and word.isdigit()
    return word == "i" or (len(word) > 1 and word not in _ABBREVIATIONS)


def first_sentence(prompt: str, text: str) -> str | None:
    r"""What was written up to the end of the sentence that the prompt begins; None: it has not ended yet.

    A line break ends it too.

    >>> first_sentence("She", " left."), first_sentence("She", " left"), first_sentence('"She', " left.")
    (' left.', None, None)
    >>> first_sentence("She", " left\nIt")
    ' left'
    """
    begun = len(text) - len(text.lstrip())
    line_break = text.find("\n", begun)
    if line_break > begun:
        return text[:line_break]
    return text if text.strip() and ends_sentence((prompt + text).rstrip()) else None


def clashes(text: str, term: str) -> bool:
    """Whether a term cannot stand directly after a text: a space too many, two articles, the wrong one, "in hers".

    >>> clashes("She is a", "engineer"), clashes("She is an", "engineer"), clashes("I met a", "the heir")
    (True, False, True)
    """
    last = text.rpartition(" ")[2].lower()
    if text.endswith(" ") or (last in _ARTICLES and term.partition(" ")[0].lower() in _ARTICLES):
        return True
    if term in _POSSESSIVE and last in _NOT_BEFORE_POSSESSIVE:
        return True
    return last == ("a" if term.startswith(_VOWELS) else "an")
