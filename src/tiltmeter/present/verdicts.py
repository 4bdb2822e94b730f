"""What is said of a finding in words: its verdict, never stronger than the evidence, and what it does not know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tiltmeter.present.decodings import choice_words, choices_words, rater_words
from tiltmeter.present.known_raters import doubt
from tiltmeter.present.words import capitalised, count, listed, p_equals, p_value, percent, signed
from tiltmeter.records import Estimate
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.support import Support
from tiltmeter.stats.multiverse.cells import ALPHA
from tiltmeter.stats.multiverse.decomposition import NOT_THERE
from tiltmeter.stats.multiverse.specification_curve import Curve
from tiltmeter.stats.multiverse.verdict import (
    DEPENDS,
    HOLDS,
    HOLDS_SHARE,
    INCONCLUSIVE,
    NEGLIGIBLE,
    NO_VALUE,
    NONE_LARGER,
    TOO_LITTLE,
    Strength,
    Verdict,
)
from tiltmeter.stats.multiverse.whole_curve import STATISTICS, CurveTest

Claims = tuple[str, str]
"""What a positive method says, and what a negative one says."""
_NAMED = 2
"""Methods that are named."""


_STATISTICS = {
    "median": "the median effect",
    "sign_share": "the share of methods that point the same way",
    "significant_share": "the share of methods that are significant on their own",
}
_CORRECTED = "after correction for all questions"
_SHARE = percent(HOLDS_SHARE, 0)
RULES: dict[Strength, str] = {
    TOO_LITTLE: "fewer than two methods have a value, or they cannot be tested; or the conclusion would hold, but of "
    f"all methods, counting those without a value, fewer than {_SHARE} point the same way",
    DEPENDS: "some methods are significant one way and some the other, whatever the test over all methods says; or "
    f"that test rules out chance (p < {ALPHA:g} {_CORRECTED}), but fewer than {_SHARE} of the methods point the same "
    "way, or one is significant the other way",
    NONE_LARGER: f"the test does not rule out chance, and no method's interval reaches beyond {NEGLIGIBLE:g} SD",
    INCONCLUSIVE: f"otherwise, if the test over all methods does not rule out chance (p ≥ {ALPHA:g} {_CORRECTED}), "
    "however clear a single method is",
    HOLDS: f"the test over all methods rules out chance, at least {_SHARE} of the methods point the same way, and none "
    "is significant the other way",
}
"""When a verdict is given, in the order in which the rules are tried."""
_ALWAYS_TOLD = (DEPENDS, INCONCLUSIVE, HOLDS)
"""Rules that are told whether or not they applied."""


def rules(findings: Iterable[Finding]) -> str:
    """What verdicts mean, in the order in which they are tried: those that were given, and the usual ones."""
    given = {one.verdict.strength for one in findings if not one.question.check}
    told = [strength for strength in RULES if strength in given or strength in _ALWAYS_TOLD] if given else []
    said = [f"{capitalised(strength)}: {RULES[strength]}." for strength in told]
    return " ".join(["The first rule that applies gives the verdict.", *said]) if said else ""


def claims_of(one: Finding) -> Claims:
    """What either direction of a finding says."""
    return one.question.claim(), one.question.claim(turned=True)


def answer(one: Finding) -> str:
    """The verdict of a finding, and the study's first method where that points the other way."""
    said = sentence(one.verdict, one.multiverse.curve, claims_of(one), one.multiverse.test)
    if not leads_otherwise(one) or one.leading is None:
        return said
    effect = effect_words(one.leading.effect)
    return f"{said} The method that the study names first points the other way{f': {effect}' if effect else ''}."


def effect_words(effect: Estimate) -> str:
    """An effect in standard deviations, with its interval."""
    if effect.value is None:
        return ""
    interval = "" if effect.low is None else f" ({signed(effect.low)} to {signed(effect.high)})"
    return f"{signed(effect.value)} SD{interval}"


def leads_otherwise(one: Finding) -> bool:
    """Whether the method that the study names first points against most methods."""
    most = {"first": 1, "second": -1, None: 0}[one.verdict.direction]
    return one.leading is not None and (one.leading.sign or 0) * most < 0


