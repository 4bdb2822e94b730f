"""Names, versions and plug-ins."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import pytest

from tiltmeter import models, raters, registry
from tiltmeter.errors import TiltmeterError, UnknownName, UserError
from tiltmeter.records import Rating
from tiltmeter.study import parse, plan


def test_a_name_without_version_is_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "table", lambda *_: {"a.v1": "m:x", "a.v2": "m:y", "a.v10": "m:z", "b": "m:b"})
    assert registry.resolve("scorer", "a") == "a.v10"
    assert registry.resolve("scorer", "a.v1") == "a.v1"
    assert registry.resolve("scorer", "b") == "b"


def test_an_unknown_name_suggests_a_close_one() -> None:
    with pytest.raises(UnknownName, match="there is no source `template`; did you mean `templates`?"):
        registry.resolve("source", "template", "pairs")
    with pytest.raises(UnknownName, match="known: .*templates"):
        registry.resolve("source", "zzz", "pairs")


def test_a_plug_in_adds_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("causal.mine.v1", "tiltmeter.measures.scorers.causal:SUM", "tiltmeter.scorers")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "tiltmeter.scorers" else [])
    registry.table.cache_clear()
    try:
        assert registry.load("scorer", "causal.mine").family == "causal"
    finally:
        registry.table.cache_clear()


Plug = Callable[[str, str, object], None]


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    """Install an object under a name, as another package would."""
    found: list[EntryPoint] = []
    module = SimpleNamespace()
    monkeypatch.setitem(sys.modules, "plugged_in", module)
    monkeypatch.setattr(registry, "entry_points", lambda group: [one for one in found if one.group == group])

    def install(noun: str, name: str, made: object) -> None:
        attribute = f"made{len(found)}"
        if made is not None:
            setattr(module, attribute, made)
            if callable(made):
                made.__module__ = "plugged_in"
        found.append(EntryPoint(name, f"plugged_in:{attribute}", f"tiltmeter.{noun}"))
        registry.table.cache_clear()

    yield install
    registry.table.cache_clear()


def _rater(answer: Callable[[list[str]], Any]) -> Callable[[], Any]:
    def rate(texts: list[str]) -> Any:
        return answer(texts)

    return lambda: SimpleNamespace(name="mine.v1", wants_mask=False, facts={}, rate=rate)


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: 1 / 0,
        lambda texts: None,
        lambda texts: [],
        lambda texts: [0.5 for _ in texts],
        lambda texts: [Rating("mine.v1", "high") for _ in texts],  # type: ignore[arg-type]
        lambda texts: [Rating("mine.v1", math.nan) for _ in texts],
        lambda texts: [Rating("mine.v1", None) for _ in texts],
        lambda texts: [Rating("mine.v1", 1.0)] * (len(texts) + 1),
    ],
)
def test_a_rater_of_another_package_that_answers_nonsense_is_named(plug: Plug, answer: Any) -> None:
    plug("raters", "mine.v1", _rater(answer))
    rater = raters.load("mine")
    with pytest.raises(UserError, match=r"mine\.v1.*another package"):
        rater.rate(["She is kind."])


def test_a_rater_of_another_package_rates(plug: Plug) -> None:
    plug("raters", "mine.v1", _rater(lambda texts: [Rating("mine.v1", len(text)) for text in texts]))
    assert [one.value for one in raters.load("mine").rate(["a", "bc"])] == [1, 2]


@pytest.mark.parametrize("made", [None, lambda: 1 / 0, lambda: None, lambda: 7, "text"])
def test_a_plug_in_that_cannot_be_loaded_is_named(plug: Plug, made: Any) -> None:
    plug("raters", "mine.v1", made)
    with pytest.raises(UserError, match=r"mine\.v1"):
        raters.load("mine")


@pytest.mark.parametrize("made", [None, lambda argument, settings: 1 / 0, lambda argument, settings: "model", 7])
def test_a_model_of_another_package_that_is_none_is_named(plug: Plug, made: Any) -> None:
    plug("models", "mine", made)
    with pytest.raises(UserError, match="mine"):
        models.load("mine:x")


@pytest.mark.parametrize(
    "make", [lambda: 1 / 0, lambda: None, lambda: 7, lambda: (["a prompt"], []), lambda: ([None], [])]
)
def test_a_source_of_another_package_that_makes_nonsense_is_named(plug: Plug, make: Any) -> None:
    def prompts(*, seed: int = 0) -> Any:
        return make()

    plug("sources.continuations", "mine.v1", prompts)
    with pytest.raises(TiltmeterError, match=r"mine\.v1"):
        plan(parse('name = "t"\nmodels = ["scripted"]\n[continuations]\nsources = ["mine"]\n'))


def test_a_plug_in_takes_no_name_of_ours(plug: Plug) -> None:
    plug("raters", "sentiment.vader.v1", lambda: 1 / 0)
    assert raters.load("sentiment.vader").rate(["good"])[0].value > 0  # type: ignore[operator]
