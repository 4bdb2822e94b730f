"""Models behind an API: the numbers are those of the model itself, whatever form the server gives them in."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.examples import NURSE
from tests.models.api_server import START, Served, serving
from tests.models.conftest import SENTENCES
from tiltmeter import models
from tiltmeter.engine import score_pairs
from tiltmeter.errors import ModelError, RunError, UserError
from tiltmeter.measures.pairs import preference
from tiltmeter.measures.scorers import find
from tiltmeter.measures.scorers.forced_choice import FORCED_CHOICE
from tiltmeter.models import ModelSettings, as_predictor, as_writer, check_name
from tiltmeter.models.api import ApiModel, BudgetSpent, Journal, MemoryJournal, Price, accounts, load
from tiltmeter.models.api.next_words import CANNOT_MASK, UNBOUNDED
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel
from tiltmeter.records import Decoding

TEXTS = ["She is a nurse.", "He is a nurse.", "An engineer, he said, is she."]


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


def scripted() -> ScriptedModel:
    return ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])


@pytest.fixture
def opened() -> Iterator[Any]:
    """Opens a model behind a server with certain abilities."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def open_model(settings: str = f"?start={START}", **abilities: Any) -> tuple[ApiModel, Served]:
            served = Served(abilities.pop("model", None) or scripted(), **abilities)
            url = stack.enter_context(serving(served))
            model = load(f"tested@{url}{settings}", journal=MemoryJournal())
            served.asked.clear()
            return model, served

        yield open_model


@pytest.mark.parametrize("form", ["classic", "content"])
def test_scores_are_those_of_the_model_itself(opened: Any, form: str) -> None:
    model, _ = opened(form=form)
    local = scripted()
    assert model.conditionings == ("left", "left-no-start", "forced-choice")
    for conditioning in ("left", "left-no-start"):
        for far, near in zip(
            model.score(TEXTS, conditioning=conditioning), local.score(TEXTS, conditioning=conditioning), strict=True
        ):
            assert far.spans == near.spans
            assert far.logprobs == pytest.approx(near.logprobs, abs=1e-9)


def test_a_server_that_adds_the_start_token_needs_none_of_ours(opened: Any) -> None:
    model, _ = opened("", adds_start=True)
    assert model.conditionings == ("left", "forced-choice")
    assert model.facts.start_token == START
    far, near = model.score(TEXTS), scripted().score(TEXTS)
    assert [one.logprobs for one in far] == [pytest.approx(one.logprobs) for one in near]
    with pytest.raises(ModelError, match="puts '<|start|>' before every text by itself"):
        model.score(TEXTS, conditioning="left-no-start")


def test_without_a_start_token_the_first_word_has_no_score_and_the_setting_is_named(opened: Any) -> None:
    model, _ = opened("")
    assert model.conditionings == ("left-no-start", "forced-choice")
    assert model.score(["She is"])[0].logprobs[0] is None
    with pytest.raises(ModelError, match=r"name the model's own, e\.g\. api:tested@\S+\?start="):
        model.score(TEXTS, conditioning="left")


@pytest.mark.parametrize("top", [1, 2, 20])
def test_next_words_are_those_of_the_model_itself(opened: Any, top: int) -> None:
    model, served = opened(most_top=top) if top > 5 else opened(f"?start={START}&top={top}")
    prompts, words = ["The nurse said that", "he", ""], ["he", "she", "engineer", "nurse she"]
    far = as_predictor(model).next_words(prompts, words)
    near = as_predictor(scripted()).next_words(prompts, words, capitalised=False)
    for one, other in zip(far[:2], near[:2], strict=True):
        assert [word.logprob for word in one.words] == pytest.approx([word.logprob for word in other.words], abs=1e-6)
        assert not [word.unscored for word in one.words if word.unscored]
    if top > 1:
        assert (far[0].highest, far[0].gap) == pytest.approx((near[0].highest, near[0].gap))
    # What the list of next tokens has is not asked for again.
    assert sum(body["prompt"].startswith(f"{START}The nurse said that") for body in served.asked) <= 5


