"""Requests to a server: several at once, sent again where that helps, each answer kept as soon as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from tiltmeter.answers import key_of
from tiltmeter.errors import ModelError, TiltmeterError
from tiltmeter.models.api.address import Address
from tiltmeter.models.api.answers import NO_LOGPROBS, Malformed, parsed, stored_answer
from tiltmeter.models.api.budget import Budget, Limits, MemoryTally, estimated_tokens
from tiltmeter.models.api.journal import Journal, MemoryJournal
from tiltmeter.models.api.key import Key
from tiltmeter.models.api.model_names import accepts
from tiltmeter.models.api.settings import ApiSettings
from tiltmeter.models.api.transport import Fault, Transport, back_off, quiet, require_package
from tiltmeter.records import NO_ANSWER
from tiltmeter.text import is_readable

if TYPE_CHECKING:
    import httpx

Answer = TypeVar("Answer")
Read = Callable[[Mapping[str, Any]], Answer]
"""Reads what is kept of a reply (see `stored_answer`), or raises `Malformed`."""

HOPELESS = 24
"""So many requests given up in a row, and the server counts as gone unless it answers a question that is easy."""
LENGTHS = ("max_tokens", "max_completion_tokens")
"""What servers call the limit of an answer: most by the first name, some by the second alone."""
HALVED = "the text has half a character (a lone surrogate), which cannot be sent"
# Some servers fail at every question about their models, and answer all others.
_LOOKS = 6
_NAME = 80
"""Letters of a model's name that are repeated."""
_ABOUT_THE_TEXT = {400, 413, 422}


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a server: the end of its URL and the JSON of its body. `sample` tells repetitions apart."""

    path: str
    body: Mapping[str, Any]
    sample: str = ""
    text: str = ""
    """What is read, to estimate its tokens."""

    @property
    def tokens(self) -> int:
        """About how many tokens it takes, at most."""
        most = next((self.body[name] for name in LENGTHS if name in self.body), None)
        return estimated_tokens(self.text) + (most if isinstance(most, int) else 0)


@dataclass(frozen=True, slots=True)
class Refused:
    """A request without an answer, and why; `status` is that of a request which the server calls wrong."""

    reason: str
    status: int | None = None
    said: str = ""
    """What the server says about it, without the key; for people."""
    blamed: str = ""
    """All that it says, in which it may name what it does not take."""


class Hopeless(ModelError):
    """Asking on makes no sense: the key is wrong, the model is not there, or the server is gone."""


@dataclass
class Client:
    """A server, and the account of what it was asked."""

    address: Address
    settings: ApiSettings
    key: Key = field(default_factory=Key)
    journal: Journal = field(default_factory=MemoryJournal)
    revision: str = ""
    """What the server says of the model: an answer is kept for this alone."""
    hello: Callable[[int], Request] | None = None
    """An easy question, another for each number: whether the server is there at all."""
    listed: Mapping[str, Any] = field(default_factory=dict)
    """What the server's list of models says of this one."""
    named: dict[str, None] = field(default_factory=dict)
    """What the replies called the model."""
    counts_before: bool = False
    """Whether the budget is for everything in the journal, or for what is sent from now on."""
    shared: bool = False
    """Whether the journal is that of all commands: what it says of the server may be long ago."""

    def __post_init__(self) -> None:
        require_package()
        self._transport = Transport(self.address, self.settings, self.key)
        limits = Limits(self.settings.max_requests, self.settings.max_tokens)
        self.budget = Budget(limits, self.journal, None if self.counts_before else MemoryTally())
        self._in_a_row, self._knocking = 0, False
        self._pause_until = 0.0
        self._end: TiltmeterError | None = None

    def with_attempts(self, attempts: int) -> Client:
        """The same server and the same account, with less patience."""
        other = replace(self, settings=replace(self.settings, attempts=attempts))
        other.budget = self.budget
        return other

    def ask(
        self, requests: Sequence[Request], read: Read[Answer], lasts: Callable[[Answer], bool] = lambda _: True
    ) -> list[Answer | Refused]:
        """The answer to each request, in the order given; one that stands there twice is sent once.

        Where the budget is spent or the server is gone, what is on its way is waited for and kept before the error.
        `lasts`: whether an answer that was kept still counts.
        """
        keys = [self._key(request) for request in requests]
        found: dict[bytes, Answer | Refused] = {}
        for key in dict.fromkeys(keys):
            answer = self._kept(key, read)
            if answer is not None and lasts(answer):
                found[key] = answer
        self.budget.kept += len(found)
        halved = [key for key, request in zip(keys, requests, strict=True) if not is_readable(request.text)]
        found |= dict.fromkeys(halved, Refused(HALVED))
        missing = {key: request for key, request in zip(keys, requests, strict=True) if key not in found}
        if missing:
            try:
                with quiet():
                    found |= _carried_out(lambda: self._ask_all(missing, read))
            finally:
                self.journal.note(self.budget.faults())
        return [found[key] for key in keys]

    def has(self, request: Request) -> bool:
        """Whether a request was answered before, so that it would not be sent."""
        return self.journal.answer(self._key(request)) is not None

    def get(self, path: str) -> Mapping[str, Any] | Refused:
        """What the server says at an address, asked without a body and free of charge."""

        async def look() -> Mapping[str, Any] | Refused:
            async with self._transport.open() as http:
                attempt = 0
                while True:
                    attempt += 1
                    found = await self._looked(http, path)
                    if not isinstance(found, Fault):
                        return found
                    if not found.again or found.end or attempt >= min(_LOOKS, self.settings.attempts):
                        return _refused(found)
                    await asyncio.sleep(back_off(attempt, 1.0))

        with quiet():
            return _carried_out(look)

    async def _looked(self, http: httpx.AsyncClient, path: str) -> Mapping[str, Any] | Fault:
        reply = await self._transport.exchange(http, "GET", path)
        try:
            found: Mapping[str, Any] | Fault = reply if isinstance(reply, Fault) else self.key.out_of_all(parsed(reply))
        except Malformed as error:
            return Fault(str(error))
        return found

    def _key(self, request: Request) -> bytes:
        return key_of(self.address.url, self.revision, request.path, request.body, request.sample)

    def _kept(self, key: bytes, read: Read[Answer]) -> Answer | None:
        value = self.journal.answer(key)
        try:
            if value is None or self._another(value) is not None:
                return None
            return read(value)
        except (Malformed, LookupError, TypeError):
            return None

    def _another(self, kept: Mapping[str, Any]) -> Fault | None:
        """What is wrong where a reply names another model than was asked."""
        said, asked = kept.get("model") or "", self.address.model
        if accepts(said, asked, self.settings.answers_as, self.listed):
            self.named |= {said: None} if said else {}
            return None
        return Fault(
            "the reply names another model",
            end=f"{self.address.host} was asked for `{asked}` and answers as `{said[:_NAME]}`; ask for that model, or "
            f"accept it with `answers_as={said[:_NAME]}` after the `?` of the URL",
        )

    async def _ask_all(self, missing: Mapping[bytes, Request], read: Read[Answer]) -> dict[bytes, Answer | Refused]:
        self._end = None
        gate = asyncio.Semaphore(self.settings.concurrency)
        found: dict[bytes, Answer | Refused] = {}

        async def one(key: bytes, request: Request) -> None:
            answer = await self._one(http, gate, key, request, read)
            if answer is not None:
                found[key] = answer

        async with self._transport.open() as http:
            outcomes = await asyncio.gather(*(one(*each) for each in missing.items()), return_exceptions=True)
        ended = self._end or next((one for one in outcomes if isinstance(one, BaseException)), None)
        if ended is not None:
            raise ended
        return found

    async def _one(
        self, http: httpx.AsyncClient, gate: asyncio.Semaphore, key: bytes, request: Request, read: Read[Answer]
    ) -> Answer | Refused | None:
        """The answer to one request; None where everything came to an end before it."""
        faults: list[Fault] = []
        while True:
            await self._patience()
            outcome = await self._sent(http, gate, key, request, read)
            if not isinstance(outcome, Fault):
                return outcome
            self.budget.fault(outcome.kind)
            faults.append(outcome)
            if outcome.end is not None:
                self._end = Hopeless(outcome.end)
                return None
            if not outcome.again or len(faults) >= min(self.settings.attempts, outcome.tries or len(faults) + 1):
                return await self._given_up(http, gate, faults)
            if outcome.wait is not None and outcome.wait > self.settings.longest_wait:
                self._end = Hopeless(
                    f"{self.address.host} asks to wait {outcome.wait:,.0f} seconds, longer than tiltmeter waits; "
                    "answers so far are saved: run the same command again then"
                )
                return None
            await self._wait(outcome, len(faults))

    async def _sent(
        self, http: httpx.AsyncClient, gate: asyncio.Semaphore, key: bytes, request: Request, read: Read[Answer]
    ) -> Answer | Fault | None:
        """One attempt, when there is room for it; None where everything has come to an end."""
        async with gate:
            if self._end is not None:
                return None
            try:
                # On the disk, and in a thread, so that the others do not wait for it and run out of their time.
                await asyncio.to_thread(self.budget.reserve, request.tokens)
                outcome = await self._attempt(http, key, request, read)
            except TiltmeterError as error:
                # The budget is spent; or an answer cannot be kept, and would be paid for again.
                self._end = error
                return None
        if not isinstance(outcome, Fault):
            self._in_a_row = 0
        return outcome

    async def _given_up(
        self, http: httpx.AsyncClient, gate: asyncio.Semaphore, faults: Sequence[Fault]
    ) -> Refused | None:
        if self._end is not None:
            return None
        last = faults[-1]
        # A text that a server calls wrong says nothing about the next one, and long ones come together.
        self._in_a_row += last.status not in _ABOUT_THE_TEXT
        said = f" ({last.said})" if last.said else ""
        if len(faults) > 1 and all(fault.status == 429 for fault in faults):
            self._end = Hopeless(
                f"{self.address.host} refuses more requests (429) after {len(faults)} attempts; answers so far "
                "are saved: run the same command again later, or with fewer requests at once "
                "(TILTMETER_API_CONCURRENCY)"
            )
            return None
        if self._in_a_row >= HOPELESS and not self._knocking and not await self._goes_on(http, gate, last):
            self._end = Hopeless(
                f"{self.address.host} left {HOPELESS} requests in a row without an answer, the last because "
                f"{last.kind}{said}; answers so far are saved: run the same command again when the server works"
            )
            return None
        return _refused(last, len(faults))

    async def _goes_on(self, http: httpx.AsyncClient, gate: asyncio.Semaphore, last: Fault) -> bool:
        """Whether asking on makes sense; a server that gave numbers and gives none any more has changed."""
        return last.kind != NO_LOGPROBS and await self._is_well(http, gate)

    async def _is_well(self, http: httpx.AsyncClient, gate: asyncio.Semaphore) -> bool:
        """Whether the server answers an easy question, so that what it failed at is to blame."""
        if self.hello is None:
            return False
        # Each answer makes the next number another, so that no question is ever sent after its answer.
        request = self.hello(self.journal.spent().answered)
        self._knocking = True
        try:
            for attempt in range(1, self.settings.attempts + 1):
                outcome = await self._sent(http, gate, self._key(request), request, lambda kept: kept)
                if not isinstance(outcome, Fault):
                    return outcome is not None
                self.budget.fault(outcome.kind)
                await self._wait(outcome, attempt)
            return False
        finally:
            self._knocking = False

    async def _patience(self) -> None:
        """Wait while the server wants to be left alone."""
        loop = asyncio.get_running_loop()
        while self._end is None and self._pause_until > loop.time():
            await asyncio.sleep(min(1.0, self._pause_until - loop.time()))

    async def _wait(self, fault: Fault, attempt: int) -> None:
        loop = asyncio.get_running_loop()
        pause = back_off(attempt, self.settings.longest_wait)
        if fault.wait is not None:
            # A server that says when wants nobody before that; a little chance spreads them.
            pause = fault.wait + min(pause, 0.25 * fault.wait)
            self._pause_until = max(self._pause_until, loop.time() + fault.wait)
        until = loop.time() + pause
        while self._end is None and until > loop.time():
            await asyncio.sleep(min(1.0, until - loop.time()))

    async def _attempt(
        self, http: httpx.AsyncClient, key: bytes, request: Request, read: Read[Answer]
    ) -> Answer | Fault:
        used = 0
        try:
            reply = await self._transport.exchange(http, "POST", request.path, request.body)
            if isinstance(reply, Fault):
                return reply
            kept = self.key.out_of_all(stored_answer(parsed(reply)))
            another = self._another(kept)
            if another is not None:
                return another
            answer = read(kept)
            used = sum(kept["usage"] or (request.tokens,))
            await asyncio.to_thread(self.journal.record, key, kept, used)
        except Malformed as error:
            return Fault(str(error), tries=error.tries)
        else:
            return answer
        finally:
            await asyncio.to_thread(self.budget.settle, request.tokens, used)


def _refused(fault: Fault, attempts: int = 1) -> Refused:
    wrong = fault.status is not None and not fault.again
    if wrong and fault.said:
        return Refused(f"the server refused it: {fault.said}", fault.status, fault.said, fault.blamed)
    if wrong or fault.tries == 1:
        # Asked the same, it says the same: there is no better moment to wait for.
        return Refused(fault.kind, fault.status, fault.said, fault.blamed)
    times = f" ({attempts} attempts)" if attempts > 1 else ""
    return Refused(f"{NO_ANSWER}{fault.kind}{times}", fault.status, fault.said, fault.blamed)


def _carried_out(work: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
    """Run it to its end; in a thread of its own where the caller runs a loop already, as notebooks do."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(work())).result()
