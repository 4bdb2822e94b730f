"""The page on which a single sentence is tried."""

from __future__ import annotations

import csv
import html
import re
import runpy
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.testclient import TestClient

from tests.web.bench import fields_of, opened
from tests.web.hostile import HOSTILE
from tests.web.texts_run import make_texts
from tiltmeter.errors import UserError
from tiltmeter.specs import load
from tiltmeter.web.loaded_model import LoadedModel
from tiltmeter.web.playground.code import as_command, as_python
from tiltmeter.web.playground.question import Question, variants
from tiltmeter.web.workbench import Workbench

NURSE = "The {nurse|engineer} met {her|his} friend."
Ask = Callable[..., str]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return opened(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def ask(client: TestClient) -> Ask:
    """The whole answer to a question."""

    def answered(**fields: str | list[str]) -> str:
        text = client.post("/playground/ask", data={"model": "scripted", **fields}).text
        while again := re.search(r"/playground/answers/\d+", text):
            time.sleep(0.02)
            text = client.get(again[0]).text
        return html.unescape(text)

    return answered


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


def test_two_variants_are_scored_by_every_scorer_that_fits(ask: Ask) -> None:
    text = plain(ask(text="{She|He} is a nurse.", attribute="nurse"))
    # The table of the scripted model ties "she" to "nurse" by 0.7.
    assert "The model prefers the first sentence, which is 2.0 times as probable (by 0.70 under sum)" in text
    for scorer in ("sum", "mean", "rest", "prior-corrected", "as-published"):
        assert f" {scorer} " in text
    assert "forced-choice" not in text


def test_the_page_is_told_which_model_is_in_memory_by_now(tmp_path: Path) -> None:
    client = opened(tmp_path)
    assert "No model is in memory yet." in client.get("/playground").text
    text = client.post("/playground/ask", data={"model": "scripted", "text": "{She|He} is a nurse."}).text
    while again := re.search(r"/playground/answers/\d+", text):
        time.sleep(0.02)
        text = client.get(again[0]).text
    assert '<span id="in-memory" hx-swap-oob="true">In memory now: scripted.</span>' in text
    page = client.get("/playground").text
    assert '<span id="in-memory">In memory now: scripted.</span>' in page


def test_a_scorer_that_cannot_says_why(ask: Ask) -> None:
    text = plain(ask(text="{She|He} is a nurse."))
    assert "unscored: the attribute cannot be replaced by a neutral word here" in text
    assert "1 cannot score it" in text


def test_every_token_has_its_number_and_the_difference_from_its_twin(ask: Ask) -> None:
    text = ask(text="{She|He} is a nurse.")
    chips = re.findall(r'<li class="token ([^"]*)"><span class="text">(.*?)</span><small>(.*?)</small>', text)
    assert [word for _, word, _ in chips] == ["She", "is", "a", "nurse", ".", "He", "is", "a", "nurse", "."]
    shades = {(at >= 5, word): shade for at, (shade, word, _) in enumerate(chips)}
    assert shades[False, "She"] == " own"
    # `nurse` is more probable once "she" was seen.
    assert shades[False, "nurse"] == "more-1"
    assert shades[True, "nurse"] == "less-1"


def test_two_sentences_may_be_given_apart(ask: Ask) -> None:
    text = plain(ask(text="She is a nurse.", second="He is a nurse."))
    assert "The model prefers the first sentence" in text


def test_a_page_asks_while_somebody_types_and_waits_until_it_can(client: TestClient) -> None:
    def typed(**fields: str) -> str:
        answer = client.post("/playground/ask", data={"typing": "1", "model": "scripted", **fields})
        assert answer.status_code == 200
        return answer.text

    assert 'role="status"' in typed(text="She left.", second="She left.")
    assert 'role="status"' in typed(text="She left.", second="He left.", model="api:m@http://127.0.0.1:9/v1")
    assert 'class="answer"' in typed(text="She left.", second="He left.")


@pytest.mark.parametrize("view", ["pairs", "continuations", "next-words"])
def test_a_text_of_a_run_comes_to_the_playground_with_its_model(tmp_path: Path, view: str) -> None:
    client = opened(make_texts(tmp_path).parent.parent)
    for page in (f"/runs/small/texts?view={view}", f"/runs/small/texts/{view[0].replace('n', 'w')}1"):
        [link, *_] = re.findall(r'href="(/playground[^"]+)"', html.unescape(client.get(page).text))
        given = dict(parse_qsl(urlsplit(link).query))
        assert given["model"] == "scripted"
        assert (given["text"] != given["second"]) == (view == "pairs")
        fields = fields_of(client.get(link).text)
        assert fields["second"] == [given["second"]]
        assert fields.get("attribute", [""]) == [given.get("attribute", "")]


def test_a_text_may_have_braces_of_its_own(ask: Ask) -> None:
    assert 'id="scores"' in ask(text="She wrote { twice.", second="He wrote { twice.")


def test_two_prompts_may_be_given_apart(ask: Ask) -> None:
    text = plain(ask(kind="prompt", text="The nurse said that", second="The engineer said that", words="he, she"))
    assert "he 0.111 0.223 0.50 she 0.223 0.111 2.01" in text


def test_a_prompt_has_next_words_and_texts_with_ratings(ask: Ask) -> None:
    text = ask(kind="prompt", text="The {nurse|engineer} said that", words="he, she", rater=["readability.ari.v1"])
    words = plain(text)
    assert "he 0.111 0.223 0.50 she 0.223 0.111 2.01" in words
    assert "scripted has no gradients and so no saliency" in words
    assert words.count("readability.ari.v1") == 6
    warned = re.search(r'<details class="warning" data-keep="written">', text)
    assert warned


@pytest.mark.slow
def test_a_masked_model_scores_fills_a_blank_and_cannot_write(ask: Ask, tmp_path: Path) -> None:
    from tests.models.conftest import save_checkpoint

    save_checkpoint("bert", tmp_path / "bert")
    model = f"hf:{tmp_path / 'bert'}"
    text = plain(ask(text="The {nurse|engineer} said that he was tired.", model=model))
    assert "within-word used for headlines" in text
    assert "conditioned on the rest of the sentence" in text
    text = plain(ask(kind="prompt", text="The [MASK] said that he was tired.", words="nurse, engineer", model=model))
    assert "is masked and cannot write" in text
    assert "The most probable whole words." in text
    # The gradients of a real network: a share for each token.
    assert len(re.findall(r"\d+\.\d.%", text)) >= 5


def test_a_single_sentence_is_said_to_be_an_anecdote(ask: Ask) -> None:
    assert "One sentence is an anecdote; a study measures" in ask(text=NURSE)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"text": ""}, "there is no sentence yet"),
        ({"text": "He left."}, "two sentences are needed"),
        ({"text": "{He|She left."}, "the braces do not fit"),
        ({"text": "{He|She|They} left."}, "the braces do not fit"),
        ({"text": "{He|He} left."}, "both variants in the braces are the same"),
        ({"text": "He left.", "second": "He left."}, "the two texts are the same"),
        ({"text": "{He|She} left.", "second": "They left."}, "has two variants already"),
        ({"text": "x" * 2001}, "at most 2,000"),
        ({"text": "x " * 25_000}, "the text has 50,000 characters; at most 2,000"),
        ({"text": NURSE, "attribute": "x" * 2001}, "at most 2,000"),
        ({"text": "   "}, "there is no sentence yet"),
        ({"text": "   ", "kind": "prompt"}, "there is no prompt yet"),
        ({"text": "{|} left."}, "both variants in the braces are the same"),
        ({"text": NURSE, "model": "gpt-nothing"}, "there is no model"),
        ({"text": NURSE, "model": "gguf:nowhere.gguf"}, "there is no file"),
        ({"text": NURSE, "kind": "poem"}, "is nothing to ask for"),
        ({"kind": "prompt", "text": "x", "rater": "toxicity.roberta-hate.v1"}, "is not ready here"),
        ({"kind": "prompt", "text": "x", "words": ",".join(map(str, range(30)))}, "at most 20 words"),
    ],
)
def test_what_cannot_be_asked_is_said_at_once(client: TestClient, fields: dict[str, str], problem: str) -> None:
    answer = client.post("/playground/ask", data={"model": "scripted", **fields})
    assert answer.status_code == 422
    assert problem in html.unescape(answer.text)
    assert answer.headers["HX-Retarget"] == "#messages"


