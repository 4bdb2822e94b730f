"""Several sentences in one answer of a chat model, taken out of what it says around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tiltmeter.files import json_value
from tiltmeter.sources.generated.checks import sentence_ends
from tiltmeter.sources.generated.matching import contains

_THOUGHT = re.compile(r"^.*</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~).*$", re.MULTILINE)
_MARK = re.compile(
    r"\s*(?:(?:\*\*|__)?(?:\(?\d{1,3}[.):\]]|#\d{1,3}[.):]?)(?:\*\*|__)?|[-*–—+]|\(?[a-h]\))\s+|\s*[•·‣▪]\s*"
)
_INLINE = re.compile(r"(?<=[.!?\"”’*])\s+(?=\(?\d{1,2}[.)]\s+\S)")
_LABEL = re.compile(r"(?:sentence|example|option|version|answer|response)s?\s*#?\d{0,3}\s*[:.)–-]\s+", re.IGNORECASE)
_YES = r"(?:sure|certainly|of course|okay|ok|absolutely|yes|great|alright|no problem|happy to help)"
# What stands before a colon on the line of a sentence, when it is about the answer and not about anybody in it.
_OPENED = re.compile(
    rf"(?:{_YES}\b[^:]{{0,80}}|(?:here(?:['’]s| is| are)|below (?:is|are)|the following)\b[^:]{{0,80}}"
    r"|(?:(?:your|my|the|a|an|one|first|second|third|possible|another)\s+){1,3}(?:\w+\s+){0,2}(?:sentences?|examples?)"
    r"(?: (?:with|using|that|is|for|you)\b[^:]{0,80})?):\s+",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r".*:|(?:here(?:['’]s| is| are)|below (?:is|are))\b.*\b(?:sentences?|examples?)\b.*"
    r"|(?:these|those|all|each|every|both)(?: of)?(?: the| these| those)?(?: \w+)? (?:sentences?|examples?)(?: above)? "
    r"(?:all )?(?:uses?|contains?|includes?|have|has|is|are|mentions?|follows?|keeps?)\b.*"
    r"|i(?:['’]ve| have) (?:used|written|made|kept|included)\b.*\b(?:sentences?|words?)\b.*",
    re.IGNORECASE,
)
"""Lines about the sentences: whatever words they repeat, they are none."""
_REMARK = re.compile(
    rf"{_YES}(?: thing)?(?:\W+(?:i|here|let|happy|glad)\b.*|\W*)"
    r"|(?:i hope|hope (?:this|these)|let me know|feel free|would you like|do you want|if you(?:['’]d| would| need| want"
    r"| have)|please (?:let|note)|note)\b.*",
    re.IGNORECASE,
)
"""Lines that people write about anything: they are remarks unless they have the words that were asked for."""
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»", "`": "`"}
_EMPHASIS = re.compile(r"(\*\*|__|`)(?=\S)(.+?)(?<=\S)\1|(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])")
_ROUNDS = 20
_PARAGRAPH = 3
"""So many sentences on the only line of an answer are a list that the model wrote without line breaks."""


def sentences_in(answer: str, words: Sequence[str] = ()) -> list[str]:
    r"""The sentences that an answer lists, without numbers, quotation marks, and what is said before and after them.

    `words` are those that were asked for: a line that has them all is hardly a remark.

    >>> sentences_in('Sure! Here are two:\n\n1. "The man **reads**."\n2) The man sleeps.\n\nLet me know!')
    ['The man reads.', 'The man sleeps.']
    >>> sentences_in('```json\n["The man reads.", "The man sleeps."]\n```')
    ['The man reads.', 'The man sleeps.']
    >>> sentences_in("Here is your sentence: The man reads.")
    ['The man reads.']
    """
    text = _FENCE.sub("", _THOUGHT.sub("", answer)).strip()
    data = _json(text)
    found = list(_strings(data)) if data is not None else _lines(text, words)
    return [one for one in map(_clean, found) if any(sign.isalnum() for sign in one)]


def _lines(text: str, words: Sequence[str]) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any(_MARK.match(line) for line in lines):
        lines = [part for line in lines for part in _INLINE.split(line)]
        return [line for line in lines if (mark := _MARK.match(line)) and not _is_remark(line[mark.end() :], words)]
    lines = [line for line in lines if not _is_remark(line, words)]
    if len(lines) == 1:
        ends = sentence_ends(lines[0])
        if len(ends) >= _PARAGRAPH:
            return [lines[0][start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return lines


def _is_remark(line: str, words: Sequence[str]) -> bool:
    text = line.strip("*_ ")
    opened = _OPENED.match(text)
    if opened and text[opened.end() :].strip():
        # A sentence stands behind it.
        return False
    if _ABOUT.fullmatch(text):
        return True
    has_all = bool(words) and all(contains(text, word) for word in words)
    return not has_all and bool(_REMARK.fullmatch(text))


def _clean(item: str) -> str:
    """One sentence without what a list puts around it."""
    text = " ".join(item.split())
    # Marks within marks, but not as many as a broken answer may repeat.
    for _ in range(_ROUNDS):
        before = text
        for pattern in (_MARK, _LABEL, _OPENED):
            found = pattern.match(text)
            text = text[found.end() :] if found and text[found.end() :].strip() else text
        if len(text) > 1 and text[0] in _QUOTES:
            inner = text.rstrip(",;")
            end = _QUOTES[text[0]]
            if inner.endswith(end) and end not in inner[1:-1] and text[0] not in inner[1:-1]:
                text = inner[1:-1].strip()
        text = _EMPHASIS.sub(lambda match: match[2] or match[3], text)
        if text == before:
            break
    return text


def _json(text: str) -> Any | None:
    """What an answer holds as JSON, if it is that; what is said before and after it does not count."""
    starts = [at for at in (text.find("["), text.find("{")) if at >= 0]
    end = max(text.rfind("]"), text.rfind("}")) + 1
    if not starts or end <= min(starts):
        return None
    try:
        found = json_value(text[min(starts) : end])
    except ValueError:
        return None
    return found if any(True for _ in _strings(found)) else None


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, list | dict):
        for one in data.values() if isinstance(data, dict) else data:
            yield from _strings(one)
