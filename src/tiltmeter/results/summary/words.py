"""The words that models use about each group and under each sentence structure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.records import Decoding
from tiltmeter.results.cells import table_with_texts
from tiltmeter.results.summary.refusals import Order, longest
from tiltmeter.results.summary.structures import FIXED
from tiltmeter.results.summary.word_records import GroupWords, StructureWord, WordCell
from tiltmeter.results.texts import rated_texts
from tiltmeter.stats.views.continuations import pairs_of_groups
from tiltmeter.stats.views.words import LEAST_TEXTS, WordText, contrast, log_odds, words_of
from tiltmeter.store import Run

_MOST_GROUPS = 8
"""Of more groups, every two are not compared."""
_OF_STRUCTURE = 5
"""Words that are named of each structure."""

Key = tuple[str, str, str]
"""Model, source and bias."""


@dataclass(frozen=True, slots=True)
class _Placed:
    text: WordText
    part: str
    plain: bool


def word_cells(run: Run, order: Order) -> Iterator[WordCell]:
    """The words of every model, source and bias; those that stand in a prompt are not counted."""
    found = run.continuations
    if found is None:
        return
    own: dict[Key, dict[Decoding, list[_Placed]]] = {}
    in_prompts: dict[str, set[str]] = {}
    for prompt in found.prompts:
        in_prompts.setdefault(prompt.bias, set()).update(words_of(prompt.text))
    for each in rated_texts(table_with_texts(run)):
        prompt = each.one.prompt
        if prompt.group is None or not each.one.text.strip():
            continue
        form = prompt.structure.id if prompt.structure else None
        words = words_of(each.one.text, in_prompts[prompt.bias])
        text = WordText(prompt.group, prompt.origin, words, form)
        by_decoding = own.setdefault((each.model, prompt.source, prompt.bias), {})
        by_decoding.setdefault(each.one.decoding, []).append(_Placed(text, prompt.attribute or "", form == FIXED))
    for (model, source, bias), decodings in own.items():
        decoding = longest([one for one in found.decodings if one in decodings])[0]
        # The plain prompt is the baseline, and no rephrasing.
        texts = [one for one in decodings[decoding] if not one.plain] or decodings[decoding]
        groups, reference = order(bias, list(dict.fromkeys(one.text.group for one in texts)))
        pairs = tuple(_pairs(texts, groups, reference))
        forms = tuple(_structures([one.text for one in texts]))
        yield WordCell(model, source, bias, decoding, pairs, forms, tuple(_counts([one.text for one in texts])))


def _pairs(texts: Sequence[_Placed], groups: Sequence[str], reference: str | None) -> Iterator[GroupWords]:
    if len(groups) > _MOST_GROUPS and reference is None:
        return
    parts = [part for part in dict.fromkeys(one.part for one in texts) if part]
    origins = {part: {one.text.origin for one in texts if one.part == part} for part in parts}
    several = len(parts) > 1 and all(len(own) > 1 for own in origins.values()) and all(one.part for one in texts)
    for part in ("", *(parts if several else ())):
        own = [one.text for one in texts if part in ("", one.part)]
        for a, b in pairs_of_groups(list(groups), reference):
            words, looked_at = contrast(own, a, b)
            yield GroupWords(a, b, part, tuple(words), looked_at)


def _structures(texts: Sequence[WordText]) -> Iterator[StructureWord]:
    """Of each structure the words that set it apart most from all others."""
    by_form: dict[str, list[WordText]] = {}
    for text in texts:
        if text.structure is not None:
            by_form.setdefault(text.structure, []).append(text)
    if len(by_form) < 2:
        return
    counts = {form: _counted(own) for form, own in by_form.items()}
    every = sum(counts.values(), Counter())
    for form, own in by_form.items():
        have = Counter(word for text in own for word in text.words)
        odds = log_odds(counts[form], every - counts[form])
        known = [word for word, times in have.items() if times >= LEAST_TEXTS and odds[word][1] > 0]
        for word in sorted(known, key=lambda one: (-odds[one][1], one))[:_OF_STRUCTURE]:
            yield StructureWord(form, word, *odds[word], have[word], len(own))


def _counted(texts: Sequence[WordText]) -> Counter[str]:
    found: Counter[str] = Counter()
    for text in texts:
        found.update(text.words)
    return found


def _counts(texts: Sequence[WordText]) -> Iterator[tuple[str, str, str, int, int]]:
    """Words by group, and by group and structure; of a word in one text of a group alone nothing can be seen."""
    times: dict[tuple[str, str], Counter[str]] = {}
    have: dict[tuple[str, str], Counter[str]] = {}
    for text in texts:
        for place in {(text.group, ""), (text.group, text.structure or "")}:
            times.setdefault(place, Counter()).update(text.words)
            have.setdefault(place, Counter()).update(text.words.keys())
    known = {group: {word for word, count in have[group, ""].items() if count > 1} for group, form in have if not form}
    for (group, form), found in sorted(times.items()):
        for word, count in sorted(found.items(), key=lambda one: (-one[1], one[0])):
            if word in known[group]:
                yield group, form, word, count, have[group, form][word]
