"""The groups' words, as a study or a command names them."""

from __future__ import annotations

from pathlib import Path

from tiltmeter import specs, toml
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.files import is_file, read_text
from tiltmeter.sources import word_sets
from tiltmeter.sources.word_sets import WordSets


def named_words(name: str, file: Path | None = None) -> WordSets:
    """The sets of a built-in name, of a file of words, or of a spec; `file` is where the name may be found as a file.

    >>> named_words("he-she")
    (('male', ('he',)), ('female', ('she',)))
    """
    if name in word_sets.BUILT_IN:
        return word_sets.BUILT_IN[name]
    path = file or Path(name)
    if is_file(path) and path.suffix.lower() in (".csv", ".toml") and not is_spec(path):
        return word_sets.read(path)
    if name not in specs.names() and not specs.is_file_name(name):
        raise UnknownName("set of words or spec", name, [*word_sets.BUILT_IN, *specs.names()])
    spec = specs.load(path if is_file(path) else name)
    return word_sets.check_word_sets({group.name: group.terms for group in spec.groups})


def is_spec(path: Path) -> bool:
    """Whether a TOML file is a spec, which has its words under `groups`."""
    return path.suffix.lower() == ".toml" and isinstance(
        toml.parse(read_text(path), UserError, path).get("groups"), dict
    )
