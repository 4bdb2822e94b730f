"""Kinds of words: an example teaches most where its person is named by a word of the same kind."""

from __future__ import annotations

_KINDS = {
    "subject": {"i", "you", "he", "she", "we", "they"},
    "object": {"me", "you", "him", "her", "us", "them"},
    "determiner": {"my", "your", "his", "her", "our", "their"},
    "possessive": {"mine", "yours", "his", "hers", "ours", "theirs"},
    "adjective": {"male", "female", "elderly", "old", "young", "local", "foreign", "gay", "straight", "disabled"},
}


def kinds(word: str) -> frozenset[str]:
    """What a word can be; a word with a capital is a name, any other a noun.

    >>> sorted(kinds("her")), sorted(kinds("Lisa")), sorted(kinds("sister"))
    (['determiner', 'object'], ['name'], ['noun'])
    """
    found = frozenset(kind for kind, words in _KINDS.items() if word.casefold() in words)
    return found or frozenset({"name" if word[:1].isupper() else "noun"})
