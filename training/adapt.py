"""Train the raters that adapt all layers of all-MiniLM-L6-v2 by changes of low rank.

Run `python training/adapt.py NAME [--data FOLDER] [--part K] [--write]`. NAME is `toxicity`, `sentiment` or `regard`;
FOLDER holds the public data that `training/README.md` names. A part of all texts is held out: how well it is rated is
printed, and the probabilities and thresholds are fitted to it. With `--part`, of five, more is held out: ToxiGen's
statements about some groups, and a fifth of our own lines. `--write` puts what is learned into the
package. Regard begins where its version 4 ended, and learns from `--taught` what `teach.py` wrote.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any

import low_rank
import numpy as np
import torch
from adapt_data import Row, regard_rows, sentiment_rows, taught_rows, toxicity_rows
from scipy.optimize import minimize

from tiltmeter.raters import regard_labels
from tiltmeter.raters.adapted_network import marked, packed, pooled, unpacked
from tiltmeter.raters.heads import encoder
from tiltmeter.raters.masking import MASK

WEIGHTS = Path(__file__).parent.parent / "src" / "tiltmeter" / "raters" / "weights"
LABELS = {
    "toxicity": ("harmless", "offensive", "hateful"),
    "sentiment": ("negative", "neutral", "positive"),
    "regard": regard_labels.LABELS,
}
READINGS = {"toxicity": {"toxicity": (1, 2), "hate": (2,)}}
"""The labels that count together as one answer, for which a threshold is chosen."""
ROWS = {"toxicity": toxicity_rows, "sentiment": sentiment_rows, "regard": regard_rows}
FILES = {"toxicity": "toxicity.minilm.v1", "sentiment": "sentiment.minilm.v2", "regard": "regard.minilm.v5"}
RANK, SEED, LONGEST = 8, 1, 96
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
EQUAL = 0.5
"""What it costs that the scores of one sentence about two groups differ, squared."""
PARTS = 5


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


SETTINGS = {
    "toxicity": Setting(7, 64, 6e-4, 0.997),
    "sentiment": Setting(3, 64, 6e-4, 0.995),
    "regard": Setting(8, 64, 6e-4, 0.995, rank=24),
}
BEGINS = {"regard": "regard.minilm.v4"}
"""What a rater's training begins with; the labels of both begin with negative, neutral, positive."""


class Classifier(torch.nn.Module):
    """The network with changes in all its layers, and the scores of the labels."""

    def __init__(self, labels: int, dropout: float, rank: int = RANK) -> None:
        super().__init__()
        self.body = copy.deepcopy(encoder()._model)
        self.requires_grad_(False)
        low_rank.change(self.body.encoder.layer, rank)
        self.head = torch.nn.Linear(2 * self.body.config.hidden_size, labels)
        self.dropped = torch.nn.Dropout(dropout)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        """The scores of the labels for each text, read as `Adapted` does."""
        states = self.body(input_ids=ids, attention_mask=mask).last_hidden_state
        at_mark = pooled(states, torch.where(marks.any(1)[:, None], marks, mask))
        scores: torch.Tensor = self.head(self.dropped(torch.cat([pooled(states, mask), at_mark], 1)))
        return scores

    def start_from(self, kept: dict[str, Any]) -> None:
        """Take up what was stored; labels beyond those that it has begin at none."""
        low_rank.restore(self.body, kept["changes"])
        for here, there in ((self.head.weight, kept["weights"]), (self.head.bias, kept["intercepts"])):
            found = torch.from_numpy(unpacked(there).copy())
            here.data.zero_()
            here.data[: len(found)] = found

    def state_of_training(self) -> dict[str, Any]:
        """What training changes, away from the device it ran on."""
        return {name: one.detach().cpu() for name, one in self.named_parameters() if one.requires_grad}

    def stored(self, temperature: float) -> dict[str, Any]:
        """The changes by their places, and the classifier, calibrated."""
        weights, bias = (one.detach().cpu().numpy() / temperature for one in (self.head.weight, self.head.bias))
        changes = low_rank.stored(self.body.encoder.layer)
        return {"weights": packed(weights), "intercepts": packed(bias), "changes": changes}


