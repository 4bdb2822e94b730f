"""Have a language model learn regard and rate texts that nobody labelled, for the small network to learn from.

Run `python training/teach.py TEXTS SHARES`, then `python training/adapt.py regard --taught SHARES --write`. First
smollm2-135m writes texts after the openers of our labelled ones into the file TEXTS, unless that is there. The same
model, trained on the labelled texts, then writes the probabilities of the labels into SHARES. Both take minutes on an
accelerator and many hours without one.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from adapt import DEVICE, SEED
from adapt_data import REGARD, Masked, Row, part, regard_rows, taught_rows
from heads import sentences
from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer

from tiltmeter.models import embedded
from tiltmeter.raters.masking import MASK, mask_group
from tiltmeter.raters.regard_labels import LABELS, without_article

TERMS = (Path(__file__).parent / "regard_terms.txt").read_text(encoding="utf-8").splitlines()
SLOT = "[T]"
_SPACES = re.compile(r"[ \t\r]+")
MANY = {"regard_readers": 36}
"""How many texts are written after an opener of a file; of other files, fewer."""
FEWER = 14
TEMPERATURES = (0.6, 0.8, 1.0)
START, STOPS, TOKENS = 0, (0, 2), 30
QUESTION = "\n\nWhat does this make a reader think of XYZ?"
"""What a text ends with, so that the model reads it with this in mind."""
STEPS, BATCH, RATE = 268, 64, 5e-5
WRITTEN, READ = 2048, 512
"""How many texts are written, and read, at once."""


def openers() -> dict[str, int]:
    """The openers of labelled texts that may be trained on, and how many texts are written after each."""
    found: dict[str, int] = {}
    for name in REGARD:
        for row in sentences(name):
            opener = row.theme.partition(": ")[2]
            if SLOT in opener.replace("[Ts]", SLOT) and not Masked("", part(opener, 1000), "", ()).held_out:
                found.setdefault(opener, MANY.get(name, FEWER))
    return found


def plural(term: str) -> str:
    """More than one of a group.

    >>> plural("white woman"), plural("Japanese"), plural("Finn")
    ('white women', 'Japanese', 'Finns')
    """
    if term.endswith("man"):
        return term[:-3] + "men"
    return term if term.endswith("ese") else f"{term}es" if term.endswith("ch") else f"{term}s"


def prompt(opener: str, term: str) -> str:
    """An opener about a group.

    >>> prompt("A [T] met two [Ts]", "Irishman")
    'An Irishman met two Irishmen'
    """
    filled = opener.replace("[Ts]", plural(term))
    if term[0] in "AEIOUaeiou":
        filled = filled.replace(f"A {SLOT}", f"An {SLOT}").replace(f" a {SLOT}", f" an {SLOT}")
    return filled.replace(SLOT, term)


def written() -> Iterator[tuple[str, str]]:
    """Openers and the texts after them, each once, with the group masked."""
    chance = random.Random(SEED)
    torch.manual_seed(SEED)
    tokenizer = AutoTokenizer.from_pretrained(embedded.home())
    network = AutoModelForCausalLM.from_pretrained(embedded.home(), dtype=torch.float32).eval().to(DEVICE)
    jobs = [(opener, chance.choice(TERMS)) for opener, many in openers().items() for _ in range(many)]
    seen = set()
    for batch, warmth in zip(batches(jobs, WRITTEN, lambda job: len(job[0])), itertools.cycle(TEMPERATURES)):
        ids, mask = table(tokenizer, [prompt(*job) for job in batch], before=(START,))
        with torch.inference_mode():
            made = network.generate(
                input_ids=ids,
                attention_mask=mask,
                do_sample=True,
                temperature=warmth,
                top_k=0,
                max_new_tokens=TOKENS,
                pad_token_id=START,
                eos_token_id=list(STOPS),
            )
        for (opener, term), text in zip(batch, tokenizer.batch_decode(made, skip_special_tokens=True), strict=True):
            masked = mask_group(text, terms=[term, plural(term)])
            masked = _SPACES.sub(" ", masked).strip().replace("\n", "\\n")
            if MASK in masked and masked not in seen:
                seen.add(masked)
                yield opener, masked


def batches(rows: Sequence[Any], size: int, length: Callable[[Any], float]) -> list[list[Any]]:
    """The rows in batches of about the same length, in any order."""
    ordered = sorted(rows, key=length)
    found = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    random.Random(SEED).shuffle(found)
    return found


def table(
    tokenizer: Any, texts: Sequence[str], *, before: Sequence[int] = (), after: Sequence[int] = ()
) -> tuple[torch.Tensor, torch.Tensor]:
    """The tokens of texts, where there are any; all end at the same place."""
    rows = [[*before, *ids, *after] for ids in tokenizer(list(texts), add_special_tokens=False)["input_ids"]]
    length = max(map(len, rows))
    ids = torch.tensor([[START] * (length - len(row)) + row for row in rows], device=DEVICE)
    mask = torch.tensor([[0] * (length - len(row)) + [1] * len(row) for row in rows], device=DEVICE)
    return ids, mask


class Teacher(torch.nn.Module):
    """The language model, and the scores of the labels read at its last token."""

    def __init__(self) -> None:
        super().__init__()
        self.tokenizer = AutoTokenizer.from_pretrained(embedded.home())
        self.asked = self.tokenizer(QUESTION, add_special_tokens=False)["input_ids"]
        self.body = AutoModel.from_pretrained(embedded.home(), dtype=torch.float32)
        self.body.get_input_embeddings().requires_grad_(False)
        self.head = torch.nn.Linear(self.body.config.hidden_size, len(LABELS))
        self.to(DEVICE)

    def forward(self, texts: Sequence[str]) -> torch.Tensor:
        """The scores of the labels for each text."""
        ids, mask = table(self.tokenizer, texts, before=(START,), after=self.asked)
        with torch.autocast(DEVICE, torch.bfloat16):
            last = self.body(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state[:, -1]
        scores: torch.Tensor = self.head(last.float())
        return scores

    def shares(self, texts: Sequence[str]) -> Any:
        """The probabilities of the labels for each text."""
        self.eval()
        found = np.zeros((len(texts), len(LABELS)))
        for places in batches(range(len(texts)), READ, lambda place: len(texts[place])):
            with torch.inference_mode():
                found[places] = self([texts[place] for place in places]).softmax(1).cpu().numpy()
        return found


def trained(rows: Sequence[Row]) -> Teacher:
    """A teacher that was trained on the rows, each drawn as often as any other."""
    torch.manual_seed(SEED)
    chance = random.Random(SEED)
    teacher = Teacher().train()
    free = [one for one in teacher.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(free, lr=RATE, weight_decay=0.01)
    rounds = 1 + STEPS * BATCH // len(rows)
    drawn = [row for _ in range(rounds) for row in chance.sample(rows, len(rows))]
    for step in range(STEPS):
        batch = drawn[step * BATCH : (step + 1) * BATCH]
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / (0.06 * STEPS + 1)) * (1 - step / STEPS)
        target = torch.tensor([row.target for row in batch], device=DEVICE)
        scores = teacher([chance.choice(row.texts(chance)) for row in batch])
        loss = -(target * scores.log_softmax(1)).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(free, 1.0)
        optimiser.step()
        if step % 20 == 0:
            print(f"step {step} of {STEPS}: {loss.item():.3f}", flush=True)
    return teacher


def main() -> None:
    """Write texts, train, say how well held-out texts are rated, and write what the teacher makes of the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("shares", type=Path)
    given = parser.parse_args()
    if not given.texts.is_file():
        given.texts.write_text("".join(f"{opener}\t{text}\n" for opener, text in written()), encoding="utf-8")
    rows = regard_rows(given.texts)
    teacher = trained([row for row in rows if not row.held_out])
    held = [row for row in rows if row.held_out and row.source != "pattern" and not row.target[-1]]
    wanted = np.array([row.target for row in held]).argmax(1)
    right = teacher.shares([without_article(row.pattern) for row in held])[:, :-1].argmax(1) == wanted
    print(f"{right.mean():.3f} of {len(right)} held-out texts right, negative {right[wanted == 0].mean():.3f}")
    lines = given.texts.read_text(encoding="utf-8").split("\n")[:-1]
    found = teacher.shares([without_article(row.pattern) for row in taught_rows(given.texts)])
    rated = ["\t".join([line, *(f"{one:.4f}" for one in row)]) for line, row in zip(lines, found, strict=True)]
    given.shares.write_text("\n".join([*rated, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
