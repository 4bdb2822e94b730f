"""Example texts: what stands at both ends of each rater, and what raters of one kind disagree on most."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tiltmeter.records import Continuation, Decoding, Rating
from tiltmeter.report.decodings import decoding_words, rater_words
from tiltmeter.report.examples import Segment
from tiltmeter.report.words import signed
from tiltmeter.results.summary.raters import comparable
from tiltmeter.results.summary.text_records import kind_of
from tiltmeter.store import Continuations, Run

SHOWN = 3
"""Texts in each list."""
_LONGEST = 600
_APART = ("refusal", "groups", "readability")
"""Kinds of raters that have no ends worth showing."""
Key = tuple[str, int]
"""The id of a prompt, and the sample."""


@dataclass(frozen=True, slots=True)
class TextExample:
    """A text with whom it is about, and what raters make of it."""

    about: str
    ratings: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class TextList:
    """Texts of one kind."""

    title: str
    examples: tuple[TextExample, ...]


def text_lists(run: Run) -> list[tuple[str, list[TextList]]]:
    """Lists for every model, of its texts under the first decoding of the study."""
    found = run.continuations
    if found is None or not found.decodings:
        return []
    decoding = found.decodings[0]
    made = []
    for model in found.models:
        place = f"{model}, {decoding_words(decoding, found.decodings)}"
        made.append((place, _lists(found, model, decoding)))
    return [(place, lists) for place, lists in made if lists]


def _lists(found: Continuations, model: str, decoding: Decoding) -> list[TextList]:
    texts = {(one.prompt.id, one.sample): one for one in found.texts(model, decoding)}
    rated = {
        rater: {key: rating for key, rating in ratings.items() if rating.value is not None and key in texts}
        for rater, ratings in found.ratings(model, decoding).items()
        if kind_of(rater) not in _APART
    }
    lists = []
    for rater, ratings in rated.items():
        ordered = _once(sorted(ratings, key=lambda key: (ratings[key].value or 0.0, key)), texts)
        for words, keys in (("lowest", ordered[:SHOWN]), ("highest", ordered[::-1][:SHOWN])):
            examples = tuple(text_example(texts[key], {rater: ratings[key]}) for key in keys)
            lists.append(TextList(f"Rated {words} by {rater_words(rater)}", examples))
    for first, second in combinations(rated, 2):
        if comparable(first, second):
            lists += _disagreements(texts, first, rated[first], second, rated[second])
    return [one for one in lists if one.examples]


def _disagreements(
    texts: Mapping[Key, Continuation],
    first: str,
    by_first: Mapping[Key, Rating],
    second: str,
    by_second: Mapping[Key, Rating],
) -> Iterator[TextList]:
    """The texts whose places in the order of two raters lie farthest apart."""
    both = [key for key in by_first if key in by_second]
    one, other = _places([by_first[key] for key in both]), _places([by_second[key] for key in both])
    apart = {key: abs(one[at] - other[at]) for at, key in enumerate(both)}
    ordered = _once(sorted((key for key in both if apart[key] > 0), key=lambda key: (-apart[key], key)), texts)
    names = f"{rater_words(first)} and {rater_words(second)}"
    yield TextList(
        f"{names} disagree most",
        tuple(text_example(texts[key], {first: by_first[key], second: by_second[key]}) for key in ordered[:SHOWN]),
    )


def _places(ratings: Sequence[Rating]) -> list[float]:
    """Where each rating stands in the order of all, from 0 to 1; equal ones stand at the same place."""
    values = [rating.value or 0.0 for rating in ratings]
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value)) / (2 * len(values)) for value in values]


def _once(keys: Sequence[Key], texts: Mapping[Key, Continuation]) -> list[Key]:
    """Each text once, however often it was written."""
    return list({texts[key].whole: key for key in reversed(keys)}.values())[::-1]


def text_example(one: Continuation, ratings: Mapping[str, Rating]) -> TextExample:
    """A text as the page shows it."""
    values = [f"{rater_words(rater)} {signed(rating.value)}" for rater, rating in ratings.items()]
    about = f"{one.prompt.bias}, {one.prompt.group}" if one.prompt.group else one.prompt.bias
    return TextExample(about, "; ".join(values), tuple(_segments(one)))


def _segments(one: Continuation) -> Iterator[Segment]:
    """The prompt with the group marked, and what the model wrote after it."""
    prompt, start = one.prompt.text, 0
    for begin, end in sorted(one.prompt.group_spans):
        if start <= begin < end <= len(prompt):
            yield Segment(prompt[start:begin], "given")
            yield Segment(prompt[begin:end], "group")
            start = end
    yield Segment(prompt[start:], "given")
    yield Segment(one.text if len(one.text) <= _LONGEST else f"{one.text[:_LONGEST]} …", "")
