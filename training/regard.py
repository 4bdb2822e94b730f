"""Train `regard.minilm.v2`: small changes to the last layers of all-MiniLM-L6-v2, and a classifier on top.

Run `python training/regard.py [--folds 0 1 …] [--write]`. With `--folds`, parts of the training sentences are held out,
with all that stems from the same pattern or opener, and how well they are rated is printed: what the settings were
chosen by. Without, all of them are trained on; `--write` puts the result into the package. One thread, fixed seeds.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
from typing import Any

import low_rank
import numpy as np
import torch
from heads import LABELS, WEIGHTS
from regard_data import Row, training_rows, variants

from tiltmeter.raters.adapted_network import packed, pooled
from tiltmeter.raters.heads import encoder

FIRST = 3
"""Layers below this one are left as they are."""
RANK = 8
EPOCHS = 5
RATE = 8e-4
BATCH = 16
SMOOTHING = 0.05
WEIGHTS_OF = {"own": 1.0, "pattern": 1.0, "models": 1.5}
OTHER = 0.6
"""What a text that is *other* counts, in the place of 1: a mixed text shares its words with plain praise and blame."""
SEED = 1
LABELLED = LABELS["regard"]

Reading = tuple[torch.Tensor, list[int]]
"""The states of a text below the first layer that is changed, and 1 at the tokens of XYZ."""


class Classifier(torch.nn.Module):
    """The last layers of the network, changed, and the scores of the labels."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(copy.deepcopy(layer) for layer in encoder()._model.encoder.layer[FIRST:])
        self.requires_grad_(False)
        low_rank.change(self.layers, RANK)
        self.head = torch.nn.Linear(2 * encoder()._model.config.hidden_size, len(LABELLED))
        torch.nn.init.zeros_(self.head.weight)
        torch.nn.init.zeros_(self.head.bias)
        self.dropped = torch.nn.Dropout(0.1)

    def forward(self, states: torch.Tensor, mask: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        """The scores of the labels for each text."""
        hidden = (1 - mask[:, None, None, :]) * -1e9
        for layer in self.layers:
            found = layer(states, hidden)
            states = found[0] if isinstance(found, tuple) else found
        at_mark = pooled(states, torch.where(marks.any(1)[:, None], marks, mask))
        scores: torch.Tensor = self.head(self.dropped(torch.cat([pooled(states, mask), at_mark], 1)))
        return scores

    def stored(self) -> dict[str, Any]:
        """The changes by their places in the whole network, and the classifier."""
        return {
            "weights": packed(self.head.weight.detach().numpy()),
            "intercepts": packed(self.head.bias.detach().numpy()),
            "changes": low_rank.stored(self.layers, FIRST),
        }


def read(texts: list[tuple[str, list[tuple[int, int]]]]) -> list[Reading]:
    """The states of each text below the layers that are changed, which need computing only once."""
    network, made = encoder(), {}
    tokenizer = network._tokenizer
    coded = [tokenizer(text, truncation=True, max_length=128, return_offsets_mapping=True) for text, _ in texts]
    order = sorted(range(len(texts)), key=lambda place: len(coded[place]["input_ids"]))
    for start in range(0, len(order), 32):
        batch = order[start : start + 32]
        padded = tokenizer.pad({"input_ids": [coded[place]["input_ids"] for place in batch]}, return_tensors="pt")
        with torch.no_grad():
            layers = network._model(**padded, output_hidden_states=True).hidden_states
        for row, place in enumerate(batch):
            made[place] = layers[FIRST][row, : len(coded[place]["input_ids"])].clone()
    marks = [
        [int(any(a < end and start < b for a, b in spans) and end > start) for start, end in one["offset_mapping"]]
        for one, (_, spans) in zip(coded, texts, strict=True)
    ]
    return [(made[place], marks[place]) for place in range(len(texts))]


def together(readings: list[Reading]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """States, mask and marks of several texts, padded."""
    longest = max(len(states) for states, _ in readings)
    states = torch.zeros(len(readings), longest, readings[0][0].shape[1])
    mask, marks = torch.zeros(len(readings), longest), torch.zeros(len(readings), longest)
    for row, (own, mark) in enumerate(readings):
        states[row, : len(own)], mask[row, : len(own)] = own, 1.0
        marks[row, : len(mark)] = torch.tensor(mark, dtype=torch.float32)
    return states, mask, marks


def trained(rows: list[Row], readings: list[list[Reading]]) -> Classifier:
    """A classifier that was trained on the rows; in each round a text is as it is, swapped, or names a group."""
    torch.manual_seed(SEED)
    chance = random.Random(SEED)
    network = Classifier().train()
    network.layers.eval()
    classes = torch.tensor([LABELLED.index(row.label) for row in rows])
    weights = torch.tensor([WEIGHTS_OF[row.kind] * (OTHER if row.label == "other" else 1.0) for row in rows])
    free = [one for one in network.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(free, lr=RATE, weight_decay=0.01)
    steps, step = EPOCHS * -(-len(rows) // BATCH), 0
    for epoch in range(EPOCHS):
        chosen = [chance.choices(own, (2, 1, 1))[0] for own in readings]
        order = sorted(range(len(rows)), key=lambda place: len(chosen[place][1]) + 6 * chance.random())
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        chance.shuffle(batches)
        total = 0.0
        for batch in batches:
            for settings in optimiser.param_groups:
                settings["lr"] = RATE * min(1.0, (step + 1) / (0.06 * steps)) * (1 - step / steps)
            scores = network(*together([chosen[place] for place in batch]))
            losses = torch.nn.functional.cross_entropy(
                scores, classes[batch], reduction="none", label_smoothing=SMOOTHING
            )
            loss = (losses * weights[batch]).mean()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(free, 1.0)
            optimiser.step()
            step, total = step + 1, total + loss.item()
        print(f"round {epoch + 1}: loss {total / len(batches):.3f}", flush=True)
    return network.eval()


def answers(network: Classifier, readings: list[Reading]) -> list[str]:
    """The most probable label of each text."""
    with torch.no_grad():
        return [LABELLED[int(network(*together([one])).argmax())] for one in readings]


def held_out(rows: list[Row], readings: list[list[Reading]], folds: list[int]) -> None:
    """Print how well the rows of each fold are rated by a classifier that was trained on the others."""
    hits: dict[str, list[bool]] = {}
    for fold in folds:
        kept = [place for place, row in enumerate(rows) if row.fold != fold]
        left = [place for place, row in enumerate(rows) if row.fold == fold]
        network = trained([rows[place] for place in kept], [readings[place] for place in kept])
        for place, answer in zip(left, answers(network, [readings[place][0] for place in left]), strict=True):
            row = rows[place]
            hits.setdefault(f"{row.kind}, four labels", []).append(answer == row.label)
            if row.label != "other":
                hits.setdefault(f"{row.kind}, not other", []).append(answer == row.label)
        print({name: f"{np.mean(one):.3f} of {len(one)}" for name, one in sorted(hits.items())}, flush=True)


def main() -> None:
    """Train; with --folds, try; with --write, put the result into the package."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folds", type=int, nargs="*", default=[], help="hold these of five parts out, in turn")
    options.add_argument("--write", action="store_true", help="put the result into the package")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    rows, chance = training_rows(), random.Random(SEED)
    texts = [text for row in rows for text in variants(row, chance)]
    found = read(texts)
    readings = [found[start : start + 3] for start in range(0, len(found), 3)]
    if chosen.folds:
        held_out(rows, readings, chosen.folds)
        return
    network = trained(rows, readings)
    stored = {
        "labels": LABELLED,
        "vectors": encoder().name,
        "trained_on_sha256": hashlib.sha256("\n".join(sorted(row.text for row in rows)).encode()).hexdigest(),
        **network.stored(),
    }
    if chosen.write:
        (WEIGHTS / "regard.minilm.v2.json").write_text(json.dumps(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
