"""The tables of next words as files: every word after every prompt, and every estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tiltmeter.records import Estimate, NextWords
from tiltmeter.results.files.next_words import COLUMNS
from tiltmeter.results.ledger.next_words import OWN_WORDS, word_choices
from tiltmeter.results.summary.next_word_cells import NextWordCell, NextWordsSummary
from tiltmeter.results.summary.next_words import Part
from tiltmeter.store import AskedPrompt, Run
from tiltmeter.study import WordChoice

Rows = Iterator[dict[str, object]]
_KINDS: Mapping[str, type] = {"bounded": int, **dict.fromkeys(("probability", "logprob", "highest", "gap"), float)}

NEXT_WORDS: Mapping[str, type] = {
    **dict.fromkeys(("source", "bias", "words"), str),
    **{name: _KINDS.get(name, str) for name in COLUMNS},
}
"""The columns that `tiltmeter analyze --view next-words` reads, and which source, bias and set of words a row is of."""
NEXT_WORD_ESTIMATES: Mapping[str, type] = {
    **dict.fromkeys(("model", "source", "bias", "words"), str),
    "bounded": int,
    **dict.fromkeys(("combine", "perturbation", "part", "name", "pair", "measure"), str),
    **dict.fromkeys(("value", "low", "high", "level", "p", "p_adjusted"), float),
    **dict.fromkeys(("n", "n_unscored", "origins"), int),
    "note": str,
}


def next_word_rows(run: Run) -> Rows:
    """A row for each model, prompt, perturbation and word of each set; what is unscored is blank and has a reason."""
    if run.next_words is None:
        return
    choices = run.meta["resolved"]["next_words"]
    sets = word_choices(choices)
    for model in run.next_words.models:
        for bounded in choices["bounded"]:
            answers = run.next_words.answers(model, bounded=bounded)
            for choice in sets:
                for one in run.next_words.asked:
                    # One that has not been asked yet is missing, not unscored.
                    if one.question is None or one.question in answers:
                        place = {"model": model, "bounded": int(bounded), "words": choice.label or OWN_WORDS}
                        yield from _words(one, answers, choice, place)


def _words(one: AskedPrompt, answers: Mapping[int, NextWords], choice: WordChoice, place: Mapping[str, object]) -> Rows:
    prompt = one.asked.prompt
    sets = choice.of(prompt)
    answer = one.answer(answers, sets)
    by_word = {each.word: each for each in answer.words}
    for group, words in sets:
        for word in words:
            yield {
                **place,
                "source": prompt.source,
                "bias": prompt.bias,
                "prompt": prompt.id,
                "text": prompt.text,
                "profession": prompt.origin,
                "template": one.template,
                "status": prompt.status,
                "perturbation": one.asked.perturbation,
                "group": group,
                "word": word,
                "probability": by_word[word].probability,
                "logprob": by_word[word].logprob,
                "highest": answer.highest,
                "gap": answer.gap,
                "unscored": by_word[word].unscored,
            }


def next_word_estimate_rows(found: NextWordsSummary) -> Rows:
    """Every estimate of every cell; `part` says of what, and `name` of which template, profession or group."""
    for cell in found.cells:
        place = {
            **{name: getattr(cell, name) for name in ("model", "source", "bias", "words", "combine")},
            "bounded": int(cell.bounded),
        }
        for row in _estimates(cell):
            yield {**place, **row}


def _estimates(cell: NextWordCell) -> Rows:
    for perturbation, found in cell.summary.perturbations.items():
        place = {"perturbation": perturbation}
        yield from _pairs(found.overall, {**place, "part": "overall"})
        for group, one in found.overall.groups.items():
            yield {**place, "part": "group", "name": group, "measure": "chance", **_estimate(one)}
        for measure, one in found.overall.certainty.items():
            yield {**place, "part": "certainty", "measure": measure, **_estimate(one)}
        for part, named in (("template", found.by_template), ("profession", found.by_profession)):
            for name, each in named.items():
                yield from _pairs(each, {**place, "part": part, "name": name})
                for measure, one in (*_chances(each), *each.certainty.items()):
                    yield {**place, "part": part, "name": name, "measure": measure, **_estimate(one)}
    for perturbation, pairs in cell.summary.contrasts.items():
        yield from _pairs(Part({}, {}, pairs, 0), {"perturbation": perturbation, "part": "contrast"})
    for name, one in cell.saliency.items():
        place = {"perturbation": cell.summary.main, "part": "saliency"}
        yield {**place, "name": name, "measure": "share", **_estimate(one)}


def _pairs(part: Part, place: Mapping[str, object]) -> Rows:
    for pair, measures in part.pairs.items():
        for measure, found in measures.items():
            yield {**place, "pair": pair, "measure": measure, **_estimate(found)}


def _chances(part: Part) -> list[tuple[str, Estimate]]:
    return [(f"P({group})", found) for group, found in part.groups.items()]


def _estimate(found: Estimate) -> dict[str, object]:
    return {**found.as_json(), "note": found.note}
