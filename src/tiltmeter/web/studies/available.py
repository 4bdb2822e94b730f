"""What a study can choose from: everything that is registered, plug-ins too, with what it says of itself."""

from __future__ import annotations

import inspect
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tiltmeter import registry
from tiltmeter.raters.judge import QUESTIONS
from tiltmeter.records import Decoding, Family
from tiltmeter.registry import unversioned
from tiltmeter.sources.generated.settings import GenerationSettings
from tiltmeter.sources.interface import Source
from tiltmeter.study import RaterChoice, SourceChoice, parse
from tiltmeter.study.asked import ASKED
from tiltmeter.study.continuations import JUDGE
from tiltmeter.study.records import GENERATED
from tiltmeter.views import FACTS, View

Kind = Literal["whole", "number", "yes-no", "choice", "text", "words", "lines"]
_WRITTEN = "Sentences that a model writes about the words of a spec, checked before they are used."
_WHILE = 60
"""Seconds for which the models of the hub are remembered."""


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of a source or rater, and how a form asks for it."""

    name: str
    kind: Kind
    default: str = ""
    """What holds where nothing is said, in words."""
    choices: tuple[str, ...] = ()
    needed: bool = False

    @property
    def label(self) -> str:
        """The name as people write it."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Available:
    """A source, rater or scorer that a study can name."""

    name: str
    """Without its version: the newest."""
    about: str
    path: Literal["", "may", "must"] = ""
    """Whether a file or folder stands behind its name."""
    options: tuple[Option, ...] = ()


@cache
def available_sources(view: View) -> tuple[Available, ...]:
    """The sources of a view; the ones that need no file of the user's first."""
    found = [_source(Source.named(name, view)) for name in _newest("source", view)]
    return tuple(sorted(found, key=lambda one: one.path == "must"))


@cache
def available_raters() -> tuple[Available, ...]:
    """The raters; those that need no file of the user's first."""
    found = [_rater(name) for name in _newest("rater")]
    return tuple(sorted(found, key=lambda one: one.path == "must" or bool(one.options)))


@cache
def available_scorers(family: Family) -> tuple[Available, ...]:
    """The scorers of a family, by the names that no other family has."""
    names = [name for name in _newest("scorer") if name.startswith(f"{family}.")]
    return tuple(Available(unversioned(name), str(registry.load("scorer", name).meaning)) for name in names)


@cache
def defaults() -> dict[str, list[str]]:
    """What holds where a study says nothing, by the place in its file: a form shows it."""
    # With a spec, as studies have one: what is asked without any is about professions.
    tables = ("pairs", "continuations", "next_words", *(FACTS[view].key for view in ASKED))
    study = parse('models = ["scripted"]\nspecs = ["gender-math-arts"]\n' + "".join(f"[{one}]\n" for one in tables))
    assert study.continuations is not None
    assert study.next_words is not None
    found: dict[str, Sequence[SourceChoice | RaterChoice]] = {
        "pairs.sources": study.sources,
        "continuations.sources": study.continuations.sources,
        "continuations.raters": study.continuations.raters,
        "next_words.sources": study.next_words.sources,
        **{f"{FACTS[view].key}.sources": asked.sources for view, asked in study.asked.items()},
    }
    return {place: [unversioned(one.name) for one in listed] for place, listed in found.items()}


def decoding_axes() -> tuple[Option, ...]:
    """The settings of the decoding, each of which may have several values."""
    hints = get_type_hints(Decoding)
    return tuple(
        Option(one.name, _kind(hints[one.name])[0], _said(one.default))
        for one in fields(Decoding)
        if hints[one.name] in (int, float, bool)
    )


def _newest(noun: str, view: View | None = None) -> Iterable[str]:
    return (name for name in registry.names(noun, view) if registry.resolve(noun, unversioned(name), view) == name)


