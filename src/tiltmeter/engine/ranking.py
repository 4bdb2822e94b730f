"""Who can rank written sentences by likelihood: a model that gives the log-probabilities of texts."""

from __future__ import annotations

from tiltmeter.engine.staff import Staff
from tiltmeter.errors import ModelError
from tiltmeter.measures.scorers import find
from tiltmeter.models import Model
from tiltmeter.models.api import api_name
from tiltmeter.records import Pair

_ANY = Pair("any", "any", "any", "any", ("He reads.", "She reads."), ("a", "b"), group_spans=(((0, 2),), ((0, 3),)))


def can_rank(model: Model) -> bool:
    """Whether a model answers what it would be asked to rank two texts; nothing is asked to find out."""
    conditionings = getattr(model, "conditionings", None)
    asked = find("mean", model.facts.family).asks(_ANY)
    return conditionings is None or all(query.conditioning in conditionings for query in asked)


def check_reader(reader: str | None, staff: Staff) -> None:
    """Refuse a reader behind an API that cannot rank, before anything is written for it to read."""
    if reader and api_name(reader) and not can_rank(staff.model(reader)):
        raise ModelError(
            f"the reader {reader} gives no log-probabilities of texts and cannot rank sentences; name another, or none"
        )
