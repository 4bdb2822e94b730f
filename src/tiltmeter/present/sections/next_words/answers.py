"""Which group a model expects, in sentences that are never stronger than the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Block, Prose, Span, text
from tiltmeter.present.decodings import source_words
from tiltmeter.present.sections.asked import PERTURBED, Asked, Topic, is_firm, words_called
from tiltmeter.present.tables import no_interval
from tiltmeter.present.words import NEUTRAL, SPACE, count, listed, percent, points_words, share_words
from tiltmeter.records import Estimate
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.stats.calibration.coverage import smallest_tilt
from tiltmeter.stats.estimates import excludes_zero

CONTROLS = ("person", "deleted", "hidden")
"""The same prompts without the test word, which show a model's habit. The first that was asked leads."""
_KINDS = {
    "template": "templates",
    "natural": "sentences from a corpus",
    "authored": "sentences written for the test",
}


def answers(topic: Topic, label: str) -> Iterator[Block]:
    """What one model expects after each set of prompts, without the test word, and without context."""
    own = [one for one in topic.every if one.label == label]
    for one in own:
        sentence = _habit(one, topic) if one.cell.of_habit else _side(one, topic, own)
        more = "" if one.cell.of_habit else " ".join(filter(None, (_control(one, topic), _choices(one))))
        yield Prose(text(Span(sentence, "strong"), f" {more}" if more else ""))
    yield Prose(text(f"{'. '.join(map(_basis, own))}."), "note")


def with_and_without(topic: Topic, model: str) -> Iterator[str]:
    """The share of the first group after each set of prompts, beside the same without the test word."""
    own = [one for one in topic.prompts if one.cell.model == model and one.estimate().value is not None]
    said = []
    for one in own:
        rest = [f"{share_words(one.estimate(perturbation=name))} when {PERTURBED[name]}" for name in controls(one)]
        moved = [PERTURBED[name] for name in controls(one) if excludes_zero(one.contrast(name))]
        clearly = f"clearly different when {listed(moved)}" if moved else "never clearly different"
        without = f"; without the test word it is {listed(rest)} ({clearly})" if rest else ""
        said.append(f"{share_words(one.estimate())} after {_prompts(one, own)}{without}")
    if said:
        why = (
            " Clearly different: the interval of the change excludes zero. Where a share is the same however the test "
            "word is removed, a lean may have nothing to do with it."
        )
        by = words_called(topic.words).removeprefix("the ")
        shares = f"By the {by}, the share of {topic.called[0]} is {'. It is '.join(said)}."
        yield shares + (why if any(map(control, own)) else "")


def side(found: Estimate, called: tuple[str, str]) -> tuple[str, str]:
    """The group that is expected more, and the other."""
    return called if (found.value or 0) > 0.5 else (called[1], called[0])


def control(one: Asked) -> str:
    """The perturbation that shows the habit; empty where there is none to compare with."""
    return next(iter(controls(one)), "")


def controls(one: Asked) -> list[str]:
    """The ways in which the test word was removed, with which the prompts as they are can be compared."""
    known = [name for name in CONTROLS if one.contrast(name).value is not None]
    return known if one.cell.summary.main == ORIGINAL else []


def _side(one: Asked, topic: Topic, own: Sequence[Asked]) -> str:
    return f"After {_prompts(one, own)}, {one.label} {lean(one.estimate(), topic.called)}."


def lean(found: Estimate, called: tuple[str, str]) -> str:
    """Which group a model expects, never stronger than the evidence; the share is always that of the first group."""
    if found.value is None:
        return "has no figure: no prompt has a probability for both groups"
    figure = f"the share of {called[0]} is {share_words(found)}"
    if found.low is None:
        return f"cannot be judged: {figure}, without an interval ({no_interval(found)})"
    more, less = side(found, called)
    if not is_firm(found) and found.low <= 0.5 <= (found.high or 0):
        return f"shows no clear lean: {figure}, and the interval includes {NEUTRAL}"
    if not is_firm(found):
        return f"may expect {more} more often than {less}: {figure}, which is not significant after correction"
    return f"expects {more} more often than {less}: {figure}"


def _prompts(one: Asked, own: Sequence[Asked]) -> str:
    """Which prompts, in the middle of a sentence; with the source where their kind does not tell."""
    kind = _kind(one)
    bare = one.cell.source.partition("[")[0]
    alone = sum(other.cell.source.partition("[")[0] == bare for other in own) == 1
    source = bare if alone else source_words(one.cell.source)
    words = f"{kind} ({source})" if kind else f"the prompts of {source}"
    main = one.cell.summary.main
    return words if main == ORIGINAL else f"{words}, the test word {PERTURBED[main]}"


