"""Whether the model that a reply names is the one that was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_DATE = r"\d{4}-\d{2}-\d{2}|\d{4}-\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|\d{8}|\d{6}|\d{3,4}"
_SNAPSHOT = re.compile(rf"(?:-(?:{_DATE}|latest))?(?:[:@].+)?")
"""What may follow a name: the date or number of a snapshot, a tag, a revision."""
_ALSO_KNOWN = ("root", "canonical_slug", "aliases")
"""Where lists of models have other names of one of them; `parent` is another model."""
ANY = "*"


def accepts(said: str, asked: str, answers_as: str = "", listed: Mapping[str, Any] | None = None) -> bool:
    """Whether a reply may name the model so: as it was asked for, by a fuller form of that, or as was agreed.

    `listed` is what the server's list of models says of it. A name that says less than was asked, such as another
    snapshot or none, is another name; only the folders before a name may be missing.

    >>> accepts("gpt-4o-2024-08-06", "gpt-4o"), accepts("gpt-4o", "gpt-4o-2024-08-06"), accepts("gpt-4o-mini", "gpt-4o")
    (True, False, False)
    >>> accepts("/srv/models/Small.gguf", "small"), accepts("llama3:latest", "llama3"), accepts("b/small", "a/small")
    (True, True, False)
    """
    if not said or answers_as == ANY:
        return True
    known = [asked, *([answers_as] if answers_as else [])]
    for field in _ALSO_KNOWN:
        value = (listed or {}).get(field)
        known += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str) and one]
    return any(_is_form_of(_parts(said), _parts(one)) for one in known)


def _is_form_of(said: list[str], asked: list[str]) -> bool:
    """Whether the last part is the same or a fuller form of it, and the folders do not contradict one another."""
    shared = min(len(said), len(asked)) - 1
    same = said[len(said) - 1 - shared : -1] == asked[len(asked) - 1 - shared : -1]
    full, plain = said[-1], asked[-1].removesuffix("-latest")
    return same and (
        full == asked[-1] or (full.startswith(plain) and bool(_SNAPSHOT.fullmatch(full.removeprefix(plain))))
    )


def _parts(name: str) -> list[str]:
    """The folders of a name and the name, without what says nothing of the model."""
    parts = [one for one in name.strip().casefold().replace("\\", "/").split("/") if one not in ("", ".", "models")]
    return [*parts[:-1], parts[-1].removesuffix(".gguf")] if parts else [""]
