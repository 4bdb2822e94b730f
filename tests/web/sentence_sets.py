"""Sets of test sentences in a workbench, written by a generator and looked at by an audit that need no weights."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx import Response

from tests.sources.generated.fakes import FakeGenerator
from tests.web.bench import fields_of, opened
from tiltmeter import models
from tiltmeter.raters import issues
from tiltmeter.raters.issues import Finding
from tiltmeter.web.jobs import Jobs
from tiltmeter.web.sentences.folder import SENTENCES
from tiltmeter.web.sentences.writing import write_set
from tiltmeter.web.workbench import Workbench

SPEC = """
name = "desks"
title = "Who sits where"
templates = ["The [T] has the [A]."]
[groups.clerks]
terms = ["clerk", "archivist", "registrar"]
[groups.guards]
terms = ["guard", "porter", "watchman"]
[attributes.calm]
terms = ["ladder", "ledger", "bicycle"]
stereotype_of = "guards"
[attributes.neat]
terms = ["kettle", "lamp"]
stereotype_of = "clerks"
"""


def audit(items: Sequence[Any], **_: object) -> list[tuple[Finding, ...]]:
    """*Nobody* denies it, and *my* brings in somebody else."""
    marks = {"Nobody": ("I4", "*Nobody* denies it"), "My": ("I5", "*My* brings in someone else")}
    return [
        tuple(Finding(issue, why, 0.9) for word, (issue, why) in marks.items() if word in one.text) for one in items
    ]


def stand_in(monkeypatch: pytest.MonkeyPatch, generator: FakeGenerator | None = None) -> None:
    """The generator in the place of every model, the audit in that of ours; nothing is started by itself."""
    load, written = models.load, generator or FakeGenerator()
    monkeypatch.setattr(
        models, "load", lambda name, *more: load(name, *more) if name.startswith("scripted") else written
    )
    monkeypatch.setattr(issues, "audit", audit)
    monkeypatch.setattr(Jobs, "start", lambda *_, **__: None)


@dataclass
class Sets:
    """A workbench with a spec of one's own, asked as a browser would ask it."""

    home: Path

    def __post_init__(self) -> None:
        (self.home / "specs").mkdir(exist_ok=True)
        (self.home / "specs" / "desks.toml").write_text(SPEC, encoding="utf-8")
        self.open()

    def open(self) -> None:
        """Start the server, or start it anew."""
        self.bench = Workbench(self.home)
        self.client = opened(self.bench)

    def order(self, **changes: str) -> Response:
        """Send the form."""
        page = self.client.get("/sentences/new", params={"spec": "own/desks"}).text
        return self.client.post("/sentences/start", data={**fields_of(page), **changes})

    def write(self, name: str = "desks", **changes: str) -> None:
        """Send the form, and do what the process would do."""
        answer = self.order(name=name, **changes)
        assert answer.headers.get("HX-Redirect") == f"/sentences/{name}", answer.text
        write_set(self.folder(name), self.bench.specs())

    def folder(self, name: str = "desks") -> Path:
        return self.home / "sentences" / name

    def rows(self, name: str = "desks") -> list[dict[str, str]]:
        """What the file holds."""
        with (self.folder(name) / SENTENCES).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def page(self, query: str = "", name: str = "desks") -> str:
        answer = self.client.get(f"/sentences/{name}{query}")
        assert answer.status_code == 200, answer.text
        return answer.text

    def shown(self, query: str = "") -> list[int]:
        """The places in the file of the sentences that a page shows."""
        return [int(number) for number in re.findall(r'id="row-(\d+)"', self.page(query))]

    def change(self, number: int, what: str, stamp: str = "", **fields: str) -> Response:
        """Press a button of a row; its stamp is what the page shows."""
        stamp = stamp or self.stamp(number)
        return self.client.post(f"/sentences/desks/rows/{number}/{what}", data={"stamp": stamp, **fields})

    def stamp(self, number: int) -> str:
        part = self.client.get(f"/sentences/desks/rows/{number}?edit=true").text
        return fields_of(part)["stamp"][0]
