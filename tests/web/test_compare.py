"""The page that puts models side by side."""

from __future__ import annotations

import csv
import html
import json
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from tests.results.planted_studies import BOOKS, TOOLS, pairs_run
from tests.web.bench import let_in, opened
from tests.web.hostile import HOSTILE
from tiltmeter.present.saving import Form, Saved, saved_comparison, saved_leaderboards
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.rank.boards import leaderboards, sides_of_runs
from tiltmeter.store import LEDGER, read_run
from tiltmeter.web.app import make_app
from tiltmeter.web.compare.choice import Choice, Chosen, offers
from tiltmeter.web.workbench import Workbench

SHE, HE = ("she", "woman"), ("he", "man")
Ask = Callable[..., str]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """Three runs: tilted for eight, four and six of eight attributes."""
    home = tmp_path_factory.mktemp("bench")
    for name, count in (("before", 8), ("after", 4), ("<b>later", 6)):
        made = pairs_run(tmp_path_factory.mktemp("run"), [(HE, TOOLS[:count], 1.0), (SHE, BOOKS[:count], 1.0)]).folder
        shutil.copytree(made, home / "runs" / name)
    return Workbench(home)


@pytest.fixture(scope="module")
def client(bench: Workbench) -> TestClient:
    return let_in(make_app(bench))


@pytest.fixture(scope="module")
def keys(bench: Workbench) -> dict[str, str]:
    return {offer.name: offer.models[0].key for offer in offers(bench)}


@pytest.fixture(scope="module")
def ask(client: TestClient, keys: dict[str, str]) -> Ask:
    """The result of comparing runs, as the page shows it in the end."""

    def result(*names: str, **more: str) -> str:
        query = urlencode([("side", keys[name]) for name in names] + list(more.items()))
        text = client.get(f"/compare?{query}").text
        while again := re.search(r'hx-get="(/compare/result[^"]+)"', text):
            time.sleep(0.05)
            text = client.get(again[1].replace("&amp;", "&")).text
        return text

    return result


def test_runs_and_their_models_are_offered(client: TestClient, keys: dict[str, str]) -> None:
    text = client.get("/compare").text
    for key in keys.values():
        assert f'value="{key}"' in text
    assert "&lt;b&gt;later" in text
    assert "<b>later" not in text


def test_what_is_said_is_what_the_comparison_says(ask: Ask, bench: Workbench) -> None:
    text = ask("before", "after")
    found = compare_runs([read_run(bench.run(name)) for name in ("before", "after")])
    [sentence] = found.views[0].sentences
    assert sentence.lower() in html.unescape(text).lower()
    assert "96 pairs in both" in text
    assert "0 missing" in text


def specs(text: str) -> list[dict[str, Any]]:
    """The charts of a page."""
    return [json.loads(html.unescape(one)) for one in re.findall(r"<span data-spec hidden>(.*?)</span>", text)]


def points(spec: Any) -> list[dict[str, Any]]:
    """The points of a chart."""
    if isinstance(spec, dict):
        own = [row for row in spec.get("values") or () if isinstance(row, dict) and "kind" in row]
        return [*own, *(row for one in spec.values() if isinstance(one, (dict, list)) for row in points(one))]
    return [row for one in spec for row in points(one)] if isinstance(spec, list) else []


def test_charts_have_the_numbers_of_the_comparison_and_say_what_they_show(ask: Ask, client: TestClient) -> None:
    text = ask("before", "after")
    differences, *_ = specs(text)
    assert {one["value"] for one in points(differences)} == {0.25}
    assert all(one["open"].startswith("/compare/texts?") for one in points(differences))
    assert {client.get(one["open"]).status_code for one in points(differences)} == {200}
    labels = re.findall(r'role="img" aria-label="([^"]+)"', text)
    assert len(labels) == len(specs(text)) and all(labels)


