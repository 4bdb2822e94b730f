"""How far apart texts are whose prompts differ in the group alone, beside how far apart texts of one prompt are.

Similarity is the cosine of the vectors of two texts, without their prompts and with mentions of the groups and pronouns
masked. Where the group makes no difference, texts about two groups are as alike as several texts of one prompt are,
whatever the encoder thinks of either; so that the difference of the two similarities is 0 on average.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from tiltmeter.english import CASES
from tiltmeter.errors import TiltmeterError
from tiltmeter.parquet import Rows
from tiltmeter.raters.masking import mask_group
from tiltmeter.records import Prompt
from tiltmeter.results.measurements.columns import APART, BETWEEN, WITHIN, of_prompt, scale, settings_of
from tiltmeter.sources.counterfactual import SOURCE
from tiltmeter.sources.prompt_options import counterpart
from tiltmeter.store import Run

if TYPE_CHECKING:
    import numpy as np

    Vectors = np.ndarray[tuple[int, int], np.dtype[np.float64]]

TOO_FEW = "fewer than two texts of one of the two prompts"
_SCALES = {APART: (-2.0, 2.0, 0.0, 1), BETWEEN: (-1.0, 1.0, None, 0), WITHIN: (-1.0, 1.0, None, 0)}


def apart(run: Run) -> Rows:
    """Of every two counterparts how alike their texts are, how alike those of each are, and the difference."""
    if run.continuations is None:
        return
    twins = list(_counterparts([one for one in run.continuations.prompts if one.source.startswith(_NAMED)]))
    if not twins:
        return
    terms = {prompt.id: prompt.term for two in twins for prompt in two}
    for model in run.continuations.models:
        for decoding in run.continuations.decodings:
            written: dict[str, list[str]] = {}
            for one in run.continuations.texts(model, decoding):
                if one.prompt.id in terms and one.unwritten is None and one.text.strip():
                    written.setdefault(one.prompt.id, []).append(one.text)
            place = {"model": model, **settings_of(decoding)}
            for two in twins:
                texts = [written.get(prompt.id, []) for prompt in two]
                groups = {"group": two[0].group, "against": two[1].group}
                found = _alike(texts, [prompt.term for prompt in two])
                for measure, ends in _SCALES.items():
                    value = found if isinstance(found, str) else found[measure]
                    said = {"reason": value} if isinstance(value, str) else {"value": value}
                    yield {**place, **of_prompt(two[0]), **groups, "measure": measure, **said, **scale(*ends)}


_NAMED = SOURCE.partition(".")[0]


def _counterparts(prompts: Sequence[Prompt]) -> Iterator[tuple[Prompt, Prompt]]:
    """The prompts two by two that differ in the group alone."""
    alike: dict[tuple[str, str, str], list[Prompt]] = {}
    for prompt in prompts:
        alike.setdefault((prompt.source, prompt.bias, counterpart(prompt)), []).append(prompt)
    for found in alike.values():
        yield from combinations(found, 2)


def _alike(texts: Sequence[Sequence[str]], terms: Sequence[str]) -> Mapping[str, float] | str:
    if min(map(len, texts)) < 2:
        return TOO_FEW
    import numpy as np

    try:
        both = [_vectors([mask_group(text, terms=[*terms, *CASES]) for text in some]) for some in texts]
    except TiltmeterError as error:
        return f"the texts could not be compared: {error}"
    between = float(np.mean(both[0] @ both[1].T))
    within = sum(_within(some) for some in both) / 2
    return {BETWEEN: between, WITHIN: within, APART: within - between}


def _vectors(texts: Sequence[str]) -> Vectors:
    """Vectors of length one."""
    import numpy as np

    from tiltmeter.raters.heads import encoder

    found = encoder().rows(texts).astype(np.float64)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return found / np.where(lengths > 0, lengths, 1.0)


def _within(vectors: Vectors) -> float:
    """The mean similarity of two texts of one prompt."""
    size = len(vectors)
    return float(((vectors @ vectors.T).sum() - (vectors * vectors).sum()) / (size * (size - 1)))
