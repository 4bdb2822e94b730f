"""What was asked and what was measured, in the formats of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tiltmeter.present.exports.folder import whole_folder
from tiltmeter.present.exports.items import asked_by
from tiltmeter.present.exports.lm_eval import write_tasks


def export(given: Any, form: str, place: str | Path) -> None:
    with whole_folder(place) as folder:
        write_tasks(asked_by(given), folder)
