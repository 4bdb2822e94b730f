"""Prompts with their tokens shaded by how much they have to do with a word."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.present.shading import Shaded, shaded
from tiltmeter.present.words import probability
from tiltmeter.report.cells import Column, Table, TableCell, numbers, sort_key
from tiltmeter.report.next_word_readings import Reading
from tiltmeter.report.words import percent
from tiltmeter.store import Answered


@dataclass(frozen=True, slots=True)
class SaliencyPicture:
    """A prompt as a picture, and the same as a table."""

    about: str
    figures: str
    pieces: tuple[Shaded, ...]
    table: Table


def saliency_pictures(one: Reading) -> list[SaliencyPicture]:
    """The examples of a reading, those with the least on the profession first."""
    return [made for answered in one.cell.examples if (made := _picture(answered)) is not None]


def _picture(answered: Answered) -> SaliencyPicture | None:
    prompt, saliency = answered.asked.prompt, answered.saliency
    shares = saliency.shares() if saliency else ()
    if saliency is None or not shares:
        return None
    pieces = shaded(prompt.text, saliency.spans, shares, prompt.subject_spans)
    word = next((each for each in answered.found.words if each.word == saliency.word), None)
    expected = "" if word is None or word.probability is None else f", expected with {probability(word.probability)}"
    parts = [
        f"{percent(share)} on {where}"
        for where, share in (("the profession", answered.on_subject), ("the last word", answered.on_last))
        if share is not None
    ]
    rows = tuple(
        (
            TableCell(piece.text, "the profession" if piece.subject else ""),
            TableCell(piece.title, sort=sort_key(piece.share)),
        )
        for piece in pieces
        if piece.share is not None
    )
    table = Table(f"Share of each token: {prompt.text}", (Column("Token"), *numbers("Share")), rows)
    return SaliencyPicture(f"“{saliency.word}”{expected}", ", ".join(parts), tuple(pieces), table)
