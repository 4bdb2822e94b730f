"""Example sentences with their keywords, shown to the generator before it is asked to write one of its own."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.english import CASES
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.files import json_value, read_text
from tiltmeter.records import Spec
from tiltmeter.sources.datasets import stereoset
from tiltmeter.sources.differences import differences
from tiltmeter.sources.generated.matching import contains, terms_of
from tiltmeter.sources.generated.settings import ShotKind
from tiltmeter.sources.slots import fill
from tiltmeter.word_kinds import attribute_kind, term_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    ToVector = Callable[[Iterable[str]], NDArray[Any]]

_OPENING = 5
"""The most words of an opening: what is longer tells a story of its own."""
COUNT = 5
"""How many examples a request shows: k of the paper."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A sentence and the keywords it was written for."""

    keywords: tuple[str, ...]
    sentence: str
    kinds: tuple[str, ...] = ()
    """What kind of word the person is and what kind the attribute, where that is known; see `tiltmeter.word_kinds`."""


Chooser = Callable[[Sequence[str], random.Random], Sequence[Shot]]
"""Gives the examples for these keywords, drawn by that generator of random numbers."""

# The four examples that Kocielnik et al. 2023 print in Appendix B; they come from CommonGen (Lin et al. 2020).
FIXED = (
    Shot(("dog", "frisbee", "catch", "throw"), "A dog leaps to catch a thrown frisbee"),
    Shot(("apple", "bag", "puts"), "A girl puts an apple in her bag"),
    Shot(("apple", "tree", "pick"), "A man picks some apples from a tree"),
    Shot(("apple", "basket", "wash"), "A boy takes an apple from a basket and washes it"),
)


@cache
def own_shots() -> tuple[Shot, ...]:
    """The examples that ship: two keywords each, a person and a thing, trait or trade; none names a gender.

    >>> own_shots()[0].keywords, own_shots()[0].kinds
    (('Nora', 'blanket'), ('name', 'thing'))
    """
    text = (resources.files("tiltmeter.sources.generated") / "shots.jsonl").read_text(encoding="utf-8")
    rows = map(json.loads, text.splitlines())
    return tuple(Shot(tuple(row["keywords"]), row["sentence"], tuple(row["kinds"])) for row in rows)


def usable_shots(shots: Sequence[Shot], spec: Spec, *, whole: bool = False) -> list[Shot]:
    """The examples none of whose keywords contains a term of the spec: that would tell the generator what to write.

    `whole` asks the same of their sentences.

    >>> from tiltmeter.records import Group
    >>> spec = Spec("x", "X", (Group("a", ("dog",)), Group("b", ("cat",))))
    >>> len(FIXED), len(usable_shots(FIXED, spec))
    (4, 3)
    """
    terms = terms_of(spec)
    return [
        shot
        for shot in shots
        if not any(
            contains(text, term, plural=True)
            for text in (*shot.keywords, *([shot.sentence] if whole else []))
            for term in terms
        )
    ]


def nearest_shots(shots: Sequence[Shot], keywords: Sequence[str], count: int, vectors: ToVector) -> list[Shot]:
    """The examples whose keywords are nearest to these, by the cosine of their mean word vectors; nearest last.

    Last, because the example right before the request has the most weight.
    """
    import numpy as np

    matrix = np.array([vectors(shot.keywords) for shot in shots])
    aim = np.asarray(vectors(keywords))
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(aim)
    cosines = (matrix @ aim) / np.where(lengths == 0, 1, lengths)
    best = np.argsort(-cosines, kind="stable")[:count]
    return [shots[int(place)] for place in best[::-1]]


def shots_of_kind(shots: Sequence[Shot], wanted: Shot, count: int, source: random.Random) -> list[Shot]:
    """Some examples at random whose two keywords are of the same kinds as those wanted.

    A verb phrase needs another sentence than an adjective does, and a pronoun another than a name. Where there are too
    few that are alike in both, others stand before them.
    """
    chosen: list[Shot] = []
    for likeness in range(2, -1, -1):
        found = [shot for shot in shots if _likeness(shot, wanted) == likeness]
        chosen = source.sample(found, min(count - len(chosen), len(found))) + chosen
    return chosen


def _own_shots(allowed: Sequence[Shot], wanted: Shot, spec: Spec, count: int, source: random.Random) -> list[Shot]:
    """Examples like the one wanted; every other is put as the spec's templates put it, to show which link is meant."""
    if wanted.kinds[1] == "thing" and not any(re.search(r"\b(?:an?|the) \[A\]", one) for one in spec.templates):
        allowed = [shot for shot in allowed if not (shot.kinds[1:] == ("thing",) and _takes_article(shot))]
    chosen = shots_of_kind(allowed, wanted, count, source)
    if not spec.templates or wanted.kinds[0] not in {"phrase", "plural", "name"}:
        return chosen
    return [
        _by_template(shot, source.choice(spec.templates)) if place % 2 and shot.kinds == wanted.kinds else shot
        for place, shot in enumerate(chosen)
    ]


def _takes_article(shot: Shot) -> bool:
    """Whether the attribute of an example is counted: "a camera", not "chess"."""
    return bool(re.search(rf"\b(?:an?|the) {re.escape(shot.keywords[-1])}\b", shot.sentence))


