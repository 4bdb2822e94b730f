"""The words that stand for each group where a model is asked whom it expects next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tiltmeter import toml
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import read_text
from tiltmeter.sources.tables import read_table

WordSets = tuple[tuple[str, tuple[str, ...]], ...]
"""Groups and their words, in the order in which they are compared: a − b is the earlier minus the later."""

BUILT_IN: dict[str, WordSets] = {
    "pronouns": (
        ("male", ("he", "his", "him")),
        ("female", ("she", "her", "hers")),
        ("neutral", ("they", "their", "theirs", "them")),
    ),
    "he-she": (("male", ("he",)), ("female", ("she",))),
    "he-she-they": (("male", ("he",)), ("female", ("she",)), ("neutral", ("they",))),
}
"""The sets that need only be named: those of the paper's Figure 1, its Table 3, and Table 3 with *they*."""
CALLED = {"male": "men", "female": "women", "neutral": "people called “they”"}
"""What readers call the groups of these sets."""


def check_word_sets(sets: Mapping[str, Sequence[str]], file: str | Path | None = None) -> WordSets:
    """The sets, where each group has a name and words, and no word stands for two; case counts.

    Results call a pair of groups a/b and options write GROUP=word, so no name has either sign.

    >>> check_word_sets({"kin": ["mother", "father"], "work": ["boss"]})
    (('kin', ('mother', 'father')), ('work', ('boss',)))
    """
    owners: dict[str, str] = {}
    made = []
    for group, words in sets.items():
        listed = tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
        if not group.strip() or not listed:
            raise UserError(f"the group `{group}` has no words; each group needs at least one", file=file)
        if "/" in group or "=" in group:
            raise UserError(f"the name of the group `{group}` must not contain / or =", file=file)
        for word in listed:
            if owners.setdefault(word, group) != group:
                raise UserError(f"the word `{word}` belongs to both {owners[word]} and {group}", file=file)
        made.append((group.strip(), listed))
    if len(made) < 2:
        raise UserError("at least two groups with words are needed, to compare one with the other", file=file)
    return tuple(made)


def parse(given: Sequence[str]) -> WordSets:
    """The sets of `GROUP=word,word`, each given once.

    >>> parse(["kin=mother,father", "work=boss"])[1]
    ('work', ('boss',))
    """
    sets: dict[str, list[str]] = {}
    for one in given:
        group, sign, words = one.partition("=")
        if not sign or not group.strip() or not words.strip():
            raise UserError(f"--words {one!r}: write GROUP=word,word, or a name: {', '.join(BUILT_IN)}")
        if group.strip() in sets:
            raise UserError(f"--words {one!r}: the group `{group.strip()}` is given twice")
        sets[group.strip()] = words.split(",")
    return check_word_sets(sets)


def read(path: str | Path) -> WordSets:
    """The sets of a file: TOML with a list of words for each group, or a table with the columns `group` and `word`."""
    if Path(path).suffix.lower() == ".toml":
        table = toml.parse(read_text(path, "file of words"), InvalidData, path)
        for group, words in table.items():
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise InvalidData("must be a list of words", file=path, key=group)
        return check_word_sets(table, path)
    columns, rows = read_table(path)
    if not {"group", "word"} <= set(columns):
        raise InvalidData("the columns `group` and `word` are needed", file=path, line=1)
    sets: dict[str, list[str]] = {}
    for _, cells in rows:
        sets.setdefault(cells["group"].strip(), []).append(cells["word"])
    return check_word_sets(sets, path)
