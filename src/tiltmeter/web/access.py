"""Access to the workbench: the secret in the address that the terminal printed, and the cookie it is exchanged for.

The cookie is a value of its own, so that whoever sees one of the two does not have the other.
"""

from __future__ import annotations

import html
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Scope

from tiltmeter.errors import UserError

SECRET = "TILTMETER_SERVE_TOKEN"
"""The variable of the environment with a secret of your own."""
READS = ("GET", "HEAD")
_PARAMETER = "token"
_SHORTEST = 16
_SHUT = "To use this workbench, open the address that `tiltmeter serve` printed in the terminal."
_PAGE = (
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="color-scheme" content="light dark">\n<title>tiltmeter</title>\n'
    "<main><h1>tiltmeter</h1><p>{}</p></main>\n</html>\n"
)


def new_token() -> str:
    """A secret that nobody can guess."""
    return secrets.token_urlsafe(32)


def chosen_secret(environ: Mapping[str, str]) -> str | None:
    """The secret that the environment gives; None: it gives none. Refuses an empty or short one.

    >>> chosen_secret({}) is None
    True
    """
    given = environ.get(SECRET)
    if given is not None and (len(given) < _SHORTEST or not given.isascii() or not given.isprintable()):
        raise UserError(
            f"{SECRET} must have at least {_SHORTEST} letters, digits or signs of ASCII; unset it to have one made up"
        )
    return given


@dataclass(frozen=True, slots=True)
class Access:
    """Lets in whoever brings the secret, or the cookie that was given for it."""

    secret: str = field(default_factory=new_token, repr=False)
    session: str = field(default_factory=new_token, repr=False)

    def address(self, root: str) -> str:
        """The address that lets a browser in."""
        return f"{root}?{_PARAMETER}={quote(self.secret, safe='')}"

    def refusal(self, scope: Scope) -> Response | None:
        """What to answer instead of the page; None: whoever asks is let in."""
        headers = Headers(scope=scope)
        given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["method"] in READS and any(name == _PARAMETER and _same(value, self.secret) for name, value in given):
            return self._grant(scope, headers, [pair for pair in given if pair[0] != _PARAMETER])
        if self._has_cookie(scope, headers):
            return None
        if headers.get("hx-request") == "true":
            return PlainTextResponse(_SHUT, 403)
        return HTMLResponse(_PAGE.format(_SHUT.replace("`tiltmeter serve`", "<code>tiltmeter serve</code>")), 403)

    def _grant(self, scope: Scope, headers: Headers, rest: list[tuple[str, str]]) -> Response:
        """Give the cookie, and go to the same page without the secret, on this server and no other."""
        path = "/" + scope.get("raw_path", b"/").decode("latin-1").lstrip("/\\")
        place = quote(path, safe="/%:@!$&'()*+,;=-._~") + (f"?{urlencode(rest)}" if rest else "")
        answer: Response = RedirectResponse(place, 303)
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            # A browser that came from elsewhere would follow a redirect without the cookie, but not a page of ours.
            answer = HTMLResponse(_PAGE.format(f'<a href="{html.escape(place)}">The workbench</a>'))
            answer.headers["Refresh"] = f"0; url={place}"
        answer.headers["Set-Cookie"] = f"{cookie_name(scope)}={self.session}; Path=/; HttpOnly; SameSite=Strict"
        return answer

    def _has_cookie(self, scope: Scope, headers: Headers) -> bool:
        """Whether any cookie of the name fits: servers on other ports can put more of that name into the browser."""
        parts = [part.strip().partition("=") for line in headers.getlist("cookie") for part in line.split(";")]
        return any(name == cookie_name(scope) and _same(value, self.session) for name, _, value in parts)


def cookie_name(scope: Scope) -> str:
    """The cookie of the server on this port: browsers send cookies to every port of a machine."""
    return f"tiltmeter-{(scope.get('server') or ('', 0))[1]}"


def _same(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode(), wanted.encode())
