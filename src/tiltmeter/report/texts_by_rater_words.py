"""What a bidimensional table says, in plain words that are never stronger than the evidence."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.report.decodings import rater_words
from tiltmeter.report.words import count
from tiltmeter.results.summary.by_rater import Board, BoardReading
from tiltmeter.results.summary.text_records import PEOPLE, favour, kind_of

_WORSE = {
    "sentiment": "lower sentiment",
    "regard": "lower regard",
    "toxicity": "higher toxicity",
    "lexicon": "more words of a lexicon of hurtful ones",
}


@dataclass(frozen=True, slots=True)
class BoardHeadline:
    """The sentence, how far it may be read, and what it rests on."""

    sentence: str
    reading: str
    basis: str


def board_headline(board: Board) -> BoardHeadline:
    """What the combinations of choices say together; what people said stands in the table and is not counted."""
    counted = [found for (_, rater), found in board.readings.items() if not rater.startswith(PEOPLE)]
    known = [found for found in counted if found.pair.difference.value is not None]
    if board.widest:
        return BoardHeadline(_widest_sentence(board, known), "", _basis(board, counted))
    judging = [found for found in known if favour(found.cell.rater)]
    if not judging:
        return BoardHeadline(_plain_sentence(board, known), _chance(known), _basis(board, counted))
    return BoardHeadline(_sentence(board, judging), _reading(board, judging), _basis(board, counted))


def _sentence(board: Board, judging: list[BoardReading]) -> str:
    worse_a, worse_b, same = _split(judging)
    a, b = (board.a, board.b) if len(worse_a) >= len(worse_b) else (board.b, board.a)
    more, fewer = sorted((len(worse_a), len(worse_b)), reverse=True)
    many = len(judging)
    sentence = (
        f"Of {count(many, 'combination')} of {_axes(board)}, {more} {'rates' if more == 1 else 'rate'} texts about {a} "
        f"less favourably than texts about {b}, {fewer or 'none'} the other way"
    )
    if many == 1:
        sentence = f"The one combination of {_axes(board)} rates texts about {a} less favourably than texts about {b}"
        if same:
            sentence = f"The one combination of {_axes(board)} rates texts about {a} and {b} alike"
    elif same:
        sentence += f" and {len(same)} neither way"
    return f"{sentence}; {_sure(judging)}."


def _sure(found: list[BoardReading]) -> str:
    """How many intervals exclude zero, and how many of those are no larger than the rater's own tilt."""
    firm = [one for one in found if one.firm]
    bare = sum(one.pair.difference.low is None for one in found)
    without = f" ({bare} {'has' if bare == 1 else 'have'} no interval)" if bare else ""
    if not firm:
        return f"in none does the interval exclude zero{without}"
    return f"in {len(firm)} the interval excludes zero{without}{_tilted(firm)}"


def _tilted(firm: list[BoardReading]) -> str:
    tilted = sum(one.within_tilt for one in firm)
    if not tilted:
        return ""
    these = "and there" if len(firm) == 1 else f"and in {tilted} of these"
    return f", {these} the difference is no larger than the rater’s own tilt"


def _reading(board: Board, judging: list[BoardReading]) -> str:
    firm_a, firm_b, _ = _split([one for one in judging if one.firm and not one.within_tilt])
    worse_a, worse_b, _ = _split(judging)
    by_kind = {kind_of(one.cell.rater): one.cell.rater for one in judging}
    kinds = list(by_kind)
    parts = [f"Less favourably: {' or '.join(_worse(kind, by_kind[kind]) for kind in kinds)}."]
    if firm_a and firm_b:
        parts.append("Intervals exclude zero on both sides: which group comes off worse depends on the choices made.")
    elif not firm_a and not firm_b:
        beyond = " beyond the raters’ own tilt" if any(one.cell.tilt_measured for one in judging) else ""
        parts.append(f"No difference is shown{beyond}, and none is ruled out.")
    elif worse_a and worse_b:
        parts.append("Which group comes off worse depends on the choices made.")
    else:
        parts.append(f"The direction is the same under every {_axes(board)} used here; other choices were not tried.")
    unknown = list(dict.fromkeys(one.cell.rater for one in judging if not one.cell.tilt_measured))
    if unknown:
        names = "The raters’" if len(unknown) > 1 else f"{rater_words(unknown[0])}: the rater’s"
        parts.append(f"{names} own tilt was not measured for these groups, so a difference may be theirs.")
    left = [rater_words(rater) for rater in board.raters if not favour(rater) and not rater.startswith(PEOPLE)]
    if left:
        parts.append(f"Not counted, since it has no better or worse: {', '.join(left)}.")
    return " ".join([*parts, _chance(judging)]).strip()


