"""What readers call groups and biases: as specs and sources say, and otherwise by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.sources import word_sets
from tiltmeter.sources.interface import Source
from tiltmeter.store import Run
from tiltmeter.views import FACTS


@dataclass(frozen=True, slots=True)
class Names:
    """What things are called in sentences."""

    groups: Mapping[str, str]
    """What sources and sets of words call the groups that they bring."""
    biases: Mapping[str, str]
    """The titles of specs."""
    nouns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By spec, what it calls its groups; blank where it does not say."""

    def group(self, name: str, bias: str) -> str:
        """What a bias calls the members of a group; a name that nobody explained is in quotation marks.

        >>> names = Names({"female": "women"}, {}, {"school": {"female": "girls", "urban": ""}})
        >>> names.group("female", "school"), names.group("female", "jobs"), names.group("urban", "school")
        ('girls', 'women', '“urban”')
        """
        own = self.nouns.get(bias.partition(":")[0], {})
        said = own.get(name) or self.groups.get(name)
        if not said and name not in own:
            # Of a bias that belongs to no spec: what all specs agree on.
            others = {nouns[name] for nouns in self.nouns.values() if nouns.get(name)}
            said = others.pop() if len(others) == 1 else ""
        return said or (f"“{name}”" if name else "")

    def bias(self, name: str) -> str:
        """What a bias is called: the title of its spec with the groups compared, or its topic with its source.

        >>> names = Names({}, {"religion": "Religion and trust"}, {"religion": {"jewish": "Jews", "muslim": "Muslims"}})
        >>> names.bias("religion:jewish-muslim"), names.bias("own-prompts/gender"), names.bias("gender")
        ('Religion and trust: Jews and Muslims', 'gender (own prompts)', 'gender')
        """
        spec, _, compared = name.partition(":")
        if name in self.biases or spec not in self.biases:
            source, _, topic = name.rpartition("/")
            said = self.biases.get(name) or re.sub("[-_]", " ", topic)
            return f"{said} ({re.sub('[-_]', ' ', source)})" if source else said
        groups = self.nouns.get(spec, {})
        both = next((two for two in permutations(groups, 2) if "-".join(two) == compared), ())
        return f"{self.biases[spec]}: {' and '.join(self.group(one, name) for one in both) or compared}"


def names_of(runs: Iterable[Run]) -> Names:
    """What the groups and biases of some runs are called."""
    return names_in(run.meta["resolved"] for run in runs)


def names_in(studies: Iterable[Mapping[str, Any]]) -> Names:
    """The same of resolved studies; two specs of one title also have their names."""
    groups: dict[str, str] = {}
    titles: dict[str, str] = {}
    nouns: dict[str, dict[str, str]] = {}
    for resolved in studies:
        for called in _of_sources(resolved):
            groups |= called
        for spec in resolved["specs"]:
            titles[spec["name"]] = spec["title"] or spec["name"]
            nouns[spec["name"]] = {one["name"]: one.get("noun") or "" for one in spec["groups"]}
    often = Counter(titles.values())
    biases = {name: f"{title} ({name})" if often[title] > 1 else title for name, title in titles.items()}
    return Names(groups, biases, nouns)


def _of_sources(resolved: Mapping[str, Any]) -> Iterable[Mapping[str, str]]:
    """What the sources and words of a study call the groups that they bring."""
    words = (resolved.get("next_words") or {}).get("words", ())
    if any(one["label"] in word_sets.BUILT_IN for one in words):
        yield word_sets.CALLED
    for view in FACTS.values():
        for source in view.sources(resolved):
            try:
                called = Source.named(source["name"], view.name).declared("called")
            except UserError:
                continue  # A source of a plug-in that is not installed here.
            if called is not None:
                yield called()
