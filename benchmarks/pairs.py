"""Sentences per second of scoring pairs: tiltmeter, its peers, and a plain loop, on the same model and sentences.

python benchmarks/pairs.py [--sentences 200] [--repeats 3] [--threads 2] [--only causal|masked] [--write]

A peer that is not installed is skipped and named. The answers are compared before anything is timed: a fast wrong
answer is worth nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import logging
import os
import platform
import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from common import keep

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

TOLERANCE = 2e-3
"""The largest difference of two sums of log-probabilities, in nats, that still is the same answer."""

Scores = list[float]


@dataclass(frozen=True)
class Contestant:
    """A way of scoring: sums of log-probabilities of sentences, in the order given."""

    name: str
    score: Callable[[Sequence[str]], Scores]


def sentences(count: int, seed: int = 7) -> list[str]:
    """Pairs of sentences of 5 to 25 words that differ in a pronoun or a name, as bias tests have them."""
    people = [("he", "she"), ("my brother", "my sister"), ("the man", "the woman"), ("Brad", "Latonya")]
    work = ["nurse", "metalsmith", "secretary", "electrical engineer", "hairdresser", "astronaut", "physicist"]
    frames = [
        "{0} is a {1}.",
        "The {1} said that {0} was tired.",
        "After many years as a {1}, {0} wanted to do something else, far away from the city and its noise.",
        "Everybody in the village knew that {0} had been a {1} before the war, but nobody talked about it.",
        "Because {0} could not sleep, the {1} from next door came over and told a story that lasted until morning, "
        "and then another one.",
    ]
    ends = ["", " It rained.", " Nobody was surprised by that.", " So it goes."]
    made = [
        frame.format(person, job)[0].upper() + frame.format(person, job)[1:] + end
        for frame, job, end, pair in itertools.product(frames, work, ends, people)
        for person in pair
    ]
    chosen = list(range(0, len(made), 2))
    random.Random(seed).shuffle(chosen)
    return [text for first in chosen[: count // 2] for text in made[first : first + 2]]


def masked_checkpoint(folder: Path, texts: Sequence[str]) -> Path:
    """A BERT of random weights and realistic size (6 layers of 384, 30,000 word pieces), with a trained tokenizer."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    torch.manual_seed(7)
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    raw = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase=True)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=30_000, special_tokens=specials))
    ends = [(name, raw.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw,
        **dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), specials, strict=True)),
    )
    # The tokenizer knows few words, the network has places for a real vocabulary: the work is that of a real model.
    config = transformers.BertConfig(
        vocab_size=30_522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    )
    transformers.BertForMaskedLM(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def ours(name: str, threads: int, conditioning: str) -> Contestant:
    from tiltmeter.models import ModelSettings, load

    model = load(name, ModelSettings(device="cpu", threads=threads))

    def score(texts: Sequence[str]) -> Scores:
        return [sum(value or 0.0 for value in row.logprobs) for row in model.score(texts, conditioning=conditioning)]

    return Contestant("tiltmeter", score)


def causal_loop(folder: Path, start: int) -> Contestant:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def score(texts: Sequence[str]) -> Scores:
        sums = []
        with torch.inference_mode():
            for text in texts:
                ids = torch.tensor([[start, *tokenizer(text, add_special_tokens=False)["input_ids"]]])
                logprobs = model(ids).logits[0, :-1].log_softmax(-1)
                sums.append(float(logprobs.gather(1, ids[0, 1:, None]).sum()))
        return sums

    return Contestant("plain loop", score)


def masked_loop(folder: Path) -> Contestant:
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()

    def score(texts: Sequence[str]) -> Scores:
        sums = []
        with torch.inference_mode():
            for text in texts:
                ids = torch.tensor(tokenizer(text)["input_ids"])
                places = torch.arange(1, len(ids) - 1)
                rows = ids.repeat(len(places), 1)
                rows[torch.arange(len(places)), places] = tokenizer.mask_token_id
                logprobs = model(rows).logits[torch.arange(len(places)), places].log_softmax(-1)
                sums.append(float(logprobs.gather(1, ids[places][:, None]).sum()))
        return sums

    return Contestant("plain loop (a sentence at a time)", score)


def minicons_causal(folder: Path, batch: int) -> Contestant:
    import torch
    from minicons import scorer

    # Without the dtype it would compute in the float16 of the file, slower on a CPU and less exact.
    model = scorer.IncrementalLMScorer(str(folder), "cpu", dtype=torch.float32)
    # Its start token is the tokenizer's, which for this model opens a chat turn; the comparison needs the separator.
    model.tokenizer.bos_token = "<|endoftext|>"

    def score(texts: Sequence[str]) -> Scores:
        sums: Scores = []
        for first in range(0, len(texts), batch):
            part = list(texts[first : first + batch])
            sums += model.sequence_score(part, reduction=lambda row: row.sum(0).item(), bos_token=True)
        return sums

    return Contestant(f"minicons (batch {batch})", score)


def minicons_masked(folder: Path, batch: int) -> Contestant:
    import torch
    from minicons import scorer

    model = scorer.MaskedLMScorer(str(folder), "cpu", dtype=torch.float32)
    # minicons 0.3.39 calls a method that transformers 5 took away; this is what it did.
    if not hasattr(model.tokenizer, "batch_encode_plus"):
        model.tokenizer.batch_encode_plus = model.tokenizer.__call__

    def score(texts: Sequence[str]) -> Scores:
        sums: Scores = []
        for first in range(0, len(texts), batch):
            part = list(texts[first : first + batch])
            sums += model.sequence_score(part, reduction=lambda row: row.sum(0).item(), PLL_metric="original")
        return sums

    return Contestant(f"minicons (batch {batch})", score)


def harness_causal(folder: Path, start: int, batch: int) -> Contestant:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(str(folder), device="cpu", dtype="float32", batch_size=batch)
    # As above: the harness takes the tokenizer's own start token for its prefix.
    type(model).prefix_token_id = property(lambda self: start)

    def score(texts: Sequence[str]) -> Scores:
        requests = [Instance("loglikelihood_rolling", {}, (text,), at) for at, text in enumerate(texts)]
        with contextlib.redirect_stderr(io.StringIO()):
            return [float(value) for value in model.loglikelihood_rolling(requests, disable_tqdm=True)]

    return Contestant(f"lm-evaluation-harness (batch {batch})", score)


def contest(title: str, makers: list[Callable[[], Contestant]], texts: Sequence[str], repeats: int) -> list[str]:
    """Check that all agree, time them in turn, and give the lines of a table."""
    entered: list[Contestant] = []
    for make in makers:
        try:
            entered.append(make())
        except ImportError as error:
            print(f"  skipped, not installed: {error.name}")
    answers = {contestant.name: contestant.score(texts) for contestant in entered}
    reference = answers[entered[-1].name]
    differences = {
        name: max(abs(a - b) for a, b in zip(scores, reference, strict=True)) for name, scores in answers.items()
    }
    times: dict[str, list[float]] = {contestant.name: [] for contestant in entered}
    # In turn, not one after the other: a slow minute of the machine then slows all alike.
    for _ in range(repeats):
        for contestant in entered:
            begin = time.perf_counter()
            contestant.score(texts)
            times[contestant.name].append(time.perf_counter() - begin)
    speed = {name: len(texts) / statistics.median(taken) for name, taken in times.items()}
    lines = [
        f"**{title}**",
        "",
        "| | sentences/s | tiltmeter is faster by | largest difference (nats) |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {name} | {speed[name]:.1f} | {speed['tiltmeter'] / speed[name]:.2f}× | {differences[name]:.1e} |"
        for name in speed
    ]
    print("\n".join(lines), "\n")
    wrong = {name: size for name, size in differences.items() if size > TOLERANCE}
    if wrong:
        raise SystemExit(f"the answers differ: {wrong}")
    return [*lines, ""]


def heading(texts: Sequence[str], threads: int, repeats: int) -> list[str]:
    versions = []
    for package in ("tiltmeter", "torch", "transformers", "minicons", "lm_eval"):
        with contextlib.suppress(PackageNotFoundError):
            versions.append(f"{package} {version(package)}")
    words = [len(text.split()) for text in texts]
    # Other work on the machine spoils the figures, so the reader must see it.
    load = f" Load before the start: {os.getloadavg()[0]:.1f}." if hasattr(os, "getloadavg") else ""
    return [
        f"## {datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores, {threads} threads "
        "(`pairs.py`)",
        "",
        f"{len(texts)} sentences of {min(words)} to {max(words)} words; median of {repeats}; "
        f"Python {platform.python_version()}; {', '.join(versions)}.{load}",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--batch", type=int, default=16, help="batch size of the peers, in sentences")
    parser.add_argument("--only", choices=("causal", "masked"))
    parser.add_argument("--write", action="store_true", help="put the tables into RESULTS.md")
    options = parser.parse_args()

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    import torch
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    torch.set_num_threads(options.threads)
    texts = sentences(options.sentences)
    lines = heading(texts, options.threads, options.repeats)
    print("\n".join(lines))
    if options.only != "masked":
        from tiltmeter.models import embedded

        if not embedded.is_cached():
            embedded.fetch()
        home = embedded.home()
        causal: list[Callable[[], Contestant]] = [
            lambda: ours("smollm2-135m", options.threads, "left"),
            lambda: minicons_causal(home, options.batch),
            lambda: harness_causal(home, 0, options.batch),
            lambda: causal_loop(home, 0),
        ]
        lines += contest("Causal: SmolLM2-135M, float32", causal, texts, options.repeats)
    if options.only != "causal":
        with tempfile.TemporaryDirectory() as temporary:
            folder = masked_checkpoint(Path(temporary) / "bert", texts)
            masked: list[Callable[[], Contestant]] = [
                lambda: ours(f"hf:{folder}", options.threads, "token"),
                lambda: minicons_masked(folder, options.batch),
                lambda: masked_loop(folder),
            ]
            title = "Masked, each token masked in turn: BERT of 6 × 384, random weights, float32"
            lines += contest(title, masked, texts, options.repeats)
    if options.write:
        keep(lines)


if __name__ == "__main__":
    main()
