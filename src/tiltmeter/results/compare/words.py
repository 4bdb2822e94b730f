"""What a comparison says in plain words, never more than its evidence.

The sides are called A and B. A difference is claimed where its p, corrected by Holm's method for all overall lines, is
below 0.05.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.records import Estimate
from tiltmeter.results.compare.records import Compared, ComparedView
from tiltmeter.results.names import Names
from tiltmeter.stats.comparing.paired import Paired
from tiltmeter.stats.estimates import FEWEST_ORIGINS, excludes_zero
from tiltmeter.views import FACTS

ALPHA = 0.05
UNNAMED = Names({}, {})
"""Where nothing is known of what groups are called."""
MOST = 8
"""As many sentences on a view are shown at once; the JSON has all."""


def in_words(view: ComparedView, tested: int, names: Names = UNNAMED) -> ComparedView:
    """The view with a sentence for each overall line, of which `tested` have a p, and one on all its cells."""
    several = len(view.overall) > 1
    said = tuple(_about(one, several, names) + _said(one, tested > 1, names) for one in view.overall)
    return replace(view, sentences=said, summary=_counted(view))


def _called(one: Compared, names: Names) -> list[str]:
    """What the groups are called; one whose noun is not known is in quotation marks."""
    return [names.group(group, one.choices["bias"]) for group in one.groups]


def _counted(view: ComparedView) -> str:
    tested = [cell for cell in view.cells if cell.p_holm is not None]
    if not tested:
        return f"No comparison of {view.view} has an interval: too few origins, or all of them alike."
    if len(tested) == 1:
        return ""
    clear = sum(cell.p_adjusted is not None and cell.p_adjusted < ALPHA for cell in tested)
    strict = sum(cell.p_holm is not None and cell.p_holm < ALPHA for cell in tested)
    return (
        f"Of {len(tested)} comparisons of {view.view} {clear} show a difference after Benjamini and Hochberg's "
        f"correction, {strict} after Holm's."
    )


def _about(one: Compared, several: bool, names: Names) -> str:
    """What it speaks of; of pairs that goes without saying where there is one line."""
    choices = one.choices
    if one.is_gap:
        chosen = [choices[name] for name in FACTS[one.view].named_by]
        return f"{', '.join([choices['bias'], *chosen, ' − '.join(_called(one, names))])}: "
    named = [*([choices["bias"]] if one.groups else []), *([choices["source"]] if several else [])]
    # Of which groups, and of what, where another line is of one of them.
    named += [f"{' and '.join(_called(one, names))} as stereotyped"] if one.by_stereotype else []
    return f"{', '.join(named)}: " if named else ""


def _said(one: Compared, corrected: bool, names: Names) -> str:
    found = one.difference
    same = isinstance(one.found, Paired) and not one.found.a_higher and not one.found.b_higher
    if found.value == 0 and (found.low is None or same) and found.origins >= FEWEST_ORIGINS:
        return f"{_same(one)}."
    if found.value is None or found.low is None:
        return f"nothing can be said of a difference ({(found.note or 'no interval').removeprefix('no interval: ')})."
    text = _claim(one, found, names) if is_significant(one) else _no_claim(one, found, corrected)
    if is_significant(one) and one.found.p_permutation is not None and one.found.p_permutation >= ALPHA:
        text += f" A permutation test does not confirm it (p = {one.found.p_permutation:.2g})."
    if one.equivalence is not None:
        text += f" {_equivalent(one)}"
    return text


def _same(one: Compared) -> str:
    if not isinstance(one.found, Paired):
        return "the gap does not change in any origin"
    if one.found.a_higher or one.found.b_higher:
        return "A and B differ on some items, as much one way as the other in every origin"
    margins = one.margins
    moved = 0 if margins is None else margins.a_higher + margins.b_higher
    if margins is None or not moved:
        return f"A and B are the same on all {one.difference.n:,} items"
    where = "all of them" if moved == margins.difference.n else f"{moved:,} of them"
    return (
        f"A and B choose the same on all {one.difference.n:,} items, but by other margins on {where} (A − B is "
        f"{_signed(margins.difference)} on average{_between(margins.difference)})"
    )


def _between(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return ""
    return f", {found.low:+z.3f} to {found.high:+z.3f}".replace("-", "−")


def is_significant(one: Compared) -> bool:
    """Whether a difference may be claimed: its corrected p is small and its interval on one side of zero."""
    return one.p_holm is not None and one.p_holm < ALPHA and excludes_zero(one.difference)


def _claim(one: Compared, found: Estimate, names: Names) -> str:
    value, ends = found.value or 0.0, (found.low or 0.0, found.high or 0.0)
    if one.is_gap:
        gaps = f"the gap is {_signed(one.found.a)} with A and {_signed(one.found.b)} with B"
        return f"{gaps}: A − B is {_sized(one, value, ends)}."
    # The words say the direction.
    size, more = _sized(one, abs(value), sorted(map(abs, ends))), "less" if value > 0 else "more"
    facts = FACTS[one.view]
    said = facts.stereotyped.compared if one.by_stereotype and facts.stereotyped else facts.compared
    return said.format(first=[*_called(one, names), ""][0], more=more, size=size)


def _sized(one: Compared, value: float, ends: Sequence[float]) -> str:
    """A difference with its interval."""
    return f"{_size(one, value)} ({' to '.join(_number(one, end) for end in ends)})"


def _no_claim(one: Compared, found: Estimate, corrected: bool) -> str:
    least = one.detectable
    ends = f"{_number(one, found.low or 0.0)} to {_number(one, found.high or 0.0)}"
    seen = (
        ""
        if least is None
        else f"; a true one of {_size(one, least)} or more would have been seen four times out of five"
        + (", were it the only line" if corrected else "")
    )
    what = "no change of the gap" if one.is_gap else "no difference"
    # One that would count if it were the only one.
    what = f"{what} is shown{' after correction for the number of overall lines' if excludes_zero(found) else ''}"
    return f"{what} ({_size(one, found.value or 0.0)}, {ends}){seen}."


def _equivalent(one: Compared) -> str:
    assert one.equivalence is not None
    size = _size(one, one.equivalence.margin)
    if one.equivalence.verdict in ("equivalent", "both"):
        return f"It is no more than {size} either way{'' if is_significant(one) else ', if there is one'}."
    if is_significant(one):
        return f"It may be more than {size}."
    return f"That it is no more than {size} either way was not shown either."


def _number(one: Compared, value: float) -> str:
    text = f"{100 * value:z.1f}" if one.in_points else f"{value:z.3f}"
    return text.replace("-", "−")


def _size(one: Compared, value: float) -> str:
    return f"{_number(one, value)} points" if one.in_points else _number(one, value)


def _signed(found: Estimate) -> str:
    return "unknown" if found.value is None else f"{found.value:+z.3f}".replace("-", "−")
