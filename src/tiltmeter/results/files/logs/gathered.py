"""What some logs hold together: the items of all tasks, and what each model made of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from tiltmeter.errors import InvalidData, UnknownName, UserError
from tiltmeter.records import Decoding, ModelFacts, Pair, PairScore, Prompt
from tiltmeter.results.files.logs.placing import COLUMNS, LoggedTask, LoggedText
from tiltmeter.results.summary.refusals import ANY
from tiltmeter.sources.logs import files_of, open_log
from tiltmeter.sources.logs.answers import Answer

NOT_LOGGED = "the log of this model does not have the item"
_Item = TypeVar("_Item", Pair, Prompt)


@dataclass(slots=True)
class Gathered:
    """The items by their ids, and by model the scores of pairs, by pair and scorer, and the texts."""

    facts: dict[str, ModelFacts] = field(default_factory=dict)
    pairs: dict[str, Pair] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    scores: dict[str, dict[tuple[str, str], PairScore]] = field(default_factory=lambda: defaultdict(dict))
    texts: dict[str, list[LoggedText]] = field(default_factory=lambda: defaultdict(list))
    notes: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    @property
    def scorers(self) -> list[str]:
        """The scorers of the pairs, in the order in which they come."""
        return list(dict.fromkeys(name for scores in self.scores.values() for _, name in scores))

    @property
    def raters(self) -> list[str]:
        """The raters whose ratings the logs have."""
        every = (rating.rater for texts in self.texts.values() for text in texts for rating in text.ratings)
        return list(dict.fromkeys(every))

    @property
    def decodings(self) -> list[Decoding]:
        """The settings of the texts."""
        return list(dict.fromkeys(text.decoding for texts in self.texts.values() for text in texts))

    def scored(self, model: str) -> Iterator[list[PairScore]]:
        """The scores of a model, pair by pair; of a pair that its log lacks, the reason."""
        own, scorers = self.scores[model], self.scorers
        for name, pair in self.pairs.items():
            yield [own.get((name, scorer)) or PairScore(pair, scorer, None, NOT_LOGGED) for scorer in scorers]

    def rated(self, model: str) -> Iterator[tuple[int, int, LoggedText]]:
        """The texts of a model with the numbers of their decoding and prompt."""
        decodings, prompts = ({one: at for at, one in enumerate(every)} for every in (self.decodings, self.prompts))
        for one in self.texts[model]:
            yield decodings[one.decoding], prompts[one.prompt.id], one


def gather(paths: Sequence[str | Path], columns: Mapping[str, str] | None = None, model: str | None = None) -> Gathered:
    """What logs, and folders of logs, hold; of the same task of one model, the log that is named last."""
    columns = dict(columns or {})
    for name in columns:
        if name not in COLUMNS:
            raise UnknownName("column", name, COLUMNS)
    found = Gathered(files=files_of(paths))
    if not found.files:
        raise InvalidData("no log was named; name files, or folders of logs")
    tasks: dict[tuple[str, str], _Task] = {}
    unknown, fields = dict(columns), ""
    for path in found.files:
        for key, (facts, answers) in _by_task(path, columns, model).items():
            found.facts.setdefault(key[0], facts)
            fields = fields or _fields(answers[0])
            unknown = {name: column for name, column in unknown.items() if not _has(answers, name, column)}
            before = tasks.get(key)
            if before and answers[0].is_exchange:
                before.add(answers, columns)
            else:
                if before:
                    found.notes.append(f"{before.path}: left out, since {path.name} is of the same model and task")
                tasks[key] = _Task(path)
                tasks[key].add(answers, columns)
    for name, column in unknown.items():
        raise UserError(f"--columns {name}={column}: no log has this field; the first {fields}")
    for (name, _), task in tasks.items():
        _collect(found, name, task)
    if not found.pairs and not found.prompts:
        raise InvalidData(
            "no item names a group, or says which answer is the stereotyped one; --columns group=FIELD says which "
            f"field has the group, e.g. group=doc.race or group=metadata.group; the first {fields}",
            file=found.files[0],
        )
    return found


@dataclass(slots=True)
class _Task:
    """What the answers of one model to one task come to."""

    path: Path
    made: list[list[PairScore] | LoggedText | None] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    twice: int = 0

    def add(self, answers: Sequence[Answer], columns: Mapping[str, str]) -> None:
        """Place the answers of a file."""
        own = self._samples(answers) if answers[0].is_exchange else self._once(answers)
        self.made += LoggedTask(own, columns).placed()

    def _samples(self, answers: Sequence[Answer]) -> list[Answer]:
        """Exchanges in which the same was asked are samples."""
        made = []
        for answer in answers:
            made.append(replace(answer, sample=self.asked[answer.id]))
            self.asked[answer.id] += 1
        return made

    def _once(self, answers: Sequence[Answer]) -> list[Answer]:
        """A line that stands twice is left out; another item of the same id gets one of its own."""
        kept: dict[tuple[str, int], Answer] = {}
        for answer in answers:
            before = kept.setdefault((answer.id, answer.sample), answer)
            if before is answer:
                continue
            if (before.item, before.context, before.options) == (answer.item, answer.context, answer.options):
                self.twice += 1
            else:
                other = replace(answer, id=f"{answer.id}#{answer.line}")
                kept[other.id, other.sample] = other
        return list(kept.values())


def _by_task(
    path: Path, columns: Mapping[str, str], model: str | None
) -> dict[tuple[str, str], tuple[ModelFacts, list[Answer]]]:
    """The answers of a file by model and task."""
    log = open_log(path)
    made: dict[tuple[str, str], tuple[ModelFacts, list[Answer]]] = {}
    for answer in log.answers:
        named = answer.at(columns["model"]) if "model" in columns else None
        name = model or named or answer.model or log.facts.name
        made.setdefault((name, answer.task), (replace(log.facts, name=name), []))[1].append(answer)
    if not made:
        raise InvalidData("holds no answers", file=path)
    return made


def _has(answers: Sequence[Answer], name: str, column: str) -> bool:
    """Whether an answer has a field."""
    return any(column in one.ratings if name == "value" else one.at(column) is not None for one in answers)


def _fields(answer: Answer) -> str:
    """The fields of an answer, in a sentence."""
    inner = [f"{name}.{key}" for name, held in answer.row.items() if isinstance(held, Mapping) for key in held]
    return f"has {', '.join(f'`{name}`' for name in [*answer.row, *inner][:40])}"


def _collect(found: Gathered, model: str, task: _Task) -> None:
    """Add what the answers of a task come to."""
    groups = set()
    for made in task.made:
        if isinstance(made, LoggedText):
            found.texts[model].append(replace(made, prompt=_known(found.prompts, made.prompt)))
            groups.add(made.prompt.group)
        else:
            for score in made or ():
                pair = _known(found.pairs, score.pair)
                found.scores[model][pair.id, score.scorer] = replace(score, pair=pair)
    lost = {
        "answers are left out, since their item is there twice": task.twice,
        "items are left out, since they name no group; --columns group=FIELD says which field does": sum(
            made is None for made in task.made
        ),
        "texts name no group; --columns group=FIELD says which field does": len(task.made) if groups == {ANY} else 0,
    }
    found.notes += [f"{task.path}: {count:,} {why}" for why, count in lost.items() if count]


def _known(items: dict[str, _Item], item: _Item) -> _Item:
    """The item, under another id where another item has its own."""
    while items.setdefault(item.id, item) != item:
        item = replace(item, id=f"{item.id}'")
    return item
