"""How fast an accelerator is used: ours beside the usual ways, on the same random weights, in one run.

python benchmarks/gpu.py [--only pairs,screened,next-words,completions,masked,sizes] [--shapes small,large,7B]
                         [--pairs 15000] [--most 1000000] [--repeats 3] [--write]

Networks of real shapes with random weights are made on the spot, so nothing is downloaded; a word is a token. Ours is
given texts and returns its records; the others are given token numbers, which spares them a part of the work. Before
anything is timed, the answers are compared.
"""

from __future__ import annotations

import argparse
import datetime
import random
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from common import keep
from tiltmeter.engine.scoring import score_pairs
from tiltmeter.engine.screening import Screening
from tiltmeter.measures.scorers import Scorer
from tiltmeter.models.device import HALVES, compute_in, weights_dtype
from tiltmeter.models.interface import ModelSettings
from tiltmeter.models.loading import LoadedCheckpoint, assemble
from tiltmeter.records import Decoding, Pair, Query

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WORDS = 50257
GPT2 = {"tiny": (2, 64, 2), "small": (12, 768, 12), "medium": (24, 1024, 16), "large": (36, 1280, 20)}
LLAMA = {"1.5B": (28, 1536, 8960, 12, 2), "7B": (32, 4096, 11008, 32, 32)}
LONGEST = 27
Rows = Sequence[tuple[int, ...]]
SUM = Scorer(
    "sum",
    "causal",
    "log-probability of all tokens but the first",
    lambda pair: tuple(Query(text, "left-no-start") for text in pair.texts),
    lambda _, answers: tuple(sum(value or 0.0 for value in one.logprobs) for one in answers),  # type: ignore[arg-type,return-value]
)
"""The random networks have no start token."""


@dataclass(frozen=True)
class Bench:
    """A network, our model around it, and what one matrix product is known to reach."""

    network: Any
    model: Any
    shape: str
    dtype: str
    flops_per_token: int


