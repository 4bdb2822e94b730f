"""Networks that are trained side by side, on texts that are put together, and without the names of some groups."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
TRAINING = Path(__file__).resolve().parents[2] / "training"


@pytest.fixture(scope="module")
def scripts() -> Iterator[Any]:
    """The scripts of `training/`, which import one another by name, as when they are run."""
    before = set(sys.modules)
    sys.path.insert(0, str(TRAINING))
    try:
        import adapt

        yield adapt
    finally:
        sys.path.remove(str(TRAINING))
        for name in {"adapt", "heads", "regard_data", "adapt_data", "low_rank", "draws"} - before:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def draws(scripts: Any) -> Any:
    """What `adapt` draws its texts with."""
    return sys.modules["draws"]


def layer(scripts: Any, base: Any, networks: int) -> Any:
    made = scripts.low_rank.Changed(base, 2, networks)
    torch.nn.init.normal_(made.up)
    return made


def test_networks_side_by_side_give_what_each_gives_alone(scripts: Any) -> None:
    torch.manual_seed(1)
    base = torch.nn.Linear(5, 3)
    both, alone = layer(scripts, base, 2), layer(scripts, base, 1)
    texts = torch.randn(6, 4, 5)
    for place in range(2):
        alone.up.data, alone.down.data = both.up.data[place : place + 1], both.down.data[place : place + 1]
        mine = slice(3 * place, 3 * place + 3)
        assert torch.allclose(both(texts)[mine], alone(texts[mine]), atol=1e-6)


@pytest.mark.slow
def test_what_is_stored_of_two_networks_is_their_mean(scripts: Any) -> None:
    def change(network: Any, at: int) -> Any:
        found = network.body.encoder.layer[2].get_submodule(scripts.low_rank.PLACES[0])
        return (found.up[at] @ found.down[at]).detach().cpu()

    network = scripts.Classifier(3, 0.0, networks=2)
    for name, one in network.named_parameters():
        if name.endswith("up"):
            torch.nn.init.normal_(one)
    mean = network.mean()
    assert torch.allclose(change(mean, 0), (change(network, 0) + change(network, 1)) / 2, atol=0.02)
    assert torch.allclose(mean.bias[0].cpu(), network.bias.mean(0).cpu(), atol=1e-3)
    assert torch.equal(change(network.alone(1), 0), change(network, 1))


def test_a_long_text_is_as_rude_as_the_one_part_that_is(draws: Any) -> None:
    no, harmless, rude, open_ = (False,) * 3, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)
    found = [([f"Good {n}."], harmless, no) for n in range(20)]
    found += [([f"Bad {n}.", "Copy."], rude, no) for n in range(9)] + [(["Open."], open_, (True, True, False))]
    made = list(draws.several(found, 400, random.Random(3)))
    assert len(made) == 400 and all(len(texts) == 1 and "Open" not in texts[0] for texts, _, _ in made)
    assert all(target == (rude if text.count("Bad") == 1 else harmless) for [text], target, _ in made)
    assert 150 < sum(target == rude for _, target, _ in made) < 250
    assert {text.count(".") for [text], _, _ in made} == set(range(2, 11))


def drawn(draws: Any, counts: list[int]) -> Any:
    """An epoch of draws with so many texts each, of 2, 3, 4 … tokens."""
    lengths = [2 + at for at in range(sum(counts))]
    return draws.Draws(
        np.arange(1, 1 + sum(lengths)),
        np.cumsum([0, *lengths]),
        np.cumsum([0, *counts]),
        np.eye(3, dtype=np.float32)[[at % 3 for at in range(len(counts))]],
        np.zeros((len(counts), 3), dtype=bool),
    )


def test_every_text_of_every_network_is_in_one_batch(draws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "marked", np.zeros_like)
    epochs = [drawn(draws, [1, 2, 1, 2, 1, 1, 2]), drawn(draws, [1, 1, 2])]
    batches = [draws.batch(epochs, number, 3) for number in range(3)]
    for place, epoch in enumerate(epochs):
        rows = [
            one.ids[place, at][one.mask[place, at] == 1] for one in batches for at in np.flatnonzero(one.weights[place])
        ]
        assert np.concatenate(rows).tolist() == epoch.tokens.tolist()
        assert all(one.weights[place].sum() == pytest.approx(1) for one in batches)
        pairs = sum(np.count_nonzero(one.copies[place]) for one in batches)
        assert pairs == np.count_nonzero(np.diff(epoch.first) == 2)
        targets = [one.targets[place, at] for one in batches for at in np.flatnonzero(one.weights[place])]
        assert np.array_equal(targets, np.repeat(epoch.targets, np.diff(epoch.first), axis=0))
    assert all((one.mask.sum(-1) > 0).all() for one in batches)


def test_a_network_learns_nothing_from_the_texts_of_another(scripts: Any) -> None:
    free = [torch.nn.Parameter(torch.ones(2, 3)), torch.nn.Parameter(torch.ones(2, 4, 5))]
    for one in free:
        one.grad = torch.zeros_like(one)
        one.grad[0] = 7.0
    scripts.clip(free)
    norm = torch.cat([one.grad[0].flatten() for one in free]).norm()
    assert norm.item() == pytest.approx(1.0, abs=1e-4) and not any(one.grad[1].any() for one in free)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "named"), [(0, "bisexual"), (1, "Mexican"), (2, "Chinese"), (3, "Arab"), (4, "Black")]
)
def test_no_text_names_a_group_that_is_held_out(
    scripts: Any, draws: Any, part: int, named: str, tmp_path: Path
) -> None:
    for folder, name, head in (
        ("davidson", "labeled_part.csv", "neither,offensive_language,hate_speech,class,tweet"),
        ("toxigen", "statements.csv", "group,label,text"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(f"{head}\n", encoding="utf-8")
    rows = scripts.toxicity_rows(tmp_path)
    job = scripts.job("toxicity", rows[::9], part, 1)
    tokens = draws.drawn(job, 0, 0.1, 64)
    texts = np.split(tokens.tokens, tokens.texts[1:-1])
    said = " | ".join(draws.tokenizer().batch_decode([text.tolist() for text in texts], skip_special_tokens=True))
    assert len(texts) > 500 and named.lower() not in said
    everything = draws.drawn(draws.Job(rows[::9], 1), 0, 0.0, 64)
    assert named.lower() in draws.tokenizer().decode(everything.tokens.tolist())
