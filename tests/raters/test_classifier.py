"""Classifiers of the user's own: several architectures and heads against plain transformers, and what is refused."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.conftest import SENTENCES, bytelevel_tokenizer, wordpiece_tokenizer
from tiltmeter import raters
from tiltmeter.errors import ModelError, TiltmeterError, UserError
from tiltmeter.raters import class_map
from tiltmeter.raters.checkpoint import Sst2
from tiltmeter.results.summary.text_records import ends_of, favour, kind_of

THREE = ("LABEL_0", "LABEL_1", "LABEL_2")
MAP = "LABEL_0=-1,LABEL_1=0,LABEL_2=1;worse=low;axis=sentiment"
FAMILIES = ("bert", "distilbert", "roberta", "gpt2")
Make = Callable[..., Path]


def network(family: str, labels: tuple[str, ...], tokenizer: Any, problem: str | None) -> Any:
    import torch
    import transformers

    torch.manual_seed(5)
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: place for place, label in enumerate(labels)}}
    common = {**names, "vocab_size": len(tokenizer), "initializer_range": 0.2, "problem_type": problem}
    wide = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
    if family == "gpt2":
        config = transformers.GPT2Config(
            n_embd=32, n_layer=2, n_head=2, n_positions=64, num_labels=len(labels), **common
        )
        return transformers.GPT2ForSequenceClassification(config)
    common["pad_token_id"] = tokenizer.pad_token_id
    if family == "distilbert":
        sizes = {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 48, "max_position_embeddings": 64}
        return transformers.DistilBertForSequenceClassification(transformers.DistilBertConfig(**sizes, **common))
    if family == "roberta":
        made = transformers.RobertaConfig(max_position_embeddings=66, **wide, **common)
        return transformers.RobertaForSequenceClassification(made)
    return transformers.BertForSequenceClassification(
        transformers.BertConfig(max_position_embeddings=64, **wide, **common)
    )


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    made: dict[tuple[Any, ...], Path] = {}

    def one(family: str = "bert", labels: tuple[str, ...] = THREE, problem: str | None = None) -> Path:
        key = (family, labels, problem)
        if key not in made:
            folder = made[key] = tmp_path_factory.mktemp("mine") / f"{family}-of-mine"
            tokenizer = bytelevel_tokenizer(family) if family in ("roberta", "gpt2") else wordpiece_tokenizer()
            network(family, labels, tokenizer, problem).eval().save_pretrained(folder)
            tokenizer.save_pretrained(folder)
        return made[key]

    return one


def logits(folder: Path, text: str) -> Any:
    """Those of one text alone, by transformers."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    inputs = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt", truncation=True, max_length=64)
    inputs.pop("token_type_ids", None)
    with torch.inference_mode():
        return model(**inputs).logits[0].double()


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_rating_is_the_mean_of_the_classes_numbers(family: str, make: Make) -> None:
    folder = make(family)
    rater = raters.load(f"hf:{folder}[{MAP}]")
    ratings = rater.rate([*SENTENCES, "", "—"])
    assert [one.unrated for one in ratings[-2:]] == ["the text is empty", "no words to rate"]
    for text, rating in zip(SENTENCES, ratings, strict=False):
        shares = logits(folder, text).softmax(-1).tolist()
        assert rating.value == pytest.approx(shares[2] - shares[0], abs=1e-6)
        assert rating.label == THREE[shares.index(max(shares))]
    assert len({one.value for one in ratings[: len(SENTENCES)]}) > 1