def test_what_a_server_does_not_say_is_unscored_with_the_reason(opened: Any) -> None:
    listing, _ = opened(echo=False, form="content", most_top=3, settings=f"?start={START}&top=3")
    [found] = listing.next_words(["The nurse said that"], ["she", "he", "nurse she"])
    assert found.words[0].logprob == pytest.approx(
        scripted().next_words(["The nurse said that"], ["she"])[0].words[0].logprob
    )
    assert "not among the 3 most probable next tokens" in (found.words[2].unscored or "")
    silent, _ = opened(echo=False, form="")
    with pytest.raises(ModelError, match="cannot give the probability of next words: the server gives no log-prob"):
        silent.next_words(["The nurse said that"], ["she"])
    assert silent.conditionings == ("forced-choice",)
    with pytest.raises(ModelError, match="pairs use the scorer `forced-choice`"):
        silent.score(TEXTS, conditioning="left")
    model, _ = opened()
    assert model.next_words(["She"], ["is"], bounded=True)[0].words[0].unscored == UNBOUNDED
    assert model.next_words(["She"], ["is"], hidden=[[(0, 3)]])[0].words[0].unscored == CANNOT_MASK
    assert [one.unscored for one in model.score([" ", f"a {START}"])] == [
        "the text is empty",
        "the text contains the start token, which the server would read as one",
    ]


def test_strict_servers_are_asked_with_less(opened: Any) -> None:
    strict, served = opened(strict=frozenset({"top_k", "generation_config", "seed", "echo"}), most_top=5)
    assert strict.facts.versions["server"] == "completions; no log-probabilities; takes no seed; takes no top_k"
    [[made]] = strict.complete(["He is"], Decoding(max_new_tokens=2))
    assert made.tokens == 2
    assert not served.asked[-1].keys() & {"top_k", "seed", "logprobs"}
    with pytest.raises(ModelError, match="takes no `top_k`"):
        strict.complete(["He is"], Decoding(top_k=5))
    few, _ = opened(strict=frozenset({"top_k"}), most_top=5)
    assert few.facts.versions["server"].startswith("completions; log-probabilities of whole texts; the 5 most")


def test_texts_are_written_with_the_settings_and_can_be_cut(opened: Any) -> None:
    model, served = opened()
    decoding = Decoding(temperature=0.7, top_k=4, top_p=0.9, max_new_tokens=6, stop=("nurse",))
    written = model.complete(["He is", "She is"], decoding, samples=3, seed=[1, 2])
    assert [len(each) for each in written] == [3, 3]
    assert len({body["seed"] for body in served.asked}) == 6
    settings = {"temperature": 0.7, "top_k": 4, "top_p": 0.9, "min_p": 0.0, "max_tokens": 6, "stop": ["nurse"]}
    assert served.asked[0].items() >= settings.items()
    assert all("nurse" not in one.text for each in written for one in each)
    assert model.complete(["He is", "She is"], decoding, samples=3, seed=[1, 2]) == written
    [[long]] = model.complete(["He is"], Decoding(max_new_tokens=5), seed=4)
    assert long.ended == "length"
    assert long.at(2).text == long.text[: long.offsets[1]]
    with pytest.raises(ModelError, match="no beam search"):
        model.complete(["He is"], Decoding(temperature=0, beams=2))


def test_chat_goes_through_the_chat_of_the_server(opened: Any, tmp_path: Path) -> None:
    model, served = opened(answer=lambda instruction: f"said {len(instruction)}", completions=False)
    assert model.facts.versions["server"] == "chat alone"
    [[answer]] = model.complete([model.chat_prompt("Say it.")], Decoding(temperature=0))
    assert (answer.text, answer.ended) == ("said 7", "end")
    assert served.asked[-1]["messages"] == [{"role": "user", "content": "Say it."}]
    model.complete([model.chat_prompt("Say it.", system="Be brief.")], Decoding(temperature=0))
    told = {"role": "system", "content": "Be brief."}
    assert served.asked[-1]["messages"] == [told, {"role": "user", "content": "Say it."}]
    with pytest.raises(ModelError, match="write `chat:` before the name"):
        model.complete(["He is"], Decoding())
    chat = as_writer(models.load(f"chat:{model.facts.name}&concurrency=2", ModelSettings(answers=tmp_path)))
    [[answer]] = chat.complete(["He is"], Decoding(temperature=0))
    assert answer.text.startswith(" said")
    assert chat.facts.name == f"chat:{model.facts.name}"
    [[begun]] = model.complete([model.chat_prompt("Say it.") + " Well,"], Decoding())
    assert begun.unwritten == "a model behind an API cannot continue from the first words of an answer"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda text: "A" if "A: She" in text else "B", [1.0]),
        (lambda text: "B." if "A: She" in text else "(A)", [0.0]),
        (lambda text: "A", [0.5]),
        (lambda text: "Answer: B", [0.5]),
        (lambda text: "As a language model I cannot say.", [None]),
    ],
)
def test_a_forced_choice_needs_both_orders(opened: Any, answer: Any, expected: list[float | None]) -> None:
    model, served = opened(echo=False, form="", answer=answer)
    [score] = score_pairs(model, [NURSE], [FORCED_CHOICE])["causal.forced-choice.v1"]
    assert preference([score]) == expected
    assert len(served.asked) == 2
    if expected == [None]:
        assert score.unscored == "the model did not answer with A or B"


