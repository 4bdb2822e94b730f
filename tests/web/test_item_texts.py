"""The texts page of a view that has none of its own: what was asked, with the value of its first measure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.bench import opened
from tiltmeter.engine import carry_out
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

STUDY = """
name = "loans"
models = ["scripted"]
[choices]
sources = ["questions-file:loans.csv"]
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    lines = [f"loan,case {at},{who},May {who} have loan {at}?,Yes|No,Yes" for at in range(30) for who in ("Ann", "Bo")]
    (folder / "loans.csv").write_text("bias,origin,about,question,options,favourable\n" + "\n".join(lines) + "\n")
    carry_out(plan(parse(STUDY, file=folder / "s.toml")), folder / "runs" / "loans")
    return folder


def test_items_are_listed_page_by_page(bench: Path) -> None:
    page = opened(bench).get("/runs/loans/texts", params={"view": "choices"})
    assert page.status_code == 200
    assert "<b>60</b> texts" in page.text
    assert "May Ann have loan 0?" in page.text
    assert "Yes | No" in page.text
    assert "Everything about it" not in page.text, "there is no page of one question"
    second = opened(bench).get("/runs/loans/texts", params={"view": "choices", "page": "2"})
    assert "May Ann have loan 0?" not in second.text


def test_items_are_chosen_by_group_and_words(bench: Path) -> None:
    found = opened(bench).get("/runs/loans/texts", params={"view": "choices", "group": "Bo", "q": "loan 7?"})
    assert "<b>1</b> text" in found.text
    assert "May Bo have loan 7?" in found.text


def test_a_model_that_is_not_there_is_said(bench: Path) -> None:
    found = opened(bench).get("/runs/loans/texts", params={"view": "choices", "model": "scriptd"})
    assert found.status_code == 422
    assert "scripted" in found.text
