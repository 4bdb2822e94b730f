"""Judging texts with the keyboard: queues of texts, one after the other, for as many annotators as there are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from tiltmeter.errors import UserError
from tiltmeter.raters.issues import ISSUES
from tiltmeter.store.annotations import Annotations, Item, Queue, Scale, annotator_name
from tiltmeter.web.annotating import results as annotating_results
from tiltmeter.web.annotating.items import MOST, annotated_view, done_by, in_order, present, random_sample
from tiltmeter.web.annotating.steps import Step, next_place, step_at
from tiltmeter.web.annotating.tasks import (
    ISSUES_TASK,
    SCALES,
    issues_value,
    kind_of,
    mark_words,
    own_scale,
    rating_task,
    rating_value,
    task_words,
)
from tiltmeter.web.fields import Fields, Sent
from tiltmeter.web.pages import Bench, address, go_to, render
from tiltmeter.web.texts.query import Chosen, Filters, filters_of, views_of
from tiltmeter.web.workbench import NotThere

router = APIRouter()
router.include_router(annotating_results.router)

_FILTERS = (
    *("model", "bias", "source", "group", "rater", "scorer"),
    *("decoding", "origin", "structure", "q", "low", "high"),
)


@router.get("/runs/{name}/texts/annotate")
def annotate(request: Request, bench: Bench, name: str, chosen: Chosen) -> Response:
    """Choose what to judge, or go on with a queue."""
    folder = bench.run(name)
    views = [view for view in views_of(folder) if view != "next-words"]
    if chosen.view not in views:
        chosen = replace(chosen, view=views[0] if views else "")
    kept = Annotations(folder)
    judged = {task: kept.marks(task) for task in kept.tasks()}
    queues = []
    for queue in kept.queues():
        ids = {id_ for id_, *_ in queue.items}
        marks = judged.get(queue.task, {})
        done = [(who, len(ids & set(own))) for who, own in marks.items() if not ids.isdisjoint(own)]
        queues.append((queue, task_words(queue.task), done))
    return render(
        request,
        "annotate_start.html.jinja",
        run=name,
        base=address("runs", name, "texts"),
        filters=chosen,
        about=_filter_words(chosen),
        carried=[(key, getattr(chosen, key)) for key in (*_FILTERS, "order", "reason") if getattr(chosen, key)],
        queues=queues,
        scales={**SCALES, **kept.scales()}.values(),
        annotators=sorted({who for marks in judged.values() for who in marks}),
        most=MOST,
    )


@router.post("/runs/{name}/texts/queues")
def make_queue(bench: Bench, name: str, sent: Sent) -> Response:
    """Make a queue, and show its first text."""
    folder = bench.run(name)
    annotator = annotator_name(sent.one("as"))
    kept = Annotations(folder)
    scale = _scale(kept, sent)
    task = rating_task(scale.kind) if scale else ISSUES_TASK
    filters = filters_of({key: values[-1] for key, values in sent.values.items()})
    if scale and annotated_view(filters.view) == "pairs":
        raise UserError("numbers are given to what models wrote; for pairs choose the issues")
    found, about = _chosen_items(folder, sent, filters, task)
    if not found:
        raise UserError("no text fits these filters; take one of them away")
    if scale:
        kept.keep_scale(scale)
    number = kept.add_queue(task, about, found)
    return go_to(_place(name, number, annotator))


@router.get("/runs/{name}/texts/queues/{number}")
def judge(request: Request, bench: Bench, name: str, number: str) -> Response:
    """The text of a queue that is to be judged next, or that an address names."""
    folder = bench.run(name)
    queue = _queue(folder, name, number)
    given = request.query_params
    base = address("runs", name, "texts")
    if not given.get("as", "").strip():
        return render(request, "annotate_name.html.jinja", run=name, base=base, queue=queue)
    annotator = annotator_name(given["as"])
    at = _whole(given["at"]) if "at" in given else next_place(folder, queue, annotator)
    step = step_at(folder, queue, annotator, at, aware=queue.aware or given.get("open") == "1")
    return render(request, "annotate_queue.html.jinja", run=name, **_shown(step, name))


@router.post("/runs/{name}/texts/queues/{number}/marks")
def mark(request: Request, bench: Bench, name: str, number: str, sent: Sent) -> Response:
    """Keep what an annotator says of a text, and show the next."""
    folder = bench.run(name)
    queue = _queue(folder, name, number)
    annotator, at = annotator_name(sent.one("as")), _whole(sent.one("at"))
    aware = queue.aware or sent.one("open") == "1"
    if at >= len(queue.items):
        raise UserError("the queue has no such text; load the page again")
    item = present(folder, Item(*queue.items[at], text=""))
    if item is None:
        raise UserError("this text is no longer in the run, so it cannot be judged; go on to the next")
    kept = Annotations(folder)
    kept.mark(annotator, queue.task, [(item, _value(kept, queue.task, sent))], aware=aware)
    then = at + (-1 if sent.one("go") == "-1" else 1)
    return _part(request, name, step_at(folder, queue, annotator, max(0, then), aware=aware))


@router.post("/runs/{name}/texts/queues/{number}/undo")
def undo(request: Request, bench: Bench, name: str, number: str, sent: Sent) -> Response:
    """Take back the last thing that an annotator did, and show that text again."""
    folder = bench.run(name)
    queue = _queue(folder, name, number)
    annotator, at = annotator_name(sent.one("as")), _whole(sent.one("at"))
    taken = Annotations(folder).undo(annotator, queue.task)
    places = {id_: place for place, (id_, *_) in enumerate(queue.items)}
    said = ""
    if taken is None:
        said = "There is nothing to take back."
    elif taken not in places:
        said = "Your mark on a text of another queue was taken back."
    step = step_at(folder, queue, annotator, places.get(taken or "", at), aware=queue.aware or sent.one("open") == "1")
    return _part(request, name, step, said or "Your last mark was taken back.")


def _scale(kept: Annotations, sent: Fields) -> Scale | None:
    """The scale that a form asks for; None: issues."""
    task = sent.one("task")
    if task == ISSUES_TASK:
        return None
    known = {**SCALES, **kept.scales()}
    kind = kind_of(task)
    if kind in known:
        return known[kind]
    if task == "own":
        ends = sent.one("scale_low"), sent.one("scale_high")
        return own_scale(sent.one("scale_name"), *ends, sent.lines("scale_labels"), sent.text("instructions"))
    raise UserError("choose what to judge: the issues of sentences, or a number on a scale")


def _chosen_items(folder: Path, sent: Fields, filters: Filters, task: str) -> tuple[list[Item], str]:
    """The texts of a new queue, and in words which they are."""
    most = _whole(sent.one("most", "100"))
    if not 1 <= most <= MOST:
        raise UserError(f"a queue has from 1 to {MOST:,} texts; make several of them")
    words = f"{filters.view}{_filter_words(filters)}"
    if sent.one("which") == "done":
        other = annotator_name(sent.one("done_by"))
        found = done_by(folder, other, task, most)
        return found, f"{len(found):,} texts that {other} judged"
    if sent.one("which") == "order":
        found = in_order(folder, filters, most)
        return found, f"the first {len(found):,} of {words}"
    seed = _whole(sent.one("seed", "0"))
    found = random_sample(folder, filters, most, seed)
    return found, f"{len(found):,} random_sample with seed {seed} from {words}"


def _filter_words(filters: Filters) -> str:
    """What narrows a list down; whose number it shows does only where numbers choose or order."""
    by_number = filters.low or filters.high or filters.order or filters.reason
    names = [name for name in _FILTERS if by_number or name not in ("rater", "scorer")]
    return "".join(f", {name} {value}" for name in names if (value := getattr(filters, name)))


def _value(kept: Annotations, task: str, sent: Fields) -> str | None:
    did = sent.one("did")
    if did == "skip":
        return None
    if task == ISSUES_TASK:
        if did != "none" and not sent.all("issue"):
            # A key too many must not say that a sentence is clean.
            raise UserError("tick what the text has, or say that it has none of them (0)")
        return issues_value([] if did == "none" else sent.all("issue"))
    return rating_value(kept.scales()[kind_of(task)], sent.one("value"))


def _queue(folder: Path, name: str, number: str) -> Queue:
    found = next((queue for queue in Annotations(folder).queues() if str(queue.number) == number), None)
    if found is None:
        raise NotThere("queue", f"{number[:40]} of {name}")
    return found


def _shown(step: Step, name: str) -> dict[str, Any]:
    return {
        "step": step,
        "base": address("runs", name, "texts"),
        "task": task_words(step.queue.task),
        "issues": ISSUES if step.queue.task == ISSUES_TASK else {},
        "mark_words": mark_words(step.queue.task, step.mark) if step.mark else "",
        "place": lambda at, aware=step.aware: _place(name, step.queue.number, step.annotator, at, aware),
        "said": "",
    }


def _part(request: Request, name: str, step: Step, said: str = "") -> Response:
    answer = render(request, "annotate_step.html.jinja", **(_shown(step, name) | {"said": said}))
    answer.headers["HX-Push-Url"] = _place(name, step.queue.number, step.annotator, step.at, step.aware)
    return answer


def _place(name: str, queue: int, annotator: str, at: int | None = None, aware: bool = False) -> str:
    query: dict[str, object] = {"as": annotator}
    if at is not None:
        query["at"] = at
    if aware:
        query["open"] = 1
    return f"{address('runs', name, 'texts', 'queues', str(queue))}?{urlencode(query)}"


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UserError(f"`{text[:40]}` is not a whole number; write one such as 100")
    return int(text)
