"""Every page of a run, on runs that are damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.store.broken import EMPTY, META, RECORDS
from tests.web.bench import let_in, opened
from tests.web.texts_run import make_texts

PLACES = {"chart": "curve", "kind": "curve", "at": "0", "number": "1"}


def _addresses(router: Any) -> Iterator[str]:
    """The addresses of all pages of a run, as the application knows them."""
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from _addresses(inner)
        elif "GET" in (getattr(route, "methods", None) or ()) and route.path.startswith("/runs/{name}"):
            yield route.path


def _pages(client: TestClient, run: str) -> list[str]:
    found = sorted({*_addresses(client.app), "/runs/{name}/texts/agreement"})
    assert len(found) > 15
    filled = [one.replace("{name}", run) for one in found]
    for name, value in PLACES.items():
        filled = [one.replace(f"{{{name}}}", value) for one in filled]
    single = [one.replace("{text}", text) for one in filled if "{text}" in one for text in ("c1", "p1", "w1")]
    return [one for one in filled if "{text}" not in one] + single


@pytest.mark.slow
@pytest.mark.parametrize("name", [*META, *RECORDS, *EMPTY])
def test_no_page_of_a_damaged_run_fails_inside(tmp_path: Path, name: str) -> None:
    folder = make_texts(tmp_path)
    known = {**{key: one for key, (one, _) in META.items()}, **RECORDS, **EMPTY}
    known[name](folder)
    client = opened(tmp_path)
    client = let_in(client.app, headers=client.headers, raise_server_exceptions=False)
    del client.headers["HX-Request"]
    for page in ["/", "/runs", "/compare", "/studies", "/studies/new?run=small", *_pages(client, "small")]:
        answer = client.get(page)
        assert answer.status_code < 500, (page, answer.text)
    if name in META:
        for page in ("/runs", "/runs/small", "/runs/small/facts", "/runs/small/results", "/runs/small/texts"):
            shown = re.sub("</?code[^>]*>", "`", unescape(client.get(page).text))
            assert META[name][1] in shown, page