def test_pairs_are_scored_as_by_the_model_itself(opened: Any) -> None:
    model, _ = opened()
    for name in ("sum", "mean", "rest", "prior-corrected", "as-published"):
        scorer = find(name, "causal")
        [[far], [near]] = [score_pairs(one, [NURSE], [scorer])[scorer.name] for one in (model, scripted())]
        assert far.scores == pytest.approx(near.scores, abs=1e-9), name


def test_what_was_answered_is_not_asked_for_again(tmp_path: Path) -> None:
    served = Served(scripted())
    with serving(served) as url:
        for _ in range(2):
            before = len(served.asked)
            journal = Journal(tmp_path / "answers.sqlite")
            model = load(f"tested@{url}?start={START}", journal=journal)
            model.score(TEXTS * 2)
            model.complete(["He is"], Decoding(max_new_tokens=3), samples=2)
            asked = len(served.asked) - before
            journal.close()
    # Not even the question that shows what the server can do.
    assert asked == 0
    assert model.kept == 1 + len(TEXTS) + 2


def test_two_that_are_open_at_once_see_one_anothers_answers(tmp_path: Path) -> None:
    served = Served(scripted())
    with serving(served) as url:
        first, second = (load(f"tested@{url}?start={START}", ModelSettings(answers=tmp_path)) for _ in range(2))
        served.asked.clear()
        assert first.score(TEXTS) == second.score(TEXTS)
    assert len(served.asked) == len(TEXTS)
    assert first.spent == second.spent


def test_a_file_that_holds_no_answers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "answers.sqlite").write_text("something else, and long enough to be no empty database" * 20)
    with pytest.raises(RunError, match=r"answers\.sqlite: cannot be used for answers: file is not a database"):
        Journal(tmp_path / "answers.sqlite")


def test_the_budget_stops_cleanly_and_can_be_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(scripted())
    prompts = [f"He is {number}" for number in range(20)]
    with serving(served) as url:

        def opened_again() -> ApiModel:
            return load(f"tested@{url}", ModelSettings(answers=tmp_path))

        monkeypatch.setenv("TILTMETER_API_MAX_REQUESTS", "8")
        for _ in range(2):
            # The budget is for all that the folder holds: to start again gives no other.
            with pytest.raises(BudgetSpent, match="budget of 8 requests is used up; answers so far are saved: raise"):
                opened_again().complete(prompts, Decoding(max_new_tokens=2))
            assert len(served.asked) == 8
        monkeypatch.delenv("TILTMETER_API_MAX_REQUESTS")
        model = opened_again()
        assert len(model.complete(prompts, Decoding(max_new_tokens=2))) == 20
        assert model.kept == 8
        spent = model.spent
        assert spent.requests == spent.answered == len(served.asked) == 21
        assert spent.money(Price(1.0, 2.0)) == pytest.approx((spent.tokens_in + 2 * spent.tokens_out) / 1e6)
        monkeypatch.setenv("TILTMETER_API_MAX_TOKENS", str(spent.tokens_in + spent.tokens_out + 20))
        with pytest.raises(BudgetSpent, match=r"tokens is used up; .* raise `max_tokens` \(TILTMETER_API_MAX_TOKENS\)"):
            opened_again().complete(prompts, Decoding(max_new_tokens=3))


