"""A linear layer with a change of low rank: what is learned, and how it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from tiltmeter.raters.adapted_network import packed, unpacked

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
        """What the layer gives, and twice the change."""
        return self.base(states) + 2 * (states @ self.down.T) @ self.up.T


def change(layers: Any, rank: int) -> None:
    """Put changes into all linear layers of these layers of a network."""
    for layer in layers:
        for place in PLACES:
            layer.set_submodule(place, Changed(layer.get_submodule(place), rank))


def stored(layers: Any, first: int = 0) -> dict[str, Any]:
    """The changes by their places in the whole network, of which `layers` are those from the first on."""
    return dict(_stored(layers, first))


def _stored(layers: Any, first: int) -> Iterator[tuple[str, Any]]:
    for number, layer in enumerate(layers):
        for place in PLACES:
            found = layer.get_submodule(place)
            up, down = (one.detach().cpu().numpy() for one in (2 * found.up, found.down))
            yield f"encoder.layer.{first + number}.{place}", {"up": packed(up), "down": packed(down)}


def restore(network: Any, changes: dict[str, Any]) -> None:
    """Take up changes that were stored, as the first of the ranks that there are."""
    for place, change_ in changes.items():
        found = network.get_submodule(place)
        up, down = torch.from_numpy(unpacked(change_["up"]) / 2), torch.from_numpy(unpacked(change_["down"]).copy())
        found.up.data[:, : up.shape[1]] = up
        found.down.data[: len(down)] = down
