"""A linear layer with a change of low rank: what is learned, and how it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from tiltmeter.raters.adapted_network import packed, unpacked

PLACES = (
    *("attention.self.query", "attention.self.key", "attention.self.value"),
    *("attention.output.dense", "intermediate.dense", "output.dense"),
)


class Changed(torch.nn.Module):
    """A linear layer with a change of low rank, which is none to begin with.

    Several networks may share the layer, each with a change of its own: their texts follow one another in a batch.
    """

    def __init__(self, base: Any, rank: int, networks: int = 1) -> None:
        super().__init__()
        self.base = base
        self.down = torch.nn.Parameter(torch.randn(networks, rank, base.in_features) / base.in_features**0.5)
        self.up = torch.nn.Parameter(torch.zeros(networks, base.out_features, rank))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """What the layer gives, and twice the change."""
        each = states.reshape(len(self.down), -1, states.shape[-1])
        change = torch.bmm(torch.bmm(each, self.down.transpose(1, 2)), self.up.transpose(1, 2))
        return self.base(states) + 2 * change.view(*states.shape[:-1], -1)


def change(layers: Any, rank: int, networks: int = 1) -> None:
    """Put changes into all linear layers of these layers of a network."""
    for layer in layers:
        for place in PLACES:
            layer.set_submodule(place, Changed(layer.get_submodule(place), rank, networks))


def stored(layers: Any, first: int = 0) -> dict[str, Any]:
    """The changes by their places in the whole network, of which `layers` are those from the first on.

    Of several networks, their mean: one change after another, each counted less.
    """
    return dict(_stored(layers, first))


def _stored(layers: Any, first: int) -> Iterator[tuple[str, Any]]:
    for number, layer in enumerate(layers):
        for place in PLACES:
            found = layer.get_submodule(place)
            up, down = (one.detach().cpu().numpy() for one in (2 * found.up / len(found.up), found.down))
            both = {"up": packed(np.concatenate(up, axis=1)), "down": packed(np.concatenate(down))}
            yield f"encoder.layer.{first + number}.{place}", both


def restore(network: Any, changes: dict[str, Any]) -> None:
    """Take up changes that were stored, in each of the networks, as the first of the ranks that there are."""
    for place, change_ in changes.items():
        found = network.get_submodule(place)
        up, down = (torch.from_numpy(unpacked(change_[key]).copy()) for key in ("up", "down"))
        found.up.data[:, :, : up.shape[1]] = up / 2
        found.down.data[:, : len(down)] = down
