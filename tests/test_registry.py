"""Names, versions and plug-ins."""

from __future__ import annotations

import pytest

from tiltmeter import registry
from tiltmeter.errors import UnknownName


def test_a_name_without_version_is_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "table", lambda _: {"a.v1": "m:x", "a.v2": "m:y", "a.v10": "m:z", "b": "m:b"})
    assert registry.resolve("scorer", "a") == "a.v10"
    assert registry.resolve("scorer", "a.v1") == "a.v1"
    assert registry.resolve("scorer", "b") == "b"


def test_an_unknown_name_suggests_a_close_one() -> None:
    with pytest.raises(UnknownName, match="there is no source `template`; did you mean `templates`?"):
        registry.resolve("source", "template")
    with pytest.raises(UnknownName, match="known: .*templates"):
        registry.resolve("source", "zzz")


def test_a_plug_in_adds_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    point = EntryPoint("causal.mine.v1", "tiltmeter.measures.scorers.causal:SUM", "tiltmeter.scorers")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "tiltmeter.scorers" else [])
    registry.table.cache_clear()
    try:
        assert registry.load("scorer", "causal.mine").family == "causal"
    finally:
        registry.table.cache_clear()
