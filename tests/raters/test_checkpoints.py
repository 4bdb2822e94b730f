"""Raters that are checkpoints: tiny random ones with the right class names, against a direct computation."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.conftest import SENTENCES, bytelevel_tokenizer, wordpiece_tokenizer
from tiltmeter import raters
from tiltmeter.engine.cached import cached_rater
from tiltmeter.errors import ModelError
from tiltmeter.raters import checkpoint_files
from tiltmeter.records import Rating
from tiltmeter.store import Cache

pytestmark = pytest.mark.slow

CLASSES = {
    "sentiment.distilbert-sst2": ("distilbert", ["NEGATIVE", "POSITIVE"]),
    "toxicity.detoxify-original": (
        "bert",
        ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"],
    ),
    "toxicity.roberta-hate": ("roberta", ["nothate", "hate"]),
    "regard.sasha-v3": ("bert", ["negative", "neutral", "other", "positive"]),
}


def network(family: str, labels: list[str], tokenizer: Any) -> Any:
    import torch
    import transformers

    torch.set_num_threads(1)
    torch.manual_seed(5)
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: place for place, label in enumerate(labels)}}
    common = names | {"vocab_size": len(tokenizer), "initializer_range": 0.4, "pad_token_id": tokenizer.pad_token_id}
    wide = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
    if family == "distilbert":
        sizes = {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 48, "max_position_embeddings": 64}
        return transformers.DistilBertForSequenceClassification(transformers.DistilBertConfig(**sizes, **common))
    if family == "roberta":
        config = transformers.RobertaConfig(max_position_embeddings=66, **wide, **common)
        return transformers.RobertaForSequenceClassification(config)
    return transformers.BertForSequenceClassification(
        transformers.BertConfig(max_position_embeddings=64, **wide, **common)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def make(name: str) -> Path:
        if name not in made:
            family, labels = CLASSES[name]
            made[name] = tmp_path_factory.mktemp("raters") / name
            tokenizer = bytelevel_tokenizer("roberta") if family == "roberta" else wordpiece_tokenizer()
            network(family, labels, tokenizer).eval().save_pretrained(made[name])
            tokenizer.save_pretrained(made[name])
        return made[name]

    return make


def direct(folder: Path, text: str) -> dict[str, float]:
    """The probabilities of one text alone, by transformers."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    inputs = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt", truncation=True, max_length=64)
    inputs.pop("token_type_ids", None)
    with torch.inference_mode():
        logits = model(**inputs).logits[0]
    together = logits.sigmoid() if "obscene" in model.config.label2id else logits.softmax(-1)
    return {model.config.id2label[place].lower(): float(share) for place, share in enumerate(together)}


@pytest.mark.parametrize("name", CLASSES)
def test_ratings_are_those_of_the_checkpoint_text_by_text(name: str, folder: Callable[[str], Path]) -> None:
    rater = raters.load(f"{name}:{folder(name)}")
    ratings = rater.rate([*SENTENCES, "", "—"])
    assert [rating.unrated for rating in ratings[-2:]] == ["the text is empty", "no words to rate"]
    for text, rating in zip(SENTENCES, ratings, strict=False):
        shares = direct(folder(name), text)
        if name.startswith("regard"):
            label = max(shares, key=lambda label: shares[label])
            assert rating.label == label
            assert rating.value == {"negative": -1, "neutral": 0, "positive": 1, "other": None}[label]
            assert (rating.unrated is not None) == (label == "other")
            continue
        wanted = {
            "sentiment.distilbert-sst2": shares.get("positive", 0) - shares.get("negative", 0),
            "toxicity.detoxify-original": shares.get("toxic"),
            "toxicity.roberta-hate": shares.get("hate"),
        }[name]
        assert rating.value == pytest.approx(wanted, abs=2e-5)
    assert len(rater.facts["weights_sha256"]) == 64
    assert rater.name.startswith(f"hf.v1:{name}@") and rater.name == ratings[0].rater


@pytest.mark.parametrize("name", CLASSES)
def test_a_rating_does_not_depend_on_the_other_texts_to_the_last_bit(name: str, folder: Callable[[str], Path]) -> None:
    network = raters.load(f"{name}:{folder(name)}")._network  # type: ignore[attr-defined]
    texts = [" ".join(SENTENCES[at : at + size]) for size in range(1, 6) for at in range(len(SENTENCES))] * 3
    together = network.rows(texts)
    chance = random.Random(1)
    for size in (1, 5, 40, 100):
        some = chance.sample(range(len(texts)), size)
        assert (network.rows([texts[at] for at in some]) == together[some]).all()


