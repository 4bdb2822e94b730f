"""Train `issues.minilm.v1`: which of the eight issues a test sentence has, by changes of low rank to all-MiniLM-L6-v2.

`python training/issues_data.py > ROWS` makes the rows (it needs the parser), `python training/issues.py ROWS` trains on
them: a minute or two on an accelerator, a quarter of an hour on a processor. `--folds 5` holds parts of the
labelled sentences out, each with all of its specification, and prints how well they are judged; `--test FILE…` tests on
other rows; `--write` puts the result into the package. Fixed seeds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import low_rank
import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from tiltmeter.packages import fetched
from tiltmeter.raters.adapted_network import packed, pooled
from tiltmeter.raters.heads import MINILM

ISSUES = tuple(f"I{number}" for number in range(1, 9))
WEIGHTS = Path(__file__).resolve().parents[1] / "src" / "tiltmeter" / "raters" / "weights" / "issues.minilm.v1.json"
RANK = 8
EPOCHS = 8
RATE = 1e-3
BATCH = 64
DROPOUT = 0.1
SMOOTHING = 0.02
OTHERS = 0.4
"""What a sound or corrupted sentence counts, in the place of 1 for a labelled one."""
SEED = 1

Coded = tuple[list[int], list[tuple[int, int]]]
"""The tokens of a row, and for each whether it belongs to the term and whether to the attribute."""


class Classifier(torch.nn.Module):
    """The network, changed, with a mark added to the words of the term and of the attribute; scores of the issues."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.network: Any = AutoModel.from_pretrained(folder, dtype=torch.float32)
        self.requires_grad_(False)
        low_rank.change(self.network.encoder.layer, RANK)
        size = self.network.config.hidden_size
        self.marks = torch.nn.Parameter(torch.randn(2, size) / 50)
        self.head = torch.nn.Linear(3 * size, len(ISSUES))
        self.dropped = torch.nn.Dropout(DROPOUT)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        """The scores of the issues for each row."""
        words = self.network.embeddings.word_embeddings(ids) + marks @ self.marks
        states = self.network(inputs_embeds=words, attention_mask=mask).last_hidden_state
        read = [pooled(states, mask), pooled(states, marks[..., 0]), pooled(states, marks[..., 1])]
        scores: torch.Tensor = self.head(self.dropped(torch.cat(read, 1)))
        return scores

    def stored(self) -> dict[str, Any]:
        """What was learned."""
        head = {"weights": self.head.weight, "intercepts": self.head.bias, "marks": self.marks}
        changes = low_rank.stored(self.network.encoder.layer)
        return {**{name: packed(one.detach().cpu().numpy()) for name, one in head.items()}, "changes": changes}


def coded(rows: Sequence[dict[str, Any]], tokenizer: Any) -> list[Coded]:
    """The rows as tokens."""
    found = tokenizer([row["text"] for row in rows], truncation=True, max_length=96, return_offsets_mapping=True)
    return [
        (ids, [(touches(row["term"], one), touches(row["attribute"], one)) for one in offsets])
        for row, ids, offsets in zip(rows, found["input_ids"], found["offset_mapping"], strict=True)
    ]


def touches(span: Sequence[int], token: Sequence[int]) -> int:
    """Whether a token has a letter of a stretch of the text."""
    return int(token[0] < span[1] and span[0] < token[1])


