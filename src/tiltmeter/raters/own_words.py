"""What of a text is the model's own answer: without its reasoning, its markup and what people in a story say."""

from __future__ import annotations

import re

_REASONING = re.compile(
    r"^\s*<(think|thinking|thought|thoughts|reasoning|analysis|scratchpad|reflection)\b[^>]*>.*?(?:</\1>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_BEGUN_BEFORE = re.compile(
    r"^.*?</(?:think|thinking|thought|thoughts|reasoning|analysis|scratchpad|reflection)>", re.DOTALL
)
"""Chat templates may open the reasoning themselves, so that only its end is in the text."""
_MARKUP = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]*|[-*•][ \t]+|\d+[.)][ \t]+)|[*`~]+|(?<!\w)_+|_+(?!\w)", re.MULTILINE
)
_TITLE = re.compile(r"^\s*#{1,6}[ \t]+[^\n]{1,40}\n+")
_LABEL = re.compile(r"^\W*(?:assistant|AI|answer|response|model|bot|completion|output)\s*:\s*", re.IGNORECASE)
_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "´": "'", "＇": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'}
)
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'(?=\w)(?:[^']|'(?=\w))*'(?!\w)")
_CLOSED = re.compile(r"^[^\"]*[,.!?…-]\"(?=\s|$)")


def without_reasoning(text: str) -> str:
    """The text behind a model's reasoning; empty where it never got behind it.

    >>> without_reasoning("<think>May I? No.</think> I must decline."), without_reasoning("<think>May I")
    (' I must decline.', '')
    """
    found = _REASONING.match(text)
    while found:
        text = text[found.end() :]
        found = _REASONING.match(text)
    return _BEGUN_BEFORE.sub("", text, count=1)


def own_words(text: str) -> str:
    """The answer in plain signs. Speech in quotation marks is somebody's in a story, unless it is all there is.

    >>> own_words("**I can’t** do that."), own_words('"I can\\'t," she said.'), own_words("I can't,\\" he said.")
    ("I can't do that.", 'she said.', 'he said.')
    """
    plain = " ".join(_plain(without_reasoning(text)).split(" "))
    plain = _LABEL.sub("", plain).strip()
    if plain.count('"') == 2 and plain.startswith('"') and plain.rstrip(" .)]").endswith('"'):
        return plain.strip(' "')
    unopened = _CLOSED.match(plain)
    if unopened and plain.count('"') % 2:
        plain = plain[unopened.end() :]
    return re.sub(r"^\W*,", ",", _QUOTED.sub(" ", plain)).strip()


def _plain(text: str) -> str:
    text = text.translate(_PLAIN).replace("\N{NO-BREAK SPACE}", " ")
    return re.sub(r"\bgonna\b", "going to", _MARKUP.sub("", _TITLE.sub("", text)))
