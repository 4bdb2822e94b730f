"""Refusals that a server tells in its own way: counted as refused, by group, of all that was asked for."""

from __future__ import annotations

import csv
import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import listening
from tiltmeter.engine import carry_out
from tiltmeter.present.files import write_run
from tiltmeter.results import summarise_run
from tiltmeter.results.summary.text_records import ContinuationsSummary
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

QUICK = "longest_wait=0.05&timeout=2"
ANSWER: dict[str, Any] = {"message": {"content": " kind and patient."}, "finish_reason": "stop"}
EMPTY: dict[str, Any] = {"message": {"content": ""}, "finish_reason": "stop"}
WAYS: dict[str, dict[str, Any]] = {
    "refusal field": {"message": {"content": None, "refusal": "Not this one."}, "finish_reason": "stop"},
    "refusal field beside a text": {"message": {"content": " kind", "refusal": "No."}, "finish_reason": "stop"},
    "content filter": {"message": {"content": None}, "finish_reason": "content_filter"},
    "cut by the filter": {"message": {"content": " known for"}, "finish_reason": "content_filter"},
    "finish_reason refusal": {"message": {"content": ""}, "finish_reason": "refusal"},
    "stop_reason refusal": {"message": {"content": ""}, "finish_reason": "stop", "stop_reason": "refusal"},
    "a part that refuses": {
        "message": {"content": [{"type": "refusal", "refusal": "No."}]},
        "finish_reason": "stop",
    },
    "in words": {"message": {"content": "I can’t fulfill this request."}, "finish_reason": "stop"},
}
STUDY = """\
name = "refused"
models = ["chat:api:gpt-x@{url}?{quick}"]
[continuations]
sources = ["prompts-file:p.csv"]
decoding = {{ max_new_tokens = [8] }}
samples = 1
raters = ["sentiment.vader"]
"""


def handler(choices: dict[str, dict[str, Any]]) -> type[BaseHTTPRequestHandler]:
    """A server that answers a prompt as its last line says; a blank choice is a server that breaks down."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(404, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "messages" not in body:
                self._send(404, {})
                return
            asked = body["messages"][-1]["content"].strip().splitlines()[-1]
            choice = choices.get(asked, ANSWER)
            if choice:
                self._send(200, {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
            else:
                self._send(400, {"error": {"message": "the prompt is too long"}})

        def _send(self, status: int, reply: dict[str, Any]) -> None:
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def summary_of(rows: list[tuple[str, str, str, dict[str, Any]]], folder: Path) -> ContinuationsSummary:
    """What a run says whose prompts (text, group, origin) are answered so."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "p.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "group", "origin"), *(row[:3] for row in rows)])
    with listening(handler({text: choice for text, _, _, choice in rows})) as url:
        run = carry_out(plan(parse(STUDY.format(url=url, quick=QUICK), file=folder / "s.toml")), folder / "run")
    write_run(run, summarise_run(run))
    found = summarise_run(run).continuations
    assert found
    return found


@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_refusing_is_a_refusal_and_no_empty_text(way: str, tmp_path: Path) -> None:
    rows = [(f"The {who} {n} was", who, f"o{n}", ANSWER) for n in range(5) for who in ("woman", "man")]
    rows[0] = (*rows[0][:3], WAYS[way])
    found = summary_of(rows, tmp_path)
    [refusals] = found.refusals
    assert (refusals.groups["woman"].asked, refusals.groups["woman"].refused) == (5, 1)
    assert refusals.groups["woman"].missing == {} == refusals.groups["man"].missing
    [cell] = [cell for cell in found.cells if cell.rater == "sentiment.vader.v1"]
    assert cell.summary.groups["woman"].unrated == {"the model declined to answer": 1}
    assert cell.summary.groups["woman"].mean.n == 4


def test_the_share_is_of_all_that_was_asked_for_and_the_rest_is_counted_apart(tmp_path: Path) -> None:
    """Of 15 texts about women 5 are refused, 3 fail and 2 are empty; of 15 about men 2 are refused: 7 of 30."""
    ways = list(WAYS.values())
    rows = []
    for n in range(15):
        for who in ("woman", "man"):
            choice = ANSWER
            if who == "woman":
                choice = ways[n] if n < 5 else {} if n < 8 else EMPTY if n < 10 else ANSWER
            elif n < 2:
                choice = ways[n]
            rows.append((f"The {who} {n} was", who, f"o{n}", choice))
    found = summary_of(rows, tmp_path)
    [refusals] = found.refusals
    women, men = refusals.groups["woman"], refusals.groups["man"]
    assert (women.asked, women.refused, women.share.value) == (15, 5, pytest.approx(5 / 15))
    assert (men.asked, men.refused, men.share.value) == (15, 2, pytest.approx(2 / 15))
    assert sum(women.missing.values()) == 5 and men.missing == {}
    assert women.missing["the text is empty"] == 2
    assert women.bounds == (pytest.approx(5 / 15), pytest.approx(8 / 15)), "a text that failed might have been refused"
    [pair] = refusals.pairs
    assert (pair.a, pair.b) == ("woman", "man")
    assert pair.difference.value == pytest.approx(3 / 15)
    assert pair.difference.n == 30 and pair.difference.origins == 15
    assert pair.difference.low is not None and pair.difference.high is not None
    assert -1 <= pair.difference.low < 3 / 15 < pair.difference.high <= 1
    assert (women.refused + men.refused) / (women.asked + men.asked) == pytest.approx(7 / 30)
    written = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    [kept] = written["continuations"]["refusals"]
    assert kept["groups"]["woman"]["missing"] == women.missing
    assert kept["pairs"][0]["difference"]["value"] == pytest.approx(0.2)
