"""`tiltmeter next-words list`: the most probable next words, whichever they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.api.progress import Bar
from tiltmeter.cli.console import print_json, print_table, say

if TYPE_CHECKING:
    from tiltmeter.models import Proposer
    from tiltmeter.records import NextWords

_COLUMNS = ("model", "prompt", "text", "rank", "word", "probability", "logprob", "unscored")


def list_words(
    model: Proposer, prompts: Sequence[tuple[str, str]], count: int, out: Path | None, *, as_json: bool
) -> None:
    """List the words after each prompt (id and text): as JSON, into a table, or for a person to read."""
    found: list[NextWords] = []
    with Bar() as bar:
        bar.start(f"{model.facts.name}: most probable words", len(prompts), 0)
        for _, text in prompts:
            [answer] = model.likeliest([text], count)
            found.append(answer)
            bar.advance(1, int(_reason(answer) is not None))
    listed = list(zip(prompts, found, strict=True))
    if out is not None:
        from tiltmeter.files import write_csv

        write_csv(out, _COLUMNS, _rows(model.facts.name, listed))
    if as_json:
        answers = [_as_json(name, text, answer) for (name, text), answer in listed]
        print_json({"model": model.facts.name, "likeliest": count, "out": out and str(out), "prompts": answers})
    elif out is None:
        print_table(("prompt", "word", "probability"), _lines(listed))
    for note in dict.fromkeys(answer.note for answer in found if answer.note):
        say(f"note: {note}")
    for reason, times in Counter(filter(None, map(_reason, found))).items():
        say(f"prompts without a word list: {times}; {reason}")


def _reason(answer: NextWords) -> str | None:
    """Why there are no words; None where there are."""
    return answer.words[0].unscored if answer.words and not answer.words[0].word else None


def _rows(model: str, listed: Sequence[tuple[tuple[str, str], NextWords]]) -> Iterator[Mapping[str, object]]:
    for (name, text), answer in listed:
        for rank, word in enumerate(answer.words, start=1):
            yield {
                "model": model,
                "prompt": name,
                "text": text,
                "rank": rank if word.logprob is not None else None,
                "word": word.word,
                "probability": word.probability,
                "logprob": word.logprob,
                "unscored": word.unscored,
            }


def _lines(listed: Sequence[tuple[tuple[str, str], NextWords]]) -> Iterator[tuple[str, str, str]]:
    for (_, text), answer in listed:
        for at, word in enumerate(answer.words):
            chance = f"unscored: {word.unscored}" if word.probability is None else f"{word.probability:.4f}"
            yield (text or "(nothing)" if at == 0 else "", word.word, chance)


def _as_json(name: str, text: str, answer: NextWords) -> dict[str, Any]:
    words = [
        {"word": word.word, "probability": word.probability, "logprob": word.logprob, "unscored": word.unscored}
        for word in answer.words
        if word.word
    ]
    return {"prompt": name, "text": text, "words": words, "unscored": _reason(answer), "note": answer.note}
