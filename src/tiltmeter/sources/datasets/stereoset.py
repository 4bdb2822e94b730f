"""StereoSet: examples of a stereotyped, an anti-stereotyped and an unrelated sentence about a target term.

Sentences are used as they stand: many intrasentence ones are not quite their context with BLANK filled in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.records import Dropped, Nature, Pair, Span
from tiltmeter.sources.datasets.json_files import read_json, text_field
from tiltmeter.sources.differences import differences

NATURE: Nature = "authored"

Task = Literal["intrasentence", "intersentence"]
TASKS: tuple[Task, ...] = ("intrasentence", "intersentence")
LABELS = ("stereotype", "anti-stereotype", "unrelated")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One of the three sentences of an example."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """One example. In the task `intersentence` the sentences follow the context, in `intrasentence` they fill it in."""

    id: str
    task: Task
    bias_type: str
    target: str
    context: str
    stereotype: Sentence
    anti_stereotype: Sentence
    unrelated: Sentence

    @property
    def sentences(self) -> tuple[Sentence, Sentence, Sentence]:
        """The stereotyped, the anti-stereotyped and the unrelated sentence, in this order."""
        return self.stereotype, self.anti_stereotype, self.unrelated


def read(path: str | Path) -> list[Example]:
    """All examples of a StereoSet file, refused as a whole where one of them is malformed."""
    content = read_json(path)
    data = content.get("data") if isinstance(content, dict) else None
    if not isinstance(data, dict) or not any(task in data for task in TASKS):
        raise InvalidData(
            f"not a StereoSet file: `data` with {' or '.join(f'`{task}`' for task in TASKS)} is needed", file=path
        )
    examples = []
    for task in TASKS:
        listed = data.get(task, [])
        if not isinstance(listed, list):
            raise InvalidData("not a list of examples", file=path, key=f"data.{task}")
        examples += [_example(one, task, f"example {number} of {task}", path) for number, one in enumerate(listed, 1)]
    for task in TASKS:
        found = [example for example in examples if example.task == task]
        _refuse_doubles("example", [example.id for example in found], path)
        _refuse_doubles("sentence", [sentence.id for example in found for sentence in example.sentences], path)
    return examples


def recognise(path: Path) -> bool:
    """Whether a file looks like StereoSet, judged by its beginning alone."""
    with path.open("rb") as file:
        opening = file.read(4096).decode("utf-8", errors="replace")
    return bool(re.search(r'"data"\s*:\s*\{\s*"int(er|ra)sentence"', opening))


def pairs(path: str | Path, *, task: Task | None = None) -> tuple[list[Pair], list[Dropped]]:
    """Three pairs for each example: stereotyped against anti-stereotyped, and either against the unrelated.

    Intersentence texts are the context and the sentence; only the sentence is scored, given the context.
    """
    if task not in (None, *TASKS):
        raise UserError(f"there is no task `{task}` in StereoSet; known: {', '.join(TASKS)}", key="task")
    made: list[Pair] = []
    dropped: list[Dropped] = []
    for example in read(path):
        if task in (None, example.task):
            bias = f"stereoset/{example.task}/{example.bias_type}"
            for name, first, second in (
                ("stereotype", example.stereotype, example.anti_stereotype),
                ("meaning-stereotype", example.stereotype, example.unrelated),
                ("meaning-anti-stereotype", example.anti_stereotype, example.unrelated),
            ):
                if first.text == second.text:
                    reason = "the two sentences are the same"
                    dropped.append(Dropped(bias, example.target, first.text, reason))
                else:
                    made.append(_pair(example, name, bias, first, second))
    return made, dropped


def check(path: str | Path) -> dict[str, Any]:
    """What the file holds, and what in it may surprise."""
    examples = read(path)
    intra = [example for example in examples if example.task == "intrasentence"]
    texts = [sentence.text for example in examples for sentence in example.sentences]
    unlike = [
        (example, sentence) for example in intra for sentence in example.sentences if not _fills(example, sentence.text)
    ]
    return {
        "data_set": "stereoset",
        "examples": len(examples),
        "by_task": dict(Counter(example.task for example in examples)),
        "by_domain": dict(Counter(example.bias_type for example in examples)),
        "by_task_domain": {
            task: dict(Counter(example.bias_type for example in examples if example.task == task)) for task in TASKS
        },
        "sentences": len(texts),
        "targets": len({example.target for example in examples}),
        "targets_by_domain": {
            domain: len({example.target for example in examples if example.bias_type == domain})
            for domain in dict.fromkeys(example.bias_type for example in examples)
        },
        "sentences_that_do_not_fill_their_context": len(unlike),
        "of_these_only_in_capitals": sum(
            _fills(example, sentence.text, ignore_case=True) for example, sentence in unlike
        ),
        "contexts_without_blank": sum("BLANK" not in example.context for example in intra),
        "contexts_with_two_blanks": sum(example.context.count("BLANK") > 1 for example in intra),
        "repeated_contexts": len(examples) - len({(example.task, example.context) for example in examples}),
        "examples_with_equal_sentences": sum(
            len({sentence.text for sentence in example.sentences}) < len(LABELS) for example in examples
        ),
        "sentences_with_double_spaces": sum("  " in text for text in texts),
    }


def read_predictions(path: str | Path) -> dict[Task, dict[str, float | None]]:
    """The scores of a predictions file by task and sentence id; None where the file says null.

    The official form: {"intrasentence": [{"id": "…", "score": −12.3}, …], "intersentence": […]}.
    """
    content = read_json(path)
    if not isinstance(content, dict) or not any(task in content for task in TASKS):
        raise InvalidData(
            f"not a file of predictions: lists under {' and '.join(f'`{task}`' for task in TASKS)} are needed",
            file=path,
        )
    predictions: dict[Task, dict[str, float | None]] = {}
    for task in TASKS:
        if task in content:
            if not isinstance(content[task], list):
                raise InvalidData("not a list of predictions", file=path, key=task)
            scores: dict[str, float | None] = {}
            for number, one in enumerate(content[task], 1):
                name = text_field(one, "id", path, f"prediction {number} of {task}")
                if name in scores:
                    raise InvalidData(f"the id `{name}` is listed twice in {task}", file=path)
                scores[name] = _score(one.get("score"), name, path)
            predictions[task] = scores
    return predictions


def scores_of(
    examples: Iterable[Example], predictions: dict[Task, dict[str, float | None]], file: str | Path
) -> tuple[list[tuple[Example, tuple[float | None, float | None, float | None]]], list[str]]:
    """Each example of the predicted tasks with the scores of its three sentences, and notes on what did not fit.

    A task that was not predicted is left out; a sentence that was not, in a task that was, has no score.
    """
    found = [example for example in examples if example.task in predictions]
    known = {(example.task, sentence.id) for example in found for sentence in example.sentences}
    given = [(task, name) for task, scores in predictions.items() for name in scores]
    unknown = [key for key in given if key not in known]
    if 2 * len(unknown) > len(given):
        raise InvalidData(
            f"{len(unknown)} of {len(given)} ids are not in the data set (the first: `{unknown[0][1]}` in "
            f"{unknown[0][0]}); are these predictions for another file?",
            file=file,
        )
    notes = [f"{task}: no predictions" for task in TASKS if task not in predictions]
    if unknown:
        notes.append(f"{len(unknown)} predictions have an id that is not in the data set, such as `{unknown[0][1]}`")
    scored = []
    for example in found:
        stereotype, anti_stereotype, unrelated = (predictions[example.task].get(one.id) for one in example.sentences)
        scored.append((example, (stereotype, anti_stereotype, unrelated)))
    return scored, notes


def _refuse_doubles(noun: str, ids: list[str], path: str | Path) -> None:
    doubled = [name for name, count in Counter(ids).items() if count > 1]
    if doubled:
        raise InvalidData(f"the {noun} id `{doubled[0]}` is used more than once", file=path)


def _score(value: object, name: str, path: str | Path) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidData(f"the score of `{name}` is {value!r:.40}, not a number", file=path)
    try:
        return float(value)
    except OverflowError:
        return None


def _example(one: Any, task: Task, place: str, path: str | Path) -> Example:
    name = text_field(one, "id", path, place)
    place = f"example `{name}`"
    listed = one.get("sentences")
    if not isinstance(listed, list):
        raise InvalidData(f"{place} has no list of `sentences`", file=path)
    sentences: dict[str, Sentence] = {}
    for sentence in listed:
        label = text_field(sentence, "gold_label", path, f"a sentence of {place}")
        if label not in LABELS or label in sentences:
            raise InvalidData(f"{place} needs one sentence each of {', '.join(LABELS)}; found `{label:.40}`", file=path)
        sentences[label] = Sentence(
            text_field(sentence, "id", path, f"a sentence of {place}"),
            text_field(sentence, "sentence", path, f"a sentence of {place}"),
        )
    if len(sentences) < len(LABELS):
        missing = next(label for label in LABELS if label not in sentences)
        raise InvalidData(f"{place} has no sentence labelled `{missing}`", file=path)
    return Example(
        name,
        task,
        text_field(one, "bias_type", path, place),
        text_field(one, "target", path, place),
        text_field(one, "context", path, place),
        *(sentences[label] for label in LABELS),
    )


def _pair(example: Example, name: str, bias: str, first: Sentence, second: Sentence) -> Pair:
    labels = {one.id: label for one, label in zip(example.sentences, LABELS, strict=True)}
    lead = f"{example.context.strip()} " if example.task == "intersentence" else ""
    spans = differences(first.text, second.text)
    return Pair(
        id=f"stereoset/{example.id}/{name}",
        source="stereoset.v1",
        bias=bias,
        origin=example.target,
        texts=(lead + first.text, lead + second.text),
        groups=(labels[first.id], labels[second.id]),
        stereotyped=0 if name == "stereotype" else None,
        group_spans=(_shifted(spans[0], len(lead)), _shifted(spans[1], len(lead))),
        scored_from=(len(lead), len(lead)),
        contrast="stereotype" if name == "stereotype" else "meaning",
    )


def _shifted(spans: tuple[Span, ...], by: int) -> tuple[Span, ...]:
    return tuple((start + by, end + by) for start, end in spans)


def _fills(example: Example, text: str, *, ignore_case: bool = False) -> bool:
    """Whether a sentence is its context with the first BLANK filled in (capitals aside: with every BLANK)."""
    context = example.context
    if ignore_case:
        return bool(re.fullmatch(".+".join(map(re.escape, context.split("BLANK"))), text, re.IGNORECASE))
    before, _, after = context.partition("BLANK")
    return text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after)
