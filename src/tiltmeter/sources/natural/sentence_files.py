"""Files of annotated sentences, one JSON object a line: written by `natural build`, corrected by people, read back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.files import whole_file
from tiltmeter.sources.datasets.json_files import read_json_lines
from tiltmeter.sources.natural import marks

_ALWAYS = ("profession", "use")


@dataclass(frozen=True, slots=True)
class NaturalSentence:
    """One sentence about a profession, with what was done to it; `reason` says why it is not used.

    `annotated` has the marks and is what counts; `prompt` and, where it is used, `profession` are what they come to,
    for people to read.
    """

    id: str
    profession: str
    use: bool
    prompt: str
    annotated: str
    sentence: str
    """The sentence as the corpus has it."""
    place: str = ""
    """Where in the corpus it stands."""
    steps: tuple[str, ...] = ()
    reason: str = ""


def write_sentences(path: str | Path, sentences: Iterable[NaturalSentence]) -> None:
    """Write sentences as JSON lines, without most of what is blank; the file appears whole or not at all."""
    with whole_file(path) as file:
        for sentence in sentences:
            value = {key: held for key, held in asdict(sentence).items() if held or key in _ALWAYS}
            file.write(json.dumps(value, ensure_ascii=False) + "\n")


def read_sentences(path: str | Path) -> list[NaturalSentence]:
    """The sentences of a file with prompt and profession made anew from the marks; a mark that is wrong is refused.

    Only `annotated` is needed: a sentence is used unless `use` is false.
    """
    found = [_sentence(value, line, path) for line, value in read_json_lines(path)]
    if not found:
        raise InvalidData("it has no sentences; each line is an object with `annotated`", file=path)
    doubled = [name for name, count in Counter(sentence.id for sentence in found).items() if count > 1]
    if doubled:
        raise InvalidData(f"the id `{doubled[0]}` is used more than once", file=path)
    return found


def _sentence(value: Mapping[str, Any], line: int, path: str | Path) -> NaturalSentence:
    def text(key: str, otherwise: str = "") -> str:
        given = value.get(key, otherwise)
        if not isinstance(given, str):
            raise InvalidData(f"must be text, not {given!r:.40}", file=path, line=line, key=key)
        return given.strip()

    use = value.get("use", True)
    if type(use) is not bool:
        raise InvalidData(f"must be true or false, not {use!r:.40}", file=path, line=line, key="use")
    annotated, profession, prompt = text("annotated"), text("profession"), ""
    if use:
        if not annotated:
            raise InvalidData(
                "a sentence with `use` = true needs its marks here: [profession:…] and, last, [continue:, where]",
                file=path,
                line=line,
                key="annotated",
            )
        try:
            made = marks.apply(annotated)
        except ValueError as error:
            raise InvalidData(str(error), file=path, line=line, key="annotated") from None
        prompt, profession = made.prompt, marks.name_of(made.profession)
    steps = value.get("steps", [])
    if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
        raise InvalidData("must be a list of texts", file=path, line=line, key="steps")
    return NaturalSentence(
        id=text("id") or f"line-{line}",
        profession=profession,
        use=use,
        prompt=prompt,
        annotated=annotated,
        sentence=text("sentence"),
        place=text("place"),
        steps=tuple(steps),
        reason="" if use else text("reason") or "left out by hand",
    )