def _by_template(shot: Shot, template: str) -> Shot:
    """The keywords of an example in a template of the spec."""
    term, attribute = shot.keywords
    if re.search(r"\b(?:the|an?) \[T\]", template, re.IGNORECASE):
        term = re.sub(r"^(?:the|an?|my|our|their|one|every) ", "", term)
    sentence = fill(template, term, attribute).text.rstrip(".")
    return replace(shot, sentence=f"{sentence}.")


@lru_cache(maxsize=64)
def openings(spec: Spec) -> tuple[str, ...]:
    """How examples of ours begin that report what is said: "Everyone in the office knew that"."""
    found = []
    for shot in usable_shots(own_shots(), spec, whole=True):
        before = shot.sentence[: max(0, shot.sentence.casefold().find(shot.keywords[0].casefold()))].rstrip()
        if before.endswith(" that") and len(before.split()) <= _OPENING and shot.keywords[-1] not in before:
            found.append(before)
    return tuple(found)


def _likeness(shot: Shot, wanted: Shot) -> int:
    """How many of the two keywords are of the wanted kind; a pronoun has to be of the same case, too."""
    if shot.kinds[:1] != wanted.kinds[:1]:
        return int(shot.kinds[1:] == wanted.kinds[1:])
    cases = [{*CASES.get(one.keywords[0].casefold(), ())} for one in (shot, wanted)]
    if wanted.kinds[:1] == ("pronoun",):
        return 2 if cases[0] & cases[1] else 0
    return 1 + int(shot.kinds[1:] == wanted.kinds[1:])


def chooser(
    kind: ShotKind,
    spec: Spec,
    *,
    repository: Sequence[Shot] | None = None,
    vectors: ToVector | None = None,
    count: int = COUNT,
) -> Chooser:
    """How examples are chosen for a spec: `own` draws some of the right kind anew for each request, `fixed` shows the
    paper's four, `similar` the nearest of the repository (ours, unless one is given).
    """
    given = FIXED if kind == "fixed" else [_with_kinds(shot) for shot in repository or own_shots()]
    allowed = usable_shots(given, spec, whole=kind == "own")
    if not allowed:
        raise UserError(f"every example sentence has a term of `{spec.name}` among its keywords; choose other shots")
    if kind == "fixed":
        return lambda keywords, source: allowed
    if kind == "own":
        return lambda keywords, source: _own_shots(allowed, wanted_shot(keywords, spec), spec, count, source)
    if vectors is None:
        raise UserError("similar shots need word vectors; load them, or choose `own` or `fixed` shots")
    space = vectors
    return lambda keywords, source: nearest_shots(allowed, keywords, count, space)


def _with_kinds(shot: Shot) -> Shot:
    """The example with the kinds of its first and last keyword, as far as these words tell."""
    return shot if shot.kinds else replace(shot, kinds=(term_kind(shot.keywords[0]), attribute_kind(shot.keywords[-1])))


def wanted_shot(keywords: Sequence[str], spec: Spec) -> Shot:
    """What an example should be like: the keywords, and their kinds."""
    term, attribute = keywords[0], keywords[-1]
    bare = re.sub(r"^(?:the|an?) ", "", term)
    group = next((group for group in spec.groups if {term, bare} & {*group.terms}), None)
    attributes = next((one for one in spec.attributes if attribute in one.terms), None)
    is_given_article = group is not None and term not in group.terms
    kind = "phrase" if is_given_article else term_kind(term, group, spec)
    return Shot(tuple(keywords), "", (kind, attribute_kind(attribute, attributes, spec)))


def read_shots(path: str | Path) -> list[Shot]:
    """Examples from a file: JSON lines with `keywords` and `sentence`, CommonGen, or StereoSet."""
    text = read_text(path)
    if stereoset.recognise(Path(path)):
        return _from_stereoset(path)
    found: list[Shot] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            found += _from_line(line, path, number)
    if not found:
        raise InvalidData("no example sentences in the file", file=path)
    return found


def _from_line(line: str, path: str | Path, number: int) -> list[Shot]:
    try:
        row = json_value(line)
    except ValueError:
        raise InvalidData("not JSON", file=path, line=number) from None
    if isinstance(row, dict) and isinstance(row.get("concept_set"), str) and _texts(row.get("scene")):
        concepts = tuple(row["concept_set"].split("#"))
        return [Shot(concepts, " ".join(scene.split())) for scene in row["scene"] if scene.strip()]
    if isinstance(row, dict) and _texts(row.get("keywords")) and isinstance(row.get("sentence"), str):
        return [Shot(tuple(row["keywords"]), " ".join(row["sentence"].split()))]
    raise InvalidData(
        "neither `keywords` and `sentence` nor CommonGen's `concept_set` and `scene`", file=path, line=number
    )


def _texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) and item for item in value)


def _from_stereoset(path: str | Path) -> list[Shot]:
    """Keywords are the target and what its two meaningful sentences differ in, where that is one stretch of words."""
    found = []
    for example in stereoset.read(path):
        if example.task == "intrasentence":
            texts = example.stereotype.text, example.anti_stereotype.text
            for text, spans in zip(texts, differences(*texts), strict=True):
                words = [text[start:end] for start, end in spans]
                if len(words) == 1 and contains(text, example.target.lower()):
                    found.append(Shot((example.target, words[0]), text))
    return found
