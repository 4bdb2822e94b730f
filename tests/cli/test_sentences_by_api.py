"""`tiltmeter sentences` with a server that answers as chat models do: no option but the model's name."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from typer.testing import CliRunner

from tests.cli.warm import begin_command
from tests.models.writing_server import FAILURES, PROSE, STYLES, Author, author_serving
from tests.shared import ROOT, own_cache
from tiltmeter.cli import app
from tiltmeter.errors import ModelError, TiltmeterError
from tiltmeter.models.api import accounts
from tiltmeter.sources.generated.checks import DECLINED, UNANSWERED
from tiltmeter.sources.generated.matching import contains
from tiltmeter.sources.generated.model_settings import TRIAL

SPEC = """
name = "desks"
title = "Who sits where"
templates = ["[T] [A]."]
[groups.clerks]
terms = ["the clerk from Ghent", "Ms. O'Neill", "our old archivist"]
[groups.guards]
terms = ["the guard from Ghent", "Ms. O'Hara", "our old porter"]
[attributes.calm]
terms = ["keeps the keys", "whistles at work"]
stereotype_of = "guards"
[attributes.neat]
terms = ["answers letters", "sorts the mail"]
stereotype_of = "clerks"
"""
STRANGERS = ROOT.parent / "shared" / "strangers"
MARKS = re.compile(r"<\|?\w|\[/?INST|\|>|###|Continue the following text|Keywords:")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", own_cache(tmp_path / "cache"))
    monkeypatch.setenv("TILTMETER_API_LONGEST_WAIT", "0.1")
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "desks.toml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def ask(author: Author, spec: Path, out: Path, *more: str, before: str = "api:") -> Any:
    """What the command answers; the audit is not what is tried here."""
    with author_serving(author) as url:
        command = [
            "sentences",
            "write",
            str(spec),
            "--by",
            f"{before}gpt-x@{url}",
            "--out",
            str(out),
            "--no-judge",
            *more,
        ]
        return CliRunner().invoke(app, command)


def account(done: Any, name: str) -> dict[str, Any]:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["specs"][name]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def check_requests(author: Author, lost: int = 0) -> None:
    """Every request is plain text that a person would send, and none whose answer arrived came again."""
    for text in author.texts():
        assert text.isprintable() or all(sign == "\n" or sign.isprintable() for sign in text)
        assert not MARKS.search(text), text
    assert author.answered.total() - len(author.answered) == lost


def check_written(found: list[dict[str, str]]) -> None:
    for row in found:
        assert contains(row["text"], row["term"]), row
        assert contains(row["text"], row["attribute"]), row
        assert row["text"][0].isupper(), row
        assert row["text"][-1] == ".", row
        assert not re.search(r"[*`\d]|sentences|Sure|Let me", row["text"]), row
        assert row["strategy"] == "rejection, chat"


@pytest.mark.slow
@pytest.mark.parametrize("before", ["api:", "chat:api:"])
def test_no_option_is_needed_and_every_reason_is_counted(before: str, spec: Path, tmp_path: Path) -> None:
    author = Author(styles=STYLES + FAILURES, faults=0.3)
    out, dropped = tmp_path / "s.csv", tmp_path / "d.csv"
    done = ask(author, spec, out, "--settings", "sets=6", "--json", "--dropped", str(dropped), before=before)
    found = account(done, "desks")
    check_requests(author)
    check_written(rows(out))
    lists = sum(author.used[style] for style in STYLES if style != "fewer")
    reasons = Counter(dict(found["dropped"]))
    assert found["requests"] == author.used.total()
    assert (
        found["decoded"]
        == found["attempts"]
        == 5 * (lists + author.used["missing"])
        + author.used["fewer"]
        + (author.used["refusal"] + author.used["declined"] + author.used["empty"])
    )
    assert reasons["lacks the attribute"] == 5 * author.used["missing"] > 0
    assert reasons[DECLINED] == author.used["refusal"] + author.used["declined"] > 0
    assert reasons["nothing was written"] == author.used["empty"] > 0
    assert found["with_both_terms"] == 5 * lists + author.used["fewer"]
    assert found["kept"] == len(rows(out)) == found["decoded"] - reasons.total()
    assert len(rows(dropped)) == reasons.total()
    assert PROSE in {row["text"] for row in rows(dropped)}
    said = json.loads(done.stdout)
    assert said["asked"]["strategy"] == "rejection"
    assert said["asked"]["chat"] is True
    assert said["ranked_by"] is None
    assert "log-probabilities" in said["not_ranked"]
    [spent] = said["api"].values()
    assert spent["answered"] == author.answered.total()
    assert spent["requests"] == len(author.log)


@pytest.mark.parametrize("name", ["class-education", "names-caste", "religion-violence", "age-technology"])
def test_specs_of_strangers_get_sentences_for_every_attribute_and_group(name: str, tmp_path: Path) -> None:
    if not STRANGERS.is_dir():
        pytest.skip("the specs of strangers are not here")
    author = Author(faults=0.1)
    done = ask(author, STRANGERS / f"{name}.toml", tmp_path / "s.csv", "--json")
    found = account(done, name)
    check_requests(author)
    check_written(rows(tmp_path / "s.csv"))
    assert found["controllability"] == 1
    assert found["missing"] == []
    assert found["short"] == []


def test_a_server_that_takes_little_is_asked_in_the_form_that_it_takes(spec: Path, tmp_path: Path) -> None:
    author = Author(refused=frozenset({"max_tokens", "top_p", "top_k", "stop", "seed"}), temperature=1.0)
    found = account(ask(author, spec, tmp_path / "s.csv", "--json"), "desks")
    check_requests(author)
    assert found["missing"] == []
    asked = [body for path, body in author.log if path.endswith("/chat/completions") and "Write" in json.dumps(body)]
    assert len(asked) == found["requests"]
    assert {tuple(sorted(body)) for body in asked} == {("max_completion_tokens", "messages", "model", "temperature")}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--settings", "temperature=0.5"), "temperature"),
        (("--settings", "top_k=20"), "takes no `top_k`"),
        (("--settings", "strategy=constrained"), "cannot be made to use certain words"),
    ],
)
def test_what_was_asked_for_and_cannot_be_set_is_refused_before_any_request(
    options: tuple[str, ...], reason: str, spec: Path, tmp_path: Path
) -> None:
    author = Author(temperature=1.0)
    done = ask(author, spec, tmp_path / "s.csv", *options)
    assert isinstance(done.exception, ModelError)
    assert reason in str(done.exception)
    assert not author.used
    assert not (tmp_path / "s.csv").exists()


def test_a_server_of_texts_alone_is_shown_examples(spec: Path, tmp_path: Path) -> None:
    author = Author(chat=False, completions=True)
    done = ask(author, spec, tmp_path / "s.csv", "--json")
    found = account(done, "desks")
    asked = [body for _, body in author.log if "Keywords" in body.get("prompt", "")]
    assert len(asked) == 5 * found["requests"]
    assert (
        json.loads(done.stdout)["asked"] | {"strategy": "rejection", "chat": False} == json.loads(done.stdout)["asked"]
    )
    assert {row["strategy"] for row in rows(tmp_path / "s.csv")} == {"rejection"}
    assert max(author.answered.values()) == 1


def test_a_server_of_both_is_asked_by_chat_unless_told_otherwise(spec: Path, tmp_path: Path) -> None:
    by_chat, by_text = Author(completions=True), Author(completions=True)
    account(ask(by_chat, spec, tmp_path / "a.csv", "--json"), "desks")
    assert by_chat.used.total() > 0
    account(ask(by_text, spec, tmp_path / "b.csv", "--json", "--settings", "chat=false"), "desks")
    assert by_text.used.total() == 0


def test_a_generator_that_only_declines_is_said_to(spec: Path, tmp_path: Path) -> None:
    author = Author(styles=("refusal", "declined"))
    done = ask(author, spec, tmp_path / "s.csv", "--json")
    assert isinstance(done.exception, TiltmeterError)
    assert DECLINED in str(done.exception)
    assert not (tmp_path / "s.csv").exists()
    found = json.loads(done.stdout)["specs"]["desks"]
    assert found["requests"] == found["decoded"] == author.used.total() == 4 * 6
    assert {(one["kind"], one["name"]) for one in found["missing"]} >= {
        ("group", "clerks"),
        ("attribute", "sorts the mail"),
    }
    for words in ("clerks", "sorts the mail", DECLINED):
        assert words in done.stderr


def test_a_reader_that_cannot_rank_is_refused_before_any_request(spec: Path, tmp_path: Path) -> None:
    author = Author()
    with author_serving(author) as url:
        name = f"api:gpt-x@{url}"
        done = CliRunner().invoke(
            app,
            ["sentences", "write", str(spec), "--by", "scripted", "--reader", name, "--out", str(tmp_path / "s.csv")],
        )
    assert isinstance(done.exception, ModelError)
    assert "cannot rank" in str(done.exception)
    assert not author.used


def test_requests_that_stay_without_an_answer_are_counted_and_do_not_end_the_work(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTMETER_API_ATTEMPTS", "1")
    author = Author()
    answer = author.reply

    def fail_some(path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if "O'Hara" in json.dumps(body) and "Write" in json.dumps(body):
            author.log.append((path, body))
            return 500, {"error": {"message": "no"}}
        return answer(path, body)

    monkeypatch.setattr(author, "reply", fail_some)
    found = account(ask(author, spec, tmp_path / "s.csv", "--settings", "sets=3", "--json"), "desks")
    lost = dict(found["dropped"])[UNANSWERED]
    assert lost == found["requests"] - author.used.total() > 0
    assert found["controllability"] == 1


@pytest.mark.slow
def test_killed_outright_it_asks_nothing_twice_and_ends_with_the_same_file(spec: Path, tmp_path: Path) -> None:
    author = Author(styles=STYLES + FAILURES, faults=0.2, pause=0.03)
    with author_serving(author) as url:
        more = ["--settings", "sets=5", "--no-judge"]
        name = f"api:gpt-x@{url}?concurrency=3"
        out = tmp_path / "s.csv"
        command = ["sentences", "write", str(spec), "--by", name, *more, "--out"]
        kills = 0
        for enough in range(12, 400, 12):
            process = begin_command([*command, str(out)], tmp_path, os.environ, tmp_path)
            while process.is_alive() and author.answered.total() < enough:
                time.sleep(0.005)
            process.kill()
            process.join()
            if process.exitcode == 0:
                break
            assert process.exitcode == -signal.SIGKILL, (tmp_path / "err").read_text(encoding="utf-8")
            kills += 1
            assert not out.exists()
        assert kills > 3
        asked = author.answered.total()
        [spent] = accounts(tmp_path / "cache" / "api").values()
        # Answers that were on their way at a kill never arrived.
        assert asked - spent.answered <= 3 * kills
        check_requests(author, lost=asked - spent.answered)
        # The same from the answers alone, in one go: not one more request.
        found = CliRunner().invoke(app, [*command, str(tmp_path / "whole.csv")])
        assert found.exit_code == 0, found.output
    assert author.answered.total() == asked
    assert (tmp_path / "whole.csv").read_bytes() == out.read_bytes()
    assert sum(TRIAL in text for text in author.texts()) <= 2, "seen once, and remembered"