def test_facts_say_what_is_not_known(opened: Any) -> None:
    model, _ = opened(f"?start={START}&concurrency=2&timeout=5")
    facts = model.facts
    assert (facts.weights_sha256, facts.device, facts.dtype, facts.context) == ("", "server", "unknown", 8192)
    assert facts.revision == "served as tested; owned_by tests"
    assert facts.name.endswith("/v1?start=%3C%7Cstart%7C%3E")
    assert model.spent.fingerprints == ("fp_tests",)
    assert models.lasting_name(f"{facts.name}&concurrency=2") == facts.name


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("api:", "write `api:MODEL@URL`"),
        ("api:small", "does not name a model and a server"),
        ("api:@http://localhost/v1", "does not name a model and a server"),
        ("api:small@file:///etc/passwd", "is not a server address; write http:// or https://"),
        ("api:small@ftp://localhost/v1", "is not a server"),
        ("api:small@http://example.org/v1", "not encrypted"),
        ("api:small@https://me:secret@example.org/v1", "a key belongs in the environment"),
        ("api:small@http://localhost/v1?concurency=3", "did you mean `concurrency`"),
        ("api:small@http://localhost/v1?timeout=soon", "must be seconds, above 0, not 'soon'"),
        ("api:small@http://localhost/v1?key_variable=sk-secret", "must be the name of an environment variable"),
        ("chat:api:small", "does not name a model and a server"),
    ],
)
def test_a_wrong_address_is_refused_before_anything_is_sent(name: str, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        check_name(name)
    assert sentence in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_plain_address_elsewhere_can_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_API_ALLOW_HTTP", "1")
    check_name("api:small@http://cluster.example/v1")


def test_a_model_that_is_not_there_names_those_that_are() -> None:
    with serving(Served(scripted())) as url, pytest.raises(ModelError, match="has no model `other`; it has tested"):
        load(f"other@{url}", journal=MemoryJournal())


def test_the_package_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"need the package httpx: pip install 'tiltmeter\[api\]'"):
        check_name("api:small@http://localhost/v1")


def test_it_works_inside_a_running_loop(opened: Any) -> None:
    import asyncio

    model, _ = opened()

    async def notebook() -> Any:
        return model.score(["She is a nurse."])

    assert asyncio.run(notebook())[0].unscored is None


def test_a_key_that_was_named_and_is_not_there_is_asked_for() -> None:
    with pytest.raises(UserError, match="MISSING_KEY, which should hold the key, is not set"):
        load("small@http://localhost/v1?key_variable=MISSING_KEY", journal=MemoryJournal())


def test_the_judge_takes_such_a_model(opened: Any) -> None:
    from tiltmeter.raters.judge import SENTIMENT, Judge

    model, _ = opened(answer=lambda text: "Positive." if "lovely" in text else "nothing of the kind")
    good, bad = Judge(model, SENTIMENT).rate(["a lovely day", "rain"])
    assert (good.value, bad.value) == (1.0, None)


@pytest.mark.slow
def test_real_weights_give_the_same_numbers_behind_a_server(opened: Any, tmp_path: Path) -> None:
    local = models.load("smollm2-135m", ModelSettings(device="cpu", threads=1))
    model, _ = opened("?start=<|endoftext|>", model=local, start="<|endoftext|>")
    for conditioning, texts in (("left", SENTENCES[1:8]), ("left-no-start", SENTENCES[4:5])):
        far = model.score(texts, conditioning=conditioning)
        near = local.score(texts, conditioning=conditioning)
        for one, other in zip(far, near, strict=True):
            assert one.unscored is None
            assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)
    prompts, words = ["The nurse said that", ""], ["he", "she", "metalsmith"]
    far_words = as_predictor(model).next_words(prompts, words)
    near_words = as_predictor(local).next_words(prompts, words)
    for one, other in zip(far_words, near_words, strict=True):
        assert [word.probability for word in one.words] == pytest.approx(
            [word.probability for word in other.words], abs=1e-4
        )
        assert (one.highest, one.gap) == pytest.approx((other.highest, other.gap), abs=1e-4)
    chat = as_writer(models.load(f"chat:{model.facts.name}", ModelSettings(answers=tmp_path)))
    greedy = Decoding(temperature=0.0, max_new_tokens=8)
    near_chat = as_writer(models.load("chat:smollm2-135m", ModelSettings(threads=1)))
    assert [[one.text for one in each] for each in chat.complete(["The nurse was known for"], greedy)] == [
        [one.text for one in each] for each in near_chat.complete(["The nurse was known for"], greedy)
    ]


def test_the_journal_holds_answers_and_no_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "sk-test-0123456789")
    served = Served(scripted())
    with serving(served) as url:
        model = load(f"tested@{url}?key_variable=OTHER_KEY", ModelSettings(answers=tmp_path))
        model.complete(["He is"], Decoding(max_new_tokens=1))
        assert list(accounts(tmp_path).values()) == [model.spent]
    assert served.headers[-1]["Authorization"] == "Bearer sk-test-0123456789"
    [path] = tmp_path.glob("*.sqlite")
    with closing(sqlite3.connect(path)) as journal:
        rows = journal.execute("select key, answer from answers").fetchall()
    assert len(rows) == 2
    assert all(set(json.loads(one[16:])) == {"choice", "usage", "fingerprint", "model"} for _, one in rows)
    assert not any(b"sk-test" in path.read_bytes() for path in tmp_path.iterdir())
    assert path.stat().st_mode & 0o077 == 0
