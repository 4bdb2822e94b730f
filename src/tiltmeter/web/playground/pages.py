"""Playground: a sentence in two variants or a prompt, and what a model makes of it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from tiltmeter import models
from tiltmeter.errors import UserError
from tiltmeter.models import embedded
from tiltmeter.models.api import api_name
from tiltmeter.raters.availability import available_raters
from tiltmeter.web.fields import Fields, Sent
from tiltmeter.web.loaded_model import LoadedModel
from tiltmeter.web.pages import Bench, address, go_to, render
from tiltmeter.web.playground import display
from tiltmeter.web.playground.answers import LIMIT, Answer, AnswerTasks, begin
from tiltmeter.web.playground.code import as_command, as_python
from tiltmeter.web.playground.question import Question
from tiltmeter.web.playground.spec import new_spec
from tiltmeter.web.tasks import Task, Tasks, server_state
from tiltmeter.web.workbench import NotThere

router = APIRouter()
_USUAL = ("sentiment.minilm.v2", "toxicity.minilm.v1", "hate.minilm.v1", "regard.minilm.v5")
"""Raters that are asked unless others are chosen."""
_WORDS = "he, she, they"


def _loaded(request: Request) -> LoadedModel:
    return server_state(request, "loaded", LoadedModel)


def _tasks(request: Request) -> AnswerTasks:
    return server_state(request, "answers", lambda: Tasks[Answer](LIMIT, most=20))


Model = Annotated[LoadedModel, Depends(_loaded)]
Kept = Annotated[AnswerTasks, Depends(_tasks)]


@router.get("/playground")
def playground(
    request: Request,
    tasks: Kept,
    loaded: Model,
    kind: str = "pair",
    text: str = "",
    second: str = "",
    attribute: str = "",
    words: str | None = None,
    model: str = "",
    rater: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """The page, with the question that its address says; the answer where it is known or costs nothing to find."""
    there = available_raters()
    question = Question.of(
        kind=kind,
        text=text,
        second=second,
        attribute=attribute,
        words=_WORDS if words is None and kind == "prompt" else words or "",
        raters=rater if rater is not None else [name for name in _USUAL if name in there] if kind == "prompt" else [],
        model=model or loaded.name,
    )
    task = tasks.find(question)
    values: dict[str, Any] = {
        "question": question,
        "known": [one.name for one in models.available_models()],
        "raters": there,
        "loaded": loaded.name,
        "asks": bool(text) and task is None and not question.unchanged and _is_here(question.model, loaded),
        "part": task is not None,
    }
    return render(request, "playground_page.html.jinja", **values | (_values(question, task) if task else {}))


@router.post("/playground/ask")
def ask(request: Request, sent: Sent, tasks: Kept, loaded: Model) -> Response:
    """Ask a question, and show what is known so far; a page asks by itself while somebody types."""
    question = _question(sent)
    if sent.one("typing") and (incomplete := _incomplete(question, loaded)):
        return render(request, "playground_incomplete.html.jinja", problem=incomplete)
    task = begin(tasks, loaded, question)
    answer = _answered(request, question, task, loaded)
    answer.headers["HX-Push-Url"] = question.address
    return answer


@router.get("/playground/answers/{number}")
def answers(request: Request, number: int, tasks: Kept, loaded: Model) -> Response:
    """What is known so far of a question that was asked."""
    found = tasks.by_number(number)
    if found is None:
        raise NotThere("answer", str(number))
    question, task = found
    assert isinstance(question, Question)
    return _answered(request, question, task, loaded)


@router.post("/playground/spec")
def spec(bench: Bench, sent: Sent) -> Response:
    """Make a specification of a sentence, to be gone on with on the page of specs."""
    return go_to(address("specs", "own", new_spec(bench, _question(sent)), "edit"))


def _answered(request: Request, question: Question, task: Task[Answer], loaded: LoadedModel) -> Response:
    """What is known so far, and which model is in memory by now."""
    return render(request, "playground_answered.html.jinja", loaded=loaded.name, **_values(question, task))


def _question(sent: Fields) -> Question:
    return Question.of(
        kind=sent.one("kind", "pair"),
        text=sent.text("text"),
        second=sent.text("second"),
        attribute=sent.one("attribute"),
        words=sent.one("words"),
        raters=sent.all("rater"),
        model=sent.one("model"),
    )


def _incomplete(question: Question, loaded: LoadedModel) -> str:
    """Why what is being typed cannot be scored yet, or only when the button is pressed; empty where it can."""
    if not _is_here(question.model, loaded):
        return f"{question.model} is asked when you press the button."
    try:
        question.check()
    except UserError as error:
        return str(error)
    return ""


def _is_here(model: str, loaded: LoadedModel) -> bool:
    """Whether asking needs nothing that a mere link may not start: no network, no other model."""
    if api_name(model) is not None:
        # Every question goes over the network, and may cost something.
        return False
    return model in (loaded.name, "scripted") or (model == embedded.NAME and embedded.is_cached())


def _values(question: Question, task: Task[Answer]) -> dict[str, Any]:
    """What is known, for the template."""
    answer = task.result
    given_up = task.overdue and not task.done
    late = f"This takes longer than {task.limit:g} seconds and is given up; ask for less, or a smaller model."
    return {
        "question": question,
        "task": task,
        "waiting": not task.done and not given_up,
        "problem": late if given_up else task.problem,
        "facts": answer.facts,
        "problems": dict(answer.problems),
        "scores": display.score_lines(answer.scores),
        "verdict": display.verdict(answer.scores) if answer.scores else "",
        "pair": question.pair() if question.kind == "pair" else None,
        "tokens": answer.tokens,
        "chips": display.chips(answer.tokens) if answer.tokens else [],
        "prompts": display.prompt_lines(answer, question) if question.kind == "prompt" else [],
        "asked_words": display.word_lines(answer.asked_words),
        "likeliest": display.word_lines(answer.likeliest),
        "unread": display.unread(answer.likeliest),
        "notes": display.notes(answer.likeliest),
        "ending": answer.ending,
        "saliency": display.salient(answer.saliency, question) if answer.saliency else [],
        "rated": display.rated,
        "bar": display.bar,
        "python": as_python(question),
        "command": as_command(question),
    }