@pytest.mark.slow
def test_known_weights_rate_high_and_low(make: Make, tmp_path: Path) -> None:
    """The network is made to read its classes off one token, so that it is known what it must say."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    source = make("bert")
    model = AutoModelForSequenceClassification.from_pretrained(source)
    with torch.no_grad():
        model.classifier.weight.zero_()
        for bias, expected in (([9.0, 0.0, 0.0], -1.0), ([0.0, 9.0, 0.0], 0.0), ([0.0, 0.0, 9.0], 1.0)):
            model.classifier.bias.copy_(torch.tensor(bias))
            folder = tmp_path / f"{expected}"
            model.save_pretrained(folder)
            AutoTokenizer.from_pretrained(source).save_pretrained(folder)
            [rating] = raters.load(f"hf:{folder}[{MAP}]").rate([SENTENCES[0]])
            assert rating.value == pytest.approx(expected, abs=0.001)


@pytest.mark.slow
def test_the_name_and_the_facts_say_exactly_which_weights(make: Make) -> None:
    first, other = (raters.load(f"hf:{make(family)}[{MAP}]") for family in ("bert", "distilbert"))
    digest = first.facts["weights_sha256"]
    both = hashlib.sha256((digest + first.facts["files_sha256"]).encode()).hexdigest()
    assert first.name == f"hf.v1:bert-of-mine@{both[:12]}[{MAP}]"
    assert other.facts["weights_sha256"] != digest and len(digest) == 64
    assert first.facts["checkpoint"] == "bert-of-mine" and first.facts["reads"] == "64 tokens"
    assert (kind_of(first.name), favour(first.name), ends_of(first.name)) == ("sentiment", 1, (-1.0, 1.0))


@pytest.mark.slow
def test_weights_in_parts_are_read_and_each_part_is_part_of_the_name(make: Make, tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    whole, folder = make("bert"), tmp_path / "bert-of-mine"
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    AutoModelForSequenceClassification.from_pretrained(whole).save_pretrained(folder, max_shard_size="20KB")
    parts = sorted(folder.glob("model-*.safetensors"))
    assert len(parts) > 1 and not (folder / "model.safetensors").exists()
    ours, other = raters.load(f"hf:{folder}[{MAP}]"), raters.load(f"hf:{whole}[{MAP}]")
    assert [one.value for one in ours.rate(SENTENCES)] == [one.value for one in other.rate(SENTENCES)]
    content = bytearray(parts[-1].read_bytes())
    content[-1] ^= 1
    parts[-1].write_bytes(content)
    changed = raters.load(f"hf:{folder}[{MAP}]")
    assert changed.facts["weights_sha256"] != ours.facts["weights_sha256"] and changed.name != ours.name
    parts[0].unlink()
    with pytest.raises(ModelError, match="download the weights again"):
        raters.load(f"hf:{folder}[{MAP}]")


@pytest.mark.slow
def test_classes_that_change_their_names_are_another_rater(make: Make, tmp_path: Path) -> None:
    """The same weights gave opposite numbers under one name."""
    folder = tmp_path / "bert-of-mine"
    shutil.copytree(make("bert"), folder)
    before = raters.load(f"hf:{folder}[{MAP}]")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = {"0": "LABEL_2", "1": "LABEL_1", "2": "LABEL_0"}
    config["label2id"] = {"LABEL_2": 0, "LABEL_1": 1, "LABEL_0": 2}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    after = raters.load(f"hf:{folder}[{MAP}]")
    [one], [two] = before.rate(SENTENCES[:1]), after.rate(SENTENCES[:1])
    assert one.value is not None and one.value == pytest.approx(-(two.value or 0), abs=1e-6)
    assert before.name != after.name


@pytest.mark.slow
@pytest.mark.parametrize("given", ["sentiment.distilbert-sst2", "sentiment.distilbert-sst2.v1"])
def test_other_weights_do_not_go_under_the_name_of_a_published_checkpoint(given: str, make: Make) -> None:
    """Name, citation and quality of the hub's checkpoint were those of any folder."""
    folder = make("distilbert", ("NEGATIVE", "POSITIVE"))
    for rater in (raters.load(f"{given}:{folder}"), Sst2(str(folder))):
        assert rater.name.startswith("hf.v1:distilbert-of-mine@")
        assert not any(Sst2.repository in fact for fact in rater.facts.values())
        assert kind_of(rater.name) == "sentiment" and favour(rater.name) == 1
        shares = logits(folder, SENTENCES[0]).softmax(-1).tolist()
        assert rater.rate([SENTENCES[0]])[0].value == pytest.approx(shares[1] - shares[0], abs=1e-6)


@pytest.mark.slow
def test_heads_are_read_as_they_are_made(make: Make) -> None:
    text = SENTENCES[1]
    many = make("bert", ("rude", "loud", "long"), "multi_label_classification")
    rater = raters.load(f"hf:{many}[rude=1;worse=high;axis=toxicity]")
    assert rater.facts["head"] == "sigmoid"
    assert rater.rate([text])[0].value == pytest.approx(logits(many, text).sigmoid()[0].item(), abs=1e-6)
    with pytest.raises(ModelError, match="do not exclude one another"):
        raters.load(f"hf:{many}[rude=1,loud=0.5;worse=high]")
    with pytest.raises(ModelError, match="read as a regression"):
        raters.load(f"hf:{many}[;worse=high;range=0..1;head=regression]")
    alone = make("bert", ("score",), "regression")
    value = logits(alone, text)[0].item()
    wide = raters.load(f"hf:{alone}[;worse=high;range=-50..50]")
    assert wide.facts["head"] == "regression"
    assert wide.rate([text])[0].value == pytest.approx(value, abs=1e-6)
    [narrow] = raters.load(f"hf:{alone}[;worse=high;range={value + 1}..{value + 2}]").rate([text])
    assert narrow.value == pytest.approx(value + 1, abs=1e-5) and (narrow.caveat or "").startswith(
        "the model's number was outside"
    )
    with pytest.raises(ModelError, match="read as a regression"):
        raters.load(f"hf:{alone}[score=1;worse=high]")
    binary = make("bert", ("rude",), None)
    one = raters.load(f"hf:{binary}[rude=1;worse=high]")
    assert one.rate([text])[0].value == pytest.approx(logits(binary, text).sigmoid()[0].item(), abs=1e-6)
    with pytest.raises(ModelError, match="softmax"):
        raters.load(f"hf:{binary}[rude=1;worse=high;head=softmax]")


