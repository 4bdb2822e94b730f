"""What a run, a study or a spec asks a model, as rows with all labels, so that other programs can ask it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.models.next_words import before_blank, blank_problem, spellings
from tiltmeter.records import Decoding, Item, Pair, Prompt, Spec
from tiltmeter.results.measurements.columns import CONTROL, MEANING
from tiltmeter.results.measurements.pairs import role_of
from tiltmeter.results.scores import is_benchmark
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.sources.interface import Source
from tiltmeter.sources.perturbations import Perturbed
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.store import Run
from tiltmeter.study import Plan, Study, plan
from tiltmeter.study.planning import DEFAULT_SOURCE
from tiltmeter.views import VIEWS

Row = dict[str, Any]
PAIRS, PROMPTS, NEXT_WORDS = "pairs", "prompts", "next_words"
"""The kinds of rows, as their files are called."""
_NO_TEST = {
    CONTROL: "pairs of which neither sentence is the stereotyped one",
    MEANING: "pairs that compare a meaningful sentence with a meaningless one",
}
_STAND_IN = "pairs that stand in for flagged sentences"
_CONTEXTS = "pairs whose sentences follow different contexts"
_UNWRITTEN = "sources whose sentences a model has yet to write (export the run of the study)"
_OPTIONS = "questions with options, of which no task is made yet"
_CHANGED = "prompts that a perturbation has changed"
_TEMPLATES = "templates"
_ENDS = ("more", "less")


@dataclass(frozen=True)
class Asked:
    """Everything that is asked, and how texts are written."""

    name: str
    benchmarks: frozenset[str]
    """Biases that check the instrument."""
    pairs: Iterable[Pair] = ()
    prompts: Iterable[Prompt] = ()
    open_prompts: Iterable[tuple[Prompt, WordSets]] = ()
    """Those after which a word is expected, with the words of each group."""
    decoding: Decoding = field(default_factory=Decoding)
    samples: int = 10
    left_out: Counter[str] = field(default_factory=Counter)
    """Why items are in no row, and how many; complete when the rows have been read."""

    def is_check(self, bias: str) -> bool:
        """Whether a bias checks the instrument; it counts in no overall figure."""
        return is_benchmark(bias, self.benchmarks)

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Every item as a row, with its kind."""
        for pair in self.pairs:
            problem = _pair_problem(pair)
            if problem is None:
                yield PAIRS, _pair(pair)
            else:
                self.left_out[problem] += 1
        yield from ((PROMPTS, {**_labels(one), "text": one.text, **_about(one)}) for one in self.prompts)
        for prompt, sets in self.open_prompts:
            problem = blank_problem(prompt.text)
            if problem is None:
                yield NEXT_WORDS, _open(prompt, sets)
            else:
                self.left_out[f"prompts for next words: {problem}"] += 1


def asked_by(given: Run | Plan | Study | Spec) -> Asked:
    """What a run, a study, or the templates of a spec ask."""
    if isinstance(given, Run):
        return _by_run(given)
    if isinstance(given, Spec):
        return _by_spec(given)
    made = given if isinstance(given, Plan) else plan(given)
    texts, words = made.study.continuations, made.study.next_words
    asked = Asked(
        made.study.name,
        frozenset(spec.name for spec in made.study.specs if spec.benchmark),
        made.pairs,
        made.prompts,
        decoding=texts.decodings[0] if texts else Decoding(),
        samples=texts.samples if texts else 1,
        left_out=+Counter({_UNWRITTEN: len(made.study.generated), _OPTIONS: sum(map(len, made.items.values()))}),
    )
    return _with_open(asked, made.asked, words.words[0].sets if words else ())


def _by_run(run: Run) -> Asked:
    resolved, texts = run.meta["resolved"], run.continuations
    asked = Asked(
        resolved["name"],
        frozenset(spec["name"] for spec in resolved["specs"] if spec["benchmark"]),
        run.pairs,
        texts.prompts if texts else (),
        decoding=texts.decodings[0] if texts else Decoding(),
        samples=resolved["continuations"]["samples"] if texts else 1,
        left_out=+Counter({_OPTIONS: sum(map(len, run.asked.values()))}),
    )
    if run.next_words is None:
        return asked
    sets = tuple((group, tuple(words)) for group, words in resolved["next_words"]["words"][0]["sets"])
    return _with_open(asked, (one.asked for one in run.next_words.asked), sets)


def _by_spec(spec: Spec) -> Asked:
    every = [one for view in VIEWS for one in Source.named(_TEMPLATES, view).items([spec], {})]
    prompts = [one for one in every if isinstance(one, Prompt)]
    return Asked(
        spec.name,
        frozenset({spec.name} if spec.benchmark else ()),
        [one for one in every if isinstance(one, Pair)],
        [one for one in prompts if one.group],
        [(one, one.word_sets) for one in prompts if not one.group],
    )


def _with_open(asked: Asked, perturbed: Iterable[Perturbed], sets: WordSets) -> Asked:
    """With the prompts for next words as they are; how a perturbation changes them is not for other programs."""

    def originals() -> Iterator[tuple[Prompt, WordSets]]:
        for one in perturbed:
            if one.perturbation == ORIGINAL and one.prompt.source != DEFAULT_SOURCE:
                yield one.prompt, sets or one.prompt.word_sets
            else:
                asked.left_out[_CHANGED] += 1

    return Asked(**{**vars(asked), "open_prompts": originals()})


def _labels(item: Item) -> Row:
    """What every row says of its item; blank for what it does not have."""
    return {
        "id": item.id,
        "source": item.source,
        "bias": item.bias,
        "origin": item.origin,
        "template": item.template or "",
        "attribute": item.attribute or "",
        "structure": item.structure.id if item.structure else "",
    }


def _about(prompt: Prompt) -> Row:
    return {"group": prompt.group or "", "term": prompt.term, "language": prompt.language}


def _pair_problem(pair: Pair) -> str | None:
    role = role_of(pair)
    if role is not None:
        return _NO_TEST.get(role, _STAND_IN)
    first, second = (text[:start] for text, start in zip(pair.texts, pair.scored_from, strict=True))
    return None if first == second else _CONTEXTS


def _pair(pair: Pair) -> Row:
    """The stereotyped sentence is `sent_more`, as in CrowS-Pairs; `context` comes before both and is not scored."""
    sides = (0, 1) if pair.stereotyped == 0 else (1, 0)
    more, less = (pair.texts[side][pair.scored_from[side] :] for side in sides)
    return {
        "sent_more": more,
        "sent_less": less,
        "context": pair.texts[0][: pair.scored_from[0]],
        **_labels(pair),
        **{f"group_{end}": pair.groups[side] for end, side in zip(_ENDS, sides, strict=True)},
        **{f"term_{end}": pair.terms[side] for end, side in zip(_ENDS, sides, strict=True)},
        "attribute_set": pair.attribute_set or "",
    }


def _open(prompt: Prompt, sets: WordSets) -> Row:
    """The words are written as they follow the text, with the space before them where one belongs there."""
    before = before_blank(prompt.text) or ""
    words = [(group, word) for group, each in sets for word in each]
    return {
        **_labels(prompt),
        "text": before,
        "words": [spellings(word.strip(), before, None)[0] for _, word in words],
        "groups": [group for group, _ in words],
        "stereotyped": prompt.stereotyped or "",
        "language": prompt.language,
    }
