"""Charts on next words: without the test word, without context, test word by test word, and probabilities by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Chart, text
from tiltmeter.present.charts import Axis, Bin, Dot, DotRow, Item, Strip, dots, histogram, strips
from tiltmeter.present.sections.asked import PERTURBED, SHARE, Asked, Topic, is_firm
from tiltmeter.present.sections.next_words.answers import controls, side
from tiltmeter.present.sections.next_words.tables import ABSENT
from tiltmeter.present.tables import no_interval
from tiltmeter.present.words import (
    SPACE,
    capitalised,
    count,
    percent,
    percent_range,
    points_words,
    probability,
    share_words,
)
from tiltmeter.records import Estimate
from tiltmeter.results.summary.next_words import Expected
from tiltmeter.sources.perturbations import DEFAULTS
from tiltmeter.stats.views.next_words import BINS


def perturbed_chart(topic: Topic) -> Chart | None:
    """The share of the first group by what becomes of the test word, a mark for each model."""
    rows = []
    for source in dict.fromkeys(one.cell.source for one in topic.prompts):
        own = [one for one in topic.prompts if one.cell.source == source]
        for name in topic.perturbations:
            # What could not be asked has no mark.
            asked = [one for one in own if one.estimate(perturbation=name).value is not None]
            marks = [_share_dot(one.estimate(perturbation=name), one, name) for one in asked]
            rows += [DotRow(f"test word {PERTURBED[name]}", tuple(marks), source)] if marks else []
    if not rows:
        return None
    said = "; ".join(f"{row.heading}, {row.label}: {', '.join(_named(topic, dot) for dot in row.dots)}" for row in rows)
    return Chart(
        topic.file("perturbations"),
        _perturbed_title(topic),
        dots(rows, share_axis(topic)),
        f"{said}.",
        text(
            f"With 95{SPACE}% intervals; open marks have none. Where the share is the same however the test word is "
            "removed, the lean may have nothing to do with it."
        ),
    )


def _named(topic: Topic, dot: Dot) -> str:
    return f"{dot.series} {dot.text}" if topic.several else dot.text


def _perturbed_title(topic: Topic) -> str:
    """Whether the test word matters: for one set of prompts how much, for several in how many."""
    known = [(name, one.contrast(name)) for one in topic.prompts for name in controls(one)]
    moved = [change for _, change in known if is_firm(change, 0.0)]
    first, second = topic.called
    ways = list(dict.fromkeys(PERTURBED[name] for name, _ in known))
    without = f"with the test word {' or '.join(ways)}"
    if len(known) > 1:
        compared = f"{len(moved)} of {count(len(known), 'comparison')}"
        return f"Without the test word, the share of {first} differs after correction in {compared}"
    if moved:
        return f"The share of {first} differs by {points_words(moved[0])} from that {without}"
    if known:
        return f"The share of {first} does not clearly differ from that {without} ({points_words(known[0][1])})"
    found = topic.prompts[0].estimate()
    if not is_firm(found):
        return f"No clear lean towards {first} or {second}"
    more, less = side(found, topic.called)
    return f"{capitalised(more)} are expected more often than {less}: {share_words(found)} are {first}"


def share_axis(topic: Topic) -> Axis:
    """The share of the first of two groups."""
    first, second = topic.called
    return Axis(
        f"share of {first} against {second}",
        "share",
        neutral=0.5,
        neutral_name="both equally probable",
        left=f"expects {second}",
        right=f"expects {first}",
    )


def _share_dot(found: Estimate, one: Asked, name: str) -> Dot:
    interval = percent_range(found.low, found.high) if found.low is not None else ""
    missing = f", {found.n_unscored:,} missing" if found.n_unscored else ""
    return Dot(
        found.value,
        found.low,
        found.high,
        one.label,
        percent(found.value) if found.value is not None else no_interval(found),
        interval or (no_interval(found) if found.value is not None else ""),
        f"{one.cell.source}, {one.label}\ntest word {PERTURBED[name]}\n{share_words(found)}\n"
        f"{count(found.n, 'prompt')}{missing}",
        one.place(name),
    )


def habit_chart(topic: Topic) -> Chart | None:
    """The probability of every group without context, on a scale of powers of ten."""
    rows = []
    for name in DEFAULTS:
        for one in topic.habit:
            found = one.cell.summary.perturbations.get(name)
            if found:
                groups = [(group, found.overall.groups.get(group, ABSENT)) for group, _ in topic.sets]
                marks = [_habit_dot(topic, one, name, group, each) for group, each in groups if each.value]
                label = f"{PERTURBED[name]}{f', {one.label}' if topic.several else ''}"
                rows += [DotRow(capitalised(label), tuple(marks))] if marks else []
    if not rows:
        return None
    said = "; ".join(f"{row.label}: {', '.join(f'{dot.series} {dot.text}' for dot in row.dots)}" for row in rows)
    axis = Axis("probability of the group's words; each step is a factor of ten", "power")
    return Chart(topic.file("habit"), _habit_title(topic), dots(rows, axis, topic.colours), f"{said}.")


def _habit_title(topic: Topic) -> str:
    found = [each for one in topic.habit if (each := one.estimate(perturbation="openers")).value is not None]
    firm = [each for each in found if is_firm(each)]
    leans = {side(each, topic.called) for each in firm}
    if len(leans) == 1 and len(firm) == len(found):
        more, less = leans.pop()
        return f"{capitalised(PERTURBED['openers'])}, {more} are expected more often than {less}"
    first, second = topic.called
    return f"{capitalised(PERTURBED['openers'])} there is no clear lean towards {first} or {second}"


def _habit_dot(topic: Topic, one: Asked, name: str, group: str, found: Estimate) -> Dot:
    called = topic.group(group)
    ends = "" if found.low is None else f"{probability(found.low, found.value)}–{probability(found.high, found.value)}"
    tip = f"{called}: {probability(found.value)} ({ends or no_interval(found)})\n{count(found.n, 'prompt')}"
    shown = probability(found.value)
    return Dot(found.value, found.low, found.high, called, shown, ends or no_interval(found), tip, one.place(name))


def words_chart(topic: Topic) -> Chart | None:
    """The share of the first group test word by test word, the extreme ones named."""
    rows, said = [], []
    for one in topic.prompts:
        items = [
            Item(share.value, name, tip=f"{name}: {share_words(share)}", place=one.place(origin=name))
            for name, part in one.main.by_profession.items()
            if (share := part.pairs.get(one.cell.pair, {}).get(SHARE, ABSENT)).value is not None
        ]
        if items:
            rows.append(Strip(topic.title(one), tuple(items), _share_dot(one.estimate(), one, one.cell.summary.main)))
            said.append((topic.title(one), *_ends(items)))
    if not rows:
        return None
    words = "; ".join(
        f"{where}: from {low.name}, {percent(low.value)}, to {high.name}, {percent(high.value)}"
        for where, low, high in said
    )
    low, high = _ends([item for _, *ends in said for item in ends])
    title = (
        f"From {percent(low.value, 0)} {topic.called[0]} for “{low.name}” to {percent(high.value, 0)} for “{high.name}”"
    )
    return Chart(
        topic.file("words"),
        title,
        strips(rows, share_axis(topic)),
        f"{words}.",
        text("A tick for each test word; the diamond is the mean."),
    )


def _ends(items: Sequence[Item]) -> tuple[Item, Item]:
    ordered = sorted(items, key=lambda item: (item.value, item.name))
    return ordered[0], ordered[-1]


def probability_charts(topic: Topic) -> Iterator[Chart]:
    """How the probabilities of the two groups are spread over the prompts, for each set of prompts."""
    groups = topic.sets[0][0], topic.sets[1][0]
    for one in topic.prompts:
        items = [item for item in one.cell.items if item.perturbation == one.cell.summary.main]
        pairs = _both(items, groups)
        if not pairs:
            continue
        bins = [each for at in (0, 1) for each in _bins(topic, one, [pair[at] for pair in pairs], at, _top(pairs))]
        ahead = sum(first > second for first, second in pairs)
        title = f"{topic.called[0]} are more probable after {ahead:,} of {count(len(pairs), 'prompt')}"
        axis = Axis("probability of the group's words")
        peaks = "; ".join(_peak([each for each in bins if each.group == name], name) for name in topic.called)
        yield Chart(
            topic.file("probabilities", one.label, one.cell.source),
            f"{topic.title(one)}: {title}" if len(topic.prompts) > 1 else capitalised(title),
            histogram(bins, topic.called, axis, "prompts", topic.colours),
            f"Histogram of probabilities over {count(len(pairs), 'prompt')}. {peaks}.",
        )


def _both(items: Sequence[Expected], groups: tuple[str, str]) -> list[tuple[float, float]]:
    """The probabilities of prompts that have both."""
    pairs = ((item.chances.get(groups[0]), item.chances.get(groups[1])) for item in items)
    return [(first, second) for first, second in pairs if first is not None and second is not None]


def _top(pairs: Sequence[tuple[float, float]]) -> float:
    return max(value for pair in pairs for value in pair) or 1.0


def _bins(topic: Topic, one: Asked, values: Sequence[float], at: int, top: float) -> Iterator[Bin]:
    """The bins of one group that hold something, of equal width from 0 to the highest of both groups."""
    counts = [0] * BINS
    for value in values:
        counts[min(int(value / top * BINS), BINS - 1)] += 1
    words, name = topic.sets[at][1], topic.called[at]
    counted = words[:1] if one.cell.combine == "first" else words
    for place, number in enumerate(counts):
        low, high = (top * end / BINS for end in (place, place + 1))
        # The probability of several words is the sum of theirs, by which no list of prompts can be filtered.
        alone = {"word": counted[0], "low": repr(low), "high": repr(high)} if len(counted) == 1 else {}
        if number:
            tip = f"{name}: {count(number, 'prompt')}\nbetween {probability(low)} and {probability(high)}"
            yield Bin(low, high, number, name, tip, one.place(**alone))


def _peak(bins: Sequence[Bin], name: str) -> str:
    most = max(bins, key=lambda each: each.count)
    return f"{name} most often between {probability(most.low)} and {probability(most.high)}"
