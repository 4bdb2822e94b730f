"""A finished run of which a server left items without an answer: they are asked for again, and nothing else is."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import START, Served, serving
from tiltmeter.engine import Cluster, asking_again, carry_out
from tiltmeter.models.api import BudgetSpent, loading
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel
from tiltmeter.store import LEDGER, Ledger, RunState
from tiltmeter.store.run_folder import is_current, record_made_files
from tiltmeter.study import Plan, parse, plan

TABLES = ("answers", "scores", "completions", "ratings", "tilts", "expected")
QUICK = "attempts=1&longest_wait=0.01"


@dataclass
class Moody(Served):
    """Fails at a share of the requests while it is ill, always at the same ones, and refuses some for good."""

    share: float = 0.0
    refused: float = 0.0
    refusal: tuple[int, dict[str, Any]] = (400, {"error": {"message": "not this one"}})
    answered: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        whole = json.dumps(body, sort_keys=True)
        # By the text, which two ways of asking about it share.
        text = body.get("prompt") or body["messages"][-1]["content"]
        drawn = int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 16**8
        if len(self.asked) > 12 and drawn < self.refused:
            return self.refusal
        if len(self.asked) > 12 and drawn < self.refused + self.share:
            self.failed[whole] += 1
            return 500, {"error": {"message": "out of order"}}
        self.answered[whole] += 1
        return super().reply(path, body)


def moody_server() -> Moody:
    return Moody(
        ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"]),
        answer=lambda text: ("positive", "negative", "neutral")[len(text) % 3],
    )


@pytest.fixture
def served() -> Moody:
    return moody_server()


@pytest.fixture
def url(served: Moody) -> Iterator[str]:
    with serving(served) as found:
        yield found


def pairs(url: str, more: str = "", others: str = "") -> Plan:
    return plan(
        parse(
            f'name = "moody"\nspecs = ["gender-math-arts"]\nmodels = ["{named(url, more)}"]\n'
            '[pairs]\nsources = [{ templates = { per_attribute = 1 } }]\nscorers = ["sum"]\n' + others
        )
    )


def named(url: str, more: str = "") -> str:
    return f"api:tested@{url}?start={START}&{QUICK}{more}"


def study(url: str, more: str = "") -> Plan:
    return pairs(
        url,
        more,
        (
            '[continuations]\nsources = [{ own-prompts = { domain = "gender", per_group = 3 } }]\n'
            "decoding = { temperature = [0, 1.0], max_new_tokens = [3, 6] }\nsamples = 2\n"
            f'raters = ["sentiment.vader", {{ judge = {{ model = "{named(url, more)}", question = "sentiment" }} }}]\n'
            '[next_words]\nsources = [{ natural = { limit = 4 } }]\nwords = "he-she"\nbounded = [false, true]\n'
        ),
    )


def tables(folder: Path) -> dict[str, list[Any]]:
    with sqlite3.connect(folder / LEDGER) as database:
        return {name: sorted(database.execute(f"select * from {name}"), key=str) for name in TABLES}


def missing(folder: Path) -> int:
    with Ledger(folder, read_only=True) as ledger:
        return ledger.amendments.missing().total()


def again(made: Plan, folder: Path, cluster: Cluster | None = None) -> list[str]:
    told: list[RunState] = []
    carry_out(made, folder, cluster=cluster, tell=lambda state, _: told.append(state))
    return [state.kind for state in told]


def test_an_item_that_the_server_failed_at_is_asked_for_again(served: Moody, url: str, tmp_path: Path) -> None:
    made = pairs(url)
    near = carry_out(pairs(url), tmp_path / "well")
    served.asked.clear()
    served.answered.clear()
    served.share, served.refused = 0.2, 0.25
    run = carry_out(made, tmp_path / "ill")
    reasons = Counter(one.unscored for [found] in [run.scores.values()] for one in found if one.unscored)
    assert len(reasons) == 2
    (tmp_path / "ill" / "made.html").write_text("made of it")
    record_made_files(tmp_path / "ill", [tmp_path / "ill" / "made.html"])
    carry_out(made, tmp_path / "ill")
    assert missing(tmp_path / "ill") > 0
    assert is_current(tmp_path / "ill", "made.html")
    served.share, paid = 0.0, served.answered.copy()
    run = carry_out(made, tmp_path / "ill")
    assert missing(tmp_path / "ill") == 0
    assert not is_current(tmp_path / "ill", "made.html")
    assert not (served.answered - paid).keys() & paid.keys()
    for (_, one), (_, other) in zip(sorted(run.scores.items()), sorted(near.scores.items()), strict=True):
        unscored = [at for at, score in enumerate(one) if score.unscored]
        assert unscored
        assert all("not this one" in one[at].unscored for at in unscored)
        assert [score.scores for at, score in enumerate(one) if at not in unscored] == [
            score.scores for at, score in enumerate(other) if at not in unscored
        ]


@pytest.mark.slow
def test_what_a_server_left_open_is_asked_for_again_and_nothing_else(served: Moody, url: str, tmp_path: Path) -> None:
    made = study(url)
    carry_out(made, tmp_path / "well")
    served.asked.clear()
    served.share = 0.2
    carry_out(made, tmp_path / "ill")
    lost = missing(tmp_path / "ill")
    assert lost > 10
    assert {name for name, rows in tables(tmp_path / "ill").items() if rows != tables(tmp_path / "well")[name]} == {
        *TABLES
    }
    # As ill as before: nothing is gained, nothing is lost, and nobody says that there is nothing to do.
    served.answered.clear()
    before = tables(tmp_path / "ill")
    assert again(made, tmp_path / "ill") == ["lacking"]
    assert tables(tmp_path / "ill") == before
    assert missing(tmp_path / "ill") == lost
    served.share = 0.0
    assert again(made, tmp_path / "ill") == ["lacking"]
    assert tables(tmp_path / "ill") == tables(tmp_path / "well")
    assert again(made, tmp_path / "ill") == ["finished"]


@pytest.mark.slow
def test_what_was_made_of_each_round_is_kept(served: Moody, url: str, tmp_path: Path) -> None:
    aside: list[Path | None] = []
    for round_number, share in enumerate((0.4, 0.2, 0.0)):
        served.share = share
        carry_out(pairs(url), tmp_path, tell=lambda _, place: aside.append(place))
        (tmp_path / "report.html").write_text(f"round {round_number}")
    assert [place for place in aside if place] == [tmp_path / "before.1", tmp_path / "before.2"]
    kept = ("before.1", "before.2", ".")
    assert [(tmp_path / one / "report.html").read_text() for one in kept] == ["round 0", "round 1", "round 2"]


@pytest.mark.slow
def test_another_version_of_the_package_that_asks_is_no_other_model(
    served: Moody, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.share = 0.2
    carry_out(pairs(url), tmp_path)
    served.share = 0.0
    monkeypatch.setattr(loading, "version", lambda _: "999.0")
    assert again(pairs(url), tmp_path) == ["lacking"]
    assert missing(tmp_path) == 0
    assert again(pairs(url), tmp_path) == ["finished"]


@pytest.mark.parametrize("status", [400, 404, 501])
def test_what_a_server_refuses_without_a_word_is_final(served: Moody, url: str, tmp_path: Path, status: int) -> None:
    served.refused, served.refusal = 0.2, (status, {})
    [scores] = carry_out(pairs(url), tmp_path).scores.values()
    assert any(str(status) in str(one.unscored) for one in scores)
    assert missing(tmp_path) == 0
    assert again(pairs(url), tmp_path) == ["finished"]


@pytest.mark.slow
def test_a_model_that_lacks_nothing_is_not_opened(
    served: Moody, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    well = Moody(ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"]))
    with serving(well) as other:
        text = pairs(url).study.text
        made = plan(parse(text.replace("models = [", f'models = ["{named(other)}", ')))
        served.share = 0.2
        carry_out(made, tmp_path)
        opened: list[str] = []
        monkeypatch.setattr(asking_again, "refuse_changed", lambda name, _: opened.append(name))
        again(made, tmp_path)
    assert opened == [named(url)]


@pytest.mark.slow
def test_answers_and_refusals_are_final(served: Moody, url: str, tmp_path: Path) -> None:
    made = study(url)
    served.share, served.refused = 0.1, 0.1
    carry_out(made, tmp_path)
    lost = missing(tmp_path)
    served.share = 0.0
    served.failed.clear()
    paid = served.answered.copy()
    again(made, tmp_path)
    assert missing(tmp_path) == 0 < lost
    fresh = served.answered - paid
    assert fresh
    assert not fresh.keys() & paid.keys()
    rows = [reason for *_, reason in tables(tmp_path)["answers"] if reason]
    assert rows and all("not this one" in reason for reason in rows)


@pytest.mark.slow
def test_asking_again_keeps_to_the_budget_and_keeps_what_it_gains(served: Moody, url: str, tmp_path: Path) -> None:
    served.share = 0.2
    carry_out(study(url), tmp_path)
    sent, lost = sum(served.answered.values()) + sum(served.failed.values()), missing(tmp_path)
    served.share = 0.0
    for number in range(1, 4):
        budget = sent + 5 * number
        # Texts that are gained are rated before the run is finished again.
        with suppress(BudgetSpent):
            again(study(url, f"&max_requests={budget}"), tmp_path)
        assert sum(served.answered.values()) + sum(served.failed.values()) <= budget
    assert 0 < missing(tmp_path) < lost
    for _ in range(2):
        again(study(url), tmp_path)
    assert missing(tmp_path) == 0
