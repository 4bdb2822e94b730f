"""Train the raters that adapt all layers of all-MiniLM-L6-v2 by changes of low rank.

Run `python training/adapt.py NAME [--data FOLDER] [--taught FILE] [--part K ...] [--write]`. NAME is `toxicity`,
`sentiment` or `regard`; FOLDER holds the public data that `training/README.md` names. A part of all texts is held out:
how well it is rated is printed, and the probabilities and thresholds are fitted to it. With `--part`, a network is
trained for each of the parts 0 to 4 that are named, and more is held out from it: a fifth of our own lines; and for
toxicity, ToxiGen's statements about some groups and every text that names one of them. `--write` puts what is learned
into the package.
Regard begins where its version 4 ended, and learns from `--taught` what `teach.py` wrote.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import os
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any

import low_rank
import numpy as np
import torch
from adapt_data import PARTS, Row, naming, regard_rows, sentiment_rows, taught_rows, toxicity_rows
from draws import Batch, Job, batch, drawn, marked, tokenizer
from scipy.optimize import minimize
from scipy.stats import mannwhitneyu

from tiltmeter.raters import regard_labels
from tiltmeter.raters.adapted_network import packed, pooled, unpacked
from tiltmeter.raters.heads import encoder

WEIGHTS = Path(__file__).parent.parent / "src" / "tiltmeter" / "raters" / "weights"
LABELS = {
    "toxicity": ("harmless", "offensive", "hateful"),
    "sentiment": ("negative", "neutral", "positive"),
    "regard": regard_labels.LABELS,
}
READINGS = {"toxicity": {"toxicity": (1, 2), "hate": (2,)}}
"""The labels that count together as one answer, for which a threshold is chosen."""
ROWS = {"toxicity": toxicity_rows, "sentiment": sentiment_rows, "regard": regard_rows}
FILES = {"toxicity": "toxicity.minilm.v2", "sentiment": "sentiment.minilm.v2", "regard": "regard.minilm.v5"}
RANK, SEED = 8, 1
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
EQUAL = 0.5
"""What it costs that the scores of one sentence about two groups differ, squared."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How one rater is trained: chosen on held-out parts (see `training/README.md`)."""

    epochs: int
    batch: int
    rate: float
    smooth: float
    """What ships is a running mean of the last states of training, in which each counts so much of the one after it."""
    dropout: float = 0.1
    rank: int = RANK
    trainings: int = 1
    """How often it is trained, each time with another seed; the mean of all is what ships."""
    longest: int = 96
    """Texts are cut after so many tokens."""
    joined: float = 0.0
    """How many long texts are put together of others, as a share of the rest."""


SETTINGS = {
    "toxicity": Setting(7, 64, 6e-4, 0.997, trainings=3, longest=256, joined=0.1),
    "sentiment": Setting(3, 64, 6e-4, 0.995),
    "regard": Setting(8, 64, 6e-4, 0.995, rank=24),
}
BEGINS = {"regard": "regard.minilm.v4"}
"""What a rater's training begins with; the labels of both begin alike."""


