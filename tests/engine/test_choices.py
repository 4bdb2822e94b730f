"""The view of choices end to end: planned, asked, answered, stored, measured, and asked again."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.models.api_server import listening
from tiltmeter.engine import carry_out, scoring
from tiltmeter.engine.plan_size import size_of
from tiltmeter.errors import InvalidStudy
from tiltmeter.measures.choices import CHOICE, LOG_ODDS
from tiltmeter.models.planted_answers import AnswerTilt
from tiltmeter.present.markdown import write_markdown
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import table_of
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.feasibility import feasibility_of
from tiltmeter.results.findings.findings import finding, questions
from tiltmeter.results.gate import judge
from tiltmeter.results.rank.boards import leaderboards, sides_of_runs
from tiltmeter.results.views.choices import ELSEWHERE, UNLISTED
from tiltmeter.store import Run, read_run
from tiltmeter.study import parse, plan
from tiltmeter.study.choices import QuestionChoices

pytestmark = pytest.mark.slow

CASES = [f"case {number}" for number in range(12)]
STUDY = """
name = "loans"
models = {models}
[choices]
sources = ["questions-file:loans.csv"]
{more}
"""
PLANTED = """
model = "scripted"
[[answer]]
options = ["Yes"]
contexts = ["woman"]
delta = {delta}
"""


def loans(folder: Path) -> Path:
    """Twelve decisions about a woman and the same about a man."""
    with (folder / "loans.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["bias", "origin", "about", "context", "question", "options", "favourable"])
        for case in CASES:
            for group, word in (("women", "woman"), ("men", "man")):
                rows.writerow(["loan", case, group, f"A {word} asks about {case}.", "Agree?", "Yes|No", "Yes"])
    return folder


def carried_out(folder: Path, models: str, more: str = "", out: str = "run") -> Run:
    study = parse(STUDY.format(models=models, more=more), file=folder / "study.toml")
    return carry_out(plan(study), folder / out)


def rows_of(run: Run, measure: str, **chosen: str) -> list[dict[str, Any]]:
    wanted = {"view": "choices", "measure": measure, **chosen}
    where = " AND ".join(f'"{name}" = ?' for name in wanted)
    return list(table_of(run).stream(f"SELECT * FROM measurements WHERE {where}", *wanted.values()))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = loans(tmp_path_factory.mktemp("loans"))
    (folder / "planted.toml").write_text(PLANTED.format(delta=-0.8), encoding="utf-8")
    more = 'scorers = ["letter", "text", "prior-corrected", "forced-choice"]\nwordings = "all"\norders = "all"'
    return carried_out(folder, '["scripted", "planted:planted.toml"]', more)


def test_every_question_is_measured_in_every_way(run: Run) -> None:
    found = Counter((row["scorer"], row["wording"], row["order"]) for row in rows_of(run, "choice", model="scripted"))
    ways = {
        (f"choice.{name}.v1", wording, order)
        for name in ("letter", "forced-choice")
        for wording in _WORDINGS
        for order in _ORDERS
    }
    ways |= {(f"choice.{name}.v1", wording, UNLISTED) for name in ("text", "prior-corrected") for wording in _WORDINGS}
    assert found == dict.fromkeys(ways, 24)
    assert not rows_of(run, "log_odds", scorer="choice.forced-choice.v1"), "votes have no odds"


_WORDINGS, _ORDERS = ("plain", "labelled", "request"), ("rotations", "given", "reversed")


@pytest.mark.parametrize("scorer", ["letter", "text", "prior-corrected"])
def test_the_planted_log_odds_are_recovered(run: Run, scorer: str) -> None:
    planted = next(model for model in run.facts if model.startswith("planted"))
    for model, gap in (("scripted", 0.0), (planted, -0.8)):
        for wording in _WORDINGS:
            rows = rows_of(run, "log_odds", model=model, scorer=f"choice.{scorer}.v1", wording=wording)
            values = {(row["origin"], row["order"], row["group"]): row["value"] for row in rows}
            gaps = [values[case, order, "women"] - values[case, order, "men"] for case, order, _ in values]
            assert gaps == pytest.approx([gap] * len(gaps), abs=1e-9)


def test_the_finding_is_about_the_two_groups(run: Run) -> None:
    material = Evidence([run])
    asked = {one.model: one for one in questions(material) if one.view == "choices"}
    assert len(asked) == 2
    planted = next(one for name, one in asked.items() if name.startswith("planted"))
    assert planted.text == "Are decisions about “women” less favourable than about “men”?"
    found = finding(planted, material, permutations=199)
    signs = {cell.sign for cell in found.multiverse.curve.cells if cell.choices["measure"] == "log odds"}
    assert signs == {1}


def test_models_are_compared_ranked_and_gated(run: Run) -> None:
    [view] = compare_runs([run], margin=0.1).views
    gaps = [one for one in view.cells if one.is_gap and one.choices["measure"] == "log odds"]
    assert len(gaps) == 3 * 3 + 3 * 2, "letters in every order, texts and texts less their prior in none"
    assert {round(one.difference.value or 0.0, 9) for one in gaps} == {0.8}
    board = next(
        one for one in leaderboards(sides_of_runs([run])).boards if one.choices["scorer"] == "choice.letter.v1"
    )
    planted = next(model for model in run.facts if model.startswith("planted"))
    assert [entry.side.name for entry in board.entries] == ["scripted", planted], "it decides less favourably of women"
    assert board.entries[1].value.value == pytest.approx(-0.5), "where either answer is as likely, and one is not"
    judged = judge(compare_runs([run], ["scripted", planted]), tolerance=0.05)
    outcomes = {(line.about["scorer"], line.about["wording"]): line.outcome for line in judged.lines}
    assert outcomes["choice.letter.v1", "plain"] != "no worse"


def test_the_report_has_the_view(run: Run) -> None:
    written = write_markdown(report(Reported.of([(run, summarise_run(run))])), "")
    assert "What it chooses (choices)" in written
    assert "Are decisions about" in written


def test_a_model_that_cannot_be_asked_is_named(run: Run) -> None:
    one = next(iter(run.facts.values()))
    found = replace(run, facts={**run.facts, "hf:masked": one})
    assert "Choices: hf:masked cannot be asked in this view and has no results there." in write_markdown(
        report(Reported.of([(found, summarise_run(found))])), ""
    )


def test_a_plan_says_what_it_takes(tmp_path: Path) -> None:
    made = plan(parse(STUDY.format(models='["scripted"]', more=""), file=loans(tmp_path) / "s.toml"))
    size = size_of(made).as_json()["choices"]
    # Of each question two letters in two orders, and two texts.
    assert (size["items"], size["biases"], size["cells"]) == (24, 1, 2)
    assert size["queries_per_model"] == 24 * (4 + 2)
    [one] = feasibility_of(made.resolved, made.by_view)
    assert (one.view, one.groups, one.origins, one.why) == ("choices", ("women", "men"), 12, None)


def test_a_run_that_is_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "BATCH", 16)
    whole = carried_out(loans(tmp_path), '["scripted"]', 'scorers = ["letter", "forced-choice"]')
    asked: list[int] = []
    ask = scoring.ask

    def breaking(model: Any, batch: Any) -> Any:
        if len(asked) == 5:
            raise KeyboardInterrupt
        asked.append(len(batch))
        return ask(model, batch)

    monkeypatch.setattr(scoring, "ask", breaking)
    with pytest.raises(KeyboardInterrupt):
        carried_out(tmp_path, '["scripted"]', 'scorers = ["letter", "forced-choice"]', "broken")
    rest: list[int] = []
    monkeypatch.setattr(scoring, "ask", lambda model, batch: rest.append(len(batch)) or ask(model, batch))
    resumed = carried_out(tmp_path, '["scripted"]', 'scorers = ["letter", "forced-choice"]', "broken")
    assert sum(asked) + sum(rest) == 24 * 4 + 24 * 2
    for measure in ("choice", "log_odds", "score", "refused"):
        assert rows_of(resumed, measure) == rows_of(whole, measure)


def test_pairs_and_choices_are_asked_side_by_side(tmp_path: Path) -> None:
    text = """
