"""Biases side by side on one scale: social ones under their mean, checks of the instrument apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts import Axis, Dot, DotRow
from tiltmeter.present.reported import Reported
from tiltmeter.present.series import bias_label, is_check
from tiltmeter.present.tables import no_interval
from tiltmeter.present.words import NEUTRAL, count, p_equals, percent, percent_range
from tiltmeter.records import Estimate

SHARE = Axis(
    "share of pairs in which the stereotyped sentence is preferred",
    unit="share",
    neutral=0.5,
    neutral_name=f"no preference ({NEUTRAL})",
    left="prefers the other sentence",
    right="prefers the stereotyped sentence",
)
CHECKS = "Instrument checks, not social biases"


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of one series: over all biases, and of each; the values of independent sets; where its pairs are."""

    name: str
    whole: Estimate
    by_bias: dict[str, Estimate]
    repeats: Callable[[str], tuple[float, ...]] = lambda _: ()
    place: Callable[[str], Place] = lambda _: {}


def forest_rows(found: Reported, series: Sequence[Shares]) -> list[DotRow]:
    """A row for each bias, the highest first, with a dot for each series; checks of the instrument last."""
    names = dict.fromkeys(bias for one in series for bias in one.by_bias)

    def order(bias: str) -> tuple[bool, bool, float]:
        known = [one.by_bias[bias].value for one in series if bias in one.by_bias]
        value = next((value for value in known if value is not None), None)
        return is_check(found, bias), value is None, -(value or 0.0)

    rows = [
        DotRow(
            bias_label(found, bias),
            tuple(_dot(one, bias) for one in series if bias in one.by_bias),
            CHECKS if is_check(found, bias) else "",
        )
        for bias in sorted(names, key=order)
    ]
    if sum(not row.heading for row in rows) > 1:
        means = tuple(replace(share_dot(one.whole, one.name), place=one.place("")) for one in series)
        rows.insert(0, DotRow("Mean over biases", means, summary=True))
    return rows


def _dot(one: Shares, bias: str) -> Dot:
    made = share_dot(one.by_bias[bias], one.name)
    return replace(made, place=one.place(bias), repeats=one.repeats(bias))


def share_dot(found: Estimate, series: str = "") -> Dot:
    """A share on a scale."""
    interval = percent_range(found.low, found.high) if found.low is not None else no_interval(found)
    adjusted = f"\nadjusted {p_equals(found.p_adjusted)}" if found.p_adjusted is not None else ""
    counted = f"\n{count(found.n, 'pair')}, {found.n_unscored:,} missing" if found.n else ""
    return Dot(
        found.value,
        found.low,
        found.high,
        series,
        text=percent(found.value),
        interval=interval,
        tip=f"{percent(found.value)} ({interval}){adjusted}{counted}",
    )


def forest_in_words(rows: Sequence[DotRow]) -> str:
    """A forest plot for those who cannot see it: how many biases are where, and the lowest and the highest."""
    parts = []
    for name in dict.fromkeys(dot.series for row in rows for dot in row.dots):
        own = [(row, dot) for row in rows for dot in row.dots if dot.series == name and dot.value is not None]
        social = [(row.label, dot) for row, dot in own if not row.heading and not row.summary]
        checks = [(row.label, dot) for row, dot in own if row.heading]
        ordered = sorted(social, key=lambda one: one[1].value or 0.0)
        said = []
        if ordered:
            above = sum(dot.low is not None and dot.low > 0.5 for _, dot in social)
            below = sum(dot.high is not None and dot.high < 0.5 for _, dot in social)
            said.append(
                f"of {count(len(social), 'bias', 'biases')}, {above} with an interval above {NEUTRAL} and {below} below"
            )
            ends = (
                [("lowest", ordered[0]), ("highest", ordered[-1])] if len(ordered) > 1 else [("only bias", ordered[0])]
            )
            said += [f"{word}: {_with_interval(*one)}" for word, one in ends]
        if checks:
            said.append(f"instrument checks: {'; '.join(_with_interval(*one) for one in checks)}")
        parts += [f"{name}: {'; '.join(said)}." if name else f"{'; '.join(said)}."] if said else []
    return " ".join(parts) or "No bias has a figure."


def _with_interval(label: str, dot: Dot) -> str:
    return f"{label}, {dot.text} ({dot.interval})"
