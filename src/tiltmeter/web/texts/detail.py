"""One text of a run with everything that is known of it: labels, ratings, scores of its tokens, chances, saliency."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tiltmeter.measures.pairs import margin
from tiltmeter.present.decodings import decoding_words, short_scorer
from tiltmeter.present.shading import LEVELS, Shaded, shaded
from tiltmeter.present.words import NONE, percent, probability, signed
from tiltmeter.raters.issues import ISSUES
from tiltmeter.records import Pair, Prompt, Saliency, Structure
from tiltmeter.results.measurements.columns import AUDIT
from tiltmeter.store.rows import rows_of
from tiltmeter.web.texts.continuations import ContinuationTexts, figure_of, line_of
from tiltmeter.web.texts.next_words import AskedText, Expected, NextWordTexts, figures_of
from tiltmeter.web.texts.next_words import line_of as asked_line
from tiltmeter.web.texts.pairs import PairTexts, ScoredPair, lines_of
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.records import Figure, Line
from tiltmeter.web.workbench import NotThere

_ENDED = {
    "stop": "at a stop text",
    "length": "at the limit of tokens",
    "end": "by the model itself",
    "context": "where the model can read no more",
    "unwritten": "before it began",
}
_CONDITIONED = {"left": "from left to right", "left-no-start": "from left to right, without a start token"}


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text as a model reads it, each token shaded; what it is of, and what the shades mean."""

    title: str
    pieces: tuple[Shaded, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """What a model makes of both sentences of a pair: scorer, two numbers, the margin, or why there is none."""

    model: str
    rows: tuple[tuple[str, str, str, str, str], ...]
    tokens: tuple[Tokens, ...]


@dataclass(frozen=True, slots=True)
class Chances:
    """What a model expects after a prompt, and what each token has to do with it."""

    title: str
    figures: tuple[Figure, ...]
    note: str
    saliency: Tokens | None


@dataclass(frozen=True, slots=True)
class Detail:
    """A text, its labels, and whatever its view has of it."""

    id: str
    view: str
    lines: tuple[Line, ...]
    labels: tuple[tuple[str, str], ...]
    like: Filters
    """Which texts are of the same origin."""
    ratings: tuple[Figure, ...] = ()
    scores: tuple[Scores, ...] = ()
    chances: tuple[Chances, ...] = ()
    issues: tuple[tuple[str, str], ...] = ()
    """What the audit found in the sentence, and why."""


def detail(folder: Path, name: str) -> Detail:
    """The text of an id such as `c12`, `p3` or `w7`."""
    makers = {"c": _continuation, "p": _pair, "w": _asked}
    kind, digits = name[:1], name[1:]
    if kind not in makers or not (digits.isascii() and digits.isdigit() and len(digits) < 13):
        raise NotThere("text", name[:40])
    found = makers[kind](folder, int(digits))
    if found is None:
        raise NotThere("text", name)
    return found


def _continuation(folder: Path, number: int) -> Detail | None:
    texts = ContinuationTexts(folder)
    found = texts.texts([number])
    if not found:
        return None
    one = found[0].one
    written = [
        ("Written by", found[0].model),
        ("Settings", decoding_words(one.decoding, texts.table.decodings)),
        ("Sample", f"{one.sample + 1:,}"),
        ("Length", f"{one.tokens:,} tokens, ended {_ENDED.get(one.ended, one.ended)}"),
        *([("Nothing was written", one.unwritten)] if one.unwritten else []),
    ]
    return Detail(
        id=f"c{number}",
        view="continuations",
        lines=(line_of(one),),
        labels=(*written, *_prompt_labels(one.prompt)),
        like=Filters(view="continuations", source=one.prompt.source, bias=one.prompt.bias, origin=one.prompt.origin),
        ratings=tuple(map(figure_of, found[0].ratings.values())),
    )


def _pair(folder: Path, number: int) -> Detail | None:
    texts = PairTexts(folder)
    found = texts.pairs([number])
    if not found:
        return None
    pair = found[0].pair
    flags = "SELECT measure, label FROM ordered WHERE view = 'pairs' AND item = ? AND rater = ? AND value = 1"
    issues = [(row["measure"], row["label"]) for row in texts.rows(f"{flags} ORDER BY place", pair.id, AUDIT)]
    labels = [
        ("Source", pair.source),
        ("Bias", pair.bias),
        ("Groups", " and ".join(pair.groups)),
        ("Terms", " and ".join(filter(None, pair.terms))),
        ("Attribute", " of ".join(filter(None, (pair.attribute, pair.attribute_set)))),
        ("Origin", pair.origin),
        ("Template", pair.template or ""),
        ("Written for", pair.written_for or ""),
        ("Set", str(pair.set + 1) if pair.written_for else ""),
        ("Stands in", pair.stands_in or ""),
        *_structure_labels(pair.structure),
    ]
    return Detail(
        id=f"p{number}",
        view="pairs",
        lines=lines_of(pair),
        labels=tuple((name, value) for name, value in labels if value),
        like=Filters(view="pairs", source=pair.source, bias=pair.bias, origin=pair.origin),
        scores=tuple(_scores(folder, found[0])),
        issues=tuple((f"{issue} {ISSUES.get(issue, '')}", because) for issue, because in issues),
    )


def _scores(folder: Path, found: ScoredPair) -> list[Scores]:
    models = list(dict.fromkeys(model for model, _ in found.scores))
    made = []
    for model in models:
        rows = []
        for name, score in found.scores:
            if name == model:
                first, second = score.scores or (None, None)
                [distance] = margin([score])
                rows.append((
                    short_scorer(score.scorer), signed(first), signed(second), signed(distance), score.unscored or "",
                ))  # fmt: skip
        made.append(Scores(model, tuple(rows), tuple(_tokens(folder, model, found.pair))))
    return made


def _tokens(folder: Path, model: str, pair: Pair) -> list[Tokens]:
    """How surprising each token of both sentences is to a model, for every way in which it was asked.

    These are answers of the model, not measurements: only the ledger has them.
    """
    rows = rows_of(
        folder,
        "select conditioning, text, spans, tokens, unscored from answers where model = ? and text in (?, ?)",
        model,
        *pair.texts,
    )
    made = []
    for conditioning, text, spans, tokens, unscored in sorted(rows, key=lambda row: (row[0], pair.texts.index(row[1]))):
        triples = [(start, end, value) for start, end, value in json.loads(tokens) if value is not None]
        about = pair.groups[pair.texts.index(text)]
        looked_at = ", where the group is named" if json.loads(spans) else ""
        title = f"{about}, {_CONDITIONED.get(conditioning, conditioning)}{looked_at}"
        made.append(Tokens(title, tuple(surprises(text, triples)), unscored or ""))
    return made


def surprises(text: str, tokens: Sequence[tuple[int, int, float]]) -> list[Shaded]:
    """A text cut at its tokens; the less a model expects a token, the darker, up to the darkest from e⁻⁹ on.

    >>> [(one.text, one.level) for one in surprises("A nurse", [(0, 1, -0.5), (2, 7, -6.2)])]
    [('A', 0), (' ', 0), ('nurse', 6)]
    """
    spans, values = tuple((start, end) for start, end, _ in tokens), tuple(value for *_, value in tokens)
    return [
        Shaded(one.text, one.share, min(LEVELS - 1, int(-one.share)) if one.share is not None else 0, one.subject)
        for one in shaded(text, spans, values, ())
    ]


def _asked(folder: Path, number: int) -> Detail | None:
    found = NextWordTexts(folder).texts([number])
    if not found:
        return None
    one = found[0]
    labels = [
        ("Prompt", f"{one.perturbation}, hidden from the model: {_hidden(one)}" if one.hidden else one.perturbation),
        *([("Could not be asked", one.unscored)] if one.unscored else []),
        *_prompt_labels(one.prompt),
        *((f"Words for {group}", ", ".join(words)) for group, words in one.prompt.word_sets),
    ]
    return Detail(
        id=f"w{number}",
        view="next-words",
        lines=(asked_line(one),),
        labels=tuple(labels),
        like=Filters(view="next-words", source=one.prompt.source, bias=one.prompt.bias, origin=one.prompt.origin),
        chances=tuple(_chances(one.prompt, each) for each in one.expected),
    )


def _hidden(one: AskedText) -> str:
    return ", ".join(f"“{one.prompt.text[start:end]}”" for start, end in one.hidden)


def _chances(prompt: Prompt, one: Expected) -> Chances:
    parts = []
    if one.found.highest is not None:
        parts.append(f"its likeliest next token has a chance of {probability(one.found.highest)}")
    if one.found.gap is not None:
        parts.append(f"the second lies {probability(one.found.gap)} below")
    note = ", ".join(parts)
    whole = ", as whole words" if one.bounded else ""
    return Chances(f"{one.model}{whole}", tuple(figures_of(one.found)), note, _saliency(prompt, one.saliency))


def _saliency(prompt: Prompt, found: Saliency | None) -> Tokens | None:
    if found is None:
        return None
    title = f"What each token has to do with “{found.word}” ({found.method})"
    shares = found.shares()
    if not shares:
        return Tokens(title, (), found.unscored or "every token has the same share: nothing")
    on_subject = found.share_on(prompt.subject_spans) if prompt.subject_spans else None
    note = f"{percent(on_subject)} on the subject" if on_subject is not None else ""
    return Tokens(title, tuple(shaded(prompt.text, found.spans, shares, prompt.subject_spans)), note)


def _prompt_labels(prompt: Prompt) -> list[tuple[str, str]]:
    labels = [
        ("Source", prompt.source),
        ("Bias", prompt.bias),
        ("Group", prompt.group or NONE),
        ("Term", prompt.term),
        ("Attribute", prompt.attribute or ""),
        ("Origin", prompt.origin),
        ("Template", prompt.template or ""),
        ("Language", "" if prompt.language == "en" else prompt.language),
        ("Status", prompt.status),
        *_structure_labels(prompt.structure),
    ]
    return [(name, value) for name, value in labels if value]


def _structure_labels(structure: Structure | None) -> list[tuple[str, str]]:
    if structure is None:
        return []
    names = {"id": "Structure", "kind": "Kind of sentence", "family": "Family", "skeleton": "Skeleton"}
    return [(names[key], value) for key, value in asdict(structure).items()]