@pytest.mark.slow
def test_a_class_without_a_number_leaves_its_texts_unrated(make: Make) -> None:
    folder = make("bert")
    ratings = raters.load(f"hf:{folder}[LABEL_0=-1,LABEL_1=none,LABEL_2=1;worse=low]").rate(SENTENCES)
    tops = [logits(folder, text).argmax().item() for text in SENTENCES]
    assert [one.value is None for one in ratings] == [top == 1 for top in tops]
    for text, one in zip(SENTENCES, ratings, strict=True):
        low, _, high = logits(folder, text).softmax(-1).tolist()
        if one.value is not None:
            assert one.value == pytest.approx((high - low) / (high + low), abs=1e-6)
    top = raters.load(f"hf:{folder}[{MAP};value=top]").rate(SENTENCES)
    assert [one.value for one in top] == [tops_value - 1 for tops_value in tops]


@pytest.mark.slow
def test_a_text_that_is_too_long_is_said_to_be_cut(make: Make) -> None:
    for family in FAMILIES:
        rater = raters.load(f"hf:{make(family)}[{MAP}]")
        long, short = rater.rate(["The nurse was tired. " * 60, "The nurse was tired."])
        assert long.value is not None and "64 tokens" in (long.caveat or "")
        assert short.caveat is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("NEGATIVE=-1,POSITIVE=1;worse=low", "has no class `NEGATIVE`; its classes are LABEL_0, LABEL_1, LABEL_2"),
        ("LABEL_0=-1,LABEL_2=1;worse=low", "and LABEL_1 has no meaning"),
    ],
)
def test_classes_that_are_not_the_models_are_refused(said: str, problem: str, make: Make) -> None:
    with pytest.raises(ModelError, match=problem):
        raters.load(f"hf:{make('bert')}[{said}]")
    lower = raters.load(f"hf:{make('bert')}[label_0=-1,label_1=0,label_2=1;worse=low]")
    assert lower.rate([SENTENCES[0]])[0].label in THREE


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("hf:folder", "does not say what its classes mean"),
        ("hf:folder[]", "does not say what its classes mean"),
        ("hf:folder[bad=-1,good=1]", "which end of the scale is worse .* is missing"),
        ("hf:folder[bad=-1,good=1;worse=down]", "cannot be 'down'; write worse as one of low, high, neither"),
        ("hf:folder[bad,good=1;worse=low]", "a class must be LABEL=NUMBER, not `bad`"),
        ("hf:folder[bad=much,good=1;worse=low]", "`bad` must be a number"),
        ("hf:folder[bad=nan,good=1;worse=low]", "`bad` must be a number"),
        ("hf:folder[bad=1,bad=2;worse=low]", "the class `bad` is listed twice"),
        ("hf:folder[bad=1,good=1;worse=low]", "all ratings would be 1"),
        ("hf:folder[bad=none;worse=low]", "no class has a number"),
        ("hf:folder[bad=-1,good=1;worse=low;range=0..1]", "outside the range 0 to 1"),
        ("hf:folder[bad=-1,good=1;worse=low;neutral=3]", "outside the range -1 to 1"),
        ("hf:folder[bad=-1,good=1;worse=low;colour=red]", "a classifier has no setting `colour`"),
        ("hf:folder[;worse=low]", "the meaning of the classes is missing"),
        ("hf", "needs an argument"),
    ],
)
def test_a_map_that_cannot_be_read_is_refused_before_anything_is_loaded(name: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        raters.check_name(name)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TiltmeterError, match="there is no folder"):
        raters.load(f"hf:{tmp_path / 'nowhere'}[bad=-1,good=1;worse=low]")


def test_a_map_is_the_same_in_words_and_in_a_table() -> None:
    table = {"classes": {"bad": -1, "good": 1}, "worse": "low", "axis": "tone", "range": [-2, 2], "neutral": 0}
    words = "bad=-1,good=1;worse=low;axis=tone;range=-2..2;neutral=0"
    assert class_map.of(table) == class_map.parse(words) and str(class_map.of(table)) == words


def test_scales_that_differ_are_not_of_one_kind() -> None:
    """Ratings of one kind are compared as numbers."""
    usual, wide, turned = (
        f"hf.v1:mine@12ab[bad={low},good=1;worse={worse};axis=sentiment]"
        for low, worse in ((-1, "low"), (-5, "low"), (-1, "high"))
    )
    assert kind_of(usual) == "sentiment" == kind_of("sentiment.vader.v1")
    assert len({kind_of(usual), kind_of(wide), kind_of(turned)}) == 3
    assert (favour(wide), favour(turned), ends_of(wide)) == (1, -1, (-5.0, 1.0))
