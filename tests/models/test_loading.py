"""What is refused before or while a checkpoint is loaded, each with one sentence; and which start token is chosen."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.errors import MissingExtra, ModelError
from tiltmeter.models import ModelSettings, hugging_face, identity_of, load

from .conftest import CAUSAL, MASKED, SENTENCES, bytelevel_tokenizer, wordpiece_tokenizer

pytestmark = pytest.mark.slow
ONE_THREAD = ModelSettings(device="cpu", threads=1)


@pytest.fixture
def folder(checkpoint: Callable[[str], Path], tmp_path: Path) -> Path:
    """A copy of a whole checkpoint, to be damaged."""
    return Path(shutil.copytree(checkpoint("gpt2"), tmp_path / "gpt2"))


def refusal(name: str | Path, settings: ModelSettings = ONE_THREAD) -> str:
    with pytest.raises(ModelError) as caught:
        load(f"hf:{name}", settings)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_a_missing_folder(tmp_path: Path) -> None:
    assert "there is no folder" in refusal(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="there is no folder"):
        load(str(tmp_path / "nowhere"))


def test_a_folder_without_configuration(folder: Path) -> None:
    (folder / "config.json").unlink()
    assert "has no config.json" in refusal(folder)


def test_a_configuration_that_is_not_json(folder: Path) -> None:
    (folder / "config.json").write_text("{", encoding="utf-8")
    assert "is not readable JSON" in refusal(folder)


def test_a_folder_without_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    assert "has no weights: model.safetensors" in refusal(folder)


def test_a_folder_without_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    assert "has no tokenizer" in refusal(folder)


def test_weights_that_were_cut_off(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    assert "is cut off or damaged" in refusal(folder)


@pytest.mark.parametrize("content", [b"", b"abc", b"\xff" * 200, b"\x02\0\0\0\0\0\0\0[]", b"version https://git-lfs"])
def test_weights_that_are_no_weights(content: bytes, folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(content)
    assert "download it again" in refusal(folder)


def test_a_missing_part_of_the_weights(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert "lacks 1 of 2 weight files, first model-00002-of-00002.safetensors" in refusal(folder)
    index["weight_map"]["b"] = "../elsewhere.safetensors"
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert "outside the folder" in refusal(folder)


def test_weights_in_several_files_are_one_model(
    folder: Path, checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    whole: Any = AutoModelForCausalLM.from_pretrained(folder)
    whole.save_pretrained(tmp_path / "parts", max_shard_size="20KB")
    AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path / "parts")
    assert (tmp_path / "parts" / "model.safetensors.index.json").exists()
    one, two = load(f"hf:{folder}", ONE_THREAD), load(f"hf:{tmp_path / 'parts'}", ONE_THREAD)
    assert one.score(["A nurse."])[0].logprobs == pytest.approx(two.score(["A nurse."])[0].logprobs, abs=1e-5)
    assert one.facts.weights_sha256 != two.facts.weights_sha256


def test_a_pickle_is_never_read(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    sentence = refusal(folder)
    assert "can run code" in sentence
    assert "save_pretrained" in sentence


def test_code_in_a_checkpoint_is_never_run(folder: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w').close()\nclass Model: pass\nConfig = Tokenizer = Model\n")
    for name in ("config.json", "tokenizer_config.json"):
        kept = json.loads((folder / name).read_text()) if (folder / name).is_file() else {}
        parts = {
            "AutoConfig": "own.Config",
            "AutoModelForCausalLM": "own.Model",
            "AutoTokenizer": ["own.Tokenizer", None],
        }
        (folder / name).write_text(json.dumps({**kept, "auto_map": parts}))
    with suppress(ModelError):
        load(f"hf:{folder}", ONE_THREAD)
    assert not ran.exists()


def test_an_encoder_decoder_is_refused(folder: Path) -> None:
    settings = {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": True}
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    assert "is an encoder-decoder model (T5ForConditionalGeneration); causal" in refusal(folder)


def test_an_unknown_kind_is_refused(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"model_type": "nothing-known"}), encoding="utf-8")
    assert "cannot be loaded by transformers" in refusal(folder)


def test_an_electra_discriminator_is_refused(tmp_path: Path) -> None:
    import transformers

    config = transformers.ElectraConfig(vocab_size=200, hidden_size=16, num_hidden_layers=1, num_attention_heads=2)
    transformers.ElectraForPreTraining(config).save_pretrained(tmp_path)
    wordpiece_tokenizer().save_pretrained(tmp_path)
    assert "is an ELECTRA discriminator, which has no language-model head" in refusal(tmp_path)


def test_a_body_without_its_head_is_refused(tmp_path: Path) -> None:
    import transformers

    config = transformers.BertConfig(vocab_size=200, hidden_size=16, num_hidden_layers=1, num_attention_heads=2)
    transformers.BertModel(config).save_pretrained(tmp_path)
    wordpiece_tokenizer().save_pretrained(tmp_path)
    assert "is not a complete masked language model: its weights lack cls." in refusal(tmp_path)
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    assert "has a head for another task (BertForSequenceClassification)" in refusal(tmp_path)


def test_a_hub_name_that_cannot_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    assert "is not in the cache and the hub cannot be reached" in refusal("nobody/nothing-here")
    assert "cannot be the name of a hub model" in refusal("a/b/c")


def test_missing_packages_are_named_with_the_line_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hugging_face, "_is_installed", lambda package: package != "torch")
    for name in ("hf:gpt2", "gguf:x.gguf", "smollm2-135m"):
        with pytest.raises(MissingExtra, match=r"need the package torch: pip install 'tiltmeter\[hf\]'"):
            load(name)


def test_devices_and_dtypes_that_are_not_there(folder: Path) -> None:
    assert "there is no device `tpu`" in refusal(folder, ModelSettings(device="tpu"))
    assert "there is no dtype `int8`" in refusal(folder, ModelSettings(device="cpu", dtype="int8"))
    assert load(f"hf:{folder}", ModelSettings(device="cpu", dtype="bfloat16")).facts.dtype == "bfloat16"


def test_gguf_paths_that_are_no_gguf(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no file"):
        load(f"gguf:{tmp_path / 'x.gguf'}")
    (tmp_path / "x.gguf").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="is not a GGUF file"):
        load(f"gguf:{tmp_path / 'x.gguf'}")


def test_loading_is_silent(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load(f"hf:{folder}", ONE_THREAD).score(["A nurse.", "Another nurse, tired."])
    assert capfd.readouterr() == ("", "")


def test_the_hash_follows_the_weights(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tiltmeter.models import checkpoint

    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    file = folder / "model.safetensors"
    before = checkpoint.file_sha256(file)
    # So soon after it was written a second change might have the same time.
    assert not (tmp_path / "cache" / "hashes").exists()
    monkeypatch.setattr(checkpoint, "_SETTLED", 0)
    assert checkpoint.file_sha256(file) == before
    assert len(list((tmp_path / "cache" / "hashes").iterdir())) == 1
    whole, status = file.read_bytes(), file.stat()
    time.sleep(0.05)
    with file.open("r+b") as stream:
        stream.seek(-3, os.SEEK_END)
        stream.write(bytes(byte ^ 1 for byte in whole[-3:]))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert checkpoint.file_sha256(file) != before


def test_a_folder_with_an_adapter_is_refused(folder: Path) -> None:
    (folder / "adapter_config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="adapter"):
        load(str(folder))


def test_files_that_change_while_they_are_read_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tiltmeter.models import loading

    read = loading.read

    def change(*given: Any, **settings: Any) -> Any:
        parts = read(*given, **settings)
        (folder / "generation_config.json").write_text('{"eos_token_id": 5}', encoding="utf-8")
        return parts

    monkeypatch.setattr(loading, "read", change)
    with pytest.raises(ModelError, match="changed while being read"):
        load(str(folder))


def test_a_tokenizer_beside_a_gguf_file_is_part_of_the_model(tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF")
    seen = []
    # transformers reads the tokenizer of the folder in place of that of the file.
    for name, content in (("notes.txt", "one"), ("notes.txt", "two"), ("tokenizer.json", "{}"), ("vocab.txt", "a")):
        (tmp_path / name).write_text(content, encoding="utf-8")
        seen.append(identity_of(f"gguf:{file}"))
    assert None not in seen
    assert seen[0] == seen[1] != seen[2] != seen[3] != seen[1]


@pytest.mark.parametrize("family", [*CAUSAL, *MASKED])
def test_the_head_is_computed_only_where_asked_and_changes_nothing(
    family: str, checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tiltmeter.models.network import Network

    cut: Any = load(f"hf:{checkpoint(family)}", ONE_THREAD)
    assert cut._network._apart
    assert cut._network._unchecked == (family in CAUSAL)
    monkeypatch.setattr(Network, "_can", lambda self, way: False)
    full: Any = load(f"hf:{checkpoint(family)}", ONE_THREAD)
    assert not full._network._apart
    assert not full._network._unchecked
    for one, two in zip(cut.score(SENTENCES), full.score(SENTENCES), strict=True):
        assert one.logprobs == pytest.approx(two.logprobs, abs=1e-4)


def test_a_model_that_sees_ahead_is_not_taken_for_causal(tmp_path: Path) -> None:
    import transformers

    config = transformers.XLNetConfig(
        vocab_size=400, d_model=32, n_layer=2, n_head=2, d_inner=48, initializer_range=0.4
    )
    transformers.XLNetLMHeadModel(config).save_pretrained(tmp_path)
    bytelevel_tokenizer("gpt2").save_pretrained(tmp_path)
    assert "also attends to later words" in refusal(tmp_path)


class Configuration:
    """The two numbers of a configuration that the start token depends on."""

    def __init__(self, bos: Any = None, eos: Any = None) -> None:
        self.bos_token_id, self.eos_token_id = bos, eos


def test_the_start_token_rule() -> None:
    from tiltmeter.models.special_tokens import start_tokens

    tokenizer = bytelevel_tokenizer("qwen2")
    names = tokenizer.get_vocab()
    separator = (names["<|endoftext|>"],)
    # A chat-turn end as end token, no start token: the separator of the vocabulary.
    assert start_tokens(tokenizer, Configuration(), ()) == separator
    # A chat-turn opener as start token, as in the embedded model's file.
    tokenizer.bos_token = "<|im_start|>"
    assert start_tokens(tokenizer, Configuration(), ()) == separator
    assert start_tokens(tokenizer, Configuration(), (names["<|im_start|>"],)) == separator
    # The configuration's start token, where the tokenizer names none.
    tokenizer.bos_token = None
    assert start_tokens(tokenizer, Configuration(bos=names["<s>"]), ()) == (names["<s>"],)
    # The end token, where there is no start token.
    tokenizer.eos_token = "</s>"
    assert start_tokens(tokenizer, Configuration(), ()) == (names["</s>"],)
    tokenizer.eos_token = None
    assert start_tokens(tokenizer, Configuration(eos=[names["</s>"], 3]), ()) == (names["</s>"],)
    assert start_tokens(tokenizer, Configuration(), ()) == ()
    # What the tokenizer itself puts in front comes first.
    assert start_tokens(tokenizer, Configuration(bos=names["</s>"]), (names["<s>"],)) == (names["<s>"],)


def test_a_turn_opener_is_known_by_the_chat_template() -> None:
    from tiltmeter.models.special_tokens import start_tokens

    tokenizer = bytelevel_tokenizer("llama")
    names = tokenizer.get_vocab()
    assert start_tokens(tokenizer, Configuration(), ()) == (names["<s>"],)
    tokenizer.chat_template = (
        "{% for message in messages %}{{ '<s>' + message['role'] + message['content'] }}{% endfor %}"
    )
    assert start_tokens(tokenizer, Configuration(), ()) == (names["<|endoftext|>"],)
    tokenizer.chat_template = "{{ '<s>' }}{% for message in messages %}[{{ message.content }}]{% endfor %}"
    assert start_tokens(tokenizer, Configuration(), ()) == (names["<s>"],)