def test_several_models_are_put_in_order(ask: Ask) -> None:
    text = ask("after", "before", "<b>later")
    board = text.partition('id="ranking"')[2]
    runs = list(dict.fromkeys(re.findall(r"run (before|after|&lt;b&gt;later)\b", board)))
    assert runs == ["before", "&lt;b&gt;later", "after"]
    values = [one["value"] for one in points(specs(board)[0])]
    assert values == [1.0, 0.875, 0.75]


def test_the_older_run_is_before_unless_told_otherwise() -> None:
    old, new, newest = (Chosen(name, "m") for name in ("old", "new", "newest"))
    choice = Choice.of([one.key for one in (newest, old, new)], "", "", "", "").by_age(["newest", "new", "old"])
    assert (choice.a, choice.b) == (old, new)


def test_before_and_after_can_be_exchanged(ask: Ask, keys: dict[str, str]) -> None:
    first, second = ask("before", "after"), ask("before", "after", a=keys["after"], b=keys["before"])
    assert "B prefers stereotyped sentences less often than A by 25.0 points" in first
    assert "B prefers stereotyped sentences more often than A by 25.0 points" in second


def test_a_margin_that_means_nothing_is_refused_in_a_sentence(
    client: TestClient, ask: Ask, keys: dict[str, str]
) -> None:
    sides = [("side", keys["before"]), ("side", keys["after"])]
    answer = client.get(f"/compare?{urlencode([*sides, ('margin', 'much')])}")
    assert answer.status_code == 422
    assert "is not a margin" in answer.text
    assert "a margin is more than 0" in ask("before", "after", margin="-1")
    assert "It may be more than 10.0 points." in ask("before", "after", margin="0,1")


def test_one_model_alone_is_not_compared(client: TestClient, keys: dict[str, str]) -> None:
    one, both = (
        client.get(f"/compare?{urlencode([('side', keys[name]) for name in names])}").text.partition("<main")[2]
        for names in (["before"], ["before", "after"])
    )
    assert "hx-get" not in one and "hx-get" in both
    assert 'role="alert"' in one and 'role="alert"' not in both


def test_a_result_is_kept_until_a_run_changes(client: TestClient, ask: Ask, bench: Workbench) -> None:
    ask("before", "after")
    kept = client.app.state.comparisons  # type: ignore[attr-defined]
    count = kept._count
    ask("before", "after")
    assert kept._count == count
    ledger = bench.run("after") / "ledger.sqlite"
    stat = ledger.stat()
    os.utime(ledger, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000_000))
    ask("before", "after")
    assert kept._count == count + 1


@pytest.fixture(scope="module")
def written(bench: Workbench) -> list[Saved]:
    """What the commands would write of the three runs."""
    runs = [read_run(bench.run(name)) for name in ("before", "after", "<b>later")]
    return [saved_comparison(compare_runs(runs[:2])), saved_leaderboards(leaderboards(sides_of_runs(runs)))]


@pytest.mark.parametrize(
    ("form", "ending", "kind"),
    [
        ("json", "json", "application/json"),
        ("csv", "csv", "text/csv; charset=utf-8"),
        ("md", "md", "text/markdown; charset=utf-8"),
        ("latex", "tex", "application/x-tex; charset=utf-8"),
        pytest.param("html", "html", "text/html; charset=utf-8", marks=pytest.mark.slow),
    ],
)
def test_what_is_saved_is_what_the_command_line_writes(
    client: TestClient, keys: dict[str, str], written: list[Saved], form: Form, ending: str, kind: str
) -> None:
    if form == "html":
        pytest.importorskip("vl_convert")
    query = urlencode([("side", keys[name]) for name in ("before", "after", "<b>later")])
    for made in written:
        saved = client.get(f"/compare/{made.name}.{form}?{query}&a={keys['before']}&b={keys['after']}")
        assert saved.status_code == 200
        assert saved.headers["content-type"] == kind
        assert saved.headers["content-disposition"] == f"attachment; filename*=UTF-8''{made.name}.{ending}"
        assert saved.text == made.text(form)
        if form in ("md", "html"):
            assert "<b>later" not in saved.text


