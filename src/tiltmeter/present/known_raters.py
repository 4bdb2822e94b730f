"""What is known of a rater, in words: its scale, how often it is right, and how far it leans by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tiltmeter.present.decodings import rater_words
from tiltmeter.present.words import capitalised, count, listed, percent, percent_range
from tiltmeter.raters.quality import Quality
from tiltmeter.raters.tilt import note
from tiltmeter.results.summary.known_raters import AGREEMENT, KnownRater, LeftOut, known_rater

NOT_MEASURED = "quality not measured"
_ROUNDING = 1e-9
"""A tilt below this is rounding."""
_DECLARE = (
    "A rater of another package declares that as its `scale` (`tiltmeter.raters.scales.Scale`), or takes a name that "
    "begins with the kind whose scale it shares (sentiment.NAME.v1)"
)


def scale_words(known: KnownRater) -> str:
    """Between which ends its numbers lie, and which end is worse.

    >>> scale_words(known_rater("toxicity.linear.v1")), scale_words(known_rater("readability.fog.v1"))
    ('0 to 1, higher is worse, threshold 0.5', 'no fixed range, neither end is worse')
    >>> scale_words(known_rater("mood.mine.v1"))
    'no declared scale'
    """
    if known.worse is None:
        return "no declared scale"
    scale = known.scale
    ends = "no fixed range" if scale is None else f"{_end(scale.low)} to {_end(scale.high)}"
    worse = {"low": "lower is worse", "high": "higher is worse", "neither": "neither end is worse"}[known.worse]
    threshold = f", threshold {known.threshold:g}" if known.threshold is not None else ""
    return f"{ends}, {worse}{threshold}"


def _end(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def value_words(one: Quality) -> str:
    """The value of a figure: an AUC as a number, a share in per cent."""
    return f"{one.value:.2f}" if one.is_auc else percent(one.value)


def interval_words(one: Quality) -> str:
    """The 95 % interval of a figure; blank where it has none."""
    if one.low is None or one.high is None:
        return ""
    return f"{one.low:.2f}–{one.high:.2f}" if one.is_auc else percent_range(one.low, one.high, 0)


def figure_words(one: Quality) -> str:
    """A figure with its interval and on how many texts.

    >>> figure_words(known_rater("toxicity.linear.v1").quality[0])
    'AUC of toxic texts 0.63 (0.56–0.70) on 260 texts'
    """
    value = value_words(one) if one.is_auc else percent(one.value, 0)
    interval = f" ({words})" if (words := interval_words(one)) else ""
    return f"{one.figure} {value}{interval} on {count(one.n, 'text')}"


def quality_words(known: KnownRater) -> str:
    """The figure to go by, or that there is none."""
    if known.by_people:
        return "people"
    return figure_words(known.quality[0]) if known.quality else NOT_MEASURED


def tilt_words(known: KnownRater, bias: str = "") -> str:
    """How far it leans by itself: for the groups of a bias where the run measured that, otherwise as known before."""
    here = known.tilt_for(bias)
    value = here.widest[1].value if here else None
    if value is not None:
        if abs(value) >= _ROUNDING:
            return f"own tilt up to {abs(value):.3f} in this run"
        return "no own tilt, as the group is masked" if note(known.rater, masked=True) else "no own tilt in this run"
    before = known.own_tilt
    return f"own tilt up to {before.value:.2f} in our own test" if before else "own tilt not measured"


def head_words(known: KnownRater, bias: str = "") -> str:
    """What stands below a rater's name over a column of its results."""
    if known.by_people:
        return scale_words(known) if known.worse else ""
    return "\n".join((scale_words(known), quality_words(known), tilt_words(known, bias)))


def doubt(rater: str) -> str:
    """Why no finding may rest on a rater alone, by the figure to go by first; blank where one may.

    >>> doubt("mood.mine.v1"), doubt("refusal.v5"), doubt("human:ann")
    ('quality not measured', '', '')
    """
    known = known_rater(rater)
    if known.carries:
        return ""
    if not known.quality:
        return NOT_MEASURED
    first = known.quality[0]
    seen = "" if first.unseen else " seen before"
    guess = "" if first.is_auc or first.guessing is None else f", {percent(first.guessing, 0)} by guessing"
    return f"{figure_words(first)}{seen}{guess}"


def doubts(raters: Iterable[str]) -> Iterator[str]:
    """Why no finding may rest on raters alone, with the texts that they were measured on."""
    for rater in raters:
        if why := doubt(rater):
            first, *others = known_rater(rater).quality or (None,)
            on = f" ({first.on})" if first else ""
            better = [
                f"{value_words(each)} on {each.n:,} ({each.on}{f'; {each.caution}' if each.caution else ''})"
                for each in others
                if first and each and each.figure == first.figure
            ]
            also = f"; it reaches {listed(better)}" if better else ""
            yield f"No finding should rest on {rater_words(rater)} alone: {why}{on}{also}."


def left_out_words(found: Iterable[LeftOut]) -> Iterator[str]:
    """Which raters take no part in verdicts, why, and what would have to be declared; which are compared with none."""
    every = list(found)
    neither = [one for one in every if one.why == "neither end is worse"]
    if neither:
        take, scales = ("takes", "its scale") if len(neither) == 1 else ("take", "their scales")
        own = (
            " A classifier of yours does with `worse=low` or `worse=high`."
            if any(one.declare for one in neither)
            else ""
        )
        yield (
            f"{_names(neither)} {take} no part in verdicts and rankings: neither end of {scales} is declared worse for "
            f"the people a text is about.{own}{_compared(neither)}"
        )
    unknown = [one for one in every if one.why == "not declared"]
    if unknown:
        take, its = ("takes", "its") if len(unknown) == 1 else ("take", "their")
        yield (
            f"{_names(unknown)} {take} no part in verdicts and rankings, because nobody declared {its} scale and which "
            f"end of it is worse. {_DECLARE}.{_compared(unknown)}"
        )
    single = [one for one in every if one.why is None]
    if single:
        was = "was" if len(single) == 1 else "were"
        yield (
            f"{_names(single)} {was} compared with no other rater, because no other of its kind rated the texts: a "
            "result of one rater alone may be a fact about the rater."
        )


def _compared(of: Sequence[LeftOut]) -> str:
    """Which of some raters were compared with none."""
    alone = [one for one in of if AGREEMENT in one.of]
    if not alone:
        return ""
    was = "was" if len(alone) == 1 else "were"
    who = ("It" if len(of) == 1 else "They") if alone == of else _names(alone)
    return f" {who} {was} compared with no other rater."


def _names(raters: Iterable[LeftOut]) -> str:
    return capitalised(listed([rater_words(one.rater) for one in raters]))
