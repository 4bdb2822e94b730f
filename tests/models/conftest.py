"""Tiny random checkpoints of each family, with tokenizers trained here: real architectures, no download."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CAUSAL = ("gpt2", "llama", "qwen2")
MASKED = ("bert", "roberta", "distilbert", "electra")

SENTENCES = [
    "The nurse said that he was tired.",
    "The nurse said that she was tired.",
    "The metalsmith said that she was unbelievably tired, wasn't she?",
    "My brother-in-law is an electrical engineer.",
    "Zoë's café serves crème brûlée 🙂 to 👩‍🔬 scientists.",
    "Women",
    "a",
    "He  has   odd spacing",
    "The nurse said that he was tired.",
]
"""Texts with pieces, accents, emoji of several code points, odd spaces, one token, and one that stands twice."""

_TRAINING = [
    *SENTENCES,
    "The secretary and the engineer met the nurse.",
    "Men and women are scientists and nurses.",
] * 3


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes the folder of a family's tiny checkpoint, once a session."""
    made: dict[str, Path] = {}

    def make(family: str) -> Path:
        if family not in made:
            folder = tmp_path_factory.mktemp("checkpoints") / family
            save_checkpoint(family, folder)
            made[family] = folder
        return made[family]

    return make


def save_checkpoint(family: str, folder: Path) -> None:
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(7)
    wordpiece = family in {"bert", "distilbert", "electra"}
    tokenizer = wordpiece_tokenizer() if wordpiece else bytelevel_tokenizer(family)
    model = _network(family, tokenizer)
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def wordpiece_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=120, special_tokens=specials)
    tokenizer.train_from_iterator(_TRAINING, trainer)
    ends = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def bytelevel_tokenizer(family: str) -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    names = {
        "gpt2": {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"},
        "qwen2": {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
        "llama": {"bos_token": "<s>", "eos_token": "</s>"},
        "roberta": {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"},
    }[family]
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=360, special_tokens=specials, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(_TRAINING, trainer)
    ids = {name: tokenizer.token_to_id(name) for name in specials}
    if family == "roberta":
        tokenizer.post_processor = processors.RobertaProcessing(("</s>", ids["</s>"]), ("<s>", ids["<s>"]))
        names = names | {"mask_token": AddedToken("<mask>", lstrip=True, special=True)}
    elif family == "llama":
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", ids["<s>"])])
    else:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


def _network(family: str, tokenizer: Any) -> Any:
    import transformers

    # Weights far larger than usual, so that the tokens' probabilities differ and an error cannot hide.
    common = {"vocab_size": len(tokenizer), "initializer_range": 0.4, "pad_token_id": tokenizer.pad_token_id}
    encoder = common | {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 48,
        "max_position_embeddings": 64,
    }
    decoder = encoder | {"num_key_value_heads": 1, "bos_token_id": None, "eos_token_id": None}
    makers: dict[str, Callable[[], Any]] = {
        "gpt2": lambda: transformers.GPT2LMHeadModel(
            transformers.GPT2Config(n_embd=32, n_layer=2, n_head=2, n_positions=64, **common)
        ),
        "llama": lambda: transformers.LlamaForCausalLM(transformers.LlamaConfig(**decoder)),
        "qwen2": lambda: transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**decoder)),
        "bert": lambda: transformers.BertForMaskedLM(transformers.BertConfig(**encoder)),
        # Two positions are never used by this family.
        "roberta": lambda: transformers.RobertaForMaskedLM(
            transformers.RobertaConfig(**encoder | {"max_position_embeddings": 66})
        ),
        "distilbert": lambda: transformers.DistilBertForMaskedLM(
            transformers.DistilBertConfig(
                dim=32, n_layers=2, n_heads=2, hidden_dim=48, max_position_embeddings=64, **common
            )
        ),
        "electra": lambda: transformers.ElectraForMaskedLM(transformers.ElectraConfig(embedding_size=24, **encoder)),
    }
    return makers[family]()
