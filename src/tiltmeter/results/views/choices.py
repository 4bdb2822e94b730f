"""Choices: which option of a question a model chooses: the one that fits a stereotype, or what is good for somebody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

from tiltmeter.measures.choices import BIAS_SCORE, CHOICE, CORRECT, LOG_ODDS, UNKNOWN, Chosen
from tiltmeter.measures.interface import Measure
from tiltmeter.measures.scorers.options import UNREADABLE, Answer, Way
from tiltmeter.parquet import Rows
from tiltmeter.raters.refusal import REFUSAL, Refusal
from tiltmeter.records import REFUSED as REASONS
from tiltmeter.records import Completion, Query, Question
from tiltmeter.results.cells import Cell, Combination, Measurement
from tiltmeter.results.findings.compared import of_one
from tiltmeter.results.findings.feasibility import Feasibility, cells_of_items, reach
from tiltmeter.results.findings.questions import Question as Asked
from tiltmeter.results.findings.questions import topic_of
from tiltmeter.results.findings.stereotypes import Stereotype, group_pairs, spec_in
from tiltmeter.results.findings.view_agreement import ViewReading, by_stereotype
from tiltmeter.results.measurements.columns import CONTROL, OTHER, REFUSED, SCORE, STEREOTYPED, marks, scale
from tiltmeter.results.measurements.pairs import named
from tiltmeter.results.summary.runs import Cell as Summarised
from tiltmeter.results.views import Spec, ViewResults
from tiltmeter.results.views.pairs import by_sides, only_two, sides_of
from tiltmeter.stats.estimates import scaled
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.store import GivenAnswers, Run
from tiltmeter.study.choices import choices_in
from tiltmeter.views import FACTS

_VIEW = "choices"
_AT_ONCE = 500
UNLISTED = "not listed"
"""The order of options that the question does not list."""
_SHARE, _SCORE = scale(0.0, 1.0, None, 0), scale(None, None, None, 0)


def measured(run: Run) -> Rows:
    """What every way of asking makes of every question."""
    choices = choices_in(run.meta["resolved"])
    if choices is None:
        return
    questions, given = questions_of(run), GivenAnswers(run.folder)
    for model in run.facts:
        for start in range(0, len(questions), _AT_ONCE):
            some = questions[start : start + _AT_ONCE]
            for way in choices.every_way():
                asks = [way.asks(one) for one in some]
                answers = given.known(model, (query for asked in asks for query in asked))
                for question, asked in zip(some, asks, strict=True):
                    # What was not asked, or not yet, is missing, and not unscored.
                    if answers and all(query in answers for query in asked):
                        place = {"model": model, **_place(question), "scorer": way.scorer.name}
                        place |= {"wording": way.wording, "order": way.order or UNLISTED}
                        yield from ({**place, **row} for row in _of_question(question, way, answers))


def questions_of(run: Run) -> Sequence[Question]:
    """The questions of a run."""
    found: Sequence[Question] = run.asked.get(_VIEW, ())  # type: ignore[assignment]
    return found


def _of_question(question: Question, way: Way, answers: Mapping[Query, Answer]) -> Rows:
    """The rows of one question under one way of asking."""
    found = way.score(question, answers)
    told = [one for query in way.asks(question) if isinstance(one := answers[query], Completion)]
    refused = (
        any(one.unwritten is None and _is_refusal(one.text) for one in told) if found.unscored == UNREADABLE else False
    )
    refused |= any(one.unwritten in REASONS for one in told)
    why = {"reason": REFUSED if refused else found.unscored}
    chosen = Chosen(question, found.scores)
    label = {"label": _chosen(chosen) if found.scores else "; ".join(one.text for one in told) or None}
    sides = sides_of_question(question)
    for measure in (CHOICE, LOG_ODDS) if not way.scorer.counts else (CHOICE,):
        if is_decision(question):
            yield {"group": question.about, **label, **why, **_value(measure, chosen, neutral=None, worse=-1)}
        for two in sides:
            control = CONTROL if question.stereotyped is None else None
            row = {**_groups(question, two), **label, **why, **_value(measure, replace(chosen, sides=two))}
            yield {**row, "measure": named(measure.name, control)}
    if question.stereotyped is not None and len(sides) == 1:
        yield {**_groups(question, sides[0]), **label, **why, **_value(BIAS_SCORE, replace(chosen, sides=sides[0]))}
    whose = {"group": question.about or _groups(question, sides[0])["group"] if sides else question.about or OTHER}
    for measure, place in ((CORRECT, question.correct), (UNKNOWN, question.unknown)):
        if place is not None:
            yield {**whose, **label, **why, "measure": measure.name, "value": measure.values([chosen])[0], **_SHARE}
    if way.scorer.counts:
        missing = None if refused or found.scores or found.unscored == UNREADABLE else found.unscored
        value = None if missing else float(refused)
        yield {**whose, **label, "measure": REFUSED, "value": value, "reason": missing, **_SHARE}
    for at, option in enumerate(question.options):
        group = (question.groups[at] if question.groups else None) or question.about or OTHER
        value = found.scores[at] if found.scores else None
        yield {"group": group, "label": option, **why, "measure": SCORE, "value": value, **_SCORE}


def _value(
    measure: Measure[Chosen], chosen: Chosen, *, neutral: float | None = 0.0, worse: int = 1
) -> dict[str, object]:
    """The value of a measure, and why there is none though there are numbers."""
    value = measure.values([chosen])[0]
    ends = scale(measure.low, measure.high, measure.neutral if neutral is not None else None, worse)
    why = {"reason": ELSEWHERE} if value is None and chosen.scores is not None else {}
    return {"measure": measure.name, "value": value, **why, **ends}


ELSEWHERE = "the model chose none of the options that are compared"


@cache
def _refusals() -> Refusal:
    return Refusal()


def _is_refusal(text: str) -> bool:
    [rating] = _refusals().rate([text])
    return rating.label == REFUSAL


def _chosen(chosen: Chosen) -> str:
    """The text of the option that was chosen; of several that tie, all of them."""
    shares = zip(chosen.question.options, chosen.shares or (), strict=True)
    return " / ".join(option for option, share in shares if share)


def is_decision(question: Question) -> bool:
    """Whether somebody is decided about, so that questions about other groups are what it is compared with."""
    return question.about is not None and question.favourable is not None


def sides_of_question(question: Question) -> list[tuple[int, int]]:
    """The options that are compared two at a time, the stereotyped one first; of a decision none."""
    if is_decision(question):
        return []
    known = [at for at in range(len(question.options)) if at != question.unknown]
    if question.stereotyped is not None:
        return [(question.stereotyped, at) for at in known if at != question.stereotyped]
    return list(combinations([at for at in known if question.groups and question.groups[at]], 2))


def _groups(question: Question, sides: tuple[int, int]) -> dict[str, object]:
    """The groups that two options stand for; where they stand for none, the one that the question is about."""
    first, second = (question.groups[at] if question.groups else None for at in sides)
    return {"group": first or question.about or STEREOTYPED, "against": second or OTHER}


def _place(question: Question) -> dict[str, object]:
    return {
        "item": question.id,
        "source": question.source,
        "bias": question.bias,
        "origin": question.origin,
        "structure": question.structure.id if question.structure else None,
        "template": question.template,
        "term": question.term or None,
        "condition": question.condition or None,
    }


def items(run: Run) -> Rows:
    """Every question."""
    for question in questions_of(run):
        two = next(iter(sides_of_question(question)), None)
        groups = _groups(question, two) if two else {"group": question.about}
        whole = f"{question.context}\n{question.question}" if question.context else question.question
        stereotyped = None if question.stereotyped is None else question.options[question.stereotyped]
        options = [question.options[at] if question.groups and question.groups[at] else None for at in two or ()]
        yield {
            **_place(question),
            **(question.structure.cells() if question.structure else {}),
            **groups,
            **(dict(zip(("term", "other_term"), options, strict=True)) if any(options) else {}),
            "attribute": question.attribute,
            "text": whole,
            "other_text": " | ".join(question.options),
            "marks": marks({"group": question.group_spans}),
            "role": CONTROL if two and question.stereotyped is None else None,
            "stereotyped": stereotyped,
        }


def _asked(question: Asked, cells: Sequence[Cell], spec: Spec) -> Iterator[Asked]:
    """Whether the stereotyped answer is chosen, whatever it is about; and of decisions, every two groups."""
    compared = [row for cell in cells if cell.compares for row in cell.rows]
    if compared:
        first, second = only_two(sides_of(compared), spec)
        yield replace(question, first=first, second=second, by_stereotype=True)
    decided = list(dict.fromkeys(row.group for cell in cells if not cell.compares for row in cell.rows))
    resolved = {"specs": [spec] if spec else []}
    for first, second in group_pairs(decided, resolved, cells[0].bias, _VIEW):
        yield replace(question, first=first, second=second)


def _data(question: Asked, of: Combination, rows: Sequence[Measurement]) -> CellData | None:
    """Answers that are stereotyped or not, as preferences of pairs are; of decisions the difference of two groups."""
    compares = any(row.against for row in rows)
    if question.by_stereotype != compares:
        return None
    return by_sides(question, of, rows) if compares else of_one(question, of, rows)


def _feasible(resolved: Spec, questions: Iterable[Question]) -> Iterator[Feasibility]:
    """What could come of the questions of a study."""
    choices = choices_in(resolved)
    ways = choices.ways(None) if choices else ()
    made: dict[tuple[str, tuple[str, str] | None], dict[tuple[str, str], list[Measurement]]] = {}
    for question in questions:
        place, topic = (question.source, question.condition), topic_of(question.bias)
        row = Measurement(question.id, question.origin, "", attribute=question.attribute, value=0.0)
        row = row._replace(template=question.template, term=question.term or None)
        if is_decision(question):
            rows = made.setdefault((topic, None), {}).setdefault(place, [])
            rows.append(row._replace(group=question.about or ""))
        elif question.stereotyped is not None:
            rows = made.setdefault((topic, ("", "")), {}).setdefault(place, [])
            rows += [row._replace(**_groups(question, two)) for two in sides_of_question(question)]  # type: ignore[arg-type]
    for (topic, stereotyped), places in made.items():
        every = [row for rows in places.values() for row in rows]
        spec = spec_in(resolved, topic)
        two = only_two(sides_of(every), spec) if stereotyped else ("", "")
        groups = list(dict.fromkeys(row.group for row in every))
        for first, second in [two] if stereotyped else group_pairs(groups, resolved, topic, _VIEW):
            asked = Asked("", _VIEW, topic, first, second, by_stereotype=bool(stereotyped))
            measures = (CHOICE, LOG_ODDS) if stereotyped else (LOG_ODDS,)
            cells = [
                cell
                for (source, _), rows in places.items()
                for measure in measures
                for cell in cells_of_items(asked, source, measure, dict(enumerate(rows)))
            ]
            # Votes have no logarithms of odds, so that they come to half as many stereotyped answers.
            often = sum(1 if way.scorer.counts else len(measures) for way in ways) // len(measures)
            yield reach(_VIEW, topic, tuple(filter(None, (first, second))), cells, often or 1)


def _answers(cell: Cell) -> bool:
    """Whether a cell answers questions: of decisions the share of favourable ones does where there are only votes.

    Else it is the log-odds cut at 0, and most models answer every question alike.
    """
    known = cell.measure in FACTS[_VIEW].measures and cell.worse != 0
    return known and (cell.compares or cell.measure == LOG_ODDS.name or cell.with_measure(LOG_ODDS.name) is None)


def _readings(run: Run, known: Mapping[str, Stereotype], cells: Sequence[Summarised] | None) -> Iterator[ViewReading]:
    """By the share of stereotyped answers; of the two sets of attributes together: half of what lies between them."""
    for reading, result in by_stereotype(run, _VIEW, CHOICE.name, known):
        yield replace(reading, found=scaled(result.raw, 0.5))


RESULTS = ViewResults(
    measured, items, answers=_answers, asked=_asked, data=_data, feasible=_feasible, readings=_readings
)
