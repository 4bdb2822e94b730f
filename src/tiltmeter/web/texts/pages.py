"""The texts of a run: lists that can be searched and filtered, and one text with everything that is known of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fastapi import APIRouter, Request, Response

from tiltmeter.store import LEDGER, Annotations
from tiltmeter.store.validation import valid_ledger
from tiltmeter.web.annotating import pages as annotating
from tiltmeter.web.annotating.agreement import said_of
from tiltmeter.web.annotating.items import annotated_view, items
from tiltmeter.web.pages import Bench, address, render
from tiltmeter.web.texts.continuations import ContinuationTexts
from tiltmeter.web.texts.detail import detail
from tiltmeter.web.texts.items import ItemTexts
from tiltmeter.web.texts.next_words import NextWordTexts
from tiltmeter.web.texts.pairs import PairTexts
from tiltmeter.web.texts.query import Chosen, Filters, views_of
from tiltmeter.web.texts.records import Listing

router = APIRouter()
router.include_router(annotating.router)

_TEXTS: dict[str, type[ContinuationTexts | PairTexts | NextWordTexts | ItemTexts]] = {
    "continuations": ContinuationTexts,
    "pairs": PairTexts,
    "next-words": NextWordTexts,
}


@router.get("/runs/{name}/texts")
def texts(request: Request, bench: Bench, name: str, chosen: Chosen) -> Response:
    """A page of texts."""
    folder = bench.run(name)
    with valid_ledger(folder / LEDGER):
        views = views_of(folder)
        return render(
            request,
            "texts_page.html.jinja",
            run=name,
            views=[(view, _name(view)) for view in views],
            listing=listing(folder, chosen, views),
            base=address("runs", name, "texts"),
            in_page=True,
        )


@router.get("/runs/{name}/texts/part")
def texts_part(request: Request, bench: Bench, name: str, chosen: Chosen) -> Response:
    """The same for a panel beside a chart."""
    folder = bench.run(name)
    base = address("runs", name, "texts")
    with valid_ledger(folder / LEDGER):
        found = listing(folder, chosen, views_of(folder))
        return render(request, "texts_part.html.jinja", run=name, listing=found, base=base, in_page=False)


@router.get("/runs/{name}/texts/{text}")
def text_page(request: Request, bench: Bench, name: str, text: str) -> Response:
    """One text."""
    folder = bench.run(name)
    with valid_ledger(folder / LEDGER):
        found = detail(folder, text)
        judged = items(folder, annotated_view(found.view), [int(text[1:])]) if found.view != "next-words" else []
        return render(
            request,
            "texts_detail.html.jinja",
            run=name,
            text=found,
            people=said_of(Annotations(folder), judged[0].id) if judged else (),
            view=_name(found.view),
            base=address("runs", name, "texts"),
        )


def listing(folder: Path, chosen: Filters, views: list[str]) -> Listing | None:
    """The texts that an address asks for; None where the run has no texts of that kind."""
    view = chosen.view or next(iter(views), "")
    if view not in views:
        return None
    return _TEXTS.get(view, ItemTexts)(folder).listing(replace(chosen, view=view))


def _name(view: str) -> str:
    return view.replace("-", " ").capitalize()
