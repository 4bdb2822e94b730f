"""Which texts of a run people judge: items for the sheets, and queues random_sample from what the filters choose."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from tiltmeter.errors import UserError
from tiltmeter.records import Pair
from tiltmeter.results.summary.labels import written_text
from tiltmeter.results.summary.people_ratings import text_id
from tiltmeter.results.texts import RatedText
from tiltmeter.sources.generated.pairs import sentence_of
from tiltmeter.store.annotations import AnnotatedView, Annotations, Item
from tiltmeter.store.rows import rows_of
from tiltmeter.store.run_folder import ledger_hash
from tiltmeter.web.texts.continuations import ContinuationTexts
from tiltmeter.web.texts.pairs import PairTexts
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.tables import first, numbers

MOST = 2_000
"""Texts in one queue."""
VIEWS: tuple[AnnotatedView, ...] = ("continuations", "pairs")
"""The views whose texts can be judged."""
_AT_ONCE = 500
_MARK = 8
"""Letters of the mark of a sentence."""


def annotated_view(view: str) -> AnnotatedView:
    """The view, where its texts can be judged."""
    for known in VIEWS:
        if view == known:
            return known
    raise UserError("prompts of the view of next words are not judged: choose continuations or pairs")


def items(folder: Path, view: AnnotatedView, wanted: Sequence[int]) -> list[Item]:
    """The items of these numbers, in that order; a text or sentence that comes twice is one item."""
    found: dict[str, Item] = {}
    for item in _items(folder, view, wanted):
        found.setdefault(item.id, item)
    return list(found.values())


def item_of_text(found: RatedText) -> Item:
    """A text that a model wrote, under the id that it has on sheets of ratings."""
    one = found.one
    return Item(
        text_id(found.model, one), "continuations", one.number, one.whole, one.prompt.term, one.prompt.attribute or ""
    )


def item_of_pair(number: int, pair: Pair) -> Item:
    """The sentence of a pair; of others than written ones, the first.

    What a sheet calls it says where it stood when it was written: after a new start with another seed that may be
    another sentence. So its id is that name with a mark of the text behind it.
    """
    name = f"{pair.source}:{sentence_of(pair)}" if pair.written_for else pair.id
    text = written_text(pair)
    term = pair.terms[pair.groups.index(pair.written_for)] if pair.written_for in pair.groups else pair.terms[0]
    mark = hashlib.sha256(text.encode()).hexdigest()[:_MARK]
    return Item(f"{name}~{mark}", "pairs", number, text, term, pair.attribute or "")


def id_on_sheet(item: Item) -> str:
    """The id under which a sheet has a text.

    >>> id_on_sheet(Item("generated:x/0/art/3.1~0123abcd", "pairs", 1, "She paints."))
    'generated:x/0/art/3.1'
    """
    return item.id[: -_MARK - 1] if item.view == "pairs" else item.id


def random_sample(folder: Path, filters: Filters, most: int, seed: int) -> list[Item]:
    """A random sample of what the filters choose, as even over the groups as can be, in random order."""
    view = annotated_view(filters.view)
    texts = ContinuationTexts(folder) if view == "continuations" else PairTexts(folder)
    full = texts.filled(filters)
    by_group: dict[str, list[int]] = {}
    for number, group in numbers(texts, texts.numbered(full), full):
        by_group.setdefault(group, []).append(number)
    random_source = random.Random(seed)
    for found in by_group.values():
        random_source.shuffle(found)
    in_turn = [number for turn in zip_longest(*by_group.values()) for number in turn if number is not None]
    chosen = _first_items(folder, view, in_turn, most)
    # The order must not give away the group.
    random_source.shuffle(chosen)
    return chosen


def in_order(folder: Path, filters: Filters, most: int) -> list[Item]:
    """The first of what the filters choose, in their order."""
    view = annotated_view(filters.view)
    texts = ContinuationTexts(folder) if view == "continuations" else PairTexts(folder)
    full = texts.filled(filters)
    return _first_items(folder, view, first(texts, texts.numbered(full), full, 4 * most), most)


def done_by(folder: Path, annotator: str, task: str, most: int) -> list[Item]:
    """What another annotator has judged, in the order in which that was done."""
    kept = Annotations(folder)
    judged = kept.marks(task).get(annotator, {})
    if not judged:
        raise UserError(f"`{annotator}` has judged nothing of this kind in this run; choose another name or task")
    return list(kept.items(list(judged)).values())[:most]


def present(folder: Path, wanted: Item) -> Item | None:
    """The item as the ledger has it now; None where the text of that place is another one."""
    now = next(iter(items(folder, wanted.view, [wanted.number])), None)
    return now if now is not None and now.id == wanted.id else None


def in_run(folder: Path, wanted: Mapping[str, Item]) -> set[str]:
    """Those of the items whose text the run has now, where it was or elsewhere."""
    found: set[str] = set()
    for view in VIEWS:
        places = {id_: item.number for id_, item in wanted.items() if item.view == view}
        here = {item.id for item in _in_parts(folder, view, list(places.values()))}
        if not places.keys() <= here:
            here |= _every_id(folder, view, ledger_hash(folder))
        found |= places.keys() & here
    return found


def every_item(folder: Path, view: AnnotatedView) -> Iterator[Item]:
    """Every text of a run that can be judged."""
    table = "completions" if view == "continuations" else "items where view = 'pairs'"
    [(last,)] = rows_of(folder, f"select coalesce(max(number), -1) from {table}")
    return _in_parts(folder, view, range(last + 1))


@lru_cache(maxsize=4)
def _every_id(folder: Path, view: AnnotatedView, _: str) -> frozenset[str]:
    return frozenset(item.id for item in every_item(folder, view))


def _in_parts(folder: Path, view: AnnotatedView, wanted: Sequence[int]) -> Iterator[Item]:
    for start in range(0, len(wanted), _AT_ONCE):
        yield from _items(folder, view, wanted[start : start + _AT_ONCE])


def _first_items(folder: Path, view: AnnotatedView, ordered: Sequence[int], most: int) -> list[Item]:
    found: dict[str, Item] = {}
    for item in _in_parts(folder, view, ordered):
        if item.text.strip():
            found.setdefault(item.id, item)
        if len(found) == most:
            break
    return list(found.values())


def _items(folder: Path, view: AnnotatedView, wanted: Sequence[int]) -> Iterator[Item]:
    if view == "continuations":
        for one in ContinuationTexts(folder).texts(list(wanted)):
            if one.one.text.strip():
                yield item_of_text(one)
    else:
        for pair in PairTexts(folder).pairs(list(wanted)):
            yield item_of_pair(pair.number, pair.pair)
