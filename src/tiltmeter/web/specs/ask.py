"""Words that the embedded model expects after the terms of a list: a model's guess, for a person to judge."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from tiltmeter import english, models
from tiltmeter.errors import UserError
from tiltmeter.models import embedded
from tiltmeter.present.words import percent
from tiltmeter.records import NextWord
from tiltmeter.web.loaded_model import LoadedModel
from tiltmeter.web.specs.lists import Lists, WordList
from tiltmeter.web.specs.suggest import Suggestion
from tiltmeter.web.specs.text import Addition
from tiltmeter.web.tasks import Task, Tasks

_SECONDS = 60
_TERMS_GIVEN = 4
_WORDS_READ = 30
_WORDS_SHOWN = 8
_WORD = re.compile(r"[^\W\d_][\w'’-]+")
_FILLERS = frozenset({"other", "others", "more", "etc", "similar", "various", "different", "related", "many"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model was given, and the words that it expects next, as terms that could be accepted."""

    title: str
    model: str
    prompt: str
    suggestions: tuple[Suggestion, ...]


@dataclass(slots=True)
class Asking:
    """Questions to the embedded model, one after the other. What takes too long goes on, for who asks again."""

    loaded: LoadedModel
    limit: float = _SECONDS
    tasks: Tasks[list[NextWord]] = field(default_factory=lambda: Tasks(10 * _SECONDS))

    def words_after(self, prompt: str) -> list[NextWord]:
        """The words that the model expects after a prompt."""
        if not embedded.is_cached():
            name = embedded.NAME
            raise UserError(f"the embedded model is not on this machine yet; `tiltmeter models get {name}` fetches it")

        def work(task: Task[list[NextWord]]) -> None:
            proposer = models.as_proposer(self.loaded.model(embedded.NAME))
            [found] = proposer.likeliest([prompt], _WORDS_READ)
            task.result += found.words

        task = self.tasks.start(prompt, [], work)
        end = time.monotonic() + self.limit
        while not task.done and time.monotonic() < end:
            time.sleep(0.05)
        if task.problem:
            raise UserError(task.problem)
        if not task.done:
            raise UserError(
                f"the model has not answered within {self.limit:g} seconds; it goes on, so ask again in a while"
            )
        return task.result


def terms_from_model(asking: Asking, lists: Lists, named: str) -> Answer:
    """Ask for terms of a list, which is named as `groups/male`."""
    words = next((one for one in (*lists.groups, *lists.attributes) if f"{one.holder}/{one.name}" == named), None)
    if words is None:
        raise UserError("choose the list that the model is asked about")
    terms = [term for term in words.terms if term.strip()]
    if len(terms) < 2:
        raise UserError(f"`{words.name}` needs two terms or more: they show the model what is asked for")
    prompt = f"{', '.join(terms[-_TERMS_GIVEN:])} and"
    return Answer(
        words.name, embedded.NAME, prompt, tuple(_suggestions(words, lists, asking.words_after(prompt)))[:_WORDS_SHOWN]
    )


def _suggestions(words: WordList, lists: Lists, found: Iterable[NextWord]) -> list[Suggestion]:
    taken = {term.casefold() for one in (*lists.groups, *lists.attributes) for term in one.terms}
    unwanted = taken | english.FUNCTION_WORDS | _FILLERS
    return [
        Suggestion((Addition(words.holder, words.name, len(words.terms), one.word),), _probability(one))
        for one in found
        if _WORD.fullmatch(one.word) and one.word.casefold() not in unwanted
    ]


def _probability(word: NextWord) -> str:
    return "" if word.probability is None else f"expected with a probability of {percent(word.probability)}"
