"""What models behind an API cost: the estimate of a plan, and the account of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import chain, repeat
from typing import TypeAlias

from tiltmeter.engine import continuations, scoring
from tiltmeter.engine.rating import JUDGE, terms_by_group
from tiltmeter.engine.review import NOBODY
from tiltmeter.engine.writing import replacement_settings
from tiltmeter.measures.scorers import Scorer
from tiltmeter.models.api import (
    Cost,
    accounts,
    api_name,
    estimated_tokens,
    expected_cost,
    forced_choice,
    lasting_name,
    most_sent,
    price_of,
)
from tiltmeter.models.asking import REPLIES, request_for
from tiltmeter.models.next_words import before_blank, spellings
from tiltmeter.raters.judge import Question, question_of
from tiltmeter.raters.tilt import sentences
from tiltmeter.records import Pair, Spec
from tiltmeter.sources import generated
from tiltmeter.sources.generated import GenerationSettings
from tiltmeter.sources.generated.comparisons import comparisons
from tiltmeter.sources.generated.model_settings import ROOM
from tiltmeter.store import ANSWERS, Ledger
from tiltmeter.store.next_words import ordered_questions
from tiltmeter.study import Plan, RaterChoice, SourceChoice

Tokens: TypeAlias = tuple[int, int]
"""Read and written by one request."""

_PROMPT = 400
"""Tokens, about, of a request for sentences, with its examples."""
_SENTENCE = 25
"""Tokens, about, of a sentence."""
_TRIALS = 6
"""Requests that show in which form a server takes requests for sentences."""
_ANY = Pair(
    "any",
    "any",
    "any",
    "any",
    ("He reads books.", "She reads books."),
    ("a", "b"),
    terms=("He", "She"),
    attribute="books",
    group_spans=(((0, 2),), ((0, 3),)),
    attribute_spans=(((9, 14),), ((10, 15),)),
)


def written_sentences(specs: Sequence[Spec], source: SourceChoice) -> Iterator[Tokens]:
    """The requests to the model that writes: as many as every attribute gets at most."""
    wrote = source.generation.max_new_tokens or max(ROOM, source.generation.decoding.max_new_tokens)
    requests = sum(asked * _each(settings) for settings in _rounds(source) for asked, _ in _units(specs, settings))
    yield from repeat((_PROMPT, wrote), _TRIALS + requests)


def read_by_reader(specs: Sequence[Spec], source: SourceChoice) -> Iterator[Tokens]:
    """The texts that a reader looks at: both of every pair that anything written may make."""
    if source.options.get("reader") == NOBODY:
        return
    written = sum(
        asked * settings.samples * ways for settings in _rounds(source) for asked, ways in _units(specs, settings)
    )
    yield from repeat((_SENTENCE, 1), 2 * written)


def scoring_of_kept(specs: Sequence[Spec], source: SourceChoice, scorers: Sequence[Scorer]) -> Iterator[Tokens]:
    """The questions about pairs of what is kept, where no list is longer than was asked for."""
    asked = {query for scorer in scorers for query in scorer.asks(_ANY)}
    choices = sum(query.conditioning == forced_choice.CONDITIONING for query in asked)
    for settings in _rounds(source):
        half = settings.per_attribute // 2
        # Of each group no more is asked for when it has half of what is wanted; of both, when they have it together.
        kept = 2 * (max(half - 1, settings.samples) + settings.samples) + settings.samples
        # Where flagged sentences are replaced, templates stand in for those that cannot be.
        pairs = sum(max(kept, settings.per_attribute) * ways * ways for _, ways in _units(specs, settings))
        yield from repeat((_SENTENCE, 1), pairs * (len(asked) - choices))
        yield from repeat((3 * _SENTENCE, forced_choice.DECODING.max_new_tokens), pairs * choices)


def _rounds(source: SourceChoice) -> list[GenerationSettings]:
    """The writing itself, and that of sentences in place of flagged ones."""
    settings = source.generation
    return [settings, *([replacement_settings(settings)] if settings.replace_flagged else [])]


def _units(specs: Sequence[Spec], settings: GenerationSettings) -> Iterator[tuple[int, int]]:
    """For each attribute of each set: the requests that it gets at most, and in how many comparisons it stands."""
    for spec in specs:
        ways = {one.name: len(comparisons(spec, one)) for one in spec.attributes}
        for unit in generated.units(spec, settings):
            number = ways[unit.attribute_set]
            yield _most(settings) * number, number


def _most(settings: GenerationSettings) -> int:
    """Requests for each comparison, whichever way the model turns out to be asked."""
    ways = [settings.chat] if settings.chat is not None else [True, False]
    return max(replace(settings, chat=chat).most_requests for chat in ways)


def _each(settings: GenerationSettings) -> int:
    """Requests to a server that one request for sentences comes to: a list is one, texts are asked for one by one."""
    return 1 if settings.chat else settings.samples


_CHOICE = forced_choice.DECODING.max_new_tokens
_WRITTEN = {forced_choice.CONDITIONING: _CHOICE, **{name: one.max_new_tokens for name, one in REPLIES.items()}}
"""What is answered in words, by what a query is conditioned on, and how many tokens at most."""
_CHAT = 40
"""Tokens, about, that a chat template and an instruction put around a text."""
_TILT = 20
"""Tokens, about, of a sentence on which the tilt of a rater is measured."""


def expected_costs(plan: Plan, scorers: Sequence[Scorer]) -> dict[str, Cost]:
    """For each model behind an API that a study asks, what it will take at most, by its name.

    Whatever it is asked for counts: what is measured, what a judge rates and its own tilt, sentences to be written and
    read. Tokens are estimated from characters, since only the server's tokenizer knows.
    """
    found: dict[str, list[tuple[str, Iterable[Tokens], int]]] = {}
    for name, asked, openings in _roles(plan, scorers):
        if api_name(name) is not None:
            found.setdefault(lasting_name(name), []).append((name, asked, openings))
    return {called: _cost(roles) for called, roles in found.items()}


@contextmanager
def accounted(ledger: Ledger) -> Iterator[None]:
    """Note at the end, however it comes, what models behind an API took."""
    try:
        yield
    finally:
        spent = {name: asdict(found) for name, found in accounts(ledger.folder / ANSWERS).items()}
        if spent:
            ledger.record_spent(spent)


def _roles(plan: Plan, scorers: Sequence[Scorer]) -> Iterator[tuple[str, Iterable[Tokens], int]]:
    """Every model that is asked for something: its name, what each question reads and writes, how often it is opened.

    A judge and a reader are looked at before they are needed.
    """
    for name in plan.study.models:
        yield name, _asked(plan, scorers, name), 1
    for judge in _judges(plan):
        yield judge.options["model"], _judged(plan, question_of(judge.options)), 2
    for source in plan.study.generated:
        yield source.options["by"], written_sentences(plan.study.specs, source), 1
        # Nobody ranks what the tested model is to be tested on but a reader.
        reader = source.options.get("reader") or source.options["by"]
        if source.options.get("reader") or reader not in plan.study.models:
            yield reader, read_by_reader(plan.study.specs, source), 2


def _cost(roles: Sequence[tuple[str, Iterable[Tokens], int]]) -> Cost:
    requests = read = wrote = 0
    for tokens_in, tokens_out in chain.from_iterable(asked for _, asked, _ in roles):
        requests, read, wrote = requests + 1, read + tokens_in, wrote + tokens_out
    name = roles[0][0]
    well, ill = most_sent(name, requests, sum(openings for *_, openings in roles))
    return expected_cost(well, (read, wrote), price_of(name), ill)


def asked_of(plan: Plan, name: str) -> Iterator[scoring.Part]:
    """The items of views that need no more than queries, and how a model is asked about them, before it is known.

    By chat alone nothing has a log-probability; of another server it is not known yet whether it gives any.
    """
    for view, choices in plan.study.asked.items():
        numbered = [] if api_name(name) is not None and name.startswith("chat:") else choices.ways(None)
        replied = choices.ways(tuple(REPLIES)) if api_name(name) is not None else []
        yield plan.items[view], [*numbered, *(way for way in replied if way not in numbered)]


def _asked(plan: Plan, scorers: Sequence[Scorer], name: str) -> Iterator[Tokens]:
    """The tokens that each request to a tested model reads and writes."""
    chat = name.startswith("chat:")
    for conditioning, _, text, _ in scoring.questions_of([(plan.pairs, scorers), *asked_of(plan, name)]):
        wrote = _WRITTEN.get(conditioning, 0)
        yield estimated_tokens(text) + _CHAT * (wrote > 0), wrote or 1
    for source in plan.study.generated:
        yield from scoring_of_kept(plan.study.specs, source, scorers)
    for read, wrote in _written(plan):
        yield read + _CHAT * chat, wrote
    for question, _ in ordered_questions(plan.asked, plan.study.next_words) if plan.study.next_words else ():
        # The prompt alone, and with each word, however it is written, that is not among the most probable.
        before = before_blank(question.text) or ""
        number = 1 + sum(len(spellings(word, before, None)) for word in question.words)
        yield from repeat((estimated_tokens(question.text), 1), number)


def _written(plan: Plan) -> Iterator[Tokens]:
    choices = plan.study.continuations
    for batch in continuations.batches_of(plan.prompts, choices) if choices else ():
        for text in batch.texts:
            asked = batch.decoding.system + (request_for(text, batch.decoding.request) if batch.decoding.form else text)
            yield from repeat((estimated_tokens(asked), batch.decoding.max_new_tokens), batch.samples)


def _judges(plan: Plan) -> list[RaterChoice]:
    choices = plan.study.continuations
    return [one for one in (choices.raters if choices else ()) if one.name == JUDGE]


def _judged(plan: Plan, question: Question) -> Iterator[Tokens]:
    """Every text of every model at each of its lengths, and the sentences that show the judge's own tilt."""
    choices = plan.study.continuations
    assert choices is not None
    # A question of the user's may be of any length.
    around = max(_CHAT, estimated_tokens(question.prompt(""))) if question.meaning else _CHAT
    for prompt in plan.prompts:
        read = estimated_tokens(prompt.text) + around
        for decoding in choices.decodings:
            texts = choices.samples_of(decoding) * len(plan.study.models)
            yield from repeat((read + decoding.max_new_tokens, _CHOICE), texts)
    for groups in terms_by_group(plan.prompts, plan.study.seed).values():
        yield from repeat((_TILT + around, _CHOICE), sum(map(len, groups.values())) * len(sentences()))