def agreement(one: Finding) -> str:
    """Which direction how many methods have."""
    return _direction(one.verdict, one.multiverse.curve, claims_of(one))


def sentence(found: Verdict, curve: Curve, claims: Claims, test: CurveTest | None = None) -> str:
    """A verdict in words."""
    counted = _counted(found, curve, claims)
    parts = [f"{capitalised(found.words)}: {found.reason or counted}", capitalised(counted) if found.reason else ""]
    parts += [_excepted(found)] if found.exceptions else []
    if found.ties and found.direction:
        parts.append(f"{_methods(found.ties, 'shows', 'show')} no difference at all")
    if found.opposed:
        parts.append(f"{_methods(found.opposed, 'is', 'are')} significant the other way{_opposed(found, curve)}")
    if found.without and found.of and NO_VALUE not in found.reason:
        parts.append(f"{_methods(found.without, 'has', 'have')} no value")
    parts.append(_tested(found, test))
    if found.strength == INCONCLUSIVE:
        parts.append("This does not show that there is no difference")
    return " ".join(f"{part}." for part in parts if part)


def _direction(found: Verdict, curve: Curve, claims: Claims) -> str:
    if not found.of:
        return ""
    if found.direction is None:
        tied = f", and {found.ties} neither" if found.ties else ""
        either = f"{curve.signs.positive} lean one way, {curve.signs.negative} the other{tied}"
        return f"of {count(found.of, 'method')}, {either}"
    claim = claims[found.direction == "second"]
    if found.of == 1:
        return f"{claim} in the one method"
    return f"{claim} in {'all' if found.holds == found.of else f'{found.holds} of'} {found.of} methods"


def _counted(found: Verdict, curve: Curve, claims: Claims) -> str:
    """Under how many methods it holds, and under how many of these significantly."""
    said = _direction(found, curve, claims)
    if found.direction is None:
        return said
    clear = curve.significant.positive if found.direction == "first" else curve.significant.negative
    if found.of == 1:
        return f"{said}, {'significantly' if clear else 'not significantly'}"
    if not curve.n_comparisons:
        return f"{said} (none of these can be tested by itself)"
    corrected = f"after correction for the {curve.n_comparisons} methods of this question"
    return f"{said} ({clear or 'none'} of these significant {corrected})"


def _opposed(found: Verdict, curve: Curve) -> str:
    """Which methods are significant the other way, where they are few."""
    other = -1 if found.direction == "first" else 1
    cells = [cell for cell in curve.cells if cell.sign == other and cell.conclusion != "not significant"]
    seen = {name: {each.choices.get(name) for each in curve.cells} for cell in cells for name in cell.choices}
    varied = [{name: own for name, own in cell.choices.items() if len(seen[name]) > 1} for cell in cells]
    named = "; ".join(map(choices_words, varied[:_NAMED]))
    return f" ({named})" if named and len(cells) <= _NAMED else ""


def _methods(number: int, one: str, several: str) -> str:
    return count(number, f"method {one}", f"methods {several}")


def _excepted(found: Verdict) -> str:
    if not found.described:
        return _methods(found.exceptions, "points", "point") + " the other way"
    ways = [
        " and ".join(
            f"no {name}" if setting == NOT_THERE else choice_words(name, setting) for name, setting in way.items()
        )
        for way in found.described[:2]
    ]
    points = "points" if found.exceptions == 1 else "point"
    same = f" (or, which is the same here, {ways[1]})" if len(ways) > 1 else ""
    return f"{count(found.exceptions, 'method')} with {ways[0]}{same} {points} the other way"


def decided_by(test: CurveTest | None) -> str:
    """The statistics of the curve whose p is the smallest, which the test goes by."""
    known = {name: each.p for name in STATISTICS if (each := getattr(test, name, None)) is not None}
    return " and ".join(_STATISTICS[name] for name, p in known.items() if p == min(known.values()))


