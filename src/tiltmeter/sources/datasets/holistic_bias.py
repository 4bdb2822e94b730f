"""HolisticBias: descriptors of people, put before nouns and into templates.

The product has more than 450,000 sentences, so some are drawn: the same pairs of template and noun for every
descriptor, so that groups differ in the descriptor alone. The axis is the bias and the bucket of the descriptor the
group; an axis that is one bucket (religion) has the descriptors themselves as groups.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from tiltmeter.english import article_for
from tiltmeter.records import Dropped, Nature, Prompt
from tiltmeter.sources.datasets.holistic_bias_files import FILES, Descriptor, HolisticBias, Noun, Template, read
from tiltmeter.sources.datasets.paths import locate
from tiltmeter.sources.prompt_options import check_choice, check_count, draw, selected_names, without_repeats

NATURE: Nature = "template"

Groups = Literal["bucket", "descriptor"]

_SOURCE = "holistic-bias.v1"
_UNWANTED = ("dispreferred", "polarizing")
_Place = tuple[Template, Noun | None]
"""Where a descriptor is put: a template, and the noun after it, or none."""


def recognise(path: Path) -> bool:
    """Whether a folder holds HolisticBias; one file of it cannot make sentences."""
    return path.is_dir() and all((path / name).is_file() for name in FILES[:3])


def files_of(path: str | Path) -> list[Path]:
    """The files of HolisticBias that a path stands for."""
    place, _ = locate("holistic-bias", path)
    return [place / name for name in FILES if (place / name).is_file()]


def prompts(
    path: str | Path,
    *,
    axis: str | Sequence[str] | None = None,
    groups: Groups = "bucket",
    per_descriptor: int | None = 10,
    dispreferred: bool = False,
    hostile: bool = False,
    bare: bool = False,
    phrases: bool = False,
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """Sentences about each descriptor of one, several or all axes; the origin is the descriptor.

    Where a descriptor is its own group the origin is the template. Descriptors that the authors mark as dispreferred
    or polarizing are dropped unless `dispreferred` is set, and templates that state dislike ("I hate …") unless
    `hostile` is. `bare` also puts adjectives without a noun ("I'm deaf."), `phrases` adds the standalone noun phrases;
    `per_descriptor = 0` takes everything.
    """
    check_choice(groups, get_args(Groups), "groups")
    size = per_descriptor or None
    check_count(size, "per_descriptor")
    place, named = locate("holistic-bias", path)
    parts = read(place)
    axes = selected_names(axis or named, parts.axes, "axis")
    places = _places(parts)
    # Shuffled once: every descriptor gets the same templates and nouns, whatever else is studied.
    random.Random(f"holistic-bias\x1f{seed}").shuffle(places)
    dropped = [] if hostile else [_refused(template) for template in parts.templates if template.hostile]
    made: list[Prompt] = []
    for number, descriptor in enumerate(parts.descriptors):
        if descriptor.axis not in axes or (descriptor.is_phrase and not phrases):
            continue
        if descriptor.preference in _UNWANTED and not dispreferred:
            reason = f"the authors mark the descriptor as {descriptor.preference}"
            dropped.append(Dropped(f"holistic-bias/{descriptor.axis}", descriptor.text, descriptor.text, reason))
            continue
        own = groups == "descriptor" or parts.buckets(descriptor.axis) == 1
        fitting = [spot for spot in places if (hostile or not spot[0].hostile) and _fits(descriptor, spot, bare=bare)]
        made += (_prompt(descriptor, number, *spot, own=own) for spot in fitting[:size])
    kept, repeated = without_repeats(made, "once-per-group")
    return draw(kept, per_group, seed), dropped + repeated


def check(path: str | Path) -> dict[str, Any]:
    """What the files hold, and what in them may surprise."""
    parts = read(locate("holistic-bias", path)[0])
    words = [descriptor for descriptor in parts.descriptors if not descriptor.is_phrase]
    phrases = [descriptor for descriptor in parts.descriptors if descriptor.is_phrase]
    places = _places(parts)
    return {
        "data_set": "holistic-bias",
        "descriptors": len(words),
        "axes": len({descriptor.axis for descriptor in words}),
        "buckets": len({(descriptor.axis, descriptor.group) for descriptor in words}),
        "templates": len(parts.templates),
        "nouns": dict(Counter(noun.gender for noun in parts.nouns)),
        "by_axis": dict(Counter(descriptor.axis for descriptor in words)),
        "by_group": {
            axis: dict(Counter(descriptor.group for descriptor in words if descriptor.axis == axis))
            for axis in dict.fromkeys(descriptor.axis for descriptor in words)
        },
        "standalone_noun_phrases": len(phrases),
        "descriptors_that_are_objects": sum(descriptor.as_object for descriptor in words),
        "descriptors_for_one_gender": sum(descriptor.gender is not None for descriptor in words),
        "by_preference": dict(Counter(descriptor.preference or "none given" for descriptor in words)),
        "duplicates": len(words) - len({descriptor.text for descriptor in words}),
        "templates_that_state_dislike": sum(template.hostile for template in parts.templates),
        "templates_that_need_a_noun": sum(template.must_be_noun for template in parts.templates),
        "sentences_in_all": sum(
            _fits(descriptor, place, bare=True) for descriptor in parts.descriptors for place in places
        ),
    }


def _places(parts: HolisticBias) -> list[_Place]:
    nouns: tuple[Noun | None, ...] = (*parts.nouns, None)
    return [(template, noun) for template in parts.templates for noun in nouns]


def _fits(descriptor: Descriptor, place: _Place, *, bare: bool) -> bool:
    template, noun = place
    if descriptor.is_phrase:
        return (noun is not None) == descriptor.takes_noun
    if noun is None:
        return bare and not template.must_be_noun
    return descriptor.gender in (None, noun.gender)


def _refused(template: Template) -> Dropped:
    return Dropped("holistic-bias", template.text, template.text, "the template states dislike of the people it names")


def _prompt(descriptor: Descriptor, number: int, template: Template, noun: Noun | None, *, own: bool) -> Prompt:
    article, phrase = _noun_phrase(descriptor, noun, plural=template.plural)
    before, _, after = template.text.partition(template.slot)
    start = len(before) + len(article)
    return Prompt(
        id=f"holistic-bias/{descriptor.axis}/{number}/{template.number}/{noun.singular if noun else ''}",
        source=_SOURCE,
        bias=f"holistic-bias/{descriptor.axis}",
        origin=template.text if own else descriptor.text,
        text=f"{before}{article}{phrase}{after}",
        group=descriptor.text if own else descriptor.group,
        term=descriptor.text,
        attribute=noun.gender if noun else None,
        template=template.text,
        group_spans=((start, start + len(phrase)),),
        person=_noun_phrase(descriptor, noun, plural=False)[1] if noun or descriptor.is_phrase else "",
    )


def _noun_phrase(descriptor: Descriptor, noun: Noun | None, *, plural: bool) -> tuple[str, str]:
    """The article with its space, or nothing, and the phrase that names the group."""
    if descriptor.is_phrase:
        words = descriptor.plural if plural else descriptor.text
        if noun is None:
            first, _, rest = words.partition(" ")
            return (f"{first} ", rest) if first in ("a", "an") else ("", words)
        phrase = words.replace("{article}", "").replace("{noun}", noun.plural if plural else noun.singular).strip()
        return ("" if plural else f"{_article(noun.singular)} "), phrase
    if noun is None:
        return "", descriptor.text
    if plural:
        return "", f"{descriptor.text} {noun.plural}"
    return f"{descriptor.article or _article(descriptor.text)} ", f"{descriptor.text} {noun.singular}"


def _article(words: str) -> str:
    return article_for(words) or ("an" if words[:1].lower() in "aeiou" else "a")
