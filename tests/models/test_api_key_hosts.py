"""Where the environment lists servers, a key goes to these alone, whatever address a study brings."""

from __future__ import annotations

import pytest

pytest.importorskip("httpx")
from tests.models.api_server import Served, serving
from tests.models.test_api import scripted
from tiltmeter.errors import ModelError, UserError
from tiltmeter.models.api import load
from tiltmeter.models.api.address import parse
from tiltmeter.models.api.journal import MemoryJournal
from tiltmeter.models.api.key import Key

KEY = "sk-do-not-show-0123456789"


@pytest.fixture(autouse=True)
def with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_API_KEY", KEY)
    monkeypatch.setenv("SOME_SECRET", KEY)
    for name in ("TILTMETER_API_KEY_HOSTS", "SOME_SECRET_HOSTS"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_list_the_server_that_was_named_gets_it() -> None:
    served = Served(scripted())
    with serving(served) as url:
        load(f"tested@{url}", journal=MemoryJournal())
    assert {one["Authorization"] for one in served.headers} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("hosts", ["", "api.example.org", "127.0.0.1:1", "127.0.0.1", "localhost:*", "*", ":*"])
def test_a_server_that_is_not_listed_gets_no_key(hosts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_API_KEY_HOSTS", hosts)
    served = Served(scripted())
    with serving(served) as url:
        load(f"tested@{url}", journal=MemoryJournal())
    assert served.headers
    assert not [one for one in served.headers if KEY in str(dict(one))]


def test_a_server_that_is_named_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(scripted())
    with serving(served) as url:
        monkeypatch.setenv("TILTMETER_API_KEY_HOSTS", f"api.example.org, {parse(f'm@{url}').url.split('/')[2]}")
        load(f"tested@{url}", journal=MemoryJournal())
    assert {one["Authorization"] for one in served.headers} == {f"Bearer {KEY}"}


def test_an_address_cannot_have_any_variable_of_the_environment_sent() -> None:
    address = parse("m@https://elsewhere.example/v1")
    with pytest.raises(UserError, match="SOME_SECRET_HOSTS"):
        Key.of("SOME_SECRET").sent_to(address, named=True)
    assert Key.of("SOME_SECRET", {"SOME_SECRET": KEY, "SOME_SECRET_HOSTS": "elsewhere.example"}).sent_to(
        address, named=True
    )


def test_a_server_that_wants_the_key_is_not_given_it_but_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.models.test_api_faults import always

    monkeypatch.setenv("TILTMETER_API_KEY_HOSTS", "api.example.org")
    with always(401, b"") as (url, seen), pytest.raises(ModelError, match="TILTMETER_API_KEY_HOSTS"):
        load(f"tested@{url}?attempts=1", journal=MemoryJournal())
    assert set(seen) == {""}


@pytest.mark.parametrize(
    ("hosts", "url", "sent"),
    [
        ("api.example.org", "https://api.example.org/v1", True),
        ("api.example.org", "https://API.example.org:443/v1", True),
        ("https://api.example.org", "https://api.example.org/v1", True),
        ("api.example.org:8443", "https://api.example.org:8443/v1", True),
        ("api.example.org:*", "https://api.example.org:8443/v1", True),
        ("a.example,api.example.org", "https://api.example.org/v1", True),
        ("[::1]:8000", "http://[::1]:8000/v1", True),
        ("localhost", "http://localhost/v1", True),
        ("http://lab.example:8000", "http://lab.example:8000/v1", True),
        ("api.example.org", "https://api.example.org:8443/v1", False),
        ("api.example.org", "http://api.example.org/v1", False),
        ("api.example.org", "http://api.example.org:443/v1", False),
        ("api.example.org:*", "http://api.example.org/v1", False),
        ("api.example.org", "https://api.example.org.evil.example/v1", False),
        ("api.example.org", "https://evil.example/api.example.org", False),
        ("example.org", "https://api.example.org/v1", False),
        ("localhost", "http://127.0.0.1/v1", False),
        ("[", "https://api.example.org/v1", False),
        ("api.example.org:99999", "https://api.example.org/v1", False),
        (",,", "https://api.example.org/v1", False),
    ],
)
def test_which_servers_a_list_names(hosts: str, url: str, sent: bool) -> None:
    key = Key.of("", {"TILTMETER_API_KEY": KEY, "TILTMETER_API_KEY_HOSTS": hosts})
    assert bool(key.sent_to(parse(f"m@{url}"), named=False)) is sent
