"""Example texts of a finding on continuations, chosen by their ratings alone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from tiltmeter.present.blocks import Example, Examples, Span, Text, text
from tiltmeter.present.decodings import rater_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.texts.of_run import RunTexts, texts_of
from tiltmeter.present.words import count, signed
from tiltmeter.raters.scales import kind_of, scale_of, threshold_of
from tiltmeter.records import Continuation
from tiltmeter.results.cells import table_with_texts
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.questions import topic_of
from tiltmeter.results.measurements.columns import settings_of
from tiltmeter.results.summary.raters import comparable
from tiltmeter.results.summary.text_records import PEOPLE, ContinuationCell, favour
from tiltmeter.results.texts import RatedText, rated_texts
from tiltmeter.stats.structures.by_structure import Reversal

NEUTRAL = "neutral"
"""The label of raters that have three."""
_SHOWN = 3
"""Texts of each kind."""
_LONGEST = 600


def example_texts(one: Finding, found: Reported) -> Iterator[Examples]:
    """Both ends of the leading rater's scale, texts that raters disagree on, and texts that reverse the difference."""
    question = one.question
    if question.view != "continuations":
        return
    for texts in texts_of(found):
        cells = [
            cell
            for cell in texts.summary.cells
            if (cell.model, topic_of(cell.bias)) == (question.model, question.bias)
            and not cell.rater.startswith(PEOPLE)
            and favour(cell.rater)
        ]
        if cells:
            named = one.leading.choices if one.leading else {}
            cells.sort(key=lambda cell: [getattr(cell, name) != named.get(name) for name in ("rater", "source")])
            groups = (question.first, question.second)
            rated = list(_once(_of_cell(cells[0], texts), groups))
            yield from _ends(cells[0].rater, groups, rated, texts)
            yield from _neutral(cells[0].rater, groups, rated, texts)
            yield from _disagreements(rated, texts)
            yield from _about_others(rated, texts)
            yield from _reversals(cells, groups, texts)


def _of_cell(cell: ContinuationCell, texts: RunTexts) -> Iterator[RatedText]:
    """The texts under the choices of a cell but for the rater, with what raters gave them."""
    chosen = {"model": cell.model, "source": cell.source, "bias": cell.bias, **settings_of(cell.decoding)}
    where = " AND ".join(f"t.{name} IS NOT DISTINCT FROM ?" for name in chosen)
    return rated_texts(table_with_texts(texts.run), where, *chosen.values())


def _once(rated: Iterable[RatedText], groups: Sequence[str]) -> Iterator[RatedText]:
    """Those about the two groups, each text once, with ratings that have a value."""
    seen = set()
    for each in rated:
        if each.one.prompt.group in groups and each.one.whole not in seen:
            seen.add(each.one.whole)
            valued = {name: rating for name, rating in each.ratings.items() if rating.value is not None}
            yield each._replace(ratings=valued)


def _ends(rater: str, groups: Sequence[str], rated: Sequence[RatedText], texts: RunTexts) -> Iterator[Examples]:
    """The lowest and highest texts of each group by the leading rater."""
    entries = []
    for group in groups:
        own = sorted(
            (each for each in rated if each.one.prompt.group == group and rater in each.ratings),
            key=lambda each: (each.ratings[rater].value or 0.0, each.one.prompt.id, each.one.sample),
        )
        for words, chosen in (("lowest", own[:_SHOWN]), ("highest", own[::-1][:_SHOWN])):
            if chosen:
                shown = tuple(_example(each, (rater,), texts) for each in chosen)
                entries.append((f"Texts about {texts.group(group, chosen[0].one.prompt.bias)} rated {words}", shown))
    if entries:
        how = texts.decoding(rated[0].one.decoding)
        yield Examples(f"Rated lowest and highest by {rater_words(rater)} ({how})", tuple(entries))


def _neutral(rater: str, groups: Sequence[str], rated: Sequence[RatedText], texts: RunTexts) -> Iterator[Examples]:
    """Texts that the leading rater calls neutral, those nearest to the neutral value of its scale first."""
    scale = scale_of(rater)
    middle = scale.neutral if scale and scale.neutral is not None else 0.0
    entries = []
    for group in groups:
        own = [each for each in rated if each.one.prompt.group == group and rater in each.ratings]
        own = [each for each in own if each.ratings[rater].label == NEUTRAL]
        own.sort(
            key=lambda each: (abs((each.ratings[rater].value or 0.0) - middle), each.one.prompt.id, each.one.sample)
        )
        # One of each prompt, so that they are of several structures.
        chosen = list({each.one.prompt.id: each for each in reversed(own)}.values())[::-1][:_SHOWN]
        if chosen:
            shown = tuple(_example(each, (rater,), texts) for each in chosen)
            entries.append((f"Texts about {texts.group(group, chosen[0].one.prompt.bias)}", shown))
    if entries:
        yield Examples(f"Rated neutral by {rater_words(rater)}", tuple(entries))


def _disagreements(rated: Sequence[RatedText], texts: RunTexts) -> Iterator[Examples]:
    """Texts whose ranks differ most between two raters of the same kind."""
    raters = list(dict.fromkeys(name for each in rated for name in each.ratings))
    entries = []
    for pair in combinations(raters, 2):
        if comparable(*pair):
            both = [each for each in rated if all(name in each.ratings for name in pair)]
            first, second = (_ranks([each.ratings[name].value or 0.0 for each in both]) for name in pair)
            apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
            order = sorted(range(len(both)), key=lambda at: (-apart[at], at))[:_SHOWN]
            shown = tuple(_example(both[at], pair, texts) for at in order if apart[at] > 0)
            if shown:
                entries.append((f"{rater_words(pair[0])} and {rater_words(pair[1])}", shown))
    if entries:
        yield Examples("Texts whose rank among all differs most between two raters", tuple(entries))


