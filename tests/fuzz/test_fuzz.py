"""A little of `make fuzz` in every run of the tests, and that its good files are good."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.registry import Reader, readers
from tests.fuzz.trying import try_reader

ALL = {reader.name: reader for reader in readers()}


@pytest.fixture(params=ALL)
def reader(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    return ALL[request.param]


def test_good_files_are_read(reader: Reader, tmp_path: Path) -> None:
    for number, files in enumerate(reader.seeds()):
        for name, data in files.items():
            path = tmp_path / str(number) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for name in [""] if reader.folder else files:
            reader.read(tmp_path / str(number) / name)


def test_spoilt_files_are_read_or_refused_in_a_sentence(reader: Reader) -> None:
    found = try_reader(reader, 12, seed=19)
    assert found.tried == 12 and not found.failures, found.failures


def test_a_reader_that_fails_is_found() -> None:
    broken = Reader("broken", ALL["spec"].seeds, lambda path: {}["nothing"])
    found = try_reader(broken, 3, seed=0)
    assert found.failures == {"KeyError at the reader": 3}
