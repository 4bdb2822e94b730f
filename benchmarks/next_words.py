"""Prompts per second of next words: tiltmeter against the paper's way, one prompt and one forward pass at a time.

Run `python benchmarks/next_words.py [--prompts 68] [--repeats 3] [--threads 1] [--write]`. Every row is of the same
prompts, those of the seventeen templates; the words are he and she, and all ten pronouns. The paper's way reads each
prompt alone, takes the softmax over the whole vocabulary at its end and looks up the words; a word of several pieces is
read on. Both use the same weights and the same start token. The answers are compared first, and the script stops where
they differ by more than 1e-5. The bounded form is compared with the same plain loop, which then reads every prompt once
more with every word, and finds by itself which pieces end a word. `--write` puts it into RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime
import math
import os
import platform
import statistics
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from common import keep
from tiltmeter import models
from tiltmeter.models import ModelSettings
from tiltmeter.sources import profession_templates, word_sets

PRONOUNS = [word for _, words in word_sets.BUILT_IN["pronouns"] for word in words]
HE_SHE = [word for _, words in word_sets.BUILT_IN["he-she"] for word in words]


# Once: it is no part of what is timed, and the comparison of the answers comes first.
@cache
def ending(tokenizer: Any) -> list[int]:
    """The pieces before which a word has ended, by the characters that each piece stands for.

    A word goes on with a letter, a digit, a hyphen or an underscore, or with bytes that are no whole character.
    """
    special, decoder = set(tokenizer.all_special_ids), tokenizer.backend_tokenizer.decoder
    found = []
    for number in range(len(tokenizer)):
        first = decoder.decode([tokenizer.convert_ids_to_tokens(number)])[:1]
        if number in special or not (first.isalnum() or first in {"-", "_", "\ufffd"}):
            found.append(number)
    return found


def plainly(ours: Any, prompts: list[str], words: list[str], bounded: bool) -> list[list[float]]:
    """One prompt, one forward pass, one softmax; with `bounded` one more pass for every word."""
    import torch

    network, tokenizer, start = ours._network.model, ours._encoder.tokenizer, list(ours._start)
    ids = [tokenizer(f" {word}", add_special_tokens=False)["input_ids"] for word in words]
    ends = ending(tokenizer) if bounded else []
    found = []
    for prompt in prompts:
        row = start + tokenizer(prompt, add_special_tokens=False)["input_ids"]
        with torch.inference_mode():
            chances = network(torch.tensor([row])).logits[0, -1].softmax(-1)
            values = []
            for pieces in ids:
                value = float(chances[pieces[0]])
                read = list(row)
                for piece, following in pairwise(pieces):
                    read.append(piece)
                    value *= float(network(torch.tensor([read])).logits[0, -1].softmax(-1)[following])
                if bounded:
                    after = network(torch.tensor([row + pieces])).logits[0, -1].softmax(-1)
                    value *= float(after[ends].sum())
                values.append(value)
        found.append(values)
    return found


def with_tiltmeter(ours: Any, prompts: list[str], words: list[str], bounded: bool) -> list[list[float]]:
    return [[word.probability for word in one.words] for one in ours.next_words(prompts, words, bounded=bounded)]


def seconds(work: Callable[..., object], *arguments: object) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--prompts", type=int, default=4 * len(profession_templates.TEMPLATES))
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    ours: Any = models.load("smollm2-135m", ModelSettings(device="cpu", threads=chosen.threads))
    made, _ = profession_templates.prompts(limit=math.ceil(chosen.prompts / len(profession_templates.TEMPLATES)))
    prompts = [prompt.text for prompt in made][: chosen.prompts]
    if len(prompts) < chosen.prompts:
        raise SystemExit(f"--prompts: there are only {len(prompts)}")
    load = os.getloadavg()[0]
    lines = [
        f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, {chosen.threads} threads "
        "(`next_words.py`)",
        "",
        f"smollm2-135m, float32; {len(prompts)} prompts of the seventeen templates in every row; median of "
        f"{chosen.repeats}, in turn; torch {version('torch')}, transformers {version('transformers')}. Load before the "
        f"start: {load:.1f}.",
        "",
        "| | prompts/s, one at a time | prompts/s, tiltmeter | faster by | largest difference |",
        "|---|---|---|---|---|",
    ]
    for name, words, bounded in (
        ("he and she", HE_SHE, False),
        ("ten pronouns", PRONOUNS, False),
        ("ten pronouns, bounded", PRONOUNS, True),
    ):
        answers = plainly(ours, prompts, words, bounded), with_tiltmeter(ours, prompts, words, bounded)
        apart = max(abs(one - other) for rows in zip(*answers, strict=True) for one, other in zip(*rows, strict=True))
        if apart > 1e-5:
            raise SystemExit(f"{name}: the answers differ by up to {apart:.2g}")
        times: dict[Any, list[float]] = {plainly: [], with_tiltmeter: []}
        for _ in range(chosen.repeats):
            for way, taken in times.items():
                taken.append(seconds(way, ours, prompts, words, bounded))
        slow, fast = (statistics.median(taken) for taken in times.values())
        lines.append(
            f"| {name} | {len(prompts) / slow:.1f} | {len(prompts) / fast:.1f} | {slow / fast:.2f}× | {apart:.1g} |"
        )
    print("\n".join(lines))
    if chosen.write:
        keep(lines)


if __name__ == "__main__":
    main()