def tokenizer() -> Any:
    """One token for each of so many made-up words."""
    raw = Tokenizer(models.WordLevel({f"w{number}": number for number in range(WORDS)}, unk_token="w0"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="w0", pad_token="w0", mask_token="w1")


def built(shape: str, dtype: str, family: str = "causal") -> Bench:
    """A network of a shape, on the device."""
    torch.manual_seed(0)
    torch.set_default_dtype(getattr(torch, weights_dtype(dtype)))
    with torch.device(DEVICE):
        if family == "masked":
            config: Any = transformers.BertConfig(vocab_size=WORDS)
            network: Any = transformers.BertForMaskedLM(config)
        elif shape in GPT2:
            layers, width, heads = GPT2[shape]
            config = transformers.GPT2Config(n_layer=layers, n_embd=width, n_head=heads, initializer_range=0.05)
            network = transformers.GPT2LMHeadModel(config)
        else:
            layers, width, inner, heads, keys = LLAMA[shape]
            config = transformers.LlamaConfig(
                vocab_size=WORDS,
                hidden_size=width,
                intermediate_size=inner,
                num_hidden_layers=layers,
                num_attention_heads=heads,
                num_key_value_heads=keys,
            )
            network = transformers.LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    network.eval()
    network.config.use_cache = False
    head = WORDS * config.hidden_size
    inside = sum(one.numel() for name, one in network.named_parameters() if one.ndim > 1 and "emb" not in name)
    inside -= sum(
        one.numel()
        for name, one in network.named_parameters()
        if any(part in name for part in ("wte", "wpe", "lm_head"))
    )
    return Bench(network, ours(network, dtype, family), shape, dtype, 2 * (inside + head))


def ours(network: Any, dtype: str, family: str) -> Any:
    """Our model around a network in memory."""
    from tiltmeter.models.device import align_head, fuse

    fuse(network)
    align_head(network)
    compute_in(dtype, network)
    parts = LoadedCheckpoint("random", family, network, tokenizer(), DEVICE, dtype)  # type: ignore[arg-type]
    hashes: Any = {"weights_sha256": "", "files_sha256": ""}
    return assemble(parts, ModelSettings(device=DEVICE, dtype=dtype), hashes, start=())


def pairs_of(count: int) -> list[tuple[int, ...]]:
    """Two sequences for each pair, which differ in one word of their first half."""
    chance = random.Random(0)
    rows = []
    for _ in range(count):
        one = [chance.randrange(2, WORDS) for _ in range(max(5, min(LONGEST, int(chance.gauss(12.7, 4)))))]
        other = list(one)
        other[chance.randrange(max(1, len(one) // 2))] = chance.randrange(2, WORDS)
        rows += [tuple(one), tuple(other)]
    return rows


def texts_of(rows: Rows) -> list[str]:
    return [" ".join(f"w{token}" for token in row) for row in rows]


def timed(work: Callable[[Any], Any], repeats: int, first: Any = None, given: Any = None) -> tuple[float, Any]:
    """The median of the seconds, after one round on `first` that does not count, and what came of it."""
    work(first)
    seconds = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        began = time.perf_counter()
        found = work(given)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds), found


@torch.inference_mode()
def harness_way(network: Any, rows: Rows, size: int) -> list[float]:
    """As lm-evaluation-harness goes about it: sorted by length, batches of a fixed size, all logits, log-softmax of
    all of them, and each sequence cut out of them.
    """
    order = sorted(range(len(rows)), key=lambda at: -len(rows[at]))
    sums = [0.0] * len(rows)
    for start in range(0, len(order), size):
        some = order[start : start + size]
        longest = len(rows[some[0]])
        ids = torch.tensor([rows[at] + (0,) * (longest - len(rows[at])) for at in some]).to(DEVICE)
        logprobs = torch.nn.functional.log_softmax(network(ids).logits, dim=-1)
        for line, at in enumerate(some):
            targets = ids[line, 1 : len(rows[at])]
            cut = logprobs[line, : len(rows[at]) - 1]
            sums[at] = float(cut.gather(1, targets[:, None]).sum())
    return sums


def our_sums(model: Any, texts: Sequence[str]) -> list[float]:
    return [
        sum(value or 0.0 for value in scores.logprobs) for scores in model.score(texts, conditioning="left-no-start")
    ]


def matrix_rates() -> dict[str, float]:
    """Operations per second of one large product of random numbers, by format."""
    rates = {}
    for dtype in ("float32", "tf32", "bfloat16"):
        one, other = (torch.randn(8192, 8192, device=DEVICE).to(getattr(torch, weights_dtype(dtype))) for _ in "ab")
        torch.set_float32_matmul_precision("high" if dtype == "tf32" else "highest")
        seconds, _ = timed(lambda _, one=one, other=other: [one @ other for _ in range(5)], 3)
        rates[dtype] = 5 * 2 * 8192**3 / seconds
    torch.set_float32_matmul_precision("highest")
    return rates


def flips(one: Sequence[float], other: Sequence[float]) -> int:
    """Pairs in which the two prefer another text."""
    return sum((one[at] > one[at + 1]) != (other[at] > other[at + 1]) for at in range(0, len(one), 2))


def pairs(shapes: Sequence[str], count: int, repeats: int, rates: dict[str, float]) -> list[str]:
    """Sentence pairs, in each format."""
    rows = pairs_of(count)
    texts, tokens = texts_of(rows), sum(map(len, rows))
    lines = [
        f"{count:,} pairs ({tokens:,} tokens), seconds",
        "",
        "| network | format | tiltmeter | batches of 64 | of 256 | faster by "
        "| share of the matrix rate | flips | most off |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for shape in shapes:
        exact: list[float] = []
        for dtype in ("float32", "tf32", "bfloat16") if shape in GPT2 else ("bfloat16",):
            bench = built(shape, dtype)
            few = rows[:400]
            worst = max(
                abs(one - other)
                for one, other in zip(
                    our_sums(bench.model, texts_of(few)), harness_way(bench.network, few, 1), strict=True
                )
            )
            if worst > (0.01 if dtype == "float32" else 2.0):
                raise SystemExit(f"{shape} {dtype}: ours and the plain way differ by {worst} nats")
            # Exact preferences are there to be compared with; nobody would wait for them.
            times = 1 if dtype == "float32" else repeats
            seconds, _ = timed(lambda _, bench=bench: bench.model.score(texts, conditioning="left-no-start"), times)
            found = our_sums(bench.model, texts)
            exact = exact or found
            usual = [
                timed(
                    lambda some, bench=bench, size=size: harness_way(bench.network, some, size), 1, rows[:1000], rows
                )[0]
                for size in ((64, 256) if dtype != "float32" else ())
            ]
            peers = f"{usual[0]:.2f} | {usual[1]:.2f} | {min(usual) / seconds:.2f}×" if usual else "| |"
            share = bench.flops_per_token * tokens / seconds / rates[dtype]
            off = max(abs(one - other) for one, other in zip(found, exact, strict=True))
            lines.append(
                f"| {shape} | {dtype} | {seconds:.2f} | {peers} | {share:.0%} | {flips(found, exact)} | {off:.3f} |"
            )
            print(lines[-1], flush=True)
            del bench
            torch.cuda.empty_cache()
    return lines


def screened(shapes: Sequence[str], count: int, repeats: int) -> list[str]:
    """The same pairs in a fast format, and again in float32 where that cannot tell: preferences are to be float32's."""
    rows = pairs_of(count)
    chosen = [
        Pair(str(at), "random", "", "random", texts=tuple(texts_of(rows[2 * at : 2 * at + 2])), groups=("a", "b"))
        for at in range(count)
    ]
    lines = [
        f"{count:,} pairs in a fast format, and in float32 where that cannot tell; seconds with the host's work",
        "",
        "| network | fast format | alone | screened | slower by | scored again | flips alone | flips screened |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for shape in shapes:
        exact = built(shape, "float32")

        def scoring(bench: Bench) -> Any:
            return lambda some: zip(score_pairs(bench.model, some, [SUM])[SUM.name], strict=True)

        def preferred(scored: Any) -> list[bool]:
            return [one.scores[0] > one.scores[1] for (one,) in scored]

        right = preferred(scoring(exact)(chosen))
        for dtype in HALVES:
            fast = built(shape, dtype)
            alone, found = timed(lambda some, fast=fast: list(scoring(fast)(some or chosen)), repeats, chosen[:500])

            def both(some: Any, fast: Bench = fast, exact: Bench = exact) -> Screening:
                made = Screening(some or chosen, [SUM], scoring(fast), scoring(exact))
                made.carry_out()
                return made

            seconds, made = timed(both, repeats, chosen[:2000])
            account = made.account()
            again = (account["close"] + account["drawn"]) / count
            wrong, still = (
                sum(one != other for one, other in zip(preferred(got), right, strict=True))
                for got in (found, made.scores())
            )
            lines.append(
                f"| {shape} | {dtype} | {alone:.2f} | {seconds:.2f} | {seconds / alone:.2f}× | {again:.1%} "
                f"| {wrong} | {still} |"
            )
            print(lines[-1], account, flush=True)
            del fast
            torch.cuda.empty_cache()
    return lines


@torch.inference_mode()
def next_words_plainly(network: Any, prompts: Rows, words: Sequence[int], size: int = 256) -> list[list[float]]:
    """Prompts in batches, sorted by length: all logits, the softmax at the end of each, the words looked up in it."""
    order = sorted(range(len(prompts)), key=lambda at: -len(prompts[at]))
    found: list[list[float]] = [[]] * len(prompts)
    for start in range(0, len(order), size):
        some = order[start : start + size]
        longest = len(prompts[some[0]])
        ids = torch.tensor([prompts[at] + (0,) * (longest - len(prompts[at])) for at in some]).to(DEVICE)
        last = torch.tensor([len(prompts[at]) - 1 for at in some], device=DEVICE)
        logits = network(ids).logits[torch.arange(len(some), device=DEVICE), last]
        chosen = torch.log_softmax(logits.float(), -1)[:, words].tolist()
        for at, values in zip(some, chosen, strict=True):
            found[at] = values
    return found


def next_words(shapes: Sequence[str], count: int, repeats: int) -> list[str]:
    """The probability of six words after prompts that share their beginnings, as templates do."""
    chance = random.Random(1)
    starts = [[chance.randrange(2, WORDS) for _ in range(chance.randrange(3, 9))] for _ in range(40)]
    rows = [
        (*chance.choice(starts), *(chance.randrange(2, WORDS) for _ in range(chance.randrange(1, 8))))
        for _ in range(count)
    ]
    prompts, words = texts_of(rows), [7, 70, 700, 8, 80, 800]
    names = [f"w{word}" for word in words]
    lines = [
        f"{count:,} prompts, six words each; prompts a second",
        "",
        "| network | format | tiltmeter | batches of 256 | faster by |",
        "|---|---|---|---|---|",
    ]
    for shape in shapes:
        for dtype in ("tf32", "bfloat16"):
            bench = built(shape, dtype)
            ours_of = bench.model.next_words(prompts[:200], names)
            plain = next_words_plainly(bench.network, rows[:200], words)
            worst = max(
                abs((word.logprob or 0.0) - other)
                for one, others in zip(ours_of, plain, strict=True)
                for word, other in zip(one.words, others, strict=True)
            )
            if worst > (0.1 if dtype == "tf32" else 1.0):
                raise SystemExit(f"{shape} {dtype}: ours and the plain way differ by {worst} nats")
            seconds, _ = timed(lambda _, bench=bench: bench.model.next_words(prompts, names), repeats)
            usual, _ = timed(
                lambda some, bench=bench: next_words_plainly(bench.network, some, words), 1, rows[:1000], rows
            )
            lines.append(
                f"| {shape} | {dtype} | {count / seconds:,.0f} | {count / usual:,.0f} | {usual / seconds:.2f}× |"
            )
            print(lines[-1], flush=True)
            del bench
            torch.cuda.empty_cache()
    return lines


def completions(shapes: Sequence[str], repeats: int) -> list[str]:
    """500 prompts, 4 samples of 30 tokens each, beside `transformers.generate` with all 2,000 rows in one batch."""
    chance = random.Random(2)
    rows = [tuple(chance.randrange(2, WORDS) for _ in range(chance.randrange(5, 12))) for _ in range(500)]
    prompts = texts_of(rows)
    lines = [
        "500 prompts, 4 samples of 30 tokens each; tokens a second",
        "",
        "| network | format | tiltmeter | top_k 50, top_p 0.9 | `generate`, one batch | faster by |",
        "|---|---|---|---|---|---|",
    ]
    for shape in shapes:
        for dtype in ("tf32", "bfloat16") if shape == "small" else ("bfloat16",):
            bench = built(shape, dtype)
            network = bench.network
            network.config.use_cache, network.generation_config.pad_token_id = True, 0
            network.generation_config.eos_token_id = None
            if dtype == "tf32":
                _refuse_other_texts(bench, rows[:20])
            speeds = [
                _tokens_a_second(bench.model, prompts, decoding, repeats)
                for decoding in (Decoding(max_new_tokens=30), Decoding(1.0, 50, 0.9, 30))
            ]
            repeated = [row for row in rows for _ in range(4)]
            ids = torch.tensor([(0,) * (11 - len(row)) + row for row in repeated], device=DEVICE)
            seen = torch.tensor([[0] * (11 - len(row)) + [1] * len(row) for row in repeated], device=DEVICE)

            def generate(_: Any, network: Any = network, ids: Any = ids, seen: Any = seen) -> None:
                network.generate(
                    ids, attention_mask=seen, do_sample=True, top_k=0, max_new_tokens=30, min_new_tokens=30
                )

            usual = len(ids) * 30 / timed(generate, repeats)[0]
            lines.append(
                f"| {shape} | {dtype} | {speeds[0]:,.0f} | {speeds[1]:,.0f} | {usual:,.0f} | {speeds[0] / usual:.2f}× |"
            )
            print(lines[-1], flush=True)
            del bench, network, generate
            torch.cuda.empty_cache()
    return lines


def _refuse_other_texts(bench: Bench, rows: Rows) -> None:
    """Greedy texts must be those of `generate`, as far as rounding lets the two choose the same token."""
    wanted = [
        bench.network.generate(torch.tensor([row], device=DEVICE), do_sample=False, max_new_tokens=12)[0, len(row) :]
        for row in rows
    ]
    written = bench.model.complete(texts_of(rows), Decoding(0.0, max_new_tokens=12))
    same = sum(
        one.text.split() == [f"w{token}" for token in tokens.tolist()]
        for [one], tokens in zip(written, wanted, strict=True)
    )
    if same < 0.9 * len(rows):
        raise SystemExit(f"only {same} of {len(rows)} greedy texts are those of `generate`")


def _tokens_a_second(model: Any, prompts: Sequence[str], decoding: Decoding, repeats: int) -> float:
    seconds, found = timed(lambda _: model.complete(prompts, decoding, samples=4, seed=1), repeats)
    return float(sum(one.tokens for each in found for one in each) / seconds)


def masked(count: int, repeats: int) -> list[str]:
    """Pseudo-log-likelihoods, each token masked in turn."""
    rows = pairs_of(count)
    texts = texts_of(rows)
    lines = [f"{count:,} pairs, each token masked", "", "| network | format | sentences a second |", "|---|---|---|"]
    for dtype in ("tf32", "bfloat16"):
        bench = built("BERT-base", dtype, "masked")
        seconds, _ = timed(lambda _, bench=bench: bench.model.score(texts, conditioning="token"), repeats)
        lines.append(f"| BERT-base | {dtype} | {len(texts) / seconds:,.0f} |")
        print(lines[-1], flush=True)
    return lines


def sizes(most: int) -> list[str]:
    """Time and memory from a thousand pairs to many, asked as the engine asks: so many texts at once."""
    bench = built("small", "bfloat16")
    lines = [
        "Pairs, small shape, bfloat16, 32,768 texts at once",
        "",
        "| pairs | seconds | pairs a second | memory of the device | of this process |",
        "|---|---|---|---|---|",
    ]
    count = 1000
    bench.model.score(texts_of(pairs_of(count)), conditioning="left-no-start")
    while count <= most:
        torch.cuda.reset_peak_memory_stats()
        texts = texts_of(pairs_of(min(count, 50_000)))
        seconds = 0.0
        for start in range(0, 2 * count, 32768):
            some = [
                texts[at % len(texts)] + f" w{at // len(texts) + 2}"
                for at in range(start, min(start + 32768, 2 * count))
            ]
            began = time.perf_counter()
            bench.model.score(some, conditioning="left-no-start")
            seconds += time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        there = torch.cuda.max_memory_allocated() / 2**30
        lines.append(f"| {count:,} | {seconds:.2f} | {count / seconds:,.0f} | {there:.1f} GiB | {peak:.1f} GiB |")
        print(lines[-1], flush=True)
        count *= 10
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="pairs,screened,next-words,completions,masked,sizes")
    parser.add_argument("--shapes", default="small,large")
    parser.add_argument("--pairs", type=int, default=15000)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("there is no CUDA device on this machine")
    shapes, wanted = chosen.shapes.split(","), chosen.only.split(",")
    rates = matrix_rates()
    lines = [
        f"## {datetime.date.today()}, {torch.cuda.get_device_name()} (`gpu.py`)",
        "",
        f"torch {torch.__version__}, transformers {transformers.__version__}; median of {chosen.repeats}",
        "",
        "One product of 8192 × 8192: " + ", ".join(f"{name} {rate / 1e12:.0f} TFLOP/s" for name, rate in rates.items()),
        "",
    ]
    print("\n".join(lines), flush=True)
    if "pairs" in wanted:
        lines += [*pairs(shapes, chosen.pairs, chosen.repeats, rates), ""]
    if "screened" in wanted:
        lines += [*screened(shapes, chosen.pairs, chosen.repeats), ""]
    if "next-words" in wanted:
        lines += [*next_words(shapes, chosen.pairs, chosen.repeats), ""]
    if "completions" in wanted:
        lines += [*completions(shapes, chosen.repeats), ""]
    if "masked" in wanted:
        lines += [*masked(chosen.pairs // 10, chosen.repeats), ""]
    if "sizes" in wanted:
        lines += [*sizes(chosen.most), ""]
    if chosen.write:
        keep(lines)


if __name__ == "__main__":
    main()
