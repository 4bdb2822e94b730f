"""Which raters can be used at once: what they need is installed, and nothing has to be fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from tiltmeter import registry
from tiltmeter.packages import Package
from tiltmeter.parsing import PIPELINE
from tiltmeter.raters import heads
from tiltmeter.raters.heads import MINILM
from tiltmeter.raters.toxicity import LINEAR, TINY


def _always() -> bool:
    return True


def _has(*modules: str, weights: Package | None = None) -> Callable[[], bool]:
    def found() -> bool:
        return all(find_spec(module) for module in modules) and (weights is None or weights.home.is_dir())

    return found


_OURS = tuple(name for name, place in registry.TABLES["rater"].items() if place.startswith(f"{heads.__name__}:"))
_READY: Mapping[str, Callable[[], bool]] = {
    "sentiment.vader.v1": _has("vaderSentiment"),
    "toxicity.linear.v1": _has(weights=LINEAR),
    "toxicity.tiny.v1": _has("onnxruntime", "tokenizers", weights=TINY),
    **dict.fromkeys(_OURS, _has("torch", "transformers", weights=MINILM)),
    "readability.fog.v1": _always,
    "readability.ari.v1": _always,
    "refusal.v5": _always,
    "about.parse.v1": _has("spacy", weights=PIPELINE),
}


def available_raters() -> list[str]:
    """The raters that can be loaded by name alone, here and now.

    >>> "refusal.v5" in available_raters()
    True
    """
    return [name for name, found in _READY.items() if found()]
