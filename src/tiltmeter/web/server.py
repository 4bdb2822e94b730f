"""The server of the workbench: how long it waits for a request, and how a browser is sent there."""

from __future__ import annotations

import asyncio
import html
import os
import socket
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

PAGE = (
    '<!doctype html>\n<meta charset="utf-8">\n<title>tiltmeter</title>\n'
    '<meta http-equiv="refresh" content="0; url={}">\n'
)
"""What leads to an address, from a file."""


class TimeoutProtocol(H11Protocol):
    """A connection that is closed where a request is not there as a whole in time."""

    limit = 20.0
    """Seconds from the beginning of a connection, or from the last answer, to the end of the next request."""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Something came: a request, or a part of it."""
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        """An answer was sent."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY) or self.transport.is_closing():
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.limit, self.transport.abort)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def run(app: ASGIApp, listener: socket.socket) -> None:
    """Answer until somebody ends it. Requests are not logged: an address may hold the secret, or be anybody's words."""
    config = uvicorn.Config(
        app, http=TimeoutProtocol, ws="none", log_level="error", access_log=False, server_header=False
    )
    uvicorn.Server(config).run(sockets=[listener])


@contextmanager
def open_browser(address: str) -> Iterator[None]:
    """Open an address in a browser by a file only this user can read: everybody sees what a program is given."""
    with TemporaryDirectory(prefix="tiltmeter-") as folder:
        path = Path(folder) / "open.html"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(PAGE.format(html.escape(address)))
        # Some browsers take the terminal until they are closed.
        Thread(target=webbrowser.open, args=(path.as_uri(),), daemon=True).start()
        yield
