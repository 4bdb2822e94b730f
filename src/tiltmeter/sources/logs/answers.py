"""What the logs of other programs hold, whichever wrote them: an answer to an item, with what the log says of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.records import Decoding, ModelFacts
from tiltmeter.sources.cells import as_cell
from tiltmeter.sources.numbers import as_number

_MOST = 1e9
UNSTATED = Decoding(max_new_tokens=0)
"""How a text was drawn of which the log says nothing: no length is a limit."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered to one item."""

    task: str
    id: str
    item: Mapping[str, Any]
    """The item as the log has it."""
    row: Mapping[str, Any]
    """The whole record, in which columns are looked up."""
    line: int
    context: str
    options: tuple[str, ...] = ()
    """What could be answered, where that was given."""
    logprobs: tuple[float | None, ...] = ()
    """Of every option, where the log has them."""
    chosen: int | None = None
    """Which option the model chose, where no log-probability says so."""
    target: str = ""
    """The right answer: an option by its number, or a text."""
    text: str = ""
    """What the model wrote."""
    ratings: Mapping[str, Any] = field(default_factory=dict)
    """The figures that the program itself gave the answer."""
    sample: int = 0
    decoding: Decoding = UNSTATED
    failed: str = ""
    """Why there is no answer."""
    model: str = ""
    """Who answered, where a file holds the answers of several."""

    @property
    def is_exchange(self) -> bool:
        """Whether it is of no item of a test, but of whatever somebody asked."""
        return self.item is self.row

    @property
    def right(self) -> int | None:
        """The option that is right, where the log says so."""
        number = as_number(self.target)
        if number is not None and number == int(number) and 0 <= number < len(self.options):
            return int(number)
        same = [at for at, option in enumerate(self.options) if plain(option) == plain(self.target)]
        return same[0] if len(same) == 1 and self.target else None

    def value(self, names: Sequence[str]) -> str:
        """What the item has under the first of these names that it knows, or else the record; blank where nothing."""
        for holder in (self.item, self.item.get("metadata"), self.row):
            known = {str(name).casefold(): held for name, held in (holder or {}).items()} if _is_object(holder) else {}
            for name in names:
                if (said := single(known.get(name))) != "":
                    return said
        return ""

    def at(self, column: str) -> str | None:
        """What stands under a column, `metadata.group` in an object; None where the record has no such column."""
        for holder in (self.row, self.item):
            held: Any = holder
            for part in (column,) if column in holder else column.split("."):
                held = held.get(part, ...) if _is_object(held) else ...
            if held is not ...:
                return single(held)
        return None


@dataclass(frozen=True, slots=True)
class LogFile:
    """One file: whose answers it holds, and these one by one."""

    facts: ModelFacts
    answers: Iterator[Answer]


def facts_of(name: str, revision: Any = None, device: Any = None, dtype: Any = None) -> ModelFacts:
    """What a log says of a model; what it does not say is blank, and not the default of a model that ran here."""
    return ModelFacts(name, "causal", revision=single(revision), device=single(device), dtype=single(dtype))


_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "top_k": ("top_k", "topK"),
    "top_p": ("top_p", "topP"),
    "max_new_tokens": (
        *("max_new_tokens", "max_gen_toks", "max_completion_tokens", "max_output_tokens"),
        *("maxOutputTokens", "max_tokens"),
    ),
}
"""What settings of a decoding are called."""


def decoding_of(find: Callable[[Sequence[str]], object], stop: Sequence[str] = ()) -> Decoding:
    """The settings of a text, as far as something is found under the names that they have.

    >>> settings = {"max_tokens": 5, "temperature": None}
    >>> decoding_of(lambda names: next(filter(None, map(settings.get, names)), None)).max_new_tokens
    5
    """

    def of(name: str, usual: float) -> float:
        value = as_number(as_cell(find(_SETTINGS[name])))
        return usual if value is None or not 0 <= value < _MOST else value

    return Decoding(
        temperature=of("temperature", UNSTATED.temperature),
        top_k=int(of("top_k", 0)),
        # At 0 nothing could be written.
        top_p=of("top_p", 1.0) or 1.0,
        max_new_tokens=int(of("max_new_tokens", 0)),
        stop=tuple(stop),
    )


def first_of(holder: Mapping[str, Any]) -> Callable[[Sequence[str]], object]:
    """What finds the first of some names in an object."""
    return lambda names: next((holder[name] for name in names if name in holder), None)


def single(value: Any) -> str:
    """A single value as text; blank for a list or an object."""
    return "" if isinstance(value, (list, tuple, dict)) else as_cell(value).strip()


def plain(text: str) -> str:
    """A text by which options are told apart, whatever stands around it.

    >>> plain(" Yes."), plain("“no”")
    ('yes', 'no')
    """
    return text.strip(" \t\r\n.,;:!?\"'“”‘’()[]*").casefold()


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)
