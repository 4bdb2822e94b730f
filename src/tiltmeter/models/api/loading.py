"""From `MODEL@URL` to a model: the address is checked, the server is asked what it can do, and the facts are noted."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tiltmeter.answers import key_of
from tiltmeter.cache import cache_folder
from tiltmeter.models.api.address import api_name, parse
from tiltmeter.models.api.budget import Price, Spent
from tiltmeter.models.api.chat_requests import STEPS
from tiltmeter.models.api.client import HOPELESS, Client
from tiltmeter.models.api.journal import Journal
from tiltmeter.models.api.key import Key
from tiltmeter.models.api.model import ApiModel
from tiltmeter.models.api.probing import MOST, Abilities, hello_request, probe, served
from tiltmeter.models.api.settings import ApiSettings, settings_for, settings_of
from tiltmeter.models.api.transport import require_package
from tiltmeter.models.interface import ModelSettings
from tiltmeter.records import ModelFacts

_ENDING = ".answers.sqlite"
_LONGEST = 200
"""Letters of what is said of a model."""


def load(argument: str, settings: ModelSettings | None = None, *, journal: Journal | None = None) -> ApiModel:
    """The model of `MODEL@URL`. Answers are kept in the journal; without one, in the folder of the settings.

    That of a run has its own, and its budget is for the whole run, however often it is begun; all others share one in
    the cache, and have a budget each. Of the other settings none applies: the server chose device and number format.
    """
    check(argument)
    address = parse(argument)
    chosen = settings_for(address)
    folder = settings.answers if settings else None
    shared = journal is None and folder is None
    if journal is None:
        place = f"{key_of(address.url, address.model).hex()[:16]}{_ENDING}"
        journal = Journal((folder or cache_folder() / "api") / place, address.name(None))
    key = Key.of(chosen.key_variable).sent_to(address, named=bool(chosen.key_variable))
    client = Client(address, chosen, key, journal, counts_before=folder is not None, shared=shared)
    listed = client.listed = served(client).get(address.model, {})
    client.revision = _revision(address.model, listed)
    abilities = probe(client, chosen.start)
    client.hello = hello_request(address.model, abilities)
    return ApiModel(client, abilities, _facts(client, abilities, listed))


def accounts(folder: Path) -> dict[str, Spent]:
    """What was spent on each model whose answers are in a folder, by its name; nothing where there is none."""
    found = {}
    for path in sorted(folder.glob(f"*{_ENDING}")):
        journal = Journal(path)
        found[journal.model] = journal.spent()
        journal.close()
    return found


def price_of(name: str) -> Price | None:
    """The price that the user gave for a model, by its name."""
    argument = api_name(name)
    return None if argument is None else settings_of(parse(argument)).price


def most_sent(name: str, requests: int, openings: int) -> tuple[int, int]:
    """How many HTTP requests so many questions to a model come to at most: if all goes well, and if nothing does.

    Each opening of the model may take some to see what the server can do and in which form it is asked by chat. A
    request that fails is sent again, one that is refused by chat in another form, and in between the server is asked
    whether it is there at all. No more than the limit that the user set is ever sent.
    """
    argument = api_name(name)
    settings = settings_of(parse(argument)) if argument is not None else ApiSettings()
    well = requests + MOST + STEPS * openings
    knocks = requests // HOPELESS + 1
    ill = settings.attempts * (STEPS * requests + MOST * openings + knocks)
    limit = settings.max_requests
    return (well, ill) if limit is None else (well, min(ill, limit))


def account_of(name: str) -> str | None:
    """Under which name `accounts` has a model; None where it is not behind an API."""
    argument = api_name(name)
    return None if argument is None else parse(argument).name(None)


def lasting_name(name: str) -> str:
    """The name of any model without settings that change nothing in what is measured, such as limits."""
    kind, _, argument = name.partition(":")
    if kind == "chat":
        return f"chat:{lasting_name(argument)}"
    if kind != "api":
        return name
    address = parse(argument)
    return address.name(settings_of(address).start or None)


def check(argument: str) -> None:
    """Refuse what is no address or has a wrong setting, without asking anybody."""
    settings_for(parse(argument))
    require_package()


def _facts(client: Client, abilities: Abilities, listed: Mapping[str, Any]) -> ModelFacts:
    """What is known of the model. It has no hash of its weights: the server could change them, and nobody would see."""
    meta = listed.get("meta")
    known = {**(meta if isinstance(meta, dict) else {}), **listed}
    return ModelFacts(
        name=client.address.name(client.settings.start or None),
        family="causal",
        revision=_named(client),
        weights_sha256="",
        device="server",
        dtype="unknown",
        start_token=client.settings.start or abilities.start or None,
        parameters=_count(known.get("n_params")),
        context=_count(known.get("max_model_len")) or _count(known.get("n_ctx")),
        versions={"httpx": version("httpx"), "server": abilities.words()},
    )


def _named(client: Client) -> str:
    """What the server says the model is, and what its first reply called it, such as the snapshot of a date."""
    said = next(iter(client.named), client.address.model)
    return client.revision if said == client.address.model else f"{client.revision}; answers as {said}"[:_LONGEST]


def _revision(model: str, listed: Mapping[str, Any]) -> str:
    """What the server says the model is; nothing in it that changes from one request to the next.

    >>> _revision("small", {"id": "small", "owned_by": "vllm", "root": "org/small", "created": 1700000000})
    'served as small; root org/small; owned_by vllm'
    """
    meta = listed.get("meta")
    known = {**(meta if isinstance(meta, dict) else {}), **listed}
    said = [f"{name} {known[name]}" for name in ("root", "owned_by", "n_params", "size", "ftype") if known.get(name)]
    return "; ".join([f"served as {model}", *said])[:_LONGEST]


def _count(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None
