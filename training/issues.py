"""Train `issues.minilm.v1`: which of the eight issues a test sentence has, by a change of low rank to all-MiniLM-L6-v2.

`python training/issues_data.py > ROWS` makes the rows; `python training/issues.py ROWS [--folds] [--out FILE]` trains.
"""

from __future__ import annotations

import argparse
import json
import random
from typing import Any

import torch

ISSUES = tuple(f"I{number}" for number in range(1, 9))
PLACES = (
    *("attention.self.query", "attention.self.key", "attention.self.value"),
    *("attention.output.dense", "intermediate.dense", "output.dense"),
)


class Changed(torch.nn.Module):
    """A linear layer with a change of low rank, which is none to begin with."""

    def __init__(self, base: Any, rank: int) -> None:
        super().__init__()
        self.base = base
        self.down = torch.nn.Parameter(torch.randn(rank, base.in_features) / base.in_features**0.5)
        self.up = torch.nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.base(states) + 2 * (states @ self.down.T) @ self.up.T


class Classifier(torch.nn.Module):
    """The network, changed, with marks added to the words of the term and the attribute, and the scores of issues."""

    def __init__(self, folder: str, rank: int, dropout: float) -> None:
        super().__init__()
        from transformers import AutoModel

        self.network = AutoModel.from_pretrained(folder, dtype=torch.float32)
        self.requires_grad_(False)
        for layer in self.network.encoder.layer:
            for place in PLACES:
                layer.set_submodule(place, Changed(layer.get_submodule(place), rank))
        size = self.network.config.hidden_size
        self.marks = torch.nn.Parameter(torch.zeros(2, size))
        torch.nn.init.normal_(self.marks, std=0.02)
        self.head = torch.nn.Linear(3 * size, len(ISSUES))
        self.dropped = torch.nn.Dropout(dropout)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        words = self.network.embeddings.word_embeddings(ids)
        words = words + marks[..., 0:1] * self.marks[0] + marks[..., 1:2] * self.marks[1]
        states = self.network(inputs_embeds=words, attention_mask=mask).last_hidden_state
        read = [pooled(states, mask), pooled(states, marks[..., 0]), pooled(states, marks[..., 1])]
        return self.head(self.dropped(torch.cat(read, 1)))