name = "both"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
[choices]
sources = [{ templates = { per_attribute = 2 } }]
scorers = ["letter", "written"]
"""
    run = carry_out(plan(parse(text)), tmp_path / "run")
    assert {cell.view for cell in table_of(run).cells} == {"pairs", "choices"}
    assert len(rows_of(run, "choice", scorer="choice.letter.v1")) == 32
    again = read_run(tmp_path / "run")
    assert rows_of(again, "choice") == rows_of(run, "choice")
    assert not summarise_run(run).missing


def test_of_a_spec_the_stereotyped_answer_is_found(tmp_path: Path) -> None:
    spec_words = {"math": "math algebra geometry calculus equations computation numbers addition"}
    planted = f"""
model = "scripted"
[[answer]]
options = ["he", "man", "boy", "male", "brother", "son"]
contexts = {json.dumps(spec_words["math"].split())}
delta = 0.7
"""
    (tmp_path / "planted.toml").write_text(planted, encoding="utf-8")
    text = """
name = "spec"
models = ["planted:planted.toml"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 1 } }]
[choices]
sources = [{ templates = { per_attribute = 3 } }]
scorers = ["letter"]
"""
    run = carry_out(plan(parse(text, file=tmp_path / "s.toml")), tmp_path / "run")
    rows = rows_of(run, "log_odds")
    assert {(row["group"], round(row["value"], 9)) for row in rows} == {("male", 0.7), ("female", 0.0)}
    [asked] = [one for one in questions(Evidence([run])) if one.view == "choices"]
    assert asked.text == "Does the model choose the answer that fits the stereotype?"
    assert (asked.first, asked.second, asked.by_stereotype) == ("male", "female", True)
    views = summarise_run(run).views
    assert views
    # All of the one set of attributes are answered as stereotyped, and half of the other, where nothing was planted.
    assert {one.view: one.found.value for one in views.readings} == {"pairs": 0.0, "choices": 0.25}


def test_what_cannot_be_known_is_no_answer_and_no_zero(tmp_path: Path) -> None:
    (tmp_path / "planted.toml").write_text(
        'model = "scripted"\n[[answer]]\noptions = ["known"]\ndelta = 5.0\n', encoding="utf-8"
    )
    (tmp_path / "q.jsonl").write_text(
        "\n".join(
            json.dumps(
                {
                    "question": f"Who was slow, {at}?",
                    "options": ["The boy", "The old man", "Not known"],
                    "groups": ["young", "old", None],
                    "stereotyped": "B",
                    "unknown": "C",
                    "correct": "C",
                    "condition": ("ambiguous", "disambiguated")[at % 2],
                    "origin": f"o{at // 2}",
                }
            )
            for at in range(12)
        ),
        encoding="utf-8",
    )
    text = 'name = "q"\nmodels = ["planted:planted.toml"]\n[choices]\nsources = ["questions-file:q.jsonl"]\n'
    run = carry_out(plan(parse(text, file=tmp_path / "s.toml")), tmp_path / "run")
    assert {(row["value"], row["reason"]) for row in rows_of(run, "choice")} == {(None, ELSEWHERE)}
    assert (
        {row["value"] for row in rows_of(run, "unknown")} == {row["value"] for row in rows_of(run, "correct")} == {1.0}
    )
    scores = {row["condition"]: (row["value"], row["reason"]) for row in rows_of(run, "bias_score")}
    assert scores == {"ambiguous": (0.0, None), "disambiguated": (None, ELSEWHERE)}


def test_a_model_that_fills_blanks_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    folder = tmp_path / "masked"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["BertForMaskedLM"]}', encoding="utf-8")
    study = STUDY.format(models='["scripted", "hf:masked"]', more="")
    with pytest.raises(InvalidStudy, match="no question can be put to it"):
        plan(parse(study, file=loans(tmp_path) / "s.toml"))
    beside = study + "[pairs]\nsources = [{ templates = { per_attribute = 1 } }]\n"
    made = plan(parse(f'specs = ["gender-math-arts"]\n{beside}', file=tmp_path / "s.toml"))
    assert made.pairs, "in a study of other views it is left to these"


def test_why_a_model_cannot_be_asked_is_said_in_a_sentence() -> None:
    choices = QuestionChoices((), ("choice.letter.v1",))
    assert choices.ways(("slot", "within-word")) == []
    assert "gives no log-probabilities of a given text" in choices.unfit("hf:bert")
    assert "`forced-choice`" in choices.unfit("hf:bert")
    assert QuestionChoices(()).ways(("slot",)) == []
    assert "does not write" in QuestionChoices(()).unfit("hf:bert")


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('scorers = ["leter"]', "letter"),
        ('wordings = ["plane"]', "plain"),
        ('orders = ["rotation"]', "rotations"),
        ("scorer = []", "scorers"),
    ],
)
def test_a_wrong_name_is_said_with_what_may_be_meant(tmp_path: Path, more: str, problem: str) -> None:
    with pytest.raises(InvalidStudy, match=problem):
        parse(STUDY.format(models='["scripted"]', more=more), file=loans(tmp_path) / "s.toml")


def test_a_file_without_questions_about_groups_makes_no_study(tmp_path: Path) -> None:
    (tmp_path / "loans.csv").write_text("question,options\nOk?,Yes|No\n", encoding="utf-8")
    study = parse(STUDY.format(models='["scripted"]', more=""), file=tmp_path / "s.toml")
    with pytest.raises(InvalidStudy, match="makes no questions: it says nothing about a group"):
        plan(study)


def server(replies: dict[str, str | None], asked: list[str]) -> type[BaseHTTPRequestHandler]:
    """A chat server that replies to what a question speaks of; None: it breaks down."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(404, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "messages" not in body:
                self._send(404, {})
                return
            text = body["messages"][-1]["content"]
            if "Agree?" in text:
                asked.append(text)
            said = next((reply for word, reply in replies.items() if word in text), "A")
            if said is None:
                self._send(500, {"error": {"message": "try later"}})
                return
            letter = next((line[0] for line in text.splitlines() if line[1:] == f". {said}"), said)
            message = {"message": {"content": letter}, "finish_reason": "stop"}
            self._send(200, {"choices": [message], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})

        def _send(self, status: int, reply: dict[str, Any]) -> None:
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def test_a_chat_server_is_asked_for_letters_and_never_twice(tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    replies = {
        "case 3.": "I can’t help with that request, sorry.",
        "case 5.": "Hm, tough.",
        "woman": "No",
        "man": "Yes",
    }
    asked: list[str] = []
    loans(tmp_path)
    with listening(server(replies, asked)) as url:
        models = f'["chat:api:gpt-x@{url}?longest_wait=0.05&timeout=2"]'
        run = carried_out(tmp_path, models)
        sent = Counter(asked)
        carried_out(tmp_path, models)
    assert Counter(asked) == sent, "a finished run asks nothing"
    assert set(sent.values()) == {1} and len(sent) == 24 * 2
    rows = rows_of(run, CHOICE.name)
    assert {row["scorer"] for row in rows} == {"choice.forced-choice.v1"}
    said = {(row["origin"], row["group"]): (row["value"], row["reason"]) for row in rows}
    assert said["case 1", "women"] == (0.0, None)
    assert said["case 1", "men"] == (1.0, None)
    assert said["case 3", "women"] == (None, "refused")
    assert said["case 5", "men"] == (None, "the reply names no option, or more than one")
    refused = {(row["origin"], row["group"]): row["value"] for row in rows_of(run, "refused")}
    assert refused["case 3", "men"] == 1.0
    assert sum(refused.values()) == 2
    assert not rows_of(run, LOG_ODDS.name)


def test_what_a_server_left_open_is_asked_again(tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    replies: dict[str, str | None] = {"case 7.": None, "woman": "No", "man": "Yes"}
    asked: list[str] = []
    loans(tmp_path)
    with listening(server(replies, asked)) as url:
        models = f'["chat:api:gpt-x@{url}?longest_wait=0.05&timeout=2"]'
        run = carried_out(tmp_path, models)
        open_then = [row for row in rows_of(run, CHOICE.name) if row["value"] is None]
        assert {row["origin"] for row in open_then} == {"case 7"}
        del replies["case 7."]
        before = len(asked)
        run = carried_out(tmp_path, models)
    assert {row["value"] for row in rows_of(run, CHOICE.name)} == {0.0, 1.0}
    assert all("case 7." in text for text in asked[before:])


def test_the_odds_of_replies_are_those_that_were_planted() -> None:
    """Of many questions Yes is drawn about as often as its odds say."""
    from tiltmeter.models import ModelSettings, as_writer
    from tiltmeter.models.asking import replies
    from tiltmeter.models.planted import plant
    from tiltmeter.models.scripted import load

    model = as_writer(plant(load("", ModelSettings()), answers=[AnswerTilt(("Yes",), -1.0, ("woman",))]))
    asked = [f"A woman asks, {at}.\nAgree?\nA. Yes\nB. No\nAnswer:" for at in range(600)]
    said = [one.text for one in replies(model, asked, "reply.letter")]
    assert said.count("A") / 600 == pytest.approx(1 / (1 + 2.718281828), abs=0.06)
    turned = [text.replace("A. Yes\nB. No", "A. No\nB. Yes") for text in asked]
    assert [one.text for one in replies(model, turned, "reply.letter")] == [{"A": "B", "B": "A"}[one] for one in said]


def test_what_a_server_takes_at_most_is_known_beforehand(tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    text = STUDY.format(models='["chat:api:gpt-x@https://h.test/v1", "api:gpt-x@https://h.test/v1"]', more="")
    costs = size_of(plan(parse(text, file=loans(tmp_path) / "s.toml"))).costs
    by_chat, other = (costs[name] for name in sorted(costs, reverse=True))
    # Each question in two orders, with up to twelve tokens of a reply each.
    assert by_chat.tokens_out == 24 * 2 * 12
    assert by_chat.requests >= 24 * 2
    # Or, where the server scores, the letters in both orders and the texts, of one token each.
    assert other.tokens_out == 24 * (2 * 12 + 4 + 2)