def _kind(one: Asked) -> str:
    found = [kind for kind, number in one.kinds.items() if number]
    return _KINDS.get(found[0], "") if len(found) == 1 else ""


def _control(one: Asked, topic: Topic) -> str:
    """What is left without the test word, and whether the difference is more than noise."""
    name = control(one)
    if not name:
        return ""
    rest, change = one.estimate(perturbation=name), one.contrast(name)
    unknown = f"the effect of the test word cannot be judged ({no_interval(change)})"
    effect = unknown if change.low is None else _effect(one, topic, name)
    said = f"With the test word {PERTURBED[name]} it {lean(rest, topic.called)}; {effect}."
    others = [other for other in CONTROLS if other != name and one.contrast(other).value is not None]
    if not others:
        return said
    shares = listed([f"{PERTURBED[other]}, {share_words(one.estimate(perturbation=other))}" for other in others])
    moved = {_moved(one.contrast(other)) for other in (name, *others)}
    caution = "; what the test word does depends on how it is removed" if len(moved) > 1 else ""
    return f"{said} With the test word {shares}{caution}."


def _effect(one: Asked, topic: Topic, name: str) -> str:
    """How far the share moves with the test word, beside prompts without it."""
    found, rest, change = one.estimate(), one.estimate(perturbation=name), one.contrast(name)
    same_side = is_firm(found) and is_firm(rest) and side(found, topic.called) == side(rest, topic.called)
    if not is_firm(change, 0.0):
        why = ", so the lean may have nothing to do with it" if same_side else ""
        return f"the test word has no clear effect ({points_words(change)}){why}"
    toward = topic.called[(change.value or 0) < 0]
    moves = f"the test word moves the share towards {toward} ({points_words(change)})"
    if not same_side:
        return moves
    if toward != side(found, topic.called)[0]:
        return f"{moves}, against a lean that is larger without it"
    whole, left = (100 * abs((each.value or 0) - 0.5) for each in (found, rest))
    return f"{moves}; of the {whole:.0f} points away from {NEUTRAL}, {left:.0f} remain without it"


def _moved(change: Estimate) -> int:
    """Whether the test word clearly moves the share, and which way."""
    return 0 if not is_firm(change, 0.0) else 1 if (change.value or 0) > 0 else -1


def _choices(one: Asked) -> str:
    """How far the figure depends on the words and on how they are counted."""
    alike = [cell for cell in one.others if cell.pair == one.cell.pair]
    found = [one.estimate(), *(one.estimate(cell=cell) for cell in alike)]
    values = [each.value for each in found if each.value is not None]
    if found[0].value is None or len(values) < 2:
        return ""
    low, high = percent(min(values)), percent(max(values))
    ends = f"is {low}" if low == high else f"ranges from {low} to {high}"
    sides = f", on both sides of {NEUTRAL}" if min(values) < 0.5 < max(values) else ""
    return f"Under the study's {len(values)} choices of words and counting it {ends}{sides}."


def _habit(one: Asked, topic: Topic) -> str:
    """What the model expects where nothing is said of anybody."""
    known = {name: one.estimate(perturbation=name) for name in ("openers", "start")}
    figures = {name: each for name, each in known.items() if each.value is not None}
    said = "; ".join(f"{PERTURBED[name]} it {lean(each, topic.called)}" for name, each in figures.items())
    return f"{one.label} without context: {said or 'there is no figure'}."


def _basis(one: Asked) -> str:
    # A model's habit has one figure for the start token and one for the openers.
    names = list(one.cell.summary.perturbations) if one.cell.of_habit else [one.cell.summary.main]
    found = [one.estimate(perturbation=name) for name in names]
    missing = sum(each.n_unscored for each in found)
    scored = " and ".join(
        f"{count(each.n, 'prompt')}{f' {PERTURBED[name]}' if len(names) > 1 else ''}"
        for name, each in zip(names, found, strict=True)
    )
    over = [count(number, "test word" if name == "profession" else name) for name, number in _over(one)]
    smallest = smallest_tilt(found[0])
    power = f"; can detect tilts of {100 * smallest:.1f} points or more (80{SPACE}% power)" if smallest else ""
    made_of = f", {listed(over)}{power}" if over else ""
    return f"{source_words(one.cell.source)}: {scored}, {missing:,} missing{made_of}"


def _over(one: Asked) -> list[tuple[str, int]]:
    return list(one.main.resampled_over.items())
