"""Weights in pickles: read as numbers, never run."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.errors import ModelError
from tiltmeter.raters import pickles


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("echo evil > evil.txt",)


def save(path: Path, thing: Any) -> Path:
    path.write_bytes(pickle.dumps(thing))
    return path


def test_plain_data_is_read(tmp_path: Path) -> None:
    thing = {"words": ["a", "b"], "number": 1.5, "pair": (1, None)}
    assert pickles.read(save(tmp_path / "plain", thing)) == thing


def test_numbers_of_numpy_are_read(tmp_path: Path) -> None:
    import numpy as np

    assert pickles.read(save(tmp_path / "number", np.float64(2.5))) == 2.5


def test_a_program_is_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="holds an object that is not allowed: .*system"):
        pickles.read(save(tmp_path / "evil", Evil()))
    assert not (tmp_path / "evil.txt").exists()


def test_other_classes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="pathlib"):
        pickles.read(save(tmp_path / "path", Path("x")))


def test_a_class_of_scikit_learn_has_attributes_and_no_behaviour(tmp_path: Path) -> None:
    # What `sklearn.svm.LinearSVC` with one attribute looks like in a pickle.
    program = b"\x80\x04\x8c\x0bsklearn.svm\x8c\tLinearSVC\x93)\x81}\x8c\x01CK\x05sb."
    (tmp_path / "svc").write_bytes(program)
    made = pickles.read(tmp_path / "svc")
    assert isinstance(made, pickles.Frozen) and made.C == 5


@pytest.mark.parametrize("content", [b"", b"\x80\x04", b"not a pickle", b"\x80\x04Pout\n."])
def test_a_damaged_file_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(content)
    with pytest.raises(ModelError, match="holds an object that is not allowed"):
        pickles.read(tmp_path / "broken")
