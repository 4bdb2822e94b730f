"""Builds prompts from a corpus: gives the source `natural` the parser and the judge of nouns that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.parsing import parser
from tiltmeter.progress import Progress
from tiltmeter.sources.natural.corpus import read_corpus
from tiltmeter.sources.natural.noun_class import Judge, NounClass
from tiltmeter.sources.natural.pipeline import BuildSettings, Built, build


def build_from(
    corpus: str | Path, settings: BuildSettings, *, field: str | None = None, progress: Progress | None = None
) -> Built:
    """The prompts of a corpus and the account of its sentences; see `sources.natural.pipeline`."""
    passages = read_corpus(corpus, field=field)
    try:
        pipeline = parser()
    except MissingExtra:
        raise MissingExtra("prompts from a corpus", "text", "spacy") from None

    def parse(texts: Iterable[str]) -> Iterator[Any]:
        given = list(texts)
        if progress and given:
            progress.start("parsing", len(given), 0)
        for doc in pipeline.pipe(given, disable=["ner"]):
            if progress:
                progress.advance(1)
            yield doc

    return build(passages, parse, judge_of(settings.noun_class), settings)


def judge_of(wanted: NounClass) -> Judge:
    """The judge of a class: a trained one for professions, one that goes by the examples for others."""
    from tiltmeter.raters.noun_classes import ExampleJudge, WorkJudge
    from tiltmeter.sources.natural import lexicon

    if wanted.closed:
        return lambda asked: [0.0] * len(asked)
    if wanted.of_work:
        return WorkJudge()
    others = lexicon.words_of("occupations.txt") | lexicon.words_of("roles.txt")
    return ExampleJudge(wanted.name, list(wanted.members), sorted(others))