def together(batch: Sequence[Coded], device: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tokens, mask and marks of several rows, padded."""
    longest = max(len(ids) for ids, _ in batch)
    ids = torch.tensor([own + [0] * (longest - len(own)) for own, _ in batch], device=device)
    mask = torch.tensor([[1.0] * len(own) + [0.0] * (longest - len(own)) for own, _ in batch], device=device)
    marks = torch.tensor([[*own, *[(0, 0)] * (longest - len(own))] for _, own in batch], device=device)
    return ids, mask, marks.float()


def trained(rows: Sequence[dict[str, Any]], tokens: Sequence[Coded], folder: str, device: str) -> Classifier:
    """A classifier trained on the rows; what nobody knows of a row is left out."""
    torch.manual_seed(SEED)
    chance = random.Random(SEED)
    network = Classifier(folder).to(device).train()
    truth = torch.tensor([[float(one or 0) for one in row["labels"]] for row in rows], device=device)
    counts = torch.tensor([[float(one is not None) for one in row["labels"]] for row in rows], device=device)
    counts *= torch.tensor([1.0 if row["labels"][0] is not None else OTHERS for row in rows], device=device)[:, None]
    free = [one for one in network.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(free, lr=RATE, weight_decay=0.01)
    steps, step = EPOCHS * -(-len(rows) // BATCH), 0
    for epoch in range(EPOCHS):
        order = sorted(range(len(rows)), key=lambda place: len(tokens[place][0]) + 6 * chance.random())
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        chance.shuffle(batches)
        total = 0.0
        for batch in batches:
            for settings in optimiser.param_groups:
                settings["lr"] = RATE * min(1.0, (step + 1) / (0.06 * steps)) * (1 - step / steps)
            scores = network(*together([tokens[place] for place in batch], device))
            smooth = truth[batch] * (1 - SMOOTHING) + SMOOTHING / 2
            losses = torch.nn.functional.binary_cross_entropy_with_logits(scores, smooth, reduction="none")
            loss = (losses * counts[batch]).sum() / counts[batch].sum()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(free, 1.0)
            optimiser.step()
            step, total = step + 1, total + loss.item()
        print(f"round {epoch + 1}: loss {total / len(batches):.3f}", flush=True)
    return network.eval()


def judged(network: Classifier, tokens: Sequence[Coded], device: str) -> Any:
    """The probability of each issue, for each row."""
    with torch.no_grad():
        parts = [
            torch.sigmoid(network(*together(tokens[start : start + 256], device))).cpu()
            for start in range(0, len(tokens), 256)
        ]
    return torch.cat(parts).numpy()


def areas(rows: Sequence[dict[str, Any]], scores: Any) -> str:
    """The area under the curve for each issue, for I7 or I8, and for any."""
    truth = np.array([[bool(one) for one in row["labels"]] for row in rows])
    found = [(name, scores[:, place], truth[:, place]) for place, name in enumerate(ISSUES)]
    found += [("I7+I8", scores[:, 6:].max(1), truth[:, 6:].any(1)), ("any", scores.max(1), truth.any(1))]
    return ", ".join(f"{name} {100 * area(one, wanted):.1f}" for name, one, wanted in found if wanted.any())


def area(scores: Any, truth: Any) -> float:
    """How often a row with the issue scores higher than one without; ties count half."""
    yes, no = scores[truth][:, None], scores[~truth][None]
    return float(((yes > no) + 0.5 * (yes == no)).mean())


def read(path: str) -> list[dict[str, Any]]:
    """The rows of a file."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Train; with --folds, try; with --write, put the result into the package."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("rows", help="the output of issues_data.py")
    options.add_argument("--network", help="a folder with all-MiniLM-L6-v2; otherwise the one of the package's cache")
    options.add_argument("--folds", type=int, default=0, help="hold so many of five parts out, in turn")
    options.add_argument("--test", nargs="*", default=[], help="rows to test on")
    options.add_argument("--write", metavar="FILE", nargs="?", const=str(WEIGHTS), help="where the result goes")
    given = options.parse_args()
    folder = given.network or str(fetched(MINILM))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = read(given.rows)
    tokens = coded(rows, tokenizer)
    for fold in range(given.folds):
        kept = [place for place, row in enumerate(rows) if row["fold"] != fold]
        left = [place for place, row in enumerate(rows) if row["fold"] == fold and row["labels"][0] is not None]
        network = trained([rows[one] for one in kept], [tokens[one] for one in kept], folder, device)
        found = judged(network, [tokens[one] for one in left], device)
        print(f"part {fold}, {len(left)} rows: {areas([rows[one] for one in left], found)}", flush=True)
    if not (given.test or given.write):
        return
    network = trained(rows, tokens, folder, device)
    for path in given.test:
        tests = read(path)
        print(f"{path}: {areas(tests, judged(network, coded(tests, tokenizer), device))}", flush=True)
    if given.write:
        texts = sorted(row["text"] for row in rows if row["labels"][0] is not None)
        learned = {"labels": ISSUES, "trained_on_sha256": hashlib.sha256("\n".join(texts).encode()).hexdigest()}
        Path(given.write).write_text(json.dumps({**learned, **network.stored()}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
