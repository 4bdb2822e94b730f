"""The verb `saliency`: what each token of a prompt has to do with the logit of a word.

- `gradient-x-input`: the gradient of the logit with respect to the embedding of each token, times the embedding
- `integrated-gradients`: the same averaged along the straight way from a neutral embedding, times the distance
  (Sundararajan et al. 2017), so that the parts add up to the change of the logit. Neutral is, in every place of the
  prompt, the embedding of the mask of a masked model, and the mean of all embeddings for a causal one, which has no
  token that means nothing. The average is taken at Gauss–Legendre points. In networks that normalise their inputs the
  way can be rough: `Saliency.residue` says how much of the change the parts miss.

The logit is that of the word's first piece. Prompts are computed in batches of equal length, so that nothing is padded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from tiltmeter.errors import UserError
from tiltmeter.models.network import Network, TokenIds
from tiltmeter.records import Saliency, SaliencyMethod, Span

if TYPE_CHECKING:
    import torch

Method = SaliencyMethod
STEPS = 64
"""Points along the way from the neutral embedding, unless told."""
_TABLE = 8192
"""Embeddings averaged at a time."""


@dataclass(frozen=True, slots=True)
class Target:
    """A token at a place of a sequence; `own` are the places of the prompt's own tokens, `spans` their characters."""

    row: TokenIds
    place: int
    token: int
    own: tuple[int, ...]
    spans: tuple[Span, ...]


def explained(
    network: Network,
    words: Sequence[str],
    targets: Sequence[Target | str],
    neutral: int | None,
    method: Method,
    steps: int,
) -> list[Saliency]:
    """The saliency of each target; a target that is a sentence is the reason why there is none."""
    if method not in get_args(Method):
        raise UserError(f"there is no saliency method `{method}`; known: {', '.join(get_args(Method))}")
    if steps < 1:
        raise UserError(f"integrated gradients need at least 1 step, not {steps}")
    found: dict[int, Saliency] = {}
    by_length: dict[int, list[int]] = {}
    for at, target in enumerate(targets):
        if isinstance(target, str):
            found[at] = Saliency(words[at], method, unscored=target)
        else:
            by_length.setdefault(len(target.row), []).append(at)
    integrated = method == "integrated-gradients" and bool(by_length)
    centre = _neutral(network, neutral) if integrated else None
    for length, members in sorted(by_length.items()):
        each = steps if integrated else 1
        size = max(1, network.batch_tokens // (length * each))
        for start in range(0, len(members), size):
            batch = members[start : start + size]
            wanted = [target for target in (targets[at] for at in batch) if not isinstance(target, str)]
            parts: Sequence[tuple[torch.Tensor, float | None]] = (
                _gradient_times_input(network, wanted)
                if centre is None
                else _integrated(network, wanted, centre, steps)
            )
            for at, target, (product, residue) in zip(batch, wanted, parts, strict=True):
                found[at] = _saliency(words[at], method, target, product, residue)
    return [found[at] for at in range(len(targets))]


def _saliency(word: str, method: Method, target: Target, product: torch.Tensor, residue: float | None) -> Saliency:
    own = product[list(target.own)].float()
    if not bool(own.isfinite().all()):
        return Saliency(word, method, unscored="the model's gradients for this prompt are not finite")
    signed, sizes = own.sum(-1).tolist(), own.norm(dim=-1).tolist()
    return Saliency(word, method, target.spans, tuple(signed), tuple(sizes), residue)


def _gradient_times_input(network: Network, targets: Sequence[Target]) -> list[tuple[torch.Tensor, None]]:
    embedded = _embedded(network, [target.row for target in targets])
    _, gradients = _logits_and_gradients(network, targets, embedded)
    return [(product, None) for product in gradients * embedded]


def _integrated(
    network: Network, targets: Sequence[Target], neutral: torch.Tensor, steps: int
) -> list[tuple[torch.Tensor, float]]:
    """The parts of each prompt along the way, and what they leave of the change of its logit."""
    import torch

    embedded = _embedded(network, [target.row for target in targets])
    baseline = embedded.clone()
    for line, target in enumerate(targets):
        baseline[line, list(target.own)] = neutral.to(embedded.dtype)
    points, weights = np.polynomial.legendre.leggauss(steps)
    every = [target for target in targets for _ in range(steps)]
    along = torch.tensor((points + 1) / 2, dtype=embedded.dtype, device=embedded.device)[None, :, None, None]
    way = baseline[:, None] + along * (embedded - baseline)[:, None]
    shape = way.shape
    # A prompt alone may be longer, with all its steps, than what is computed at once.
    flat = way.reshape(-1, *shape[2:])
    size = max(1, network.batch_tokens // shape[2])
    computed = [
        _logits_and_gradients(network, every[start : start + size], flat[start : start + size])[1]
        for start in range(0, len(flat), size)
    ]
    gradients = torch.cat(computed).reshape(shape)
    share = torch.tensor(weights / 2, dtype=embedded.dtype, device=embedded.device)[None, :, None, None]
    total = (gradients * share).sum(1) * (embedded - baseline)
    high, _ = _logits_and_gradients(network, targets, embedded)
    low, _ = _logits_and_gradients(network, targets, baseline)
    made = []
    for line, change in enumerate((high - low).tolist()):
        parts = total[line].sum(-1)
        # Parts of opposite signs may add up to nearly nothing, so that their own size is the measure.
        size = max(abs(change), float(parts.abs().sum()), 1e-12)
        made.append((total[line], abs(change - float(parts.sum())) / size))
    return made


def _embedded(network: Network, rows: Sequence[TokenIds]) -> torch.Tensor:
    import torch

    with torch.no_grad():
        embedded: torch.Tensor = network.model.get_input_embeddings()(torch.tensor(rows, device=network.device))
    return embedded


def _neutral(network: Network, token: int | None) -> torch.Tensor:
    """The embedding of the neutral token; without one, the mean of all."""
    import torch

    if token is not None:
        return _embedded(network, [(token,)])[0, 0]
    count = int(network.model.get_input_embeddings().weight.shape[0])
    # Through the table itself, since some models scale what leaves it.
    parts = [
        _embedded(network, [tuple(range(start, min(start + _TABLE, count)))])[0].double().sum(0)
        for start in range(0, count, _TABLE)
    ]
    return torch.stack(parts).sum(0) / count


def _logits_and_gradients(
    network: Network, targets: Sequence[Target], embedded: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The logit of each target and its gradient, with these embeddings in place of the tokens' own.

    They are put in where the embeddings leave their table, so that positions and scales are the model's own.
    """
    import torch

    given = embedded.detach().clone().requires_grad_(True)

    def put_in(module: Any, arguments: Any, output: Any) -> Any:
        return given

    hook = network.model.get_input_embeddings().register_forward_hook(put_in)
    try:
        with torch.enable_grad():
            lines = list(range(len(targets)))
            rows, places = [target.row for target in targets], [target.place for target in targets]
            logits = network.logits(rows, lines, places)
            wanted = logits[lines, [target.token for target in targets]].float()
            [gradients] = torch.autograd.grad(wanted.sum(), [given])
    finally:
        hook.remove()
    return wanted.detach(), gradients