class Classifier(torch.nn.Module):
    """The network with changes in all its layers, and the scores of the labels; or several networks side by side."""

    def __init__(self, labels: int, dropout: float, networks: int = 1, rank: int = RANK) -> None:
        super().__init__()
        self.rank = rank
        self.body = copy.deepcopy(encoder()._model)
        self.requires_grad_(False)
        low_rank.change(self.body.encoder.layer, rank, networks)
        width = 2 * self.body.config.hidden_size
        self.weight = torch.nn.Parameter((2 * torch.rand(networks, labels, width) - 1) / width**0.5)
        self.bias = torch.nn.Parameter((2 * torch.rand(networks, labels) - 1) / width**0.5)
        self.dropped = torch.nn.Dropout(dropout)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        """The scores of the labels by network and text, read as `Adapted` does."""
        ids, mask, marks = (one.flatten(0, 1) for one in (ids, mask, marks))
        states = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        at_mark = pooled(states, torch.where(marks.any(1)[:, None], marks, mask))
        read = self.dropped(torch.cat([pooled(states, mask), at_mark], 1))
        return torch.baddbmm(self.bias[:, None], read.view(len(self.bias), -1, read.shape[1]), self.weight.mT)

    def start_from(self, kept: dict[str, Any]) -> None:
        """Take up what was stored; labels beyond those that it has begin at none."""
        low_rank.restore(self.body, kept["changes"])
        for here, there in ((self.weight, kept["weights"]), (self.bias, kept["intercepts"])):
            found = torch.from_numpy(unpacked(there).copy())
            here.data.zero_()
            here.data[:, : len(found)] = found

    def stored(self, temperature: float) -> dict[str, Any]:
        """The changes by their places, and the classifier, calibrated; of several networks, their mean."""
        weights, bias = (one.detach().mean(0).cpu().numpy() / temperature for one in (self.weight, self.bias))
        changes = low_rank.stored(self.body.encoder.layer)
        return {"weights": packed(weights), "intercepts": packed(bias), "changes": changes}

    def alone(self, place: int) -> Classifier:
        """One of the networks."""
        network = copy.deepcopy(self)
        for one in network.parameters():
            if one.requires_grad:
                one.data = one.data[place : place + 1]
        return network

    def mean(self) -> Classifier:
        """One network that is the mean of several that began alike, as it is stored."""
        networks, labels = self.bias.shape
        network = Classifier(labels, 0.0, rank=self.rank * networks)
        network.start_from(self.stored(1.0))
        return network.to(DEVICE).eval()


def trained(jobs: Sequence[Job], labels: int, setting: Setting, kept: dict[str, Any] | None) -> Classifier:
    """A network for each job, side by side: a step of many costs the host hardly more than a step of one."""
    torch.manual_seed(SEED)
    chance = random.Random(SEED)
    network = Classifier(labels, setting.dropout, len(jobs), setting.rank)
    if kept:
        network.start_from(kept)
    network.to(DEVICE).train()
    free = [one for one in network.parameters() if one.requires_grad]
    running = [one.detach().clone() for one in free]
    optimiser = torch.optim.AdamW(free, lr=setting.rate, weight_decay=0.01)
    step, started = 0, monotonic()
    with ProcessPoolExecutor(min(len(jobs), max(1, (os.cpu_count() or 1) - 1)), get_context("spawn")) as pool:
        draws = [
            [pool.submit(drawn, job, epoch, setting.joined, setting.longest) for job in jobs]
            for epoch in range(setting.epochs)
        ]
        for epoch, asked in enumerate(draws):
            found = [one.result() for one in asked]
            count = max(len(one.targets) for one in found) // setting.batch
            total = setting.epochs * count
            for number in chance.sample(range(count), count):
                for group in optimiser.param_groups:
                    group["lr"] = setting.rate * min(1.0, (step + 1) / (0.06 * total + 1)) * max(0.02, 1 - step / total)
                optimiser.zero_grad()
                loss = cost(network, batch(found, number, count))
                loss.backward()
                clip(free)
                optimiser.step()
                step += 1
                torch._foreach_lerp_(running, free, 1 - setting.smooth if step > 1 else 1.0)
                if step % 500 == 0:
                    said = f"{loss.item() / len(jobs):.3f}, {monotonic() - started:.0f} s"
                    print(f"epoch {epoch} step {step} of {total}: {said}", flush=True)
            asked.clear()
    for one, smooth in zip(free, running, strict=True):
        one.data = smooth
    return network.eval()


def cost(network: Classifier, given: Batch) -> torch.Tensor:
    """What all networks get wrong, each counted by itself."""
    ids, mask, marks, target, allowed, weights, copies = (
        torch.from_numpy(one).to(DEVICE, non_blocking=True) for one in vars(given).values()
    )
    with torch.autocast(DEVICE, torch.bfloat16):
        scores = network(ids, mask, marks).float()
    logs = scores.log_softmax(-1)
    # A target may leave two labels open: it then asks for their sum.
    either = torch.where(allowed.any(-1), logs.masked_fill(~allowed, -1e9).logsumexp(-1), 0.0)
    apart = ((scores[:, :-1] - scores[:, 1:]) ** 2).mean(-1)
    return -(weights * ((target * logs).sum(-1) + either)).sum() + EQUAL * (copies[:, :-1] * apart).sum()


