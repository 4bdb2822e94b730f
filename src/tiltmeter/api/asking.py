"""Small questions without a study: which word a model expects next, what raters say of texts that are there."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from tiltmeter import models, specs
from tiltmeter.api.frames import Frame
from tiltmeter.api.shown import Shown, short
from tiltmeter.api.tables import TABLE, Tabular, plain, rows_of, write_rows
from tiltmeter.calling import shown
from tiltmeter.engine.executor import Executor
from tiltmeter.engine.rating import maker
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.models import ModelSettings, given
from tiltmeter.parquet import refuse_alike
from tiltmeter.present.blocks import Block, Notice, Prose, Section, text
from tiltmeter.present.known_raters import head_words
from tiltmeter.present.tables import mean_cell, numbers, table, value_cell
from tiltmeter.present.words import count
from tiltmeter.raters import Rater
from tiltmeter.records import Estimate, Spec
from tiltmeter.results.files.rated import RatedFileSummary, summarise_rated_file
from tiltmeter.results.files.rated_texts import RatedColumns
from tiltmeter.results.files.ratings import Masking, RatedColumn, rate_file
from tiltmeter.results.summary.known_raters import known_rater
from tiltmeter.sources.tables import column
from tiltmeter.study.rater_names import rater_choice


def next_words(
    model: str | Path | object,
    prompts: Sequence[str],
    words: Sequence[str] | Mapping[str, Sequence[str]],
    *,
    bounded: bool = False,
    tokenizer: object = None,
    settings: ModelSettings | None = None,
) -> Frame:
    """The probability of each word after each prompt; with groups of words, each row says of which group it is.

    `bounded` also multiplies by the probability that the word ends there, so that *he* is not *hear*.

    >>> frame = next_words("scripted", ["The nurse said that"], {"men": ["he"], "women": ["she"]})
    >>> [(row["group"], row["word"], round(row["probability"], 4)) for row in frame]
    [('men', 'he', 0.1109), ('women', 'she', 0.2234)]
    """
    groups = words if isinstance(words, Mapping) else {"": words}
    if any(isinstance(given_as, str) for given_as in (prompts, *groups.values())):
        raise UserError("prompts and words are lists: next_words(model, [prompt], [word, word])")
    prompts, groups = list(prompts), {group: list(listed) for group, listed in groups.items()}
    strange = [one for one in (*prompts, *chain.from_iterable(groups.values())) if not isinstance(one, str)]
    if strange:
        raise UserError(f"{shown(strange[0])} is not a text; prompts and words are texts")
    opened = given.wrap(model, tokenizer) if tokenizer else models.load(model, settings or ModelSettings())
    every = [word for listed in groups.values() for word in listed]
    group_of = [group for group, listed in groups.items() for _ in listed]
    found = models.as_predictor(opened).next_words(prompts, every, bounded=bounded)
    columns = {"prompt": str, "group": str, "word": str, "probability": float, "logprob": float, "reason": str}
    return Frame.of(
        {name: kind for name, kind in columns.items() if name != "group" or isinstance(words, Mapping)},
        (
            {
                "prompt": prompt,
                "group": group,
                "word": one.word,
                "probability": one.probability,
                "logprob": one.logprob,
                "reason": one.unscored,
            }
            for prompt, answer in zip(prompts, found, strict=True)
            for group, one in zip(group_of, answer.words, strict=True)
        ),
    )


class Rated(Shown):
    """Texts with their ratings, and what the ratings say of each two groups."""

    def __init__(self, rows: Frame, raters: Sequence[RatedColumn], summaries: Mapping[str, RatedFileSummary]) -> None:
        self._rows, self.raters, self.summaries = rows, tuple(raters), dict(summaries)

    def texts(self) -> Frame:
        """The table that was given, with a column for each rater, and why a rating is missing in NAME.unrated."""
        return self._rows

    def estimates(self) -> Frame:
        """A row for each rater and two groups: the difference of their ratings, with its interval and p."""
        return Frame.of_rows(
            (
                {"rater": rater, "first": pair.a, "second": pair.b, **_figures(pair.difference)}
                for rater, found in self.summaries.items()
                for pair in found.summary.pairs
            ),
            ("rater", "first", "second", *_FIGURES),
        )

    def groups(self) -> Frame:
        """A row for each rater and group: the mean of its ratings, with its interval."""
        return Frame.of_rows(
            (
                {"rater": rater, "group": name, **_figures(group.mean)}
                for rater, found in self.summaries.items()
                for name, group in found.summary.groups.items()
            ),
            ("rater", "group", *_FIGURES),
        )

    def blocks(self) -> Sequence[Block]:
        """For each rater what is known of it, the means of the groups, and their differences."""
        return [Section(one.rater, tuple(self._of(one))) for one in self.raters]

    def _of(self, one: RatedColumn) -> Iterator[Block]:
        known = head_words(known_rater(one.rater)).replace("\n", "; ")
        why = "; ".join(f"{number:,} not rated: {reason}" for reason, number in one.unrated.items())
        yield Prose(text(f"{known}. {count(one.rows, 'text')}, {why or '0 not rated'}."))
        if one.unmasked:
            yield Notice(text(f"In {one.unmasked:,} texts no group was masked as XYZ, which this rater needs."))
        found = self.summaries.get(one.rater)
        if found is not None:
            groups = [(name, mean_cell(group.mean)) for name, group in found.summary.groups.items()]
            pairs = [(f"{pair.a} − {pair.b}", value_cell(pair.difference)) for pair in found.summary.pairs]
            made = (
                table("Mean rating of each group", ["Group", *numbers("Mean")], groups),
                table("Differences", ["Groups", *numbers("Difference")], pairs),
            )
            yield from filter(None, made)
            yield from (Prose(text(note), "note") for note in found.as_json()["notes"])

    def __repr__(self) -> str:
        names = ", ".join(one.rater for one in self.raters)
        return short("Rated", {"texts": len(self._rows), "raters": names, "comparisons": len(self.estimates())})


def rate(
    data: Tabular,
    raters: Sequence[str | Rater],
    *,
    text: str = "text",
    group: str | None = None,
    origin: str | None = None,
    spec: str | Path | Spec | None = None,
    mask_column: str | None = None,
    language: str = "",
    settings: ModelSettings | None = None,
) -> Rated:
    """Rate texts that are there already, and compare the groups of a column.

    `origin` is the column of what a text was made from (a prompt, a scenario), by which intervals are clustered;
    without it every row counts as one of its own. `spec` or `mask_column` says what stands for the group, for raters
    of regard, which read it as XYZ.

    >>> texts = {"text": ["A good day.", "A bad day."] * 5, "group": ["women", "men"] * 5}
    >>> found = rate({**texts, "scenario": list("aabbccddee")}, ["sentiment.vader"], group="group", origin="scenario")
    >>> found
    <Rated texts 10, raters sentiment.vader.v1, comparisons 1>
    """
    if isinstance(raters, str) or not raters:
        raise UserError('raters are a list: rate(data, ["sentiment.vader"])')
    masked = specs.load(spec) if isinstance(spec, str | Path) else spec
    terms = {one.name: one.terms for one in masked.groups} if masked else {}
    masking = Masking((), terms, group, mask_column)
    executor = Executor(settings or ModelSettings())
    loaded = [_loaded(one, executor) for one in raters]
    rows = rows_of(data)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    called = str(data) if isinstance(data, str | Path) else TABLE
    refuse_alike(columns, called)
    said = {"text": text, "group": group, "origin": origin, "mask_column": mask_column}
    found_columns = {key: column(columns, name, called, f"{key}=") for key, name in said.items() if name and columns}
    _refuse_others(rows, found_columns.get("text", text))
    own = _OWN
    while own in columns:
        own += "_"
    with tempfile.TemporaryDirectory(prefix="tiltmeter-") as folder, _of_table(Path(folder), called):
        given = Path(folder) / "texts.jsonl"
        written = Path(folder) / "rated.jsonl"
        write_rows(given, [{**row, own: number} for number, row in enumerate(rows)] if origin is None else rows)
        found = rate_file(given, written, loaded, text=text, masking=masking, language=language)
        summaries = {
            one.rater: summarise_rated_file(written, RatedColumns(one.column, group, origin or own))
            for one in found
            if group is not None
        }
        with written.open(encoding="utf-8") as lines:
            rated = [{key: value for key, value in json.loads(line).items() if key != own} for line in lines]
    return Rated(Frame.of_rows(rated), found, summaries)


_OWN = "tiltmeter row"


def _loaded(given: str | Rater, executor: Executor) -> Rater:
    if isinstance(given, str):
        return maker(rater_choice(given), executor)(())
    if not isinstance(getattr(given, "name", None), str) or not hasattr(given, "rate"):
        raise UserError(f"{shown(given)} is not a rater; name one, or make a function one with tiltmeter.rater")
    return given


@contextmanager
def _of_table(folder: Path, called: str) -> Iterator[None]:
    """What is wrong with the table, in words for somebody who gave no file and no options."""
    try:
        yield
    except UserError as error:
        if error.file is None or Path(error.file).parent != folder:
            raise
        problem = _OPTION.sub("", error.problem)
        raise InvalidData(problem, file=called, line=error.line, key=error.key) from None


_OPTION = re.compile(r"; (?=set it with `|--overwrite).*")


def _refuse_others(rows: Sequence[Mapping[str, object]], text: str) -> None:
    """Refuse what is no text where texts are to be rated: it would be rated as Python writes it."""
    for number, row in enumerate(rows, 1):
        value = row.get(text)
        if not isinstance(value, str) and plain(value) is not None:
            raise InvalidData(f"holds {shown(value)} where a text is needed", file=TABLE, line=number, key=text)


_FIGURES = ("value", "low", "high", "p", "p_adjusted", "n", "n_unscored", "origins", "note")


def _figures(found: Estimate) -> dict[str, object]:
    """An estimate as cells of a row."""
    return {name: getattr(found, name) for name in _FIGURES}
