"""Model `python`: one that is in memory already, such as a network in training, or an object or function of yours.

A study that is carried out in this process names it `python:NAME`. The weights of a network are hashed each time it is
opened, since training changes them; an object without weights is cached only under a name that you give to its state.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeGuard

from tiltmeter.calling import shown
from tiltmeter.errors import ModelError, UserError
from tiltmeter.models.identity import Identity
from tiltmeter.models.interface import Model, ModelSettings
from tiltmeter.records import SCREENED

KIND = "python"
_VERBS = (
    "score",
    "complete",
    "complete_with",
    "chat_prompt",
    "next_words",
    "likeliest",
    "likeliest_answers",
    "saliency",
)
_AS_IT_IS = ModelSettings()
_FOR_GRADIENTS = "make_inputs_require_grad"
"""The hook that lets gradients reach adapters; it changes nothing."""
_OF_ADAPTERS = ("_active_adapter", "_disable_adapters", "merged_adapters", "scaling")
"""What says which adapters inside a layer are on, and how strongly."""


@dataclass(frozen=True, slots=True)
class Given:
    """A model that was handed over: how it is opened, and which it is."""

    name: str
    open: Callable[[ModelSettings, Identity], Model]
    identity: Callable[[], Identity]
    cached: Callable[[], bool]
    """Whether what it answers can be told from what it would answer in another state."""
    while_asked: Callable[[], AbstractContextManager[None]] = nullcontext
    """What holds while it is asked, and no longer."""

    def opened(self, settings: ModelSettings) -> Model:
        """The model as it is now."""
        with self.while_asked():
            return _as_given(self, self.open(settings, self.identity()))


_HANDED_OVER: dict[str, Given] = {}
_MEANT: ContextVar[Mapping[str, Given]] = ContextVar("_MEANT", default={})  # noqa: B039
"""What names mean in this thread, where a study is carried out in it."""


def wrap(model: object, tokenizer: object = None, *, name: str = "", cache: bool | str | None = None) -> Model:
    """A model in memory as one of tiltmeter's: a network of transformers with its tokenizer, or an object or function.

    A pipeline of transformers has its tokenizer with it. An object has `score(texts)`, `complete(prompts)` or
    `next_words(prompts, words)`. A function is given prompts and returns what it answers: a list of them, or one at a
    time if its parameter is called `prompt` or `text`, or is a `str`. A network is left as it is and goes on training
    where it was. `cache`: True keeps answers by the hash of the weights, which is the default where there are some,
    False keeps none, and a text such as "step 4000" is your own name for this state, which saves hashing it.

    >>> from tiltmeter.records import Decoding
    >>> model = wrap(lambda prompt: f"{prompt} I cannot say.", name="shy")
    >>> model.complete(["Who was late?"], Decoding())[0][0].text
    'Who was late? I cannot say.'
    """
    given = getattr(model, "given", None)
    if isinstance(given, Given) and not (tokenizer or name):
        return given.opened(_AS_IT_IS)
    if is_ours(model):
        return model
    if not isinstance(cache, bool | str | None):
        raise UserError(f"cache={shown(cache)}: right is True, False, or a text that names the state of the model")
    if isinstance(model, str):
        raise UserError(f"{model!r:.80} is a name; `load_model` opens models by name, `wrap` takes one in memory")
    if tokenizer is None and all(hasattr(model, part) for part in ("task", "model", "tokenizer")):
        # A pipeline of transformers has both.
        model, tokenizer = model.model, model.tokenizer  # type: ignore[attr-defined]
    network = _network_in(model)
    if network is None and tokenizer is not None:
        raise UserError(f"a {type(model).__name__} takes no tokenizer; only a network of transformers does")
    made = _network(network, tokenizer, name, cache) if network is not None else _object(model, name, cache)
    opened = made.opened(_AS_IT_IS)
    hand_over(opened)
    return opened


def hand_over(model: Model) -> str:
    """Let studies of this process name a model; the name. One that was loaded by its name has it already."""
    given = getattr(model, "given", None)
    if not isinstance(given, Given):
        return model.facts.name
    _HANDED_OVER[given.name.removeprefix(f"{KIND}:")] = given
    return given.name


@contextmanager
def meant(opened: Iterable[Model]) -> Iterator[None]:
    """Let names mean these models here, and no others that other threads hand over under them meanwhile."""
    every = [found for model in opened if isinstance(found := getattr(model, "given", None), Given)]
    before = _MEANT.set({**_MEANT.get(), **{one.name.removeprefix(f"{KIND}:"): one for one in every}})
    try:
        yield
    finally:
        _MEANT.reset(before)


def is_ours(model: object) -> TypeGuard[Model]:
    """Whether it is a model that `load` opened."""
    return type(model).__module__.startswith("tiltmeter.") and hasattr(model, "facts")


def load(argument: str, settings: ModelSettings) -> Model:
    """The model that was handed over under this name."""
    return _known(argument).opened(settings)


def check(argument: str) -> None:
    """Refuse a name under which nothing was handed over."""
    _known(argument)


def identity_of(argument: str) -> Identity | None:
    """What its weights or its owner say of it; None where it is not to be cached."""
    given = _known(argument)
    if not given.cached():
        return None
    with given.while_asked():
        return given.identity()


def _known(argument: str) -> Given:
    found = _MEANT.get().get(argument) or _HANDED_OVER.get(argument)
    if found is None:
        raise ModelError(
            f"`{KIND}:{argument}`: no model of this name is in memory; hand it over with tiltmeter.wrap(model, "
            f"name={argument!r}) in the process that runs the study"
        )
    return found


def _as_given(given: Given, model: Model) -> Model:
    """The model with the verbs that it has, each carried out in the state in which it is measured."""

    def carried_out(verb: str) -> Callable[..., Any]:
        def call(_: object, *args: Any, **named: Any) -> Any:
            with given.while_asked():
                return getattr(model, verb)(*args, **named)

        return call

    verbs = {verb: carried_out(verb) for verb in _VERBS if callable(getattr(model, verb, None))}
    facts = {"facts": model.facts, "conditionings": model.conditionings, "given": given}
    written = {"__repr__": lambda _: f"<{model.facts.family} model {given.name}>"}
    found: Model = type("GivenModel", (), {**facts, **verbs, **written})()
    return found


def _called(name: str, usual: str) -> str:
    known = name or usual
    if not isinstance(known, str):
        raise UserError(f"{shown(known)} cannot name a model; a name is a text")
    if known != known.strip() or any(sign in "[]/\\:?+@" or not sign.isprintable() for sign in known):
        raise UserError(f"{known!r:.80} cannot name a model; leave out [ ] / \\ : ? + @ and blanks at its ends")
    return f"{KIND}:{known}"


def _object(model: object, name: str, cache: bool | str | None) -> Given:
    from tiltmeter.models.adapted import adapted

    if cache is True:
        raise UserError(
            f"a {type(model).__name__} has no weights to tell its answers by; to cache them, name its state: "
            'cache="version 3"'
        )
    usual = [one for key in ("name", "__name__") if isinstance(one := getattr(model, key, None), str) and one]
    called = _called(name, next(iter(usual), type(model).__name__).strip("<>"))
    state = cache or f"{uuid.uuid4().hex} (not cached)"
    return Given(
        called,
        lambda _, found: adapted(model, called, found["revision"]),
        lambda: {"name": called, "revision": state},
        cached=lambda: bool(cache),
    )


def _network_in(model: Any) -> Any:
    """The network of transformers inside what training wraps around it; None where there is none."""
    while (inner := getattr(model, "module", getattr(model, "_orig_mod", None))) is not None:
        model = inner
    if hasattr(model, "peft_config"):
        if any(one.is_prompt_learning for one in model.peft_config.values()):
            raise ModelError("an adapter that learns a prompt cannot be measured; LoRA and others inside layers can")
        model = model.get_base_model()
    return model if hasattr(model, "config") and hasattr(model, "get_output_embeddings") else None


def _network(network: Any, tokenizer: Any, name: str, cache: bool | str | None) -> Given:
    from tiltmeter.models.hugging_face import require_packages

    require_packages()
    from tiltmeter.models import loading
    from tiltmeter.models.family import family_of

    if tokenizer is None:
        raise UserError("a network needs its tokenizer: wrap(model, tokenizer)")
    if not getattr(tokenizer, "is_fast", False):
        raise UserError(f"{type(tokenizer).__name__} cannot say where tokens are in a text; use the fast tokenizer")
    called = _called(name, (getattr(network.config, "name_or_path", "") or "").rsplit("/")[-1] or "network")
    family = family_of(network.config, called)
    state, here = cache if isinstance(cache, str) else "", f"{uuid.uuid4().hex} (not cached)"

    def identity() -> Identity:
        changes = [] if state else _hooks(network)
        if cache is False:
            changes.append(sum(weight._version for weight in network.parameters()))
        return {
            "name": called,
            "revision": " ".join([here, *map(str, changes)]) if changes else state,
            "weights_sha256": "" if state or cache is False else _weights_sha256(network, called),
            "files_sha256": _files_sha256(network, tokenizer),
        }

    def opened(settings: ModelSettings, found: Identity) -> Model:
        device, dtype = str(network.device), str(network.dtype).removeprefix("torch.")
        format_ = "auto" if settings.dtype == SCREENED else settings.dtype
        for wanted, own, what in ((settings.device, device, "device"), (format_, dtype, "dtype")):
            if wanted not in ("auto", own) and (what == "dtype" or not own.startswith(wanted)):
                raise ModelError(f"{called} is in memory as {own}, not {wanted}; leave the {what} out")
        _check_head(network, tokenizer, called)
        parts = loading.LoadedCheckpoint(called, family, network, tokenizer, device, dtype)
        return loading.assemble(parts, settings, found, revision=found["revision"])

    return Given(
        called,
        opened,
        identity,
        lambda: bool(state) or (cache is not False and not _hooks(network)),
        lambda: _at_rest(network),
    )


@contextmanager
def _at_rest(network: Any) -> Iterator[None]:
    """A network as it is measured: without dropout, in full precision; afterwards it is as it was."""
    import torch

    training = [module for module in network.modules() if module.training]
    cached, precision = getattr(network.config, "use_cache", None), torch.get_float32_matmul_precision()
    own = vars(network)
    forward = own.get("forward")
    for module in training:
        module.training = False
    network.config.use_cache = False
    torch.set_float32_matmul_precision("highest")
    if "_original_forward" in own:
        # Accelerate puts mixed precision around it, which autocast alone does not undo.
        network.forward = own["_original_forward"]
    try:
        kind = network.device.type
        with torch.autocast(kind, enabled=False) if torch.amp.is_autocast_available(kind) else nullcontext():
            yield
    finally:
        if forward is not None:
            network.forward = forward
        torch.set_float32_matmul_precision(precision)
        network.config.use_cache = cached
        for module in training:
            module.training = True


def _check_head(network: Any, tokenizer: Any, called: str) -> None:
    """Refuse a network that says nothing of the tokens of its tokenizer."""
    import torch

    known = 1 + max(tokenizer.backend_tokenizer.get_vocab(with_added_tokens=False).values(), default=0)
    size = len(network.get_input_embeddings().weight)
    if known > size:
        raise ModelError(
            f"{called}: the tokenizer has {known:,} tokens and the network {size:,}; give its own tokenizer"
        )
    with torch.inference_mode():
        logits = getattr(
            network(input_ids=torch.zeros((1, 2), dtype=torch.long, device=network.device)), "logits", None
        )
    if logits is None or logits.shape[:-1] != (1, 2) or logits.shape[-1] < known:
        raise ModelError(f"{called}: a {type(network).__name__} has no language-model head; use a network with one")


def _hooks(network: Any) -> list[int]:
    """The numbers of the hooks that may change what it says, which no hash of weights shows."""
    hooks = [
        found
        for module in network.modules()
        for held in (module._forward_hooks, module._forward_pre_hooks)
        for found in held.items()
    ]
    return [number for number, hook in hooks if not getattr(hook, "__name__", "").startswith(_FOR_GRADIENTS)]


def _weights_sha256(network: Any, called: str) -> str:
    """The SHA-256 of the names, formats, shapes and numbers of all weights."""
    import torch

    digest = hashlib.sha256()
    for key, weight in sorted(network.state_dict().items()):
        if weight.is_meta:
            raise ModelError(f"{called}: the weights of {key} are not in memory; load the whole network")
        digest.update(f"{key} {weight.dtype} {tuple(weight.shape)}\n".encode())
        digest.update(weight.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def _files_sha256(network: Any, tokenizer: Any) -> str:
    """The SHA-256 of configuration, tokenizer and chat template."""
    settings = {
        key: value for key, value in network.config.to_dict().items() if key not in ("use_cache", "_name_or_path")
    }
    adapters = {
        name: {key: vars(module)[key] for key in _OF_ADAPTERS if key in vars(module)}
        for name, module in network.named_modules()
    }
    parts = [json.dumps(one, sort_keys=True, default=str) for one in (settings, adapters)]
    parts.append(tokenizer.backend_tokenizer.to_str())
    parts += [str(tokenizer.chat_template), json.dumps(tokenizer.special_tokens_map, sort_keys=True, default=str)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
