"""Permutation throughput against `scipy.stats`, side by side in one run.

Run `python benchmarks/stats.py [--observations 100000 --origins 1000 --columns 50]`. Three ways to the same number of
exchanges: tiltmeter, from observations to p-values, whole origins exchanged; scipy called naively on the observations,
which exchanges them one by one and so **ignores that those of one origin hang together**: its answer is another, and
only its speed is compared; scipy on the origin means, whose answer must agree with ours within Monte Carlo error, or
the script stops.
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
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import stats

from tiltmeter.stats.arrays import CHUNK, Array
from tiltmeter.stats.resampling import exact_sums, flipped

DEVIATIONS = 5
"""An answer may be off by so many standard errors of the draws: it happens once in a million."""


@dataclass(frozen=True)
class Data:
    """Observations (rows) of two sides, many columns, and the origin of each row."""

    a: Array
    b: Array
    origins: np.ndarray

    @property
    def gaps(self) -> Array:
        return self.a - self.b


@dataclass(frozen=True)
class Contestant:
    name: str
    columns: int
    """On how many columns it is timed; where that is not all, its time is scaled up, and the table says so."""
    work: Callable[[], object]


def made(observations: int, origins: int, columns: int) -> Data:
    generator = np.random.default_rng(0)
    labels = np.sort(generator.integers(0, origins, observations))
    lean = generator.normal(size=(2, origins, columns))
    b = lean[0][labels] + generator.normal(size=(observations, columns))
    a = b + 0.3 * lean[1][labels] + 0.05 + 0.5 * generator.normal(size=(observations, columns))
    return Data(a, b, labels)


def scipy_permutation(a: Array, b: Array, permutations: int) -> float:
    found = stats.permutation_test(
        (a, b),
        lambda one, other, axis: np.mean(one - other, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=permutations,
        batch=max(1, CHUNK // len(a)),
        rng=np.random.default_rng(1),
    )
    return float(found.pvalue)


def means(values: Array, origins: np.ndarray) -> Array:
    """The mean of each origin in each column."""
    counts = np.bincount(origins)
    there = np.flatnonzero(counts)
    sums = [exact_sums(column, origins, len(counts)) for column in np.ascontiguousarray(values.T)]
    return (np.array(sums) / np.maximum(1, counts)).T[there]


def check(data: Data, resamples: int) -> float:
    """How far the p-values are apart, in standard errors of the draws."""
    turned = flipped(means(data.gaps, data.origins), flips=resamples).p
    of_a, of_b = means(data.a, data.origins), means(data.b, data.origins)
    found = []
    for column in range(min(3, data.a.shape[1])):
        p, q = turned[column], scipy_permutation(of_a[:, column], of_b[:, column], resamples)
        # scipy doubles one tail, which varies more than both tails together.
        tail = max(max(p, q) / 2, 1 / resamples)
        found.append(abs(p - q) / (2 * math.sqrt(2 * tail * (1 - tail) / resamples)))
    if max(found) > DEVIATIONS:
        raise SystemExit(f"the answers do not agree: {max(found):.1f} standard errors of the draws")
    return max(found)


def contestants(data: Data, resamples: int, peers: int) -> list[Contestant]:
    of_a, of_b = means(data.a, data.origins), means(data.b, data.origins)
    gaps = data.gaps
    return [
        Contestant(
            "tiltmeter, whole origins",
            data.a.shape[1],
            lambda: flipped(means(gaps, data.origins), flips=resamples),
        ),
        Contestant(
            "scipy.stats.permutation_test, naively on the observations (ignores origins)",
            peers,
            lambda: [scipy_permutation(data.a[:, place], data.b[:, place], resamples) for place in range(peers)],
        ),
        Contestant(
            "scipy.stats.permutation_test, given origin means",
            peers,
            lambda: [scipy_permutation(of_a[:, place], of_b[:, place], resamples) for place in range(peers)],
        ),
    ]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--observations", type=int, default=5_000, help="rows")
    options.add_argument("--origins", type=int, default=100)
    options.add_argument("--columns", type=int, default=5)
    options.add_argument("--peer-columns", type=int, default=2, help="so many columns are timed of scipy")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    resamples, peers = 9_999, min(chosen.peer_columns, chosen.columns)
    data = made(chosen.observations, chosen.origins, chosen.columns)
    apart = check(data, resamples)
    lines = [
        f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores (`stats.py`)",
        "",
        f"{chosen.observations:,} observations of {chosen.origins:,} origins, {chosen.columns} columns, {resamples:,} "
        f"resamples; median of {chosen.repeats}, in turn; Python {platform.python_version()}, "
        f"numpy {version('numpy')}, scipy {version('scipy')}. Load before the start: {os.getloadavg()[0]:.1f}. "
        "Given origin means, scipy's answers "
        f"agree with ours: p-values within {apart:.1f} standard errors of the draws. "
        "On the observations it answers another question, so only its speed is compared there.",
        "",
    ]
    print("\n".join(lines), flush=True)
    those = contestants(data, resamples, peers)
    times: dict[str, list[float]] = {each.name: [] for each in those}
    for _ in range(chosen.repeats):
        for each in those:
            times[each.name].append(seconds(each.work) * chosen.columns / each.columns)
    base = statistics.median(times[those[0].name])
    found = [
        "| permutation | s for all columns | million values resampled per s | tiltmeter is faster by |",
        "|---|---|---|---|",
    ]
    for each in those:
        middle = statistics.median(times[each.name])
        rate = chosen.observations * chosen.columns * resamples / middle / 1e6
        scaled = f" (timed on {each.columns} columns)" if each.columns < chosen.columns else ""
        found.append(f"| {each.name}{scaled} | {middle:.3f} | {rate:,.0f} | {middle / base:.1f}× |")
    print("\n".join([*found, ""]), flush=True)
    lines += [*found, ""]
    if chosen.write:
        with (Path(__file__).resolve().parent / "RESULTS.md").open("a", encoding="utf-8") as stream:
            stream.write("\n\n" + "\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
