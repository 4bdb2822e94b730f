"""Two models, or one before and after a change, on the same items: what differs, how surely, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.present.blocks import (
    Block,
    Chart,
    Column,
    Document,
    Facts,
    Listing,
    Prose,
    Section,
    Span,
    TableCell,
    text,
)
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.sections.methods import interval_words
from tiltmeter.present.tables import numbers, sort_key, table
from tiltmeter.present.words import (
    NONE,
    SPACE,
    capitalised,
    count,
    number_words,
    p_value,
    percent,
    percent_range,
    signed,
)
from tiltmeter.records import Estimate
from tiltmeter.results.compare.records import Compared, ComparedView, RunComparison
from tiltmeter.results.compare.sides import Matched, Side, decoding_words
from tiltmeter.results.compare.words import MOST, in_words, is_significant
from tiltmeter.results.names import Names, names_of
from tiltmeter.stats.comparing.equivalence import Verdict
from tiltmeter.stats.comparing.paired import Paired
from tiltmeter.stats.estimates import FEWEST_ORIGINS, excludes_zero
from tiltmeter.views import FACTS, View

_PLAIN = {"scope": "reads the {}", "bounded": "bounded: {}", "combine": "combined by {}", "perturbation": "prompts: {}"}
_MEASURES = {"preference": "stereotyped choices", "margin": "margin", "share": "share of the first group"}
_APART = ("rater", "scope")
"""Choices that charts do not tell by colour: each rater has a chart, and what it reads is in the rows."""
_WITHIN: Mapping[Verdict, str] = {
    "different": "not shown",
    "equivalent": "yes",
    "both": "yes, and not zero",
    "undecided": "not shown",
}
"""Whether a difference is no larger than the margin, in words."""
_ROWS = 40
"""Rows of a chart; the tables have all."""
_REACH = 0.1
"""The scale never ends nearer to zero than this, so that a small difference does not look large."""


def comparison(found: RunComparison) -> Document:
    """The page of a comparison."""
    names = names_of((found.a.run, found.b.run))
    parts = [_Part(in_words(view, found.overall_comparisons, names), found, names) for view in found.views]
    who = Facts(tuple((letter, text(_who(side))) for letter, side in (("A", found.a), ("B", found.b))))
    blocks: list[Block] = [Prose(text(_lead(found)), "lead"), who, Prose(text(_rules(found)), "note")]
    blocks += [
        Section(part.title, tuple(part.blocks()), anchor=part.view.view.replace(" ", "-"), mark=part.items)
        for part in parts
    ]
    appendix = [
        Section("A and B, and the change", tuple(_titled(parts, _Part.before_and_after)), anchor="change"),
        Section("Every comparison", (*_titled(parts, _Part.every), _MEANINGS), anchor="tests"),
        Section("What was not compared", tuple(_left_out(found, parts)), anchor="left-out"),
        Section("What was measured", tuple(side_facts(side) for side in (found.a, found.b)), anchor="measured"),
    ]
    return Document(f"{found.a.name} and {found.b.name}", "", tuple(blocks), appendix=tuple(appendix))


def _lead(found: RunComparison) -> str:
    """How many of the overall comparisons show a difference."""
    tested = [one for view in found.views for one in view.overall if one.p_holm is not None]
    clear = sum(map(is_significant, tested))
    of = f"{number_words(len(tested))} overall comparison{'' if len(tested) == 1 else 's'}"
    if not tested:
        return "A and B cannot be told apart: no overall comparison has an interval."
    if clear:
        return (
            f"A and B differ in {'all' if 1 < clear == len(tested) else number_words(clear)} of {of}, after correction."
        )
    return f"No difference between A and B is shown in {of}. That does not mean that there is none."


def _who(side: Side) -> str:
    return f"{side.model}, run {side.run.folder.name}, study {side.resolved['name']}"


def _rules(found: RunComparison) -> str:
    margin = f" Two sides count as equivalent within a margin of {found.margin:g}." if found.margin is not None else ""
    made = interval_words(one.difference for view in found.views for one in (*view.overall, *view.cells))
    return (
        "Both are measured on the items that both have. A difference is A − B; a relative change is from A to B. A "
        "difference is claimed where p < 0.05 after Holm’s correction over all overall lines"
        f"{f'. Intervals are made {made}' if made else ''}.{margin} This does not say which model is better, or why "
        "they differ."
    )


def side_facts(side: Side) -> Facts:
    """What it takes to repeat one side."""
    facts, resolved = side.run.facts.get(side.model), side.resolved
    rows = [
        ("Model", text(side.name)),
        ("Run", text(f"{side.run.folder.name}, study {resolved['name']}, seed {resolved['seed']}")),
        ("Fingerprint", text(Span(str(side.run.meta.get("fingerprint", "")), "code"))),
    ]
    if facts is not None:
        rows.append(("Weights", text("SHA-256 ", Span(facts.weights_sha256 or "unknown", "code"))))
        rows.append(("Revision", text(Span(facts.revision or "unknown", "code"))))
    return Facts(tuple(rows))


def _titled(parts: Sequence[_Part], made: object) -> Iterator[Block]:
    """The blocks of each view, under its title where there are several."""
    for part in parts:
        blocks = tuple(made(part))  # type: ignore[operator]
        yield from [Section(part.title, blocks)] if len(parts) > 1 and blocks else blocks


_MEANINGS = Facts(
    (
        ("d_z", text("the difference in standard deviations of the differences between clusters")),
        ("A above B", text(f"how often A is above B on an item, ties counting half; 50{SPACE}% is neutral")),
        ("Detectable", text(f"the smallest true difference found with 80{SPACE}% power, before correction")),
        ("p, permutation", text("how often swapping A and B gives a difference as large; not corrected")),
    )
)


def _left_out(found: RunComparison, parts: Sequence[_Part]) -> Iterator[Block]:
    reasons = [*found.lone, *(f"{part.title}: {reason}" for part in parts for reason in part.missing())]
    if reasons:
        yield Listing(tuple(map(text, reasons)))
    if found.unlike:
        yield Section("What differs besides the model", (Listing(tuple(map(text, found.unlike))),))
    if not reasons and not found.unlike:
        yield Prose(text("Both sides have the same items and choices, and nothing but the model differs."))


@dataclass(frozen=True, slots=True)
class _Part:
    """One view of a comparison."""

    view: ComparedView
    found: RunComparison
    names: Names

    @property
    def title(self) -> str:
        facts = FACTS[self.view.view]
        return facts.heading or facts.title

    @property
    def noun(self) -> str:
        return FACTS[self.view.view].asked

    @property
    def items(self) -> str:
        lost = [f"{number:,} only in {letter}" for number, letter in self.view.lost]
        return "; ".join([f"{count(self.view.items.both, self.noun)} in both", *lost])

    def blocks(self) -> Iterator[Block]:
        """The overall lines, and a chart of the differences."""
        lines = list(zip(self.view.overall, self.view.sentences, strict=True))
        for one, sentence in lines[:MOST]:
            # A sentence that begins with a name keeps it as it is.
            begun = sentence if ": " in sentence.partition("(")[0] else capitalised(sentence)
            yield Prose(text(begun), "answer")
            yield Prose(text(self._basis(one)), "note")
        if not lines:
            yield Prose(text("There is no overall line: nothing could be compared."))
        if lines[MOST:]:
            more = Listing(tuple(text(sentence) for _, sentence in lines[MOST:]))
            yield Section(f"{len(lines) - MOST} more", (more,), folded=True)
        if self.view.summary:
            yield Prose(text(self.view.summary))
        yield from self._charts()

    def _basis(self, one: Compared) -> str:
        found = one.difference
        sides = f"A {_level(one, one.found.a).text}, B {_level(one, one.found.b).text}"
        change = "" if one.change is None else f"; {'ratio ' if one.is_gap else ''}change {_change(one).text}"
        tests = ""
        if one.p_holm is not None:
            lines = count(self.found.overall_comparisons, "overall line")
            tests = (
                f"; p {p_value(one.p_holm)} after Holm for {lines}, {p_value(one.found.p_permutation)} by permutation"
            )
        rests = f"{count(found.n, self.noun)}, {found.n_unscored:,} missing, {count(found.origins, 'test word')}"
        return f"{sides}{change}{tests}; {rests}"

    def _charts(self) -> Iterator[Block]:
        lead = FACTS[self.view.view].lead.replace("_", " ")
        every = [one for one in self.view.cells if one.choices.get("measure", lead) == lead]
        if not any(one.groups for one in every) and len({one.choices["bias"] for one in every}) > 1:
            every = [*self.view.overall, *every]
        by_rater: dict[str, list[Compared]] = {}
        for one in every:
            by_rater.setdefault(one.choices.get("rater", ""), []).append(one)
        still = [rater for rater, cells in by_rater.items() if rater and not any(map(_moved, cells))]
        for rater, cells in by_rater.items():
            moved = [one for one in cells if _moved(one)]
            if moved:
                yield self._chart(rater, moved)
        if still:
            yield Prose(text(f"A and B are rated the same on every item by {', '.join(still)}."), "note")

    def _chart(self, rater: str, cells: Sequence[Compared]) -> Chart:
        first, places = cells[0], _Places(self.found)
        told = [name for name in FACTS[first.view].choices if name not in _APART and _varies(name, cells)]
        rows: dict[tuple[str, str], list[Dot]] = {}
        for one in sorted(cells, key=lambda one: not one.is_gap):
            series = ", ".join(self._choice(name, one.choices[name]) for name in told)
            found = one.difference
            ends = "no interval" if found.low is None else f"{_apart(one, found.low)} to {_apart(one, found.high)}"
            words = _apart(one, found.value)
            dot = Dot(
                found.value, found.low, found.high, series, words, ends, f"A − B: {words} ({ends})", places.of(one)
            )
            rows.setdefault(self._row(one, cells), []).append(dot)
        drawn = [DotRow(label, tuple(marks), heading) for (heading, label), marks in rows.items()][:_ROWS]
        more = f" {len(rows) - _ROWS} more rows are in the tables." if len(rows) > _ROWS else ""
        unit = "percentage points" if first.in_points else f"ratings by {rater}" if rater else "difference"
        axis = Axis(
            f"A − B, in {unit}" if first.in_points else f"A − B of {unit}",
            unit="points" if first.in_points else "number",
            neutral=0.0,
            neutral_name="no difference",
            left="B is higher",
            right="A is higher",
            ends=(-_REACH, _REACH),
        )
        above, below = (
            sum(excludes_zero(one.difference) and sign * (one.difference.value or 0.0) > 0 for one in cells)
            for sign in (1, -1)
        )
        clear = above + below
        said = f"A is higher in {above}, B in {below}" if clear else "no interval excludes zero"
        title = f"{self.title}{f' ({rater})' if rater else ''}: {said} of {count(len(cells), 'comparison')}"
        return Chart(
            f"differences {first.view} {rater}".strip().replace(" ", "-"),
            title,
            dots(drawn, axis),
            f"Differences A − B with intervals. {title}.",
            text(f"95{SPACE}% intervals, each without correction for their number; open marks have none.{more}"),
        )

    def _row(self, one: Compared, cells: Sequence[Compared]) -> tuple[str, str]:
        """The heading of a row, and what it is called."""
        choices = one.choices
        if not one.groups:
            return (f"Source {choices['source']}" if _varies("source", cells) else ""), self._bias(one)
        names = [name for name in ("bias", "source", "scope") if name in choices and _varies(name, cells)]
        place = [self._choice(name, choices[name]) for name in names]
        if self.of_values:
            return ", ".join(["Gap between groups" if one.is_gap else "Each group", *place]), self._groups(one)
        if "perturbation" not in choices:
            return ", ".join(place), self._groups(one)
        asked = "as they are" if choices["perturbation"] == "original" else choices["perturbation"]
        return ", ".join(place), f"{self._groups(one)}, prompts {asked}"

    @property
    def of_values(self) -> bool:
        """Whether values of groups are compared, and not values that compare groups already."""
        return any(one.is_gap or "group" in one.choices for one in self.view.cells)

    def before_and_after(self) -> Iterator[Block]:
        """A beside B with the relative change; groups and their gaps apart."""
        for gap, caption, change in (
            (False, "Results of A and B", "Change"),
            (True, "Gaps between groups, A and B", "Change of the ratio"),
        ):
            cells = [one for one in self.view.cells if one.is_gap == gap]
            rows = [
                (name, _level(one, one.found.a), _level(one, one.found.b), _change(one), _difference(one))
                for one, name in zip(cells, self._names(cells), strict=True)
            ]
            made = table(caption, ("Of what", *numbers("A", "B", change, "A − B")), rows)
            yield from [made] if made else []

    def every(self) -> Iterator[Block]:
        """Every difference with its p-values, its size and what could have been detected; groups and gaps apart."""
        for gap, caption in ((False, "Differences on the same items"), (True, "Changes of the gap between groups")):
            cells = [one for one in self.view.cells if one.is_gap == gap]
            asked = any(one.equivalence for one in cells)
            columns = (
                "Of what",
                *numbers("A − B", "p, Benjamini–Hochberg", "p, Holm", "p, permutation"),
                *(() if gap else numbers("d_z", "A above B", "Items that differ")),
                *numbers("Detectable"),
                *((Column("Within the margin"),) if asked else ()),
                *numbers("Items"),
            )
            rows = [
                (
                    name,
                    _difference(one),
                    *(
                        TableCell(p_value(p), sort=sort_key(p))
                        for p in (one.p_adjusted, one.p_holm, one.found.p_permutation)
                    ),
                    *(_sizes(one.found) if isinstance(one.found, Paired) else ()),
                    TableCell(_apart(one, one.detectable).removeprefix("+"), sort=sort_key(one.detectable)),
                    *((_within(one),) if asked else ()),
                    _counted(one),
                )
                for one, name in zip(cells, self._names(cells), strict=True)
            ]
            made = table(caption, columns, rows, sortable=True)
            yield from [made] if made else []

    def missing(self) -> list[str]:
        """Items and choices that only one side has, and figures that could not be made."""
        lost = [f"{count(number, self.noun)} only in {letter}" for number, letter in self.view.lost]
        reasons = Counter(one.no_change or "reason unknown" for one in self.view.cells if one.change is None)
        every = len(self.view.cells)
        withheld = [f"no relative change ({why}): {number:,} of {every:,}" for why, number in reasons.items()]
        unscored = [one.difference.n_unscored for one in self.view.cells if one.difference.n_unscored]
        some = [f"at most {count(max(unscored), self.noun)} missing on a side"] if unscored else []
        return [*lost, *self.view.left_out, *withheld, *some]

    def _names(self, cells: Sequence[Compared]) -> list[TableCell]:
        """What comparisons are called; a choice that all of them share is not said."""
        chosen = sorted(FACTS[self.view.view].choices, key=lambda name: name == "decoding")
        every = ("source", "bias", *chosen, "perturbation", "groups", "measure")
        told = [name for name in every if _varies(name, cells)]
        scopes = {(one.choices.get("rater"), one.choices.get("scope")) for one in cells}
        if len(scopes) == len({rater for rater, _ in scopes}):
            # What each rater reads goes without saying where it reads one thing only.
            told = [name for name in told if name != "scope"]
        places = _Places(self.found)
        return [self._name(one, told, places) for one in cells]

    def _name(self, one: Compared, told: Sequence[str], places: _Places) -> TableCell:
        said = {*(() if self.of_values else ("bias",)), *(("groups",) if one.groups else ())}
        short = ", ".join(([self._bias(one)] if "bias" in said else []) + ([self._groups(one)] if one.groups else []))
        rest = [self._choice(name, one.choices[name]) for name in told if name not in said and name in one.choices]
        return TableCell(short, ", ".join(rest), place=places.of(one))

    def _bias(self, one: Compared) -> str:
        return "all biases" if one.choices["bias"] == "all" else self.names.bias(one.choices["bias"])

    def _groups(self, one: Compared) -> str:
        named = [self.names.group(group, one.choices["bias"]) for group in one.groups]
        return (" − " if one.is_gap else " and ").join(named)

    def _choice(self, name: str, value: str) -> str:
        if name == "bias":
            return self.names.bias(value)
        return _MEASURES.get(value, value) if name == "measure" else _PLAIN.get(name, "{}").format(value)


def _varies(name: str, cells: Iterable[Compared]) -> bool:
    return len({one.choices.get(name) for one in cells}) > 1


def _moved(one: Compared) -> bool:
    return bool(one.difference.value) or one.difference.low is not None


def _level(one: Compared, found: Estimate) -> TableCell:
    """The figure of one side, with its interval below it."""
    if one.in_points:
        small = "" if found.low is None else percent_range(found.low, found.high)
        return TableCell(percent(found.value), small, sort_key(found.value))
    written = signed if one.is_gap else unsigned
    small = "" if found.low is None else f"{written(found.low, 3)} to {written(found.high, 3)}"
    return TableCell(written(found.value, 3), small, sort_key(found.value))


def unsigned(number: float | None, decimals: int = 3) -> str:
    """A number without a sign unless it is below zero.

    >>> unsigned(-0.25), unsigned(None)
    ('−0.250', '–')
    """
    return NONE if number is None else f"{number:.{decimals}f}".replace("-", "−")


def _apart(one: Compared, number: float | None) -> str:
    """A difference in the unit of its comparison: percentage points, or what the measure counts in."""
    if not number:
        return NONE if number is None else "0"
    return signed(100 * number, 1) if one.in_points else signed(number, 3)


def _difference(one: Compared) -> TableCell:
    """A − B with its interval, tinted where it is shown after Holm's correction."""
    found = one.difference
    small = f"{_apart(one, found.low)} to {_apart(one, found.high)}"
    if found.low is None:
        small = (found.note or "no interval").removeprefix("no interval: ")
        if found.value == 0 and found.origins >= FEWEST_ORIGINS:
            small = "the same in every cluster"
    mark = "" if not is_significant(one) else "above" if (found.value or 0.0) > 0 else "below"
    return TableCell(_apart(one, found.value), small, sort_key(found.value), mark)


