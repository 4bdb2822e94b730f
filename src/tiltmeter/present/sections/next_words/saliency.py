"""Which words of a prompt influence the answer."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Block, Example, Examples, Notice, Prose, Section, Span, Table, Text, text
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.asked import Asked, Topic
from tiltmeter.present.sections.next_words.tables import ABSENT, probability_cell
from tiltmeter.present.shading import Shaded, shaded
from tiltmeter.present.tables import Cell, Label, numbers, table
from tiltmeter.present.words import percent, probability
from tiltmeter.store import Answered

_NAMES = {"profession": "On the test word", "last": "On the last word", "residue": "Residue"}


def saliency(topic: Topic, found: Reported) -> Iterator[Section]:
    """How much of the influence is on the test word and on the last word, with prompts as examples."""
    explained = [one for one in topic.prompts if one.cell.saliency]
    if explained:
        blocks: list[Block] = [
            Prose(text("How much each token of a prompt influences the most probable of the words asked for."))
        ]
        blocks += filter(None, [_table(topic, explained)])
        without = [
            name for _, summary in found.runs if summary.next_words for name in summary.next_words.without_saliency
        ]
        for model in dict.fromkeys(without):
            blocks.append(Notice(text(f"{model} has no saliency: it gives no gradients; a checkpoint is needed.")))
        note = (
            "Pieces of a word are added up. Saliency shows where a small change would move the answer, not why it is "
            "given."
        )
        if any("residue" in one.cell.saliency for one in explained):
            note += " The residue is what the method leaves unaccounted for."
        yield Section(
            "Which words influence the answer", (*blocks, Prose(text(note), "note"), *_examples(topic)), folded=True
        )


def _table(topic: Topic, explained: list[Asked]) -> Table | None:
    names = [name for name in _NAMES if any(name in one.cell.saliency for one in explained)]
    rows: list[tuple[Cell, ...]] = []
    for one in explained:
        found = [one.cell.saliency.get(name, ABSENT) for name in names]
        rows.append((topic.heading(one), *map(probability_cell, found), max(each.n for each in found)))
    methods = ", ".join(dict.fromkeys(one.method for one in explained if one.method))
    columns: tuple[Label, ...] = (topic.first_column, *numbers(*(_NAMES[name] for name in names), "Prompts"))
    return table(f"Share of the saliency ({methods}), over the tokens of a prompt", columns, rows)


def _examples(topic: Topic) -> Iterator[Examples]:
    for one in topic.prompts:
        entries = tuple(entry for answered in one.cell.examples if (entry := _entry(answered)))
        if entries:
            title = f"Least, middle and greatest influence of the test word ({topic.title(one)})"
            yield Examples(title, entries)


def _entry(answered: Answered) -> tuple[str, tuple[Example, ...]] | None:
    """A prompt: the test word marked, the tokens that have half of the influence in bold, then the share of each."""
    prompt, found = answered.asked.prompt, answered.saliency
    shares = found.shares() if found else ()
    if found is None or not shares:
        return None
    pieces = shaded(prompt.text, found.spans, shares, prompt.subject_spans)
    word = next((each for each in answered.found.words if each.word == found.word), None)
    expected = f", probability {probability(word.probability)}" if word and word.probability is not None else ""
    on = [("test word", answered.on_subject), ("last word", answered.on_last)]
    parts = ", ".join(f"{percent(share, 0)} on the {where}" for where, share in on if share is not None)
    each = ", ".join(f"{piece.text.strip()} {percent(piece.share, 0)}" for piece in pieces if piece.share is not None)
    return f"“{found.word}”{expected}", (Example("prompt", _marked(pieces), parts), Example("tokens", text(each)))


def _marked(pieces: list[Shaded]) -> Text:
    strong = _strongest(pieces)
    made = []
    for at, piece in enumerate(pieces):
        kind = "attribute" if piece.subject else "strong" if at in strong else ""
        made.append(Span(piece.text, kind))  # type: ignore[arg-type]
    return text(*made)


def _strongest(pieces: list[Shaded]) -> set[int]:
    """The fewest tokens that together have half of the influence."""
    ordered = sorted((at for at, piece in enumerate(pieces) if piece.share), key=lambda at: -(pieces[at].share or 0))
    chosen, sum_ = set(), 0.0
    for at in ordered:
        if sum_ >= 0.5:
            break
        chosen.add(at)
        sum_ += pieces[at].share or 0
    return chosen
