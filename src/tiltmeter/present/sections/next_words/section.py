"""Which group a model expects: the words that come next, by bias and set of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tiltmeter.present.blocks import Block, Chart, Listing, Notice, Prose, Section, Table, text
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.asked import Topic, silent_models, topics, words_called
from tiltmeter.present.sections.next_words import kinds, tables
from tiltmeter.present.sections.next_words.answers import answers
from tiltmeter.present.sections.next_words.charts import habit_chart, perturbed_chart, probability_charts, words_chart
from tiltmeter.present.sections.next_words.labour import labour
from tiltmeter.present.sections.next_words.saliency import saliency
from tiltmeter.present.tables import note_words
from tiltmeter.present.words import NEUTRAL, capitalised, count, listed

_MOST_WORDS = 12
"""Words of a group that are listed."""
_ABOUT = (
    "How probable are the words of each group as the next word? The share of the first group is the probability of its "
    f"words over that of both groups, averaged over prompts; at {NEUTRAL} both are equally probable. These are the "
    "figures of the words that the study names first; findings put them in standard deviations, under every method."
)
_PERTURBED = (
    f"Tinted: differs from {NEUTRAL} after correction. Changes are the prompts as they are minus the changed ones, "
    "prompt by prompt; bold where the interval excludes zero. An absolute difference is never below zero: it does "
    "not show which way prompts lean, or whether leans cancel out."
)
_MEASURES = (
    "KL: mean over prompts of KL(s ‖ ½) in nats, where s is the share of the first group. EMD: earth mover's distance "
    "between the probabilities of the two groups over prompts. KL of histograms: 20 equal bins, one half added to "
    "every count. KL of vectors: normalised over prompts. Distances are never below zero, so an interval above "
    "zero is no evidence: go by p, from swapping the groups in whole test words and templates. KL does not change when "
    "groups are swapped, so it has no p. The ratio of means is as papers print it; the log ratio is what is tested."
)
CORRECTED_WITH = (
    "p-values are corrected (Benjamini–Hochberg) for each model, set of prompts and choice of words on its own, over "
    "every measure that has a p, every two groups and every change of the test word; those of single templates, of "
    "single test words and of the changes themselves are further sets. Not all of a set are printed here: the CSV "
    "tables have them."
)
"""Over which sets p-values of next words are corrected."""
_NAMES = {
    "share": "share",
    "difference": "difference",
    "absolute_difference": "absolute difference",
    "log_ratio": "log ratio",
    "ratio": "ratio",
    "kl": "KL",
    "emd": "EMD",
    "kl_histograms": "KL of histograms",
    "kl_vectors": "KL of vectors",
}
"""Measures whose estimates have notes."""


def next_words(found: Reported) -> list[Section]:
    """The section on next words; none where no study asks for them."""
    silent, every = silent_models(found), topics(found)
    if not silent and not every:
        return []
    blocks: list[Block] = [Prose(text(_ABOUT))]
    blocks += [
        Notice(text(f"{model} has no answers on next words: its run is not finished, or it cannot be asked."))
        for model in silent
    ]
    blocks += [_topic(topic, found, alone=len(every) == 1) for topic in every]
    return [
        Section(
            "Next words: which group the model expects",
            tuple(blocks),
            "next-words",
            folded=True,
            about={"view": "next words"},
        )
    ]


def _topic(topic: Topic, found: Reported, *, alone: bool) -> Section:
    blocks: list[Block] = []
    for label in dict.fromkeys(one.label for one in topic.every if one.unfinished):
        blocks.append(
            Notice(text(f"{label} has not answered every prompt: its run is not finished; figures may change."))
        )
    for label in topic.labels:
        blocks += answers(topic, label)
    blocks.append(Prose(text(f"Words asked for: {'; '.join(_words(topic))}."), "note"))
    blocks += _parts(topic, found)
    title = f"{capitalised(topic.names.bias(topic.bias))}, {words_called(topic.words)}"
    return Section(
        title, tuple(blocks), folded=None if alone else True, about={"view": "next words", "bias": topic.bias}
    )


def _words(topic: Topic) -> Iterator[str]:
    combine = topic.every[0].cell.combine
    for name, words in topic.sets:
        counted = words[:1] if combine == "first" else words
        more = f" and {len(counted) - _MOST_WORDS} more" if len(counted) > _MOST_WORDS else ""
        yield f"{topic.group(name)}: {', '.join(f'“{word}”' for word in counted[:_MOST_WORDS])}{more}"


def _parts(topic: Topic, found: Reported) -> Iterator[Section]:
    """Every part that has something to show."""
    if topic.prompts:
        yield from _part(
            "Does the test word matter?",
            perturbed_chart(topic),
            tables.perturbed_table(topic),
            note=_PERTURBED,
        )
    yield from _part("Sentences or templates?", kinds.kinds_table(topic, found), note=kinds.NOTE)
    yield from _part("Without context", habit_chart(topic), tables.habit_table(topic))
    yield from _part("Test word by test word", words_chart(topic))
    for one in topic.prompts:
        why = tables.why_without_interval(one)
        note = f"No interval: {why}. The order is by value, which for few prompts is mostly noise." if why else ""
        title = f"Every test word: {topic.title(one)}"
        yield from _part(title, tables.each_word_table(topic, one), note=note, folded=True)
    yield from labour(topic)
    yield from _part("Probabilities by group", *probability_charts(topic), folded=True)
    yield from saliency(topic, found)
    note = "A figure that changes from template to template is partly about the templates."
    yield from _part("By template", tables.template_table(topic), note=note, folded=True)
    note = "The words that the study names first lead. ⇄: choices point to opposite sides."
    yield from _part("Other words, other counting", tables.choices_table(topic), note=note)
    yield from _part("Every measure", tables.measures_table(topic), note=_MEASURES, folded=True)
    note = "Of any next token, whichever group it is for."
    yield from _part("How certain the model is", tables.certainty_table(topic), note=note, folded=True)
    authored = any(one.kinds.get("authored") for one in topic.prompts)
    note = "Whoever wrote the sentences for the test chose what they say about each test word." if authored else ""
    yield from _part("The prompts", tables.prompts_table(topic), note=note, folded=True)
    unasked = _unasked(topic, found)
    missing, notes = tables.missing_table(topic, unasked), [*_unasked_words(unasked), *_notes(topic)]
    listing = Listing(tuple(map(text, notes))) if notes else None
    yield from _part("What is missing, and notes on the estimates", missing, listing, folded=True)


def _part(
    title: str, *blocks: Chart | Table | Listing | None, note: str = "", folded: bool | None = None
) -> Iterator[Section]:
    shown: list[Block] = [block for block in blocks if block is not None]
    if shown:
        yield Section(title, (*shown, *([Prose(text(note), "note")] if note else [])), folded=folded)


def _unasked(topic: Topic, found: Reported) -> Counter[str]:
    """Why changed prompts could not be made, so that nobody was asked, and how many of each reason."""
    sources = {one.cell.source for one in topic.every}
    every = (one.asked for run in found.read if run.next_words for one in run.next_words.asked)
    own = (one for one in every if (one.prompt.bias, one.prompt.source in sources) == (topic.bias, True))
    return Counter(one.unscored for one in own if one.unscored)


def _unasked_words(unasked: Mapping[str, int]) -> Iterator[str]:
    for reason, number in unasked.items():
        were = "was" if number == 1 else "were"
        yield f"{count(number, 'changed prompt')} could not be made and {were} not asked: {reason}."


def _notes(topic: Topic) -> Iterator[str]:
    """What is to be known of estimates over all prompts, each note once with the figures that it is about."""
    made: dict[str, dict[str, dict[str, None]]] = {}
    for one in topic.every:
        for found in one.cell.summary.perturbations.values():
            for measures in found.overall.pairs.values():
                for measure, each in measures.items():
                    for note in (each.note or "").split("; ") if measure in _NAMES and each.value is not None else ():
                        about = made.setdefault(note_words(note), {}).setdefault(topic.title(one), {})
                        about[_NAMES[measure]] = None
    made.pop("", None)
    for note, places in made.items():
        figures = "; ".join(f"{where}: {listed(list(measures))}" for where, measures in places.items())
        yield f"{capitalised(note)} ({figures})."
    if any(one.cell.summary.n_comparisons > 1 for one in topic.every):
        yield CORRECTED_WITH
