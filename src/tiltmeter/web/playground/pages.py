"""Playground: a sentence in two variants or a prompt, and what a model makes of it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from tiltmeter import models
from tiltmeter.models import embedded
from tiltmeter.models.api import api_name
from tiltmeter.raters.ready import ready
from tiltmeter.web.fields import Fields, Sent
from tiltmeter.web.loaded import Loaded
from tiltmeter.web.pages import Bench, address, go_to, render
from tiltmeter.web.playground import shown
from tiltmeter.web.playground.answers import LIMIT, Answer, AnswerTasks, begin
from tiltmeter.web.playground.asked import Asked
from tiltmeter.web.playground.code import as_command, as_python
from tiltmeter.web.playground.spec import new_spec
from tiltmeter.web.tasks import Task, Tasks, kept_by_server
from tiltmeter.web.workbench import NotThere

router = APIRouter()
_USUAL = ("sentiment.vader.v1", "toxicity.linear.v1", "regard.minilm.v2")
"""Raters that are asked unless others are chosen."""
_WORDS = "he, she, they"


def _loaded(request: Request) -> Loaded:
    return kept_by_server(request, "loaded", Loaded)


def _tasks(request: Request) -> AnswerTasks:
    return kept_by_server(request, "answers", lambda: Tasks[Answer](LIMIT, most=20))


Model = Annotated[Loaded, Depends(_loaded)]
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
    there = ready()
    asked = Asked.of(
        kind=kind,
        text=text,
        second=second,
        attribute=attribute,
        words=_WORDS if words is None and kind == "prompt" else words or "",
        raters=rater if rater is not None else [name for name in _USUAL if name in there] if kind == "prompt" else [],
        model=model or loaded.name,
    )
    task = tasks.known(asked)
    values: dict[str, Any] = {
        "asked": asked,
        "known": [one.name for one in models.known()],
        "raters": there,
        "loaded": loaded.name,
        "asks": bool(text) and task is None and _is_here(asked.model, loaded),
        "part": task is not None,
    }
    return render(request, "playground_page.html.jinja", **values | (_values(asked, task) if task else {}))


@router.post("/playground/ask")
def ask(request: Request, sent: Sent, tasks: Kept, loaded: Model) -> Response:
    """Ask a question, and show what is known so far."""
    asked = _sent(sent)
    task = begin(tasks, loaded, asked)
    answer = _told(request, asked, task, loaded)
    answer.headers["HX-Push-Url"] = asked.address
    return answer


@router.get("/playground/answers/{number}")
def answers(request: Request, number: int, tasks: Kept, loaded: Model) -> Response:
    """What is known so far of a question that was asked."""
    found = tasks.of(number)
    if found is None:
        raise NotThere("answer", str(number))
    asked, task = found
    assert isinstance(asked, Asked)
    return _told(request, asked, task, loaded)


@router.post("/playground/spec")
def spec(bench: Bench, sent: Sent) -> Response:
    """Make a specification of a sentence, to be gone on with on the page of specs."""
    return go_to(address("specs", "own", new_spec(bench, _sent(sent)), "edit"))


def _told(request: Request, asked: Asked, task: Task[Answer], loaded: Loaded) -> Response:
    """What is known so far, and which model is in memory by now."""
    return render(request, "playground_told.html.jinja", loaded=loaded.name, **_values(asked, task))


def _sent(sent: Fields) -> Asked:
    return Asked.of(
        kind=sent.one("kind", "pair"),
        text=sent.text("text"),
        second=sent.text("second"),
        attribute=sent.one("attribute"),
        words=sent.one("words"),
        raters=sent.all("rater"),
        model=sent.one("model"),
    )


def _is_here(model: str, loaded: Loaded) -> bool:
    """Whether asking needs nothing that a mere link may not start: no network, no other model."""
    if api_name(model) is not None:
        # Every question goes over the network, and may cost something.
        return False
    return model in (loaded.name, "scripted") or (model == embedded.NAME and embedded.is_cached())


def _values(asked: Asked, task: Task[Answer]) -> dict[str, Any]:
    """What is known, for the template."""
    answer = task.result
    given_up = task.overdue and not task.done
    late = f"This takes longer than {task.limit:g} seconds and is given up; ask for less, or a smaller model."
    return {
        "asked": asked,
        "task": task,
        "waiting": not task.done and not given_up,
        "problem": late if given_up else task.problem,
        "facts": answer.facts,
        "problems": dict(answer.problems),
        "scores": shown.score_lines(answer.scores),
        "verdict": shown.verdict(answer.scores) if answer.scores else "",
        "pair": asked.pair() if asked.kind == "pair" else None,
        "tokens": answer.tokens,
        "chips": shown.chips(answer.tokens) if answer.tokens else [],
        "prompts": shown.prompt_lines(answer, asked) if asked.kind == "prompt" else [],
        "asked_words": shown.word_lines(answer.asked_words),
        "likeliest": shown.word_lines(answer.likeliest),
        "unread": shown.unread(answer.likeliest),
        "notes": shown.notes(answer.likeliest),
        "ending": answer.ending,
        "saliency": shown.salient(answer.saliency, asked) if answer.saliency else [],
        "rated": shown.rated,
        "bar": shown.bar,
        "python": as_python(asked),
        "command": as_command(asked),
    }