def _change(one: Compared) -> TableCell:
    """The relative change with its interval, or the reason why there is none."""
    change = one.change
    if change is None or change.value is None:
        return TableCell(NONE, one.no_change or "")
    small = "" if change.low is None else f"{signed(change.low, 1)} to {signed(change.high, 1)}"
    return TableCell(f"{signed(change.value, 1) if change.value else '0'}{SPACE}%", small, sort_key(change.value))


def _sizes(found: Paired) -> Iterable[TableCell]:
    """The standardised difference, how often A is above B, and how many items differ either way."""
    size, above = found.standardised, found.superiority
    ends = "" if size.low is None else f"{signed(size.low)} to {signed(size.high)}"
    moved = found.a_higher + found.b_higher
    yield TableCell(signed(size.value), ends, sort_key(size.value))
    yield TableCell(percent(above.value), sort=sort_key(above.value))
    yield TableCell(
        f"{moved:,}", f"{found.a_higher:,} A higher, {found.b_higher:,} B" if moved else "", sort_key(moved)
    )


def _within(one: Compared) -> TableCell:
    found = one.equivalence
    if found is None or found.p is None:
        return TableCell(NONE, "no interval" if found else "no margin on this scale")
    return TableCell(_WITHIN[found.verdict], f"p = {p_value(found.p)}".replace("= <", "< "))


