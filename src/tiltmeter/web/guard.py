"""What stands before every page: whose request it is, and what a page may do in the browser."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tiltmeter.web.access import READS, Access

TOKEN_HEADER = "X-Tiltmeter-Token"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses requests without the secret, from other sites and for other hosts; every answer has a strict policy.

    A name that somebody else's server resolves to loopback gets nothing (`Host`), and neither does a form or script of
    another site (`Origin`, `Sec-Fetch-Site` and the token, which only a page of this server can read).
    """

    app: ASGIApp
    token: str
    access: Access
    hosts: frozenset[str] = field(default=_LOOPBACK)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        problem = self._problem(scope["method"], Headers(scope=scope))
        refusal = PlainTextResponse(problem, status_code=403) if problem else self.access.refusal(scope)
        await (refusal or self.app)(scope, receive, send_guarded)

    def _problem(self, method: str, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if _name(f"//{host}") not in self.hosts:
            return "This workbench answers on loopback only; open the address that `tiltmeter serve` printed."
        ours = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        if method in READS:
            # A link from elsewhere may open a page; nothing else of another site has any business here.
            opens = headers.get("sec-fetch-dest", "document") == "document"
            return None if ours or opens else "A page of another site cannot use this workbench."
        if not ours or headers.get("origin", f"http://{host}") != f"http://{host}":
            return "A change must come from a page of this workbench."
        if not secrets.compare_digest(headers.get(TOKEN_HEADER, "").encode(), self.token.encode()):
            return "The page is older than the server: load it again."
        return None


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