def table(texts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The tokens of texts, where there are any, and where XYZ stands."""
    tokenizer = encoder()._tokenizer
    coded = tokenizer(list(texts), padding=True, truncation=True, max_length=LONGEST, return_tensors="pt")
    mark, ids = tokenizer(MASK, add_special_tokens=False)["input_ids"], coded["input_ids"]
    marks = torch.tensor([marked(row, mark, ids.shape[1]) for row in ids.tolist()])
    return ids.to(DEVICE), coded["attention_mask"].to(DEVICE), marks.to(DEVICE)


def trained(
    rows: Sequence[Row], labels: int, setting: Setting, kept: dict[str, Any] | None, seed: int
) -> dict[str, Any]:
    """What was learned from the rows with one seed; in each epoch a line of ours names other groups."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    network = Classifier(labels, setting.dropout, setting.rank)
    if kept:
        network.start_from(kept)
    network.to(DEVICE).train()
    running = torch.optim.swa_utils.get_ema_multi_avg_fn(setting.smooth)
    smooth = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=running)
    free = [one for one in network.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(free, lr=setting.rate, weight_decay=0.01)
    step, started = 0, monotonic()
    for epoch in range(setting.epochs):
        drawn = [(row, row.texts(chance)) for row in rows for _ in range(row.times(chance))]
        total = setting.epochs * len(drawn) // setting.batch
        drawn.sort(key=lambda one: len(one[1][0]) * (0.8 + 0.4 * chance.random()))
        batches = [drawn[start : start + setting.batch] for start in range(0, len(drawn), setting.batch)]
        chance.shuffle(batches)
        for batch in batches:
            for group in optimiser.param_groups:
                group["lr"] = setting.rate * min(1.0, (step + 1) / (0.06 * total + 1)) * max(0.02, 1 - step / total)
            with torch.autocast(DEVICE, torch.bfloat16):
                scores = network(*table([text for _, texts in batch for text in texts]))
            # A target may leave two labels open: it then asks for their sum.
            copies = [row for row, texts in batch for _ in texts]
            allowed = torch.tensor([row.allowed for row in copies], device=DEVICE)
            target = torch.tensor([row.target for row in copies], device=DEVICE)
            logs = scores.float().log_softmax(1)
            loss = -(target * logs).sum(1) - torch.where(
                allowed.any(1), logs.masked_fill(~allowed, -1e9).logsumexp(1), 0.0
            )
            starts = np.cumsum([0, *(len(texts) for _, texts in batch)])[:-1]
            first = torch.tensor([int(at) for at, (_, texts) in zip(starts, batch, strict=True) if len(texts) > 1])
            apart = ((scores[first] - scores[first + 1]).float() ** 2).mean() if len(first) else 0.0
            optimiser.zero_grad()
            (loss.mean() + EQUAL * apart).backward()
            torch.nn.utils.clip_grad_norm_(free, 1.0)
            optimiser.step()
            smooth.update_parameters(network)
            step += 1
            if step % 500 == 0:
                print(
                    f"epoch {epoch} step {step} of {total}: {loss.mean().item():.3f}, {monotonic() - started:.0f} s",
                    flush=True,
                )
    averaged: Classifier = smooth.module
    return averaged.state_of_training()


def mean(found: Sequence[dict[str, Any]], labels: int, rank: int) -> Classifier:
    """A classifier that is the mean of several that began alike: their changes one after another, each counted less."""
    network = Classifier(labels, 0.0, rank * len(found))
    state = network.state_of_training()
    for name in state:
        each = [one[name] for one in found]
        if name.endswith("down"):
            state[name] = torch.cat(each)
        elif name.endswith("up"):
            state[name] = torch.cat(each, 1) / len(each)
        else:
            state[name] = torch.stack(each).mean(0)
    network.load_state_dict(state, strict=False)
    return network.to(DEVICE).eval()


def shares(network: Classifier, texts: Sequence[str]) -> Any:
    """The scores of the labels, before they are made probabilities."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    found: dict[int, Any] = {}
    for start in range(0, len(order), 64):
        batch = order[start : start + 64]
        with torch.inference_mode():
            found |= zip(batch, network(*table([texts[place] for place in batch])).cpu().numpy(), strict=True)
    return np.stack([found[place] for place in range(len(texts))])


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


def main() -> None:
    """Train, say how well held-out texts are rated, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(FILES))
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--taught", type=Path)
    parser.add_argument("--part", type=int)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    labels = LABELS[given.name]
    rows = ROWS[given.name](given.data)
    apart = [row.line % PARTS == given.part and row.source != "davidson" for row in rows]
    held = [
        row for row, is_apart in zip(rows, apart, strict=True) if is_apart or (row.held_out and row.source != "toxigen")
    ]
    apart_rows = set(map(id, held))
    rows = [row for row in rows if id(row) not in apart_rows]
    trained_on = hashlib.sha256("\n".join(sorted(row.pattern for row in rows)).encode()).hexdigest()
    if given.taught:
        rows += taught_rows(given.taught)
    print(f"{len(rows)} rows are trained on, {len(held)} are held out")
    begun = [
        json.loads((WEIGHTS / f"{BEGINS[name]}.json").read_text(encoding="utf-8"))
        for name in BEGINS
        if name == given.name
    ]
    setting = SETTINGS[given.name]
    train = partial(trained, rows, len(labels), setting, begun[0] if begun else None)
    # On an accelerator one training waits for the host most of the time.
    with ProcessPoolExecutor(setting.trainings if DEVICE == "cuda" else 1, get_context("spawn")) as pool:
        network = mean(list(pool.map(train, range(SEED, SEED + setting.trainings))), len(labels), setting.rank)
    chance = random.Random(0)
    clear = [row for row in held if sum(row.target)]
    scores = shares(network, [row.texts(chance)[0] for row in clear])
    targets = np.array([row.target for row in clear])
    best = targets.argmax(1)
    sources = {
        source: np.array([row.source == source for row in clear]) for source in sorted({row.source for row in clear})
    }
    # Every source counts alike, however many texts it has.
    weights = sum(one / one.sum() for one in sources.values())
    divided = temperature(scores, targets, weights)
    found = torch.tensor(scores / divided).softmax(1).numpy()
    for source, chosen in sources.items():
        print(f"{source}: {(found[chosen].argmax(1) == best[chosen]).mean():.3f} of {chosen.sum()} right")
    thresholds = {}
    ours = np.array([row.own for row in clear])
    for name, yes in READINGS.get(given.name, {}).items():
        score, wanted = found[:, yes].sum(1), targets[:, yes].sum(1)
        thresholds[name] = threshold(score, wanted, ours)
        print(f"{name}: threshold {thresholds[name]}; texts by probability, and the share that is meant:")
        reliability(score, wanted)
    print(f"temperature {divided:.2f}")
    if given.write:
        stored = {
            "labels": labels,
            "trained_on_sha256": trained_on,
            "thresholds": thresholds,
            **network.stored(divided),
        }
        stored_at(given.name).write_text(json.dumps(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
