"""Tokenizers that give the space before a word as a piece of its own: it is a piece of that word, whatever is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.measures.scorers import find
from tiltmeter.models import ModelSettings, encoding, load
from tiltmeter.models.api.echo import spans_of
from tiltmeter.records import Pair

ONE_THREAD = ModelSettings(device="cpu", threads=1)
MASKED = ("albert", "xlm-roberta", "camembert", "deberta-v2", "roberta-trimmed", "unsplit")
CAUSAL = ("llama-prefix", "llama-no-prefix", "llama-legacy")
TEXT = "The nurse said that Zanzibar was tired."
TERM = (20, 28)
_SEEN = ["The nurse said that he was tired.", "Women and men said that the nurse was tired."] * 4
_LETTERS = "ZTO abcdefghijklmnopqrstuvwxyz"
_SPECIALS = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]


@pytest.fixture(scope="session")
def spaced(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def make(family: str) -> Path:
        if family not in made:
            made[family] = _save(family, tmp_path_factory.mktemp("spaced") / family)
        return made[family]

    return make


def _tokenizer(family: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    letters = sorted({*_LETTERS} - {" "})
    if family in (*CAUSAL, "roberta-trimmed"):
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        trainer: Any = trainers.BpeTrainer(
            vocab_size=300, special_tokens=_SPECIALS, initial_alphabet=[*letters, "▁"], min_frequency=4
        )
    else:
        tokenizer = Tokenizer(models.Unigram())
        trainer = trainers.UnigramTrainer(
            vocab_size=90, special_tokens=_SPECIALS, unk_token="<unk>", initial_alphabet=letters
        )
    scheme = "never" if family == "llama-no-prefix" else "always"
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    if family == "roberta-trimmed":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        trainer.initial_alphabet = pre_tokenizers.ByteLevel.alphabet()
        tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(_SEEN, trainer)
    # Words are learnt one by one; these two then read a text as one.
    if family == "unsplit":
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
    elif family == "llama-legacy":
        tokenizer.pre_tokenizer = pre_tokenizers.Split("\n", "isolated")
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    ids = {name: tokenizer.token_to_id(name) for name in _SPECIALS}
    ends = [("<s>", ids["<s>"]), ("</s>", ids["</s>"])]
    if family == "roberta-trimmed":
        tokenizer.post_processor = processors.RobertaProcessing(ends[1], ends[0], trim_offsets=True)
    elif family in CAUSAL:
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=ends[:1])
    else:
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    names = {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    masks = {} if family in CAUSAL else {"mask_token": "<mask>", "cls_token": "<s>", "sep_token": "</s>"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names, **masks)


def _save(family: str, folder: Path) -> Path:
    import torch
    import transformers

    torch.set_num_threads(1)
    torch.manual_seed(11)
    tokenizer = _tokenizer(family)
    common = {
        "vocab_size": len(tokenizer),
        "initializer_range": 0.4,
        "pad_token_id": 0,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 48,
        "max_position_embeddings": 130,
    }
    if family in CAUSAL:
        config: Any = transformers.LlamaConfig(num_key_value_heads=1, bos_token_id=2, eos_token_id=3, **common)
        network: Any = transformers.LlamaForCausalLM(config)
    elif family == "albert":
        network = transformers.AlbertForMaskedLM(transformers.AlbertConfig(embedding_size=24, **common))
    elif family == "deberta-v2":
        network = transformers.DebertaV2ForMaskedLM(transformers.DebertaV2Config(**common))
    elif family == "camembert":
        network = transformers.CamembertForMaskedLM(transformers.CamembertConfig(**common))
    elif family == "xlm-roberta":
        network = transformers.XLMRobertaForMaskedLM(transformers.XLMRobertaConfig(**common))
    else:
        network = transformers.RobertaForMaskedLM(transformers.RobertaConfig(**common))
    network.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


class Plain:
    """A checkpoint used in the plainest way."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.mask = self.tokenizer.mask_token_id
        kind: Any = AutoModelForCausalLM if self.mask is None else AutoModelForMaskedLM
        self.model: Any = kind.from_pretrained(folder, dtype=torch.float32).eval()

    def ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text)["input_ids"])

    def logits(self, ids: Sequence[int]) -> Any:
        import torch

        with torch.no_grad():
            return self.model(torch.tensor([list(ids)])).logits[0]

    def pieces_between(self, before: str, after: str, whole: str) -> list[int]:
        """The places of the tokens that a text has more than its beginning and its end have."""
        ids, start, end = self.ids(whole), self.ids(before), self.ids(after)
        first = 0
        while first < len(start) and ids[first] == start[first]:
            first += 1
        last = 0
        while last < len(end) and ids[-1 - last] == end[-1 - last]:
            last += 1
        return list(range(first, len(ids) - last))

    def filled(self, ids: list[int], places: list[int]) -> float:
        """The log-probability of the tokens at these places, all hidden, filled from left to right."""
        total = 0.0
        for index, place in enumerate(places):
            row = [self.mask if at in places[index:] else token for at, token in enumerate(ids)]
            total += float(self.logits(row)[place].log_softmax(-1)[ids[place]])
        return total


