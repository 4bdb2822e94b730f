"""A workbench with specs of one's own, and a browser that sends what stands on its pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from httpx import Response

from tests.web.bench import fields_of, opened

Fields = dict[str, list[str]]


class Desk:
    """A workbench in a folder, and a browser that can send what stands on its pages."""

    def __init__(self, folder: Path) -> None:
        self.specs = folder / "specs"
        self.client = opened(folder)

    def write(self, name: str, text: str) -> None:
        self.specs.mkdir(exist_ok=True)
        (self.specs / f"{name}.toml").write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.specs / f"{name}.toml").read_text(encoding="utf-8")

    def get(self, path: str) -> Response:
        return self.client.get(path, headers={"HX-Request": ""})

    def send(self, method: str, path: str, fields: Any = None) -> Response:
        return self.client.request(method, path, data=fields)

    def editor(self, name: str, mode: str = "form") -> Fields:
        """The fields of the page on which a spec is written."""
        return fields_of(self.get(f"/specs/own/{name}/edit?as={mode}").text)
