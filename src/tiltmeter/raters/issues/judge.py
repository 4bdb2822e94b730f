"""A learned judge of the eight issues: all-MiniLM-L6-v2 with small changes of our own, trained by `training/issues.py`.

It reads what `lay_out` makes of a sentence, so it never sees the group term; it is told where term and attribute stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from tiltmeter.packages import fetched
from tiltmeter.raters.adapted_network import Adapted, pooled
from tiltmeter.raters.heads import MINILM
from tiltmeter.raters.issues.layout import Layout

if TYPE_CHECKING:
    from tiltmeter.raters.network import Array

NAME = "issues.minilm.v1"
_MASKABLE = re.compile(r"[\w'’-]+")


class _Marked(list[int]):
    """The tokens of a text, and for each whether it belongs to the term and whether to the attribute."""

    marks: list[tuple[int, int]]


class Judge(Adapted):
    """The probability of each issue, for each sentence that was laid out."""

    def __init__(self) -> None:
        super().__init__(fetched(MINILM), "all-MiniLM-L6-v2", NAME)
        self._marks = self._tensor(self._stored["marks"])

    def scores(self, layouts: Sequence[Layout]) -> list[dict[str, float]]:
        """The probability of each issue, by its name."""
        import numpy as np

        if not layouts:
            return []
        # With a stand-in for the term, the texts of a pair are often one and the same.
        keys = [(layout.text, layout.term, layout.attribute) for layout in layouts]
        once = dict(zip(keys, layouts, strict=True))
        rows = 1 / (1 + np.exp(-self._rows(self._coded([*once.values()])).astype(np.float64)))
        found = {
            key: dict(zip(self.answers, row, strict=True))
            for key, row in zip(once, rows.round(4).tolist(), strict=True)
        }
        return [found[key] for key in keys]

    def deciding_words(self, asked: Sequence[tuple[Layout, Sequence[str]]]) -> list[dict[str, str]]:
        """For each issue of each sentence the word without which it would be least probable, terms left alone."""
        free = [_free_words(layout) for layout, _ in asked]
        without = [_without(layout, span) for (layout, _), spans in zip(asked, free, strict=True) for span in spans]
        left = iter(self.scores(without))
        found = []
        for (layout, issues), spans in zip(asked, free, strict=True):
            scores = [next(left) for _ in spans]
            least = {
                issue: min(zip(scores, spans, strict=True), key=lambda one: one[0][issue]) for issue in issues if spans
            }
            found.append({issue: layout.text[slice(*span)] for issue, (_, span) in least.items()})
        return found

    def _coded(self, layouts: Sequence[Layout]) -> list[list[int]]:
        texts = [layout.text for layout in layouts]
        coded = self._tokenizer(texts, truncation=True, max_length=self.limit, return_offsets_mapping=True)
        found: list[list[int]] = []
        for layout, ids, offsets in zip(layouts, coded["input_ids"], coded["offset_mapping"], strict=True):
            row = _Marked(ids)
            row.marks = [(_touches(layout.term, one), _touches(layout.attribute, one)) for one in offsets]
            found.append(row)
        return found

    def _run(self, batch: list[list[int]], length: int) -> Array:
        import torch

        ids, mask = self._table(batch, length)
        padded = [[*row.marks, *[(0, 0)] * (length - len(row))] for row in batch if isinstance(row, _Marked)]
        marks = torch.tensor(padded, device=self._device, dtype=torch.float32)
        with torch.inference_mode():
            words = self._model.embeddings.word_embeddings(ids) + marks @ self._marks
            states = self._model(inputs_embeds=words, attention_mask=mask).last_hidden_state
            read = torch.cat([pooled(states, mask), pooled(states, marks[..., 0]), pooled(states, marks[..., 1])], 1)
            scores: Array = (read @ self._head.T + self._intercepts).cpu().numpy()
        return scores


@cache
def judge() -> Judge:
    """The judge; its network is fetched once (84 MB), then offline."""
    return Judge()


def _touches(span: tuple[int, int], token: tuple[int, int]) -> int:
    return int(token[0] < span[1] and span[0] < token[1])


def _free_words(layout: Layout) -> list[tuple[int, int]]:
    """The words that belong neither to the term nor to the attribute."""
    own = (layout.term, layout.attribute)
    spans = [match.span() for match in _MASKABLE.finditer(layout.text)]
    return [span for span in spans if not any(span[0] < end and start < span[1] for start, end in own)]


def _without(layout: Layout, span: tuple[int, int]) -> Layout:
    """The sentence without one of its words."""
    start, end = span[0], span[1] + (layout.text[span[1] : span[1] + 1] == " ")

    def moved(one: tuple[int, int]) -> tuple[int, int]:
        by = end - start if start < one[0] else 0
        return one[0] - by, one[1] - by

    text: Any = layout.text[:start] + layout.text[end:]
    return replace(layout, text=text, term=moved(layout.term), attribute=moved(layout.attribute))
