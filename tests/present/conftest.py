"""Drawing is tested elsewhere, and takes time."""

import pytest

from tests.present.every_block import SVG
from tiltmeter.present import drawing


@pytest.fixture
def tiny_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "svg", lambda spec, width: SVG)
    monkeypatch.setattr(drawing, "png", lambda spec: b"png")
    monkeypatch.setattr(drawing, "pdf", lambda spec: b"pdf")