def _source(source: Source) -> Available:
    about = _about(sys.modules[source.make.__module__])
    if source.name == GENERATED:
        return Available(unversioned(source.name), _WRITTEN, "", _generated())
    path: Literal["", "may", "must"] = "" if not source.reads_file else "must" if source.needs_input else "may"
    hints = _hints(source.make)
    options = tuple(_option(one.name, hints.get(one.name, str), one.default) for one in source.options)
    return Available(unversioned(source.name), about, path, options)


def _generated() -> tuple[Option, ...]:
    """Who writes, reads and judges, and how the sentences are asked for."""
    wiring = (
        Option("by", "text", "", needed=True),
        Option("reader", "text", "none"),
        Option("judge", "yes-no", "yes"),
        Option("pronouns", "choice", "along", ("along", "leave")),
    )
    hints = get_type_hints(GenerationSettings)
    own = (one for one in fields(GenerationSettings) if one.name not in ("decoding", "seed"))
    return (*wiring, *(_option(one.name, hints[one.name], one.default) for one in own))


def _rater(name: str) -> Available:
    maker = registry.load("rater", name)
    if name == JUDGE:
        options = (
            Option("model", "text", needed=True),
            Option("question", "choice", "", tuple(QUESTIONS), needed=True),
        )
        return Available(unversioned(name), _about(maker), "", options)
    takes, needs = getattr(maker, "takes", ""), getattr(maker, "needs", False)
    return Available(unversioned(name), _about(maker), "must" if needs else "may" if takes else "")


def _option(name: str, hint: Any, default: Any) -> Option:
    kind, choices = _kind(hint)
    return Option(name, kind, _said(default), choices)


def _kind(hint: Any) -> tuple[Kind, tuple[str, ...]]:
    parts = [one for one in (get_args(hint) if get_origin(hint) is not Literal else (hint,)) if one is not type(None)]
    kinds = parts if parts and get_origin(hint) not in (list, Literal) and len(get_args(hint)) > 1 else [hint]
    literal = next((one for one in kinds if get_origin(one) is Literal), None)
    if literal is not None:
        return "choice", tuple(map(str, get_args(literal)))
    plain: dict[Any, Kind] = {bool: "yes-no", int: "whole", float: "number"}
    if kinds[0] in plain:
        return plain[kinds[0]], ()
    several = any(get_origin(one) is not None for one in kinds)
    return ("words" if str in kinds else "lines") if several else "text", ()


def _hints(make: Any) -> dict[str, Any]:
    try:
        return get_type_hints(make)
    except (NameError, TypeError):
        # A plug-in may name types that it imports for the checker alone.
        return {}


def _said(default: Any) -> str:
    match default:
        case bool():
            return "yes" if default else "no"
        case None | inspect.Parameter.empty:
            return ""
    return str(default)


def _about(thing: Any) -> str:
    """The first sentence that something says of itself."""
    first = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
    first = re.sub(r"^Source `[^`]*`(?: of the view \"[^\"]*\")?: ", "", first)
    return f"{first[:1].upper()}{first[1:]}".replace("`", "")


def installed_models() -> list[tuple[str, str]]:
    """Models that are on this machine already, by the names that a study gives them, and what each is."""
    from tiltmeter.models import embedded

    note = "the embedded model; installed" if embedded.is_cached() else "the embedded model; fetched once, 93 MB"
    fetched = _hub_models(int(time.time() // _WHILE))
    return [(embedded.NAME, note), *((f"hf:{name}", "in the cache of the Hugging Face hub") for name in fetched)]


@lru_cache(maxsize=1)
def _hub_models(_: int) -> list[str]:
    """The models in the cache of the hub, which may be large: it is looked at once in a while."""
    try:
        from huggingface_hub import scan_cache_dir

        found = scan_cache_dir().repos
    except Exception:
        # Without the package, or without a cache, there are none.
        return []
    weights = ("model.safetensors", "model.safetensors.index.json")
    return sorted(
        repo.repo_id
        for repo in found
        if repo.repo_type == "model"
        and any(file.file_name in weights for revision in repo.revisions for file in revision.files)
    )
