"""Prompts that state a situation first: whom the texts name, situation by situation, and how far by the stereotype."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tiltmeter.raters.groups import NONE, SEVERAL
from tiltmeter.records import Decoding, Estimate, Prompt, Rating
from tiltmeter.stats.estimates import adjust
from tiltmeter.stats.views.continuations import NO_REASON, pairs_of_groups
from tiltmeter.stats.views.situations import ends_of_towards, minus, share, signed_mean, towards, unscored

MEASURE = "towards-stereotype.v2"
UNDIRECTED = "the situation has no stereotype that points to a group"

NamedText = tuple[Prompt, str | None, str | None]
"""A prompt, the group that a text names (None: nobody, or several), and why it was not looked at."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the texts of one situation name."""

    situation: str
    stereotyped: str | None
    """The group that the stereotype puts there; None: there is no such stereotype."""
    texts: int
    named: Mapping[str, int]
    nobody: int
    """Texts that name no group, or several."""
    missing: Mapping[str, int]
    towards: Estimate
    """Towards the stereotype; its interval is over the texts of this situation."""

    def as_json(self) -> dict[str, Any]:
        """The figures of the situation."""
        return {**asdict(self), "towards": self.towards.as_json(), "note": self.towards.note}


@dataclass(frozen=True, slots=True)
class MentionDifference:
    """The share of texts that name group a minus the share that name group b, text by text."""

    a: str
    b: str
    difference: Estimate


@dataclass(frozen=True, slots=True)
class SituationsCell:
    """The situations of one model, source, bias and decoding, as one rater read them."""

    model: str
    source: str
    bias: str
    decoding: Decoding | None
    """None: over all decodings, each text once, at its longest."""
    rater: str
    groups: tuple[str, ...]
    towards: Estimate
    """Over the situations that have a direction; what is uncertain is which situations were chosen."""
    by_stereotyped: Mapping[str, Estimate]
    """The same by the group that the stereotype points to."""
    shares: Mapping[str, Estimate]
    """Of all texts, the share that names each group."""
    pairs: tuple[MentionDifference, ...]
    situations: tuple[Situation, ...]

    def as_json(self) -> dict[str, Any]:
        """The figures as the run folder keeps them."""
        return {
            "measure": MEASURE,
            "model": self.model,
            "source": self.source,
            "bias": self.bias,
            "decoding": self.decoding.as_json() if self.decoding else None,
            "rater": self.rater,
            "towards": self.towards.as_json(),
            "by_stereotyped": {group: found.as_json() for group, found in self.by_stereotyped.items()},
            "shares": {group: found.as_json() for group, found in self.shares.items()},
            "pairs": [{"a": pair.a, "b": pair.b, "difference": pair.difference.as_json()} for pair in self.pairs],
            "situations": [one.as_json() for one in self.situations],
        }


def group_found(rating: Rating) -> tuple[str | None, str | None]:
    """The group that a rater of group words found, None for nobody or several; and why a text was not looked at."""
    if rating.label is not None:
        return rating.label, None
    return None, None if rating.unrated in (NONE, SEVERAL) else rating.unrated or NO_REASON


def towards_of(prompt: Prompt, named: str | None) -> float | None:
    """What a text counts towards the stereotype of its situation; None where there is none."""
    groups = [group for group, _ in prompt.word_sets]
    return None if prompt.stereotyped is None else towards(named, prompt.stereotyped, groups)


def situations_cell(
    place: tuple[str, str, str, Decoding | None, str], texts: Sequence[NamedText], reference: str | None
) -> SituationsCell:
    """What the texts of all situations of a cell name."""
    groups = tuple(dict.fromkeys(group for prompt, *_ in texts for group, _ in prompt.word_sets))
    read = [(prompt, named) for prompt, named, why in texts if why is None]
    origins = [prompt.origin for prompt, _ in read]
    lost = len(texts) - len(read)
    pairs = pairs_of_groups(groups, reference if reference in groups else None)
    differences = adjust(
        {
            str(at): unscored(signed_mean([minus(named, a, b) for _, named in read], origins), lost)
            for at, (a, b) in enumerate(pairs)
        }
    )
    directed = [prompt.stereotyped for prompt, *_ in texts if prompt.stereotyped is not None]
    return SituationsCell(
        *place,
        groups,
        _towards(texts),
        {
            group: _towards([text for text in texts if text[0].stereotyped == group])
            for group in dict.fromkeys(directed)
        },
        {group: unscored(share([float(named == group) for _, named in read], origins), lost) for group in groups},
        tuple(MentionDifference(a, b, differences[str(at)]) for at, (a, b) in enumerate(pairs)),
        tuple(_situations(texts, groups)),
    )


def _towards(texts: Sequence[NamedText], *, alone: bool = False) -> Estimate:
    """Over the texts with a direction; `alone`: each text is its own origin."""
    own = [text for text in texts if text[0].stereotyped is not None]
    if not own:
        return Estimate(None, n_unscored=len(texts), note=UNDIRECTED)
    read = [(prompt, named) for prompt, named, why in own if why is None]
    values = [towards_of(prompt, named) or 0.0 for prompt, named in read]
    origins = ["" if alone else prompt.origin for prompt, _ in read]
    # The fewer groups there are, the more a text that names another one counts: the fewest set the ends.
    scale = ends_of_towards(min(len(prompt.word_sets) for prompt, *_ in own))
    found = unscored(signed_mean(values, origins, scale=scale), len(own) - len(read))
    return replace(found, note=found.note.replace("origins", "texts")) if alone and found.note else found


def _situations(texts: Sequence[NamedText], groups: Sequence[str]) -> Iterator[Situation]:
    by_situation: dict[tuple[str, str | None], list[NamedText]] = {}
    for text in texts:
        by_situation.setdefault((text[0].origin, text[0].stereotyped), []).append(text)
    for (situation, stereotyped), own in by_situation.items():
        read = [named for _, named, why in own if why is None]
        counts = Counter(read)
        yield Situation(
            situation,
            stereotyped,
            len(own),
            {group: counts[group] for group in groups},
            counts[None],
            dict(Counter(why for *_, why in own if why is not None)),
            _towards(own, alone=True),
        )
