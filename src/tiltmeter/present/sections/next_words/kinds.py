"""Sentences against templates: what the kind of prompt changes, on the same test words."""

from __future__ import annotations

from tiltmeter.present.blocks import Table, TableCell
from tiltmeter.present.decodings import source_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.asked import SHARE, Topic
from tiltmeter.present.sections.next_words.tables import ABSENT, change, tested
from tiltmeter.present.tables import numbers, table
from tiltmeter.present.words import capitalised
from tiltmeter.results.summary.prompt_kinds import KindContrast
from tiltmeter.stats.estimates import scaled

NOTE = (
    "Sentences minus templates, over the test words that have both; clustered by test word, which pairs them, and by "
    "template. Bold where the interval excludes zero; p is corrected for all comparisons of this kind in a run. Below "
    "zero, the absolute difference is larger in templates: more of it is the model's habit in short prompts."
)


def kinds_table(topic: Topic, found: Reported) -> Table | None:
    """Share and absolute difference in sentences minus those in templates, by model."""
    first, second = topic.called
    rows = [
        (
            TableCell(
                f"{source_words(one.sentences)} minus {source_words(one.templates)}",
                one.model if topic.several else "",
            ),
            _cell(one, SHARE, 100, 1),
            _cell(one, "absolute_difference", 1, 3),
            _cell(one, "log_ratio", 1, 2),
            one.professions,
        )
        for one in _contrasts(topic, found)
    ]
    heads = (
        f"Share of {first}, points",
        f"|P({first}) − P({second})|",
        f"ln P({first}) − ln P({second})",
        "Test words",
    )
    title = f"{capitalised(first)} against {second}: sentences minus templates"
    return table(title, ["Prompts", *numbers(*heads)], rows)


def _contrasts(topic: Topic, found: Reported) -> list[KindContrast]:
    """Those of the words that lead."""
    leading = {(one.cell.model, one.cell.source, one.cell.bounded, one.cell.combine) for one in topic.every}
    return [
        one
        for _, summary in found.runs
        for one in (summary.next_words.kinds if summary.next_words else ())
        if (one.bias, one.words) == (topic.bias, topic.words)
        and (one.model, one.sentences, one.bounded, one.combine) in leading
    ]


def _cell(one: KindContrast, measure: str, factor: float, decimals: int) -> TableCell:
    each = one.measures.get(measure, ABSENT)
    return tested(change(scaled(each, factor), decimals), each)