def test_a_question_has_an_address_of_its_own(client: TestClient) -> None:
    fields = {"kind": "prompt", "text": "The {a|b} & c", "words": "he, she", "model": "scripted", "rater": "refusal.v5"}
    answer = client.post("/playground/ask", data=fields)
    address = answer.headers["HX-Push-Url"]
    page = client.get(address).text
    given = fields_of(page)
    assert [given[name] for name in ("text", "words", "model")] == [["The {a|b} & c"], ["he, she"], ["scripted"]]
    assert re.search(r'value="refusal.v5" checked', page)


def test_a_link_starts_nothing_that_lives_elsewhere(client: TestClient) -> None:
    for model in ("hf:someone/something", "api:m@http://127.0.0.1:1/v1", "gguf:/etc/passwd"):
        page = client.get("/playground", params={"text": "A {nurse|cook} left.", "model": model}).text
        assert 'hx-trigger="load"' not in page
    assert (
        'hx-trigger="load"'
        in client.get("/playground", params={"text": "A {nurse|cook} left.", "model": "scripted"}).text
    )


def test_asking_needs_the_token(tmp_path: Path) -> None:
    client = opened(tmp_path)
    client.headers["X-Tiltmeter-Token"] = "another"
    assert client.post("/playground/ask", data={"text": NURSE, "model": "scripted"}).status_code == 403


