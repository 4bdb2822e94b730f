"""The answers of the playground, found one after the other in a thread; each part may have a reason instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tiltmeter.engine.scoring import fitting, score_pairs
from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.pairs import preferred
from tiltmeter.measures.scorers import DEFAULTS, all_for
from tiltmeter.measures.token_gaps import TokenGap, token_gaps
from tiltmeter.models import Model, Predictor, as_explainer, as_predictor, as_proposer, as_writer
from tiltmeter.models.likeliest import ending_if_known
from tiltmeter.raters import mask_group
from tiltmeter.records import Completion, Decoding, ModelFacts, NextWord, NextWords, PairScore, Rating, Saliency
from tiltmeter.web.loaded_model import LoadedModel
from tiltmeter.web.playground.question import Question, Spans
from tiltmeter.web.tasks import Task, Tasks, TimedOut

LIMIT, LOADING = 120.0, 1800.0
"""Seconds that each part of an answer may take, and the model to be there: it may have to be fetched first."""
SAMPLES, LISTED = 3, 10
"""Texts that are written after a prompt, and most probable words that are listed."""
DECODING = Decoding(temperature=1.0, max_new_tokens=20)


@dataclass(frozen=True, slots=True)
class Scored:
    """What one scorer makes of the two sentences."""

    score: PairScore
    meaning: str
    leading: bool

    @property
    def preferred(self) -> int | str | None:
        """Which sentence the model prefers: 1, 2 or a tie; None where there is no score."""
        return preferred(self.score)

    @property
    def difference(self) -> float | None:
        """By how much the first is more probable, in natural-log units."""
        return None if self.score.scores is None else self.score.scores[0] - self.score.scores[1]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Both sentences token by token, and what each token was conditioned on; or why there is no such thing."""

    conditioning: str
    sentences: tuple[list[TokenGap], list[TokenGap]] = field(default_factory=lambda: ([], []))
    unscored: str = ""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text that the model wrote, and what the raters make of it; a rating that is missing has a reason."""

    completion: Completion
    ratings: tuple[Rating, ...]


@dataclass(slots=True)
class Answer:
    """What is known so far."""

    facts: ModelFacts | None = None
    scores: list[Scored] = field(default_factory=list)
    tokens: Tokens | None = None
    asked_words: list[NextWords] = field(default_factory=list)
    ending: bool = True
    """Whether the probabilities of these are of words that end there."""
    likeliest: list[NextWords] = field(default_factory=list)
    saliency: list[Saliency] = field(default_factory=list)
    written: list[list[WrittenText]] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)
    """Why a part is missing."""


AnswerTasks: TypeAlias = Tasks[Answer]


def begin(tasks: AnswerTasks, loaded: LoadedModel, question: Question) -> Task[Answer]:
    """Ask, or find the question asked; what cannot be asked is refused at once."""
    question.check()
    return tasks.start(question, Answer(), lambda task: _work(task, loaded, question))


def _work(task: Task[Answer], loaded: LoadedModel, question: Question) -> None:
    where = "" if loaded.name == question.model else "; that takes a while when it is used for the first time"
    task.at(f"loading {question.model}{where}", LOADING)
    model = loaded.model(question.model)
    task.result.facts = model.facts
    stages: dict[str, tuple[str, Callable[[], None]]]
    if question.kind == "pair":
        stages = {
            "scores": ("scoring both sentences", lambda: _score(task.result, model, question)),
            "tokens": ("looking at each token", lambda: _tokens(task.result, model, question)),
        }
    else:
        result = task.result
        listed = {"likeliest": ("looking for the most probable words", lambda: _likeliest(result, model, question))}
        explained = {"saliency": ("looking at each token of it", lambda: _saliency(result, model, question))}
        stages = {
            "asked_words": ("asking for the words", lambda: _asked_words(task.result, model, question)),
            # What takes less time comes first; without words of its own, saliency is for the most probable one.
            **(explained | listed if question.words else listed | explained),
            "written": ("writing and rating texts", lambda: _written(task.result, model, question, loaded)),
        }
    for part, (stage, find) in stages.items():
        task.at(stage, LIMIT)
        try:
            find()
        except TimedOut:
            raise
        except TiltmeterError as error:
            task.result.problems[part] = str(error)


def _score(answer: Answer, model: Model, question: Question) -> None:
    pair = question.pair()
    family = model.facts.family
    scorers = fitting(all_for(family), model, [pair])
    found = score_pairs(model, [pair], scorers)
    answer.scores = [
        Scored(found[scorer.name][0], scorer.meaning, scorer.name == DEFAULTS[family])
        for scorer in sorted(scorers, key=lambda one: one.name != DEFAULTS[family])
    ]


def _tokens(answer: Answer, model: Model, question: Question) -> None:
    texts = question.pair().texts
    # As the scorer of headlines looks at them.
    conditioning = "within-word" if "within-word" in model.conditionings else model.conditionings[0]
    first, second = model.score(list(texts), conditioning=conditioning)
    reason = first.unscored or second.unscored
    if reason:
        answer.tokens = Tokens(conditioning, unscored=reason)
    else:
        answer.tokens = Tokens(conditioning, token_gaps(texts, (first, second)))


def _asked_words(answer: Answer, model: Model, question: Question) -> None:
    if question.words:
        texts = [text for text, _ in question.prompts()]
        answer.asked_words, answer.ending = ending_if_known(as_predictor(model), texts, question.words)


def _likeliest(answer: Answer, model: Model, question: Question) -> None:
    """Of two variants, the most probable words of either after both."""
    texts = [text for text, _ in question.prompts()]
    found = as_proposer(model).likeliest(texts, LISTED)
    words = list(dict.fromkeys(word.word for one in found for word in one.words))
    if all(words):
        found = [_with_all(words, one, text, model) for one, text in zip(found, texts, strict=True)]
    answer.likeliest = found


def _with_all(words: list[str], found: NextWords, text: str, model: Model) -> NextWords:
    """A list with the words of the other one too, each with its probability or a reason."""
    listed = {word.word: word for word in found.words}
    missing = [word for word in words if word not in listed]
    if missing and isinstance(model, Predictor):
        [[asked], _] = ending_if_known(model, [text], missing)
        listed |= {word.word: word for word in asked.words}
    reason = f"not among the {len(found.words)} words that are listed after this prompt"
    return replace(found, words=tuple(listed.get(word) or NextWord(word, None, reason) for word in words))


def _saliency(answer: Answer, model: Model, question: Question) -> None:
    """For the most probable of the words asked about, else of all; for one word in both variants."""
    found = [word for one in (*answer.asked_words[:1], *answer.likeliest[:1]) for word in one.words]
    listed = [word for word in found if word.logprob is not None]
    first = [word for word in listed if word.word in question.words] or listed
    if first:
        word = max(first, key=lambda one: one.logprob or 0.0).word
        texts = [text for text, _ in question.prompts()]
        answer.saliency = as_explainer(model).saliency(texts, [word] * len(texts))


def _written(answer: Answer, model: Model, question: Question, loaded: LoadedModel) -> None:
    prompts = question.prompts()
    texts = as_writer(model).complete([text for text, _ in prompts], DECODING, samples=SAMPLES)
    answer.written = [
        [WrittenText(one, tuple(_rating(name, prompt, one, loaded) for name in question.raters)) for one in own]
        for prompt, own in zip(prompts, texts, strict=True)
    ]


def _rating(name: str, prompt: tuple[str, Spans], written: Completion, loaded: LoadedModel) -> Rating:
    """What a rater makes of prompt and completion, with the group masked where it wants that and we know which."""
    text, spans = prompt
    if written.unwritten:
        return Rating(name, None, unrated=f"nothing was written: {written.unwritten}")
    try:
        rater = loaded.rater(name)
        whole = text + written.text
        [rating] = rater.rate([mask_group(whole, spans=spans, terms=()) if rater.wants_mask and spans else whole])
    except TiltmeterError as error:
        return Rating(name, None, unrated=str(error))
    return rating
