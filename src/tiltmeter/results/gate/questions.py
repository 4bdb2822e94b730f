"""Whether a candidate is asked what the baseline was asked: only the model may differ."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.store import Run
from tiltmeter.store.run_folder import changes

_NO_QUESTION = re.compile(r"models\b|name$|.*\.(noun|singular|pronoun)$")
"""Keys of a study that change no question."""
_SHOWN = 6


def check_same_questions(baseline: Run, resolved: Mapping[str, Any], candidate: object) -> None:
    """Refuse a candidate that is asked anything else, and say what."""
    now = json.loads(json.dumps(resolved))
    found = [key for key in changes(baseline.meta["resolved"], now) if not _NO_QUESTION.match(key)]
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise UserError(
            f"{candidate}: asks other questions than the baseline {baseline.folder} (different: "
            f"{', '.join(found[:_SHOWN])}{more}); only the model may differ: use the baseline's study file, or measure "
            "the baseline again"
        )
