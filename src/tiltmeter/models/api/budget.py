"""What asking a server costs: the estimate before, the limit, and the count after."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from tiltmeter.errors import ModelError

MAX_REQUESTS, MAX_TOKENS = "max_requests", "max_tokens"
"""What the two limits are called in the settings."""
_MILLION = 1_000_000
# Characters of English to a token: only to reserve room for what has not been counted yet.
_CHARACTERS = 4


class BudgetSpent(ModelError):
    """The limit that the user set is reached; what was answered is kept."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, read and written, in whatever currency the user counts in."""

    tokens_in: float
    tokens_out: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What a plan will take. `money` is None where the user gave no price."""

    requests: int
    """At most, from a server that answers all of them."""
    tokens_in: int
    tokens_out: int
    money: float | None = None
    most: int = 0
    """Requests at most from a server that fails at all of them, in one start: each is sent several times."""


def expected_cost(requests: int, tokens: tuple[int, int], price: Price | None = None, most: int | None = None) -> Cost:
    """What so many requests will cost; `tokens` are read and written, in all and at most.

    >>> expected_cost(1000, (20_000, 30_000), Price(0.5, 2.0)).money
    0.07
    """
    money = None if price is None else _money(*tokens, price)
    return Cost(requests, *tokens, money, requests if most is None else most)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: for estimates, since only the server's tokenizer knows.

    >>> estimated_tokens("The nurse said that she was tired.")
    9
    """
    return -(-len(text) // _CHARACTERS)


@dataclass(frozen=True, slots=True)
class Spent:
    """What was sent and what the replies say that it took."""

    requests: int = 0
    """Sent, whether or not an answer came."""
    answered: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    """Answers that do not say how many tokens they took."""
    faults: tuple[tuple[str, int], ...] = ()
    """What went wrong on the way, and how often; most of it was sent again with success."""
    fingerprints: tuple[str, ...] = ()
    """What the server called itself; more than one: it changed on the way."""
    models: tuple[str, ...] = ()
    """What the replies called the model; more than one: it changed on the way."""

    def money(self, price: Price | None) -> float | None:
        """What the tokens cost; None where the price is not known."""
        return None if price is None else _money(self.tokens_in, self.tokens_out, price)

    def words(self, price: Price | None = None) -> str:
        """The same for people.

        >>> Spent(requests=12, answered=10, tokens_in=2_000, tokens_out=500).words(Price(1.0, 2.0))
        '12 requests, 10 answered; 2,000 tokens read and 500 written, which cost 0.003'
        """
        uncounted = f" ({self.uncounted:,} answers do not report theirs)" if self.uncounted else ""
        money = self.money(price)
        cost = "" if money is None else f", which cost {money:,.4g}"
        changed = f"; the server called itself {', '.join(self.fingerprints)}" if len(self.fingerprints) > 1 else ""
        if len(self.models) > 1:
            changed += f"; WARNING: the model changed during the run; the replies name {', '.join(self.models)}"
        return (
            f"{self.requests:,} requests, {self.answered:,} answered; {self.tokens_in:,} tokens read and "
            f"{self.tokens_out:,} written{uncounted}{cost}{changed}"
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be sent and taken in all; None: no limit."""

    requests: int | None = None
    tokens: int | None = None


class Tally(Protocol):
    """A count of what was sent, which limits are held against."""

    def reserve(self, tokens: int, limits: Limits) -> str | None:
        """Count one more request, which may take so many tokens, before it is sent; or the limit that forbids it."""
        ...

    def settle(self, reserved: int, used: int) -> None:
        """Tokens that were set aside are free again, and so many were used."""
        ...


class MemoryTally:
    """A tally in memory.

    >>> tally = MemoryTally(); [tally.reserve(10, Limits(requests=2)) for _ in range(3)]
    [None, None, 'max_requests']
    """

    def __init__(self) -> None:
        self.requests = self.reserved = self.used = 0
        self._lock = Lock()

    def reserve(self, tokens: int, limits: Limits) -> str | None:
        """Count it, where there is room."""
        with self._lock:
            if limits.requests is not None and self.requests >= limits.requests:
                return MAX_REQUESTS
            if limits.tokens is not None and self.used + self.reserved + tokens > limits.tokens:
                return MAX_TOKENS
            self.requests, self.reserved = self.requests + 1, self.reserved + tokens
            return None

    def settle(self, reserved: int, used: int) -> None:
        """Count it."""
        with self._lock:
            self.reserved, self.used = self.reserved - reserved, self.used + used


class Budget:
    """Counts every request before it is sent, and lets none be sent beyond a limit.

    The count is that of the journal, written down first, so that a process that is killed cannot forget it: tokens of
    requests that were on their way then stay set aside. `own` is a count that limits are held against instead.
    """

    def __init__(self, limits: Limits, journal: Tally, own: Tally | None = None) -> None:
        self._limits, self._journal, self._own = limits, journal, own
        self.kept = 0
        """Answers that were there already, for which nothing was sent."""
        self._faults: Counter[str] = Counter()

    def reserve(self, tokens: int) -> None:
        """Room for one more request that may take so many tokens; otherwise one sentence."""
        full = (self._own or self._journal).reserve(self._reserved(tokens), self._limits)
        if full:
            limit = self._limits.requests if full == MAX_REQUESTS else self._limits.tokens
            raise _spent(f"{limit or 0:,} {full.removeprefix('max_')}", full)
        if self._own is not None:
            self._journal.reserve(0, Limits())

    def settle(self, tokens: int, used: int) -> None:
        """A request came to its end, one way or another; the journal counts what was used with the answer."""
        if self._own is not None:
            self._own.settle(self._reserved(tokens), used)
        elif self._reserved(tokens):
            self._journal.settle(self._reserved(tokens), 0)

    def fault(self, kind: str) -> None:
        """Something went wrong."""
        self._faults[kind] += 1

    def faults(self) -> Counter[str]:
        """What went wrong since the last time that this was asked."""
        found, self._faults = self._faults, Counter()
        return found

    def _reserved(self, tokens: int) -> int:
        return 0 if self._limits.tokens is None else tokens


def _spent(limit: str, setting: str) -> BudgetSpent:
    return BudgetSpent(
        f"the budget of {limit} is used up; answers so far are saved: raise `{setting}` "
        f"(TILTMETER_API_{setting.upper()}) and run the same command to resume"
    )


def _money(tokens_in: int, tokens_out: int, price: Price) -> float:
    return (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / _MILLION
