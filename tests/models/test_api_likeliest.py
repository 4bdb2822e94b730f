"""The most probable next words of models behind an API: what can be told from lists of tokens, and what cannot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import START, Served, serving
from tiltmeter import models
from tiltmeter.errors import ModelError
from tiltmeter.models import ModelSettings, as_proposer
from tiltmeter.models.api import ApiModel, BudgetSpent, MemoryJournal, load
from tiltmeter.models.api.client import Refused
from tiltmeter.models.api.likeliest import FIRST_PIECES, NO_NUMBERS_BY_CHAT, ListedTokens, most_probable_words
from tiltmeter.models.asking import INSTRUCTION
from tiltmeter.models.chat import NOTHING, ChatModel
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel

NURSE = "The nurse said that"
ENDS = {" is": 0.7, ".": 0.2, "s": 0.1}
TREE: Mapping[str, Mapping[str, float]] = {
    "": {" un": 0.4, " he": 0.3, " it": 0.1, ",": 0.1, " she": 0.05},
    " un": {"happy": 0.5, "lucky": 0.25, " ": 0.125},
    " unhappy": ENDS,
    " unlucky": ENDS,
    " he": ENDS,
    " it": ENDS,
    " she": ENDS,
}
"""The chances of tokens after a prompt and what was added to it, to be worked out by hand."""


@pytest.fixture
def opened() -> Iterator[Any]:
    with ExitStack() as stack:

        def open_model(settings: str = f"?start={START}", **abilities: Any) -> tuple[ApiModel, Served]:
            model = abilities.pop("model", None) or ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])
            served = Served(model, **abilities)
            found = load(f"tested@{stack.enter_context(serving(served))}{settings}", journal=MemoryJournal())
            served.asked.clear()
            return found, served

        yield open_model


class Tree:
    """Shows what the tree has, and counts."""

    def __init__(self, refused: Sequence[str] = ()) -> None:
        self.refused, self.asked = refused, list[str]()

    def __call__(self, added: Sequence[str]) -> list[ListedTokens | Refused]:
        self.asked += added
        return [
            Refused("no answer: a time-out")
            if text in self.refused
            else ListedTokens({token: math.log(chance) for token, chance in TREE[text].items()})
            for text in added
        ]


def chances(found: Any) -> list[tuple[str, float]]:
    return [(word.word, round(word.probability, 6)) for word in found.words]


def test_the_beginning_of_a_word_is_followed_to_its_end() -> None:
    tree = Tree()
    # 0.4 · 0.5, 0.4 · 0.25; a word that is not listed may have 0.05, as much as `she`.
    assert chances(most_probable_words(tree, NURSE, 5)) == [
        *(("he", 0.3), ("unhappy", 0.2), ("it", 0.1), ("unlucky", 0.1), ("she", 0.05)),
    ]
    assert sorted(tree.asked) == sorted(TREE)


def test_fewer_words_take_fewer_requests() -> None:
    tree = Tree()
    assert chances(most_probable_words(tree, NURSE, 1)) == [("he", 0.3)]
    assert tree.asked == ["", " un", " he"]


def test_no_word_is_shown_that_one_the_server_does_not_list_could_outdo(monkeypatch: pytest.MonkeyPatch) -> None:
    # After ` unl` nothing is known below 0.4 · 0.4.
    monkeypatch.setitem(TREE, " un", {"happy": 0.6, "lucky": 0.4})  # type: ignore[arg-type]
    assert chances(most_probable_words(Tree(), NURSE, 5)) == [("he", 0.3), ("unhappy", 0.24), ("unlucky", 0.16)]


def test_requests_are_bounded_and_the_list_ends_where_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    # A word that never ends.
    for length in range(1, 20):
        monkeypatch.setitem(TREE, " un" + "a" * length, {"a": 0.99, " ": 0.01})  # type: ignore[arg-type]
    monkeypatch.setitem(TREE, " un", {"a": 0.99, " ": 0.01})  # type: ignore[arg-type]
    tree = Tree()
    found = most_probable_words(tree, NURSE, 1)
    assert len(tree.asked) == 5
    assert [word.unscored for word in found.words] == ["none of the most probable next tokens begins a word"]


def test_a_beginning_without_an_answer_is_unscored() -> None:
    found = most_probable_words(Tree(refused=[" he"]), NURSE, 2)
    assert [(word.word, word.unscored) for word in found.words] == [
        ("unhappy", None),
        ("it", None),
        ("he", "no answer: a time-out"),
    ]


def test_a_prompt_without_an_answer_says_so() -> None:
    [word] = most_probable_words(Tree(refused=[""]), NURSE, 2).words
    assert (word.word, word.unscored) == ("", "no answer: a time-out")


@pytest.mark.parametrize("abilities", [{}, {"echo": False}, {"form": "content"}])
def test_a_list_says_what_it_is_and_is_asked_for_once(opened: Any, abilities: dict[str, Any]) -> None:
    model, served = opened(**abilities)
    [found] = model.likeliest([NURSE], 3)
    # Three words have the third place together.
    assert [word.word for word in found.words[:2]] == ["other", "she"]
    assert [word.probability for word in found.words] == pytest.approx([0.4437, 0.2234, 0.1109], abs=1e-4)
    assert "whether or not it ends there" in found.note
    sent = len(served.asked)
    assert sent <= 1 + 4 * 3
    assert model.likeliest([NURSE], 3) == [found]
    assert len(served.asked) == sent


def test_a_server_without_numbers_is_named_with_what_would_work(opened: Any) -> None:
    silent, _ = opened(form="", echo=False)
    with pytest.raises(ModelError, match=r"^api:tested@.* cannot list .* gives no log-probabilities; vLLM and llama"):
        silent.likeliest([NURSE])
    chatty, _ = opened(completions=False, answer=str)
    with pytest.raises(ModelError, match="only answers by chat: write `chat:` before the name"):
        chatty.likeliest([NURSE])


def test_nothing_can_be_listed_after_an_empty_text_without_a_start_token(opened: Any) -> None:
    started, _ = opened()
    assert started.likeliest([""], 1)[0].words[0].word == "other"
    adding, _ = opened("", adds_start=True)
    assert "give the start token" in adding.likeliest([""])[0].words[0].unscored
    bare, _ = opened("")
    assert "no start token" in bare.likeliest([""])[0].words[0].unscored


def test_the_budget_holds_for_lists_too(opened: Any) -> None:
    model, served = opened(f"?start={START}&max_requests=6")
    with pytest.raises(BudgetSpent):
        model.likeliest([NURSE, "The engineer said that"])
    assert len(served.asked) <= 6


@pytest.mark.parametrize("most", [20, 5])
def test_by_chat_the_first_pieces_of_the_answer_are_listed(opened: Any, most: int) -> None:
    inner, served = opened(completions=False, answer=str, chat_top=most)
    chat = as_proposer(ChatModel(inner, "chat:api"))
    [found, blank] = chat.likeliest([NURSE, " "], 2)
    table = ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])
    [expected] = table.next_words([INSTRUCTION + NURSE], ["other", "she"])
    assert [word.word for word in found.words] == ["other", "she"]
    assert [word.logprob for word in found.words] == pytest.approx([word.logprob for word in expected.words])
    assert found.note == FIRST_PIECES
    assert blank.words[0].unscored == NOTHING
    # One that takes no more than five is asked for five.
    assert [body["top_logprobs"] for body in served.asked] == ([20] if most == 20 else [20, 5])


def test_a_chat_without_numbers_says_so(opened: Any) -> None:
    inner, _ = opened(completions=False, answer=str)
    [found] = as_proposer(ChatModel(inner, "chat:api")).likeliest([NURSE])
    assert [word.unscored for word in found.words] == [NO_NUMBERS_BY_CHAT]


@pytest.mark.slow
def test_real_weights_list_the_same_words_behind_a_server(opened: Any, tmp_path: Path) -> None:
    local = models.load("smollm2-135m", ModelSettings(device="cpu", threads=1))
    [near] = as_proposer(local).likeliest([NURSE], 4)
    model, _ = opened("?start=<|endoftext|>", model=local, start="<|endoftext|>", chat_top=20)
    [far] = model.likeliest([NURSE], 4)
    assert {word.word for word in far.words} == {word.word for word in near.words}
    near_chat = as_proposer(models.load("chat:smollm2-135m", ModelSettings(device="cpu", threads=1)))
    far_chat = as_proposer(models.load(f"chat:{model.facts.name}", ModelSettings(answers=tmp_path)))
    [[answer], [other]] = near_chat.likeliest([NURSE], 1), far_chat.likeliest([NURSE], 1)
    assert answer.words[0].word == other.words[0].word
    # A first piece is no less probable than a word that ends there.
    assert answer.words[0].probability <= other.words[0].probability + 1e-4
