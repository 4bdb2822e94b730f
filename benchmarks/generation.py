"""Accepted sentences per second and per 1,000 tokens: our two strategies and the published loop, on the same model.

python benchmarks/generation.py [--repeats 3] [--threads 2] [--requests 60] [--reader gguf:FILE] [--write]

The published loop is written here with `transformers.generate`: one request at a time, five texts of 80 tokens, and
what lacks a term is thrown away. A kinder form stops at the end of the line. What it asks for is chosen as in ours, and
its sentences go through the same checks, so "accepted" means the same for all. It is slow, so it is stopped after
`--requests` requests, of attributes in random order: what is compared are rates. Before anything is timed, both write
some texts greedily, and the texts must be the same.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import random
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import fmean, median
from typing import Any

from common import keep

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from tiltmeter.engine.executor import Executor
from tiltmeter.engine.review import Auditor, least_expected
from tiltmeter.models import ModelSettings, embedded, loading
from tiltmeter.models.identity import folder_identity
from tiltmeter.models.special_tokens import end_tokens
from tiltmeter.records import Completion, Decoding, Pair, Spec, Written
from tiltmeter.sources.generated import Generation, GenerationSettings, Review, assemble, units, write
from tiltmeter.sources.generated.accounting import is_accepted
from tiltmeter.sources.generated.checks import JUDGED, NOT_CHOSEN, WITHOUT_BOTH_TERMS
from tiltmeter.sources.generated.settings import PUBLISHED_DECODING, ShotKind, Strategy
from tiltmeter.sources.generated.shots import chooser
from tiltmeter.sources.generated.unit_writer import UnitWriter
from tiltmeter.specs import load
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.views.quality import unique_tokens, words_of

SPEC = "gender-math-arts"
START = 0
"""`<|endoftext|>`: all begin with it, as tiltmeter does with this model."""
FEWEST = 50
"""Diversity is not compared of fewer sentences than this."""
BASE = "naive, own shots"
"""What the others are compared with: with the fixed shots next to nothing is accepted."""


@dataclass(frozen=True)
class Outcome:
    """What one strategy wrote with one seed, and how long it took."""

    made: Generation
    seconds: float
    cpu: float
    """Seconds of computing time, over all threads: other work on the machine changes it less."""

    @property
    def accepted(self) -> list[Written]:
        return [sentence for sentence in self.made.sentences if is_accepted(sentence)]

    @property
    def rate(self) -> float:
        return len(self.accepted) / self.seconds

    @property
    def rate_of_cpu(self) -> float:
        return len(self.accepted) / self.cpu


class Stopwatch:
    """Adds up wall and computing time."""

    def __init__(self) -> None:
        self.seconds = self.cpu = 0.0

    def __enter__(self) -> Stopwatch:
        self._begin = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._begin[0]
        self.cpu += time.process_time() - self._begin[1]


class Ours:
    """Our loop with one of its strategies; ranking the accepted sentences is timed apart."""

    def __init__(self, strategy: Strategy, spec: Spec, model: Any, auditor: Auditor, *, ranked: bool) -> None:
        self._strategy, self._spec, self._model = strategy, spec, model
        self._review = Review(auditor.review(judge=True).judge, self._rank if ranked else None)
        self.ranking = Stopwatch()

    def __call__(self, seed: int) -> Outcome:
        settings = GenerationSettings(strategy=self._strategy, seed=seed)
        ranked_before = self.ranking.seconds, self.ranking.cpu
        with Stopwatch() as taken:
            made = write(self._spec, self._model, settings, review=self._review)
        ranked = self.ranking.seconds - ranked_before[0], self.ranking.cpu - ranked_before[1]
        return Outcome(made, taken.seconds - ranked[0], taken.cpu - ranked[1])

    def _rank(self, pairs: Sequence[Pair]) -> list[float]:
        with self.ranking:
            return least_expected(self._model, pairs)


class Naive:
    """The published loop, one request after the other, for as many requests as it is given."""

    def __init__(
        self,
        parts: loading.LoadedCheckpoint,
        spec: Spec,
        model: Any,
        auditor: Auditor,
        *,
        shots: ShotKind,
        requests: int,
        stops: bool = False,
    ) -> None:
        self._parts, self._spec, self._model = parts, spec, model
        self._judge: Any = auditor.review(judge=True).judge
        self._shots, self._requests, self._stops = shots, requests, stops
        self._ends = sorted(end_tokens(parts.tokenizer, parts.model, (START,)))

    def __call__(self, seed: int) -> Outcome:
        import torch

        torch.manual_seed(seed)
        settings = GenerationSettings(strategy="rejection", shots=self._shots, seed=seed)
        with Stopwatch() as taken:
            choose = chooser(self._shots, self._spec)
            writings = [
                UnitWriter(self._spec, one, self._model, settings, choose) for one in units(self._spec, settings)
            ]
            random.Random(seed).shuffle(writings)
            left = self._requests
            while left and (asked := [(one, request) for one in writings for request in one.next_requests()]):
                for one, request in asked[:left]:
                    texts = self.generate(request.prompt, settings.decoding, settings.samples)
                    one.keep(self._judged(one.check(request, texts)))
                left -= len(asked[:left])
            made = assemble([one.result() for one in writings], settings)
        return Outcome(made, taken.seconds, taken.cpu)

    def generate(self, prompt: str, decoding: Decoding, samples: int = 1) -> list[Completion]:
        """Texts by `transformers.generate`; where it does not stop at the end of a line, the rest is cut off later."""
        import torch

        tokenizer = self._parts.tokenizer
        ids = torch.tensor([[START, *tokenizer(prompt, add_special_tokens=False)["input_ids"]]])
        options: dict[str, Any] = {"do_sample": decoding.temperature > 0}
        if self._stops:
            options |= {"stop_strings": list(decoding.stop), "tokenizer": tokenizer}
        if decoding.temperature > 0:
            options |= {"temperature": decoding.temperature}
            options |= {"top_k": decoding.top_k, "top_p": decoding.top_p, "num_return_sequences": samples}
        with torch.inference_mode():
            rows = self._parts.model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=decoding.max_new_tokens,
                eos_token_id=self._ends,
                pad_token_id=self._ends[0],
                use_cache=True,
                **options,
            )
        return [self._completion(row) for row in rows[:, ids.shape[1] :].tolist()]

    def _completion(self, row: Sequence[int]) -> Completion:
        # After its end a row is filled up to the length of the longest; that was not written.
        end = next((at for at, token in enumerate(row) if token in self._ends), None)
        text = self._parts.tokenizer.decode(row[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return Completion(text, len(row) if end is None else end + 1, "length" if end is None else "end")

    def _judged(self, found: Sequence[Written]) -> list[Written]:
        passed = [sentence for sentence in found if sentence.dropped is None]
        verdicts = dict(zip((one.id for one in passed), self._judge(passed) if passed else [], strict=True))
        return [replace(one, dropped=f"{JUDGED}: {why}") if (why := verdicts.get(one.id)) else one for one in found]


def check_agreement(model: Any, naive: Naive, spec: Spec, count: int = 4) -> None:
    """Stop where the two write different texts without chance. This also loads whatever is loaded at first use."""
    settings = GenerationSettings(strategy="rejection")
    choose = chooser("own", spec)
    asked = [
        (request, unit)
        for unit in units(spec, settings)[:count]
        for request in UnitWriter(spec, unit, model, settings, choose).next_requests()
    ]
    greedy = replace(PUBLISHED_DECODING, temperature=0.0)
    ours = model.complete([request.prompt for request, _ in asked], greedy)
    for (request, _), [mine] in zip(asked, ours, strict=True):
        [theirs] = naive.generate(request.prompt, greedy)
        if theirs.text.partition("\n")[0] != mine.text:
            raise SystemExit(f"the texts differ: {theirs.text!r} and {mine.text!r}, after {request.prompt!r}")
    request, unit = asked[0]
    model.complete_with([request.prompt], [[request.term, unit.attribute]], greedy)
    print(f"{len(asked)} texts written greedily are the same as those of `transformers.generate`.\n")


def costs(outcomes: dict[str, list[Outcome]]) -> list[str]:
    """The table of what was written, what of it was accepted, and what that took: medians over seeds."""

    def middle(name: str, figure: Callable[[Outcome], float]) -> float:
        return median(figure(one) for one in outcomes[name])

    def per_1000(one: Outcome) -> float:
        return one.made.accounting.accepted_per_1000_tokens or 0.0

    lines = [
        "| | sequences | finished | both terms | accepted | share | tokens | s | CPU s | accepted/s | per 1,000 tokens "
        f"| × {BASE}: per CPU s | per token |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, found in outcomes.items():
        rates = [one.rate for one in found]
        cells = [
            name,
            f"{middle(name, lambda one: one.made.accounting.attempts):.0f}",
            f"{middle(name, lambda one: one.made.accounting.decoded):.0f}",
            f"{middle(name, lambda one: one.made.accounting.with_both_terms):g}",
            f"{middle(name, lambda one: len(one.accepted)):g}",
            f"{100 * middle(name, lambda one: one.made.accounting.share or 0):.1f} %",
            f"{middle(name, lambda one: one.made.accounting.tokens):.0f}",
            f"{middle(name, lambda one: one.seconds):.0f}",
            f"{middle(name, lambda one: one.cpu):.0f}",
            f"{median(rates):.3f} ({min(rates):.3f}–{max(rates):.3f})",
            f"{middle(name, per_1000):.1f}",
            _ratio(middle(name, lambda one: one.rate_of_cpu), middle(BASE, lambda one: one.rate_of_cpu)),
            _ratio(middle(name, per_1000), middle(BASE, per_1000)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def refusals(outcomes: dict[str, list[Outcome]]) -> list[str]:
    """For each strategy the three most frequent reasons, of all seeds, for what holds both terms."""
    lines = []
    for name, found in outcomes.items():
        counts: Counter[str] = Counter()
        for one in found:
            counts.update(dict(one.made.accounting.dropped))
        reasons = [(why, n) for why, n in counts.most_common() if why not in {*WITHOUT_BOTH_TERMS, NOT_CHOSEN}]
        lines.append(f"- {name}: " + (", ".join(f"{why} {n}" for why, n in reasons[:3]) or "none"))
    return lines


def qualities(found: dict[str, list[Written]], reader: Auditor | None) -> list[str]:
    """The table of how good the accepted sentences of all seeds are."""
    size = min((len(one) for one in found.values() if len(one) >= FEWEST), default=0)
    lines = [
        f"| | sentences | words | unique tokens in {size} | log-likelihood per token | I7, read by the second model |",
        "|---|---|---|---|---|---|",
    ]
    for name, sentences in found.items():
        texts = [one.text for one in sentences]
        unique = unique_tokens(texts, size=size) if size else None
        read = incoherent = "–"
        if reader and sentences:
            value = estimate(reader.likelihoods(texts), [one.attribute for one in sentences], neutral=None)
            read = f"{value.value:.2f}" + (f" ({value.low:.2f} to {value.high:.2f})" if value.low is not None else "")
            flags = [any(finding.issue == "I7" for finding in findings) for findings in reader.findings(sentences)]
            incoherent = f"{100 * fmean(flags):.1f} %"
        words = f"{fmean(len(words_of(text)) for text in texts):.1f}" if texts else "–"
        diverse = "–" if unique is None else f"{unique:.0f}"
        lines.append(f"| {name} | {len(texts)} | {words} | {diverse} | {read} | {incoherent} |")
    return lines


def heading(options: argparse.Namespace) -> list[str]:
    packages = ("tiltmeter", "torch", "transformers", "spacy")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return [
        f"## {datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores, {options.threads} "
        f"thread{'s' if options.threads > 1 else ''} (`generation.py`)",
        "",
        f"SmolLM2-135M, float32, `{SPEC}`, two sentences for each attribute, temperature 0.8, top-k 50, top-p 0.85, "
        f"at most 80 tokens; medians of {options.repeats} seeds; Python {platform.python_version()}; {versions}."
        f"{_busy('before the start')}",
        "",
    ]


def _busy(when: str) -> str:
    # Other work on the machine spoils the figures, so the reader must see it.
    return f" Load {when}: {os.getloadavg()[0]:.1f}." if hasattr(os, "getloadavg") else ""


def _ratio(one: float, other: float) -> str:
    return f"{one / other:.1f}" if other else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="seeds")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--requests", type=int, default=60, help="after so many the naive loop is stopped")
    parser.add_argument("--reader", help="a second model that reads the accepted sentences, e.g. gguf:FILE")
    parser.add_argument("--write", action="store_true", help="put the tables into RESULTS.md")
    options = parser.parse_args()

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    if not embedded.is_cached():
        embedded.fetch()
    running = ModelSettings(device="cpu", threads=options.threads)
    spec = load(SPEC)
    # Read once: all write with the same weights.
    parts = loading.read(embedded.home(), embedded.NAME, running)
    model: Any = loading.assemble(parts, running, folder_identity(embedded.home()), start=(START,))
    auditor = Auditor({spec.name: spec}, None, Executor(running))
    naive = partial(Naive, parts, spec, model, auditor, requests=options.requests)
    constrained = Ours("constrained", spec, model, auditor, ranked=True)
    runners: dict[str, Callable[[int], Outcome]] = {
        "naive, fixed shots": naive(shots="fixed"),
        BASE: naive(shots="own"),
        f"{BASE}, stops at the line's end": naive(shots="own", stops=True),
        "rejection": Ours("rejection", spec, model, auditor, ranked=False),
        "constrained": constrained,
    }
    lines = heading(options)
    print("\n".join(lines))
    check_agreement(model, naive(shots="own"), spec)
    naive(shots="own", stops=True, requests=1)(seed=0)
    outcomes: dict[str, list[Outcome]] = {name: [] for name in runners}
    # In turn, not one after the other: a slow minute of the machine then slows all alike.
    for seed in range(1, options.repeats + 1):
        for name, run in runners.items():
            outcomes[name].append(run(seed))
            print(f"  seed {seed}, {name}: {outcomes[name][-1].seconds:.0f} s", flush=True)

    found = {name: [sentence for one in made for sentence in one.accepted] for name, made in outcomes.items()}
    found["constrained, the better half"] = [one for made in outcomes["constrained"] for one in made.made.kept]
    reader = Auditor({spec.name: spec}, options.reader, Executor(running)) if options.reader else None
    read_by = Path(options.reader.partition(":")[2] or options.reader).stem if options.reader else "nobody"
    ranking = constrained.ranking.seconds / options.repeats
    lines += [
        *costs(outcomes),
        "",
        f"The naive loop was stopped after {options.requests} requests; ours went on until every attribute had its "
        "sentences. Sequences: all that were decoded, those begun anew or taken back included. Accepted/s with the "
        "lowest and the highest of the seeds. Ranking, which is the default and not counted above, takes `constrained` "
        f"another {ranking:.0f} s.{_busy('after the end')}",
        "",
        "Why sentences with both terms were refused, most often:",
        "",
        *refusals(outcomes),
        "",
        f"Accepted sentences of all seeds together, read by {read_by}:",
        "",
        *qualities(found, reader),
        "",
    ]
    print("\n" + "\n".join(lines))
    if options.write:
        keep(lines)


if __name__ == "__main__":
    main()