@pytest.mark.slow
@pytest.mark.parametrize("family", MASKED)
@pytest.mark.parametrize(("prompt", "after"), [("The nurse said that", "."), ("The nurse [MASK] tired.", " tired.")])
def test_a_masked_word_is_all_its_pieces(family: str, prompt: str, after: str, spaced: Any) -> None:
    plain, model = Plain(spaced(family)), load(f"hf:{spaced(family)}", ONE_THREAD)
    words = ["Zanzibar", "Timbuktu", "Oslo", "he"]
    [found] = model.next_words([prompt], words)  # type: ignore[attr-defined]
    before = prompt.partition(" [MASK]")[0]
    bare = 0
    for answer in found.words:
        whole = f"{before} {answer.word}{after}"
        ids, places = plain.ids(whole), plain.pieces_between(before, f"a{after}", whole)
        assert plain.tokenizer.decode([ids[place] for place in places]).strip() == answer.word
        assert plain.tokenizer.unk_token_id not in ids
        bare += plain.tokenizer.convert_ids_to_tokens(ids[places[0]]) in "▁Ġ"
        assert answer.logprob == pytest.approx(plain.filled(ids, places), abs=1e-3)
    assert bare >= 3


@pytest.mark.slow
@pytest.mark.parametrize("family", MASKED)
def test_the_scorers_of_masked_models_count_it_with_the_term(family: str, spaced: Any) -> None:
    plain, model = Plain(spaced(family)), load(f"hf:{spaced(family)}", ONE_THREAD)
    ids = plain.ids(TEXT)
    places = plain.pieces_between(TEXT[:19], "a was tired.", TEXT)
    assert plain.tokenizer.convert_ids_to_tokens(ids[places[0]]) in "▁Ġ"
    [slot] = model.score([TEXT], conditioning="slot", spans=[(TERM,)])
    assert sum(value for value in slot.logprobs if value is not None) == pytest.approx(
        plain.filled(ids, places), abs=1e-3
    )
    [published] = model.score([TEXT], conditioning="one-mask-logits", spans=[(TERM,)])
    row = [*ids[: places[0]], plain.mask, *ids[places[-1] + 1 :]]
    logits = plain.logits(row)[places[0]]
    assert published.logprobs == pytest.approx([float(logits[ids[place]]) for place in places], abs=1e-3)
    # Within a word all later pieces are hidden with the space, and no piece of the word before.
    [within] = model.score([TEXT], conditioning="within-word")
    for index, place in enumerate(places):
        row = [plain.mask if at in places[index:] else token for at, token in enumerate(ids)]
        expected = float(plain.logits(row)[place].log_softmax(-1)[ids[place]])
        assert within.logprobs[place - 1] == pytest.approx(expected, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["albert", "roberta-trimmed"])