def clip(free: Sequence[torch.nn.Parameter]) -> None:
    """Scale the gradients of each network so that their norm is at most one."""
    slopes = [one.grad for one in free if one.grad is not None]
    norms = torch.stack([one.flatten(1).norm(dim=1) for one in slopes]).norm(dim=0)
    scale = (1 / (norms + 1e-6)).clamp(max=1.0)
    for one in slopes:
        one.mul_(scale.view(-1, *(1 for _ in one.shape[1:])))


def shares(network: Classifier, texts: Sequence[str], longest: int) -> Any:
    """The scores of the labels by network and text, before they are made probabilities."""
    networks = len(network.bias)
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    found: dict[int, Any] = {}
    for start in range(0, len(order), 64):
        places = order[start : start + 64]
        chosen = [texts[place] for place in places]
        coded = tokenizer()(chosen, padding=True, truncation=True, max_length=longest, return_tensors="np")
        ids, mask = coded["input_ids"], coded["attention_mask"]
        tables = (torch.from_numpy(one).to(DEVICE).repeat(networks, 1, 1) for one in (ids, mask, marked(ids)))
        with torch.inference_mode():
            found |= zip(places, network(*tables).cpu().numpy().swapaxes(0, 1), strict=True)
    return np.stack([found[place] for place in range(len(texts))], axis=1)


def temperature(scores: Any, targets: Any, weights: Any) -> float:
    """By what the scores are divided so that the probabilities are as large as the share of the labels."""
    logits, wanted, counts = torch.tensor(scores), torch.tensor(targets), torch.tensor(weights)
    losses = {
        t: -((wanted * (logits / t).log_softmax(1)).sum(1) * counts).sum().item() for t in np.arange(0.6, 4, 0.05)
    }
    return float(min(losses, key=lambda t: losses[t]))


def threshold(found: Any, wanted: Any, ours: Any) -> float:
    """From which probability on half of the texts are meant, by a curve through the held-out ones.

    The mean for our lines alone, and for ours and public messages counted alike: annotators of messages call little
    hateful that our guide does.
    """
    logits = np.log(np.clip(found, 1e-4, 1 - 1e-4) / np.clip(1 - found, 1e-4, 1))
    crossings = []
    for weights in (ours / ours.sum(), ours / ours.sum() + ~ours / max(1, (~ours).sum())):
        slope, shift = minimize(_misfit, [1.0, 0.0], (logits, wanted, weights)).x
        crossings.append(1 / (1 + np.exp(shift / slope)))
    return round(round(float(np.mean(crossings)) / 0.05) * 0.05, 2)


def _misfit(line: Any, logits: Any, wanted: Any, weights: Any) -> float:
    scores = line[0] * logits + line[1]
    return float((weights * (np.logaddexp(0, scores) - wanted * scores)).sum() / weights.sum())


def reliability(found: Any, wanted: Any) -> None:
    """Print of how many of the texts that were rated about alike the answer is yes."""
    for low in np.arange(0, 1, 0.1):
        inside = (found >= low) & (found < low + 0.1)
        print(f"  {low:.1f} to {low + 0.1:.1f}: {inside.sum():5d}, {wanted[inside].sum() / max(1, inside.sum()):.2f}")


def stored_at(name: str) -> Path:
    """Where the package keeps what was learned."""
    return WEIGHTS / f"{FILES[name]}.json"


def is_held_out(row: Row, part: int | None) -> bool:
    """Whether a row is kept from the training of a network that is to be tried on a part."""
    if part is not None and row.line % PARTS == part and row.source != "davidson":
        return True
    return row.held_out and row.source != "toxigen"


def job(name: str, rows: Sequence[Row], part: int | None, seed: int) -> Job:
    """What a network is trained on."""
    unnamed = naming(part) if name == "toxicity" and part is not None else None
    kept = [row for row in rows if not is_held_out(row, part) and not (unnamed and unnamed.search(row.pattern))]
    return Job(kept, seed, unnamed)


@dataclass(frozen=True)
class Judged:
    """What a network says of held-out rows, when its probabilities are as large as the share of the labels."""

    rows: Sequence[Row]
    shares: Any
    temperature: float
    """By what the scores are divided."""
    thresholds: dict[str, float]