def _tested(found: Verdict, test: CurveTest | None = None) -> str:
    """What the test over all methods says."""
    if found.p is None or found.p_adjusted is None:
        return ""
    if found.contradicted:
        return "Since methods contradict each other, no test over all of them is reported"
    p, adjusted = p_equals(found.p), p_value(found.p_adjusted)
    more = f"; {adjusted} after Holm for {found.questions} questions" if found.questions > 1 else ""
    if found.p_adjusted >= ALPHA:
        alone = f" once all {found.questions} questions are counted" if found.p < ALPHA else ""
        return f"Taken together, the methods do not rule out chance{alone} ({p}{more})"
    by = decided_by(test)
    decided = f". Of the three statistics of that test, {by} decided" if by else ""
    return f"Random relabellings of the groups seldom give a pattern this one-sided ({p}{more}){decided}"


def cautions(one: Finding) -> str:
    """What the verdict does not know; blank where there is nothing of the kind."""
    missing = [f"{one.verdict.missing}."] if one.verdict.missing else []
    return " ".join((*_unseen(one), *_one_way(one), *missing, *_within_tilt(one), *_carried(one)))


def _unseen(one: Finding) -> Iterator[str]:
    """What a check of the instrument that was not passed means for the verdict."""
    if not one.question.check and one.instrument in ("failed", "weak"):
        said = "failed" if one.instrument == "failed" else "was weak"
        yield f"The instrument check {said} in this view, so an effect that does not show here may still exist."


def _one_way(one: Finding) -> Iterator[str]:
    if one.one_way and one.multiverse.test.p is not None:
        few = "test words" if one.multiverse.test.over_templates else "templates"
        of = "" if one.one_way == one.verdict.of else f" in {one.one_way} of {one.verdict.of} methods"
        yield f"There are too few {few}{of} for p to cover what other {few} would show."


def _within_tilt(one: Finding) -> Iterator[str]:
    if one.within_tilt or one.mostly_tilt:
        of = f"of {count(one.verdict.of, 'method')}"
        mostly = "goes the same way as the difference and is over half of it"
        if not one.within_tilt:
            yield f"In {one.mostly_tilt} {of} the rater's own bias towards these group names {mostly}."
            return
        more = f"; in {one.mostly_tilt} more that bias {mostly}" if one.mostly_tilt else ""
        yield (
            f"In {one.within_tilt} {of} the difference is no larger than the rater's own bias towards these group "
            f"names, whichever way either goes{more}."
        )


def _carried(one: Finding) -> Iterator[str]:
    """Whether the finding may rest on its raters: how good those are, what is left of it without the others."""
    support = one.support
    if support is None:
        return
    if support.others:
        # Raters that are doubted for the same reason are named together.
        reasons: dict[str, list[str]] = {}
        for name in support.others:
            reasons.setdefault(doubt(name), []).append(rater_words(name))
        named = "; ".join(f"{listed(names)}: {why}" for why, names in reasons.items())
        if not support.carrying:
            yield f"No rater here is known to be good enough for this finding to rest on ({named})."
        else:
            cells = [cell for cell in one.multiverse.curve.cells if cell.sign is not None]
            of = sum(cell.choices.get("rater") in support.others for cell in cells)
            uses = "uses" if of == 1 else "use"
            yield (
                f"{of} of {count(len(cells), 'method')} {uses} raters that are not known to be good enough ({named}); "
                f"{_without_others(one, support)}."
            )
    if support.only_tilt:
        yield "No method that says so shows more than its rater's own bias: it may be the raters' and not the model's."


def _without_others(one: Finding, support: Support) -> str:
    if support.same(one.verdict) or support.alone is None:
        return "without them the verdict is the same"
    own = support.alone.verdict
    turned = own.strength == one.verdict.strength
    return f"without them the verdict would be “{own.words}{', the other way' if turned else ''}”"


def finding_json(one: Finding) -> dict[str, Any]:
    """A finding as a record, with its verdict in words."""
    record = one.as_json()
    words = sentence(one.verdict, one.multiverse.curve, claims_of(one), one.multiverse.test)
    return record | {"verdict": record["verdict"] | {"sentence": words}}
