"""`tiltmeter serve`: the workbench in a browser, on loopback."""

from __future__ import annotations

import os
import socket
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.console import say
from tiltmeter.errors import MissingExtra, RunError, UserError

_HOST = "127.0.0.1"


def serve(
    folder: Annotated[
        Path, typer.Argument(help="The folder with specs/, studies/ and runs/ (made when needed), or a run folder.")
    ] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any free port.")] = 8642,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
) -> None:
    """Open the workbench: write specs, start studies, watch runs and read results.

    It listens on the loopback address only. The printed address contains a secret token, new at every start or taken
    from TILTMETER_SERVE_TOKEN. Pages load nothing from elsewhere. Runs started here continue when it is stopped.
    """
    try:
        from tiltmeter.web import server
        from tiltmeter.web.access import SECRET, Access, chosen_secret
        from tiltmeter.web.app import make_app
    except ImportError as error:
        raise MissingExtra("The pages of the workbench", "web", (error.name or "fastapi").split(".")[0]) from None
    from tiltmeter.web.workbench import Workbench

    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; give an existing one")
    given = chosen_secret(os.environ)
    # The processes that the workbench starts have no use for it.
    os.environ.pop(SECRET, None)
    access = Access(given) if given else Access()
    with _listening(port) as listener:
        root = f"http://{_HOST}:{listener.getsockname()[1]}/"
        # A secret that was given is known to whoever is to have it, and what is printed may be kept.
        typer.echo(f"workbench: {root if given else access.address(root)}")
        if given:
            say(f"open it with ?token= and the token in {SECRET}")
        say("press Ctrl+C to stop; runs started here continue")
        with server.open_browser(access.address(root)) if opened else nullcontext():
            server.run(make_app(Workbench(folder.absolute()), access), listener)


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_HOST, port))
        # Who follows the address before the pages are ready waits for them.
        listener.listen()
    except OSError as error:
        listener.close()
        raise RunError(
            f"port {port} cannot be used ({error.strerror}); choose another with --port, or 0 for any free port"
        ) from error
    return listener
