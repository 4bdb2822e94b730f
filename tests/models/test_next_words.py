"""Whole words after a prompt, against a direct product over pieces: one row and one forward pass at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as some

from tiltmeter.errors import ModelError, UserError
from tiltmeter.measures.next_words import group_probability
from tiltmeter.models import ModelSettings, as_predictor, load
from tiltmeter.models.next_words import JOINED, SEVERAL_BLANKS, before_blank, from_top_logprobs, spellings
from tiltmeter.models.scripted import ScriptedModel

from .conftest import CAUSAL, MASKED

ONE_THREAD = ModelSettings(device="cpu", threads=1)
PROMPTS = ["The nurse said that", "The metalsmith said that", "My brother-in-law is", "Zoë's café serves"]
WORDS = ["he", "she", "unbelievably", "electrical engineer", "theirs", "crème"]


class Plain:
    """A causal checkpoint used in the plainest way."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def chances(self, ids: list[int], mask: list[int] | None = None) -> Any:
        import torch

        given = {} if mask is None else {"attention_mask": torch.tensor([mask])}
        if mask is not None:
            given["position_ids"] = torch.arange(len(ids))[None]
        with torch.no_grad():
            return self.model(torch.tensor([ids]), **given).logits[0, -1].softmax(-1)

    def ends(self, chances: Any) -> float:
        """The chance of the tokens that do not go on with a word."""
        return sum(float(chances[token]) for token in range(len(self.tokenizer)) if not self.lengthens(token))

    def lengthens(self, token: int) -> bool:
        text = self.tokenizer.decode(
            [*self.ids("a"), token], skip_special_tokens=True, clean_up_tokenization_spaces=False
        ).removeprefix("a")
        return text[:1].isalnum() or text[:1] in ("-", "_", "\ufffd")

    def union(self, start: list[int], prompt: str, written: list[str], bounded: bool) -> float:
        """The chance that what comes next begins with any of these, each pieces that begin with no other of them."""
        before = self.ids(prompt)
        rows = {tuple(self.ids(prompt + way)[len(before) :]) for way in written}

        def within(longer: tuple[int, ...], shorter: tuple[int, ...]) -> bool:
            goes_on = len(longer) > len(shorter) and longer[: len(shorter)] == shorter
            return goes_on and not (bounded and self.lengthens(longer[len(shorter)]))

        total = 0.0
        for pieces in rows:
            if not any(within(pieces, other) for other in rows):
                chance = self.product(start, before, list(pieces))
                total += chance * (self.ends(self.chances([*start, *before, *pieces])) if bounded else 1.0)
        return total

    def product(self, start: list[int], before: list[int], pieces: list[int]) -> float:
        total, row = 1.0, [*start, *before]
        for piece in pieces:
            total *= float(self.chances(row)[piece])
            row.append(piece)
        return total


@pytest.fixture(params=[*CAUSAL, "metaspace"])
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(family: str, checkpoint: Callable[[str], Path], tmp_path: Path) -> Path:
    return checkpoint(family) if family != "metaspace" else metaspace(tmp_path / "metaspace")


