"""Scores on an accelerator against scores on the CPU: do they agree, and how much faster is it?

python benchmarks/accelerator.py [--sentences 400]

Random weights in the sizes of GPT-2 and BERT-base, made on the spot: nothing is downloaded.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from pairs import sentences
from tiltmeter.models import ModelSettings, load

WIDTH = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}


def save(family: str, folder: Path, texts: list[str]) -> None:
    """A checkpoint of that family with random weights and a byte-level tokenizer trained on the texts."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    torch.manual_seed(7)
    specials = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=2000, special_tokens=specials, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    names = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token="<mask>", **names)
    sizes: dict[str, Any] = {"vocab_size": 50257, "initializer_range": 0.05, **WIDTH}
    made = {
        "causal": lambda: transformers.GPT2LMHeadModel(
            transformers.GPT2Config(bos_token_id=1, eos_token_id=2, **sizes)
        ),
        "masked": lambda: transformers.BertForMaskedLM(transformers.BertConfig(**sizes)),
    }[family]()
    made.eval().save_pretrained(folder)
    fast.save_pretrained(folder)


def timed(folder: Path, device: str, dtype: str, texts: list[str]) -> tuple[list[float], float]:
    """Sums of log-probabilities, and sentences per second (median of three)."""
    model = load(
        str(folder), ModelSettings(device=device, dtype=dtype, batch_tokens=2048 if device == "cpu" else 32768)
    )
    model.score(texts[:32])
    times = []
    for _ in range(1 if device == "cpu" else 3):
        start = time.perf_counter()
        scores = model.score(texts)
        times.append(time.perf_counter() - start)
    totals = [sum(value for value in score.logprobs if value is not None) for score in scores]
    return totals, len(texts) / statistics.median(times)


def main() -> None:
    import torch
    import transformers

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=400)
    texts = sentences(parser.parse_args().sentences)
    if not torch.cuda.is_available():
        raise SystemExit("there is no CUDA device on this machine")
    print(f"{torch.cuda.get_device_name()}; torch {torch.__version__}, transformers {transformers.__version__}\n")
    print("| model | device | sentences/s | largest difference from the CPU (nats per sentence) |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        for family in ("causal", "masked"):
            folder = Path(temporary) / family
            save(family, folder, texts)
            few = texts if family == "causal" else texts[: len(texts) // 8]
            reference, speed = timed(folder, "cpu", "float32", few)
            print(f"| {family} | cpu, float32 | {speed:.1f} | – |")
            for dtype in ("float32", "bfloat16"):
                found, speed = timed(folder, "cuda", dtype, few)
                difference = max(abs(one - other) for one, other in zip(found, reference, strict=True))
                print(f"| {family} | cuda, {dtype} | {speed:.1f} | {difference:.1e} |", flush=True)
                if dtype == "float32" and difference > 0.01:
                    raise SystemExit("the accelerator does not give the same answers")


if __name__ == "__main__":
    main()
