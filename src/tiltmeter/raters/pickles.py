"""Models of scikit-learn in joblib files, read without running anything that the file asks for.

A pickle is a program. This reader knows numbers, texts, lists, dictionaries and numeric arrays; every class of
scikit-learn becomes a `Frozen` with the same attributes and no behaviour, and anything else is refused.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from tiltmeter.errors import ModelError

_MOST_BYTES = 1 << 28


class Frozen:
    """Stands in for a class of scikit-learn: attributes, and nothing else."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


class _Array:
    """What joblib writes before the bytes of an array."""

    subclass: Any
    shape: tuple[int, ...]
    order: str
    dtype: Any
    allow_mmap: bool
    numpy_array_alignment_bytes: int | None = None

    def read(self, stream: BinaryIO) -> Any:
        import numpy as np

        dtype = np.dtype(self.dtype)
        size = dtype.itemsize * int(np.prod(self.shape, dtype=np.int64))
        if dtype.kind not in "biuf" or not 0 <= size <= _MOST_BYTES:
            raise pickle.UnpicklingError(f"an array of {dtype} and {size} bytes")
        if self.numpy_array_alignment_bytes is not None:
            stream.read(stream.read(1)[0])
        flat = np.frombuffer(stream.read(size), dtype=dtype)
        return flat.reshape(self.shape, order="F" if self.order == "F" else "C").copy()


def read(file: Path) -> Any:
    """The object of a joblib file, as numbers, texts, containers, arrays and `Frozen`."""
    with file.open("rb") as stream:
        try:
            return _Reader(stream).load()
        except (pickle.UnpicklingError, EOFError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise ModelError(f"{file} holds an object that is not allowed: {error}") from error


def _scalar(dtype: Any, data: bytes) -> Any:
    import numpy as np

    if np.dtype(dtype).kind not in "biuf":
        raise pickle.UnpicklingError(f"a number of {dtype}")
    return np.frombuffer(data, dtype=dtype)[0]


# The reader in Python, not the one in C: only there can an array be read where joblib put it, amid the pickle.
_PythonReader: Any = pickle._Unpickler


class _Reader(_PythonReader):  # type: ignore[misc]
    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self._stream = stream

    def find_class(self, module: str, name: str) -> Any:
        import numpy as np

        if module == "joblib.numpy_pickle" and name == "NumpyArrayWrapper":
            return _Array
        if module == "numpy" and name == "dtype":
            return np.dtype
        if module in {"numpy._core.multiarray", "numpy.core.multiarray"} and name == "scalar":
            return _scalar
        if module.partition(".")[0] == "sklearn" or (module == "numpy" and name in {"ndarray", "float64"}):
            return type(name, (Frozen,), {})
        raise pickle.UnpicklingError(f"{module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("a reference to something outside the file")

    def load_build(self) -> None:
        super().load_build()
        if isinstance(self.stack[-1], _Array):
            self.stack.append(self.stack.pop().read(self._stream))

    dispatch: ClassVar[dict[int, Any]] = {**_PythonReader.dispatch, pickle.BUILD[0]: load_build}
