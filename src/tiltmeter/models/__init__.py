"""Language models behind small verbs: `score`, `complete`, `next_words`, `likeliest`, `saliency`.

Nothing heavy is imported until a model is loaded.

>>> model = load("scripted")
>>> [score] = model.score(["She is a nurse."])
>>> score.spans
((0, 3), (4, 6), (7, 8), (9, 14), (14, 15))
"""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from pathlib import Path

from tiltmeter import registry
from tiltmeter.errors import ModelError, UnknownName, UserError
from tiltmeter.files import is_there
from tiltmeter.models import given, identity
from tiltmeter.models.interface import (
    Explainer,
    Model,
    ModelSettings,
    Predictor,
    Proposer,
    Writer,
    as_explainer,
    as_predictor,
    as_proposer,
    as_writer,
)
from tiltmeter.records import ModelFacts

__all__ = [
    "AvailableModel",
    "Explainer",
    "Model",
    "ModelSettings",
    "Predictor",
    "Proposer",
    "Writer",
    "as_explainer",
    "as_predictor",
    "as_proposer",
    "as_writer",
    "available_models",
    "check_name",
    "folder_of",
    "identity_of",
    "lasting_name",
    "load",
]

_DEFAULTS = ModelSettings()

# Names that mean nothing without what follows the colon.
_ARGUMENTS = {
    **dict.fromkeys(("hf", "vllm", "python"), "NAME"),
    "gguf": "PATH",
    "api": "MODEL@URL",
    "chat": "MODEL",
    "planted": "FILE.toml",
}


@dataclass(frozen=True, slots=True)
class AvailableModel:
    """A line of `tiltmeter models list`. `cached` is None where the question has no meaning."""

    name: str
    kind: str
    where: str
    cached: bool | None


def available_models() -> list[AvailableModel]:
    """The models that can be asked for by name, and the forms that name others."""
    from tiltmeter.models import embedded

    own = {
        "smollm2-135m": AvailableModel("smollm2-135m", "causal, embedded", str(embedded.home()), embedded.is_cached()),
        "scripted": AvailableModel("scripted", "causal, a table of weights", "built in; or scripted:FILE.toml", None),
        "hf": AvailableModel("hf:NAME", "causal or masked", "Hugging Face hub, or a folder: hf:./folder", None),
        "gguf": AvailableModel("gguf:PATH", "causal", "a GGUF file", None),
        "planted": AvailableModel("planted:FILE.toml", "any", "a model with a known tilt, to calibrate with", None),
        "python": AvailableModel("python:NAME", "any", "one in memory, handed over with tiltmeter.wrap", None),
        "vllm": AvailableModel("vllm:NAME", "causal", "Hugging Face hub, or a folder, run by vLLM", None),
        "api": AvailableModel(
            "api:MODEL@URL", "causal, behind an API", "a server of the OpenAI form: vLLM, llama.cpp, …", None
        ),
        "chat": AvailableModel(
            "chat:MODEL", "causal", "any of these with a chat template, through that template", None
        ),
    }
    plugged = {
        name: AvailableModel(name, "plug-in", target, None)
        for name, target in registry.table("model").items()
        if name not in own
    }
    return list((own | plugged).values())


def load(name: str | Path | object, settings: ModelSettings = _DEFAULTS) -> Model:
    """The model that a name stands for, ready to score; a folder by its path, and what is in memory as `wrap` has it.

    Names: `smollm2-135m`, `scripted`, `scripted:FILE.toml`, `planted:FILE.toml`, `hf:NAME`, `hf:NAME@REVISION`,
    `hf:./folder`, `hf:BASE+ADAPTER`, the bare path of a folder, `vllm:NAME`, `gguf:PATH`, `api:MODEL@URL`, and `chat:`
    before any.
    """
    if not isinstance(name, str | Path):
        return given.wrap(name)
    kind, argument = _parsed(str(name))
    with registry.blamed("model", kind):
        model: Model = registry.load("model", kind)(argument, settings)
        if registry.is_plugged("model", kind) and not isinstance(model.facts, ModelFacts):
            raise TypeError("its `facts` are not ModelFacts")
        return model


def folder_of(name: str) -> Path:
    """The folder of a checkpoint, for `from_pretrained` of transformers; what is not here yet is downloaded."""
    kind, argument = _parsed(name)
    if kind == "smollm2-135m":
        from tiltmeter.models import embedded

        if not embedded.is_cached():
            embedded.fetch()
        return embedded.home()
    if kind != "hf":
        raise UserError(f"`{name}` is in no folder that transformers reads; name a checkpoint: smollm2-135m, hf:NAME")
    from tiltmeter.models import hugging_face

    hugging_face.require_packages()
    return hugging_face.folder_of(argument)[0]


def check_name(name: str) -> None:
    """Refuse a name that stands for no model, as far as that can be told without loading or fetching anything."""
    kind, argument = _parsed(name)
    if kind == "chat":
        check_name(argument)
    if kind == "api":
        from tiltmeter.models.api import check

        check(argument)
    if kind == given.KIND:
        given.check(argument)
    if kind in ("gguf", "scripted", "planted") and argument and not Path(argument).expanduser().is_file():
        raise ModelError(f"`{name}`: there is no file {argument}")
    if kind == "hf" and argument.startswith((".", "~", os.sep)) and not Path(argument).expanduser().is_dir():
        raise ModelError(f"`{name}`: there is no folder {argument}")


def lasting_name(name: str) -> str:
    """The name without settings that change nothing in what is measured: two such names are one model.

    >>> lasting_name("api:m@http://localhost:8000/v1?concurrency=4"), lasting_name("hf:gpt2")
    ('api:m@http://localhost:8000/v1', 'hf:gpt2')
    """
    if "api:" not in name:
        return name
    from tiltmeter.models import api

    return api.lasting_name(name)


def identity_of(name: str, *, fetch: bool = False) -> dict[str, str] | None:
    """The facts of a model that its files tell, by content, without loading it; None where only loading it would.

    `fetch`: the hub may be asked to which commit a name leads; otherwise only a commit is known.
    """
    kind, argument = _parsed(name)
    if kind == "chat":
        found = identity_of(argument, fetch=fetch)
        return found and {**found, "name": lasting_name(name)}
    if kind == "planted":
        from tiltmeter.models import planted

        return planted.identity_of(argument, lambda inner: identity_of(inner, fetch=fetch))
    if kind == given.KIND:
        return given.identity_of(argument)
    found = identity.identity_of(kind, argument, fetch=fetch)
    return found and {**found, "name": f"{kind}:{argument}" if argument else kind}


def _parsed(name: str) -> tuple[str, str]:
    """The kind of model, a name of the registry, and what it is to load."""
    kind, _, argument = name.partition(":")
    if kind in registry.table("model"):
        if kind in _ARGUMENTS and not argument:
            raise UserError(f"`{name}` names no model; write `{kind}:{_ARGUMENTS[kind]}`")
        return kind, argument
    if is_there(Path(name).expanduser()) and Path(name).expanduser().is_dir():
        return "hf", str(Path(name).expanduser())
    if name.startswith((".", "~", os.sep)):
        raise ModelError(f"there is no folder {name}; a model folder holds config.json, weights and a tokenizer")
    names = [entry.name for entry in available_models()]
    if difflib.get_close_matches(name, names):
        raise UnknownName("model", name, names)
    # A name that resembles nothing of ours is most likely that of a model elsewhere without its prefix.
    raise UserError(
        f"there is no model `{name}`; write `hf:{name}` for a model of the Hugging Face hub, "
        f"or `api:{name}@URL` for one behind an API"
    )