def test_shared_tokens_share_the_space_before_either_term(family: str, spaced: Any) -> None:
    plain, model = Plain(spaced(family)), load(f"hf:{spaced(family)}", ONE_THREAD)
    texts = (TEXT, TEXT.replace("Zanzibar", "Timbuktu"))
    scorer = find("crows", "masked")
    pair = Pair("1", "s", "b", "o", texts, ("x", "y"), ("Zanzibar", "Timbuktu"), group_spans=((TERM,), (TERM,)))
    answers = {query: model.score([query.text], conditioning="token")[0] for query in scorer.asks(pair)}
    found = scorer.score(pair, answers)
    rows = [plain.ids(text) for text in texts]
    assert found.scores is not None
    for side, ids in enumerate(rows):
        other = rows[1 - side]
        blocks = SequenceMatcher(None, ids, other, autojunk=False).get_matching_blocks()
        shared = [block.a + step for block in blocks for step in range(block.size)]
        expected = sum(
            float(plain.logits([*ids[:at], plain.mask, *ids[at + 1 :]])[at].log_softmax(-1)[ids[at]])
            for at in shared
            if 0 < at < len(ids) - 1
        )
        assert found.scores[side] == pytest.approx(expected, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("family", CAUSAL)
def test_causal_models_count_it_with_the_word(family: str, spaced: Any) -> None:
    plain, model = Plain(spaced(family)), load(f"hf:{spaced(family)}", ONE_THREAD)
    prompt, ids = TEXT[:19], plain.ids(TEXT)
    logprobs = plain.logits(ids).log_softmax(-1)
    each = [float(logprobs[place - 1][ids[place]]) for place in range(1, len(ids))]
    start = len(plain.ids(prompt))
    end = len(plain.ids(TEXT[:28]))
    assert plain.tokenizer.convert_ids_to_tokens(ids[start]) == "▁"
    [found] = model.next_words([prompt], ["Zanzibar"])  # type: ignore[attr-defined]
    assert found.words[0].logprob == pytest.approx(sum(each[start - 1 : end - 1]), abs=1e-3)
    scorer = find("rest", "causal")
    other = TEXT.replace("Zanzibar", "Timbuktu")
    pair = Pair("1", "s", "b", "o", (TEXT, other), ("x", "y"), ("Zanzibar", "Timbuktu"), group_spans=((TERM,), (TERM,)))
    answers = {query: model.score([query.text], conditioning="left")[0] for query in scorer.asks(pair)}
    scores = scorer.score(pair, answers).scores
    assert scores is not None
    assert scores[0] == pytest.approx(sum(each[: start - 1]) + sum(each[end - 1 :]), abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("family", CAUSAL)
def test_the_space_alone_may_begin_a_likely_word(family: str, spaced: Any) -> None:
    plain, model = Plain(spaced(family)), load(f"hf:{spaced(family)}", ONE_THREAD)
    letters = "ZTOabdekilmnorstuw"
    every = [*letters, *("".join(two) for two in product(letters, repeat=2))]
    seen = 0
    for prompt in ("The nurse said that", "Women and men", "The nurse", "He was tired", "Zan", "The men said the"):
        start = len(plain.ids(prompt))
        first = [plain.tokenizer.convert_ids_to_tokens(plain.ids(f"{prompt} {word}")[start]) for word in every]
        words = [word for word, piece in zip(every, first, strict=True) if piece == "▁"]
        [asked] = model.next_words([prompt], words, bounded=True)  # type: ignore[attr-defined]
        [listed] = model.likeliest([prompt], 40)  # type: ignore[attr-defined]
        found = {one.word: one.logprob for one in listed.words if one.logprob is not None}
        both = {one.word: one.logprob for one in asked.words if one.word in found}
        assert "" not in found
        assert all(found[word] == pytest.approx(logprob, abs=1e-3) for word, logprob in both.items())
        seen += len(both)
    assert seen


def test_only_the_space_right_before_a_word_is_a_piece_of_it() -> None:
    assert encoding.visible_spans("a  Zan\nZan", [(0, 1), (1, 2), (2, 3), (3, 6), (6, 7), (7, 10)]) == (
        *((0, 1), (1, 2), (2, 4), (3, 6)),
        *((6, 7), (7, 10)),
    )
    # Offsets that were trimmed, and a space that the tokenizer put before the text.
    assert encoding.visible_spans("a Zan", [(0, 0), (0, 1), (2, 2), (2, 5)]) == ((0, 1), (0, 1), (1, 3), (2, 5))
    assert encoding.visible_spans(" Zan", [(0, 0), (1, 4)]) == ((0, 2), (1, 4))
    assert encoding.visible_spans("a ", [(0, 1), (1, 2)]) == ((0, 1), (1, 2))


def test_a_servers_tokens_are_read_alike() -> None:
    assert spans_of("said Oslo", ["said", " ", "Os", "lo"]) == [(0, 4), (4, 6), (5, 7), (7, 9)]
    assert spans_of("said Oslo", ["said", "", "Os", "lo"]) == [(0, 4), (4, 6), (5, 7), (7, 9)]