def test_regard_gives_every_label_and_leaves_other_unrated(
    folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    rater: Any = raters.load(f"regard.sasha-v3:{folder('regard.sasha-v3')}")
    assert rater.wants_mask
    monkeypatch.setattr(rater._network, "rows", lambda texts: 9 * np.eye(4)[: len(texts)])
    ratings = rater.rate(["a", "b", "c", "d"])
    assert [rating.label for rating in ratings] == ["negative", "neutral", "other", "positive"]
    assert [rating.value for rating in ratings] == [-1.0, 0.0, None, 1.0]
    assert "other" in ratings[2].unrated


def test_a_long_text_is_cut_off_and_still_rated(folder: Callable[[str], Path]) -> None:
    for name in ("toxicity.roberta-hate", "toxicity.detoxify-original"):
        [rating] = raters.load(f"{name}:{folder(name)}").rate(["The nurse was tired. " * 200])
        assert rating.value is not None


def test_another_checkpoint_is_refused(folder: Callable[[str], Path]) -> None:
    with pytest.raises(ModelError, match="has no class `toxic`; its classes are nothate, hate"):
        raters.load(f"toxicity.detoxify-original:{folder('toxicity.roberta-hate')}")


def test_weights_that_can_run_code_are_refused(folder: Callable[[str], Path], tmp_path: Path) -> None:
    copy = tmp_path / "pickled"
    shutil.copytree(folder("toxicity.roberta-hate"), copy)
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    with pytest.raises(ModelError, match="has no model.safetensors; other formats can run code"):
        raters.load(f"toxicity.roberta-hate:{copy}")


def test_a_checkpoint_without_its_head_is_refused(tmp_path: Path) -> None:
    import transformers

    tokenizer = wordpiece_tokenizer()
    whole = network("bert", CLASSES["regard.sasha-v3"][1], tokenizer)
    transformers.BertModel(whole.config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="not a complete classifier: its weights lack classifier"):
        raters.load(f"regard.sasha-v3:{tmp_path}")


def test_without_the_hub_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub

    asked: list[Any] = []

    def unreachable(*arguments: Any, **options: Any) -> str:
        asked.append((arguments, options["revision"]))
        raise huggingface_hub.errors.LocalEntryNotFoundError("offline")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    with pytest.raises(ModelError, match="the hub cannot be reached; connect once, or give a folder: sentiment"):
        raters.load("sentiment.distilbert-sst2")
    with pytest.raises(ModelError, match="needs unitary/toxic-bert@abc, which is not in the cache"):
        raters.load("toxicity.detoxify-original:@abc")
    assert [revision for _, revision in asked] == ["714eb0fa89d2f80546fda750413ed43d93601a13", "abc"]
    with pytest.raises(ModelError, match="there is no folder"):
        raters.load(f"toxicity.roberta-hate:{tmp_path / 'none'}")


def swapped_classes(content: dict[str, Any]) -> None:
    content["id2label"] = {"0": "hate", "1": "nothate"}
    content["label2id"] = {"hate": 0, "nothate": 1}


def swapped_words(content: dict[str, Any]) -> None:
    words = content["model"]["vocab"]
    one, other = (next(word for word in words if word.endswith(end)) for end in ("nurse", "said"))
    words[one], words[other] = words[other], words[one]


@pytest.mark.parametrize(("file", "edit"), [("config.json", swapped_classes), ("tokenizer.json", swapped_words)])
def test_another_file_beside_the_same_weights_is_another_rater_to_the_cache(
    file: str, edit: Callable[[dict[str, Any]], None], folder: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder("toxicity.roberta-hate"), copy)

    def rated() -> tuple[dict[str, str], list[Rating]]:
        rater = cached_rater(raters.load(f"toxicity.roberta-hate:{copy}"), kept)
        return dict(rater.facts), rater.rate(SENTENCES)

    with Cache(tmp_path / "answers.sqlite") as kept:
        before, first = rated()
        content = json.loads((copy / file).read_text(encoding="utf-8"))
        edit(content)
        (copy / file).write_text(json.dumps(content), encoding="utf-8")
        after, second = rated()
        assert after["weights_sha256"] == before["weights_sha256"]
        assert after["files_sha256"] != before["files_sha256"]
        assert second == raters.load(f"toxicity.roberta-hate:{copy}").rate(SENTENCES) != first


def test_the_commit_of_the_hub_is_among_the_facts(
    folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = folder("toxicity.roberta-hate")
    monkeypatch.setattr(
        checkpoint_files,
        "_fetched",
        lambda name, repository, revision: checkpoint_files.CheckpointFolder(home, "f" * 40),
    )
    assert raters.load("toxicity.roberta-hate").facts["revision"] == "f" * 40
