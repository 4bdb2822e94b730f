"""What annotators made of a run: how far they agree, sheets out and in, and the way to the report."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from tiltmeter.errors import UserError
from tiltmeter.present.words import signed
from tiltmeter.raters.issues import ISSUES
from tiltmeter.records import Estimate
from tiltmeter.store.annotations import Annotations, annotator_name
from tiltmeter.web.annotating import report as annotating_report
from tiltmeter.web.annotating.agreement import task_agreement
from tiltmeter.web.annotating.sheets import (
    import_issues,
    import_ratings,
    is_rating_sheet,
    issue_sheet,
    rating_sheet,
    sheet_name,
)
from tiltmeter.web.annotating.tasks import kind_of, rating_task, task_words
from tiltmeter.web.fields import Sent
from tiltmeter.web.pages import Bench, address, go_to, render

router = APIRouter()

_SHOWN = 50
"""Disagreements on the page; a queue of them has all."""


@router.get("/runs/{name}/texts/agreement")
def agreement(request: Request, bench: Bench, name: str, task: str = "", stand: str = "") -> Response:
    """How far annotators agree on a task, and on which texts they do not."""
    folder = bench.run(name)
    kept = Annotations(folder)
    tasks = kept.tasks()
    chosen = task if task in tasks else next(iter(tasks), "")
    found = task_agreement(kept, chosen, blind=stand != "1") if chosen else None
    return render(
        request,
        "annotate_agreement.html.jinja",
        run=name,
        base=address("runs", name, "texts"),
        tasks=[(one, task_words(one)) for one in tasks],
        found=found,
        stand=stand == "1",
        titles=ISSUES,
        shown=_SHOWN,
        words=estimate_words,
        kinds=[kind_of(one) for one in tasks if kind_of(one)],
        report=annotating_report.working(folder),
    )


@router.post("/runs/{name}/texts/disagreements")
def resolve(bench: Bench, name: str, sent: Sent) -> Response:
    """Make a queue of the texts on which annotators disagree, in which each sees what the others marked."""
    folder = bench.run(name)
    kept = Annotations(folder)
    task, annotator = sent.one("task"), annotator_name(sent.one("as"))
    found = task_agreement(kept, task, blind=False).disagreements if task in kept.tasks() else ()
    if not found:
        raise UserError("there is no disagreement left to resolve")
    about = f"{len(found):,} texts that annotators judged differently"
    number = kept.add_queue(task, about, [one.item for one in found], aware=True)
    return go_to(f"{address('runs', name, 'texts', 'queues', str(number))}?{urlencode({'as': annotator})}")


@router.get("/runs/{name}/texts/sheet")
def sheet(bench: Bench, name: str, task: str = "", annotator: str = "") -> Response:
    """What people said, as a CSV that `tiltmeter report` reads."""
    kept = Annotations(bench.run(name))
    if task not in kept.tasks():
        raise UserError("nobody has marked anything of this kind in this run")
    text = rating_sheet(kept, kind_of(task)) if kind_of(task) else issue_sheet(kept, annotator)
    disposition = f'attachment; filename="{sheet_name(task, annotator)}"'
    return Response(text, media_type="text/csv; charset=utf-8", headers={"Content-Disposition": disposition})


@router.post("/runs/{name}/texts/sheet")
def import_sheet(request: Request, bench: Bench, name: str, sent: Sent) -> Response:
    """Take over a sheet that was filled in elsewhere."""
    folder, text = bench.run(name), sent.text("sheet")
    if not text.strip():
        raise UserError("choose a file, or paste the rows of a sheet with its header")
    if is_rating_sheet(text):
        taken, left = import_ratings(folder, text, sent.one("kind"))
        noun = "rating"
    else:
        taken, left = import_issues(folder, annotator_name(sent.one("as")), text)
        noun = "judged sentence"
    many = f"{taken:,} {noun}{'s' * (taken != 1)} taken over"
    said = f"{many}; {left:,} more fit no text of this run and were left out." if left else f"{many}."
    return render(
        request, "annotate_imported.html.jinja", said=said, place=f"{address('runs', name, 'texts')}/agreement"
    )


@router.post("/runs/{name}/texts/report")
def add_to_report(request: Request, bench: Bench, name: str, sent: Sent) -> Response:
    """Write the report again with what people said."""
    folder, kind = bench.run(name), sent.one("kind")
    if kind and rating_task(kind) not in Annotations(folder).tasks():
        raise UserError(f"nobody has rated `{kind[:40]}` in this run")
    annotating_report.start(folder, kind)
    return report_state(request, bench, name)


@router.get("/runs/{name}/texts/report-state")
def report_state(request: Request, bench: Bench, name: str) -> Response:
    """Whether the report is written."""
    state = annotating_report.working(bench.run(name))
    return render(request, "annotate_report.html.jinja", report=state, run=name, base=address("runs", name, "texts"))


def estimate_words(found: Estimate) -> str:
    """An agreement with its interval and how many texts it rests on.

    >>> estimate_words(Estimate(0.71, 0.5, 0.85, n=40))
    '0.71 (95 % 0.50 to 0.85), n 40'
    >>> estimate_words(Estimate(None, n=3, note="all marks are the same, or none is shared"))
    '– (all marks are the same, or none is shared), n 3'
    """

    def plain(value: float | None) -> str:
        return signed(value).removeprefix("+")

    why = f" ({found.note})" if found.note else ""
    if found.low is not None and found.high is not None:
        why = f" ({found.level * 100:g} % {plain(found.low)} to {plain(found.high)})"
    return f"{plain(found.value)}{why}, n {found.n:,}"