def test_a_sentence_becomes_a_spec_that_can_be_gone_on_with(tmp_path: Path) -> None:
    client = opened(tmp_path)
    fields = {"text": "The {man|woman} is good at math.", "attribute": "math"}
    for name in ("man-woman-math", "man-woman-math-2"):
        answer = client.post("/playground/spec", data=fields)
        assert answer.headers["HX-Redirect"] == f"/specs/own/{name}/edit"
        spec = load(str(Workbench(tmp_path).spec(name)))
        assert spec.name == name
        assert spec.templates == ("The [T] is good at [A].",)
        assert [group.terms for group in spec.groups] == [("man",), ("woman",)]


def test_the_python_that_is_shown_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for asked, said in (
        (Question.of(text="{She|He} is a 'nurse'.", attribute="nurse", model="scripted"), "causal.sum.v1"),
        (Question.of(kind="prompt", text="The nurse said that", words="he,she", model="scripted"), "word='she'"),
    ):
        (tmp_path / "program.py").write_text(as_python(asked), encoding="utf-8")
        runpy.run_path(str(tmp_path / "program.py"))
        assert said in capsys.readouterr().out


@pytest.mark.parametrize("text", [one for one in HOSTILE if one.strip() and not set("{}") & set(one)])
def test_the_commands_that_are_shown_carry_any_text(text: str) -> None:
    asked = Question.of(text=f"{{He|She}} said {text[:1500]}", model="scripted")
    table, _, command = as_command(asked).rpartition("END_OF_TABLE\n")
    lines = table.split("\n", 1)[1].splitlines(keepends=True)
    rows = list(csv.DictReader(lines))
    assert (rows[0]["sentence_1"], rows[0]["sentence_2"]) == asked.pair().texts
    assert shlex.split(command)[:5] == ["tiltmeter", "score", "pairs.csv", "--model", "scripted"]


@pytest.mark.parametrize("text", [one for one in HOSTILE if one.strip() and not set("{}") & set(one)])
def test_any_text_is_data(text: str, client: TestClient) -> None:
    fields = {"text": f"{{He|She}} said {text[:1900]}", "model": "scripted"}
    answer = client.post("/playground/ask", data=fields)
    assert answer.status_code == 200
    page = client.get(answer.headers["HX-Push-Url"]).text
    for one in (answer.text, page):
        assert "<script>window" not in one
        assert "<img" not in one
        assert "<svg/" not in one


def test_variants_are_read_together() -> None:
    found = variants("{He|She} lost {his|her} keys.")
    assert found is not None
    assert [text for text, _ in found] == ["He lost his keys.", "She lost her keys."]
    assert found[1][1] == ((0, 3), (9, 12))
    assert variants("No braces.") is None
    with pytest.raises(UserError):
        variants("{a|b} }")