def metaspace(folder: Path) -> Path:
    """A Llama with a tokenizer of the SentencePiece kind: "▁" for a space, one before every text."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    from .conftest import _TRAINING

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    tokenizer.train_from_iterator(
        _TRAINING, trainers.BpeTrainer(vocab_size=150, special_tokens=["<unk>", "<s>", "</s>"])
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=len(fast),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=48,
        max_position_embeddings=64,
        initializer_range=0.4,
        bos_token_id=1,
        eos_token_id=2,
    )
    transformers.LlamaForCausalLM(config).eval().save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_a_word_is_the_product_of_its_pieces(folder: Path) -> None:
    plain, model = Plain(folder), as_predictor(load(f"hf:{folder}", ONE_THREAD))
    start = list(model._start)
    several = 0
    for prompt, found in zip(PROMPTS, model.next_words(PROMPTS, WORDS), strict=True):
        before = plain.ids(prompt)
        for word in found.words:
            whole = plain.ids(f"{prompt} {word.word}")
            assert whole[: len(before)] == before
            pieces = whole[len(before) :]
            several += len(pieces) > 1
            if plain.tokenizer.unk_token_id in pieces:
                assert word.unscored == "the tokenizer does not know the word"
            else:
                assert word.probability == pytest.approx(plain.product(start, before, pieces), abs=1e-5)
                assert word.logprob == pytest.approx(math.log(plain.product(start, before, pieces)), abs=1e-4)
        first, second = sorted(plain.chances([*start, *before]).tolist(), reverse=True)[:2]
        assert found.highest == pytest.approx(first, abs=1e-5)
        assert found.gap == pytest.approx(first - second, abs=1e-5)
    assert several > 4


@pytest.mark.slow
def test_bounded_multiplies_by_the_chance_that_the_word_ends(folder: Path) -> None:
    plain, model = Plain(folder), as_predictor(load(f"hf:{folder}", ONE_THREAD))
    start, prompt, words = list(model._start), PROMPTS[0], ["he", "she", "electrical engineer"]
    [free], [bound] = (model.next_words([prompt], words, bounded=bounded) for bounded in (False, True))
    before = plain.ids(prompt)
    for word, one, other in zip(words, free.words, bound.words, strict=True):
        whole = plain.ids(f"{prompt} {word}")
        ends = plain.ends(plain.chances([*start, *whole]))
        assert 0 < ends < 1
        assert other.probability == pytest.approx((one.probability or 0) * ends, rel=1e-3)
        assert plain.ids(f"{prompt} {word}")[: len(before)] == before


NESTED = ["he", "He", "her", "hers", "nurse", "Nurse", "nurse said", "nurse said that", "nurse's", "nurses", "tired"]


@pytest.mark.slow
def test_the_chance_of_a_group_is_that_of_any_of_its_words_and_never_above_one(folder: Path) -> None:
    plain, model = Plain(folder), as_predictor(load(f"hf:{folder}", ONE_THREAD))
    start = list(model._start)

    @settings(max_examples=25, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(
        some.sampled_from(["", PROMPTS[0], "The"] if start else PROMPTS[:2]),
        some.lists(some.sampled_from(NESTED), min_size=2, unique=True),
        some.booleans(),
        some.sampled_from([None, True, False]),
    )
    def holds(prompt: str, words: list[str], bounded: bool, capitalised: bool | None) -> None:
        [found] = model.next_words([prompt], words, bounded=bounded, capitalised=capitalised)
        scored = [word for word in found.words if word.logprob is not None]
        assume(scored)
        chance, reason = group_probability(scored)
        forms = [
            form
            for word in [one.word for one in scored]
            for form in ([word, word[0].upper() + word[1:]] if (capitalised or not prompt) else [word])
            if capitalised is not False or form == word
        ]
        written = [space + form for form in forms for space in ([" "] if prompt else ["", " "])]
        assert chance is not None
        assert chance <= 1, reason
        assert chance == pytest.approx(plain.union(start, prompt, written, bounded), rel=1e-3)

    holds()


@pytest.mark.slow
def test_capitals_are_not_counted_twice_at_the_start_of_a_text(folder: Path, family: str) -> None:
    model = as_predictor(load(f"hf:{folder}", ONE_THREAD))
    prompts = [""] if model._start else ["A list:\n"]
    [found] = model.next_words(prompts, ["he", "He"], capitalised=True)
    assert group_probability(found.words)[0] == pytest.approx(found.words[0].probability)
    [after] = model.next_words(["The nurse said that"], ["he", "He"])
    assert group_probability(after.words)[0] == pytest.approx(sum(word.probability or 0 for word in after.words))


@pytest.mark.slow
@pytest.mark.parametrize("family", MASKED)
def test_in_a_blank_only_words_written_alike_share_their_chance(family: str, checkpoint: Callable[[str], Path]) -> None:
    model = as_predictor(load(f"hf:{checkpoint(family)}", ONE_THREAD))
    [found] = model.next_words(["The nurse said that [MASK]."], ["he", "He", "nurse", "nurse said"])
    he, capital, nurse, said = found.words
    assert (nurse.shared, said.shared) == ((), ())
    once = family != "roberta"
    assert capital.shared == (((("he",), he.logprob),) if once else ())
    assert group_probability([he, capital])[0] == pytest.approx(
        (he.probability or 0) + (0 if once else capital.probability or 0)
    )


@pytest.mark.slow
def test_what_is_hidden_is_not_attended_to_and_nothing_moves(folder: Path) -> None:
    plain, model = Plain(folder), as_predictor(load(f"hf:{folder}", ONE_THREAD))
    start, prompt = list(model._start), "The metalsmith said that"
    span = (4, 14)
    [found] = model.next_words([prompt], ["he"], hidden=[[span]])
    ids, offsets = plain.ids(prompt), plain.tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=True)
    seen = [int(end <= span[0] or begin >= span[1] or end <= span[0] + 1) for begin, end in offsets["offset_mapping"]]
    assert 0 in seen
    [piece] = plain.ids(f"{prompt} he")[len(ids) :][:1]
    expected = float(plain.chances([*start, *ids], [*([1] * len(start)), *seen])[piece])
    [plainly] = model.next_words([prompt], ["he"])
    pieces = plain.ids(f"{prompt} he")[len(ids) :]
    if len(pieces) == 1:
        assert found.words[0].probability == pytest.approx(expected, abs=1e-5)
    assert found.words[0].probability != pytest.approx(plainly.words[0].probability or 0, rel=1e-3)


@pytest.mark.slow
def test_answers_do_not_depend_on_what_else_is_asked(folder: Path) -> None:
    model = as_predictor(load(f"hf:{folder}", ONE_THREAD))
    together = model.next_words([*PROMPTS, PROMPTS[0]], WORDS, bounded=True)
    for prompt, found in zip([*PROMPTS, PROMPTS[0]], together, strict=True):
        for at, word in enumerate(WORDS):
            [alone] = model.next_words([prompt], [[word]], bounded=True)
            if alone.words[0].logprob is None:
                assert found.words[at].unscored == alone.words[0].unscored
            else:
                assert found.words[at].logprob == pytest.approx(alone.words[0].logprob, abs=1e-4)


@pytest.mark.slow
def test_at_the_start_of_a_text_all_ways_to_write_the_word_count(checkpoint: Callable[[str], Path]) -> None:
    plain, model = Plain(checkpoint("gpt2")), as_predictor(load(f"hf:{checkpoint('gpt2')}", ONE_THREAD))
    start = list(model._start)
    [found] = model.next_words([""], ["women"])
    expected = sum(plain.product(start, [], plain.ids(way)) for way in ("women", "Women", " women", " Women"))
    assert found.words[0].probability == pytest.approx(expected, abs=1e-6)
    [small] = model.next_words([""], ["women"], capitalised=False)
    assert small.words[0].probability == pytest.approx(
        sum(plain.product(start, [], plain.ids(way)) for way in ("women", " women")), abs=1e-6
    )


@pytest.mark.slow
def test_equal_prompts_and_beginnings_are_computed_once(
    checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tiltmeter.models.network import Network

    model = as_predictor(load(f"hf:{checkpoint('gpt2')}", ONE_THREAD))
    computed: list[int] = []
    original = Network._inputs

    def counted(self: Network, kept: Any, first: int, last: int) -> Any:
        computed.append(last - first)
        return original(self, kept, first, last)

    monkeypatch.setattr(Network, "_inputs", counted)
    model.next_words(["The nurse said that"] * 3, ["he", "she"])
    assert sum(computed) == 1
    computed.clear()
    # Everything is read off the one row that goes on to the last piece but one.
    model.next_words(["The nurse said that"], ["he", "unbelievably tired", "unbelievably she"])
    assert sum(computed) == 1
    computed.clear()
    # To see whether a word ends, each needs a row of its own.
    model.next_words(["The nurse said that"], ["he", "unbelievably tired", "unbelievably she"], bounded=True)
    assert sum(computed) == 3


def test_a_prompt_without_room_or_start_is_unscored_with_the_reason() -> None:
    found = before_blank("He said [MASK] left.")
    assert found is None
    assert spellings("he", 'He said "', None) == ["he"]
    assert spellings("he", "He said 'no'", None) == [" he"]
    assert spellings("he", "A list:\n", None) == ["he"]
    assert JOINED


@pytest.mark.parametrize(
    ("before", "way"),
    [("The doctor said -", " he"), ("The doctor said —", " he"), ("The doctor—", "he"), ("self-", "he"), ("-", " he")],
)
def test_a_dash_opens_only_where_no_space_stands_before_it(before: str, way: str) -> None:
    assert spellings("he", before, None) == [way]


@pytest.mark.parametrize(
    ("before", "word", "space"),
    [
        ("护士说", "他", ""),
        ("护士说，", "他", ""),
        ("看護師は", "彼", ""),
        ("ナース", "が", ""),
        ("พยาบาลบอกว่า", "เขา", ""),
        ("ພະຍາບານເວົ້າວ່າ", "ລາວ", ""),
        ("គិលានុបដ្ឋាយិកានិយាយថា", "គាត់", ""),
        ("သူနာပြုက", "သူ", ""),
        ("护士说 OK", "他", " "),
        ("护士说", "he", " "),
        ("간호사가", "그는", " "),
    ],
)
def test_scripts_without_spaces_have_none_before_a_word(before: str, word: str, space: str) -> None:
    assert spellings(word, before, None) == [space + word]


@pytest.mark.slow
def test_a_prompt_too_long_is_unscored(checkpoint: Callable[[str], Path]) -> None:
    model = as_predictor(load(f"hf:{checkpoint('gpt2')}", ONE_THREAD))
    [found] = model.next_words(["nurse " * 200], ["he"])
    assert found.words[0].logprob is None
    assert "reads at most 64" in (found.words[0].unscored or "")
    [middle, twice] = model.next_words(["The [MASK] was tired", "[MASK] and [MASK]"], ["he"])
    assert "left to right" in (middle.words[0].unscored or "")
    assert "more than once" in (twice.words[0].unscored or "")
    [ended] = model.next_words(["The nurse said that [MASK]."], ["he"])
    [plain] = model.next_words(["The nurse said that "], ["he"])
    assert ended == plain


@pytest.mark.slow
@pytest.mark.parametrize("family", MASKED)
def test_masked_models_fill_a_blank_from_left_to_right(family: str, checkpoint: Callable[[str], Path]) -> None:
    from .test_masked import Plain as PlainMasked
    from .test_masked import masked

    plain, model = PlainMasked(checkpoint(family)), as_predictor(load(f"hf:{checkpoint(family)}", ONE_THREAD))
    prompts = {
        "The nurse said that": "The nurse said that {}.",
        "The nurse said [MASK] was tired.": "The nurse said {} was tired.",
    }
    words = ["he", "she", "unbelievably", "metalsmith"]
    several = 0
    for (prompt, text), found in zip(prompts.items(), model.next_words(list(prompts), words), strict=True):
        for word in found.words:
            filled = text.format(word.word)
            begin = text.index("{")
            ids = plain.tokenizer(filled)["input_ids"]
            offsets = plain.tokenizer(filled, return_offsets_mapping=True)["offset_mapping"]
            # From the end of the word before, so that a piece that is only the space belongs to it.
            places = [at for at in plain.inner(ids) if begin <= offsets[at][1] <= begin + len(word.word)]
            places = [at for at in places if offsets[at][0] >= begin - 1]
            several += len(places) > 1
            expected = sum(
                plain.logprob(masked(ids, places[index:], plain.mask), place, ids[place])
                for index, place in enumerate(places)
            )
            assert word.logprob == pytest.approx(expected, abs=1e-4), (prompt, word.word)
    assert several


@pytest.mark.slow
def test_certainty_of_a_masked_model_is_that_of_one_mask(checkpoint: Callable[[str], Path]) -> None:
    from .test_masked import Plain as PlainMasked

    plain, model = PlainMasked(checkpoint("bert")), as_predictor(load(f"hf:{checkpoint('bert')}", ONE_THREAD))
    [found] = model.next_words(["The nurse said that"], ["unbelievably"])
    ids = plain.tokenizer("the nurse said that [MASK].")["input_ids"]
    chances = plain.logits(ids)[ids.index(plain.mask)].softmax(-1)
    first, second = sorted(chances.tolist(), reverse=True)[:2]
    assert (found.highest, found.gap) == (pytest.approx(first, abs=1e-5), pytest.approx(first - second, abs=1e-5))


@pytest.mark.slow
def test_a_word_that_the_tokenizer_does_not_know_is_unscored(checkpoint: Callable[[str], Path]) -> None:
    model = as_predictor(load(f"hf:{checkpoint('bert')}", ONE_THREAD))
    [found] = model.next_words(["The nurse said that"], ["漢", "he"])
    assert found.words[0].unscored == "the tokenizer does not know the word"
    assert found.words[1].logprob is not None


@pytest.mark.slow
def test_hiding_changes_what_a_masked_model_expects(checkpoint: Callable[[str], Path]) -> None:
    model = as_predictor(load(f"hf:{checkpoint('bert')}", ONE_THREAD))
    prompts = ["The nurse said [MASK] was tired.", "The engineer said [MASK] was tired."]
    plain = model.next_words(prompts, ["he"])
    hidden = model.next_words(prompts, ["he"], hidden=[[(4, 9)], [(4, 12)]])
    after = model.next_words(prompts[:1], ["he"], hidden=[[(26, 31)]])
    assert plain[0].words[0].logprob != pytest.approx(hidden[0].words[0].logprob, abs=1e-3)
    assert plain[0].words[0].logprob != pytest.approx(after[0].words[0].logprob, abs=1e-3)


@pytest.mark.slow
def test_the_embedded_model_gives_the_figures_of_a_direct_computation() -> None:
    from tiltmeter.models import embedded

    if not embedded.is_cached():
        pytest.skip("smollm2-135m is not in the cache")
    model = as_predictor(load("smollm2-135m", ONE_THREAD))
    prompts = [f"The {one} said that" for one in ("nurse", "metalsmith", "secretary")]
    found = model.next_words(prompts, ["he", "she"])
    # Seen with plain transformers and the start token `<|endoftext|>`.
    expected = [(0.013, 0.131), (0.078, 0.028), (0.059, 0.268)]
    for one, chances in zip(found, expected, strict=True):
        assert [word.probability for word in one.words] == pytest.approx(chances, abs=6e-4)
    import torch

    network, tokenizer = model._network.model, model._encoder.tokenizer
    words = ["he", "theirs", "metalsmiths", "she herself"]
    for prompt, one in zip(prompts, model.next_words(prompts, words), strict=True):
        before = [0, *tokenizer(prompt, add_special_tokens=False)["input_ids"]]
        for word in one.words:
            row, total = list(before), 1.0
            for piece in tokenizer(f" {word.word}", add_special_tokens=False)["input_ids"]:
                with torch.no_grad():
                    total *= float(network(torch.tensor([row])).logits[0, -1].softmax(-1)[piece])
                row.append(piece)
            assert word.probability == pytest.approx(total, abs=1e-5)

    # Where one word begins another: *York* holds *York City*.
    york = ["York", "York City", "York State"]
    for bounded in (False, True):
        [found_york] = model.next_words(["The capital of New York State lies in New"], york, bounded=bounded)
        assert sum(word.probability or 0 for word in found_york.words) > 1
        chance, _ = group_probability(found_york.words)
        assert chance == pytest.approx(found_york.words[0].probability)

    # Without a space in Chinese, also behind a full-width comma.
    for prompt in ("护士说", "医生来了，"):
        before = [0, *tokenizer(prompt, add_special_tokens=False)["input_ids"]]
        both = [0, *tokenizer(f"{prompt}他", add_special_tokens=False)["input_ids"]]
        assert both[: len(before)] == before
        [he] = model.next_words([prompt], ["他"])[0].words
        with torch.no_grad():
            logprobs = network(torch.tensor([both])).logits[0].log_softmax(-1)
        total = sum(float(logprobs[place - 1, both[place]]) for place in range(len(before), len(both)))
        assert he.logprob == pytest.approx(total, abs=1e-4)


def test_a_table_gives_chances_that_can_be_worked_out_by_hand() -> None:
    model = ScriptedModel({"he": 1, "she": 1, "other": 2}, {"nurse": {"she": math.log(3)}})
    plain, nurse, hidden = model.next_words(
        ["The smith said", "The nurse said", "The nurse said"], ["he", "she", "she herself"], hidden=[[], [], [(4, 9)]]
    )
    assert [word.probability for word in plain.words[:2]] == pytest.approx([1 / 4, 1 / 4])
    # After `nurse`, she weighs 3 of 1 + 3 + 2; `herself` is another word, with the weight 2 of `other`.
    assert [word.probability for word in nurse.words] == pytest.approx([1 / 6, 3 / 6, 3 / 6 * 2 / 6])
    assert (nurse.highest, nurse.gap) == pytest.approx((3 / 6, 1 / 6))
    assert hidden.words == plain.words


def test_of_an_api_only_the_tokens_it_lists_are_scored() -> None:
    top = {" he": math.log(0.4), " a": math.log(0.2), " He": math.log(0.1)}
    found = from_top_logprobs(["he", "she"], top, prompt="The nurse said that")
    assert found.words[0].probability == pytest.approx(0.4)
    assert found.words[1].logprob is None
    assert "3 most probable" in (found.words[1].unscored or "")
    assert (found.highest, found.gap) == pytest.approx((0.4, 0.2))
    assert from_top_logprobs(["he"], {}, prompt="The nurse said that").highest is None


def test_of_an_api_a_word_counts_only_with_all_ways_to_write_it() -> None:
    top = {" he": math.log(0.4), " He": math.log(0.1)}
    [partly] = from_top_logprobs(["he"], top, prompt="").words
    assert partly.logprob is None
    assert partly.unscored == (
        "'he', 'He': not among the 2 most probable next tokens, the least of which has probability 0.1"
    )
    top |= {"he": math.log(0.2), "He": math.log(0.2)}
    small, capital = from_top_logprobs(["he", "He"], top, prompt="").words
    assert (small.probability, capital.probability) == pytest.approx((0.9, 0.3))
    assert group_probability([small, capital])[0] == pytest.approx(0.9)
    [twice] = from_top_logprobs(["he"], top, prompt="[MASK] and [MASK] left").words
    assert twice.unscored == SEVERAL_BLANKS
    with pytest.raises(TypeError, match="prompt"):
        from_top_logprobs(["he"], top)  # type: ignore[call-arg]


def test_questions_that_make_no_sense_are_refused() -> None:
    model = as_predictor(load("scripted"))
    with pytest.raises(UserError, match="must not be blank"):
        model.next_words(["The nurse"], [" "])
    with pytest.raises(UserError, match="each prompt"):
        model.next_words(["The nurse"], [["he"], ["she"]])
    with pytest.raises(UserError, match="a list of words"):
        model.next_words(["The nurse"], "he")
    with pytest.raises(UserError, match="hidden"):
        model.next_words(["The nurse"], ["he"], hidden=[])


def test_a_model_without_the_verb_is_refused() -> None:
    class Mute:
        facts = load("scripted").facts
        conditionings = ("left",)

        def score(self, texts: Any, **_: Any) -> list[Any]:
            return []

    with pytest.raises(ModelError, match="no probabilities for next words"):
        as_predictor(Mute())
