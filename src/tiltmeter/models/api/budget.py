"""What asking a server costs: the estimate before, the limit, and the count after."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tiltmeter.errors import ModelError

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
    tokens_in: int
    tokens_out: int
    money: float | None = None


def expected_cost(requests: int, tokens: tuple[int, int], price: Price | None = None) -> Cost:
    """What so many requests will cost; `tokens` are read and written, in all and at most.

    >>> expected_cost(1000, (20_000, 30_000), Price(0.5, 2.0)).money
    0.07
    """
    return Cost(requests, *tokens, None if price is None else _money(*tokens, price))


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

    def money(self, price: Price | None) -> float | None:
        """What the tokens cost; None where the price is not known."""
        return None if price is None else _money(self.tokens_in, self.tokens_out, price)

    def words(self, price: Price | None = None) -> str:
        """The same for people.

        >>> Spent(requests=12, answered=10, tokens_in=2_000, tokens_out=500).words(Price(1.0, 2.0))
        '12 requests, 10 answered; 2,000 tokens read and 500 written, which cost 0.003'
        """
        uncounted = f" ({self.uncounted:,} answers do not say)" if self.uncounted else ""
        money = self.money(price)
        cost = "" if money is None else f", which cost {money:,.4g}"
        changed = f"; the server called itself {', '.join(self.fingerprints)}" if len(self.fingerprints) > 1 else ""
        return (
            f"{self.requests:,} requests, {self.answered:,} answered; {self.tokens_in:,} tokens read and "
            f"{self.tokens_out:,} written{uncounted}{cost}{changed}"
        )


class Budget:
    """Counts, and stops before a limit is passed. Requests on their way count with all they may write."""

    def __init__(
        self, max_requests: int | None = None, max_tokens: int | None = None, before: Spent | None = None
    ) -> None:
        self._max_requests, self._max_tokens = max_requests, max_tokens
        before = before or Spent()
        self._requests, self._tokens = before.requests, before.tokens_in + before.tokens_out
        self._reserved = 0
        self.kept = 0
        """Answers that were there already, for which nothing was sent."""
        self._faults: Counter[str] = Counter()

    def take(self, tokens: int) -> None:
        """Room for one more request that may take so many tokens; otherwise one sentence."""
        if self._max_requests is not None and self._requests >= self._max_requests:
            raise _spent(f"{self._max_requests:,} requests", "max_requests")
        if self._max_tokens is not None and self._tokens + self._reserved + tokens > self._max_tokens:
            raise _spent(f"{self._max_tokens:,} tokens", "max_tokens")
        self._requests += 1
        self._reserved += tokens

    def give_back(self, tokens: int) -> None:
        """A request came to its end, one way or another."""
        self._reserved -= tokens

    def count(self, tokens: int) -> None:
        """An answer came that took so many tokens."""
        self._tokens += tokens

    def fault(self, kind: str) -> None:
        """Something went wrong."""
        self._faults[kind] += 1

    def faults(self) -> Counter[str]:
        """What went wrong since the last time that this was asked."""
        found, self._faults = self._faults, Counter()
        return found


def _spent(limit: str, setting: str) -> BudgetSpent:
    return BudgetSpent(
        f"the budget of {limit} is spent; what was answered is kept: raise `{setting}` (TILTMETER_API_"
        f"{setting.upper()}) and run the same again to go on"
    )


def _money(tokens_in: int, tokens_out: int, price: Price) -> float:
    return (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / _MILLION