def _counted(one: Compared) -> TableCell:
    found = one.difference
    missing = f"\n{found.n_unscored:,} missing" if found.n_unscored else ""
    return TableCell(f"{found.n:,}", f"{count(found.origins, 'test word')}{missing}", sort_key(found.n))


class _Places:
    """Where the texts behind a difference are, by what A and B call the sources and decodings that they share."""

    def __init__(self, found: RunComparison) -> None:
        self._sides = found.a, found.b
        self._sources = {view.view: self._named(view.view) for view in found.views}
        self._decodings = [_decodings(side) for side in self._sides]

    def of(self, one: Compared) -> dict[str, str]:
        """Everything by which the texts of both sides are found."""
        place = {"view": one.view.replace(" ", "-")}
        sides = zip("ab", self._sides, self._sources[one.view], self._decodings, strict=True)
        for letter, side, sources, decodings in sides:
            place |= {f"run_{letter}": side.run.folder.name, f"model_{letter}": side.model}
            source = one.choices.get("source", "")
            place[f"source_{letter}"] = sources.get(source, source)
            number = decodings.get(one.choices.get("decoding", ""))
            place |= {f"decoding_{letter}": str(number)} if number is not None else {}
        chosen = {name: one.choices.get(name, "") for name in ("bias", "rater", "scorer", "group")}
        place |= {name: value for name, value in chosen.items() if value and value != "all"}
        return place | (dict(zip(("group", "other"), one.groups, strict=True)) if one.is_gap else {})

    def _named(self, view: View) -> tuple[Mapping[str, str], Mapping[str, str]]:
        matched = Matched.of(*self._sides, view)
        first, second = ({name: label for label, name in own.items()} for own in (matched.of_a, matched.of_b))
        return first, second


def _decodings(side: Side) -> dict[str, int]:
    """The numbers of the decodings in the ledger, by what they are called."""
    found = side.run.continuations
    return {} if found is None else {decoding_words(one): at for at, one in enumerate(found.decodings)}