def _about_others(rated: Sequence[RatedText], texts: RunTexts) -> Iterator[Examples]:
    """Texts that a rater calls bad and that are not, or not only, about the group of the prompt."""
    raters = list(dict.fromkeys(name for each in rated for name in each.ratings))
    about = next((name for name in raters if kind_of(name) == "about"), "")
    entries = []
    for rater in raters if about else ():
        own = [
            each
            for each in rated
            if rater in each.ratings
            and about in each.ratings
            and (each.ratings[about].value or 0.0) < 1
            and _is_bad(rater, each.ratings[rater].value or 0.0)
        ]
        own.sort(key=lambda each: (favour(rater) * (each.ratings[rater].value or 0.0), each.one.prompt.id))
        if own:
            shown = tuple(_example(each, (rater, about), texts) for each in own[:_SHOWN])
            entries.append((f"{rater_words(rater)}: {count(len(own), 'such text')}", shown))
    if entries:
        yield Examples("Rated badly, but not only about the group of the prompt", tuple(entries))


def _is_bad(rater: str, value: float) -> bool:
    """Whether a rating is on the worse side: beyond the rater's threshold, or else beyond what is neutral."""
    threshold, scale = threshold_of(rater), scale_of(rater)
    if threshold is not None:
        return value > threshold
    return scale is not None and scale.neutral is not None and (value - scale.neutral) * scale.worse > 0


def _ranks(values: Sequence[float]) -> list[float]:
    """Where each value is in the order of all, from 0 to 1; equal ones are at the same place.

    >>> _ranks([0.3, 0.1, 0.3])
    [0.6666666666666666, 0.16666666666666666, 0.6666666666666666]
    """
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value)) / (2 * len(values)) for value in values]


def _reversals(cells: Sequence[ContinuationCell], groups: Sequence[str], texts: RunTexts) -> Iterator[Examples]:
    """Texts of the structure that reverses the difference most, by the first rater under which one does."""
    for cell in cells:
        own = [one for one in (cell.structures.reversals if cell.structures else ()) if {one.a, one.b} == {*groups}]
        if own:
            strongest = max(own, key=lambda one: abs(one.difference))
            lower, higher = (strongest.a, strongest.b) if strongest.overall < 0 else (strongest.b, strongest.a)
            shown = tuple(_example(each, (cell.rater,), texts) for each in _reversing(cell, strongest, texts))
            if shown:
                names = [texts.group(group, cell.bias) for group in (lower, higher)]
                title = (
                    f"Under {strongest.structure}, {rater_words(cell.rater)} rates "
                    f"{' higher than '.join(f'texts about {name}' for name in names)}"
                )
                yield Examples("Texts of a structure that reverses the difference", ((title, shown),))
            return


def _reversing(cell: ContinuationCell, reversal: Reversal, texts: RunTexts) -> list[RatedText]:
    """Texts above the middle of the group that is lower over all, and below it of the other: those that reverse it."""
    lower, higher = (reversal.a, reversal.b) if reversal.overall < 0 else (reversal.b, reversal.a)
    kept = sorted(
        (
            (each.ratings[cell.rater].value or 0.0, each)
            for each in _of_cell(cell, texts)
            if cell.rater in each.ratings
            and each.ratings[cell.rater].value is not None
            and each.one.prompt.group in (lower, higher)
            and each.one.prompt.structure
            and each.one.prompt.structure.id == reversal.structure
        ),
        key=lambda found: (found[0], found[1].one.prompt.id, found[1].one.sample),
    )
    middle = kept[len(kept) // 2][0] if kept else 0.0
    above = [each for value, each in kept[::-1] if each.one.prompt.group == lower and value >= middle]
    below = [each for value, each in kept if each.one.prompt.group == higher and value < middle]
    return [*above[:_SHOWN], *below[:_SHOWN]]


def _shown(rater: str, value: float | None) -> str:
    """A rating, which needs a plus only where it could be negative."""
    scale = scale_of(rater)
    return signed(value).replace("+", "") if scale and scale.low >= 0 else signed(value)


def _example(rated: RatedText, raters: Sequence[str], texts: RunTexts) -> Example:
    number = "; ".join(f"{rater_words(name)} {_shown(name, rated.ratings[name].value)}" for name in raters)
    return Example(texts.group(rated.one.prompt.group or "", rated.one.prompt.bias), marked(rated.one), number)


def marked(one: Continuation) -> Text:
    """The prompt, faint and with the group marked, and what the model wrote after it."""
    prompt, start = one.prompt.text, 0
    spans: list[Span] = []
    for begin, end in sorted(one.prompt.group_spans):
        if start <= begin < end <= len(prompt):
            spans += [Span(prompt[start:begin], "faint"), Span(prompt[begin:end], "group")]
            start = end
    spans.append(Span(prompt[start:], "faint"))
    written = one.text if len(one.text) <= _LONGEST else f"{one.text[:_LONGEST]} …"
    return text([span for span in spans if span.text], written)
