"""What readers call groups and biases: as specs and sources say, and otherwise by their names."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter import registry
from tiltmeter.errors import UserError
from tiltmeter.sources import word_sets
from tiltmeter.store import Run
from tiltmeter.views import FACTS


@dataclass(frozen=True, slots=True)
class Names:
    """What things are called in sentences."""

    groups: Mapping[str, str]
    biases: Mapping[str, str]

    def group(self, name: str) -> str:
        """What the members of a group are called; a name that nobody explained is in quotation marks.

        >>> names = Names({"female": "women"}, {})
        >>> names.group("female"), names.group("urban"), names.group("")
        ('women', '“urban”', '')
        """
        return self.groups.get(name) or (f"“{name}”" if name else "")

    def bias(self, name: str) -> str:
        """What a bias is called: the title of its spec, where it has one.

        >>> Names({}, {"religion": "Religion and trust"}).bias("religion:jewish-muslim")
        'Religion and trust: jewish-muslim'
        """
        spec, _, comparison = name.partition(":")
        title = self.biases.get(spec)
        if name in self.biases or title is None:
            return self.biases.get(name, name)
        return f"{title}: {comparison}"


def names_of(runs: Iterable[Run]) -> Names:
    """What the groups and biases of some runs are called."""
    return names_in(run.meta["resolved"] for run in runs)


def names_in(studies: Iterable[Mapping[str, Any]]) -> Names:
    """The same of resolved studies; two specs of one title also have their names."""
    groups: dict[str, str] = {}
    titles: dict[str, str] = {}
    several: dict[str, Sequence[tuple[str, str]]] = {}
    for resolved in studies:
        for called in _of_sources(resolved):
            groups |= called
        for spec in resolved["specs"]:
            titles[spec["name"]] = spec["title"]
            if len(spec.get("compare") or ()) > 1:
                several[spec["name"]] = spec["compare"]
            groups |= {one["name"]: one["noun"] for one in spec["groups"] if one.get("noun")}
    often = Counter(titles.values())
    biases = {name: f"{title} ({name})" if often[title] > 1 else title for name, title in titles.items()}
    # Pairs of a spec that compares several groups are named after the two that they are of.
    known = Names(groups, {})
    of_two = {
        f"{name}:{first}-{second}": f"{biases[name]}: {known.group(first)} and {known.group(second)}"
        for name, compared in several.items()
        for first, second in compared
    }
    return Names(groups, {**biases, **of_two})


def _of_sources(resolved: Mapping[str, Any]) -> Iterable[Mapping[str, str]]:
    """What the sources and words of a study call the groups that they bring."""
    words = (resolved.get("next_words") or {}).get("words", ())
    if any(one["label"] in word_sets.BUILT_IN for one in words):
        yield word_sets.CALLED
    for view in FACTS.values():
        part = resolved.get(view.resolved) or ()
        for source in part if isinstance(part, list) else part.get("sources", ()) if part else ():
            try:
                module = sys.modules[registry.load(view.sources, source["name"]).__module__]
            except UserError:
                continue  # A source of a plug-in that is not installed here.
            if hasattr(module, "called"):
                yield module.called()