def pooled(states: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    weights = chosen[..., None].to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def encoded(rows: list[dict[str, Any]], tokenizer: Any) -> list[tuple[list[int], list[tuple[int, int]]]]:
    coded = tokenizer([row["text"] for row in rows], truncation=True, max_length=96, return_offsets_mapping=True)
    found = []
    for row, ids, offsets in zip(rows, coded["input_ids"], coded["offset_mapping"], strict=True):
        marks = [
            tuple(int(start < span[1] and span[0] < end) for span in (row["term"], row["attribute"]))
            for start, end in offsets
        ]
        found.append((ids, marks))
    return found


def batch_of(coded: list[Any], places: list[int], device: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    longest = max(len(coded[place][0]) for place in places)
    ids = torch.zeros(len(places), longest, dtype=torch.long)
    mask, marks = torch.zeros(len(places), longest), torch.zeros(len(places), longest, 2)
    for row, place in enumerate(places):
        own, marked = coded[place]
        ids[row, : len(own)], mask[row, : len(own)] = torch.tensor(own), 1
        marks[row, : len(own)] = torch.tensor(marked, dtype=torch.float32)
    return ids.to(device), mask.to(device), marks.to(device)


def trained(rows: list[dict[str, Any]], coded: list[Any], given: Any, seed: int, device: str) -> Classifier:
    torch.manual_seed(seed)
    chance = random.Random(seed)
    network = Classifier(given.network, given.rank, given.dropout).to(device).train()
    truth = torch.tensor([[0.0 if one is None else float(one) for one in row["labels"]] for row in rows], device=device)
    known = torch.tensor([[float(one is not None) for one in row["labels"]] for row in rows], device=device)
    weight = torch.tensor(
        [1.0 if row["source"].startswith("train") or row["source"].startswith("own") else given.others for row in rows],
        device=device,
    )
    free = [one for one in network.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(free, lr=given.rate, weight_decay=0.01)
    steps, step = given.epochs * -(-len(rows) // given.batch), 0
    for _ in range(given.epochs):
        order = sorted(range(len(rows)), key=lambda place: len(coded[place][0]) + 6 * chance.random())
        batches = [order[start : start + given.batch] for start in range(0, len(order), given.batch)]
        chance.shuffle(batches)
        for batch in batches:
            for settings in optimiser.param_groups:
                settings["lr"] = given.rate * min(1.0, (step + 1) / (0.06 * steps)) * (1 - step / steps)
            scores = network(*batch_of(coded, batch, device))
            losses = torch.nn.functional.binary_cross_entropy_with_logits(
                scores, truth[batch] * (1 - given.smooth) + given.smooth / 2, reduction="none"
            )
            by = known[batch] * weight[batch][:, None]
            loss = (losses * by).sum() / by.sum()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(free, 1.0)
            optimiser.step()
            step += 1
    return network.eval()


def scores_of(network: Classifier, coded: list[Any], device: str) -> torch.Tensor:
    found = []
    with torch.no_grad():
        for start in range(0, len(coded), 256):
            places = list(range(start, min(start + 256, len(coded))))
            found.append(torch.sigmoid(network(*batch_of(coded, places, device))).cpu())
    return torch.cat(found)


def auc(scores: list[float], truth: list[bool]) -> float:
    import numpy as np

    yes = np.array([s for s, t in zip(scores, truth) if t])
    no = np.array([s for s, t in zip(scores, truth) if not t])
    if not len(yes) or not len(no):
        return float("nan")
    return float(((yes[:, None] > no[None]).sum() + 0.5 * (yes[:, None] == no[None]).sum()) / len(yes) / len(no))


def report(rows: list[dict[str, Any]], scores: torch.Tensor) -> str:
    found = []
    for place, name in enumerate(ISSUES):
        found.append((name, auc(scores[:, place].tolist(), [bool(row["labels"][place]) for row in rows])))
    found.append(
        ("I78", auc(scores[:, 6:].max(1).values.tolist(), [bool(row["labels"][6] or row["labels"][7]) for row in rows]))
    )
    anyone = 1 - (1 - scores.double()).prod(1)
    found.append(("any", auc(anyone.tolist(), [any(row["labels"]) for row in rows])))
    return " ".join(f"{name} {100 * value:.1f}" for name, value in found)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("rows")
    options.add_argument("--network", default=".gpu/minilm")
    options.add_argument("--folds", type=int, default=0)
    options.add_argument("--out")
    options.add_argument("--test", nargs="*", default=[])
    options.add_argument("--rank", type=int, default=16)
    options.add_argument("--epochs", type=int, default=4)
    options.add_argument("--rate", type=float, default=6e-4)
    options.add_argument("--batch", type=int, default=32)
    options.add_argument("--dropout", type=float, default=0.1)
    options.add_argument("--smooth", type=float, default=0.02)
    options.add_argument("--others", type=float, default=0.5)
    options.add_argument("--seeds", type=int, default=1)
    given = options.parse_args()
    from transformers import AutoTokenizer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = AutoTokenizer.from_pretrained(given.network)
    rows = [json.loads(line) for line in open(given.rows, encoding="utf-8")]
    coded = encoded(rows, tokenizer)
    for fold in range(given.folds):
        kept = [place for place, row in enumerate(rows) if row["fold"] != fold]
        left = [place for place, row in enumerate(rows) if row["fold"] == fold and row["source"].startswith("train")]
        network = trained([rows[p] for p in kept], [coded[p] for p in kept], given, 1, device)
        print(
            "fold",
            fold,
            len(left),
            report([rows[p] for p in left], scores_of(network, [coded[p] for p in left], device)),
            flush=True,
        )
    if given.test or given.out:
        sums: dict[str, Any] = {}
        for seed in range(1, given.seeds + 1):
            network = trained(rows, coded, given, seed, device)
            for path in given.test:
                tests = [json.loads(line) for line in open(path, encoding="utf-8")]
                one = scores_of(network, encoded(tests, tokenizer), device)
                print(path, "seed", seed, report(tests, one), flush=True)
                sums[path] = sums.get(path, 0) + one
        for path in given.test:
            tests = [json.loads(line) for line in open(path, encoding="utf-8")]
            print(path, "mean", report(tests, sums[path] / given.seeds), flush=True)


if __name__ == "__main__":
    main()
