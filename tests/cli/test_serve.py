"""`tiltmeter serve`: where it can be reached."""

from __future__ import annotations

import socket

from tiltmeter.cli.serve import _listening


def test_whoever_comes_as_soon_as_the_address_is_said_waits_and_is_not_turned_away() -> None:
    with _listening(0) as listener, socket.create_connection(listener.getsockname(), timeout=5):
        pass