def _worse(kind: str, rater: str) -> str:
    """Which end of a scale is the worse one, in words."""
    return _WORSE.get(kind) or f"{'lower' if favour(rater) > 0 else 'higher'} {kind}"


def _widest_sentence(board: Board, known: list[BoardReading]) -> str:
    pairs: dict[frozenset[str], int] = {}
    for one in known:
        pair = frozenset((one.pair.a, one.pair.b))
        pairs[pair] = pairs.get(pair, 0) + 1
    if not pairs:
        return "No combination of choices has a difference between two groups."
    often = max(pairs, key=lambda pair: pairs[pair])
    firm = [one for one in known if one.firm]
    verb = "lies" if len(pairs) == 1 else "lie"
    beyond = f"in {len(firm)}" if firm else "in none"
    return (
        f"Over {count(len(known), 'combination')} of {_axes(board)}, {count(len(pairs), 'pair')} of groups {verb} "
        f"farthest apart, most often {' and '.join(sorted(often))} ({pairs[often]}); {beyond} the difference is beyond "
        f"chance after correction for all pairs of groups{_tilted(firm)}."
    )


def _plain_sentence(board: Board, known: list[BoardReading]) -> str:
    if not known:
        return f"No rater has a number for texts about {board.a} and about {board.b}."
    higher = sum((one.pair.difference.value or 0.0) > 0 for one in known)
    lower = sum((one.pair.difference.value or 0.0) < 0 for one in known)
    return (
        f"Of {count(len(known), 'combination')} of {_axes(board)}, {higher or 'none'} "
        f"{'gives' if higher == 1 else 'give'} a higher number for {board.a} than for {board.b}, {lower or 'none'} a "
        f"lower one; {_sure(known)}."
    )


def _split(found: list[BoardReading]) -> tuple[list[BoardReading], list[BoardReading], list[BoardReading]]:
    """Where the first group comes off worse, where the second, and where neither."""
    return (
        [one for one in found if one.favours < 0],
        [one for one in found if one.favours > 0],
        [one for one in found if not one.favours],
    )


def _chance(found: list[BoardReading]) -> str:
    """How many intervals would exclude zero were there no difference at all."""
    sure = [one for one in found if one.pair.difference.low is not None]
    if len(sure) < 2:
        return ""
    expected = len(sure) * (1 - sure[0].pair.difference.level)
    return (
        f"Were there no difference at all, about {expected:.1f} of {len(sure)} intervals would exclude zero; "
        "combinations share texts, so they are no independent tests."
    )


def _axes(board: Board) -> str:
    """The choices that vary, named; decoding and rater where nothing does."""
    sources = {source for source, _, _ in board.rows}
    scopes: dict[str, set[str]] = {}
    for one in board.readings.values():
        scopes.setdefault(one.cell.rater, set()).add(one.cell.scope)
    decodings = {decoding for _, decoding, _ in board.rows}
    names = [
        name
        for name, several in (
            ("prompt set", len(sources) > 1),
            ("decoding", len(decodings) > 1),
            ("scope", any(len(found) > 1 for found in scopes.values())),
            ("rater", len(board.raters) > 1),
        )
        if several
    ] or ["decoding", "rater"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _basis(board: Board, counted: list[BoardReading]) -> str:
    estimates = [one.pair.difference for one in counted]
    if not estimates:
        return ""
    rated = sum(one.n for one in estimates)
    unrated = sum(one.n_unscored for one in estimates)
    origins = max(one.origins for one in estimates)
    raters = sum(not rater.startswith(PEOPLE) for rater in board.raters)
    return (
        f"{count(rated, 'rating')}, {unrated:,} texts without one; at most {count(origins, 'origin')}; "
        f"{count(len({row[1] for row in board.rows}), 'decoding')}, {count(raters, 'rater')}"
    )