@pytest.mark.parametrize("around", ["", "chat:", "chat:chat:", "planted:", "chat:planted:"])
def test_a_mere_link_asks_nothing_over_the_network(around: str, tmp_path: Path) -> None:
    client, model = opened(tmp_path), "api:any@http://127.0.0.1:9"
    (tmp_path / "tilted.toml").write_text(f'model = "chat:{model}"\n')
    model = f"{around}{tmp_path / 'tilted.toml'}" if around.endswith("planted:") else f"{around}{model}"
    client.app.state.loaded = LoadedModel(model)  # type: ignore[attr-defined]
    for name, asks in (("scripted", True), (model, False)):
        page = client.get("/playground", params={"text": NURSE, "model": name}).text
        assert ('hx-trigger="load"' in page) is asks


@contextmanager
def api_model(**abilities: Any) -> Iterator[str]:
    """The name of a model behind a server that has certain abilities."""
    pytest.importorskip("httpx")
    from tests.models.api_server import START, Served, serving
    from tiltmeter.models.scripted import BUILT_IN, ScriptedModel

    table = ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])
    with serving(Served(table, **abilities)) as url:
        yield f"api:tested@{url}?start={START}"


def test_a_model_behind_an_api_shows_its_words_and_says_what_they_are(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    with api_model() as model:
        text = ask(kind="prompt", text="The {nurse|engineer} said that", words="he, she", model=model)
    words = plain(text)
    # The server does not say whether a word ends, so the chance that it comes next is shown.
    assert "cannot tell whether the word ends there. " in words
    assert words.count("he 0.111 0.223 0.50") == 2
    assert words.count("she 0.223 0.111 2.01") == 2
    assert "The probability that each word comes next, whether or not it ends there" in words


def test_a_word_that_a_server_lists_after_one_prompt_alone_has_one_number(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    with api_model(echo=False, most_top=5, answer=str) as model:
        text = plain(ask(kind="prompt", text="The {nurse|engineer} said that", words="", model=f"{model}&top=2"))
    assert re.search(r"she – not among the 2 most probable next tokens, [^–]* 0.223 – –", text)


@pytest.mark.parametrize(
    ("abilities", "chat", "sentence"),
    [
        ({"form": "", "echo": False}, "", "the server gives no log-probabilities; vLLM and llama.cpp do"),
        ({"completions": False, "answer": str}, "", "answers by chat: write `chat:` before the name"),
        ({"completions": False, "answer": str}, "chat:", "gives no log-probabilities of an answer by chat"),
    ],
)
def test_a_model_that_cannot_list_words_says_so_in_place_of_the_table(
    ask: Ask, abilities: dict[str, Any], chat: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    with api_model(**abilities) as model:
        text = ask(kind="prompt", text="The {nurse|engineer} said that", words="", model=chat + model)
    assert any(sentence in one for one in re.findall(r'<p class="problem">(.*?)</p>', text))
    assert 'data-keep="likeliest"' not in text


def test_a_chat_behind_an_api_shows_the_first_pieces_of_its_answers(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    with api_model(completions=False, answer=str, chat_top=5) as model:
        text = plain(ask(kind="prompt", text="The {nurse|engineer} said that", words="he", model=f"chat:{model}"))
    assert "gives no probabilities for next words; without `chat:` it may" in text
    assert "she 0.223 0.111 2.01" in text
    assert "Only the first piece of each word" in text


@pytest.mark.parametrize(
    "text", [*HOSTILE, "\0", "👩‍🔬 {🙂|🙃}", "ال{ممرضة|مهندس} قال إن", "x" * 1900, "The {|nurse} said"]
)
def test_any_prompt_has_an_answer_or_one_sentence(text: str, ask: Ask, client: TestClient) -> None:
    fields = {"kind": "prompt", "text": text[:1900], "words": f"he, {text[:20].replace(',', ' ')}", "model": "scripted"}
    answer = client.post("/playground/ask", data=fields)
    assert answer.status_code in (200, 422)
    if answer.status_code == 200:
        whole = ask(**fields)
        assert "One sentence is an anecdote" in whole
        assert "What comes next" in whole


def test_the_commands_of_a_chat_model_ask_for_no_words_by_name() -> None:
    asked = Question.of(kind="prompt", text="The nurse said that", words="he", model="chat:smollm2-135m")
    assert "next_words" not in as_python(asked)
    assert "next-words list" in as_command(asked)
    assert "--words" not in as_command(asked)
