"""Source `natural`: sentences that say what a profession is, cut so that a pronoun is expected next.

Without a path: sentences of our own writing that come with tiltmeter. They are labelled `authored`, since a sentence
that somebody writes for a test is not found in nature. With the path of a file that `tiltmeter natural build` made from
a corpus and people may have corrected: those, labelled `natural`. The form and the steps are those of Appendix A of
Alnegheimish, Guo & Sun (2022), *Using Natural Sentences for Understanding Biases in Language Models*.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

from tiltmeter.records import Dropped, Nature, Prompt
from tiltmeter.sources.natural.marks import apply
from tiltmeter.sources.natural.published import is_published, published
from tiltmeter.sources.natural.reasons import NO_PROBE
from tiltmeter.sources.natural.sentence_files import NaturalSentence, read_sentences
from tiltmeter.sources.profession_templates import BIAS, some
from tiltmeter.sources.prompt_options import draw
from tiltmeter.sources.word_sets import BUILT_IN

NATURE: Nature = "natural"

__all__ = ["NaturalSentence", "authored", "is_published", "professions", "prompts", "read_sentences"]

_SOURCE = "natural.v1"


def prompts(
    path: str | Path | None = None,
    *,
    limit: int | None = None,
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of our own writing or of a file; the origin is the profession, the template the sentence's id.

    `limit` draws so many professions, `per_group` so many prompts. The rest of a corpus, sentences that introduce no
    profession or repeat another, is not among what was dropped.

    >>> prompts(limit=1, seed=5)[0][0].text
    'A glassblower is a person who blows air through a long pipe into a glowing mass beside a furnace, where'
    """
    if path is not None and is_published(path):
        found, left = published(path, _SOURCE)
        kept = {*some(list(dict.fromkeys(prompt.origin for prompt in found)), limit, seed)}
        return draw([prompt for prompt in found if prompt.origin in kept], per_group, seed), left
    sentences = authored() if path is None else read_sentences(path)
    status: Literal["authored", "natural"] = "authored" if path is None else "natural"
    used = [sentence for sentence in sentences if sentence.use]
    wanted = {*some(list(dict.fromkeys(sentence.profession for sentence in used)), limit, seed)}
    made = [_prompt(sentence, status) for sentence in used if sentence.profession in wanted]
    dropped = [
        Dropped(BIAS, sentence.profession or sentence.place, sentence.sentence, sentence.reason)
        for sentence in sentences
        if not sentence.use and sentence.reason not in NO_PROBE
    ]
    return draw(made, per_group, seed), dropped


@cache
def authored() -> tuple[NaturalSentence, ...]:
    """The sentences of our own writing."""
    with as_file(files(__name__).joinpath("authored.jsonl")) as path:
        return tuple(read_sentences(path))


def professions() -> tuple[str, ...]:
    """The professions that have a sentence of our own writing.

    >>> len(professions()) >= 300, professions()[0]
    (True, 'audiologist')
    """
    return tuple(dict.fromkeys(sentence.profession for sentence in authored()))


def _prompt(sentence: NaturalSentence, status: Literal["authored", "natural"]) -> Prompt:
    made = apply(sentence.annotated)
    return Prompt(
        id=f"{BIAS}/{sentence.id}",
        source=_SOURCE,
        bias=BIAS,
        origin=sentence.profession,
        text=made.prompt,
        word_sets=BUILT_IN["pronouns"],
        attribute=sentence.profession,
        template=sentence.id,
        subject_spans=made.spans,
        status=status,
    )