def judged(name: str, rows: Sequence[Row], part: int | None, network: Classifier) -> Judged:
    """Rate the rows that are held out, and print how well."""
    held = [row for row in rows if is_held_out(row, part) and sum(row.target)]
    chance = random.Random(0)
    scores = shares(network, [row.texts(chance)[0] for row in held], SETTINGS[name].longest)[0]
    targets = np.array([row.target for row in held])
    names = np.array([row.source for row in held])
    sources = {source: names == source for source in sorted(set(names))}
    # Every source counts alike, however many texts it has.
    divided = temperature(scores, targets, sum(one / one.sum() for one in sources.values()))
    found = torch.tensor(scores / divided).softmax(1).numpy()
    for source, chosen in sources.items():
        right = found[chosen].argmax(1) == targets[chosen].argmax(1)
        print(f"{source}: {right.mean():.3f} of {chosen.sum()} right")
    thresholds = {}
    ours = np.array([row.own for row in held])
    for reading, yes in READINGS.get(name, {}).items():
        score, wanted = found[:, yes].sum(1), targets[:, yes].sum(1)
        thresholds[reading] = threshold(score, wanted, ours)
        print(f"{reading}: threshold {thresholds[reading]}; texts by probability, and the share that is meant:")
        reliability(score, wanted)
    print(f"temperature {divided:.2f}", flush=True)
    return Judged(held, found, divided, thresholds)


def by_groups(parts: Sequence[Judged]) -> None:
    """Print how well ToxiGen's statements are told apart about groups that no text of a network's training names."""
    held = [row for one in parts for row in one.rows]
    found = np.concatenate([one.shares for one in parts])
    toxigen = np.array([row.source == "toxigen" for row in held])
    lines, hateful = np.array([row.line for row in held]), np.array([row.target[2] == 1 for row in held])
    chosen = {f"part {line}": toxigen & (lines == line) for line in sorted(set(lines[toxigen]))} | {"all": toxigen}
    for reading, yes in READINGS["toxicity"].items():
        values = found[:, yes].sum(1)
        for name, places in chosen.items():
            good, bad = values[places & ~hateful], values[places & hateful]
            area = mannwhitneyu(bad, good).statistic / (len(bad) * len(good))
            print(f"ToxiGen, {name}, {reading}: AUC {area:.3f}, {len(bad)} hateful and {len(good)} neutral")


def main() -> None:
    """Train, say how well held-out texts are rated, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(FILES))
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--taught", type=Path)
    parser.add_argument("--part", type=int, nargs="+", choices=range(PARTS), default=[])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.part and given.write:
        parser.error("--part is for comparing: what ships is trained without it")
    rows, setting, labels, kept = ROWS[given.name](given.data), SETTINGS[given.name], LABELS[given.name], None
    if given.name in BEGINS:
        kept = json.loads((WEIGHTS / f"{BEGINS[given.name]}.json").read_text(encoding="utf-8"))
    seeds = range(SEED, SEED + setting.trainings)
    jobs = [job(given.name, rows, part, SEED) for part in given.part]
    jobs = jobs or [job(given.name, rows, None, seed) for seed in seeds]
    trained_on = hashlib.sha256("\n".join(sorted(row.pattern for row in jobs[0].rows)).encode()).hexdigest()
    if given.taught:
        jobs = [replace(one, rows=[*one.rows, *taught_rows(given.taught)]) for one in jobs]
    print(f"rows that are trained on, of {len(rows)}: {', '.join(str(len(one.rows)) for one in jobs)}", flush=True)
    networks = trained(jobs, len(labels), setting, kept)
    if given.part:
        found = [judged(given.name, rows, part, networks.alone(place)) for place, part in enumerate(given.part)]
        if given.name == "toxicity":
            by_groups(found)
        return
    network = networks.mean()
    calibrated = judged(given.name, rows, None, network)
    if given.write:
        stored = {
            "labels": labels,
            "trained_on_sha256": trained_on,
            "thresholds": calibrated.thresholds,
            **network.stored(calibrated.temperature),
        }
        stored_at(given.name).write_text(json.dumps(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
