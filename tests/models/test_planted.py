"""A model with a known tilt: what was planted is what is there."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tiltmeter import models
from tiltmeter.errors import InvalidData, ModelError, UserError
from tiltmeter.models import ModelSettings, Writer
from tiltmeter.models.planted import NEGATIVE, Planted, Tilt, Writing, plant, shifted
from tiltmeter.models.planted_answers import AnswerTilt
from tiltmeter.models.scripted import ScriptedModel
from tiltmeter.records import Decoding

HE_IN_MATH = Tilt(("he",), 0.5, ("math",))
EVEN = ScriptedModel({"he": 1, "she": 1, "math": 1, "art": 1, "likes": 1, "other": 5})


def total(model: models.Model, text: str) -> float:
    [found] = model.score([text])
    return math.fsum(value for value in found.logprobs if value is not None)


def log_odds(logprob: float) -> float:
    return logprob - math.log1p(-math.exp(logprob))


def test_log_odds_are_shifted_by_exactly_delta() -> None:
    for probability in (1e-9, 0.01, 0.5, 0.99):
        for delta in (-2.0, 0.0, 0.1, 3.0):
            before = math.log(probability)
            assert log_odds(shifted(before, delta)) == pytest.approx(log_odds(before) + delta, abs=1e-6)


@pytest.mark.parametrize("text", ["math likes he", "he likes math"])
def test_a_text_changes_where_the_later_of_the_two_stands(text: str) -> None:
    # Every known word has probability 0.1, so that its log-odds go from log(1/9) to log(1/9) + 0.5.
    planted = plant(EVEN, [HE_IN_MATH])
    raised = 1 / (1 + 9 * math.exp(-0.5))
    [found] = planted.score([text])
    assert [math.exp(value or 0) for value in found.logprobs] == pytest.approx([0.1, 0.1, raised])


@pytest.mark.parametrize("text", ["she likes math", "he likes art", "likes", "mathematical he"])
def test_nothing_else_changes(text: str) -> None:
    assert plant(EVEN, [HE_IN_MATH]).score([text]) == EVEN.score([text])


def test_without_contexts_the_tilt_is_everywhere() -> None:
    planted = plant(EVEN, [Tilt(("he",), 0.5)])
    assert total(planted, "he likes art") - total(EVEN, "he likes art") == pytest.approx(
        shifted(math.log(0.1), 0.5) - math.log(0.1)
    )


def test_next_words_are_tilted_where_the_context_can_be_seen() -> None:
    planted = plant(EVEN, [HE_IN_MATH])
    [seen, other, hidden] = planted.next_words(
        ["math likes", "art likes", "math likes"], ["he", "she"], hidden=[[], [], [(0, 4)]]
    )
    plain = math.log(0.1)
    assert seen.words[0].logprob == pytest.approx(shifted(plain, 0.5))
    assert [word.logprob for word in (seen.words[1], *other.words, *hidden.words)] == pytest.approx([plain] * 5)


@pytest.mark.slow
def test_a_masked_model_changes_to_both_sides(checkpoint) -> None:  # type: ignore[no-untyped-def]
    inner = models.load(f"hf:{checkpoint('bert')}")
    planted = plant(inner, [Tilt(("he",), 0.5, ("nurse",))])
    assert not isinstance(planted, Writer)
    text = "The nurse said that he was tired."
    [before], [after] = inner.score([text]), planted.score([text])
    changed = {
        text[slice(*span)]
        for span, one, other in zip(before.spans, before.logprobs, after.logprobs, strict=True)
        if one != other
    }
    pieces = {text[slice(*span)] for span in before.spans}
    assert {"he"} <= changed <= {"he", *(piece for piece in pieces if piece and piece in "nurse")}
    assert len(changed) == 2


def test_the_share_of_negative_texts_is_that_which_was_planted() -> None:
    planted = plant(EVEN, writings=[Writing(("women",), 0.3), Writing(("men",), 0.6)])
    assert isinstance(planted, Writer)
    prompts = [f"{group} {number}" for group in ("The women", "The men") for number in range(50)]
    written = planted.complete(prompts, Decoding(max_new_tokens=40), samples=40, seed=3)
    shares = [
        sum(one.text in NEGATIVE for texts in half for one in texts) / 2000 for half in (written[:50], written[50:])
    ]
    # Three standard errors of a share of 2,000.
    assert shares[0] == pytest.approx(0.3, abs=0.031)
    assert shares[1] == pytest.approx(0.6, abs=0.033)


def test_a_text_depends_on_prompt_sample_and_seed_alone_and_can_be_cut() -> None:
    planted = plant(EVEN, writings=[Writing(("women",), 0.5)])
    assert isinstance(planted, Writer)
    long, short = (Decoding(max_new_tokens=tokens) for tokens in (40, 3))
    [together, _] = planted.complete(["The women", "Women"], long, samples=3, seed=1)
    [alone] = planted.complete(["The women"], long, samples=3, seed=1)
    assert together == alone
    [[cut, *_]] = planted.complete(["The women"], short, samples=3, seed=1)
    assert cut == together[0].at(3)
    assert (cut.tokens, cut.ended) == (3, "length")


def test_after_other_prompts_the_model_writes_itself() -> None:
    planted = plant(EVEN, writings=[Writing(("women",), 0.5)])
    assert isinstance(planted, Writer)
    decoding = Decoding(max_new_tokens=4)
    assert planted.complete(["art"], decoding, samples=2, seed=5) == EVEN.complete(["art"], decoding, samples=2, seed=5)


def test_facts_tell_tilts_apart() -> None:
    one, other = plant(EVEN, [HE_IN_MATH]), plant(EVEN, [Tilt(("he",), 0.6, ("math",))])
    assert len({one.facts.weights_sha256, other.facts.weights_sha256, EVEN.facts.weights_sha256}) == 3
    assert isinstance(one, Planted)


def test_a_file_describes_a_planted_model(tmp_path: Path) -> None:
    path = tmp_path / "tilt.toml"
    path.write_text('model = "scripted"\n[[tilt]]\nwords = ["he"]\ncontexts = ["nurse"]\ndelta = 0.5\n')
    planted = models.as_predictor(models.load(f"planted:{path}"))
    plain = models.as_predictor(models.load("scripted"))
    [[he]], [[before]] = (
        [one.words for one in model.next_words(["The nurse said that"], ["he"])] for model in (planted, plain)
    )
    assert before.logprob is not None
    assert he.logprob == pytest.approx(shifted(before.logprob, 0.5))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "`model`: the name of the model to tilt is missing; write"),
        ('model = "scripted"', "`tilt`: it plants nothing"),
        ('model = "planted:x.toml"\n[[tilt]]\n', "cannot be planted again"),
        ('model = "scripted"\ntilts = 1', "`tilts`: not a key of a planted model"),
        ('model = "scripted"\ntilt = 1', r"`tilt`: must be a list of tables, \[\[tilt\]\]"),
        ('model = "scripted"\n[[tilt]]\ndelta = 1', "`words`: must be a list of words, not None"),
        ('model = "scripted"\n[[tilt]]\nwords = ["he"]\ndelta = true', "`delta`: must be a number from -50 to 50"),
        ('model = "scripted"\n[[tilt]]\nwords = ["he"]\ndelta = 1\nin = []', r"`tilt.in`: not a key of \[\[tilt\]\]"),
        ('model = "scripted"\n[[writing]]\nterms = ["he"]\nnegative = 2', "`negative`: must be a number from 0 to 1"),
    ],
)
def test_a_mistake_in_the_file_gets_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "tilt.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((InvalidData, ModelError), match=sentence):
        models.load(f"planted:{path}", ModelSettings())


def test_a_name_without_a_file_is_refused_before_anything_is_done() -> None:
    with pytest.raises(ModelError, match="there is no file nowhere.toml"):
        models.check_name("planted:nowhere.toml")
    with pytest.raises(UserError, match="write `planted:FILE.toml`"):
        models.check_name("planted:")


def test_a_share_of_texts_needs_a_model_that_writes(checkpoint) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ModelError, match="cannot write"):
        plant(models.load(f"hf:{checkpoint('bert')}"), writings=[Writing(("she",), 0.5)])


LOAN = "A {who} asks.\nAgree?\nA. {first}\nB. {second}\nAnswer: {letter}"


@pytest.mark.parametrize("delta", [-0.7, 0.7])
@pytest.mark.parametrize("order", [("Yes", "No"), ("No", "Yes")])
def test_answers_are_tilted_against_one_another_by_delta(delta: float, order: tuple[str, str]) -> None:
    planted = plant(EVEN, answers=[AnswerTilt(("yes",), delta, ("woman",))])

    def odds(model: models.Model, who: str) -> float:
        first, second = order
        letters = {
            option: total(model, LOAN.format(who=who, first=first, second=second, letter="AB"[order.index(option)]))
            for option in order
        }
        return letters["Yes"] - letters["No"]

    assert odds(planted, "woman") - odds(EVEN, "woman") == pytest.approx(delta)
    assert odds(planted, "man") == pytest.approx(odds(EVEN, "man"))
    texts = [f"A woman asks.\nAgree?\nAnswer: {answer}" for answer in ("Yes", "No")]
    told = [total(planted, text) - total(EVEN, text) for text in texts]
    assert told[0] - told[1] == pytest.approx(delta)
    assert max(told) <= 0, "no probability gets above 1"


def test_what_asks_for_no_answer_is_left_alone() -> None:
    planted = plant(EVEN, answers=[AnswerTilt(("yes",), -0.7)])
    for text in ("yes", "Answer:", "A woman said yes", "Answer: yes\nhe likes"):
        assert total(planted, text) == total(EVEN, text)


def test_tilted_answers_are_part_of_what_a_model_is() -> None:
    facts = [plant(EVEN, answers=[AnswerTilt(("Yes",), delta)]).facts.weights_sha256 for delta in (0.1, 0.2)]
    assert len({*facts, plant(EVEN).facts.weights_sha256}) == 3