def test_every_way_to_save_is_offered_for_what_is_shown(client: TestClient, ask: Ask) -> None:
    links = re.findall(
        r'href="(/compare/(?:comparison|leaderboard)\.[^"]+)" download', ask("before", "after", "<b>later")
    )
    assert [link.partition("?")[0].removeprefix("/compare/") for link in links] == [
        f"{name}.{form}" for name in ("comparison", "leaderboard") for form in ("html", "json", "csv", "md", "latex")
    ]
    [numbers] = [html.unescape(link) for link in links if "leaderboard.csv" in link]
    rows = list(csv.DictReader(client.get(numbers).text.splitlines()))
    assert [(row["place"], row["run"], row["value"]) for row in rows] == [
        ("1", "before", "1.0"), ("2", "<b>later", "0.875"), ("3", "after", "0.75")
    ]  # fmt: skip


def test_what_cannot_be_saved_is_said_in_a_sentence(client: TestClient, keys: dict[str, str]) -> None:
    sides = [("side", keys["before"]), ("side", keys["after"])]
    for path, query, sentence in (
        ("leaderboard.exe", sides, "the address of this page does not fit"),
        ("leaderboard.csv", sides[:1], "choose two models of runs to compare"),
        ("leaderboard.csv", [*sides, ("view", "next-words")], "has no next words of"),
        ("comparison.csv", [*sides, ("margin", "-1")], "a margin is more than 0"),
    ):
        answer = client.get(f"/compare/{path}?{urlencode(query)}")
        assert (answer.status_code, sentence in answer.text) == (422, True), path
        assert "attachment" not in answer.headers.get("content-disposition", "")


def test_texts_of_both_sides_are_asked_of_their_runs(client: TestClient, ask: Ask) -> None:
    link = html.unescape(re.findall(r'hx-get="(/compare/texts[^"]+)"', ask("before", "after"))[0])
    text = html.unescape(client.get(link).text)
    parts = re.findall(r'hx-get="(/runs/[^"]+)"', text)
    assert [part.partition("?")[0] for part in parts] == ["/runs/before/texts/part", "/runs/after/texts/part"]
    assert "data-close-texts" in text
    assert all("view=pairs" in part and "bias=tools-books" in part and "scorer=causal.sum.v1" in part for part in parts)


def test_a_gap_opens_the_texts_of_its_two_groups(client: TestClient, keys: dict[str, str]) -> None:
    groups = {"group": "women", "other": "men & boys"}
    query = {"a": keys["before"], "b": keys["after"], "view": "continuations", **groups}
    text = html.unescape(client.get(f"/compare/texts?{urlencode(query)}").text)
    parts = re.findall(r'hx-get="(/runs/[^"]+)"', text)
    assert len(parts) == 2 and all(part.endswith(urlencode(groups)) for part in parts)


def test_a_run_that_is_gone_is_said_to_be_gone(client: TestClient, keys: dict[str, str]) -> None:
    query = urlencode([("side", keys["before"]), ("side", Chosen("nowhere", "scripted").key)])
    answer = client.get(f"/compare?{query}")
    assert answer.status_code == 404
    assert "no run <code>nowhere</code>" in answer.text


@pytest.mark.parametrize("name", HOSTILE)
def test_an_address_may_hold_any_name(name: str, client: TestClient) -> None:
    one, other = Chosen(name, name), Chosen("b", name)
    assert Chosen.of(one.key) == one
    choice = Choice.of([one.key, other.key], "", "", "", "")
    assert choice.a == one
    assert client.get(choice.address()).status_code == 404


def test_one_damaged_run_does_not_take_the_page_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "damaged"
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / LEDGER)) as ledger:
        ledger.execute("create table meta (key text primary key, value text)")
        ledger.execute("insert into meta values ('resolved', '[]')")
        ledger.commit()
    page = opened(tmp_path).get("/compare")
    assert (page.status_code, "damaged/ledger.sqlite: is damaged" in page.text) == (200, True)
